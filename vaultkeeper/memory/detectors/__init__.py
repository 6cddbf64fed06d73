"""Detectors of secrets and of personal numbers; `memory.redact` puts them together.

Each detector reads text whose look-alike characters are already plain (see `redact`) and yields `Finding`s.
Detectors look for literals first, so that text without secrets costs next to nothing.
"""

from __future__ import annotations

from vaultkeeper.memory.detectors.finding import Finding
from vaultkeeper.memory.detectors.identity_numbers import find_identity_numbers
from vaultkeeper.memory.detectors.named_values import find_named_values, is_secret_name
from vaultkeeper.memory.detectors.placeholders import is_placeholder
from vaultkeeper.memory.detectors.provider_tokens import find_key_blocks, find_provider_tokens

__all__ = [
    "Finding",
    "find_identity_numbers",
    "find_key_blocks",
    "find_named_values",
    "find_provider_tokens",
    "is_placeholder",
    "is_secret_name",
]
