"""`vaultkeeper completion`: the script that makes a shell complete commands, options and names."""

from __future__ import annotations

import re

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, split_arg_string

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Command
from vaultkeeper.cli.output import show

# Unlike click's own, it sees the line as typed: bash cuts words at `:` and `=`, which stand in ids and settings.
_BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' response type value
    response=$(env COMP_WORDS="${COMP_LINE:0:COMP_POINT}" COMP_CWORD="$COMP_WORDBREAKS" \
%(complete_var)s=bash_complete $1 2>/dev/null)
    COMPREPLY=()
    for completion in $response; do
        IFS=',' read -r type value <<< "$completion"
        if [[ $type == 'dir' ]]; then
            compopt -o dirnames
        elif [[ $type == 'file' ]]; then
            compopt -o default
        elif [[ $type == 'plain' ]]; then
            COMPREPLY+=("$value")
            [[ $value == *[/=] ]] && compopt -o nospace
        fi
    done
    return 0
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""
_SPECIAL = re.compile(r"([^\w@%+=:,./~-])")


class LineComplete(BashComplete):
    """Completion for bash that knows blanks, colons and equals signs in values."""

    source_template = _BASH

    def _given(self, name: str) -> str:
        call: Call = self.ctx_args["obj"]
        return call.environment[name]

    def get_completion_args(self) -> tuple[list[str], str]:
        """Returns the words before the cursor, and the one that is being typed."""
        line = self._given("COMP_WORDS")
        words = split_arg_string(line)
        if not words or (line[-1:].isspace() and not line.endswith("\\ ") and not _open_quote(line)):
            return words[1:], ""
        return words[1:-1], words[-1]

    def format_completion(self, item: CompletionItem[str]) -> str:
        """Returns what bash puts for the part of the word that it takes for the whole: behind the last break."""
        value = item.value
        if item.type == "plain" and not _open_quote(self._given("COMP_WORDS")):
            breaks = self._given("COMP_CWORD")
            typed = self.get_completion_args()[1]
            begin = 1 + max((typed.rfind(char) for char in ":=" if char in breaks), default=-1)
            value = _SPECIAL.sub(r"\\\1", value[begin:])
        return f"{item.type},{value}"


def _open_quote(line: str) -> bool:
    """True when a quotation mark is open at the end of the line."""
    bare = re.sub(r"\\.", "", line)
    return re.fullmatch(r"(?:[^\"']|\"[^\"]*\"|'[^']*')*", bare) is None


add_completion_class(LineComplete)


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
