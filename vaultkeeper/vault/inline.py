"""What stands in a run of inline text: wikilinks, Markdown links, embeds and tags.

Everything that hides them is known here: escapes, code spans, formulas, HTML tags and comments, autolinks.
Knows nothing of blocks. Linear in the length of the text, whatever is opened and never closed.

Source: CommonMark 0.31, chapter 6; Obsidian's manual.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable
from functools import partial
from typing import Final
from urllib.parse import unquote

from vaultkeeper.types import Link, LinkKind
from vaultkeeper.vault.marks import OPEN_OR_CLOSE_TAG
from vaultkeeper.vault.spans import Span

_TAG_STOP: Final = r"\s!\"#$%&'()*+,.:;<=>?@\[\\\]^`{|}~\u2000-\u206F\u2E00-\u2E7F"
_WIKI: Final = r"\[(?!\[)((?:[^\[\]\n]++|\[(?!\[)|\](?!\]))++)\]\]"
_WIKILINK: Final = re.compile(r"\[" + _WIKI)
# A wikilink, or a Markdown link without any difficulty in it.
_SIMPLE_LINK: Final = re.compile(rf"\[(?:{_WIKI}|([^\[\]\n]*+)\]\(([^\s()<>\\]++)\))")
# What can hide links and tags, and the characters behind which only the full reading can judge a tag.
_HAZARDS: Final = ("`", "$", "<", "\\")
_EDGES: Final = frozenset("*_~=[")
_TAG: Final = re.compile(f"[^{_TAG_STOP}]+")
_HASH_TAG: Final = re.compile(f"#([^{_TAG_STOP}]+)")
_DIGITS: Final = frozenset("0123456789")
_TOKEN: Final = re.compile(r"[\\`$<\[\]#:]")
_TOKEN_OR_EMPHASIS: Final = re.compile(r"[\\`$<\[\]#:*_~=]")
_RUNS: Final = {char: re.compile(re.escape(char) + "+") for char in "`$*_~="}
_URL_REST: Final = re.compile(r"://[^\s<>\[\]()`]+")
_PUNCTUATION: Final = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_HTML: Final = re.compile(
    rf"{OPEN_OR_CLOSE_TAG}|<[a-zA-Z][a-zA-Z0-9+.-]{{1,31}}:[^\s<>]*+>|<[\w.!#$%&'*+/=?^`{{|}}~-]++@[\w.-]++>"
)
_SPANS: Final = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"), ("<!", ">"))
_DESTINATION: Final = re.compile(r"[ \t]*+\n?[ \t]*+(?:<((?:[^<>\n\\]|\\.)*+)>|(?!<))")
_TITLE: Final = re.compile(
    r"""(?:(?:[ \t]++\n?[ \t]*+|\n[ \t]*+)
          (?:"(?:[^"\\]++|\\.)*+"|'(?:[^'\\]++|\\.)*+'|\((?:[^()\\]++|\\.)*+\)))?+[ \t]*+\n?[ \t]*+\)""",
    re.DOTALL | re.VERBOSE,
)
_PLAIN_DESTINATION: Final = re.compile(r"[^\s()\\\x00-\x1f]++|\\.|[()]|\\")
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_SCHEME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_FOOTNOTE: Final = re.compile(r"\[\^[^\s\[\]]++\]")
# A named tuple from a tuple, in half of the time that its own constructor takes.
_make_link: Final[Callable[[tuple[object, ...]], Link]] = partial(tuple.__new__, Link)
_MAX_PARENTHESES: Final = 32
_MAX_LABEL: Final = (
    1000  # labels nest, so that without a bound they could hold the square of the note's length
)


def split_wikilink(inner: str) -> tuple[str, str, str]:
    """Splits what stands between `[[` and `]]` into target, subpath and label."""
    if "\\|" in inner:
        inner = inner.replace("\\|", "|")
    bar = inner.find("|")
    label = ""
    if bar > 0:
        inner, label = inner[:bar], inner[bar + 1 :].strip()
    target, _, subpath = inner.partition("#")
    return target.strip(), subpath.strip(), label


def split_destination(destination: str) -> tuple[str, str] | None:
    """Splits the destination of a Markdown link into target and subpath; None when it leads elsewhere."""
    if "\\" in destination:
        destination = _ESCAPED.sub(r"\1", destination)
    if "&" in destination:
        destination = html.unescape(destination)
    if not destination or _SCHEME.match(destination):
        return None
    if "%" in destination:
        plain = destination.replace("%20", " ")
        destination = percent_decode(destination) if "%" in plain else plain
    target, _, subpath = destination.partition("#")
    return target.strip(), subpath.strip()


def percent_decode(text: str) -> str:
    """Decodes `%20` and the like; a text that is not sound as a whole stays as it is."""
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text


def is_tag(text: str) -> bool:
    """True for the text of a tag without its `#`: no stop character, and one that is not a digit."""
    found = _TAG.match(text)
    return found is not None and found.end() == len(text) and not _DIGITS.issuperset(text)


def property_link(value: str) -> tuple[str, str, str, bool] | None:
    """Target, subpath, label and whether it is a Markdown link, when the whole value is one internal link."""
    value = value.strip()
    if value.startswith("[["):
        found = _WIKILINK.fullmatch(value)
        return (
            (*split_wikilink(found.group(1)), False) if found is not None and found.group(1).strip() else None
        )
    if value.startswith("[") and value.endswith(")"):
        inline = Inline(value)
        inline.scan(Span(value, 1, [(0, len(value))]))
        if len(inline.links) == 1:
            link = inline.links[0]
            if link.markdown and link.kind == "link" and link.start == 0 and inline.end == len(value):
                return link.target, link.subpath, link.label, True
    return None


class Inline:
    """Gathers links and tags from the inline text of a note.

    Args:
        note: The text of which runs will be given to `scan`, to look once for what makes reading difficult.

    Attributes:
        links: In order of their end; sort by start when `unsorted`.
        tags: Each once, as spelt, in order of first appearance (a dict for its keys).
    """

    __slots__ = ("_hazards", "end", "links", "tags", "unsorted")

    def __init__(self, note: str) -> None:
        self.links: list[Link] = []
        self.tags: dict[str, None] = {}
        self.unsorted = False
        self.end = 0
        self._hazards = [hazard for hazard in _HAZARDS if hazard in note]

    def scan(self, span: Span) -> None:
        """Reads one run of text."""
        text = span.text
        for hazard in self._hazards:
            if hazard in text:
                _Reader(self, span).read()
                return
        links: list[re.Match[str]] = []
        markdown = text.count("](")
        if markdown or "[[" in text:
            links = list(_SIMPLE_LINK.finditer(text))
            if markdown and markdown != sum([link.group(2) is not None for link in links]):
                _Reader(self, span).read()
                return
        if "#" in text:
            tags = _simple_tags(text, links)
            if tags is None:
                _Reader(self, span).read()
                return
            for tag in tags:
                self.tags[tag] = None
        for link in links:
            self._add_simple_link(span, link)

    def _add_simple_link(self, span: Span, link: re.Match[str]) -> None:
        inner, label, destination = link.groups()
        start = link.start()
        embed = start > 0 and span.text[start - 1] == "!"
        if inner is not None:
            self.add_wikilink(span, inner, start - embed, embed)
            return
        split = split_destination(destination)
        if split is not None:
            at = start - embed
            kind: LinkKind = "embed" if embed else "link"
            self.links.append(Link(kind, *split, label.strip(), span.line_at(at), span.offset(at), True))

    def add_wikilink(self, span: Span, inner: str, start: int, embed: bool) -> None:
        """Adds a wikilink; one whose text is blank is no link."""
        if "|" in inner or "#" in inner or "\\" in inner:
            if not inner.strip():
                return
            target, subpath, label = split_wikilink(inner)
        else:
            target = inner.strip()
            if not target:
                return
            subpath = label = ""
        kind: LinkKind = "embed" if embed else "link"
        self.links.append(
            _make_link((kind, target, subpath, label, span.line_at(start), span.offset(start), False))
        )


def _simple_tags(text: str, links: list[re.Match[str]]) -> list[str] | None:
    """The tags of a run of text of which all links are known; None when one asks for the full reading."""
    tags = []
    token_end = index = hidden = hidden_end = 0
    for found in _HASH_TAG.finditer(text):
        start = found.start()
        while index < len(links) and links[index].start() < start:
            link = links[index]
            hidden = link.start() if link.group(2) is None else link.start(3)
            hidden_end = link.end()
            index += 1
        if hidden <= start < hidden_end:
            continue
        if start:
            before = text[start - 1]
            if before in _EDGES:
                return None
            if start != token_end and start != hidden_end and not before.isspace():
                continue
        tag = found.group(1)
        if not _DIGITS.issuperset(tag):
            tags.append(tag)
            token_end = found.end()
    return tags


class _Reader:
    """One pass over one run of text, with everything that can hide links and tags."""

    def __init__(self, sink: Inline, span: Span) -> None:
        self.sink = sink
        self.span = span
        self.text = span.text
        self.ticks: dict[int, list[int]] | None = None
        self.missing: set[str] = set()
        self.brackets: list[tuple[int, bool]] = []  # where, and whether it is an embed
        self.inactive = 0  # below this depth a `[` stands outside a link and cannot become one
        self.bracket_tags: dict[int, str] = {}  # tags directly behind a `[`, by position
        self.runs: list[tuple[str, int, int]] = []  # emphasis marks: character, start, end
        self.edge_tags: list[tuple[str, int]] = []  # tags behind an emphasis mark, and the index of its run

    def read(self) -> None:
        text = self.text
        token_end = position = 0
        marks = _has_edge_tag(text)
        search = (_TOKEN_OR_EMPHASIS if marks else _TOKEN).search
        while True:
            found = search(text, position)
            if found is None:
                break
            start = found.start()
            char = text[start]
            position = start + 1
            close = 0
            if char == "#":
                close = self._tag_end(start, token_end)
            elif char == "[":
                embed = start > token_end and text[start - 1] == "!"
                wiki = _WIKILINK.match(text, start) if text.startswith("[", position) else None
                if wiki is not None:
                    self.sink.add_wikilink(self.span, wiki.group(1), start - embed, embed)
                    close = wiki.end()
                else:
                    self.brackets.append((start, embed))
            elif char == "]":
                close = self._bracket_end(start)
            elif char == "\\":
                if text[position : position + 1] in _PUNCTUATION:
                    close = position + 1
            elif char == "<":
                close = self._html_end(start)
            elif char == ":":
                url = _URL_REST.match(text, start)
                if url is not None and text[max(0, start - 5) : start].lower().endswith(("http", "https")):
                    close = url.end()
            else:
                run = _RUNS[char].match(text, start)
                position = run.end() if run is not None else position
                if char == "`":
                    close = self._code_end(start, position)
                elif char == "$":
                    close = self._math_end(start, position)
                elif char in "*_" or position - start > 1:
                    self.runs.append((char, start, position))
            if close:
                token_end = position = close
        self.sink.end = token_end
        if self.edge_tags:
            self._settle_edge_tags()

    def _tag_end(self, start: int, token_end: int) -> int:
        """Handles `#`. Returns the position behind the tag that begins here, or 0."""
        text = self.text
        tag = _TAG.match(text, start + 1)
        if tag is None or _DIGITS.issuperset(tag.group()):
            return 0
        if start == token_end or text[start - 1].isspace():
            self.sink.tags[tag.group()] = None
            return tag.end()
        if self.runs and self.runs[-1][2] == start:
            name = tag.group().rstrip("_") if self.runs[-1][0] == "_" else tag.group()
            self.edge_tags.append((name, len(self.runs) - 1))
            return start + 1 + len(name)
        if self.brackets and self.brackets[-1] == (start - 1, False):
            self.bracket_tags[start] = tag.group()
        return 0

    def _settle_edge_tags(self) -> None:
        """A tag behind an emphasis mark counts when the mark opens or closes an emphasis."""
        paired = _paired_runs(self.text, self.runs)
        for tag, run in self.edge_tags:
            if run in paired and not _DIGITS.issuperset(tag):
                self.sink.tags[tag] = None

    def _code_end(self, start: int, end: int) -> int:
        if self.ticks is None:
            self.ticks = {}
            for run in re.finditer("`+", self.text):
                self.ticks.setdefault(run.end() - run.start(), []).append(run.start())
        length = end - start
        starts = self.ticks.get(length, [])
        index = bisect_right(starts, start)
        return starts[index] + length if index < len(starts) else 0

    def _math_end(self, start: int, end: int) -> int:
        text = self.text
        length = end - start
        if length > 2:
            return 0
        if length == 2:
            return self._behind("$$", end)
        if text[end : end + 1].isspace() or end == len(text):
            return 0
        close = end - 1
        if "$" in self.missing:
            return 0
        while True:
            close = text.find("$", close + 1)
            if close < 0:
                self.missing.add("$")
                return 0
            escapes = 0
            while text[close - 1 - escapes] == "\\":
                escapes += 1
            if escapes % 2 == 0:
                break
        if (
            text[close - 1].isspace()
            or text[close + 1 : close + 2] in _DIGITS
            or text.startswith("$", close + 1)
        ):
            return 0
        return close + 1

    def _behind(self, mark: str, position: int) -> int:
        """Position behind the next such mark, or 0; a mark found missing once is not searched again."""
        if mark in self.missing:
            return 0
        found = self.text.find(mark, position)
        if found < 0:
            self.missing.add(mark)
            return 0
        return found + len(mark)

    def _html_end(self, start: int) -> int:
        if self.text[start + 1 : start + 2] in ("!", "?"):
            for opening, closing in _SPANS:
                if self.text.startswith(opening, start):
                    return self._behind(closing, start + 2)
            return 0
        found = _HTML.match(self.text, start)
        return found.end() if found is not None else 0

    def _bracket_end(self, start: int) -> int:
        """Handles `]`. Returns the position behind the link that it completes, or 0."""
        if not self.brackets:
            return 0
        opening, embed = self.brackets.pop()
        depth = len(self.brackets)
        active = embed or depth >= self.inactive
        self.inactive = min(self.inactive, depth)
        text = self.text
        if not active:
            return 0
        if text.startswith("^", opening + 1) and not embed:
            note = _FOOTNOTE.match(text, opening)
            return note.end() if note is not None and note.end() == start + 1 else 0
        if not text.startswith("(", start + 1):
            return 0
        parsed = self._destination(start + 2)
        if parsed is None:
            return 0
        destination, end = parsed
        if not embed:
            self.inactive = depth
        tag = self.bracket_tags.get(opening + 1)
        if tag is not None:
            self.sink.tags[tag] = None
        split = split_destination(destination)
        if split is not None:
            kind: LinkKind = "embed" if embed else "link"
            span = self.span
            at = opening - embed
            label = text[opening + 1 : min(start, opening + 1 + _MAX_LABEL)].strip()
            self.sink.links.append(Link(kind, *split, label, span.line_at(at), span.offset(at), True))
            self.sink.unsorted = True
        return end

    def _destination(self, position: int) -> tuple[str, int] | None:
        """Reads `(destination "title")` from behind its parenthesis: the destination and where it ends."""
        text = self.text
        head = _DESTINATION.match(text, position)
        if head is None:
            return None
        if head.group(1) is not None:
            destination, position = head.group(1), head.end()
        else:
            position = begin = head.end()
            depth = 0
            while True:
                part = _PLAIN_DESTINATION.match(text, position)
                if part is None:
                    break
                if part.group() == "(":
                    depth += 1
                    if depth > _MAX_PARENTHESES:
                        return None
                elif part.group() == ")":
                    if depth == 0:
                        break
                    depth -= 1
                position = part.end()
            if depth:
                return None
            destination = text[begin:position]
        tail = _TITLE.match(text, position)
        return (destination, tail.end()) if tail is not None else None


def _has_edge_tag(text: str) -> bool:
    return "*#" in text or "_#" in text or "~#" in text or "=#" in text


def _paired_runs(text: str, runs: list[tuple[str, int, int]]) -> set[int]:
    """The indices of the marks that open or close an emphasis. Lengths of marks are not compared."""
    paired: set[int] = set()
    open_runs: dict[str, list[int]] = {}
    for index, (char, start, end) in enumerate(runs):
        before = text[start - 1] if start else " "
        after = text[end] if end < len(text) else " "
        after_word, before_word = after.isalnum(), before.isalnum()
        left = not after.isspace() and (after_word or before.isspace() or not before_word)
        right = not before.isspace() and (before_word or after.isspace() or not after_word)
        if char == "_":
            left, right = left and not (right and before_word), right and not (left and after_word)
        stack = open_runs.setdefault(char, [])
        if right and stack:
            paired |= {index, stack.pop()}
        elif left:
            stack.append(index)
    return paired
