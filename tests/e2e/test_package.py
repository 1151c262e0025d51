"""The wheel: what is in it, and that it works in a clean environment, away from the sources."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from mdmem_testkit.private_daemon import Instance

pytestmark = pytest.mark.e2e

PROJECT = Path(__file__).parents[2]
INSTALL_CEILING_SECONDS = 600


def run(*command: str, cwd: Path) -> str:
    """Run to a good end; returns what it printed."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=INSTALL_CEILING_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(PROJECT), cwd=folder)
    (found,) = folder.glob("mdmem-*.whl")
    return found


def test_what_is_in_the_wheel(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    version = wheel.name.split("-")[1]
    assert tops == {"mdmem", "mdmemd", "mdmem_proto", f"mdmem-{version}.dist-info", f"mdmem-{version}.data"}
    for needed in (
        "mdmem/py.typed",
        "mdmemd/py.typed",
        "mdmem_proto/py.typed",
        "mdmemd/embed/data/NOTICE",
        "mdmemd/embed/data/bert-uncased-vocab.txt",
        f"mdmem-{version}.data/data/share/mdmem/systemd/mdmemd.service",
        f"mdmem-{version}.data/data/share/mdmem/launchd/mdmemd.plist",
        f"mdmem-{version}.dist-info/licenses/LICENSE",
    ):
        assert needed in names
    assert not [name for name in names if "test" in name or name.endswith(".pyc")]
    packaged = {name for name in names if name.endswith(".py")}
    sources = {
        path.relative_to(PROJECT / folder).as_posix()
        for folder in ("proto", "daemon", "clients")
        for path in (PROJECT / folder).rglob("*.py")
    }
    assert packaged == sources


def test_the_wheel_answers_in_a_clean_environment(wheel: Path, tmp_path: Path, documents: Path) -> None:
    environment = tmp_path / "environment"
    run(sys.executable, "-m", "venv", str(environment), cwd=tmp_path)
    python = str(environment / "bin/python")
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel), cwd=tmp_path)
    where = run(
        python,
        "-c",
        "import mdmem, mdmemd, mdmem_proto; print(mdmem.__file__, mdmemd.__file__)",
        cwd=tmp_path,
    )
    assert str(PROJECT) not in where
    for command in ("mdmemctl", "mdmem-mcp", "mdmemd"):
        assert (environment / "bin" / command).exists()
    run(str(environment / "bin/mdmemd"), "--version", cwd=tmp_path)
    run(python, "-m", "pip", "check", "--disable-pip-version-check", cwd=tmp_path)
    instance = Instance(tmp_path / "home", python=python)
    try:
        instance.ctl("root", "add", str(documents), "--wait")
        answer = instance.json("search", "return to the previous version")
        assert answer["hits"][0]["heading_path"] == ["Deploying", "Rolling back a bad release"]
        assert answer["state"]["mode"] == "hybrid"
    finally:
        instance.close()
    listing = (
        "import importlib.metadata as m; print([str(f) for f in m.files('mdmem') if 'share/mdmem' in str(f)])"
    )
    shipped = run(python, "-c", listing, cwd=tmp_path)
    assert "systemd/mdmemd.service" in shipped
    assert "launchd/mdmemd.plist" in shipped
