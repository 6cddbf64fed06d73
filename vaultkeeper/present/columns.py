"""Rows as aligned columns for a terminal, where a Chinese character takes two places and a combining mark none."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable


def columns(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Aligns rows into columns two blanks apart; the last column runs on."""
    rows = list(rows)
    if not rows:
        return []
    widths = [max(width_of(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell + " " * (width - width_of(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def width_of(text: str) -> int:
    """Returns how many places of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(char) in "WF"
        else 1
        for char in text
    )
