from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.index.words import MAX_TERMS, parse_words, split_terms


def terms(query: str) -> list[str]:
    return [term.text for term in parse_words(query).terms]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("When did Mara decide about the database?", ["Mara", "decide", "database"]),
        ("multi-agent c++ it's", ["multi", "agent", "c"]),
        ("foo AND bar NOT baz NEAR(qux, 2)", ["foo", "bar", "baz", "qux", "2"]),
        ("don't you know the boss's plan", ["boss", "plan"]),
        ("is it the one", ["is", "it", "the", "one"]),
        ("what did Will say to the US office", ["Will", "US", "office"]),
        ("Will it rain? Can it snow?", ["rain", "snow"]),
        ("foo Foo FOO", ["foo"]),
        ("v1.2 of résumé_draft", ["v1", "2", "résumé", "draft"]),
        ("🎉 party 🎉", ["party"]),
        ("🎉 : * ( ) ^ \0", []),
    ],
)
def test_terms(query: str, expected: list[str]) -> None:
    assert terms(query) == expected


def test_a_star_asks_for_a_prefix() -> None:
    assert [(term.text, term.prefix) for term in parse_words("pro* the* x *").terms] == [
        ("pro", True),
        ("the", True),
        ("x", False),
    ]


def test_phrases_and_lone_quotes() -> None:
    words = parse_words('who said "carpe diem" and “to be” in 5" pipes')
    assert words.phrases == ("carpe diem", "to be")
    assert terms('5" pipes') == ["5", "pipes"]


def test_question_words_of_chinese_are_cut_out() -> None:
    assert parse_words("项目什么时候上线？").cjk == ("项目", "上线")
    assert parse_words("谁").cjk == ("谁",)


def test_latin_inside_a_cjk_run_is_a_word_of_its_own() -> None:
    words = parse_words("项目Alpha启动")
    assert [term.text for term in words.terms] == ["Alpha"]
    assert words.cjk == ("项目", "启动")


def test_long_queries_are_bounded() -> None:
    assert len(parse_words(" ".join(f"w{i}" for i in range(10_000))).terms) == MAX_TERMS


@given(st.text())
def test_any_text_is_cut(text: str) -> None:
    words = parse_words(text)
    assert all(split_terms(term.text) for term in words.terms)
    has_word = any(unicodedata.category(char)[0] in "LN" for char in text)
    assert words.empty <= (not has_word)
