"""How good `ask` and `walk` are, beside plain FTS5 over the same texts in the same run.

    python benchmarks/quality.py --data DIR [--embedder static] [--questions N] [--json]

Reads what it knows of a folder, by prefix of the file name: `locomo_` (conversations with questions and the turns that
answer them), `2wiki_`, `musique`, `hotpot` (passages with questions and the passages that answer them). For each it
fills a real vault through the product (turns are captured, passages ingested as documents), syncs it, and puts every
question to `ask` and to `walk`, in the one default configuration.

- turn recall@k: mean over the questions of the share of their evidence turns among the first k hits
- session hit@k: share of the questions with some evidence session among the sessions of the first k hits
- recall@k on passages: mean of the share of gold passages among the first k hits
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from vaultkeeper.ask.params import AskParams
from vaultkeeper.config import Settings
from vaultkeeper.index.words import parse_words
from vaultkeeper.keeper import Keeper
from vaultkeeper.memory.capture import Exchange
from vaultkeeper.present.jsonform import answer_dict

FINDERS = ("ask", "walk", "fts5")
KS = (1, 5, 10)
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
PREFIXES = {"2wiki_": "2wiki", "musique": "musique", "hotpot": "hotpot"}


@dataclass
class Unit:
    """A text that can be found: a turn or a passage."""

    key: str
    title: str
    text: str


Fill = Callable[[Keeper, list[Unit]], dict[str, str]]
"""Puts the units into a vault; returns their keys by the paths of their notes."""


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

    @contextmanager
    def timed(self) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds.append(time.perf_counter() - began)

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


def conversation_units(conversation: dict[str, Any]) -> Iterator[Unit]:
    for session in conversation["sessions"]:
        for turn in session["turns"]:
            body = f"{turn['speaker']}: {turn['text']}"
            if turn.get("image_caption"):
                body += f"\n\n[image: {turn['image_caption']}]"
            yield Unit(turn["id"], "", body)


def capture_conversation(conversation: dict[str, Any], keeper: Keeper, units: list[Unit]) -> dict[str, str]:
    """Captures a conversation, a turn a turn; returns the keys by path. Turns are a second apart."""
    exchanges = []
    texts = iter(units)
    for session in conversation["sessions"]:
        began = datetime.strptime(session["date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        session_id = f"{conversation['id']}-{session['session']:02}"
        for seq, _ in enumerate(session["turns"]):
            at_ms = int(began.timestamp() * 1000) + 1000 * seq
            exchanges.append(Exchange(next(texts).text, session_id=session_id, at_ms=at_ms))
    captured = keeper.conversations.capture_all(exchanges)
    return {receipt.turns[0].path: unit.key for unit, receipt in zip(units, captured, strict=True)}


def passage_units(docs: list[dict[str, str]]) -> Iterator[Unit]:
    for number, doc in enumerate(docs):
        yield Unit(str(number), doc["title"], doc["text"])


def ingest_passages(keeper: Keeper, units: list[Unit]) -> dict[str, str]:
    """Ingests passages, each as a document of its own; returns the keys by path."""
    found = {}
    with keeper.writing():
        for unit in units:
            report = keeper.ingest.document(title=unit.title, body=unit.text, source_id=f"passage-{unit.key}")
            found[report.items[0].path] = unit.key
    return found


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
    units: list[Unit], questions: Iterable[Question], embedder: str, fill: Fill, scores: dict[str, Scores]
) -> None:
    """Builds the vault of these texts, and asks the questions of it."""
    plain = fts_finder(units)
    with tempfile.TemporaryDirectory(prefix="quality-") as folder:
        root = Path(folder) / "vault"
        root.mkdir()
        keeper = Keeper(
            root,
            Path(folder) / "index",
            Settings(embedder=embedder),
            clock=lambda: datetime.now(UTC),
            command="quality",
        )
        by_path = fill(keeper, units)
        keeper.sync_quietly()
        while keeper.embed_pending():
            pass
        for question in questions:
            with scores["ask"].timed():
                answer = answer_dict(keeper.ask(AskParams(question.text, limit=KS[-1])))
            paths = [hit["note_path"] for hit in answer["hits"]]
            scores["ask"].add(question, [by_path[path] for path in paths])
            with scores["walk"].timed():
                walked = keeper.modes.memory_tree({"mode": "walk", "query": question.text, "limit": KS[-1]})
            scores["walk"].add(question, [by_path[hit.note_path] for hit in walked.hits])
            scores["fts5"].add(question, plain(question.text, KS[-1]))
        keeper.close()


def measure_conversations(path: Path, embedder: str, most: int | None) -> dict[str, Any]:
    scores = {name: Scores() for name in FINDERS}
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
        measure(units, questions, embedder, partial(capture_conversation, conversation), scores)
    return {"questions": count} | {name: found.report(sessions=True) for name, found in scores.items()}


def measure_passages(path: Path, embedder: str, most: int | None) -> dict[str, Any]:
    scores = {name: Scores() for name in FINDERS}
    data = json.loads(path.read_text(encoding="utf-8"))
    questions = [
        Question(asked["question"], [str(number) for number in asked["gold"]], asked.get("type", ""))
        for asked in data["questions"][:most]
    ]
    measure(list(passage_units(data["docs"])), questions, embedder, ingest_passages, scores)
    return {"questions": len(questions)} | {
        name: found.report(sessions=False) for name, found in scores.items()
    }


def table(results: dict[str, Any]) -> Iterator[str]:
    """The figures that matter, one line a set."""
    yield f"{'set':<10}{'questions':>10}{'metric':>20}{'FTS5':>8}{'walk':>8}{'ask':>8}{'p50 ms':>9}{'p95 ms':>9}"
    for name, result in results["sets"].items():
        times = f"{result['ask']['p50_ms']:>9}{result['ask']['p95_ms']:>9}"
        for metric in result["ask"]:
            if metric.startswith(("recall@5", "recall@10", "session_hit@5")):
                figures = "".join(f"{result[finder][metric]:>8}" for finder in reversed(FINDERS))
                yield f"{name:<10}{result['questions']:>10}{metric:>20}{figures}{times}"
        for category in result["ask"].get("by_category", {}):
            figures = "".join(f"{result[finder]['by_category'][category]:>8}" for finder in reversed(FINDERS))
            yield f"{'':<20}{category:>20}{figures}"


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
