"""How English rules are put together: what may follow a first person, and what stands without one.

Owns the compilation of the tables of each kind. A subject is looked for once; every rule of a kind that may
follow it is a branch of one expression.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from vaultkeeper.memory.events.lexicon_en import ADVERBS, SUBJECT


class Rules(NamedTuple):
    """The rules of one kind, as pieces of expressions over the plain form of a clause.

    Attributes:
        after_subject: what follows `I`, `we` and the adverbs after it.
        after_am: what follows `I am`, `we are` and the adverbs after it.
        after_will: what follows `I will`, `we are going to` and the adverbs after it.
        dropped: how a sentence begins whose subject was left out.
        start: how a clause begins, whoever is its subject.
        anywhere: what may stand anywhere in a clause.
    """

    after_subject: tuple[str, ...] = ()
    after_am: tuple[str, ...] = ()
    after_will: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    start: tuple[str, ...] = ()
    anywhere: tuple[str, ...] = ()


class Compiled(NamedTuple):
    """Rules as expressions; None where a kind has none of that sort."""

    subject: re.Pattern[str] | None
    dropped: re.Pattern[str] | None
    start: re.Pattern[str] | None
    anywhere: re.Pattern[str] | None


def compiled(rules: Rules) -> Compiled:
    """Returns the rules ready for use; compiling takes some tens of milliseconds, so a caller keeps the
    result."""
    subject = list(rules.after_subject)
    if rules.after_am:
        subject.append(rf"(?:am|are) {ADVERBS}{_branches(rules.after_am)}")
    if rules.after_will:
        subject.append(rf"(?:will|shall|am going to|are going to) {ADVERBS}{_branches(rules.after_will)}")
    return Compiled(
        re.compile(rf"(?<![\w'-]){SUBJECT} {ADVERBS}{_branches(tuple(subject))}") if subject else None,
        re.compile(_branches(rules.dropped)) if rules.dropped else None,
        re.compile(_branches(rules.start)) if rules.start else None,
        re.compile(_branches(rules.anywhere)) if rules.anywhere else None,
    )


def _branches(pieces: tuple[str, ...]) -> str:
    return "(?:" + "|".join(pieces) + ")"
