"""How the command line speaks: data on stdout, talk on stderr, colours only where somebody sees them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from typing import IO, Any, TextIO

import click


def use_colour(stream: IO[Any], environment: Mapping[str, str]) -> bool:
    """Tells whether to colour: never with NO_COLOR, always with FORCE_COLOR, else on a terminal."""
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return stream.isatty() and environment.get("TERM") != "dumb"


def prepare_streams() -> None:
    """Makes stdout and stderr never fail on a character, such as a byte of a file name that is no UTF-8.

    A stream that was closed before the start leads nowhere; otherwise its number would be given to the next file that
    is opened, such as the index.
    """
    while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
        continue
    os.close(handle)
    sys.stdin = sys.stdin or _nowhere(0)
    sys.stdout = sys.stdout or _nowhere(1)
    sys.stderr = sys.stderr or _nowhere(2)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            utf8 = (getattr(stream, "encoding", "") or "").lower().replace("-", "") == "utf8"
            reconfigure(errors="surrogateescape" if utf8 else "backslashreplace")


def _nowhere(number: int) -> TextIO:
    return os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False)


def harmless(text: str, *, colours: bool = False) -> str:
    """Replaces control characters by their names: what stands in a note must not command the terminal.

    Args:
        colours: Leave colours as they are, in a text that is not from a note alone.
    """
    if _CONTROL.search(text) is None:
        return text
    return (_CONTROL_OR_COLOUR if colours else _CONTROL).sub(_name_control, text)


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_CONTROL_OR_COLOUR = re.compile(r"\x1b\[[0-9;]*m|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _name_control(found: re.Match[str]) -> str:
    text = found.group()
    return text if len(text) > 1 else f"\\x{ord(text):02x}"


def show(text: str = "") -> None:
    """Prints a line of data, coloured as the context says."""
    click.echo(harmless(text, colours=True))


def show_json(value: object) -> None:
    """Prints a value as indented JSON, with characters as they are; bytes that are no UTF-8 as escapes."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    click.echo(text.encode("utf-8", "backslashreplace").decode("utf-8"))


def say(text: str, colour: bool | None = None) -> None:
    """Says something to the person at stderr; that nobody can hear it changes nothing."""
    with contextlib.suppress(OSError):
        click.echo(harmless(text, colours=True), err=True, color=colour)


def table(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Aligns rows into columns; see `present.columns`."""
    from vaultkeeper.present.columns import columns

    return columns(rows)
