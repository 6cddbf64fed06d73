"""`vaultkeeper ingest`: documents, chats and mails become notes of the vault."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vaultkeeper.cli.call import Call
from vaultkeeper.cli.completers import complete_file
from vaultkeeper.cli.lazy import Command, json_option
from vaultkeeper.cli.output import say, show, show_json
from vaultkeeper.errors import PathNotFoundError, UsageError

if TYPE_CHECKING:
    from vaultkeeper.keeping.ingest import IngestReport

WORDS = {"new": "new", "version": "new version", "merged": "added to", "unchanged": "unchanged"}


@click.command(cls=Command)
@click.argument("path", metavar="PATH|-", shell_complete=complete_file)
@click.option(
    "--source-id", metavar="ID", help="What the source is called from now on (the name of the file)."
)
@click.option(
    "--kind", type=click.Choice(["document", "chat", "email"]), help="What it is (told by the file's name)."
)
@click.option("--title", metavar="TEXT", help="The title, where the document has none of its own.")
@click.option("--owner", metavar="NAME", help="Whose it is.")
@click.option("--source-ref", metavar="REF", help="Where it comes from, such as a URL; nothing is fetched.")
@click.option("--provider", metavar="NAME", help="The service it comes from, such as gmail or notion.")
@click.option(
    "--tag", "tags", metavar="TAG", multiple=True, help="A tag for its notes; may be given several times."
)
@click.option(
    "--suffix", metavar=".EXT", default=".md", help="What stdin holds, such as .html or .eml (.md)."
)
@click.option("--dry-run", is_flag=True, help="Only say what would be written and what is gone.")
@json_option
@click.pass_obj
def ingest(
    call: Call,
    path: str,
    source_id: str | None,
    kind: str | None,
    title: str | None,
    owner: str | None,
    source_ref: str | None,
    provider: str | None,
    tags: tuple[str, ...],
    suffix: str,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Take in a file, a folder, or stdin (-) as notes below sources/.

    Reads Markdown, text, HTML, PDF (with the extra `pdf`), mails (.eml, .mbox) and chats (JSON with text, author,
    timestamp). Ingesting the same source again changes nothing when it is the same; else its notes get a new version,
    and what was summarised of the old one is superseded. A chat is added to. In a folder, notes of files that are gone
    are superseded: they stay, and nothing finds them any more. Secrets are taken out before anything is written.
    """
    from vaultkeeper.cli.fresh import fresh_keeper

    given: dict[str, Any] = {
        "source_id": source_id or "",
        "kind": kind or "",
        "title": title or "",
        "owner": owner or "",
        "source_ref": source_ref or "",
        "tags": [*tags, *([f"provider/{provider}"] if provider else [])],
    }
    with fresh_keeper(call, writes=True) as keeper:
        if path == "-":
            if not source_id:
                raise UsageError(reason="stdin has no name: say --source-id")
            if dry_run:
                raise UsageError(reason="--dry-run is for files and folders")
            report = keeper.ingest.stream(sys.stdin.buffer.read(), suffix=suffix, **given)
        else:
            if not (call.folder / path).exists():
                remedy = "A relative path starts at the current folder; `-` is stdin."
                raise PathNotFoundError(what="file or folder", path=path, remedy=remedy)
            report = keeper.ingest.path(Path(call.folder / path), dry_run=dry_run, **given)
    if as_json:
        show_json(report_json(report))
        return
    for item in report.items:
        if item.outcome != "unchanged" or call.verbose or len(report.items) == 1:
            show(f"{item.path}  {WORDS[item.outcome]}")
    for _, gone in report.gone:
        show(f"{gone}  superseded, its file is gone")
    if not call.quiet:
        _say(report, call.verbose)


def _say(report: IngestReport, verbose: int) -> None:
    removed: dict[str, int] = {}
    for item in report.items:
        for kind, count in item.removed.items():
            removed[kind] = removed.get(kind, 0) + count
    if removed:
        say("Taken out: " + ", ".join(f"{count} {kind}" for kind, count in sorted(removed.items())) + ".")
    for skipped in report.skipped if verbose else report.skipped[:5]:
        say(f"{skipped.path}: passed over, {skipped.reason}.")
    if len(report.skipped) > 5 and not verbose:
        say(f"{len(report.skipped) - 5} more were passed over; -v names them.")
    counts = f"{len(report.written)} of {len(report.items)} notes"
    if not report.items:
        say(f"{report.source_id}: nothing to ingest.")
    elif report.dry_run:
        say(f"{report.source_id}: {counts} would be written; nothing was.")
    else:
        gone = f", {len(report.gone)} superseded" if report.gone else ""
        sections = "1 section" if report.chunks == 1 else f"{report.chunks:,} sections"
        say(f"{report.source_id}: {counts} written, {sections} indexed{gone}.")


def report_json(report: IngestReport) -> dict[str, Any]:
    """An ingest as JSON."""
    return {
        "source_id": report.source_id,
        "source_kind": report.source_kind,
        "chunks": report.chunks,
        "items": [item._asdict() for item in report.items],
        "skipped": [skipped._asdict() for skipped in report.skipped],
        "superseded": report.superseded,
        "gone": [{"id": identity, "path": path} for identity, path in report.gone],
        "dry_run": report.dry_run,
    }
