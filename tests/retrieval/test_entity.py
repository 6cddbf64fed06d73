from __future__ import annotations

from tests.retrieval.filled import FilledIndex
from vaultkeeper.retrieval.entity import entity


def test_rarer_and_more_entities_score_higher() -> None:
    index = FilledIndex()
    ids = ["person:ann", "project:tide"]
    (both,) = index.put("a.md", "ann at tide", entities=ids)
    (one,) = index.put("b.md", "ann alone", entities=ids)
    index.put("c.md", "nobody", entities=ids)
    scores = entity(index.db, ids, None, 3)
    assert set(scores) == {both, one}
    assert scores[both] > scores[one]
    assert entity(index.db, ids, {one}, 3).keys() == {one}
    assert entity(index.db, [], None, 3) == {}
