"""Which file a link leads to, by the rules of Obsidian, and what is wrong with a link.

`LinkResolver` knows the paths of the vault and nothing of what stands in the files. Aliases never resolve a
link. The answer depends on the set of paths alone, never on the order in which they were added.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from vaultkeeper.types import Block, Heading, Link, Note, Problem

ResolutionStatus = Literal["ok", "dead", "ambiguous", "case"]


class Resolution(NamedTuple):
    """Where a link leads.

    Attributes:
        path: The file that Obsidian opens, or None when there is none.
        status: `ok`; `dead`; `ambiguous` when several files fit and only the length of their paths decides;
            `case` when the file was found only because letter case is ignored.
        candidates: The files that fit, best first; empty for a dead link.
    """

    path: str | None
    status: ResolutionStatus
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Anchors:
    """What a subpath can lead to in one note."""

    headings: Sequence[Heading]
    blocks: Sequence[Block]


_DEAD: Final = Resolution(None, "dead", ())
_HEADING_MARKS: Final = re.compile(r"[!\"#$%&()*+,.:;<=>?@^`{|}~/\[\]\\\r\n]")
_NEAR_MIN_CHARS: Final = 4
_ALIKE, _ALIKE_CHARS = 75, 200
_NAMED: Final = 5
_SETTLED: Final = 50_000


def fold(text: str) -> str:
    """The form in which names are compared: NFC, lower case, no-break spaces as blanks."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower()).replace("\u00a0", " ")


@lru_cache(maxsize=16_384)
def link_key(target: str) -> str:
    """The folded last component of a link's target or of a path, without `.md`, however often it stands there.

    A file that appears, vanishes or is renamed can change the resolution of no other links than those whose key
    equals its own.
    """
    key = fold(target.rpartition("/")[2]).strip()
    while key.endswith(".md"):
        key = key[:-3].strip()
    return key


class LinkResolver:
    """Finds the file that a link leads to.

    Args:
        paths: Every file of the vault, notes and attachments, relative to its root.

    Attributes:
        settled: What some of the targets asked for lead to, from whatever note; may be looked at before asking.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_path: dict[str, list[str]] = {}
        self._by_name: dict[str, list[str]] = {}
        self._near: list[tuple[str, str]] | None = None
        self.settled: dict[str, Resolution] = {}
        for path in paths:
            self.add(path)

    def add(self, path: str) -> None:
        """Adds a file; one that is known stays."""
        folded = fold(path)
        same = self._by_path.setdefault(folded, [])
        if path in same:
            return
        same.append(path)
        self._by_name.setdefault(folded.rpartition("/")[2], []).append(path)
        self._near = None
        self.settled.clear()

    def remove(self, path: str) -> None:
        """Removes a file; one that is not known is ignored."""
        folded = fold(path)
        for table, key in ((self._by_path, folded), (self._by_name, folded.rpartition("/")[2])):
            found = table.get(key)
            if found is not None and path in found:
                found.remove(path)
                if not found:
                    del table[key]
        self._near = None
        self.settled.clear()

    def resolve(self, note_path: str, target: str) -> Resolution:
        """Finds where `target`, written in the note `note_path`, leads."""
        if not target:
            return Resolution(note_path, "ok", (note_path,))
        wanted = target.replace("\u00a0", " ").strip()
        if wanted.startswith(("./", "../")):
            rooted = _join(note_path.rpartition("/")[0], wanted)
            return self._exact(rooted, wanted.rpartition("/")[2]) if rooted is not None else _DEAD
        if wanted.startswith("/"):
            return self._exact(wanted.lstrip("/"), wanted.lstrip("/"))
        folded = fold(wanted)
        folder = fold(note_path.rpartition("/")[0])
        for suffix in (".md", ""):
            name = folded + suffix
            exact = self._by_path.get(name)
            if exact is not None:
                return self._settle(target, _choose(exact, wanted + suffix))
            known = self._by_name.get(name.rpartition("/")[2])
            if known is None:
                continue
            tail = "/" + name
            fitting = [path for path in known if fold(path).endswith(tail)] if "/" in name else known
            if not fitting:
                continue
            if len(fitting) > 1:
                beside = [path for path in fitting if fold(path.rpartition("/")[0]) == folder]
                fitting = beside or fitting
                return _choose(fitting, wanted + suffix)
            return self._settle(target, _choose(fitting, wanted + suffix))
        return self._settle(target, _DEAD)

    def _settle(self, target: str, found: Resolution) -> Resolution:
        """Remembers what a target leads to from every note."""
        if len(self.settled) >= _SETTLED:
            self.settled.clear()
        self.settled[target] = found
        return found

    def near(self, target: str) -> tuple[str, ...]:
        """Files whose names differ from a dead target only in blanks, marks, case, or by a longer end."""
        if self._near is None:
            names = [(_squash(path), path) for paths in self._by_path.values() for path in paths]
            self._near = sorted(pair for pair in names if pair[0])
        wanted = _squash(target)
        if not wanted:
            return ()
        at = bisect_left(self._near, (wanted, ""))
        found = []
        for squashed, path in self._near[at : at + _NAMED]:
            if squashed == wanted or (len(wanted) >= _NEAR_MIN_CHARS and squashed.startswith(wanted)):
                found.append(path)
        for squashed, path in self._near[max(0, at - 1) : at]:
            if len(squashed) >= _NEAR_MIN_CHARS and wanted.startswith(squashed):
                found.append(path)
        return tuple(found[:_NAMED])

    def alike(self, name: str) -> tuple[str, ...]:
        """Notes whose names are spelt much like one that a person typed, the likest first."""
        from rapidfuzz import fuzz, process

        notes = [path for paths in self._by_path.values() for path in paths if path.endswith(".md")]
        stems = [fold(path.rpartition("/")[2].removesuffix(".md")) for path in notes]
        typed = fold(name.rpartition("/")[2].removesuffix(".md"))[:_ALIKE_CHARS]
        found = process.extract(typed, stems, scorer=fuzz.ratio, limit=_NAMED, score_cutoff=_ALIKE)
        return tuple(notes[at] for _, _, at in found)

    def _exact(self, path: str, written: str) -> Resolution:
        folded = fold(path)
        for suffix in (".md", ""):
            found = self._by_path.get(folded + suffix)
            if found is not None:
                return _choose(found, written + suffix)
        return _DEAD


def _join(folder: str, relative: str) -> str | None:
    """Joins a path that begins with `./` or `../` to a folder; None when it leaves the vault."""
    if relative.rpartition("/")[2] in ("", ".", ".."):
        return None
    parts = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _choose(paths: list[str], written: str) -> Resolution:
    """Picks the shortest path; of equals the one that is spelt as the link, then the first by code points."""
    spelt = unicodedata.normalize("NFC", written)
    if len(paths) == 1:
        path = paths[0]
        if path.endswith(written) or unicodedata.normalize("NFC", path).endswith(spelt):
            return Resolution(path, "ok", (path,))
        return Resolution(path, "case", (path,))
    ranked = sorted(
        (_length(path), not unicodedata.normalize("NFC", path).endswith(spelt), path) for path in paths
    )
    candidates = tuple(path for _, _, path in ranked)
    if len({fold(path) for path in paths}) == 1:  # they differ in nothing but case
        return Resolution(candidates[0], "case" if ranked[0][1] else "ok", candidates)
    return Resolution(candidates[0], "ambiguous", candidates)


def _length(path: str) -> int:
    """Length in UTF-16 units, which is what Obsidian counts."""
    return len(path) if path.isascii() else len(path.encode("utf-16-le", "surrogatepass")) // 2


def _squash(path: str) -> str:
    return "".join([char for char in link_key(path) if char.isalnum()])


def heading_key(text: str) -> str:
    """The form in which headings are compared: without marks, blanks shrunk, lower case."""
    return fold(" ".join(_HEADING_MARKS.sub(" ", text).split()))


def has_anchor(anchors: Anchors, subpath: str) -> bool:
    """True when a note has the heading (`A`, or `A#B` for B under A) or the block (`^id`) of a subpath."""
    if not subpath:
        return True
    if subpath.startswith("^"):
        wanted = subpath[1:].strip().lower()
        return any(block.id.lower() == wanted for block in anchors.blocks)
    parts = [key for key in map(heading_key, subpath.split("#")) if key]
    if not parts:
        return True
    if _has_headings(anchors.headings, parts):
        return True
    block = subpath.rpartition("^")[2].strip().lower()
    return "^" in subpath and any(known.id.lower() == block for known in anchors.blocks)


def _has_headings(headings: Sequence[Heading], parts: list[str]) -> bool:
    keys = [heading_key(heading.text) for heading in headings]
    if len(parts) == 1:
        return parts[0] in keys
    for first, key in enumerate(keys):
        if key != parts[0]:
            continue
        level, wanted = headings[first].level, 1
        for heading, below in zip(headings[first + 1 :], keys[first + 1 :], strict=True):
            if heading.level <= headings[first].level:
                break
            if heading.level > level and below == parts[wanted]:
                level, wanted = heading.level, wanted + 1
                if wanted == len(parts):
                    return True
    return False


def link_problems(
    note: Note,
    resolutions: Sequence[Resolution],
    anchors: Callable[[str], Anchors | None] | None = None,
    near: Callable[[str], tuple[str, ...]] | None = None,
) -> list[Problem]:
    """What is wrong with the links of a note.

    Args:
        resolutions: One for each of `note.links`, in the same order.
        anchors: Gives the headings and blocks of a note, or None for a file that has none; left out, subpaths
            are not checked.
        near: `LinkResolver.near`, to suggest files for dead links. What it says changes with any file of the
            vault, so leave it out where problems are stored.
    """
    problems: list[Problem] = []
    for link, found in zip(note.links, resolutions, strict=True):
        problem = _link_problem(note.path, link, found, near)
        if problem is not None:
            problems.append(problem)
        if anchors is not None and link.subpath and found.path is not None:
            known = anchors(found.path)
            if known is not None and not has_anchor(known, link.subpath):
                what, code = (
                    ("block", "block-missing")
                    if link.subpath.startswith("^")
                    else ("heading", "heading-missing")
                )
                message = f"{found.path} has no {what} `{link.subpath}`."
                problems.append(Problem(note.path, link.line or None, code, message))
    return problems


def _link_problem(
    path: str, link: Link, found: Resolution, near: Callable[[str], tuple[str, ...]] | None
) -> Problem | None:
    if found.status == "ok":
        return None
    line = link.line or None
    if link.kind == "card" and found.status == "dead":
        message = f"A card shows {link.target[1:]}, which is not in the vault."
        return Problem(path, line, "canvas-file-missing", message)
    written = f"[[{link.target}]]" if not link.markdown else f"({link.target})"
    if found.status == "dead":
        names = near(link.target) if near is not None else ()
        hint = f"; did you mean {', '.join(names)}?" if names else "."
        return Problem(path, line, "link-dead", f"{written} leads to no file{hint}")
    if found.status == "case":
        message = f"{written} finds {found.candidates[0]} only because letter case is ignored."
        return Problem(path, line, "link-case", message)
    shown = ", ".join(found.candidates[:_NAMED])
    more = f" and {len(found.candidates) - _NAMED} more" if len(found.candidates) > _NAMED else ""
    message = f"{written} could be {shown}{more}; Obsidian opens the first. Write the path to be sure."
    return Problem(path, line, "link-ambiguous", message)
