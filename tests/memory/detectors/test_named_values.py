from __future__ import annotations

from random import Random

import pytest

from tests.memory.made_up import HEX, glue, some
from vaultkeeper.memory.detectors.finding import NAMED
from vaultkeeper.memory.detectors.named_values import find_named_values

WORD = glue("pass", "word")
VALUE = glue("maple", "4711", "Raven")


def values(text: str) -> list[str]:
    return [text[f.start : f.end] for f in find_named_values(text)]


def test_the_value_without_its_quotes_and_closing_marks() -> None:
    for text in (
        f'{WORD}: "{VALUE}"',
        f"the {WORD} is {VALUE}.",
        f"{WORD}={VALUE}; next",
        f"密码是「{VALUE}」。",
    ):
        assert set(values(text)) == {VALUE}, text


def test_offsets_after_letters_whose_lower_case_is_longer() -> None:
    assert set(values(f"İİ 密码：{VALUE} İ")) == {VALUE}


@pytest.mark.parametrize(
    "text",
    [
        f"{WORD} = user.{WORD}",
        f"{WORD} = ask({WORD})",
        f"{WORD}: required",
        "token: str",
        "secret = load()",
        "key: value",
        f"{WORD}: 你好",
    ],
)
def test_names_in_code_and_words(text: str) -> None:
    assert values(text) == []


def test_names_decide_the_class() -> None:
    key = some(Random(3), HEX, 40)
    assert [(f.kind, f.replacement) for f in find_named_values(f"api_key={key}")] == [
        ("generic_assignment", NAMED)
    ]
    assert [(f.kind, f.replacement) for f in find_named_values(f"{WORD}={key}")] == [("password", NAMED)]


def test_letters_alone_when_no_word_is_written_so() -> None:
    jumble = glue("XWhzWcq", "_uZYwyCUx")
    assert set(values(f"{WORD}: {jumble}")) == {jumble}
    assert values(f"{WORD} = SecretManagerClient_default") == []
