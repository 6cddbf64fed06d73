"""Which words of a question carry meaning, and how they are cut.

Owns the stop words and the cutting of a query into terms, phrases and runs of Chinese, Japanese or Korean. It
knows nothing of SQL: `index.fts` turns its result into a MATCH expression.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from vaultkeeper.index.grams import UNSPACED

MAX_TERMS = 64
"""Terms that a query may have; a pasted page is searched by its first ones. Bounds the time of one search."""

MAX_QUERY_CHARS = 20_000
"""What is looked at of a query."""

_ENGLISH = """
a an the i me my mine myself we us our ours ourselves you your yours yourself he him his himself she her hers herself
it its itself they them their theirs themselves this that these those one ones
am is are was were be been being have has had having get gets got do does did done doing
will would shall should can could might must ought
and or but nor not no if then else than so as because while until though although whether
of at by for with about against between into through during before after above below to from up down in out on off
over under again further within without upon per via near
here there now once only just also too very more most some any all each both few other such own same s t
what which who whom whose when where why how many much ever
tell show find give say said please know
don doesn didn isn aren wasn weren hasn haven hadn won wouldn shouldn couldn mustn ain let
"""

STOP_WORDS = frozenset(_ENGLISH.split())
"""Articles, pronouns, auxiliary and joining words, question words and what surrounds them, rests of contractions."""

# What a Chinese or Japanese question is made of beside its subject: cut out before pairs are formed.
_FILLERS = """
为什么 為什麼 什么时候 什麼時候 哪一个 哪一個 什么 什麼 怎么样 怎麼樣 怎么 怎麼 怎样 怎樣 如何
哪里 哪裡 哪儿 哪些 哪个 哪個 多少 几个 幾個 是谁 是誰 谁 誰 请问 請問 告诉我 告訴我
是否 是不是 有没有 有沒有 吗 嗎 呢 吧
ですか ますか でしょうか ましたか いつ どこ だれ なぜ どう ください
"""
_FILLER = re.compile("|".join(sorted(_FILLERS.split(), key=len, reverse=True)))

CJK_RUN = re.compile(f"[{UNSPACED}]+")

# unicode61 keeps letters, numbers and private characters, and lets some combining marks continue a word. It knows
# Unicode 6.1, where U+1885 and U+1886 were letters; today they are marks.
_TERM = re.compile(
    r"(?:[^\W_]|[\ue000-\uf8ff\u1885\u1886])(?:[^\W_]|[\ue000-\uf8ff\u1885\u1886]|[\u0300-\u0304\u0306-\u030c\u030f\u0311\u031b\u0323-\u0328\u032d-\u032e\u0330-\u0331])*"
)
_CONTRACTION = re.compile(r"(?<=\w)['’](?:s|t|d|m|ll|re|ve)\b", re.IGNORECASE)
_QUOTED = re.compile(r'"([^"\n]{1,400})"|[“”„]([^“”„"\n]{1,400})[“”]')
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n])\s*$")
_OPERATORS = frozenset({"AND", "OR", "NOT", "NEAR"})


class Term(NamedTuple):
    """A word of the query. `prefix` when a star stood right behind it."""

    text: str
    prefix: bool = False


class Words(NamedTuple):
    """A query cut into what is searched.

    Attributes:
        terms: Words without stop words, each once, in order; all words when only stop words were asked.
        phrases: Texts that stood in double quotes, trimmed.
        cjk: Runs of Chinese, Japanese or Korean without question words.
    """

    terms: tuple[Term, ...]
    phrases: tuple[str, ...]
    cjk: tuple[str, ...]

    @property
    def empty(self) -> bool:
        """True when nothing can be searched."""
        return not (self.terms or self.phrases or self.cjk)


def split_terms(text: str) -> list[str]:
    """Returns the words of a text, cut where unicode61 cuts, case kept."""
    return _TERM.findall(text)


def _is_name(term: str, text: str, start: int, shouting: bool) -> bool:
    """A stop word that is written as a name inside a sentence: "what did Will say", "the US office"."""
    if shouting or not term[:1].isupper() or term in _OPERATORS or term == "I":
        return False
    return not _SENTENCE_START.search(text[max(0, start - 4) : start])


def parse_words(query: str) -> Words:
    """Cuts a query. Never raises, whatever the text.

    A stop word with a capital inside a sentence counts as a name and stays. A lone quotation mark is
    punctuation. The star of `proj*` asks for every word that begins so.
    """
    text = unicodedata.normalize("NFC", query[:MAX_QUERY_CHARS])
    phrases: list[str] = []

    def keep_phrase(found: re.Match[str]) -> str:
        phrase = (found[1] or found[2]).strip()
        if split_terms(phrase):
            phrases.append(phrase)
        return " "

    text = _QUOTED.sub(keep_phrase, text)
    text = _CONTRACTION.sub("", text)
    cjk: dict[str, None] = {}
    for run in CJK_RUN.findall(text):
        pieces = [piece for piece in _FILLER.split(run) if piece]
        cjk.update(dict.fromkeys(pieces or [run]))

    shouting = text.isupper()
    chosen: dict[str, Term] = {}
    every: dict[str, Term] = {}
    for found in _TERM.finditer(text):
        # A run of CJK is searched by its bigrams; what is Latin in the same word is searched as a word too.
        for part in [piece for piece in CJK_RUN.split(found[0]) if piece]:
            folded = part.casefold()
            term = Term(part, text[found.end() : found.end() + 1] == "*" and found[0].endswith(part))
            every.setdefault(folded, term)
            if part in _OPERATORS:
                continue
            if folded not in STOP_WORDS or term.prefix or _is_name(part, text, found.start(), shouting):
                chosen.setdefault(folded, term)
        if len(chosen) >= MAX_TERMS:
            break
    if not chosen and not phrases and not cjk:
        chosen = every
    return Words(
        tuple(chosen.values())[:MAX_TERMS], tuple(dict.fromkeys(phrases))[:8], tuple(cjk)[:MAX_TERMS]
    )
