"""How the command line speaks: data on stdout, talk on stderr, colours only where somebody sees them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from typing import IO, Any

import click


def use_colour(stream: IO[Any], environment: Mapping[str, str]) -> bool:
    """Tells whether to colour: never with NO_COLOR, always with FORCE_COLOR, else on a terminal."""
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return stream.isatty() and environment.get("TERM") != "dumb"


def prepare_streams() -> None:
    """Makes stdout and stderr never fail on a character, such as a byte of a file name that is no UTF-8."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            utf8 = (getattr(stream, "encoding", "") or "").lower().replace("-", "") == "utf8"
            reconfigure(errors="surrogateescape" if utf8 else "backslashreplace")


def show(text: str = "") -> None:
    """Prints a line of data, coloured as the context says."""
    click.echo(text)


def show_json(value: object) -> None:
    """Prints a value as indented JSON, with characters as they are."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def say(text: str) -> None:
    """Says something to the person at stderr."""
    click.echo(text, err=True)


def table(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Aligns rows into columns two blanks apart; the last column runs on."""
    rows = list(rows)
    if not rows:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
