"""`vaultkeeper completion`: the script that makes a shell complete commands, options and names."""

from __future__ import annotations

import click

from vaultkeeper.cli.lazy import Command
from vaultkeeper.cli.output import show


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of a shell.

    \b
    bash  vaultkeeper completion bash > ~/.local/share/bash-completion/completions/vaultkeeper
    zsh   vaultkeeper completion zsh > "${fpath[1]}/_vaultkeeper"
    fish  vaultkeeper completion fish > ~/.config/fish/completions/vaultkeeper.fish
    """
    from click.shell_completion import get_completion_class

    from vaultkeeper.cli.boundary import COMPLETION_VARIABLE
    from vaultkeeper.cli.main import cli

    made = get_completion_class(shell)
    assert made is not None, "click knows these three shells"
    show(made(cli, {}, "vaultkeeper", COMPLETION_VARIABLE).source().strip())
