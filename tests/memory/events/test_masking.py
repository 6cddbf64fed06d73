from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.memory.events.masking import OPAQUE, mask


@pytest.mark.parametrize(
    "text",
    [
        "before\n```py\nI live here\n```\nafter",
        "before\n~~~\nI live here",
        "before `I live` after",
        'before "I live" after',
        "before “I live” after",
        "before 「I live」 after",
        "before 'I live' after",
        "before\n> I live\nafter",
        "before\n| I live | x |\nafter",
        "before\n2024-05-01T10:00:00 I live\nafter",
        "before https://example.org/I live".replace("I live", "I_live"),
        "before [[I live]] after",
        "before\nAnna: I live\nBo: I live too\nafter",
        "before\nFrom: a@example.org\nSubject: I live\n\nI live\n\nafter",
        "before\n-----Original Message-----\nI live",
        "before. Translate: I live",
        "之前。翻译：I live",
    ],
)
def test_what_is_not_said_is_hidden(text: str) -> None:
    shown = mask(text)
    assert "I live" not in shown
    assert "I_live" not in shown
    assert shown.startswith(("before", "之前"))
    assert len(shown) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "I don't like the dogs' food",
        'a 13" screen and I like it',
        "don’t, I’ll go",
        "I: am",
        "Decided: we go",
    ],
)
def test_apostrophes_and_inches_hide_nothing(text: str) -> None:
    assert OPAQUE not in mask(text)
    assert mask(text) == text


@given(st.text(max_size=300))
def test_length_is_kept(text: str) -> None:
    assert len(mask(text)) == len(text)
