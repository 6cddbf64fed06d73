"""Speed of the modes of `memory_tree` on a big vault, and of adding notes while it grows.

    python benchmarks/tree.py [--leaves 100000] [--queries 300] [--no-growth] [--embedder none] [--json]

The vault is made from a seed: leaves are sections and turns over three years in 40 sources, with people, addresses and
hashtags of very different frequency; all but the newest are summarised in trees of three levels. It is written as
notes and taken in by the product's own sync; then each mode is called in one warm process with parameters drawn from
the same seed, and the table shows p50 and p95 in milliseconds beside the targets. Growth: single notes are added
through `sync(paths=…)` to indexes of 1,000, 10,000 and 50,000 notes, most of them in the same source, and the cost of
one is compared, of the sync alone and of tending after it, seals among it.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from vaultkeeper.config import Settings
from vaultkeeper.keeper import Keeper
from vaultkeeper.memory.nodes import Attributed, SummaryNode, node_path, render_summary, tree_id_of
from vaultkeeper.retrieval.dispatch import memory_tree

NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)
FIRST = datetime(2023, 7, 1, tzinfo=UTC)
PER_NOTE, PER_SUMMARY, FANOUT = 10, 60, 10
TARGETS = {
    "walk": (15, 60),
    "search_entities": (None, 20),
    "drill_down": (None, 10),
    "cover_window": (None, 50),
    "query_source": (None, None),
    "fetch_leaves": (None, None),
}
WORDS = """tide gauge boiler honey bread river letter winter garden bicycle train window storage schema relay battery price bill
meeting decision plan report draft error signal noise filter sample paper book film music piano violin harbour bridge
flood pump valve sensor cable mast wind rain snow heat summer spring autumn market soup lentil onion pepper cheese""".split()
SYLLABLES = "ba be bi bo da de di do fa fe ka ke ki ko la le li lo ma me mi mo na ne no ra re ri ro sa se si so ta te ti to va ve".split()


def ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def people(count: int, rng: random.Random) -> list[str]:
    names: dict[str, None] = {}
    while len(names) < count:
        first, last = ("".join(rng.choices(SYLLABLES, k=rng.choice((2, 3)))).capitalize() for _ in range(2))
        names[f"{first} {last}"] = None
    return list(names)


def pick(items: list[str], rng: random.Random) -> str:
    """A few are named all the time, most hardly ever."""
    return items[min(int(rng.paretovariate(0.6)) - 1, len(items) - 1)]


def sentence(names: list[str], words: list[str], rng: random.Random) -> str:
    parts = rng.choices(words, k=rng.randint(6, 16))
    for _ in range(rng.choice((0, 1, 1, 2))):
        parts.insert(rng.randrange(len(parts)), pick(names, rng))
    if rng.random() < 0.08:
        parts.append(f"{pick(names, rng).replace(' ', '.').lower()}@example.org")
    if rng.random() < 0.08:
        parts.append(f"#{rng.choice(WORDS)}")
    return " ".join(parts).capitalize() + "."


def generate(root: Path, leaves: int, seed: int) -> list[str]:
    """Writes the leaves; returns the names of the people."""
    rng = random.Random(seed)
    names = people(400, rng)
    words = WORDS + ["".join(rng.choices(SYLLABLES, k=3)) for _ in range(3000)]
    for number, name in enumerate(names):
        path = root / f"entities/person/p{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"---\nid: person:p{number}\nkind: person\ndisplay_name: {name}\ndate: 2023-07-01\n---\n"
        )
    notes = leaves // PER_NOTE
    step = (NOW - FIRST) / max(1, notes)
    for number in range(notes):
        when = FIRST + step * number
        if number % 4 == 0:
            session = f"s{number // 40}"
            folder = root / f"episodic/{session}"
            folder.mkdir(parents=True, exist_ok=True)
            for turn in range(PER_NOTE):
                at = when + timedelta(seconds=turn)
                head = f"---\nsession: {session}\ntimestamp: {at.isoformat()}\nrole: user\n---\n"
                body = " ".join(sentence(names, words, rng) for _ in range(rng.randint(1, 3)))
                (folder / f"{number // 4 % 10 * PER_NOTE + turn:06}.md").write_text(f"{head}{body}\n")
            continue
        path = root / f"Folder {rng.randrange(39):02}/{when:%Y}/Note {number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        sections = "".join(
            f"## {pick(words, rng)} {section}\n{' '.join(sentence(names, words, rng) for _ in range(rng.randint(2, 5)))}\n\n"
            for section in range(PER_NOTE)
        )
        path.write_text(f"---\ndate: {when.isoformat()}\n---\n{sections}")
    return names


def seal(root: Path, keeper: Keeper, names: list[str], seed: int) -> int:
    """Writes trees over all but the newest leaves of each scope; returns the number of nodes."""
    rng = random.Random(seed)
    db = keeper._open_reader()
    assert db is not None
    rows = db.execute(
        "SELECT l.scope, c.chunk_id, l.start_ms, l.end_ms FROM leaves AS l JOIN chunks AS c USING(chunk_pk) "
        "JOIN notes AS n USING(note_pk) ORDER BY l.scope, l.start_ms, n.path, c.seq"
    ).fetchall()
    scopes: dict[str, list[tuple[str, int, int]]] = {}
    for scope, chunk_id, start, end in rows:
        scopes.setdefault(scope, []).append((chunk_id, start, end))
    written = 0
    for scope, items in scopes.items():
        below, level = items[: len(items) - PER_SUMMARY // 2], 0
        while len(below) > 1:
            level += 1
            size = PER_SUMMARY if level == 1 else FANOUT
            groups = [below[at : at + size] for at in range(0, len(below), size)]
            if level > 1:
                groups = [group for group in groups if len(group) == size]
            below = []
            for group in groups:
                start, end = min(item[1] for item in group), max(item[2] for item in group)
                written += 1
                node_id = f"summary:{end:013d}:L{level}-{written:08x}"
                ids = tuple(item[0] for item in group)
                node = SummaryNode(
                    node_id, tree_id_of(scope), "source", scope, level, ids, (), start, end, score=0.6, sealed_at="2026-06-30T00:00:00Z",
                )  # fmt: skip
                text = [Attributed(sentence(names, WORDS, rng), "[[x]]") for _ in range(4)]
                path = root / node_path(scope, level, node_id)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(render_summary(node, text, [], version="0"))
                below.append((node_id, start, end))
    return written


def calls(keeper: Keeper, names: list[str], queries: int, seed: int) -> dict[str, list[dict[str, Any]]]:
    rng = random.Random(seed)
    db = keeper._open_reader()
    assert db is not None
    nodes = [row[0] for row in db.execute("SELECT node_id FROM nodes ORDER BY node_id")]
    leaves = [row[0] for row in db.execute("SELECT chunk_id FROM chunks ORDER BY chunk_id LIMIT 5000")]
    scopes = [row[0] for row in db.execute("SELECT DISTINCT scope FROM leaves ORDER BY scope")]
    span = ms(NOW) - ms(FIRST)
    made: dict[str, list[dict[str, Any]]] = {name: [] for name in TARGETS}
    for _ in range(queries):
        a, b, c = (pick(names, rng) if rng.random() < 0.6 else rng.choice(names) for _ in range(3))
        words = " ".join(rng.choices(WORDS, k=2))
        question = rng.choice(
            [f"What did {a} and {b} say about the {words}?", f"{a}", f"{a} {words}", f"the {words}", f"{a}, {b} and {c}",
             f"What happened with {a} last month?", f"{words} in March 2025", f"{a} and {b} since January"]
        )  # fmt: skip
        made["walk"].append(
            {
                "query": question,
                **({"time_window_days": rng.choice((7, 90, 900))} if rng.random() < 0.15 else {}),
            }
        )
        made["search_entities"].append(
            {"query": rng.choice([a[:4], a, b.split()[1], "@example", "person:", "a", rng.choice(WORDS)])}
        )
        drill: dict[str, Any] = {"node_id": rng.choice(nodes), "max_depth": rng.choice((1, 1, 2))}
        made["drill_down"].append(drill | ({"query": words, "limit": 10} if rng.random() < 0.3 else {}))
        width = int(span * rng.choice((0.0003, 0.01, 0.1, 0.5, 1.0)))
        since = ms(FIRST) + rng.randrange(max(1, span - width + 1))
        made["cover_window"].append(
            {
                "since_ms": since,
                "until_ms": since + width,
                **({"source_id": rng.choice(scopes)} if rng.random() < 0.2 else {}),
            }
        )
        source: dict[str, Any] = {"source_id": rng.choice(scopes)} if rng.random() < 0.6 else {}
        made["query_source"].append(source | ({"query": words} if rng.random() < 0.5 else {}))
        made["fetch_leaves"].append({"chunk_ids": rng.sample(leaves, min(20, len(leaves)))})
    return made


def percentiles(seconds: list[float]) -> tuple[float, float]:
    ordered = sorted(seconds)
    return ordered[len(ordered) // 2] * 1000, ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))] * 1000


def measure(
    run: Callable[[dict[str, Any]], object], arguments: list[dict[str, Any]]
) -> tuple[list[float], list[float]]:
    """Wall and CPU seconds of each call, after some for warmth. On a busy machine only the CPU time tells."""
    for one in arguments[:10]:
        run(one)
    wall, cpu = [], []
    for one in arguments:
        begun, begun_cpu = time.perf_counter(), time.process_time()
        run(one)
        wall.append(time.perf_counter() - begun)
        cpu.append(time.process_time() - begun_cpu)
    return wall, cpu


def big(leaves: int, queries: int, embedder: str, seed: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="vaultkeeper-tree-") as folder:
        root = Path(folder, "vault")
        names = generate(root, leaves, seed)
        keeper = Keeper(root.resolve(), Path(folder, "index"), Settings(embedder=embedder), clock=lambda: NOW)
        begun = time.perf_counter()
        stats = keeper.sync()
        first_s = time.perf_counter() - begun
        nodes = seal(root, keeper, names, seed)
        begun = time.perf_counter()
        keeper.sync()
        second_s = time.perf_counter() - begun
        if embedder != "none":
            keeper.embed_pending()
        result: dict[str, Any] = {
            "leaves": stats.chunks, "nodes": nodes, "first_sync_s": round(first_s, 1), "sync_of_nodes_s": round(second_s, 1),
        }  # fmt: skip
        corpus = keeper._corpus()
        for mode, arguments in calls(keeper, names, queries, seed).items():
            routes: dict[str, int] = {}

            def run(one: dict[str, Any], mode: str = mode, routes: dict[str, int] = routes) -> None:
                answer = memory_tree(corpus, {"mode": mode, **one}, NOW)
                route = getattr(answer, "route", "")
                routes[route] = routes.get(route, 0) + 1

            wall, cpu = measure(run, arguments)
            (p50, p95), (cpu50, cpu95) = percentiles(wall), percentiles(cpu)
            result[mode] = {
                "p50_ms": round(p50, 2), "p95_ms": round(p95, 2), "cpu_p50_ms": round(cpu50, 2), "cpu_p95_ms": round(cpu95, 2),
                "routes": routes,
            }  # fmt: skip
        keeper.close()
        return result


def growth(sizes: list[int], seed: int) -> dict[str, dict[str, float]]:
    """CPU milliseconds that one added note costs, in vaults of several sizes that have trees.

    Returns:
        For each size the median of a sync, the median of a look for what is due, and the mean of both with the seals
        that were due.
    """
    result = {}
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="vaultkeeper-tree-") as folder:
            root = Path(folder, "vault")
            names = generate(root, size, seed)  # turns are notes, so about a third as many notes
            count = sum(1 for _ in root.rglob("*.md"))
            rng = random.Random(seed)
            for number in range(size - count):
                path = root / f"Small/{number % 100}/{number}.md"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"---\ndate: 2025-01-01\n---\n{sentence(names, WORDS, rng)}\n")
            keeper = Keeper(
                root.resolve(),
                Path(folder, "index"),
                Settings(embedder="none"),
                clock=lambda: datetime.now(UTC),
            )
            keeper.sync()
            seal(root, keeper, names, seed)
            keeper.sync()
            keeper.trees.tend(keeper.trees.due())
            keeper.sync()
            synced, tended = [], []
            with keeper.writing():
                for number in range(410):
                    path = root / f"Small/added/{number}.md"
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(" ".join(sentence(names, WORDS, rng) for _ in range(10)))
                    begun = time.process_time()
                    keeper.sync(paths=[f"Small/added/{number}.md"])
                    synced.append(time.process_time() - begun)
                    begun = time.process_time()
                    done = keeper.trees.tend(keeper.trees.due())
                    if done.paths:
                        keeper.sync(paths=done.paths)
                    tended.append(time.process_time() - begun)
            keeper.close()
            synced, tended = synced[10:], tended[10:]
            result[str(size)] = {
                "sync": round(statistics.median(synced) * 1000, 2),
                "due": round(statistics.median(tended) * 1000, 2),
                "all": round((statistics.mean(synced) + statistics.mean(tended)) * 1000, 2),
            }
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--leaves", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--embedder", default="none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-growth", action="store_true")
    parser.add_argument("--only-growth", action="store_true")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 50_000])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = (
        {} if options.only_growth else big(options.leaves, options.queries, options.embedder, options.seed)
    )
    if not options.no_growth:
        result["added_note_ms"] = growth(options.sizes, options.seed)
    if options.json:
        print(json.dumps(result, indent=2))
        return
    for key, value in result.items():
        if key in TARGETS:
            p50, p95 = TARGETS[key]
            targets = f"targets {p50 or '-'} / {p95 or '-'}"
            print(
                f"{key:16} p50 {value['p50_ms']:7.2f}   p95 {value['p95_ms']:7.2f}   cpu {value['cpu_p50_ms']:7.2f} {value['cpu_p95_ms']:7.2f}   {targets:20} {value['routes']}"
            )
        else:
            print(f"{key:16} {value}")


if __name__ == "__main__":
    main()
