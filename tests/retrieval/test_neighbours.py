from __future__ import annotations

from tests.retrieval.filled import FilledIndex
from vaultkeeper.index.reads import fetch_positions
from vaultkeeper.retrieval.neighbours import ANSWERED, SECTION_DECAY, TURN_DECAY, TURN_REACH, spread


def session(index: FilledIndex, name: str, count: int) -> list[int]:
    return [
        index.put(
            f"episodic/{name}/{i:06}.md", f"Ann: turn {name} {i}", kind="turn", source=f"episodic:{name}"
        )[0]
        for i in range(count)
    ]


def test_a_word_counts_less_with_every_turn() -> None:
    index = FilledIndex()
    turns = session(index, "s", 9)
    scores = spread(index.db, [{turns[4]: 2.0}], fetch_positions(index.db, [turns[4]]))
    for distance in range(TURN_REACH + 1):
        expected = 2.0 * TURN_DECAY**distance
        assert abs(scores[turns[4 - distance]] - expected) < 1e-9
        assert abs(scores[turns[4 + distance]] - expected) < 1e-9
    assert len(scores) == 2 * TURN_REACH + 1


def test_the_turn_after_a_question_answers_it() -> None:
    index = FilledIndex()
    texts = ("Ben: Fine.", "Ann: Where did you swim?", "Ben: In the lake.", "Ben: It was cold.")
    turns = [
        index.put(f"episodic/s/{i:06}.md", text, kind="turn", source="episodic:s")[0]
        for i, text in enumerate(texts)
    ]
    scores = spread(index.db, [{turns[1]: 1.0}], fetch_positions(index.db, [turns[1]]))
    expected = [TURN_DECAY, 1.0, ANSWERED, ANSWERED * TURN_DECAY]
    assert all(abs(scores[pk] - score) < 1e-9 for pk, score in zip(turns, expected, strict=True))


def test_each_word_counts_once_where_it_stands_nearest() -> None:
    index = FilledIndex()
    turns = session(index, "s", 3)
    terms = [{turns[0]: 1.0, turns[1]: 1.0}, {turns[2]: 1.0}]
    scores = spread(index.db, terms, fetch_positions(index.db, turns))
    assert abs(scores[turns[1]] - (1.0 + TURN_DECAY)) < 1e-9


def test_sessions_do_not_touch() -> None:
    index = FilledIndex()
    first, second = session(index, "a", 2), session(index, "b", 2)
    scores = spread(index.db, [{first[1]: 1.0}], fetch_positions(index.db, [first[1]]))
    assert not set(scores) & set(second)


def test_sections_of_a_note_help_each_other_a_little() -> None:
    index = FilledIndex()
    sections = index.put("n.md", ("A", "one"), ("B", "two"), ("C", "three"))
    other = index.put("m.md", ("A", "one"))
    scores = spread(index.db, [{sections[0]: 1.0}], fetch_positions(index.db, [*sections, *other]))
    assert scores == {sections[0]: 1.0, sections[1]: SECTION_DECAY}
