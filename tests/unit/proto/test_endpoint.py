"""Paths of an instance, per platform and environment (faults D3, D11, D18)."""

import pytest

from mdmem_proto.endpoint import Endpoint, resolve
from mdmem_proto.errors import EndpointError
from mdmem_proto.limits import SOCKET_PATH_BYTES_MAX

PATHS = (
    "config_folder",
    "data_folder",
    "cache_folder",
    "run_folder",
    "log_path",
    "socket_path",
    "lock_path",
    "start_lock_path",
)


def linux(home: str = "/home/ada", **environ: str) -> Endpoint:
    return resolve(environ, platform="linux", uid=1000, home=home)


def macos(home: str = "/Users/ada", **environ: str) -> Endpoint:
    return resolve(environ, platform="darwin", uid=501, home=home)


def paths(endpoint: Endpoint) -> dict[str, str]:
    return {name: getattr(endpoint, name) for name in PATHS}


def test_linux() -> None:
    assert paths(linux(XDG_RUNTIME_DIR="/run/user/1000")) == {
        "config_folder": "/home/ada/.config/mdmem",
        "data_folder": "/home/ada/.local/share/mdmem",
        "cache_folder": "/home/ada/.cache/mdmem",
        "run_folder": "/run/user/1000/mdmem",
        "log_path": "/home/ada/.local/state/mdmem/mdmemd.log",
        "socket_path": "/run/user/1000/mdmem/mdmem.sock",
        "lock_path": "/home/ada/.local/share/mdmem/daemon.lock",
        "start_lock_path": "/run/user/1000/mdmem/start.lock",
    }


def test_macos() -> None:
    assert paths(macos(TMPDIR="/var/folders/x/T/", XDG_DATA_HOME="/ignored")) == {
        "config_folder": "/Users/ada/Library/Application Support/mdmem/config",
        "data_folder": "/Users/ada/Library/Application Support/mdmem/data",
        "cache_folder": "/Users/ada/Library/Caches/mdmem",
        "run_folder": "/Users/ada/Library/Application Support/mdmem/run",
        "log_path": "/Users/ada/Library/Logs/mdmem/mdmemd.log",
        "socket_path": "/Users/ada/Library/Application Support/mdmem/run/mdmem.sock",
        "lock_path": "/Users/ada/Library/Application Support/mdmem/data/daemon.lock",
        "start_lock_path": "/Users/ada/Library/Application Support/mdmem/run/start.lock",
    }


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_mdmem_home_moves_everything(platform: str) -> None:
    """D11."""
    environ = {
        "MDMEM_HOME": "/srv/one",
        "XDG_RUNTIME_DIR": "/run/user/1000",
        "XDG_DATA_HOME": "/data",
        "TMPDIR": "/private/tmp",
    }
    assert paths(resolve(environ, platform=platform, uid=1000, home="")) == {
        "config_folder": "/srv/one/config",
        "data_folder": "/srv/one/data",
        "cache_folder": "/srv/one/cache",
        "run_folder": "/srv/one/run",
        "log_path": "/srv/one/log/mdmemd.log",
        "socket_path": "/srv/one/run/mdmem.sock",
        "lock_path": "/srv/one/data/daemon.lock",
        "start_lock_path": "/srv/one/run/start.lock",
    }


@pytest.mark.parametrize("platform", ["linux", "darwin"])
@pytest.mark.parametrize("parent", ["/srv", "/srv/" + "x" * 200])
def test_two_instances_share_no_path(platform: str, parent: str) -> None:
    """D11, also where both sockets are in the same short folder."""
    one, two, default = (
        resolve(environ, platform=platform, uid=1000, home="/home/ada")
        for environ in ({"MDMEM_HOME": f"{parent}/one"}, {"MDMEM_HOME": f"{parent}/two"}, {})
    )
    for name in (*PATHS, "instance_key"):
        assert len({getattr(each, name) for each in (one, two, default)}) == 3, name


def test_xdg_values_are_used() -> None:
    endpoint = linux(
        XDG_CONFIG_HOME="/c/",
        XDG_DATA_HOME="/d//e",
        XDG_CACHE_HOME="/f/./g",
        XDG_STATE_HOME="/h",
        XDG_RUNTIME_DIR="/r",
    )
    assert endpoint.config_folder == "/c/mdmem"
    assert endpoint.data_folder == "/d/e/mdmem"
    assert endpoint.cache_folder == "/f/g/mdmem"
    assert endpoint.log_path == "/h/mdmem/mdmemd.log"
    assert endpoint.run_folder == "/r/mdmem"


@pytest.mark.parametrize("value", ["", "relative", "./x", "~/x"])
def test_relative_and_empty_xdg_values_mean_the_default(value: str) -> None:
    variables = (
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_CACHE_HOME",
        "XDG_STATE_HOME",
        "XDG_RUNTIME_DIR",
    )
    assert paths(linux(**dict.fromkeys(variables, value))) == paths(linux())


def test_without_a_runtime_folder_the_run_folder_is_private_in_tmp() -> None:
    assert linux().run_folder == "/tmp/mdmem-1000"
    assert linux(TMPDIR="/elsewhere").socket_path == "/tmp/mdmem-1000/mdmem.sock"


def test_sessions_without_a_runtime_folder_share_the_lock_of_the_store() -> None:
    """D1: a daemon started by cron must not write the store beside that of the desktop session."""
    desktop, cron = linux(XDG_RUNTIME_DIR="/run/user/1000"), linux()
    assert desktop.run_folder != cron.run_folder
    assert desktop.lock_path == cron.lock_path


@pytest.mark.parametrize("spelling", ["/srv/one/", "//srv//one", "/srv/./one"])
def test_spellings_of_one_folder_are_one_instance(spelling: str) -> None:
    assert paths(linux(MDMEM_HOME=spelling)) == paths(linux(MDMEM_HOME="/srv/one"))


def test_a_home_of_slash_gives_plain_paths() -> None:
    assert linux(home="/").data_folder == "/.local/share/mdmem"


@pytest.mark.parametrize("value", ["relative", "~/x", "./x"])
def test_a_relative_mdmem_home_is_an_error_and_not_the_default_store(value: str) -> None:
    """D11."""
    with pytest.raises(
        EndpointError, match=f"MDMEM_HOME must be an absolute path, and is '{value}'"
    ) as caught:
        linux(MDMEM_HOME=value)
    assert "Set MDMEM_HOME" in caught.value.remedy


def test_an_empty_mdmem_home_counts_as_unset() -> None:
    assert paths(linux(MDMEM_HOME="")) == paths(linux())


@pytest.mark.parametrize("home", ["", "ada"])
@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_without_any_home_there_is_an_error(platform: str, home: str) -> None:
    with pytest.raises(EndpointError, match="HOME must be an absolute path"):
        resolve({}, platform=platform, uid=1, home=home)


@pytest.mark.parametrize(("platform", "bytes_max"), SOCKET_PATH_BYTES_MAX.items())
def test_the_longest_path_that_fits_is_kept_and_the_next_is_hashed(platform: str, bytes_max: int) -> None:
    """D3."""
    fitting = "/" + "h" * (bytes_max - len("//run/mdmem.sock"))
    kept = resolve({"MDMEM_HOME": fitting}, platform=platform, uid=7, home="/h")
    assert kept.socket_path == f"{fitting}/run/mdmem.sock"
    assert len(kept.socket_path) == bytes_max
    hashed = resolve({"MDMEM_HOME": fitting + "h"}, platform=platform, uid=7, home="/h")
    assert hashed.socket_path == f"/tmp/mdmem-7/{hashed.instance_key}.sock"
    assert hashed.socket_folder == "/tmp/mdmem-7"
    assert hashed.run_folder == f"{fitting}h/run"


def test_length_counts_bytes_not_characters() -> None:
    """D3: 40 characters of three bytes, and one byte that is not UTF-8."""
    assert linux(MDMEM_HOME="/" + "文" * 40).socket_path.startswith("/tmp/mdmem-1000/")
    assert linux(MDMEM_HOME="/\udcff").socket_path == "/\udcff/run/mdmem.sock"


def test_the_key_of_an_instance_is_stable() -> None:
    """Both programs compute it on their own, also in different versions."""
    assert linux(MDMEM_HOME="/srv/one").instance_key == "89a684f7cdadf970"


def test_macos_hashes_into_its_private_temporary_folder() -> None:
    deep = "/Users/" + "a" * 90
    endpoint = macos(home=deep, TMPDIR="/var/folders/zz/T/")
    assert endpoint.socket_path == f"/var/folders/zz/T/mdmem-501/{endpoint.instance_key}.sock"
    assert macos(home=deep, TMPDIR="tmp").socket_path.startswith("/tmp/mdmem-501/")


def test_too_long_even_when_hashed_names_path_and_limit() -> None:
    """D3."""
    temporary = "/" + "t" * 90
    with pytest.raises(EndpointError) as caught:
        macos(home="/Users/" + "a" * 90, TMPDIR=temporary)
    assert f"{temporary}/mdmem-501/" in str(caught.value)
    assert "this system allows 103" in str(caught.value)
    assert "MDMEM_HOME" in caught.value.remedy


def test_an_unlisted_platform_gets_the_smallest_limit() -> None:
    environ = {"MDMEM_HOME": "/" + "h" * (104 - len("//run/mdmem.sock"))}
    endpoint = resolve(environ, platform="freebsd14", uid=7, home="/h")
    assert endpoint.socket_path.startswith("/tmp/mdmem-7/")
