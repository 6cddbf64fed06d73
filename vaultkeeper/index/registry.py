"""The registry of entities as the index holds it, and what is wrong with ids that several notes share."""

from __future__ import annotations

import json
from collections.abc import Iterable

from vaultkeeper.index.db import Connection
from vaultkeeper.types import Entity, Handle, Problem


def names_of(entity: Entity) -> str:
    """The column `names` of an entity."""
    names = {
        "aliases": entity.aliases,
        "emails": entity.emails,
        "handles": entity.handles,
        "merged_ids": entity.merged_ids,
        "created_at": entity.created_at,
        "updated_at": entity.updated_at,
    }
    return json.dumps(names, ensure_ascii=False, separators=(",", ":"))


def load_entities(db: Connection) -> list[Entity]:
    """Returns every entity that a note declares, sorted by id and path; two notes may declare one id."""
    rows = db.execute(
        "SELECT entity_id, entities.kind, display_name, path, names FROM entities JOIN notes USING(note_pk)"
    )
    found = []
    for entity_id, kind, display_name, path, names in rows:
        told = json.loads(names)
        found.append(
            Entity(
                entity_id,
                kind,
                display_name,
                path,
                aliases=told["aliases"],
                emails=told["emails"],
                handles=[Handle(*handle) for handle in told["handles"]],
                created_at=told["created_at"],
                updated_at=told["updated_at"],
                merged_ids=told["merged_ids"],
            )
        )
    return sorted(found, key=lambda entity: (entity.id, entity.path))


def identity_problems(db: Connection, identities: Iterable[str] | None = None) -> list[Problem]:
    """Notes that share an `id`: what cites one of them could mean the other.

    Args:
        identities: Only these ids; None for all, which reads the whole index of ids.
    """
    if identities is None:
        shared = db.execute(
            "SELECT identity FROM notes GROUP BY identity HAVING count(*) > 1 ORDER BY identity"
        ).fetchall()
    else:
        shared = [(identity,) for identity in sorted(set(identities))]
    problems: list[Problem] = []
    for (identity,) in shared:
        paths = [
            path
            for (path,) in db.execute(
                "SELECT path FROM notes WHERE identity = ? AND kind <> 'entity' ORDER BY path", (identity,)
            )
        ]
        for path in paths if len(paths) > 1 else ():
            others = [other for other in paths if other != path]
            more = f" and {len(others) - 3} more" if len(others) > 3 else ""
            problems.append(
                Problem(
                    path,
                    None,
                    "id-duplicate",
                    f"The id {identity} is also that of {', '.join(others[:3])}{more}; give one of them another.",
                )
            )
    return problems
