"""The one place that builds objects, with a method for each verb.

A keeper belongs to one thread: connections are opened when they are first needed and closed by `close`. Nothing heavy
is imported before a verb needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from vaultkeeper.config import Settings
from vaultkeeper.errors import LockedError, NoIndexError, StorageError
from vaultkeeper.ports import Clock

if TYPE_CHECKING:
    from vaultkeeper.ask.params import AskParams, Corpus, SearchParams
    from vaultkeeper.index.db import Connection
    from vaultkeeper.index.embedding import Embedding
    from vaultkeeper.index.reports import NoteView
    from vaultkeeper.index.settings import IndexSettings
    from vaultkeeper.index.store import Reader
    from vaultkeeper.index.sync import SyncStats
    from vaultkeeper.keeping.conversations import Conversations
    from vaultkeeper.keeping.doctor import Surroundings
    from vaultkeeper.keeping.entities import Entities
    from vaultkeeper.keeping.flavours import Flavours
    from vaultkeeper.keeping.history import History
    from vaultkeeper.keeping.ingest import Ingest
    from vaultkeeper.keeping.modes import Modes
    from vaultkeeper.keeping.notebook import Notebook
    from vaultkeeper.keeping.trees import Trees
    from vaultkeeper.memory.gazetteer import Gazetteer
    from vaultkeeper.ports import Embedder
    from vaultkeeper.present.shapes import Answer
    from vaultkeeper.retrieval.health import Health, Status

STALE = "index_stale"
QUICK_EMBEDDERS = ("static", "none", "hash")

Progress = Callable[[int, int], None]
Stop = Callable[[], bool]


class Keeper:
    """A vault with its index.

    Args:
        root: The vault's real path.
        index_dir: The folder of its index.
        clock: Gives the current time.
        command: What this process is doing, for whoever finds the index locked.
        state_dir: The folder of its history; None for a keeper that is not asked what changed.
        embedder: Opens the embedder of the settings, where keepers share it; see `providers.share_embedder`.

    Attributes:
        stale: Why `refresh` could not bring the index up to date; it answers as it was.
        not_taken_in: Notes that were written since and that the index does not know yet.
    """

    def __init__(
        self,
        root: Path,
        index_dir: Path,
        settings: Settings,
        *,
        clock: Clock,
        command: str = "vaultkeeper",
        state_dir: Path | None = None,
        embedder: Callable[[], Embedder | None] | None = None,
    ) -> None:
        self.root = root
        self.index_dir = index_dir
        self.settings = settings
        self._clock = clock
        self._command = command
        self._state_dir = state_dir
        self.stale: StorageError | None = None
        self.not_taken_in: list[str] = []
        self._writer: Connection | None = None
        self._locked = False
        self._embedder: Embedder | None = None
        self._shared_embedder = embedder
        self._embedding: Embedding | None = None
        self._gazetteer: Gazetteer | None = None
        self._gazetteer_state: tuple[Connection, int] | None = None

    def close(self) -> None:
        """Closes what is open; the keeper can be used again."""
        self._reader.close()
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    # Writing the index

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Holds the writer's lock; syncs inside need not take it each time.

        Raises:
            LockedError: another process holds it.
        """
        if self._locked:
            yield
            return
        from vaultkeeper.index.store import prepare_folder
        from vaultkeeper.vault.lock import INDEX_LOCK, acquire

        prepare_folder(self.index_dir)
        with acquire(self.index_dir / INDEX_LOCK, command=self._command, since=self._clock()):
            self._locked = True
            try:
                yield
            finally:
                self._locked = False
                if self._writer is not None:
                    self._writer.close()
                    self._writer = None

    def sync(
        self,
        *,
        paths: Iterable[str] | None = None,
        progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> SyncStats:
        """Brings the index up to date with the notes; an index that is broken is made anew.

        Args:
            paths: Relative paths that may have changed; None looks at the whole vault.

        Raises:
            LockedError: another process writes the index.
            StorageError: the index cannot be written.
        """
        from vaultkeeper.index import store
        from vaultkeeper.index.db import DatabaseError, is_corrupt
        from vaultkeeper.index.sync import sync

        with self.writing():
            for last in (False, True):
                try:
                    self._writer = store.renew_writer(self.index_dir, self._writer)
                    return sync(
                        self._writer,
                        self.root,
                        self._index_settings(),
                        clock=self._clock,
                        progress=progress,
                        paths=paths,
                        stop=stop,
                    )
                except DatabaseError as error:
                    if last or not is_corrupt(error):
                        raise StorageError(path=self.index_dir, reason=str(error)) from error
                    self.close()
                    store.discard(self.index_dir)
                    paths = None
        raise AssertionError("the loop returns or raises")

    def sync_quietly(self) -> SyncStats:
        """Syncs, and computes the vectors that are quick to compute; what a reading command does first."""
        stats = self.sync()
        if not self.embeds_slowly:
            self.embed_pending()
        return stats

    def refresh(self, paths: Iterable[str] | None = None) -> None:
        """Syncs where that is possible; an index that cannot be written stays as it is, and `stale` says why.

        Args:
            paths: See `sync`; None also computes the vectors that are quick to compute.

        Raises:
            LockedError: another process writes the index.
        """
        try:
            self.sync_quietly() if paths is None else self.sync(paths=paths)
            self.stale = None
        except StorageError as error:
            self.stale = error

    def rebuild(self, *, progress: Progress | None = None, stop: Stop | None = None) -> SyncStats:
        """Makes the index anew beside the old one, which answers meanwhile. Vectors of the same texts are kept.

        Raises:
            LockedError: another process writes the index.
            StorageError: the index cannot be written.
        """
        from vaultkeeper.index import store
        from vaultkeeper.index.sync import sync

        with self.writing():
            if self._writer is not None:
                self._writer.close()
                self._writer = None
            if vectors := self._vectors():
                vectors.forget()
            with store.new_generation(self.index_dir) as db:
                return sync(
                    db, self.root, self._index_settings(), clock=self._clock, progress=progress, stop=stop
                )

    @property
    def embeds_slowly(self) -> bool:
        """True when vectors belong into the background; told by the name, so that nothing is loaded."""
        return self.settings.embedder.strip() not in QUICK_EMBEDDERS

    def embed_pending(
        self, *, stop: Stop | None = None, limit: int | None = None, progress: Progress | None = None
    ) -> int:
        """Computes vectors that are missing, and returns how many still are.

        Raises:
            ProviderError: the embedder cannot be loaded, or failed.
        """
        db = self._open_reader()
        vectors = self._vectors()
        if db is None or vectors is None:
            return 0
        return vectors.embed(
            db, now=self._clock(), command=self._command, stop=stop, limit=limit, progress=progress
        )

    # Reading

    @cached_property
    def _reader(self) -> Reader:
        from vaultkeeper.index.store import Reader

        return Reader(self.index_dir)

    def snapshot(self) -> AbstractContextManager[None]:
        """Inside, all verbs read one state of the index, whatever is written meanwhile; nothing there may sync."""
        return self._reader.snapshot()

    def ask(self, params: AskParams) -> Answer:
        """Answers a question from the index as it is.

        Raises:
            NoIndexError: there is none.
        """
        from vaultkeeper.ask.answer import ask

        return ask(self._corpus(), params, self._clock())

    def search(self, params: SearchParams) -> Answer:
        """Lists what fits a query, from the index as it is.

        Raises:
            NoIndexError: there is none.
        """
        from vaultkeeper.ask.answer import search

        return search(self._corpus(), params)

    def note(self, names: Sequence[str], folder: Path) -> list[NoteView]:
        """Reads notes by path or name; see `retrieval.inspect.inspect_notes`."""
        from vaultkeeper.retrieval.inspect import inspect_notes

        return inspect_notes(self._open_reader(), self.root, names, folder)

    def status(self) -> Status:
        """Says what the index holds."""
        from vaultkeeper.retrieval.health import read_status

        return read_status(
            self._open_reader(), self.root, self.index_dir, self.settings.embedder, self._pending()
        )

    def doctor(self, around: Surroundings) -> Health:
        """Judges notes, index, trees, history and machine."""
        from vaultkeeper.keeping.doctor import Patient, diagnose

        patient = Patient(
            db=self._open_reader(),
            embedder=self.settings.embedder,
            open_embedder=self._open_embedder,
            pending=self._pending,
            trees=self.trees,
            history=self.history if self._state_dir is not None else None,
            stale=self.stale,
            now=self._clock(),
        )
        return diagnose(patient, around)

    @property
    def entities(self) -> Entities:
        """What the notes declare of people, places and things; see `keeping.entities`."""
        from vaultkeeper.keeping.entities import Entities

        return Entities(self.root, self.index_dir, self._open_reader, self._take_in, self._clock)

    @property
    def history(self) -> History:
        """What changed since somebody last looked; see `keeping.history`."""
        from vaultkeeper.keeping.history import History

        if self._state_dir is None:
            raise ValueError("this keeper was made without a state folder")
        return History(self.root, self._state_dir, self._open_reader, self._clock, self._command)

    def remember(self) -> bool:
        """Takes a snapshot, where somebody looks at the history; see `keeping.history.History.remember`."""
        return self._state_dir is not None and self._state_dir.is_dir() and self.history.remember()

    def clear_leftovers(self) -> int:
        """Removes what writes that were killed an hour ago or more left in the vault; returns how many files."""
        from vaultkeeper.vault.write import remove_stale_temps

        return remove_stale_temps(self.root, round((self._clock().timestamp() - 3600) * 1e9))

    @cached_property
    def trees(self) -> Trees:
        """The summary trees of the vault; see `keeping.trees`."""
        from vaultkeeper.keeping.trees import Trees
        from vaultkeeper.memory.nodes import CONVERSATIONS

        archived = self.settings.tree_archived
        if not self.settings.learning_chat_to_tree_enabled:
            archived += (CONVERSATIONS,)
        opened = (self._open_reader, self._open_gazetteer, self._clock)
        return Trees(self.root, self.index_dir, *opened, archived, self._command)

    @property
    def flavours(self) -> Flavours:
        """How the user works and writes; see `keeping.flavours`."""
        from vaultkeeper.keeping.flavours import Flavours

        return Flavours(self.root, self.index_dir, self._take_in, self._clock, self._command)

    @property
    def ingest(self) -> Ingest:
        """Takes documents, chats and mails in; see `keeping.ingest`."""
        from vaultkeeper.keeping.ingest import Ingest

        taken = (self._open_reader, self._take_in, self.trees, self._clock)
        return Ingest(self.root, self.index_dir, *taken, self._command)

    @cached_property
    def conversations(self) -> Conversations:
        """What was said, and what is known from it; see `keeping.conversations`."""
        from vaultkeeper.keeping.conversations import Conversations

        opened = (self._open_embedder, self._corpus)
        return Conversations(self.root, self.settings, self._clock, self.index_dir, *opened)

    @property
    def notebook(self) -> Notebook:
        """MEMORY.md, goals, memories, preferences and rules; see `keeping.notebook`."""
        from vaultkeeper.keeping.notebook import Notebook

        opened = (self._open_reader, self._open_gazetteer, self._vectors, self._get_embedder)
        return Notebook(self.root, self.settings, self._clock, *opened)

    @property
    def modes(self) -> Modes:
        """What reads trees and the graph; see `keeping.modes`."""
        from vaultkeeper.keeping.modes import Modes

        return Modes(self._corpus, self.entities.registry, self._clock)

    def _take_in(self, paths: Sequence[str]) -> None:
        """Syncs what was just written, unless a watcher does."""
        try:
            self.refresh(paths)
        except LockedError:
            return
        if self.stale:
            self.not_taken_in += paths

    # What the verbs share

    def _index_settings(self) -> IndexSettings:
        from vaultkeeper.index.settings import IndexSettings

        return IndexSettings.of(self.settings)

    def _open_reader(self) -> Connection | None:
        """Returns a connection to the index; None when there is none that can be read."""
        return self._reader.open()

    def _open_embedder(self) -> Embedder | None:
        """Returns the embedder of the settings; None when vectors are switched off.

        Raises:
            ConfigError, ProviderError: see `providers.open_embedder`.
        """
        if self._embedder is None:
            from vaultkeeper.providers import open_embedder

            shared = self._shared_embedder
            self._embedder = shared() if shared is not None else open_embedder(self.settings.embedder)
        return self._embedder

    def _vectors(self) -> Embedding | None:
        """Returns the vectors of the index; None when they are switched off."""
        if self.settings.embedder.strip() == "none":
            return None
        if self._embedding is None:
            from vaultkeeper.index.embedding import Embedding

            self._embedding = Embedding(
                self.index_dir,
                self.settings.embedder.strip(),
                self._get_embedder,
                exact_below=self.settings.hnsw_threshold,
            )
        return self._embedding

    def _get_embedder(self) -> Embedder:
        embedder = self._open_embedder()
        if embedder is None:
            raise AssertionError("nobody asks for an embedder that is switched off")
        return embedder

    def _pending(self) -> int:
        db = self._open_reader()
        vectors = self._vectors()
        return 0 if db is None or vectors is None else vectors.pending(db)

    def _corpus(self) -> Corpus:
        from vaultkeeper.ask.params import Corpus
        from vaultkeeper.memory.extract import extract

        db = self._open_reader()
        if db is None:
            raise NoIndexError()
        gazetteer = self._open_gazetteer(db)
        vectors = self._vectors()
        return Corpus(
            db,
            self.root.name,
            lambda text: extract(text, gazetteer),
            vectors=vectors,
            embedder=self._get_embedder if vectors is not None else None,
            pending=self._pending(),
            notes=(STALE,) if self.stale else (),
        )

    def _open_gazetteer(self, db: Connection) -> Gazetteer:
        """Returns the names of the registry, compiled anew when the index has changed."""
        state = (db, db.execute("PRAGMA data_version").fetchone()[0])
        if self._gazetteer is None or self._gazetteer_state != state:
            from vaultkeeper.index.registry import load_entities
            from vaultkeeper.memory.gazetteer import Gazetteer

            self._gazetteer = Gazetteer(load_entities(db))
            self._gazetteer_state = state
        return self._gazetteer
