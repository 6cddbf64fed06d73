from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.memory.likeness import likeness, parse_said, without_lead_in

SAME = [
    ("User prefers dark mode.", "user prefers  dark mode"),
    ("- [preference] Prefers tea", "* prefers tea!"),
    ("3. [x] “Dry run” first ^abc", "dry run first"),
    ("我住在根特。", "我住在根特"),
    ("Ｆｕｌｌ width", "full width"),
    ("don’t ask", "don't ask"),
    ("Learn C#", "learn c#!"),
]

NEARLY = [
    ("The user prefers dark mode", "User prefers the dark mode!"),
    ("- [preference] Prefers metric units", "I prefer metric units"),
    ("Always run the tests before commiting the code", "Always run the tests before committing code"),
    ("User prefers dark mode in all editors", "User prefers dark mode in all code editors"),
    ("The API returns 400 on empty bodies", "The api returns 400 on an empty body"),
]

OTHER = [
    ("The gate code is 4711", "The gate code is 4712"),
    ("Mara likes tea in the morning", "Maria likes tea in the morning"),
    ("The server of Acme is slow", "The server of Apex is slow"),
    ("Never send mails to customers on Fridays", "Send mails to customers on Fridays"),
    ("Deploys happen on Monday at the office", "Deploys happen on Friday at the office"),
    ("The build of the branch is valid", "The build of the branch is invalid"),
    ("prefers tea over coffee in the mornings", "prefers coffee over tea in the mornings"),
    ("Learn C", "Learn C++"),
    ("The rent rose by 5%", "The rent rose by 5€"),
    ("我住在根特", "我住在巴黎"),
    ("我喜欢喝茶", "我不喜欢喝茶"),
    ("is version 1.2", "is version 1.3"),
    ("fact number thirteen is here", "fact number thirty is here"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_case_marks_and_punctuation_do_not_matter(left: str, right: str) -> None:
    assert parse_said(left).words == parse_said(right).words
    assert likeness(parse_said(left), parse_said(right)) == 1.0


@pytest.mark.parametrize(("left", "right"), NEARLY)
def test_small_words_endings_and_slips_hardly_matter(left: str, right: str) -> None:
    assert likeness(parse_said(left), parse_said(right)) >= 0.9
    assert parse_said(left).words != parse_said(right).words


@pytest.mark.parametrize(("left", "right"), OTHER)
def test_a_word_that_counts_makes_it_another_fact(left: str, right: str) -> None:
    assert likeness(parse_said(left), parse_said(right)) < 0.9
    assert likeness(parse_said(right), parse_said(left)) < 0.9


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_has_a_likeness_and_it_does_not_matter_which_comes_first(left: str, right: str) -> None:
    one, other = parse_said(left), parse_said(right)
    assert 0.0 <= likeness(one, other) <= 1.0
    assert likeness(one, other) == pytest.approx(likeness(other, one))
    assert likeness(one, one) == 1.0


@pytest.mark.parametrize(
    ("entry", "plain"),
    [
        ("I prefer short answers", "short answers"),
        ("- [preference] Short answers", "Short answers"),
        ("I would really like tea", "tea"),
        ("I never send mails", "never send mails"),
        ("I live in Ghent", "I live in Ghent"),
    ],
)
def test_a_lead_in_is_left_out_and_a_negation_is_not(entry: str, plain: str) -> None:
    assert without_lead_in(entry) == plain
