"""Whatever happens to the notes, a comparison says what two dicts say."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.history.repo import Told
from vaultkeeper.history.bookmarks import advance_all, advance_mark, read_mark
from vaultkeeper.history.compare import SourceChanges, compare
from vaultkeeper.history.snapshots import Snapshot

SOURCES = ("notes:a", "notes:ab", "notes:a/b", "笔记:x")
ITEMS = ("1.md", "2/3.md", "é.md", "id-4")

Edit = tuple[str, str, str]
TEXTS = ("", "one", "two\n", "three\n\nlines")
EDITS = st.lists(
    st.tuples(st.sampled_from(SOURCES), st.sampled_from(ITEMS), st.sampled_from(TEXTS)), max_size=5
)
LOOK = st.sampled_from((*SOURCES, "all", "peek"))


def plain(changes: SourceChanges) -> tuple[list[str], list[str], list[str], int]:
    added, modified, removed = (
        sorted(item.item for item in items) for items in (changes.added, changes.modified, changes.removed)
    )
    return added, modified, removed, changes.unchanged


def expected(old: dict[str, str], new: dict[str, str]) -> tuple[list[str], list[str], list[str], int]:
    modified = sorted(item for item in new if item in old and old[item] != new[item])
    added, removed = sorted(new.keys() - old.keys()), sorted(old.keys() - new.keys())
    return added, modified, removed, len(new) - len(added) - len(modified)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(EDITS, LOOK), min_size=1, max_size=6))
def test_a_look_shows_the_difference_to_the_look_before(steps: list[tuple[list[Edit], str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        told = Told(Path(folder) / "state")
        told.sources = {source: {} for source in SOURCES}
        read: dict[str, dict[str, str]] = {source: {} for source in SOURCES}
        for edits, look in steps:
            for source, name, text in edits:
                item = f"{source}/{name}"
                if text:
                    told.sources[source][item] = text
                else:
                    told.sources[source].pop(item, None)
            head = told.take()
            if head is None:
                continue
            for source in SOURCES:
                found = compare(told.repository, source, read_mark(told.repository, source), head)
                assert plain(found) == expected(read[source], told.sources[source])
            for source in looked_at(told, look, head):
                read[source] = dict(told.sources[source])
        told.repository.close()


def looked_at(told: Told, look: str, head: Snapshot) -> tuple[str, ...]:
    """Moves the marks of a look and returns the sources that it covers."""
    if look == "peek":
        return ()
    if look == "all":
        advance_all(told.repository, head)
        return SOURCES
    if not told.sources[look] and not head.names(look):
        return ()  # nothing to be seen, so there is nothing to mark
    advance_mark(told.repository, look, head)
    return (look,)
