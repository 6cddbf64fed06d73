"""What an answer consists of, before it becomes text or JSON."""

from __future__ import annotations

from dataclasses import dataclass

from vaultkeeper.present.snippet import Snippet
from vaultkeeper.types import RetrievalHit, TimeWindow


@dataclass(frozen=True, slots=True)
class Evidence:
    """A numbered hit, and how to get to it.

    Attributes:
        number: From 1.
        link: `[[note#heading]]`.
        url: `obsidian://open?…`.
        date: ISO day, or two days joined by `/`, in UTC.
        edited: True when nothing but the file's last change says the day.
    """

    number: int
    hit: RetrievalHit
    link: str
    url: str
    date: str
    snippet: Snippet
    edited: bool = False


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence that answers, word for word as it stands in the note.

    Attributes:
        text: A substring of the body of the hit that `number` names.
        number: Of the evidence.
    """

    text: str
    number: int


@dataclass(frozen=True, slots=True)
class NamedTime:
    """A time in a question: its words, what they mean, and the note that says so where an event is named."""

    text: str
    window: TimeWindow
    by: str = ""


@dataclass(frozen=True, slots=True)
class Searched:
    """What was looked through.

    Attributes:
        notes: Number of notes that could have been found.
        words: Words that were looked for.
        entities: Ids of the entities that the question names.
        window: Time that was looked at.
        barred: Filters that leave no note, as `(tag | folder | kind | source, value)`; `all` when only all of them
            together do.
        named: The time that the question names; None when it names none, or a window was given.
    """

    notes: int
    words: tuple[str, ...]
    entities: tuple[str, ...]
    window: TimeWindow
    barred: tuple[tuple[str, str], ...] = ()
    named: NamedTime | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question, or the list for a search (which has no quotes).

    Attributes:
        quotes: Best first; empty when nothing was found, or only what is near in meaning.
        near: Names that are spelt like a word of the question; only when no note has its words.
    """

    question: str
    quotes: tuple[Quote, ...]
    evidence: tuple[Evidence, ...]
    total: int
    truncated: bool
    route: str
    notes: tuple[str, ...]
    searched: Searched
    near: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphNode:
    """An entity in a graph. `path` is the note that declares it; empty when none does."""

    id: str
    name: str
    path: str


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """Two entities that occur together.

    Attributes:
        weight: Number of distinct leaves and summaries that name both.
        shared: The newest of them; only for edges of the subject.
    """

    subject: str
    object: str
    weight: int
    shared: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphView:
    """An entity with its neighbours.

    Attributes:
        nodes: The subject first, then the neighbours, most shared first.
        edges: Those of the subject first, in the order of the neighbours; then those among the neighbours.
        distances: `(a, b, hops)` of the entities that were asked for, nearest first.
    """

    subject: str
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    distances: tuple[tuple[str, str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class BriefPart:
    """What one source has in a window of time."""

    scope: str
    name: str
    evidence: tuple[Evidence, ...]
    omitted: int


@dataclass(frozen=True, slots=True)
class Brief:
    """A window of time, by source.

    Attributes:
        total: Hits before the limit.
    """

    window: TimeWindow
    parts: tuple[BriefPart, ...]
    total: int
