"""A vault with trees in a temporary folder, synced by the product, for the tests of the modes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.index.vaults import Bench
from vaultkeeper.index.registry import load_entities
from vaultkeeper.memory.extract import extract
from vaultkeeper.memory.gazetteer import Gazetteer
from vaultkeeper.memory.nodes import SummaryNode, node_path, render_summary, tree_id_of
from vaultkeeper.providers.hashed import HashEmbedder
from vaultkeeper.retrieval.corpus import Corpus
from vaultkeeper.retrieval.dispatch import memory_tree
from vaultkeeper.types import QueryResponse, RetrievalHit

NOW = datetime(2026, 3, 31, 15, 30, tzinfo=UTC)
DAY = 86_400_000


def ms(day: str) -> int:
    return round(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)


class Woods:
    """A vault. Notes are dated by a property, so that times are what the tests say."""

    def __init__(self, folder: Path) -> None:
        self.bench = Bench(folder)
        self.sources: frozenset[str] | None = None
        self.vectors: Any = None
        self.embedder: HashEmbedder | None = None

    def note(self, path: str, body: str, when: str = "2026-03-01T12:00:00Z", **properties: str) -> str:
        """Writes a note of one leaf and returns the leaf's id (after a sync, see `leaf`)."""
        head = "".join(f"{key}: {value}\n" for key, value in properties.items())
        self.bench.write(path, f"---\ntimestamp: {when}\n{head}---\n{body}\n")
        return path

    def person(self, value: str, name: str, *aliases: str) -> None:
        listed = f"aliases: {list(aliases)}\n" if aliases else ""
        text = f"---\nid: person:{value}\nkind: person\ndisplay_name: {name}\n{listed}date: 2019-01-01\n---\n"
        self.bench.write(f"entities/person/{value}.md", text)

    def sync(self) -> None:
        self.bench.sync()

    def leaf(self, path: str) -> str:
        """The id of the first leaf of a note."""
        rows = self.bench.rows(
            "SELECT chunk_id FROM chunks JOIN notes USING(note_pk) WHERE path = ? ORDER BY seq", path
        )
        return str(rows[0][0])

    def summary(
        self,
        level: int,
        children: Sequence[str],
        start: str,
        end: str,
        *,
        scope: str = "notes:Projects",
        text: str = "Something happened.",
        number: int = 1,
        score: float = 0.5,
        **more: Any,
    ) -> str:
        """Writes a node and returns its id; needs a sync afterwards."""
        node_id = f"summary:{ms(end):013d}:L{level}-{number:08x}"
        node = SummaryNode(
            node_id, tree_id_of(scope), "source", scope, level, tuple(children), (), ms(start), ms(end), score=score,
            sealed_at="2026-03-31T00:00:00Z", **more,
        )  # fmt: skip
        from vaultkeeper.memory.nodes import Attributed

        data = render_summary(node, [Attributed(text, "[[x]]")], [], version="0")
        self.bench.write(node_path(scope, level, node_id), data)
        return node_id

    @property
    def corpus(self) -> Corpus:
        gazetteer = Gazetteer(load_entities(self.bench.db))
        embedder = self.embedder
        return Corpus(
            self.bench.db,
            "vault",
            lambda text: extract(text, gazetteer),
            vectors=self.vectors,
            embedder=None if embedder is None else lambda: embedder,
            sources=self.sources,
        )

    def call(self, mode: str, **arguments: Any) -> Any:
        return memory_tree(self.corpus, {"mode": mode, **arguments}, NOW)

    def hits(self, mode: str, **arguments: Any) -> tuple[RetrievalHit, ...]:
        response = self.call(mode, **arguments)
        assert isinstance(response, QueryResponse)
        return response.hits

    def ids(self, mode: str, **arguments: Any) -> list[str]:
        return [hit.node_id for hit in self.hits(mode, **arguments)]

    def paths(self, mode: str, **arguments: Any) -> list[str]:
        return [hit.note_path for hit in self.hits(mode, **arguments)]

    def embed(self) -> None:
        """Gives every chunk a vector."""
        from vaultkeeper.index.vectors import VectorIndex
        from vaultkeeper.vault.chunks import embedding_text

        embedder = HashEmbedder()
        index = VectorIndex(self.bench.folder / "vectors", embedder.fingerprint, embedder.dim)
        rows = self.bench.rows("SELECT DISTINCT text_sha, title, heading, body FROM chunks")
        texts = {row[0]: embedding_text(str(row[1]), str(row[2]), str(row[3])) for row in rows}
        shas = list(texts)
        made = dict(zip(shas, embedder.embed(list(texts.values())), strict=True))
        index.sync_to(set(shas), lambda wanted: {sha: made[sha] for sha in wanted})
        self.vectors, self.embedder = index, embedder


def touch(path: Path, when: str) -> None:
    stamp = ms(when) / 1000
    os.utime(path, (stamp, stamp))
