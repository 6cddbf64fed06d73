"""Names in the repository: what an id of a source or an item is called in a tree and in a ref.

Source: BEHAVIOUR §12.6. Refs are files, so there a dot is escaped too (`..` and `.lock` mean something to git) and a
long name becomes its hash.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

from vaultkeeper.errors import UsageError

_PREFIX = "i_"
_KEPT = re.compile(rb"[A-Za-z0-9._-]")
_ESCAPE = re.compile(r"%([0-9A-F]{2})")
_MAX_REF_BYTES = 200


def encode_name(text: str) -> bytes:
    """Returns `i_` and the UTF-8 bytes of the text, all but `A-Z a-z 0-9 . _ -` as `%XX`."""
    data = text.encode("utf-8", "surrogatepass")
    return _PREFIX.encode() + b"".join(
        byte if _KEPT.match(byte) else b"%%%02X" % byte[0]
        for byte in (data[i : i + 1] for i in range(len(data)))
    )


def decode_name(name: bytes) -> str | None:
    """Returns the text that a name was made from; None for a name that is not one of ours."""
    text = name.decode("ascii", "replace")
    if not text.startswith(_PREFIX):
        return None
    data = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text[len(_PREFIX) :]).encode(
        "latin-1", "replace"
    )
    return data.decode("utf-8", "surrogatepass")


def ref_name(text: str) -> bytes:
    """Returns a name for a part of a ref; the same text has the same name, but it cannot always be read back."""
    name = encode_name(text).replace(b".", b"%2E")
    return name if len(name) <= _MAX_REF_BYTES else b"h_" + hashlib.sha256(name).hexdigest().encode()


def is_source(text: str) -> bool:
    """Tells whether a text can be the id of a source: not blank, and without control characters."""
    return bool(text.strip()) and not any(
        unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") for char in text
    )


def check_source(text: str) -> None:
    """Refuses what cannot be the id of a source.

    Raises:
        UsageError: it is blank or holds control characters.
    """
    if not is_source(text):
        raise UsageError(reason=f"{text!r} cannot be a source: it is blank or holds control characters.")
