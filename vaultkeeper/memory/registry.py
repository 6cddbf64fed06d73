"""The registry: all entities that the notes of a vault declare.

Owns exact lookup by id and by name, and says what is contradictory. Names that are only similar are
`memory.resolve`'s.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

from vaultkeeper.memory.canonical import canonical_id, split_id
from vaultkeeper.types import Entity, Problem


def fold_name(name: str) -> str:
    """What spellings of a name have in common: composed letters, lower case, single blanks, straight quotes."""
    if not name.isascii():
        name = unicodedata.normalize("NFC", name).replace("’", "'")
    return " ".join(name.lower().split())


def names_of(entity: Entity) -> Iterator[str]:
    """Everything that an entity is called, in the order of lookup: aliases, e-mails, handles, display name."""
    yield from entity.aliases
    yield from entity.emails
    for handle in entity.handles:
        yield handle.value
    yield entity.display_name


class Registry:
    """Entities in the order of their ids (and of their paths, where two notes declare one id)."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self.entities: tuple[Entity, ...] = tuple(
            sorted(entities, key=lambda entity: (entity.id, entity.path))
        )
        self._by_id: dict[str, list[Entity]] = {}
        self._merged: dict[str, Entity] = {}
        self._by_name: dict[str, list[Entity]] = {}
        for entity in self.entities:
            self._by_id.setdefault(entity.id, []).append(entity)
            for name in names_of(entity):
                owners = self._by_name.setdefault(fold_name(name), [])
                if not owners or owners[-1] is not entity:
                    owners.append(entity)
        for entity in self.entities:
            for old in entity.merged_ids:
                self._merged.setdefault(old, entity)

    def __len__(self) -> int:
        return len(self.entities)

    def __iter__(self) -> Iterator[Entity]:
        return iter(self.entities)

    def find(self, entity_id: str) -> Entity | None:
        """The entity with an id, in any case, or the one that it was merged into; None when there is none."""
        parts = split_id(entity_id)
        if parts is None:
            return None
        key = canonical_id(*parts)
        owners = self._by_id.get(key)
        return owners[0] if owners else self._merged.get(key)

    def entities_of(self, kind: str | None = None) -> tuple[Entity, ...]:
        """All entities, or those of a kind, by id."""
        return tuple(entity for entity in self.entities if kind is None or entity.kind == kind)

    def find_named(self, name: str, kind: str | None = None) -> tuple[Entity, ...]:
        """Every entity that has exactly this name, e-mail address or handle without regard to case; one a id, by id."""
        folded = fold_name(name)
        found: dict[str, Entity] = {}
        for key in (folded, folded.lstrip("@")):
            for entity in self._by_name.get(key, ()):
                if kind is None or entity.kind == kind:
                    found.setdefault(entity.id, entity)
        return tuple(found[entity_id] for entity_id in sorted(found))

    def lookup_alias(self, kind: str | None, needle: str) -> Entity | None:
        """The first entity, by id, with exactly this alias, e-mail address, handle or display name; else None.

        It does not tell when there are several: `resolve` does.

        Source: BEHAVIOUR §7.7.
        """
        found = self.find_named(needle, kind)
        return found[0] if found else None

    def problems(self) -> list[Problem]:
        """Ids that two notes declare and names that two entities share, at each of the notes; sorted."""
        problems: list[Problem] = []
        for entity_id, owners in self._by_id.items():
            for owner in owners[1:]:
                message = f"The id {entity_id} is also that of {owners[0].path}; merge the two or change one."
                problems.append(Problem(owner.path, None, "entity-id-duplicate", message))
        for folded, owners in self._by_name.items():
            ids = {owner.id for owner in owners}
            if len(ids) < 2:
                continue
            for owner in owners:
                name = next(name for name in names_of(owner) if fold_name(name) == folded)
                others = ", ".join(sorted({other.path for other in owners if other.id != owner.id}))
                message = f"{name!r} is also a name of {others}; a text that says only that is linked to all of them."
                problems.append(Problem(owner.path, None, "entity-name-ambiguous", message))
        return sorted(set(problems), key=lambda problem: (problem.path, problem.code, problem.message))
