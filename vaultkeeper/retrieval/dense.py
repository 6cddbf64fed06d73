"""Primitive: chunks whose meaning is near the question's."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from vaultkeeper.index.reads import fetch_chunks_by_sha, fetch_shas

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vaultkeeper.index.db import Connection
    from vaultkeeper.ports import VectorSearch

NEAREST = 100
"""Texts that are asked of the vectors."""


def dense(
    db: Connection,
    vectors: VectorSearch,
    query_vector: NDArray[np.float32],
    allowed: Collection[int] | None,
    k: int = NEAREST,
) -> dict[int, float]:
    """Returns the cosine of each near chunk, -1..1, comparable within one embedder.

    Args:
        query_vector: float32 `(dim,)`, L2-normalised. A zero vector finds nothing.
        allowed: Chunks that may be found; None means all.
    """
    if not query_vector.any():
        return {}
    shas = None if allowed is None else fetch_shas(db, allowed)
    near = vectors.search(query_vector, k, shas)
    chunks = fetch_chunks_by_sha(db, [sha for sha, _ in near])
    return {
        pk: float(score)
        for sha, score in near
        for pk in chunks.get(sha, ())
        if allowed is None or pk in allowed
    }
