from __future__ import annotations

from tests.retrieval.filled import FilledIndex
from vaultkeeper.ask.misses import near_names


def test_misspelt_names_are_suggested() -> None:
    index = FilledIndex()
    index.put("Budget 2026.md", "x")
    index.put("entities/person/mara.md", "x", kind="entity")
    index.register("person:mara", "entities/person/mara.md", "Mara Lindqvist", ["Lindy"])
    assert near_names(index.db, ("Lindqwist",))[0] == "Mara Lindqvist"
    assert near_names(index.db, ("bugdet",))[0] == "Budget 2026"
    assert near_names(index.db, ("Lindi",))[0] == "Lindy"
    assert near_names(index.db, ("xylophone", "a")) == ()


def test_what_only_shares_some_letters_is_no_suggestion() -> None:
    index = FilledIndex()
    index.put("Boat Marlene.md", "x")
    assert near_names(index.db, ("airline",)) == ()
    assert near_names(index.db, ("Marlen",)) == ("Boat Marlene",)
