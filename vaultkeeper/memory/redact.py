"""Redaction: what must not reach the disk is taken out before anything is written.

Owns the order of the detectors, look-alike characters, overlaps and the report. It is applied to what
vaultkeeper writes, never to the user's own notes. Removed values are counted by class and never kept.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from vaultkeeper.memory.detectors import (
    Finding,
    find_identity_numbers,
    find_key_blocks,
    find_named_values,
    find_provider_tokens,
    is_placeholder,
    is_secret_name,
)
from vaultkeeper.memory.detectors.finding import NAMED, SECRET

DEEPEST_JSON = 128
"""Levels of a JSON value that are read; what lies deeper is removed whole. Source: BEHAVIOUR 12.9."""

_MOST_ROUNDS = 8
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_ZERO_WIDTH = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e")
_SPACES_AND_HYPHENS = {
    **dict.fromkeys(
        map(
            ord, "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
        ),
        " ",
    ),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"), "-"),
}


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text without its secrets.

    Attributes:
        text: the text, each secret replaced by a marker in brackets.
        removed: how many secrets of each class were taken out; never their values.
    """

    text: str
    removed: Counter[str] = field(default_factory=Counter)


def redact(text: str) -> Redaction:
    """Returns a text without secrets and personal numbers; everything else stays byte for byte.

    Redacting twice gives the same text. Never raises on content and is linear in the length.
    """
    removed: Counter[str] = Counter()
    for _ in range(_MOST_ROUNDS):
        cleaned, found = _redact_once(text)
        if cleaned == text:
            break
        text = cleaned
        removed.update(found)
    return Redaction(text, removed)


def redact_json(value: Any) -> tuple[Any, Counter[str]]:
    """Returns a JSON value without secrets, and what was removed by class.

    Strings are redacted as text; a scalar under a name such as `apiKey` or `db_password` is removed
    whatever it looks like; what lies deeper than `DEEPEST_JSON` levels is removed whole.
    """
    removed: Counter[str] = Counter()
    return _redacted_value(value, removed, 0), removed


def looks_like_secret(name: str) -> bool:
    """Whether an id or a key must be refused since it looks like a secret.

    Stricter than `redact`: only shapes that nothing else has, so that bare digits and phone numbers remain
    good names.
    """
    plain, _ = _plain(name)
    if any(True for _ in find_key_blocks(plain)):
        return True
    if any(True for _ in find_provider_tokens(plain)):
        return True
    return any(not plain[f.start : f.end].isdigit() for f in find_identity_numbers(plain))


def _redact_once(text: str) -> tuple[str, Counter[str]]:
    plain, origins = _plain(text)
    found: Counter[str] = Counter()
    pieces: list[str] = []
    at = 0
    for finding in _resolved(_findings(plain)):
        start, end = finding.start, finding.end
        if origins is not None:
            start, end = origins[start], origins[end - 1] + 1
        if text[start:end] == finding.replacement:
            continue
        pieces += [text[at:start], finding.replacement]
        found[finding.kind] += 1
        at = end
    if not pieces:
        return text, found
    pieces.append(text[at:])
    return "".join(pieces), found


def _findings(plain: str) -> Iterator[Finding]:
    yield from find_key_blocks(plain)
    yield from find_provider_tokens(plain)
    yield from find_named_values(plain)
    yield from find_identity_numbers(plain)


def _resolved(findings: Iterator[Finding]) -> list[Finding]:
    """Returns findings that do not overlap: the earliest, of those the longest, wins; a name gives way to
    a shape."""
    kept: list[Finding] = []
    for finding in sorted(findings, key=lambda f: (f.start, -f.end, f.replacement == NAMED)):
        if finding.end <= finding.start:
            continue
        if kept and finding.start < kept[-1].end:
            if finding.end > kept[-1].end:  # what sticks out of an earlier one goes with it
                kept[-1] = kept[-1]._replace(end=finding.end)
            continue
        kept.append(finding)
    return kept


def _plain(text: str) -> tuple[str, list[int] | None]:
    """Returns the text with look-alike characters made plain, and where each came from when lengths
    differ."""
    if text.isascii():
        return text, None
    marks = set("".join(_NOT_ASCII.findall(text)))
    table = {ord(mark): plain for mark in marks if (plain := _plain_mark(mark)) != mark}
    shown = _NOT_ASCII.sub(lambda run: run[0].translate(table), text) if table else text
    if _ZERO_WIDTH.isdisjoint(marks):
        return shown, None
    origins = [place for place, mark in enumerate(shown) if mark not in _ZERO_WIDTH]
    return "".join(shown[place] for place in origins), origins


@lru_cache(maxsize=4096)
def _plain_mark(mark: str) -> str:
    """The plain twin of full-width ASCII, of a digit in any script, of odd blanks and hyphens; else the mark itself."""
    if "\uff01" <= mark <= "\uff5e" and mark not in "：，；！？（）":
        return chr(ord(mark) - 0xFEE0)
    digit = unicodedata.decimal(mark, None)
    return _SPACES_AND_HYPHENS.get(ord(mark), mark) if digit is None else str(digit)


def _redacted_value(value: Any, removed: Counter[str], depth: int) -> Any:
    if depth > DEEPEST_JSON:
        removed["too_deep"] += 1
        return NAMED
    if isinstance(value, str):
        redaction = redact(value)
        removed.update(redaction.removed)
        return redaction.text
    if isinstance(value, dict):
        return {
            _redacted_key(key, removed): _redacted_entry(key, entry, removed, depth)
            for key, entry in value.items()
        }
    if isinstance(value, list | tuple):
        return [_redacted_value(entry, removed, depth + 1) for entry in value]
    return value


def _redacted_key(key: Any, removed: Counter[str]) -> Any:
    if not isinstance(key, str):
        return key
    redaction = redact(key)
    removed.update(redaction.removed)
    return redaction.text


def _redacted_entry(key: Any, entry: Any, removed: Counter[str], depth: int) -> Any:
    named = isinstance(key, str) and is_secret_name(key)
    if named and isinstance(entry, str) and not is_placeholder(entry):
        whole = redact(entry)
        if whole.text in (SECRET, NAMED):
            removed.update(whole.removed)
            return whole.text
        removed["named_value"] += 1
        return NAMED
    if named and isinstance(entry, int | float) and not isinstance(entry, bool):
        removed["named_value"] += 1
        return NAMED
    return _redacted_value(entry, removed, depth + 1)
