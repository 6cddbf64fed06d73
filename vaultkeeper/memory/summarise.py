"""The text of a summary node: what its children say, in fewer words, and nothing else.

Owns the budget, what counts as prose in a note, the link between a sentence and its child, and what a model's text must
satisfy to be taken instead. `memory.central` chooses the sentences.

Source: BEHAVIOUR §6.5 (budgets, fallback, labels) and §14 (a summary is never longer than half of its source and names
nobody whom the children do not name).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from vaultkeeper.memory.central import pick_sentences
from vaultkeeper.memory.redact import redact
from vaultkeeper.memory.sentences import split_sentences
from vaultkeeper.vault.chunks import embedding_text
from vaultkeeper.vault.tokens import approx_tokens

OUTPUT_TOKENS = 5_000
"""No summary is longer. Source: BEHAVIOUR §6.5, OUTPUT_TOKEN_BUDGET."""

EXTRACT_TOKENS = 1_000
"""An extract is kept to what somebody reads at a sitting; most embedders read less."""

MOST_SENTENCES = 40
EXTRACT_SHARE = 4
"""An extract takes at most this part of its source, so that it says less than half even of short notes."""

_FENCE = re.compile(r"[ \t]*(?:>[ \t]?)*[ \t]*(`{3,}|~{3,})")
_COMMENT = re.compile(r"<!--.*?-->|%%.*?%%", re.S)
_ITEM = re.compile(r"[ \t]*(?:>[ \t]?)*[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_SKIPPED = re.compile(
    r"[ \t]*(?:>[ \t]?)*[ \t]*(?:#{1,6}(?:[ \t]|$)|\||\[![\w-]+\]|(?:[-*_][ \t]*){3,}$|!\[)"
)
_FIELD = re.compile(r"(?:From|To|Cc|Subject|Date|List-Unsubscribe): ")
_LINK_ONLY = re.compile(r"\s*https?://\S+\s*")

Entities = Callable[[str], Iterable[str]]
"""Text → canonical ids of the entities that it names; the extractor of the index."""

Writer = Callable[[Sequence[str], int], str]
"""A model: texts of the children and a budget in tokens → prose, or an empty text. May raise anything."""


LabelStrategy = Literal["grounded", "extract", "union", "empty"]


class Sentence(NamedTuple):
    """A sentence of a summary, and the number of the child that says it."""

    text: str
    child: int


class Summary(NamedTuple):
    """What was written, and by whom: `extractive`, or the writer's name."""

    sentences: tuple[Sentence, ...]
    by: str

    @property
    def text(self) -> str:
        """The sentences, one a line."""
        return "\n".join(sentence.text for sentence in self.sentences)


def summarise(
    texts: Sequence[str],
    *,
    budget_tokens: int = OUTPUT_TOKENS,
    entities: Entities | None = None,
    writer: Writer | None = None,
    writer_name: str = "llm",
) -> Summary:
    """Summarises the texts of the children of a node.

    A writer's text is taken when it is not blank, within the budget, and names no entity that no child names; else, and
    without one, the central sentences are quoted. The same texts give the same extract.

    Args:
        texts: Markdown, in reading order.
        budget_tokens: Upper bound; half of the source is another.
        entities: Needed to check a writer's text.
    """
    limit = min(budget_tokens, sum(map(approx_tokens, texts)) // 2)
    if writer is not None and limit > 0:
        written = _written(texts, limit, entities, writer)
        if written:
            return Summary(tuple(written), writer_name)
    return Summary(tuple(extract(texts, limit)), "extractive")


def extract(texts: Sequence[str], limit_tokens: int) -> list[Sentence]:
    """Returns the central sentences in reading order, within the limit; empty when there is no prose or room."""
    prose = [prose_of(text) for text in texts]
    aim = min(limit_tokens, EXTRACT_TOKENS, max(24, sum(map(approx_tokens, prose)) // EXTRACT_SHARE))
    if limit_tokens <= 0:
        return []
    picked = pick_sentences(prose, aim, most=MOST_SENTENCES)
    if picked:
        return [Sentence(" ".join(one.text.split()), one.source) for one in picked]
    return _shortened(prose, limit_tokens)


def _shortened(prose: Sequence[str], limit_tokens: int) -> list[Sentence]:
    """The beginning of the longest text, for children in which no sentence stands for itself or fits."""
    if not any(prose):
        return []
    child = max(range(len(prose)), key=lambda at: (len(prose[at]), -at))
    spans = split_sentences(prose[child])
    words = " ".join(prose[child][spans[0].start : spans[0].end].split()) if spans else ""
    while words and approx_tokens(words) > limit_tokens:
        cut = words[: max(1, len(words) * 3 // 4)]
        shorter = cut.rpartition(" ")[0] or cut
        if shorter.rstrip("…") == words.rstrip("…") or len(shorter) < 2:
            return []
        words = shorter.rstrip(" ,;:，、；：") + "…"
        if len(words) < 6 and approx_tokens(words) > limit_tokens:
            return []
    return [Sentence(words, child)] if words else []


def _written(texts: Sequence[str], limit: int, entities: Entities | None, writer: Writer) -> list[Sentence]:
    try:
        answer = writer(texts, limit)
    except Exception:  # a model may fail in any way, and the extract is always there
        return []
    text = redact(answer).text.strip() if isinstance(answer, str) else ""
    if not text or approx_tokens(text) > limit:
        return []
    if entities is not None and ungrounded(entities(text), [entities(one) for one in texts]):
        return []
    lines = [" ".join(text[span.start : span.end].split()) for span in split_sentences(text)]
    return [Sentence(line, _nearest(line, texts)) for line in lines if line]


def ungrounded(named: Iterable[str], children: Iterable[Iterable[str]]) -> set[str]:
    """Returns the entities of a summary that none of its children names."""
    known: set[str] = set()
    for child in children:
        known.update(child)
    return set(named) - known


def choose_labels(
    named: Iterable[str], known: Iterable[str], strategy: LabelStrategy = "grounded"
) -> list[str]:
    """Returns the entities that label a node, sorted, each once.

    Args:
        named: By its text.
        known: By its children.
        strategy: `grounded`: those that text and children name; `extract`: all of the text; `union`: all of the
            children; `empty`: none.
    """
    if strategy == "empty":
        return []
    if strategy == "union":
        return sorted(set(known))
    return sorted(set(named) if strategy == "extract" else set(named) & set(known))


def _nearest(line: str, texts: Sequence[str]) -> int:
    """The child that shares most words with a sentence; the first of equals."""
    words = set(re.findall(r"\w+", line.lower()))
    shared = [len(words & set(re.findall(r"\w+", text.lower()))) for text in texts]
    return max(range(len(texts)), key=lambda at: (shared[at], -at))


def prose_of(body: str) -> str:
    """Returns the prose of a note's body without Markdown's marks: one paragraph or list item a line.

    Code, tables, headings, comments, pictures and the header lines of mails are left out; wrapped lines are joined.
    """
    units: list[str] = []
    fence, joins = "", False
    for line in _COMMENT.sub("", body).split("\n"):
        opened = _FENCE.match(line)
        if fence:
            if opened and opened[1].startswith(fence):
                fence = ""
            continue
        if opened:
            fence, joins = opened[1], False
            continue
        if not line.strip(" \t>") or _SKIPPED.match(line) or _FIELD.match(line) or _LINK_ONLY.fullmatch(line):
            joins = False
            continue
        text = line.strip()
        if joins and not _ITEM.match(line):
            units[-1] += f" {text.lstrip('> ')}"
        else:
            units.append(text)
        joins = True
    plain = (embedding_text("", "", unit) for unit in units)
    return "\n".join(" ".join(unit.split()) for unit in plain if unit.strip())
