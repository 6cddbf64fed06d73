from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.retrieval.filled import FilledIndex
from vaultkeeper.ask.expected import expected
from vaultkeeper.ask.hops import STEP, find_hops
from vaultkeeper.index.reads import fetch_leaves
from vaultkeeper.present.snippet import stems

WEIGHTS = dict.fromkeys(sorted(stems("chairs club lives town")), 3.0)


@pytest.fixture
def index() -> FilledIndex:
    index = FilledIndex()
    index.put("Club.md", "The club meets on Mondays. [[Vera Holt]] chairs the club.")
    index.put("Vera Holt.md", "She lives in the town of Sneek.")
    index.put("Other.md", "Somebody else. See [[Vera Holt]].")
    return index


def hops(index: FilledIndex, question: str, *starts: str, own: Sequence[int] = ()) -> dict[str, float]:
    rows = index.db.execute(
        "SELECT n.path, c.chunk_pk FROM chunks AS c JOIN notes AS n USING(note_pk)"
    ).fetchall()
    pks = dict(rows)
    leaves = fetch_leaves(index.db, list(pks.values()))
    chosen = [leaves[pks[path]] for path in starts]
    found = find_hops(
        index.db,
        WEIGHTS,
        frozenset(),
        frozenset(own),
        question,
        expected(question),
        chosen,
        [1.0] * len(chosen),
    )
    return {leaves[pk].path: hop.score for pk, hop in found.items()}


def test_a_sentence_leads_to_the_note_of_whom_it_names(index: FilledIndex) -> None:
    found = hops(index, "In which town does the one who chairs the club live?", "Club.md")
    assert found.keys() == {"Vera Holt.md"}
    assert 0.5 < found["Vera Holt.md"] <= STEP


def test_a_sentence_without_the_words_leads_nowhere(index: FilledIndex) -> None:
    assert hops(index, "In which town does the one who chairs the club live?", "Other.md") == {}


def test_a_note_that_says_nothing_further_is_not_brought_up(index: FilledIndex) -> None:
    index.put("Vera Holt.md.md", "x")
    index.db.execute("UPDATE chunks SET body = 'Nothing to see.' WHERE title = 'Vera Holt'")
    assert hops(index, "What chairs the club?", "Club.md") == {}


def test_the_notes_of_the_entities_that_are_asked_about_are_no_step(index: FilledIndex) -> None:
    (own,) = index.db.execute("SELECT note_pk FROM notes WHERE path = 'Vera Holt.md'").fetchone()
    assert hops(index, "Who chairs the club where Vera lives in town?", "Club.md", own=[own]) == {}
