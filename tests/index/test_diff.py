from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.index.diff import diff, is_settled, pair_renames
from vaultkeeper.types import FileStat

stats = st.builds(FileStat, st.integers(0, 2), st.integers(0, 2), st.integers(1, 2), st.integers(0, 1))
states = st.dictionaries(st.sampled_from("abcdef"), stats)


@given(states, states)
def test_the_changes_lead_from_one_state_to_the_other(
    before: dict[str, FileStat], after: dict[str, FileStat]
) -> None:
    changes = diff(before, after)
    assert set(changes.added) == after.keys() - before.keys()
    assert set(changes.removed) == before.keys() - after.keys()
    assert set(changes.suspect) == {
        path for path in before.keys() & after.keys() if before[path] != after[path]
    }
    assert changes.unchanged == len(after) - len(changes.added) - len(changes.suspect)
    assert bool(changes) == (before != after)
    for paths in (changes.added, changes.suspect, changes.removed):
        assert paths == sorted(paths)


hashes = st.sampled_from([b"1", b"2", b"3"])


@given(
    st.dictionaries(st.sampled_from(["a", "x/a", "b", "c"]), hashes),
    st.dictionaries(st.sampled_from(["y/a", "d", "y/b", "z"]), hashes),
)
def test_a_rename_pairs_equal_content_once(removed: dict[str, bytes], added: dict[str, bytes]) -> None:
    pairs = pair_renames(removed, added.items())
    assert all(removed[old] == added[new] for old, new in pairs)
    assert len({old for old, _ in pairs}) == len({new for _, new in pairs}) == len(pairs)
    for content in (b"1", b"2", b"3"):
        most = min(list(removed.values()).count(content), list(added.values()).count(content))
        assert sum(added[new] == content for _, new in pairs) == most


def test_of_equal_contents_the_one_that_kept_its_name_moved() -> None:
    assert pair_renames({"a/x.md": b"1", "b/y.md": b"1"}, [("c/y.md", b"1")]) == [("b/y.md", "c/y.md")]


def test_a_stat_is_trusted_once_its_clock_has_ticked() -> None:
    second = 1_000_000_000
    assert not is_settled(FileStat(1, 0, 1, 5 * second + 7), 5 * second + 8)
    assert is_settled(FileStat(1, 0, 1, 5 * second + 7), 5 * second + 100_000_000)
    assert not is_settled(FileStat(1, 0, 1, 5 * second), 6 * second)
    assert is_settled(FileStat(1, 0, 1, 5 * second), 8 * second)
    assert is_settled(FileStat(1, 99 * second + 1, 1, 5 * second + 7), 6 * second)
