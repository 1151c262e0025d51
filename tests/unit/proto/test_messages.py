"""Rules that all messages keep."""

import msgspec
import pytest

from mdmem_proto import envelope, messages
from mdmem_proto.envelope import Answer, Offer, Refusal
from mdmem_proto.limits import QUERY_CHARACTERS_MAX, ROOTS_PER_REQUEST_MAX, SEARCH_HITS_MAX
from mdmem_proto.messages import METHODS, ListParams, Message, SearchParams

STRUCTS = [
    kind
    for module in (messages, envelope)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Message) and kind is not Message
]


@pytest.mark.parametrize("kind", STRUCTS)
def test_fields_with_defaults_come_last_and_structs_are_frozen(kind: type[Message]) -> None:
    fields = msgspec.structs.fields(kind)
    required = [field.required for field in fields]
    assert required == sorted(required, reverse=True)
    assert kind.__struct_config__.frozen
    assert not kind.__struct_config__.forbid_unknown_fields


@pytest.mark.parametrize("name", METHODS)
def test_parameters_leave_their_defaults_out(name: str) -> None:
    assert METHODS[name].params.__struct_config__.omit_defaults


def test_a_field_of_a_newer_peer_is_ignored() -> None:
    data = msgspec.msgpack.encode({"query": "q", "rerank": {"model": "x"}})
    assert msgspec.msgpack.decode(data, type=SearchParams) == SearchParams("q")


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (Offer, ("protocol_min", "protocol_max", "name", "version", "pid")),
        (Answer, ("protocol", "version", "instance", "capabilities", "state", "pid", "interpreter")),
        (Refusal, ("protocol_min", "protocol_max", "version", "reason", "remedy")),
    ],
)
def test_the_handshake_never_changes(kind: type[Message], fields: tuple[str, ...]) -> None:
    assert kind.__struct_fields__ == fields
    assert not kind.__struct_defaults__


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (SearchParams, {"query": "q" * QUERY_CHARACTERS_MAX}, {"query": "q" * (QUERY_CHARACTERS_MAX + 1)}),
        (SearchParams, {"query": "文" * QUERY_CHARACTERS_MAX}, {"query": 5}),
        (SearchParams, {"query": "", "limit": SEARCH_HITS_MAX}, {"query": "", "limit": SEARCH_HITS_MAX + 1}),
        (SearchParams, {"query": "", "limit": 1}, {"query": "", "limit": 0}),
        (SearchParams, {"query": "", "mode": "keyword"}, {"query": "", "mode": "psychic"}),
        (
            ListParams,
            {"roots": ["r"] * ROOTS_PER_REQUEST_MAX},
            {"roots": ["r"] * (ROOTS_PER_REQUEST_MAX + 1)},
        ),
        (ListParams, {"roots": ["r" * 255]}, {"roots": ["r" * 256]}),
        (ListParams, {"prefix": "p" * 4096}, {"prefix": "p" * 4097}),
    ],
)
def test_limits_hold_when_parameters_are_read(kind: type[Message], good: object, bad: object) -> None:
    msgspec.msgpack.decode(msgspec.msgpack.encode(good), type=kind)
    with pytest.raises(msgspec.ValidationError):
        msgspec.msgpack.decode(msgspec.msgpack.encode(bad), type=kind)
