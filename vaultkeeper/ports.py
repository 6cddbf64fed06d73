"""What the inner layers need from outside: a clock, an embedder and, if there is one, a language model.

A Protocol stands here only when two real implementations exist, or are to be plugged in from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Clock = Callable[[], datetime]
"""Returns the current time as an aware UTC datetime."""


Rarity = Callable[[str], float]
"""Word in lower case → weight ≥ 0, such as its inverse document frequency (`providers.idf`)."""


class Embedder(Protocol):
    """Turns texts into vectors. The same text gives the same vector, whatever stands beside it.

    Attributes:
        fingerprint: Names model, weights and pooling; equal fingerprints give equal vectors.
        dim: Length of a vector.
        slow: True when a text costs more than about 2 ms, so that embedding belongs into the background.
    """

    fingerprint: str
    dim: int
    slow: bool

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns float32 `(len(texts), dim)`, rows L2-normalised; zero for a text without any token.

        Raises:
            ProviderError: the model failed.
        """
        ...

    def embed_query(self, text: str, rarity: Rarity | None = None) -> NDArray[np.float32]:
        """Returns float32 `(dim,)`, L2-normalised, for a question, which some models mark.

        Args:
            rarity: how telling each word is in the vault that will be searched; models that read whole
                sentences ignore it.
        """
        ...


class LanguageModel(Protocol):
    """Writes a text. May be slow, wrong, or not there: whoever asks has a deadline, checks, and goes on without it.

    Attributes:
        name: What its answers are signed with.
        local: Whether what it is told stays on this machine.
    """

    name: str
    local: bool

    def complete(self, prompt: str, *, system: str, max_tokens: int) -> str:
        """Returns the answer.

        Raises:
            ProviderError: the model failed.
        """
        ...


class VectorSearch(Protocol):
    """Finds stored vectors, whatever structure stands behind it."""

    def search(
        self, query: NDArray[np.float32], k: int, allowed: Collection[bytes] | None = None
    ) -> Sequence[tuple[bytes, float]]:
        """Returns `(text_sha, cosine)`, best first, at most k.

        Args:
            query: float32 `(dim,)`, L2-normalised.
            allowed: keys that may be found; None means all.
        """
        ...
