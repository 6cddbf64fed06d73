"""A note as parsed, as JSON and as text."""

from __future__ import annotations

from typing import Any

from vaultkeeper.index.reports import NoteView
from vaultkeeper.types import Link
from vaultkeeper.vault.links import Resolution

PLACES = {"link": "links", "embed": "embeds", "property": "property_links", "card": "cards"}


def note_json(view: NoteView) -> dict[str, Any]:
    """Returns the note as JSON; the fields are described in `docs/schema.md`."""
    note = view.note
    references: dict[str, list[dict[str, Any]]] = {place: [] for place in PLACES.values()}
    targets: dict[str, int] = {}
    unresolved: dict[str, int] = {}
    for link, found in view.links:
        references[PLACES[link.kind]].append(_reference(link, found))
        if found.path is not None:
            targets[found.path] = targets.get(found.path, 0) + 1
        else:
            unresolved[link.target] = unresolved.get(link.target, 0) + 1
    return {
        "path": note.path,
        "title": note.name,
        "sha256": note.sha256.hex(),
        "frontmatter": note.frontmatter,
        "properties": note.properties,
        "tags": note.tags,
        "aliases": note.aliases,
        "headings": [{"level": h.level, "text": h.text, "line": h.line} for h in note.headings],
        "block_ids": [{"id": block.id, "line": block.line} for block in note.blocks],
        **references,
        "backlinks": [{"path": path, "links": count} for path, count in view.backlinks],
        "targets": targets,
        "unresolved": unresolved,
        "tasks": [task._asdict() for task in note.tasks],
        "callouts": note.callouts,
        "entities": [{"id": e.entity_id, "surface": e.surface, "mentions": e.mentions} for e in view.found],
        "problems": [{"line": p.line, "code": p.code, "message": p.message} for p in view.problems],
    }


def note_text(view: NoteView) -> list[str]:
    """Returns lines for a person: what stands in the note, and what is wrong with it."""
    note = view.note
    lines = [note.path, f"  frontmatter  {note.frontmatter}"]
    if note.properties:
        lines.append(f"  properties   {', '.join(note.properties)}")
    for label, values in (("tags", note.tags), ("aliases", note.aliases), ("callouts", note.callouts)):
        if values:
            lines.append(f"  {label:<12} {', '.join(values)}")
    if view.backlinks:
        lines.append(f"  linked from  {', '.join(path for path, _ in view.backlinks)}")
    if note.blocks:
        lines.append(f"  block ids    {', '.join(block.id for block in note.blocks)}")
    if note.tasks:
        done = sum(task.status not in (" ", "") for task in note.tasks)
        lines.append(f"  tasks        {done} of {len(note.tasks)} done")
    if view.found:
        lines.append(f"  entities     {', '.join(entity.entity_id for entity in view.found)}")
    for heading in note.headings:
        lines.append(f"  {heading.line:>5}  {'#' * heading.level} {heading.text}")
    for link, found in view.links:
        mark = "!" if link.kind in ("embed", "card") else " "
        where = " (in a property)" if link.kind == "property" else ""
        written = link.target + (f"#{link.subpath}" if link.subpath else "")
        lines.append(f"  {link.line or '':>5} {mark}{written} → {found.path or 'nothing'}{where}")
    for problem in view.problems:
        lines.append(f"  {problem.line or '':>5}  {problem.code}: {problem.message}")
    return lines


def _reference(link: Link, found: Resolution) -> dict[str, Any]:
    return {
        "target": link.target,
        "subpath": link.subpath,
        "label": link.label,
        "line": link.line,
        "markdown": link.markdown,
        "resolved": found.path,
        "status": found.status,
        "candidates": list(found.candidates) if found.status != "ok" else [],
    }
