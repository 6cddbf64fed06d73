from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.history.trailers import Message, SourceLine, parse_message, render_message, source_line

ONE = Message((SourceLine("notes:Projects", "notes", "Projects", 12),), "manual", 3, 1_700_000_000_123)


def test_the_trailers_are_those_of_the_specification() -> None:
    assert render_message(ONE) == (
        "Snapshot of notes:Projects\n\nSource-Id: notes:Projects\nSource-Kind: notes\nSource-Label: Projects\n"
        "Item-Count: 12\nTrigger: manual\nNumber: 3\nTaken-At-Ms: 1700000000123\n"
    )


def test_trailers_parse_the_final_paragraph_only() -> None:
    text = render_message(ONE)
    posing = f"Snapshot\n\nSource-Id: notes:Other\nItem-Count: 1\nTaken-At-Ms: 5\n\n{text.partition(chr(10) * 2)[2]}"
    assert parse_message(posing) == ONE
    assert parse_message(f"{text}\nSigned-off-by: somebody\n") is None


def test_a_label_is_flattened() -> None:
    line = source_line("notes:x", 1)._replace(label="two\nlines\n\nTrigger: manual")
    message = Message((line,), "auto", 1, 5)
    parsed = parse_message(render_message(message))
    assert parsed is not None
    assert parsed.sources[0].label == "two lines Trigger: manual"
    assert parsed.trigger == "auto"


def test_a_source_is_described_by_its_id() -> None:
    assert source_line("episodic:s:1", 2) == ("episodic:s:1", "episodic", "s:1", 2)
    assert source_line("memory", 2) == ("memory", "memory", "memory", 2)
    assert source_line("notes:", 2).label == "notes"


def test_what_says_nothing_of_a_snapshot_is_none() -> None:
    assert parse_message("") is None
    assert parse_message("Initial commit\n") is None
    assert parse_message(render_message(ONE).replace("Number: 3", "Number: three")) is None


_WORD = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp")), min_size=1)
_LINES = st.lists(st.builds(source_line, _WORD, st.integers(0, 10_000)), min_size=1, max_size=4)


@given(_LINES, st.sampled_from(["auto", "manual"]), st.integers(1, 10**9), st.integers(0, 10**14))
def test_a_message_is_read_back(lines: list[SourceLine], trigger: str, number: int, ms: int) -> None:
    message = Message(tuple(lines), trigger, number, ms)
    assert parse_message(render_message(message)) == message
