from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vaultkeeper.config import Settings
from vaultkeeper.errors import ProviderError, UsageError
from vaultkeeper.index.db import Connection
from vaultkeeper.index.talk import fetch_recent_segments
from vaultkeeper.keeper import Keeper
from vaultkeeper.memory.boundary import Stretch
from vaultkeeper.memory.episodes import Turn, append_turns, load_turns
from vaultkeeper.memory.segments import make_segment, render_segment
from vaultkeeper.retrieval import recall as module
from vaultkeeper.retrieval.recall import (
    CHAR_BUDGET,
    Recall,
    Recalled,
    RecallParams,
    recall,
    render_recall,
    search_turns,
)

NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)
NOW_MS = int(NOW.timestamp() * 1000)
DAY_MS = 86_400_000


@dataclass
class Vault:
    root: Path

    def turns(self, session: str, *said: str, days_ago: float = 1) -> None:
        at = int(NOW_MS - days_ago * DAY_MS)
        append_turns(self.root, session, [Turn("", 0, at + n, "user", text) for n, text in enumerate(said)])

    def segment(
        self, session: str, recap: str, *, by: str = "extractive", days_ago: float = 1, first: int = 0
    ) -> None:
        turns = [Turn(session, first, int(NOW_MS - days_ago * DAY_MS), "user", "x")]
        turns = load_turns(self.root, session, first) or turns
        segment = make_segment(Stretch(tuple(turns), "time_gap"), (), recap, by)  # type: ignore[arg-type]
        path = self.root / segment.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(render_segment(segment))

    @contextmanager
    def index(self) -> Iterator[Connection]:
        keeper = Keeper(self.root, self.root.parent / "index", Settings(embedder="none"), clock=lambda: NOW)
        keeper.sync()
        db = keeper._open_reader()
        assert db is not None
        yield db
        keeper.close()


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    (tmp_path / "vault").mkdir()
    return Vault(tmp_path / "vault")


class Nearness:
    """Vectors whose cosines the test chooses, by the text of the recap."""

    slow = True
    fingerprint = "test"
    dim = 2

    def __init__(self, db: Connection, cosines: dict[str, float]) -> None:
        shas = {row.recap: row.text_sha for row in fetch_recent_segments(db, 0, 1000)}
        self.known = {shas[recap]: cosine for recap, cosine in cosines.items() if recap in shas}

    def embed(self, texts: Sequence[str]) -> Any:
        raise AssertionError

    def embed_query(self, text: str, rarity: object = None) -> Any:
        return np.ones(2, np.float32)

    def search(
        self, query: Any, k: int, allowed: Collection[bytes] | None = None
    ) -> list[tuple[bytes, float]]:
        found = [(sha, cosine) for sha, cosine in self.known.items() if allowed is None or sha in allowed]
        return sorted(found, key=lambda pair: -pair[1])[:k]


def by_meaning(vault: Vault, cosines: dict[str, float], query: str = "gauges", session: str = "") -> Recall:
    with vault.index() as db:
        near = Nearness(db, cosines)
        return recall(db, RecallParams(query, session), NOW, near, lambda: near)


def test_recaps_pass_the_gate_by_meaning(vault: Vault) -> None:
    vault.segment("a", "near enough")
    vault.segment("b", "not near")
    found = by_meaning(vault, {"near enough": 0.65, "not near": 0.649})
    assert [(item.kind, item.text, item.score) for item in found.items] == [("segment", "near enough", 0.65)]


def test_only_five_recaps_the_nearest_are_told_newest_first(vault: Vault) -> None:
    for n in range(8):
        vault.segment(f"s{n}", f"recap {n}", days_ago=n + 1)
    found = by_meaning(vault, {f"recap {n}": 0.7 + n / 100 for n in range(8)})
    assert [item.text for item in found.items] == [f"recap {n}" for n in range(3, 8)]


def test_what_is_older_than_fourteen_days_is_not_recalled(vault: Vault) -> None:
    vault.segment("old", "an old recap", days_ago=14.01)
    vault.segment("new", "a new recap", days_ago=13.99)
    vault.turns("older", "about gauges", days_ago=15)
    found = by_meaning(vault, {"an old recap": 0.9, "a new recap": 0.9})
    assert [item.text for item in found.items] == ["a new recap"]


def test_the_session_that_asks_and_bookends_are_left_out(vault: Vault) -> None:
    vault.turns("mine", "gauges of mine")
    vault.turns("other", "gauges of another")
    vault.segment("mine", "my recap")
    vault.segment("third", "Conversation segment (1 turns). Started with: ok", by="bookend")
    with vault.index() as db:
        assert [row.recap for row in fetch_recent_segments(db, 0, 9)] == ["my recap"]
    found = by_meaning(vault, {"my recap": 0.9}, session="mine")
    assert [(item.kind, item.text) for item in found.items] == [("turn", "gauges of another")]


def test_turns_inside_a_recalled_segment_are_not_told_twice(vault: Vault) -> None:
    vault.turns("a", "gauges in hall one", "gauges in hall two")
    vault.segment("a", "recap of a")
    vault.turns("a", "gauges in hall three")
    texts = [item.text for item in by_meaning(vault, {"recap of a": 0.9}).items]
    assert sorted(texts) == ["gauges in hall three", "recap of a"]
    texts = [item.text for item in by_meaning(vault, {"recap of a": 0.1}).items]
    assert len(texts) == 3


def test_only_five_turns_are_told(vault: Vault) -> None:
    for n in range(9):
        vault.turns(f"s{n}", f"gauges {n}")
    assert len(by_meaning(vault, {}).items) == 5


def test_what_does_not_fit_the_budget_is_skipped_and_smaller_things_still_fit(vault: Vault) -> None:
    vault.turns("a", "gauges " + "x" * 3000, days_ago=1)
    vault.turns("b", "gauges " + "y" * 3100, days_ago=2)
    vault.turns("c", "gauges short", days_ago=3)
    found = by_meaning(vault, {})
    assert [item.session_id for item in found.items] == ["a", "c"]
    assert sum(item.cost for item in found.items) <= CHAR_BUDGET


def test_costs_are_the_documented_ones() -> None:
    assert Recalled("segment", "s", "p", "x" * 10, "", 0).cost == 70
    assert Recalled("turn", "s", "p", "x" * 10, "user", 0).cost == 34


def test_without_a_query_the_newest_are_recalled(vault: Vault) -> None:
    vault.turns("a", "first", "second", days_ago=2)
    vault.segment("b", "a recap", days_ago=1)
    found = by_meaning(vault, {}, query="  ")
    assert [item.text for item in found.items] == ["a recap", "second", "first"]


def test_without_vectors_turns_are_still_found(vault: Vault) -> None:
    vault.turns("a", "the gauges of hall seven")
    vault.segment("b", "a recap about gauges")

    def broken() -> Any:
        raise ProviderError(kind="embedder", name="x", reason="down", remedy="")

    with vault.index() as db:
        assert [i.kind for i in recall(db, RecallParams("which gauges?"), NOW).items] == ["turn"]
        near = Nearness(db, {})
        found = recall(db, RecallParams("which gauges?"), NOW, near, broken)
    assert (found.notes, len(found.items)) == (("vectors_unavailable",), 1)


def test_missing_vectors_are_remarked(vault: Vault) -> None:
    vault.segment("b", "a recap about gauges")
    assert by_meaning(vault, {}).notes == ("vectors_pending",)


@pytest.mark.parametrize("query", ["", "  "])
def test_a_search_of_turns_needs_words(query: str, vault: Vault) -> None:
    with vault.index() as db, pytest.raises(UsageError):
        search_turns(db, query, NOW)


def test_a_search_of_turns_finds_by_words_best_first(vault: Vault) -> None:
    vault.turns("a", "the gauges of hall seven")
    vault.turns("b", "gauges")
    vault.turns("c", "另外一个关于水位计的问题")
    with vault.index() as db:
        assert {hit.session_id for hit in search_turns(db, "gauges?", NOW)} == {"a", "b"}
        assert [hit.session_id for hit in search_turns(db, "gauges?", NOW, "b")] == ["a"]
        assert [hit.session_id for hit in search_turns(db, "水位计", NOW)] == ["c"]
        assert search_turns(db, "nothing like it", NOW) == []


def test_the_block_names_session_and_age() -> None:
    found = Recall(
        (
            Recalled("segment", "plans", "p", "User: a\nAssistant: b", "", NOW_MS - 1000),
            Recalled("turn", "talk", "p", "two\nlines", "user", NOW_MS - 3 * DAY_MS),
            Recalled("turn", "talk", "p", "x", "user", NOW_MS - DAY_MS),
        )
    )
    block = render_recall(found, NOW)
    assert block.startswith("## Recent context from other conversations\n")
    assert "- [plans, today] User: a Assistant: b" in block
    assert "- [talk, ~3 days ago] user: two lines" in block
    assert "- [talk, ~1 day ago] user: x" in block
    assert render_recall(Recall(()), NOW) == ""


def test_rebuilding_the_index_recalls_the_same_bytes(tmp_path: Path, vault: Vault) -> None:
    for n in range(6):
        vault.turns(f"s{n}", f"gauges {n}", f"halls {n}", days_ago=n + 0.5)
        vault.segment(f"s{n}", f"User: gauges {n}. halls {n}.")
    blocks = []
    for where in ("one", "two"):
        keeper = Keeper(vault.root, tmp_path / where, Settings(), clock=lambda: NOW)
        keeper.sync_quietly()
        blocks += [render_recall(keeper.conversations.recall(RecallParams("gauges in halls")), NOW)]
        keeper.rebuild()
        keeper.embed_pending()
        blocks += [render_recall(keeper.conversations.recall(RecallParams("gauges in halls")), NOW)]
        keeper.close()
    assert len(set(blocks)) == 1
    assert "[s0, today]" in blocks[0]


def test_the_constants_are_the_documented_ones() -> None:
    assert (
        module.RECENCY_WINDOW_DAYS, module.RECENCY_WINDOW_MAX_SEGMENTS, module.COSINE_GATE, module.MAX_SEGMENT_RECAPS,
        module.MAX_EPISODIC_TURNS, module.CHAR_BUDGET, module.FTS_LIMIT,
    ) == (14, 100, 0.65, 5, 5, 6000, 20)  # fmt: skip
