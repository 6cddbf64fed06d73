from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.errors import UnreadableNoteError
from vaultkeeper.memory.page import body_of, find_section, parse_page


@given(
    st.binary(max_size=200).filter(
        lambda data: b"\0" not in data and data[:2] not in (b"\xff\xfe", b"\xfe\xff")
    )
)
def test_a_page_is_rendered_byte_for_byte(data: bytes) -> None:
    assert parse_page(data, "x").render() == data


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_new_lines_end_as_the_others_do(end: str) -> None:
    page = parse_page(f"a{end}b".encode(), "x")
    page.insert(2, ["c"])
    assert page.render() == f"a{end}b{end}c{end}".encode()


@pytest.mark.parametrize("data", ["text".encode("utf-16"), b"\xfe\xff\0t", b"a\0b"])
def test_what_is_no_utf8_text_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableNoteError):
        parse_page(data, "MEMORY.md")


HIDDEN = (
    "---\na: 1\n---\nshown\n```\ncode\n```\n%%\nnote\n%%\n<!-- a\nb -->\n"
    "~~~~\n~~~\ncode\n~~~~\n- ```\n  code\n  ```\nend\n"
)


def test_code_comments_and_properties_are_not_shown() -> None:
    page = parse_page(HIDDEN.encode(), "x")
    assert [page.line(number) for number in sorted(page.shown)] == ["shown", "end"]


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("## A\none\n## B\ntwo\n", ["one"]),
        ("## A\none\n### C\ntwo\n", ["one", "### C", "two"]),
        ("## A\none\n# B\ntwo\n", ["one"]),
        ("## A\n```\n## B\n```\ntwo\n## B\n", ["```", "## B", "```", "two"]),
        ("```\n## A\nwrong\n```\n## A ##\nright\n", ["right"]),
        ("<!--\n## A\nwrong\n-->\n## A\nright\n", ["right"]),
        ("A\n---\none\n\n## B\n", ["one", ""]),
        ("\ufeff## A\r\none\r\n", ["one"]),
        ("## A", []),
    ],
)
def test_a_section_is_what_stands_below_its_heading(text: str, body: list[str]) -> None:
    page = parse_page(text.encode(), "x")
    heading = find_section(page, "A")
    assert heading is not None
    start, end = body_of(page, heading)
    assert [page.line(number) for number in range(start + 1, end + 1)] == body


def test_a_heading_of_another_level_is_no_section() -> None:
    assert find_section(parse_page(b"# A\n### A\n> ## A\n", "x"), "A") is None
