"""Sizes of texts in tokens, estimated without a model."""

from __future__ import annotations

import re

CJK = (
    "\u1100-\u11ff"  # Hangul Jamo
    "\u3005-\u3007"  # 々〆〇
    "\u3040-\u30ff"  # Hiragana, Katakana
    "\u3130-\u318f"  # Hangul compatibility Jamo
    "\u31f0-\u31ff"  # Katakana phonetic extensions
    "\u3400-\u4dbf\u4e00-\u9fff"  # Han
    "\ua960-\ua97f\uac00-\ud7ff"  # Hangul syllables
    "\uf900-\ufaff"  # Han compatibility
    "\uff66-\uff9f"  # half-width Katakana
    "\U00020000-\U000323af"  # Han, supplementary planes
)
"""Inside of a character class: everything written without spaces between words, and Hangul."""

_ALPHANUMERIC = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ASCII_SPACE = b" \t\n\r\x0b\x0c"
_WIDE_SPACES = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_CJK = re.compile(f"[{CJK}]")


def approx_tokens(text: str) -> int:
    """Returns what a reader would expect: a quarter of the characters, but one for each that is CJK; rounded up."""
    cjk = 0 if text.isascii() else len(_CJK.findall(text))
    return cjk + (len(text) - cjk + 3) // 4


def conservative_tokens(text: str) -> int:
    """Returns what no tokenizer exceeds by much: quarters are 2 a letter or digit of ASCII, 1 a blank, 4 for the rest.

    Never more than `len(text)`. Protects hashes, CJK and Hebrew, which the usual quarter underestimates.
    """
    data = text.encode("ascii", "ignore")
    words = len(data) - len(data.translate(None, _ALPHANUMERIC))
    blanks = len(data) - len(data.translate(None, _ASCII_SPACE))
    if len(data) != len(text):
        blanks += sum(map(text.count, _WIDE_SPACES))
    return (2 * words + blanks + 4 * (len(text) - words - blanks) + 3) // 4
