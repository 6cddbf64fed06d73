"""What was said in a segment, in a few sentences.

Owns the recap of a segment: by its central sentences, by a language model where there is one, and by its first and last
words where neither says anything; and what of a turn is no prose (calls of tools, and images). Nothing here raises,
whatever the turns or the model do.

Source: BEHAVIOUR §1.5, §4.2; extraction is ours (DESIGN §6.1).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

from vaultkeeper.memory.central import Picked, pick_sentences
from vaultkeeper.memory.episodes import Turn
from vaultkeeper.memory.redact import redact
from vaultkeeper.memory.segments import RecapBy, SegmentEvent
from vaultkeeper.ports import LanguageModel
from vaultkeeper.vault.tokens import approx_tokens

_CALL = re.compile(r"<tool_call>.*?(?:</tool_call>|\Z)", re.S)
_IMAGE = re.compile(r"\[IMAGE:[^\]\n]*\]|!\[[^\]\n]*\]\(data:[^)\s]*\)")
_BLANK_LINES = re.compile(r"\n[ \t]*\n[ \t]*(?:\n[ \t]*)+")
_CALL_LINES = ('{"tool_calls"', '"tool_calls"')


def strip_tool_calls(text: str) -> str:
    """Takes out spans between `<tool_call>` and `</tool_call>` (to the end where it is not closed) and lines of their
    JSON.

    A text without any of them is returned as it is; from others runs of blank lines and blanks at the ends go too.
    """
    if "<tool_call>" not in text and '"tool_use"' not in text and '"tool_calls"' not in text:
        return text
    text = _CALL.sub("", text)
    lines = [
        line
        for line in text.split("\n")
        if '"tool_use"' not in line and not line.lstrip().startswith(_CALL_LINES)
    ]
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()


def strip_images(text: str) -> str:
    """Takes out `[IMAGE:…]` marks and images that are embedded as data."""
    return _IMAGE.sub("", text) if "[IMAGE:" in text or "](data:" in text else text


def prose_of(content: str) -> str:
    """Returns what of a turn is prose; may be empty."""
    return strip_images(strip_tool_calls(content)).strip()


RECAP_DEADLINE_S = 90.0
TOKEN_BUDGET = 2_000
INPUT_BUDGET = 50_000
OVERHEAD = 2_048
BOOKEND_CHARS = 200

EXTRACT_TOKENS = 240
"""Longest extract: what an embedder reads as one thought, and a reader at one glance."""

EXTRACT_FLOOR = 48
"""Shortest budget: a conversation of two sentences is its own recap. Longer ones keep at most half."""

EVENT_BONUS = 0.25

SYSTEM = (
    "You keep the memory of a conversation. Fold the notes below into "
    "one compact account of what was said, about {budget} "
    "tokens at most. Keep facts, decisions, promises, names, numbers "
    "and dates; leave out greetings and repetition. Write "
    "plain prose in the language of the notes, without headings, lists, "
    "JSON or an introduction. Say nothing that the notes "
    "do not say."
)

_MARKER = re.compile(r"\[REDACTED\w*\]")
_NAME = re.compile(r"(?<![.!?:\n]\s)(?<!^)\b[A-ZÀ-Þ][\w'’-]{2,}")


class Recap(NamedTuple):
    """A recap, and who wrote it. A bookend only shows where a segment begins and ends: it is never searched."""

    text: str
    by: RecapBy

    @property
    def usable(self) -> bool:
        """Whether it says something: it may be embedded, recalled and built upon."""
        return self.by != "bookend" and bool(self.text.strip())


def summarize(
    turns: Sequence[Turn],
    events: Sequence[SegmentEvent] = (),
    model: LanguageModel | None = None,
    *,
    deadline_s: float = RECAP_DEADLINE_S,
) -> Recap:
    """Returns the recap of some turns: the model's if it gives a usable one in time, else the central sentences."""
    written = write_recap(turns, model, deadline_s=deadline_s) if model else None
    if written:
        return Recap(written, "llm")
    extract = extract_recap(turns, events)
    return Recap(extract, "extractive") if extract else Recap(bookend(turns), "bookend")


def extract_recap(turns: Sequence[Turn], events: Sequence[SegmentEvent] = ()) -> str:
    """Returns the central sentences of the turns, a line for each speaker's run; empty when none says anything."""
    spoken = [(turn, text) for turn in turns if (text := prose_of(turn.content))]
    texts = [text for _, text in spoken]
    told = {event.quote for event in events}
    half = sum(map(approx_tokens, texts)) // 2
    budget = max(EXTRACT_FLOOR, min(EXTRACT_TOKENS, half))

    def bonus(source: int, start: int, end: int) -> float:
        sentence = " ".join(texts[source][start:end].split())
        return EVENT_BONUS if any(quote in sentence or sentence in quote for quote in told) else 0.0

    picked = pick_sentences(texts, budget, bonus=bonus if told else None)
    return _as_lines(picked, [turn.role for turn, _ in spoken])


def _as_lines(picked: Sequence[Picked], roles: Sequence[str]) -> str:
    lines: list[str] = []
    speaker = ""
    for one in picked:
        sentence = " ".join(one.text.split())
        if roles[one.source] == speaker:
            lines[-1] += f" {sentence}"
        else:
            speaker = roles[one.source]
            lines.append(f"{speaker.capitalize()}: {sentence}")
    return "\n".join(lines)


def bookend(turns: Sequence[Turn]) -> str:
    """Returns how a segment begins and ends."""
    first, last = (" ".join(turns[at].content.split()) for at in (0, -1)) if turns else ("", "")
    return (
        f"Conversation segment ({len(turns)} turns). Started with: {_cut(first)} | Ended with: {_cut(last)}"
    )


def _cut(text: str) -> str:
    return text if len(text) <= BOOKEND_CHARS else text[:BOOKEND_CHARS] + "..."


def build_prompt(turns: Sequence[Turn]) -> str:
    """Returns the notes for a model: each turn under its id, cut such that all of them fit."""
    spoken = [(turn, text) for turn in turns if (text := prose_of(turn.content))]
    cap_chars = 4 * max(16, (INPUT_BUDGET - TOKEN_BUDGET - OVERHEAD) // max(1, len(spoken)))
    parts = []
    for turn, text in spoken:
        cap = cap_chars if text.isascii() else cap_chars // 4
        parts.append(f"[{turn.role}-{turn.timestamp_ms}]\n{text[:cap]}")
    return "\n\n".join(parts)


def write_recap(
    turns: Sequence[Turn], model: LanguageModel, *, deadline_s: float = RECAP_DEADLINE_S
) -> str | None:
    """Returns the model's recap; None when it fails, is late, says nothing, says more than the turns do or twice the
    budget, or names what they do not."""
    prompt = build_prompt(turns)
    if not prompt:
        return None
    system = SYSTEM.format(budget=TOKEN_BUDGET)
    answer = ask_in_time(lambda: model.complete(prompt, system=system, max_tokens=TOKEN_BUDGET), deadline_s)
    text = redact(_plain(answer)).text if isinstance(answer, str) else ""
    most = min(2 * TOKEN_BUDGET, max(EXTRACT_TOKENS, approx_tokens(prompt)))
    if not _MARKER.sub("", text).strip() or approx_tokens(text) > most or not is_grounded(text, turns):
        return None
    return text


def is_grounded(text: str, turns: Sequence[Turn]) -> bool:
    """Whether every name in a text, told by its capital inside a sentence, stands in the turns."""
    said = "\n".join(turn.content for turn in turns).casefold()
    names = _NAME.findall(_MARKER.sub("", text))
    return all(name.casefold().removesuffix("'s").removesuffix("’s") in said for name in names)


def _plain(text: str) -> str:
    """Without headings and marks that would part the note anew."""
    lines = [re.sub(r"^\s*(?:#{1,6}\s+|>\s?)", "", line).rstrip() for line in text.strip().split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).replace(" ^", " ").strip()


def ask_in_time(call: Callable[[], object], deadline_s: float) -> object:
    """Returns what a call to a model returns, or None when it raises or takes longer; a late one is left to end by
    itself."""
    found: list[object] = []

    def run() -> None:
        try:
            found.append(call())
        except Exception:  # a model may fail in any way: the extract is there
            return

    thread = threading.Thread(target=run, name="vaultkeeper-recap", daemon=True)
    thread.start()
    thread.join(deadline_s)
    return found[0] if found else None
