"""What a word is to the embedders that know only words, and how telling one is."""

from __future__ import annotations

import math
import re
import unicodedata

_UNSPACED = (
    "\u2e80-\u312f\u3190-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U0001b000-\U0001b16f\U00020000-\U000323af"
)
_WORD = re.compile(f"[{_UNSPACED}]|[^\\W_{_UNSPACED}]+")
_ASCII_WORDS = bytes(byte if chr(byte).isalnum() and byte < 128 else 0x20 for byte in range(256))
_UNSPACED_START = re.compile(f"[{_UNSPACED}]")


def split_words(text: str) -> list[str]:
    """Returns the words of a text in order, as spelt (Unicode NFKC).

    A word is a run of letters and digits. Han, kana and Hangul have no blanks between words that could be
    relied on, so each of their characters is a word. Marks and emoji are left out.
    """
    if text.isascii():
        return text.encode("ascii").translate(_ASCII_WORDS).decode("ascii").split()
    text = unicodedata.normalize("NFKC", text)
    return _WORD.findall(text)


def is_unspaced(word: str) -> bool:
    """True for a word that is one character of a script written without blanks."""
    return _UNSPACED_START.match(word) is not None


def idf(count: int, total: int) -> float:
    """Returns the inverse document frequency of a word, > 0: what `Embedder.embed_query` takes as its rarity.

    A word that occurs nowhere counts like one that occurs once: its neighbours in meaning may still be found.

    Args:
        count: texts with the word.
        total: texts.

    Source: Spärck Jones 1972, with the usual smoothing by one half.
    """
    return math.log((total + 1) / (min(max(count, 1), total) + 0.5)) if total > 0 else 1.0
