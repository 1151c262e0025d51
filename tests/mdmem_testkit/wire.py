"""Wire messages for tests: two sessions that have shaken hands, and random messages of any struct type."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import inspect

from mdmem_proto.messages import Empty, McpOpenParams, Message
from mdmem_proto.session import ClientSession, DaemonSession


def ready_pair() -> tuple[ClientSession, DaemonSession]:
    """A client's and a daemon's session of one connection, after offer and answer."""
    client, daemon = ClientSession(), DaemonSession()
    daemon.receive(client.offer(name="test", version="0.1.0", pid=41))
    client.receive(answer(daemon))
    return client, daemon


def stream_pair() -> tuple[ClientSession, DaemonSession]:
    """The same after ``mcp.open``."""
    client, daemon = ready_pair()
    request_id, sent = client.request("mcp.open", McpOpenParams(project="/src"))
    daemon.receive(sent)
    client.receive(daemon.reply(request_id, Empty()))
    return client, daemon


def answer(daemon: DaemonSession) -> bytes:
    """Let the daemon accept the offer."""
    return daemon.answer(
        version="0.1.0",
        instance="0123456789abcdef",
        capabilities=("mcp",),
        state="ready",
        pid=4242,
        interpreter="/usr/bin/python3",
    )


_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=9), inner, max_size=2),
    max_leaves=4,
)
"""What may stand in a map of any values."""


DEPTH_MAX = 3
"""How deep messages are generated within messages: a tree of headings could else be of any size, and drawing
and printing it take for ever once in a while.
"""


@cache
def messages_of(kind: type[Message], depth: int = 0) -> st.SearchStrategy[Any]:
    """Messages of a type, each field generated from its declared type and limits."""
    return st.deferred(lambda: _struct(inspect.type_info(kind), depth))


def _struct(info: inspect.Type, depth: int) -> st.SearchStrategy[Any]:
    assert isinstance(info, inspect.StructType)
    return st.builds(info.cls, **{field.name: _values(field.type, depth + 1) for field in info.fields})


def _values(info: inspect.Type, depth: int) -> st.SearchStrategy[Any]:
    """Values of a field's type; a type that is not listed is an error of the test kit."""
    match info:
        case inspect.StructType():
            return messages_of(info.cls, depth)
        case inspect.LiteralType():
            return st.sampled_from(info.values)
        case inspect.UnionType():
            return st.one_of([_values(each, depth) for each in info.types])
        case inspect.TupleType():
            return st.tuples(*(_values(each, depth) for each in info.item_types))
        case inspect.VarTupleType(item_type=inspect.StructType()) if depth >= DEPTH_MAX:
            return st.just(())
        case inspect.VarTupleType():
            return st.lists(_values(info.item_type, depth), max_size=3).map(tuple)
        case inspect.DictType():
            return st.dictionaries(_values(info.key_type, depth), _PLAIN, max_size=3)
        case _:
            return _simple_values(info)


def _simple_values(info: inspect.Type) -> st.SearchStrategy[Any]:
    match info:
        case inspect.IntType():
            return st.integers(
                -(2**63) if info.ge is None else info.ge, 2**63 - 1 if info.le is None else info.le
            )
        case inspect.StrType():
            return st.text(max_size=min(info.max_length or 40, 40))
        case inspect.FloatType():
            return st.floats(allow_nan=False)
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.RawType():
            return st.dictionaries(st.text(), st.integers(0, 2**32)).map(
                lambda fields: msgspec.Raw(msgspec.msgpack.encode(fields))
            )
    raise NotImplementedError(info)
