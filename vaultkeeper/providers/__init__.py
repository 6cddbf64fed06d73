"""Models that turn texts into vectors, behind `ports.Embedder`. All of them work without a network.

Owns the names of the embedders. Importing this package loads no model and no numpy; `open_embedder` loads the one that
is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from vaultkeeper.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vaultkeeper.ports import Embedder, Rarity

SPECS = ("static", "none", "onnx:<folder>", "e5", "llm:<model id>")
"""What a user may write. `hash` is for tests and not listed."""


def open_embedder(spec: str, origin: str = "the configuration") -> Embedder | None:
    """Returns the embedder that a setting names, ready for use; None for `none`.

    Args:
        spec: one of `SPECS`; blanks around it do not count.
        origin: where the setting comes from, for the error message.

    Raises:
        ConfigError: there is no such embedder.
        ProviderError: its package, files or model are missing or broken; the advice says what to install.
    """
    name, _, rest = spec.strip().partition(":")
    match name, rest.strip():
        case "none", "":
            return None
        case "static", "":
            from vaultkeeper.providers.static import load_static

            return load_static()
        case "hash", "":
            from vaultkeeper.providers.hashed import HashEmbedder

            return HashEmbedder()
        case "onnx", folder if folder:
            from vaultkeeper.providers.onnx import load_onnx

            return load_onnx(folder)
        case "e5", "":
            from vaultkeeper.providers.e5 import load_e5

            return load_e5()
        case "llm", model_id if model_id:
            from vaultkeeper.providers.llm import load_llm

            return load_llm(model_id)
    raise ConfigError(setting="embedder", origin=origin, reason=f"{spec!r} is none of {', '.join(SPECS)}")


def share_embedder(spec: str) -> Callable[[], Embedder | None]:
    """Returns what opens an embedder for any number of threads: the model is loaded once, when one first asks.

    Args:
        spec: see `open_embedder`, as for what opening raises; a later call tries again.
    """
    loading, using = Lock(), Lock()
    shared: list[Embedder | None] = []

    def open_shared() -> Embedder | None:
        with loading:
            if not shared:
                embedder = open_embedder(spec)
                shared.append(None if embedder is None else _InTurn(embedder, using))
            return shared[0]

    return open_shared


class _InTurn:
    """An embedder that several threads have, used by one of them at a time."""

    def __init__(self, embedder: Embedder, using: Lock) -> None:
        self.fingerprint, self.dim, self.slow = embedder.fingerprint, embedder.dim, embedder.slow
        self._embedder = embedder
        self._using = using

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._using:
            return self._embedder.embed(texts)

    def embed_query(self, text: str, rarity: Rarity | None = None) -> NDArray[np.float32]:
        with self._using:
            return self._embedder.embed_query(text, rarity)
