from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.history.repo import Told
from vaultkeeper.errors import CrossSourceError
from vaultkeeper.history.compare import (
    MAX_DIFF_CHARS,
    TRUNCATED,
    compare,
    compare_snapshots,
    differing_sources,
    title_of,
    unified_diff,
)


def test_added_modified_removed_and_unchanged_are_told_apart(told: Told) -> None:
    told.sources = {"notes:a": {f"a/{n}.md": f"{n}\n" for n in "1234"}}
    before = told.taken()
    told.sources["notes:a"] = {"a/1.md": "1\n", "a/2.md": "2\n", "a/3.md": "three\n", "a/5.md": "5\n"}
    changes = compare(told.repository, "notes:a", before, told.taken())
    assert [change.path for change in changes.added] == ["a/5.md"]
    assert [change.path for change in changes.modified] == ["a/3.md"]
    assert [change.path for change in changes.removed] == ["a/4.md"]
    assert changes.unchanged == 2
    assert changes.unchanged == 4 - len(changes.added) - len(changes.modified)


def test_against_nothing_everything_is_added(told: Told) -> None:
    told.sources = {"notes:a": {"a/1.md": "1\n", "a/2.md": "2\n"}}
    changes = compare(told.repository, "notes:a", None, told.taken())
    assert len(changes.added) == 2
    assert (changes.before, changes.modified, changes.removed, changes.unchanged) == (None, (), (), 0)


def test_a_rename_is_one_removed_and_one_added(told: Told) -> None:
    told.sources = {"notes:a": {"a/old.md": "same\n"}}
    before = told.taken()
    told.sources = {"notes:a": {"a/new.md": "same\n"}}
    changes = compare(told.repository, "notes:a", before, told.taken())
    assert [change.path for change in changes.removed] == ["a/old.md"]
    assert [change.path for change in changes.added] == ["a/new.md"]
    assert changes.modified == ()


def test_text_is_compared_on_request_only_and_only_for_what_was_modified(told: Told) -> None:
    told.sources = {"notes:a": {"a/1.md": "one\ntwo\n", "a/2.md": "x\n"}}
    before = told.taken()
    told.sources = {"notes:a": {"a/1.md": "one\nthree\n", "a/3.md": "x\n"}}
    after = told.taken()
    silent = compare(told.repository, "notes:a", before, after)
    assert [change.diff for change in (*silent.modified, *silent.added, *silent.removed)] == [None] * 3
    asked = compare(told.repository, "notes:a", before, after, text_diff=True)
    assert [change.diff for change in (*asked.added, *asked.removed)] == [None, None]
    assert asked.modified[0].diff == "--- a/1.md\n+++ a/1.md\n@@ -1,2 +1,2 @@\n one\n-two\n+three"


def test_snapshots_of_different_sources_cannot_be_compared(told: Told) -> None:
    told.sources = {"notes:a": {"a/1.md": "1\n"}}
    first = told.taken()
    told.sources["notes:b"] = {"b/1.md": "1\n"}
    second = told.taken()
    with pytest.raises(CrossSourceError, match="knows nothing of the source notes:b"):
        compare_snapshots(told.repository, "notes:b", first, second)
    del told.sources["notes:b"]
    third = told.taken()
    assert len(compare_snapshots(told.repository, "notes:b", second, third).removed) == 1


def test_a_source_whose_name_begins_like_another_does_not_leak(told: Told) -> None:
    told.sources = {
        "notes:Pro": {"Pro/1.md": "1\n"},
        "notes:Projects": {"Projects/1.md": "1\n"},
        "notes:Pro/x": {"Pro/x/1.md": "1\n"},
    }
    before = told.taken()
    told.sources["notes:Projects"]["Projects/1.md"] = "2\n"
    told.sources["notes:Pro/x"]["Pro/x/1.md"] = "2\n"
    after = told.taken()
    assert differing_sources(told.repository, before, after) == ["notes:Pro/x", "notes:Projects"]
    changes = compare(told.repository, "notes:Pro", None, after)
    assert [change.path for change in changes.added] == ["Pro/1.md"]
    assert compare(told.repository, "notes:Pro", before, after).total == 0


def test_the_title_is_the_first_line_that_says_something() -> None:
    assert title_of("---\ntags: [x]\n---\n\n## The title ##\ntext") == "The title ##"
    assert title_of("\n  \n###\nBody\n") == "Body"
    assert title_of("") == title_of("---\na: b\n---\n") == ""
    assert len(title_of("x" * 500)) == 120
    assert title_of("x" * 120) == "x" * 120


def test_a_diff_is_cut_and_says_so() -> None:
    long = unified_diff("", "\n".join(f"line {n}" for n in range(1000)), "a.md")
    assert len(long) == MAX_DIFF_CHARS
    assert long.endswith(TRUNCATED)
    assert TRUNCATED not in unified_diff("a\n", "b\n", "a.md")


def test_a_line_end_at_the_end_is_a_change_too() -> None:
    assert unified_diff("a", "a\n", "a.md").endswith("\\ Only the line end at the end of the file changed.")


def test_hunks_say_where_they_stand() -> None:
    old = "".join(f"{n}\n" for n in range(1, 101))
    new = old.replace("50\n", "fifty\n").replace("90\n", "")
    assert unified_diff(old, new, "a.md").split("\n")[2:] == [
        "@@ -47,7 +47,7 @@", " 47", " 48", " 49", "-50", "+fifty", " 51", " 52", " 53",
        "@@ -87,7 +87,6 @@", " 87", " 88", " 89", "-90", " 91", " 92", " 93",
    ]  # fmt: skip


def test_huge_notes_are_compared_in_little_time() -> None:
    old = "".join(f"{n}\n" for n in range(100_000))
    new = "".join(f"{n * 7 % 100_003}\n" for n in range(100_000))
    began = time.monotonic()
    assert unified_diff(old, new, "a.md").endswith(TRUNCATED)
    assert "-50000" in unified_diff(old, old.replace("50000\n", "x\n"), "a.md")
    assert time.monotonic() - began < 5


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_a_diff_turns_one_text_into_the_other(old: list[str], new: list[str]) -> None:
    """Its hunks, applied to the old lines, give the new ones."""
    text = unified_diff("".join(f"{x}\n" for x in old), "".join(f"{x}\n" for x in new), "p")
    result, at = [], 0
    for line in text.split("\n")[2:]:
        if line.startswith("@@"):
            numbers = line.split(" ")[1][1:].split(",")
            start = int(numbers[0]) - (len(numbers) == 1 or numbers[1] != "0")
            result += old[at:start]
            at = start
        elif line[:1] in (" ", "-"):
            assert old[at] == line[1:]
            result += [line[1:]] * (line[0] == " ")
            at += 1
        elif line:
            result.append(line[1:])
    assert result + old[at:] == new
