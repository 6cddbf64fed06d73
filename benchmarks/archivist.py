"""Measures what the archivist understands: events in messages, secrets in texts.

    python benchmarks/archivist.py --events FILE --secrets FILE [--json]

Both files are JSON Lines: messages with `events` (`kind`, `quote`), texts with `secrets` (`class`, `value`). Without
`--json` a table is printed, with the plain phrase tables of BEHAVIOUR 3.1 beside the rules as the baseline.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))
from vaultkeeper.memory.events import extract_events
from vaultkeeper.memory.redact import redact

KINDS = ("decision", "commitment", "preference", "fact")
LONG_LINE = 40
"""A private key is caught when none of its lines of so many characters survives."""

PHRASES = {
    "decision": "let's go with|lets go with|i've decided|ive decided|i decided|we decided|we agreed|the decision "
    "is|going with|"
    "we'll use|well use|i'll use|chosen to|i choose|we choose",
    "commitment": "by friday|by monday|by tuesday|by wednesday|by thursday|by saturday|by sunday|by tomorrow|by next "
    "week|by end of|"
    "deadline is|due date|i will|i'll do|ill do|i promise|i commit|we need to finish|scheduled for|plan to|"
    "planning to",
    "preference": "i prefer|i like|i love|i hate|i dislike|i always|i never|my favorite|my favourite|i usually|i "
    "tend to|i'm used to|"
    "im used to",
    "fact": "i'm based in|im based in|i live in|i work at|i work for|my name is|i'm a|im a|i am a|my role is|"
    "i've been|ive been|"
    "i have been|i'm from|im from|my timezone|my time zone",
}


class Span(NamedTuple):
    """An event as a place in its message."""

    kind: str
    start: int
    end: int


def rules(text: str) -> list[Span]:
    return [Span(event.kind, event.start, event.end) for event in extract_events(text)]


def phrase_tables(text: str) -> list[Span]:
    """The baseline: the phrases of BEHAVIOUR 3.1 as substrings of sentences, one kind a sentence but for decisions."""
    found: list[Span] = []
    for sentence in re.finditer(r"[^.!?\n]+", text):
        words = sentence[0].strip()
        if len(words.encode()) <= 5:
            continue
        start = sentence.start() + sentence[0].index(words)
        for kind, phrases in PHRASES.items():
            taken = any(span.start == start for span in found)
            if any(phrase in words.lower() for phrase in phrases.split("|")) and (
                kind == "decision" or not taken
            ):
                found.append(Span(kind, start, start + len(words)))
    return found


class Score:
    """Counts of found, right and labelled events by kind."""

    def __init__(self) -> None:
        self.right: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self.labelled: Counter[str] = Counter()
        self.without_event = 0
        self.disturbed = 0

    def add(self, message: dict[str, Any], spans: list[Span]) -> None:
        """Adds a message: a span is right when it overlaps a label of its kind by half of the shorter; labels match once."""
        open_labels = [
            Span(e["kind"], at := message["text"].index(e["quote"]), at + len(e["quote"]))
            for e in message["events"]
        ]
        self.labelled.update(label.kind for label in open_labels)
        self.found.update(span.kind for span in spans)
        if not open_labels:
            self.without_event += 1
            self.disturbed += bool(spans)
        for span in spans:
            match = next((label for label in open_labels if _matches(span, label)), None)
            if match is not None:
                open_labels.remove(match)
                self.right[span.kind] += 1

    def table(self) -> dict[str, dict[str, float]]:
        return {kind: self._row(kind) for kind in KINDS}

    def macro_f1(self) -> float:
        return sum(row["f1"] for row in self.table().values()) / len(KINDS)

    def _row(self, kind: str) -> dict[str, float]:
        precision = self.right[kind] / self.found[kind] if self.found[kind] else 0.0
        recall = self.right[kind] / self.labelled[kind] if self.labelled[kind] else 0.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        return {"precision": round(precision, 4), "recall": round(recall, 4), "f1": round(f1, 4)}


def _matches(span: Span, label: Span) -> bool:
    overlap = min(span.end, label.end) - max(span.start, label.start)
    return span.kind == label.kind and overlap * 2 >= min(span.end - span.start, label.end - label.start)


def measure_events(messages: Iterable[dict[str, Any]], extract: Callable[[str], list[Span]]) -> Score:
    score = Score()
    for message in messages:
        score.add(message, extract(message["text"]))
    return score


def measure_secrets(samples: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Returns recall over all labelled values, the share of hard negatives left as they are, and recall by class."""
    labelled: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    clean = kept = 0
    for sample in samples:
        cleaned = redact(sample["text"]).text
        if not sample["secrets"]:
            clean += 1
            kept += cleaned == sample["text"]
        for secret in sample["secrets"]:
            labelled[secret["class"]] += 1
            caught[secret["class"]] += is_gone(secret, cleaned)
    return {
        "recall": round(caught.total() / labelled.total(), 4) if labelled else 0.0,
        "precision": round(kept / clean, 4) if clean else 0.0,
        "by_class": {kind: round(caught[kind] / labelled[kind], 4) for kind in sorted(labelled)},
    }


def is_gone(secret: dict[str, str], cleaned: str) -> bool:
    if secret["class"] != "private_key":
        return secret["value"] not in cleaned
    lines = (line.strip() for line in re.split(r"\\n|\n", secret["value"]))
    return not any(len(line) >= LONG_LINE and line in cleaned for line in lines)


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def print_events(messages: list[dict[str, Any]]) -> None:
    for language in (None, *sorted({message.get("lang", "?") for message in messages})):
        chosen = [m for m in messages if language is None or m.get("lang", "?") == language]
        ours, plain = measure_events(chosen, rules), measure_events(chosen, phrase_tables)
        print(
            f"events, {language or 'all'} ({len(chosen)} messages)     rules: P / R / F1          phrase "
            "tables: P / R / F1"
        )
        for kind in KINDS:
            left, right = ours.table()[kind], plain.table()[kind]
            print(
                f"  {kind:<12}"
                + "".join(
                    f"{row['precision']:>14.3f} {row['recall']:.3f} {row['f1']:.3f}" for row in (left, right)
                )
            )
        print(f"  {'macro F1':<12}{ours.macro_f1():>26.3f}{plain.macro_f1():>26.3f}")
        print(
            f"  event-free messages with an event: {ours.disturbed}/{ours.without_event}, baseline "
            f"{plain.disturbed}/{plain.without_event}"
        )


def print_secrets(result: dict[str, Any]) -> None:
    print(
        f"secrets: recall {result['recall']:.3f}, hard negatives left as they are {result['precision']:.3f}"
    )
    for kind, recall in result["by_class"].items():
        print(f"  {kind:<26}{recall:.3f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=Path, help="labelled messages, JSON Lines")
    parser.add_argument("--secrets", type=Path, help="labelled texts, JSON Lines")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.events is None and options.secrets is None:
        parser.error("name a file with --events, --secrets or both")
    messages = read_lines(options.events) if options.events else None
    samples = read_lines(options.secrets) if options.secrets else None
    if options.json:
        result: dict[str, Any] = {}
        if messages is not None:
            result["events"] = measure_events(messages, rules).table()
        if samples is not None:
            result["secrets"] = measure_secrets(samples)
        print(json.dumps(result))
        return 0
    if messages is not None:
        print_events(messages)
    if samples is not None:
        print_secrets(measure_secrets(samples))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
