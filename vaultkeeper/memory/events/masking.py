"""What of a message are not the user's own words.

Owns the hiding of code, URLs, quotations, pasted mail, logs, transcripts and tables before sentences are
read. The masked text has the length of the original, so offsets stay true.
"""

from __future__ import annotations

import re

from vaultkeeper.memory.common_words import word_set

OPAQUE = "ˣ"
"""Stands for a character inside a quotation, code span or URL: a letter, so that the whole is read as one
word."""

_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n(?:.*?^[ \t]*\1[^\n]*$|.*\Z)", re.M | re.S)
_CODE = re.compile(r"(`{1,3})(?!`)[^`\n]{1,500}\1")
_URL = re.compile(
    r"\b(?:https?|ftp|obsidian|file)://[^\s<>\"'，。；！？、）】」]+|\bwww\.[^\s<>\"'，。；！？]+"
)
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,6}")
_LINK = re.compile(r"\[\[[^\[\]\n]{1,300}\]\]")
_QUOTES = re.compile(
    r"(?<!\w)\"[^\"\n]{1,600}(?:\"|$)|“[^”\n]{1,600}(?:”|$)|„[^“”\n]{1,600}[“”]|«[^»\n]{1,600}»|"
    r"「[^」\n]{1,600}」"
    r"|『[^』\n]{1,600}』|《[^》\n]{1,300}》|(?<![\w’'])‘[^’\n]{1,400}’(?!\w)|"
    r"(?<![\w'])'[^'\n]{2,400}'(?!\w)",
    re.M,
)
_PASTED_LINE = re.compile(
    r"^(?:[ \t]*>.*"
    r"|[ \t]*\|.*\|[ \t]*"
    r"|[ \t]*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*"
    r"|[ \t]*\[?\d{1,2}:\d\d(?::\d\d)?\]?[ \t]+(?:<[^>\n]{1,40}>|[\w .-]{1,30}:).*"
    r"|[ \t]*(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE|Traceback|Exception)\b[ :\[(].*"
    r"|[ \t]*(?:\$|>>>|C:\\>|#!)[ ].*"
    r"|[ \t]*(?:def|class|import|from|const|let|var|function|public|private|return|if|for|while)\b.*[({;:]$"
    r"|[ \t]{4,}\S.*[;{}()=].*)$",
    re.M,
)
_MAIL_HEAD = re.compile(
    r"^(?:(?:From|To|Cc|Bcc|Subject|Date|Sent|Reply-To|Von|An|Betreff|发件人|收件人|主题|日期|寄件者|"
    r"主旨)[:：][^\n]*\n){2,}",
    re.M,
)
_FORWARDED = re.compile(
    r"^[ \t]*-{2,}[ \t]*(?:original|forwarded|begin forwarded)\b[^\n]*\n.*\Z|^On [^\n]{5,100} wrote:[ "
    r"\t]*\n.*?(?:\n[ \t]*\n|\Z)",
    re.M | re.S | re.I,
)
_SPEAKER = re.compile(
    r"^[ \t]*(?P<name>[A-Z一-鿿][\w.'-]{0,20}(?: [A-Z][\w.'-]{0,20})?)[:：][ \t]*\S.*$", re.M
)
_NO_SPEAKER = word_set(
    "decided decision decisions deadline todo note notes update ps fyi ok so agreed verdict name role "
    "job due also question context background result final plan team location timezone task goal "
    "summary 决定 结论 备注 截止 结果 me i option"
)
_MATERIAL = re.compile(
    r"\b(?:translate|proof-?read|re-?phrase|re-?write|paraphrase|summari[sz]e|correct|edit|polish|reword|"
    r"shorten|"
    r"spell-?check|analy[sz]e|check|fix|improve|explain|parse|classify|quote|caption|lyrics?|subtitle|"
    r"grammar|conjugate|continue|draft|compose|tweet|dialogue|monologue|"
    r"write(?! (?:it|this|that|me)? ?down)|turn this into|diary entry|first person|sentences?|in the voice "
    r"of)\b"
    r"[^.!?:\n]{0,80}:[ \t\n]|(?:翻译|翻譯|润色|潤色|改写|改寫|缩写|校对|校對|解释|解釋|总结|總結|修改|"
    r"分析|这句|這句|例句|造句)[^。！？\n]{0,20}[：:]",
    re.I,
)


def mask(text: str) -> str:
    """Returns the text, of the same length, with everything hidden that the user did not say.

    Whole lines (pasted mail, logs, tables, transcripts, fenced code) become line breaks; quotations, code
    spans, URLs, addresses and wikilinks become runs of `OPAQUE`.
    """
    shown = _blank(_FENCE, text)
    shown = _blank_mail(shown)
    shown = _blank(_FORWARDED, shown)
    shown = _blank(_PASTED_LINE, shown)
    shown = _blank_transcript(shown)
    for pattern in (_CODE, _URL, _MAIL, _LINK):
        shown = pattern.sub(lambda m: OPAQUE * len(m[0]), shown)
    shown = _QUOTES.sub(_opaque_inside, shown)
    return _blank_material(shown)


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda m: "\n" * len(m[0]), text)


def _opaque_inside(match: re.Match[str]) -> str:
    whole = match[0]
    closed = whole[-1] if whole[-1] in "\"”“»」』》’'" and len(whole) > 1 else OPAQUE
    return whole[0] + OPAQUE * (len(whole) - 2) + closed


def _blank_mail(text: str) -> str:
    """Hides pasted mail: its head, and its body but for a last paragraph, which is the user's."""
    head = _MAIL_HEAD.search(text)
    if head is None:
        return text
    rest = text[head.end() :]
    last = rest.rstrip().rfind("\n\n")
    kept = head.end() + (last if last > 0 else 0)
    return text[: head.start()] + "\n" * (kept - head.start()) + text[kept:]


def _blank_transcript(text: str) -> str:
    """Hides lines with a speaker before them when there are two or more of them."""
    lines = [m for m in _SPEAKER.finditer(text) if m["name"].lower() not in _NO_SPEAKER]
    if len(lines) < 2:
        return text
    out, at = [], 0
    for line in lines:
        out += [text[at : line.start()], "\n" * (line.end() - line.start())]
        at = line.end()
    return "".join(out) + text[at:]


def _blank_material(text: str) -> str:
    """Hides what follows a request to work on a text, to the end of that paragraph or, at a line end, of
    the message."""
    match = _MATERIAL.search(text)
    if match is None:
        return text
    start = match.end()
    end = len(text) if "\n" in text[start - 1 : start + 1] else text.find("\n\n", start)
    if end < 0:
        end = len(text)
    return text[:start] + "\n" * (end - start) + text[end:]
