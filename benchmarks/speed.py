"""Speed and memory of the main job, beside a floor measured in the same run.

    python benchmarks/speed.py [--notes 2000 --notes 10000] [--runs 5] [--json]

The floor is one process that reads every file, hashes it and inserts its raw text into an FTS5 table in one
transaction: what no full-text index of the vault can be cheaper than. Everything is measured on whole processes
(CPU seconds of the process and its threads, peak resident memory), on a vault that `vaults.generate` makes from a
seed, each step `--runs` times; the table shows medians.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from vaults import generate

FLOOR = """
import hashlib, os, sqlite3, sys
root, target = sys.argv[1:3]
db = sqlite3.connect(target, isolation_level=None)
db.execute("PRAGMA journal_mode=WAL")
db.execute("CREATE VIRTUAL TABLE notes USING fts5(path UNINDEXED, body, tokenize='porter unicode61 remove_diacritics 2')")
db.execute("CREATE TABLE hashes(path TEXT PRIMARY KEY, sha256 BLOB)")
db.execute("BEGIN")
for folder, folders, files in os.walk(root):
    folders[:] = [name for name in folders if not name.startswith(".")]
    for name in files:
        if name.endswith(".md"):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                data = file.read()
            db.execute("INSERT INTO hashes VALUES (?, ?)", (path, hashlib.sha256(data).digest()))
            db.execute("INSERT INTO notes VALUES (?, ?)", (path, data.decode("utf-8", "replace")))
db.execute("COMMIT")
"""
SAVES = 40
EDITS = 1000
IDLE_SECONDS = 60


def run(command: list[str], environment: dict[str, str]) -> tuple[float, float, float]:
    """Runs a process to its end; returns CPU seconds, wall seconds and peak resident MB."""
    started = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    talk = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{talk.decode()}")
    unit = 1 if sys.platform == "darwin" else 1024
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - started, usage.ru_maxrss * unit / 1e6


def vaultkeeper(vault: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "vaultkeeper", "--vault", str(vault), *words]


def environment(home: Path, embedder: str) -> dict[str, str]:
    """The environment of a measured process: an index of its own, nothing taken from the user's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VAULTKEEPER_")}
    source = str(Path(__file__).parents[1])
    return kept | {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "VAULTKEEPER_EMBEDDER": embedder,
        "VAULTKEEPER_INDEX_DIR": str(home / f"index-{embedder}"),
        "PYTHONPATH": os.pathsep.join([source, *filter(None, [kept.get("PYTHONPATH")])]),
    }


def medians(measured: list[tuple[float, float, float]]) -> dict[str, float]:
    cpu, wall, rss = (statistics.median(column) for column in zip(*measured, strict=True))
    return {"cpu_s": round(cpu, 3), "wall_s": round(wall, 3), "peak_mb": round(rss, 1)}


def measure_batch_jobs(vault: Path, home: Path, runs: int) -> dict[str, dict[str, float]]:
    """Floor, full syncs and the sync with nothing to do, interleaved so that a slow minute hurts all alike."""
    samples: dict[str, list[tuple[float, float, float]]] = {}
    for _ in range(runs):
        target = home / "floor.sqlite3"
        target.unlink(missing_ok=True)
        samples.setdefault("floor", []).append(
            run([sys.executable, "-c", FLOOR, str(vault), str(target)], dict(os.environ))
        )
        for embedder in ("none", "static"):
            variables = environment(home, embedder)
            shutil.rmtree(variables["VAULTKEEPER_INDEX_DIR"], ignore_errors=True)
            samples.setdefault(f"full sync, {embedder}", []).append(
                run(vaultkeeper(vault, "sync", "--json"), variables)
            )
            samples.setdefault(f"nothing changed, {embedder}", []).append(
                run(vaultkeeper(vault, "sync", "--json"), variables)
            )
    return {name: medians(values) for name, values in samples.items()}


@contextmanager
def watcher(vault: Path, variables: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        vaultkeeper(vault, "watch"), env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)


def watched(
    index_dir: Path, verb: str, params: dict[str, object], deadline_s: float = 60
) -> dict[str, object]:
    from vaultkeeper.watch.client import ask_server

    end = time.monotonic() + deadline_s
    while time.monotonic() < end:
        answer = ask_server(index_dir, verb, params, timeout=10)
        if answer is not None:
            return answer
        time.sleep(0.05)
    raise SystemExit("the watcher did not answer")


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int, field: str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024 / 1e6
    raise SystemExit(f"no {field} for process {pid}")


def measure_watcher(vault: Path, home: Path) -> dict[str, float]:
    """Save-to-search latency, resident memory and idle CPU of a real watcher (Linux only: reads /proc)."""
    variables = environment(home, "static")
    index_dir = Path(variables["VAULTKEEPER_INDEX_DIR"])
    notes = sorted(vault.rglob("*.md"))
    with watcher(vault, variables) as process:
        watched(index_dir, "sync", {})
        latencies = []
        for number in range(SAVES):
            note, token = notes[number * 7 % len(notes)], f"zq{number:04d}marker"
            text = note.read_bytes() + f"\nThe word {token} was saved.\n".encode()
            temporary = note.with_name(f".{note.name}.tmp")
            temporary.write_bytes(text)
            saved = time.perf_counter()
            temporary.replace(note)
            while not watched(index_dir, "search", {"query": token})["hits"]:
                time.sleep(0.005)
            latencies.append((time.perf_counter() - saved) * 1000)
        edit(notes, index_dir)  # caches fill up to their bounds
        before_mb = resident_mb(process.pid, "VmRSS")
        edit(notes, index_dir)
        after_mb = resident_mb(process.pid, "VmRSS")
        time.sleep(5)
        busy = cpu_seconds(process.pid)
        time.sleep(IDLE_SECONDS)
        idle = (cpu_seconds(process.pid) - busy) / IDLE_SECONDS * 100
        return {
            "save_to_search_p50_ms": round(statistics.median(latencies), 1),
            "save_to_search_p95_ms": round(statistics.quantiles(latencies, n=20)[18], 1),
            "watcher_peak_mb": round(resident_mb(process.pid, "VmHWM"), 1),
            "growth_in_1000_edits_mb": round(after_mb - before_mb, 1),
            "idle_percent_of_a_core": round(idle, 3),
        }


def edit(notes: list[Path], index_dir: Path) -> None:
    """Saves a thousand notes, and waits until the watcher has taken them in."""
    for number in range(EDITS):
        note = notes[number * 11 % len(notes)]
        note.write_bytes(note.read_bytes() + b"\nAnd one more line.\n")
        if number % 50 == 49:
            watched(index_dir, "sync", {})
    watched(index_dir, "sync", {})


def table(result: dict[str, dict[str, dict[str, float]]]) -> str:
    lines = ["notes  what                        CPU s   x floor   wall s   peak MB"]
    for notes, part in result.items():
        floor = part["floor"]["cpu_s"]
        for name, row in part.items():
            if name != "watcher":
                lines.append(
                    f"{notes:>5}  {name:<26} {row['cpu_s']:>6.2f}  {row['cpu_s'] / floor:>8.2f}  {row['wall_s']:>7.2f}  {row['peak_mb']:>8.0f}"
                )
        lines += [f"{notes:>5}  {name:<42} {value:>8}" for name, value in part.get("watcher", {}).items()]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--notes",
        type=int,
        action="append",
        help="size of a vault; may be given several times (2000 and 10000)",
    )
    parser.add_argument("--runs", type=int, default=5, help="how often each step runs (5)")
    parser.add_argument("--no-watcher", action="store_true", help="leave out the two minutes of the watcher")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    result: dict[str, dict[str, dict[str, float]]] = {}
    for notes in options.notes or [2000, 10000]:
        with tempfile.TemporaryDirectory(prefix="vaultkeeper-speed-") as folder:
            vault, home = Path(folder, "vault"), Path(folder, "home")
            home.mkdir()
            generate(vault, notes, seed=1)
            part = measure_batch_jobs(vault, home, options.runs)
            if not options.no_watcher and sys.platform == "linux":
                part["watcher"] = measure_watcher(vault, home)
            result[str(notes)] = part
    print(json.dumps(result, indent=1) if options.json else table(result))


if __name__ == "__main__":
    main()
