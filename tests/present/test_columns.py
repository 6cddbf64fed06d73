from __future__ import annotations

import pytest

from vaultkeeper.present.columns import columns, width_of


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("笔记", 4), ("é", 1), ("e\u0301", 1), ("한글", 4), ("ｶﾅ", 2), ("", 0)]
)
def test_places_of_a_terminal(text: str, width: int) -> None:
    assert width_of(text) == width


def test_columns_stand_below_each_other() -> None:
    assert columns([("笔记", "x"), ("Notes", "y"), ("a", "")]) == ["笔记   x", "Notes  y", "a"]
    assert columns([]) == []
