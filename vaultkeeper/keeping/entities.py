"""The registry's verbs: what the notes declare of people, places and things, and how that is changed.

Owns whether an entity is new, and that what was written is taken in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from vaultkeeper.errors import EntityKnownError, ExistsError
from vaultkeeper.ports import Clock

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection
    from vaultkeeper.memory.edit import MergeReceipt
    from vaultkeeper.memory.registry import Registry
    from vaultkeeper.types import Entity, Handle
    from vaultkeeper.vault.write import Receipt


class NewEntity(TypedDict, total=False):
    """Optional arguments of `Entities.add`."""

    aliases: Sequence[str]
    emails: Sequence[str]
    handles: Sequence[Handle]
    notes: str


@dataclass(frozen=True, slots=True)
class Entities:
    """See the module.

    Args:
        open_db: Opens the index for reading; None when there is none.
        take_in: Syncs these paths.
    """

    root: Path
    lock_dir: Path
    open_db: Callable[[], Connection | None]
    take_in: Callable[[Sequence[str]], None]
    clock: Clock

    def registry(self) -> Registry:
        """Returns the entities that the notes declare."""
        from vaultkeeper.index.registry import load_entities
        from vaultkeeper.memory.registry import Registry

        db = self.open_db()
        return Registry(load_entities(db) if db is not None else [])

    def count_occurrences(self, entity_ids: Sequence[str]) -> dict[str, int]:
        """Returns in how many parts of notes each entity occurs."""
        from vaultkeeper.index.reads import count_occurrences

        db = self.open_db()
        return count_occurrences(db, entity_ids) if db is not None else {}

    def notes_with(self, entity_id: str) -> list[tuple[str, int]]:
        """Returns the notes that an entity occurs in, with the number of mentions, most first."""
        from vaultkeeper.index.reports import fetch_notes_with

        db = self.open_db()
        return fetch_notes_with(db, entity_id) if db is not None else []

    def add(
        self, kind: str, name: str, *, entity_id: str | None = None, even_if_known: bool = False,
        **more: Unpack[NewEntity],
    ) -> Receipt:  # fmt: skip
        """Writes the note of a new entity.

        Raises:
            ExistsError, EntityKnownError: a note declares its id already, or one of its kind is called so.
            UsageError: unknown kind, an empty name, or an address that is none.
        """
        from vaultkeeper.memory.edit import add_entity

        check_new(self.registry(), kind, name, entity_id, more, even_if_known=even_if_known)
        now, lock_dir = self.clock(), self.lock_dir
        receipt = add_entity(self.root, kind, name, now=now, entity_id=entity_id, lock_dir=lock_dir, **more)
        self.take_in([receipt.path])
        return receipt

    def change_alias(self, entity: Entity, alias: str, *, remove: bool = False) -> Receipt:
        """Adds an alias to the note of an entity, or removes it."""
        from vaultkeeper.memory.edit import add_alias, remove_alias

        change = remove_alias if remove else add_alias
        receipt = change(self.root, entity, alias, now=self.clock(), lock_dir=self.lock_dir)
        if receipt.changed:
            self.take_in([receipt.path])
        return receipt

    def merge(self, kept: Entity, other: Entity, *, across_kinds: bool = False) -> MergeReceipt:
        """Makes one entity of two; the other's note goes into the trash."""
        from vaultkeeper.memory.edit import merge_entities

        merged = merge_entities(
            self.root, kept, other, now=self.clock(), lock_dir=self.lock_dir, across_kinds=across_kinds
        )
        self.take_in([kept.path, other.path])
        return merged


def check_new(
    registry: Registry, kind: str, name: str, entity_id: str | None, more: NewEntity, *, even_if_known: bool
) -> None:
    """Makes sure that an entity is not in the registry yet.

    Args:
        even_if_known: Its name, aliases and addresses may be those of another entity of its kind.

    Raises:
        ExistsError: a note declares its id.
        EntityKnownError: an entity of its kind has one of its names or addresses.
    """
    from vaultkeeper.memory.canonical import canonical_id, semantic_kind

    kind = semantic_kind(kind) or kind
    known = registry.find(entity_id or canonical_id(kind, name))
    if known is not None:
        raise ExistsError(path=known.path)
    if even_if_known:
        return
    for one in (name, *more.get("aliases", ()), *more.get("emails", ())):
        owners = registry.find_named(one, kind)
        if owners:
            raise EntityKnownError(name=one, entity=owners[0].id, path=owners[0].path)
