"""Upkeep, exports and imports, as methods of the client.

One thread at a time; errors are ``mdmem.errors``.
"""

from __future__ import annotations

from mdmem.link.line import Line
from mdmem_proto import messages

MAINTENANCE_SECONDS = 1_300.0
"""Longest wait for upkeep: each of its parts may write gigabytes, and has 600 s in the daemon."""


class MaintenanceRequests(Line):
    """See the module."""

    def index(self, *, name: str = "", path: str = "", force: bool = False) -> messages.IndexResult:
        """Have a root, or the root or file at an absolute path, looked at now; all roots with neither.

        Comes back when the work is begun; ``wait_root`` waits for it. Raises ``NotFoundError``.
        """
        params = messages.IndexParams(name=name, path=path, force=force)
        return self._call("index", params, messages.IndexResult, timeout_seconds=MAINTENANCE_SECONDS)

    def gc(self) -> messages.GcResult:
        """Remove what no root needs."""
        return self._call("gc", messages.Empty(), messages.GcResult, timeout_seconds=MAINTENANCE_SECONDS)

    def export_root(self, root: str, path: str, *, force: bool = False) -> messages.ExportResult:
        """Have the index of a root written to an absolute path; an existing file only with ``force``.

        Raises ``NotFoundError``, and ``RefusedError`` where it cannot be written or is not complete.
        """
        params = messages.ExportParams(root=root, path=path, force=force)
        return self._call("export", params, messages.ExportResult, timeout_seconds=MAINTENANCE_SECONDS)

    def import_root(self, path: str, *, folder: str, name: str = "") -> messages.ImportResult:
        """Register the absolute ``folder`` with the exported index in the file at the absolute ``path``.

        Raises ``InvalidRequestError`` for a file that is no whole export, ``RefusedError`` for one that this
        version cannot use, and what ``add_root`` raises.
        """
        params = messages.ImportParams(path=path, folder=folder, name=name)
        return self._call("import", params, messages.ImportResult, timeout_seconds=MAINTENANCE_SECONDS)
