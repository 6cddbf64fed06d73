"""Events in English sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from vaultkeeper.memory.events import guards_en as guards
from vaultkeeper.memory.events.commitments_en import COMMITMENT
from vaultkeeper.memory.events.decisions_en import DECISION
from vaultkeeper.memory.events.event import EventKind, Found, widened
from vaultkeeper.memory.events.facts_en import FACT, GONE
from vaultkeeper.memory.events.lexicon_en import IRREGULAR_PAST, MONTH, PRESENT_ED, WEEKDAY
from vaultkeeper.memory.events.normalise import Plain, plain
from vaultkeeper.memory.events.preferences_en import PREFERENCE
from vaultkeeper.memory.events.rules_en import Compiled, compiled

LONGEST_SENTENCE_CHARS = 700
"""A longer run without an end is pasted text, no message."""
_LONGEST_CLAUSE_CHARS = 320

_CLAUSE = re.compile(
    r" (?:;|–|—|--|…|\.\.\.+|\(|\)|:(?! ?\d\d\b)) "
    r"| - "
    r"| , (?!(?:always|never|ever|every time|full stop|period|at all times|by default|in general)\b)(?:and "
    r"|but |so |or |yet |plus |because |since |though |although |while |then |also |which is why )?"
    r"| (?:and|but|so|or|because|though|although|while|plus|yet|then|cause|whereas) (?=(?:i|we|he|she|they|"
    r"it|you|my|our|his|her|this|that|there|the|let us|please|can you|could you|would|what|how|which|who|"
    r"when|where|why|is|are|do|does|did|should|[a-z]+ (?:is|are|has|says|said|wants|hates|loves|likes|"
    r"needs)|personally|also|now|then|always|never|not|"
    r"decided|agreed|chose|settled|picked|opted|prefer|hate|love|like|live|work|will|plan|planning|"
    r"promised|went)\b)"
    r"| (?:lol|haha|hehe|btw|tbh|imo|fyi|whatever|anyway|anyways|also|personally|please|thanks|cheers|wish "
    r"me luck) (?=(?:i|we|my|our|please|can|could|what|how|so|and|but)\b)"
)
_CLOSING_MARK = re.compile(r"^[ ]*[.!?…]")


class _Clause(NamedTuple):
    start: int
    end: int
    text: str
    role: str
    """`event`, `ask` (a question or a request) or `other`."""
    kind: EventKind | None
    negated: bool


def english_events(text: str, start: int, end: int) -> list[Found]:
    """Returns the events of the sentence `text[start:end]`, which is masked already, in their order."""
    if end - start > LONGEST_SENTENCE_CHARS:
        return []
    sentence = plain(text, start, end)
    if guards.SUPPOSED.match(sentence.text) or guards.SARCASM.search(sentence.text):
        return []
    clauses = _classified(sentence)
    return [
        _found(sentence, clauses, number) for number, clause in enumerate(clauses) if clause.role == "event"
    ]


def _classified(sentence: Plain) -> list[_Clause]:
    if guards.STANDING.match(sentence.text):
        return [_Clause(0, len(sentence.text), sentence.text, "event", "preference", False)]
    spans = list(_clause_spans(sentence.text))
    reported = False
    asked = _asked(sentence.text, spans)
    clauses: list[_Clause] = []
    for number, (start, end) in enumerate(spans):
        words = sentence.text[start:end]
        if number in asked:
            clauses.append(_Clause(start, end, words, "ask", None, False))
            continue
        if clauses and clauses[-1].role == "event" and clauses[-1].text.endswith(":"):
            clauses.append(_Clause(start, end, words, "other", None, False))
            continue
        before = sentence.text[spans[number - 1][0] : start] if number else ""
        reported = _reports(before) or (reported and ":" in sentence.text[:start])
        verdict = None if reported else _judged(words, before, not clauses)
        if (
            verdict is not None
            and clauses
            and clauses[-1][3:] == ("event", *verdict)
            and _spliced(sentence.text, clauses[-1], start)
        ):
            clauses.append(_Clause(start, end, words, "other", None, False))
        elif verdict is not None:
            clauses.append(_Clause(start, end, words, "event", *verdict))
        else:
            aside = sentence.text[:start].endswith("( ")
            role = "ask" if guards.REQUEST.match(words) and not aside else "other"
            clauses.append(_Clause(start, end, words, role, None, False))
    return clauses


def _spliced(sentence: str, last: _Clause, start: int) -> bool:
    """Whether a clause is joined to the one before by a bare comma: one statement in two steps."""
    return sentence[last.end : start].strip() == ","


def _clause_spans(sentence: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for mark in _CLAUSE.finditer(sentence):
        end = mark.start() + 2 if mark[0] == " : " else mark.start()  # a label keeps its colon
        if mark.start() > begin and sentence[begin:end].strip():
            yield begin, end
            begin = mark.end()
    if begin < len(sentence):
        yield begin, len(sentence)


def _asked(sentence: str, spans: list[tuple[int, int]]) -> set[int]:
    """Returns which clauses belong to a question."""
    asked = {
        number for number, (start, end) in enumerate(spans) if guards.QUESTION.match(sentence[start:end])
    }
    if not re.search(r"\?[ ?!.)\"'”]*$", sentence):
        return _carried(asked, len(spans))
    if asked and all(guards.TAG.match(sentence[spans[n][0] : spans[n][1]]) for n in asked):
        return set(range(len(spans)))
    if asked:
        return set(range(min(asked), len(spans)))
    last = sentence[spans[-1][0] : spans[-1][1]]
    if len(spans) > 1 and not guards.TAG.match(last):
        opening = next(
            (n for n, (s, e) in enumerate(spans) if n and guards.OPEN_QUESTION.match(sentence[s:e])), None
        )
        if opening is not None:
            return set(range(opening, len(spans)))
        if not re.match(r"(?:i|we|my|our|let us)\b", last):
            return {len(spans) - 1}
    return set(range(len(spans)))


def _carried(asked: set[int], count: int) -> set[int]:
    """A question without its mark ends with its clause, but for what is joined to it without a subject."""
    return {n for n in asked if n < count}


def _judged(words: str, before: str, first: bool) -> tuple[EventKind, bool] | None:
    """Returns the kind of a clause and whether it is a fact that has stopped holding; None without an
    event."""
    if len(words) > _LONGEST_CLAUSE_CHARS or len(words) < 5:
        return None
    if guards.SUPPOSED.match(words) or (
        before and guards.SUPPOSED.match(before) and not re.match(r"(?:but|so)\b", words)
    ):
        return None
    if guards.QUESTION.match(words) or (before and guards.SHORT_HEDGE.match(before)):
        return None
    lead = guards.LEAD.match(words)
    body = words[lead.end() :] if lead else words
    rules = _rules()
    if _holds(rules.gone, body, "fact", first) and not _liked(body):
        return ("fact", True)
    past = bool(guards.IN_THE_PAST.search(body))
    open_ended = bool(guards.HEDGED.search(body) or guards.CONTINGENT.search(body))
    for kind, table in rules.kinds:
        if open_ended and kind in ("decision", "commitment"):
            continue
        if past and (kind == "preference" or (kind == "fact" and not guards.STILL.search(body))):
            continue
        if _holds(table, body, kind, first):
            return (kind, False)
    return None


_REPORTED = re.compile(
    r"^(?:.* )?(?:says?|said|told me|tells me|claims?|wrote|writes|asked|thinks?|reads|announced|"
    r"insists?)(?: (?:that|me|us))?(?: [,:])? ?$"
    r"|^(?:i|we) (?:guess|think|suppose|wonder|believe|heard|wish|doubt|am not sure|am unsure|do not know|"
    r"can not remember|forgot) (?:if|whether|that|, )? ?$"
)
_LIKED = re.compile(r"\b(?:like|love|enjoy|hate|care for|prefer)\b")


def _reports(before: str) -> bool:
    return bool(before) and bool(_REPORTED.match(before.rstrip(" ,:").strip()))


def _liked(body: str) -> bool:
    return bool(_LIKED.search(body))


def _holds(rules: Compiled, body: str, kind: EventKind, first: bool) -> bool:
    """Whether a rule of this kind holds in a clause and nothing before it takes the statement away."""
    if rules.subject is not None and any(
        _stands(match, body, kind) for match in rules.subject.finditer(body)
    ):
        return True
    for rule in (rules.start, rules.dropped if first else None):
        match = rule.match(body) if rule is not None else None
        if match is not None and _stands(match, body, kind):
            return True
    return rules.anywhere is not None and any(
        _stands(match, body, kind) for match in rules.anywhere.finditer(body)
    )


def _stands(match: re.Match[str], body: str, kind: EventKind) -> bool:
    return _lets_stand(body[: match.start()]) and not (kind == "preference" and _told_in_past(match, body))


def _lets_stand(lead: str) -> bool:
    if not lead.strip():
        return True
    if guards.DENIED.search(lead):
        return False
    if guards.OWN_WORDS.match(lead) and not re.search(
        r"\b(?:when|while|after|before|whenever|that|until|once) $", lead
    ):
        return not re.search(r"\b(?:if|whether|doubt|says?|said|told me|thinks?|claims?)\b", lead)
    if _FRAME.match(lead):
        return True
    if lead.count(" ") > guards.LONGEST_LEAD_WORDS or guards.RELATIVE.match(lead):
        return bool(_TIME_LEAD.match(lead))
    return not guards.BLOCKED_BEFORE.search(lead)


_TIME_LEAD = re.compile(
    rf"^(?:this|that|the|next|last|every|each|one|these|all) (?:(?:next|last|single|other|same|past|whole) )?"
    r"(?:day|days|morning|evening|afternoon|night|week|weekend|month|year|time|summer|winter|spring|"
    r"autumn|term|"
    rf"semester|quarter|sprint|{WEEKDAY}|{MONTH}) $"
)


_FRAME = re.compile(
    r"^(?:(?:as )?a rule|in general|by default|more often than not|nine times out of ten|most of the time|when it "
    r"comes to "
    r"(?:[\w'-]+ ){1,3}|(?:for|with|at|in|on|during|over|after|before|between|without) (?!the|this|that|these|those|"
    r"a|an|"
    r"my|our|your|his|her|their|its|any|some|every|each|no|all|which|what|one|me|us|you)(?:[\w'-]+ ){1,2})(?:, )?$"
)
"""What sets the scene of a habit and describes nothing: `for invoices`, `in winter`, `as a rule`."""

_VERB_AFTER = re.compile(
    r"(?:always|never|usually|normally|generally|typically|often|rarely|seldom|mostly|mainly|only) (?:ever "
    r")?([a-z]+)"
)
_PERFECT = re.compile(r"\bhave (?:always|never|long) ")
_EXPERIENCE = re.compile(
    r"\bhave never (?:ever |really |actually |quite |even |before )*(?!liked|loved|hated|enjoyed|preferred|trusted|"
    r"cared|"
    r"warmed|wanted|felt comfortable|been (?:a|an|into|fond|keen|one|able to stand|good|comfortable|much)|"
    r"understood the "
    r"appeal|seen the (?:point|appeal)|got on with|eaten (?:meat|fish)|drunk|smoked|touched|used)[a-z]+"
)
"""What was never done yet, which is no dislike: `I have never made one`."""


def _told_in_past(match: re.Match[str], body: str) -> bool:
    verb = _VERB_AFTER.search(body, match.start())
    if verb is None:
        return False
    if _PERFECT.search(body):
        return bool(_EXPERIENCE.search(body))
    word = verb[1]
    return word in IRREGULAR_PAST or (word.endswith("ed") and word not in PRESENT_ED)


def _found(sentence: Plain, clauses: list[_Clause], number: int) -> Found:
    """Widens an event's clause over its neighbours that are neither events nor asked, and maps it to the
    source."""
    events = [n for n, clause in enumerate(clauses) if clause.role == "event"]
    asked = [n for n, clause in enumerate(clauses) if clause.role == "ask"]
    first, last = widened(number, events, asked, len(clauses))
    start, end = clauses[first].start, clauses[last].end
    if last + 1 < len(clauses):
        end = len(sentence.text[:end].rstrip(" ,;:-–—(.!?…"))
    while start < end and sentence.text[start] in " ,;:-–—)…":
        start += 1
    clause = clauses[number]
    assert clause.kind is not None
    source_start, source_end = sentence.source(start, max(end, start + 1))
    return Found(clause.kind, source_start, source_end, clause.negated)


class _Tables(NamedTuple):
    kinds: tuple[tuple[EventKind, Compiled], ...]
    gone: Compiled


@cache
def _rules() -> _Tables:
    kinds: tuple[tuple[EventKind, Compiled], ...] = (
        ("decision", compiled(DECISION)),
        ("commitment", compiled(COMMITMENT)),
        ("preference", compiled(PREFERENCE)),
        ("fact", compiled(FACT)),
    )
    return _Tables(kinds, compiled(GONE))
