"""Better recaps for segments that were closed without a language model.

Source: BEHAVIOUR §4.4. A recap that a person has edited is never replaced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from vaultkeeper.errors import VaultkeeperError
from vaultkeeper.memory.episodes import load_turns
from vaultkeeper.memory.recap import RECAP_DEADLINE_S, summarize
from vaultkeeper.memory.segments import Segment, load_segment, read_segment, recap_mark, render_segment
from vaultkeeper.ports import LanguageModel
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.splice import set_property
from vaultkeeper.vault.write import read_note, replace_note, sha256_hex

BATCH = 3
"""Recaps that one sweep writes at most."""

SCAN = 25
"""Segments that one sweep looks at."""

MAX_ATTEMPTS = 2
"""Times that one process tries a segment."""


def resummarise_pending(
    root: Path,
    paths: Sequence[str],
    model: LanguageModel,
    attempts: Counter[str],
    *,
    deadline_s: float = RECAP_DEADLINE_S,
    stop: Callable[[], bool] = lambda: False,
) -> list[str]:
    """Lets the model write the recaps that are still extracts or bookends, oldest first. Never raises.

    Args:
        paths: Segment notes.
        attempts: How often each was tried by this process; counted up.

    Returns:
        The notes that have a new recap.
    """
    waiting = [
        segment
        for path in paths
        if attempts[path] < MAX_ATTEMPTS
        and (segment := load_segment(root, path)) is not None
        and segment.recap_by != "llm"
        and not segment.edited
    ]
    waiting.sort(key=lambda segment: (segment.end_ms, segment.path))
    done: list[str] = []
    for segment in waiting[:SCAN]:
        if len(done) >= BATCH or stop():
            break
        attempts[segment.path] += 1
        turns = load_turns(root, segment.folder, segment.start_seq, segment.end_seq)
        recap = summarize(turns, segment.events, model, deadline_s=deadline_s)
        if recap.by == "llm" and replace_recap(root, segment.path, recap.text):
            done.append(segment.path)
    return done


def replace_recap(root: Path, path: str, text: str) -> bool:
    """Writes a model's recap into a segment note; False when a person has edited the recap, or the note is gone."""
    try:
        data = read_note(root, path)
        segment = read_segment(parse_note(path, data))
        if segment is None or segment.edited:
            return False
        new = _with_recap(data, segment, text.strip())
        replace_note(root, path, new, sha256_hex(data))
    except VaultkeeperError:
        return False
    return True


def _with_recap(data: bytes, segment: Segment, text: str) -> bytes:
    mark = recap_mark(text)
    if render_segment(segment) == data:
        return render_segment(replace(segment, recap=text, recap_by="llm", written=mark))
    body = data.replace(segment.recap.encode(), text.encode(), 1) if segment.recap else data
    for key, value in (("status", "summarised"), ("recap_by", "llm"), ("written", mark)):
        body = set_property(body, key, value, segment.path)
    return body
