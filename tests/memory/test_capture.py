import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from vaultkeeper.errors import RefusedError, StorageError, UsageError
from vaultkeeper.memory import capture as module
from vaultkeeper.memory.capture import Exchange, capture, capture_all, parse_exchange
from vaultkeeper.memory.episodes import load_turns
from vaultkeeper.memory.failures import failed_tool_lesson

NOW = datetime(2026, 3, 10, 19, 0, 0, 123_456, tzinfo=UTC)
KEY = "AK" + "IA" + "QX7RTB2MVHW3ZL5K"


def test_a_turn_is_two_notes_the_answer_one_millisecond_later(tmp_path: Path) -> None:
    receipt = capture(tmp_path, Exchange("Hi", "Hello", session_id="s"), now=NOW)
    assert [turn.path for turn in receipt.turns] == ["episodic/s/000000.md", "episodic/s/000001.md"]
    user, assistant = load_turns(tmp_path, "s")
    assert user.timestamp_ms == int(NOW.timestamp() * 1000)
    assert assistant.timestamp_ms == user.timestamp_ms + 1
    assert (user.role, user.lesson, user.tool_calls_json, user.cost_microdollars) == ("user", None, None, 0)


def test_lesson_and_tool_calls_stand_with_the_answer(tmp_path: Path) -> None:
    calls: tuple[dict[str, Any], ...] = (
        {"name": "sh", "success": False, "error": "no\nmore"},
        {"name": "web", "success": True},
    )
    capture(tmp_path, Exchange("Hi", "Hello", calls, "s", cost_microdollars=7), now=NOW)
    user, assistant = load_turns(tmp_path, "s")
    assert user.lesson is None
    assert assistant.lesson == "Tools that failed in this turn: sh (no)"
    assert json.loads(assistant.tool_calls_json or "") == list(calls)
    assert assistant.cost_microdollars == 7


@pytest.mark.parametrize(
    ("calls", "lesson"),
    [
        ([], None),
        ([{"name": "a", "success": True}, {"name": "b"}], None),
        ([{"name": "a", "success": False}, {"name": "b", "success": False}], "a, b"),
        ([{"name": "a", "success": False}, {"name": "b", "success": False}, {"name": "a", "success": False, "error": "x"}], "a (x), b"),
        ([{"name": "a", "success": False, "error": "\n\n  first  line\nsecond"}], "a (first line)"),
        ([{"success": False, "error": {"message": "deep"}}], "unnamed (deep)"),
    ],
)  # fmt: skip
def test_each_failed_tool_is_named_once_in_order_with_its_first_error_line(
    calls: list[dict[str, Any]], lesson: str | None
) -> None:
    expected = None if lesson is None else f"Tools that failed in this turn: {lesson}"
    assert failed_tool_lesson(calls) == expected


def test_no_session_is_the_unknown_one(tmp_path: Path) -> None:
    assert capture(tmp_path, Exchange("Hi"), now=NOW).turns[0].path == "episodic/unknown/000000.md"


def test_secrets_never_reach_the_disk_and_the_receipt_names_only_their_class(tmp_path: Path) -> None:
    calls: tuple[dict[str, Any], ...] = (
        {"name": "sh", "success": False, "error": f"denied for {KEY}", "args": {"password": "hunter22!x"}},
    )
    receipt = capture(tmp_path, Exchange(f"use {KEY} please", f"I used {KEY}", calls, "s"), now=NOW)
    everything = b"".join(path.read_bytes() for path in tmp_path.rglob("*.md")).decode()
    assert KEY not in everything
    assert "hunter22" not in everything
    assert "use [REDACTED" in everything
    assert receipt.redacted["aws_access_key_id"] >= 3
    assert KEY not in str(receipt)


@pytest.mark.parametrize("field", ["session_id", "role"])
def test_a_session_or_role_that_looks_like_a_secret_is_refused(field: str, tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="secret"):
        capture(tmp_path, Exchange("Hi", **{field: KEY}), now=NOW)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_only_the_users_message_may_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = module.append_turns
    broken = {"user"}

    def append(root: Path, session: str, turns: Any, **more: Any) -> Any:
        if turns[0].role in broken:
            raise StorageError(path="x", reason="full")
        return real(root, session, turns, **more)

    monkeypatch.setattr(module, "append_turns", append)
    with pytest.raises(StorageError):
        capture(tmp_path, Exchange("Hi", "Hello", session_id="s"), now=NOW)
    broken = {"assistant"}
    receipt = capture(tmp_path, Exchange("Hi", "Hello", session_id="s"), now=NOW)
    assert len(receipt.turns) == 1
    assert "full" in receipt.warnings[0]
    assert [turn.role for turn in load_turns(tmp_path, "s")] == ["user"]


def test_many_exchanges_are_written_like_one_after_the_other(tmp_path: Path) -> None:
    exchanges = [Exchange(f"q{n}", f"a{n}", session_id="ab"[n % 2], at_ms=n) for n in range(30)]
    receipts = capture_all(tmp_path / "many", exchanges, now=NOW)
    for exchange in exchanges:
        capture(tmp_path / "one", exchange, now=NOW)
    notes = {
        where: {p.name: p.read_bytes() for p in (tmp_path / where).rglob("*.md")} for where in ("many", "one")
    }
    assert notes["many"] == notes["one"]
    assert [len(receipt.turns) for receipt in receipts] == [2] * 30
    assert receipts[3].turns[0].path == "episodic/b/000002.md"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"user": "a", "assistant": "b", "session_id": "s"}, Exchange("a", "b", session_id="s")),
        ({"role": "assistant", "content": "b"}, Exchange(None, "b", session_id="given")),
        ({"role": "system", "content": "b", "timestamp": 1.5}, Exchange("b", session_id="given", at_ms=1500, role="system")),
        ({"user_message": "a", "session": 7, "timestamp": "1970-01-01T00:00:02Z"}, Exchange("a", session_id="7", at_ms=2000)),
        ({"user": "a", "timestamp_ms": 9, "tool_calls": [{"name": "x"}]}, Exchange("a", None, ({"name": "x"},), "given", 9)),
    ],
)  # fmt: skip
def test_json_is_read_as_an_exchange(value: dict[str, Any], expected: Exchange) -> None:
    assert parse_exchange(value, "given") == expected


@pytest.mark.parametrize(
    "value",
    [
        None, [], "x", {}, {"user": 3}, {"role": "user"}, {"role": "", "content": "x"}, {"user": "a", "timestamp": "soon"},
        {"user": "a", "timestamp_ms": 1.5}, {"user": "a", "tool_calls": "none"}, {"user": "a", "tool_calls": [1]},
        {"user": "a", "session_id": "x" * 999}, {"user": "a", "cost_microdollars": "much"}, {"user": "a", "timestamp": True},
    ],
)  # fmt: skip
def test_json_that_is_no_exchange_is_a_usage_error(value: object) -> None:
    with pytest.raises(UsageError):
        parse_exchange(value)
