from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.memory.facets import (
    Facet,
    edit_facet,
    profile_key,
    read_facet,
    render_facet,
    value_mark,
    with_value,
)
from vaultkeeper.vault.note import parse_note

FACET = Facet(
    "context", "fact_live_oslo", "I live in Oslo.", 0.6, 2, 1_700_000_000_000, 1_700_086_400_000, ("s/000000", "t/000004"),
    valid_from="2023-11-14", written=value_mark("I live in Oslo."),
)  # fmt: skip


def reread(data: bytes) -> Facet:
    facet = read_facet(parse_note(FACET.path, data))
    assert facet is not None
    return facet


def test_a_facet_comes_back_as_it_was() -> None:
    assert reread(render_facet(FACET)) == FACET
    full = replace(
        FACET, state="pinned", valid_until="2024-01-01", superseded_by="context/x", negated=True, promoted=True, history=("2023: a \"b\"",)
    )  # fmt: skip
    assert reread(render_facet(full)) == full


values = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=1, max_size=60).filter(
    str.strip
)


@given(value=values)
def test_any_value_survives(value: str) -> None:
    facet = replace(FACET, value=value, written=value_mark(value))
    assert reread(render_facet(facet)).value == value
    assert not reread(render_facet(facet)).edited


@pytest.mark.parametrize(
    ("sentence", "key"),
    [
        ("I prefer dark mode", "p_prefer_dark_mode"),
        ("I really prefer dark mode!", "p_prefer_dark_mode"),
        ("I always use tabs for indentation of code", "p_always_use_tabs_for"),
        ("我更喜欢深色模式。", "p_我喜欢深色模式"),
        ("我喜欢深色模式", "p_我喜欢深色模式"),
        ("Ich wohne in Köln", "p_ich_wohne_köln"),
        ("🙂", "p_unknown"),
        ("", "p_unknown"),
    ],
)
def test_a_key_is_made_of_the_first_four_telling_words(sentence: str, key: str) -> None:
    assert profile_key(sentence, "p") == key


@given(st.text(max_size=300))
def test_a_key_is_always_a_file_name(sentence: str) -> None:
    key = profile_key(sentence, "fact")
    assert key.startswith("fact_")
    assert len(key.encode()) <= 124
    assert key.replace("_", "x").isalnum()
    assert key == profile_key(sentence, "fact")


def test_two_long_statements_keep_two_keys() -> None:
    assert profile_key("喜" * 90 + "甲", "p") != profile_key("喜" * 90 + "乙", "p")


def test_what_a_person_changed_is_told_from_what_was_written() -> None:
    assert not FACET.fixed
    assert reread(render_facet(FACET).replace(b"in Oslo.", b"in Bergen.")).fixed
    assert reread(render_facet(FACET).replace(b"state: auto", b"state: pinned")).fixed
    assert reread(b'---\nvalue: "by hand"\n---\n').fixed


def test_an_edit_changes_only_what_changed() -> None:
    data = (
        b"---\r\n# mine\r\nvalue: 'I live in Oslo.'\r\nconfidence: 0.60\r\nevidence_count: 2\r\nrating: 5\r\nsegments: [s/000000]\r\n"
        b"state: auto\r\n---\r\nMy words.\r\n"
    )
    old = reread(data)
    edited = edit_facet(
        data,
        old,
        replace(old, evidence_count=3, segments=("s/000000", "u/000002"), superseded_by="context/y"),
    )
    assert edited.startswith(data[: data.index(b"evidence_count")])
    assert edited.endswith(b"---\r\nMy words.\r\n")
    assert b"rating: 5\r\n" in edited
    again = reread(edited)
    assert (again.evidence_count, again.segments, again.superseded_by) == (
        3,
        ("s/000000", "u/000002"),
        "context/y",
    )
    cleared = edit_facet(edited, again, replace(again, superseded_by=""))
    assert reread(cleared).superseded_by == ""


def test_another_value_leaves_the_old_one_in_the_history() -> None:
    changed = with_value(FACET, "I live in Oslo, by the fjord.")
    assert changed.history == ("2023-11-15: I live in Oslo.",)
    assert not changed.edited
    assert with_value(changed, changed.value).history == changed.history


@pytest.mark.parametrize(
    "data", [b"no frontmatter", b"---\nvalue:\n---\n", b"---\nvalue: [1]\n---\n", b"---\n: : :\n---\n", b""]
)
def test_a_note_without_a_value_is_no_facet(data: bytes) -> None:
    assert read_facet(parse_note(FACET.path, data)) is None
    assert read_facet(parse_note("profile/x.md", render_facet(FACET))) is None


def test_values_that_make_no_sense_take_their_default() -> None:
    data = b"---\nvalue: 42\nconfidence: high\nevidence_count: -3\nfirst_seen_at: never\nsegments: one\nstate: maybe\n---\n"
    facet = reread(data)
    assert (facet.value, facet.confidence, facet.first_ms, facet.segments) == ("42", 0.5, 0, ())
