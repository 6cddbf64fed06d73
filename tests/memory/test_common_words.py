from __future__ import annotations

from vaultkeeper.memory.common_words import word_set


def test_lines_become_words() -> None:
    assert word_set("a b", " c\nb ") == {"a", "b", "c"}
