from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.memory.nodes import (
    Attributed,
    Evidence,
    SummaryNode,
    body_hash,
    format_ms,
    leaf_target,
    link_target,
    node_id,
    node_path,
    parse_ms,
    render_link,
    render_summary,
    summary_from_note,
    tree_id_of,
    tree_scope_of,
)
from vaultkeeper.vault.note import parse_note

SAMPLE = Path(__file__).parents[2] / "sample_vault"


def node(**changes: object) -> SummaryNode:
    values: dict[str, object] = {
        "id": "summary:1772000000123:L1-0123abcd",
        "tree_id": tree_id_of("notes:A b"),
        "tree_kind": "source",
        "tree_scope": "notes:A b",
        "level": 1,
        "child_ids": ("a" * 32, "12345678901234567890123456789012"),
        "children": ("A b/Note#Heading", "A b/Other"),
        "marks": ("01234567", "89abcdef"),
        "time_range_start_ms": 1_771_000_000_123,
        "time_range_end_ms": 1_772_000_000_123,
        "entities": ("person:mara",),
        "topics": ("bees",),
        "score": 0.7083,
        "sealed_at": "2026-03-01T00:00:00Z",
        "text": "Mara glued the frame.\nIt held.",
    }
    values.update(changes)
    return SummaryNode(**values)  # type: ignore[arg-type]


SAYS = [
    Attributed("Mara glued the frame.", "[[A b/Note#Heading|Note › Heading]]"),
    Attributed("It held.", "[[A b/Other]]"),
]
SHOWS = [Evidence("[[A b/Note#Heading|Note › Heading]]", "2026-03-01"), Evidence("[[A b/Other]]")]


def read(data: bytes, path: str = "wiki/summaries/source-notes-a-b/L1/s.md") -> SummaryNode | None:
    return summary_from_note(parse_note(path, data))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"superseded": True, "stale": True},
        {"doc_id": "root: releases", "version_ms": 5},
        {"parent": "summary-1-L2-x", "level": 3},
        {"child_ids": (), "marks": (), "entities": (), "topics": ()},
    ],
)
def test_a_node_is_read_as_it_was_written(changes: dict[str, object]) -> None:
    written = node(**changes)
    data = render_summary(written, SAYS, SHOWS, version="0.1.0")
    found = read(data)
    assert found is not None
    body = data.decode().partition("\n---\n")[2]
    assert found.body_sha256 == body_hash(body)
    for name in ("path", "body_sha256"):
        object.__setattr__(found, name, "")
    assert found == written


def test_the_note_is_readable_in_obsidian() -> None:
    text = render_summary(node(parent="up"), SAYS, SHOWS, version="0.1.0", tags=["person/Mara"]).decode()
    note = parse_note("wiki/summaries/source-notes-a-b/L1/s.md", text.encode())
    assert note.frontmatter == "ok"
    assert note.problems == []
    assert [link.target for link in note.links if link.kind == "property"] == ["A b/Note", "A b/Other", "up"]
    assert note.callouts == ["quote"]
    assert "> [!quote]- Evidence (2)" in text
    assert note.tags == ["source/notes-a-b", "level/L1", "person/Mara"]
    assert note.aliases == ["L1 · notes:A b · 2 children · 2026-02-13–2026-02-25"]
    assert note.headings[0].text == note.aliases[0]


def test_summaries_of_the_sample_vault_are_nodes_whose_children_are_links() -> None:
    found = [
        summary_from_note(parse_note(str(path.relative_to(SAMPLE)), path.read_bytes()))
        for path in sorted(SAMPLE.glob("wiki/summaries/**/*.md"))
    ]
    assert found
    for each in found:
        assert each is not None
        assert each.children
        assert each.child_ids == ()
        assert each.text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---\nkind: summary\n---\n",
        "---\nid: x\nkind: summary\nlevel: -1\n---\n",
        "---\nid: [a]\nkind: summary\n---",
        "---\nbad: [\n---",
    ],
)
def test_a_note_that_is_no_node_gives_none(text: str) -> None:
    assert read(text.encode()) is None


def test_a_note_elsewhere_is_no_node() -> None:
    assert read(render_summary(node(), SAYS, SHOWS, version="1"), "Projects/s.md") is None


@given(st.integers(-62_135_596_800_000, 253_402_300_799_999))
def test_times_survive_to_the_millisecond(ms: int) -> None:
    assert parse_ms(format_ms(ms)) == ms


@given(st.one_of(st.text(), st.integers(), st.none(), st.lists(st.text())))
def test_no_value_of_a_property_makes_reading_fail(value: object) -> None:
    note = parse_note("wiki/summaries/source-x/L1/s.md", render_summary(node(), SAYS, SHOWS, version="1"))
    for key in list(note.properties):
        kept = note.properties[key]
        note.properties[key] = value
        summary_from_note(note)
        note.properties[key] = kept


def test_the_same_children_give_the_same_id_and_other_ones_another() -> None:
    first = node_id(5, 1, "source:t", ["a", "b"])
    assert first == node_id(5, 1, "source:t", ["a", "b"])
    others = [
        node_id(5, 1, "source:t", ["ab"]),
        node_id(5, 2, "source:t", ["a", "b"]),
        node_id(5, 1, "source:u", ["a", "b"]),
    ]
    assert len({first, *others}) == 4
    assert first.startswith("summary:0000000000005:L1-")
    assert (
        node_path("notes:A b", 1, first) == f"wiki/summaries/source-notes-a-b/L1/{first.replace(':', '-')}.md"
    )


@pytest.mark.parametrize(
    "path",
    ["A b/Note.md", "a#b.md", "x|y/[z].md", "50%.md", "笔记/日记.md", "a^b.md", "dir.md/n.md", "%23.md"],
)
@pytest.mark.parametrize("anchor", ["", "Heading", "Why: the #1 [x] | y", "标题", "C^2"])
def test_a_link_to_a_leaf_comes_back_and_holds_no_second_link(path: str, anchor: str) -> None:
    target = leaf_target(path, anchor)
    for label in ("", "Note › a | [b]"):
        link = render_link(target, label)
        note = parse_note("n.md", f"{link}\n".encode())
        assert len(note.links) == 1
        if path != "%23.md":
            assert link_target(link) == target
            if "#" not in path:  # Obsidian has no link to such a note; child_ids decide
                assert note.links[0].target.removesuffix(".md") == path.removesuffix(".md")


def test_all_sessions_share_one_tree() -> None:
    assert tree_scope_of("episodic:x") == "conversations:agent"
    assert tree_scope_of("notes:Daily") == "notes:Daily"
