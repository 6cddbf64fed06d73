"""Folds text for comparison and splits it into words, fast.

Owns what "the same word" means to the gazetteer. Nothing here knows names.
"""

from __future__ import annotations

import re
import unicodedata

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Letters of scripts that write words without blanks between them, for use in a character class."""

_NON_ASCII = re.compile("[^\x00-\x7f]+")
_NO_WORD = re.compile(f"[\\W_{UNSPACED}]")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CLUSTER = re.compile(
    "(?s).[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u065f\u093c\u1160-\u11ff\u3099\u309a]*"
)
_ASCII = bytes(range(0x80))
_ASCII_WORDS = bytes(
    byte if byte >= 0x80 or chr(byte).isalnum() else 0x20  # everything else parts words
    for byte in range(256)
)


class _Runs(dict[str, str]):
    """Runs of letters beyond ASCII with all that is no letter turned into blanks; forgets when it grows large."""

    def __missing__(self, run: str) -> str:
        if len(self) > 20_000:
            self.clear()
        cleaned = self[run] = _NO_WORD.sub(" ", run)
        return cleaned


_RUNS = _Runs()


def fold(text: str) -> tuple[str, list[int] | None]:
    """Composes (NFC) and lower-cases a text.

    Returns:
        The folded text, and None when each of its characters stands where it stood; otherwise the offset in
        `text` of each of its characters, and of the end.
    """
    low = text.lower()
    if low.isascii() or (len(low) == len(text) and unicodedata.is_normalized("NFC", text)):
        return low, None
    pieces: list[str] = []
    offsets: list[int] = []
    for cluster in _CLUSTER.finditer(text):
        piece = unicodedata.normalize("NFC", cluster[0]).lower()
        pieces.append(piece)
        offsets += [cluster.start()] * len(piece)
    offsets.append(len(text))
    return "".join(pieces), offsets


def is_foldable_at_once(text: str) -> bool:
    """Whether `fold` gives for this text the same as for its lines one by one: where it composes nothing."""
    if text.isascii():
        return True
    return len(text.lower()) == len(text) and unicodedata.is_normalized("NFC", text)


def split_words(low: str) -> list[str]:
    """Splits a folded text into runs of letters and digits, without letters of scripts that use no blanks.

    Works on UTF-8 bytes, where translating and splitting are several times quicker than a pattern.
    """
    if low.isascii():
        return low.encode("ascii").translate(_ASCII_WORDS).decode("ascii").split()
    try:
        raw = low.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        low = _SURROGATE.sub(" ", low)
        raw = low.encode()
    beyond = raw.translate(None, _ASCII).decode()
    if len(beyond) > 64:
        raw = _NON_ASCII.sub(lambda run: _RUNS[run[0]], low).encode()
    else:
        for mark in set(_NO_WORD.findall(beyond)):
            raw = raw.replace(mark.encode(), b" ")
    return raw.translate(_ASCII_WORDS).decode().split()


def is_word_char(char: str) -> bool:
    """Whether `split_words` keeps this character; an empty string (the edge of a text) is none."""
    return char.isalnum() and (char < "\u0e00" or not _UNSPACED.match(char))
