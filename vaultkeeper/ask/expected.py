"""What kind of thing a question asks for, and whether a sentence has one: a day, a number, a name, a place, a reason.

Owns these tables, English and Chinese. It looks at words only and knows nothing of notes; what a sentence repeats of
the question does not count, since an answer says something new.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from vaultkeeper.index.words import STOP_WORDS, split_terms

_MONTHS = (
    r"\b(?:January|February|March|April|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b|\bMay\b(?!\s+(?:I|we|be|have)\b)"
)
_WEEKDAYS = r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b|\bweek(?:day|end)s?\b"
_CLOCK = (
    r"(?<![€$£¥])(?<![€$£¥]\s)\b(?:[01]?\d|2[0-3])[:.][0-5]\d\b"
    r"(?!\s*(?:[€$£¥%]|(?:[kmc]?g|[kcm]?m|m?l|bar|eur|usd|gbp|euros?|dollars?|pounds?|cents?)\b))"
)
_EXACT = rf"\b\d{{4}}-\d{{2}}(?:-\d{{2}})?\b|{_CLOCK}|\b\d{{1,2}}\s?(?:am|pm)\b"
_DAY_OF_MONTH = (
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?:\s+of)?\s+(?:{_MONTHS})|(?:{_MONTHS})\s+\d{{1,2}}(?:st|nd|rd|th)?\b"
)
_YEAR = r"\b(?:19|20)\d{2}\b"
_LOOSE = (
    r"\b(?:today|yesterday|tomorrow|tonight|noon|midnight|morning|afternoon|evening|spring|summer|autumn|winter)s?\b"
    r"|\b(?:last|next|this)\s+(?:week|month|year|night)\b|\bago\b"
)
_CHINESE_TIME = (
    r"\d{1,4}\s?[年月日号號点點]|[一二三四五六七八九十]{1,3}[年月日号號点點]"
    r"|星期|周[一二三四五六日末]|昨天|今天|明天|去年|今年|明年|早上|晚上"
)

_MOMENT = f"{_EXACT}|{_DAY_OF_MONTH}|{_MONTHS}|{_WEEKDAYS}|{_YEAR}|{_CHINESE_TIME}|(?i:{_LOOSE})"
_NO_AMOUNT = (
    rf"\b0\d+|{_EXACT}|(?:{_DAY_OF_MONTH}|{_MONTHS})(?:,?\s+\d{{4}})?|\b(?:in|since|until|of)\s+{_YEAR}"
    r"|(?<=\b[A-Z]-)\d+|\d{1,4}\s?[年月日号號]"
)
_AMOUNT = (
    r"(?i)"
    r"(?<![\w.])[€$£¥]?\s?\d|[一二三四五六七八九十百千万萬两兩]{1,4}[个個只位元块塊岁歲次分本人条條杯克斤]"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|dozen"
    r"|half|twice|none|zero|both)\b"
)
_UNITS = r"(?:seconds?|minutes?|mins?|hours?|days?|nights?|weeks?|months?|years?|s|h)"
_DURATION = (
    r"(?i)"
    rf"\b(?:\d[\d.,]*|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|several)\s?(?:an?\s)?{_UNITS}\b"
    r"|\d[\d.,]*\s?(?:小时|小時|分钟|分鐘|天|周|週|个月|個月|年)|[一二三四五六七八九十两兩半]{1,3}(?:个?小时|個?小時|分钟|分鐘|天|周|週|个月|個月|年)"
)
_FREQUENCY = (
    r"(?i)"
    r"\b(?:every|each|daily|weekly|monthly|yearly|annually|hourly|once|twice|times|never|always|per)\b|每|一次|次"
)
_NAME = r"\[\[|(?<![.!?:]\s)(?<!^)\b[A-Z][\w’'-]*[a-z]|^[A-Z][\w’'-]*(?=\s+[A-Z]|\s+[a-z]+(?:s|ed|d)\b)"
_PLACE = (
    r"\b(?:in|at|to|near|from|on|via|around)\s+(?:the\s+|my\s+|our\s+|de\s+)?(?:\[\[|[A-Z][\w’'-]*)"
    r"|\b(?:behind|under|beneath|inside|beside|above|opposite|between|next to|on top of|in front of)\s+\w"
    r"|\b(?:in|at|on) the\s+\w"
    r"|在|住|位于|位於|[市区區省县縣路街村镇鎮]"
)
_REASON = (
    r"(?i)"
    r"\b(?:because|cause[ds]?|reasons?|since|so that|so|due to|otherwise|or else|in order to|thanks to|therefore"
    r"|hence|too|to (?:avoid|keep|make|save|get)|means that|that(?:'|’)?s why|can(?:no|')t|couldn(?:'|’)t)\b"
    r"|因为|因為|由于|由於|所以|为了|為了|怕|太"
)  # fmt: skip
_QUANTITY = (
    "amount|age|area|balance|budget|capacity|ceiling|charge|cost|deposit|depth|diameter|distance|duration|fee"
    "|frequency|height|length|limit|number|percentage|population|power|pressure|price|range|rate|ratio|rent|salary"
    "|score|share|size|speed|sum|temperature|threshold|total|volume|wage|weight|width|pin|code|phone number"
)


_UNITS_OF: tuple[tuple[str, str], ...] = (
    (
        r"\b(?:temperature|hot|warm|cold)\b|多[热熱冷]|温度|溫度",
        r"\d\s?°|°\s?[CF]\b|\d\s?[CF]\b|\bdegrees\b|度",
    ),
    (
        r"\b(?:costs?|price|rent|pay|paid|spen[dt]|fee|budget|deposit|salary|expensive|money|owe[ds]?)\b|多少[钱錢]",
        r"[€$£¥]|\b(?:euros?|dollars?|pounds?|cents?|eur|usd|a month)\b|[元块塊]",
    ),
    (
        r"\b(?:heavy|weighs?|weight)\b|多重|重量",
        r"\d\s?(?:kg|g|mg|t|lbs?|oz)\b|\b(?:kilos?|grams?|tons?|pounds?)\b|[克吨噸斤]",
    ),
    (
        r"\b(?:far|distance|wide|width|tall|high|height|deep|depth|long is|size|big|diameter)\b|多[远遠高宽寬深大]",
        r"\d\s?(?:km|m|cm|mm|mi|ft|in|m²)\b|\d\s?[\"×]|\b(?:met(?:re|er)s?|kilomet(?:re|er)s?|miles?|inch(?:es)?|feet)\b|米|公里",
    ),
    (r"\b(?:percentage|per ?cent|share|ratio)\b|百分", r"\d\s?%|\bper ?cent\b|百分"),
)
"""What a question for an amount asks, and the units that an answer has."""

_MEANS = (
    r"(?i)^\W*(?:what|who)(?:'s|’s|\s+(?:is|are|was|were))\s+(?:an?\s+|the\s+)?(?P<a>[\w\s'’-]{2,60}?)\s*\??\s*$"
    r"|^\W*what\s+(?:does|do|did)\s+(?:an?\s+|the\s+)?(?P<b>[\w\s'’-]{2,60}?)\s+(?:mean|stand\s+for)\s*\??\s*$"
    r"|^(?P<c>\w{1,20})(?:是什[么麼](?:意思)?|是[谁誰])[？?]?$"
)

_OWN = r"(?i)\b(?:is|are|was|were|'s|’s)\s+(?:the|my|our)\b"
"""What one thing has ("what is the rent"), not what a thing is."""


class Expected(NamedTuple):
    """The kind of thing that a question asks for.

    Attributes:
        kind: `moment`, `duration`, `frequency`, `amount`, `name`, `place`, `reason` or `meaning`; empty when any thing
            may answer.
        current: True when the question asks for what holds now.
        described: True when it describes somebody or something without a name: "the one who …", "the shop that …".
    """

    kind: str
    current: bool
    described: bool


_ASKS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("frequency", r"\bhow (?:often|frequently)\b|多久一次|几次|幾次"),
        ("duration", r"\bhow long\b|\bhow many (?:minutes|hours|days|weeks|months|years)\b|多久|多长时间|多長時間"),
        (
            "moment",
            r"\bwhen\b|\b(?:what|which)\s+(?:\w+\s+)?(?:time|day|date|year|month|week|night|evening|morning|weekday)\b"
            r"|\bwhat\b.{0,40}\bdates?\b|什么时候|什麼時候|何时|何時|几号|幾號|几点|幾點|哪[天年月]|几月|幾月",
        ),
        (
            "amount",
            r"\bhow (?:many|much|old|far|big|tall|high|wide|deep|heavy|large|fast|hot|cold|warm)\b"
            rf"|\bwhat(?:'s|’s| is| was| were| are)?\b(?:\W+\w+){{0,4}}?\W+(?:{_QUANTITY})\b"
            r"|\bwhat\b.*\b(?:costs?|weighs?)\b"
            r"|多少|[几幾][个個只位块塊岁歲本人]|多[大高重远遠长長贵貴]",
        ),
        (
            "reason",
            r"\bwhy\b|\bwhat(?:'s|’s| is| was)? the (?:reason|cause)\b|\bhow come\b|为什么|為什麼|为何|為何|怎么会",
        ),
        ("name", r"\bwho(?:m|se)?\b|谁|誰|哪位"),
        (
            "place",
            r"\bwhere\b|\b(?:what|which) (?:city|town|country|place|street|village|room|address)\b"
            r"|哪[里裡儿兒]|什[么麼]地方",
        ),
    )
)  # fmt: skip
_FINDS = {
    "moment": _MOMENT,
    "duration": _DURATION,
    "frequency": _FREQUENCY,
    "amount": _AMOUNT,
    "name": _NAME,
    "place": _PLACE,
    "reason": _REASON,
}
_NOW = re.compile(
    r"\b(?:now|nowadays|current(?:ly)?|at the moment|these days|latest|present|still|today)\b|现在|現在|目前|如今",
    re.I,
)
_OVER = re.compile(
    r"~~|\b(?:until|used to|formerly|previously|no longer|not any ?more|replaced by"
    r"|superseded|obsolete|outdated|was|were|had)\b"
    r"|以前|曾经|曾經|原来|原來|不再",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"\b(?:now|current(?:ly)?|since|replaces|instead of|from now on|new|again)\b|现在|現在|目前|改成|改为|起",
    re.I,
)
# "the person who …", "the shop where …": what follows belongs to the noun.
_RELATIVE = re.compile(
    r"\b(?:the|a|an|that|this|one|those|people|person|colleague|everyone|somebody)\s+(?:\w+\s+)?$", re.I
)
_DESCRIBES = re.compile(
    r"\b(?:the|a|an|that|this|my|our)\s+(?:\w+\s+){1,2}?(?:who|whom|whose|that|which|where|we|I|you|he|she|they|it)\b"
    r"|\b(?:the one|somebody|someone|those|whoever)\b|\b(?:from|to|with|by|for|at|in|of)\s*\?\s*$"
    r"|的(?:人|那个|那個|那家|公司|店)",
    re.IGNORECASE,
)
_HOW = re.compile(r"\bhow\s+(long|many|much|often|far|old|big|soon)\b", re.IGNORECASE)


def expected(question: str) -> Expected:
    """Returns what a question asks for. The first question word decides: "who … when she" asks for a name."""
    places = []
    for order, (kind, asks) in enumerate(_ASKS):
        found = asks.search(question)
        if found and not (kind == "name" and _RELATIVE.search(question[: found.start()])):
            places.append((found.start(), order, kind))
    kind = min(places)[2] if places else ""
    if _defined(question) and (kind in ("", "name") or not _compiled(_OWN).search(question)):
        kind = "meaning"
    return Expected(kind, _NOW.search(question) is not None, _DESCRIBES.search(question) is not None)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiles what the question needs; a question asks for one kind of thing only."""
    return re.compile(pattern)


def fits(kind: str, text: str, question: str) -> bool:
    """Returns whether a text has the kind of thing, beside what the question has already."""
    if kind == "meaning":
        return defines(text, question)
    if kind not in _FINDS:
        return False
    finds = _compiled(_FINDS[kind])
    if kind in ("reason", "frequency", "duration"):
        return finds.search(text) is not None
    if kind == "amount":
        text = _compiled(_NO_AMOUNT).sub(" ", text)
    elif kind in ("place", "name"):
        text = _compiled(_MOMENT).sub(" ", text)
    asked = {word.casefold() for word in split_terms(question)} - STOP_WORDS
    if kind in ("name", "place"):
        asked |= STOP_WORDS  # "It is": a capital at the beginning is no name
    for found in finds.finditer(text):
        word = _whole_word(text, found)
        if not asked.issuperset(part.casefold() for part in split_terms(word)) or "[[" in word:
            return True
    return False


def has_unit(text: str, question: str) -> bool:
    """Returns whether a text has a unit of what a question for an amount asks: a price, a weight, a temperature."""
    return any(
        _compiled(units).search(text) is not None
        for asks, units in _UNITS_OF
        if _compiled("(?i)" + asks).search(question) is not None
    )


def defines(text: str, question: str) -> bool:
    """Returns whether a text says what the thing is that is asked for: "a relay is …", "relay: …"."""
    term = _defined(question)
    if not term:
        return False
    words = r"[\s*_`=\]\[\"“”]+".join(re.escape(word) for word in term.split())
    plural = "(?:e?s)?" if term.isascii() else ""
    return (
        re.search(
            rf"(?:^|[\s*_\[\"“|])(?:an?\s+|the\s+)?{words}{plural}[\s*_`\]\"”]*(?:\([^)]*\)\s*)?"
            r"(?:\b(?:is|are|was|were|means?|stands?\s+for)\b|[:：=—–]|(?:就)?是|指)",
            text,
            re.IGNORECASE,
        )
        is not None
    )


def _defined(question: str) -> str:
    """What a question asks the meaning of, such as `cost per use`; empty when it asks something else."""
    found = _compiled(_MEANS).match(question)
    term = (found["a"] or found["b"] or found["c"] or "").strip() if found else ""
    words = term.casefold().split()
    owned = any(
        word.endswith(("'s", "’s", "'", "’")) for word in words[:-1]
    )  # "Ada's phone" is a thing of hers
    return term if 0 < len(words) <= 4 and not owned and not {words[0], words[-1]} & STOP_WORDS else ""


def asking_words(question: str) -> frozenset[str]:
    """Returns words that only say what kind of thing is asked for, as "long" in "how long did it take"."""
    return frozenset(found[1].casefold() for found in _HOW.finditer(question))


def standing(text: str) -> float:
    """Returns how a text speaks of its time: -1 of what is over, 1 of what holds, 0 when it does not say."""
    return float(_HOLDS.search(text) is not None) - float(_OVER.search(text) is not None)


def _whole_word(text: str, found: re.Match[str]) -> str:
    end = found.end()
    while end < len(text) and text[end].isalnum():
        end += 1
    return text[found.start() : end]
