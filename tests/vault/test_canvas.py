from __future__ import annotations

import json

import pytest

from vaultkeeper.vault.canvas import parse_canvas


def test_cards() -> None:
    nodes = [
        {"id": "1", "type": "file", "file": "a/Note.md", "subpath": "#x"},
        {"id": "2", "type": "text", "text": "---\r\n[[Lake|l]] #tag\n![[b.png]]\n---\n"},
        {"id": "3", "type": "file", "file": "gone.md"},
        {"id": "4", "type": "link", "url": "https://example.org"},
        {"id": "5", "type": "text"},
        {"id": "6", "type": "group", "label": "Next steps"},
        {"id": "7", "type": "group", "label": None},
        {"id": "8", "type": "text", "text": "```\nunclosed [[code]]"},
        {"id": "9", "type": "text", "text": "see [[Lake]]"},
        "rubbish",
        {"type": "file", "file": 7},
    ]
    canvas = parse_canvas("b/Map.canvas", json.dumps({"nodes": nodes, "edges": []}).encode())
    assert (canvas.name, canvas.tags, canvas.problems, canvas.headings) == ("Map", ["tag"], [], [])
    assert canvas.text.startswith("![[a/Note.md]]\n\n---\n[[Lake|l]]")
    assert "\n\nNext steps\n\n" in canvas.text
    assert [(link.kind, link.target, link.subpath, link.line) for link in canvas.links] == [
        ("card", "/a/Note.md", "x", 0),
        ("link", "Lake", "", 0),
        ("embed", "b.png", "", 0),
        ("card", "/gone.md", "", 0),
        ("link", "Lake", "", 0),
    ]
    for link in canvas.links:
        assert canvas.text.startswith(("[[", "![["), link.start), link


@pytest.mark.parametrize(
    "data", [b"{", b"[]", b"7", b'{"nodes": 3}', b"[" * 100_000, b"\x00", b'"nodes"', b'{"nodes": {}}']
)
def test_what_is_no_canvas(data: bytes) -> None:
    canvas = parse_canvas("a.canvas", data)
    assert (canvas.text, canvas.links) == ("", [])
    assert [problem.code for problem in canvas.problems][-1:] == ["canvas-invalid"]


@pytest.mark.parametrize("data", [b"", b"  \n", b"{}", b'{"nodes": []}', b"\xef\xbb\xbf{}"])
def test_empty_canvas(data: bytes) -> None:
    canvas = parse_canvas("a.canvas", data)
    assert (canvas.text, canvas.links, canvas.problems) == ("", [], [])
