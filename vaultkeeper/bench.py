"""Measures a search over a list of questions: how long it takes, which way it goes, and how well it finds the answers.

Owns the file format of questions and the figures. What searches is given; nothing is printed here.

- recall@k: mean, over the questions with answers, of the share of their answers among the first k hits
- MRR: mean, over the same, of 1 / rank of the first hit that is an answer; 0 when none is
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from vaultkeeper.errors import UsageError, VaultkeeperError
from vaultkeeper.types import RetrievalHit

BUILT_IN = (
    "What did we decide last?",
    "What is still to be done this week?",
    "Who is working on what?",
    "What changed about the plan, and why?",
    "我们上次决定了什么？",
)
"""Asked when there is no file."""

_QUESTION_KEYS = ("query", "question", "text")
_ANSWER_KEYS = ("answers", "expected", "gold", "evidence")


class Query(NamedTuple):
    """A question, and the notes that answer it: paths, ids of nodes, or `path#heading`; none when nobody knows."""

    text: str
    answers: tuple[str, ...] = ()


class Found(NamedTuple):
    """What a search returned."""

    hits: Sequence[RetrievalHit]
    route: str


Search = Callable[[str, int], Found]
"""Searches for a text and returns so many hits at most."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one question went.

    Attributes:
        elapsed_ms: The median of its repetitions.
        error: Why it failed; None when it did not.
        recall: None without answers.
        rank: Of the first answer, from 1; None when there is none.
    """

    query: Query
    elapsed_ms: float
    route: str
    hits: int
    recall: float | None
    rank: int | None
    error: str | None = None

    @property
    def status(self) -> str:
        """`OK` or `FAIL`."""
        return "OK" if self.error is None else "FAIL"


class Report(NamedTuple):
    """All figures. Shares lie in 0..1; None where no question has answers, or every one failed."""

    queries: int
    failed: int
    judged: int
    k: int
    p50_ms: float | None
    p95_ms: float | None
    recall: float | None
    mrr: float | None
    routes: dict[str, int]


def parse_queries(text: str) -> list[Query]:
    r"""Reads questions: one a line, as plain text or as a JSON object; or one JSON list of either.

    An object has a question (`query`, `question` or `text`) and may have answers (`answers`, `expected`, `gold` or
    `evidence`: a text or a list of texts). Blank lines and lines that begin with `#` are left out.

    Raises:
        UsageError: a line is neither; names it. Or there is no question at all.
    """
    stripped = text.removeprefix("\ufeff").strip()
    if stripped.startswith("["):
        try:
            values: list[Any] = json.loads(stripped)
        except ValueError as error:
            raise UsageError(reason=f"The file of questions is no JSON: {error}.") from None
        found = [_query(value, at) for at, value in enumerate(values, 1)]
    else:
        found = [_query(_value(line, at), at) for at, line in _lines(stripped)]
    if not found:
        raise UsageError(reason="The file holds no question.")
    return found


def run(
    queries: Sequence[Query],
    search: Search,
    *,
    k: int = 10,
    repeat: int = 1,
    timer: Callable[[], float] = time.perf_counter,
) -> Iterator[Outcome]:
    """Asks each question and yields how it went, in order. A question that fails does not end the run.

    Args:
        k: Number of hits that are asked for and judged.
        repeat: How often each question is asked.
    """
    for query in queries:
        taken: list[float] = []
        found, error = Found((), "none"), None
        for _ in range(repeat):
            began = timer()
            try:
                found = search(query.text, k)
            except VaultkeeperError as failure:
                error = str(failure)
            except Exception as failure:  # a bug in one question must not hide how the others do
                error = f"{type(failure).__name__}: {failure}"
            taken.append(1000 * (timer() - began))
        recall, rank = _judge(query, found.hits[:k]) if error is None else (None, None)
        yield Outcome(query, percentile(taken, 50), found.route, len(found.hits), recall, rank, error)


def summarise(outcomes: Sequence[Outcome], k: int) -> Report:
    """Returns the figures of a run. A question that failed counts as not found, and not for the times."""
    times = [one.elapsed_ms for one in outcomes if one.error is None]
    judged = [one for one in outcomes if one.query.answers]
    recalls = [one.recall or 0.0 for one in judged]
    ranks = [1 / one.rank if one.rank else 0.0 for one in judged]
    routes = Counter(one.route for one in outcomes if one.error is None)
    return Report(
        queries=len(outcomes),
        failed=sum(one.error is not None for one in outcomes),
        judged=len(judged),
        k=k,
        p50_ms=percentile(times, 50) if times else None,
        p95_ms=percentile(times, 95) if times else None,
        recall=sum(recalls) / len(recalls) if recalls else None,
        mrr=sum(ranks) / len(ranks) if ranks else None,
        routes=dict(sorted(routes.items(), key=lambda item: (-item[1], item[0]))),
    )


def percentile(values: Sequence[float], percent: int) -> float:
    """Returns the smallest value that at least so many per cent do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def _judge(query: Query, hits: Sequence[RetrievalHit]) -> tuple[float | None, int | None]:
    if not query.answers:
        return None, None
    names = [_names(hit) for hit in hits]
    wanted = {_plain(answer) for answer in query.answers}
    seen = set().union(*names)
    ranks = [rank for rank, named in enumerate(names, 1) if named & wanted]
    return len(wanted & seen) / len(wanted), ranks[0] if ranks else None


def _names(hit: RetrievalHit) -> set[str]:
    path = _plain(hit.note_path)
    headings = hit.heading.split(" > ") if hit.heading else []
    names = {path, hit.node_id, *(f"{path}#{heading}" for heading in headings)}
    return names | {f"{path}#{hit.heading}"} | ({f"{path}#^{hit.block}"} if hit.block else set())


def _plain(answer: str) -> str:
    """An answer without the brackets of a wikilink, and without `.md`."""
    path, hash_, anchor = answer.strip().removeprefix("[[").removesuffix("]]").partition("#")
    return path.removesuffix(".md") + hash_ + anchor


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for at, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield at, line.strip()


def _value(line: str, at: int) -> object:
    if not line.startswith("{"):
        return line
    try:
        return json.loads(line)
    except ValueError as error:
        raise UsageError(reason=f"Line {at} of the questions is no JSON: {error}.") from None


def _query(value: object, at: int) -> Query:
    if isinstance(value, str) and value.strip():
        return Query(value.strip())
    if isinstance(value, dict):
        text = next((value[key] for key in _QUESTION_KEYS if isinstance(value.get(key), str)), "")
        answers: Any = next((value[key] for key in _ANSWER_KEYS if value.get(key)), [])
        answers = [answers] if isinstance(answers, str) else answers
        if text.strip() and isinstance(answers, list) and all(isinstance(one, str) for one in answers):
            return Query(text.strip(), tuple(dict.fromkeys(answers)))
    raise UsageError(reason=f"Question {at} has no text, or answers that are no texts.")
