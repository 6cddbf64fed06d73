from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.retrieval.woods import Woods
from vaultkeeper.ask.answer import ask
from vaultkeeper.ask.params import AskParams
from vaultkeeper.types import RetrievalHit

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def listed(woods: Woods, question: str, limit: int = 10) -> list[str]:
    answer = ask(woods.corpus, AskParams(question, limit=limit), NOW)
    return [name_of(one.hit) for one in answer.evidence]


def name_of(hit: RetrievalHit) -> str:
    return "summary" if hit.node_kind == "summary" else hit.note_path.removesuffix(".md")


@pytest.fixture
def woods(tmp_path: Path) -> Woods:
    woods = Woods(tmp_path)
    woods.note("Log/a.md", "The heron came to the pond at dawn.", "2026-03-01T12:00:00Z")
    woods.note("Log/b.md", "The heron ate a frog. The pond froze.", "2026-03-02T12:00:00Z")
    woods.note("Log/c.md", "Repaired the fence behind the shed.", "2026-03-03T12:00:00Z")
    for number in range(9):
        woods.note(f"Other/{number}.md", f"Unrelated thing, number {number}.")
    woods.sync()
    children = [woods.leaf(f"Log/{name}.md") for name in "abc"]
    text = "The heron came to the pond; a fence was repaired."
    woods.summary(1, children, "2026-03-01T12:00:00Z", "2026-03-03T12:00:00Z", scope="notes:Log", text=text)
    woods.sync()
    return woods


def test_of_a_summary_and_one_of_its_leaves_the_leaf_stays(woods: Woods) -> None:
    assert listed(woods, "Where was the fence repaired?") == ["Log/c"]


def test_of_several_the_summary_stays_with_the_best(woods: Woods) -> None:
    found = listed(woods, "heron pond")
    assert "summary" in found
    assert len(found) < 3 or found.index("summary") == 2
    assert {"Log/a", "Log/b"} & set(found)


def test_a_summary_alone_stays(woods: Woods) -> None:
    assert listed(woods, "heron fence", limit=1) == ["summary"]


def test_children_that_are_named_by_links_count_too(woods: Woods) -> None:
    woods.note("Log/long.md", "# Long\n\n## Otters\n\nOtters swim.\n\n## Eels\n\nEels hide in the weir.")
    properties = "kind: summary\nlevel: 1\ntree_kind: source\ntree_scope: notes:Log\ntree_id: source:x\n"
    times = "time_range_start: 2026-03-01T00:00:00Z\ntime_range_end: 2026-03-01T23:59:59Z\n"
    links = 'children:\n  - "[[Log/long#Eels]]"\n'
    path = "wiki/summaries/source-notes-log/L1/summary-1772323200000-L1-0000000a.md"
    text = f"---\nid: summary:1772323200000:L1-0000000a\n{properties}{times}{links}---\n\nEels in the weir.\n"
    woods.bench.write(path, text)
    woods.sync()
    assert listed(woods, "Where do the eels hide?") == ["Log/long"]


def test_a_turn_stands_for_the_recap_of_its_conversation(woods: Woods) -> None:
    woods.bench.write(
        "episodic/oars/000000.md", "---\nrole: user\n---\nThe oars are in the loft of the mill.\n"
    )
    woods.bench.write("episodic/oars/000001.md", "---\nrole: user\n---\nThe sculls were sold.\n")
    recap = "User: The oars are in the loft of the mill. The sculls were sold.\n\n## Events\n\n- **fact** The sculls were sold.\n"
    head = "---\nid: seg-1\nsession_id: oars\nstart_seq: 0\nend_seq: 1\n---\n"
    woods.bench.write("wiki/segments/oars/000000.md", f"{head}\n{recap}")
    woods.sync()
    assert not [path for path in listed(woods, "Where are the oars?") if path.startswith("wiki/")]
    both = listed(woods, "oars sculls")
    assert sum(path.startswith("wiki/") for path in both) <= 1
