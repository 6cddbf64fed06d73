"""What a question is asked of, and how: the objects and the parameters of one query."""

from __future__ import annotations

from dataclasses import dataclass, field

from vaultkeeper.errors import UsageError
from vaultkeeper.index.reads import Filters
from vaultkeeper.retrieval.corpus import Corpus as Corpus
from vaultkeeper.types import TimeWindow

MAX_LIMIT = 100
"""Source: BEHAVIOUR §9.5."""

MAX_QUESTION_CHARS = 100_000


@dataclass(frozen=True, slots=True)
class SearchParams:
    """Parameters of `search`; validated when made.

    Attributes:
        limit: 1..100.
        window: Time that a chunk must touch.
        sources: Tree scopes; empty means all.
        kinds: Kinds of notes; empty means all.
        tags: All of them must be on the note.
        folder: Only notes below it.

    Raises:
        UsageError: a value makes no sense.
    """

    query: str
    limit: int = 10
    window: TimeWindow = field(default_factory=TimeWindow)
    sources: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    folder: str = ""

    def __post_init__(self) -> None:
        if not self.query.strip():
            raise UsageError(reason="There is nothing to look for: the query is empty.")
        if len(self.query) > MAX_QUESTION_CHARS:
            raise UsageError(reason=f"The query is longer than {MAX_QUESTION_CHARS:,} characters.")
        if not 1 <= self.limit <= MAX_LIMIT:
            raise UsageError(reason=f"The limit must lie between 1 and {MAX_LIMIT}, not {self.limit}.")
        since, until = self.window.since, self.window.until
        if since and until and until < since:
            raise UsageError(reason=f"The time ends ({until:%Y-%m-%d}) before it begins ({since:%Y-%m-%d}).")

    @property
    def filters(self) -> Filters:
        """What the index is asked for."""
        return Filters(
            since_ms=None if self.window.since is None else _ms(self.window.since.timestamp()),
            until_ms=None if self.window.until is None else _ms(self.window.until.timestamp()),
            sources=self.sources,
            kinds=self.kinds,
            tags=self.tags,
            folder=self.folder.strip("/"),
        )


@dataclass(frozen=True, slots=True)
class AskParams(SearchParams):
    """Parameters of `ask`.

    Attributes:
        sentences: How many sentences are quoted at most, 1..10.
    """

    sentences: int = 3

    def __post_init__(self) -> None:
        SearchParams.__post_init__(self)
        if not 1 <= self.sentences <= 10:
            raise UsageError(
                reason=f"The number of sentences must lie between 1 and 10, not {self.sentences}."
            )


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
