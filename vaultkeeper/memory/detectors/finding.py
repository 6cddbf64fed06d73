"""What a detector found, and which values only stand for a secret: references, blanks, masks, words of examples."""

from __future__ import annotations

import re
from typing import NamedTuple

from vaultkeeper.memory.common_words import word_set

SECRET = "[REDACTED_SECRET]"
"""Replaces what is secret by its shape: keys, tokens, key blocks."""
NAMED = "[REDACTED]"
"""Replaces what is secret by the name beside it: passwords, assigned keys."""


class Finding(NamedTuple):
    """A secret in a text.

    Attributes:
        start, end: character offsets.
        kind: the class, such as `github_token`, as it is counted and reported.
        replacement: what stands in its place afterwards.
    """

    start: int
    end: int
    kind: str
    replacement: str


_WORDS = word_set(
    "none null nil undefined true false yes no on off empty required optional missing invalid expired "
    "wrong incorrect unset string str int integer bool boolean number text bytes any object array "
    "secret password passwd pass pwd passphrase token key apikey value default example sample test "
    "changeme change_me placeholder redacted hidden masked unknown todo tbd n/a na user username admin "
    "root env environment file stdin prompt vault keychain basic bearer oauth jwt uuid secretstr "
    "sensitive encrypted hashed plain plaintext plain-text hash disabled enabled rotated revoked reset "
    "changed updated"
)
_REFERENCE = re.compile(
    r"^(?:\$|%\(|%[A-Z_]+%$|<|\{|\[|\(|\*+|#\{|@\{|!|&|\.\.\.|…|`|~/|\./|\.\./|"
    r"/[A-Za-z][\w.-]{0,40}(?:/[\w.-]{1,60})+$|op://|vault:|env[.:(\[]|file:|secrets\.|secrets/|"
    r"process\.env|os\.|getenv|config[.\[(]|settings[.\[(]|self\.|"
    r"this\.|args\.|options\.|params\.|request\.|input\(|getpass|keyring|read|lambda\b|None\b|Optional|"
    r"Annotated|Secret[A-Z]|Field\(|var\.|local\.|data\.|arn:|ssm:|sha\d{3}:|https?:)"
)
_FILLER = re.compile(
    r"(?i)^(?:(?:your|my|insert|enter|put|replace|the|some|add|paste|set|fill)[-_ .].*|.*[-_ ](?:here|"
    r"goes-here|placeholder|example)|"
    r"x{3,}.*|.*x{6,}.*|\*+|\.{2,}.*|.*\.\.\.|.*…|-+|_+|0+|(?:foo|bar|baz|dummy|fake|example|sample|"
    r"redacted|changeme|placeholder|xxx|abc|todo|replace|insert)[-_0-9a-z]{0,12})$"
)
_CALL = re.compile(r"^[A-Za-z_][\w.]*[(\[]")


def is_placeholder(value: str) -> bool:
    """Whether a value only stands for a secret: `${TOKEN}`, `<password>`, `YOUR_API_KEY`, `****`,
    `[REDACTED]`, `null`."""
    bare = value.strip("\"'`: ")
    if not bare or len(set(bare)) <= 2:
        return True
    if "[REDACTED" in bare or bare.lower() in _WORDS:
        return True
    return bool(_REFERENCE.match(bare) or _FILLER.match(bare) or _CALL.match(bare))
