from __future__ import annotations

import pytest

from tests.history.repo import Told
from vaultkeeper.errors import CrossSourceError, UsageError
from vaultkeeper.history.marks import ALL, advance_all, advance_mark, own_marks, read_mark, read_mark_of_all
from vaultkeeper.history.snapshots import Snapshot


@pytest.fixture
def three(told: Told) -> list[Snapshot]:
    """Three snapshots of source a; b is in the last two."""
    found = []
    for n in range(3):
        told.sources.setdefault("notes:a", {})["a/1.md"] = f"{n}\n"
        if n:
            told.sources["notes:b"] = {"b/1.md": f"{n}\n"}
        found.append(told.taken())
    return found


def test_a_mark_advances(told: Told, three: list[Snapshot]) -> None:
    assert read_mark(told.repository, "notes:a") is None
    assert advance_mark(told.repository, "notes:a", three[0])
    assert read_mark(told.repository, "notes:a") == three[0]
    assert advance_mark(told.repository, "notes:a", three[2])
    assert read_mark(told.repository, "notes:a") == three[2]
    assert read_mark(told.repository, "notes:b") is None


def test_a_mark_never_moves_backwards(told: Told, three: list[Snapshot]) -> None:
    advance_mark(told.repository, "notes:a", three[1])
    assert not advance_mark(told.repository, "notes:a", three[0])
    assert not advance_mark(told.repository, "notes:a", three[1])
    assert read_mark(told.repository, "notes:a") == three[1]
    advance_all(told.repository, three[2])
    assert not advance_all(told.repository, three[0])
    assert read_mark_of_all(told.repository) == three[2]


def test_a_mark_never_moves_to_another_source(told: Told, three: list[Snapshot]) -> None:
    with pytest.raises(CrossSourceError):
        advance_mark(told.repository, "notes:b", three[0])
    assert read_mark(told.repository, "notes:b") is None


def test_the_newer_of_the_own_mark_and_that_of_all_counts(told: Told, three: list[Snapshot]) -> None:
    advance_all(told.repository, three[1])
    assert read_mark(told.repository, "notes:a") == three[1]
    assert not advance_mark(told.repository, "notes:a", three[0])
    advance_mark(told.repository, "notes:a", three[2])
    assert read_mark(told.repository, "notes:a") == three[2]
    assert read_mark(told.repository, "notes:b") == three[1]


def test_looking_at_all_takes_the_place_of_older_marks(told: Told, three: list[Snapshot]) -> None:
    advance_mark(told.repository, "notes:a", three[2])
    advance_mark(told.repository, "notes:b", three[1])
    advance_all(told.repository, three[1])
    assert own_marks(told.repository) == [b"i_notes%3Aa"]
    assert read_mark(told.repository, "notes:a") == three[2]


def test_a_mark_that_leads_nowhere_counts_as_none(told: Told, three: list[Snapshot]) -> None:
    told.repository.write_ref(ALL, "1" * 40)
    assert read_mark(told.repository, "notes:a") is None
    assert advance_all(told.repository, three[0])


@pytest.mark.parametrize(
    "source", ["notes:a..b", "notes:x.lock", "notes:" + "很长的名字" * 40, "notes:.", "notes:all"]
)
def test_every_source_can_have_a_mark(told: Told, source: str) -> None:
    told.sources = {source: {"1.md": "1\n"}, "notes:other": {"2.md": "2\n"}}
    snapshot = told.taken()
    assert advance_mark(told.repository, source, snapshot)
    assert read_mark(told.repository, source) == snapshot
    assert read_mark(told.repository, "notes:other") is None


def test_a_source_that_cannot_be_one_has_no_mark(told: Told, three: list[Snapshot]) -> None:
    for source in ("", " ", "a\nb"):
        with pytest.raises(UsageError):
            read_mark(told.repository, source)
        with pytest.raises(UsageError):
            advance_mark(told.repository, source, three[0])
