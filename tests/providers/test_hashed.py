from __future__ import annotations

import numpy as np

from vaultkeeper.providers.hashed import HashEmbedder


def test_equal_words_are_found_and_order_does_not_count() -> None:
    embedder = HashEmbedder()
    rows = embedder.embed(["red Tent", "tent red", "blue boat", ""])
    assert rows.shape == (4, 256)
    assert np.array_equal(rows[0], rows[1])
    assert rows[0] @ rows[2] < 0.5
    assert not rows[3].any()
    assert embedder.embed([]).shape == (0, 256)


def test_rarity_weighs_words() -> None:
    embedder = HashEmbedder()
    drawn = embedder.embed_query("red tent", lambda word: 10.0 if word == "tent" else 0.1)
    assert drawn @ embedder.embed(["tent"])[0] > 0.99
