"""Hits, sources of a window, and neighbours as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from vaultkeeper.index.sources import display_name
from vaultkeeper.present.gist import gist
from vaultkeeper.present.page import NEWLINE, Piece, snippet_pieces
from vaultkeeper.present.shapes import Brief, Evidence, GraphView
from vaultkeeper.present.snippet import plain
from vaultkeeper.types import QueryResponse

SHOWN = 3
"""Sections of a note, and turns of a conversation, that a brief tells."""


def hits_page(response: QueryResponse, evidence: Sequence[Evidence], why: bool = False) -> list[Piece]:
    """Returns numbered hits with their kind, days and a snippet, and what was left out."""
    if not evidence:
        return [Piece("Nothing found.\n", "warn"), *_remarks(response)]
    page: list[Piece] = []
    for one in evidence:
        hit = one.hit
        page += [
            Piece(f"[{one.number}]", "number"),
            Piece(" "),
            Piece(one.link, "link"),
            Piece(f"  {'edited ' if one.edited else ''}{one.date}"),
        ]
        page += [Piece(f"  {'leaf' if hit.node_kind == 'leaf' else f'L{hit.level}'}  {hit.node_id}\n", "dim")]
        if why:
            signals = " ".join(f"{name} {score:.2f}" for name, score in hit.why.signals.items())
            page.append(Piece(f"    {hit.score:.3f}  {signals}  ({', '.join(hit.why.matched)})\n", "dim"))
        page += [Piece("    "), *snippet_pieces(one.snippet), NEWLINE]
    if response.truncated:
        page.append(Piece(f"{response.total - len(evidence):,} more; --limit shows them.\n", "dim"))
    return [*page, *_remarks(response)]


_SAID = {
    "vectors_pending": "Some notes are not embedded yet; `vaultkeeper status` says how many.",
    "vectors_unavailable": "Searched without vectors; `vaultkeeper doctor` says why.",
    "stale_summaries": "Some summaries are older than what they summarise; they will be made anew.",
}


def _remarks(response: QueryResponse) -> Iterator[Piece]:
    for note in response.notes:
        kind, _, value = note.partition(":")
        if kind == "window":
            since, _, until = value.partition("/")
            yield Piece(f"Only what was from {since[:10]} to {until[:10]}, as the question says.\n", "dim")
        elif kind == "omitted":
            scope, _, number = value.rpartition("=")
            yield Piece(f"{number} of {display_name(scope)} are left out.\n", "dim")
        elif note in _SAID:
            yield Piece(_SAID[note] + "\n", "dim")


def brief_page(brief: Brief) -> list[Piece]:
    """Returns a brief as Markdown: a heading for each source, an item for each note or conversation, and links.

    Of a note with several sections, and of a conversation, the first few are told.
    """
    page = [Piece(f"# {_span(brief.window.since, brief.window.until)}\n", "quote")]
    if not brief.parts:
        page.append(Piece("\nNothing happened that the vault knows of.\n"))
    for part in brief.parts:
        page.append(Piece(f"\n## {part.name}\n\n", "quote"))
        for group in _grouped(part.evidence):
            page += _told(group)
        if part.omitted:
            page.append(Piece(f"- … and {part.omitted:,} more; --limit shows them\n", "dim"))
    return page


def _grouped(evidence: Sequence[Evidence]) -> list[list[Evidence]]:
    """Sections of one note, and turns of one conversation, together; in the order of the first of each."""
    groups: dict[str, list[Evidence]] = {}
    for one in evidence:
        path = one.hit.note_path
        turns = one.hit.node_kind == "leaf" and path.startswith("episodic/")
        groups.setdefault(path.rpartition("/")[0] if turns else path, []).append(one)
    return list(groups.values())


def _told(group: Sequence[Evidence]) -> Iterator[Piece]:
    first = group[0]
    date = f"{'edited ' if first.edited else ''}{first.date} "
    if len(group) == 1:
        text = _text(first)
        yield from (Piece("- "), Piece(date, "dim"), Piece(f"{text} — " if text else ""))
        yield from (Piece(first.link, "link"), NEWLINE)
        return
    path = first.hit.note_path
    turns = path.startswith("episodic/")
    name = path.split("/")[1] if turns else path.rpartition("/")[2].removesuffix(".md")
    yield from (Piece("- "), Piece(date, "dim"), Piece(name, "quote"))
    yield Piece(f" ({len(group)} {'turns' if turns else 'sections'})\n", "dim")
    telling = [(text, one.link) for one in group if (text := _text(one))]
    for text, link in telling[:SHOWN]:
        yield from (Piece(f"  - {text} — "), Piece(link, "link"), NEWLINE)
    if len(telling) > SHOWN:
        yield Piece(f"  - … and {len(telling) - SHOWN} more\n", "dim")


def _text(evidence: Evidence) -> str:
    """All of a summary; of a leaf the beginning."""
    if evidence.hit.node_kind == "leaf":
        return gist(evidence.hit.content)
    return plain(evidence.hit.content)


def _span(since: datetime | None, until: datetime | None) -> str:
    """The window in days where it is whole days, else with its times in UTC."""
    begins = since is None or (since.hour, since.minute) == (0, 0)
    whole = begins and (until is None or (until.hour, until.minute) == (23, 59))
    form = "%Y-%m-%d" if whole else "%Y-%m-%d %H:%M UTC"
    first = since.strftime(form) if since else "the beginning"
    last = until.strftime(form) if until else "now"
    return first if first == last else f"{first} to {last}"


def graph_page(view: GraphView) -> list[Piece]:
    """Returns the neighbours with the number of shared nodes and the newest of those."""
    names = {node.id: node.name for node in view.nodes}
    page = [Piece(f"{names[view.subject]}", "quote"), Piece(f"  {view.subject}\n", "dim")]
    page += [
        Piece(f"{names[a]} and {names[b]}: {hops} hop{'s' if hops > 1 else ''}\n")
        for a, b, hops in view.distances
    ]
    own = [edge for edge in view.edges if edge.subject == view.subject]
    for edge in own:
        page += [
            Piece(f"{edge.weight:>5}", "number"),
            Piece(f"  {names[edge.object]}"),
            Piece(f"  {edge.object}\n", "dim"),
        ]
        for one in edge.shared:
            page += [Piece("         "), Piece(one.link, "link"), Piece(f"  {one.date}\n")]
    if not own:
        page.append(Piece("It occurs together with nothing.\n"))
    return page
