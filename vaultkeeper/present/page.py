"""Answers and lists of hits as text for people.

An answer is pieces with the names of styles, which a surface colours or strips; lists are plain lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from vaultkeeper.index.sources import display_name
from vaultkeeper.present.sentences import find_sentences
from vaultkeeper.present.shapes import Answer, Brief, Evidence, GraphView
from vaultkeeper.present.snippet import Snippet, make_snippet, plain
from vaultkeeper.types import QueryResponse, TimeWindow

Style = Literal["", "quote", "number", "link", "dim", "match", "warn"]


class Piece(NamedTuple):
    """Text in one style; the empty style is plain text."""

    text: str
    style: Style = ""


NEWLINE = Piece("\n")

LINE = 100
"""Characters of the line that is shown of each piece of evidence."""

_BARRED = {
    "tag": "No note has the tag `{}`.",
    "folder": "No note lies in the folder `{}`.",
    "kind": "No note is of the kind `{}`.",
    "source": "No note is of the source `{}`. `vaultkeeper sources` lists those that there are.",
    "all": "No note passes all of these filters: {}.",
}

_FOUND_BY = dict.fromkeys(("dense", "dense+time"), "are near in meaning") | {"time": "are from then"}

_BAR = re.compile(r"(?<!\\)\|")


def answer_page(answer: Answer, why: bool = False) -> list[Piece]:
    """Returns the quotes, then the numbered evidence."""
    if not answer.evidence:
        return list(_nothing(answer))
    page: list[Piece] = list(_only_near(answer))
    for quote in answer.quotes:
        page += [Piece(readable(quote.text), "quote"), Piece(f" [{quote.number}]", "number"), NEWLINE]
    if answer.quotes:
        page.append(NEWLINE)
    for evidence in answer.evidence:
        page += _evidence(evidence, why)
        beside = evidence.snippet.beside
        shown = evidence.snippet.text if beside else evidence.hit.content
        snippet = make_snippet(shown, evidence.hit.why.matched, LINE)
        pieces = snippet_pieces(snippet)
        page += [Piece("    "), *(Piece(text, style or "dim") for text, style in pieces), NEWLINE]
    page += _closing(answer)
    return page


def readable(quote: str) -> str:
    """Returns a quote without the marks of Markdown; of a row of a table the cells, with bars between."""
    if not quote.startswith("|"):
        return plain(quote)
    cells = [plain(cell.replace("\\|", "|")) for cell in _BAR.split(quote)]
    return " | ".join(cell for cell in cells if cell)


def search_page(answer: Answer, why: bool = False) -> list[Piece]:
    """Returns the numbered hits, each with a snippet."""
    if not answer.evidence:
        return list(_nothing(answer))
    page: list[Piece] = list(_only_near(answer))
    for evidence in answer.evidence:
        page += _evidence(evidence, why)
        usual: Style = "dim" if evidence.snippet.beside else ""
        pieces = snippet_pieces(evidence.snippet)
        page += [Piece("    "), *(Piece(text, style or usual) for text, style in pieces), NEWLINE]
    page += _closing(answer)
    return page


def plain_text(page: list[Piece]) -> str:
    """Returns a page without styles."""
    return "".join(piece.text for piece in page)


def snippet_pieces(snippet: Snippet) -> list[Piece]:
    """Returns a snippet with its matches in the style `match`."""
    pieces: list[Piece] = []
    at = 0
    for start, end in snippet.matches:
        pieces += [Piece(snippet.text[at:start]), Piece(snippet.text[start:end], "match")]
        at = end
    pieces.append(Piece(snippet.text[at:]))
    return [piece for piece in pieces if piece.text]


def _evidence(evidence: Evidence, why: bool) -> Iterator[Piece]:
    yield Piece(f"[{evidence.number}]", "number")
    yield Piece(" ")
    yield Piece(evidence.link, "link")
    yield Piece(f"  {'edited ' if evidence.edited else ''}{evidence.date}  ")
    yield Piece(evidence.url, "dim")
    yield NEWLINE
    if why:
        signals = " ".join(f"{name} {score:.2f}" for name, score in evidence.hit.why.signals.items())
        matched = ", ".join(evidence.hit.why.matched)
        yield Piece(f"    {evidence.hit.score:.3f}  {signals}", "dim")
        yield Piece(f"  ({matched})\n" if matched else "\n", "dim")


def _only_near(answer: Answer) -> Iterator[Piece]:
    if "words_not_found" in answer.notes:
        found = _FOUND_BY.get(answer.route, "have what they name")
        yield Piece(f"No note has these words; these {found}.\n", "warn")
        yield from _near(answer)
        yield NEWLINE


def _closing(answer: Answer) -> Iterator[Piece]:
    absent = [note.partition(":")[2] for note in answer.notes if note.startswith("no_note_has:")]
    if absent:
        words = " or ".join(f"“{word}”" for word in absent)
        yield Piece(f"No note has {words}.\n", "dim")
    yield from _undated(answer)
    if answer.searched.named is not None:
        named = answer.searched.named
        by = f", as {named.by} says" if named.by else ""
        text = f"“{named.text}” is taken as {_window_words(named.window)}{by}"
        if "window_empty" in answer.notes:
            yield Piece(f"{text}. No note is from then.\n", "warn")
        else:
            yield Piece(f"{text}; what is from then comes first.\n", "dim")
    if "vectors_pending" in answer.notes:
        yield Piece("Some notes are not embedded yet; `vaultkeeper status` says how many.\n", "dim")
    if "vectors_unavailable" in answer.notes:
        yield Piece("Searched without vectors; `vaultkeeper doctor` says why.\n", "warn")
    if "phrase_not_found" in answer.notes:
        yield Piece("No note has the words in quotes in that order; these have some of them.\n", "warn")


def _undated(answer: Answer) -> Iterator[Piece]:
    for note in answer.notes:
        if note.startswith("by_last_edit:"):
            shown, _, left = note.partition(":")[2].partition("/")
            how = f"{shown} of these, {left} left out"
            yield Piece(f"Notes without a date of their own count by their last edit: {how}.\n", "dim")


def _nothing(answer: Answer) -> Iterator[Piece]:
    searched = answer.searched
    if searched.barred:
        yield from (Piece(f"{_BARRED[name].format(value)}\n", "warn") for name, value in searched.barred)
        return
    notes = "1 note" if searched.notes == 1 else f"{searched.notes:,} notes"
    if searched.named is not None and "window_empty" in answer.notes:
        named = searched.named
        yield Piece(f"None of {notes} is from “{named.text}” ({_window_words(named.window)}).\n", "warn")
        return
    when = _window_words(searched.window)
    when = f" from {when}" if when[:1].isdigit() else f" {when}" if when else ""
    yield Piece(f"Nothing found in {notes}{when}", "warn")
    if searched.words:
        yield Piece(" for " + ", ".join(searched.words))
    yield Piece(".\n")
    yield from _undated(answer)
    yield from _near(answer)


def _near(answer: Answer) -> Iterator[Piece]:
    if answer.near:
        yield Piece("Did you mean " + " or ".join(answer.near) + "?\n")


def _window_words(window: TimeWindow) -> str:
    first = f"{window.since:%Y-%m-%d}" if window.since else ""
    last = f"{window.until:%Y-%m-%d}" if window.until else ""
    if first and last:
        return first if first == last else f"{first} to {last}"
    return f"since {first}" if first else f"until {last}" if last else ""


_DIVIDER = re.compile(r"\s*\n[ \t>]*\|?[ \t]*:?-[-: |\t]*(?:\n|$)")
_ENDS = (".", "!", "?", "…", ":", "。", "！", "？", "：")


def gist(body: str, width: int = 220) -> str:
    """Returns the first sentences and list items of a Markdown text that fit into a width; the first one is cut.

    What does not end like a sentence is joined to the next by `·`. Headings, code, embeds and addresses are left out;
    the cells of a table, without its head, are told when there is nothing else. Empty when there is nothing to tell.
    """
    sentences = find_sentences(body)
    kind = "prose" if any(one.kind == "prose" for one in sentences) else "row"
    told, last = "", 0
    for one in sentences:
        if one.kind != kind or (kind == "row" and _DIVIDER.match(body, one.end)):
            continue
        text = readable(body[one.start : one.end]).replace(" | ", ", ")
        within = "\n" not in body[last : one.start]
        joint = (" " if within or told.endswith(_ENDS) else " · ") if told else ""
        last = one.end
        if len(told) + len(joint) + len(text) <= width:
            told += joint + text
            continue
        if not told:
            end = text.rfind(" ", width // 2, width)
            told = text[: end if end > 0 else width]
        return told + "…"
    return told


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
