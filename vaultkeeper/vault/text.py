"""Bytes of a file to text: encodings, line ends and characters that no text should hold.

Owns the decision how the bytes of a note are read. Never raises, never touches a file; what it guessed it
says.
"""

from __future__ import annotations

import codecs
from typing import NamedTuple

_BOM_32_LE = codecs.BOM_UTF32_LE
_BOM_32_BE = codecs.BOM_UTF32_BE
_BOM_16_LE = codecs.BOM_UTF16_LE
_BOM_16_BE = codecs.BOM_UTF16_BE
_BOM_8 = codecs.BOM_UTF8


class Remark(NamedTuple):
    """What decoding had to guess: a problem that does not know its path yet."""

    code: str
    line: int | None
    message: str


def decode(data: bytes) -> tuple[str, list[Remark]]:
    """Turns the bytes of a file into text with `\\n` line ends and without a byte order mark.

    UTF-8 is tried first; a byte order mark names UTF-16 or UTF-32; anything else is read as Windows-1252,
    whose five unassigned bytes become control characters as in Latin-1, so that every file has a text.

    Returns:
        The text, and a remark for everything that was not plain UTF-8 with one kind of line end.
    """
    remarks: list[Remark] = []
    if data.startswith(_BOM_8):
        data = data[3:]
    try:
        text = data.decode("utf-8") if not _has_wide_mark(data) else _decode_wide(data, remarks)
    except UnicodeDecodeError as error:
        text = _decode_single_bytes(data, error.start, remarks)
    if "\r" in text:
        text = _unify_line_ends(text, remarks)
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        remarks.append(
            Remark("text-nul", line, "The file holds NUL characters; it may be damaged or no text.")
        )
    return text, remarks


def _has_wide_mark(data: bytes) -> bool:
    return data[:2] in (_BOM_16_LE, _BOM_16_BE) or data[:4] == _BOM_32_BE


def _decode_wide(data: bytes, remarks: list[Remark]) -> str:
    wide = data[:4] in (_BOM_32_LE, _BOM_32_BE) and len(data) % 4 == 0
    encoding = "utf-32" if wide else "utf-16"
    text = data.decode(encoding, errors="replace")
    message = f"The file is {encoding.upper()}; Obsidian expects UTF-8. Save it as UTF-8."
    remarks.append(Remark("text-encoding", None, message))
    return text.encode("utf-8", errors="replace").decode("utf-8")


def _decode_single_bytes(data: bytes, bad_byte: int, remarks: list[Remark]) -> str:
    line = data.count(b"\n", 0, bad_byte) + 1
    message = "The file is not valid UTF-8 and was read as Windows-1252; save it as UTF-8."
    remarks.append(Remark("text-encoding", line, message))
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="vaultkeeper.latin1")


def _latin1_for_unassigned(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):  # the codec machinery may only call it for decoding
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("vaultkeeper.latin1", _latin1_for_unassigned)


def _unify_line_ends(text: str, remarks: list[Remark]) -> str:
    crlf = text.count("\r\n")
    lone_cr = text.count("\r") - crlf
    lone_lf = text.count("\n") - crlf
    text = text.replace("\r\n", "\n") if crlf else text
    text = text.replace("\r", "\n") if lone_cr else text
    if (crlf > 0) + (lone_cr > 0) + (lone_lf > 0) > 1:
        message = "The file mixes kinds of line ends; it is read as if they were the same."
        remarks.append(Remark("text-line-ends", None, message))
    return text
