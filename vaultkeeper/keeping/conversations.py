"""The conversations of a vault, and what is known from them.

Owns the verbs of capture, sessions, the archivist, recall and the profile: puts together settings, clock and embedder
for the modules that do the work. Nothing heavy is imported before a verb needs it: capturing must cost next to
nothing.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vaultkeeper.config import Settings
from vaultkeeper.errors import FacetNotFoundError, ProviderError, SessionNotFoundError, UsageError
from vaultkeeper.memory.episodes import list_seqs, list_session_dirs, load_turns, session_dir
from vaultkeeper.ports import Clock

if TYPE_CHECKING:
    from vaultkeeper.ask.params import Corpus
    from vaultkeeper.memory.archivist import Tended, Tending
    from vaultkeeper.memory.capture import Captured, Exchange
    from vaultkeeper.memory.episodes import Turn
    from vaultkeeper.memory.facets import Facet
    from vaultkeeper.memory.profile import Profile
    from vaultkeeper.memory.reflection import Reflecting
    from vaultkeeper.memory.segments import Segment
    from vaultkeeper.ports import Embedder, LanguageModel
    from vaultkeeper.retrieval.recall import Recall, RecallParams


class SessionInfo(NamedTuple):
    """A session at a glance. `open_turns` belong to no closed segment yet; times are Unix milliseconds, 0 when
    unknown."""

    session_id: str
    folder: str
    turns: int
    segments: int
    open_turns: int
    first_ms: int
    last_ms: int


@dataclass(frozen=True, slots=True)
class SessionView:
    """A session with its closed segments and the turns after the last of them."""

    info: SessionInfo
    segments: tuple[Segment, ...]
    open_turns: tuple[Turn, ...]


class Conversations:
    """What was said in a vault.

    Args:
        lock_dir: Folder of the edit lock, outside the vault.
        embedder: Opens the embedder; None when vectors are switched off.
        corpus: Opens the index for `recall`; nothing else here needs one.
        model: Opens the language model that writes recaps; None when there is none, and extracts stand in.
    """

    def __init__(
        self,
        root: Path,
        settings: Settings,
        clock: Clock,
        lock_dir: Path | None = None,
        embedder: Callable[[], Embedder | None] = lambda: None,
        corpus: Callable[[], Corpus] | None = None,
        model: Callable[[], LanguageModel | None] = lambda: None,
    ) -> None:
        self.root = root
        self.settings = settings
        self._clock = clock
        self._lock_dir = lock_dir
        self._embedder = embedder
        self._corpus = corpus
        self._model = model
        self._attempts: Counter[str] = Counter()

    # Capture

    def capture(self, exchange: Exchange) -> Captured:
        """Writes an exchange; see `capture.capture`. Does nothing when capturing is switched off."""
        from vaultkeeper.memory.capture import Captured, capture

        if not self.settings.learning_episodic_capture_enabled:
            return Captured(exchange.session_id)
        return capture(self.root, self._recorded(exchange), now=self._clock())

    def capture_all(self, exchanges: Sequence[Exchange]) -> list[Captured]:
        """Writes many exchanges; see `capture.capture_all`."""
        from vaultkeeper.memory.capture import Captured, capture_all

        if not self.settings.learning_episodic_capture_enabled:
            return [Captured(exchange.session_id) for exchange in exchanges]
        return capture_all(self.root, list(map(self._recorded, exchanges)), now=self._clock())

    def _recorded(self, exchange: Exchange) -> Exchange:
        """Without the tool calls where they are not to be tracked."""
        if self.settings.learning_tool_tracking_enabled or not exchange.tool_calls:
            return exchange
        return replace(exchange, tool_calls=())

    # Sessions

    def sessions(self) -> list[SessionInfo]:
        """Returns all sessions, the one that was last spoken in first."""
        from vaultkeeper.memory.segments import FOLDER, last_closed_seq

        found = []
        for folder in list_session_dirs(self.root):
            seqs = list_seqs(self.root, folder)
            ends = load_turns(self.root, folder, seqs[0], seqs[0]) if seqs else []
            ends += load_turns(self.root, folder, seqs[-1], seqs[-1]) if seqs else []
            if not ends:
                continue
            closed = last_closed_seq(self.root, folder)
            found.append(
                SessionInfo(
                    ends[0].session_id,
                    folder,
                    len(seqs),
                    len(list_seqs(self.root, folder, FOLDER)),
                    sum(seq > closed for seq in seqs),
                    ends[0].timestamp_ms,
                    ends[-1].timestamp_ms,
                )
            )
        return sorted(found, key=lambda info: (-info.last_ms, info.folder))

    def session(self, session: str) -> SessionView:
        """Returns a session with its segments.

        Raises:
            SessionNotFoundError: it has no turns.
        """
        from vaultkeeper.memory.segments import load_segments

        folder = self.folder_of(session)
        info = next((info for info in self.sessions() if info.folder == folder), None)
        if info is None:
            raise self._unknown_session(session)
        segments = load_segments(self.root, folder)
        first = max((segment.end_seq for segment in segments), default=-1) + 1
        return SessionView(info, tuple(segments), tuple(load_turns(self.root, folder, first)))

    def end_session(self, session: str) -> Tended:
        """Closes what is open of a session; again, or without anything open, nothing happens.

        Raises:
            SessionNotFoundError: it has no turns.
        """
        from vaultkeeper.memory.archivist import flush_open_segment

        return flush_open_segment(self.root, self.folder_of(session), self.tending(), self._clock())

    def rolling_recap(self, session: str) -> str:
        """Returns a recap of what is open of a session, to shorten the running conversation with; writes nothing.

        Returns:
            The model's where there is one and it gives one, else the extract; empty when nothing is open, or nothing
            was said.

        Raises:
            SwitchedOffError: `learning.unified_compaction_enabled` is false.
            SessionNotFoundError: it has no turns.
        """
        from vaultkeeper.errors import SwitchedOffError
        from vaultkeeper.memory.archivist import open_turns
        from vaultkeeper.memory.recap import summarize
        from vaultkeeper.memory.segments import find_events

        if not self.settings.learning_unified_compaction_enabled:
            raise SwitchedOffError(
                what="Shortening conversations", setting="learning.unified_compaction_enabled"
            )
        how = self.tending()
        _, running = open_turns(self.root, self.folder_of(session), how)
        if running is None:
            return ""
        recap = summarize(running.turns, find_events(running), how.model, deadline_s=how.deadline_s)
        return recap.text if recap.usable else ""

    def folder_of(self, session: str) -> str:
        """Returns the folder of a session that has turns, given its id or its folder.

        Raises:
            SessionNotFoundError: there is none.
        """
        for folder in (session_dir(session), session):
            if folder and "/" not in folder and folder[0] != "." and list_seqs(self.root, folder):
                return folder
        raise self._unknown_session(session)

    def _unknown_session(self, session: str) -> SessionNotFoundError:
        near = difflib.get_close_matches(session, list_session_dirs(self.root), n=1)
        hint = (
            f"Did you mean {near[0]}?" if near else "`vaultkeeper session list` shows those that there are."
        )
        return SessionNotFoundError(session=session, near=hint)

    # The archivist

    def tending(self) -> Tending:
        """Returns how the archivist works by the settings."""
        from vaultkeeper.memory.archivist import Tending
        from vaultkeeper.memory.boundary import MARKERS, SegmentRules, for_word_vectors

        settings = self.settings
        rules = SegmentRules(
            settings.segment_max_gap_seconds,
            settings.segment_min_similarity,
            settings.segment_max_turns,
            settings.segment_markers or MARKERS,
        )
        word_vectors = settings.embedder.strip() in ("static", "hash")
        drifts = settings.embedder.strip() != "none" and rules.min_similarity > -1
        model = self._open_model()
        return Tending(
            rules=for_word_vectors(rules) if word_vectors and rules.min_similarity > 0 else rules,
            embed=self._embed if drifts else None,
            lock_dir=self._lock_dir,
            profile=settings.learning_user_profile_enabled,
            mistakes=settings.learning_tool_memory_capture_enabled,
            promote=self._promote,
            confirmed_only=settings.learning_stability_detector_enabled,
            model=model,
            reflect=self._reflecting(model) if model is not None else None,
        )

    def _open_model(self) -> LanguageModel | None:
        try:
            return self._model()
        except ProviderError:
            return None  # as if there were none; a later sweep writes the better recaps

    def _reflecting(self, model: LanguageModel) -> Reflecting | None:
        """What the model may add of its own by the settings."""
        from vaultkeeper.memory.reflection import Reflecting

        settings = self.settings
        if not settings.learning_enabled:
            return None
        trusted = model.local or settings.learning_reflection_source != "local"
        reflects = settings.learning_reflection_enabled and trusted
        return Reflecting(
            most_a_session=settings.learning_max_reflections_per_session if reflects else 0,
            min_tool_calls=settings.learning_min_turn_complexity,
            goals=settings.learning_goals_enrichment_enabled and trusted,
        )

    def _promote(self, category: str, text: str) -> bool | None:
        """Appends to MEMORY.md; what stands there already counts as done."""
        from vaultkeeper.errors import DuplicateError, VaultkeeperError
        from vaultkeeper.memory.curated import append, find_told, limits_of

        limits = limits_of(self.settings)
        try:
            if find_told(self.root, "MEMORY.md", text, limits=limits):
                return None
            receipt = append(self.root, "MEMORY.md", text, category=category, limits=limits)
        except DuplicateError:
            return None
        except (VaultkeeperError, OSError):  # full, locked, or not to be written: the next time
            return False
        return True if receipt.changed else None

    def _embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        try:
            model = self._embedder()
            if model is not None:
                return [list(map(float, row)) for row in model.embed(texts)]
        except ProviderError:
            pass  # topics are then told by time, number and words alone
        return [() for _ in texts]

    def tend(self, stop: Callable[[], bool] = lambda: False) -> Tended:
        """Does whatever is due; see `archivist.tend`."""
        from vaultkeeper.memory.archivist import Tended, tend

        if not self.settings.learning_episodic_capture_enabled:
            return Tended()
        return tend(self.root, self._clock(), self.tending(), attempts=self._attempts, stop=stop)

    # Recall

    def recall(self, params: RecallParams) -> Recall:
        """Recalls what other conversations said lately; nothing when that is switched off.

        Raises:
            NoIndexError: there is no index.
        """
        from vaultkeeper.retrieval.recall import Recall, recall

        if not self.settings.learning_stm_recall_enabled or self._corpus is None:
            return Recall(())
        corpus = self._corpus()
        answers = self._answers(params.query) if self.settings.learning_user_profile_enabled else ()
        return recall(corpus.db, params, self._clock(), corpus.vectors, corpus.embedder, answers)

    def _answers(self, query: str) -> list[tuple[str, str]]:
        """Segments and words of what the profile answers to a question, for recall to find the turns."""
        from vaultkeeper.memory.slots import find_asked

        if not (asked := find_asked(query)):
            return []
        known = self.profile()
        facets = [facet for slot in asked for facet in known.in_slot(slot) if facet.current]
        return [(segment, facet.value) for facet in facets for segment in facet.segments[-1:]]

    # The profile

    def profile(self) -> Profile:
        """Reads what is known of the user."""
        from vaultkeeper.memory.profile import load_profile

        return load_profile(self.root)

    def find_facet(self, profile: Profile, name: str) -> Facet:
        """Returns the facet that a name means: its key, its type and key, or the question that it answers (`home`).

        Raises:
            FacetNotFoundError: none is called so.
            UsageError: several are.
        """
        wanted = _wanted(name)
        if wanted in profile.facets:
            return profile.facets[wanted]
        keyed = [facet for facet in profile.facets.values() if facet.key == wanted]
        answers = [facet for facet in profile.in_slot(wanted) if facet.state != "forgotten"]
        found = keyed or [facet for facet in answers if facet.current][-1:] or answers[-1:]
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(facet.name for facet in found)
            raise UsageError(reason=f"{name!r} could be {names}; name the type too.")
        keys = [key for facet in profile.facets.values() for key in (facet.key, facet.name)]
        near = difflib.get_close_matches(wanted, keys, n=1)
        hint = f"Did you mean {near[0]}?" if near else "`vaultkeeper profile show --all` lists everything."
        raise FacetNotFoundError(name=name, near=hint)

    def change_facet(self, name: str, change: Callable[[Facet], Facet]) -> Facet:
        """Changes a facet as a person asked for; what it says about others follows.

        Raises:
            FacetNotFoundError, UsageError: see `find_facet`.
            ConflictError: the note is being edited at this moment.
        """
        from vaultkeeper.memory.facets import format_day
        from vaultkeeper.vault.lock import edit_lock

        with edit_lock(self._lock_dir, command="vaultkeeper profile", since=self._clock()):
            profile = self.profile()
            facet = change(self.find_facet(profile, name))
            if facet.state == "pinned":
                profile.prefer(facet, format_day(int(self._clock().timestamp() * 1000)))
            else:
                profile.put(facet)
            profile.flush(self.root)
        return profile.facets[facet.name]

    def forget_facet(self, name: str) -> list[Facet]:
        """Forgets a facet and whatever says the same; of a question, every answer that holds.

        Returns:
            What was forgotten, the one that was named first.

        Raises:
            FacetNotFoundError, UsageError: see `find_facet`.
            ConflictError: a note is being edited at this moment.
        """
        from vaultkeeper.vault.lock import edit_lock

        with edit_lock(self._lock_dir, command="vaultkeeper profile", since=self._clock()):
            profile = self.profile()
            named = self.find_facet(profile, name)
            found = {named.name: named}
            if named.key != _wanted(name) and named.name != _wanted(name):
                found |= {f.name: f for f in profile.in_slot(_wanted(name)) if f.current}
            for facet in list(found.values()):
                found |= {other.name: other for other in profile.alike(facet)}
            for facet in found.values():
                profile.put(replace(facet, state="forgotten"))
            profile.flush(self.root)
        return [profile.facets[facet] for facet in found]

    def set_facet(self, name: str, value: str, facet_type: str | None = None) -> Facet:
        """Writes a value of the user's own, which stays until the user changes it.

        Args:
            name: An existing facet, or the key of a new one.
            facet_type: Type of a new one; `context` when it is None.

        Raises:
            UsageError: nothing to write, an unknown type, or a name that fits several.
            UnreadableNoteError: in the place of its note lies something that is no facet.
        """
        from vaultkeeper.memory.facets import (
            FACET_TYPES,
            Facet,
            format_day,
            profile_key,
            value_mark,
            with_value,
        )
        from vaultkeeper.memory.redact import redact
        from vaultkeeper.memory.slots import find_slot
        from vaultkeeper.vault.lock import edit_lock

        value = redact(" ".join(value.split())).text
        if not value:
            raise UsageError(reason="A facet needs a value.")
        if facet_type is not None and facet_type not in FACET_TYPES:
            raise UsageError(
                reason=f"{facet_type!r} is no type of facet; the types are {', '.join(FACET_TYPES)}."
            )
        now_ms = int(self._clock().timestamp() * 1000)
        with edit_lock(self._lock_dir, command="vaultkeeper profile", since=self._clock()):
            profile = self.profile()
            try:
                known: Facet | None = self.find_facet(profile, name)
            except FacetNotFoundError:
                known = None
            day = format_day(now_ms)
            if known is not None and known.key not in name:
                # The question was named, not the note: a new answer to it leaves the old one its place in history.
                answer = find_slot(value)
                before = profile.slot_of(known)
                if before is not None and answer is None:
                    known = None  # "Leuven": a bare answer, in a note that is called as the question
                elif (
                    before is not None
                    and answer is not None
                    and answer.name == before.name
                    and answer != before
                ):
                    known, name = None, value
            if known is not None:
                period = f"{known.valid_from or '…'} to {day}"
                facet = replace(
                    with_value(known, value, period),
                    state="pinned",
                    confidence=1.0,
                    valid_from=known.valid_from if known.value == value else day,
                    valid_until="",
                    superseded_by="",
                )
            else:
                key = profile_key(name.replace("/", " "), "").strip("_") or "unknown"
                facet = Facet(
                    facet_type or "context",
                    key,
                    value,
                    1.0,
                    1,
                    now_ms,
                    now_ms,
                    state="pinned",
                    valid_from=day,
                    written=value_mark(value),
                )
                if facet.name in profile.facets:
                    facet = replace(facet, key=f"{key}_{value_mark(value)[2:8]}")
            profile.prefer(facet, day)
            profile.flush(self.root)
        return profile.facets[facet.name]


def _wanted(name: str) -> str:
    """A name of a facet without its folder and ending."""
    return name.strip().removeprefix("profile/").removesuffix(".md")
