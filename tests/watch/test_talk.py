from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.watch.talk import LogFile, Screen, Talk, fit, printable


def _clock() -> Iterator[datetime]:
    while True:
        yield datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)


def test_plain_lines_and_the_log_are_the_same(tmp_path: Path) -> None:
    lines: list[str] = []
    clock = _clock()
    talk = Talk(lines.append, None, LogFile(tmp_path / "deep" / "watch.log"), lambda: next(clock))
    talk.line("one")
    talk.status("not shown")
    talk.line("two\n\x1b[2Jthree")
    assert (tmp_path / "deep" / "watch.log").read_text().splitlines() == lines
    assert lines[1].endswith(" two\\n\\x1b[2Jthree")


def test_on_a_terminal_the_status_line_follows_each_line() -> None:
    drawn: list[str] = []
    screen = Screen(drawn.append, lambda: 20)
    clock = _clock()
    talk = Talk(screen.say, screen.status, None, lambda: next(clock))
    talk.status("10 notes")
    talk.status("10 notes")
    talk.line("a.md: 1 changed")
    screen.close()
    screen.close()
    text = "".join(drawn)
    assert text.count("10 notes") == 2
    assert text.index("a.md") < text.rindex("10 notes")
    assert text.endswith("10 notes\n")
    assert text.startswith("\r\x1b[2K10 notes\r\x1b[2K")


def test_a_log_turns_over_and_keeps_three(tmp_path: Path) -> None:
    log = LogFile(tmp_path / "log", max_bytes=100, keep=3)
    for number in range(100):
        log.write(f"line {number:03}")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["log", "log.1", "log.2", "log.3"]
    assert "line 099" in (tmp_path / "log").read_text()
    assert all(path.stat().st_size < 120 for path in tmp_path.iterdir())
    whole = "".join((tmp_path / name).read_text() for name in reversed(names))
    assert whole.split("\n")[:-1] == [f"line {number:03}" for number in range(100)][-whole.count("\n") :]


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    LogFile(tmp_path / "file" / "log").write("line")
    LogFile(tmp_path).write("line")


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60), st.integers(1, 50))
def test_a_fitted_line_has_at_most_its_columns(text: str, columns: int) -> None:
    fitted = fit(printable(text), columns)
    assert len(fitted) <= len(printable(text))
    assert fitted == printable(text) or fitted.endswith("…")


def test_wide_characters_count_twice() -> None:
    assert fit("東京タワー", 10) == "東京タワー"
    assert fit("東京タワー", 9) == "東京タ…"
    assert fit("abcdef", 4) == "abc…"
