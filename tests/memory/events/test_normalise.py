from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.memory.events.normalise import mended, plain


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("I’m here", "i am here"),
        ("dont", "do not"),
        ("Ill send it", "i will send it"),
        ("I feel ill today", "i feel ill today"),
        ("well use pnpm", "we will use pnpm"),
        ("all went well, use it", "all went well , use it"),
        ("tea & milk", "tea and milk"),
        ("e-mail me tmrw", "e-mail me tomorrow"),
    ],
)
def test_plain_words(typed: str, expected: str) -> None:
    assert plain(typed, 0, len(typed)).text == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [("alwasy", "always"), ("perfer", "prefer"), ("tommorow", "tomorrow"), ("usualy", "usually")],
)
def test_slips_are_mended(typed: str, expected: str) -> None:
    assert mended(typed) == expected


@pytest.mark.parametrize(
    "word", "fever refer agree agrees greed sever lever prefers solved planting usual general never".split()
)
def test_real_words_stay(word: str) -> None:
    assert mended(word) == word


@given(st.text(max_size=120))
def test_the_way_back_stays_inside(text: str) -> None:
    sentence = plain(text, 0, len(text))
    assert len(sentence.text) == len(sentence.starts) == len(sentence.ends)
    assert all(
        0 <= start <= end <= len(text) for start, end in zip(sentence.starts, sentence.ends, strict=True)
    )
    assert sentence.starts == sorted(sentence.starts)
