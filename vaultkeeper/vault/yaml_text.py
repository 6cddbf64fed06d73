"""Writes YAML values such that readers of YAML 1.1 and 1.2 take them for the same.

Owns quoting. Used for new frontmatter and for the pieces that `vault.splice` inserts.

Source: YAML 1.2.2 chapters 7.3 and 10.3; YAML 1.1 types `bool`, `int`, `float`, `null`, `timestamp`,
`merge`, `value`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

Scalar = str | int | bool | None
Item = str | Mapping[str, str]
"""What a list property can hold: a text, or a small mapping of texts such as a handle."""

_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "~"})
# Begins with a letter beyond doubt, holds only what means nothing to YAML, in flow lists too.
_PLAIN = re.compile(r"[^\W\d_](?:[\w .()/@+$€§°^=~;-]*[\w)./+@-])?")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED = re.compile('["\\\\\x00-\x1f\x7f-\xa0\u00ad\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]')


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    return _ESCAPES.get(char) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def render_scalar(value: Scalar, quote: str = "") -> str:
    """One value on one line. A text is quoted unless it cannot be taken for anything else.

    Args:
        quote: `'` or `"` to quote a text that way if it can be; `"` is taken where `'` cannot.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if not quote and _PLAIN.fullmatch(value) and value.lower() not in _WORDS and not _ESCAPED.search(value):
        return value
    if quote == "'" and value and not _ESCAPED.search(value.replace('"', "").replace("\\", "")):
        return "'" + value.replace("'", "''") + "'"
    return '"' + _ESCAPED.sub(_escape, value) + '"'


def render_flow_item(item: Item) -> str:
    """An item for a list in brackets."""
    if isinstance(item, str):
        return render_scalar(item)
    return (
        "{" + ", ".join(f"{render_scalar(key)}: {render_scalar(value)}" for key, value in item.items()) + "}"
    )


def render_block_item(item: Item, indent: str, newline: str) -> str:
    """An item for a list with one item a line, without the line's end."""
    if isinstance(item, str):
        return f"{indent}- {render_scalar(item)}"
    lines = [f"{render_scalar(key)}: {render_scalar(value)}" for key, value in item.items()]
    return f"{indent}- " + f"{newline}{indent}  ".join(lines)
