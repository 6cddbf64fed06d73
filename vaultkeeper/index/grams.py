"""Bigrams of Chinese, Japanese and Korean, shared by what is indexed and what is asked.

SQLite's `unicode61` takes a whole run of Han characters as one word, so such text is indexed a second time as
overlapping pairs of characters.
"""

from __future__ import annotations

import re

from vaultkeeper.vault.tokens import CJK

_RUN = re.compile(f"[{CJK}]+")


def has_cjk(text: str) -> bool:
    """True when at least one character is Han, Hiragana, Katakana or Hangul."""
    return not text.isascii() and _RUN.search(text) is not None


def cjk_grams(text: str) -> str:
    """Returns the overlapping bigrams of every run, blank separated; a run of one character stands for itself.

    `我喜欢 AI 吗` gives `我喜 喜欢 吗`. Empty when there is no such character.
    """
    if text.isascii():
        return ""
    grams: list[str] = []
    for run in _RUN.findall(text):
        if len(run) == 1:
            grams.append(run)
        else:
            grams.extend(map(str.__add__, run, run[1:]))
    return " ".join(grams)
