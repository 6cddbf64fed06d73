from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.errors import UsageError
from vaultkeeper.history.names import check_source, decode_name, encode_name, is_source, ref_name


def test_kept_are_letters_digits_dot_underscore_and_hyphen() -> None:
    assert encode_name("notes:Größe/a_b-1.md") == b"i_notes%3AGr%C3%B6%C3%9Fe%2Fa_b-1.md"
    assert encode_name("") == b"i_"
    assert encode_name("50%") == b"i_50%25"


@given(st.text(st.characters(exclude_categories=())))
def test_a_name_is_read_back_and_never_holds_a_slash(text: str) -> None:
    name = encode_name(text)
    assert decode_name(name) == text
    assert re.fullmatch(rb"i_[A-Za-z0-9._%-]*", name)


def test_what_is_not_an_item_has_no_name() -> None:
    assert decode_name(b"m_paths") is None


@given(st.text(), st.text())
def test_a_name_in_a_ref_is_one_that_git_allows_and_two_texts_have_two(one: str, other: str) -> None:
    name = ref_name(one)
    assert len(name) <= 200
    assert b"." not in name
    assert (ref_name(other) == name) == (one == other)


@pytest.mark.parametrize("text", ["", "   ", "a\nb", "a\tb", "\x00", "notes:\x7f", "a\u2028b"])
def test_blank_and_control_characters_make_no_source(text: str) -> None:
    assert not is_source(text)
    with pytest.raises(UsageError):
        check_source(text)


@pytest.mark.parametrize("text", ["notes:", "notes:笔记", "episodic:a b", "notes:a..lock"])
def test_anything_else_does(text: str) -> None:
    check_source(text)
