"""What can be said of a new entity beside its kind and name, and whether it is new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from vaultkeeper.errors import EntityKnownError, ExistsError

if TYPE_CHECKING:
    from vaultkeeper.memory.registry import Registry
    from vaultkeeper.types import Handle


class NewEntity(TypedDict, total=False):
    """Optional arguments of `Keeper.add_entity`."""

    aliases: Sequence[str]
    emails: Sequence[str]
    handles: Sequence[Handle]
    notes: str


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
