"""Leaves out hits that say nothing: headings without a text, sentences that came with the vault, what is merely near.

Owns when such a hit is worth its place all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultkeeper.index.reads import fetch_leaves, fetch_properties
from vaultkeeper.memory.starter import is_starter_text
from vaultkeeper.present.snippet import make_snippet, property_line

if TYPE_CHECKING:
    from vaultkeeper.ask.gather import Gathered
    from vaultkeeper.index.db import Connection
    from vaultkeeper.index.reads import Leaf

Ranked = tuple[tuple[int, float], ...]

MOST_NEAR = 3
"""How many hits are shown that are only near in meaning. With static vectors more are not missed in a large vault
(recall@10 stays the same on all sets of `benchmarks/quality.py`), and would be most of what is shown in a small one."""

_MARKS = "-*+>|[] "
"""What is left of an item, a task or a quote that waits to be filled in."""


def drop_blanks(db: Connection, gathered: Gathered, limit: int) -> Ranked:
    """Returns the ranking without what says nothing among the first `limit`.

    A section without a text, or with embeds alone, stays when a word of the question stands in its own heading or in
    what is embedded. The first one speaks for its note: it also stays when a word or a name leads to the note, or when
    there are properties to show. What `init` wrote into a note stays when the note's name or its heading is asked for.
    """
    kept: dict[int, float] = {}
    rest = list(gathered.ranked)
    while rest and len(kept) < limit:
        some, rest = rest[: limit - len(kept)], rest[limit - len(kept) :]
        leaves = fetch_leaves(db, [pk for pk, _ in some])
        gone = {pk for pk, leaf in leaves.items() if not _is_telling(db, gathered, leaf)}
        kept.update((pk, score) for pk, score in some if pk not in gone)
    return (*kept.items(), *rest)


def drop_merely_near(gathered: Gathered) -> Ranked:
    """Returns the ranking with the best `MOST_NEAR` of those that nothing but nearness in meaning speaks for."""
    others = [scores for name, scores in gathered.signals.items() if name != "dense"]
    near = [pk for pk, _ in gathered.ranked if not any(scores.get(pk, 0.0) > 0 for scores in others)]
    gone = set(near[MOST_NEAR:])
    return tuple(one for one in gathered.ranked if one[0] not in gone)


def _is_telling(db: Connection, gathered: Gathered, leaf: Leaf) -> bool:
    starter = is_starter_text(leaf.path, leaf.body)
    if not starter and make_snippet(leaf.body, ()).text.strip(_MARKS):
        return True
    time = (
        "" if gathered.period is None else gathered.period.phrase.text
    )  # its words are of the time, not the matter
    words = [term.label for term in gathered.terms if leaf.chunk_pk in term.scores and term.label not in time]
    if leaf.seq or starter:
        if leaf.seq:  # the title says nothing of a section
            words = [word for word in words if not _stands_in([word], leaf.title)]
        name = leaf.anchor if leaf.seq else f"{leaf.title} {leaf.anchor}"
        return _stands_in(words, name if starter else f"{name} {leaf.body.replace('![', '[')}")
    led = any(gathered.signals[name].get(leaf.chunk_pk, 0.0) > 0 for name in ("entity", "graph"))
    return bool(words) or led or bool(property_line(fetch_properties(db, [leaf.note_pk])[leaf.note_pk]))


def _stands_in(words: list[str], text: str) -> bool:
    return bool(make_snippet(text, words, len(text) + 1).matches)
