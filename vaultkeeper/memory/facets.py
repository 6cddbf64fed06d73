"""A facet: one thing that is known of the user, as a note `profile/<type>/<key>.md`.

Owns the keys, the bytes, and what tells a note that this program wrote from one that a person has edited. What a person
has changed is never changed back.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from vaultkeeper.types import Note
from vaultkeeper.vault.yaml_text import render_scalar

if TYPE_CHECKING:
    from vaultkeeper.memory.slots import Slot

FOLDER = "profile"
FACET_TYPES = ("preference", "workflow", "role", "personality", "context")
"""Source: BEHAVIOUR §3.3."""

KEY_WORDS = 4
MIN_WORD_BYTES = 3
MAX_KEY_BYTES = 120

State = Literal["auto", "pinned", "forgotten"]

_FILLERS = frozenset(
    {
        "really", "just", "actually", "also", "very", "quite", "definitely", "honestly", "personally", "still", "now",
        "currently", "much", "strongly", "absolutely", "simply", "generally",
        "the", "and", "but", "well", "yes", "yeah",
    }
)  # fmt: skip
"""Words that change the tone of a statement and not what it is about."""
_ZH_FILLERS = re.compile("真的|其实|其實|比较|比較|非常|特别|特別|一直|个人|個人|还是|還是|更|很|最|也|就|了")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NO_KEY = re.compile(r"[^\w]|(?<=_)_+")


@dataclass(frozen=True, slots=True)
class Facet:
    """One thing that is known of the user.

    Attributes:
        type: One of `FACET_TYPES`.
        key: The note's name.
        value: The statement as it was made.
        confidence: 0 to 1.
        evidence_count: How often it was said.
        first_ms: When it was first said; 0 when unknown. So is `last_ms`.
        segments: Segments in which it was said, as `<session>/<first turn>`.
        valid_from: First day that it held, ISO; empty when unknown.
        valid_until: Day from which on it holds no longer; empty while it holds.
        superseded_by: `<type>/<key>` of the facet that took its place; empty when none did.
        negated: It says that something does not hold any more.
        history: Earlier values and periods, oldest first, each with its dates.
        promoted: Whether it stands in MEMORY.md.
        written: Tells whether the value is still as this program wrote it; empty on a note that it did not write.
    """

    type: str
    key: str
    value: str
    confidence: float = 0.5
    evidence_count: int = 1
    first_ms: int = 0
    last_ms: int = 0
    segments: tuple[str, ...] = ()
    state: State = "auto"
    valid_from: str = ""
    valid_until: str = ""
    superseded_by: str = ""
    negated: bool = False
    history: tuple[str, ...] = ()
    promoted: bool = False
    written: str = ""

    @property
    def path(self) -> str:
        """Where its note lies."""
        return f"{FOLDER}/{self.name}.md"

    @property
    def name(self) -> str:
        """Type and key."""
        return f"{self.type}/{self.key}"

    @property
    def edited(self) -> bool:
        """Whether a person wrote or rewrote the value."""
        return value_mark(self.value) != self.written

    @property
    def fixed(self) -> bool:
        """Whether a person has the last word: nothing here is changed but the count of evidence."""
        return self.state != "auto" or self.edited

    @property
    def current(self) -> bool:
        """Whether it holds and may be told."""
        return self.state != "forgotten" and not self.superseded_by and not self.valid_until

    @property
    def slot(self) -> Slot | None:
        """The question that it answers; None when it stands for itself."""
        from vaultkeeper.memory.slots import answer_slot, find_slot

        if self.negated:
            return None
        found = find_slot(self.value)
        return answer_slot(self.key, self.value) if found is None and self.state == "pinned" else found


def profile_key(sentence: str, prefix: str) -> str:
    """Returns the key of a statement: prefix and its first four words of more than two bytes.

    Letters of every script count. Words that only change the tone are left out, so that "I really prefer dark mode" has
    the key of "I prefer dark mode"; in Chinese the whole statement is the key. A long key ends in a part of its hash.

    Source: BEHAVIOUR §3.3; fillers, scripts and length are ours.
    """
    plain = unicodedata.normalize("NFKC", sentence).lower()
    words = [word for word in plain.split() if len(word.encode("utf-8", "replace")) >= MIN_WORD_BYTES]
    telling = [word for word in words if word.strip(".,;:!?…\"'") not in _FILLERS]
    key = "_".join((telling or words)[:KEY_WORDS])
    if _CJK.search(key):
        key = _ZH_FILLERS.sub("", key) or key
    key = _NO_KEY.sub("", key).strip("_")
    if not key:
        return f"{prefix}_unknown"
    full = f"{prefix}_{key}"
    data = full.encode("utf-8", "replace")
    if len(data) <= MAX_KEY_BYTES:
        return full
    return data[: MAX_KEY_BYTES - 9].decode("utf-8", "ignore") + "_" + hashlib.sha256(data).hexdigest()[:8]


def value_mark(value: str) -> str:
    """Returns what tells whether a value is still as it was written; never read as a number by YAML."""
    return "v-" + hashlib.sha256(value.strip().encode("utf-8", "surrogatepass")).hexdigest()[:12]


def format_moment(ms: int) -> str:
    """RFC 3339 in UTC, to the second."""
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def format_day(ms: int) -> str:
    """The day in UTC, ISO; empty when the time is unknown."""
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d") if ms > 0 else ""


def _scalars(facet: Facet) -> dict[str, str]:
    """The properties of one value each, in order, as YAML; those without a value are left out."""
    values = {
        "value": render_scalar(facet.value, '"'),
        "confidence": f"{facet.confidence:g}",
        "evidence_count": str(facet.evidence_count),
        "first_seen_at": format_moment(facet.first_ms) if facet.first_ms else "",
        "last_seen_at": format_moment(facet.last_ms) if facet.last_ms else "",
        "segments": "",
        "state": facet.state,
        "valid_from": facet.valid_from,
        "valid_until": facet.valid_until,
        "superseded_by": f'"[[{FOLDER}/{facet.superseded_by}]]"' if facet.superseded_by else "",
        "negated": "true" if facet.negated else "",
        "promoted": "true" if facet.promoted else "",
        "written": facet.written,
    }
    return {key: text for key, text in values.items() if text or key == "segments"}


def render_facet(facet: Facet) -> bytes:
    """Returns the note of a facet."""
    lines = ["---"]
    for key, text in _scalars(facet).items():
        if key != "segments":
            lines.append(f"{key}: {text}")
        elif facet.segments:
            lines += ["segments:", *(f"  - {render_scalar(segment)}" for segment in facet.segments)]
        else:
            lines.append("segments: []")
    if facet.history:
        lines += ["history:", *(f"  - {render_scalar(entry, chr(34))}" for entry in facet.history)]
    return ("\n".join([*lines, "---"]) + "\n").encode()


def read_facet(note: Note) -> Facet | None:
    """Reads a facet from its note; None when the note lies elsewhere or has no value."""
    parts = note.path.split("/")
    values = note.properties
    value = values.get("value")
    if len(parts) != 3 or parts[0] != FOLDER or not parts[2].endswith(".md"):
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        return None
    state = values.get("state")
    segments, history = values.get("segments"), values.get("history")
    return Facet(
        parts[1],
        parts[2][:-3],
        value,
        _float(values.get("confidence"), 0.5),
        int(_float(values.get("evidence_count"), 1)),
        _ms(values.get("first_seen_at")),
        _ms(values.get("last_seen_at")),
        tuple(str(item) for item in segments) if isinstance(segments, list) else (),
        state if state in ("auto", "pinned", "forgotten") else "pinned" if state is None else "auto",
        _word(values.get("valid_from")),
        _word(values.get("valid_until")),
        _target(values.get("superseded_by"), parts[1]),
        values.get("negated") is True,
        tuple(str(item) for item in history) if isinstance(history, list) else (),
        values.get("promoted") is True,
        _word(values.get("written")),
    )


def edit_facet(data: bytes, old: Facet, new: Facet) -> bytes:
    """Returns a facet's note with what has changed; whatever else a person wrote into it stays byte for byte.

    Raises:
        UnreadableNoteError: the frontmatter cannot be edited.
    """
    if render_facet(old) == data:
        return render_facet(new)
    from vaultkeeper.vault.splice import append_items, set_property

    before, after = _scalars(old), _scalars(new)
    for key in [*before, *(key for key in after if key not in before)]:
        if key == "segments" or before.get(key) == after.get(key):
            continue
        data = set_property(data, key, _spliced(key, new), new.path)
    data = append_items(data, "segments", [s for s in new.segments if s not in old.segments], new.path)
    return append_items(data, "history", list(new.history[len(old.history) :]), new.path)


def _spliced(key: str, facet: Facet) -> str | int | bool | None:
    """A property as `set_property` takes it; None empties it."""
    values: Mapping[str, str | int | bool | None] = {
        "value": facet.value,
        "confidence": f"{facet.confidence:g}",
        "evidence_count": facet.evidence_count,
        "first_seen_at": format_moment(facet.first_ms),
        "last_seen_at": format_moment(facet.last_ms),
        "state": facet.state,
        "valid_from": facet.valid_from or None,
        "valid_until": facet.valid_until or None,
        "superseded_by": f"[[{FOLDER}/{facet.superseded_by}]]" if facet.superseded_by else None,
        "negated": facet.negated,
        "promoted": facet.promoted,
        "written": facet.written,
    }
    return values[key]


def with_value(facet: Facet, value: str, note: str = "") -> Facet:
    """Returns a facet with another value of this program's; the old one goes into its history."""
    history = facet.history
    if facet.value and facet.value != value:
        history = (*history, f"{note or format_day(facet.last_ms) or 'before'}: {facet.value}")
    return replace(facet, value=value, history=history, written=value_mark(value))


def _float(value: object, default: float) -> float:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return default
    good = isinstance(value, int | float) and not isinstance(value, bool) and value == value
    return min(max(float(value), 0.0), 1e9) if good else default  # type: ignore[arg-type]


def _word(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _ms(value: object) -> int:
    if not isinstance(value, str):
        return 0
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return 0
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def _target(value: object, own_type: str) -> str:
    """The facet that a wikilink leads to, as type and key."""
    if not isinstance(value, str) or not value.strip():
        return ""
    path = value.strip().removeprefix("[[").removesuffix("]]").partition("|")[0].removesuffix(".md")
    path = path.removeprefix(f"{FOLDER}/")
    return path if "/" in path else f"{own_type}/{path}"
