from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vaultkeeper.cli.doctor import health_json
from vaultkeeper.config import Settings
from vaultkeeper.errors import ConfigError, ProviderError
from vaultkeeper.index import store
from vaultkeeper.keeper import Keeper
from vaultkeeper.keeping.doctor import Surroundings
from vaultkeeper.keeping.history import ChangesParams
from vaultkeeper.retrieval.health import Facts, Health, examine


def now() -> datetime:
    return datetime.now(UTC)


Make = Callable[[Settings], Keeper]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "Tea.md").write_text("# Tea\n\nGreen.\n")
    made: list[Keeper] = []

    def keeper(settings: Settings) -> Keeper:
        made.append(
            Keeper(root.resolve(), tmp_path / "index", settings, clock=now, state_dir=tmp_path / "state")
        )
        made[-1].sync()
        return made[-1]

    yield keeper
    for one in made:
        one.close()


def diagnosed(keeper: Keeper) -> Health:
    return keeper.doctor(Surroundings())


def test_a_vault_that_is_well_is_healthy(make: Make) -> None:
    health = diagnosed(make(Settings()))
    assert health.healthy
    assert all(stage.ok for stage in health.stages)


def test_embeddings_are_the_first_cause_when_their_model_is_missing(make: Make) -> None:
    health = diagnosed(make(Settings(embedder="onnx:/nowhere/at/all")))
    assert health.first_blocking_cause == "local_model_unavailable"
    assert health.degraded["semantic_recall"]
    assert health.counters["jobs_ready"] == health.counters["total_chunks"] == 1


def test_an_embedder_that_is_none_of_ours_is_unconfigured(make: Make) -> None:
    health = diagnosed(make(Settings(embedder="magic")))
    assert health.first_blocking_cause == "embeddings_unconfigured"
    assert "magic" in health.stages[1].note


def test_no_embeddings_are_an_opt_out_and_ok(make: Make) -> None:
    health = diagnosed(make(Settings(embedder="none")))
    assert health.healthy
    assert "Disabled by you" in health.stages[1].note


def test_no_watcher_is_a_choice_and_ok(make: Make) -> None:
    keeper = make(Settings(embedder="none"))
    off, on = keeper.doctor(Surroundings()), keeper.doctor(Surroundings(watching=True))
    assert off.healthy
    assert on.healthy
    assert off.stages[2].ok
    assert "None runs" in off.stages[2].note
    assert (off.degraded["not_watching"], on.degraded["not_watching"]) == (True, False)


def test_storage_outranks_all(make: Make) -> None:
    keeper = make(Settings(embedder="onnx:/nowhere/at/all"))
    path = store.database_path(keeper.index_dir)
    assert path is not None
    keeper.close()
    path.write_bytes(b"no database at all" * 1000)
    health = diagnosed(keeper)
    assert health.first_blocking_cause == "storage_unavailable"
    assert [stage.failure for stage in health.stages if not stage.ok][1] == "local_model_unavailable"


def test_a_report_survives_json(make: Make) -> None:
    health = diagnosed(make(Settings(embedder="magic")))
    found = health_json(health, list(health.groups))
    assert json.loads(json.dumps(found)) == found
    assert [stage["stage"] for stage in found["stages"]] == [  # type: ignore[index,attr-defined]
        "storage",
        "embeddings",
        "scheduler_gate",
        "queue",
        "extraction",
        "summary_tree",
    ]


def test_a_damaged_history_is_told_and_blocks_nothing(make: Make, tmp_path: Path) -> None:
    keeper = make(Settings(embedder="none"))
    keeper.history.changes(ChangesParams())
    assert diagnosed(keeper).groups == ()
    (tmp_path / "state/history.git/refs/heads/main").write_text("x\n")
    health = diagnosed(keeper)
    assert health.healthy
    [group] = health.groups
    assert group.code == "history-damaged"
    assert "no note" in group.problems[0].message


def test_a_keeper_without_a_state_folder_has_no_history_to_look_at(make: Make, tmp_path: Path) -> None:
    make(Settings(embedder="none"))
    keeper = Keeper((tmp_path / "vault").resolve(), tmp_path / "index", Settings(embedder="none"), clock=now)
    assert diagnosed(keeper).healthy
    with pytest.raises(ValueError, match="state folder"):
        keeper.history.changes(ChangesParams())
    keeper.close()


def test_a_summary_note_that_contradicts_its_tree_is_told(make: Make, tmp_path: Path) -> None:
    keeper = make(Settings(embedder="none"))
    folder = tmp_path / "vault/wiki/summaries/source-notes/L1"
    folder.mkdir(parents=True)
    text = (
        "---\nid: summary:1776528030000:L1-e3454ede\nkind: summary\ntree_kind: source\ntree_id: source:1\n"
        "tree_scope: 'notes:'\nlevel: 9999\nchildren: []\ntime_range_start: 2026-01-01T00:00:00Z\n"
        "time_range_end: 2026-01-02T00:00:00Z\nsealed_at: 2026-01-03T00:00:00Z\n---\n\n# L1\n\n- Text.\n"
    )
    (folder / "summary-1776528030000-L1-e3454ede.md").write_text(text)
    keeper.sync()
    codes = {group.code for group in diagnosed(keeper).groups}
    assert "tree-damaged" in codes


def test_what_is_due_is_counted_and_no_fault() -> None:
    health = examine(Facts(chunks=1, trees_due=2, vectors_pending=3, summaries=4))
    assert health.healthy
    assert health.counters["jobs_ready"] == 5
    assert "for 2 sources" in health.stages[5].note


@pytest.mark.parametrize("error", [ConfigError, ProviderError])
def test_the_codes_of_failures_are_those_of_the_specification(error: type) -> None:
    from vaultkeeper.keeping.doctor import _embedder_failure

    def broken() -> object:
        if error is ConfigError:
            raise ConfigError(setting="embedder", origin="here", reason="wrong")
        raise ProviderError(kind="embedder", name="x", reason="wrong", remedy="")

    code, sentence = _embedder_failure(broken)
    assert code in ("embeddings_unconfigured", "local_model_unavailable")
    assert sentence
