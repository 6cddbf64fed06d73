"""BEHAVIOUR §13.3 and the minimality of §11; DESIGN §6.6."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.retrieval.woods import Woods, ms
from vaultkeeper.memory.nodes import format_ms
from vaultkeeper.retrieval.cover import share_out

TEXT = "What there is to say of the {} thing, at some length."


def write_leaves(woods: Woods, days: int, folder: str = "Projects") -> list[str]:
    """A leaf for each of the first days of January; returns their ids."""
    for day in range(1, days + 1):
        woods.note(f"{folder}/{day:02}.md", TEXT.format(f"{folder}{day}"), f"2026-01-{day:02}T12:00:00Z")
    woods.sync()
    return [woods.leaf(f"{folder}/{day:02}.md") for day in range(1, days + 1)]


def noon(day: int) -> str:
    return f"2026-01-{day:02}T12:00:00"


def cover(woods: Woods, first: str, last: str, **more: object) -> list[str]:
    return woods.ids("cover_window", since_ms=ms(first), until_ms=ms(last), **more)


def test_empty_eligible_set_covers_nothing_and_leaves_are_raw(woods: Woods) -> None:
    leaves = write_leaves(woods, 3)
    assert cover(woods, "2026-01-01", "2026-01-31") == leaves
    assert cover(woods, "2025-01-01", "2025-12-31") == []


def test_cover_window_emits_raw_chunks_when_no_tree(woods: Woods) -> None:
    leaves = write_leaves(woods, 3)
    [hit] = woods.hits("cover_window", since_ms=ms(noon(2)), until_ms=ms(noon(2)))
    assert (hit.node_id, hit.score, hit.node_kind) == (leaves[1], 0.0, "leaf")


def test_single_eligible_summary_covers_its_leaves(woods: Woods) -> None:
    leaves = write_leaves(woods, 3)
    node = woods.summary(1, leaves[:2], noon(1), noon(2))
    woods.sync()
    assert cover(woods, "2026-01-01", "2026-01-31") == [node, leaves[2]]


def test_boundaries_belong_to_the_window(woods: Woods) -> None:
    leaves = write_leaves(woods, 3)
    node = woods.summary(1, leaves, noon(1), noon(3))
    woods.sync()
    assert cover(woods, noon(1), noon(3)) == [node]
    later = ms(noon(3)) - 1
    assert woods.ids("cover_window", since_ms=ms(noon(1)), until_ms=later) == leaves[:2]


def test_parent_subsumes_child_only_parent_is_maximal(woods: Woods) -> None:
    leaves = write_leaves(woods, 4)
    a = woods.summary(1, leaves[:2], noon(1), noon(2), number=1)
    b = woods.summary(1, leaves[2:], noon(3), noon(4), number=2)
    parent = woods.summary(2, [a, b], noon(1), noon(4), number=3)
    woods.sync()
    assert cover(woods, "2026-01-01", "2026-01-31") == [parent]


def test_ineligible_parent_leaves_child_as_frontier(woods: Woods) -> None:
    leaves = write_leaves(woods, 4)
    a = woods.summary(1, leaves[:2], noon(1), noon(2), number=1)
    b = woods.summary(1, leaves[2:], noon(3), noon(4), number=2)
    woods.summary(2, [a, b], noon(1), noon(4), number=3)
    woods.sync()
    assert cover(woods, "2026-01-01", "2026-01-04") == [a, leaves[2]]


def test_sibling_frontier_nodes_each_emitted(woods: Woods) -> None:
    leaves = write_leaves(woods, 4)
    a = woods.summary(1, leaves[:2], noon(1), noon(2), number=1)
    b = woods.summary(1, leaves[2:], noon(3), noon(4), number=2)
    woods.sync()
    assert cover(woods, "2026-01-01", "2026-01-31") == [a, b]


def test_what_admission_drops_is_not_there(woods: Woods) -> None:
    woods.note("Projects/tiny.md", "ok", "2026-01-05T12:00:00Z")
    woods.note("Projects/named.md", "a@example.org", "2026-01-05T12:00:00Z")
    woods.sync()
    assert cover(woods, "2026-01-01", "2026-01-31") == [woods.leaf("Projects/named.md")]


def test_filter_superseded_doc_versions_keeps_newest_and_suppresses_old_chunks(woods: Woods) -> None:
    leaves = write_leaves(woods, 2)
    old = woods.summary(1, leaves[:1], noon(1), noon(1), number=1, doc_id="d", version_ms=1)
    new = woods.summary(1, leaves[1:], noon(2), noon(2), number=2, doc_id="d", version_ms=2)
    woods.sync()
    assert cover(woods, "2026-01-01", "2026-01-31") == [new]
    assert old not in woods.ids("query_source")


def test_filter_superseded_doc_versions_dedups_duplicate_winning_revision(woods: Woods) -> None:
    leaves = write_leaves(woods, 2)
    first = woods.summary(1, leaves, noon(1), noon(2), number=1, doc_id="d", version_ms=2)
    woods.summary(1, leaves, noon(1), noon(2), number=2, doc_id="d", version_ms=2)
    woods.sync()
    assert cover(woods, "2026-01-01", "2026-01-31") == [first]


def test_a_node_whose_children_are_all_gone_is_not_emitted(woods: Woods) -> None:
    leaves = write_leaves(woods, 1)
    woods.summary(1, leaves, noon(1), noon(1))
    woods.sync()
    (woods.bench.root / "Projects/01.md").unlink()
    woods.sync()
    assert cover(woods, "2026-01-01", "2026-01-31") == []


def test_an_edited_leaf_is_there_beside_its_stale_summary(woods: Woods) -> None:
    leaves = write_leaves(woods, 2)
    node = woods.summary(1, leaves, noon(1), noon(2), stale=True)
    woods.note("Projects/02.md", "It was edited since it was summarised, this thing.", "2026-01-02T12:00:00Z")
    woods.sync()
    response = woods.call("cover_window", since_ms=ms("2026-01-01"), until_ms=ms("2026-01-31"))
    assert [hit.node_id for hit in response.hits] == [node, woods.leaf("Projects/02.md")]
    assert "stale_summaries" in response.notes


def session(woods: Woods, name: str, days: list[int]) -> list[str]:
    paths = [f"episodic/{name}/{at:06}.md" for at in range(len(days))]
    for path, day in zip(paths, days, strict=True):
        woods.note(path, TEXT.format(path), f"2026-01-{day:02}T12:00:00Z")
    woods.sync()
    return [woods.leaf(path) for path in paths]


def test_restrict_drops_summaries_spanning_out_of_filter_chunks_and_descends(woods: Woods) -> None:
    one, two = session(woods, "s1", [1, 2, 3]), session(woods, "s2", [4, 5])
    scope = "conversations:agent"
    own = woods.summary(1, one[:2], noon(1), noon(2), number=1, scope=scope)
    mixed = woods.summary(1, [one[2], *two], noon(3), noon(5), number=2, scope=scope)
    top = woods.summary(2, [own, mixed], noon(1), noon(5), number=3, scope=scope)
    woods.sync()
    assert cover(woods, "2026-01-01", "2026-01-31") == [top]
    assert cover(woods, "2026-01-01", "2026-01-31", source_id="episodic:s1") == [own, one[2]]
    assert cover(woods, "2026-01-01", "2026-01-31", source_id="episodic:s2") == two
    assert cover(woods, "2026-01-01", "2026-01-31", source_id=scope) == [top]


def test_source_kind_alone_restricts(woods: Woods) -> None:
    write_leaves(woods, 2)
    chat = session(woods, "s1", [1])
    assert cover(woods, "2026-01-01", "2026-01-31", source_kind="chat") == chat
    assert cover(woods, "2026-01-01", "2026-01-31", source_kind="email") == []


def test_sorted_by_scope_then_time(woods: Woods) -> None:
    write_leaves(woods, 3, "Alpha")
    write_leaves(woods, 3, "Beta")
    hits = woods.hits("cover_window", since_ms=ms("2026-01-01"), until_ms=ms("2026-01-31"))
    order = [(hit.tree_scope, hit.time_range_start) for hit in hits]
    assert order == sorted(order)
    assert len(order) == 6


def test_truncation_serves_sources_in_turn_and_says_what_is_left_out(woods: Woods) -> None:
    write_leaves(woods, 9, "Alpha")
    write_leaves(woods, 2, "Beta")
    write_leaves(woods, 5, "Zeta")
    response = woods.call("cover_window", since_ms=ms("2026-01-01"), until_ms=ms("2026-01-31"), limit=7)
    scopes = [hit.tree_scope for hit in response.hits]
    assert [scopes.count(f"notes:{name}") for name in ("Alpha", "Beta", "Zeta")] == [3, 2, 2]
    assert (response.total, response.truncated) == (16, True)
    assert response.notes == ("omitted:notes:Alpha=6", "omitted:notes:Zeta=3")
    assert [hit.note_path for hit in response.hits[:3]] == ["Alpha/01.md", "Alpha/02.md", "Alpha/03.md"]


def test_scoped_cover_filters_memory_sources_before_result_limit(woods: Woods) -> None:
    for number in range(9):
        woods.note(f"sources/chat/a{number}/1.md", TEXT.format(number), "2026-01-01T12:00:00Z")
    leaves = write_leaves(woods, 2)
    woods.sources = frozenset()
    response = woods.call("cover_window", since_ms=ms("2026-01-01"), until_ms=ms("2026-01-31"), limit=2)
    assert [hit.node_id for hit in response.hits] == leaves
    assert response.total == 2


def test_cover_does_not_starve_a_later_source_behind_many_leaves(woods: Woods) -> None:
    woods.bench.write(
        "Alpha/all.md",
        "---\ndate: 2026-01-01\n---\n" + "".join(f"## {n}\n{TEXT.format(n)}\n" for n in range(6000)),
    )
    last = write_leaves(woods, 1, "Zeta")
    response = woods.call("cover_window", since_ms=ms("2026-01-01"), until_ms=ms("2026-01-31"), limit=10)
    assert last[0] in [hit.node_id for hit in response.hits]
    assert response.total == 6001


def test_ties_are_broken_by_chunk_id_whatever_the_order_of_writing(tmp_path: Path) -> None:
    answers = []
    for at, order in enumerate((range(30), reversed(range(30)))):
        woods = Woods(tmp_path / str(at))
        for number in order:
            woods.note(f"Projects/{number}.md", TEXT.format(number), "2026-01-01T12:00:00Z")
            if number % 7 == 0:
                woods.sync()
        woods.sync()
        answers.append(woods.call("cover_window", since_ms=0, until_ms=10**13, limit=11))
        woods.bench.db.close()
    assert answers[0] == answers[1]


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 50), max_size=8), st.integers(0, 120))
def test_share_out_is_fair_and_complete(counts: dict[str, int], limit: int) -> None:
    shares = share_out(counts, limit)
    assert sum(shares.values()) == min(limit, sum(counts.values()))
    assert all(0 < share <= counts[name] for name, share in shares.items())
    hungry = [shares.get(name, 0) for name, count in counts.items() if count > shares.get(name, 0)]
    assert not hungry or max(shares.values(), default=0) - min(hungry) <= 1


# Minimality. A random forest over days; windows at random.

DAYS = 24


@st.composite
def forests(draw: st.DrawFn) -> list[list[tuple[int, int]]]:
    """Levels of a tree: each is a partition, into runs, of some of the runs below; leaves are days."""
    levels: list[list[tuple[int, int]]] = []
    below = [(day, day) for day in range(1, DAYS + 1)]
    for _ in range(draw(st.integers(0, 3))):
        runs: list[tuple[int, int]] = []
        at = 0
        while at < len(below):
            size = draw(st.integers(1, 4))
            if draw(st.booleans()) or at + size > len(below):
                runs.append((at, min(at + size, len(below)) - 1))
            at += size
        if not runs:
            break
        levels.append(runs)
        below = runs
    return levels


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    forest=forests(),
    windows=st.lists(st.tuples(st.integers(0, DAYS + 1), st.integers(0, DAYS)), min_size=3, max_size=6),
)
def test_the_cover_of_any_window_is_exact_and_minimal(
    tmp_path_factory: pytest.TempPathFactory,
    forest: list[list[tuple[int, int]]],
    windows: list[tuple[int, int]],
) -> None:
    woods = Woods(tmp_path_factory.mktemp("forest"))
    leaves = write_leaves(woods, DAYS)
    below: dict[str, frozenset[str]] = {leaf: frozenset({leaf}) for leaf in leaves}
    span: dict[str, tuple[int, int]] = {
        leaf: (ms(noon(day)), ms(noon(day))) for day, leaf in enumerate(leaves, 1)
    }
    children: dict[str, list[str]] = {}
    current = leaves
    number = itertools.count(1)
    for level, runs in enumerate(forest, 1):
        made = []
        for first, last in runs:
            parts = current[first : last + 1]
            start, end = min(span[part][0] for part in parts), max(span[part][1] for part in parts)
            begins, ends = format_ms(start)[:19], format_ms(end)[:19]
            node = woods.summary(level, parts, begins, ends, number=next(number))
            below[node] = frozenset().union(*(below[part] for part in parts))
            span[node], children[node] = (start, end), parts
            made.append(node)
        current = made
    woods.sync()
    for first, length in windows:
        since, until = (
            ms("2026-01-01") + (first - 1) * 86_400_000,
            ms("2026-01-01") + (first + length) * 86_400_000,
        )
        emitted = woods.ids("cover_window", since_ms=since, until_ms=until)
        wanted = {leaf for leaf in leaves if since <= span[leaf][0] <= until}
        covered = list(itertools.chain.from_iterable(below[one] for one in emitted))
        assert sorted(covered) == sorted(wanted), "everything in the window is covered exactly once"
        eligible = {node for node in children if since <= span[node][0] and span[node][1] <= until}
        assert {one for one in emitted if one in children} <= eligible
        for node in eligible:
            assert any(below[node] <= below[one] for one in emitted), (
                "it, or one above it, stands for its leaves"
            )
    woods.bench.db.close()
