"""Block structure against an independent reader of CommonMark."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from vaultkeeper.vault.blocks import scan_blocks
from vaultkeeper.vault.spans import Span

MARK = re.compile(r"\[\[w\d+\]\]")
ORACLE = MarkdownIt("commonmark").enable("table")


def read_by_oracle(text: str) -> tuple[list[str], list[tuple[int, int]]]:
    marks: list[str] = []
    headings: list[tuple[int, int]] = []
    depth = 0
    for token in ORACLE.parse(text):
        if token.type in ("blockquote_open", "list_item_open"):
            depth += 1
        elif token.type in ("blockquote_close", "list_item_close"):
            depth -= 1
        elif token.type == "heading_open" and depth == 0 and token.map is not None:
            headings.append((int(token.tag[1]), token.map[0] + 1))
        elif token.type == "inline":
            marks += MARK.findall(token.content)
    return marks, headings


def read_by_us(text: str) -> tuple[list[str], list[tuple[int, int]]]:
    marks: list[str] = []
    found = scan_blocks(text, 0, 1, lambda span: marks.extend(MARK.findall(span.text)))
    return marks, [(heading.level, heading.line) for heading in found.headings]


# Left out are the places in which implementations of CommonMark differ from each other: link definitions
# before other lines, HTML and tables in lazy lines, tables under paragraphs of several lines, and lines
# indented by four or more behind lazy lines (there the oracle lets quotes begin).
PREFIXES = st.lists(
    st.sampled_from(["> ", ">", "- ", "* ", "1. ", "2. ", "10) ", "  ", " ", "   ", "-   ", "+  "]),
    max_size=3,
)
BODIES = st.sampled_from(
    [
        "@", "@", "@", "@", "", " ", "# @", "#@", "###### @ ##", "####### @", "```", "````", "~~~", "``` a",
        "``` a`b @", "~~~~ @", "---", "***", "- - -", "_ _ _", "===", "--", "=", "> @", "-", "+", "1.",
        "2.", "\\@", "#", "## ", "@\\", "x\x0c@", "<https://x.y>", "`@", "**@", "a | @",
    ]
)  # fmt: skip
ALONE = st.sampled_from(
    [
        "<div>\n@\n\n@", "<b>\n@\n\n@", "<pre>\n\n@\n</pre>\n@", "<?x\n\n@\n?>", "<![CDATA[\n\n@]]>", "    @",
        "\t@", "[w]: /u 't'", "| @ | b |\n|---|---|\n| @ | @ |\n| @\n\n@", "| @ |\n|---|---|\n| @ |",
        "@\n\n\n    @",
        "@ | @\n:-: | --\n@ | @\n> @", "- @\n\n\t@", "1.  @\n\n    @\n\n   @", ">\t@", "-\t@\n\n\t\t@",
        "> ```\n@\n```\n@", "@\n    @\n# @\n    @",
    ]
)  # fmt: skip


@st.composite
def documents(draw: st.DrawFn) -> str:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 7))):
        if draw(st.integers(0, 4)) == 0:
            lines += ["", *draw(ALONE).split("\n"), ""]
        else:
            lines.append("".join(draw(PREFIXES)) + draw(BODIES))
    for number, line in enumerate(lines):
        lines[number] = line.replace("@", f"[[w{number}]]")
    return "\n".join(lines)


# What is indented by four cannot begin a block inside of a paragraph; the oracle thinks so below quotes.
LAZY_QUOTE = re.compile(r"^ {4,}>|>[^\n]*\n(?:[^\n]+\n)*? {4,}[#`~<*_+\d-]", re.MULTILINE)
LAZY_TABLE = re.compile(r"^[> ]*[-+*\d>][^\n]*\|[^\n]*\n[^\n]*\|", re.MULTILINE)


@settings(max_examples=400, deadline=None)
@given(documents())
def test_blocks_agree_with_commonmark(text: str) -> None:
    if not LAZY_QUOTE.search(text) and not LAZY_TABLE.search(text):
        assert read_by_us(text) == read_by_oracle(text)


def spans(text: str) -> list[tuple[str, int]]:
    found: list[Span] = []
    scan_blocks(text, 0, 1, found.append)
    return [(span.text, span.line) for span in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("> [a\n> b]\nc", [("[a\nb]\nc", 1)]),
        ("- [a\n  b]", [("[a\n  b]", 1)]),
        ("|[a]|#b|\n|-|-|\n|c|#d|", [("[a]", 1), ("#b", 1), ("#d", 3)]),
        ("x\n[a]|b\n-|-", [("[a]", 2)]),
        ("%%\n[a]\n\n[b]\n%% [c]", [("[a]", 2), ("[b]", 4), ("[c]", 5)]),
        ("> %%\n> [a]\n> %%\n> # [b]", [("[a]", 2), ("[b]", 4)]),
        ("text without anything", []),
    ],
)
def test_runs_of_text(text: str, expected: list[tuple[str, int]]) -> None:
    assert [(run.strip(), line) for run, line in spans(text)] == expected


def test_offsets_lead_back_into_the_note() -> None:
    text = "para\n\n> - [[a]]\n>   #b\n> lazy\n[[c]]\n\n|[[d\\|e]]|\n|-|\n"
    found: list[Span] = []
    scan_blocks(text, 0, 1, found.append)
    for span in found:
        for mark in re.finditer(r"\[\[|#", span.text):
            offset = span.offset(mark.start())
            assert text.startswith(mark.group(), offset)
            assert span.line_at(mark.start()) == text.count("\n", 0, offset) + 1


def test_containers_have_a_bounded_depth() -> None:
    deep = "> " * 5000 + "[[a]]\n" + "- " * 5000 + "[[b]]\n\n" * 50
    assert sum("[[" in run for run, _ in spans(deep)) >= 2
