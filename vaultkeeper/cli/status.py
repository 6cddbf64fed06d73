"""`vaultkeeper status`: what the index holds and whether it is current."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Command, json_option
from vaultkeeper.cli.output import show, show_json, table


@click.command(cls=Command)
@json_option
@click.pass_obj
def status(call: Call, as_json: bool) -> None:
    """Say what the index holds and whether it is current.

    Nothing is synced. Shown are the counts, the vectors that are still missing, where the index lies and how large
    it is, whether a watcher runs, and when the vault was last compared with the index.
    """
    from vaultkeeper.cli.fresh import ask_watcher, open_keeper

    keeper = open_keeper(call)
    try:
        with keeper.snapshot():
            found = status_json(keeper.status())
    finally:
        keeper.close()
    found["watcher"] = ask_watcher(call, "ping", {})
    if as_json:
        show_json(found)
        return
    for line in _lines(found):
        show(line)


def status_json(found: Any) -> dict[str, Any]:
    """Returns a `retrieval.health.Status` as JSON."""
    synced = found.synced_at_ms
    return {
        "vault": str(found.vault),
        "index_dir": str(found.index_dir),
        "index_bytes": found.index_bytes,
        "built": found.built,
        "notes": found.notes,
        "chunks": found.chunks,
        "entities": found.entities,
        "problems": found.problems,
        "embedder": found.embedder,
        "vectors_pending": found.vectors_pending,
        "synced_at": None if synced is None else _stamp(synced),
    }


def _stamp(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _lines(found: dict[str, Any]) -> list[str]:
    watcher = found["watcher"]
    pending = found["vectors_pending"]
    rows = [
        ("vault", found["vault"]),
        ("notes", f"{found['notes']:,} in {found['chunks']:,} sections"),
        ("entities", f"{found['entities']:,}"),
        ("vectors", f"{found['embedder']}" + (f", {pending:,} still to be computed" if pending else "")),
        ("problems", f"{found['problems']:,}" + (" (see `vaultkeeper doctor`)" if found["problems"] else "")),
        ("index", f"{found['index_dir']} ({found['index_bytes'] / 1e6:.1f} MB)"),
        ("last sync", found["synced_at"] or "never"),
        ("watcher", f"{watcher['state']}, process {watcher['pid']}" if watcher else "not running"),
    ]
    return table(rows)
