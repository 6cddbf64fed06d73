from __future__ import annotations

import re

import pytest

from vaultkeeper.memory.events.commitments_en import COMMITMENT
from vaultkeeper.memory.events.decisions_en import DECISION
from vaultkeeper.memory.events.facts_en import FACT, GONE
from vaultkeeper.memory.events.lexicon_en import FUTURE, HABITUAL, SUBJECT, either
from vaultkeeper.memory.events.preferences_en import PREFERENCE
from vaultkeeper.memory.events.rules_en import Rules, compiled

TABLES = {
    "decision": DECISION,
    "commitment": COMMITMENT,
    "preference": PREFERENCE,
    "fact": FACT,
    "gone": GONE,
}


@pytest.mark.parametrize("name", TABLES)
def test_every_piece_is_an_expression_of_its_own_that_says_something(name: str) -> None:
    for group in TABLES[name]:
        for piece in group:
            assert re.compile(piece).match("") is None, piece
            assert not piece.startswith("^"), piece


def test_branches_hang_on_one_subject() -> None:
    rules = compiled(Rules(after_subject=("like tea",), after_am=("tall",), after_will=("go",)))
    assert rules.subject is not None
    for text in (
        "i like tea",
        "we really like tea",
        "i am tall",
        "we are also tall",
        "i will go",
        "sam and i are going to go",
    ):
        assert rules.subject.search(text), text
    for text in ("hi like tea", "they like tea", "i go", "i tall"):
        assert not rules.subject.search(text), text
    assert rules.start is rules.dropped is rules.anywhere is None


def test_words_become_a_group() -> None:
    assert re.fullmatch(either("a b_c", "d"), "b c")


@pytest.mark.parametrize(
    "text",
    [
        "tomorrow",
        "on friday",
        "by the 15th",
        "next week",
        "in june",
        "by end of month",
        "until 3 march",
        "at 8 : 40",
    ],
)
def test_times_to_come(text: str) -> None:
    assert re.match(FUTURE, text)


@pytest.mark.parametrize("text", ["last friday", "since 2014", "in general", "the ending"])
def test_times_that_are_none(text: str) -> None:
    assert not re.match(FUTURE, text)


def test_habits_and_subjects() -> None:
    assert re.match(HABITUAL, "every morning")
    assert re.match(HABITUAL, "on sundays")
    assert re.fullmatch(SUBJECT, "mara and i")
