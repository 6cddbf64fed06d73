"""Bigrams of Chinese, Japanese, Korean and other scripts without blanks, shared by what is indexed and what is asked.

SQLite's `unicode61` takes a whole run of Han characters, and Latin letters beside it, as one word, so such text is
indexed a second time as overlapping pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata

from vaultkeeper.vault.tokens import CJK

__all__ = ["CJK", "UNSPACED", "cjk_grams", "has_cjk", "is_surely_spaced", "is_unspaced"]

UNSPACED = CJK + "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Inside of a character class: CJK, and Thai, Lao, Burmese and Khmer, which put no blanks between words either."""

_RUN = re.compile(f"[{UNSPACED}]+")
_GLUED = re.compile(f"[{UNSPACED}\ue000-\uf8ff]")  # private use: symbols to us, letters to unicode61
_BELOW_E0 = bytes(range(0xE0))


def has_cjk(text: str) -> bool:
    """True when at least one character is of a script without blanks, or Hangul."""
    return not text.isascii() and _RUN.search(text) is not None


def is_unspaced(text: str) -> bool:
    """True when `unicode61` may take something else than words as words, so that phrase queries can miss some."""
    return not text.isascii() and _GLUED.search(text) is not None


def is_surely_spaced(text: str) -> bool:
    """True when `is_unspaced` is false for the text and all its parts; several times quicker, and false now and then.

    Looks at the first bytes of characters in UTF-8: those of U+0800 and beyond begin with 0xE0 or more, and the
    typographic marks of Western texts (U+2000 to U+203F) with 0xE2 0x80.
    """
    if text.isascii():
        return True
    data = text.encode("utf-8", "replace")
    return len(data.translate(None, _BELOW_E0)) == data.count(b"\xe2\x80")


def cjk_grams(text: str) -> str:
    """Returns the overlapping bigrams of every run, blank separated; a run of one character stands for itself.

    `我喜欢 AI 吗` gives `我喜 喜欢 吗`. Empty when there is no such character. Decomposed letters are composed first.
    """
    if text.isascii():
        return ""
    text = unicodedata.normalize("NFC", text)
    grams: list[str] = []
    for run in _RUN.findall(text):
        if len(run) == 1:
            grams.append(run)
        else:
            grams.extend(map(str.__add__, run, run[1:]))
    return " ".join(grams)
