"""What can be said of a new entity beside its kind and name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from vaultkeeper.types import Handle


class NewEntity(TypedDict, total=False):
    """Optional arguments of `Keeper.add_entity`."""

    aliases: Sequence[str]
    emails: Sequence[str]
    handles: Sequence[Handle]
    notes: str
