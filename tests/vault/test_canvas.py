from __future__ import annotations

import json

import pytest

from vaultkeeper.vault.canvas import canvas_problems, parse_canvas


def test_cards() -> None:
    nodes = [
        {"id": "1", "type": "file", "file": "a/Note.md", "subpath": "#x"},
        {"id": "2", "type": "text", "text": "---\n[[Lake|l]] #tag\n![[b.png]]\n---\n"},
        {"id": "3", "type": "file", "file": "gone.md"},
        {"id": "4", "type": "link", "url": "https://example.org"},
        {"id": "5", "type": "text"},
        "rubbish",
        {"type": "file", "file": 7},
    ]
    canvas = parse_canvas("b/Map.canvas", json.dumps({"nodes": nodes, "edges": []}).encode())
    assert (canvas.ok, canvas.name, canvas.files, canvas.tags) == (
        True,
        "Map",
        ["a/Note.md", "gone.md"],
        ["tag"],
    )
    assert [(link.kind, link.target, link.line, link.start) for link in canvas.links] == [
        ("link", "Lake", 2, 4),
        ("embed", "b.png", 3, 20),
    ]
    assert [problem.code for problem in canvas_problems(canvas, {"a/Note.md"}.__contains__)] == [
        "canvas-file-missing"
    ]


@pytest.mark.parametrize(
    "data", [b"{", b"[]", b"7", b'{"nodes": 3}', b"[" * 100_000, b"\x00", b'"nodes"', b'{"nodes": {}}']
)
def test_what_is_no_canvas(data: bytes) -> None:
    canvas = parse_canvas("a.canvas", data)
    assert canvas.ok is False
    assert [problem.code for problem in canvas.problems][-1:] == ["canvas-invalid"]


@pytest.mark.parametrize("data", [b"", b"  \n", b"{}", b'{"nodes": []}', b"\xef\xbb\xbf{}"])
def test_empty_canvas(data: bytes) -> None:
    canvas = parse_canvas("a.canvas", data)
    assert (canvas.ok, canvas.files, canvas.problems) == (True, [], [])
