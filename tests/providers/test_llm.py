from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from vaultkeeper.errors import ProviderError
from vaultkeeper.providers.llm import load_llm

if find_spec("llm") is None:
    pytest.skip("llm is not installed (extra `llm`)", allow_module_level=True)

import llm
from llm.plugins import pm


class _Letters(llm.EmbeddingModel):  # type: ignore[misc]
    """Counts letters: a real model of the library, only small."""

    model_id = "letters-for-tests"
    batch_size = 4

    def embed_batch(self, items: Iterable[str | bytes], **_: Any) -> Iterator[list[float]]:
        for item in items:
            if item == "boom":
                raise RuntimeError("the service is down")
            text = str(item)
            yield [float(text.count(letter)) for letter in ("abc" if text != "short" else "a")]


class _Plugin:
    @llm.hookimpl  # type: ignore[untyped-decorator]
    def register_embedding_models(self, register: Any) -> None:
        register(_Letters(), aliases=("letters",))


@pytest.fixture(autouse=True)
def _registered(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))
    plugin = _Plugin()
    pm.register(plugin, name="letters-for-tests")
    yield
    pm.unregister(plugin)


@pytest.mark.parametrize("name", ["letters-for-tests", "letters"])
def test_embeds_with_a_registered_model(name: str) -> None:
    embedder = load_llm(name)
    rows = embedder.embed(["a", "", "bb", " ", *["abc"] * 40])
    assert embedder.dim == 3
    assert rows.shape == (44, 3)
    assert rows[:4].tolist() == [[1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert np.allclose(np.linalg.norm(rows[4:], axis=1), 1)
    assert embedder.embed_query("cc").tolist() == [0, 0, 1]
    assert "letters-for-tests" in embedder.fingerprint


def test_an_unknown_model_is_named() -> None:
    with pytest.raises(ProviderError, match="no-such-model") as caught:
        load_llm("no-such-model")
    assert "llm embed-models" in caught.value.advice


@pytest.mark.parametrize("text", ["boom", "short"])
def test_a_failing_model_is_an_error_with_its_reason(text: str) -> None:
    embedder = load_llm("letters")
    with pytest.raises(ProviderError, match="letters-for-tests"):
        embedder.embed(["a", text])
