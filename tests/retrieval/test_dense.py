from __future__ import annotations

from collections.abc import Collection

import numpy as np

from tests.retrieval.filled import FilledIndex, sha
from vaultkeeper.retrieval.dense import dense


class Listed:
    """A list of texts in the order of nearness."""

    def __init__(self, *near: tuple[str, float]) -> None:
        self.near = [(sha(text), score) for text, score in near]

    def search(
        self, query: object, k: int, allowed: Collection[bytes] | None = None
    ) -> list[tuple[bytes, float]]:
        return [(key, score) for key, score in self.near if allowed is None or key in allowed][:k]


def test_copies_share_their_vector() -> None:
    index = FilledIndex()
    (first,) = index.put("a.md", "same text")
    (second,) = index.put("b.md", "same text")
    (third,) = index.put("c.md", "other text")
    vectors = Listed(("same text", 0.9), ("other text", 0.2), ("gone", 0.1))
    query = np.ones(3, np.float32)
    assert dense(index.db, vectors, query, None) == {first: 0.9, second: 0.9, third: 0.2}
    assert dense(index.db, vectors, query, frozenset({second}), 1) == {second: 0.9}
    assert dense(index.db, vectors, query, frozenset({third}), 1) == {third: 0.2}


def test_a_question_without_meaning_finds_nothing() -> None:
    index = FilledIndex()
    index.put("a.md", "same text")
    assert dense(index.db, Listed(("same text", 0.9)), np.zeros(3, np.float32), None) == {}
