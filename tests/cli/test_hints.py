"""What a person is told who names something that is not there, or is there already."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run, Said

MARA = """---
kind: person
display_name: Mara Lindqvist
aliases: [The Captain]
emails: [mara@example.org]
---
See [[Tea]].
"""


@pytest.fixture
def people(vault: Path) -> Path:
    folder = vault / "People"
    folder.mkdir()
    (folder / "Mara L.md").write_text(MARA, "utf-8")
    return vault


@pytest.fixture
def ask(run: Run, people: Path, tmp_path: Path) -> Run:
    def call(*words: str) -> Said:
        return run("--vault", str(people), "--set", f"index_dir={tmp_path / 'index'}", *words)

    return call


@pytest.mark.parametrize(
    "words",
    [
        ("person", "mara  lindqvist", "--id", "second"),
        ("people", "M. L.", "--alias", "the captain"),
        ("person", "M. L.", "--email", "MARA@example.org"),
    ],
)
def test_who_is_known_by_name_alias_or_address_is_not_added_again(
    ask: Run, people: Path, words: tuple[str, ...]
) -> None:
    said = ask("entity", "add", *words)
    assert said.code == 4
    assert "People/Mara L.md" in said.err
    assert not (people / "entities").exists()
    assert ask("entity", "add", *words, "--even-if-known").code == 0


def test_another_kind_may_have_the_name(ask: Run) -> None:
    assert ask("entity", "add", "product", "The Captain").code == 0


@pytest.mark.parametrize("email", ["notanemail", "a@b", "a b@c.org", ""])
def test_an_address_that_is_none_is_refused(ask: Run, people: Path, email: str) -> None:
    assert ask("entity", "add", "person", "Zed", "--email", email).code == 2
    assert not (people / "entities").exists()


def test_kinds_are_merged_only_when_asked_for(ask: Run, people: Path) -> None:
    assert ask("entity", "add", "product", "Gauge").code == 0
    before = (people / "People" / "Mara L.md").read_bytes()
    said = ask("entity", "merge", "gauge", "mara lindqvist")
    assert (said.code, "different kinds" in said.err) == (4, True)
    assert (people / "People" / "Mara L.md").read_bytes() == before
    assert ask("entity", "merge", "gauge", "mara lindqvist", "--across-kinds").code == 0


def test_a_guess_that_is_not_sure_enough_is_called_one(ask: Run) -> None:
    said = ask("entity", "resolve", "mra lndqst")
    assert said.code == 3
    assert "Perhaps 'mra lndqst' is Mara Lindqvist (People/Mara L.md)" in said.err
    said = ask("entity", "resolve", "zzz")
    assert (said.code, said.err.strip()) == (3, "Nothing is called 'zzz'.")


@pytest.mark.parametrize(
    ("code", "told"),
    [("link-daed", "link-dead"), ("dead", "link-dead"), ("zzzz", "the codes are text-encoding")],
)
def test_a_code_that_no_problem_has_is_a_usage_error(ask: Run, code: str, told: str) -> None:
    said = ask("doctor", "--code", code)
    assert said.code == 2
    assert told in said.err


def test_a_read_only_note_is_to_be_made_writable(ask: Run, people: Path) -> None:
    note = people / "People" / "Mara L.md"
    note.chmod(0o444)
    said = ask("entity", "alias", "mara lindqvist", "Skipper")
    assert said.code == 5
    assert "read-only" in said.err
    assert "Make the note writable" in said.err


def test_a_file_that_is_not_there_is_not_found(ask: Run) -> None:
    assert ask("ingest", "nope.md").code == 3


def test_notes_that_are_spelt_alike_are_named(ask: Run) -> None:
    said = ask("note", "Marra L")
    assert (said.code, "Did you mean People/Mara L.md?" in said.err) == (3, True)
    said = ask("note", "Quite another thing")
    assert (said.code, "vaultkeeper search" in said.err) == (3, True)


def test_a_link_in_a_property_says_so(ask: Run, people: Path) -> None:
    (people / "Card.md").write_text("---\nby: '[[Mara L]]'\n---\n[[Tea]]\n", "utf-8")
    lines = ask("note", "Card").out.splitlines()
    assert [line.split(" → ")[1] for line in lines if "→" in line] == [
        "People/Mara L.md (in a property)",
        "Tea.md",
    ]


def test_ids_that_no_node_has_are_told_to_people_and_empty_in_json(ask: Run) -> None:
    for words, told in ((("drill", "nope"), "No node has the id nope."), (("leaves", "nope"), "No leaf has")):
        said = ask(*words)
        assert (said.code, said.out) == (3, "")
        assert told in said.err
        said = ask(*words, "--json")
        assert (said.code, said.json["hits"], said.err) == (0, [], "")


def test_a_leaf_is_no_unknown_node_and_leaves_that_are_known_are_shown(ask: Run) -> None:
    found = ask("walk", "steeped tea", "--json").json["hits"]
    leaf = next(hit["node_id"] for hit in found if hit["note_path"] == "Tea.md")
    said = ask("drill", leaf)
    assert (said.code, said.out) == (0, "Nothing found.\n")
    said = ask("leaves", leaf, "nope")
    assert said.code == 3
    assert "Tea" in said.out
    assert said.err.count("No leaf has the id") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["askk", "x"], "Did you mean ask?"),
        (["where is the key"], "Did you mean ask?"),
        (["entity", "lst"], "Did you mean list?"),
        (["checkpoint"], "Missing command: one of add, list, cleanup."),
        (["walk", "x", "--limit", "-3"], "-3 is not in the range"),
        (
            ["brief", "--since", "2026-05-01", "--until", "2026-01-01"],
            "The time ends (2026-01-01) before it begins (2026-05-01).",
        ),
    ],
)
def test_what_is_misspelt_or_makes_no_sense_is_said_in_plain_words(
    run: Run, vault: Path, words: list[str], said: str
) -> None:
    done = run("--vault", str(vault), *words)
    assert done.code == 2
    assert said in done.err
    assert done.out == ""


def test_a_brief_takes_the_name_of_a_source_and_knows_none_that_is_not_there(run: Run, vault: Path) -> None:
    (vault / "Plans").mkdir()
    (vault / "Plans/One.md").write_text(
        "---\ndate: 2026-03-01\n---\nWe will build a boat of oak, in spring.\n", "utf-8"
    )
    words = ("--vault", str(vault), "brief", "--since", "2026-02-01", "--source-id")
    assert "## Plans" in run(*words, "plans").out
    assert run(*words, "notes:Plans").out == run(*words, "plans").out
    done = run(*words, "Planz")
    assert done.code == 3
    assert "Did you mean notes:Plans?" in done.err
