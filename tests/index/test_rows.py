from __future__ import annotations

import json

import pytest

from vaultkeeper.index.rows import note_rows
from vaultkeeper.index.settings import IndexSettings
from vaultkeeper.index.sources import Place, identity_of, place_of
from vaultkeeper.vault.note import parse_note

SETTINGS = IndexSettings()


def context(path: str, text: str) -> list[str]:
    return [chunk[5] for chunk in note_rows(parse_note(path, text.encode()), 10**18, SETTINGS).chunks]


def test_the_context_holds_what_a_chunk_may_be_searched_by() -> None:
    text = (
        "---\ndate: 2026-03-09\naliases: [Sync, Standup]\ntags: [work/team]\nwho: ['[[Mara|M]]', Jonas]\n"
        "place: Room 5\nid: 0123456789abcdef\ntoken: 0123456789abcdef0123\nurl: https://example.org/x\nrating: 5\n---\n"
        "intro\n\n# A\n\ntext #later\n"
    )
    first, second = context("meetings/x.md", text)
    assert second == "2026-03-09 Monday 9 March week 11\nSync Standup"
    assert first == f"{second}\nwork/team later [[Mara|M]] Jonas Room 5"


def test_the_modification_time_is_not_searched_by() -> None:
    assert context("x.md", "text") == [""]


def test_the_context_is_short() -> None:
    text = "---\nabstract: " + "word " * 200 + "\nshort: yes please\n---\nbody"
    assert context("x.md", text) == ["\nyes please"]


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("a.md", Place("note", "notes:")),
        ("projects/deep/a.md", Place("note", "notes:projects")),
        ("MEMORY.md", Place("memory", "memory")),
        ("sub/MEMORY.md", Place("note", "notes:sub")),
        ("episodic/s1/000001.md", Place("turn", "episodic:s1")),
        ("episodic/readme.md", Place("note", "notes:episodic")),
        ("entities/person/a.md", Place("entity", "entities:person")),
        ("wiki/segments/s1/000001.md", Place("segment", "episodic:s1")),
        ("wiki/summaries/source-notes/L1/x.md", Place("summary", "summaries:notes")),
        ("wiki/page.md", Place("note", "notes:wiki")),
        ("profile/preference/tea.md", Place("facet", "profile:preference")),
        ("memory/work/x.md", Place("memory", "memory:work")),
        ("sources/document/paper/x.md", Place("document", "document:paper")),
        ("sources/x.md", Place("note", "notes:sources")),
    ],
)
def test_what_a_note_is_by_its_path(path: str, place: Place) -> None:
    assert place_of(path) == place


@pytest.mark.parametrize(
    ("properties", "identity"),
    [
        ({"id": "x1"}, "x1"),
        ({"id": 7}, "7"),
        ({"source_id": "s"}, "s"),
        ({"id": " "}, "p.md"),
        ({"id": True}, "p.md"),
        ({"id": []}, "p.md"),
        ({}, "p.md"),
    ],
)
def test_identity(properties: dict[str, object], identity: str) -> None:
    assert identity_of(properties, "p.md") == identity


def test_a_note_of_a_person_is_an_entity_wherever_it_lies() -> None:
    rows = note_rows(parse_note("friends/Mara.md", b"---\nKind: person\n---\n"), 0, SETTINGS)
    assert rows.entity is not None
    assert rows.columns[3] == "entity"
    assert rows.columns[4] == "notes:friends"


def test_columns_are_json() -> None:
    rows = note_rows(parse_note("a.md", "---\nx: ü\naliases: [a]\n---\n# H\n\nt ^b\n".encode()), 0, SETTINGS)
    aliases, headings, blocks, properties = (json.loads(str(column)) for column in rows.columns[9:13])
    assert (aliases, headings, blocks) == (["a"], [[1, "H", 5]], [["b", 7]])
    assert properties == {"x": "ü", "aliases": ["a"]}
