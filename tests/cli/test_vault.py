from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run


def test_a_vault_is_added_listed_chosen_and_removed(run: Run, vault: Path, tmp_path: Path) -> None:
    other = tmp_path / "Work"
    other.mkdir()
    assert run("vault", "list", "--json").json == []
    assert run("vault", "add", str(vault)).code == 0
    assert run("vault", "add", "Work", "--name", "job").code == 0
    listed = run("vault", "list", "--json").json
    assert [(row["name"], row["default"]) for row in listed] == [("Notes", True), ("job", False)]
    assert run("vault", "default", "job").out == "job\n"
    assert run("config", "show", "--json").json["vault"] == str(other)
    assert run("--vault", "Notes", "config", "show", "--json").json["vault"] == str(vault)
    assert run("config", "show", "--json", "--vault", "Notes").json["vault"] == str(vault)
    assert run("config", "--vault", "Notes", "show", "--json").json["vault"] == str(vault)
    assert run("vault", "remove", "job").code == 0
    assert run("vault", "default").out == "Notes\n"
    assert (vault / "Tea.md").exists()


def test_names_that_are_taken_unknown_or_missing_folders_are_told(
    run: Run, vault: Path, tmp_path: Path
) -> None:
    run("vault", "add", str(vault))
    assert run("vault", "add", str(tmp_path), "--name", "Notes").code == 4
    assert run("vault", "add", "nowhere").code == 3
    assert run("vault", "remove", "nope").code == 3
    assert run("vault", "default", "nope").code == 3
    assert run("vault", "add", str(vault), "--name", "a/b").code == 2
    assert "Notes" in run("config", "show", "--vault", "nope").err


def test_without_any_vault_the_message_says_how_to_name_one(run: Run) -> None:
    said = run("config", "show")
    assert said.code == 3
    assert "--vault" in said.err


def test_a_path_that_cannot_be_is_no_bug(run: Run, vault: Path, tmp_path: Path) -> None:
    long = "y" * 5000
    file = next(vault.glob("*.md"))
    for words, code in (
        (("--vault", long, "search", "tea"), 3),
        (("vault", "add", "~nobody-of-this-name/x"), 3),
        (("vault", "add", long), 3),
        (("--vault", str(file), "init"), 4),
        (("init", str(file / "below")), 4),
        (("init", long), 2),
        (("--vault", str(vault), "note", long), 3),
        (("--vault", str(vault), "--set", "index_dir=~nobody-of-this-name/x", "config", "show"), 2),
    ):
        said = run(*words)
        assert said.code == code, (words[:2], said.err[-300:])
        assert "Traceback" not in said.err


def test_a_folder_that_is_not_there_is_not_to_be_added_again(run: Run) -> None:
    said = run("vault", "add", "nowhere")
    assert (said.code, "vault add" in said.err) == (3, False)
    assert "There is no folder nowhere" in said.err


def test_a_name_that_is_spelt_nearly_right_is_answered_with_the_right_one(run: Run, vault: Path) -> None:
    run("vault", "add", str(vault))
    for words in (("status", "--vault", "Nots"), ("vault", "remove", "Nots"), ("vault", "default", "Nots")):
        said = run(*words)
        assert (said.code, "did you mean Notes?" in said.err) == (3, True)
    assert "did you mean" not in run("status", "--vault", "quite else").err
