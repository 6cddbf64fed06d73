from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultkeeper.errors import Exit, ProviderError
from vaultkeeper.providers import static
from vaultkeeper.providers.static import StaticEmbedder, load_static

_EMBEDDER = load_static()
_TEXTS = st.lists(
    st.text(max_size=80) | st.sampled_from(["the cat sat", "我在东京工作", "Zoë's naïve x9", "  "]),
    max_size=6,
)


@given(_TEXTS, st.text(max_size=60), st.integers(0, 6))
@settings(max_examples=80, deadline=None)
def test_a_text_has_the_same_bytes_whatever_stands_beside_it(texts: list[str], text: str, at: int) -> None:
    alone = _EMBEDDER.embed([text])[0].tobytes()
    company = [*texts[:at], text, *texts[at:]]
    assert _EMBEDDER.embed(company)[min(at, len(texts))].tobytes() == alone
    assert _EMBEDDER.embed_query(text).tobytes() == alone


def test_the_cache_of_words_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"word{number} Other{number % 7} 东{number}" for number in range(40)]
    expected = _EMBEDDER.embed(texts).tobytes()
    monkeypatch.setattr(static, "_CACHED_WORDS", 10)
    small = load_static()
    assert small.embed(texts).tobytes() == expected
    assert small.embed(texts[::-1])[::-1].tobytes() == expected


def test_a_text_longer_than_a_gathering_is_summed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(f"alpha{number % 50}" for number in range(300))
    whole = _EMBEDDER.embed([text])[0]
    monkeypatch.setattr(static, "_GATHERED_WORDS", 64)
    assert np.allclose(load_static().embed([text])[0], whole, atol=1e-6)


def test_shapes_lengths_and_blanks() -> None:
    rows = _EMBEDDER.embed(["hello world", "", "🎉 …", "東京"])
    assert rows.shape == (4, 256)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 0, 0, 1], atol=1e-6)
    assert _EMBEDDER.embed([]).shape == (0, 256)
    assert not _EMBEDDER.embed_query("").any()


def _similarity(first: str, second: str) -> float:
    return float(_EMBEDDER.embed_query(first) @ _EMBEDDER.embed_query(second))


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("doctor", "physician at the hospital", "invoice for the printer"),
        ("my car broke down", "the vehicle needs repair", "we baked bread today"),
        ("家", "home and family", "printer invoice"),
        ("鑫淼科技", "鑫淼科技有限公司", "骐骥物流有限公司"),  # characters without a piece of their own
        ("APPLE PIE", "apple pie", "train ticket"),
    ],
)
def test_what_means_the_same_is_nearer(question: str, near: str, far: str) -> None:
    assert _similarity(question, near) > _similarity(question, far) + 0.1


def test_characters_without_a_piece_are_told_apart() -> None:
    assert abs(_similarity("鑫", "骐")) < 0.3
    assert _similarity("鑫", "鑫") == pytest.approx(1)


def test_rarity_draws_the_question_to_its_rare_words() -> None:
    weights = {"mara": 5.0, "tent": 5.0}
    plain = _EMBEDDER.embed_query("what did Mara say about the tent")
    drawn = _EMBEDDER.embed_query("what did Mara say about the tent", lambda word: weights.get(word, 0.1))
    target = _EMBEDDER.embed(["Mara tent"])[0]
    assert drawn @ target > 0.98 > plain @ target
    assert np.linalg.norm(drawn) == pytest.approx(1, abs=1e-6)
    assert not _EMBEDDER.embed_query("what", lambda word: 0.0).any()


def test_equal_processes_give_equal_bytes_and_import_nothing_heavy() -> None:
    script = (
        "import sys, hashlib\n"
        "from vaultkeeper.providers import open_embedder\n"
        "assert 'numpy' not in sys.modules\n"
        "e = open_embedder('static')\n"
        "for name in ('wordllama', 'tokenizers', 'safetensors', 'requests', 'urllib.request', 'socket'):\n"
        "    assert name not in sys.modules, name\n"
        "print(hashlib.sha256(e.embed(['a b c', 'Grüße 东京']).tobytes()).hexdigest(), e.fingerprint)\n"
    )
    outputs = {
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    }
    assert len(outputs) == 1
    assert _EMBEDDER.fingerprint in outputs.pop()


def test_a_missing_package_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static, "PACKAGE", "no_such_package_here")
    with pytest.raises(ProviderError) as caught:
        load_static()
    assert caught.value.exit_code is Exit.PROVIDER
    assert "pip install" in caught.value.advice


@pytest.mark.parametrize("weights", [b"", b"\x10\0\0\0\0\0\0\0{}", bytes(600)])
def test_a_broken_package_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weights: bytes) -> None:
    package = tmp_path / "brokenllama"
    (package / "weights").mkdir(parents=True)
    (package / "tokenizers").mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('must not be imported')")
    (package / static.WEIGHTS).write_bytes(weights)
    (package / static.TOKENIZER).write_text('{"model": {"vocab": {"\\u2581": 0}}}')
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(static, "PACKAGE", "brokenllama")
    with pytest.raises(ProviderError):
        load_static()


def test_it_is_an_embedder() -> None:
    from vaultkeeper.ports import Embedder

    embedder: Embedder = _EMBEDDER
    assert isinstance(_EMBEDDER, StaticEmbedder)
    assert embedder.dim == 256
    assert not embedder.slow
