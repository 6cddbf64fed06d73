from __future__ import annotations

import pytest

from vaultkeeper.memory.events.english import LONGEST_SENTENCE_CHARS, english_events
from vaultkeeper.memory.events.guards_en import QUESTION, REQUEST, SUPPOSED


def kinds(text: str) -> list[str]:
    return [found.kind for found in english_events(text, 0, len(text))]


def test_offsets_are_those_of_the_whole_text() -> None:
    text = "Hello. I like trains. Bye."
    (found,) = english_events(text, 7, 21)
    assert text[found.start : found.end] == "I like trains."


def test_a_bare_comma_joins_two_steps_of_one_statement() -> None:
    assert kinds("I prefer oak, I like its grain") == ["preference"]
    assert kinds("I prefer oak but I hate pine") == ["preference", "preference"]


def test_reported_speech_ends_with_its_clause() -> None:
    assert kinds("he told me he hates tea, I like tea") == ["preference"]
    assert kinds("the README says: we use tabs, we never push") == []


def test_a_longer_run_without_an_end_is_no_message() -> None:
    assert kinds("I like trains " + "and more " * LONGEST_SENTENCE_CHARS) == []


@pytest.mark.parametrize(
    "text", ["do i live here", "what should we use", "how do i get there", "any idea why"]
)
def test_questions_without_their_mark(text: str) -> None:
    assert QUESTION.match(text)


@pytest.mark.parametrize(
    "text", ["please send it", "can you help", "draft a note", "remind me", "so give me three"]
)
def test_requests(text: str) -> None:
    assert REQUEST.match(text)


@pytest.mark.parametrize(
    "text",
    ["if it rains", "suppose we agreed", "say my name is bob", "imagine i live there", "should it rain"],
)
def test_suppositions(text: str) -> None:
    assert SUPPOSED.match(text)
