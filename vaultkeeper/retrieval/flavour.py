"""Flavours: how the user works and writes, as compiled notes `flavoured/<name>.md`, and the evidence in them.

Owns the names, and how evidence is ranked. Evidence is a list item that begins with its tier, `- [T0] Use metric units
(2026-03-01)`: T0 a written rule, T1 a correction, T2 a way of putting things, T3 an outcome, which only backs up what
others say. `keeping.flavours` compiles the notes; nothing here writes. Source: BEHAVIOUR §12.5.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from vaultkeeper.errors import FlavourError, UsageError
from vaultkeeper.memory.central import content_terms
from vaultkeeper.providers.words import split_words
from vaultkeeper.vault.note import parse_note

FOLDER = "flavoured"
KIND = "flavoured_root"


class Kind(NamedTuple):
    """A flavour that there is.

    Attributes:
        ask: The question that its note answers.
        cues: Words that tell of it.
    """

    aliases: tuple[str, ...]
    ask: str
    cues: str


FLAVOURS: dict[str, Kind] = {
    "communication": Kind(
        ("comms", "tone"),
        "How are answers to be written, in which tone and language?",
        "answer answers reply respond response concise short brief verbose long detailed formal informal polite praise "
        "emoji greeting english german french dutch chinese explain explanation reasoning summary bullet bullets "
        "wording message mail writing 回答 回复 语气 简短 简洁 详细 礼貌 表情 中文 英文 英语 措辞",
    ),
    "coding_style": Kind(
        ("code_style", "coding", "style"),
        "How is code to be written, named, typed and tested?",
        "coding indent indentation tabs spaces naming snake_case camelcase typing types hints docstring docstrings "
        "comment comments test tests testing lint linter formatter refactor function functions class classes 代码 缩进 "
        "命名 注释 测试 函数 类型",
    ),
    "stack": Kind(
        ("tech_stack", "technology"),
        "Which programming languages, frameworks and databases are used?",
        "stack python javascript typescript rust golang java kotlin swift ruby php react vue django flask fastapi "
        "postgres postgresql mysql sqlite duckdb redis kafka docker kubernetes aws azure gcp node framework library "
        "database server 框架 数据库 技术栈 编程语言",
    ),
    "workflow": Kind(
        ("process",),
        "In which steps and at what times is work done?",
        "workflow process routine plan planning review meeting meetings standup deadline ticket branch merge deploy "
        "release dry run daily weekly monday tuesday wednesday thursday friday saturday sunday "
        "morning evening 流程 计划 习惯 会议 每天 每周 早上 晚上 发布",
    ),
    "environment": Kind(
        ("env", "tooling"),
        "Which machines, editors and tools are there, and how are they set up?",
        "environment tooling editor ide vim neovim emacs vscode terminal shell bash zsh fish mac macos linux ubuntu "
        "windows laptop keyboard monitor timezone obsidian tmux browser machine dark mode theme font clock "
        "units 编辑器 终端 系统 电脑 键盘 时区 主题 深色",
    ),
    "directives": Kind(
        ("rules", "directive"),
        "What must always or never be done?",
        "always never must rule rules require required ensure ask confirm permission without forbidden don't dont "
        "总是 必须 永远 不要 禁止 务必 规则 一定",
    ),
    "anti_preferences": Kind(
        ("dislikes", "pet_peeves"),
        "What is disliked, and to be avoided?",
        "hate hates dislike dislikes avoid annoying annoys against never don't dont peeve 讨厌 不喜欢 避免 反感 "
        "不要",
    ),
}

ALIASES: dict[str, tuple[str, ...]] = {name: kind.aliases for name, kind in FLAVOURS.items()}
"""The flavours that there are, and their other names."""

TIER_WEIGHTS = (1.0, 0.8, 0.6, 0.3)
"""What evidence of T0 to T3 counts. The order is the specification's, the numbers are ours."""

K1, B = 1.5, 0.75
"""Of BM25. Source: BEHAVIOUR §12.5."""

_ITEM = re.compile(r"^[ \t]*[-*+][ \t]+\**\[?T([0-3])\]?\**[ \t:·—–-]+(\S.*)$", re.M)
_SPOKEN = re.compile(r"[a-z0-9_][a-z0-9_']*|[^\W\d_a-z\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")
_DATE = re.compile(r"\b\d{4}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])\b")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What backs up a flavour.

    Attributes:
        tier: 0 (strongest) to 3.
        date: The last day that it names, or empty.
        score: Against the query, > 0; the tier's weight without a query. Comparable within one answer only.
        line: In the note's file.
    """

    tier: int
    text: str
    date: str
    score: float
    line: int


@dataclass(frozen=True, slots=True)
class Flavour:
    """A compiled note, or that there is none.

    Attributes:
        path: Where it lies, or would lie.
        text: Its body; empty when it is not built.
        sealed_at: When it was compiled, as the note says.
        leaves_folded: From how many leaves, as the note says.
    """

    name: str
    path: str
    built: bool
    text: str = ""
    sealed_at: str = ""
    leaves_folded: int | None = None
    evidence: tuple[Evidence, ...] = ()


def flavour_name(name: str) -> str:
    """Returns the flavour that a name or another name of it means; case, blanks and hyphens do not count.

    Raises:
        UsageError: it is blank.
        FlavourError: there is none.
    """
    wanted = re.sub(r"[\s-]+", "_", name.strip().casefold())
    if not wanted:
        raise UsageError(reason="The name of a flavour is blank.")
    for flavour, others in ALIASES.items():
        if wanted == flavour or wanted in others:
            return flavour
    raise FlavourError(name=name, known=", ".join(ALIASES))


def read_flavour(root: Path, name: str, query: str = "") -> Flavour:
    """Reads a flavour from the vault.

    Args:
        query: Ranks the evidence, and leaves out what has none of its words; without one all is returned by tier, then
            newest first.

    Raises:
        UsageError, FlavourError: see `flavour_name`.
    """
    flavour = flavour_name(name)
    path = f"{FOLDER}/{flavour}.md"
    if os.path.realpath(root / path) != str(Path(os.path.realpath(root)) / path):
        return Flavour(flavour, path, False)
    try:
        data = (root / path).read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return Flavour(flavour, path, False)
    note = parse_note(path, data)
    body = note.text[note.body_start :].strip("\n")
    if not body.strip():
        return Flavour(flavour, path, False)
    folded = note.properties.get("leaves_folded")
    sealed = note.properties.get("sealed_at")
    return Flavour(
        flavour,
        path,
        True,
        body,
        str(sealed) if isinstance(sealed, str | int) else "",
        folded if isinstance(folded, int) and not isinstance(folded, bool) else None,
        rank(find_evidence(note.text[note.body_start :], note.body_line), query),
    )


def find_evidence(body: str, first_line: int = 1) -> list[Evidence]:
    """Returns the evidence in the order of the text, each with the weight of its tier as score."""
    found = []
    for item in _ITEM.finditer(body):
        tier, text = int(item[1]), item[2].strip()
        date = max(_DATE.findall(text), default="")
        line = first_line + body.count("\n", 0, item.start())
        found.append(Evidence(tier, text, date, TIER_WEIGHTS[tier], line))
    return found


def rank(evidence: list[Evidence], query: str = "") -> tuple[Evidence, ...]:
    """Ranks evidence by BM25 times the weight of its tier; ties go to the newest, then to the order of the text.

    Evidence of T3 stays only beside some of a better tier, and behind it.
    """
    words = set(_words(query))
    return _ranked(_matching(evidence, words, _words) if words else list(evidence))


def _ranked(found: list[Evidence]) -> tuple[Evidence, ...]:
    if all(one.tier == 3 for one in found):
        return ()
    found.sort(key=lambda one: one.line)
    found.sort(key=lambda one: one.date, reverse=True)
    found.sort(key=lambda one: (one.tier == 3, -round(one.score, 9)))
    return tuple(found)


def rank_for(flavour: str, evidence: list[Evidence]) -> tuple[Evidence, ...]:
    """Returns the evidence that tells of a flavour, as `rank` orders it by its cues."""
    return _ranked(_matching(evidence, set(_terms(FLAVOURS[flavour].cues)), _terms))


def _matching(evidence: list[Evidence], words: set[str], split: Callable[[str], list[str]]) -> list[Evidence]:
    counts = [Counter(split(one.text)) for one in evidence]
    lengths = [sum(count.values()) for count in counts]
    mean = sum(lengths) / len(lengths) if lengths else 0.0
    having = {word: sum(word in count for count in counts) for word in words}
    found = []
    for one, count, length in zip(evidence, counts, lengths, strict=True):
        score = 0.0
        for word in sorted(words & count.keys()):
            idf = math.log(1 + (len(evidence) - having[word] + 0.5) / (having[word] + 0.5))
            score += idf * count[word] * (K1 + 1) / (count[word] + K1 * (1 - B + B * length / mean))
        if score > 0:
            found.append(Evidence(one.tier, one.text, one.date, score * TIER_WEIGHTS[one.tier], one.line))
    return found


def _terms(text: str) -> list[str]:
    """The words of a text as they are and without endings, small; Chinese, Japanese and Korean as pairs."""
    words = _SPOKEN.findall(text.casefold().replace("’", "'"))
    stems = content_terms(text)
    return [*words, *(stem for stem in stems if stem not in words)]


def _words(text: str) -> list[str]:
    return [word.casefold() for word in split_words(text)]
