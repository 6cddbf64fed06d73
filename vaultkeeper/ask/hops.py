"""From a sentence that names somebody to that one's own note.

"Where does the one who leads Tidewater live?" is answered in two notes: one says who leads, and the other, of that one,
where. Owns which notes the best hits lead to, and what a step is worth: it must explain more of the question than the
hit that it starts from.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.ask.expected import Expected, fits
from vaultkeeper.index.reads import (
    Leaf,
    fetch_entity_chunks,
    fetch_leaves,
    fetch_notes_called,
    fetch_surfaces_in,
)
from vaultkeeper.present.sentences import find_sentences
from vaultkeeper.present.snippet import stems
from vaultkeeper.vault.links import link_key

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection

FROM = 8
"""Best hits that a step may start from."""

STEP = 0.95
"""What the end of a step is worth beside its start: it stands behind it."""

UNSAID = 0.8
"""The same for a note that has the kind of thing that is asked for, but no further word of the question."""

CLEAR = 0.2
"""Least share of the question that such a sentence itself must have."""

MOST = 3
"""Notes that are brought up."""

_LINK = re.compile(r"(?<!!)\[\[([^\[\]|#^\n\\]+)")


class Hop(NamedTuple):
    """A note that a hit leads to.

    Attributes:
        score: What its chunk is worth, beside the scores of the hits.
        words: Words of the question that the sentence has that leads there.
    """

    score: float
    words: frozenset[str]


class _Step(NamedTuple):
    """The best sentence that leads to a note: its hit's score, the share of the question that it has, and the words."""

    score: float
    share: float
    words: frozenset[str]


def find_hops(
    db: Connection,
    weights: Mapping[str, float],
    names: frozenset[str],
    own: frozenset[int],
    question: str,
    expects: Expected,
    leaves: Sequence[Leaf],
    scores: Sequence[float],
) -> dict[int, Hop]:
    """Returns the chunks that the best hits lead to, at most `MOST`, best first.

    Args:
        weights: Information of each stem of the question.
        names: Stems that name entities of the question: a step leads to somebody else.
        own: Notes that declare them; every sentence there is about them.
        leaves: The best hits, with their scores.
    """
    everything = sum(weights.values())
    if not everything or not leaves:
        return {}
    starts = leaves[:FROM]
    surfaces = fetch_surfaces_in(db, [leaf.chunk_pk for leaf in starts])
    chunks = fetch_entity_chunks(db, {entity for found in surfaces.values() for entity, _ in found})
    steps: dict[int, _Step] = {}
    for leaf, score in zip(starts, scores, strict=False):
        above = stems(f"{leaf.title} {leaf.heading}") & weights.keys()
        about = names & weights.keys() if leaf.note_pk in own else frozenset[str]()
        before: set[str] = set()
        for sentence in find_sentences(leaf.body):
            text = leaf.body[sentence.start : sentence.end]
            said = stems(text) & weights.keys()
            words = frozenset(said | before | above | about)
            before = said
            if not about and sum(weights[word] for word in said - names) < CLEAR * everything:
                continue
            share = sum(weights[word] for word in words) / everything
            for pk in _led_to(db, text, surfaces.get(leaf.chunk_pk, ()), chunks):
                if pk != leaf.chunk_pk and (
                    pk not in steps or score * share > steps[pk].score * steps[pk].share
                ):
                    steps[pk] = _Step(score, share, words)
    ends = fetch_leaves(db, list(steps))
    known = {leaf.note_pk for leaf in starts}
    hops: dict[int, Hop] = {}
    for pk, (score, share, words) in steps.items():
        leaf = ends[pk]
        if leaf.note_pk in own or stems(leaf.title) & names:
            continue
        further = sum(weights[word] for word in (stems(leaf.body) & weights.keys()) - words) / everything
        if further:
            hops[pk] = Hop(score * STEP * min(1.0, share + further + (1 - share) / 2), words)
        elif expects.described and fits(expects.kind, leaf.body, question):
            hops[pk] = Hop(score * UNSAID * min(1.0, share + (1 - share) / 2), words)
        elif expects.described and leaf.note_pk in known:
            hops[pk] = Hop(0.0, words)
    best = sorted(hops, key=lambda pk: (-round(hops[pk].score, 6), ends[pk].order))[:MOST]
    return {pk: Hop(round(hops[pk].score, 6), hops[pk].words) for pk in best}


def _led_to(
    db: Connection,
    text: str,
    surfaces: Sequence[tuple[str, str]],
    chunks: Mapping[str, tuple[int, ...]],
) -> list[int]:
    """The first chunks of the notes that a sentence links to, and of those of the entities that it names."""
    found: dict[int, None] = {}
    keys = {link_key(link[1].strip()) for link in _LINK.finditer(text)}
    if keys:
        for pks in fetch_notes_called(db, sorted(keys)).values():
            if len(pks) == 1:
                found[pks[0]] = None
    low = text.casefold()
    for entity_id, surface in surfaces:
        if surface.casefold() in low:
            found.update(dict.fromkeys(chunks.get(entity_id, ())))
    return list(found)
