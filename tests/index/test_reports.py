from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

from vaultkeeper.index import store
from vaultkeeper.index.reports import fetch_note_rows, is_unfinished
from vaultkeeper.index.settings import IndexSettings
from vaultkeeper.index.sync import sync

NOTES = {
    "Top.md": "top\n",
    "B/2.md": "---\nid: two\n---\ntext\n",
    "B/1.md": "one\n",
    "sources/document/d/a.md": "---\nsource_id: doc-1\n---\ntext\n",
    "flavoured/stack.md": "# Stack\n",
}


def test_all_notes_are_listed_by_source_with_id_path_and_hash(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    db = store.open_writer(tmp_path / "index")
    sync(db, root, IndexSettings(), clock=lambda: datetime.now(UTC))
    rows = fetch_note_rows(db)
    assert [row[:3] for row in rows] == [
        ("document:d", "doc-1", "sources/document/d/a.md"),
        ("flavoured", "flavoured/stack.md", "flavoured/stack.md"),
        ("notes:", "Top.md", "Top.md"),
        ("notes:B", "B/1.md", "B/1.md"),
        ("notes:B", "two", "B/2.md"),
    ]
    assert all(row.sha256 == hashlib.sha256(NOTES[row.path].encode()).digest() for row in rows)
    assert not is_unfinished(db)
    db.execute("INSERT INTO meta VALUES('unfinished', '1')")
    assert is_unfinished(db)
    db.close()
