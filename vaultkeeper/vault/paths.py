"""Names and places in the vault: slugs, file names, whose a path is, and what lies inside.

Owns the rules only; it creates and changes nothing.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import unicodedata
from pathlib import Path

from vaultkeeper.errors import RefusedError

PROGRAM_FOLDERS = ("entities", "episodic", "memory", "profile", "sources", "wiki")
"""Top folders in which the program may write."""

PROGRAM_FILES = ("MEMORY.md", "SKILL.md", "MEMORY_GOALS.md")
"""Files at the top in which the program may write."""

MAX_SLUG_CHARS = 120
MAX_NAME_BYTES = 200

_UNSAFE = re.compile(r'[/\\:*?"<>|#^\[\]\x00-\x1f\x7f-\x9f\u2028\u2029]')
_WINDOWS_NAMES = re.compile(r"(?i)(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)")


def slug(text: str) -> str:
    """Turns a text into a short name of `a-z 0-9 _ -`.

    Lower case; every run of other characters becomes one hyphen; hyphens and underscores at the ends go; at
    most 120 characters; `unknown` when nothing is left.

    Source: BEHAVIOUR §6.7.
    """
    name = re.sub(r"-{2,}", "-", re.sub(r"[^a-z0-9_-]+", "-", text.lower())).strip("-_")
    return name[:MAX_SLUG_CHARS].strip("-_") or "unknown"


def safe_name(text: str, extension: str = ".md") -> str:
    """Turns a text into a file name that every file system and Obsidian's links can carry.

    Characters that are special in paths or links, and control characters, become `_`; so does a dot at the
    start, and dots and blanks at the end. Names that Windows reserves get a `_` behind them. A name of more
    than 200 bytes is cut and ends in eight digits of its hash, so that two long names stay two.

    Source: BEHAVIOUR §7.7; link characters, Windows and length are ours.
    """
    name = _UNSAFE.sub("_", unicodedata.normalize("NFC", text)).encode("utf-8", "replace").decode("utf-8")
    name = re.sub(r"^\.", "_", name.strip(" "))
    name = re.sub(r"[. ]+$", lambda match: "_" * len(match[0]), name) or "_"
    if _WINDOWS_NAMES.match(name):
        name = re.sub(r"^[^.]*", r"\g<0>_", name, count=1)
    room = MAX_NAME_BYTES - len(extension)
    if len(name.encode()) > room:
        mark = "-" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
        name = name.encode()[: room - len(mark)].decode("utf-8", "ignore").rstrip(". ") + mark
    return name + extension


def entity_path(entity_id: str) -> str:
    """Where a new entity's note goes: `entities/<kind>/<slug>.md` (`person:steph ango` → `steph-ango.md`).

    Only for creating: an existing entity is wherever its note is. Letters of every script stay; two ids may give one
    path, such as those of `c#` and `c++`.
    """
    kind, _, name = entity_id.partition(":")
    kept = "".join(
        char if unicodedata.category(char)[0] in "LMN" or char == "_" else "-" for char in name.lower()
    )
    return f"entities/{safe_name(kind, '')}/{safe_name(re.sub('-{2,}', '-', kept).strip('-_') or name)}"


def keeps_memory(root: Path) -> bool:
    """Whether somebody made this vault one that the program writes memory into, with `init`, by capturing or sealing.

    In any other vault nothing is written that was not asked for.
    """
    return any(
        (root / path).exists() for path in ("MEMORY.md", "vaultkeeper.toml", "episodic", "wiki/summaries")
    )


def is_program_path(path: str) -> bool:
    """Whether the program may write there; everything else is the user's."""
    top, slash, _ = path.partition("/")
    return top in PROGRAM_FOLDERS if slash else path in PROGRAM_FILES


def inside(root: Path, relative: str, *, allow_hidden: bool = False) -> Path:
    """Returns the real place of a file of the vault, which need not exist.

    Every folder on the way may be a symbolic link as long as it stays in the vault; the file itself may not
    be one.

    Args:
        relative: Relative to the root, with `/`.
        allow_hidden: Whether names that begin with a dot are meant.

    Raises:
        RefusedError: absolute, empty, with `..`, hidden, out of the vault, a link, or no regular file.
    """

    def refuse(reason: str) -> RefusedError:
        return RefusedError(path=relative or "''", reason=reason)

    parts = relative.split("/")
    if not relative or "\0" in relative or Path(relative).is_absolute() or Path(relative).drive:
        raise refuse("it is not a path inside the vault")
    if any(part in ("", ".", "..") for part in parts) or (os.sep != "/" and os.sep in relative):
        raise refuse("it is not a plain path inside the vault")
    if not allow_hidden and any(part.startswith(".") for part in parts):
        raise refuse("names that begin with a dot are not the vault's")
    real_root = Path(os.path.realpath(root))
    parent = Path(os.path.realpath(real_root.joinpath(*parts[:-1])))
    if parent != real_root and real_root not in parent.parents:
        raise refuse("its folder leads out of the vault")
    if not allow_hidden and any(part.startswith(".") for part in parent.relative_to(real_root).parts):
        raise refuse("its folder leads to one whose name begins with a dot")
    target = parent / parts[-1]
    try:
        mode = os.lstat(target).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return target
    except OSError as error:
        raise refuse(error.strerror or str(error)) from error
    if stat.S_ISLNK(mode):
        raise refuse("it is a symbolic link")
    if not stat.S_ISREG(mode):
        raise refuse("it is no file")
    return target


def plain_folders(root: Path, relative: str) -> None:
    """Makes sure that no folder between the root and a file is a symbolic link; missing ones are none.

    For what the program writes on its own account: a linked folder could be one of the user's.

    Raises:
        RefusedError: one of them is.
    """
    folder = root
    for part in relative.split("/")[:-1]:
        folder = folder / part
        if folder.is_symlink():
            raise RefusedError(path=relative, reason=f"the folder {part} is a symbolic link")
