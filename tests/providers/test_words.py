from __future__ import annotations

import math

import pytest

from vaultkeeper.providers.words import idf, is_unspaced, split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("  \n\t!? — … 🎉", []),
        ("Mara's plan, v2.", ["Mara", "s", "plan", "v2"]),
        ("snake_case and kebab-case", ["snake", "case", "and", "kebab", "case"]),
        ("我在东京 work", ["我", "在", "东", "京", "work"]),
        ("ｆｕｌｌ １２", ["full", "12"]),
        ("cafe\u0301", ["café"]),
        ("まずデータ", ["ま", "ず", "デ", "ー", "タ"]),
        ("한국어", ["한", "국", "어"]),
        ("Привет, мир", ["Привет", "мир"]),
    ],
)
def test_splits_text_into_words(text: str, words: list[str]) -> None:
    assert split_words(text) == words


def test_only_scripts_without_blanks_are_split_into_characters() -> None:
    assert is_unspaced("京")
    assert is_unspaced("カ")
    assert not is_unspaced("Tokyo")
    assert not is_unspaced("мир")


def test_rarer_words_weigh_more_and_none_weighs_nothing() -> None:
    weights = [idf(count, 100) for count in (1, 2, 10, 99, 100)]
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] > 0
    assert idf(0, 100) == idf(1, 100)
    assert idf(7, 3) == idf(3, 3)  # counts may be a moment newer than the total
    assert idf(0, 0) == 1.0
    assert math.isfinite(idf(1, 1))
