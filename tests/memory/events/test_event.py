from __future__ import annotations

import subprocess
import sys

from vaultkeeper.memory.events import event_id


def test_the_same_statement_has_the_same_id() -> None:
    assert event_id("seg-1", "fact", "I don’t live in  Oslo.") == event_id(
        "seg-1", "fact", "i don't live in Oslo"
    )


def test_segment_kind_and_words_make_the_id() -> None:
    ids = {
        event_id(s, k, t)
        for s in ("seg-1", "seg-2")
        for k in ("fact", "decision")
        for t in ("我住在北京", "I like tea")
    }
    assert len(ids) == 8


def test_the_parts_are_kept_apart() -> None:
    assert event_id("a", "b", "c d") != event_id("a", "b c", "d")


def test_another_process_gives_the_same_id() -> None:
    code = "from vaultkeeper.memory.events import event_id; print(event_id('seg-1', 'fact', '我住在北京。'))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == event_id("seg-1", "fact", "我住在北京")
