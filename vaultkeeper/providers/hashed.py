"""An embedder for tests: words hashed into a few hundred places. It finds equal words and no meaning."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from vaultkeeper.providers.words import split_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaultkeeper.ports import Rarity


class HashEmbedder:
    """Counts words by the CRC-32 of their lower case, so that no run depends on the hash seed of the
    interpreter."""

    slow = False

    def __init__(self, dim: int = 256) -> None:
        self.dim = dim
        self.fingerprint = f"hash-1:{dim}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns float32 `(len(texts), dim)`, rows L2-normalised, or zero for a text without a word."""
        return (
            np.stack([self.embed_query(text) for text in texts])
            if texts
            else np.zeros((0, self.dim), np.float32)
        )

    def embed_query(self, text: str, rarity: Rarity | None = None) -> NDArray[np.float32]:
        """Returns float32 `(dim,)`, L2-normalised, or zero for a text without a word."""
        row = np.zeros(self.dim, np.float64)
        for word in map(str.lower, split_words(text)):
            row[zlib.crc32(word.encode("utf-8", "surrogatepass")) % self.dim] += (
                1.0 if rarity is None else rarity(word)
            )
        length = float(np.linalg.norm(row))
        return (row / length if length else row).astype(np.float32)
