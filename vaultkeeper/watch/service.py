"""Installs, removes and reports the service that starts the watcher at login."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vaultkeeper.errors import StorageError, UsageError
from vaultkeeper.watch import units

Kind = Literal["systemd", "launchd"]


@dataclass(frozen=True, slots=True)
class Service:
    """The service of one vault.

    Attributes:
        name: Unique for the vault's path.
        path: The file that describes it to the system.
        text: What the file holds.
    """

    kind: Kind
    name: str
    path: Path
    text: str

    @property
    def unit(self) -> str:
        """What the system calls it."""
        return f"{self.name}.service" if self.kind == "systemd" else f"gui/{os.getuid()}/{self.name}"


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """What the system says of a service.

    Attributes:
        installed: Its file exists.
        current: The file is what this version would write.
        running: True, False, or None when the system cannot be asked.
        detail: The system's own word, such as `active` or `failed`.
    """

    name: str
    path: Path
    installed: bool
    current: bool
    running: bool | None
    detail: str


def this_kind(platform: str = sys.platform) -> Kind:
    """The kind of service that this system has.

    Raises:
        UsageError: it has none that is known here.
    """
    if platform == "darwin":
        return "launchd"
    if platform.startswith("linux"):
        return "systemd"
    raise UsageError(reason=f"There is no service for {platform}; start `vaultkeeper watch` yourself.")


def executable(argv0: str = sys.argv[0]) -> list[str]:
    """The words that start this program, with an absolute path that survives a change of folder and PATH."""
    script = shutil.which(argv0) or argv0
    if Path(script).name in {"vaultkeeper", "vaultkeeper.exe"} and os.access(script, os.X_OK):
        return [str(Path(script).absolute())]
    return [sys.executable, "-m", "vaultkeeper"]


def describe_service(
    vault: Path, log: Path, program: Sequence[str], kind: Kind, home: Path | None = None
) -> Service:
    """Works out a vault's service; nothing is written.

    Args:
        vault: The vault's folder.
        log: The watcher's log file.
        program: See `executable`.
        home: The user's home folder.

    Raises:
        UsageError: a path cannot be expressed in such a file.
    """
    vault = Path(os.path.realpath(vault))
    name = units.service_name(vault)
    command = units.watch_command(program, vault, log.absolute())
    home = home or Path.home()
    try:
        if kind == "launchd":
            path = home / "Library" / "LaunchAgents" / f"{name}.plist"
            return Service(kind, name, path, units.render_launchd(command, name))
        config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
        path = config / "systemd" / "user" / f"{name}.service"
        return Service(kind, name, path, units.render_systemd(command, vault))
    except ValueError as error:
        raise UsageError(reason=f"No service can be written: {error}.") from error


def install_service(service: Service) -> list[str]:
    """Writes the file and starts the service, now and at each login. May be repeated.

    Returns:
        What was done, and what the user has to do, a sentence each.

    Raises:
        StorageError: the file cannot be written.
    """
    try:
        service.path.parent.mkdir(parents=True, exist_ok=True)
        draft = service.path.with_name(service.path.name + ".new")
        draft.write_text(service.text, encoding="utf-8")
        draft.chmod(0o644)
        draft.replace(service.path)
    except OSError as error:
        raise StorageError(path=service.path, reason=error.strerror or error) from error
    done = [f"Wrote {service.path}."]
    if service.kind == "systemd":
        steps = [
            ["systemctl", "--user", "daemon-reload"],
            ["systemctl", "--user", "enable", service.unit],
            ["systemctl", "--user", "restart", service.unit],
        ]
        hint = "To keep it running while you are logged out: `loginctl enable-linger`."
    else:
        _run(["launchctl", "bootout", service.unit])
        steps = [["launchctl", "bootstrap", f"gui/{os.getuid()}", str(service.path)]]
        hint = ""
    for step in steps:
        code, said = _run(step)
        if code != 0:
            return [*done, f"`{' '.join(step)}` failed: {said}. Run it when you are logged in."]
    return [*done, "The watcher runs, and starts at each login.", *([hint] if hint else [])]


def uninstall_service(service: Service) -> list[str]:
    """Stops the service and removes its file. May be repeated.

    Returns:
        What was done, a sentence each.

    Raises:
        StorageError: the file cannot be removed.
    """
    if not service.path.exists():
        return [f"There is no {service.path}; nothing to do."]
    if service.kind == "systemd":
        _run(["systemctl", "--user", "disable", "--now", service.unit])
    else:
        _run(["launchctl", "bootout", service.unit])
    try:
        service.path.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(path=service.path, reason=error.strerror or error) from error
    if service.kind == "systemd":
        _run(["systemctl", "--user", "daemon-reload"])
    return ["Stopped the watcher's service.", f"Removed {service.path}."]


def service_status(service: Service) -> ServiceStatus:
    """Asks the system how a service is."""
    try:
        text: str | None = service.path.read_text(encoding="utf-8")
    except OSError:
        text = None
    running: bool | None
    if service.kind == "systemd":
        code, said = _run(["systemctl", "--user", "is-active", service.unit])
        running = None if code is None or "bus" in said.lower() else code == 0
    else:
        code, said = _run(["launchctl", "print", service.unit])
        running = None if code is None else "state = running" in said
        said = "running" if running else "not running"
    detail = said if running is not None else "the system cannot be asked"
    return ServiceStatus(service.name, service.path, text is not None, text == service.text, running, detail)


def _run(command: Sequence[str]) -> tuple[int | None, str]:
    """Runs a program of the system; its code is None when it is missing or does not end."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    return done.returncode, (done.stderr.strip() or done.stdout.strip())
