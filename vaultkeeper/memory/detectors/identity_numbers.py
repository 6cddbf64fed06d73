"""Numbers that identify a person or an account, each let through only with a right check digit or range.

Phone numbers and e-mail addresses are none of these: they are what a memory is for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import NamedTuple

from vaultkeeper.memory.detectors import checksums
from vaultkeeper.memory.detectors.finding import Finding
from vaultkeeper.memory.detectors.windows import ascii_view, joined, matches

_FRONT = r"(?<![A-Za-z0-9_.])"
_BACK = r"(?![A-Za-z0-9_])(?!\.\d)"
_CARD_ISSUER = re.compile(
    r"(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|"
    r"3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}"
    r"|35(?:2[89]|[3-8]\d)\d{12}|6(?:011|4[4-9]\d|5\d\d)\d{12,15}|62\d{14,17}|6[037]\d{14,17})$"
)
"""Numbers of Visa, Mastercard, American Express, Diners, JCB, Discover, UnionPay and Maestro cards.
Source: ISO/IEC 7812."""
_CARD = re.compile(
    r"(?<![A-Za-z0-9_])(?:(?<!\d[ -])|(?<=[-:]\d\d ))(?<!\d\.)(?:\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ "
    r"-])\d{6}\2\d{4,5}|\d{13,19})(?![A-Za-z0-9_])(?![ -]\d{4})(?!\.\d)"
)
_IBAN_START = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ -]?[A-Za-z0-9]{2})")
_RUN = re.compile(r"[0-9](?:[ ./-]?[0-9]){5,}")
_PAN_MIDDLE = re.compile(r"[0-9]{4}(?<=[A-Z]{5}[0-9]{4})(?=[A-Z])")
"""What every number here has: six digits with at most one separator between two of them, or a PAN's
middle."""
_DATE_RUN = re.compile(
    r"(?<![A-Za-z0-9_/.-])(?:19|20)\d\d-[01]\d-[0-3]\d(?: [0-2]\d)?(?:(?=T\d\d:)|(?![A-Za-z0-9_-]))"
)
"""A run of digits that is a date, and an hour behind it: no number here is written so."""
_FEW_CHARS = 9
_BESIDE = re.compile(r"[A-Z&?][ -]?[0-9]|[0-9][ -]?[A-Z]")
"""Numbers of fewer digits than a social security number's have letters before or behind them."""
_BEFORE_CHARS = 16
_AFTER_CHARS = 48


class _Number(NamedTuple):
    """A kind of number.

    Attributes:
        kind: its class.
        pattern: its shape with separators.
        is_right: whether the characters without separators pass the check.
        keyword: a word that must be near, for shapes that other numbers have too; None where the shape is
            enough.
    """

    kind: str
    pattern: re.Pattern[str]
    is_right: Callable[[str], bool]
    keyword: re.Pattern[str] | None = None


def _any(_: str) -> bool:
    return True


def _shape(pattern: str) -> re.Pattern[str]:
    return re.compile(_FRONT + pattern + _BACK)


def _word(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.I)


_NUMBERS = (
    _Number(
        "us_ssn",
        re.compile(r"(?<![\dA-Za-z_-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\dA-Za-z_-])"),
        _any,
    ),
    _Number(
        "us_ssn",
        _shape(r"(?!000|666|9)\d{3} ?(?!00)\d{2} ?(?!0000)\d{4}"),
        _any,
        _word(r"\bssn\b|social security|社会安全号"),
    ),
    _Number("cpf", _shape(r"\d{3}\.\d{3}\.\d{3}-\d{2}"), checksums.cpf_ok),
    _Number("cpf", _shape(r"\d{11}"), checksums.cpf_ok, _word(r"\bcpf\b")),
    _Number("cnpj", _shape(r"\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}"), checksums.cnpj_ok),
    _Number("cnpj", _shape(r"\d{14}"), checksums.cnpj_ok, _word(r"\bcnpj\b")),
    _Number("cuit", _shape(r"\d{2}-\d{8}-\d"), checksums.cuit_ok),
    _Number("cuit", _shape(r"\d{11}"), checksums.cuit_ok, _word(r"\bcui[tl]\b")),
    _Number(
        "aadhaar",
        re.compile(r"(?<![A-Za-z0-9_.])(?<!\d[ -])[2-9]\d{3}([ -])\d{4}\1\d{4}(?![A-Za-z0-9_])(?![ -]\d)"),
        checksums.verhoeff_ok,
    ),
    _Number("aadhaar", _shape(r"[2-9]\d{11}"), checksums.verhoeff_ok, _word(r"aadhaa?r|आधार|uidai")),
    _Number("dni", _shape(r"(?:\d{8}|[XYZ]-?\d{7})-?[A-HJ-NP-TV-Z]"), checksums.dni_ok),
    _Number(
        "nino",
        _shape(r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]"),
        _any,
    ),
    _Number("rrn", _shape(r"\d{6}-[1-8]\d{6}"), checksums.rrn_ok),
    _Number("rfc", _shape(r"[A-ZÑ&]{3,4}\d{6}[A-Z0-9]{3}"), checksums.rfc_ok),
    _Number("pan_in", _shape(r"[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]"), _any),
    _Number(
        "my_number",
        re.compile(r"(?<!\d)(?<!\d[ -])\d{4}[ -]?\d{4}[ -]?\d{4}(?!\d)(?![ -]\d)"),
        checksums.my_number_ok,
        _word(r"マイナンバー|個人番号|my ?number"),
    ),
    _Number("resident_id", _shape(r"[1-9]\d{16}[\dXx]"), checksums.resident_id_ok),
)
"""Source: BEHAVIOUR 12.9 and the authorities that issue the numbers."""
_KEYWORD_NEAR_CHARS = 60
_SEPARATORS = str.maketrans("", "", " -./")


def find_identity_numbers(text: str) -> Iterator[Finding]:
    """Yields cards, accounts and national numbers that pass their checks, in no order."""
    ranges = _ranges(text)
    if not ranges:
        return
    yield from _find_cards(text, ranges)
    yield from _find_ibans(text, ranges)
    for number in _NUMBERS:
        for match in matches(number.pattern, text, ranges):
            if number.is_right(match[0].translate(_SEPARATORS)) and _named(text, match, number.keyword):
                yield _finding(match.start(), match.end(), number.kind)


def _ranges(text: str) -> list[tuple[int, int]]:
    """Returns where numbers may stand, widened to where a word ends, so that none is cut."""
    view = ascii_view(text)
    return joined(
        [
            (max(0, run.start() - _BEFORE_CHARS), min(len(text), run.end() + _AFTER_CHARS))
            for run in chain(
                filter(partial(_may_hold, view), _RUN.finditer(view)), _PAN_MIDDLE.finditer(view)
            )
        ]
    )


def _may_hold(view: str, run: re.Match[str]) -> bool:
    """Whether a run may belong to a number: one of few digits stands beside letters, and none is a date."""
    if sum(mark.isdigit() for mark in run[0]) < _FEW_CHARS and not _BESIDE.search(
        view, max(0, run.start() - 2), run.end() + 2
    ):
        return False
    date = _DATE_RUN.match(view, run.start())
    return date is None or date.end() != run.end()


def _named(text: str, match: re.Match[str], keyword: re.Pattern[str] | None) -> bool:
    if keyword is None:
        return True
    start = max(0, match.start() - _KEYWORD_NEAR_CHARS)
    return keyword.search(text, start, match.end() + _KEYWORD_NEAR_CHARS // 2) is not None


def _find_cards(text: str, ranges: list[tuple[int, int]]) -> Iterator[Finding]:
    for match in matches(_CARD, text, ranges):
        digits = match[0].translate(_SEPARATORS)
        if _CARD_ISSUER.match(digits) and checksums.luhn_ok(digits) and len(set(digits)) > 2:
            yield _finding(match.start(), match.end(), "credit_card")


def _find_ibans(text: str, ranges: list[tuple[int, int]]) -> Iterator[Finding]:
    for match in matches(_IBAN_START, text, ranges):
        length = checksums.IBAN_LENGTHS.get(match[0][:2].upper())
        if length is None:
            continue
        end = _end_after(text, match.start(), length)
        if end is None:
            continue
        account = text[match.start() : end].translate(_SEPARATORS)
        if (
            account != account.upper()
            and "iban" not in text[max(0, match.start() - 40) : match.start()].lower()
        ):
            continue
        if checksums.iban_ok(account.upper()):
            yield _finding(match.start(), end, "iban")


def _end_after(text: str, start: int, length: int) -> int | None:
    """Returns where `length` letters and digits end, single blanks and hyphens between them left out of
    the count."""
    at, seen, gap = start, 0, False
    while seen < length and at < len(text):
        mark = text[at]
        if mark.isascii() and mark.isalnum():
            seen, gap = seen + 1, False
        elif mark in " -" and not gap:
            gap = True
        else:
            return None
        at += 1
    following = text[at : at + 1]
    if seen < length or (following.isascii() and following.isalnum()):
        return None
    return at


def _finding(start: int, end: int, kind: str) -> Finding:
    return Finding(start, end, kind, f"[REDACTED_PII_{kind.upper()}]")
