"""What the watcher says: lines with the time, one line that is rewritten on a terminal, and a log file.

Nothing is printed here: lines go to callables that the command line gives.
"""

from __future__ import annotations

import contextlib
import unicodedata
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

Say = Callable[[str], None]


class LogFile:
    """A log that renames itself to `.1`, `.2` … when it has grown, readable by its owner only.

    A log that cannot be written is given up silently until the next line: it must not stop a watcher.

    Args:
        max_bytes: Size after which the next line begins a new file.
        keep: Number of old files that are kept.
    """

    def __init__(self, path: Path, max_bytes: int = 1_000_000, keep: int = 3) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._keep = keep

    def write(self, line: str) -> None:
        """Appends one line."""
        with contextlib.suppress(OSError):
            self._rotate()
            is_new = not self._path.exists()
            with self._path.open("a", encoding="utf-8", errors="backslashreplace") as out:
                out.write(line + "\n")
            if is_new:
                self._path.chmod(0o600)

    def _rotate(self) -> None:
        try:
            if self._path.stat().st_size < self._max_bytes:
                return
        except FileNotFoundError:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            return
        for number in range(self._keep, 0, -1):
            older = self._path if number == 1 else self._numbered(number - 1)
            if older.exists():
                older.replace(self._numbered(number))

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")


class Talk:
    """Says what happens.

    Args:
        say: Takes a line that stays.
        status: Takes the line that is rewritten; None where the output is no terminal.
        log: Gets the lines that stay.
        now: The clock.
    """

    def __init__(
        self, say: Say, status: Say | None, log: LogFile | None, now: Callable[[], datetime]
    ) -> None:
        self._say = say
        self._status = status
        self._log = log
        self._now = now
        self._shown = ""

    def line(self, text: str) -> None:
        """Says a line that stays, with the time before it."""
        stamp = self._now().astimezone()
        text = printable(text)
        if self._log:
            self._log.write(f"{stamp.isoformat(timespec='seconds')} {text}")
        if self._status is None:
            self._say(f"{stamp.isoformat(timespec='seconds')} {text}")
        else:
            self._say(f"{stamp:%H:%M:%S} {text}")
            self._shown, again = "", self._shown
            self.status(again)

    def status(self, text: str) -> None:
        """Rewrites the status line; nothing happens where there is none."""
        text = printable(text)
        if self._status is not None and text != self._shown:
            self._shown = text
            self._status(text)


class Screen:
    """Draws lines and a status line on a terminal.

    Args:
        write: Writes to the terminal and flushes.
        columns: Tells how wide the terminal is now.
    """

    def __init__(self, write: Callable[[str], None], columns: Callable[[], int]) -> None:
        self._write = write
        self._columns = columns
        self._drawn = False

    def say(self, line: str) -> None:
        """Writes a line that stays, above the status line."""
        self._write(("\r\x1b[2K" if self._drawn else "") + line + "\n")
        self._drawn = False

    def status(self, line: str) -> None:
        """Writes the status line over the one before."""
        self._write("\r\x1b[2K" + fit(line, self._columns() - 1))
        self._drawn = True

    def close(self) -> None:
        """Ends the status line, so that the prompt begins below it."""
        if self._drawn:
            self._write("\n")
            self._drawn = False


def printable(text: str) -> str:
    """Replaces what would move the cursor or break the line, as file names may hold it."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def fit(text: str, columns: int) -> str:
    """Cuts a text to a number of columns; Chinese, Japanese, Korean and emoji take two."""
    used = 0
    for position, char in enumerate(text):
        used += 0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if used > columns:
            return text[: max(0, position - 1)] + "…"
    return text
