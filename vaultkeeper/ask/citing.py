"""Citations for hits of any mode: a wikilink, an address that opens it, its days, a snippet."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from vaultkeeper.index.reads import fetch_paths_keyed, fetch_undated
from vaultkeeper.present.links import obsidian_url, wikilink
from vaultkeeper.present.shapes import Evidence
from vaultkeeper.present.snippet import make_snippet
from vaultkeeper.vault.links import link_key

if TYPE_CHECKING:
    from vaultkeeper.retrieval.corpus import Corpus
    from vaultkeeper.types import RetrievalHit


def cite(corpus: Corpus, hits: Sequence[RetrievalHit], labels: Collection[str] = ()) -> tuple[Evidence, ...]:
    """Returns numbered evidence for hits, in their order.

    Args:
        labels: Words to mark in the snippets, beside those that a hit matched.
    """
    unique: dict[str, bool] = {}
    edited = fetch_undated(corpus.db, [hit.note_path for hit in hits])
    evidence = []
    for number, hit in enumerate(hits, 1):
        path = hit.note_path
        if path not in unique:
            unique[path] = len(fetch_paths_keyed(corpus.db, link_key(path))) <= 1
        where = tuple(hit.heading.split(" > "))[-1:] if hit.heading else ()
        first, last = hit.time_range_start[:10], hit.time_range_end[:10]
        evidence.append(
            Evidence(
                number=number,
                hit=hit,
                link=wikilink(path, unique[path], where, hit.block),
                url=obsidian_url(corpus.vault, path, where, hit.block),
                date=first if first == last else f"{first}/{last}",
                snippet=make_snippet(hit.content, tuple(dict.fromkeys([*hit.why.matched, *labels]))),
                edited=path in edited,
            )
        )
    return tuple(evidence)
