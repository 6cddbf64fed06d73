"""Events in Chinese sentences, simplified and traditional.

Owns the rules for Chinese clauses. A clause is what lies between commas; traditional characters are read as
their simplified twins, one for one, so that offsets stay true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from vaultkeeper.memory.events.event import EventKind, Found, widened
from vaultkeeper.memory.events.patterns_zh import (
    ASKING,
    DENIED,
    FACT_GONE,
    HEDGED,
    IN_THE_PAST,
    KINDS,
    OTHERS,
    REPORTS,
    REQUEST,
    SUPPOSED,
    TRADITIONAL,
)

_HAN = re.compile(r"[\u3400-\u9fff]")
_CLAUSE_END = re.compile(r"[，,；;：:、]+|——|—|(?<=[\u3400-\u9fff])[ \t]+(?=[\u3400-\u9fff])|\.\.\.+|…+")
_LONGEST_SENTENCE_CHARS = 400
_LONGEST_CLAUSE_CHARS = 160


def chinese_events(text: str, start: int, end: int) -> list[Found]:
    """Returns the events of the sentence `text[start:end]`, which is masked already, in their order."""
    if end - start > _LONGEST_SENTENCE_CHARS or not _HAN.search(text, start, end):
        return []
    sentence = text[start:end].translate(TRADITIONAL).lower()
    if SUPPOSED.match(sentence):
        return []
    spans = list(_clause_spans(sentence))
    asked = _asks(sentence, spans)
    roles = _roles(sentence, spans, asked)
    found = []
    for number, (kind, negated) in roles.items():
        first, last = widened(number, roles, asked, len(spans))
        begin, finish = spans[first][0], spans[last][1]
        if last == len(spans) - 1:
            finish = len(sentence)
        found.append(Found(kind, start + begin, start + finish, negated))
    return found


def _clause_spans(sentence: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for mark in _CLAUSE_END.finditer(sentence):
        if sentence[begin : mark.start()].strip():
            yield begin, mark.start()
            begin = mark.end()
    if sentence[begin:].strip():
        yield begin, len(sentence)


def _roles(sentence: str, spans: list[tuple[int, int]], asked: set[int]) -> dict[int, tuple[EventKind, bool]]:
    roles: dict[int, tuple[EventKind, bool]] = {}
    for number, (start, end) in enumerate(spans):
        if number in asked or end - start > _LONGEST_CLAUSE_CHARS:
            continue
        before = sentence[spans[number - 1][0] : start] if number else ""
        verdict = _judged(sentence[start:end].strip(" \t。！!.~～)）"), before)
        last = roles.get(number - 1)
        if verdict is None or verdict == last:
            continue
        if (
            last == ("decision", False)
            and _settled(sentence, spans[number - 1])
            and "我" not in sentence[start:end]
        ):
            continue  # what has been settled follows
        roles[number] = verdict
    return roles


def _settled(sentence: str, span: tuple[int, int]) -> bool:
    clause = sentence[span[0] : span[1]].strip()
    return len(clause) <= 8 and clause.endswith("了")


def _asks(sentence: str, spans: list[tuple[int, int]]) -> set[int]:
    """Returns which clauses ask or request something."""
    asked = {n for n, (s, e) in enumerate(spans) if ASKING.search(sentence[s:e].rstrip(" 。！!"))}
    if re.search(r"[？?][ ？?！!」』”\")）]*$", sentence) and not asked:
        asked = (
            {len(spans) - 1}
            if len(spans) > 1 and not _judged(sentence[spans[-1][0] : spans[-1][1]], "")
            else set(range(len(spans)))
        )
    asked |= {n for n, (s, e) in enumerate(spans) if REQUEST.match(sentence[s:e].strip())}
    return asked


def _judged(words: str, before: str) -> tuple[EventKind, bool] | None:
    if len(words) < 3 or SUPPOSED.match(words) or OTHERS.match(words) or DENIED.search(words):
        return None
    if before and (SUPPOSED.match(before) or REPORTS.search(before)):
        return None
    if any(rule.search(words) for rule in _gone()):
        return ("fact", True)
    for kind, rules in _kinds():
        if kind in ("decision", "commitment") and HEDGED.search(words):
            continue
        if kind != "decision" and IN_THE_PAST.search(words):
            continue
        if any(rule.search(words) for rule in rules):
            return (kind, False)
    return None


@cache
def _kinds() -> tuple[tuple[EventKind, tuple[re.Pattern[str], ...]], ...]:
    return tuple((kind, tuple(re.compile(rule) for rule in rules)) for kind, rules in KINDS)


@cache
def _gone() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rule) for rule in FACT_GONE)
