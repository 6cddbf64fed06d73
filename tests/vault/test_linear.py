"""Reading takes time in proportion to the length of a note, whatever stands in it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import FrameType

import pytest

from vaultkeeper.vault.note import parse_note

# Each is a piece that is repeated, with what stands before and behind all of it.
PATTERNS = {
    "open brackets": ("", "[", ""),
    "closed brackets": ("", "]", ""),
    "open wikilinks": ("", "[[a ", ""),
    "open wikilinks with labels": ("", "[[a|", ""),
    "links in links": ("", "[a", "](b)"),
    "images in images": ("![" * 4000, "](a)", ""),
    "open destinations": ("", "[a](b", ""),
    "open titles": ("", '[a](b "', ""),
    "backticks": ("", "` `` ", ""),
    "one long run of backticks": ("` ", "`", ""),
    "dollars": ("", "$a ", ""),
    "double dollars": ("", "a $$ ", ""),
    "lines of dollars": ("", "$$\n", ""),
    "comments": ("", "%%\n", ""),
    "html": ("", "<a b='", ""),
    "html comments": ("", "a <!-- ", ""),
    "open tags": ("", "<div x ", ""),
    "hashes": ("", "#", ""),
    "tags": ("", "#a", ""),
    "tags at emphasis": ("", "*#a _b ", ""),
    "emphasis": ("", "a**b", "*#x"),
    "quotes": ("", ">", "a"),
    "items": ("", "- ", "a"),
    "rule that is none": ("", "* ", "- x"),
    "blank lines in a deep list": ("- " * 4000 + "```\n", "\n", ""),
    "quoted lines": ("", "> [[a]] #b\n", ""),
    "lazy lines": ("> a\n", "b [[c]]\n", ""),
    "table": ("|a|\n|-|\n", "|[[b]]\n", ""),
    "wide table": ("", "|a", "\n|-|"),
    "definitions": ("", '[a]: b "\n', ""),
    "footnotes": ("", "[^a", "]"),
    "escapes": ("$a", "\\$", ""),
    "blanks": ("a", " ", "b"),
    "tabs": ("-", "\t", "b"),
    "carets": ("", "a ^b ", ""),
    "one long line": ("", "word [[a]] ", ""),
    "fences": ("", "```\n", ""),
    "open frontmatter": ("---\n", "a\n", ""),
    "frontmatter list": ("---\na: [", "b, ", "c]\n---\n"),
    "frontmatter brackets": ("---\na: ", "[", "\n---\n"),
    "frontmatter keys": ("---\na: ", "a: ", "\n---\n"),
    "frontmatter quotes": ("---\na: ", "'b'", "\n---\n"),
}


def seconds(pattern: tuple[str, str, str], times: int) -> float:
    before, piece, after = pattern
    data = (before + piece * times + after).encode()
    taken = []
    for _ in range(3):
        start = time.process_time()
        parse_note("Note.md", data)
        taken.append(time.process_time() - start)
    return min(taken)


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
def test_four_times_as_long_takes_about_four_times_as_long(pattern: tuple[str, str, str]) -> None:
    short = max(seconds(pattern, 3_000), 0.002)  # below this the clock says nothing
    assert seconds(pattern, 12_000) < 10 * short


def test_the_blanks_before_a_deep_item_are_looked_at_once() -> None:
    text = "".join(f"{'  ' * depth}- a\n" for depth in range(300))
    steps = 0

    def count(frame: FrameType, event: str, arg: object) -> Callable[..., object]:
        nonlocal steps
        steps += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        parse_note("Note.md", text.encode())
    finally:
        sys.settrace(before)
    assert steps < 20 * len(text)


def test_many_links_in_one_line() -> None:
    note = parse_note("Note.md", b"[[a]] [b](c.md) ![[d]] " * 5_000)
    assert len(note.links) == 15_000
    assert {link.line for link in note.links} == {1}
