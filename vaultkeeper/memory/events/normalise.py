"""Words as the rules want to read them: contractions spelt out, missing apostrophes and slips of the
keyboard mended.

Owns the plain form of a sentence and the way back from it to the offsets of what was typed.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from vaultkeeper.memory.common_words import word_set

_TOKEN = re.compile(
    r"[a-zA-Z0-9À-ɏ][^\W_\u3400-\u9fff]*(?:['’ʼ´`.-][^\W_\u3400-\u9fff]+)*|[^\W_\u3400-\u9fff]+|\S"
)
_APOSTROPHES = str.maketrans("’ʼ´`", "''''")

_SPELT_OUT = {
    "i'm": "i am", "im": "i am", "i've": "i have", "ive": "i have", "i'll": "i will", "i'd": "i would",
    "i'ma": "i will", "we're": "we are", "we've": "we have", "weve": "we have", "we'll": "we will",
    "we'd": "we would", "you're": "you are", "youre": "you are", "you've": "you have",
    "you'll": "you will", "youll": "you will", "ur": "your", "he's": "he is", "she's": "she is",
    "it's": "it is", "that's": "that is", "thats": "that is", "there's": "there is", "here's": "here is",
    "what's": "what is", "whats": "what is", "who's": "who is", "where's": "where is", "how's": "how is",
    "they're": "they are", "they've": "they have", "they'll": "they will", "he'll": "he will",
    "she'll": "she will", "it'll": "it will", "name's": "name is", "timezone's": "timezone is",
    "zone's": "zone is", "deadline's": "deadline is", "decision's": "decision is",
    "favourite's": "favourite is", "birthday's": "birthday is", "role's": "role is",
    "everybody's": "everybody is", "everything's": "everything is", "everyone's": "everyone is",
    "let's": "let us", "lets": "let us", "don't": "do not", "dont": "do not", "doesn't": "does not",
    "doesnt": "does not", "didn't": "did not", "didnt": "did not", "can't": "can not", "cant": "can not",
    "cannot": "can not", "couldn't": "could not", "couldnt": "could not", "won't": "will not",
    "wont": "will not", "wouldn't": "would not", "wouldnt": "would not", "shan't": "shall not",
    "shouldn't": "should not", "shouldnt": "should not", "isn't": "is not", "isnt": "is not",
    "aren't": "are not", "arent": "are not", "ain't": "am not", "aint": "am not", "wasn't": "was not",
    "wasnt": "was not", "weren't": "were not", "werent": "were not", "haven't": "have not",
    "havent": "have not", "hasn't": "has not", "hasnt": "has not", "hadn't": "had not",
    "hadnt": "had not", "mustn't": "must not", "needn't": "need not", "gonna": "going to",
    "wanna": "want to", "gotta": "have to", "gotten": "got", "finna": "going to", "u": "you", "r": "are",
    "pls": "please", "plz": "please", "pleeease": "please", "thx": "thanks", "&": "and", "n": "and",
    "bc": "because", "cuz": "because", "coz": "because", "cos": "because", "tmrw": "tomorrow",
    "tmr": "tomorrow", "tomoz": "tomorrow", "2moro": "tomorrow", "rn": "now", "favorite": "favourite",
    "fave": "favourite", "fav": "favourite", "anymore": "any more", "alwyas": "always", "mon": "monday",
    "tue": "tuesday", "tues": "tuesday", "wed": "wednesday", "thu": "thursday", "thurs": "thursday",
    "fri": "friday", "eow": "end of week", "eod": "end of day", "eom": "end of month",
    "appt": "appointment", "ppl": "people", "w": "with", "tz": "timezone", "prolly": "probably",
    "def": "definitely", "defo": "definitely", "ya": "you", "yall": "you", "wfh": "work from home",
}  # fmt: skip
"""Source: contractions as they are typed in chat, with and without apostrophes."""

_MENDED = word_set(
    "prefer always usually never normally generally tomorrow decided decision agreed settled choosing "
    "favourite deadline promise promised scheduled planning timezone appointment birthday friday monday "
    "tuesday wednesday thursday saturday sunday weekend february january september october november "
    "december dislike really definitely going before until allergic vegetarian currently originally"
)
"""Words of the rules that are worth mending."""
_REAL = word_set(
    "solving choose chose along alone almost allays fiver refer cover newer fever lever ever nerve "
    "sever before being doing gong gone boing gaming premise premises agree agrees agreeing aged greed "
    "schedule schedules unscheduled planting panning planing planking decide decides decree "
    "deceived derided incision precision decisions headline deadlines settle settler settles unsettled "
    "timezones promises compromise birthdays appointments fridays mondays tuesdays wednesdays thursdays "
    "saturdays sundays weekends sundry unusually usual causally casually nominally formally abnormally "
    "informally overly realty ready reality rally already generals general favourites prefers prefect "
    "proffer dislikes disliked unlike current original until untied unlit"
)
_VERB_AFTER_ILL = re.compile(r"[a-z]{2,}$")
_NOT_AFTER_ILL = word_set(
    "and or but with from in on at because for as today again health person people since"
)
_VERB_AFTER_WELL = word_set("use go stick keep take switch drop skip")


class Plain(NamedTuple):
    """A sentence in its plain form.

    Attributes:
        text: lower-case words and marks, one blank between them.
        starts, ends: for each character of `text`, where the token that it came from starts and ends in the
            source.
    """

    text: str
    starts: list[int]
    ends: list[int]

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Returns the range of the source that a non-empty range of `text` stands for."""
        return self.starts[start], self.ends[end - 1]


def plain(text: str, start: int, end: int) -> Plain:
    """Returns the plain form of `text[start:end]`; its offsets are offsets into `text`."""
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    tokens = list(_TOKEN.finditer(text, start, end))
    words = [token[0].lower().translate(_APOSTROPHES) for token in tokens]
    for number, token in enumerate(tokens):
        after = words[number + 1] if number + 1 < len(words) else ""
        before = words[number - 1] if number else ""
        word = _plain_word(words[number], before, after)
        if pieces:
            pieces.append(" ")
            starts.append(tokens[number - 1].end())
            ends.append(tokens[number - 1].end())
        pieces.append(word)
        starts += [token.start()] * len(word)
        ends += [token.end()] * len(word)
    return Plain("".join(pieces), starts, ends)


def _plain_word(word: str, before: str, after: str) -> str:
    if word in _SPELT_OUT:
        return "with" if word == "w" and after == "/" else _SPELT_OUT[word]
    if word == "ill" and before not in {
        "am",
        "i'm",
        "im",
        "feel",
        "feeling",
        "was",
        "fell",
        "so",
        "very",
        "the",
        "is",
    }:
        return "i will" if _VERB_AFTER_ILL.match(after) and after not in _NOT_AFTER_ILL else word
    if word == "well" and before in {"", ",", ".", "and", "so", "but"} and after in _VERB_AFTER_WELL:
        return "we will"
    if word == "were" and before in {"", ",", "and", "so"} and after.endswith("ing"):
        return "we are"
    if word == "id" and after in {"rather", "prefer", "love", "like"}:
        return "i would"
    if len(word) >= 5 and word.isascii() and word.isalpha():
        return mended(word)
    return word


@lru_cache(maxsize=16384)
def mended(word: str) -> str:
    """Returns the word that a slip of one letter was meant to be, of a short list of words; else the word
    itself."""
    if word in _REAL or word in _MENDED:
        return word
    table = _slips()
    target = table.get(word)
    if target is None:
        for cut in _deletions(word):
            target = cut if cut in _MENDED else table.get(cut)
            if target is not None:
                break
    if target is None or abs(len(target) - len(word)) > 1 or target[0] != word[0]:
        return word
    if word.startswith(target) or (
        target.startswith(word) and len(target) - len(word) == 1 and target[-1] in "sd"
    ):
        return word
    return target


def _deletions(word: str) -> list[str]:
    return [word[:i] + word[i + 1 :] for i in range(len(word))]


@cache
def _slips() -> dict[str, str]:
    """Every word of the list with one letter left out, pointing to the word."""
    return {
        cut: word
        for word in _MENDED
        if len(word) >= 6 or word == "never"
        for cut in _deletions(word)
        if len(cut) >= 4
    }
