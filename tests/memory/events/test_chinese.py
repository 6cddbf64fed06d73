from __future__ import annotations

import re

import pytest

from vaultkeeper.memory.events.chinese import chinese_events
from vaultkeeper.memory.events.patterns_zh import FACT_GONE, KINDS, TRADITIONAL


def found(text: str) -> list[tuple[str, str]]:
    return [(f.kind, text[f.start : f.end]) for f in chinese_events(text, 0, len(text))]


def test_traditional_characters_are_read_one_for_one() -> None:
    assert all(len(simple) == 1 for simple in TRADITIONAL.values())
    assert found("我們決定用 Rust") == [("decision", "我們決定用 Rust")]


def test_every_rule_is_an_expression_that_says_something() -> None:
    for rule in (*FACT_GONE, *(rule for _, rules in KINDS for rule in rules)):
        assert re.compile(rule).search("") is None, rule


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("最后还是选了第二家", "decision"),
        ("就这么定了", "decision"),
        ("周五前我会把文档写完", "commitment"),
        ("演出定在 6 月 21 号晚上", "commitment"),
        ("我更喜欢简短的回答", "preference"),
        ("我从来不喝咖啡", "preference"),
        ("我在一家医院上班", "fact"),
        ("我对花生过敏", "fact"),
    ],
)
def test_kinds(text: str, kind: str) -> None:
    assert found(text) == [(kind, text)]


def test_what_was_settled_belongs_to_the_decision() -> None:
    text = "我们说好了，暑假去大理，不去三亚"
    assert found(text) == [("decision", text)]


@pytest.mark.parametrize(
    "text",
    ["要不要换？", "他说他不吃辣", "老板决定涨价", "我还没想好", "如果我住在这里，怎么办", "帮我写一封信"],
)
def test_none(text: str) -> None:
    assert found(text) == []
