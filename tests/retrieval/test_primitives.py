from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.retrieval.filled import FilledIndex, sha
from vaultkeeper.index.vectors import VectorIndex
from vaultkeeper.index.words import parse_words
from vaultkeeper.retrieval.primitives import (
    by_greatest,
    by_magnitude,
    by_range,
    dense,
    entity,
    fuse,
    keyword,
    named_entities,
)
from vaultkeeper.types import Mention


def test_an_answering_turn_without_the_words_is_found() -> None:
    index = FilledIndex()
    texts = [
        "Ann: hello",
        "Ann: where did you go swimming?",
        "Bob: to the lake",
        "Ann: nice",
        "Bob: bye",
        "Ann: x y z",
    ]
    turns = [
        index.put(f"episodic/s/{i:06}.md", text, kind="turn", source="episodic:s")[0]
        for i, text in enumerate(texts)
    ]
    found = keyword(index.db, parse_words("where did Bob go swimming"), None)
    ranked = sorted(found.scores, key=lambda pk: -found.scores[pk])
    assert turns[2] in ranked[:2]
    assert set(found.scores) <= set(found.positions)
    assert turns[2] not in keyword(index.db, parse_words("swimming"), None, near=False).scores


def test_common_words_are_found_inside_of_a_filter() -> None:
    """The rare word of the question lies outside of what is allowed; the common one inside is found all the same."""
    index = FilledIndex()
    for i in range(1_200):
        index.put(f"n{i}.md", "status report")
    index.put("rare.md", "zebra")
    allowed = frozenset(range(1, 11))
    found = keyword(index.db, parse_words("zebra status"), allowed)
    assert set(found.scores) == allowed


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


def mention(entity_id: str, surface: str) -> Mention:
    return Mention(entity_id, entity_id.partition(":")[0], surface, 0, len(surface))


ASKED = [mention("person:ann", "Annie"), mention("project:tide", "Tide"), mention("person:ann", "Ann")]


def test_rarer_and_more_entities_score_higher() -> None:
    index = FilledIndex()
    ids = ["person:ann", "project:tide"]
    (both,) = index.put("a.md", "ann at tide", entities=ids)
    (one,) = index.put("b.md", "ann alone", entities=ids)
    index.put("c.md", "nobody", entities=ids)
    scores = entity(named_entities(index.db, ASKED, None, 3))
    assert set(scores) == {both, one}
    assert scores[both] > scores[one]
    assert entity(named_entities(index.db, ASKED, {one}, 3)).keys() == {one}
    assert entity(named_entities(index.db, [], None, 3)) == {}


def test_an_entity_is_named_once_by_its_first_name() -> None:
    index = FilledIndex()
    index.put("a.md", "ann", entities=["person:ann"])
    assert [named.surface for named in named_entities(index.db, ASKED, None, 1)] == ["Annie"]


def test_another_name_counts_as_the_word_that_was_asked() -> None:
    index = FilledIndex()
    (by_alias,) = index.put("a.md", "ann got a clock as a present", entities=["person:ann"])
    (other,) = index.put("b.md", "somebody got a present")
    for i in range(20):
        index.put(f"c{i}.md", "nothing of it")
    named = named_entities(index.db, [mention("person:ann", "Annie")], None, 22)
    scores = keyword(index.db, parse_words("which present for Annie"), None, named=named).scores
    assert scores[by_alias] > scores[other]


SCORES = st.dictionaries(st.integers(1, 50), st.floats(1e-6, 1e6), max_size=20)


@given(SCORES)
def test_scaled_scores_lie_in_0_to_1_and_keep_their_order(scores: dict[int, float]) -> None:
    for scale in (by_greatest, by_range, by_magnitude):
        scaled = scale(scores)
        assert all(0 <= score <= 1 for score in scaled.values())
        ranked = sorted(scaled, key=lambda pk: scores[pk])
        assert [scaled[pk] for pk in ranked] == sorted(scaled.values())


def test_a_weak_signal_does_not_outvote_a_sure_one() -> None:
    """The exact fact that words found stays first, whatever order the weak side has."""
    words = by_greatest({1: 9.0, 2: 2.0, 3: 1.9})
    meaning = by_range({2: 0.31, 3: 0.30, 4: 0.29, 1: 0.28})
    fused = fuse({"keyword": words, "dense": meaning}, {"keyword": 1.0, "dense": 0.3})
    assert max(fused, key=lambda pk: fused[pk]) == 1


def test_a_silent_signal_changes_nothing() -> None:
    words = {1: 1.0, 2: 0.5}
    assert fuse({"keyword": words, "dense": {}}, {"keyword": 1.0, "dense": 0.3}) == words
    assert fuse({"keyword": words, "dense": {3: 1.0}}, {"keyword": 1.0, "dense": 0.0}) == words
    assert fuse({"keyword": {}}, {"keyword": 1.0}) == {}


def test_cosines_below_zero_are_no_signal() -> None:
    assert by_range({1: -0.1, 2: -0.5}) == {}
    assert by_range({1: 0.4}) == {1: 1.0}


def test_powers_of_ten() -> None:
    scaled = by_magnitude({1: 0.1, 2: 0.01, 3: 1e-9})
    assert scaled[1] == 1.0
    assert abs(scaled[2] - 2 / 3) < 1e-9
    assert 3 not in scaled
