"""Documents as resources: their addresses, pages, and what reading refuses (guards X4)."""

from __future__ import annotations

import pytest

import mdmemd.mcp.resources
from mdmem_testkit.fake_service import FakeService, root_status, section
from mdmemd.errors import DaemonError, InvalidRequestError, NotFoundError
from mdmemd.mcp.resources import Address, address_of, page_of_resources, read_resource


@pytest.fixture
def library() -> FakeService:
    return FakeService(
        section("Docs", "a b/ü#?.md", "Guide", text="# Guide\n"),
        section("Docs", "a b/ü#?.md", "Guide", "Re: 50 % > more", text="## Re\nHalf.\n"),
        section("other", "z.md", "Z", text="# Z\n"),
        roots=(root_status("Docs", "/docs", documents=1), root_status("other", "/other", documents=1)),
    )


@pytest.mark.parametrize(
    "address",
    [
        Address("docs", "a.md"),
        Address("docs", "a b/ü#?.md", "A > B: 50 %"),
        Address("Größe-1", "deep/er/x.md", "# > ?"),
    ],
)
def test_an_address_is_read_as_it_was_written(address: Address) -> None:
    assert address_of(address.uri) == address
    assert address.uri.isascii()
    assert " " not in address.uri


@pytest.mark.parametrize(
    "uri", ["", "mdmem://", "mdmem://docs", "mdmem://docs/", "mdmem:///a.md", "file:///a.md", "mdmem://[/a"]
)
def test_what_is_no_address_is_refused_with_the_form(uri: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        address_of(uri)
    assert "mdmem://{root}/{+path}{#heading}" in caught.value.remedy


def test_a_document_and_a_section_are_read_verbatim(library: FakeService) -> None:
    whole = Address("Docs", "a b/ü#?.md").uri
    assert read_resource(library, whole) == "# Guide\n"
    part = Address("Docs", "a b/ü#?.md", "Re: 50 % > more").uri
    assert read_resource(library, part) == "## Re\nHalf.\n"
    assert library.asked("read")[-1] == ("a b/ü#?.md", "Re: 50 % > more", "Docs", None, True)


def test_a_client_may_have_made_the_root_lower_case(library: FakeService) -> None:
    assert read_resource(library, Address("docs", "a b/ü#?.md").uri) == "# Guide\n"


@pytest.mark.parametrize(
    "uri", ["mdmem://none/a.md", "mdmem://Docs/../../etc/passwd", "mdmem://Docs/%2Fetc/x"]
)
def test_x4_nothing_outside_of_the_roots_can_be_read(library: FakeService, uri: str) -> None:
    with pytest.raises(NotFoundError):
        read_resource(library, uri)


def test_a_text_that_fits_no_frame_is_refused_and_says_how_to_read_it(
    library: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mdmemd.mcp.resources, "TEXT_CHARACTERS_MAX", 3)
    with pytest.raises(InvalidRequestError) as caught:
        read_resource(library, "mdmem://other/z.md")
    assert "by heading" in caught.value.remedy


def test_pages_show_each_document_once_whatever_goes_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mdmemd.mcp.resources, "PAGE_RESOURCES_MAX", 2)
    service = FakeService(
        *(section("r", f"{number}.md", "T") for number in range(5)), roots=(root_status("r", "/r"),)
    )
    first = page_of_resources(service, (), cursor=None)
    assert [item.address.path for item in first.resources] == ["0.md", "1.md"]
    del service.sections[1]
    second = page_of_resources(service, (), cursor=first.cursor)
    assert [item.address.path for item in second.resources] == ["2.md", "3.md"]
    third = page_of_resources(service, (), cursor=second.cursor)
    assert [item.address.path for item in third.resources] == ["4.md"]
    assert third.cursor is None


@pytest.mark.parametrize("cursor", ["", "x", "W10=", "WzEsMl0=", "ü", "WzEs"])
def test_a_cursor_of_another_list_is_refused(library: FakeService, cursor: str) -> None:
    with pytest.raises(DaemonError, match="no cursor of this list"):
        page_of_resources(library, (), cursor=cursor)
