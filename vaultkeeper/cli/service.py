"""`vaultkeeper service`: start the watcher at every login, through systemd or launchd."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Group, json_option
from vaultkeeper.cli.output import say, show, show_json

if TYPE_CHECKING:
    from vaultkeeper.watch.service import Service


@click.group(cls=Group)
def service() -> None:
    """Run the watcher in the background at every login.

    Linux gets a systemd user unit and macOS a launchd agent, one for each vault.
    """


@service.command()
@click.option("--dry-run", is_flag=True, help="Print the file and where it would go; change nothing.")
@click.pass_obj
def install(call: Call, dry_run: bool) -> None:
    """Write the service of this vault and start it."""
    from vaultkeeper.watch.service import install_service

    described = _describe(call)
    if dry_run:
        say(f"{described.path} would hold:")
        show(described.text.rstrip("\n"))
        return
    for line in install_service(described):
        say(line)


@service.command()
@click.option("--dry-run", is_flag=True, help="Say what would be removed; change nothing.")
@click.pass_obj
def uninstall(call: Call, dry_run: bool) -> None:
    """Stop the service of this vault and remove it."""
    from vaultkeeper.watch.service import uninstall_service

    described = _describe(call)
    if dry_run:
        say(f"{described.path} would be removed." if described.path.exists() else "Nothing is installed.")
        return
    for line in uninstall_service(described):
        say(line)


@service.command()
@json_option
@click.pass_obj
def status(call: Call, as_json: bool) -> None:
    """Say whether the service of this vault is installed and runs."""
    from vaultkeeper.watch.service import service_status

    found = service_status(_describe(call))
    if as_json:
        show_json(
            {
                "name": found.name,
                "path": str(found.path),
                "installed": found.installed,
                "current": found.current,
                "running": found.running,
                "detail": found.detail,
            }
        )
        return
    state = "is not installed"
    if found.installed:
        state = f"is installed ({found.detail})" + ("" if found.current else "; install it again to renew it")
    show(f"{found.name} {state}")
    show(str(found.path))


def _describe(call: Call) -> Service:
    from vaultkeeper.watch.service import describe_service, executable, this_kind

    return describe_service(call.root, call.index_dir / "watch.log", executable(), this_kind())
