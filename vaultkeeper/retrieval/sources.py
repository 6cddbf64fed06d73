"""What a source is called, of which kind it is, and which scopes a caller means and may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.index.sources import display_name as display_name
from vaultkeeper.index.trees import (
    fetch_leaves_of_source,
    fetch_scope_of_document,
    fetch_scopes,
    fetch_source_rows,
)
from vaultkeeper.memory.nodes import tree_scope_of
from vaultkeeper.vault.paths import slug

if TYPE_CHECKING:
    from vaultkeeper.retrieval.corpus import Corpus
    from vaultkeeper.retrieval.params import ListSourcesParams

_PLATFORMS = {
    "chat": "slack discord telegram whatsapp irc matrix mattermost lark signal imessage teams",
    "email": "gmail imap outlook fastmail protonmail",
    "document": "notion linear drive googledoc doc dropbox confluence",
}
_KINDS = {name: kind for kind, names in _PLATFORMS.items() for name in (kind, *names.split())} | {
    "conversations": "chat",
    "episodic": "chat",
}
_INGESTED = frozenset(_KINDS) - {"conversations", "episodic"}
_PROFILED = "mem_src:"


class SourceInfo(NamedTuple):
    """A source as `list_sources` shows it.

    Attributes:
        source_id: Its tree scope.
        most_recent_ms: End of its newest leaf.
    """

    source_id: str
    display_name: str
    source_kind: str
    chunk_count: int
    most_recent_ms: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which sources a call is about.

    Attributes:
        scopes: Tree scopes; None means all.
        leaves: When not None, only these leaves within them: a part of a tree, such as one session, is asked for.
    """

    scopes: tuple[str, ...] | None = None
    leaves: frozenset[int] | None = None


def source_kind_of(scope: str) -> str:
    """Returns `chat`, `email` or `document`; the user's own notes are documents. Source: BEHAVIOUR §9.2."""
    return _KINDS.get(scope.partition(":")[0].lower(), "document")


def may_see(scope: str, allowed: frozenset[str] | None) -> bool:
    """Tells whether an allow-list lets a scope through: only ingested sources are ever blocked."""
    if allowed is None:
        return True
    if scope.startswith(_PROFILED):
        return any(scope == name or scope.startswith(f"{_PROFILED}{name}:") for name in allowed)
    return scope.partition(":")[0].lower() not in _INGESTED or scope in allowed


def choose(corpus: Corpus, source_id: str | None, source_kind: str | None) -> Chosen:
    """Returns the sources that are meant: by id, else by kind, else all; and only those that may be seen.

    An id is a tree scope, a source within one (a session), or the `source_id` of an ingested document.
    """
    db = corpus.db
    if source_id is not None:
        wanted = source_id.strip()
        known = frozenset(fetch_scopes(db))
        scopes = [wanted] if wanted in known else list(fetch_scope_of_document(db, wanted))
        if not scopes:
            scopes = [scope for kind in _PLATFORMS if (scope := f"{kind}:{slug(wanted)}") in known and wanted]
        found = tuple(scope for scope in scopes if scope in known and may_see(scope, corpus.sources))
        if found:
            return Chosen(found)
        tree = tree_scope_of(wanted)
        if tree != wanted and tree in known:
            return Chosen((tree,), fetch_leaves_of_source(db, wanted))
        return Chosen(())
    if source_kind is None and corpus.sources is None:
        return Chosen()
    return Chosen(
        tuple(
            scope
            for scope in fetch_scopes(db)
            if (source_kind is None or source_kind_of(scope) == source_kind)
            and may_see(scope, corpus.sources)
        )
    )


def list_sources(corpus: Corpus, params: ListSourcesParams) -> tuple[SourceInfo, ...]:
    """Returns every source with leaves, newest first, then by id."""
    return tuple(
        SourceInfo(
            row.scope,
            display_name(row.scope, params.user_email_hint),
            source_kind_of(row.scope),
            row.leaves,
            row.newest_ms,
        )
        for row in fetch_source_rows(corpus.db)
        if may_see(row.scope, corpus.sources)
    )
