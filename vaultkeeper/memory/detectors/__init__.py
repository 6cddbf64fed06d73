"""Detectors of secrets and of personal numbers; `memory.redact` puts them together.

Each detector reads text whose look-alike characters are already plain (see `redact`) and yields `Finding`s.
Detectors look for literals first, so that text without secrets costs next to nothing; the expressions of named values,
which are slow to compile, are not even loaded for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vaultkeeper.memory.detectors.finding import Finding, is_placeholder
from vaultkeeper.memory.detectors.identity_numbers import find_identity_numbers
from vaultkeeper.memory.detectors.provider_tokens import find_key_blocks, find_provider_tokens
from vaultkeeper.memory.detectors.windows import ascii_view, present, vocabulary_of

_NAMED = (
    "pass pwd secret token key credential creds kennwort contrase senha pw auth login zugang identified cookie mysql "
    "mariadb -u --user"
).split()
_NAMED_CJK = re.compile("[密秘令口暗パ비私]")
"""What every text with a named value has, or something like it; `named_values` looks closer."""


def find_named_values(text: str) -> Iterator[Finding]:
    """Yields values that are secret by the words beside them; see `named_values`."""
    vocabulary = vocabulary_of(ascii_view(text).lower())
    if not present(vocabulary, _NAMED) and (text.isascii() or _NAMED_CJK.search(text) is None):
        return
    from vaultkeeper.memory.detectors.named_values import find_named_values as find

    yield from find(text, vocabulary)


def is_secret_name(name: str) -> bool:
    """Whether a property of this name holds a secret; see `named_values`."""
    from vaultkeeper.memory.detectors.named_values import is_secret_name as judge

    return judge(name)


__all__ = [
    "Finding",
    "find_identity_numbers",
    "find_key_blocks",
    "find_named_values",
    "find_provider_tokens",
    "is_placeholder",
    "is_secret_name",
]
