"""Kinds of entities and their canonical ids: `<kind>:<value>`.

Owns how a value becomes an id; knows no note and no registry.
"""

from __future__ import annotations

import unicodedata

MECHANICAL_KINDS = ("email", "url", "handle", "hashtag")
"""Kinds that the shape of a text gives away."""

SEMANTIC_KINDS = (
    "person",
    "organization",
    "location",
    "event",
    "product",
    "datetime",
    "technology",
    "artifact",
    "quantity",
    "misc",
    "topic",
)
"""Kinds that a registry note can have."""

KINDS = MECHANICAL_KINDS + SEMANTIC_KINDS

_SYNONYMS = {
    "people": "person",
    "persons": "person",
    "contact": "person",
    "contacts": "person",
    "organisation": "organization",
    "organisations": "organization",
    "organizations": "organization",
    "org": "organization",
    "orgs": "organization",
    "company": "organization",
    "companies": "organization",
    "team": "organization",
    "teams": "organization",
    "place": "location",
    "places": "location",
    "locations": "location",
    "events": "event",
    "products": "product",
    "tech": "technology",
    "technologies": "technology",
    "tool": "technology",
    "tools": "technology",
    "artifacts": "artifact",
    "artefact": "artifact",
    "artefacts": "artifact",
    "topics": "topic",
}


def semantic_kind(word: str) -> str | None:
    """The kind that a word means (`People` → `person`), or None."""
    folded = word.strip().lower()
    if folded in SEMANTIC_KINDS:
        return folded
    return _SYNONYMS.get(folded)


def canonical_id(kind: str, value: str) -> str:
    """Joins kind and value to the id that index and query agree on.

    The value is trimmed, composed (NFC), stripped of leading `@` and then `#`, inner white space becomes
    one blank, and all but a URL is lower-cased. Equal values of different kinds stay different
    (`hashtag:x`, `topic:x`).

    Source: BEHAVIOUR §7.5.
    """
    if not value.isascii():
        value = unicodedata.normalize("NFC", value)
    value = value.strip().lstrip("@").lstrip("#").strip()
    if kind != "url":
        value = " ".join(value.lower().split())
    return f"{kind}:{value}"


def split_id(text: str) -> tuple[str, str] | None:
    """Splits `<kind>:<value>` when it begins with a known kind and has a value, else None."""
    kind, colon, value = text.strip().partition(":")
    kind = kind.strip().lower()
    if colon and kind in KINDS and value.strip():
        return kind, value.strip()
    return None
