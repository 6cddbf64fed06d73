"""The tool `memory_tree`: from a mode and its arguments to an answer.

Owns which modes there are. Whoever may write hands in what ingests a document; without that the mode is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from vaultkeeper.errors import UsageError
from vaultkeeper.retrieval.arguments import read_arguments
from vaultkeeper.retrieval.cover import cover_window
from vaultkeeper.retrieval.modes import (
    EntityMatch,
    drill_down,
    fetch_leaves,
    query_source,
    search_entities,
)
from vaultkeeper.retrieval.params import (
    MODES,
    CoverWindowParams,
    DrillDownParams,
    FetchLeavesParams,
    IngestDocumentParams,
    ModeParams,
    QuerySourceParams,
    SearchEntitiesParams,
    WalkParams,
)
from vaultkeeper.retrieval.walk import walk
from vaultkeeper.types import QueryResponse

if TYPE_CHECKING:
    from vaultkeeper.retrieval.corpus import Corpus

Ingest = Callable[[IngestDocumentParams], str]
"""Puts a document into the vault and says so in a sentence."""

Result = QueryResponse | tuple[EntityMatch, ...] | str


@dataclass(frozen=True, slots=True)
class ModeCall:
    """A checked call: its mode and parameters."""

    mode: str
    params: ModeParams


def available_modes(*, writable: bool) -> tuple[str, ...]:
    """Returns the modes; without the right to write there is no `ingest_document`."""
    return tuple(mode for mode in MODES if writable or mode != "ingest_document")


def read_call(arguments: object, *, writable: bool) -> ModeCall:
    """Checks a call before anything is opened.

    Raises:
        UsageError: no mode, an unknown one, or arguments that make no sense.
    """
    if not isinstance(arguments, Mapping):
        raise UsageError(reason="invalid arguments for memory_tree: they must be an object")
    mode = arguments.get("mode")
    if mode is None:
        raise UsageError(reason="memory_tree: `mode` is required")
    modes = available_modes(writable=writable)
    if mode not in modes:
        raise _unknown(mode if isinstance(mode, str) and len(mode) < 100 else type(mode).__name__, modes)
    return ModeCall(mode, read_arguments(MODES[mode], arguments, f"memory_tree_{mode}"))


def _unknown(mode: str, modes: tuple[str, ...]) -> UsageError:
    return UsageError(reason=f"memory_tree: unknown mode `{mode}`. Valid: {', '.join(modes)}")


def run_call(corpus: Corpus, call: ModeCall, now: datetime, ingest: Ingest | None = None) -> Result:
    """Answers a checked call.

    Same index and same parameters give the same bytes; so does the same `now` where days back, or words such as
    "yesterday", are among the parameters.
    """
    params: Any = call.params
    if isinstance(params, SearchEntitiesParams):
        return search_entities(corpus, params)
    if isinstance(params, QuerySourceParams):
        return query_source(corpus, params, now)
    if isinstance(params, DrillDownParams):
        return drill_down(corpus, params)
    if isinstance(params, CoverWindowParams):
        return cover_window(corpus, params)
    if isinstance(params, FetchLeavesParams):
        return fetch_leaves(corpus, params)
    if isinstance(params, WalkParams):
        return walk(corpus, params, now)
    if ingest is None:
        raise _unknown(call.mode, available_modes(writable=False))
    return ingest(params)


def memory_tree(
    corpus: Corpus, arguments: Mapping[str, Any], now: datetime, ingest: Ingest | None = None
) -> Result:
    """Checks a call and answers it.

    Args:
        ingest: None for a caller that must not write: then `ingest_document` is no mode.

    Raises:
        UsageError: see `read_call`.
    """
    return run_call(corpus, read_call(arguments, writable=ingest is not None), now, ingest)
