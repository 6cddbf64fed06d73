"""Frontmatter: where it stands, and what its YAML says.

YAML is read by the 1.2 core schema with dates as strings, as Obsidian reads it. The C parser of PyYAML delivers
events; the values are built here without recursion, so that duplicate keys, deep nesting and aliases that unfold without
end are refused and nothing can crash. Plain frontmatter takes a shorter way that gives the same values.

Source: YAML 1.2.2, chapter 10.3.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Final

from vaultkeeper.types import FrontmatterState
from vaultkeeper.vault.text import Remark

_OPENING: Final = re.compile(r"---[ \t]*(?:\n|$)")
_CLOSING: Final = re.compile(r"^---[ \t]*$", re.MULTILINE)
_MAX_DEPTH: Final = 100
_MAX_UNFOLDED: Final = 100_000

_CORE_WORDS: Final[dict[str, object]] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    ".inf": math.inf, ".Inf": math.inf, ".INF": math.inf, "+.inf": math.inf, "+.Inf": math.inf, "+.INF": math.inf,
    "-.inf": -math.inf, "-.Inf": -math.inf, "-.INF": -math.inf, ".nan": math.nan, ".NaN": math.nan, ".NAN": math.nan,
}  # fmt: skip
_INTEGER: Final = re.compile(r"[-+]?[0-9]+", re.ASCII)
_OCTAL: Final = re.compile(r"0o[0-7]+")
_HEX: Final = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_NUMBER_START: Final = frozenset("0123456789+-.")
_MAX_DIGITS: Final = 400


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
        Offset behind the opening line, offset of the closing line, and offset behind the closing line; None when there is none.
    """
    if not text.startswith("---"):
        return None
    opening = _OPENING.match(text)
    if opening is None:
        return None
    inner = opening.end()
    closing = _CLOSING.search(text, inner)
    if closing is None or (inner == len(text) and not text.endswith("\n")):
        return None
    return inner, closing.start(), min(closing.end() + 1, len(text))


def core_scalar(text: str) -> object:
    """The value of a plain scalar by the YAML 1.2 core schema; a date is a string."""
    if text in _CORE_WORDS:
        return _CORE_WORDS[text]
    if text[0] not in _NUMBER_START or len(text) > _MAX_DIGITS:
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _OCTAL.fullmatch(text):
        return int(text[2:], 8)
    if _HEX.fullmatch(text):
        return int(text[2:], 16)
    return text


def parse_properties(source: str, first_line: int = 2) -> Frontmatter:
    """Reads the YAML between the two `---`. Never raises.

    Args:
        first_line: Line in the file of the first line of `source`.
    """
    quick = _parse_plain(source, first_line)
    return quick if quick is not None else _parse_yaml(source, first_line)


# --- the short way -----------------------------------------------------------------------------------------------

# One line of plain frontmatter: `key:`, `key: scalar`, `key: [a, b]`, `  - scalar`. Whatever does not fit is left to the
# loader. A plain scalar here begins with a letter, a digit or a CJK sign and holds no `: `, no ` #` and nothing unprintable.
_WIDE: Final = r"\u00a1-\u2027\u2030-\ud7ff\ue000-\ufdff\ufe00-\ufefe\uff01-\uffef\U00010000-\U0001fbff"
_LETTER: Final = r"a-zA-Z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u0391-\u03a9\u03b1-\u03c9\u0410-\u044f\u3041-\u30fa\u4e00-\u9fff"
_PLAIN: Final = rf"[{_LETTER}0-9](?:[\x20-\x22\x24-\x39\x3b-\x7e{_WIDE}]|:(?=[^\s])|(?<=[^\s])\#)*"
_ITEM: Final = rf"[{_LETTER}0-9](?:[\x20-\x22\x24-\x2b\x2d-\x39\x3b-\x5a\x5c\x5e-\x7a\x7c\x7e{_WIDE}])*"
_QUOTED: Final = rf"\"[\x20\x21\x23-\x5b\x5d-\x7e{_WIDE}]*\"|'[\x20-\x26\x28-\x7e{_WIDE}]*'"
_LINE: Final = re.compile(
    rf"""(?:(?P<key>[{_LETTER}_][{_LETTER}0-9_-]*(?:[ ][{_LETTER}0-9_-]+)*):|[ ]{{0,8}}-(?=[ ]))
         (?:[ ]+(?:(?P<plain>{_PLAIN})|(?P<quoted>{_QUOTED})|\[(?P<flow>[ ]*(?:{_ITEM}|{_QUOTED})(?:,[ ]*(?:{_ITEM}|{_QUOTED}))*)?[ ]*\]))?
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
        found = _LINE.match(line)
        if found is None:
            return None
        name, plain, quoted, flow = found.groups()
        value: object
        if plain is not None:
            plain = plain.rstrip(" ")
            value = core_scalar(plain)
        elif quoted is not None:
            value = quoted[1:-1]
            if value[:1] == "[":
                strings.append((value, number))
        elif line.rstrip(" ").endswith("]"):
            value = _flow_list(flow, strings, number)
        else:
            value = None
        if name is not None:
            if name in properties or name in _CORE_WORDS:
                return None
            properties[name] = value
            key = name
            items = [] if value is None else None
            indent = -1
            continue
        if items is None or flow is not None or value is None:
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


# --- the full way ------------------------------------------------------------------------------------------------

# libyaml refuses these characters, or takes them for line ends; Obsidian's YAML takes them for text. They are carried through
# the loader as characters of a private plane.
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_CARRIED: Final = re.compile("[\U000f0000-\U000fffff]")


class _Refused(Exception):
    def __init__(self, code: str, line: int, message: str) -> None:
        super().__init__(message)
        self.remark = Remark(code, line, message)


def _parse_yaml(source: str, first_line: int) -> Frontmatter:
    import yaml

    carried = _UNPRINTABLE.search(source) is not None
    if carried:
        source = _UNPRINTABLE.sub(lambda m: chr(0xF0000 + ord(m.group())), source)
    strings: list[tuple[str, int]] = []
    try:
        value = _build(source, first_line, strings, carried)
    except _Refused as refused:
        return Frontmatter("invalid", error=refused.remark)
    except yaml.YAMLError as error:
        return Frontmatter("invalid", error=_yaml_remark(error, source, first_line))
    if value is None:
        return Frontmatter("empty")
    if not isinstance(value, dict):
        message = "The frontmatter holds no properties; write `key: value`, or put a blank line before the first `---`."
        return Frontmatter("ok", error=Remark("yaml-not-properties", first_line, message))
    return Frontmatter("ok" if value else "empty", value, strings)


def _yaml_remark(error: Exception, source: str, first_line: int) -> Remark:
    mark = getattr(error, "problem_mark", None)
    line = mark.line if mark is not None else 0
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    lines = source.split("\n")
    text = lines[line] if line < len(lines) else ""
    if "\t" in text[: len(text) - len(text.lstrip())] or "\\t" in problem:
        return Remark("yaml-tab", first_line + line, "The frontmatter is indented with a tab; use blanks.")
    hint = (
        "put the value in quotes"
        if "mapping values" in problem
        else "put values with special characters in quotes"
    )
    return Remark(
        "yaml-invalid", first_line + line, f"The frontmatter is not valid YAML ({problem}); {hint}."
    )


def _build(source: str, first_line: int, strings: list[tuple[str, int]], carried: bool) -> object:
    """Builds the value of the only document from the parser's events."""
    import yaml

    loader = getattr(yaml, "CLoader", yaml.Loader)
    root: list[object] = []
    containers: list[list[object] | dict[str, object]] = [root]
    keys: list[str | None] = [None]  # per container: the key that waits for its value
    seen: list[set[tuple[bool, object]] | None] = [None]
    anchors: dict[str, tuple[object, int]] = {}
    open_anchors: list[tuple[str | None, int]] = [(None, 0)]
    unfolded = documents = 0

    def put(value: object, text_key: str | None, line: int) -> None:
        parent = containers[-1]
        if isinstance(parent, list):
            parent.append(value)
            return
        key = keys[-1]
        if key is None:
            name = text_key if text_key is not None else _key_text(value)
            identity = (isinstance(value, str), name)
            known = seen[-1]
            if known is not None and identity in known:
                raise _Refused("yaml-duplicate-key", line, f"The property `{name}` stands twice; remove one.")
            if known is not None:
                known.add(identity)
            keys[-1] = name
            return
        parent[key] = value
        keys[-1] = None

    for event in yaml.parse(source, Loader=loader):
        kind = type(event)
        if kind is yaml.ScalarEvent:
            line = first_line + event.start_mark.line
            text = _CARRIED.sub(_uncarry, event.value) if carried else event.value
            value = _scalar(event, text)
            unfolded += 1
            if event.anchor is not None:
                anchors[event.anchor] = (value, 1)
            if (
                isinstance(value, str)
                and value.lstrip().startswith("[")
                and not _awaits_key(containers, keys)
            ):
                strings.append((value, line))
            put(value, text, line)
        elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
            if len(containers) > _MAX_DEPTH:
                line = first_line + event.start_mark.line
                raise _Refused("yaml-too-deep", line, "The frontmatter is nested too deeply.")
            mapping = kind is yaml.MappingStartEvent
            containers.append({} if mapping else [])
            keys.append(None)
            seen.append(set() if mapping else None)
            unfolded += 1
            open_anchors.append((event.anchor, unfolded))
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            done = containers.pop()
            keys.pop()
            seen.pop()
            anchor, before = open_anchors.pop()
            if anchor is not None:
                anchors[anchor] = (done, unfolded - before + 1)
            put(done, None, first_line + event.start_mark.line)
        elif kind is yaml.AliasEvent:
            line = first_line + event.start_mark.line
            if event.anchor not in anchors:
                raise _Refused(
                    "yaml-invalid", line, f"The alias `*{event.anchor}` has no anchor; quote the value."
                )
            value, size = anchors[event.anchor]
            unfolded += size
            if unfolded > _MAX_UNFOLDED:
                raise _Refused("yaml-too-large", line, "The aliases of the frontmatter unfold without end.")
            put(value, None, line)
        elif kind is yaml.DocumentStartEvent:
            documents += 1
            if documents > 1:
                raise _Refused(
                    "yaml-invalid",
                    first_line + event.start_mark.line,
                    "The frontmatter is two YAML documents.",
                )
    return root[0] if root else None


def _awaits_key(containers: list[list[object] | dict[str, object]], keys: list[str | None]) -> bool:
    return isinstance(containers[-1], dict) and keys[-1] is None


def _uncarry(found: re.Match[str]) -> str:
    return chr(ord(found.group()) - 0xF0000)


def _scalar(event: object, text: str) -> object:
    tag = getattr(event, "tag", None)
    implicit = getattr(event, "implicit", (False, False))
    if tag is None or tag == "!":
        return core_scalar(text) if implicit[0] and tag is None else text
    if tag in (
        "tag:yaml.org,2002:int",
        "tag:yaml.org,2002:float",
        "tag:yaml.org,2002:bool",
        "tag:yaml.org,2002:null",
    ):
        return core_scalar(text)
    return text


def _key_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join(value) + " }"
    if isinstance(value, list):
        return "[ " + ", ".join(_key_text(item) for item in value[:8]) + " ]"
    return str(value)
