"""An answer as text for people: pieces with the names of styles, which a surface colours or strips."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from vaultkeeper.present.shapes import Answer, Evidence
from vaultkeeper.present.snippet import Snippet, make_snippet, plain
from vaultkeeper.types import TimeWindow

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
