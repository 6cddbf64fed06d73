"""Notes as the fixtures write them: fields of a note in the short form of the expected values."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vaultkeeper.types import Link, Note
from vaultkeeper.vault.links import LinkResolver

FIXTURES = Path(__file__).parents[1] / "fixtures"


def fixtures(name: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Title, input and expected fields of every case of a file `title . input . expected .`."""
    lines = (FIXTURES / name).read_text(encoding="utf-8").split("\n")
    parts: list[list[str]] = [[]]
    for line in lines:
        if line == ".":
            parts.append([])
        else:
            parts[-1].append(line)
    for title, text, expected in zip(parts[0::3], parts[1::3], parts[2::3], strict=False):
        yield "\n".join(title).strip(), "\n".join(text) + "\n", json.loads("\n".join(expected))


def written(link: Link) -> str:
    """A link as `target#subpath|label`."""
    subpath = f"#{link.subpath}" if link.subpath else ""
    label = f"|{link.label}" if link.label else ""
    return f"{link.target}{subpath}{label}"


def fields(note: Note) -> dict[str, Any]:
    """Everything that a fixture may ask of a note."""
    return {
        "links": [written(link) for link in note.links if link.kind == "link"],
        "embeds": [written(link) for link in note.links if link.kind == "embed"],
        "property": [written(link) for link in note.links if link.kind == "property"],
        "tags": note.tags,
        "aliases": note.aliases,
        "headings": [[heading.level, heading.text, heading.line] for heading in note.headings],
        "blocks": [block.id for block in note.blocks],
        "tasks": [list(task) for task in note.tasks],
        "callouts": note.callouts,
        "frontmatter": note.frontmatter,
        "properties": note.properties,
        "problems": [problem.code for problem in note.problems],
        "problem_lines": [problem.line for problem in note.problems],
    }


def vault_fields(note: Note, resolver: LinkResolver) -> dict[str, Any]:
    """The fields that the expected values of a vault have for a note."""
    targets: Counter[str] = Counter()
    unresolved: Counter[str] = Counter()
    for link in note.links:
        found = resolver.resolve(note.path, link.target)
        if found.path is None:
            unresolved[link.target] += 1
        else:
            targets[found.path] += 1
    kinds = Counter(link.kind for link in note.links)
    return {
        "links": kinds["link"],
        "embeds": kinds["embed"],
        "property_links": kinds["property"],
        "resolved": targets.total(),
        "targets": dict(targets),
        "unresolved": dict(unresolved),
        "tags": sorted(note.tags),
        "aliases": note.aliases,
        "headings": len(note.headings),
        "block_ids": sorted({block.id for block in note.blocks}),
        "frontmatter": note.frontmatter,
        "frontmatter_ok": note.frontmatter != "invalid",
    }
