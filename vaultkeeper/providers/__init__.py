"""Models that turn texts into vectors, behind `ports.Embedder`. All of them work without a network.

Importing this package loads no model and no numpy; `open_embedder` loads the one that is asked for.
"""

from vaultkeeper.providers.catalogue import open_embedder
from vaultkeeper.providers.words import idf, split_words

__all__ = ["idf", "open_embedder", "split_words"]
