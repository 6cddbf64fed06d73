from __future__ import annotations

import json
from pathlib import Path

from tests.index.vaults import Bench


def canvas(*files: str, text: str = "") -> str:
    cards = [{"id": str(n), "type": "file", "file": file} for n, file in enumerate(files)]
    return json.dumps({"nodes": [*cards, {"id": "t", "type": "text", "text": text}], "edges": []})


def problems(bench: Bench) -> list[tuple[str, str]]:
    return [
        tuple(row)
        for row in bench.rows("SELECT path, code FROM problems WHERE stage = 'canvas' ORDER BY 1, 2")
    ]


def test_cards_and_text_cards_are_checked_as_files_come_and_go(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("plan.md", "# Plan\n")
    bench.write("board.canvas", canvas("plan.md", "pics/map.png", text="see [[Nowhere]] and [[plan]]"))
    bench.sync()
    assert problems(bench) == [("board.canvas", "canvas-file-missing"), ("board.canvas", "link-dead")]
    bench.write("pics/map.png", "")
    bench.write("Nowhere.md", "found\n")
    bench.sync()
    assert problems(bench) == []
    (bench.root / "plan.md").unlink()
    bench.sync()
    assert problems(bench) == [("board.canvas", "canvas-file-missing"), ("board.canvas", "link-dead")]


def test_an_edited_canvas_is_looked_at_again_and_a_removed_one_forgotten(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("a.canvas", "{broken")
    bench.write("b.canvas", canvas("gone.md"))
    bench.sync()
    assert problems(bench) == [("a.canvas", "canvas-invalid"), ("b.canvas", "canvas-file-missing")]
    bench.write("a.canvas", canvas("lost.md"))
    bench.sync()
    assert problems(bench) == [("a.canvas", "canvas-file-missing"), ("b.canvas", "canvas-file-missing")]
    (bench.root / "b.canvas").unlink()
    bench.sync()
    assert problems(bench) == [("a.canvas", "canvas-file-missing")]


def test_a_canvas_is_no_note(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("a.canvas", canvas(text="words of a card"))
    stats = bench.sync()
    assert stats.added == 0
    assert bench.rows("SELECT 1 FROM notes") == []
