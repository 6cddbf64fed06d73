"""A process killed at any step of a write leaves the old bytes or the new ones, and nothing that the scan sees."""

import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from vaultkeeper.vault.write import create_note, remove_stale_temps, replace_note, sha256_hex, trash_note

NOTE = "entities/person/a.md"
OLD, NEW = b"old" * 50_000, b"new" * 60_000

PROGRAM = textwrap.dedent(
    f"""
    import os, signal, sys
    from pathlib import Path
    from vaultkeeper.vault import write
    OLD, NEW, NOTE = b"old" * 50_000, b"new" * 60_000, {NOTE!r}
    verb, fatal, root = sys.argv[1], sys.argv[2], Path(sys.argv[3])

    def die():
        os.kill(os.getpid(), signal.SIGKILL)

    def step(name):
        if name == fatal:
            die()

    if fatal == "mid-write":
        real = os.write
        def half(handle, data):
            real(handle, data[: len(data) // 2])
            die()
        os.write = half
    if fatal == "no-links":
        def no_link(*args):
            raise PermissionError(1, "no")
        os.link = no_link
        fatal = "reserved"
    if verb == "create":
        write.create_note(root, NOTE, NEW, step=step)
    elif verb == "replace":
        write.replace_note(root, NOTE, NEW, write.sha256_hex(OLD), step=step)
    else:
        write.trash_note(root, NOTE, write.sha256_hex(OLD), step=step)
    print("survived")
    """
)

STEPS = {
    "create": [
        "temp-created",
        "mid-write",
        "temp-written",
        "temp-synced",
        "published",
        "folder-synced",
        "no-links",
    ],
    "replace": [
        "temp-created",
        "mid-write",
        "temp-written",
        "temp-synced",
        "compared",
        "replaced",
        "folder-synced",
    ],
    "trash": ["temp-created", "mid-write", "temp-synced", "published", "folder-synced", "copied", "removed"],
}


@pytest.mark.parametrize(("verb", "step"), [(verb, step) for verb, steps in STEPS.items() for step in steps])
def test_killed_at(verb, step, tmp_path):
    if verb != "create":
        create_note(tmp_path, NOTE, OLD)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, verb, step, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=Path.cwd(),
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert "survived" not in done.stdout

    seen = {
        str(path.relative_to(tmp_path)): path.read_bytes()
        for path in tmp_path.rglob("*")
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(tmp_path).parts)
    }
    if verb == "create":
        after = step in ("published", "folder-synced")
        assert seen == ({NOTE: NEW} if after else {NOTE: b""} if step == "no-links" else {})
    elif verb == "replace":
        assert seen == {NOTE: NEW if step in ("replaced", "folder-synced") else OLD}
    else:
        trashed = [path for path in (tmp_path / ".trash").rglob("a*.md") if not path.name.startswith(".")]
        assert seen == {NOTE: OLD} or (not seen and [path.read_bytes() for path in trashed] == [OLD])

    # Running it again comes to the end that an undisturbed run would have come to.
    remove_stale_temps(tmp_path, 2**62)
    assert not list(tmp_path.rglob(".tmp_*"))
    if verb == "create" and NOTE not in seen:
        create_note(tmp_path, NOTE, NEW)
    if verb == "replace" and seen[NOTE] == OLD:
        replace_note(tmp_path, NOTE, NEW, sha256_hex(OLD))
    if verb == "trash" and seen:
        trash_note(tmp_path, NOTE, sha256_hex(OLD))
        assert [path.name for path in (tmp_path / ".trash").rglob("*.md")] == ["a.md"]
