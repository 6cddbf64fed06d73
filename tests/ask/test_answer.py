from __future__ import annotations

import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.retrieval.filled import FilledIndex
from tests.retrieval.test_primitives import QUERY, vectors_with
from vaultkeeper.ask.answer import ask, search
from vaultkeeper.ask.params import AskParams, Corpus, SearchParams
from vaultkeeper.errors import ProviderError
from vaultkeeper.ports import Embedder
from vaultkeeper.present.jsonform import answer_dict
from vaultkeeper.types import Mention, TimeWindow

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
NOTES: list[tuple[str, tuple[str, ...] | tuple[tuple[str, str], ...], dict[str, object]]] = [
    (
        "Projects/Tide.md",
        (("Scope", "All 212 gauges of the coast section. ^scope"), ("Team", "Rafael leads the team now.")),
        {"day": "2026-03-01", "blocks": [("scope", 1)], "tags": ["project"]},
    ),
    ("Archive/Tide.md", ("The old plan had 12 gauges only.",), {"day": "2025-01-01"}),
    ("People/Rafael.md", ("Rafael lives in Tilburg with two greyhounds.",), {"day": "2026-02-01"}),
    ("日记/三月.md", ("今天开会决定项目三月五日上线。",), {"day": "2026-03-02"}),
    ("Copy of Rafael.md", ("Rafael lives in Tilburg with two greyhounds.",), {"day": "2026-02-01"}),
] + [
    (f"Other/{i}.md", (f"Something else that is number {i}, quite long.",), {"day": "2024-05-05"})
    for i in range(20)
]


def filled(offset: int = 0, seed: int | None = None) -> FilledIndex:
    index = FilledIndex(offset)
    notes = list(NOTES)
    if seed is not None:
        random.Random(seed).shuffle(notes)
    for path, sections, more in notes:
        index.put(path, *sections, **more)  # type: ignore[arg-type]
    return index


@pytest.fixture
def corpus() -> Corpus:
    return Corpus(filled().db, "V")


def test_an_answer_quotes_and_cites(corpus: Corpus) -> None:
    answer = ask(corpus, AskParams("How many gauges does the coast section have?"), NOW)
    assert answer.quotes[0].text == "All 212 gauges of the coast section."
    first = answer.evidence[answer.quotes[0].number - 1]
    assert first.link == "[[Projects/Tide#^scope]]"
    assert first.url == "obsidian://open?vault=V&file=Projects%2FTide%23%5Escope"
    assert (first.hit.note_path, first.hit.heading, first.hit.block) == ("Projects/Tide.md", "Scope", "scope")
    assert first.hit.topics == ("project",)
    assert first.date == "2026-03-01"
    assert "gauges" in first.hit.why.matched
    assert [evidence.number for evidence in answer.evidence] == list(range(1, len(answer.evidence) + 1))


def test_quotes_are_parts_of_the_notes(corpus: Corpus) -> None:
    for question in ("gauges", "Where does Rafael live?", "项目什么时候上线", "the plan", "something else"):
        answer = ask(corpus, AskParams(question, sentences=10), NOW)
        assert answer.quotes
        for quote in answer.quotes:
            assert quote.text in answer.evidence[quote.number - 1].hit.content


def test_two_hops(corpus: Corpus) -> None:
    answer = ask(corpus, AskParams("In which city does the one who leads the team of Tide live?"), NOW)
    assert "People/Rafael.md" in {e.hit.note_path for e in answer.evidence} | {"Copy of Rafael.md"}
    assert "graph" in answer.route


def test_copies_are_found_once(corpus: Corpus) -> None:
    answer = ask(corpus, AskParams("greyhounds in Tilburg"), NOW)
    contents = [evidence.hit.content for evidence in answer.evidence]
    assert len(contents) == len(set(contents))


def test_chinese(corpus: Corpus) -> None:
    answer = ask(corpus, AskParams("项目什么时候上线？"), NOW)
    assert answer.quotes[0].text == "今天开会决定项目三月五日上线。"
    assert answer.evidence[0].link == "[[三月]]"


def test_same_notes_give_same_bytes_whatever_their_history() -> None:
    """Row ids and the order in which notes came are not to be seen in any answer."""
    questions = [
        "gauges",
        "Where does Rafael live?",
        "Tide team Rafael",
        "项目上线",
        "something quite long",
        "number 3",
    ]
    for question in questions:
        answers = {
            json.dumps(
                answer_dict(ask(Corpus(filled(offset, seed).db, "V"), AskParams(question, limit=30), NOW))
            )
            for offset, seed in ((0, None), (70, 1), (500, 2))
        }
        assert len(answers) == 1, question


def test_window_and_filters_hold_everywhere(corpus: Corpus) -> None:
    since = datetime(2026, 2, 15, tzinfo=UTC)
    answer = ask(corpus, AskParams("Rafael gauges Tide plan", limit=50, window=TimeWindow(since=since)), NOW)
    assert {evidence.hit.note_path for evidence in answer.evidence} == {"Projects/Tide.md"}
    answer = ask(corpus, AskParams("Rafael gauges Tide plan", limit=50, folder="Archive"), NOW)
    assert {evidence.hit.note_path for evidence in answer.evidence} == {"Archive/Tide.md"}
    assert answer.searched.notes == 1


def test_limit_total_truncated(corpus: Corpus) -> None:
    answer = search(corpus, SearchParams("something", limit=5))
    assert (len(answer.evidence), answer.total, answer.truncated) == (5, 20, True)


def test_nothing_found(corpus: Corpus) -> None:
    answer = ask(corpus, AskParams("Raphael"), NOW)
    assert answer.evidence == ()
    assert answer.quotes == ()
    assert answer.route == "none"
    assert "Rafael" in answer.near
    assert answer.searched.words == ("Raphael",)
    assert answer.searched.notes == len(NOTES)


def test_a_phrase_that_is_nowhere_is_searched_by_its_words(corpus: Corpus) -> None:
    answer = search(corpus, SearchParams('"gauges 212"'))
    assert answer.notes == ("phrase_not_found",)
    assert answer.evidence
    assert search(corpus, SearchParams('"212 gauges"')).notes == ()


def test_a_phrase_must_occur_whatever_else_is_near(tmp_path: Path) -> None:
    near = vectors_with(tmp_path, {"The old plan had 12 gauges only.": 0.9})
    embedder: Embedder = Fixed()  # type: ignore[assignment]
    corpus = Corpus(filled().db, "V", vectors=near, embedder=lambda: embedder)
    found = search(corpus, SearchParams('"212 gauges"'))
    assert {evidence.hit.note_path for evidence in found.evidence} == {"Projects/Tide.md"}


def test_a_title_in_quotes_does_not_stop_the_walk(corpus: Corpus) -> None:
    """What the phrase leads to need not hold the phrase."""
    answer = ask(corpus, AskParams('Who lives where: the one in "leads the team"? Rafael?'), NOW)
    paths = {evidence.hit.note_path for evidence in answer.evidence}
    assert "Projects/Tide.md" in paths
    assert paths & {"People/Rafael.md", "Copy of Rafael.md"}


def test_entities_of_the_question_count() -> None:
    index = FilledIndex()
    index.put("a.md", "lindy got a clock", entities=["person:mara"])
    index.db.execute("INSERT INTO occurrences VALUES ('person:mara', 0, 1, 'lindy', 1)")
    for i in range(20):
        index.put(f"b{i}.md", "somebody got something")

    def mentions(text: str) -> list[Mention]:
        return [Mention("person:mara", "person", "Mara", 0, 4)] if "Mara" in text else []

    answer = ask(Corpus(index.db, "V", mentions=mentions), AskParams("What did Mara receive?"), NOW)
    assert answer.evidence[0].hit.note_path == "a.md"
    assert answer.evidence[0].hit.entities == ("person:mara",)
    assert answer.searched.entities == ("person:mara",)


class Fixed:
    fingerprint, dim, slow = "fixed", 2, False

    def embed(self, texts: Sequence[str]) -> object:
        return np.zeros((len(texts), 2), np.float32)

    def embed_query(self, text: str, rarity: object = None) -> object:
        return QUERY


def test_vectors_find_what_words_do_not(tmp_path: Path) -> None:
    index = filled()
    near = vectors_with(
        tmp_path,
        {"Rafael lives in Tilburg with two greyhounds.": 0.8, "The old plan had 12 gauges only.": 0.1},
    )
    embedder: Embedder = Fixed()  # type: ignore[assignment]
    corpus = Corpus(index.db, "V", vectors=near, embedder=lambda: embedder, pending=3)
    answer = ask(corpus, AskParams("dogs"), NOW)
    assert "Rafael" in answer.evidence[0].hit.content
    assert answer.quotes == ()  # nothing says that it is about dogs
    assert answer.notes == ("words_not_found", "vectors_pending")
    assert answer.route == "dense"
    assert ask(corpus, AskParams("Raphael"), NOW).near == ("Rafael", "Copy of Rafael")


def test_a_failing_embedder_is_no_reason_to_fail(tmp_path: Path) -> None:
    def broken() -> Embedder:
        raise ProviderError(kind="embedder", name="x", reason="gone", remedy="")

    corpus = Corpus(filled().db, "V", vectors=vectors_with(tmp_path, {}), embedder=broken)
    answer = ask(corpus, AskParams("gauges"), NOW)
    assert answer.evidence
    assert answer.notes == ("vectors_unavailable",)


def test_a_search_lists_only_what_has_the_words(corpus: Corpus) -> None:
    answer = search(corpus, SearchParams("gauges"))
    assert {e.hit.note_path for e in answer.evidence} == {"Projects/Tide.md", "Archive/Tide.md"}
    assert answer.quotes == ()


@pytest.mark.parametrize("question", ["c++", '"', "NOT", "\ud800 gauges", "a" * 50_000, "* * *", "🎉", "\0"])
def test_no_question_raises(corpus: Corpus, question: str) -> None:
    json.dumps(answer_dict(ask(corpus, AskParams(question), NOW)))


@pytest.mark.parametrize(
    ("filters", "barred"),
    [
        ({"tags": ("#books", "project")}, (("tag", "books"),)),
        ({"folder": "Nowhere/"}, (("folder", "Nowhere"),)),
        ({"kinds": ("turn", "nonsense")}, (("kind", "turn` or `nonsense"),)),
        ({"kinds": ("turn", "note")}, ()),
        (
            {"sources": ("notes:Nowhere",), "folder": "Nowhere"},
            (("folder", "Nowhere"), ("source", "notes:Nowhere")),
        ),
        ({"tags": ("project",), "folder": "Archive"}, (("all", "tag `project`, folder `Archive`"),)),
        ({"tags": ("project",)}, ()),
        ({"window": TimeWindow(since=datetime(2030, 1, 1, tzinfo=UTC))}, ()),
    ],
)
def test_filters_that_leave_nothing_are_named(
    corpus: Corpus, filters: dict[str, Any], barred: tuple[tuple[str, str], ...]
) -> None:
    for answer in (
        ask(corpus, AskParams("Raphael", **filters), NOW),
        search(corpus, SearchParams("Raphael", **filters)),
    ):
        assert answer.searched.barred == barred
        assert ("filters_leave_nothing" in answer.notes) == bool(barred)
        if barred:
            assert answer.evidence == answer.near == ()
