"""A file of vectors that grows, beside a file of the keys of its rows.

Owns `vectors.json`, which names the generation in force, and that generation's `.f32` and `.keys`. Row `n` of
the one belongs to key `n` of the other. A row is written, and is on the disk, before its key; it is never
changed after that. Removing a row overwrites its key with zeros. So whoever reads at any moment, or after a
kill or a power cut at any moment, sees whole rows with right keys. When dead rows are many, a new generation
is written and put in force by one rename.

Writers must hold the lock of the index; readers need none and never write.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEY_BYTES = 32
DEAD = bytes(KEY_BYTES)
_VERSION = 1
_NAME = "vectors"
_ROWS_AT_ONCE = 4096


class Keys:
    """Keys by the numbers of their rows, cut out when they are asked for: most never are."""

    def __init__(self, key_bytes: bytes = b"") -> None:
        self._bytes = key_bytes

    def __len__(self) -> int:
        return len(self._bytes) // KEY_BYTES

    def __getitem__(self, number: int) -> bytes:
        if not 0 <= number < len(self):
            raise IndexError(number)
        return self._bytes[number * KEY_BYTES : (number + 1) * KEY_BYTES]


class RowFile:
    """The rows in force when it was opened or last refreshed.

    Attributes:
        generation: Changes when rows are renumbered; empty when there are no files yet.
        keys: Of all rows, dead ones too (zeros).
        rows: float32 `(len(keys), dim)`, mapped from the file.
        live: bool `(len(keys),)`.
    """

    def __init__(self, folder: Path, fingerprint: str, dim: int) -> None:
        self._folder = folder
        self._fingerprint = fingerprint
        self._dim = dim
        self.generation = ""
        self._key_bytes = b""
        self.keys = Keys()
        self.rows: NDArray[np.float32] = np.zeros((0, dim), np.float32)
        self.live: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.refresh()

    def path(self, suffix: str) -> Path:
        """Returns a file of the generation in force."""
        return self._folder / f"{_NAME}-{self.generation}.{suffix}"

    def refresh(self) -> bool:
        """Looks at the files again, and returns whether anything has changed."""
        for _ in range(5):  # a generation may be replaced between reading its name and opening it
            generation = self._read_generation()
            try:
                return self._map(generation)
            except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
                continue
        return self._map("")

    def condemn(self) -> None:
        """Leaves the rows, which were found to be damaged, to whoever writes next: they are made anew then."""
        with suppress(OSError):
            (self._folder / f"{_NAME}.json").unlink(missing_ok=True)
        self._map("")

    def append(self, keys: Sequence[bytes], rows: NDArray[np.float32]) -> None:
        """Adds rows. The caller sees to it that no key is there already."""
        if not self.generation:
            self.replace([], ())
        count = len(self.keys)
        _write_at(self.path("f32"), count * self._dim * 4, np.ascontiguousarray(rows, "<f4").tobytes())
        _write_at(self.path("keys"), count * KEY_BYTES, b"".join(keys))
        self._map(self.generation)

    def bury(self, numbers: Iterable[int]) -> None:
        """Marks rows as dead."""
        numbers = sorted(numbers)
        if numbers:
            with self.path("keys").open("r+b") as file:
                for number in numbers:
                    file.seek(number * KEY_BYTES)
                    file.write(DEAD)
            self._map(self.generation)

    def compact(self) -> None:
        """Writes the live rows into a new generation."""
        alive = np.flatnonzero(self.live)
        parts = (
            self.rows[alive[start : start + _ROWS_AT_ONCE]] for start in range(0, len(alive), _ROWS_AT_ONCE)
        )
        self.replace([self.keys[number] for number in alive.tolist()], parts)

    def replace(self, keys: Sequence[bytes], parts: Iterable[NDArray[np.float32]]) -> None:
        """Puts a new generation in force and removes the files of all others."""
        self._folder.mkdir(parents=True, exist_ok=True)
        generation = secrets.token_hex(4)
        with (self._folder / f"{_NAME}-{generation}.f32").open("wb") as file:
            for part in parts:
                file.write(np.ascontiguousarray(part, "<f4").tobytes())
            file.flush()
            os.fsync(file.fileno())
        _write_at(self._folder / f"{_NAME}-{generation}.keys", 0, b"".join(keys), new=True)
        facts = {
            "version": _VERSION,
            "generation": generation,
            "fingerprint": self._fingerprint,
            "dim": self._dim,
        }
        write_json(self._folder / f"{_NAME}.json", facts)
        self._map(generation)
        for old in self._folder.glob(f"{_NAME}-*"):
            if not old.name.startswith(f"{_NAME}-{generation}."):
                try:
                    old.unlink(missing_ok=True)
                except (
                    PermissionError
                ):  # Windows, while a reader has it mapped; the next generation tries again
                    pass

    def _read_generation(self) -> str:
        facts = read_json(self._folder / f"{_NAME}.json")
        wanted = {"version": _VERSION, "fingerprint": self._fingerprint, "dim": self._dim}
        if any(facts.get(name) != value for name, value in wanted.items()):
            return ""
        return str(facts.get("generation", ""))

    def _map(self, generation: str) -> bool:
        if not generation:
            changed = bool(self.generation)
            self.generation, self._key_bytes, self.keys = "", b"", Keys()
            self.rows = np.zeros((0, self._dim), np.float32)
            self.live = np.zeros(0, np.bool_)
            return changed
        base = self._folder / f"{_NAME}-{generation}"
        key_bytes = base.with_suffix(".keys").read_bytes()
        size = base.with_suffix(".f32").stat().st_size
        count = min(len(key_bytes) // KEY_BYTES, size // (self._dim * 4))
        key_bytes = key_bytes[: count * KEY_BYTES]
        if generation == self.generation and key_bytes == self._key_bytes:
            return False
        if generation != self.generation or count != len(self.keys):
            self.rows = np.zeros((0, self._dim), np.float32)
            if count:
                shape = (count, self._dim)
                self.rows = np.asarray(np.memmap(base.with_suffix(".f32"), "<f4", mode="r", shape=shape))
        self.generation, self._key_bytes, self.keys = generation, key_bytes, Keys(key_bytes)
        self.live = np.any(np.frombuffer(key_bytes, np.uint64).reshape(-1, KEY_BYTES // 8), axis=1)
        return True


def read_json(path: Path) -> dict[str, object]:
    """Returns the object in a file; empty when the file is absent or broken."""
    try:
        facts = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


def write_json(path: Path, facts: dict[str, object]) -> None:
    """Writes an object to a file, the whole of it or nothing."""
    beside = path.with_name(path.name + ".tmp")
    _write_at(beside, 0, json.dumps(facts, sort_keys=True).encode(), new=True)
    beside.replace(path)


def _write_at(path: Path, offset: int, data: bytes, *, new: bool = False) -> None:
    with path.open("wb" if new else "r+b") as file:
        file.seek(offset)
        file.write(data)
        file.truncate()  # what a killed writer left half written
        file.flush()
        os.fsync(file.fileno())
