from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.watch.batcher import Batch, Batcher


def test_a_batch_is_due_after_a_quiet_moment() -> None:
    batcher = Batcher(quiet_s=0.1, max_wait_s=2.0)
    assert batcher.wait_s(0.0) is None
    assert batcher.add("a.md", 10.0)
    assert not batcher.add("b.md", 10.05)
    assert abs((batcher.wait_s(10.05) or 0) - 0.1) < 1e-9
    assert batcher.wait_s(10.2) == 0.0
    assert batcher.take() == Batch(("a.md", "b.md"), False, 2)
    assert batcher.wait_s(10.2) is None
    assert batcher.take() is None


def test_a_vault_that_is_never_quiet_is_synced_after_the_longest_wait() -> None:
    batcher = Batcher(quiet_s=0.1, max_wait_s=2.0)
    due_s = None
    for step in range(100):
        now_s = step * 0.05
        batcher.add(f"{step}.md", now_s)
        if batcher.wait_s(now_s) == 0.0:
            due_s = now_s
            break
    assert due_s is not None
    assert 1.9 <= due_s <= 2.0


def test_what_lies_below_a_dirty_folder_is_not_named() -> None:
    batcher = Batcher()
    for path in ("a/b/c.md", "a.md", "ab/x.md", "a/d.md"):
        batcher.add(path, 0.0)
    batcher.add("a", 0.0, folder=True)
    assert batcher.take() == Batch(("a", "a.md", "ab/x.md"), False, 5)


def test_a_file_hides_nothing() -> None:
    batcher = Batcher()
    batcher.add("a", 0.0)
    batcher.add("a/b.md", 0.0)
    assert batcher.take() == Batch(("a", "a/b.md"), False, 2)


def test_too_many_paths_become_everything() -> None:
    batcher = Batcher(max_paths=10)
    for number in range(11):
        batcher.add(f"{number}.md", 0.0)
    batcher.add("late.md", 0.0)
    assert batcher.take() == Batch((), True, 12)
    batcher.add("next.md", 1.0)
    assert batcher.take() == Batch(("next.md",), False, 1)


def test_a_failed_batch_comes_back_with_what_has_come_since() -> None:
    batcher = Batcher()
    batcher.add("a", 0.0, folder=True)
    batch = batcher.take()
    assert batch
    batcher.add("b.md", 1.0)
    batcher.put_back(batch, 1.0)
    again = batcher.take()
    assert again
    assert again.paths == ("a", "b.md")
    batcher.put_back(Batch((), True, 1), 2.0)
    batcher.add("b.md", 2.0)
    assert (batcher.take() or batch).everything


_paths = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=4).map("/".join)
_steps = st.lists(st.tuples(_paths, st.booleans(), st.floats(0, 3), st.booleans()), max_size=60)


@given(_steps)
def test_no_path_is_lost_and_none_waits_too_long(steps: list[tuple[str, bool, float, bool]]) -> None:
    batcher = Batcher(quiet_s=0.1, max_wait_s=2.0)
    now_s, waiting = 0.0, {}
    for path, folder, pause_s, look in steps:
        now_s += pause_s
        if look and batcher.wait_s(now_s) == 0.0:
            batch = batcher.take()
            assert batch
            _all_covered(batch, waiting)
            waiting = {}
        if waiting:
            left_s = batcher.wait_s(now_s)
            assert left_s is not None
            assert left_s <= 0.1 + 1e-9
            assert now_s + left_s <= max(now_s, min(waiting.values()) + 2.0) + 1e-9
        batcher.add(path, now_s, folder=folder)
        waiting.setdefault(path, now_s)
    batch = batcher.take()
    assert (batch is not None) == bool(waiting)
    if batch:
        _all_covered(batch, waiting)


def _all_covered(batch: Batch, waiting: dict[str, float]) -> None:
    for path in waiting:
        assert any(path == dirty or path.startswith(dirty + "/") for dirty in batch.paths)
