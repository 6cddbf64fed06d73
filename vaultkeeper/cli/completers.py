"""What the shell offers for values: names of vaults, entities, notes, sources, sessions, settings.

Reads the index as it is, and nothing else: a key press must not wait for a sync, load a model, or print an error.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

    from vaultkeeper.index.db import Connection

MOST = 200
"""Values that are offered at once."""

Values = Iterable[tuple[str, str]]


def _offer(ctx: click.Context, typed: str, read: Callable[[Connection], Values]) -> list[CompletionItem[str]]:
    """Reads values and remarks from the index of the vault that is meant, and returns those that begin as typed."""
    from vaultkeeper.cli.call import Call
    from vaultkeeper.index.store import open_reader

    call = ctx.find_object(Call)
    with contextlib.suppress(Exception):  # a key press says nothing
        db = open_reader(call.index_dir).db if call is not None else None
        if db is not None:
            with contextlib.closing(db):
                return _fitting(read(db), typed)
    return []


def _fitting(values: Values, typed: str) -> list[CompletionItem[str]]:
    from click.shell_completion import CompletionItem

    wanted = typed.casefold()
    fitting = [
        CompletionItem(value, help=remark.replace("\n", " ") or None)
        for value, remark in values
        if value.casefold().startswith(wanted) and value.isprintable()
    ]
    return fitting[:MOST]


def complete_entity(ctx: click.Context, _: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """Offers ids of entities, and their names."""
    from vaultkeeper.index.reports import fetch_entity_names

    return _offer(ctx, typed, fetch_entity_names)


def complete_note(ctx: click.Context, _: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """Offers paths of notes; of a great many, what lies directly in the folder that is typed."""
    from vaultkeeper.index.reports import fetch_note_paths

    def paths(db: Connection) -> Values:
        fitting = [path for path in fetch_note_paths(db) if path.casefold().startswith(typed.casefold())]
        shown = fitting if len(fitting) <= MOST else _next_parts(fitting, typed)
        return ((path, "") for path in shown)

    return _offer(ctx, typed, paths)


def complete_folder(ctx: click.Context, _: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """Offers folders that hold notes."""
    from vaultkeeper.index.reports import fetch_note_paths

    def folders(db: Connection) -> Values:
        parents = {path.rpartition("/")[0] for path in fetch_note_paths(db)}
        return ((folder, "") for folder in sorted(parents) if folder)

    return _offer(ctx, typed, folders)


def complete_source(ctx: click.Context, _: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """Offers ids of sources."""
    from vaultkeeper.index.reports import fetch_sources
    from vaultkeeper.index.sources import display_name

    return _offer(ctx, typed, lambda db: ((one, display_name(one)) for one in fetch_sources(db)))


def complete_session(ctx: click.Context, _: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """Offers conversations."""
    from vaultkeeper.index.reports import fetch_sources

    prefix = "episodic:"
    return _offer(
        ctx,
        typed,
        lambda db: ((one.removeprefix(prefix), "") for one in fetch_sources(db) if one.startswith(prefix)),
    )


def complete_tag(ctx: click.Context, _: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """Offers tags."""
    from vaultkeeper.index.reports import fetch_tags

    return _offer(ctx, typed.removeprefix("#"), lambda db: ((tag, "") for tag in fetch_tags(db)))


def complete_kind(_: click.Context, __: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """Offers kinds of notes."""
    kinds = ("note", "turn", "entity", "summary", "segment", "facet", "memory", "document")
    return _fitting(((kind, "") for kind in kinds), typed)


def complete_code(_: click.Context, __: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """Offers the codes of problems, with what they mean."""
    from vaultkeeper.vault.problems import CODES

    return _fitting(CODES.items(), typed)


def complete_setting(_: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """Offers the keys of settings; for `--set` with the equals sign behind."""
    from vaultkeeper.config import describe

    tail = "=" if parameter.param_type_name == "option" else ""
    return _fitting(((row.key + tail, row.doc) for row in describe()), typed)


def complete_vault_name(ctx: click.Context, _: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """Offers the names of `vaultkeeper vault list`."""
    from vaultkeeper.cli.call import Call
    from vaultkeeper.cli.vaults import load_vaults

    call = ctx.find_object(Call)
    with contextlib.suppress(Exception):
        paths = load_vaults(call.environment).paths if call is not None else {}
        return _fitting(((name, str(path)) for name, path in paths.items()), typed)
    return []


def complete_vault(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """Offers the names of the vaults, and folders."""
    from click.shell_completion import CompletionItem

    return [*complete_vault_name(ctx, parameter, typed), CompletionItem(typed, type="dir")]


def complete_file(_: click.Context, __: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    """Offers files, by the shell's own means."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(typed, type="file")]


def _next_parts(paths: Iterable[str], typed: str) -> list[str]:
    """The folders and notes that lie directly in the folder that is typed so far."""
    start = typed.rfind("/") + 1
    parts = ((path[:start], *path[start:].partition("/")[:2]) for path in paths)
    return list(dict.fromkeys("".join(part) for part in parts))
