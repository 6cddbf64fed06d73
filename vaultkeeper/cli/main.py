"""The command `vaultkeeper`: the table of its commands, and its start."""

from __future__ import annotations

from collections.abc import Sequence

import click

from vaultkeeper import __version__
from vaultkeeper.cli.boundary import guarded
from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import LazyGroup
from vaultkeeper.cli.output import prepare_streams

COMMANDS = {
    "ask": ("vaultkeeper.cli.query:ask", "Answer a question from the vault, with citations."),
    "search": ("vaultkeeper.cli.query:search", "List the notes and sections that fit some words."),
    "walk": (
        "vaultkeeper.cli.modes:walk",
        "Walk from the people and things of a question to what mentions them.",
    ),
    "brief": ("vaultkeeper.cli.graph:brief", "Say what happened in a window of time, by source, with links."),
    "note": ("vaultkeeper.cli.note:note", "Show one note as vaultkeeper reads it."),
    "entity": ("vaultkeeper.cli.entity:entity", "People, places and things that the vault knows by name."),
    "ingest": (
        "vaultkeeper.cli.ingest:ingest",
        "Take in a file, a folder, or stdin (-) as notes below sources/.",
    ),
    "tree": (
        "vaultkeeper.cli.tree:tree",
        "Summaries of every source, level upon level, each of them a note.",
    ),
    "capture": ("vaultkeeper.cli.capture:capture", "Write what was said into the vault."),
    "recall": (
        "vaultkeeper.cli.session:recall",
        "Print what other conversations said lately, as a block for the start of a new one.",
    ),
    "session": ("vaultkeeper.cli.session:session", "List, show and end conversations."),
    "profile": ("vaultkeeper.cli.profile:profile", "What is known of you, and your last word on it."),
    "tend": ("vaultkeeper.cli.tend:tend", "Let the archivist do what is due."),
    "memory": (
        "vaultkeeper.cli.memory:memory",
        "What agents note down on purpose, in MEMORY.md and elsewhere.",
    ),
    "goals": ("vaultkeeper.cli.notebook:goals", "Long-term goals: lines of MEMORY_GOALS.md."),
    "preferences": ("vaultkeeper.cli.notebook:preferences", "What you asked for in so many words."),
    "rules": ("vaultkeeper.cli.notebook:rules", "Rules for one tool: what holds when an agent uses it."),
    "entities": ("vaultkeeper.cli.modes:entities", "Find people, places and things by a part of their id."),
    "graph": ("vaultkeeper.cli.graph:graph", "Show who and what occurs together with somebody, and where."),
    "sources": ("vaultkeeper.cli.modes:sources", "List the sources that the vault's memory is made of."),
    "window": (
        "vaultkeeper.cli.modes:window",
        "Cover a window of time with as few summaries and notes as possible.",
    ),
    "drill": ("vaultkeeper.cli.modes:drill", "Open a summary: show its children, down to the leaves."),
    "leaves": ("vaultkeeper.cli.modes:leaves", "Read leaves whole, by their ids."),
    "tree-tool": ("vaultkeeper.cli.modes:tree_tool", "Call the tool `memory_tree` as an agent does."),
    "init": ("vaultkeeper.cli.init:init", "Make a folder a vault; nothing existing is changed."),
    "sync": ("vaultkeeper.cli.sync:sync", "Bring the index up to date with the notes."),
    "watch": ("vaultkeeper.cli.watch:watch", "Keep the index up to date while you edit."),
    "service": ("vaultkeeper.cli.watch:service", "Run the watcher in the background at every login."),
    "status": ("vaultkeeper.cli.status:status", "Say what the index holds and whether it is current."),
    "changes": ("vaultkeeper.cli.changes:changes", "Say what changed since you last looked, by source."),
    "checkpoint": (
        "vaultkeeper.cli.changes:checkpoint",
        "States of the vault with a name, to compare with later.",
    ),
    "flavour": ("vaultkeeper.cli.profile:flavour", "Show how somebody works and writes, with the evidence."),
    "bench": ("vaultkeeper.cli.bench:bench", "Measure how fast and how good questions are answered."),
    "doctor": ("vaultkeeper.cli.doctor:doctor", "Look for what is wrong, in the notes and around them."),
    "rebuild": ("vaultkeeper.cli.sync:rebuild", "Make the index anew from the notes."),
    "config": ("vaultkeeper.cli.config:config", "Show settings and where each comes from."),
    "vault": ("vaultkeeper.cli.vault:vault", "Add, list and remove vaults."),
    "completion": ("vaultkeeper.cli.completion:completion", "Print the completion script of a shell."),
}

SECTIONS = {
    "Ask and read": ("ask", "search", "brief", "note", "walk", "changes", "checkpoint"),
    "Keep the index": ("sync", "watch", "service", "status", "doctor", "rebuild"),
    "People, places and things": ("entity", "entities", "graph"),
    "Conversations and memory": (
        *("capture", "recall", "session", "tend", "profile", "memory", "goals", "preferences", "rules"),
        "flavour",
    ),
    "Sources and summaries": ("ingest", "sources", "tree", "window", "drill", "leaves", "tree-tool"),
    "Set up and measure": ("init", "vault", "config", "completion", "bench"),
}
"""The commands as `--help` lists them; each stands in one section."""

EPILOG = """Begin with `vaultkeeper vault add FOLDER`, then ask. `vaultkeeper COMMAND --help` says more of one command.

Exit codes: 0 done, 2 usage, 3 not found, 4 conflict, 5 refused, 6 locked, 7 provider, 8 problems."""


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    sections=SECTIONS,
    invoke_without_command=True,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="vaultkeeper", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Makes an Obsidian vault the memory of a person and of their agents.

    Everything is a Markdown note that you can read and edit; the index is made from the notes and may be
    deleted at any moment.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str]) -> int:
    """Runs the command that the arguments name and returns its exit code."""
    prepare_streams()
    return guarded(cli, arguments, Call())
