"""Which leaves are worth summarising: a score of six signals, with the reason beside it.

Owns the signals, their weights and the thresholds. The score is a function of the leaf alone, so it is not stored: the
row that explains a decision can be computed whenever somebody asks. A leaf that is dropped stays a note, is found by
every search, and is only not part of a tree.

Source: BEHAVIOUR §6.4; tokens and words that know CJK are ours (§14).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from vaultkeeper.vault.tokens import CJK, approx_tokens

WEIGHTS = {
    "token_count": 1.0,
    "unique_words": 1.0,
    "metadata_weight": 1.5,
    "source_weight": 1.5,
    "interaction": 3.0,
    "entity_density": 1.0,
}
LLM_WEIGHT = 2.0
"""Of a model's judgement, where there is one."""

DEFINITE_KEEP = 0.85
DEFINITE_DROP = 0.15
DROP_BELOW = 0.30
TINY_TOKENS = 10
PRIORITY_TAG = "priority_high"
PRIORITY_BONUS = 0.25

METADATA = {"email": 0.8, "document": 0.9, "chat": 0.5}
BY_KIND = {"email": 0.75, "document": 0.7, "chat": 0.5}
BY_PROVIDER = {
    "gmail": 0.8,
    "other_email": 0.7,
    "whatsapp": 0.75,
    "telegram": 0.6,
    "discord": 0.5,
    "conversation": 0.9,
    "notion": 0.75,
    "drive_docs": 0.6,
    "meeting_notes": 0.85,
}
INTERACTIONS = {"sent": 0.6, "reply": 0.5, "dm": 0.3, "mention": 0.2}
NO_INTERACTION = 0.5
FULL_DENSITY = 0.01
"""Unique entities for each token that count as many."""

_CJK_CHAR = re.compile(f"[{CJK}]")
_CJK_RUN = re.compile(f"[{CJK}]+")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_CHAT_HEADER = re.compile(r"^## [^\n]*$", re.M)


class Admission(NamedTuple):
    """The row that says why a leaf is kept or dropped. All signals and the total lie in 0 to 1.

    Attributes:
        llm_importance: A model's judgement; None without one.
        reason: `definite_keep`, `kept`, `priority`, `low_score` or `tiny`.
    """

    total: float
    token_count: float
    unique_words: float
    metadata_weight: float
    source_weight: float
    interaction: float
    entity_density: float
    llm_importance: float | None
    kept: bool
    reason: str


def score_leaf(
    text: str,
    source_kind: str,
    tags: Collection[str] = (),
    entities: Collection[str] = (),
    *,
    llm_importance: float | None = None,
) -> Admission:
    """Judges a leaf.

    Args:
        text: Its Markdown. In chats, header lines (`## time — author`) do not count.
        source_kind: chat, email or document.
        tags: Of its note: `provider/<name>` or `provider:<name>`, `sent`, `reply`, `dm`, `mention`, `priority_high`.
        entities: Canonical ids that it names.
        llm_importance: Only looked at where the other signals leave it open.
    """
    if source_kind == "chat":
        text = _CHAT_HEADER.sub("", text).strip()
    tokens, unique = approx_tokens(text), len(set(entities))
    known = frozenset(tags)
    signals = (
        token_signal(tokens),
        words_signal(text),
        METADATA.get(source_kind, METADATA["document"]),
        source_signal(source_kind, known),
        interaction_signal(known),
        density_signal(unique, tokens),
    )
    total = weighted_mean(signals)
    importance = None
    if llm_importance is not None and DEFINITE_DROP < total < DEFINITE_KEEP:
        importance = min(1.0, max(0.0, llm_importance))
        total = weighted_mean(signals, importance)
    priority = PRIORITY_TAG in known
    if priority:
        total = min(1.0, total + PRIORITY_BONUS)
    if tokens < TINY_TOKENS and not unique and not priority:
        kept, reason = False, "tiny"
    elif total < DROP_BELOW:
        kept, reason = False, "low_score"
    elif priority:
        kept, reason = True, "priority"
    else:
        kept, reason = True, "definite_keep" if total >= DEFINITE_KEEP else "kept"
    return Admission(total, *signals, importance, kept, reason)


def weighted_mean(signals: Sequence[float], llm_importance: float | None = None) -> float:
    """The mean of the six signals in the order of `WEIGHTS`, and of a model's judgement where there is one."""
    pairs = list(zip(WEIGHTS.values(), signals, strict=True))
    if llm_importance is not None:
        pairs.append((LLM_WEIGHT, llm_importance))
    return sum(weight * value for weight, value in pairs) / sum(weight for weight, _ in pairs)


def token_signal(tokens: int) -> float:
    """0 below 10 tokens, rising to 1 at 30, 1 up to 3000, falling to a half at 8000."""
    if tokens < TINY_TOKENS:
        return 0.0
    if tokens < 30:
        return (tokens - TINY_TOKENS) / 20
    if tokens <= 3000:
        return 1.0
    return max(0.5, 1.0 - 0.5 * (tokens - 3000) / 5000)


def words_signal(text: str) -> float:
    """Share of different words among all, from 0 at 0.3 to 1 at 0.7; a half for fewer than five words."""
    words = count_words(text)
    if len(words) < 5:
        return 0.5
    ratio = len(set(words)) / len(words)
    return min(1.0, max(0.0, (ratio - 0.3) / 0.4))


def count_words(text: str) -> list[str]:
    """The words of a text, lower case, without marks at their edges; runs of CJK as pairs of characters."""
    words: list[str] = []
    if not text.isascii():
        for run in _CJK_RUN.findall(text):
            words += [run[at : at + 2] for at in range(len(run) - 1)] or [run]
        text = _CJK_CHAR.sub(" ", text)
    words += [word for piece in text.lower().split() if (word := _EDGES.sub("", piece))]
    return words


def source_signal(source_kind: str, tags: Collection[str]) -> float:
    """Weight of the provider that a tag names, else of the kind."""
    for tag in sorted(tags):
        prefix, mark, name = tag.replace("/", ":", 1).partition(":")
        if mark and prefix == "provider" and name in BY_PROVIDER:
            return BY_PROVIDER[name]
    return BY_KIND.get(source_kind, BY_KIND["document"])


def interaction_signal(tags: Collection[str]) -> float:
    """How much the user took part; a half when nothing is known."""
    known = [INTERACTIONS[tag] for tag in tags if tag in INTERACTIONS]
    return min(1.0, sum(known)) if known else NO_INTERACTION


def density_signal(entities: int, tokens: int) -> float:
    """Entities for each token, 1 from one in a hundred on."""
    return min(1.0, entities / tokens / FULL_DENSITY) if tokens else 0.0
