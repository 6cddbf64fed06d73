"""Owners of leaves and nodes: settled for what a sync touched, as if everything had been settled."""

from __future__ import annotations

import re
import shutil
import tempfile
from datetime import UTC, datetime
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


def linking(number: int, level: int, links: list[str]) -> str:
    """The note of a node that names its children by links only."""
    listed = "".join(f'\n  - "{link}"' for link in links) or " []"
    text = summary(number, level, [])
    return text.replace("child_ids: []", f"children:{listed}")


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


def children(bench: Bench, number: int, level: int) -> list[object]:
    sql = (
        "SELECT coalesce(n.path, k.child_id) FROM children AS k JOIN nodes AS x ON x.note_pk = k.note_pk "
        "LEFT JOIN chunks AS c ON c.chunk_id = k.child_id LEFT JOIN notes AS n ON n.note_pk = c.note_pk "
        "WHERE x.path = ? ORDER BY k.ord"
    )
    return [row[0] for row in bench.rows(sql, path_of(number, level))]


def test_links_lead_to_children_as_in_obsidian_and_follow_what_comes_and_goes(bench: Bench) -> None:
    bench.write("Projects/A.md", "What is said of tides.\n\n# Work\nThe work on gauges.\n")
    bench.write("Projects/deep/B.md", "What is said of honey.")
    bench.write(
        path_of(1, 1), linking(1, 1, ["[[B|the second]]", "[[A#Work]]", "[[Projects/A]]", "[[Nowhere]]"])
    )
    bench.write(path_of(2, 2), linking(2, 2, [f"[[{id_of(1, 1).replace(':', '-')}]]"]))
    bench.sync()
    assert children(bench, 1, 1) == ["Projects/deep/B.md", "Projects/A.md", "Projects/A.md"]
    assert children(bench, 2, 2) == [id_of(1, 1)]
    assert owner(bench, "Projects/deep/B.md") == (id_of(1, 1), 0)
    bench.assert_like_new()
    bench.move("Projects/deep/B.md", "Projects/Other.md")
    bench.write("Projects/Nowhere.md", "It is somewhere now.")
    bench.sync()
    assert children(bench, 1, 1) == ["Projects/A.md", "Projects/A.md", "Projects/Nowhere.md"]
    bench.assert_like_new()
    (bench.root / "Projects/A.md").unlink()
    bench.sync()
    assert children(bench, 1, 1) == ["Projects/Nowhere.md"]
    bench.assert_like_new()


def changed(bench: Bench) -> list[object]:
    return [row[0] for row in bench.rows("SELECT path FROM nodes WHERE changed ORDER BY path")]


def test_a_node_is_changed_when_a_leaf_went_moved_or_is_listed_twice(bench: Bench) -> None:
    import os

    head = "---\nid: fixed\n---\n"
    bench.write("Projects/A.md", head + "The boiler of the flat was repaired by Femke on Tuesday, at last.")
    os.utime(bench.root / "Projects/A.md", (10**9, 10**9))
    bench.sync()
    [leaf] = chunk_ids(bench, "Projects/A.md")
    day = "2001-09-09T01:46:40Z"
    bench.write(path_of(1, 1), summary(1, 1, [leaf], start=day, end=day))
    bench.sync()
    assert changed(bench) == []
    os.utime(bench.root / "Projects/A.md", (10**9 + 60, 10**9 + 60))
    bench.sync()
    assert changed(bench) == [path_of(1, 1)]
    bench.assert_like_new()
    os.utime(bench.root / "Projects/A.md", (10**9, 10**9))
    bench.write(path_of(2, 1), summary(2, 1, [leaf], start=day, end=day))
    bench.sync()
    assert changed(bench) == [path_of(1, 1), path_of(2, 1)]
    (bench.root / path_of(2, 1)).unlink()
    bench.sync()
    assert changed(bench) == []
    bench.move("Projects/A.md", "Elsewhere/A.md")
    bench.sync()
    assert changed(bench) == [path_of(1, 1)]
    assert owner(bench, "Elsewhere/A.md") == (None, 0)
    bench.assert_like_new()


def test_a_node_is_changed_when_its_document_has_a_newer_version(bench: Bench) -> None:
    def ingest(version: int) -> None:
        bench.write(
            "sources/document/report/a.md",
            f"---\nid: report\nversion_ms: {version}\n---\nWhat the report said.",
        )

    ingest(1)
    bench.sync()
    [leaf] = chunk_ids(bench, "sources/document/report/a.md")
    [(start,)] = bench.rows("SELECT start_ms FROM leaves")
    node = summary(1, 1, [leaf], doc_id="report", version=1).replace(SCOPE, "document:report")
    day = datetime.fromtimestamp(int(str(start)) / 1000, UTC).isoformat(timespec="milliseconds")
    bench.write(path_of(1, 1), re.sub(r"(time_range_\w+): .*", rf"\1: {day}", node))
    bench.sync()
    before = changed(bench)
    ingest(2)
    bench.sync()
    assert before == []
    assert changed(bench) == [path_of(1, 1)]
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
        number=st.integers(0, 3),
        text=st.sampled_from(["tides of the sea", "ok", "femke@example.org called", "# Part\nof it"]),
        head=st.sampled_from(["", "---\nid: d1\nversion_ms: 2\n---\n", "---\nid: same\n---\n"]),
    )
    def write(self, number: int, text: str, head: str) -> None:
        self.bench.write(f"Projects/{number}.md", f"{head}{text} {number}")

    @rule(number=st.integers(0, 1), version=st.integers(1, 3), gone=st.booleans())
    def ingest(self, number: int, version: int, gone: bool) -> None:
        head = f"---\nid: d{number}\nversion_ms: {version}\n{'superseded: true' if gone else 'x: y'}\n---\n"
        self.bench.write(f"sources/document/r/{number}.md", f"{head}What the report says of it")

    @rule(number=st.integers(0, 3))
    def remove(self, number: int) -> None:
        (self.bench.root / f"Projects/{number}.md").unlink(missing_ok=True)

    @rule(
        number=st.integers(0, 3),
        level=st.sampled_from([1, 2, 3]),
        picks=st.lists(st.integers(0, 30), max_size=4),
        doc=st.sampled_from(["", "", "d0", "d1"]),
        version=st.integers(1, 3),
        more=st.sampled_from(["", "", "superseded: true\n", "stale: true\n"]),
        scope=st.sampled_from([SCOPE, SCOPE, "document:r"]),
    )
    def seal(
        self, number: int, level: int, picks: list[int], doc: str, version: int, more: str, scope: str
    ) -> None:
        known = [
            str(row[0]) for row in self.bench.rows("SELECT chunk_id FROM chunks ORDER BY chunk_id")
        ] + self.ids
        children = [known[pick % len(known)] for pick in picks]
        text = summary(number, level, children, doc_id=doc, version=version, more=more)
        self.bench.write(path_of(number, level), text.replace(SCOPE, scope))

    @rule(
        number=st.integers(0, 3),
        level=st.sampled_from([1, 2, 3]),
        links=st.lists(st.sampled_from(["0", "1", "2", "Projects/3", "1#Part", "gone"]), max_size=3),
        below=st.booleans(),
    )
    def link(self, number: int, level: int, links: list[str], below: bool) -> None:
        targets = [f"[[{link}]]" for link in links]
        targets += [f"[[{id_of(number, level - 1).replace(':', '-')}]]"] if below and level > 1 else []
        self.bench.write(path_of(number, level), linking(number, level, targets))

    @rule(number=st.integers(0, 3), to=st.sampled_from(["Projects/deep", "Other", "Projects"]))
    def move(self, number: int, to: str) -> None:
        if (self.bench.root / f"Projects/{number}.md").exists():
            self.bench.move(f"Projects/{number}.md", f"{to}/{number}.md")

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
