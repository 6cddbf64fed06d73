"""How good retrieval is, beside plain FTS5 over the same texts in the same run.

    python benchmarks/quality.py --data DIR [--embedder static] [--questions N] [--json]

Reads what it knows of a folder, by prefix of the file name: `locomo_` (conversations with questions and the turns that
answer them), `2wiki_`, `musique`, `hotpot` (passages with questions and the passages that answer them). For each it
writes a real vault (a turn a note under `episodic/`, a passage a note under `sources/`), syncs it, and asks every
question through `ask`, in the one default configuration.

- turn recall@k: mean over the questions of the share of their evidence turns among the first k hits
- session hit@k: share of the questions with some evidence session among the sessions of the first k hits
- recall@k on passages: mean of the share of gold passages among the first k hits
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sqlite3
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from vaultkeeper.ask.corpus import AskParams
from vaultkeeper.config import Settings
from vaultkeeper.index.words import parse_words
from vaultkeeper.keeper import Keeper

KS = (1, 5, 10)
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
PREFIXES = {"2wiki_": "2wiki", "musique": "musique", "hotpot": "hotpot"}
_UNSAFE_ID = re.compile(r"[^\w-]")
_UNSAFE_NAME = re.compile(r'[\\/:*?"<>|#^\[\]\x00-\x1f]')


@dataclass
class Unit:
    """A text that can be found: a turn or a passage."""

    key: str
    path: str
    title: str
    text: str
    note: str


@dataclass
class Question:
    text: str
    gold: list[str]
    group: str = ""


@dataclass
class Scores:
    """Shares of gold keys among the first k, by k, and by group for the largest k."""

    recall: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    groups: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    sessions: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    seconds: list[float] = field(default_factory=list)

    def add(self, question: Question, found: list[str]) -> None:
        for k in KS:
            first = set(found[:k])
            share = sum(key in first for key in question.gold) / len(question.gold)
            self.recall[k].append(share)
            if k == KS[-1] and question.group:
                self.groups[question.group].append(share)
            sessions = {key.partition(":")[0] for key in found[:k]}
            hit = any(key.partition(":")[0] in sessions for key in question.gold)
            self.sessions[k].append(float(hit))

    def report(self, sessions: bool) -> dict[str, Any]:
        result: dict[str, Any] = {f"recall@{k}": _percent(values) for k, values in self.recall.items()}
        if sessions:
            result |= {f"session_hit@{k}": _percent(values) for k, values in self.sessions.items()}
        if self.groups:
            result["by_category"] = {group: _percent(self.groups[group]) for group in sorted(self.groups)}
        if self.seconds:
            ordered = sorted(self.seconds)
            result["p50_ms"] = round(1000 * median(ordered), 1)
            result["p95_ms"] = round(1000 * ordered[len(ordered) * 95 // 100], 1)
        return result


def _percent(values: list[float]) -> float:
    return round(100 * sum(values) / len(values), 1) if values else 0.0


def turn_note(session_id: str, seq: int, timestamp_ms: int, body: str) -> str:
    """A turn as `episodic/` holds it."""
    return (
        f"---\nsession_id: {json.dumps(session_id)}\nseq: {seq}\ntimestamp_ms: {timestamp_ms}\n"
        f'role: "user"\ncost_microdollars: 0\n---\n\n{body}\n'
    )


def session_dir(session_id: str) -> str:
    """The folder of a session: unsafe ids get a mark, so that two of them never share one."""
    safe = _UNSAFE_ID.sub("_", session_id)
    return safe if safe == session_id else f"{safe}-{hashlib.sha256(session_id.encode()).hexdigest()[:12]}"


def conversation_units(conversation: dict[str, Any]) -> Iterator[Unit]:
    for session in conversation["sessions"]:
        began = datetime.strptime(session["date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        session_id = f"{conversation['id']}-{session['session']:02}"
        for seq, turn in enumerate(session["turns"]):
            body = f"{turn['speaker']}: {turn['text']}"
            if turn.get("image_caption"):
                body += f"\n\n[image: {turn['image_caption']}]"
            path = f"episodic/{session_dir(session_id)}/{seq:06}.md"
            stamp = int(began.timestamp() * 1000) + 1000 * seq
            yield Unit(turn["id"], path, "", body, turn_note(session_id, seq, stamp, body))


def passage_units(docs: list[dict[str, str]]) -> Iterator[Unit]:
    for number, doc in enumerate(docs):
        name = _UNSAFE_NAME.sub(" ", doc["title"]).strip(" .")[:80] or "untitled"
        path = f"sources/document/{number:05}/{name}.md"
        aliases = (
            f"aliases: [{json.dumps(doc['title'], ensure_ascii=False)}]\n" if name != doc["title"] else ""
        )
        note = f'---\nsource_id: "passage-{number}"\n{aliases}---\n\n{doc["text"]}\n'
        yield Unit(str(number), path, doc["title"], doc["text"], note)


def fts_finder(units: list[Unit]) -> Callable[[str, int], list[str]]:
    """FTS5 alone: Porter stems, stop words out, words ORed, bm25."""
    db = sqlite3.connect(":memory:")
    db.execute(
        "CREATE VIRTUAL TABLE t USING fts5(title, body, tokenize='porter unicode61 remove_diacritics 2')"
    )
    db.executemany("INSERT INTO t VALUES (?, ?)", [(unit.title, unit.text) for unit in units])

    def find(question: str, k: int) -> list[str]:
        words = " OR ".join(f'"{term.text}"' for term in parse_words(question).terms)
        rows = (
            db.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank, rowid LIMIT ?", (words, k))
            if words
            else []
        )
        return [units[rowid - 1].key for (rowid,) in rows]

    return find


def measure(
    units: list[Unit], questions: Iterable[Question], embedder: str, ours: Scores, fts: Scores
) -> None:
    """Builds the vault of these texts, and asks the questions of it."""
    by_path = {unit.path: unit.key for unit in units}
    plain = fts_finder(units)
    with tempfile.TemporaryDirectory(prefix="quality-") as folder:
        root = Path(folder) / "vault"
        for unit in units:
            target = root / unit.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(unit.note, encoding="utf-8")
        keeper = Keeper(
            root,
            Path(folder) / "index",
            Settings(embedder=embedder),
            clock=lambda: datetime.now(UTC),
            command="quality",
        )
        keeper.sync_quietly()
        while keeper.embed_pending():
            pass
        for question in questions:
            began = time.perf_counter()
            answer = keeper.ask(AskParams(question.text, limit=KS[-1]))
            ours.seconds.append(time.perf_counter() - began)
            ours.add(question, [by_path[evidence.hit.note_path] for evidence in answer.evidence])
            fts.add(question, plain(question.text, KS[-1]))
        keeper.close()


def measure_conversations(path: Path, embedder: str, most: int | None) -> dict[str, Any]:
    ours, fts = Scores(), Scores()
    count = 0
    for conversation in json.loads(path.read_text(encoding="utf-8")):
        units = list(conversation_units(conversation))
        known = {unit.key for unit in units}
        questions = []
        for asked in conversation["questions"][:most]:
            gold = [key for key in asked["evidence"] if key in known]
            if gold:
                questions.append(Question(asked["question"], gold, CATEGORIES[asked["category"]]))
        count += len(questions)
        measure(units, questions, embedder, ours, fts)
    return {"questions": count, "ask": ours.report(sessions=True), "fts5": fts.report(sessions=True)}


def measure_passages(path: Path, embedder: str, most: int | None) -> dict[str, Any]:
    ours, fts = Scores(), Scores()
    data = json.loads(path.read_text(encoding="utf-8"))
    questions = [
        Question(asked["question"], [str(number) for number in asked["gold"]], asked.get("type", ""))
        for asked in data["questions"][:most]
    ]
    measure(list(passage_units(data["docs"])), questions, embedder, ours, fts)
    return {
        "questions": len(questions),
        "ask": ours.report(sessions=False),
        "fts5": fts.report(sessions=False),
    }


def table(results: dict[str, Any]) -> Iterator[str]:
    """The figures that matter, one line a set."""
    yield f"{'set':<12}{'questions':>10}{'metric':>20}{'FTS5':>8}{'ask':>8}{'p50 ms':>9}{'p95 ms':>9}"
    for name, result in results["sets"].items():
        times = f"{result['ask']['p50_ms']:>9}{result['ask']['p95_ms']:>9}"
        for metric, value in result["ask"].items():
            if metric.startswith(("recall@5", "recall@10", "session_hit@5")):
                yield f"{name:<12}{result['questions']:>10}{metric:>20}{result['fts5'][metric]:>8}{value:>8}{times}"
        for category, value in result["ask"].get("by_category", {}).items():
            yield f"{'':<22}{category:>20}{result['fts5']['by_category'][category]:>8}{value:>8}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with the files")
    parser.add_argument("--embedder", default="static", help="static, none, onnx:<folder> …")
    parser.add_argument("--questions", type=int, help="only so many of each conversation or file")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results: dict[str, Any] = {"embedder": options.embedder, "sets": {}}
    for path in sorted(options.data.glob("*.json")):
        name = next((name for prefix, name in PREFIXES.items() if path.name.startswith(prefix)), None)
        if path.name.startswith("locomo_"):
            results["sets"]["locomo"] = measure_conversations(path, options.embedder, options.questions)
        elif name:
            results["sets"][name] = measure_passages(path, options.embedder, options.questions)
    if options.json:
        print(json.dumps(results, indent=2))
    else:
        print("\n".join(table(results)))


if __name__ == "__main__":
    main()
