"""The filter that agents mean, in the forms that they send."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from mdmem_testkit.fake_service import FakeService, root_status, section
from mdmem_testkit.mcp_client import RawClient, talk
from mdmemd.errors import InvalidRequestError
from mdmemd.mcp.filter_parameters import FILTERS, PATH, filter_of
from mdmemd.mcp.parameters import read_arguments
from mdmemd.search.page import NO_FILTER, Filter, Question


def meant(**arguments: Any) -> Filter:
    given = read_arguments("tool", (PATH, *FILTERS), arguments=arguments)
    return filter_of(given, paths=given["path"])


def test_nothing_given_is_no_filter() -> None:
    assert meant() == NO_FILTER
    assert meant(tag=None, kind="", since=" ", property=[]) == NO_FILTER


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"tags": "a, b"}, Filter(tags=("a", "b"))),
        ({"tag": ["a", "b"]}, Filter(tags=("a", "b"))),
        ({"directory": "docs/"}, Filter(paths=("docs/",))),
        ({"property": "status=done"}, Filter(properties=("status=done",))),
        ({"metadata": {"status": "done", "n": 1}}, Filter(properties=("status=done", "n=1"))),
        ({"props": {"ok": True}}, Filter(properties=("ok=true",))),
        ({"filter": '{"status": ["done", "draft"]}'}, Filter(properties=("status=done", "status=draft"))),
        ({"property": ["owner"]}, Filter(properties=("owner",))),
        ({"after": " 7d ", "until": "today"}, Filter(since="7d", before="today")),
        ({"type": "Memory"}, Filter(kind="memory")),
        ({"kind": "any"}, NO_FILTER),
        ({"linksTo": "a.md", "linked-from": "b.md"}, Filter(links_to="a.md", linked_from="b.md")),
    ],
)  # fmt: skip
def test_the_forms_that_models_send(arguments: dict[str, Any], expected: Filter) -> None:
    assert meant(**arguments) == expected


@pytest.mark.parametrize("value", ["{broken", 7, [7]])
def test_other_values_are_refused(value: Any) -> None:
    with pytest.raises(InvalidRequestError, match="property"):
        meant(property=value)


def test_a_listing_tells_the_date_that_filters_go_by() -> None:
    service = FakeService(section("docs", "a.md", "A"), roots=(root_status("docs", "/docs", documents=1),))
    listing = service.documents()
    service.documents = lambda **_: replace(  # type: ignore[method-assign]
        listing, documents=(replace(listing.documents[0], date="2026-03-01"), *listing.documents)
    )

    async def script(client: RawClient) -> str:
        await client.initialize()
        return (await client.call("list_documents"))[0]

    dated, other = json.loads(talk(service, script))["documents"]
    assert dated["date"] == "2026-03-01"
    assert "date" not in other


def test_both_tools_pass_the_filter_on() -> None:
    service = FakeService(section("docs", "a.md", "A"), roots=(root_status("docs", "/docs", documents=1),))

    async def script(client: RawClient) -> None:
        await client.initialize()
        await client.call("search_docs", query="x", tag="ops", path="a*.md")
        await client.call("list_documents", tag="ops")
        await client.call("list_documents", directory="a*.md")
        await client.call("list_documents", directory="guides")

    talk(service, script)
    chosen = Filter(paths=("a*.md",), tags=("ops",))
    assert service.asked("search") == [(Question("x", filter=chosen), ())]
    assert service.asked("documents") == [
        ((), "", Filter(tags=("ops",))),
        ((), "", Filter(paths=("a*.md",))),
        ((), "guides", Filter(paths=("guides",))),
    ]
