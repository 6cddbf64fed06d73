from __future__ import annotations

from tests.retrieval.filled import FilledIndex
from vaultkeeper.index.words import parse_words
from vaultkeeper.retrieval.entity import entity, named_entities
from vaultkeeper.retrieval.keyword import keyword
from vaultkeeper.types import Mention


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
