"""Owners of leaves and nodes: settled for what a sync touched, as if everything had been settled."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from tests.index.vaults import Bench

SCOPE = "notes:Projects"


def summary(
    number: int,
    level: int,
    children: list[str],
    *,
    start: str = "2026-01-01T00:00:00Z",
    end: str = "2026-01-31T00:00:00Z",
    doc_id: str = "",
    version: int = 0,
    more: str = "",
) -> str:
    """The note of a node, as the tree writes it."""
    listed = "".join(f"\n  - {child}" for child in children) or " []"
    document = f"doc_id: {doc_id}\nversion_ms: {version}\n" if doc_id else ""
    return (
        f"---\nid: summary:{number:013d}:L{level}-{number:08x}\nkind: summary\ntree_kind: source\n"
        f"tree_id: source:t1\ntree_scope: {SCOPE}\nlevel: {level}\nchild_ids:{listed}\n"
        f"time_range_start: {start}\ntime_range_end: {end}\nscore: 0.5\n{document}{more}---\n"
        f"# Node {number}\n\n- Something happened in {number}.\n"
    )


def path_of(number: int, level: int) -> str:
    return f"wiki/summaries/source-notes-projects/L{level}/summary-{number:013d}-L{level}-{number:08x}.md"


def id_of(number: int, level: int) -> str:
    return f"summary:{number:013d}:L{level}-{number:08x}"


def chunk_ids(bench: Bench, path: str) -> list[str]:
    return [
        str(row[0])
        for row in bench.rows("SELECT chunk_id FROM chunks JOIN notes USING(note_pk) WHERE path = ?", path)
    ]


def owner(bench: Bench, path: str) -> object:
    sql = (
        "SELECT p.node_id, l.suppressed FROM leaves AS l JOIN chunks USING(chunk_pk) JOIN notes AS n USING(note_pk) "
        "LEFT JOIN nodes AS p ON p.note_pk = l.parent_pk WHERE n.path = ?"
    )
    [row] = bench.rows(sql, path)
    return row


def test_a_summary_owns_its_leaves_and_lets_go_of_them(bench: Bench) -> None:
    bench.write("Projects/A.md", "The boiler of the flat was repaired by Femke on Tuesday, at last.")
    bench.sync()
    assert owner(bench, "Projects/A.md") == (None, 0)
    [leaf] = chunk_ids(bench, "Projects/A.md")
    bench.write(path_of(1, 1), summary(1, 1, [leaf]))
    bench.write(path_of(2, 2), summary(2, 2, [id_of(1, 1)]))
    bench.sync()
    assert owner(bench, "Projects/A.md") == (id_of(1, 1), 0)
    assert bench.rows("SELECT from_ms < to_ms FROM nodes WHERE node_id = ?", id_of(1, 1)) == [(1,)]
    bench.assert_like_new()
    (bench.root / path_of(1, 1)).unlink()
    bench.sync()
    assert owner(bench, "Projects/A.md") == (None, 0)
    bench.assert_like_new()


def test_the_older_version_of_a_document_is_superseded_and_comes_back(bench: Bench) -> None:
    bench.write("Projects/Old.md", "What the first version of the report said about the tides of the year.")
    bench.write("Projects/New.md", "What the second version of the report said about the tides of the year.")
    bench.sync()
    [old], [new] = chunk_ids(bench, "Projects/Old.md"), chunk_ids(bench, "Projects/New.md")
    bench.write(path_of(1, 1), summary(1, 1, [old], doc_id="report", version=1))
    bench.sync()
    assert owner(bench, "Projects/Old.md") == (id_of(1, 1), 0)
    bench.write(path_of(2, 1), summary(2, 1, [new], doc_id="report", version=2))
    bench.sync()
    assert owner(bench, "Projects/Old.md") == (None, 1)
    assert owner(bench, "Projects/New.md") == (id_of(2, 1), 0)
    bench.assert_like_new()
    (bench.root / path_of(2, 1)).unlink()
    bench.sync()
    assert owner(bench, "Projects/Old.md") == (id_of(1, 1), 0)
    bench.assert_like_new()


def test_a_note_that_says_it_is_superseded_has_no_leaves(bench: Bench) -> None:
    bench.write("sources/document/report/a.md", "---\nsuperseded: true\n---\nWhat the old report said.")
    bench.sync()
    assert bench.rows("SELECT count(*) FROM leaves") == [(0,)]


def test_a_new_modification_time_moves_leaves_and_occurrences(bench: Bench) -> None:
    import os

    bench.write("Projects/A.md", "Written to femke@example.org about the boiler, and about the windows too.")
    bench.sync()
    os.utime(bench.root / "Projects/A.md", (10**9, 10**9))
    bench.sync()
    assert bench.rows("SELECT end_ms FROM leaves UNION SELECT end_ms FROM occurrences") == [(10**12,)]
    bench.assert_like_new()


class Trees(RuleBasedStateMachine):
    """Leaves and nodes come and go at random; after each sync the index must be like new."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="vk-nodes-"))
        self.bench = Bench(self.folder)
        self.ids = [id_of(number, level) for number in range(4) for level in (1, 2, 3)]

    def teardown(self) -> None:
        self.bench.db.close()
        shutil.rmtree(self.folder)

    @rule(
        number=st.integers(0, 3), text=st.sampled_from(["tides of the sea", "ok", "femke@example.org called"])
    )
    def write(self, number: int, text: str) -> None:
        self.bench.write(f"Projects/{number}.md", f"{text} {number}")

    @rule(number=st.integers(0, 3))
    def remove(self, number: int) -> None:
        (self.bench.root / f"Projects/{number}.md").unlink(missing_ok=True)

    @rule(
        number=st.integers(0, 3),
        level=st.sampled_from([1, 2, 3]),
        picks=st.lists(st.integers(0, 30), max_size=4),
        doc=st.sampled_from(["", "", "d1", "d2"]),
        version=st.integers(1, 3),
        more=st.sampled_from(["", "", "superseded: true\n", "stale: true\n"]),
    )
    def seal(self, number: int, level: int, picks: list[int], doc: str, version: int, more: str) -> None:
        known = [
            str(row[0]) for row in self.bench.rows("SELECT chunk_id FROM chunks ORDER BY chunk_id")
        ] + self.ids
        children = [known[pick % len(known)] for pick in picks]
        text = summary(number, level, children, doc_id=doc, version=version, more=more)
        self.bench.write(path_of(number, level), text)

    @rule(number=st.integers(0, 3), level=st.sampled_from([1, 2, 3]))
    def unseal(self, number: int, level: int) -> None:
        (self.bench.root / path_of(number, level)).unlink(missing_ok=True)

    @rule()
    def sync(self) -> None:
        self.bench.sync()
        self.bench.age()
        self.bench.assert_like_new()


TestTrees = Trees.TestCase
TestTrees.settings = settings(
    max_examples=25, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
)
