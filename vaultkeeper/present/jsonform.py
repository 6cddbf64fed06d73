"""JSON of answers and hits. `docs/schema.md` describes it; a change of meaning raises `SCHEMA`."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

from vaultkeeper.present.shapes import Answer, Evidence
from vaultkeeper.types import QueryResponse, RetrievalHit, TimeWindow

SCHEMA = 1


def rfc3339(ms: int) -> str:
    """Returns Unix milliseconds as RFC 3339 in UTC; years that no calendar has are clamped."""
    seconds, rest = divmod(ms, 1000)
    seconds = min(max(seconds, -62135596800), 253402300799)
    moment = datetime.fromtimestamp(0, UTC).timestamp()
    text = datetime.fromtimestamp(moment + seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")
    return f"{text}.{rest:03}Z" if rest else f"{text}Z"


def hit_dict(hit: RetrievalHit) -> dict[str, Any]:
    """Returns a hit with the fields of `RetrievalHit` in their order."""
    row = {field.name: getattr(hit, field.name) for field in fields(hit)}
    row["why"] = {"signals": dict(hit.why.signals), "matched": list(hit.why.matched)}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in row.items()}


def response_dict(response: QueryResponse) -> dict[str, Any]:
    """Returns a response: `schema`, then the fields of `QueryResponse` in their order."""
    return {
        "schema": SCHEMA,
        "hits": [hit_dict(hit) for hit in response.hits],
        "total": response.total,
        "truncated": response.truncated,
        "route": response.route,
        "notes": list(response.notes),
    }


def answer_dict(answer: Answer) -> dict[str, Any]:
    """Returns an answer: a response with the question, the quotes, citations, and what was searched."""
    response = response_dict(as_response(answer))
    return {
        "schema": response.pop("schema"),
        "question": answer.question,
        "quotes": [{"text": quote.text, "number": quote.number} for quote in answer.quotes],
        **response,
        "citations": [_citation(evidence) for evidence in answer.evidence],
        "searched": {
            "notes": answer.searched.notes,
            "words": list(answer.searched.words),
            "entities": list(answer.searched.entities),
            **_window(answer.searched.window),
        },
        "near": list(answer.near),
    }


def as_response(answer: Answer) -> QueryResponse:
    """Returns the hits of an answer in the shape that every mode returns."""
    hits = tuple(evidence.hit for evidence in answer.evidence)
    return QueryResponse(hits, answer.total, answer.truncated, answer.route, answer.notes)


def _citation(evidence: Evidence) -> dict[str, Any]:
    return {
        "number": evidence.number,
        "node_id": evidence.hit.node_id,
        "link": evidence.link,
        "url": evidence.url,
        "date": evidence.date,
        "snippet": evidence.snippet.text,
    }


def _window(window: TimeWindow) -> dict[str, str | None]:
    def moment(value: datetime | None) -> str | None:
        return None if value is None else rfc3339(round(value.timestamp() * 1000))

    return {"since": moment(window.since), "until": moment(window.until)}
