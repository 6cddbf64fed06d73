from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.vault.merge import Merged, merge_lines

LINES = st.lists(st.sampled_from(["a", "b", "c", "d", ""]), max_size=6)


def text(*lines: str, end: str = "\n") -> bytes:
    return "".join(line + end for line in lines).encode()


@pytest.mark.parametrize(
    ("base", "theirs", "ours", "merged"),
    [
        (text("a"), text("a", "t"), text("a", "o"), text("a", "t", "o")),
        (text("a", "[ ] b"), text("a", "[x] b"), text("a", "[ ] b", "o"), text("a", "[x] b", "o")),
        (text("a", "b"), text("b"), text("a", "b", "o"), text("b", "o")),
        (text("a", "b"), text("t", "a", "b"), text("a", "b", "o"), text("t", "a", "b", "o")),
        (b"", text("t"), text("o"), text("t", "o")),
        (b"a\nb", b"a\nb\nt", b"a\nb\no\n", text("a", "b", "t", "o")),
        (
            text("a", end="\r\n"),
            text("a", "t", end="\r\n"),
            text("a", "o", end="\r\n"),
            text("a", "t", "o", end="\r\n"),
        ),
    ],
)
def test_changes_of_both_are_in_the_text(base: bytes, theirs: bytes, ours: bytes, merged: bytes) -> None:
    assert merge_lines(base, theirs, ours) == Merged(merged, True)


def test_a_change_that_is_there_already_is_not_made_twice() -> None:
    assert merge_lines(text("a"), text("a", "t"), text("a", "o", "t")).data == text("a", "o", "t")
    assert merge_lines(text("[ ] a"), text("[x] a"), text("[x] a", "o")) == Merged(text("[x] a", "o"), True)


def test_when_both_changed_one_line_both_lines_stay_and_it_is_said() -> None:
    merged = merge_lines(text("a", "b"), text("a", "theirs"), text("a", "ours"))
    assert merged == Merged(text("a", "ours", "theirs"), False)


@given(LINES, LINES)
def test_a_change_of_one_side_only_is_that_side(base: list[str], changed: list[str]) -> None:
    assert merge_lines(text(*base), text(*changed), text(*base)) == Merged(text(*changed), True)
    assert merge_lines(text(*base), text(*base), text(*changed)) == Merged(text(*changed), True)


@given(LINES, st.lists(st.sampled_from("tuv"), max_size=3), st.lists(st.sampled_from("opq"), max_size=3))
def test_what_both_append_is_there(base: list[str], theirs: list[str], ours: list[str]) -> None:
    merged = merge_lines(text(*base), text(*base, *theirs), text(*base, *ours))
    lines = merged.data.decode().splitlines()
    assert merged.clean
    assert sorted(lines) == sorted([*base, *theirs, *ours])
    assert lines[: len(base)] == base
