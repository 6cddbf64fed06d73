"""`vaultkeeper memory`: MEMORY.md and SKILL.md, and memories in notes of their own."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.lazy import Group, json_option, no_sync_option
from vaultkeeper.cli.output import say, show, show_json, table

if TYPE_CHECKING:
    from vaultkeeper.memory.curated import CuratedReceipt
    from vaultkeeper.memory.namespaces import Memory, StoreReceipt
    from vaultkeeper.retrieval.memories import Recalled

namespace_option = click.option(
    "--namespace",
    metavar="NAME",
    help="The namespace; `global` when it is left out, an error when it is blank.",
)


@click.group(cls=Group)
def memory() -> None:
    """What agents note down on purpose, in MEMORY.md, SKILL.md and notes of their own.

    Several agents and you may write at the same time: nothing of anybody's is lost. Secrets are taken out before
    anything is written.
    """


@memory.command()
@click.argument("file")
@click.argument("content")
@click.option(
    "--category",
    metavar="CATEGORY",
    help="pattern, mistake, preference or fact: written as a tag into the entry.",
)
@click.option("--section", metavar="TITLE", help="Append to the end of this section instead of the file's.")
@click.option("--even-if-similar", is_flag=True, help="Write it though the file says nearly the same.")
@json_option
@click.pass_obj
def append(
    call: Call,
    file: str,
    content: str,
    category: str | None,
    section: str | None,
    even_if_similar: bool,
    as_json: bool,
) -> None:
    """Add an entry to MEMORY.md or SKILL.md.

    CONTENT is Markdown; `-` reads it from stdin. With a category it becomes a list item under the heading of that
    category, if there is one. Exits with 4 when the file says nearly the same.
    """
    from vaultkeeper.cli.fresh import open_keeper

    receipt = open_keeper(call).notebook.append(
        file, read_content(content), category=category, section=section, even_if_similar=even_if_similar
    )
    _report(call, receipt, as_json)


@memory.command("replace-section")
@click.argument("file")
@click.argument("title")
@click.argument("content")
@json_option
@click.pass_obj
def replace_section(call: Call, file: str, title: str, content: str, as_json: bool) -> None:
    """Replace what stands below a heading of MEMORY.md or SKILL.md.

    TITLE is the text of a heading `## TITLE`; a section that is missing is added to the end. CONTENT is Markdown; `-`
    reads it from stdin, and an empty text empties the section.
    """
    from vaultkeeper.cli.fresh import open_keeper

    _report(call, open_keeper(call).notebook.replace_section(file, title, read_content(content)), as_json)


@memory.command("show")
@click.argument("file", default="MEMORY.md")
@json_option
@click.pass_obj
def show_file(call: Call, file: str, as_json: bool) -> None:
    """Print MEMORY.md, SKILL.md or MEMORY_GOALS.md as it is."""
    from vaultkeeper.cli.fresh import open_keeper
    from vaultkeeper.vault.write import sha256_hex

    data, page = open_keeper(call).notebook.show(file)
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    if not as_json:
        show(text.rstrip("\n"))
        return
    sections = [{"level": h.level, "title": h.text, "line": h.line} for h in page.headings]
    body = {"path": file, "sha256": sha256_hex(data), "bytes": len(data), "sections": sections, "text": text}
    show_json(body)


@memory.command()
@click.argument("key")
@click.argument("content")
@namespace_option
@click.option(
    "--category",
    metavar="CATEGORY",
    default="core",
    show_default=True,
    help="core, daily, conversation or custom.",
)
@json_option
@click.pass_obj
def store(call: Call, key: str, content: str, namespace: str | None, category: str, as_json: bool) -> None:
    """Write a memory into a note of its own, `memory/NAMESPACE/KEY.md`.

    One with the same key is written anew. CONTENT is Markdown; `-` reads it from stdin.
    """
    from vaultkeeper.cli.fresh import open_keeper

    stored = open_keeper(call).notebook.store(
        key, read_content(content), namespace=namespace, category=category
    )
    report_stored(call, stored, as_json)


@memory.command()
@click.argument("query", required=False)
@namespace_option
@click.option("--limit", type=int, default=5, show_default=True, metavar="N", help="How many at most.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    help="Only memory, turn, event, or one kind of event (decision, commitment, preference, fact); may be given again.",
)
@click.option("--why", is_flag=True, help="Show who occurs with whom below a hit, and in how many notes.")
@json_option
@no_sync_option
@click.pass_obj
def recall(
    call: Call,
    query: str | None,
    namespace: str | None,
    limit: int,
    kinds: tuple[str, ...],
    why: bool,
    as_json: bool,
    no_sync: bool,
) -> None:
    """Find what a namespace knows that fits a query.

    Without QUERY the memories that matter most are shown: by priority, connections and age; with --kind decision the
    newest decisions. What was said in conversations belongs to `global`. The words before, after, history and first
    in QUERY ask for a time.
    """
    from vaultkeeper.cli.fresh import fresh_keeper
    from vaultkeeper.retrieval.memories import render_recalled

    with fresh_keeper(call, no_sync=no_sync) as keeper:
        found, remarks = keeper.notebook.recall(query, namespace=namespace, limit=limit, kinds=kinds)
    if as_json:
        show_json({"memories": [recalled_json(one) for one in found], "notes": remarks})
    else:
        show(render_recalled(found, why).rstrip("\n"))


@memory.command("list")
@namespace_option
@json_option
@click.pass_obj
def list_memories(call: Call, namespace: str | None, as_json: bool) -> None:
    """List the memories of a namespace."""
    from vaultkeeper.cli.fresh import open_keeper

    found = open_keeper(call).notebook.memories(namespace)
    show_memories(call, found, as_json, "There is no memory in this namespace.")


@memory.command()
@click.argument("key")
@namespace_option
@json_option
@click.pass_obj
def forget(call: Call, key: str, namespace: str | None, as_json: bool) -> None:
    """Move the note of a memory into the vault's `.trash`."""
    from vaultkeeper.cli.fresh import open_keeper

    trashed = open_keeper(call).notebook.forget(key, namespace=namespace)
    if as_json:
        show_json({"key": key, "trashed": trashed})
    elif not call.quiet:
        say(f"Forgotten; the note lies in {trashed}.")


def read_content(text: str) -> str:
    """Returns a text from the command line; `-` stands for stdin."""
    return sys.stdin.read() if text == "-" else text


def report_stored(call: Call, stored: StoreReceipt, as_json: bool, **more: Any) -> None:
    """Prints what was stored."""
    receipt = stored.receipt
    if as_json:
        names = {"namespace": stored.namespace, "key": stored.key}
        show_json({**names, **receipt._asdict(), "removed": dict(stored.removed), **more})
    elif not call.quiet:
        say(f"{receipt.path} is written." if receipt.changed else f"{receipt.path} says so already.")
        say_removed(stored.removed)


def say_removed(removed: Any) -> None:
    """Says how many secrets were taken out."""
    if removed:
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(removed.items()))
        say(f"Taken out before writing: {kinds}.")


def memory_json(one: Memory) -> dict[str, Any]:
    """Returns a memory as JSON."""
    return {
        "namespace": one.namespace,
        "key": one.key,
        "category": one.category,
        "content": one.content,
        "path": one.path,
        "updated_at": one.updated_at,
    }


def recalled_json(one: Recalled) -> dict[str, Any]:
    """Returns a memory with its score as JSON."""
    relations = [relation._asdict() for relation in one.relations]
    return {**memory_json(one.memory), "score": one.score, "kind": one.kind, "relations": relations}


def show_memories(call: Call, found: list[Memory], as_json: bool, nothing: str) -> None:
    """Prints memories, a line each."""
    if as_json:
        show_json([memory_json(one) for one in found])
        return
    for line in table((one.key, one.updated_at[:10], " ".join(one.content.split())) for one in found):
        show(line)
    if not found and not call.quiet:
        say(nothing)


def _report(call: Call, receipt: CuratedReceipt, as_json: bool) -> None:
    if as_json:
        show_json(asdict(receipt))
    elif not call.quiet:
        say(receipt.message)
        say_removed(receipt.removed)
