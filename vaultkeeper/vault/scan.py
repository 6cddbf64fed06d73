"""Which files a vault holds, seen from outside: names and stats, never contents.

Owns what counts as part of the vault. Left out in silence: dot folders and dot files, editors' temporary files and
what the `ignore` globs name. Left out with a Problem: copies made by sync conflicts, placeholders of files that live in
a cloud, symbolic links (a link out of the vault is never followed; the target of a link that stays inside is indexed
where it really lies), names that are not valid UTF-8, and folders that cannot be read.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vaultkeeper.types import FileStat, Problem

_TEMPORARY = (
    r".*~|.*\.(?:sw[a-z]|tmp|temp|part|partial|crdownload|lock)|4913|#.*#|~\$.*|.*\.sb-[0-9a-f]{8}-\w+|Thumbs\.db|"
    r"desktop\.ini|Icon\r|.*\.(?:md|canvas)\.\d{4,}|.*\.md_tmp\d*|.*\.!sync|~syncthing~.*"
)
_PLACEHOLDER = r".*\.(?:icloud|nosync|cloud|cloudf|odrive)"
_CONFLICT = (
    r".*\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{7})?(?:\.[^.]*)?"  # Syncthing
    r"|.* \([^()]*conflicted copy[^()]*\)(?:\.[^.]*)?"  # Dropbox, Nextcloud, Obsidian Sync
    r"|.*_conflict-\d{8}-\d{6}(?:\.[^.]*)?"  # ownCloud
    r"|.* \(Case Conflict(?: \d+)?\)(?:\.[^.]*)?"  # Dropbox
    r"|.*\(SyncConflict[^()]*\)(?:\.[^.]*)?|.*\.conflict(?:\d+|-[^.]*)?\.md"
    r"|.*-(?:DESKTOP|LAPTOP)-[A-Z0-9]{7}(?:-\d+)?(?:\.[^.]*)?"  # OneDrive puts the name of the computer
)
_ODD = re.compile(
    f"(?P<temporary>{_TEMPORARY})|(?P<placeholder>{_PLACEHOLDER})|(?P<conflict>{_CONFLICT})", re.I | re.S
)
_MAYBE_ODD = re.compile(
    r"[~#()]|^4913$|^thumbs|^desktop\.|^icon|conflict|\.(?:sw|tmp|temp|part|crdown|lock|icloud|nosync|cloud|odrive|sb-|!)"
    r"|-(?:desktop|laptop)-|\.md[._]|\.canvas\.",
    re.I,
).search
_ELSEWHERE = "The file is not on this machine; download it to have it indexed."
_DATALESS = 0x40000000  # SF_DATALESS of macOS: reading the file would fetch it


_OF_THE_FOLDER = {errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ELOOP}
"""What is wrong with one folder; anything else is wrong with the disk, the connection or the process."""


@dataclass(slots=True)
class Scan:
    """What the walk found.

    Attributes:
        files: Path → stat, of every file that a link may name; in no particular order.
        problems: What was left out and why; at most one a path.
    """

    files: dict[str, FileStat] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def is_note(path: str) -> bool:
    """True for a path that ends in `.md`, in any case."""
    return path[-3:].lower() == ".md"


def is_canvas(path: str) -> bool:
    """True for a path that ends in `.canvas`, in any case. A canvas is read as a note, and not counted as one."""
    return path[-7:].lower() == ".canvas"


def scan(root: Path, ignore: Sequence[str] = (), *, only: Iterable[str] | None = None) -> Scan:
    """Walks the vault without opening a file.

    Args:
        root: The vault; may itself be reached through a symbolic link.
        ignore: Globs on relative paths: `*` stays within a folder, `**` does not; a glob without `/` is tried on every
            name, one that ends in `/` on folders only; what a matching folder holds is left out with it.
        only: Relative paths of files or folders. Only these are looked at, with the same verdict as in a whole walk;
            what does not exist is simply not in the result.

    Returns:
        The files; a race with a process that deletes them is no problem: they are then missing.

    Raises:
        OSError: the root cannot be read or was replaced meanwhile, or the disk or the connection to it failed; what
            would seem to be missing then was not deleted.
    """
    walk = _Walk(os.path.realpath(root), ignore)
    before = Path(walk.root).stat()
    if only is None:
        walk.folder("")
    else:
        for path in _outermost(only):
            walk.reach(path)
    after = Path(
        walk.root
    ).stat()  # a folder that went away during the walk must not look like one that was emptied
    if (before.st_dev, before.st_ino) != (after.st_dev, after.st_ino):
        raise FileNotFoundError(
            errno.ENOENT, "The vault was moved away while it was looked through", walk.root
        )
    return walk.found


def _outermost(paths: Iterable[str]) -> list[str]:
    """The paths without those that lie below another one of them, sorted."""
    kept: list[str] = []
    for path in sorted({path.strip("/") for path in paths}, key=lambda path: path.split("/") if path else []):
        if not kept or not (kept[-1] == "" or path == kept[-1] or path.startswith(kept[-1] + "/")):
            kept.append(path)
    return kept


class _Walk:
    """One walk; `found` grows."""

    def __init__(self, root: str, ignore: Sequence[str]) -> None:
        self.root = root
        self.ignored = ignore_pattern(ignore)
        self.found = Scan()
        self.listings: dict[str, dict[str, os.DirEntry[str]]] = {}

    def folder(self, path: str) -> None:
        """Takes in everything below a folder."""
        stack = [path]
        files, ignored, root = self.found.files, self.ignored, self.root
        plain = not hasattr(os.stat_result, "st_flags")
        while stack:
            folder = stack.pop()
            prefix = f"{folder}/" if folder else ""
            try:
                entries = os.scandir(f"{root}/{folder}" if folder else root)
            except FileNotFoundError:
                if not folder:
                    raise
                continue
            except OSError as error:
                if not folder or error.errno not in _OF_THE_FOLDER:
                    raise
                self.problem(folder, "folder-unreadable", f"The folder cannot be read ({error.strerror}).")
                continue
            with entries:
                for entry in entries:
                    name = entry.name
                    if name[0] == ".":
                        continue
                    try:
                        status = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    except OSError as error:
                        if error.errno not in _OF_THE_FOLDER:
                            raise
                        self.problem(
                            prefix + name, "folder-unreadable", f"It cannot be read ({error.strerror})."
                        )
                        continue
                    mode = status.st_mode & 0o170000
                    if (
                        mode == 0o100000
                        and plain
                        and ignored is None
                        and name.isascii()
                        and _MAYBE_ODD(name) is None
                    ):
                        files[prefix + name] = FileStat(
                            status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns
                        )
                    elif self.entry(prefix + name, name, status):
                        stack.append(prefix + name)

    def entry(self, path: str, name: str, status: os.stat_result) -> bool:
        """Judges one entry: takes a file in, reports what is odd; True for a folder to be walked."""
        is_folder = stat.S_ISDIR(status.st_mode)
        if self.ignored is not None and self.ignored(f"{path}/" if is_folder else path):
            return False
        try:
            path.encode()
        except UnicodeEncodeError:
            shown = os.fsencode(path).decode("utf-8", "replace")
            self.problem(shown, "name-not-utf8", "The name is not valid UTF-8; rename it to have it indexed.")
            return False
        if stat.S_ISLNK(status.st_mode):
            self.symlink(path)
        elif is_folder:
            return True
        elif getattr(status, "st_flags", 0) & _DATALESS:
            self.problem(path, "cloud-placeholder", _ELSEWHERE)
        elif stat.S_ISREG(status.st_mode) and not self.odd(path, name):
            self.found.files[path] = FileStat(
                status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns
            )
        return False

    def odd(self, path: str, name: str) -> bool:
        """True for a name that is not the user's; says so where the user should know."""
        found = _ODD.fullmatch(name) if _MAYBE_ODD(name) else None
        if found is None:
            return False
        if found.lastgroup == "conflict":
            self.problem(
                path, "sync-conflict", "A sync service left this copy; merge it into its note and delete it."
            )
        elif found.lastgroup == "placeholder":
            self.problem(path, "cloud-placeholder", _ELSEWHERE)
        return True

    def symlink(self, path: str) -> None:
        """Reports a symbolic link; none is followed."""
        target = os.path.realpath(f"{self.root}/{path}")
        if not os.path.lexists(target) or os.path.islink(target):  # noqa: PTH114 (paths are strings here)
            self.problem(path, "symlink-broken", "The symbolic link leads nowhere.")
        elif target == self.root or target.startswith(self.root.rstrip("/") + "/"):
            inside = target[len(self.root) :].lstrip("/") or "the vault itself"
            self.problem(
                path, "symlink-inside", f"A symbolic link to {inside}, which is indexed where it lies."
            )
        else:
            self.problem(
                path, "symlink-outside", "The symbolic link leads out of the vault and is not followed."
            )

    def reach(self, path: str) -> None:
        """Takes in one path, or nothing when a folder on the way is left out."""
        if not path:
            self.folder("")
            return
        folder = ""
        parts = path.split("/")
        for depth, name in enumerate(parts, 1):
            if name[:1] in {".", ""}:
                return
            entry = self.listing(folder).get(name)
            if entry is None:
                return
            here = f"{folder}/{name}" if folder else name
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                return
            last = depth == len(parts)
            if not (last or stat.S_ISDIR(status.st_mode)) or not self.entry(here, name, status):
                return
            if last:
                self.folder(here)
            folder = here

    def listing(self, folder: str) -> dict[str, os.DirEntry[str]]:
        """The entries of a folder by their exact names: some file systems find a file under another spelling too."""
        if folder not in self.listings:
            try:
                with os.scandir(f"{self.root}/{folder}" if folder else self.root) as entries:
                    self.listings[folder] = {entry.name: entry for entry in entries}
            except OSError as error:
                if error.errno not in _OF_THE_FOLDER | {errno.ENOENT, errno.ENOTDIR}:
                    raise
                self.listings[folder] = {}
        return self.listings[folder]

    def problem(self, path: str, code: str, message: str) -> None:
        self.found.problems.append(Problem(path, None, code, message))


_GLOB_PART = re.compile(r"\*\*/|\*\*|\*|\?|\[[^\]/]+\]|[^*?\[]+|\[", re.S)
_GLOB = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def ignore_pattern(globs: Sequence[str]) -> Callable[[str], object] | None:
    """Compiles the globs into one test on a relative path (a folder's ends in `/`); None when there are none."""
    alternatives: list[str] = []
    for glob in globs:
        whole = glob.strip()
        if not whole.strip("/"):
            continue
        anchored = "/" in whole.rstrip("/")
        body = "".join(map(_glob_part, _GLOB_PART.findall(whole.strip("/"))))
        alternatives.append(f"{'' if anchored else '(?:.*/)?'}{body}{'/' if whole.endswith('/') else '/?'}")
    return re.compile("|".join(alternatives), re.S).fullmatch if alternatives else None


def _glob_part(part: str) -> str:
    if len(part) > 1 and part[0] == "[":
        negated = part[1] in "!^" and len(part) > 3
        letters = f"[{'^' if negated else ''}{re.escape(part[1 + negated : -1]).replace(chr(92) + '-', '-')}]"
        try:
            re.compile(letters)
        except re.error:  # such as [z-a]: no class but the characters themselves
            return re.escape(part)
        return letters
    return _GLOB.get(part) or re.escape(part)
