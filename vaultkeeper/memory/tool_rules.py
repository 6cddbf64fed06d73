"""Rules for one tool: what to do, or never to do, when it is used.

Owns priorities, sources and the block of pinned rules. A rule is a memory of the namespace `tool-<name>` with the key
`rule/<id>`.

Source: BEHAVIOUR §12.8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

from vaultkeeper.errors import UsageError
from vaultkeeper.memory.namespaces import (
    Memory,
    StoreReceipt,
    check_namespace,
    forget,
    list_namespaces,
    load_memories,
    store,
)
from vaultkeeper.memory.preferences import one_line

PRIORITIES: Final = ("critical", "high", "normal")
"""From the one that counts most."""

PINNED: Final = ("critical", "high")
SOURCES: Final = ("user_explicit", "post_turn", "programmatic")

_PREFIX = "tool-"
_KEY = "rule/"
_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class ToolRule:
    """A rule; all values stand on one line."""

    tool: str
    id: str
    text: str
    priority: str
    source: str
    path: str


def add_rule(
    root: Path,
    tool: str,
    text: str,
    *,
    now: datetime,
    priority: str = "normal",
    source: str = "user_explicit",
    rule_id: str | None = None,
) -> tuple[ToolRule, StoreReceipt]:
    """Writes a rule, or writes it anew when there is one with this id.

    Args:
        rule_id: Small letters, digits, `-` and `_`; made from the text when it is None, so that the same rule is not
            kept twice.

    Raises:
        UsageError: an unknown priority or source, a bad id, or no tool or text.
        VaultkeeperError: see `namespaces.store`.
    """
    if priority not in PRIORITIES:
        raise UsageError(reason=f"Unknown priority '{priority}'. Valid priorities: {', '.join(PRIORITIES)}")
    if source not in SOURCES:
        raise UsageError(reason=f"Unknown source '{source}'. Valid sources: {', '.join(SOURCES)}")
    text = one_line(text)
    if rule_id is None:
        rule_id = sha256(text.casefold().encode("utf-8", "replace")).hexdigest()[:12]
    stored = store(
        root,
        _KEY + _check_id(rule_id),
        text,
        now=now,
        namespace=namespace_of(tool),
        properties={"tool": _tool_name(tool), "priority": priority, "source": source},
    )
    [rule] = [rule for rule in load_rules(root, tool) if rule.path == stored.receipt.path]
    return rule, stored


def delete_rule(root: Path, tool: str, rule_id: str) -> str:
    """Moves the note of a rule into the trash, and returns where it lies now.

    Raises:
        MemoryNotFoundError: there is no such rule.
    """
    return forget(root, _KEY + _check_id(rule_id), namespace=namespace_of(tool))


def load_rules(root: Path, tool: str | None = None) -> list[ToolRule]:
    """Returns the rules of a tool, or of all, by tool, priority, text and id."""
    if tool is not None:
        namespaces: Iterable[str] = [namespace_of(tool)]
    else:
        namespaces = [name for name in list_namespaces(root) if name.startswith(_PREFIX)]
    rules = [_rule(memory) for namespace in namespaces for memory in load_memories(root, namespace)]
    return sorted(rules, key=lambda rule: (rule.tool, PRIORITIES.index(rule.priority), rule.text, rule.id))


def pinned_rules(rules: Sequence[ToolRule]) -> list[ToolRule]:
    """Returns the rules that every prompt must hold, in the order of `load_rules`."""
    return [rule for rule in rules if rule.priority in PINNED]


def render_rules(rules: Sequence[ToolRule]) -> str:
    """The rules as an agent reads them, one a line; empty without any."""
    return "".join(f"- [{rule.tool}] ({rule.priority}) {rule.text}\n" for rule in rules)


def namespace_of(tool: str) -> str:
    """The namespace of a tool's rules."""
    return check_namespace(_PREFIX + _tool_name(tool))


def _tool_name(tool: str) -> str:
    name = one_line(tool).lower()
    if not name:
        raise UsageError(reason="A rule is for a tool: its name is missing")
    return name


def _check_id(rule_id: str) -> str:
    if not _ID.fullmatch(rule_id):
        raise UsageError(reason=f"The id {rule_id!r} may hold only a-z, 0-9, - and _")
    return rule_id


def _rule(memory: Memory) -> ToolRule:
    """Reads what a note says; what a person left out or misspelt counts as the least."""

    def value(name: str, known: Sequence[str], default: str) -> str:
        found = str(memory.properties.get(name, "")).strip().lower()
        return found if found in known else default

    tool = memory.properties.get("tool")
    return ToolRule(
        one_line(tool).lower()
        if isinstance(tool, str) and tool.strip()
        else memory.namespace.removeprefix(_PREFIX),
        one_line(memory.key.removeprefix(_KEY)),
        one_line(memory.content),
        value("priority", PRIORITIES, "normal"),
        value("source", SOURCES, "user_explicit"),
        memory.path,
    )
