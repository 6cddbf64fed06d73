"""Any sentence-transformers model that was exported to ONNX, from a folder.

Owns the reading of such a folder: the model, `tokenizer.json`, and, when they are there, the files that say
how token vectors become a text's vector. Texts go through the model one by one: padding is never needed, and
in models with int8 weights the texts of a batch share one scale, so that a text's vector would depend on its
neighbours. One thread, for the same reason.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vaultkeeper.errors import ProviderError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaultkeeper.ports import Rarity

_LONGEST = 512
_MODELS = ("model.onnx", "onnx/model.onnx", "*.onnx", "onnx/*.onnx")
_TOKEN_OUTPUTS = ("last_hidden_state", "token_embeddings")
_POOLINGS = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "last",
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a folder says its model is to be used.

    Attributes:
        pooling: `mean`, `cls`, `max` or `last`: how the tokens' vectors become one.
        max_tokens: what goes beyond is cut off.
        query_prompt: put before questions.
        text_prompt: put before texts.
    """

    pooling: str = "mean"
    max_tokens: int = _LONGEST
    query_prompt: str = ""
    text_prompt: str = ""


class OnnxEmbedder:
    """Runs one model. Takes some 10 to 40 ms a text.

    Attributes:
        fingerprint: Hash of the model's and tokenizer's files and of the recipe.
    """

    slow = True

    def __init__(self, name: str, session: Any, tokenizer: Any, recipe: Recipe, fingerprint: str) -> None:
        self._name = name
        self._session = session
        self._tokenizer = tokenizer
        self._recipe = recipe
        self._inputs = {given.name for given in session.get_inputs()}
        self._output, self._pooled = _choose_output(name, session)
        self.fingerprint = fingerprint
        self.dim = int(self._raw("dimension").shape[0])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns float32 `(len(texts), dim)`, rows L2-normalised; zero for a blank text.

        Raises:
            ProviderError: the model failed.
        """
        rows = [self._vector(self._recipe.text_prompt, text) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.dim), np.float32)

    def embed_query(self, text: str, rarity: Rarity | None = None) -> NDArray[np.float32]:
        """Returns float32 `(dim,)`, L2-normalised; zero for a blank text. The rarity of words is not used.

        Raises:
            ProviderError: the model failed.
        """
        return self._vector(self._recipe.query_prompt, text)

    def _vector(self, prompt: str, text: str) -> NDArray[np.float32]:
        if not text.strip():
            return np.zeros(self.dim, np.float32)
        raw = self._raw(prompt + text)
        length = math.sqrt(float(np.add.reduce(np.square(raw))))
        return (raw / length if length else raw).astype(np.float32)

    def _raw(self, text: str) -> NDArray[np.float64]:
        try:
            # a lone surrogate cannot be handed to the tokenizer
            encoding = self._tokenizer.encode(text.encode("utf-8", "replace").decode("utf-8"))
            feed = {
                "input_ids": encoding.ids,
                "attention_mask": encoding.attention_mask,
                "token_type_ids": encoding.type_ids,
                "position_ids": list(range(len(encoding.ids))),
            }
            given = {name: np.asarray([feed[name]], np.int64) for name in self._inputs}
            (output,) = self._session.run([self._output], given)
        except Exception as error:  # the runtime raises classes of its own
            raise _failed(self._name, str(error)) from error
        tokens = np.asarray(output[0], np.float64)
        if self._pooled:
            return tokens
        match self._recipe.pooling:
            case "cls":
                return np.asarray(tokens[0])
            case "last":
                return np.asarray(tokens[-1])
            case "max":
                return np.asarray(tokens.max(axis=0))
        return np.asarray(np.add.reduce(tokens, axis=0) / len(tokens))


def load_onnx(folder: str) -> OnnxEmbedder:
    """Opens the model in a folder.

    Raises:
        ProviderError: `onnxruntime` is not installed, a file is missing, or the model wants something that is
            not known here.
    """
    root = Path(folder)
    if not root.is_dir():
        raise _failed(folder, "there is no such folder")
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ProviderError(
            kind="embedder",
            name=f"onnx:{folder}",
            reason=f"a package is missing ({error})",
            remedy="pip install 'vaultkeeper[onnx]'",
        ) from error
    model = next((path for pattern in _MODELS for path in sorted(root.glob(pattern))), None)
    vocabulary = root / "tokenizer.json"
    if model is None or not vocabulary.is_file():
        raise _failed(folder, "it needs a model.onnx (or onnx/model.onnx) and a tokenizer.json")
    recipe = read_recipe(root)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    try:
        tokenizer = Tokenizer.from_file(str(vocabulary))
        tokenizer.no_padding()
        tokenizer.enable_truncation(recipe.max_tokens)
        session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        digest = hashlib.sha256(repr(recipe).encode())
        for path in [vocabulary, *sorted(model.parent.glob(f"{model.name}*"))]:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    except Exception as error:
        raise _failed(folder, str(error)) from error
    return OnnxEmbedder(folder, session, tokenizer, recipe, f"onnx-1:{digest.hexdigest()[:24]}")


def read_recipe(root: Path) -> Recipe:
    """Reads how the model is to be used; what no file says is the usual.

    Raises:
        ProviderError: the model needs a step that is not known here.
    """
    modules = _read_json(root / "modules.json")
    for module in modules if isinstance(modules, list) else ():
        kind = str(module.get("type", "")).rpartition(".")[2]
        if kind not in ("Transformer", "Pooling", "Normalize"):
            raise _failed(str(root), f"its step {kind!r} is not supported")
    modes = _read_object(root / "1_Pooling" / "config.json")
    chosen = [name for name, value in modes.items() if name.startswith("pooling_mode_") and value is True]
    if len(chosen) > 1 or any(name not in _POOLINGS for name in chosen):
        raise _failed(str(root), f"its pooling {' + '.join(chosen)} is not supported")
    prompts = _read_object(root / "config_sentence_transformers.json").get("prompts")
    prompts = prompts if isinstance(prompts, dict) else {}
    limits = [
        _read_object(root / "sentence_bert_config.json").get("max_seq_length"),
        _read_object(root / "tokenizer_config.json").get("model_max_length"),
        _read_object(root / "config.json").get("max_position_embeddings"),
    ]
    return Recipe(
        pooling=_POOLINGS[chosen[0]] if chosen else "mean",
        max_tokens=next(
            (limit for limit in limits if isinstance(limit, int) and 2 < limit <= 1 << 15), _LONGEST
        ),
        query_prompt=str(prompts.get("query", "")),
        text_prompt=str(prompts.get("document", prompts.get("passage", ""))),
    )


def _choose_output(name: str, session: Any) -> tuple[str, bool]:
    """Returns the output to read, and whether it is one vector a text already."""
    shapes = {given.name: len(given.shape) for given in session.get_outputs()}
    if "sentence_embedding" in shapes:
        return "sentence_embedding", True
    for output in (*_TOKEN_OUTPUTS, *shapes):
        if shapes.get(output) == 3:
            return output, False
    for output, rank in shapes.items():
        if rank == 2:
            return output, True
    raise _failed(name, f"none of its outputs is a vector ({', '.join(shapes)})")


def _read_json(path: Path) -> Any:
    """Returns what a JSON file holds; an empty object when it is absent or broken."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}


def _read_object(path: Path) -> dict[str, Any]:
    found = _read_json(path)
    return found if isinstance(found, dict) else {}


def _failed(folder: str, reason: str) -> ProviderError:
    return ProviderError(
        kind="embedder",
        name=f"onnx:{folder}",
        reason=reason,
        remedy="Give the folder of a sentence-transformers model that was exported to ONNX.",
    )
