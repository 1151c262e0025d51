"""What rules do, and where a path stands, to wire structs: by hand, like ``convert``. Pure; any thread."""

from __future__ import annotations

from mdmem_proto import messages as wire
from mdmemd.engine.scoping import PathReport, RootDetails
from mdmemd.server.convert import problem_row, root_info
from mdmemd.sync.exclusion import Exclusion, Removed

_NO_RULE = Exclusion("", "")


def root_show_result(details: RootDetails) -> wire.RootShowResult:
    """A root with its options and its rules."""
    return wire.RootShowResult(
        root=root_info(details.status),
        exclude=details.spec.exclude,
        include=details.spec.include,
        watch=details.spec.watch.value,
        removed=tuple(_removed_row(each) for each in details.rules.removed),
        ignore_files=details.rules.ignore_files,
        unused_globs=details.rules.unused_globs,
    )


def why_path_result(report: PathReport) -> wire.WhyPathResult:
    """Where one path stands."""
    rule = report.exclusion or _NO_RULE
    return wire.WhyPathResult(
        path=report.path,
        root=report.root,
        relative=report.relative,
        state=report.state.value,
        sentence=report.sentence,
        rule=rule.rule,
        source=rule.source,
        line=rule.line,
        pattern=rule.pattern,
        indexed_at=report.indexed_at,
        modified_at=report.modified_at,
        problems=tuple(problem_row(each) for each in report.problems),
    )


def _removed_row(removed: Removed) -> wire.RemovedRow:
    rule = removed.reason
    return wire.RemovedRow(
        rule=rule.rule,
        sentence=rule.sentence,
        source=rule.source,
        line=rule.line,
        pattern=rule.pattern,
        folders=removed.folders,
        files=removed.files,
        examples=removed.examples,
    )
