from __future__ import annotations

from tests.retrieval.filled import FilledIndex
from vaultkeeper.index.reads import fetch_leaves, fetch_positions
from vaultkeeper.index.words import parse_words
from vaultkeeper.retrieval.graph import COMMON, graph
from vaultkeeper.retrieval.primitives import keyword


def walk(index: FilledIndex, question: str, entities: tuple[str, ...] = ()) -> list[str]:
    found = keyword(index.db, parse_words(question), None)
    leaves = fetch_leaves(index.db, found.scores)
    seeds = sorted(
        ((leaves[pk], score) for pk, score in found.scores.items()), key=lambda s: (-s[1], s[0].order)
    )
    (count,) = index.db.execute("SELECT count(*) FROM chunks").fetchone()
    reached = graph(index.db, question, entities, seeds, count, found.positions).scores
    positions = fetch_positions(index.db, reached)
    return [positions[pk].path for pk in sorted(reached, key=lambda pk: (-reached[pk], positions[pk].order))]


def two_hops(offset: int = 0, backwards: bool = False) -> FilledIndex:
    index = FilledIndex(offset)
    notes = [
        ("Night Tide.md", "Night Tide is a film directed by Curtis Harrow."),
        ("Curtis Harrow.md", "He was born in Lisbon and grew up by the sea."),
        ("Day Tide.md", "A painting of a harbour by Nils Odd."),
        ("Cutting room.md", "A film is born in the editing room, where every director was born too."),
    ] + [(f"Other {i}.md", f"Some other words, number {i}.") for i in range(30)]
    for path, text in notes[::-1] if backwards else notes:
        index.put(path, text)
    return index


QUESTION = "Where was the director of Night Tide born?"


def test_the_walk_reaches_the_second_note() -> None:
    assert walk(two_hops(), QUESTION)[:2] == ["Night Tide.md", "Curtis Harrow.md"]


def test_the_walk_does_not_depend_on_row_ids() -> None:
    assert walk(two_hops(), QUESTION) == walk(two_hops(900, backwards=True), QUESTION)


def test_a_title_in_small_letters_is_a_name_too() -> None:
    assert walk(two_hops(), "where was the director of night tide born")[:2] == [
        "Night Tide.md",
        "Curtis Harrow.md",
    ]


def test_a_question_without_names_walks_nowhere() -> None:
    assert walk(two_hops(), "where is it cold at night?") == []


def test_a_common_name_leads_only_to_its_note() -> None:
    index = two_hops()
    for i in range(COMMON + 5):
        index.put(f"Mention {i}.md", f"Curtis Harrow again, {i}.")
    reached = walk(index, QUESTION)
    assert "Curtis Harrow.md" in reached[:2]
    assert not [path for path in reached[:3] if path.startswith("Mention")]


def test_registered_entities_lead_on_under_any_name() -> None:
    index = FilledIndex()
    index.put("a.md", "lindy proposed the new queue", entities=["person:lindy"])
    index.put("b.md", "lindy studied in Oslo", entities=["person:lindy"])
    for i in range(20):
        index.put(f"c{i}.md", "something else")
    assert set(walk(index, "what did she study, who proposed the queue", ("person:lindy",))[:2]) == {
        "a.md",
        "b.md",
    }


def test_a_title_that_many_notes_have_names_nothing() -> None:
    index = two_hops()
    for i in range(COMMON + 1):
        index.put(f"{i}/Readme.md", f"about folder {i}")
    assert walk(index, "What does Readme say?") == []
