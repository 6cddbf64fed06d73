"""Which question about the user a statement answers, when it can have one answer only.

"I live in Utrecht" and "We moved to Ghent" both answer where home is, so the newer one takes the place of the older.
Owns the table of such questions (slots), English and Chinese, and how answers are compared.
A statement that fits no slot stands for itself and contradicts nothing.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple


class Slot(NamedTuple):
    """What a statement answers, and how: equal values are the same answer.

    Attributes:
        name: Such as `home`, `employer`, `favourite_colour`, `taste_cilantro`.
        value: The answer, folded for comparison only.
        negated: The statement says that this answer holds no longer.
    """

    name: str
    value: str
    negated: bool = False


_ME = r"\b(?:i|we)(?:['’]?(?:m|re|ve)| am| are| have)?"
_ADVERBS = (
    r"(?:\s+(?:now|currently|still|just|recently|finally|actually|really|"
    r"also|both|all|been|mostly|mainly|have))*"
)
_NOT = r"(?P<no>\s+(?:no longer|don['’]?t|do not|not|didn['’]?t|never)(?:\s+\w+ly)?)?"
_ENDS = (
    r"(?=\s+(?:now|since|for|with|and|but|because|from|any\s?more|again|"
    r"last|this|next|today|these|at the moment|where|which"
    r"|who|as|so|while|until|till|if|on|about|currently|already|too|"
    r"either|rather|instead|right now|both)\b|[,.;:!?()\n，。；！？（]|"
    r"$)"
)
_X = rf"(?P<x>[^,.;:!?()\n]{{1,60}}?){_ENDS}"
_ZH_ADVERBS = r"(?:现在|現在|目前|已经|已經|一直|还|還|也|刚|剛|刚刚|就|都|主要|其实|其實)*"
_ZH_X = r"(?P<x>[^，。；！？,.;!?\s]{1,30}?)(?=了?(?:[，。；！？,.;!?\s]|$))"

_OWNED = (
    "(?:home |work |private |main )?(?:laptop|phone|car|bike|bicycle|"
    "editor|browser|shell|terminal|operating system|os|keyboard|bank|"
    "dentist"
    "|doctor|gp|boss|manager|employer|company|passport|nationality|native language|mother tongue|first language|budget"
    "|address|phone number|number|e-?mail|birthday|shoe size|blood type|surname|last name|first name|nickname|handle"
    "|username|pronouns|star sign|degree|major|university|school|gym|landlord|insurance)"
)

_RULES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.I))
    for name, pattern in (
        (
            "home",
            rf"{_ME}{_ADVERBS}{_NOT}{_ADVERBS}\s+(?:live|living|lived|based|reside|"
            rf"residing|settled)\b(?:\s+(?:full[- ]time|alone|together|happily)"
            rf")?\s+(?:in|at|near|outside|on(?= an? ))\s+{_X}",
        ),
        (
            "home",
            rf"{_ME}{_ADVERBS}\s+(?:moved|relocated|moved house)\s+(?:back\s+)?to\s+(?!us(?:e|ing)\b){_X}",
        ),
        (
            "home",
            rf"我(?:们|們|家)?{_ZH_ADVERBS}(?P<no>不再|不|没有|沒有)?{_ZH_ADVERBS}(?:居住在|"
            rf"住在|搬到了?|搬去了?|搬回了?|定居(?:在|于|於)?|常驻|常駐|家在|"
            rf"住){_ZH_X}",
        ),
        (
            "employer",
            rf"{_ME}{_ADVERBS}{_NOT}{_ADVERBS}\s+(?:work|working|employed)\s+(?:full[- "
            rf"]time\s+|part[- ]time\s+)?(?:at|for)\s+(?!home\b|it\b|them\b|him\b|"
            rf"her\b|that\b|this\b|you\b|me\b){_X}",
        ),
        (
            "employer",
            rf"{_ME}{_ADVERBS}\s+(?:joined|started (?:working )?at|started a "
            rf"(?:new )?job at|got hired (?:by|at))\s+{_X}",
        ),
        (
            "employer",
            rf"我{_ZH_ADVERBS}(?P<no>不再|不|没有|沒有)?在(?P<x>[^，。；！？,.;!?\s]{{1,24}}?)"
            rf"(?:工作|上班|任职|任職|就职|就職)",
        ),
        ("name", rf"\bmy (?:full |real )?name(?:['’]s| is|:)\s+{_X}"),
        (
            "name",
            rf"(?:^|[.!?,;]\s*)(?:please )?(?:just )?call me\s+(?!back\b|when\b|"
            rf"if\b|at\b|on\b|in\b|a\b|crazy\b){_X}",
        ),
        ("name", rf"我(?:的名字)?(?:就)?(?:是)?叫(?:做)?(?!你|他|她|了|外卖){_ZH_X}"),
        ("timezone", r"\bmy (?:\w+ )?time\s?zone(?:['’]s| is|:)\s+(?P<x>[^,;!?()\n\s]{1,40})"),
        (
            "timezone",
            r"\bi(?:['’]?m| am)(?: on| in)? (?P<x>(?:utc|gmt)\s?(?:[+-]\s?\d{1,2}(?::?\d\d)"
            r"?)?|cest?|e[sd]t|p[sd]t|bst|ist|jst)\b",
        ),
        ("timezone", rf"我的?时区(?:是|为|在)?{_ZH_X}"),
        (
            "role",
            rf"\bmy (?:current |new )?(?:role|job|job title|title|position|profession|"
            rf"occupation)(?:['’]s| is|:)\s+(?:an? |the )?{_X}",
        ),
        ("role", rf"\bi{_ADVERBS}\s+work as (?:an? |the )?{_X}"),
        ("role", rf"我的?(?:职位|職位|职业|職業|岗位|崗位|工作)是{_ZH_X}"),
        ("age", r"\bi(?:['’]?m| am)(?: now)? (?P<x>\d{1,3})(?=\s+(?:years?|yrs?|and)\b|[,.;!?]|$)"),
        ("age", r"我(?:今年|现在|現在)?(?P<x>\d{1,3}|[一二三四五六七八九十]{1,4})(?:周)?岁"),
        (
            "diet",
            r"\bi(?:['’]?m| am)(?: now| a| an| strictly| mostly)* (?P<x>vegan|"
            r"vegetarian|pescatarian|flexitarian|omnivore)\b",
        ),
        (
            "partnership",
            r"\bi(?:['’]?m| am)(?: now| recently| newly| happily)* (?P<x>married|"
            r"single|divorced|engaged|widowed)\b",
        ),
        ("partnership", r"我{0,1}(?:已经|现在|目前)?(?P<x>已婚|未婚|单身|离异|离婚|结婚)了?"),
        (
            "favourite_{of}",
            rf"\bmy (?:new |all[- ]time )?favou?rite (?P<of>\w+(?: \w+)?)(?:['’]s| is| are)\s+{_X}",
        ),
        ("favourite_{of}", rf"我最(?:喜欢|喜歡|爱|愛)的(?P<of>[^是，。]{{1,8}})是{_ZH_X}"),
        ("my_{of}", rf"\bmy (?:new |current )?(?P<of>{_OWNED})(?:['’]s| is|:)\s+(?:an? |the )?{_X}"),
    )
)

_ADVERBS_OF_TASTE = (
    r"(?:\s+(?:really|just|also|quite|always|actually|generally|personally|"
    r"usually|now|still|absolutely|much|simply|definitely|strongly))"
    r"*"
)
_CHOICE = re.compile(
    rf"\bi(?:['’]d)?{_ADVERBS_OF_TASTE}\s+(?:prefer|rather use|use|like)"
    rf"\s+(?P<x>[\w' -]{{1,40}}?)\s+(?:over|to|instead of|rather than|"
    rf"more than|better than)\s+(?P<y>[\w' -]{{1,40}}?){_ENDS}",
    re.I,
)
_TASTE = re.compile(
    rf"\bi{_ADVERBS_OF_TASTE}\s+(?:(?P<bad>hate|dislike|detest|loathe|"
    rf"can['’]?t stand|cannot stand|can['’]?t bear|do(?:n['’]?t| not)"
    rf" (?:\w+ly )?(?:like|care for|enjoy|want|love)"
    rf"|am not a fan of)|(?P<good>like|love|enjoy|adore|prefer|want))"
    rf"\s+(?!to\b|it\b|that\b|this\b|when\b|how\b|if\b|your?\b)(?:the "
    rf"|a |an |my )?{_X}",
    re.I,
)
_TASTE_ZH = re.compile(
    r"我(?:真的|很|比较|比較|更|特别|特別|最|也|超|非常|其实|其實|一直|"
    r"个人|個人)*(?:(?P<bad>讨厌|討厭|不(?:太|怎么|是很|再|大)?(?:喜欢|"
    r"喜歡|爱|愛)|受不了|痛恨)|(?P<good>喜欢|喜歡|爱|愛|偏爱|偏愛|偏好)"
    r")(?P<x>[^，。；！？,.;!?\s]{1,16})"
)
_OPPOSITES = (
    ("dark", "light"), ("short", "long"), ("brief", "detailed"), ("concise", "detailed"), ("concise", "verbose"),
    ("short", "detailed"),
    ("formal", "informal"), ("formal", "casual"), ("hot", "iced"), ("metric", "imperial"), ("12h", "24h"),
    ("深色", "浅色"), ("暗色", "亮色"), ("简短", "详细"), ("簡短", "詳細"), ("正式", "随意"),
)  # fmt: skip
_AXES: dict[str, str] = {}
for _one, _other in _OPPOSITES:
    _axis = _AXES.get(_one) or _AXES.get(_other) or _one
    _AXES[_one] = _AXES[_other] = _axis

_ARTICLES = re.compile(r"^(?:the|an?|my|our)\s+", re.I)
_TAIL = re.compile(
    r"\s+(?:now|currently|already|again|too|though|anyway|at all|any\s?more|a lot|very much|more|better|best|most)$",
    re.I,
)
_NO_MORE = re.compile(r"\b(?:any\s?more|no longer|any longer)\b|不再|[不没沒].*了[。！!.]?$", re.I)


def fold_value(text: str) -> str:
    """Returns an answer as it is compared: one form, small letters, no articles, no marks."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").casefold().strip(" \t\"'“”.-")
    while (shorter := _TAIL.sub("", _ARTICLES.sub("", plain))) != plain:
        plain = shorter
    return " ".join(plain.split())


def same_answer(one: Slot, other: Slot) -> bool:
    """Whether two answers to a question are the same, or one only says more: "Ghent" and "Ghent in Belgium"."""
    if one.name != other.name:
        return False
    ours, theirs = set(one.value.split()), set(other.value.split())
    return ours <= theirs or theirs <= ours


_WORDS = {
    "home": "home live lives living city address reside 住 家 城市 住在哪里",
    "employer": "work works working employer company job 工作 公司 上班",
    "name": "name called 名字 叫",
    "timezone": "time zone timezone clock 时区",
    "role": "role job title profession position work 职位 工作 职业",
    "age": "age old years 年龄 几岁",
    "diet": "diet eat food 饮食",
    "partnership": "married single partner relationship 婚姻",
}


_ASKED = tuple(
    (name, re.compile(pattern, re.I))
    for name, pattern in (
        ("home", r"\bwhere (?:do|am|are|did) (?:i|we) (?:live|living|based|reside|move)\b"),
        ("home", r"我(?:现在|現在)?住在?(?:哪|什么地方)"),
        ("home", r"\bwhat(?:['’]s| is) my (?:home|address|home ?town|city)\b|\bmy home (?:city|town)\b"),
        ("employer", r"\b(?:where|who(?:m)?) (?:do|am) i (?:work|working|employed)|\bwho(?:['’]s| is) my employer\b"),
        ("employer", r"我在哪.*(?:工作|上班)"),
        ("name", r"\bwhat(?:['’]s| is| am) (?:my (?:full |first )?name|i called)\b|我叫什么"),
        ("timezone", r"\b(?:what(?:['’]s| is)|which) (?:my )?time ?zone\b"),
        ("role", r"\bwhat(?:['’]s| is) my (?:role|job|job title|profession|position)\b|\bwhat do i do for a living\b"),
        ("age", r"\bhow old am i\b|\bwhat(?:['’]s| is) my age\b|我(?:今年)?(?:几岁|多大)"),
        ("diet", r"\bwhat(?:['’]s| is) my diet\b|\bam i (?:a )?(?:vegan|vegetarian)\b"),
        ("partnership", r"\bam i (?:married|single|engaged)\b"),
    )
)  # fmt: skip


def find_asked(query: str) -> list[str]:
    """Returns the names of the slots that a question asks for."""
    return list(dict.fromkeys(name for name, pattern in _ASKED if pattern.search(query)))


SHORT = 3


def answer_slot(question: str, value: str) -> Slot | None:
    """Returns what a bare answer such as "Leuven" to a question such as `home` says; None for a longer text."""
    answer = fold_value(value)
    return Slot(question, answer) if question in _WORDS and answer and len(answer.split()) <= SHORT else None


def words_of_slot(slot: Slot) -> str:
    """Returns the words with which a question asks for what a slot answers, for a search to find."""
    known = _WORDS.get(slot.name)
    return known if known is not None else slot.name.replace("taste_", "like ").replace("_", " ")


def find_slot(text: str) -> Slot | None:
    """Returns the question that a statement answers; None when it answers none, or several could be meant."""
    for name, pattern in _RULES:
        found = pattern.search(text)
        if found is None:
            continue
        groups = found.groupdict()
        value = fold_value(groups["x"])
        if not value or len(value.split()) > 8:
            continue
        if groups.get("of"):
            name = name.format(
                of="_".join(fold_value(groups["of"]).replace("-", "").replace("colour", "color").split())
            )
        return Slot(name, value, bool(groups.get("no")) or bool(_NO_MORE.search(text)))
    return _taste(text)


def _taste(text: str) -> Slot | None:
    choice = _CHOICE.search(text)
    if choice:
        one, other = fold_value(choice["x"]), fold_value(choice["y"])
        if one and other and one != other:
            return Slot("choice_" + "_or_".join(sorted((one, other))).replace(" ", "_"), one)
    found = _TASTE.search(text) or _TASTE_ZH.search(text)
    if found is None:
        return None
    value = fold_value(found["x"])
    if not value or len(value.split()) > 5:
        return None
    first, _, rest = value.partition(" ")
    if found["good"] and first in _AXES and rest:
        return Slot(f"{_AXES[first]}_{rest}".replace(" ", "_"), first)
    axis = next((word for word in _AXES if not word.isascii() and value.startswith(word)), None)
    if found["good"] and axis and len(value) > len(axis):
        return Slot(f"{_AXES[axis]}_{value[len(axis) :]}", axis)
    return Slot(f"taste_{value}".replace(" ", "_"), "dislikes" if found["bad"] else "likes")
