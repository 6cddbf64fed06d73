from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.present.sentences import find_sentences


def texts(body: str) -> list[str]:
    return [body[sentence.start : sentence.end] for sentence in find_sentences(body)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        (
            "A paragraph that is\nwrapped over lines. And more.",
            ["A paragraph that is\nwrapped over lines.", "And more."],
        ),
        ("Dr. Ito uses v1.2 of https://example.org/a.b, e.g. today. Next.", None),
        ("- first item\n- [x] second item. With two.\n  going on\n1. third", None),
        ("> [!note] Title here\n> quoted text\n> goes on.", None),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |", "| 1 | 2 |"]),
        ("今天开会。明天上线！好吗？", ["今天开会。", "明天上线！", "好吗？"]),
        ("Said so. ^block-1\n\nAfter it.", ["Said so.", "After it."]),
        ("---\n***\n", []),
        ("", []),
    ],
)
def test_sentences(body: str, expected: list[str] | None) -> None:
    if expected is not None:
        assert texts(body) == expected
    for text in texts(body):
        assert not text.startswith(("- ", "> ", "1. ", "[!", "[x]"))


def test_marks_are_left_out() -> None:
    assert texts("- first item\n- [x] second item. With two.\n  going on\n1. third") == [
        "first item",
        "second item.",
        "With two.",
        "going on",
        "third",
    ]


def test_abbreviations_and_versions_end_nothing() -> None:
    assert texts("Dr. Ito uses v1.2 of https://example.org/a.b, e.g. today. Next.") == [
        "Dr. Ito uses v1.2 of https://example.org/a.b, e.g. today.",
        "Next.",
    ]


def test_code_is_known_as_code() -> None:
    body = "Before.\n\n```python\nx = 1\n\ny = 2\n```\nAfter.\n\n~~~\nopen"
    kinds = [(body[s.start : s.end], s.kind) for s in find_sentences(body)]
    assert kinds == [
        ("Before.", "prose"),
        ("x = 1", "code"),
        ("y = 2", "code"),
        ("After.", "prose"),
        ("open", "code"),
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("- [ ] Mobile support\nThe bear bakes rye bread.", ["Mobile support", "The bear bakes rye bread."]),
        ("1. First step\n   goes on\nNo step.", ["First step\n   goes on", "No step."]),
        ("> - item\n> goes not on", ["item", "goes not on"]),
        ("> Said\n> by her\nand not this", ["Said\n> by her", "and not this"]),
        ("Before\n> Said", ["Before", "Said"]),
        ("> [!note] Title\n> text", ["Title", "text"]),
        ("Before\n![[Movies.base#Favorites]]\nbehind", ["Before", "![[Movies.base#Favorites]]", "behind"]),
    ],
)
def test_blocks_are_never_one_text(body: str, expected: list[str]) -> None:
    assert texts(body) == expected


@pytest.mark.parametrize(
    "alone",
    [
        "![[Movies.base#Favorites]]",
        "![](x.png)",
        "- ![[a.png|300]] ![b](c_(d).png)",
        "https://example.org/a?b=c",
        "- <https://example.org>",
        "> ![[a]]",
        "[[Yesterday]] | [[Tomorrow]]",
        "[home](https://example.org/a)",
    ],
)
def test_what_is_only_embeds_or_links_is_known_as_such(alone: str) -> None:
    body = f"Before it.\n\n{alone}\n\nBehind it."
    assert [sentence.kind for sentence in find_sentences(body)] == ["prose", "link", "prose"]


def test_names_in_a_list_say_something() -> None:
    assert [sentence.kind for sentence in find_sentences("Team:\n\n- [[Ada Brandt]]\n- [Bo](b.md)")] == [
        "prose"
    ] * 3


def test_long_rows_of_addresses_are_read_at_once() -> None:
    assert len(find_sentences("a://" * 5_000 + " no")) == 1
    assert len(find_sentences("![[a]] " * 5_000 + "no")) == 1


@given(st.text(alphabet="ab. \n>-*#|`~1)[]x!^。？", max_size=80) | st.text(max_size=80))
def test_any_body_gives_ordered_parts_of_itself(body: str) -> None:
    at = 0
    for sentence in find_sentences(body):
        assert at <= sentence.start < sentence.end <= len(body)
        assert body[sentence.start : sentence.end].strip() == body[sentence.start : sentence.end]
        at = sentence.end
