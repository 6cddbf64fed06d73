"""Sizes of texts in tokens, estimated without a model."""

from __future__ import annotations

import re

MAX_TOKENS = 3000
"""No chunk is larger, by the conservative estimate. Source: BEHAVIOUR §6.2."""

SECTION_TOKENS = 800
"""Sections of notes are cut to this: about 1,600 characters of English, 800 of Chinese; long enough to stand alone."""

CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303b\u3041-\u3096\u309d-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Letters of Chinese, Japanese and Korean, for use inside of a character class."""

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
