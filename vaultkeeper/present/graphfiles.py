"""A graph in the languages that other programs draw: Graphviz, Mermaid, and Obsidian's canvas."""

from __future__ import annotations

import json
from hashlib import sha256
from math import cos, pi, sin

from vaultkeeper.present.shapes import GraphNode, GraphView

_WIDTH, _HEIGHT = 260, 80
_GAP = 1.5
"""Room between cards of a ring, in widths of a card."""


def to_dot(view: GraphView) -> str:
    """Returns an undirected graph for Graphviz; the weight is the label, and the line grows with it."""
    lines = ["graph vaultkeeper {", "  overlap=false;", "  node [shape=box, style=rounded];"]
    for node in view.nodes:
        bold = ", penwidth=2" if node.id == view.subject else ""
        lines.append(f"  {_quoted(node.id)} [label={_quoted(node.name)}{bold}];")
    for edge in view.edges:
        width = min(6.0, 1 + edge.weight / 4)
        lines.append(
            f"  {_quoted(edge.subject)} -- {_quoted(edge.object)} [label={edge.weight}, penwidth={width:g}];"
        )
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    plain = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'


def to_mermaid(view: GraphView) -> str:
    """Returns a flowchart that Obsidian draws inside of a `mermaid` block."""
    short = {node.id: f"n{at}" for at, node in enumerate(view.nodes)}
    lines = ["graph LR"]
    lines += [f'  {short[node.id]}["{_entity_escaped(node.name)}"]' for node in view.nodes]
    lines += [f"  {short[edge.subject]} ---|{edge.weight}| {short[edge.object]}" for edge in view.edges]
    return "\n".join([*lines, f"  style {short[view.subject]} stroke-width:3px"]) + "\n"


def _entity_escaped(text: str) -> str:
    """Mermaid writes characters by their numbers: `#34;` is a quotation mark."""
    special = '"#;<>&[]{}()|`'
    return "".join(f"#{ord(char)};" if char in special else char for char in " ".join(text.split()))


def to_canvas(view: GraphView) -> str:
    """Returns a canvas: a card for each entity, its note where it has one, the subject in the middle of rings.

    Source: JSON Canvas 1.0.
    """
    nodes = []
    for node, (x, y) in zip(view.nodes, _places(len(view.nodes)), strict=True):
        card: dict[str, object] = {"id": _id(node.id), "x": x, "y": y, "width": _WIDTH, "height": _HEIGHT}
        card |= (
            {"type": "file", "file": node.path} if node.path else {"type": "text", "text": _card_text(node)}
        )
        if node.id == view.subject:
            card["color"] = "1"
        nodes.append(card)
    edges = [
        {
            "id": _id(f"{edge.subject}\0{edge.object}"),
            "fromNode": _id(edge.subject),
            "toNode": _id(edge.object),
            "toEnd": "none",
            "label": str(edge.weight),
        }
        for edge in view.edges
    ]
    return json.dumps({"nodes": nodes, "edges": edges}, ensure_ascii=False, indent="\t") + "\n"


def _card_text(node: GraphNode) -> str:
    return f"{node.name}\n{node.id.partition(':')[0]}"


def _id(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _places(count: int) -> list[tuple[int, int]]:
    """The middle, then rings around it, each as wide as its cards need."""
    places = [(0, 0)]
    ring = 0
    while len(places) < count:
        ring += 1
        room = 8 * ring
        radius = ring * _WIDTH * _GAP
        here = min(room, count - len(places))
        for at in range(here):
            angle = 2 * pi * at / here - pi / 2
            places.append((round(radius * cos(angle)), round(radius * sin(angle))))
    return places[:count]
