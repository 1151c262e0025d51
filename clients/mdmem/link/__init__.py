"""Talk to the daemon from Python: ``with mdmem.link.connect() as client: client.search("...")``.

``connect`` and ``Client`` come from ``mdmem.link.client`` when they are first asked for, so that the MCP
shim can import ``mdmem.link.launch`` without paying for msgspec.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mdmem.link.client import Client, connect

__all__ = ["Client", "connect"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mdmem.link import client

    return getattr(client, name)
