"""What a user can set about the index."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from vaultkeeper.vault.tokens import MAX_TOKENS, SECTION_TOKENS

if TYPE_CHECKING:
    from vaultkeeper.config import Settings


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """Settings of a sync.

    Attributes:
        ignore: Globs of what is left out; see `vault.scan.scan`.
        section_tokens: Budget of a chunk of a note, by the conservative estimate.
        max_tokens: Budget of a chunk of a turn, and upper bound of the other.
        entity_folders: Folder → kind of the entities whose notes lie in it.
    """

    ignore: tuple[str, ...] = ()
    section_tokens: int = SECTION_TOKENS
    max_tokens: int = MAX_TOKENS
    entity_folders: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Settings) -> IndexSettings:
        """Returns what concerns the index of all settings."""
        return cls(
            ignore=settings.ignore,
            section_tokens=settings.chunk_section_tokens,
            max_tokens=settings.chunk_max_tokens,
            entity_folders=dict(settings.entity_folders),
        )

    def fingerprint(self) -> str:
        """Names everything here that shapes the rows of a note; when it changes, every note is read again."""
        shape = [self.section_tokens, self.max_tokens, sorted(self.entity_folders.items())]
        return sha256(json.dumps(shape).encode()).hexdigest()[:16]
