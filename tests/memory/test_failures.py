import json

import pytest

from vaultkeeper.memory.failures import failure_id, find_failed, find_failures

KEY = "ghp_" + "a1B2c3D4e5" * 4


def recorded(*calls: dict[str, object]) -> list[tuple[int, str | None]]:
    return [(seq, json.dumps([call])) for seq, call in enumerate(calls)]


def test_each_failed_tool_is_named_once_with_its_first_error() -> None:
    calls = [
        {"name": "shell", "success": True, "output": "fine"},
        {"name": "shell", "success": False},
        {"name": "shell", "success": False, "error": "no such file\nmore"},
        {"name": "web", "success": False, "error": {"message": "timed out"}},
    ]
    assert find_failed(calls) == {"shell": "no such file", "web": "timed out"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Timed out after 30 s", "timed out after 4.5 s"),
        ("open /tmp/a81/x.txt: no such file", "open /tmp/kk/y.md: no such file"),
        ("commit 3f2a9bc11 not found", "commit 77ab01c not found"),
        ("2026-03-01T09:30:00Z refused", "2026-04-02 10:31:07 refused"),
        ("job 123e4567-e89b-12d3-a456-426614174000 died", "job 00000000-e89b-12d3-a456-426614174000 died"),
    ],
)
def test_numbers_ids_times_and_temporary_files_make_no_other_failure(one: str, other: str) -> None:
    assert failure_id("Shell", one) == failure_id("shell", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("shell", "no such file"), ("web", "no such file")),
        (("shell", "no such file: notes.md"), ("shell", "no such file: plans.md")),
        (("shell", "face was added"), ("shell", "faded was added")),
    ],
)
def test_another_tool_or_another_error_does(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert failure_id(*one) != failure_id(*other)


def test_a_segment_has_each_failure_once_where_it_happened_first() -> None:
    found = find_failures(
        recorded(
            {"name": "shell", "success": False, "error": "exit code 1"},
            {"name": "shell", "success": True},
            {"name": "shell", "success": False, "error": "exit code 2"},
            {"name": "web", "success": False, "error": "refused"},
        )
    )
    assert [(one.tool, one.error, one.seq) for one in found] == [
        ("shell", "exit code 1", 0),
        ("web", "refused", 3),
    ]


def test_what_says_nothing_or_is_no_record_is_none() -> None:
    nothing = recorded(
        {"name": "shell", "success": False}, {"name": "shell", "success": False, "error": "-- 7 --"}
    )
    broken = [(0, "no json: false"), (1, '{"success": false}'), (2, '["false"]'), (3, None)]
    assert find_failures([*nothing, *broken]) == ()


def test_secrets_and_links_of_records_do_not_come_along() -> None:
    [one] = find_failures(
        recorded({"name": "git", "success": False, "error": f"bad token {KEY} in [[Diary]]"})
    )
    assert KEY not in one.error
    assert "[[" not in one.error
