"""Renders the files that let a system start the watcher at login. Pure.

Source: systemd.service(5), systemd.syntax(7), launchd.plist(5).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

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
