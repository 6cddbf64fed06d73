"""Edits one property of a note by changing only the bytes that must change.

Owns where a property stands in the bytes of a note. Order of keys, comments, quoting, line ends, byte order
mark, a missing last line end and every other property stay as they are. What is inserted is read the same
by YAML 1.1 and 1.2.

Each edit is checked before it is returned: the properties are read again, and must be the old ones but for
the change. A note for which that does not hold is refused with `UnreadableNoteError`, as is one whose
frontmatter cannot be read at all.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from vaultkeeper.errors import UnreadableNoteError
from vaultkeeper.vault.frontmatter import parse_properties
from vaultkeeper.vault.yaml_text import Item, Scalar, render_block_item, render_flow_item, render_scalar

_OPENING = re.compile(r"---[ \t]*(\r\n|\n|\r|$)")
_CLOSING = re.compile(r"(?:^|(?<=[\r\n]))---[ \t]*(?=\r|\n|$)")
_LINE_END = re.compile(r"\r\n|\n|\r")
_CARRIED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_FLOW_BREAKS = re.compile(r"[,\[\]{}]")


@dataclass(slots=True)
class _Document:
    """A note taken apart.

    Attributes:
        mark: The byte order mark, or nothing.
        text: All behind it; bytes that are no UTF-8 are carried as lone surrogates.
        inner: Offset behind the opening line, or -1 without frontmatter.
        close: Offset of the closing line.
        newline: The line end of the frontmatter, or of the first line.
    """

    path: str
    mark: bytes
    text: str
    inner: int
    close: int
    newline: str
    properties: dict[str, object]

    def refuse(self, reason: str) -> UnreadableNoteError:
        return UnreadableNoteError(path=self.path, reason=reason)

    def encode(self, text: str) -> bytes:
        return self.mark + text.encode("utf-8", "surrogateescape")

    @property
    def body(self) -> str:
        """Everything from the closing line on; the whole text without frontmatter."""
        return self.text[self.close :] if self.inner >= 0 else self.text


def _open(data: bytes, path: str) -> _Document:
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    text = data[len(mark) :].decode("utf-8", "surrogateescape")
    first = _LINE_END.search(text)
    document = _Document(path, mark, text, -1, 0, first[0] if first else "\n", {})
    if (
        data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        or data[:4] == codecs.BOM_UTF32_BE
        or b"\0" in data[:4096]
    ):
        raise document.refuse("it is not a UTF-8 text")
    opening = _OPENING.match(text)
    if opening is None:
        return document
    closing = _CLOSING.search(text, opening.end()) if opening[1] else None
    if closing is None:
        raise document.refuse("its frontmatter is never closed")
    document.inner, document.close, document.newline = opening.end(), closing.start(), opening[1]
    source = text[document.inner : document.close]
    if re.search("[\ud800-\udfff]", source):
        raise document.refuse("its frontmatter is not UTF-8")
    front = parse_properties(_LINE_END.sub("\n", source))
    if front.error is not None:
        raise document.refuse(front.error.message.rstrip("."))
    document.properties = front.properties
    return document


def read_properties(data: bytes, path: str = "the note") -> dict[str, object]:
    """The properties of a note's bytes; empty without frontmatter.

    Raises:
        UnreadableNoteError: there is frontmatter that cannot be read.
    """
    return _open(data, path).properties


class _Tree:
    """The YAML nodes of the frontmatter with their offsets in the note's text."""

    def __init__(self, document: _Document) -> None:
        import yaml

        self.document = document
        source = document.text[document.inner : document.close]
        source = _CARRIED.sub(lambda match: chr(0xF0000 + ord(match[0])), source)
        try:
            root = yaml.compose(source, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            raise document.refuse("its frontmatter is not valid YAML") from error
        if root is not None and (not isinstance(root, yaml.MappingNode) or root.flow_style):
            raise document.refuse("its properties do not stand one on a line")
        self.pairs: list[tuple[Any, Any]] = root.value if root is not None else []

    def start(self, node: Any) -> int:
        return self.document.inner + int(node.start_mark.index)

    def end(self, node: Any) -> int:
        return self.document.inner + int(node.end_mark.index)

    def find(self, key: str) -> tuple[str, Any, Any] | None:
        """The name as written, key node and value node of a property; case matters only if several differ in it."""
        import yaml

        named = [(k.value, k, v) for k, v in self.pairs if isinstance(k, yaml.ScalarNode)]
        for found in named:
            if found[0] == key:
                return self._checked(found)
        for found in named:
            if str(found[0]).lower() == key.lower():
                return self._checked(found)
        return None

    def _checked(self, found: tuple[str, Any, Any]) -> tuple[str, Any, Any]:
        if self.start(found[2]) < self.end(found[1]):
            raise self.document.refuse(f"`{found[0]}` is a YAML alias of another value")
        return found

    def last_offset(self, node: Any, floor: int) -> int:
        """Where the last piece of text of a node ends."""
        import yaml

        if self.start(node) < floor:
            raise self.document.refuse("its frontmatter uses YAML aliases here")
        if isinstance(node, yaml.ScalarNode) or node.flow_style or not node.value:
            return self.end(node)
        last = node.value[-1]
        return self.last_offset(last[1] if isinstance(last, tuple) else last, floor)

    def line_start(self, offset: int) -> int:
        text = self.document.text
        return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1

    def line_end(self, offset: int) -> int:
        """Offset of the line end at or behind an offset; the offset itself where a line begins (after a block text)."""
        text = self.document.text
        if offset > self.document.inner and text[offset - 1] in "\r\n":
            return offset
        match = _LINE_END.search(text, offset)
        return match.start() if match else len(text)

    def next_line(self, offset: int) -> int:
        end = self.line_end(offset)
        if end == offset and end > self.document.inner and self.document.text[end - 1] in "\r\n":
            return end
        match = _LINE_END.match(self.document.text, end)
        return match.end() if match else end


def _same(left: object, right: object) -> bool:
    return repr(left) == repr(right)


def _finish(document: _Document, text: str, key: str, wanted: object) -> bytes:
    """Checks that an edit did what it should and nothing else."""
    data = document.encode(text)
    try:
        after = _open(data, document.path)
    except UnreadableNoteError:
        raise document.refuse(f"`{key}` stands there in a way that cannot be changed safely") from None
    expected = dict(document.properties)
    expected[key] = wanted
    if not _same(list(after.properties.items()), list(expected.items())) or (
        document.inner >= 0 and after.body != document.body
    ):
        raise document.refuse(f"`{key}` stands there in a way that cannot be changed safely")
    if document.inner < 0 and after.text[after.close :].partition(document.newline)[2] != document.text:
        raise document.refuse("no frontmatter can be put before its text")
    return data


def _add_lines(document: _Document, tree: _Tree | None, key: str, lines: list[str], wanted: object) -> bytes:
    """Adds a property behind all others, and frontmatter where there is none."""
    newline = document.newline
    if document.inner < 0 or tree is None:
        text = newline.join(["---", *lines, "---", ""]) + document.text
        return _finish(document, text, key, wanted)
    indent = " " * (tree.pairs[0][0].start_mark.column if tree.pairs else 0)
    block = "".join(indent + line + newline for line in lines)
    text = document.text[: document.close] + block + document.text[document.close :]
    return _finish(document, text, key, wanted)


def set_property(data: bytes, key: str, value: Scalar, path: str = "the note") -> bytes:
    """Sets a property to one value; it is added behind the others when it is missing.

    A quoted value stays quoted the same way, and a plain timestamp plain. Nothing changes when it has the
    value already.

    Args:
        path: For error messages.

    Raises:
        UnreadableNoteError: the frontmatter cannot be read, or the property holds a list or a mapping.
    """
    import yaml

    document = _open(data, path)
    tree = _Tree(document) if document.inner >= 0 else None
    found = tree.find(key) if tree else None
    if tree is None or found is None:
        return _add_lines(document, tree, key, [f"{render_scalar(key)}: {render_scalar(value)}"], value)
    name, _, node = found
    if not isinstance(node, yaml.ScalarNode):
        raise document.refuse(f"`{name}` holds more than one value")
    if _same(document.properties.get(name), value):
        return data
    start, end = tree.start(node), tree.end(node)
    old = document.text[start:end]
    quote = old[0] if old[:1] in ("'", '"') else ""
    new = render_scalar(value, quote) if isinstance(value, str) else render_scalar(value)
    if isinstance(value, str) and _TIMESTAMP.fullmatch(value) and _TIMESTAMP.fullmatch(old):
        new = value
    if start == end:
        new = new if document.text[start - 1] in " \t" else " " + new
    elif old[-1] in "\r\n":
        new += document.newline
    return _finish(document, document.text[:start] + new + document.text[end:], name, value)


def append_items(data: bytes, key: str, items: Sequence[Item], path: str = "the note") -> bytes:
    """Appends to a list property, in the style that it is written in.

    A missing property is added, an empty one filled; a single value becomes the first of the list.

    Raises:
        UnreadableNoteError: the frontmatter cannot be read, or the property is a mapping.
    """
    import yaml

    document = _open(data, path)
    if not items:
        return data
    new_values: list[object] = [item if isinstance(item, str) else dict(item) for item in items]
    tree = _Tree(document) if document.inner >= 0 else None
    found = tree.find(key) if tree else None
    newline = document.newline
    if tree is None or found is None:
        lines = [render_block_item(item, "  ", newline) for item in items]
        lines = [line for item in lines for line in item.split(newline)]
        return _add_lines(document, tree, key, [f"{render_scalar(key)}:", *lines], new_values)
    name, key_node, node = found
    text = document.text
    value = document.properties.get(name)
    start, end = tree.start(node), tree.end(node)
    flow = ", ".join(render_flow_item(item) for item in items)
    if isinstance(node, yaml.ScalarNode):
        if value is None and start == end:
            indent = " " * (key_node.start_mark.column + 2)
            at = tree.line_end(start)
            block = "".join(newline + render_block_item(item, indent, newline) for item in items)
            return _finish(document, text[:at] + block + text[at:], name, new_values)
        old = text[start:end]
        tail = newline if old[-1] in "\r\n" else ""
        if value is None or value == "":
            return _finish(document, text[:start] + f"[{flow}]" + tail + text[end:], name, new_values)
        if tail or _LINE_END.search(old) or (old[0] not in "'\"" and _FLOW_BREAKS.search(old)):
            old = render_scalar(str(node.value))
        edited = text[:start] + f"[{old}, {flow}]" + tail + text[end:]
        return _finish(document, edited, name, [value, *new_values])
    if not isinstance(node, yaml.SequenceNode) or not isinstance(value, list):
        raise document.refuse(f"`{name}` is no list")
    wanted = [*value, *new_values]
    if node.flow_style:
        if not node.value:
            at = text.index("[", start) + 1
            return _finish(document, text[:at] + flow + text[at:], name, wanted)
        at = tree.last_offset(node.value[-1], start)
        return _finish(document, f"{text[:at]}, {flow}{text[at:]}", name, wanted)
    at = tree.line_end(tree.last_offset(node, start))
    indent = text[tree.line_start(start) : start]
    if indent.strip(" "):
        raise document.refuse(f"the list of `{name}` does not begin on its own line")
    rendered = [render_block_item(item, indent, newline) for item in items]
    if at > document.inner and text[at - 1] in "\r\n":
        block = "".join(item + newline for item in rendered)
    else:
        block = "".join(newline + item for item in rendered)
    return _finish(document, text[:at] + block + text[at:], name, wanted)


def remove_items(data: bytes, key: str, matches: Callable[[object], bool], path: str = "the note") -> bytes:
    """Removes items from a list property. A list that becomes empty is written `[]`; nothing changes when
    nothing matches.

    Args:
        matches: Tells of each value, as read from the note, whether it goes.

    Raises:
        UnreadableNoteError: the frontmatter cannot be read, or the property is a mapping.
    """
    import yaml

    document = _open(data, path)
    tree = _Tree(document) if document.inner >= 0 else None
    found = tree.find(key) if tree else None
    if tree is None or found is None:
        return data
    name, key_node, node = found
    text = document.text
    value = document.properties.get(name)
    start, end = tree.start(node), tree.end(node)
    if isinstance(node, yaml.ScalarNode):
        if value is None or not matches(value):
            return data
        tail = document.newline if text[end - 1] in "\r\n" else ""
        return _finish(document, text[:start] + "[]" + tail + text[end:], name, [])
    if not isinstance(node, yaml.SequenceNode) or not isinstance(value, list):
        raise document.refuse(f"`{name}` is no list")
    doomed = [number for number, item in enumerate(value) if matches(item)]
    if not doomed:
        return data
    wanted = [item for number, item in enumerate(value) if number not in set(doomed)]
    cuts = _flow_cuts(tree, node, doomed) if node.flow_style else _block_cuts(tree, node, doomed)
    for before, after in reversed(cuts):
        text = text[:before] + text[after:]
    if not wanted and not node.flow_style:
        at = text.index(":", tree.end(key_node)) + 1
        text = text[:at] + " []" + text[at:]
    return _finish(document, text, name, wanted)


def _block_cuts(tree: _Tree, node: Any, doomed: list[int]) -> list[tuple[int, int]]:
    """The lines of items of a list with one item a line; ascending and apart."""
    text = tree.document.text
    floor = tree.start(node)
    dash = re.compile(rf" {{{int(node.start_mark.column)}}}-(?=[ \t\r\n]|$)")
    cuts: list[tuple[int, int]] = []
    for number in doomed:
        end = tree.next_line(tree.last_offset(node.value[number], floor))
        line = tree.line_start(tree.start(node.value[number]))
        while line > floor and not dash.match(text, line):
            line = tree.line_start(line - 1)
        cuts.append((line, end))
    return cuts


def _flow_cuts(tree: _Tree, node: Any, doomed: list[int]) -> list[tuple[int, int]]:
    """Items of a list in brackets, with the commas that are no longer needed; ascending and apart."""
    text = tree.document.text
    floor = tree.start(node)
    ends = [tree.last_offset(item, floor) for item in node.value]
    tail = len(node.value)  # where the items begin of which none stays
    while tail - 1 in doomed:
        tail -= 1
    cuts: list[tuple[int, int]] = []
    for number in doomed:
        if number >= tail:
            break
        comma = re.compile(r"\s*,[ \t]*").match(text, ends[number])
        after = comma.end() if comma else tree.start(node.value[number + 1])
        cuts.append((tree.start(node.value[number]), after))
    if tail < len(node.value):
        comma = None if tail else re.compile(r"\s*,").match(text, ends[-1])
        cuts.append(
            (ends[tail - 1] if tail else tree.start(node.value[0]), comma.end() if comma else ends[-1])
        )
    return cuts


def append_text(data: bytes, text: str, path: str = "the note") -> bytes:
    """Appends lines to the body, with the note's line ends; one blank line parts them from what is there.

    Args:
        text: With `\\n` line ends.

    Raises:
        UnreadableNoteError: the note is no UTF-8 text, or its frontmatter cannot be read.
    """
    document = _open(data, path)
    newline = document.newline
    have = document.text
    if have and not have.endswith(("\n", "\r")):
        have += newline
    if have and not have.endswith((newline * 2,)):
        have += newline
    return document.encode(have + text.strip("\n").replace("\n", newline) + newline)


def body_text(data: bytes, path: str = "the note") -> str:
    """The body of a note with `\\n` line ends, without blank lines around it; bytes that are no UTF-8
    become `\ufffd`.

    Raises:
        UnreadableNoteError: there is frontmatter that cannot be read.
    """
    document = _open(data, path)
    body = document.body
    if document.inner >= 0:
        match = _LINE_END.search(body)
        body = body[match.end() :] if match else ""
    body = body.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return _LINE_END.sub("\n", body).strip("\n")


def replace_frontmatter(data: bytes, other: bytes, path: str = "the note") -> bytes:
    """Puts the frontmatter of another note in the place of a note's own, with its line ends; the body keeps its bytes.

    Raises:
        UnreadableNoteError: the note is no UTF-8 text, or has no frontmatter that can be read.
    """
    document, new = _open(data, path), _open(other, path)
    if document.inner < 0:
        raise document.refuse("it has no frontmatter")
    head = new.text[: new.close]
    return document.encode(_LINE_END.sub(document.newline, head) + document.body)


def keep_properties(data: bytes, old: bytes, known: Collection[str], path: str = "the note") -> bytes:
    """Carries over what else an older version of a note has in its frontmatter, as it is written there.

    Args:
        known: Names in lower case that the new version alone decides.

    Raises:
        UnreadableNoteError: one of the two is no UTF-8 text, or has no frontmatter that can be read, or what would be
            kept cannot stand without the rest.
    """
    document, before = _open(data, path), _open(old, path)
    if before.inner < 0:
        return data
    tree = _Tree(before)
    starts = [_comment_start(before, tree.line_start(tree.start(key))) for key, _ in tree.pairs]
    kept = "".join(
        before.text[start:end]
        for (key, _), start, end in zip(tree.pairs, starts, [*starts[1:], before.close], strict=True)
        if str(key.value).lower() not in known
    )
    head = document.text[: document.close] + _LINE_END.sub(document.newline, kept)
    kept_data = document.encode(head + document.body)
    _open(kept_data, path)
    return kept_data


def _comment_start(document: _Document, offset: int) -> int:
    """Where the comment above a line begins; the line itself when there is none."""
    while True:
        above = document.text[document.inner : offset].splitlines(keepends=True)[-1:]
        if not above or not above[0].startswith("#"):
            return offset
        offset -= len(above[0])


def replace_body(data: bytes, text: str, path: str = "the note") -> bytes:
    """Replaces everything behind the frontmatter, with the note's line ends; one blank line parts the two.

    Args:
        text: With `\\n` line ends.

    Raises:
        UnreadableNoteError: the note is no UTF-8 text, or its frontmatter cannot be read.
    """
    document = _open(data, path)
    newline = document.newline
    head = ""
    if document.inner >= 0:
        closing = _LINE_END.search(document.text, document.close)
        head = document.text[: closing.end()] if closing else document.text + newline
        head += newline
    return document.encode(head + text.strip("\n").replace("\n", newline) + newline)
