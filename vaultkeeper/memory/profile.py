"""What is known of the user: all facets together, and how a new statement changes them.

A statement is new evidence for what is known, or it is something new; of two answers to one question the newer one is
current and the older one keeps its dates. Merging never weakens. What a person pinned or forgot has the last word for
ever. A value that a person wrote is never changed, but it ends when the person says something newer in a conversation.
The outcome depends on when things were said, not on the order in which they are learnt.

Source: BEHAVIOUR §3.3.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from vaultkeeper.errors import ConflictError, UnreadableNoteError
from vaultkeeper.memory.facets import (
    FOLDER,
    Facet,
    edit_facet,
    format_day,
    profile_key,
    read_facet,
    render_facet,
    value_mark,
    with_value,
)
from vaultkeeper.memory.likeness import repeats
from vaultkeeper.memory.slots import Slot, find_slot, fold_value, same_answer
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.write import create_notes, replace_note, sha256_hex


class Statement(NamedTuple):
    """Something that the user said about themselves.

    Attributes:
        at_ms: When; 0 when unknown.
        segment: Where, as `<session>/<first turn>`.
    """

    kind: Literal["preference", "fact"]
    text: str
    negated: bool
    at_ms: int
    segment: str
    confidence: float


@dataclass(slots=True)
class Learnt:
    """What a run has changed, by names of facets."""

    created: list[str]
    confirmed: list[str]
    superseded: list[str]


PLACES = {"preference": ("preference", "preference"), "fact": ("context", "fact")}
"""Kind of an event → type of its facet and prefix of its key."""


class Profile:
    """The facets of a vault.

    Attributes:
        facets: By `<type>/<key>`.
        blocked: Names of notes that cannot be read as facets; they are left alone.
    """

    def __init__(
        self,
        facets: Iterable[Facet] = (),
        notes: dict[str, bytes] | None = None,
        blocked: Iterable[str] = (),
    ) -> None:
        self.facets: dict[str, Facet] = {facet.name: facet for facet in facets}
        self._read = dict(self.facets)
        self._notes = notes or {}
        self.blocked = frozenset(blocked)
        self._slots: dict[str, Slot | None] = {}
        self._by_value: dict[str, str] = {}
        self._by_slot: dict[str, dict[str, None]] = {}
        for name in sorted(self.facets):
            self._enter(self.facets[name])
        self.learnt = Learnt([], [], [])

    def _enter(self, facet: Facet) -> None:
        if facet.name in self.blocked:
            raise UnreadableNoteError(path=facet.path, reason="what stands there is no facet")
        before = self.facets.get(facet.name)
        self.facets[facet.name] = facet
        if facet.name not in self._slots or before is None or before.value != facet.value:
            old = self._slots.get(facet.name)
            if old is not None:
                self._by_slot[old.name].pop(facet.name, None)
            slot = self._slots[facet.name] = facet.slot
            if slot is not None:
                self._by_slot.setdefault(slot.name, {})[facet.name] = None
            self._by_value.setdefault(fold_value(facet.value), facet.name)

    def in_slot(self, slot: str) -> list[Facet]:
        """Returns the facets that answer a question, by when they began to hold, then by when they were said."""
        facets = [self.facets[name] for name in self._by_slot.get(slot, ())]
        return sorted(facets, key=lambda f: (f.valid_from, f.first_ms, f.name))

    def slot_of(self, facet: Facet) -> Slot | None:
        """Returns the question that a facet answers."""
        return self._slots.get(facet.name, None) or facet.slot

    # Learning

    def learn(self, said: Statement) -> None:
        """Takes in what the user said. The same statement of the same segment changes nothing a second time."""
        slot = find_slot(said.text)
        negated = said.negated or (slot is not None and slot.negated)
        if self.is_forgotten(said.text, negated=negated):
            return
        if negated:
            self._learn_end(said, slot)
            return
        facet, by_key = self._known(said, slot)
        if facet is not None and facet.state == "forgotten":
            return
        fresh = facet is None or said.segment not in facet.segments
        if facet is None:
            facet = self._add(said, slot)
        elif fresh:
            facet = self._confirm(facet, said, slot, by_key)
        if slot is not None:
            if fresh and facet is not None:
                self._end_edited(facet, said, slot)
            self.settle(slot.name)

    def is_forgotten(self, text: str, *, negated: bool = False) -> bool:
        """Whether a person wants to hear no more of this: it answers a question as something forgotten does, or says
        the same in nearly the same words, whatever its key is.

        Args:
            negated: It says that something holds no longer.
        """
        gone = [facet for facet in self.facets.values() if facet.state == "forgotten"]
        return any(self._says_same(text, facet, negated=negated) for facet in gone)

    def alike(self, facet: Facet) -> list[Facet]:
        """Returns the other facets that say the same as a facet, by name."""
        others = (self.facets[name] for name in sorted(self.facets) if name != facet.name)
        return [other for other in others if self._says_same(other.value, facet)]

    def _says_same(self, text: str, facet: Facet, *, negated: bool = False) -> bool:
        slot, theirs = find_slot(text), self.slot_of(facet)
        if slot is not None and theirs is not None and slot.name == theirs.name:
            return same_answer(slot, theirs)
        return repeats(text, facet.value, negated=negated)

    def _end_edited(self, facet: Facet, said: Statement, slot: Slot) -> None:
        """Ends what a person wrote and now contradicts in a conversation; its value stays, and what is pinned does."""
        day = format_day(said.at_ms)
        for other in self.in_slot(slot.name):
            if other.name == facet.name or other.state != "auto" or not other.edited:
                continue
            if self._slots[other.name] == slot or said.at_ms <= other.last_ms or day < other.valid_from:
                continue
            follower = self.facets.get(other.superseded_by)
            late = follower is not None and not follower.fixed and day < follower.valid_from
            if not (other.current or late):
                continue
            self._enter(replace(other, superseded_by=facet.name, valid_until=day))
            self.learnt.superseded.append(other.name)

    def _known(self, said: Statement, slot: Slot | None) -> tuple[Facet | None, bool]:
        """The facet that says this already, and whether it was found by its key."""
        facet_type, prefix = PLACES[said.kind]
        named = self.facets.get(f"{facet_type}/{profile_key(said.text, prefix)}")
        if named is not None and not named.negated:
            theirs = self._slots[named.name]
            if slot is None or theirs is None or theirs == slot:
                return named, True
        if slot is not None:
            for name in self._by_slot.get(slot.name, ()):
                if self._slots[name] == slot:
                    return self.facets[name], False
        alike = self._by_value.get(fold_value(said.text))
        return (self.facets[alike], False) if alike and not self.facets[alike].negated else (None, False)

    def _add(self, said: Statement, slot: Slot | None, *, negated: bool = False) -> Facet | None:
        facet_type, prefix = PLACES[said.kind]
        key = profile_key(said.text, prefix)
        if f"{facet_type}/{key}" in self.facets:
            key += "_" + hashlib.sha256(fold_value(said.text).encode()).hexdigest()[:6]
        if f"{facet_type}/{key}" in self.facets or f"{facet_type}/{key}" in self.blocked:
            return None
        facet = Facet(
            facet_type,
            key,
            said.text,
            said.confidence,
            1,
            said.at_ms,
            said.at_ms,
            (said.segment,) if said.segment else (),
            valid_from=format_day(said.at_ms),
            negated=negated,
            written=value_mark(said.text),
        )
        self._enter(facet)
        self.learnt.created.append(facet.name)
        return facet

    def _confirm(self, facet: Facet, said: Statement, slot: Slot | None, by_key: bool) -> Facet:
        new = replace(
            facet,
            evidence_count=facet.evidence_count + 1,
            first_ms=min(facet.first_ms or said.at_ms, said.at_ms or facet.first_ms),
            last_ms=max(facet.last_ms, said.at_ms),
            segments=(*facet.segments, said.segment) if said.segment else facet.segments,
        )
        day = format_day(said.at_ms)
        if not facet.fixed:
            newer = said.at_ms >= facet.last_ms
            if newer and by_key and said.confidence >= facet.confidence:
                if said.text != facet.value:
                    new = with_value(new, said.text, format_day(facet.last_ms))
                new = replace(new, confidence=said.confidence)
            elif said.confidence > facet.confidence:
                new = replace(new, confidence=said.confidence)
        if facet.state == "auto":
            earlier = day and (not facet.valid_from or day < facet.valid_from) and not facet.history
            if earlier and not facet.edited:
                new = replace(new, valid_from=day)
            elif self._held_meanwhile(facet, slot, day):
                period = f"{facet.valid_from or '…'} to {facet.valid_until or day}: {facet.value}"
                new = replace(
                    new, valid_from=day, valid_until="", superseded_by="", history=(*new.history, period)
                )
        self._enter(new)
        self.learnt.confirmed.append(facet.name)
        return new

    def _held_meanwhile(self, facet: Facet, slot: Slot | None, day: str) -> bool:
        """Whether something else held between what is known of a facet and this day."""
        if facet.valid_until and not facet.superseded_by:
            return day > facet.valid_until
        if slot is None:
            return False
        others = [f for f in self.in_slot(slot.name) if f.name != facet.name and f.state == "auto"]
        return any(facet.valid_from < other.valid_from <= day for other in others)

    def _learn_end(self, said: Statement, slot: Slot | None) -> None:
        """Something holds no longer: ends what said so, or is remembered itself when nothing did."""
        day = format_day(said.at_ms)
        for facet in self.in_slot(slot.name) if slot else []:
            known = self._slots[facet.name]
            if slot is None or known is None or known.value != slot.value or facet.state == "forgotten":
                continue
            if said.segment in facet.segments and facet.valid_until:
                return
            if facet.state != "auto" or (facet.edited and said.at_ms <= facet.last_ms):
                return
            if not facet.valid_until and day >= facet.valid_from:
                self._enter(
                    replace(
                        facet,
                        valid_until=day or "unknown",
                        last_ms=max(facet.last_ms, said.at_ms),
                        history=(*facet.history, f"{day or 'later'}: {said.text}"),
                    )
                )
                self.learnt.superseded.append(facet.name)
            return
        known_facet, _ = self._known(said, None)
        if known_facet is None:
            self._add(said, None, negated=True)
        elif known_facet.negated and said.segment not in known_facet.segments:
            self._confirm(known_facet, said, None, by_key=False)

    def settle(self, slot: str) -> None:
        """Puts the answers to one question in the order of time: each is superseded by the next, the last holds.

        An answer that a person pinned stands above all others, and one that a person wrote, until it is ended, above
        all that were only heard. Here only pinning ends what a person wrote.
        """
        facets = self.in_slot(slot)
        pinned = [facet for facet in facets if facet.state == "pinned" and facet.current]
        chosen = (pinned or [facet for facet in facets if facet.fixed and facet.current])[-1:]
        # What is forgotten is not told, but it did take the place of what was before it.
        chain = [facet for facet in facets if facet not in chosen]
        for at, facet in enumerate(chain):
            if facet.fixed and not (pinned and facet.current and facet.state == "auto"):
                continue
            follower = chain[at + 1] if at + 1 < len(chain) else None
            if chosen and (follower is None or follower.valid_from > chosen[0].valid_from):
                follower = chosen[0]
            if follower is None:
                until = "" if facet.superseded_by else facet.valid_until
                new = replace(facet, superseded_by="", valid_until=until)
            else:
                until = max(follower.valid_from, facet.valid_from)
                if facet.valid_until and facet.valid_until < until:
                    until = facet.valid_until
                new = replace(facet, superseded_by=follower.name, valid_until=until)
            if new != facet:
                if new.superseded_by and not facet.superseded_by:
                    self.learnt.superseded.append(facet.name)
                self._enter(new)

    # Writing

    def put(self, facet: Facet) -> None:
        """Takes a facet as it is given: what a person sets, pins or forgets, or what was promoted.

        Raises:
            UnreadableNoteError: in the place of its note lies something that is no facet.
        """
        self._enter(facet)
        slot = self._slots[facet.name]
        if slot is not None:
            self.settle(slot.name)

    def prefer(self, facet: Facet, day: str) -> None:
        """Takes a facet as the user's own answer: others that the user gave before to the same question end with it.

        Raises:
            UnreadableNoteError: see `put`.
        """
        self._enter(facet)
        slot = self._slots[facet.name]
        for other in self.in_slot(slot.name) if slot else []:
            if other.name != facet.name and other.current:
                self._enter(replace(other, superseded_by=facet.name, valid_until=max(day, other.valid_from)))
        if slot is not None:
            self.settle(slot.name)

    @property
    def changed(self) -> list[Facet]:
        """The facets that differ from their notes, by name."""
        return [facet for name, facet in sorted(self.facets.items()) if self._read.get(name) != facet]

    def flush(self, root: Path) -> int:
        """Writes what has changed, and returns how many notes that are. The caller holds the edit lock.

        Raises:
            ConflictError: a note was changed or made by somebody else meanwhile; load anew and learn again.
            RefusedError, StorageError: see `vault.write`.
        """
        new: dict[str, list[tuple[str, bytes]]] = {}
        changed = self.changed
        for facet in changed:
            data = self._notes.get(facet.name)
            if data is None:
                new.setdefault(facet.type, []).append((facet.path, render_facet(facet)))
            else:
                try:
                    edited = edit_facet(data, self._read[facet.name], facet)
                except UnreadableNoteError:
                    self.facets[facet.name] = self._read[
                        facet.name
                    ]  # the person's own way of writing it stays
                    continue
                replace_note(root, facet.path, edited, sha256_hex(data))
                self._notes[facet.name] = edited
            self._read[facet.name] = facet
        for notes in new.values():
            if len(create_notes(root, notes)) < len(notes):
                raise ConflictError(path=f"{FOLDER}/")
            self._notes.update((path[len(FOLDER) + 1 : -3], data) for path, data in notes)
        return len(changed)


def load_profile(root: Path) -> Profile:
    """Reads all facets; notes that are none, or vanish meanwhile, are passed over."""
    facets: list[Facet] = []
    notes: dict[str, bytes] = {}
    blocked: list[str] = []
    top = root / FOLDER
    if not top.is_dir() or top.is_symlink():
        return Profile()
    for folder in sorted(entry for entry in top.iterdir() if entry.is_dir() and entry.name[0] != "."):
        for file in sorted(folder.glob("*.md")):
            if file.name[0] == ".":
                continue
            facet = None
            if file.is_file() and not file.is_symlink():
                try:
                    data = file.read_bytes()
                except FileNotFoundError:
                    continue
                facet = read_facet(parse_note(f"{FOLDER}/{folder.name}/{file.name}", data))
            if facet is None:
                blocked.append(f"{folder.name}/{file.name[:-3]}")
            else:
                facets.append(facet)
                notes[facet.name] = data
    return Profile(facets, notes, blocked)


def render_profile(facets: Sequence[Facet]) -> str:
    """Returns what holds, by type: `### Preference`, then `- key: value (confirmed 3x)`. Empty when nothing does.

    Source: BEHAVIOUR §3.3.
    """
    parts: list[str] = []
    for facet_type in sorted({facet.type for facet in facets if facet.current}):
        lines = [f"### {facet_type.capitalize()}"]
        for facet in sorted(facets, key=lambda f: f.key):
            if facet.type == facet_type and facet.current:
                confirmed = f" (confirmed {facet.evidence_count}x)" if facet.evidence_count > 1 else ""
                lines.append(f"- {facet.key}: {' '.join(facet.value.split())}{confirmed}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)
