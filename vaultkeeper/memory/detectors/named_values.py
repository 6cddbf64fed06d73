"""Secrets that only the name beside them gives away: passwords and assigned keys.

Owns the reading of `NAME = VALUE` in its many spellings (settings files, JSON inside JSON, headers, flags, query
strings) and of sentences such as "the password is …", English and Chinese.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vaultkeeper.memory.detectors.finding import NAMED, Finding
from vaultkeeper.memory.detectors.placeholders import is_placeholder
from vaultkeeper.memory.detectors.windows import ascii_view, joined, matches, windows

_PASSWORD_WORD = r"pass(?:word|wd|phrase|wort|code)?|pwd|passwort|kennwort|contraseña|senha|密码|密碼|口令|暗証番号|パスワード|비밀번호"
_KEY_WORD = (
    r"(?:api|access|secret|private|auth|encryption|signing|master|account|app|application|consumer|service|storage|license|client|"
    r"session|admin|deploy|shared|hmac|aes|jwt|webhook|subscription|functions?|primary|secondary|security|server|django_secret|flask_secret)[_ -]?keys?"
)
_SECRET_WORD = rf"{_KEY_WORD}|secret(?:[_ -]?access[_ -]?key|[_ -]?key(?:[_ -]?base)?|[_ -]?token)?|token|credentials?|密钥|密鑰|令牌|私钥|api key"
_NAME = rf"(?P<word>{_PASSWORD_WORD}|{_SECRET_WORD})"
_QUOTE = r"(?:\\*[\"'`]|[“”「『])"
_VALUE = (
    r"(?:(?P<open>\\*[\"'`]|[“「『])(?P<quoted>[^\"'`”」』\\\n]{1,300})(?:\\*[\"'`]|[”」』])"
    r"|(?P<bare>[^\s\"'`,;<>()\[\]{}|&\\\u3000-\u9fff\uac00-\ud7af，；（）：？！“”]{1,300}))"
)
_ASSIGNED = re.compile(
    rf"{_NAME}(?P<tail>(?:[_-]?(?:value|prod|production|dev|staging|test|live|new|old|\d{{1,3}}))?){_QUOTE}?\)?[ \t]{{0,4}}(?P<sep>:=|=>|==?|[:：]|→|->)[ \t]{{0,8}}(?:[rbuf](?=[\"'])|!{{1,2}}str[ \t]+)?{_VALUE}"
)
_SPOKEN = re.compile(
    rf"{_NAME}(?P<between>[^\n.:：=。；;?？]{{0,60}}?)(?:(?:\b(?:is|was|are|to|be|reads|becomes|now)\b|'s\b|’s\b|(?:是|为|為|改成|改为|设为|设成|换成|就是)(?!否|不|什|怎|哪|谁|一种|一个|多少))[ \t]*[:：]?[ \t]*){_VALUE}"
)
_FLAG = re.compile(
    r"(?<![\w-])(?:--?(?:password|passwd|pass|pwd|token|api-key|apikey|secret|access-token|auth-token|private-token|bot-token|access-key|secret-key|client-secret|key|with-token|auth))(?:[ \t]+|=)"
    r"(?:(?P<open>[\"'])(?P<quoted>[^\"'\n]{1,300})[\"']|(?P<bare>[^\s\"'`|;<>&]{1,300}))"
)
_SSHPASS = re.compile(r"\bsshpass[ \t]+-p[ \t]*(?:(?P<open>[\"'])(?P<quoted>[^\"'\n]{1,300})[\"']|(?P<bare>[^\s\"'`|;<>&]{1,300}))")
_CURL_USER = re.compile(r"(?:^|[ \t])(?:-u|--user)[ \t]+(?P<open>[\"']?)[^\s:\"']{1,100}:(?P<bare>[^\s\"'`|;<>&]{1,300})", re.M)
_MYSQL = re.compile(r"\b(?:mysql|mysqldump|mariadb|mysqladmin)\b[^\n|;]{0,120}?[ \t]-p(?P<bare>[^\s\"'`|;<>&-][^\s\"'`|;<>&]{3,100})")
_NETRC = re.compile(r"\bmachine[ \t]+\S{1,100}\s+login[ \t]+\S{1,100}\s+password[ \t]+(?P<bare>\S{1,200})")
_LOGIN_PAIR = re.compile(rf"(?:user(?:name)?|login|账号|用户名)[^\n]{{0,40}}?[/,，和与 ](?: and)?[ \t]*(?:{_PASSWORD_WORD})[ \t]+(?:(?P<open>[\"'`“])(?P<quoted>[^\"'`”\n]{{1,300}})[\"'`”]|(?P<bare>[^\s\"'`,;<>()\[\]{{}}|&，。；]{{1,300}}))")
_LITERALS = ("pass", "pwd", "secret", "token", "key", "credential", "kennwort", "contrase", "senha")
_OTHER_LITERALS = ("密", "令牌", "口令", "暗証", "パスワード", "비밀번호", "私钥")

_BEFORE_CHARS = 64
_AFTER_CHARS = 420
_NOT_SECRET_BEFORE = re.compile(
    r"(?:public|pub|primary_|foreign|sort|partition|cache|hot|ssh_host|max|min|num|total|count|prompt|completion|cached|input|output|next|page|continuation|pad|eos|bos|unk|mask|sep|cls|special|stop|csrf_?param|no|forgot|reset|wrong|bad|invalid|missing|"
    r"per|each|every|one|this|that|which|any|monkey|tur)[_ -]?$"
)
_WORD_BEFORE = re.compile(r"[A-Za-z0-9_.-]{0,40}$")
_STRONG = re.compile(r"[!@#$%^&*+=_~]")
_TRAILING = ".,;:?！？。，；…"
_DATE = re.compile(r"^\d{4}-\d\d-\d\d|^\d{1,2}:\d\d|^v?\d+\.\d+(?:\.\d+)*$|^\d{1,3}(?:[.,]\d+)?%?$")
_IDENTIFIER = re.compile(r"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$")
_UPPER_CONSTANT = re.compile(r"^[A-Z][A-Z_]*[A-Z](?:_[A-Z0-9]+)*$")
_LONG_PASSWORD = 12


def find_named_values(text: str) -> Iterator[Finding]:
    """Yields values that are secret by the words beside them; offsets of the values, without their quotes."""
    view = ascii_view(text).lower()
    ranges = windows(view, _LITERALS, _BEFORE_CHARS, _AFTER_CHARS)
    if not text.isascii():
        ranges = joined(ranges + windows(text, _OTHER_LITERALS, _BEFORE_CHARS, _AFTER_CHARS))
    lowered = _lowered(text, ranges)
    for match in matches(_ASSIGNED, lowered, ranges):
        yield from _judged(text, lowered, match, spoken=False)
    for match in matches(_SPOKEN, lowered, ranges):
        yield from _judged(text, lowered, match, spoken=True)
    for pattern in (_FLAG, _SSHPASS, _NETRC, _LOGIN_PAIR):
        yield from _passed(text, matches(pattern, lowered, ranges), strict=pattern in (_FLAG, _LOGIN_PAIR))
    users = windows(view, (" -u", " --user"), 1, _AFTER_CHARS)
    yield from _passed(text, matches(_CURL_USER, text, users), strict=False)
    yield from _passed(text, matches(_MYSQL, text, windows(view, ("mysql", "mariadb"), 1, _AFTER_CHARS)), strict=False)


def _passed(text: str, found: Iterator[re.Match[str]], *, strict: bool) -> Iterator[Finding]:
    """Yields what is passed to a program; where the flag has other uses too (`strict`), only what looks like a secret."""
    for match in found:
        group = "quoted" if "quoted" in match.re.groupindex and match["quoted"] is not None else "bare"
        value = text[match.start(group) : match.end(group)]
        if not is_placeholder(value) and len(value) >= 4 and (not strict or _is_strong(value, len(value))):
            yield Finding(match.start(group), match.end(group), "password", NAMED)


def _judged(text: str, lowered: str, match: re.Match[str], *, spoken: bool) -> Iterator[Finding]:
    group = "quoted" if match["quoted"] is not None else "bare"
    start, end = match.start(group), match.end(group)
    quoted = group == "quoted"
    if not quoted:
        while end > start and text[end - 1] in _TRAILING:
            end -= 1
    value = text[start:end]
    word = match["word"]
    is_password = bool(re.match(rf"(?:{_PASSWORD_WORD})$", word))
    before = _WORD_BEFORE.search(lowered, max(0, match.start() - 40), match.start())
    name = before[0] if before else ""
    if word == "pass" and (spoken or name[-1:].isalpha() or not _is_strong(value, 6)):
        return
    if word in {"token", "secret"} and name[-1:].isalpha() and not spoken and not text[match.start()].isupper():
        return  # the end of another word
    if _NOT_SECRET_BEFORE.search(lowered[max(0, match.start() - 14) : match.start()]) and not is_password:
        return
    if is_placeholder(value) or _DATE.match(value):
        return
    if spoken and not _said(value, quoted=quoted, is_password=is_password):
        return
    if not spoken and not _assigned(value, quoted=quoted, is_password=is_password, code=match["sep"] in {"=", "=="}):
        return
    yield Finding(start, end, "password" if is_password else "generic_assignment", NAMED)


def _assigned(value: str, *, quoted: bool, is_password: bool, code: bool) -> bool:
    """Whether a value after `name =` is a secret and not a name, a word or a number of settings."""
    if is_password:
        if quoted:
            return len(value) >= 4 and (not value.isalpha() or len(value) >= 6 or value != value.lower()) and not _is_sentence(value)
        if _IDENTIFIER.match(value) and not any(mark.isdigit() for mark in value):
            return "_" not in value and "." not in value and len(value) >= _LONG_PASSWORD
        if code and _IDENTIFIER.match(value) and "." in value:
            return False
        return len(value) >= 4
    if " " in value or _UPPER_CONSTANT.match(value):
        return False
    return _is_strong(value, 10)


def _is_sentence(value: str) -> bool:
    """Whether a quoted value is prose: `must not be empty`."""
    words = value.split()
    return len(words) >= 3 and bool({"is", "the", "must", "not", "be", "to", "a", "for", "your", "please", "or", "and"} & {w.lower() for w in words})


def _said(value: str, *, quoted: bool, is_password: bool) -> bool:
    """Whether a value after "the password is" is one, and not the next word of a sentence."""
    if is_password:
        if quoted and not value.isalpha() and not _is_sentence(value):
            return len(value) >= 4
        return _is_strong(value, 5)
    return _is_strong(value, 16) and " " not in value


def _is_strong(value: str, shortest: int) -> bool:
    if len(value) < min(shortest, 16) or len(set(value)) < 4:
        return False
    digits = sum(mark.isdigit() for mark in value)
    letters = sum(mark.isalpha() for mark in value)
    if digits and letters:
        return not re.match(r"^(?:\d+[a-z]{1,4}|[a-z]{1,3}\d{1,2}|v\d[\d.]{0,10}[a-z]{0,3}\d?)$", value)
    if letters and _STRONG.search(value):
        return not _IDENTIFIER.match(value)
    if digits == len(value):
        return shortest <= 6 and digits >= 6
    return len(value) >= 24 and value != value.lower() and value != value.upper() and value.isalnum()


_SECRET_NAME = re.compile(rf"(?:{_PASSWORD_WORD}|{_SECRET_WORD}|[a-z0-9]_?key|private|cookie|authorization)$")
_PLAIN_NAMES = re.compile(
    r"(?:public|primary|foreign|sort|partition|cache|hot|object|idempotency|routing|dedup|group|translation|i18n|locale|parent|natural|unique|composite|hash|row|column|map|dict|lookup|config|"
    r"setting|option|shortcut|modifier|field|sub|short|mon|tur|whis|jer|don|boundary|segment|facet|event|issue|project|ticket|block|style|theme|data|query|search|react|list|item|message|index)_?key$"
    r"|(?:next|page|continuation|max|min|stop|eos|bos|pad|unk|sep|cls|mask)_?token$|^(?:key|private)$"
)


def is_secret_name(name: str) -> bool:
    """Whether a property of this name holds a secret: it ends in key or token, or has password or secret in it.

    Names of lookups (`primary_key`, `next_page_token`) and of counts (`max_tokens`) are none.
    """
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip()).lower().replace("-", "_").replace(" ", "_")
    if _PLAIN_NAMES.search(plain) or plain.endswith(("_length", "_count", "_file", "_path", "_ttl", "_url", "_name", "_type", "_id", "_policy", "_expires", "_expiry", "_at", "_hint", "_field", "_required", "_enabled", "_min", "_max", "_limit", "_scan")):
        return False
    return bool(_SECRET_NAME.search(plain)) or "password" in plain or "secret" in plain


def _lowered(text: str, ranges: list[tuple[int, int]]) -> str:
    """The text, of the same length, in lower case inside the ranges."""
    pieces: list[str] = []
    at = 0
    for low, high in ranges:
        piece = text[low:high]
        lowered = piece.lower()
        if len(lowered) != len(piece):
            lowered = "".join(low_mark if len(low_mark := mark.lower()) == 1 else mark for mark in piece)
        pieces += [text[at:low], lowered]
        at = high
    pieces.append(text[at:])
    return "".join(pieces)
