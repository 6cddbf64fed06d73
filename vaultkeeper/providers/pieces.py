"""Splits words into the pieces that have a vector.

Owns the reading of the tokenizer file that the `wordllama` package ships. Reads only its vocabulary: in this
tokenizer (Llama 2, a SentencePiece byte-pair encoding) every way of joining two pieces into a third is a
merge, and the merge with the lowest id of its result goes first, so the vocabulary says everything that the
merge list says. Never looks at anything but the text, so equal words have equal pieces for ever.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

from vaultkeeper.providers.words import is_unspaced

if TYPE_CHECKING:
    from pathlib import Path

WORD_START = "▁"
"""Stands before the first piece of a word, as SentencePiece writes it."""

_NO_MERGE = 1 << 30
_LONGEST = 64
"""Characters of a word that are looked at: a longer run is no word but data, and its head tells it apart."""


class Pieces:
    """A vocabulary of pieces and the way from a word to them.

    Args:
        ids: piece → id. Ids rank the merges: the lower id is merged first.
    """

    def __init__(self, ids: dict[str, int]) -> None:
        self._ids = ids

    def split(self, word: str) -> tuple[list[int], list[str]]:
        """Returns the ids of the pieces of a word, and its parts that no piece covers.

        Args:
            word: as from `words.split_words`; a word start is put before it unless it is of an unspaced
                script.
        """
        ids = self._ids
        parts = list(word) if is_unspaced(word) else [WORD_START, *word]
        whole = ids.get("".join(parts))
        if whole is not None:
            return [whole], []
        del parts[_LONGEST:]
        ranks = [ids.get(a + b, _NO_MERGE) for a, b in pairwise(parts)]
        while ranks:
            best = min(ranks)
            if best == _NO_MERGE:
                break
            at = ranks.index(best)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
            del ranks[at]
            if at < len(ranks):
                ranks[at] = ids.get(parts[at] + parts[at + 1], _NO_MERGE)
            if at:
                ranks[at - 1] = ids.get(parts[at - 1] + parts[at], _NO_MERGE)
        known: list[int] = []
        unknown: list[str] = []
        gap = False
        for part in parts:
            number = ids.get(part)
            if number is not None:
                known.append(number)
            elif gap:
                unknown[-1] += part
            else:
                unknown.append(part)
            gap = number is None
        return known, unknown


def load_pieces(path: Path) -> Pieces:
    """Reads the vocabulary of a `tokenizer.json`, and only that (a tenth of the time of reading all of it).

    Raises:
        ValueError: the file is no such tokenizer.
    """
    text = path.read_text(encoding="utf-8")
    ids, _ = json.JSONDecoder().raw_decode(text, text.index("{", text.index('"vocab"')))
    if not isinstance(ids, dict) or WORD_START not in ids:
        raise ValueError("no SentencePiece vocabulary")
    return Pieces(ids)
