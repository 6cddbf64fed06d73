from __future__ import annotations

import pytest

from vaultkeeper.memory.detectors import checksums

RIGHT = {
    checksums.luhn_ok: "79927398713",
    checksums.iban_ok: "GB82WEST12345698765432",
    checksums.verhoeff_ok: "2363",
    checksums.cpf_ok: "52998224725",
    checksums.cnpj_ok: "11222333000181",
    checksums.cuit_ok: "20123456786",
    checksums.dni_ok: "12345678Z",
    checksums.my_number_ok: "123456789018",
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
    assert [mark for mark in "0123456789X" if checksums.resident_id_ok(body + mark)] == ["X"]
    assert not checksums.resident_id_ok("110105194913310021")


def test_korean_numbers_hold_a_date() -> None:
    right = [mark for mark in "0123456789" if checksums.rrn_ok("800101123456" + mark)]
    assert len(right) == 1
    assert not any(checksums.rrn_ok("801301123456" + mark) for mark in "0123456789")


def test_mexican_numbers_hold_a_date() -> None:
    marks = "0123456789A"
    assert len([mark for mark in marks if checksums.rfc_ok("GODE561231GR" + mark)]) == 1
    assert not any(checksums.rfc_ok("GODE569931GR" + mark) for mark in marks)
