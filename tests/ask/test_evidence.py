from __future__ import annotations

import pytest

from tests.retrieval.filled import FilledIndex
from vaultkeeper.ask.evidence import make_evidence
from vaultkeeper.ask.gather import gather
from vaultkeeper.ask.params import Corpus, SearchParams
from vaultkeeper.index.reads import fetch_note_leaves
from vaultkeeper.present.shapes import Evidence

BODY = "First line.\n\n- item one ^one\n- item two\n  goes on ^two\n- item three\n\n| a |\n| b |\n\n^table"


def evidence_of(index: FilledIndex, path: str, seq: int = 0, line: int | None = None) -> Evidence:
    corpus = Corpus(index.db, "V")
    gathered = gather(corpus, SearchParams("item"), follow=False)
    leaf = fetch_note_leaves(index.db, path)[seq]
    return make_evidence(corpus, gathered, [leaf], [0.5], [line])[0]


@pytest.mark.parametrize(
    ("line", "block"),
    [(None, ""), (0, ""), (2, "one"), (3, "two"), (4, "two"), (5, ""), (7, "table"), (8, "table")],
)
def test_the_block_that_holds_the_quote_is_cited(line: int | None, block: str) -> None:
    index = FilledIndex()
    index.put("n.md", BODY, blocks=[("one", 3), ("two", 5), ("table", 11)])
    evidence = evidence_of(index, "n.md", line=line)
    assert evidence.hit.block == block
    assert evidence.link == (f"[[n#^{block}]]" if block else "[[n]]")


def test_a_name_that_is_there_twice_is_cited_by_its_path() -> None:
    index = FilledIndex()
    index.put("a/Plan.md", "item")
    index.put("b/plan.md", "item")
    index.put("b/Other.md", "item")
    assert evidence_of(index, "a/Plan.md").link == "[[a/Plan]]"
    assert evidence_of(index, "b/Other.md").link == "[[Other]]"


def test_a_heading_that_is_there_twice_is_cited_with_those_above() -> None:
    index = FilledIndex()
    index.put("n.md", ("May > Goals", "item"), ("June > Goals", "item"), ("June > Notes", "item"))
    index.db.execute('UPDATE notes SET headings = \'[[1,"May",1],[2,"Goals",2],[1,"June",3],[2,"Goals",4]]\'')
    assert evidence_of(index, "n.md", 1).link == "[[n#June#Goals]]"
    assert evidence_of(index, "n.md", 2).link == "[[n#Notes]]"


def test_where_a_document_came_from() -> None:
    index = FilledIndex()
    index.put("n.md", "item")
    index.db.execute("UPDATE notes SET properties = ?", ('{"source_ref": "https://example.org/a"}',))
    assert evidence_of(index, "n.md").hit.source_ref == "https://example.org/a"


@pytest.mark.parametrize("body", ["", "![[Movies.base#Favorites]]"])
def test_a_note_without_text_shows_its_properties(body: str) -> None:
    index = FilledIndex()
    index.put("Ran.md", body, context="rating 7 item")
    properties = (
        '{"rating": 7, "year": 1985, "seen": true, "by": ["[[Kurosawa]]", "item"], "none": null, "no": ""}'
    )
    index.db.execute("UPDATE notes SET properties = ?", (properties,))
    snippet = evidence_of(index, "Ran.md").snippet
    assert snippet.text == "rating: 7 · year: 1985 · seen: true · by: Kurosawa, item"
    assert [snippet.text[a:b] for a, b in snippet.matches] == ["item"]
    assert snippet.beside
