"""Whether two short entries say the same.

Owns what counts as the same: case, punctuation, list marks, tags and small words do not matter, and neither do slips of
the pen in long words. Numbers, signs, names and negations do: "gate code 4711" and "gate code 4712" are two facts
however alike they look.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple

from vaultkeeper.memory.folding import UNSPACED

_LEAD = re.compile(
    r"\s*(?:>\s*)*(?:[-*+]|\d{1,9}[.)])?\s*(?:\[[ xX]\]\s+)?(?:\[(?:pattern|mistake|preference|fact)\]\s*)?",
    re.I,
)
_BLOCK_ID = re.compile(r"\s\^[A-Za-z0-9-]+\s*$")
_SIGNS = r"[+#%$€£¥<>=@&|~^\\/\U0001f300-\U0001faff]"
_ASCII_WORD = re.compile(rf"[^\W_]+(?:['.,:/_@-][^\W_]+)*|{_SIGNS}", re.ASCII)
_SMALL = frozenset(
    "a an the this that these those i me my mine we us our you your he she they it its user users is are was were be "
    "been being am do does did has have had will would shall should can to of in on at for from by with as and or so "
    "than then also just really very please always 的 了 呢 吧 啊 是 也 就 都 用 户 我 你 他 她 它 们 在 很".split()
)
_NEGATIONS = frozenset(
    "not no never none nothing neither nor without cannot can't don't doesn't didn't won't isn't aren't wasn't weren't "
    "shouldn't wouldn't couldn't hasn't haven't hadn't mustn't avoid 不 没 沒 無 无 别 別 勿 未 非 莫".split()
)
_STRICT = re.compile(r"\d|^[^\w]$")
_LONG = 5  # letters from which on a word may be misspelt and still be the same
_SPELT_ALIKE = 80.0
_SAME_START = 3


class Said(NamedTuple):
    """An entry as it is compared.

    Attributes:
        words: Folded, in order.
        exact: Those that must be the same: numbers, signs, names, negations.
    """

    words: tuple[str, ...]
    exact: tuple[str, ...]

    @property
    def text(self) -> str:
        """The words in one line; equal for entries that differ in case, punctuation and marks only."""
        return " ".join(self.words)


@lru_cache(maxsize=4096)
def parse_said(entry: str) -> Said:
    """Reads an entry of one or more lines."""
    lines = [_BLOCK_ID.sub("", line[_lead(line) :]) for line in entry.splitlines()]
    plain = unicodedata.normalize("NFKC", " ".join(lines)).replace("’", "'")
    words, exact = [], []
    word_pattern = _ASCII_WORD if plain.isascii() else _any_word()
    for number, found in enumerate(word_pattern.finditer(plain)):
        word = found[0]
        folded = word.casefold()
        words.append(folded)
        letters = word if number else word[1:]  # a sentence begins with a capital
        if folded not in _NEGATIONS and word.isalpha() and letters.islower():
            continue
        if folded in _NEGATIONS or _STRICT.search(word) or _is_name(letters, folded):
            exact.append(folded)
    return Said(tuple(words), tuple(sorted(exact)))


@cache
def _any_word() -> re.Pattern[str]:
    """Words of any script; made when it is first needed, since that takes a while."""
    letter = rf"(?:(?![{UNSPACED}])[^\W_])"
    return re.compile(rf"[{UNSPACED}]|{letter}+(?:['’.,:/_@-]{letter}+)*|{_SIGNS}")


def _is_name(letters: str, folded: str) -> bool:
    return folded not in _SMALL and letters != letters.lower()


def _lead(line: str) -> int:
    found = _LEAD.match(line)
    return found.end() if found else 0


def likeness(left: Said, right: Said) -> float:
    """Returns how nearly two entries say the same, 0..1; 1 for the same words, 0 when a word that counts differs."""
    if left.words == right.words:
        return 1.0
    if not left.words or not right.words or _differ(left, right):
        return 0.0
    ours, theirs = _content(left), _content(right)
    if ours != theirs and sorted(ours) == sorted(theirs):
        return 0.0  # tea rather than coffee, coffee rather than tea
    from rapidfuzz import fuzz

    return max(fuzz.ratio(left.text, right.text), fuzz.ratio(" ".join(ours), " ".join(theirs))) / 100


_LEAD_IN = re.compile(
    r"^(?:(?:please|i|i['’]d|user|the user)\s+)?(?:(?:(?:really|always|usually|generally|strongly|would|much)\s+)*"
    r"(?:prefers?|likes?|loves?|wants?|enjoys?|always|usually|generally)\s+|(?=(?:never|don['’]?t|do not)\s))",
    re.I,
)


def without_lead_in(entry: str) -> str:
    """Returns an entry without its list mark and words such as "I prefer" or "I always"; a negation stays.

    "I prefer short answers" says for a list of preferences what "Short answers" says.
    """
    plain = " ".join(entry.split())
    plain = plain[_lead(plain) :]
    rest = _LEAD_IN.sub("", plain, count=1)
    return rest[:1].lower() + rest[1:] if rest != plain else plain


NEAR = 0.8
"""Likeness from which on a statement counts as the repetition of what is to be forgotten."""

_TONE = frozenset(
    "prefer like love want need enjoy usually always generally still now currently since".split()
)
_NO_MORE = frozenset("any more anymore longer".split())
_CONTRACTED = re.compile(r"^(?:i|we|you|it|that|he|she|they)['](?:m|ve|d|ll|s|re)$")


def repeats(said: str, known: str, *, negated: bool = False) -> bool:
    """Whether a statement says again what a known one says: in nearly the same words, or with something added behind.

    Args:
        negated: The statement ends what the known one says, so its negation does not set it apart.
    """
    new, old = parse_said(said), parse_said(known)
    if likeness(new, old) >= NEAR:
        return True
    ours, theirs = _core(new), _core(old)
    if negated:
        ours, theirs = ([w for w in words if w not in _NEGATIONS | _NO_MORE] for words in (ours, theirs))
    elif [w for w in new.words if w in _NEGATIONS] != [w for w in old.words if w in _NEGATIONS]:
        return False
    added = len(ours) - len(theirs)
    return bool(theirs) and ours[: len(theirs)] == theirs and added <= len(theirs) + 2


def _core(said: Said) -> list[str]:
    """What is said, without the words that only say how the speaker stands to it."""
    small = _SMALL | _TONE
    return [_stem(word) for word in said.words if word not in small and not _CONTRACTED.match(word)]


def _content(said: Said) -> list[str]:
    return [_stem(word) for word in said.words if word not in _SMALL]


def _stem(word: str) -> str:
    """The word without the ending of a plural or a tense."""
    for ending, rest in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")):
        if word.endswith(ending) and len(word) - len(ending) >= _SAME_START - (ending != "ing"):
            return word.removesuffix(ending) + rest
    return word


def _differ(left: Said, right: Said) -> bool:
    """Whether each has a word that counts and the other lacks, or they differ in a number, a sign or a negation."""
    ours, theirs = set(left.words), set(right.words)
    only_left, only_right = ours - theirs, theirs - ours
    if only_left.intersection(left.exact) or only_right.intersection(right.exact):
        return True
    if _strict(left) != _strict(right):
        return True
    return _has_another(only_left, only_right) and _has_another(only_right, only_left)


def _strict(said: Said) -> list[str]:
    return [word for word in said.exact if word in _NEGATIONS or _STRICT.search(word)]


def _has_another(words: set[str], others: set[str]) -> bool:
    from rapidfuzz import fuzz

    stems = {_stem(other) for other in others}
    for word in words:
        if word in _SMALL or _stem(word) in stems:
            continue
        spelt = [
            o for o in others if o[:_SAME_START] == word[:_SAME_START] and min(len(o), len(word)) >= _LONG
        ]
        if not any(fuzz.ratio(word, other) >= _SPELT_ALIKE for other in spelt):
            return True
    return False
