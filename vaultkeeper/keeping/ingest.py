"""Ingest: from outside into notes, into the index, and out of the old summaries.

Owns the order: write the notes, tell those whose files are gone, tell the summaries of both, sync.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from vaultkeeper.errors import UnreadableNoteError, UsageError
from vaultkeeper.importers.chat import chat_items, read_messages
from vaultkeeper.importers.document import document_item
from vaultkeeper.importers.files import (
    Skipped,
    check_outside,
    folder_mark,
    guess_kind,
    id_in_folder,
    is_gone,
    read_path,
    read_stream,
)
from vaultkeeper.importers.item import Item, Original, Source, check_source, scope_of
from vaultkeeper.importers.shelf import Ingested, supersede_note, write_item
from vaultkeeper.index.waiting import count_note_chunks, fetch_documents, fetch_path_of
from vaultkeeper.keeping.trees import Trees
from vaultkeeper.ports import Clock
from vaultkeeper.vault.lock import edit_lock

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection
    from vaultkeeper.retrieval.params import IngestDocumentParams

PROVIDER = "agent"
_NEVER_MS = 2**62
"""Later than any version of what is gone."""


@dataclass(slots=True)
class IngestReport:
    """What an ingest did.

    Attributes:
        superseded: Summaries of older versions, and of what is gone.
        gone: Notes, by id and path, whose files are no longer in the folder: they are superseded, and stay.
        chunks: Leaves of the notes that were written; 0 when nothing was.
        dry_run: Nothing was written; it says what would be.
    """

    source_id: str
    source_kind: str
    items: list[Ingested] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    superseded: list[str] = field(default_factory=list)
    gone: list[tuple[str, str]] = field(default_factory=list)
    chunks: int = 0
    dry_run: bool = False

    @property
    def written(self) -> list[str]:
        """Paths of the notes that were written."""
        return [item.path for item in self.items if item.outcome != "unchanged"]


@dataclass(slots=True)
class Ingest:
    """See the module.

    Args:
        take_in: Syncs these paths.
        open_db: Opens the index for reading; None when there is none.
    """

    root: Path
    lock_dir: Path
    open_db: Callable[[], Connection | None]
    take_in: Callable[[Sequence[str]], None]
    trees: Trees
    clock: Clock
    command: str = "vaultkeeper ingest"

    def path(
        self,
        path: Path,
        *,
        source_id: str = "",
        kind: str = "",
        title: str = "",
        owner: str = "",
        source_ref: str = "",
        tags: Sequence[str] = (),
        dry_run: bool = False,
    ) -> IngestReport:
        """Ingests a file, or every file of a folder that fits.

        Documents of a folder that was ingested before under the same id, whose files are gone since, are superseded: a
        note says so of itself and is no leaf any more. When nothing is left of the folder, that is taken for a mistake.

        Args:
            source_id: What it is called from now on; its name when it is empty.
            kind: document, chat or email; guessed from the name when it is empty.
            dry_run: Writes nothing.

        Raises:
            UsageError: no such kind, or the path lies in the vault.
            UnreadableFileError: a file that was named cannot be read.
            RefusedError: the id looks like a secret.
        """
        check_outside(path, self.root)
        kind = kind or ("document" if path.is_dir() else guess_kind(path.name))
        source = self._source(source_id or path.name, kind, owner, source_ref, tags)
        folder = path if path.is_dir() and kind == "document" else None
        return self._write(read_path(path, source, self.clock(), title=title), source, folder, dry_run)

    def stream(
        self,
        data: bytes,
        *,
        source_id: str,
        kind: str = "document",
        title: str = "",
        owner: str = "",
        source_ref: str = "",
        tags: Sequence[str] = (),
        suffix: str = ".md",
    ) -> IngestReport:
        """Ingests bytes that have no name. Raises as `path` does."""
        source = self._source(source_id, kind or "document", owner, source_ref, tags)
        return self._write(read_stream(data, source, self.clock(), title=title, suffix=suffix), source)

    def document(
        self,
        *,
        title: str,
        body: str,
        source_id: str,
        provider: str = PROVIDER,
        source_ref: str = "",
        owner: str = "",
    ) -> IngestReport:
        """Ingests one Markdown document, as agents do.

        Raises:
            UsageError: title, body or source id is blank.
            RefusedError: the id looks like a secret.
        """
        if not (title.strip() and body.strip() and source_id.strip()):
            raise UsageError(reason="title, body, and source_id must be non-empty")
        tags = ("agent_ingested", *((f"provider/{provider.strip()}",) if provider.strip() else ()))
        source = self._source(source_id.strip(), "document", owner, source_ref, tags)
        original = Original(body.encode("utf-8", "replace"), ".md", source.id, title, title)
        return self._write([document_item(original, source, self.clock())], source)

    def as_mode(self, params: IngestDocumentParams) -> str:
        """Ingests as the tool `memory_tree` does, and says so in a sentence. Source: BEHAVIOUR §9.2."""
        report = self.document(
            title=params.title,
            body=params.body,
            source_id=params.source_id,
            provider=params.provider,
            source_ref=params.source_ref or "",
            owner=params.owner,
        )
        return (
            f'Ingested document "{params.title}" as source_id={report.source_id}. '
            f"{report.chunks} chunks created and indexed."
        )

    def chat(
        self, messages: object, *, source_id: str, owner: str = "", tags: Sequence[str] = ()
    ) -> IngestReport:
        """Ingests messages; see `importers.chat.read_messages`."""
        source = self._source(source_id, "chat", owner, "", tags)
        return self._write(chat_items(read_messages(messages, self.clock()), source), source)

    def _source(self, source_id: str, kind: str, owner: str, ref: str, tags: Sequence[str]) -> Source:
        return Source(source_id.strip(), check_source(source_id, kind), owner, ref, tuple(tags))

    def _write(
        self,
        found: Iterable[Item | Skipped],
        source: Source,
        folder: Path | None = None,
        dry_run: bool = False,
    ) -> IngestReport:
        report = IngestReport(source.id, source.kind, dry_run=dry_run)
        with edit_lock(self.lock_dir, command=self.command, since=self.clock()):
            for item in self._each(found, report):
                report.items.append(write_item(self.root, item, self.clock(), self._find, dry_run=dry_run))
            if folder is not None and (report.items or report.skipped):
                report.gone = self._gone(folder, source)
            if dry_run:
                return report
            report.gone = [one for one in report.gone if self._supersede(one[1], report)]
            newer = {item.id: item.version_ms for item in report.items if item.outcome == "version"}
            newer |= dict.fromkeys((identity for identity, _ in report.gone), _NEVER_MS)
            if newer:
                report.superseded = self.trees.supersede(newer)
        if report.written or report.superseded or report.gone:
            self.take_in([*report.written, *(path for _, path in report.gone), *report.superseded])
        if report.superseded:  # the new version is summarised in place of the old one at once
            self.take_in(self.trees.tend([scope_of(source.kind, source.id)]).paths)
        db = self.open_db()
        if db is not None and report.written:
            report.chunks = count_note_chunks(db, report.written)
        return report

    def _gone(self, folder: Path, source: Source) -> list[tuple[str, str]]:
        """Notes that were read from this folder, under this id, and whose files are no more."""
        db = self.open_db()
        if db is None:
            return []
        prefix = id_in_folder(source, "")
        known = fetch_documents(db, scope_of(source.kind, source.id), folder_mark(folder))
        return [
            (identity, path)
            for identity, path in known
            if identity.startswith(prefix) and is_gone(folder, identity.removeprefix(prefix))
        ]

    def _supersede(self, path: str, report: IngestReport) -> bool:
        try:
            supersede_note(self.root, path, self.clock())
        except UnreadableNoteError:
            report.skipped.append(Skipped(path, "its file is gone, and its properties cannot be edited"))
            return False
        return True

    def _each(self, found: Iterable[Item | Skipped], report: IngestReport) -> Iterator[Item]:
        for item in found:
            if isinstance(item, Skipped):
                report.skipped.append(item)
            else:
                yield item

    def _find(self, identity: str) -> str | None:
        db = self.open_db()
        return fetch_path_of(db, identity) if db is not None else None
