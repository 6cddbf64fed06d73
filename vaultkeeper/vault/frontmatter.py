"""Frontmatter: where it stands in a note, and the properties in it.

Plain frontmatter takes a short way through one pattern a line, which gives the same values as `yaml_core`;
everything else goes there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from vaultkeeper.types import FrontmatterState
from vaultkeeper.vault.text import Remark
from vaultkeeper.vault.yaml_core import CORE_WORDS, core_scalar, load_yaml

_OPENING: Final = re.compile(r"---[ \t]*(?:\n|$)")
_CLOSING: Final = re.compile(r"---[ \t]*$", re.MULTILINE)


@dataclass(slots=True)
class Frontmatter:
    """What stands between the two `---` of a note.

    Attributes:
        strings: Every string value that begins with `[`, with its line in the file, for property links.
        error: What is wrong with it when the state is `invalid`.
    """

    state: FrontmatterState = "none"
    properties: dict[str, object] = field(default_factory=dict)
    strings: list[tuple[str, int]] = field(default_factory=list)
    error: Remark | None = None


def frontmatter_span(text: str) -> tuple[int, int, int] | None:
    """Finds the frontmatter of a text without a byte order mark.

    Returns:
        Offset behind the opening line, of the closing line, and behind it; None when there is no frontmatter.
    """
    if not text.startswith("---"):
        return None
    opening = _OPENING.match(text)
    if opening is None:
        return None
    inner = opening.end()
    closing = None
    at = inner - 1
    while closing is None and at >= 0:  # several times quicker than a search for the pattern
        closing = _CLOSING.match(text, at + 1)
        at = text.find("\n---", at + 1)
    if closing is None or (inner == len(text) and not text.endswith("\n")):
        return None
    return inner, closing.start(), min(closing.end() + 1, len(text))


def parse_properties(source: str, first_line: int = 2) -> Frontmatter:
    """Reads the YAML between the two `---`. Never raises.

    Args:
        first_line: Line in the file of the first line of `source`.
    """
    quick = _parse_plain(source, first_line)
    return quick if quick is not None else _parse_yaml(source, first_line)


def _parse_yaml(source: str, first_line: int) -> Frontmatter:
    loaded = load_yaml(source, first_line)
    if loaded.error is not None:
        return Frontmatter("invalid", error=loaded.error)
    if loaded.value is None:
        return Frontmatter("empty")
    if not isinstance(loaded.value, dict):
        message = "The frontmatter holds no properties; write `key: value`."
        return Frontmatter("ok", error=Remark("yaml-not-properties", first_line, message))
    return Frontmatter("ok" if loaded.value else "empty", loaded.value, loaded.strings)


# One line of plain frontmatter: `key:`, `key: scalar`, `key: [a, b]`, `  - scalar`. Whatever does not fit
# is left to the loader. A plain scalar here begins with a letter, a digit or a CJK sign and holds no `: `,
# no ` #` and nothing unprintable.
_WIDE: Final = r"\u00a1-\u2027\u2030-\ud7ff\ue000-\ufdff\ufe00-\ufefe\uff01-\uffef\U00010000-\U0001fbff"
_LETTER: Final = (
    r"a-zA-Z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u0391-\u03a9\u03b1-\u03c9\u0410-\u044f"
    r"\u3041-\u30fa\u4e00-\u9fff"
)
_PLAIN: Final = rf"[{_LETTER}0-9](?:[\x20-\x22\x24-\x39\x3b-\x7e{_WIDE}]|:(?=[^\s])|(?<=[^\s])\#)*"
_ITEM: Final = rf"[{_LETTER}0-9](?:[\x20-\x22\x24-\x2b\x2d-\x39\x3b-\x5a\x5c\x5e-\x7a\x7c\x7e{_WIDE}])*"
_QUOTED: Final = rf"\"[\x20\x21\x23-\x5b\x5d-\x7e{_WIDE}]*\"|'[\x20-\x26\x28-\x7e{_WIDE}]*'"
_LINE: Final = re.compile(
    rf"""(?:(?P<key>[{_LETTER}_][{_LETTER}0-9_-]*(?:[ ][{_LETTER}0-9_-]+)*):|[ ]{{0,8}}-(?=[ ]))
         (?:[ ]+(?:(?P<plain>{_PLAIN})|(?P<quoted>{_QUOTED})
            |\[(?P<flow>[ ]*(?:{_ITEM}|{_QUOTED})(?:,[ ]*(?:{_ITEM}|{_QUOTED}))*)?[ ]*\]))?
         [ ]*$""",
    re.VERBOSE,
)
_FLOW_PARTS: Final = re.compile(rf"[ ]*(?:({_ITEM})|({_QUOTED}))(?:,|[ ]*$)")


def _parse_plain(source: str, first_line: int) -> Frontmatter | None:
    """Reads frontmatter of the plainest kind; None when anything in it is not."""
    properties: dict[str, object] = {}
    strings: list[tuple[str, int]] = []
    items: list[object] | None = None
    indent = -1
    key = ""
    number = first_line - 1
    for line in source.split("\n"):
        number += 1
        if not line:
            continue
        name = plain = quoted = flow = None
        if line.isascii():  # `key:`, `key: word` and `  - word` need no pattern
            head, _, rest = line.partition(":")
            if head.isalpha() and (not rest or (rest[0] == " " and rest[1:].isalpha())):
                name, plain = head, rest[1:] or None
            elif line.startswith("  - ") and line[4:].isalpha():
                plain = line[4:]
        if name is None and plain is None:
            found = _LINE.match(line)
            if found is None:
                return None
            name, plain, quoted, flow = found.groups()
        value: object
        if plain is not None:
            value = plain if plain.isalpha() and plain not in CORE_WORDS else core_scalar(plain.rstrip(" "))
        elif quoted is not None:
            value = quoted[1:-1]
            if value[:1] == "[":
                strings.append((value, number))
        elif line.rstrip(" ").endswith("]"):
            value = _flow_list(flow, strings, number)
        else:
            value = None
        bare = plain is None and value is None
        if name is not None:
            if name in properties or name in CORE_WORDS:
                return None
            properties[name] = value
            key = name
            items = [] if bare else None
            indent = -1
            continue
        if items is None or bare or isinstance(value, list):
            return None
        depth = line.index("-")
        if indent < 0:
            indent = depth
            properties[key] = items
        elif indent != depth:
            return None
        items.append(value)
    return Frontmatter("ok" if properties else "empty", properties, strings)


def _flow_list(flow: str | None, strings: list[tuple[str, int]], number: int) -> list[object]:
    values: list[object] = []
    for part in _FLOW_PARTS.finditer(flow or ""):
        plain, quoted = part.groups()
        if plain is not None:
            values.append(core_scalar(plain.rstrip(" ")))
        else:
            values.append(quoted[1:-1])
            if quoted[1:2] == "[":
                strings.append((quoted[1:-1], number))
    return values
