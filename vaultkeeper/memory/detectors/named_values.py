"""Secrets that only the name beside them gives away: passwords and assigned keys.

Owns the reading of `NAME = VALUE` in its many spellings (settings files, JSON inside JSON, headers, flags,
query strings) and of sentences such as "the password is …", English and Chinese.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from vaultkeeper.memory.detectors.finding import NAMED, Finding, is_placeholder
from vaultkeeper.memory.detectors.windows import (
    ascii_view,
    joined,
    matches,
    present,
    vocabulary_of,
    windows,
)

_PASSWORD_WORD = (
    r"pass(?:word|wd|phrase|wort|code)?|pwd|(?<![a-z0-9])pw(?![a-z0-9])|passwort|kennwort|contraseña|senha|"
    r"密码|密碼|口令|暗証番号|パスワード|비밀번호"
)
_KEY_WORD = (
    r"(?:api|access|secret|private|auth|encryption|signing|master|account|app|application|consumer|service|"
    r"storage|license|client|"
    r"session|admin|deploy|shared|hmac|aes|jwt|webhook|subscription|functions?|primary|secondary|security|"
    r"server|django_secret|flask_secret)[_ -]?keys?"
)
_SECRET_WORD = (
    rf"{_KEY_WORD}|secret(?:[_ -]?access[_ -]?key|[_ -]?key(?:[_ -]?base)?|[_ -]?token)?|token|"
    r"credentials?|密钥|密鑰|秘钥|令牌|私钥|(?<![a-z])auth(?![a-z_-])"
)
_NAME = rf"(?P<word>{_PASSWORD_WORD}|{_SECRET_WORD})"
_QUOTE = r"(?:\\*[\"'`]|[“”「『])"
_VALUE = (
    r"(?:(?P<open>\\*[\"'`]|[“「『])(?P<quoted>[^\"'`”」』\\\n]{1,300})(?:\\*[\"'`]|[”」』])"
    r"|(?P<bare>[^\s\"'`,;<>()\[\]{}|&\\\u3000-\u9fff\uac00-\ud7af，；（）：？！“”]{1,300}))"
)
_AT_NAME = re.compile(rf"(?={_NAME})")
_NAME_BEFORE_CHARS = 32
_NAME_AFTER_CHARS = 32
"""Where a name may begin, and end, around the literal in it."""
_ASSIGNED = re.compile(
    rf"{_NAME}(?P<tail>(?:[_-]?(?:value|prod|production|dev|staging|test|live|new|old|"
    rf"\d{{1,3}}))?){_QUOTE}?\)?[ \t]{{0,4}}(?P<sep>:=|=>|==?|[:：]|→|->)[ \t]{{0,8}}(?:[rbuf](?=[\"'])|"
    rf"!{{1,2}}str[ \t]+)?{_VALUE}"
)
_SPOKEN = re.compile(
    rf"{_NAME}(?P<between>[^\n.:：=。；;?？]{{0,60}}?)(?:(?:\b(?:is|was|are|to|be|reads|becomes|now)\b|"
    r"'s\b|’s\b|(?:是|为|為|改成|改为|设为|设成|换成|就是)了?(?!否|不|什|怎|哪|谁|一种|一个|多少))[ "
    r"\t]*(?:(?:now|still|currently|just|simply|set to|changed to|reset to)[ \t]+){0,2}[:：]?[ "
    rf"\t]*){_VALUE}"
)
_FOR = re.compile(rf"{_NAME}[ \t]+(?:for|of|to|at|on|in)[ \t][^\n:：=]{{1,40}}[:：=][ \t]*{_VALUE}")
_SPACED = re.compile(rf"{_NAME}(?:[ \t]*\|[ \t]*|[ \t]{{1,4}}){_VALUE}")
_MARKUP = re.compile(rf"<[^<>\s]{{0,40}}{_NAME}>(?P<quoted>[^<>\s]{{1,300}})(?P<bare>)</")
_ATTRIBUTE = re.compile(rf"{_NAME}[\"'][ \t]{{1,4}}value=[\"'](?P<quoted>[^\"'\n]{{1,300}})(?P<bare>)")
_CALLED = re.compile(
    rf"{_NAME}[ \t]?\([ \t]?(?P<open>\\*[\"'`])(?P<quoted>[^\"'`\\\n]{{1,300}})(?P<bare>)\\*[\"'`][ \t]?\)"
)
_SQL = re.compile(
    r"\bidentified (?:with \S{1,60} )?(?:by|as)[ "
    r"\t]+(?P<open>[\"'])(?P<quoted>[^\"'\n]{1,300})(?P<bare>)[\"']"
)
_AS_BEFORE = re.compile(r"(?:as|is|was)[ \t]+(?:the|my|our|your|his|her|a)?[ \t]?(?:[a-z]+[ \t]){0,2}$")
_AS_THE = re.compile(
    r"(?<![^\s\"'`“(])(?P<bare>[^\s\"'`“”(),;<>]{6,100})[\"'`”]?[ \t]+(?:as|is|was)[ \t]+(?:the|my|our|"
    rf"your|his|her|a)?[ \t]?(?:[a-z]+[ \t]){{0,2}}{_NAME}(?![a-z_])"
)
_PAIR = re.compile(
    rf"\b(?:creds|credentials|login|logins|zugangsdaten)\b[ \t:]{{1,3}}[\w.@+-]{{1,60}}[ ]?[:/][ ]?{_VALUE}"
)
_COOKIE = re.compile(
    r"\b(?:[a-z_.-]{0,20}(?:session|sess|sid|auth|remember|"
    r"token)[a-z_.-]{0,12})=(?P<bare>[a-z0-9%._~+/=-]{16,400})"
)
_QUOTING = (_MARKUP, _ATTRIBUTE, _CALLED)
_FLAG = re.compile(
    r"(?<![\w-])(?:--?(?:password|passwd|pass|pwd|token|api-key|apikey|secret|access-token|auth-token|"
    r"private-token|bot-token|access-key|secret-key|client-secret|key|with-token|auth))(?:[ \t]+|=)"
    r"(?:(?P<open>[\"'])(?P<quoted>[^\"'\n]{1,300})[\"']|(?P<bare>[^\s\"'`|;<>&]{1,300}))"
)
_SSHPASS = re.compile(
    r"\bsshpass[ \t]+-p[ \t]*(?:(?P<open>[\"'])(?P<quoted>[^\"'\n]{1,300})[\"']|(?P<bare>[^\s\"'`|"
    r";<>&]{1,300}))"
)
_CURL_USER = re.compile(
    r"(?:^|[ \t])(?:-u|--user)[ \t]+(?P<open>[\"']?)[^\s:\"']{1,100}:(?P<bare>[^\s\"'`|;<>&]{1,300})", re.M
)
_MYSQL = re.compile(
    r"\b(?:mysql|mysqldump|mariadb|mysqladmin)\b[^\n|;]{0,120}?[ \t]-p(?P<bare>[^\s\"'`|;<>&-][^\s\"'`|"
    r";<>&]{3,100})"
)
_NETRC = re.compile(r"\bmachine[ \t]+\S{1,100}\s+login[ \t]+\S{1,100}\s+password[ \t]+(?P<bare>\S{1,200})")
_LOGIN_PAIR = re.compile(
    rf"(?:user(?:name)?|login|账号|用户名)[^\n]{{0,40}}?[/,，和与 ](?: and)?[ \t]*(?:{_PASSWORD_WORD})[ "
    r"\t]+(?:(?P<open>[\"'`“])(?P<quoted>[^\"'`”\n]{1,300})[\"'`”]|(?P<bare>[^\s\"'`,;<>()\[\]{}|"
    r"&，。；]{1,300}))"
)
_FLAGS = (
    "-pass",
    "-pwd",
    "-token",
    "-api",
    "-secret",
    "-access",
    "-auth",
    "-private",
    "-bot",
    "-client",
    "-key",
    "-with",
)
_LITERALS = (
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "credential",
    "kennwort",
    "contrase",
    "senha",
    "pw:",
    "pw=",
    "pw ",
    "auth:",
    "auth=",
    'auth"',
    "auth'",
)
_OTHER_LITERALS = ("密", "秘钥", "令牌", "口令", "暗証", "パスワード", "비밀번호", "私钥")

_BEFORE_CHARS = 64
_AFTER_CHARS = 420
_NOT_SECRET_BEFORE = re.compile(
    r"(?:public|pub|primary_|foreign|sort|partition|cache|hot|ssh_host|max|min|num|total|count|prompt|"
    r"completion|cached|input|output|next|page|continuation|pad|eos|bos|unk|mask|sep|cls|special|stop|"
    r"csrf_?param|no|forgot|reset|wrong|bad|invalid|missing|"
    r"per|each|every|one|this|that|which|any|monkey|tur)[_ -]?$"
)
_WORD_BEFORE = re.compile(r"[A-Za-z0-9_.-]{0,40}$")
_STRONG = re.compile(r"[!@#$%^&*+=_~]")
_TRAILING = ".,;:?！？。，；…"
_DATE = re.compile(r"^\d{4}-\d\d-\d\d|^\d{1,2}:\d\d|^v?\d+\.\d+(?:\.\d+)*$|^\d{1,3}(?:[.,]\d+)?%?$")
_IDENTIFIER = re.compile(r"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$")
_UPPER_CONSTANT = re.compile(r"^[A-Z][A-Z_]*[A-Z](?:_[A-Z0-9]+)*$")
_LONG_PASSWORD = 12


def find_named_values(text: str, vocabulary: str | None = None) -> Iterator[Finding]:
    """Yields values that are secret by the words beside them; offsets of the values, without their quotes.

    Args:
        vocabulary: Of the text in lower case, where it is known already; see `windows.vocabulary_of`.
    """
    view = ascii_view(text).lower()
    known = vocabulary_of(view) if vocabulary is None else vocabulary

    def around(literals: Sequence[str], before: int, after: int = _AFTER_CHARS) -> list[tuple[int, int]]:
        return windows(view, present(known, literals), before, after)

    ranges = around(_LITERALS, _BEFORE_CHARS)
    if not text.isascii():
        ranges = joined(ranges + windows(text, _OTHER_LITERALS, _BEFORE_CHARS, _AFTER_CHARS))
    lowered = _lowered(text, ranges)
    near = around(_LITERALS, _NAME_BEFORE_CHARS, _NAME_AFTER_CHARS)
    if not text.isascii():
        near = joined(near + windows(text, _OTHER_LITERALS, _NAME_BEFORE_CHARS, _NAME_AFTER_CHARS))
    names = sorted({match.start() for low, high in near for match in _AT_NAME.finditer(lowered, low, high)})
    for match in _at(_ASSIGNED, lowered, names):
        yield from _judged(text, lowered, match, spoken=False)
    for match in _at(_SPOKEN, lowered, names):
        yield from _judged(text, lowered, match, spoken=True)
    for pattern in (_FOR, _SPACED, _ATTRIBUTE, _CALLED):
        for match in _at(pattern, lowered, names):
            yield from _loosely_named(text, match, pattern)
    if "</" in view:
        for match in matches(_MARKUP, lowered, ranges):
            yield from _loosely_named(text, match, _MARKUP)
    said = [name for name in names if _AS_BEFORE.search(lowered, max(0, name - _BEFORE_CHARS), name)]
    for match in matches(
        _AS_THE,
        lowered,
        joined([(max(0, name - 2 * _BEFORE_CHARS), name + _NAME_AFTER_CHARS) for name in said]),
    ):
        if (
            _is_strong(match["bare"], 6)
            and any(mark.isdigit() for mark in match["bare"])
            and not _DATE.match(match["bare"])
        ):
            yield Finding(match.start("bare"), match.end("bare"), "password", NAMED)
    yield from _passed(
        text,
        matches(_PAIR, lowered, around(("creds", "credentials", "login", "zugang"), 1)),
        strict=True,
    )
    yield from _passed(text, matches(_SQL, view, around(("identified ",), 1)), strict=False)
    yield from _passed(text, matches(_COOKIE, view, around(("cookie",), 1, 1000)), strict=True)
    for pattern, literals in (
        (_FLAG, _FLAGS),
        (_SSHPASS, ("sshpass",)),
        (_NETRC, ("machine",)),
        (_LOGIN_PAIR, ("user", "login")),
    ):
        some = around(literals, 0)
        yield from _passed(text, matches(pattern, lowered, some), strict=pattern in (_FLAG, _LOGIN_PAIR))
    if not text.isascii():
        some = windows(text, ("账号", "用户名"), 0, _AFTER_CHARS)
        yield from _passed(text, matches(_LOGIN_PAIR, lowered, some), strict=True)
    yield from _passed(text, matches(_CURL_USER, text, around((" -u", " --user"), 1)), strict=False)
    yield from _passed(text, matches(_MYSQL, text, around(("mysql", "mariadb"), 1)), strict=False)


def _at(pattern: re.Pattern[str], text: str, places: list[int]) -> Iterator[re.Match[str]]:
    """Yields the matches of a pattern that begins with a name, as `finditer` would: none inside another."""
    end = 0
    for place in places:
        match = pattern.match(text, place) if place >= end else None
        if match is not None:
            end = match.end()
            yield match


def _passed(text: str, found: Iterator[re.Match[str]], *, strict: bool) -> Iterator[Finding]:
    """Yields what is passed to a program; where the flag has other uses too (`strict`), only what looks
    like a secret."""
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
        if text[end : end + 1] in {"(", "["} or (
            text[end : end + 1] == "." and text[end + 1 : end + 2].isalpha()
        ):
            return  # a call or an element of something
        while end > start and text[end - 1] in _TRAILING:
            end -= 1
    value = text[start:end]
    word = match["word"]
    is_password = bool(re.match(rf"(?:{_PASSWORD_WORD})$", word))
    before = _WORD_BEFORE.search(lowered, max(0, match.start() - 40), match.start())
    name = before[0] if before else ""
    if word == "pass" and (spoken or name[-1:].isalpha() or not _is_strong(value, 6)):
        return
    if (
        word in {"token", "secret"}
        and name[-1:].isalpha()
        and not spoken
        and not text[match.start()].isupper()
    ):
        return  # the end of another word
    if _NOT_SECRET_BEFORE.search(lowered[max(0, match.start() - 14) : match.start()]) and not is_password:
        return
    if is_placeholder(value) or _DATE.match(value):
        return
    if spoken and not _said(value, quoted=quoted, is_password=is_password):
        return
    if not spoken and not _assigned(
        value, quoted=quoted, is_password=is_password, code=match["sep"] in {"=", "=="}
    ):
        return
    yield Finding(start, end, "password" if is_password else "generic_assignment", NAMED)


def _loosely_named(text: str, match: re.Match[str], pattern: re.Pattern[str]) -> Iterator[Finding]:
    """Yields a value that stands beside a name without a sign of assignment, when it looks like a secret
    by itself."""
    group = "quoted" if match["quoted"] is not None else "bare"
    start, end = match.start(group), match.end(group)
    if pattern not in _QUOTING:
        while end > start and text[end - 1] in _TRAILING:
            end -= 1
    value = text[start:end]
    is_password = bool(re.match(rf"(?:{_PASSWORD_WORD})$", match["word"]))
    if match["word"] == "pass" and pattern is not _MARKUP:
        return
    if (
        text[end : end + 1] in {"(", "["}
        or is_placeholder(value)
        or _DATE.match(value)
        or (" " in value and not is_password)
    ):
        return
    if pattern in _QUOTING:
        real = _assigned(value, quoted=True, is_password=is_password, code=False)
    elif is_password:
        real = _is_strong(value, 8 if pattern is _SPACED else 5) and (
            pattern is not _SPACED or _looks_chosen(value)
        )
    else:
        real = _is_strong(value, 20) and len(value) >= 20 and "/" not in value[:8]
    if real:
        yield Finding(start, end, "password" if is_password else "generic_assignment", NAMED)


def _looks_chosen(value: str) -> bool:
    """Whether a word beside "password" is one: digits among letters, or a mark that no word has."""
    if _STRONG.search(value) and not _IDENTIFIER.match(value):
        return True
    digits = sum(mark.isdigit() for mark in value)
    if (
        digits
        and len(value) >= 10
        and value.isalnum()
        and any(m.isupper() for m in value[1:])
        and any(m.islower() for m in value)
    ):
        return True
    return digits >= 2 and sum(mark.isalpha() for mark in value) >= 4 and value.isalnum()


def _assigned(value: str, *, quoted: bool, is_password: bool, code: bool) -> bool:
    """Whether a value after `name =` is a secret and not a name, a word or a number of settings."""
    if is_password:
        if quoted:
            return (
                len(value) >= 4
                and (not value.isalpha() or len(value) >= 6 or value != value.lower())
                and not _is_sentence(value)
            )
        if _IDENTIFIER.match(value) and not any(mark.isdigit() for mark in value):
            return len(value) >= _LONG_PASSWORD and (
                _is_jumbled(value) or ("_" not in value and "." not in value)
            )
        if code and _IDENTIFIER.match(value) and "." in value:
            return False
        return len(value) >= 4
    if " " in value or _UPPER_CONSTANT.match(value):
        return False
    return _is_strong(value, 10)


def _is_sentence(value: str) -> bool:
    """Whether a quoted value is prose: `must not be empty`."""
    words = value.split()
    return len(words) >= 3 and bool(
        {"is", "the", "must", "not", "be", "to", "a", "for", "your", "please", "or", "and"}
        & {w.lower() for w in words}
    )


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
    return len(value) >= 24 and value.isalnum() and _is_jumbled(value)


def _is_jumbled(value: str) -> bool:
    """Whether capitals come and go as they do in no word or name: at every third letter or more often."""
    return sum(a.isupper() != b.isupper() for a, b in pairwise(value)) * 3 > len(value)


_SECRET_NAME = re.compile(rf"(?:{_PASSWORD_WORD}|{_SECRET_WORD}|[a-z0-9]_?key|private|cookie|authorization)$")
_PLAIN_NAMES = re.compile(
    r"(?:public|primary|foreign|sort|partition|cache|hot|object|idempotency|routing|dedup|group|"
    r"translation|i18n|locale|parent|natural|unique|composite|hash|row|column|map|dict|lookup|config|"
    r"setting|option|shortcut|modifier|field|sub|short|mon|tur|whis|jer|don|boundary|segment|facet|event|"
    r"issue|project|ticket|block|style|theme|data|query|search|react|list|item|message|index)_?key$"
    r"|(?:next|page|continuation|max|min|stop|eos|bos|pad|unk|sep|cls|mask)_?token$|^(?:key|private)$"
)


def is_secret_name(name: str) -> bool:
    """Whether a property of this name holds a secret: it ends in key or token, or has password or secret in
    it.

    Names of lookups (`primary_key`, `next_page_token`) and of counts (`max_tokens`) are none.
    """
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip()).lower().replace("-", "_").replace(" ", "_")
    if _PLAIN_NAMES.search(plain) or plain.endswith(
        (
            "_length",
            "_count",
            "_file",
            "_path",
            "_ttl",
            "_url",
            "_name",
            "_type",
            "_id",
            "_policy",
            "_expires",
            "_expiry",
            "_at",
            "_hint",
            "_field",
            "_required",
            "_enabled",
            "_min",
            "_max",
            "_limit",
            "_scan",
        )
    ):
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
