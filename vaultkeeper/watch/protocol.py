"""The socket's place and the lines that pass over it. Imported by every quick command, so it imports next to
nothing.

Newline-delimited JSON. The server speaks first: a hello with version and vault. A request is
`{"verb": …, "params": {…}}`, an answer `{"ok": true, "result": …}` or `{"ok": false, "error": {…}}`.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

from vaultkeeper import errors

PROTOCOL = 1
SOCKET_NAME = "watch.sock"
POINTER_NAME = "watch.socket-path"
MAX_SOCKET_PATH_BYTES = 100
"""`sun_path` holds 108 bytes on Linux and 104 on macOS, the closing NUL included."""

Json = dict[str, object]


def encode(message: Json) -> bytes:
    """Renders one message as one line."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"), default=str).encode(
        "utf-8", "backslashreplace"
    ) + b"\n"  # fmt: skip


def decode(line: bytes | bytearray) -> Json | None:
    """Parses one line; None when it is no JSON object."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def error_to_json(error: errors.VaultkeeperError) -> Json:
    """Renders an error so that the client can raise the same one."""
    return {
        "class": type(error).__name__,
        "facts": {name: str(fact) for name, fact in error.facts.items()},
        "sentence": str(error),
        "hint": error.advice,
        "exit_code": int(error.exit_code),
    }


def error_from_json(value: object) -> errors.VaultkeeperError | None:
    """Builds the error that a server reported; None when this version does not know it."""
    if not isinstance(value, dict):
        return None
    cls = getattr(errors, str(value.get("class")), None)
    facts = value.get("facts")
    if not (isinstance(cls, type) and issubclass(cls, errors.VaultkeeperError) and isinstance(facts, dict)):
        return None
    try:
        return cls(**facts)
    except (KeyError, IndexError, ValueError, TypeError):
        return None


def claim_socket_path(index_dir: Path) -> Path:
    """Chooses where the server listens and records it for clients. Only the holder of the writer lock may
    call it.

    The index folder is closed to other users. When its path is too long for a socket, a short one in a
    folder of the user's own under the runtime or temporary folder is taken and written into the index folder.

    Raises:
        OSError: the folder cannot be made, or it belongs to somebody else.
    """
    index_dir.mkdir(parents=True, exist_ok=True)
    index_dir.chmod(0o700)
    pointer = index_dir / POINTER_NAME
    path = index_dir / SOCKET_NAME
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH_BYTES:
        pointer.unlink(missing_ok=True)
    else:
        path = _short_path(index_dir)
        pointer.write_text(str(path), encoding="utf-8")
        pointer.chmod(0o600)
    path.unlink(missing_ok=True)
    return path


def find_socket_path(index_dir: Path) -> Path | None:
    """Finds where a server may listen: a socket that belongs to this user. None when there is none."""
    path = index_dir / SOCKET_NAME
    if len(os.fsencode(path)) > MAX_SOCKET_PATH_BYTES:
        try:
            path = Path((index_dir / POINTER_NAME).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
    try:
        found = path.lstat()
    except (OSError, ValueError):
        return None
    return path if stat.S_ISSOCK(found.st_mode) and found.st_uid == os.getuid() else None


def _short_path(index_dir: Path) -> Path:
    import hashlib
    import tempfile

    name = hashlib.sha256(os.fsencode(index_dir)).hexdigest()[:16] + ".sock"
    tried = [os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp"]
    for base in filter(None, tried):
        folder = Path(base, f"vaultkeeper-{os.getuid()}")
        if len(os.fsencode(folder / name)) > MAX_SOCKET_PATH_BYTES:
            continue
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            found = folder.lstat()
        except OSError:
            continue
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid():
            folder.chmod(0o700)
            return folder / name
    raise OSError(
        f"no folder of this user is short enough for a socket: tried {', '.join(filter(None, tried))}"
    )
