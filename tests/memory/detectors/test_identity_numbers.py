from __future__ import annotations

import pytest

from vaultkeeper.memory.detectors import find_identity_numbers, identity_numbers

RIGHT = {
    identity_numbers.luhn_ok: "79927398713",
    identity_numbers.iban_ok: "GB82WEST12345698765432",
    identity_numbers.verhoeff_ok: "2363",
    identity_numbers.cpf_ok: "52998224725",
    identity_numbers.cnpj_ok: "11222333000181",
    identity_numbers.cuit_ok: "20123456786",
    identity_numbers.dni_ok: "12345678Z",
    identity_numbers.my_number_ok: "123456789018",
}
"""The examples of the standards and the textbooks; none belongs to anybody."""


@pytest.mark.parametrize("check", RIGHT, ids=lambda check: check.__name__)
def test_one_changed_digit_fails(check) -> None:  # type: ignore[no-untyped-def]
    right = RIGHT[check]
    assert check(right)
    for place, mark in enumerate(right):
        if mark.isdigit():
            wrong = right[:place] + str((int(mark) + 1) % 10) + right[place + 1 :]
            assert not check(wrong), wrong


def test_residents() -> None:
    body = "11010519491231002"
    assert [mark for mark in "0123456789X" if identity_numbers.resident_id_ok(body + mark)] == ["X"]
    assert not identity_numbers.resident_id_ok("110105194913310021")


def test_korean_numbers_hold_a_date() -> None:
    right = [mark for mark in "0123456789" if identity_numbers.rrn_ok("800101123456" + mark)]
    assert len(right) == 1
    assert not any(identity_numbers.rrn_ok("801301123456" + mark) for mark in "0123456789")


def test_mexican_numbers_hold_a_date() -> None:
    marks = "0123456789A"
    assert len([mark for mark in marks if identity_numbers.rfc_ok("GODE561231GR" + mark)]) == 1
    assert not any(identity_numbers.rfc_ok("GODE569931GR" + mark) for mark in marks)


SPANISH = next(
    "4821" + "7733" + mark for mark in "TRWAGMYFPDXBNJZSQVHLCKE" if identity_numbers.dni_ok("48217733" + mark)
)
INDIAN = next(
    n
    for n in (f"4{i:011d}" for i in range(52_000_000_000, 52_000_000_100))
    if identity_numbers.verhoeff_ok(n)
)
BRAZILIAN = next(n for n in (f"831047{i:05d}" for i in range(100_000)) if identity_numbers.cpf_ok(n))
JAPANESE = next(n for n in (f"71829034{i:04d}" for i in range(10_000)) if identity_numbers.my_number_ok(n))
KOREAN = next(
    n
    for n in (f"900214-1{i:06d}" for i in range(222_000, 222_100))
    if identity_numbers.rrn_ok(n.replace("-", ""))
)
CHINESE = next(
    "11010119900307" + "881" + mark
    for mark in "0123456789X"
    if identity_numbers.resident_id_ok("11010119900307881" + mark)
)


def kinds(text: str) -> list[str]:
    return sorted({finding.kind for finding in find_identity_numbers(text)})


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("dni", f"mi DNI es {SPANISH}."),
        ("aadhaar", f"{INDIAN[:4]} {INDIAN[4:8]} {INDIAN[8:]}"),
        ("aadhaar", f"aadhaar: {INDIAN}"),
        ("cpf", f"{BRAZILIAN[:3]}.{BRAZILIAN[3:6]}.{BRAZILIAN[6:9]}-{BRAZILIAN[9:]}"),
        ("cpf", f"CPF {BRAZILIAN}"),
        ("my_number", f"マイナンバーは{JAPANESE}です"),
        ("rrn", f"({KOREAN})"),
        ("resident_id", f"身份证{CHINESE}。"),
        ("nino", "NI number " + "AB" + " 12 34 56 " + "C"),
        ("pan_in", "PAN " + "ABCPE" + "1234" + "F"),
    ],
)
def test_numbers_with_right_checks(kind: str, text: str) -> None:
    assert kinds(text) == [kind]


@pytest.mark.parametrize(
    "text",
    [
        f"id {INDIAN}",
        f"id {BRAZILIAN}",
        f"id {JAPANESE}",
        "phone 030 1234567, 13812345678, +1 212 555 0123",
        "v1.2.3, 2025-02-11 09:14:55, 10.0.0.1, 0.123456789",
        "x" + SPANISH,
        SPANISH + "0",
    ],
)
def test_bare_digits_and_parts_of_words_are_none(text: str) -> None:
    assert kinds(text) == []


def test_iban_ends_where_its_country_says() -> None:
    account = "GB82" + "WEST12345698765432"
    spaced = " ".join(account[i : i + 4] for i in range(0, len(account), 4))
    for text in (account, spaced, f"{spaced} thanks", f"iban: {account.lower()}", f"到{account}。"):
        (finding,) = find_identity_numbers(text)
        assert finding.kind == "iban"
        assert text[finding.start : finding.end].replace(" ", "").upper() == account
    assert kinds(account.lower()) == []
    assert kinds(account + "0") == []


def test_a_number_behind_a_date_is_found_and_a_date_is_none() -> None:
    number = next(
        n
        for n in (f"4539 1488 0343 {i:04d}" for i in range(10))
        if identity_numbers.luhn_ok(n.replace(" ", ""))
    )
    for lead in ("2026-03-10 ", "2026-03-10 09:30 ", "on 2026-03-10: "):
        assert [f.kind for f in find_identity_numbers(f"{lead}{number}")] == ["credit_card"]
    assert list(find_identity_numbers("2026-03-10 09:30, 2026-03-11T10:00:00Z and 2026-03-12 Storage")) == []
