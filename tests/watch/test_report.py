from __future__ import annotations

from vaultkeeper.index.sync import SyncStats
from vaultkeeper.watch.report import plural, summary, sync_json


def test_only_what_changes_an_answer_is_named() -> None:
    assert (
        summary(SyncStats(added=1200, renamed=1, unchanged=9, touched=3, scanned=1213))
        == "1,200 added, 1 renamed"
    )
    assert summary(SyncStats(unchanged=9, touched=3)) == ""
    assert summary(SyncStats(modified=1, removed=2)) == "1 modified, 2 removed"


def test_a_clients_json_is_the_stats() -> None:
    assert sync_json(SyncStats(added=2))["added"] == 2
    assert sync_json(None) == {}


def test_counts_with_nouns() -> None:
    assert [plural(count, "note") for count in (0, 1, 2, 2345)] == [
        "0 notes",
        "1 note",
        "2 notes",
        "2,345 notes",
    ]
