from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vault.reading import fields, fixtures
from vaultkeeper.types import Note
from vaultkeeper.vault import note as note_module
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.problems import CODES

CASES = list(fixtures("notes.txt"))


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_fixture(text: str, expected: dict[str, Any]) -> None:
    got = fields(parse_note("Note.md", text.encode()))
    if "tags in any order" in expected:
        expected = {**expected, "tags": sorted(expected["tags"])}
        got["tags"].sort()
    assert {name: got[name] for name in expected if name in got} == {
        name: value for name, value in expected.items() if name in got
    }


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_line_ends_and_mark_change_nothing(text: str, expected: dict[str, Any]) -> None:
    plain = parse_note("Note.md", text.encode())
    other = parse_note("Note.md", b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert fields(other) == fields(plain)
    assert other.text == plain.text
    assert expected


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_everything_stands_where_it_says(text: str, expected: dict[str, Any]) -> None:
    assert expected
    check_places(parse_note("Note.md", text.encode()))


def check_places(note: Note) -> None:
    lines = note.text.split("\n")
    for link in note.links:
        assert note.text.count("\n", 0, link.start) + 1 == link.line
        if link.kind == "property":
            assert link.start == 0 or note.text[link.start - 1] == "\n"
        else:
            mark = "![" if link.kind == "embed" else "["
            assert note.text.startswith(mark if link.markdown else mark + "[", link.start)
    for heading in note.headings:
        assert note.text.count("\n", 0, heading.offset) + 1 == heading.line
        assert note.text[heading.offset :].startswith(lines[heading.line - 1])
    for block in note.blocks:
        assert f"^{block.id}" in lines[block.line - 1]
    for task in note.tasks:
        assert f"[{task.status}]" in lines[task.line - 1]
    assert note.text.count("\n", 0, note.body_start) + 1 == note.body_line or note.body_start == len(
        note.text
    )
    for problem in note.problems:
        assert problem.code in CODES
        assert problem.path == note.path
        assert problem.line is None or 1 <= problem.line <= len(lines)
        assert problem.message.endswith((".", "?"))


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"caf\xe9 [[x]]\n", "text-encoding", 1),
        (b"a\nb \x80\x81 [[x]]\n", "text-encoding", 2),
        ("\ufeffa [[x]]\n".encode("utf-16-le"), "text-encoding", None),
        ("\ufeffa [[x]]\n".encode("utf-16-be"), "text-encoding", None),
        ("a [[x]]\n".encode("utf-32"), "text-encoding", None),
        (b"a\r\nb\n[[x]]", "text-line-ends", None),
        (b"a\rb\n[[x]]", "text-line-ends", None),
        (b"a\nb\x00 [[x]]\n", "text-nul", 2),
        (b"---\na:\n\tb: c\n---\n[[x]]", "yaml-tab", 3),
        (b"---\na: 1\na: 2\n---\n[[x]]", "yaml-duplicate-key", 3),
        (b"---\ntitle: foo: bar\n---\n[[x]]", "yaml-invalid", 2),
        (b"---\nup: @me\n---\n[[x]]", "yaml-invalid", 2),
        (b"---\na: *b\n---\n[[x]]", "yaml-invalid", 2),
        (b"---\na: &a [*a]\n---\n[[x]]", "yaml-invalid", 2),
        (b"---\na: " + b"[" * 500 + b"]" * 500 + b"\n---\n[[x]]", "yaml-too-deep", 2),
        (b"---\na: 1\n[[x]]", "frontmatter-unclosed", 1),
        (b"[[x]]\n```\n", "fence-unclosed", 2),
        (b"[[x]]\n%%\n", "comment-unclosed", 2),
        (b"[[x]]\n<!--\n", "html-comment-unclosed", 2),
        (b"[[x]]\n$$\na", "math-unclosed", 2),
        (b"[[x]] " + b"a" * 1_000_000, "text-long-line", 1),
        (b"[[x]]\n" + b"a b c d\n" * 700_000, "text-huge", None),
    ],
)
def test_ugly_input_is_a_note_with_a_problem(data: bytes, code: str, line: int | None) -> None:
    note = parse_note("Note.md", data)
    assert (code, line) in [(problem.code, problem.line) for problem in note.problems]
    assert [link.target for link in note.links] == ["x"]
    assert note.sha256 == hashlib.sha256(data).digest()
    check_places(note)


def test_alias_bomb_is_refused() -> None:
    layers = "".join(f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]\n" for i in range(1, 12))
    note = parse_note("Note.md", f"---\nl0: &l0 x\n{layers}---\nbody".encode())
    assert (note.frontmatter, note.properties) == ("invalid", {})
    assert [problem.code for problem in note.problems] == ["yaml-too-large"]


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"---", b"---\n", b"---\n---", b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b"\r"]
)
def test_almost_nothing_is_a_note(data: bytes) -> None:
    note = parse_note("a.md", data)
    assert (note.properties, note.links, note.tags) == ({}, [], [])
    check_places(note)


def test_dates_and_numbers_as_ids() -> None:
    note = parse_note("a.md", b"---\nid: 2024-01-02\nother: 007\nbig: " + b"9" * 5000 + b"\n---\n")
    assert note.properties == {"id": "2024-01-02", "other": 7, "big": "9" * 5000}


def test_every_code_is_listed() -> None:
    package = Path(note_module.__file__).parent
    used = {
        code
        for source in package.glob("*.py")
        if source.name != "problems.py"
        for code in re.findall(
            r'"((?:text|yaml|frontmatter|tag|fence|comment|html|math|canvas|link|heading|block)-[a-z-]+)"',
            source.read_text(encoding="utf-8"),
        )
    }
    assert used <= set(CODES)
    assert len(used) > 20


def test_name_is_the_file_name_without_its_end() -> None:
    names = [parse_note(path, b"").name for path in ("a/b.c #1 100%...md", "a.md/x.MD", "😀.md")]
    assert names == ["b.c #1 100%..", "x", "😀"]


_PIECES = (
    "[[ ]] [ ]( ) ! | # ^ ` `` ``` ~~~ $ $$ %% <!-- --> < > <div> </div> <b> * ** _ == ~~ "
    "\\ : --- === - + 1. > "
    "a b é 中 😀 #tag ^id [[link]] [x](y.md) [a]: [^1]: https://x.y/z |-| \\| ![ { } \" ' & @ % tags:"
)
_BLANKS = ["\u2028", "\x00", "\x0c", "\x1c", "\xa0", "\ufeff", "\t", "    ", "| a |"]
PIECES = st.sampled_from(_PIECES.split(" ") + _BLANKS)
MARKDOWN = st.lists(
    PIECES | st.sampled_from(["\n", "\n\n", " ", "\n---\n", "\n> ", "\n- "]), max_size=60
).map("".join)


@settings(max_examples=300, deadline=None)
@given(MARKDOWN, st.booleans())
def test_any_text_is_a_note(text: str, front: bool) -> None:
    check_places(parse_note("Note.md", ((f"---\n{text}\n---\n" if front else "") + text).encode()))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_a_note(data: bytes) -> None:
    check_places(parse_note("Note.md", data))


@settings(max_examples=100, deadline=None)
@given(MARKDOWN)
def test_reading_depends_on_nothing_but_the_bytes(text: str) -> None:
    assert parse_note("a.md", text.encode()) == parse_note("a.md", text.encode())
