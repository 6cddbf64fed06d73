"""Long-term goals: lines of MEMORY_GOALS.md.

Owns the lines `- [g1] text`, their ids and how many there may be. Everything else in the file is a person's prose and
stays byte for byte, wherever it stands.

Source: BEHAVIOUR §4.6.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from vaultkeeper.errors import ExistsError, MemoryNotFoundError, RefusedError, TooLargeError, UsageError
from vaultkeeper.memory.page import Page, parse_page
from vaultkeeper.memory.redact import redact
from vaultkeeper.vault.sentinel import memory_lock
from vaultkeeper.vault.update import Edit, update_note
from vaultkeeper.vault.write import Receipt, read_note

FILE: Final = "MEMORY_GOALS.md"
HEADER: Final = "# Long-term Goals"
MAX_GOALS: Final = 8
MAX_CHARS: Final = 2000
"""Of the header and the lines of the goals; prose does not count."""

_GOAL = re.compile(r"- \[(g[1-9]\d{0,8})\][ \t]+(\S.*?)[ \t]*")
_BREAKS = re.compile("[\x00-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]")


class Goal(NamedTuple):
    """A goal, and the line of the file that it stands in."""

    id: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class GoalReceipt:
    """What a change of the goals wrote.

    Attributes:
        goal: The one that was added, changed or deleted.
        dropped: The oldest ones, which no longer fitted and were taken out.
        receipt: Of the file.
    """

    goal: Goal
    dropped: tuple[Goal, ...]
    receipt: Receipt


def list_goals(root: Path) -> list[Goal]:
    """Returns the goals in the order of the file; none when there is no file."""
    from vaultkeeper.errors import NoteNotFoundError

    try:
        return _goals(parse_page(read_note(root, FILE), FILE))
    except NoteNotFoundError:
        return []


def render_goals(goals: Sequence[Goal]) -> str:
    """The goals as an agent reads them."""
    return "\n".join([HEADER, "", *(_line(goal.id, goal.text) for goal in goals)]) + "\n"


def add_goal(root: Path, text: str) -> GoalReceipt:
    """Adds a goal behind the last one.

    When there are then more than `MAX_GOALS`, or more than `MAX_CHARS` characters, the oldest go, but never one below
    which a person has written something (indented lines), and never the new one.

    Raises:
        UsageError: empty, or more than one line.
        RefusedError: the text holds a secret or a personal number, or the file or the lock is a symbolic link.
        ExistsError: there is such a goal, whatever its case and blanks.
        TooLargeError: it does not fit, whatever goes.
    """
    text = _check_text(text)
    done: list[tuple[Goal, tuple[Goal, ...]]] = []

    def edit(old: bytes) -> bytes:
        done.clear()
        page = parse_page(old, FILE)
        goals = _goals(page)
        _check_new(goals, text)
        number = len(goals) + 1
        while f"g{number}" in {goal.id for goal in goals}:
            number += 1
        dropped = _too_many(page, goals, f"g{number}", text)
        _append(page, goals, _line(f"g{number}", text))
        for goal in sorted(dropped, key=lambda goal: -goal.line):
            del page.lines[goal.line - 1]
        goal = next(one for one in _goals(parse_page(page.render(), FILE)) if one.id == f"g{number}")
        done.append((goal, tuple(dropped)))
        return page.render()

    receipt = _change(root, edit)
    return GoalReceipt(*done[-1], receipt)


def edit_goal(root: Path, goal_id: str, text: str) -> GoalReceipt:
    """Gives a goal another text; the line keeps its place and its id.

    Raises:
        MemoryNotFoundError: there is no such goal.
        UsageError, RefusedError, ExistsError, TooLargeError: see `add_goal`.
    """
    text = _check_text(text)
    done: list[Goal] = []

    def edit(old: bytes) -> bytes:
        page = parse_page(old, FILE)
        goals = _goals(page)
        goal = _get(goals, goal_id)
        if goal.text != text:
            others = [other for other in goals if other is not goal]
            _check_new(others, text)
            _check_fits([*others, goal._replace(text=text)])
            _replace(page, goal, [_line(goal.id, text)])
        done.append(goal._replace(text=text))
        return page.render()

    receipt = _change(root, edit)
    return GoalReceipt(done[-1], (), receipt)


def delete_goal(root: Path, goal_id: str) -> GoalReceipt:
    """Takes a goal out, with the indented lines that belong to it.

    Raises:
        MemoryNotFoundError: there is no such goal.
    """
    done: list[Goal] = []

    def edit(old: bytes) -> bytes:
        page = parse_page(old, FILE)
        goal = _get(_goals(page), goal_id)
        del page.lines[goal.line - 1 : _end(page, goal)]
        done.append(goal)
        return page.render()

    receipt = _change(root, edit)
    return GoalReceipt(done[-1], (), receipt)


def _change(root: Path, edit: Edit) -> Receipt:
    with memory_lock(root):
        return update_note(root, FILE, edit)


def _line(goal_id: str, text: str) -> str:
    return f"- [{goal_id}] {text}"


def _goals(page: Page) -> list[Goal]:
    found = []
    for number in range(1, len(page.lines) + 1):
        match = _GOAL.fullmatch(page.line(number)) if number in page.shown else None
        if match:
            found.append(Goal(match[1], match[2], number))
    return found


def _get(goals: Sequence[Goal], goal_id: str) -> Goal:
    wanted = goal_id.strip().strip("[]").lower()
    for goal in goals:
        if goal.id == wanted:
            return goal
    ids = ", ".join(goal.id for goal in goals)
    raise MemoryNotFoundError(
        what="goal", name=goal_id, near=f"The goals are {ids}." if ids else "There are no goals."
    )


def _check_text(text: str) -> str:
    text = text.strip()
    if not text:
        raise UsageError(reason="A goal must have a text")
    if _BREAKS.search(text):
        raise UsageError(reason="A goal is one line")
    if redact(text).removed:
        raise RefusedError(path=FILE, reason="the goal holds a secret or a personal number")
    return text


def _check_new(goals: Sequence[Goal], text: str) -> None:
    folded = text.casefold().split()
    for goal in goals:
        if goal.text.casefold().split() == folded:
            raise ExistsError(path=f"the goal [{goal.id}] {goal.text!r}")


def _check_fits(goals: Sequence[Goal]) -> None:
    chars = len(render_goals(goals))
    if chars > MAX_CHARS:
        raise TooLargeError(what="The list of goals", size=chars, unit="characters", limit=MAX_CHARS)


def _too_many(page: Page, goals: Sequence[Goal], goal_id: str, text: str) -> list[Goal]:
    """The goals that go so that a new one fits, oldest first."""
    kept = [*goals, Goal(goal_id, text, 0)]
    dropped = []
    for goal in goals:
        if len(kept) <= MAX_GOALS and len(render_goals(kept)) <= MAX_CHARS:
            break
        if _end(page, goal) == goal.line:
            kept.remove(goal)
            dropped.append(goal)
    if len(kept) > MAX_GOALS:
        raise TooLargeError(what="The list of goals", size=len(kept), unit="goals", limit=MAX_GOALS)
    _check_fits(kept)
    return dropped


def _end(page: Page, goal: Goal) -> int:
    """The last line of a goal, from 1: its own or that of the indented lines below it."""
    end = goal.line
    for number in range(goal.line + 1, len(page.lines) + 1):
        line = page.line(number)
        if line.strip() and line[0] not in " \t":
            break
        if line.strip():
            end = number
    return end


def _append(page: Page, goals: Sequence[Goal], line: str) -> None:
    if goals:
        page.insert(_end(page, goals[-1]), [line])
        return
    end = len(page.lines)
    while end and not page.line(end).strip():
        end -= 1
    if end:
        blank = end < len(page.lines)
        page.insert(end + blank, [line] if blank else ["", line])
    else:
        page.insert(len(page.lines), [HEADER, "", line])


def _replace(page: Page, goal: Goal, lines: Sequence[str]) -> None:
    old = page.lines[goal.line - 1]
    end = old[len(old.rstrip("\r\n")) :]
    mark = old[: old.index("- [")]
    page.lines[goal.line - 1] = mark + lines[0] + end
