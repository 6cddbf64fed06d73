"""Any embedding model of the `llm` library and its plugins.

Such a model may run on this machine or be a service: that, its keys and its costs are between the user and
the plugin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from vaultkeeper.errors import ProviderError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaultkeeper.ports import Rarity

_AT_ONCE = 32


class LlmEmbedder:
    """Embeds with one model of the library. Whether equal texts give equal vectors in any company is up to
    the model.

    Attributes:
        fingerprint: The model's id and the length of its vectors: all that the library tells.
    """

    slow = True

    def __init__(self, model: Any) -> None:
        self._model = model
        self.dim = 0
        self.dim = int(self._vectors(["dimension"]).shape[1])
        self.fingerprint = f"llm-1:{model.model_id}:{self.dim}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns float32 `(len(texts), dim)`, rows L2-normalised; zero for a blank text.

        Raises:
            ProviderError: the model failed.
        """
        out = np.zeros((len(texts), self.dim), np.float32)
        spoken = [at for at, text in enumerate(texts) if text.strip()]
        for start in range(0, len(spoken), _AT_ONCE):
            part = spoken[start : start + _AT_ONCE]
            out[part] = self._vectors([texts[at] for at in part])
        return out

    def embed_query(self, text: str, rarity: Rarity | None = None) -> NDArray[np.float32]:
        """Returns float32 `(dim,)`, L2-normalised; zero for a blank text. The rarity of words is not used.

        Raises:
            ProviderError: the model failed.
        """
        row: NDArray[np.float32] = self.embed([text])[0]
        return row

    def _vectors(self, texts: list[str]) -> NDArray[np.float32]:
        try:
            rows = np.asarray([list(row) for row in self._model.embed_multi(texts)], np.float64)
        except Exception as error:  # a plugin may raise anything
            raise _failed(self._model.model_id, str(error) or type(error).__name__) from error
        if rows.ndim != 2 or len(rows) != len(texts) or self.dim not in (0, rows.shape[1]):
            raise _failed(self._model.model_id, f"{len(texts)} texts gave vectors of shape {rows.shape}")
        lengths = np.sqrt(np.add.reduce(np.square(rows), axis=1))
        lengths[lengths == 0] = 1
        unit: NDArray[np.float32] = (rows / lengths[:, None]).astype(np.float32)
        return unit


def load_llm(model_id: str) -> LlmEmbedder:
    """Opens a model by its id or an alias. Embeds one word, to learn the length of its vectors.

    Raises:
        ProviderError: the library is missing, no plugin has such a model, or it failed.
    """
    try:
        import llm
    except ImportError as error:
        raise ProviderError(
            kind="embedder",
            name=f"llm:{model_id}",
            reason=f"a package is missing ({error})",
            remedy="pip install 'vaultkeeper[llm]'",
        ) from error
    try:
        find: Callable[[str], Any] = llm.get_embedding_model
        model = find(model_id)
    except llm.UnknownModelError as error:
        raise _failed(model_id, "the llm library has no such embedding model") from error
    return LlmEmbedder(model)


def _failed(model_id: str, reason: str) -> ProviderError:
    return ProviderError(
        kind="embedder",
        name=f"llm:{model_id}",
        reason=reason,
        remedy="`llm embed-models` lists what there is; `llm install` adds plugins and `llm keys set` keys.",
    )
