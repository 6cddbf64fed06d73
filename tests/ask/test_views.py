from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.retrieval.woods import Woods, ms
from vaultkeeper.ask.views import cite, graph_view, make_brief
from vaultkeeper.present.jsonform import brief_dict, graph_dict
from vaultkeeper.present.page import brief_page, graph_page, hits_page, plain_text
from vaultkeeper.retrieval.params import CoverWindowParams
from vaultkeeper.types import TimeWindow

WINDOW = TimeWindow(datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 31, tzinfo=UTC))


@pytest.fixture
def wood(tmp_path: Path) -> Iterator[Woods]:
    woods = Woods(tmp_path)
    woods.person("mara", "Mara")
    woods.person("jonas", "Jonas")
    woods.note(
        "Projects/A.md",
        "## Boiler\nMara and Jonas repaired the **boiler** with care.",
        "2026-01-02T12:00:00Z",
    )
    woods.note("Projects/B.md", "The tides of the sea were measured.", "2026-01-03T12:00:00Z")
    woods.note("episodic/s1/000000.md", "We talked about bread for a long while.", "2026-01-04T12:00:00Z")
    woods.sync()
    leaves = [woods.leaf("Projects/B.md")]
    woods.summary(1, leaves, "2026-01-03T12:00:00", "2026-01-03T12:00:00", text="Tides were measured.")
    woods.sync()
    yield woods
    woods.bench.db.close()


def test_a_brief_tells_by_source_with_links(wood: Woods) -> None:
    params = CoverWindowParams(since_ms=ms("2026-01-01"), until_ms=ms("2026-01-31"))
    brief = make_brief(wood.corpus, params, WINDOW)
    text = plain_text(brief_page(brief))
    assert text.splitlines() == [
        "# 2026-01-01 00:00 UTC to 2026-01-31 00:00 UTC",
        "",
        "## Conversations",
        "",
        "- 2026-01-04 We talked about bread for a long while. — [[episodic/s1/000000]]",
        "",
        "## Projects",
        "",
        "- 2026-01-02 Mara and Jonas repaired the boiler with care. — [[A#Boiler]]",
        "- 2026-01-03 Tides were measured. — [[summary-1767441600000-L1-00000001]]",
    ]
    told = brief_dict(brief)
    assert [part["source_id"] for part in told["sources"]] == ["conversations:agent", "notes:Projects"]
    assert told["total"] == 3


def test_a_brief_tells_a_note_and_a_conversation_in_one_place(tmp_path: Path) -> None:
    woods = Woods(tmp_path)
    sections = "".join(
        f"## Part {n}\n\n- item {n} of the long list of what was planned\n- [x] the part {n} that is done already\n\n"
        for n in range(5)
    )
    woods.note("Projects/Long.md", sections, "2026-01-02T12:00:00Z")
    table = "| part | price |\n| --- | --- |\n| load cell | 31 |\n| [[frame\\|Frame]] | 27 |"
    woods.note("Projects/Table.md", table, "2026-01-03T12:00:00Z")
    for turn in range(4):
        woods.note(
            f"episodic/s1/{turn:06}.md",
            f"We talked about bread for a long while, part {turn}.",
            "2026-01-04T12:00:00Z",
        )
    woods.sync()
    params = CoverWindowParams(since_ms=ms("2026-01-01"), until_ms=ms("2026-01-31"))
    page = plain_text(brief_page(make_brief(woods.corpus, params, WINDOW)))
    woods.bench.db.close()
    assert (
        "- 2026-01-02 Long (5 sections)\n  - item 0 of the long list of what was planned · the part 0 that is done already — [[Long#Part 0]]\n"
        in page
    )
    assert page.index("Part 0") < page.index("Part 1") < page.index("Part 2")
    assert "  - … and 2 more\n" in page
    assert "- 2026-01-03 load cell, 31 · Frame, 27 — [[Table]]\n" in page
    assert "- 2026-01-04 s1 (4 turns)\n" in page
    assert "|" not in page


def test_a_brief_says_what_it_leaves_out(wood: Woods) -> None:
    params = CoverWindowParams(since_ms=ms("2026-01-01"), until_ms=ms("2026-01-31"), limit=1)
    brief = make_brief(wood.corpus, params, WINDOW)
    assert [(part.name, len(part.evidence), part.omitted) for part in brief.parts] == [
        ("Conversations", 1, 0), ("Projects", 0, 2),
    ]  # fmt: skip
    assert "… and 2 more" in plain_text(brief_page(brief))


def test_an_empty_window_says_so(wood: Woods) -> None:
    params = CoverWindowParams(since_ms=1, until_ms=2)
    assert "Nothing happened" in plain_text(brief_page(make_brief(wood.corpus, params, WINDOW)))


def test_hits_are_listed_with_citations_and_remarks(wood: Woods) -> None:
    response = wood.call("walk", query="Mara and Jonas in January")
    page = plain_text(hits_page(response, cite(wood.corpus, response.hits), why=True))
    assert "[1] [[A#Boiler]]  2026-01-02  leaf" in page
    assert "(person:mara, person:jonas)" in page
    assert "Only what was from 2026-01-01 to 2026-01-31" in page
    assert plain_text(hits_page(wood.call("walk", query="zzz"), ())) == "Nothing found.\n"


def test_a_graph_cites_what_is_shared(wood: Woods) -> None:
    view = graph_view(wood.corpus, ["person:mara", "person:jonas"], 10, 3)
    page = plain_text(graph_page(view))
    assert page.splitlines()[:3] == [
        "Mara  person:mara",
        "Jonas and Mara: 1 hop",
        "    1  Jonas  person:jonas",
    ]
    assert "[[A#Boiler]]" in page
    told = graph_dict(view)
    assert told["nodes"][0] == {"id": "person:mara", "name": "Mara", "path": "entities/person/mara.md"}
    assert told["distances"] == [{"a": "person:jonas", "b": "person:mara", "hops": 1}]
