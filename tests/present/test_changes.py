from __future__ import annotations

from vaultkeeper.history.bookmarks import Checkpoint
from vaultkeeper.history.compare import ItemChange, SourceChanges
from vaultkeeper.present.changes import (
    changes_json,
    changes_markdown,
    checkpoint_json,
    first_look_text,
    stamp,
)


def changed(**kinds: tuple[ItemChange, ...]) -> SourceChanges:
    empty: dict[str, tuple[ItemChange, ...]] = {"added": (), "modified": (), "removed": ()}
    return SourceChanges("notes:a", "notes", "a", None, "f" * 40, **{**empty, **kinds}, unchanged=3)


def item(path: str, title: str = "", diff: str | None = None) -> ItemChange:
    return ItemChange(path, path, title, diff)


def test_a_section_lists_each_kind_and_leaves_out_empty_ones() -> None:
    text = changes_markdown(
        (changed(added=(item("a/New.md", "New"),), removed=(item("a/Old.md", "Was here"),)),), 20
    )
    assert text == (
        "## a (1 added, 1 removed, 3 unchanged) · notes:a\n\n### Added\n\n- a/New.md\n\n### Removed\n\n- a/Old.md: Was here"
    )


def test_a_list_is_cut_and_says_so() -> None:
    many = tuple(item(f"a/{n}.md") for n in range(5))
    assert changes_markdown((changed(added=many),), 2).endswith("- a/0.md\n- a/1.md\n- … and 3 more")
    assert changes_markdown((changed(added=many),), None).endswith("- a/4.md")
    assert changes_markdown((changed(added=many),), 5).endswith("- a/4.md")


def test_a_diff_stands_in_a_fence_that_it_cannot_end() -> None:
    text = changes_markdown((changed(modified=(item("a.md", diff="+```\n+````"),)),), 20)
    assert "\n  `````diff\n  +```\n  +````\n  `````" in text


def test_json_has_a_diff_only_where_there_is_one() -> None:
    found = changes_json("read", (changed(modified=(item("a.md", "A", "+x"), item("b.md", "B"))),), True, ())
    assert found["sources"][0]["modified"] == [
        {"id": "a.md", "path": "a.md", "title": "A", "diff": "+x"},
        {"id": "b.md", "path": "b.md", "title": "B"},
    ]


def test_times_are_rfc_3339() -> None:
    assert stamp(1_700_000_000_000) == "2023-11-14T22:13:20Z"
    assert (
        checkpoint_json(Checkpoint("ckpt_x", "l", ("a",), 1_700_000_000_120))["created_at"]
        == "2023-11-14T22:13:20.120Z"
    )


def test_the_first_look_counts() -> None:
    sources = (changed(added=(item("a/New.md"),)), changed(added=(item("b.md"), item("c.md"))))
    seen = first_look_text(sources, [("a/New.md", 1_700_000_000_000)], True)
    assert seen.startswith(
        "This is the first look, so all 3 notes are new:\n\n      1  a  notes:a\n      2  a  notes:a\n"
    )
    assert "- 2023-11-14 a/New.md" in seen
    assert "They count as seen now" in seen
    assert "They do not count as seen yet" in first_look_text(sources, [], False)
