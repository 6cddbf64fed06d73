"""`vaultkeeper init`: makes a folder a vault. Creates what is absent and changes nothing that exists.

What it creates are the files of `templates/` of a checkout, or of `_templates/` of an installed wheel.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Command, json_option
from vaultkeeper.cli.output import say, show, show_json
from vaultkeeper.cli.vaults import folder_to_use, load_vaults


@click.command(cls=Command)
@click.argument("path", required=False, type=click.Path(path_type=Path, file_okay=False))
@click.option("--dry-run", is_flag=True, help="Say what would be created, and create nothing.")
@json_option
@click.pass_obj
def init(call: Call, path: Path | None, dry_run: bool, as_json: bool) -> None:
    """Make a folder a vault; nothing existing is changed.

    Creates MEMORY.md, SKILL.md, MEMORY_GOALS.md, templates of entity notes, a commented vaultkeeper.toml, and
    the Obsidian settings `graph.json` and `types.json`, each only where it is absent. PATH is the current
    folder when not given.
    """
    from vaultkeeper.memory.starter import create_missing

    root = folder_to_use(call.folder, path or call.vault or ".")
    created = create_missing(root, dry_run=dry_run)
    if as_json:
        show_json({"vault": str(root), "created": created, "dry_run": dry_run})
        return
    for relative in created:
        show(relative)
    if not call.quiet:
        verb = "would be created" if dry_run else "created"
        say(f"{len(created)} files {verb} in {root}" if created else f"nothing is missing in {root}")
        if not dry_run and load_vaults(call.environment).name_of(root) is None:
            say(f"Next: `vaultkeeper vault add {shlex.quote(str(root))}`, then ask.")
