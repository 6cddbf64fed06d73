"""Numbers that identify a person or an account, each let through only with a right check digit or range.

Owns the check digits of cards, accounts and national numbers: functions of the bare characters, without separators,
that never raise. Phone numbers and e-mail addresses are none of these: they are what a memory is for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from itertools import chain
from typing import NamedTuple

from vaultkeeper.memory.common_words import word_set
from vaultkeeper.memory.detectors.finding import Finding
from vaultkeeper.memory.detectors.windows import ascii_view, joined, matches

IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29,
    "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29,
    "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28,
    "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20,
    "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22,
    "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25,
    "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25,
    "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip
"""Length of an IBAN by country. Source: SWIFT IBAN registry (ISO 13616)."""


def luhn_ok(digits: str) -> bool:
    """Source: ISO/IEC 7812-1, annex B."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit)
        if place % 2:
            number = number * 2 - 9 if number > 4 else number * 2
        total += number
    return total % 10 == 0


def iban_ok(account: str) -> bool:
    """Source: ISO 13616 with ISO 7064 mod 97-10; upper case expected."""
    if IBAN_LENGTHS.get(account[:2]) != len(account):
        return False
    moved = account[4:] + account[:4]
    return int("".join(str(int(mark, 36)) for mark in moved)) % 97 == 1


_VERHOEFF_D = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_VERHOEFF_P = (
    "0123456789", "1576283094", "5803796142", "8916043527",
    "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip


def verhoeff_ok(digits: str) -> bool:
    """Source: J. Verhoeff, Error detecting decimal codes (1969); used by Aadhaar."""
    check = 0
    for place, digit in enumerate(reversed(digits)):
        check = int(_VERHOEFF_D[check][int(_VERHOEFF_P[place % 8][int(digit)])])
    return check == 0


def _weighted(digits: str, weights: tuple[int, ...]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def cpf_ok(digits: str) -> bool:
    """Brazilian CPF, eleven digits with two check digits mod 11."""
    if len(digits) != 11 or len(set(digits)) == 1:
        return False
    first = _weighted(digits, tuple(range(10, 1, -1))) * 10 % 11 % 10
    second = _weighted(digits, tuple(range(11, 1, -1))) * 10 % 11 % 10
    return digits[9:] == f"{first}{second}"


def cnpj_ok(digits: str) -> bool:
    """Brazilian CNPJ, fourteen digits with two check digits mod 11."""
    if len(digits) != 14 or len(set(digits)) == 1:
        return False
    weights = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)
    checks = []
    for skip in (1, 0):
        rest = _weighted(digits, weights[skip:]) % 11
        checks.append(0 if rest < 2 else 11 - rest)
    return digits[12:] == f"{checks[0]}{checks[1]}"


def cuit_ok(digits: str) -> bool:
    """Argentine CUIT and CUIL, eleven digits, check digit mod 11."""
    if len(digits) != 11 or digits[:2] not in {"20", "23", "24", "25", "26", "27", "30", "33", "34"}:
        return False
    rest = 11 - _weighted(digits, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return int(digits[10]) == {11: 0, 10: 9}.get(rest, rest)


def dni_ok(text: str) -> bool:
    """Spanish DNI (eight digits and a letter) and NIE (X, Y or Z before seven digits), letter mod 23."""
    number = {"X": "0", "Y": "1", "Z": "2"}.get(text[0], text[0]) + text[1:-1]
    return number.isdigit() and len(number) == 8 and "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == text[-1]


def rrn_ok(digits: str) -> bool:
    """Korean resident registration number, thirteen digits: a birth date and a check digit mod 11."""
    if len(digits) != 13:
        return False
    century = {"1": 19, "2": 19, "5": 19, "6": 19, "3": 20, "4": 20, "7": 20, "8": 20}.get(digits[6])
    if century is None or not is_date(f"{century}{digits[:6]}"):
        return False
    return (11 - _weighted(digits, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)) % 11) % 10 == int(digits[12])


def rfc_ok(text: str) -> bool:
    """Mexican RFC, twelve or thirteen characters: a date and a check character mod 11."""
    if not is_date("20" + text[-9:-3]) and not is_date("19" + text[-9:-3]):
        return False
    values = {mark: place for place, mark in enumerate("0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ")}
    padded = text.rjust(13)
    total = sum(values.get(mark, 0) * (13 - place) for place, mark in enumerate(padded[:12]))
    check = {11: "0", 10: "A"}.get(11 - total % 11, str(11 - total % 11))
    return padded[12] == check


def my_number_ok(digits: str) -> bool:
    """Japanese individual number, twelve digits, check digit mod 11."""
    if len(digits) != 12:
        return False
    rest = sum(int(digits[10 - n]) * (n + 2 if n < 6 else n - 4) for n in range(11)) % 11
    return int(digits[11]) == (0 if rest <= 1 else 11 - rest)


_PROVINCES = word_set(
    "11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63 64 65 71 81 "
    "82 83 91"
)


def resident_id_ok(text: str) -> bool:
    """Chinese resident identity number, seventeen digits and a check character. Source: GB 11643, ISO 7064
    mod 11-2."""
    if len(text) != 18 or text[:2] not in _PROVINCES or not is_date(text[6:14]):
        return False
    total = _weighted(text[:17], (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2))
    return "10X98765432"[total % 11] == text[17].upper()


def is_date(digits: str) -> bool:
    """Whether eight digits are a date, as YYYYMMDD."""
    try:
        date(int(digits[:4]), int(digits[4:6]), int(digits[6:8]))
    except ValueError:
        return False
    return True


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
    _Number("cpf", _shape(r"\d{3}\.\d{3}\.\d{3}-\d{2}"), cpf_ok),
    _Number("cpf", _shape(r"\d{11}"), cpf_ok, _word(r"\bcpf\b")),
    _Number("cnpj", _shape(r"\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}"), cnpj_ok),
    _Number("cnpj", _shape(r"\d{14}"), cnpj_ok, _word(r"\bcnpj\b")),
    _Number("cuit", _shape(r"\d{2}-\d{8}-\d"), cuit_ok),
    _Number("cuit", _shape(r"\d{11}"), cuit_ok, _word(r"\bcui[tl]\b")),
    _Number(
        "aadhaar",
        re.compile(r"(?<![A-Za-z0-9_.])(?<!\d[ -])[2-9]\d{3}([ -])\d{4}\1\d{4}(?![A-Za-z0-9_])(?![ -]\d)"),
        verhoeff_ok,
    ),
    _Number("aadhaar", _shape(r"[2-9]\d{11}"), verhoeff_ok, _word(r"aadhaa?r|आधार|uidai")),
    _Number("dni", _shape(r"(?:\d{8}|[XYZ]-?\d{7})-?[A-HJ-NP-TV-Z]"), dni_ok),
    _Number(
        "nino",
        _shape(r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]"),
        _any,
    ),
    _Number("rrn", _shape(r"\d{6}-[1-8]\d{6}"), rrn_ok),
    _Number("rfc", _shape(r"[A-ZÑ&]{3,4}\d{6}[A-Z0-9]{3}"), rfc_ok),
    _Number("pan_in", _shape(r"[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]"), _any),
    _Number(
        "my_number",
        re.compile(r"(?<!\d)(?<!\d[ -])\d{4}[ -]?\d{4}[ -]?\d{4}(?!\d)(?![ -]\d)"),
        my_number_ok,
        _word(r"マイナンバー|個人番号|my ?number"),
    ),
    _Number("resident_id", _shape(r"[1-9]\d{16}[\dXx]"), resident_id_ok),
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
        if _CARD_ISSUER.match(digits) and luhn_ok(digits) and len(set(digits)) > 2:
            yield _finding(match.start(), match.end(), "credit_card")


def _find_ibans(text: str, ranges: list[tuple[int, int]]) -> Iterator[Finding]:
    for match in matches(_IBAN_START, text, ranges):
        length = IBAN_LENGTHS.get(match[0][:2].upper())
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
        if iban_ok(account.upper()):
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
