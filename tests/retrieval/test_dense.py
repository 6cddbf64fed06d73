from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.retrieval.filled import FilledIndex, sha
from vaultkeeper.index.vectors import VectorIndex
from vaultkeeper.retrieval.dense import dense

QUERY = np.array([1, 0], np.float32)


def vectors_with(folder: Path, cosines: dict[str, float]) -> VectorIndex:
    """Vectors that have these cosines to `QUERY`."""
    index = VectorIndex(folder, "test", 2)
    index.add({sha(text): np.array([c, (1 - c * c) ** 0.5], np.float32) for text, c in cosines.items()})
    return index


def test_copies_share_their_vector(tmp_path: Path) -> None:
    index = FilledIndex()
    (first,) = index.put("a.md", "same text")
    (second,) = index.put("b.md", "same text")
    (third,) = index.put("c.md", "other text")
    vectors = vectors_with(tmp_path, {"same text": 0.9, "other text": 0.2, "gone": 0.1})
    assert dense(index.db, vectors, QUERY, None).keys() == {first, second, third}
    assert dense(index.db, vectors, QUERY, None, 1).keys() == {first, second}
    assert dense(index.db, vectors, QUERY, frozenset({second}), 1).keys() == {second}
    found = dense(index.db, vectors, QUERY, frozenset({third}), 1)
    assert abs(found[third] - 0.2) < 1e-5


def test_a_question_without_meaning_finds_nothing(tmp_path: Path) -> None:
    index = FilledIndex()
    index.put("a.md", "same text")
    assert dense(index.db, vectors_with(tmp_path, {"same text": 0.9}), np.zeros(2, np.float32), None) == {}
