from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.present.graphfiles import to_canvas, to_dot, to_mermaid
from vaultkeeper.present.shapes import GraphEdge, GraphNode, GraphView
from vaultkeeper.vault.canvas import parse_canvas

MARA = GraphNode("person:mara", 'Mara "M" Chen', "entities/person/mara.md")
BEES = GraphNode("topic:bees", "bees [x] | {y}\n-- z", "")
VIEW = GraphView("person:mara", (MARA, BEES), (GraphEdge("person:mara", "topic:bees", 3),))


def test_dot_quotes_names() -> None:
    text = to_dot(VIEW)
    assert '"person:mara" [label="Mara \\"M\\" Chen", penwidth=2];' in text
    assert '"person:mara" -- "topic:bees" [label=3' in text
    assert text.count("\n") == 7


def test_mermaid_escapes_what_would_end_a_name() -> None:
    lines = to_mermaid(VIEW).splitlines()
    assert lines[:3] == [
        "graph LR",
        '  n0["Mara #34;M#34; Chen"]',
        '  n1["bees #91;x#93; #124; #123;y#125; -- z"]',
    ]
    assert "  n0 ---|3| n1" in lines


def test_a_canvas_shows_notes_as_cards_and_is_read_back() -> None:
    canvas = parse_canvas("x.canvas", to_canvas(VIEW).encode())
    assert [link.target for link in canvas.links if link.kind == "card"] == ["/entities/person/mara.md"]
    assert canvas.problems == []
    told = json.loads(to_canvas(VIEW))
    assert {edge["fromNode"] for edge in told["edges"]} <= {node["id"] for node in told["nodes"]}
    assert told["edges"][0]["label"] == "3"


@given(st.integers(1, 60))
def test_cards_do_not_overlap(count: int) -> None:
    nodes = tuple(GraphNode(f"topic:{at}", str(at), "") for at in range(count))
    cards = json.loads(to_canvas(GraphView("topic:0", nodes, ())))["nodes"]
    for at, a in enumerate(cards):
        for b in cards[:at]:
            apart = abs(a["x"] - b["x"]) >= a["width"] or abs(a["y"] - b["y"]) >= a["height"]
            assert apart
