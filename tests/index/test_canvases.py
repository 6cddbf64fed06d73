from __future__ import annotations

import json
from pathlib import Path

from tests.index.vaults import Bench

Card = dict[str, object]


def canvas(*files: str, text: str = "", label: str = "") -> str:
    cards: list[Card] = [{"id": str(n), "type": "file", "file": file} for n, file in enumerate(files)]
    cards.append({"id": "t", "type": "text", "text": text})
    return json.dumps({"nodes": [*cards, {"id": "g", "type": "group", "label": label}], "edges": []})


def problems(bench: Bench) -> list[tuple[object, ...]]:
    return bench.rows("SELECT path, code FROM problems WHERE path LIKE '%.canvas' ORDER BY 1, 2")


def leads(bench: Bench, path: str) -> list[tuple[object, ...]]:
    return bench.rows(
        "SELECT links.kind, target, resolved FROM links JOIN notes USING(note_pk) WHERE notes.path = ? ORDER BY ord",
        path,
    )


def test_cards_are_links_that_follow_the_files(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("plan.md", "# Plan\n")
    bench.write("board.canvas", canvas("plan.md", "pics/map.png", text="see [[Nowhere]] and [[plan]]"))
    bench.sync()
    assert problems(bench) == [("board.canvas", "canvas-file-missing"), ("board.canvas", "link-dead")]
    assert leads(bench, "board.canvas") == [
        ("card", "/plan.md", "plan.md"),
        ("card", "/pics/map.png", None),
        ("link", "Nowhere", None),
        ("link", "plan", "plan.md"),
    ]
    bench.write("pics/map.png", "")
    bench.write("Nowhere.md", "found\n")
    bench.sync()
    assert problems(bench) == []
    bench.assert_like_new()
    bench.move("plan.md", "old/plan.md")
    bench.sync()
    assert problems(bench) == [("board.canvas", "canvas-file-missing")]
    assert leads(bench, "board.canvas")[0] == ("card", "/plan.md", None), "a card shows one path and no other"
    assert leads(bench, "board.canvas")[3] == ("link", "plan", "old/plan.md")
    bench.assert_like_new()


def test_an_edited_canvas_is_read_again_and_a_removed_one_forgotten(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("a.canvas", "{broken")
    bench.write("b.canvas", canvas("gone.md", text="kettles", label="Shopping"))
    bench.sync()
    assert problems(bench) == [("a.canvas", "canvas-invalid"), ("b.canvas", "canvas-file-missing")]
    assert (bench.search("kettles"), bench.search("shopping")) == (["b.canvas"], ["b.canvas"])
    bench.write("a.canvas", canvas("lost.md", text="teapots #green"))
    bench.sync()
    assert problems(bench) == [("a.canvas", "canvas-file-missing"), ("b.canvas", "canvas-file-missing")]
    assert bench.search("teapots") == ["a.canvas"]
    assert bench.rows("SELECT path, tag FROM tags JOIN notes USING(note_pk)") == [("a.canvas", "green")]
    bench.assert_like_new()
    (bench.root / "b.canvas").unlink()
    bench.sync()
    assert problems(bench) == [("a.canvas", "canvas-file-missing")]
    assert bench.search("kettles") == []
    bench.assert_like_new()


def test_entities_are_found_in_cards(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write("entities/person/mara.md", "---\nkind: person\ndisplay_name: Mara Lind\n---\n")
    bench.write("a.canvas", canvas(text="Mara Lind brings the kettle."))
    bench.write("b.canvas", canvas("entities/person/mara.md", text="who else?"))
    bench.write("entities/person/no one.canvas", canvas(text="a canvas declares nobody"))
    bench.sync()
    found = bench.rows(
        "SELECT DISTINCT path FROM occurrences JOIN chunks USING(chunk_pk) JOIN notes USING(note_pk) "
        "WHERE notes.kind = 'canvas' AND entity_id LIKE 'person:%' ORDER BY path"
    )
    assert found == [("a.canvas",), ("b.canvas",)]
    assert bench.rows("SELECT count(*) FROM entities") == [(1,)]
    assert bench.rows("SELECT count(*) FROM leaves JOIN chunks USING(chunk_pk) JOIN notes USING(note_pk) "
                      "WHERE notes.kind = 'canvas'") == [(0,)]  # fmt: skip
    bench.assert_like_new()
