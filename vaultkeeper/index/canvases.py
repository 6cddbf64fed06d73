"""Canvases: cards that show a file which is not there, and dead links in text cards, as Problems.

A canvas is no note: it is not searched and not counted. Its cards may show any file of the vault, so all canvases are
looked at again when a file came or went; people keep few of them.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from vaultkeeper.types import Note, Problem
from vaultkeeper.vault.canvas import canvas_problems, parse_canvas
from vaultkeeper.vault.links import link_problems

if TYPE_CHECKING:
    from vaultkeeper.index.db import Connection
    from vaultkeeper.index.relink import Resolving


def check_canvases(db: Connection, root: str, resolving: Resolving, changed: Collection[str] | None) -> None:
    """Makes the Problems of stage `canvas` anew.

    Args:
        root: Real path of the vault.
        changed: Paths that may have changed; None when files came or went, which concerns all canvases.
    """
    if changed is not None:
        changed = {path for path in changed if path.lower().endswith(".canvas")}
        if not changed:
            return
    known = [path for (path,) in db.execute("SELECT path FROM files WHERE lower(path) GLOB '*.canvas'")]
    if changed is None:
        db.execute("DELETE FROM problems WHERE stage = 'canvas'")
        chosen = known
    else:
        db.executemany(
            "DELETE FROM problems WHERE stage = 'canvas' AND path = ?", [(path,) for path in changed]
        )
        chosen = [path for path in known if path in changed]
    problems = [problem for path in chosen for problem in _problems(db, root, resolving, path)]
    db.executemany("INSERT INTO problems VALUES(?,?,?,?,'canvas')", problems)


def _problems(db: Connection, root: str, resolving: Resolving, path: str) -> list[Problem]:
    try:
        data = Path(os.path.join(root, path)).read_bytes()
    except OSError as error:
        return [Problem(path, None, "note-unreadable", f"The file cannot be read: {error.strerror}.")]
    canvas = parse_canvas(path, data)

    def exists(file: str) -> bool:
        return db.execute("SELECT 1 FROM files WHERE path = ?", (file,)).fetchone() is not None

    cards = Note(path, "", canvas.sha256, links=canvas.links)
    resolve = resolving.resolver(link.target for link in canvas.links).resolve
    dead = link_problems(cards, [resolve(path, link.target) for link in canvas.links])
    return canvas.problems + canvas_problems(canvas, exists) + [one._replace(line=None) for one in dead]
