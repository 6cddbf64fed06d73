"""The service that starts the watcher at login: the file that describes it, installing, removing and reporting it.

Source: systemd.service(5), systemd.syntax(7), launchd.plist(5).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vaultkeeper.errors import StorageError, UsageError

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
    name = service_name(vault)
    command = watch_command(program, vault, log.absolute())
    home = home or Path.home()
    try:
        if kind == "launchd":
            path = home / "Library" / "LaunchAgents" / f"{name}.plist"
            return Service(kind, name, path, render_launchd(command, name))
        config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
        path = config / "systemd" / "user" / f"{name}.service"
        return Service(kind, name, path, render_systemd(command, vault))
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


_LABEL = "vaultkeeper-watch"
_PLAIN = re.compile(r"[A-Za-z0-9_@+=:,./-]+").fullmatch


def service_name(vault: Path) -> str:
    """Name of a vault's service, without suffix: readable, unique for the path, plain ASCII."""
    slug = re.sub(r"[^a-z0-9]+", "-", vault.name.lower()).strip("-")[:40].strip("-")
    digest = hashlib.sha256(str(vault).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return "-".join(filter(None, [_LABEL, slug, digest]))


def watch_command(executable: Sequence[str], vault: Path, log: Path) -> list[str]:
    """The words that start the watcher of a vault."""
    return [*executable, "watch", "--vault", str(vault), "--log-file", str(log)]


def render_systemd(command: Sequence[str], vault: Path) -> str:
    """Renders a user unit of systemd.

    Args:
        command: The program's absolute path and its arguments, unquoted.
        vault: For the description.

    Raises:
        ValueError: a word holds a line break, a NUL or bytes that are no UTF-8, which no unit can express.
    """
    return (
        "[Unit]\n"
        f"Description=vaultkeeper watching {_one_line(str(vault))}\n"
        "Documentation=man:systemd.service(5)\n"
        "StartLimitIntervalSec=0\n"
        "\n"
        "[Service]\n"
        "Type=exec\n"
        f"ExecStart={_systemd_command(command)}\n"
        "Restart=on-failure\n"
        "RestartSec=30\n"
        "RestartPreventExitStatus=2\n"
        "Nice=5\n"
        "TimeoutStopSec=60\n"
        "UMask=0077\n"
        "\n"
        "[Install]\n"
        "WantedBy=default.target\n"
    )


def render_launchd(command: Sequence[str], label: str) -> str:
    """Renders a property list for launchd.

    Args:
        command: The program's absolute path and its arguments, unquoted.
        label: Name of the agent, see `service_name`.

    Raises:
        ValueError: a word holds a control character, which XML cannot express.
    """
    words = "".join(f"    <string>{_xml(word)}</string>\n" for word in command)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN"'
        ' "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
        '<plist version="1.0">\n'
        "<dict>\n"
        f"  <key>Label</key>\n  <string>{_xml(label)}</string>\n"
        f"  <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n"
        "  <key>RunAtLoad</key>\n  <true/>\n"
        "  <key>KeepAlive</key>\n  <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n"
        "  <key>ThrottleInterval</key>\n  <integer>30</integer>\n"
        "  <key>ProcessType</key>\n  <string>Background</string>\n"
        "  <key>Umask</key>\n  <integer>63</integer>\n"
        "</dict>\n"
        "</plist>\n"
    )


def _systemd_command(command: Sequence[str]) -> str:
    # The program's own path is not searched for variables, so there a dollar sign is not doubled.
    words = [_systemd_word(command[0]), *(_systemd_word(word).replace("$", "$$") for word in command[1:])]
    return " ".join(words)


def _systemd_word(word: str) -> str:
    """Quotes one word of a command line: specifiers, quotes, backslashes and blanks stay literal."""
    if re.search(r"[\n\r\0\ud800-\udfff]", word):
        raise ValueError(f"a unit cannot hold {word!r}")
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return escaped if _PLAIN(word) else f'"{escaped}"'


def _one_line(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f]", " ", text).replace("%", "%%").rstrip("\\")


def _xml(text: str) -> str:
    if re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", text):
        raise ValueError(f"a property list cannot hold {text!r}")
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return escaped.replace("\r", "&#13;").replace("\n", "&#10;").replace("\t", "&#9;")
