"""From known and seen to what is gone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mdmemd.model import Fingerprint
from mdmemd.sync.reconcile import gone, loss, out_of_reach
from mdmemd.sync.scan import Listing


def found(*paths: str) -> dict[str, Fingerprint]:
    return {path: Fingerprint(1, 1, 1, number, 1) for number, path in enumerate(paths)}


def test_nothing_is_gone_below_a_folder_that_could_not_be_listed() -> None:
    assert gone(["sub/a.md", "subway.md"], Listing(unlisted=["sub"], entries=1)) == ("subway.md",)


def test_a_file_that_was_made_behind_the_walk_is_not_gone() -> None:
    assert gone(["a.md", "b.md"], Listing(files=found("a.md")), seen_meanwhile={"b.md"}) == ()


def test_a_missing_root_and_an_empty_mount_point_are_out_of_reach() -> None:
    """W15."""
    missing = out_of_reach(Listing(missing="No such file or directory"), has_documents=False)
    assert missing == "the folder cannot be read: No such file or directory"
    assert "not mounted" in (out_of_reach(Listing(entries=0), has_documents=True) or "")
    assert out_of_reach(Listing(entries=0), has_documents=False) is None
    assert out_of_reach(Listing(entries=1), has_documents=True) is None


def test_losing_most_documents_at_once_needs_a_second_look() -> None:
    """W15: a disk inside the root is unmounted, and a file of the system is left in its place."""
    assert (
        loss(39, documents=40) == "39 of its 40 documents vanished at once; they are kept until that is sure"
    )
    assert loss(19, documents=19) is None
    assert loss(30, documents=100) is None


names = st.frozensets(st.sampled_from([f"{name}.md" for name in "abcdef"]))


@given(names, names)
def test_what_is_known_is_found_or_gone(known: frozenset[str], there: frozenset[str]) -> None:
    assert set(gone(known, Listing(files=found(*there)))) == known - there
