"""Agents that write, archivists that tend and a person who edits, all at the same time."""

import multiprocessing
import time
from datetime import UTC, datetime, timedelta
from multiprocessing.synchronize import Event
from pathlib import Path

from vaultkeeper.memory.archivist import Tending, tend
from vaultkeeper.memory.capture import Exchange, capture
from vaultkeeper.memory.episodes import load_turns
from vaultkeeper.memory.profile import load_profile
from vaultkeeper.memory.segments import load_segments

NOW = datetime(2026, 3, 10, 19, tzinfo=UTC)
SAID = [
    "I prefer tea.",
    "By the way, I live in Oslo.",
    "Anyway, I speak Dutch.",
    "New question: I like trains.",
]


def speak(root: Path, agent: int) -> None:
    for number in range(12):
        text = SAID[number % len(SAID)]
        at = NOW + timedelta(seconds=20 * number)
        capture(root, Exchange(text, "Noted.", session_id=f"s{agent % 2}"), now=at)


def archive(root: Path, lock_dir: Path, over: Event) -> None:
    while not over.is_set():
        tend(root, NOW, Tending(lock_dir=lock_dir))


def edit(root: Path, edited: Event, over: Event) -> None:
    while not over.is_set():
        for path in root.glob("profile/*/*.md"):
            text = path.read_text()
            if "tea" in text and "green tea" not in text:
                temp = path.with_name(".editor")
                temp.write_text(text.replace("tea.", "green tea."))
                temp.replace(path)
                edited.set()
        time.sleep(0.01)


def test_nothing_is_lost_or_done_twice(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    root = tmp_path / "vault"
    root.mkdir()
    edited, over = context.Event(), context.Event()
    agents = [context.Process(target=speak, args=(root, agent)) for agent in range(4)]
    others = [context.Process(target=archive, args=(root, tmp_path / "locks", over)) for _ in range(2)]
    others.append(context.Process(target=edit, args=(root, edited, over)))
    for process in (*agents, *others):
        process.start()
    for process in agents:
        process.join(60)
    assert edited.wait(60), "the person had something to edit"
    over.set()
    for process in others:
        process.join(60)
    assert [process.exitcode for process in (*agents, *others)] == [0] * 7
    tend(root, NOW + timedelta(days=1), Tending(lock_dir=tmp_path / "locks"))
    closed = 0
    for session in ("s0", "s1"):
        turns = load_turns(root, session)
        assert [turn.seq for turn in turns] == list(range(48))
        covered = [seq for segment in load_segments(root, session) for seq in segment.seqs]
        assert covered == list(range(48)), "every turn lies in one segment"
        closed += len(load_segments(root, session))
    profile = load_profile(root)
    assert not profile.blocked
    for facet in profile.facets.values():
        assert facet.evidence_count == len(facet.segments) == len(set(facet.segments))
    assert closed > 4
    assert any("green tea." in path.read_text() for path in root.glob("profile/*/*.md")), (
        "the person's words are kept"
    )
