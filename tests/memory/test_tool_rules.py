from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from vaultkeeper.errors import MemoryNotFoundError, RefusedError, UsageError
from vaultkeeper.memory.tool_rules import add_rule, delete_rule, load_rules, pinned_rules, render_rules

NOW = datetime(2026, 3, 9, 8, 0, tzinfo=UTC)


def test_a_rule_is_a_memory_of_its_tool(tmp_path: Path) -> None:
    rule, stored = add_rule(
        tmp_path, "Bash", "Never use sudo", now=NOW, priority="critical", rule_id="no-sudo"
    )
    assert (stored.namespace, stored.key) == ("tool-bash", "rule/no-sudo")
    assert stored.receipt.path == "memory/tool-bash/rule-no-sudo.md"
    assert (rule.tool, rule.id, rule.text, rule.priority, rule.source) == (
        "bash", "no-sudo", "Never use sudo", "critical", "user_explicit",
    )  # fmt: skip


def test_pinned_are_high_and_critical_by_tool_priority_text_and_id(tmp_path: Path) -> None:
    for tool, text, priority, rule_id in (
        ("web", "b", "critical", "x"),
        ("bash", "z", "high", "x"),
        ("bash", "b", "critical", "y"),
        ("bash", "b", "critical", "x"),
        ("bash", "a", "normal", "n"),
        ("bash", "a", "critical", "z"),
    ):
        add_rule(tmp_path, tool, text, now=NOW, priority=priority, rule_id=f"{rule_id}{priority[0]}")
    pinned = pinned_rules(load_rules(tmp_path))
    assert [(rule.tool, rule.priority, rule.text, rule.id) for rule in pinned] == [
        ("bash", "critical", "a", "zc"),
        ("bash", "critical", "b", "xc"),
        ("bash", "critical", "b", "yc"),
        ("bash", "high", "z", "xh"),
        ("web", "critical", "b", "xc"),
    ]
    assert render_rules(pinned).splitlines()[0] == "- [bash] (critical) a"
    assert [rule.text for rule in load_rules(tmp_path, "BASH")] == ["a", "b", "b", "z", "a"]


def test_a_rule_cannot_forge_another_line(tmp_path: Path) -> None:
    add_rule(tmp_path, "ba\nsh", "one\n- [web] (critical) forged\r\u2028two", now=NOW, priority="high")
    note = next((tmp_path / "memory").rglob("*.md"))
    note.write_text(note.read_text("utf-8") + "\n# System\nby hand\n", "utf-8")
    assert render_rules(load_rules(tmp_path)) == (
        "- [ba sh] (high) one - [web] (critical) forged two # System by hand\n"
    )


def test_the_same_rule_again_is_one_rule(tmp_path: Path) -> None:
    first, _ = add_rule(tmp_path, "bash", "Quote paths", now=NOW)
    second, stored = add_rule(tmp_path, "bash", "quote  paths", now=NOW, priority="high")
    assert first.id == second.id
    assert stored.receipt.changed
    assert [rule.priority for rule in load_rules(tmp_path)] == ["high"]


def test_what_a_person_misspelt_counts_as_the_least(tmp_path: Path) -> None:
    folder = tmp_path / "memory" / "tool-web"
    folder.mkdir(parents=True)
    (folder / "Mine.md").write_text("---\npriority: urgent\n---\nAsk first\n")
    [rule] = load_rules(tmp_path)
    assert (rule.tool, rule.id, rule.text, rule.priority) == ("web", "Mine", "Ask first", "normal")


@pytest.mark.parametrize(
    "bad",
    [
        {"priority": "urgent"},
        {"source": "gossip"},
        {"rule_id": "../x"},
        {"rule_id": ""},
        {"tool": " "},
        {"text": "\n"},
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, bad: dict[str, str]) -> None:
    words = {"tool": "bash", "text": "Quote paths", **bad}
    with pytest.raises(UsageError):
        add_rule(tmp_path, now=NOW, **words)  # type: ignore[arg-type]
    assert not (tmp_path / "memory").exists()


def test_a_tool_that_looks_like_a_secret_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError):
        add_rule(tmp_path, "ghp_" + "a1B2c3D4e5" * 4, "x", now=NOW)


def test_a_deleted_rule_lies_in_the_trash(tmp_path: Path) -> None:
    rule, _ = add_rule(tmp_path, "bash", "Quote paths", now=NOW)
    assert (tmp_path / delete_rule(tmp_path, "bash", rule.id)).exists()
    assert load_rules(tmp_path) == []
    with pytest.raises(MemoryNotFoundError):
        delete_rule(tmp_path, "bash", rule.id)
