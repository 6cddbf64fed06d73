"""JSON of answers and hits. `docs/schema.md` describes it; a change of meaning raises `SCHEMA`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from vaultkeeper.index.dates import rfc3339 as rfc3339
from vaultkeeper.present.shapes import Answer, Brief, Evidence, GraphView, NamedTime
from vaultkeeper.types import QueryResponse, RetrievalHit, TimeWindow

SCHEMA = 1


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
            "named": _named(answer.searched.named),
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
        "edited": evidence.edited,
        "snippet": evidence.snippet.text,
    }


def _window(window: TimeWindow) -> dict[str, str | None]:
    def moment(value: datetime | None) -> str | None:
        return None if value is None else rfc3339(round(value.timestamp() * 1000))

    return {"since": moment(window.since), "until": moment(window.until)}


def _named(named: NamedTime | None) -> dict[str, str | None] | None:
    return None if named is None else {"text": named.text, **_window(named.window), "by": named.by or None}


def cited_dict(response: QueryResponse, evidence: Sequence[Evidence]) -> dict[str, Any]:
    """Returns a response with the citations of its hits."""
    return {**response_dict(response), "citations": [_citation(one) for one in evidence]}


def rows_list(rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Returns named tuples as objects."""
    return [row._asdict() for row in rows]


def graph_dict(view: GraphView) -> dict[str, Any]:
    """Returns a graph: nodes, edges with their citations, and distances."""
    return {
        "schema": SCHEMA,
        "subject": view.subject,
        "nodes": [{"id": node.id, "name": node.name, "path": node.path or None} for node in view.nodes],
        "edges": [
            {
                "subject": edge.subject,
                "object": edge.object,
                "weight": edge.weight,
                "shared": [_citation(one) for one in edge.shared],
            }
            for edge in view.edges
        ],
        "distances": [{"a": a, "b": b, "hops": hops} for a, b, hops in view.distances],
    }


def brief_dict(brief: Brief) -> dict[str, Any]:
    """Returns a brief: its window, and for each source its hits and citations."""
    return {
        "schema": SCHEMA,
        **_window(brief.window),
        "sources": [
            {
                "source_id": part.scope,
                "name": part.name,
                "hits": [hit_dict(one.hit) for one in part.evidence],
                "citations": [_citation(one) for one in part.evidence],
                "omitted": part.omitted,
            }
            for part in brief.parts
        ],
        "total": brief.total,
    }
