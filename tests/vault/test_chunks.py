from __future__ import annotations

import time
from hashlib import sha256
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.types import Chunk, Note
from vaultkeeper.vault.chunks import chunk_id, chunk_note, embedding_text, text_sha
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.tokens import approx_tokens, conservative_tokens


def note(text: str) -> Note:
    return parse_note("a.md", text.encode())


def shape(chunks: list[Chunk]) -> list[tuple[str, str]]:
    return [(chunk.heading, chunk.text) for chunk in chunks]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [("", "")]),
        ("---\na: b\n---\n", [("", "")]),
        ("words\n", [("", "words")]),
        (
            "intro\n\n# A\n\none\n\n## B\ntwo\n# C\nthree",
            [("", "intro"), ("A", "one"), ("A > B", "two"), ("C", "three")],
        ),
        ("\n\n# A\n\n## B\ntext", [("A > B", "text")]),
        ("# A\n# B\ntext\n# C", [("A", ""), ("B", "text"), ("C", "")]),
        ("### deep\nx\n# top\ny\n### again\nz", [("deep", "x"), ("top", "y"), ("top > again", "z")]),
        ("Title\n=====\n\nbelow\n\nSub\n---\nmore", [("Title", "below"), ("Title > Sub", "more")]),
        ("# A\n\n```\n# no heading\n```\n", [("A", "```\n# no heading\n```")]),
    ],
)
def test_sections(text: str, expected: list[tuple[str, str]]) -> None:
    assert shape(chunk_note(note(text), "a.md")) == expected


def test_places_in_the_note() -> None:
    parsed = note("---\nx: y\n---\nintro\n\n# A\n\n  text\nmore\n\n# B\n")
    chunks = chunk_note(parsed, "a.md")
    assert [(chunk.line, chunk.anchor, chunk.seq) for chunk in chunks] == [
        (4, "", 0),
        (8, "A", 1),
        (12, "B", 2),
    ]
    assert all(parsed.text.startswith(chunk.text, chunk.start) for chunk in chunks)


def test_ids_are_those_of_the_specification() -> None:
    data = b"turn\0s1\0" + (7).to_bytes(4, "big") + "\0grüß".encode()
    assert chunk_id("turn", "s1", 7, "grüß") == sha256(data).hexdigest()[:32]
    (chunk,) = chunk_note(note("hello"), "src", "document")
    assert chunk.id == chunk_id("document", "src", 0, "hello")
    ids = {
        chunk_id(*parts)
        for parts in [
            ("a", "b", 0, "c"),
            ("x", "b", 0, "c"),
            ("a", "x", 0, "c"),
            ("a", "b", 1, "c"),
            ("a", "b", 0, "x"),
        ]
    }
    assert len(ids) == 5


def test_a_turn_is_one_chunk_whatever_its_headings() -> None:
    text = "# User\n\nhello\n\n# Agent\n\n" + "words and more. " * 200
    assert len(chunk_note(note(text), "a", "turn")) == 1
    assert len(chunk_note(note(text), "a", "note")) > 2


TEXTS = st.text(alphabet="ab .\n!字。x", max_size=600)


@given(TEXTS, st.integers(16, 60))
def test_parts_fit_the_budget_and_hold_everything(text: str, budget: int) -> None:
    parsed = note(text)
    chunks = chunk_note(parsed, "a", section_tokens=budget)
    assert all(conservative_tokens(chunk.text) <= budget for chunk in chunks)
    covered = set()
    for chunk in chunks:
        begin = parsed.text.index(chunk.text, chunk.start) if chunk.text else chunk.start
        covered.update(range(begin, begin + len(chunk.text)))
    assert all(at in covered for at, char in enumerate(parsed.text) if not char.isspace()) or parsed.headings
    for first, second in pairwise(chunks):
        if second.heading == first.heading and second.partial:
            overlap = first.start + len(first.text) - second.start
            assert (
                overlap <= 0
                or conservative_tokens(parsed.text[second.start : second.start + overlap]) <= budget * 0.12
            )


def test_parts_end_where_a_reader_would_end_them() -> None:
    paragraphs = ["One sentence here. Another one there." for _ in range(12)]
    chunks = chunk_note(note("\n\n".join(paragraphs)), "a", section_tokens=100)
    assert len(chunks) >= 3
    assert all(chunk.text.endswith(".") for chunk in chunks)
    assert all(chunk.partial for chunk in chunks)


@pytest.mark.parametrize(
    "text",
    [
        "word and more. " * 70_000, "x" * 1_000_000, "汉字" * 300_000, "para\n\n" * 150_000, "# h\n" * 100_000,
        "." * 500_000,
        "[[" * 300_000, "(_" * 300_000, "a\n" * 200_000 + "===",
    ],
    ids=["words", "x", "han", "paragraphs", "headings", "dots", "brackets", "underscores", "setext"],
)  # fmt: skip
def test_large_notes_take_linear_time(text: str) -> None:
    parsed = Note("a.md", text, b"")
    if text.startswith("# h"):
        parsed = note(text)
    began = time.process_time()
    chunks = chunk_note(parsed, "a")
    for chunk in chunks:
        embedding_text("t", chunk.heading, chunk.text)
    assert time.process_time() - began < 8


@pytest.mark.parametrize(
    ("body", "plain"),
    [
        ("**bold** and _it_ `code` ~~old~~ ==new==", "bold and it code old new"),
        ("[[note|label]] [[a/b]] ![[pic.png]] [text](http://x.y)", "label a/b pic.png text"),
        (
            "- item\n- [ ] task\n1. one\n> quote\n> [!note] Title",
            "item\ntask\none\nquote\nTitle".replace("\nTitle", "\n Title"),
        ),
        ("snake_case 2 * 3 * 4", "snake_case 2 * 3 * 4"),
        ("text ^block1", "text"),
        ("```py\nx = 1\n```", "x = 1"),
    ],
)
def test_the_embedded_text_is_plain(body: str, plain: str) -> None:
    assert embedding_text("Title", "A > B", body).split() == f"Title\nA > B\n{plain}".split()


def test_a_title_without_letters_is_not_embedded() -> None:
    assert embedding_text("000012", "", "hello") == "hello"


def test_the_key_of_the_embedded_text_depends_on_all_of_it() -> None:
    keys = {
        text_sha(*parts) for parts in [("a", "b", "c"), ("ab", "", "c"), ("a", "", "bc"), ("a", "b", "d")]
    }
    assert len(keys) == 4


@pytest.mark.parametrize(
    ("text", "approx", "conservative"),
    [
        ("", 0, 0),
        ("abcd", 1, 2),
        ("abcde", 2, 3),
        ("a b", 1, 2),
        ("汉字", 2, 2),
        ("!?", 1, 2),
        ("שלום", 1, 4),
        ("汉字ab", 3, 3),
        ("a\u3000b", 1, 2),
    ],
)
def test_token_estimates(text: str, approx: int, conservative: int) -> None:
    assert approx_tokens(text) == approx
    assert conservative_tokens(text) == conservative


@given(st.text(max_size=200))
def test_the_conservative_estimate_is_that_of_the_specification(text: str) -> None:
    def quarters(char: str) -> int:
        if char.isascii() and char.isalnum():
            return 2
        return 1 if char.isspace() and char not in "\x1c\x1d\x1e\x1f" else 4

    assert conservative_tokens(text) == -(-sum(map(quarters, text)) // 4)
