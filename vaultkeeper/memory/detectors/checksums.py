"""Check digits of cards, accounts and national numbers.

Every function takes the bare characters without separators and never raises.
"""

from __future__ import annotations

from datetime import date

from vaultkeeper.memory.words import word_set

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
