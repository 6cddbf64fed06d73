"""`vaultkeeper init`: makes a folder a vault. Creates what is absent and changes nothing that exists.

What it creates are the files of `templates/` of a checkout, or of `_templates/` of an installed wheel.
"""

from __future__ import annotations

import os
from pathlib import Path

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Command, json_option
from vaultkeeper.cli.output import say, show, show_json
from vaultkeeper.cli.vaults import user_path
from vaultkeeper.errors import ExistsError, NotInstalledError, StorageError
from vaultkeeper.vault.write import create_note


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

    root = Path(os.path.realpath(user_path(call.folder, path or call.vault or ".")))
    created = create_missing(root, dry_run=dry_run)
    if as_json:
        show_json({"vault": str(root), "created": created, "dry_run": dry_run})
        return
    for relative in created:
        show(relative)
    if not call.quiet:
        verb = "would be created" if dry_run else "created"
        say(f"{len(created)} files {verb} in {root}" if created else f"nothing is missing in {root}")
        if not dry_run:
            say(f"Next: `vaultkeeper vault add {root}`, then `vaultkeeper sync --vault {root}`.")


PLACES = {"obsidian": ".obsidian", "entities": "templates/entities"}
"""Where a folder of the templates goes in a vault; other files go to its root."""


def templates_folder() -> Path:
    """Returns the folder of the templates.

    Raises:
        NotInstalledError: there is none, so the installation is damaged.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_templates", package.parent / "templates"):
        if folder.is_dir():
            return folder
    raise NotInstalledError(what="the templates")


def starter_files() -> dict[str, bytes]:
    """Returns the files by their path in a vault, in order of path."""
    source = templates_folder()
    files: dict[str, bytes] = {}
    for path in sorted(source.rglob("*")):
        if path.is_file():
            first, *rest = path.relative_to(source).parts
            place = "/".join([PLACES[first], *rest]) if rest else first
            files[place] = path.read_bytes()
    return files


def create_missing(root: Path, *, dry_run: bool) -> list[str]:
    """Creates the files that a vault lacks and returns their paths.

    Raises:
        ExistsError: the vault's folder is a file, or would lie in one.
        StorageError: no folder can be made there.
        RefusedError: a folder on the way is a symlink that leaves the vault.
    """
    created = []
    if not dry_run:
        try:
            root.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise ExistsError(path=root) from None
        except FileNotFoundError as error:  # a place that takes no folders, such as /proc
            raise StorageError(path=root, reason=str(error.strerror).lower()) from None
    for place, content in starter_files().items():
        if os.path.lexists(root / place):
            continue
        if not dry_run:
            try:
                create_note(root, place, content, user_asked=True, allow_hidden=True)
            except ExistsError:
                continue
        created.append(place)
    return created
