"""The verbs that read trees and the graph: what `keeper` hands over to. None of them writes a note."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from vaultkeeper.errors import AmbiguousEntityError, EntityNotFoundError, SourceNotFoundError
from vaultkeeper.types import QueryResponse

if TYPE_CHECKING:
    from vaultkeeper.memory.registry import Registry
    from vaultkeeper.ports import Clock
    from vaultkeeper.present.shapes import Brief, Evidence, GraphView
    from vaultkeeper.retrieval.corpus import Corpus
    from vaultkeeper.retrieval.dispatch import Ingest, ModeCall, Result
    from vaultkeeper.retrieval.sources import SourceInfo
    from vaultkeeper.types import TimeWindow


@dataclass(frozen=True, slots=True)
class Modes:
    """See the module.

    Args:
        open_corpus: Opens the index for reading; raises NoIndexError when there is none.
        sources: When not None, the ingested sources that may be seen.
    """

    open_corpus: Callable[[], Corpus]
    open_registry: Callable[[], Registry]
    clock: Clock
    sources: frozenset[str] | None = None

    def _corpus(self) -> Corpus:
        corpus = self.open_corpus()
        return corpus if self.sources is None else replace(corpus, sources=self.sources)

    def memory_tree(self, arguments: Mapping[str, Any], ingest: Ingest | None = None) -> Result:
        """Checks a call of the tool and answers it; see `retrieval.dispatch.memory_tree`.

        Args:
            ingest: What writes a document; without it the tool cannot write, and has no such mode.

        Raises:
            UsageError: the call makes no sense; nothing has been opened then.
            NoIndexError: there is no index.
        """
        from vaultkeeper.retrieval.dispatch import read_call

        return self.run(read_call(arguments, writable=ingest is not None), ingest)

    def run(self, call: ModeCall, ingest: Ingest | None = None) -> Result:
        """Answers a checked call."""
        from vaultkeeper.retrieval.dispatch import run_call

        if call.mode == "ingest_document" and ingest is not None:
            return ingest(call.params)  # type: ignore[arg-type]
        corpus = self._corpus()
        result = run_call(corpus, call, self.clock(), ingest)
        if corpus.notes and isinstance(result, QueryResponse):
            return replace(result, notes=(*result.notes, *corpus.notes))
        return result

    def missing(self, node_ids: Sequence[str], *, leaves: bool = False) -> list[str]:
        """Returns those of some ids that no node has, or no leaf; what may not be seen is missing too."""
        from vaultkeeper.index.reads import fetch_leaves_by_id
        from vaultkeeper.index.trees import find_node
        from vaultkeeper.retrieval.sources import may_see

        corpus = self._corpus()
        seen = {
            leaf.chunk_id
            for leaf in fetch_leaves_by_id(corpus.db, list(node_ids))
            if may_see(leaf.source, corpus.sources)
        }
        for one in () if leaves else node_ids:
            node = find_node(corpus.db, one)
            if node is not None and may_see(node.scope, corpus.sources):
                seen.add(one)
        return [one for one in dict.fromkeys(node_ids) if one not in seen]

    def cite(self, response: QueryResponse) -> tuple[Evidence, ...]:
        """Returns the hits of a response with links that lead to them."""
        from vaultkeeper.ask.views import cite

        return cite(self._corpus(), response.hits)

    def list_sources(self, user_email_hint: str | None = None) -> tuple[SourceInfo, ...]:
        """Returns the sources, newest first."""
        from vaultkeeper.retrieval.params import ListSourcesParams
        from vaultkeeper.retrieval.sources import list_sources

        return list_sources(self._corpus(), ListSourcesParams(user_email_hint=user_email_hint))

    def newest_notes(self, limit: int) -> list[tuple[str, int]]:
        """Returns the user's newest notes; see `index.reports.fetch_newest_notes`."""
        from vaultkeeper.index.reports import fetch_newest_notes

        return fetch_newest_notes(self._corpus().db, limit)

    def brief(self, window: TimeWindow, *, source_id: str | None = None, limit: int = 0) -> Brief:
        """Returns what happened in a window, by source. An open end is now.

        Args:
            source_id: Only this source: its id, or the name that it is listed under.

        Raises:
            SourceNotFoundError: there is none of that id or name.
        """
        from vaultkeeper.ask.views import make_brief
        from vaultkeeper.retrieval.params import CoverWindowParams

        since = window.since or datetime(1, 1, 1, tzinfo=UTC)
        until = window.until or self.clock()
        corpus = self._corpus()
        source = None if source_id is None else self._source_id(corpus, source_id)
        params = CoverWindowParams(since_ms=_ms(since), until_ms=_ms(until), source_id=source, limit=limit)
        return make_brief(corpus, params, window)

    def _source_id(self, corpus: Corpus, name: str) -> str:
        from difflib import get_close_matches

        from vaultkeeper.retrieval.sources import choose

        if choose(corpus, name, None).scopes:
            return name
        listed = {source.display_name.casefold(): source.source_id for source in self.list_sources()}
        if name.strip().casefold() in listed:
            return listed[name.strip().casefold()]
        near = get_close_matches(name, [*listed, *listed.values()], n=3, cutoff=0.5)
        ids = ", ".join(dict.fromkeys(listed.get(one, one) for one in near))
        raise SourceNotFoundError(source=name, near=f"Did you mean {ids}?" if ids else "")

    def graph(self, names: Sequence[str], *, limit: int = 20, max_hops: int = 4) -> GraphView:
        """Returns the neighbours of the first entity, and how far those named are apart.

        Args:
            names: Ids or names; an id may be one that no note declares, such as `email:a@example.org`.

        Raises:
            EntityNotFoundError: nothing is called so.
            AmbiguousEntityError: several could be meant.
            NoIndexError: there is no index.
        """
        from vaultkeeper.ask.views import graph_view

        corpus = self._corpus()
        registry = self.open_registry()
        return graph_view(
            corpus, [self._entity_id(corpus, registry, name) for name in names], limit, max_hops
        )

    def _entity_id(self, corpus: Corpus, registry: Registry, name: str) -> str:
        from vaultkeeper.index.reads import count_occurrences
        from vaultkeeper.memory.resolve import resolve

        if count_occurrences(corpus.db, [name.strip()]):
            return name.strip()
        found = resolve(registry, name)
        if found.entity is not None:
            return found.entity.id
        ids = [candidate.entity.id for candidate in found.candidates]
        if found.status == "ambiguous":
            raise AmbiguousEntityError(name=name, candidates=" or ".join(ids), first=ids[0])
        near = f"Did you mean {' or '.join(ids[:3])}?" if ids else "`vaultkeeper entities TEXT` looks for it."
        raise EntityNotFoundError(name=name, near=near)


def _ms(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
