from __future__ import annotations

import re
from random import Random
from re import _parser as parser  # type: ignore[attr-defined]

import pytest

from tests.memory.made_up import ALNUM, glue, key_block, provider_keys, some
from vaultkeeper.memory.detectors import provider_tokens
from vaultkeeper.memory.detectors.finding import SECRET, Finding
from vaultkeeper.memory.detectors.provider_tokens import find_key_blocks, find_provider_tokens

KEYS = provider_keys(Random(23))


@pytest.mark.parametrize("kind", sorted(KEYS))
def test_class_and_place(kind: str) -> None:
    text = f"see {KEYS[kind]}, ok"
    assert list(find_provider_tokens(text)) == [Finding(4, 4 + len(KEYS[kind]), kind, SECRET)]


@pytest.mark.parametrize("kind", sorted(KEYS))
def test_the_inside_of_a_longer_word_is_none(kind: str) -> None:
    text = f"see Zz{KEYS[kind]}"
    assert all(finding.start > 6 for finding in find_provider_tokens(text)) or kind in {
        "github_fine_grained",
        "telegram_token",
    }


def test_a_token_longer_than_any_window() -> None:
    long = KEYS["jwt"] + some(Random(7), ALNUM, 10_000)
    assert [text.end - text.start for text in find_provider_tokens(f"x {long} y")] == [len(long)]


def test_only_the_secret_part_of_an_address() -> None:
    hook = glue("T0ABCDEF12", "/", "B0ABCDEF12", "/", "abcdEFGH1234ijklMNOP5678")
    text = glue("https://hooks.", "slack.com/services/") + hook
    assert [text[f.start : f.end] for f in find_provider_tokens(text)] == [hook]


def test_blocks_are_found_with_their_rules() -> None:
    block = key_block(Random(5))
    assert [(f.start, f.end) for f in find_key_blocks(f"a\n{block}\nb")] == [(2, 2 + len(block))]


def test_no_key_is_so_short_or_holds_a_blank_that_it_would_not_be_looked_for() -> None:
    for shape in provider_tokens._SHAPES:
        least, _ = parser.parse(shape.pattern).getwidth()
        assert least >= 15, shape.kind
        assert not re.search(r"\\s| ", shape.pattern), shape.kind
        assert all(literal == literal.strip() for literal in shape.literals), shape.kind
