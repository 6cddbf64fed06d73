from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.retrieval.spans import base_title, find_spans, plain_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who is the mother of Ada Lovelace?", ["Ada Lovelace"]),
        ("The Bank of England and Anna went to Köln.", ["Bank of England", "Anna", "Köln"]),
        ("Mara's flat, Ångström and Ωmega", ["Mara", "Ångström", "Ωmega"]),
        ("see [[People/Émile Zola|him]] or [[Budget]]", ["Émile Zola", "Budget", "People"]),
        ("On Monday, 3 March 2026, May met June in Sept.", []),
        ("nothing here, 你好 and élan", []),
        ("Apollo 11 and Windows 95", ["Apollo 11", "Windows 95"]),
    ],
)
def test_names(text: str, expected: list[str]) -> None:
    assert find_spans(text) == expected


def test_titles_hold_small_words() -> None:
    assert find_spans("Anna and Ben", titles=True) == ["Anna and Ben", "Anna", "Ben"]


def test_comparing_names() -> None:
    assert plain_words("  God’s  Gift: to-Women! ") == "gods gift to women"
    assert base_title("Mercury (planet)") == "Mercury"
    assert base_title("(all)") == "(all)"


@given(st.text())
def test_any_text(text: str) -> None:
    for span in find_spans(text, titles=True):
        assert span
