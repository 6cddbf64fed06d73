from __future__ import annotations

from vaultkeeper.retrieval.health import STAGES, Facts, examine
from vaultkeeper.types import Problem
from vaultkeeper.vault.problems import CODES


def test_the_stages_stand_in_their_order_and_all_work() -> None:
    health = examine(Facts(notes=3, chunks=4, chunks_with_entities=1, entities=2))
    assert tuple(stage.stage for stage in health.stages) == STAGES
    assert health.healthy
    assert health.first_blocking_cause is None
    assert health.counters["total_chunks"] == 4
    assert health.counters["extraction_coverage"] == 0.25
    assert health.found == 0


def test_the_first_stage_that_fails_names_the_cause() -> None:
    health = examine(Facts(storage_error="no index", embedder_error="no model"))
    assert not health.healthy
    assert health.first_blocking_cause == "storage_unavailable"
    assert [stage.failure for stage in health.stages if not stage.ok] == [
        "storage_unavailable",
        "local_model_unavailable",
    ]
    assert health.found == 2


def test_an_embedder_that_is_switched_off_is_a_choice_and_said() -> None:
    health = examine(Facts(embedder="none"))
    assert health.healthy
    assert "Disabled by you" in health.stages[1].note
    assert health.degraded["semantic_recall"]


def test_coverage_without_chunks_is_unknown() -> None:
    assert examine(Facts()).counters["extraction_coverage"] is None


def test_problems_are_grouped_most_frequent_first_and_ordered_by_place() -> None:
    dead = [Problem("b.md", 2, "link-dead", "y"), Problem("a.md", None, "link-dead", "x")]
    health = examine(Facts(problems=[dead[0], Problem("z.md", 1, "yaml-tab", "t"), dead[1]]))
    assert [(group.code, [p.path for p in group.problems]) for group in health.groups] == [
        ("link-dead", ["a.md", "b.md"]),
        ("yaml-tab", ["z.md"]),
    ]
    assert health.healthy
    assert health.found == 3


def test_the_machine_around_the_vault_is_judged_too() -> None:
    health = examine(
        Facts(
            index_in_vault=".cache/index",
            hnsw_error="no module",
            folders=9000,
            watches=8192,
            future_files=[("a.md", 30.0)],
        )
    )
    codes = {group.code for group in health.groups}
    assert codes == {"index-in-vault", "hnsw-unavailable", "inotify-limit", "clock-skew"}
    assert codes <= set(CODES)
    assert not examine(Facts(folders=9000, watches=None)).groups
    assert not examine(Facts(folders=100, watches=8192)).groups
