"""Turns ranked chunks into hits with citations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vaultkeeper.ask.gather import Gathered
from vaultkeeper.index.reads import (
    Leaf,
    count_paths_keyed,
    fetch_entities_of,
    fetch_headings,
    fetch_properties,
    fetch_source_refs,
    fetch_tags_of,
    fetch_undated,
)
from vaultkeeper.present.jsonform import rfc3339
from vaultkeeper.present.links import obsidian_url, wikilink
from vaultkeeper.present.shapes import Evidence
from vaultkeeper.present.snippet import Snippet, make_snippet, property_line
from vaultkeeper.types import RetrievalHit, Why
from vaultkeeper.vault.links import link_key

if TYPE_CHECKING:
    from vaultkeeper.ask.params import Corpus


def make_evidence(
    corpus: Corpus,
    gathered: Gathered,
    leaves: Sequence[Leaf],
    scores: Sequence[float],
    lines: Sequence[int | None],
) -> tuple[Evidence, ...]:
    """Returns numbered evidence for these leaves.

    Args:
        lines: For each leaf the line of the body, from 0, that is quoted; None when nothing of it is. The block that
            the line lies in is cited when it has an id.
    """
    db = corpus.db
    entities = fetch_entities_of(db, [leaf.chunk_pk for leaf in leaves])
    notes = [leaf.note_pk for leaf in leaves]
    tags, refs = fetch_tags_of(db, notes), fetch_source_refs(db, notes)
    headings = fetch_headings(db, notes)
    edited = fetch_undated(db, [leaf.path for leaf in leaves])
    called = count_paths_keyed(db, [link_key(leaf.path) for leaf in leaves])
    evidence: list[Evidence] = []
    for at, (leaf, score, line) in enumerate(zip(leaves, scores, lines, strict=True)):
        block = _block(leaf, line)
        unique = called[link_key(leaf.path)] <= 1
        where = _where(leaf, headings.get(leaf.note_pk, ()))
        matched = _matched(gathered, leaf, entities.get(leaf.chunk_pk, ()))
        hit = RetrievalHit(
            node_id=leaf.chunk_id,
            node_kind="summary" if leaf.kind == "summary" else "leaf",
            tree_id="",
            tree_kind="source",
            tree_scope=leaf.source,
            level=0,
            content=leaf.body,
            entities=entities.get(leaf.chunk_pk, ()),
            topics=tags.get(leaf.note_pk, ()),
            time_range_start=rfc3339(leaf.start_ms),
            time_range_end=rfc3339(leaf.end_ms),
            score=score,
            child_ids=(),
            source_ref=refs.get(leaf.note_pk),
            note_path=leaf.path,
            heading=leaf.heading,
            block=block,
            why=Why(
                {
                    name: round(found[leaf.chunk_pk], 4)
                    for name, found in gathered.signals.items()
                    if found.get(leaf.chunk_pk, 0.0) > 0
                },
                matched,
            ),
        )
        evidence.append(
            Evidence(
                number=at + 1,
                hit=hit,
                link=wikilink(leaf.path, unique, where, block),
                url=obsidian_url(corpus.vault, leaf.path, where, block),
                date=_date(hit.time_range_start[:10], hit.time_range_end[:10]),
                snippet=_snippet(corpus, leaf, matched),
                edited=leaf.path in edited,
            )
        )
    return tuple(evidence)


def _snippet(corpus: Corpus, leaf: Leaf, matched: Sequence[str]) -> Snippet:
    """A part of the body; of a note whose body says nothing, its properties."""
    snippet = make_snippet(leaf.body, matched)
    if snippet.text:
        return snippet
    properties = fetch_properties(corpus.db, [leaf.note_pk]).get(leaf.note_pk, {})
    return make_snippet(property_line(properties), matched)._replace(beside=True)


def _date(first: str, last: str) -> str:
    return first if first == last else f"{first}/{last}"


def _where(leaf: Leaf, headings: Sequence[str]) -> tuple[str, ...]:
    """The heading; with those above it where the note has it more than once; none at the note's own title."""
    if not leaf.anchor or (leaf.seq == 0 and leaf.anchor == leaf.title):
        return ()
    if headings.count(leaf.anchor) <= 1:
        return (leaf.anchor,)
    return tuple(leaf.heading.split(" > "))


def _block(leaf: Leaf, line: int | None) -> str:
    """The id of the block that a line of the body lies in; empty when the block has none."""
    if line is None:
        return ""
    lines = leaf.body.split("\n")
    ids = {at - leaf.line: name for name, at in leaf.blocks}
    for at in range(line, len(lines)):
        if at > line and not lines[at].strip():
            # An id may stand alone behind a blank line, for a table or a quote.
            following = ids.get(at + 1)
            alone = following is not None and lines[at + 1 : at + 2] == [f"^{following}"]
            return following if alone and following else ""
        if at > line and lines[at].lstrip().startswith(("- ", "* ", "+ ", "#")):
            return ""
        if at in ids:
            return ids[at]
    return ""


def _matched(gathered: Gathered, leaf: Leaf, entities: Sequence[str]) -> tuple[str, ...]:
    words = [term.label for term in gathered.terms if leaf.chunk_pk in term.scores]
    asked = [entity for entity in gathered.entity_ids if entity in entities]
    return tuple(dict.fromkeys([*words, *asked]))
