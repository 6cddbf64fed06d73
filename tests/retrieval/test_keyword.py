from __future__ import annotations

from tests.retrieval.filled import FilledIndex
from vaultkeeper.index.words import parse_words
from vaultkeeper.retrieval.keyword import keyword


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
