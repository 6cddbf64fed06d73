"""The files that `vaultkeeper init` puts into a vault, and where they are found.

They are `templates/` of a checkout, or `_templates/` of an installed wheel.
"""

from __future__ import annotations

from pathlib import Path

from vaultkeeper.errors import NotInstalledError, RefusedError

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
        RefusedError: a folder on the way is a symlink that leaves the vault.
    """
    created = []
    for place, content in starter_files().items():
        target = root / place
        if target.exists() or target.is_symlink():
            continue
        if not target.parent.resolve().is_relative_to(root):
            raise RefusedError(path=place, reason="its folder leads out of the vault")
        if not dry_run:
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                with target.open("xb") as file:
                    file.write(content)
            except FileExistsError:
                continue
        created.append(place)
    return created
