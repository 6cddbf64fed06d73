from __future__ import annotations

from dataclasses import replace

from tests.present.test_jsonform import ANSWER
from vaultkeeper.present.page import Piece, answer_page, plain_text, readable, search_page
from vaultkeeper.present.shapes import Searched
from vaultkeeper.present.snippet import Snippet
from vaultkeeper.types import TimeWindow


def test_an_answer_is_quoted_and_cited() -> None:
    text = plain_text(answer_page(ANSWER))
    assert text.splitlines()[:3] == [
        "Body [1]",
        "",
        "[1] [[Plan#Next]]  2026-01-01  obsidian://open?vault=V&file=Plan",
    ]
    assert "not embedded yet" in text


def test_a_row_of_a_table_is_shown_by_its_cells() -> None:
    assert readable("| [[ada\\|Ada]] | **lead** | |") == "Ada | lead"
    assert readable("no *row* at all") == "no row at all"


def test_a_day_that_only_the_file_knows_is_called_so() -> None:
    edited = replace(ANSWER, evidence=(replace(ANSWER.evidence[0], edited=True),))
    assert "[[Plan#Next]]  edited 2026-01-01  obsidian" in plain_text(answer_page(edited))


def test_why_names_signals_and_words() -> None:
    assert "0.500  keyword 1.00  (plan)" in plain_text(answer_page(ANSWER, why=True))


def test_a_search_shows_snippets() -> None:
    assert plain_text(search_page(ANSWER)).splitlines()[1] == "    Body"


def test_styles_change_no_text() -> None:
    page = answer_page(ANSWER, why=True)
    assert {piece.style for piece in page} >= {"quote", "number", "link", "dim"}
    assert "\x1b" not in plain_text(page)


def test_nothing_found_says_what_was_searched() -> None:
    searched = Searched(1_234, ("zebra", "crossing"), (), TimeWindow(until=ANSWER.searched.window.since))
    nothing = replace(ANSWER, quotes=(), evidence=(), total=0, searched=searched, near=("Zebedee",))
    for page in (answer_page(nothing), search_page(nothing)):
        assert plain_text(page) == (
            "Nothing found in 1,234 notes until 2026-01-01 for zebra, crossing.\nDid you mean Zebedee?\n"
        )


def test_what_is_only_near_in_meaning_is_called_so_first() -> None:
    near = replace(ANSWER, quotes=(), route="dense", notes=("words_not_found",), near=("Zebedee", "Zeno"))
    for page in (answer_page(near), search_page(near)):
        assert plain_text(page).startswith(
            "No note has these words; these are near in meaning.\nDid you mean Zebedee or Zeno?\n\n[1] [[Plan"
        )


def test_properties_stand_in_for_an_empty_body_dimmed() -> None:
    evidence = ANSWER.evidence[0]
    bare = replace(
        evidence,
        hit=replace(evidence.hit, content=""),
        snippet=Snippet("rating: 7 · year: 1982", beside=True),
    )
    answer = replace(ANSWER, quotes=(), evidence=(bare,))
    for page in (answer_page(answer), search_page(answer)):
        assert Piece("rating: 7 · year: 1982", "dim") in page


def test_filters_that_leave_nothing_are_named() -> None:
    barred = (("tag", "books"), ("folder", "A"), ("kind", "turn"), ("source", "notes:A"), ("all", "tag `a`"))
    searched = replace(ANSWER.searched, notes=0, barred=barred)
    nothing = replace(ANSWER, quotes=(), evidence=(), total=0, searched=searched, near=("Zebedee",))
    assert plain_text(answer_page(nothing)).splitlines() == [
        "No note has the tag `books`.",
        "No note lies in the folder `A`.",
        "No note is of the kind `turn`.",
        "No note is of the source `notes:A`. `vaultkeeper sources` lists those that there are.",
        "No note passes all of these filters: tag `a`.",
    ]
