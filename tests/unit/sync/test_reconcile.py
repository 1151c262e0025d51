"""From known and found to what must be done."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mdmemd.model import Fingerprint
from mdmemd.sync.reconcile import reconcile
from mdmemd.sync.scan import Listing


def mark(number: int, *, mtime_ns: int = 0) -> Fingerprint:
    return Fingerprint(number, mtime_ns, 0, number, 1)


def test_new_and_changed_files_come_newest_first_and_gone_ones_are_named() -> None:
    known = {"same.md": (mark(1), b""), "changed.md": (mark(2), b""), "gone.md": (mark(3), b"")}
    found = {"same.md": mark(1), "changed.md": mark(9, mtime_ns=5), "new.md": mark(4, mtime_ns=7)}
    plan = reconcile(known, Listing(files=found, entries=3))
    assert plan.changed == ("new.md", "changed.md")
    assert plan.gone == ("gone.md",)
    assert plan.missing is None


def test_a_restored_mtime_is_caught_by_ctime() -> None:
    """W19: size and mtime are as before, ctime is not."""
    before, after = Fingerprint(1, 5, 5, 1, 1), Fingerprint(1, 5, 9, 1, 1)
    assert reconcile({"a.md": (before, b"")}, Listing(files={"a.md": after}, entries=1)).changed == ("a.md",)


def test_nothing_is_purged_below_a_folder_that_could_not_be_listed() -> None:
    known = {"sub/a.md": (mark(1), b""), "subway.md": (mark(2), b"")}
    plan = reconcile(known, Listing(unlisted=["sub"], entries=1))
    assert plan.gone == ("subway.md",)


def test_a_missing_root_and_an_empty_mount_point_purge_nothing() -> None:
    """W15."""
    known = {"a.md": (mark(1), b"")}
    for listing in (Listing(missing="No such file or directory"), Listing(entries=0)):
        plan = reconcile(known, listing)
        assert (plan.changed, plan.gone) == ((), ())
        assert plan.missing is not None


def test_losing_most_documents_at_once_is_believed_only_when_confirmed() -> None:
    """W15: a disk inside the root is unmounted, and a file of the system is left in its place."""
    known = {f"{number}.md": (mark(number), b"") for number in range(40)}
    listing = Listing(files={"0.md": mark(0), "new.md": mark(99)}, entries=2)
    plan = reconcile(known, listing)
    assert plan.gone == ()
    assert plan.changed == ("new.md",)
    assert plan.missing is not None
    assert "39 of its 40" in plan.missing
    assert len(reconcile(known, listing, loss_is_confirmed=True).gone) == 39
    few = {path: known[path] for path in list(known)[:10]}
    assert len(reconcile(few, listing).gone) == 9


fingerprints = st.builds(mark, st.integers(0, 3), mtime_ns=st.integers(0, 3))
trees = st.dictionaries(st.sampled_from([f"{name}.md" for name in "abcdef"]), fingerprints)


@given(trees, trees)
def test_applying_the_plan_gives_the_disk(
    known: dict[str, Fingerprint], found: dict[str, Fingerprint]
) -> None:
    plan = reconcile(
        {path: (mark_, b"") for path, mark_ in known.items()}, Listing(files=found, entries=len(found) + 1)
    )
    after = {path: mark_ for path, mark_ in known.items() if path not in plan.gone}
    after |= {path: found[path] for path in plan.changed}
    assert after == found
    assert len(set(plan.changed)) == len(plan.changed)
    assert all(known.get(path) != found[path] for path in plan.changed)
