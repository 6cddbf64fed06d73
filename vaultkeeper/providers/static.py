"""The default embedder: a vector a word, added up.

Owns the token vectors of the `wordllama` package: it finds the two files in the installed package and reads
them itself. The package is never imported (its loader looks in the wrong folder and then goes to the
network), and nothing here can reach a network.

A text's vector is the sum of its words' vectors, normalised. A word's vector is the mean of the sums of the
pieces of the word as spelt and in lower case, so that `Apple` and `apple` are near and not equal. A part of a
word that no piece covers (most Han characters, for one) gets a fixed pseudo-random direction: it matches
itself and nothing else, where the tokenizer's own way, one piece for each byte, makes all of them alike.

Texts are weighed evenly, questions by how rare each word is in the vault when the caller says so (`rarity`).
A weight in the texts would have to be fixed for ever or change every vector with every note; a weight in the
question costs nothing and serves the same.
"""

from __future__ import annotations

import hashlib
import importlib.util
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vaultkeeper.errors import ProviderError
from vaultkeeper.providers.pieces import Pieces, load_pieces
from vaultkeeper.providers.words import split_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaultkeeper.ports import Rarity

PACKAGE = "wordllama"
WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
DIM = 256
VERSION = 1
"""Raised when the vectors of equal texts change because of this module or `pieces`."""

_UNKNOWN_LENGTH = 13.75
"""Length of the vector of an unknown part: the median length of the piece vectors."""
_CACHED_WORDS = 49_152
"""At most 48 MB; memory that no word has been put into is never touched."""
_GATHERED_WORDS = 8_192
_REMEMBERED_WORDS = 2_048


class StaticEmbedder:
    """Embeds by adding up word vectors. About 0.1 ms for a page of text; nothing of it runs in threads.

    Attributes:
        fingerprint: Version of this way of pooling and the hash of the weights' and tokenizer's names, sizes
            and package version.
    """

    dim = DIM
    slow = False

    def __init__(self, weights: NDArray[np.float16], pieces: Pieces, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self._weights = weights
        self._pieces = pieces
        self._row_of: dict[str, int] = {}
        self._rows = np.empty((_CACHED_WORDS, DIM), np.float32)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns float32 `(len(texts), 256)`, rows L2-normalised, or zero for a text without a word."""
        out = np.zeros((len(texts), DIM), np.float32)
        words_of = list(map(split_words, texts))
        self._prepare(words_of)
        for at, words in enumerate(words_of):
            if words:
                out[at] = self._sum(words, None)
        return _normalised(out)

    def embed_query(self, text: str, rarity: Rarity | None = None) -> NDArray[np.float32]:
        """Returns float32 `(256,)`, L2-normalised, or zero for a text without a word.

        Args:
            rarity: word in lower case → weight ≥ 0, such as `providers.idf` in the vault that will be
                searched; None weighs all words evenly.
        """
        out = np.zeros((1, DIM), np.float32)
        words = split_words(text)
        if words:
            weights = None if rarity is None else [rarity(word.lower()) for word in words]
            out[0] = self._sum(words, weights)
        row: NDArray[np.float32] = _normalised(out)[0]
        return row

    def _prepare(self, words_of: list[list[str]]) -> None:
        """Remembers the new words of several texts at once, when there is room: text by text takes twice as long."""
        new = sorted(set().union(*words_of).difference(self._row_of))
        if len(self._row_of) + len(new) <= _CACHED_WORDS:
            for start in range(0, len(new), _REMEMBERED_WORDS):
                self._remember(new[start : start + _REMEMBERED_WORDS])

    def _sum(self, words: list[str], weights: list[float] | None) -> NDArray[np.float32]:
        """Adds the vectors of the words up in their order, so that nothing but the text itself decides the
        last bit."""
        total = np.zeros(DIM, np.float32)
        for start in range(0, len(words), _GATHERED_WORDS):
            part = words[start : start + _GATHERED_WORDS]
            gathered = self._gather(part)
            if weights is not None:
                gathered *= np.asarray(weights[start : start + _GATHERED_WORDS], np.float32)[:, None]
            total += np.add.reduce(gathered, axis=0)
        return total

    def _gather(self, words: list[str]) -> NDArray[np.float32]:
        rows: list[Any] = list(map(self._row_of.get, words))
        if None in rows:
            if len(self._row_of) + rows.count(None) > _CACHED_WORDS:
                self._row_of.clear()
            self._remember([word for word in dict.fromkeys(words) if word not in self._row_of])
            rows = list(map(self._row_of.get, words))
        gathered: NDArray[np.float32] = self._rows.take(rows, axis=0)
        return gathered

    def _remember(self, words: list[str]) -> None:
        first = len(self._row_of)
        lower = [word.lower() for word in words]
        spellings = list(dict.fromkeys(lower + words))
        place = {spelling: at for at, spelling in enumerate(spellings)}
        vectors = self._spelling_vectors(spellings)
        for at, (word, small) in enumerate(zip(words, lower, strict=True)):
            vector = vectors[place[small]]
            self._rows[first + at] = (
                vector if word == small else (vector + vectors[place[word]]) * np.float32(0.5)
            )
            self._row_of[word] = first + at

    def _spelling_vectors(self, spellings: list[str]) -> NDArray[np.float32]:
        """Returns float32 `(len(spellings), 256)`: the sums of their pieces."""
        vectors = np.zeros((len(spellings), DIM), np.float32)
        left: list[tuple[int, list[int]]] = []
        for at, spelling in enumerate(spellings):
            known, unknown = self._pieces.split(spelling)
            if known:
                left.append((at, known))
            for part in unknown:
                vectors[at] += _unknown_vector(part)
        depth = 0
        # first pieces, second pieces, …: few rounds of whole rows (`np.add.reduceat` takes ten times as
        # long)
        while left:
            rows = [at for at, _ in left]
            vectors[rows] += self._weights.take([pieces[depth] for _, pieces in left], axis=0).astype(
                np.float32
            )
            depth += 1
            left = [item for item in left if len(item[1]) > depth]
        return vectors


def _unknown_vector(part: str) -> NDArray[np.float32]:
    bits = np.frombuffer(
        hashlib.blake2b(part.encode("utf-8", "surrogatepass"), digest_size=DIM // 8).digest(), np.uint8
    )
    signs = np.unpackbits(bits).astype(np.float32) * 2 - 1
    return signs * np.float32(_UNKNOWN_LENGTH / math.sqrt(DIM))


def _normalised(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    # Numbers of a row lie side by side, so they are added up alike whatever the number of rows.
    lengths = np.sqrt(np.add.reduce(np.square(rows, dtype=np.float64), axis=1))
    lengths[lengths == 0] = 1
    rows /= lengths[:, None].astype(np.float32)
    return rows


def load_static() -> StaticEmbedder:
    """Opens the vectors of the installed `wordllama` package.

    Raises:
        ProviderError: the package is not there or holds other files than expected.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise _broken("the package wordllama is not installed")
    root = Path(next(iter(spec.submodule_search_locations)))
    try:
        pieces = load_pieces(root / TOKENIZER)
        weights = _map_weights(root / WEIGHTS)
    except (OSError, ValueError) as error:
        raise _broken(f"the package wordllama holds other files than expected ({error})") from error
    return StaticEmbedder(weights, pieces, f"static-{VERSION}:l2_supercat_{DIM}:{_digest(weights)}")


def _digest(weights: NDArray[np.float16]) -> str:
    """A hash over a sample of the weights: enough to tell another file, without reading 16 MB at every
    start."""
    return hashlib.sha256(weights[::509].tobytes()).hexdigest()[:12]


def _map_weights(path: Path) -> NDArray[np.float16]:
    """Maps the one tensor of a safetensors file: 8 bytes of header length, a JSON header, the data."""
    with path.open("rb") as file:
        head = int.from_bytes(file.read(8), "little")
        if not 0 < head < 1 << 16:
            raise ValueError("no safetensors file")
        header = file.read(head)
    rows, rest = divmod(path.stat().st_size - 8 - head, DIM * 2)
    if rest or b'"F16"' not in header or f"[{rows},{DIM}]".encode() not in header:
        raise ValueError("no float16 tensor of the expected shape")
    # a plain view of the map: indexing the memmap class itself costs several times more
    return np.asarray(np.memmap(path, np.float16, mode="r", offset=8 + head, shape=(rows, DIM)))


def _broken(reason: str) -> ProviderError:
    return ProviderError(
        kind="embedder",
        name="static",
        reason=reason,
        remedy="pip install --force-reinstall 'wordllama==0.4.0.post1'",
    )
