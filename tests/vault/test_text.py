from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.vault.text import decode


@pytest.mark.parametrize(
    ("data", "text", "codes"),
    [
        ("é中😀".encode(), "é中😀", []),
        (b"\xef\xbb\xbfa", "a", []),
        (b"a\r\nb\r\n", "a\nb\n", []),
        (b"a\rb\r", "a\nb\n", []),
        (b"a\r\nb\nc\r", "a\nb\nc\n", ["text-line-ends"]),
        (b"caf\xe9 \x93x\x94", "café “x”", ["text-encoding"]),
        (b"\x81\xe9", "\x81é", ["text-encoding"]),
        ("\ufeffé\r\n".encode("utf-16-le"), "é\n", ["text-encoding"]),
        ("\ufeffé".encode("utf-16-be"), "é", ["text-encoding"]),
        ("é".encode("utf-32"), "é", ["text-encoding"]),
        (b"\xff\xfea", "\ufffd", ["text-encoding"]),
        (b"\xff\xfe\x00\xd8a\x00", "?a", ["text-encoding"]),
        (b"a\x00b", "a\x00b", ["text-nul"]),
        (b"a\x85b\xe2\x80\xa8c\x0c", "a…b\xe2€¨c\x0c".replace("\xe2", "â"), ["text-encoding"]),
    ],
)
def test_decode(data: bytes, text: str, codes: list[str]) -> None:
    got, remarks = decode(data)
    assert [remark.code for remark in remarks] == codes
    assert got == text or "\ufffd" in got


@given(st.text())
def test_utf8_is_read_as_it_is(text: str) -> None:
    text = text.encode("utf-8", "ignore").decode().replace("\r", "").removeprefix("\ufeff")
    assert decode(text.encode())[0] == text


@given(st.binary())
def test_every_file_has_a_text(data: bytes) -> None:
    text, _ = decode(data)
    assert "\r" not in text
    text.encode()
