"""What a question is asked of: an opened index, with what helps to search it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vaultkeeper.types import Mention

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection
    from vaultkeeper.ports import Embedder, VectorSearch


def _no_mentions(text: str) -> Sequence[Mention]:
    return ()


@dataclass(frozen=True, slots=True)
class Corpus:
    """An index, opened for reading, with what helps to search it.

    Attributes:
        vault: Name of the vault, for `obsidian://` links.
        mentions: Finds registry entities in a text.
        vectors: None when there are none, or they are switched off.
        embedder: Made when vectors are asked, so that a process which needs none loads none.
        pending: Chunks that have no vector yet.
        sources: When not None, of the ingested sources only these may be seen; the user's own notes and the sessions
            always may. Source: BEHAVIOUR §9.6.
        notes: Remarks on the index as a whole, which every response carries: `index_stale`.
    """

    db: Connection
    vault: str
    mentions: Callable[[str], Sequence[Mention]] = _no_mentions
    vectors: VectorSearch | None = None
    embedder: Callable[[], Embedder] | None = None
    pending: int = 0
    sources: frozenset[str] | None = None
    notes: tuple[str, ...] = ()
