"""Compiles the flavours: what the vault says of how its owner works and writes, a note `flavoured/<name>.md` each.

Owns where evidence comes from, its tier, and when a note is written. What is written follows from the notes alone; the
same evidence writes nothing. A note that a person wrote or edited is never changed.

Source: BEHAVIOUR §6.5 (the note), §12.5 (tiers and ranking).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5

from vaultkeeper import __version__
from vaultkeeper.errors import NoteNotFoundError, RefusedError, UnreadableNoteError
from vaultkeeper.memory.curated import FILES
from vaultkeeper.memory.facets import Facet, format_day
from vaultkeeper.memory.namespaces import Memory, list_namespaces, load_memories
from vaultkeeper.memory.nodes import body_hash, leaf_target
from vaultkeeper.memory.page import parse_page
from vaultkeeper.memory.preferences import GENERAL, LANES, one_line
from vaultkeeper.memory.profile import load_profile
from vaultkeeper.memory.redact import redact
from vaultkeeper.memory.segments import FOLDER as SEGMENTS
from vaultkeeper.memory.segments import load_segment
from vaultkeeper.memory.tool_rules import load_rules
from vaultkeeper.ports import Clock
from vaultkeeper.retrieval.flavour import (
    FLAVOURS,
    FOLDER,
    KIND,
    TIER_WEIGHTS,
    Evidence,
    Flavour,
    rank_for,
    read_flavour,
)
from vaultkeeper.vault.lock import edit_lock
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.tokens import approx_tokens
from vaultkeeper.vault.write import create_note, read_note, replace_note, sha256_hex, trash_note
from vaultkeeper.vault.yaml_text import Scalar, render_scalar

TOKEN_BUDGET = 1_000
"""Of a note's body. Source: BEHAVIOUR §6.5, FLAVOUR_ROOT_TOKEN_BUDGET."""

MOST_SEGMENTS = 200
"""Newest segments whose decisions count as outcomes."""

_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_CATEGORY = re.compile(r"\[(\w+)\]\s+")
_RULE = "rule always"
"""Words that stand for what kind of evidence something is; they are searched with it and not shown."""


class Found(NamedTuple):
    """A piece of evidence before it belongs to a flavour.

    Attributes:
        day: ISO; empty when unknown.
        target: Of the link to the note that it stands in.
        about: Words that are searched with it.
    """

    tier: int
    text: str
    day: str
    target: str
    about: str = ""

    @property
    def line(self) -> str:
        """The list item of the note."""
        when = f" {self.day}" if self.day else ""
        return f"- [T{self.tier}] {self.text}{when} [[{self.target}]]"


@dataclass(slots=True)
class Flavours:
    """See the module.

    Args:
        root: The vault's real path.
        lock_dir: Where the edit lock lies.
        take_in: Syncs these paths.
    """

    root: Path
    lock_dir: Path
    take_in: Callable[[Sequence[str]], None]
    clock: Clock
    command: str = "vaultkeeper flavour"

    def read(self, name: str, query: str = "") -> Flavour:
        """Reads a compiled flavour; see `retrieval.flavour.read_flavour`."""
        return read_flavour(self.root, name, query)

    def build(self, names: tuple[str, ...] = tuple(FLAVOURS)) -> list[str]:
        """Writes the notes of flavours whose evidence changed, and returns their paths.

        A flavour without evidence has no note; one that has lost it goes to the trash.

        Raises:
            NotesLockedError: another process edits notes and does not finish.
            StorageError: the disk refused.
        """
        found = sorted(set(find_evidence(self.root)), key=lambda one: (one.tier, one.text, one.target))
        written = []
        for name in names:
            body, folded = compile_flavour(name, found)
            if self._is_current(name, body):
                continue
            with edit_lock(self.lock_dir, command=self.command, since=self.clock()):
                if self._write(name, body, folded):
                    written.append(f"{FOLDER}/{name}.md")
        if written:
            self.take_in(written)
        return written

    def _read(self, name: str) -> tuple[bytes, str] | None:
        """The note and its body; None when there is none. RefusedError: it lies behind a link."""
        path = f"{FOLDER}/{name}.md"
        try:
            data = read_note(self.root, path)
        except NoteNotFoundError:
            return None
        note = parse_note(path, data)
        body = note.text[note.body_start :]
        if note.properties.get("kind") != KIND or note.properties.get("body_sha256") != body_hash(body):
            raise RefusedError(path=path, reason="a person wrote or edited it")
        return data, body

    def _is_current(self, name: str, body: str) -> bool:
        try:
            there = self._read(name)
        except RefusedError:
            return True  # as it is, is how somebody wants it
        return not body if there is None else there[1].strip() == body.strip()

    def _write(self, name: str, body: str, folded: int) -> bool:
        if self._is_current(name, body):
            return False
        path, there = f"{FOLDER}/{name}.md", self._read(name)
        if not body:
            if there is not None:
                trash_note(self.root, path, sha256_hex(there[0]))
            return there is not None
        stamp = self.clock().strftime("%Y-%m-%dT%H:%M:%SZ")
        data = render_flavour(name, body, folded, stamp)
        if there is None:
            create_note(self.root, path, data)
        else:
            replace_note(self.root, path, data, sha256_hex(there[0]))
        return True


def compile_flavour(name: str, found: list[Found]) -> tuple[str, int]:
    """Returns the body of a flavour, best evidence first and within the budget, and how much evidence it holds.

    Empty when nothing but outcomes fits: they only back up what others say.
    """
    asked = [
        Evidence(one.tier, f"{one.text} {one.about}", one.day, TIER_WEIGHTS[one.tier], at)
        for at, one in enumerate(found)
    ]
    lines = [f"# {name.replace('_', ' ').capitalize()}", "", FLAVOURS[name].ask, ""]
    said: set[str] = set()
    left = TOKEN_BUDGET - approx_tokens("\n".join(lines))
    head = len(lines)
    for evidence in rank_for(name, asked):
        one = found[evidence.line]
        cost = approx_tokens(one.line) + 1
        if cost <= left and one.text.casefold() not in said:
            said.add(one.text.casefold())
            lines.append(one.line)
            left -= cost
    return ("\n".join(lines) + "\n", len(lines) - head) if len(lines) > head else ("", 0)


def render_flavour(name: str, body: str, folded: int, stamp: str) -> bytes:
    """Returns the note of a flavour."""
    digest = sha256(body.encode("utf-8", "replace")).hexdigest()[:8]
    fields: dict[str, Scalar] = {
        "kind": KIND,
        "tree_id": f"flavoured:{uuid5(NAMESPACE_URL, f'vaultkeeper:flavoured:{name}')}",
        "scope": name,
        "ask": FLAVOURS[name].ask,
        "root_id": f"flavoured:{name}-{digest}",
        "sealed_at": stamp,
        "leaves_folded": folded,
        "token_estimate": approx_tokens(body),
        "token_budget": TOKEN_BUDGET,
        "vaultkeeper_version": __version__,
        "body_sha256": body_hash(body),
    }
    lines = [
        f"{key}: {value if key == 'sealed_at' else render_scalar(value)}" for key, value in fields.items()
    ]
    return "\n".join(["---", *lines, "---", "", body]).encode("utf-8", "replace")


def find_evidence(root: Path) -> Iterator[Found]:
    """Yields all evidence that the notes hold, secrets taken out; unordered, and some of it twice.

    T0 is what a person wrote down as a rule: MEMORY.md and SKILL.md, preferences, rules for tools, facets that are
    pinned or edited. T1 is a statement that took the place of another, and a mistake in MEMORY.md. T2 is any other
    statement about oneself. T3 is a decision that was made in a conversation in which such a statement was.
    """
    sources: tuple[Callable[[Path], Iterator[Found]], ...] = (_curated, _preferences, _rules, _profile)
    for source in sources:
        for one in source(root):
            text = one_line(redact(one.text).text)
            if text:
                yield one._replace(text=text)


def _curated(root: Path) -> Iterator[Found]:
    for file in FILES:
        try:
            page = parse_page(read_note(root, file), file)
        except (NoteNotFoundError, RefusedError, UnreadableNoteError):
            continue
        headings = {heading.line: heading.text for heading in page.headings}
        section = ""
        for number in range(1, len(page.lines) + 1):
            if number in headings:
                section = headings[number]
            elif number in page.shown and _ITEM.match(line := page.line(number)):
                target = leaf_target(file, section)
                category = _CATEGORY.match(text := _ITEM.sub("", line))
                tier = 1 if category and category[1] == "mistake" else 0
                yield Found(tier, text[category.end() if category else 0 :], "", target, section)


def _preferences(root: Path) -> Iterator[Found]:
    for namespace in LANES.values():
        for memory in load_memories(root, namespace):
            about = f"{memory.key} {_RULE if namespace == GENERAL else ''}"
            yield Found(0, memory.content, memory.updated_at[:10], memory.path.removesuffix(".md"), about)


def _rules(root: Path) -> Iterator[Found]:
    by_path: dict[str, Memory] = {
        memory.path: memory
        for namespace in list_namespaces(root)
        if namespace.startswith("tool-")
        for memory in load_memories(root, namespace)
    }
    for rule in load_rules(root):
        day = by_path[rule.path].updated_at[:10] if rule.path in by_path else ""
        yield Found(0, f"{rule.tool}: {rule.text}", day, rule.path.removesuffix(".md"), f"{_RULE} tooling")


def _profile(root: Path) -> Iterator[Found]:
    facets = load_profile(root).facets.values()
    yield from _decisions(root, (name for facet in facets if facet.current for name in facet.segments))
    replacing = {facet.superseded_by for facet in facets}
    for facet in facets:
        if facet.current and facet.confidence > 0:
            yield Found(
                _tier(facet, replacing), facet.value, format_day(facet.last_ms), facet.path[:-3], facet.type
            )


def _tier(facet: Facet, replacing: set[str]) -> int:
    if facet.fixed:
        return 0
    return 1 if facet.history or facet.negated or facet.name in replacing else 2


def _decisions(root: Path, cited: Iterable[str]) -> Iterator[Found]:
    found = (load_segment(root, f"{SEGMENTS}/{name}.md") for name in sorted(set(cited)) if ".." not in name)
    known = [segment for segment in found if segment is not None]
    for segment in sorted(known, key=lambda one: (-one.end_ms, one.path))[:MOST_SEGMENTS]:
        for event in segment.events:
            if event.kind == "decision":
                target = f"{segment.path[:-3]}#^{event.event_id}"
                yield Found(3, event.quote, format_day(segment.end_ms), target)
