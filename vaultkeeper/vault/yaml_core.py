"""YAML as Obsidian reads it: the 1.2 core schema with dates as strings, and refusal of what could do harm.

The C parser of PyYAML delivers events; the values are built here without recursion, so that duplicate keys,
deep nesting and aliases that unfold without end are refused and nothing can crash.

Source: YAML 1.2.2, chapter 10.3. Where libyaml and the YAML library that Obsidian uses differ, the latter
wins.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any, Final

from vaultkeeper.vault.text import Remark

_MAX_DEPTH: Final = 100
_MAX_UNFOLDED: Final = 100_000

CORE_WORDS: Final[dict[str, object]] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    ".inf": math.inf, ".Inf": math.inf, ".INF": math.inf,
    "+.inf": math.inf, "+.Inf": math.inf, "+.INF": math.inf,
    "-.inf": -math.inf, "-.Inf": -math.inf, "-.INF": -math.inf,
    ".nan": math.nan, ".NaN": math.nan, ".NAN": math.nan,
}  # fmt: skip
_INTEGER: Final = re.compile(r"[-+]?[0-9]+", re.ASCII)
_OCTAL: Final = re.compile(r"0o[0-7]+")
_HEX: Final = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_NUMBER_START: Final = frozenset("0123456789+-.")
_MAX_DIGITS: Final = 400
_CORE_TAGS: Final = frozenset(f"tag:yaml.org,2002:{name}" for name in ("int", "float", "bool", "null"))


def core_scalar(text: str) -> object:
    """The value of a plain scalar by the YAML 1.2 core schema; a date is a string."""
    if text in CORE_WORDS:
        return CORE_WORDS[text]
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


# libyaml refuses these characters, or takes them for line ends; Obsidian's YAML takes them for text. They are
# carried through the loader as characters of a private plane.
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_CARRIED: Final = re.compile("[\U000f0000-\U000fffff]")


_FLOW_THEN_COLON: Final = re.compile(
    r"([^:#]*:[ ]+)((?:\{[^{}]*\}|\{\{[^{}]*\}\}|\[[^\[\]]*\])[ ]*):(?:[ ]+[^:#]*)?$"
)


class _RefusedError(Exception):
    def __init__(self, code: str, line: int, message: str) -> None:
        super().__init__(message)
        self.remark = Remark(code, line, message)


@dataclass(slots=True)
class Loaded:
    """What a YAML text says.

    Attributes:
        value: Of its only document; None when there is none, or when `error` says why it cannot be read.
        strings: Every string value that begins with `[`, with its line.
    """

    value: object = None
    strings: list[tuple[str, int]] = field(default_factory=list)
    error: Remark | None = None


def load_yaml(source: str, first_line: int) -> Loaded:
    """Reads a YAML text. Never raises.

    Args:
        first_line: Line in the file of the first line of `source`.
    """
    import yaml

    carried = _UNPRINTABLE.search(source) is not None
    if carried:
        source = _UNPRINTABLE.sub(lambda found: chr(0xF0000 + ord(found.group())), source)
    mended = None
    while True:
        builder = _Builder(source, first_line, carried)
        try:
            return Loaded(builder.build(), builder.strings)
        except _RefusedError as refused:
            return Loaded(error=refused.remark)
        except yaml.YAMLError as error:
            # A second one would have the same empty key, which is an error.
            mended = _mend(error, source) if mended is None else None
            if mended is None:
                return Loaded(error=_yaml_remark(error, source, first_line))
            source = mended


def _mend(error: Exception, source: str) -> str | None:
    """Takes away `: text` behind `{{value}}`, which Obsidian's YAML accepts as an entry with an empty key."""
    mark = getattr(error, "problem_mark", None)
    if mark is None or "mapping values are not allowed" not in (getattr(error, "problem", None) or ""):
        return None
    lines = source.split("\n")
    found = _FLOW_THEN_COLON.match(lines[mark.line]) if mark.line < len(lines) else None
    if found is None:
        return None
    lines[mark.line] = found.group(1) + found.group(2)
    return "\n".join(lines)


def _yaml_remark(error: Exception, source: str, first_line: int) -> Remark:
    mark = getattr(error, "problem_mark", None)
    line = mark.line if mark is not None else 0
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    lines = source.split("\n")
    text = lines[line] if line < len(lines) else ""
    if "\t" in text[: len(text) - len(text.lstrip())] or "\\t" in problem:
        return Remark("yaml-tab", first_line + line, "The frontmatter is indented with a tab; use blanks.")
    quote = "the value" if "mapping values" in problem else "values with special characters"
    message = f"The frontmatter is not valid YAML ({problem}); put {quote} in quotes."
    return Remark("yaml-invalid", first_line + line, message)


@dataclass(slots=True)
class _Open:
    """A list or mapping that is being built.

    Attributes:
        indent: Column of a block list or mapping; for flow style, that of the innermost block around it, or
            -1.
        key: The key that waits for its value.
        weight: Number of values that had been read when it began.
    """

    value: list[object] | dict[str, object]
    indent: int
    flow: bool
    anchor: str | None
    weight: int
    line: int
    key: str | None = None
    keys: set[tuple[str, object]] = field(default_factory=set)


class _Builder:
    """Builds the value of the only document from the parser's events."""

    def __init__(self, source: str, first_line: int, carried: bool) -> None:
        self.source = source
        self.first_line = first_line
        self.carried = carried
        self.strings: list[tuple[str, int]] = []
        self.open: list[_Open] = [_Open([], -1, False, None, 0, 0)]
        self.anchors: dict[str, tuple[object, int]] = {}
        self.weight = 0
        self._lines: list[str] | None = None

    def build(self) -> object:
        import yaml

        documents = 0
        event: Any
        for event in yaml.parse(self.source, Loader=getattr(yaml, "CLoader", yaml.Loader)):
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self._add_scalar(event)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                self._begin(event, {} if kind is yaml.MappingStartEvent else [])
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self._end(event)
            elif kind is yaml.AliasEvent:
                self._add_alias(event)
            elif kind is yaml.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    raise self._refused("yaml-invalid", event, "The frontmatter is two YAML documents.")
        root = self.open[0].value
        return root[0] if isinstance(root, list) and root else None

    def _refused(self, code: str, event: Any, message: str) -> _RefusedError:
        return _RefusedError(code, self.first_line + event.start_mark.line, message)

    def _add_scalar(self, event: Any) -> None:
        text = _CARRIED.sub(_uncarry, event.value) if self.carried else event.value
        start, end = event.start_mark.line, event.end_mark.line
        if end > start and event.style in ("'", '"'):
            self._check_indent(event, start, end, flow=False)
        value = _scalar(event, text)
        self.weight += 1
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, 1)
        top = self.open[-1]
        is_value = isinstance(top.value, list) or top.key is not None
        if is_value and isinstance(value, str) and value.lstrip()[:1] == "[":
            self.strings.append((value, self.first_line + start))
        self._put(value, event)

    def _begin(self, event: Any, value: list[object] | dict[str, object]) -> None:
        if len(self.open) > _MAX_DEPTH:
            raise self._refused("yaml-too-deep", event, "The frontmatter is nested too deeply.")
        self.weight += 1
        flow = bool(event.flow_style)
        indent = self.open[-1].indent if flow else event.start_mark.column
        self.open.append(_Open(value, indent, flow, event.anchor, self.weight, event.start_mark.line))

    def _end(self, event: Any) -> None:
        done = self.open.pop()
        if done.flow and not self.open[-1].flow and event.end_mark.line > done.line:
            self._check_indent(event, done.line, event.end_mark.line, flow=True)
        if done.anchor is not None:
            self.anchors[done.anchor] = (done.value, self.weight - done.weight + 1)
        self._put(done.value, event)

    def _add_alias(self, event: Any) -> None:
        if event.anchor not in self.anchors:
            message = f"The alias `*{event.anchor}` has no anchor; put the value in quotes."
            raise self._refused("yaml-invalid", event, message)
        value, weight = self.anchors[event.anchor]
        self.weight += weight
        if self.weight > _MAX_UNFOLDED:
            raise self._refused("yaml-too-large", event, "The aliases of the frontmatter unfold without end.")
        self._put(value, event)

    def _put(self, value: object, event: Any) -> None:
        top = self.open[-1]
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.key is None:
            name = _key_text(value)
            identity = ("text" if isinstance(value, str) else "other", name)
            if identity in top.keys:
                message = f"The property `{name[:80]}` stands twice; remove one."
                raise self._refused("yaml-duplicate-key", event, message)
            top.keys.add(identity)
            top.key = name
        else:
            top.value[top.key] = value
            top.key = None

    def _check_indent(self, event: Any, start: int, end: int, *, flow: bool) -> None:
        """Refuses a quoted text or flow list that goes on without an indent; libyaml lets it pass."""
        least = self.open[-1].indent + 1
        if least == 0:
            return
        if self._lines is None:
            self._lines = self.source.split("\n")
        for number in range(start + 1, min(end + 1, len(self._lines))):
            line = self._lines[number]
            text = line.lstrip(" ")
            if not text or len(line) - len(text) >= least or (flow and text[0] == "#"):
                continue
            if flow and number == end and text[0] in "]}" and len(line) - len(text) == least - 1:
                continue
            message = "A quote or bracket is not closed before a line that is not indented."
            raise _RefusedError("yaml-invalid", self.first_line + start, message)


def _uncarry(found: re.Match[str]) -> str:
    return chr(ord(found.group()) - 0xF0000)


def _scalar(event: Any, text: str) -> object:
    if event.tag is None:
        return core_scalar(text) if event.implicit[0] else text
    return core_scalar(text) if event.tag in _CORE_TAGS else text


def _key_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, dict):
        return "{ " + ", ".join(value) + " }"
    if isinstance(value, list):
        return "[ " + ", ".join([_key_text(item) for item in value]) + " ]"
    return str(value)
