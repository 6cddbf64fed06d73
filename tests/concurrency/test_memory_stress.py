"""Writers that are killed, and a person at the same file; `benchmarks/memory_stress.py` does it at full scale."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.memory_stress import examine, facts, stress


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_every_fact_is_there_once_and_a_persons_lines_are_intact(tmp_path: Path) -> None:
    outcome = stress(tmp_path, processes=3, appends=25, number=30, seed=7, kill_every_s=0.3)
    assert outcome.wrong == []
    assert outcome.lines_by_hand > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [".memory-write.lock", "MEMORY.md"]


def test_the_examination_sees_what_could_be_wrong(tmp_path: Path) -> None:
    known = facts(3, 1)
    (tmp_path / "MEMORY.md").write_text("\n".join([known[0], known[0], known[1], "forged"]))
    (tmp_path / "MEMORY (conflicted copy).md").write_text("")
    wrong = "\n".join(examine(tmp_path, known, ["- [x] by hand"]))
    for words in ("the file is cut", f"2 times: {known[0]}", f"0 times: {known[2]}", "0 times: - [x] by hand",
                  "nobody wrote: forged", "the permissions", "left behind: MEMORY (conf"):  # fmt: skip
        assert words in wrong
