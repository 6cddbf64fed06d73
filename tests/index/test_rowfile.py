from __future__ import annotations

from pathlib import Path

import numpy as np

from vaultkeeper.index.rowfile import KEY_BYTES, RowFile, read_json, write_json


def _key(number: int) -> bytes:
    return number.to_bytes(KEY_BYTES, "big")


def _rows(*numbers: int) -> np.ndarray:
    return np.array([[number, number] for number in numbers], np.float32)


def test_rows_belong_to_their_keys_and_keep_their_numbers(tmp_path: Path) -> None:
    file = RowFile(tmp_path, "f", 2)
    file.append([_key(1), _key(2)], _rows(1, 2))
    file.append([_key(3)], _rows(3))
    file.bury([1])
    again = RowFile(tmp_path, "f", 2)
    assert list(again.keys) == [_key(1), bytes(KEY_BYTES), _key(3)]
    assert again.live.tolist() == [True, False, True]
    assert again.rows.tolist() == _rows(1, 2, 3).tolist()


def test_a_new_generation_holds_the_live_rows_only(tmp_path: Path) -> None:
    file = RowFile(tmp_path, "f", 2)
    file.append([_key(number) for number in range(1, 6)], _rows(1, 2, 3, 4, 5))
    before = file.generation
    mapped = file.rows  # a reader's view outlives the file
    file.bury([0, 3])
    file.compact()
    assert file.generation != before
    assert list(file.keys) == [_key(2), _key(3), _key(5)]
    assert file.rows.tolist() == _rows(2, 3, 5).tolist()
    assert mapped.tolist() == _rows(1, 2, 3, 4, 5).tolist()
    assert len(list(tmp_path.iterdir())) == 3


def test_a_row_without_its_key_is_not_seen_and_is_written_over(tmp_path: Path) -> None:
    file = RowFile(tmp_path, "f", 2)
    file.append([_key(1)], _rows(1))
    with file.path("f32").open("ab") as rows:
        rows.write(b"\xff" * 13)
    again = RowFile(tmp_path, "f", 2)
    assert len(again.keys) == len(again.rows) == 1
    again.append([_key(2)], _rows(2))
    assert again.rows.tolist() == _rows(1, 2).tolist()


def test_refreshing_says_whether_anything_changed(tmp_path: Path) -> None:
    reader = RowFile(tmp_path, "f", 2)
    writer = RowFile(tmp_path, "f", 2)
    assert not reader.refresh()
    writer.append([_key(1)], _rows(1))
    assert reader.refresh()
    assert not reader.refresh()
    writer.bury([0])
    assert reader.refresh()
    assert not reader.live.any()


def test_json_is_written_whole_and_read_leniently(tmp_path: Path) -> None:
    path = tmp_path / "facts.json"
    assert read_json(path) == {}
    write_json(path, {"a": 1})
    assert read_json(path) == {"a": 1}
    assert list(tmp_path.iterdir()) == [path]
    for broken in (b"", b"[1]", b"{", b"\xff"):
        path.write_bytes(broken)
        assert read_json(path) == {}
