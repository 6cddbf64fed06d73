"""Properties of appending to MEMORY.md and SKILL.md and of replacing a section; most are named in BEHAVIOUR §13.6."""

from __future__ import annotations

import hashlib
import inspect
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from vaultkeeper.errors import (
    DuplicateError,
    FileNotAllowedError,
    RefusedError,
    TooLargeError,
    UnreadableNoteError,
    UsageError,
)
from vaultkeeper.memory.curated import CATEGORIES, Limits, append, replace_section, update_memory_md

TEMPLATES = Path(__file__).parents[2] / "templates"


def text(root: Path, file: str = "MEMORY.md") -> str:
    return (root / file).read_bytes().decode()


def write(root: Path, content: str | bytes, file: str = "MEMORY.md") -> None:
    (root / file).write_bytes(content.encode() if isinstance(content, str) else content)


def call(root: Path, **arguments: Any) -> str:
    return update_memory_md(root, arguments).message


# Append


def test_append_creates_file_if_missing(tmp_path: Path) -> None:
    said = call(tmp_path, file="MEMORY.md", action="append", content="- a fact")
    assert text(tmp_path) == "- a fact\n"
    assert said == "Appended 9 bytes to MEMORY.md (9 bytes total)."


@pytest.mark.parametrize("existing", ["# Memory\n\n- old\n", "# Memory\n\n- old"])
def test_append_adds_to_existing(tmp_path: Path, existing: str) -> None:
    write(tmp_path, existing)
    call(tmp_path, file="MEMORY.md", action="append", content="- new")
    assert text(tmp_path) == "# Memory\n\n- old\n- new\n"


def test_append_to_empty_memory_file(tmp_path: Path) -> None:
    write(tmp_path, "")
    call(tmp_path, file="MEMORY.md", action="append", content="- a")
    assert text(tmp_path) == "- a\n"


def test_append_says_what_it_wrote(tmp_path: Path) -> None:
    write(tmp_path, "# Skills\n", "SKILL.md")
    receipt = append(tmp_path, "SKILL.md", "a längere line")
    data = (tmp_path / "SKILL.md").read_bytes()
    assert (receipt.path, receipt.bytes) == ("SKILL.md", len(data))
    assert receipt.sha256 == hashlib.sha256(data).hexdigest()
    assert receipt.message == f"Appended {len(data) - 9} bytes to SKILL.md ({len(data)} bytes total)."


def test_concurrent_appends_keep_all_entries(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from vaultkeeper.memory.curated import append\n"
        "for n in range(10): append(Path(sys.argv[1]), 'MEMORY.md', f'writer {sys.argv[2]} entry {n}')"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path), str(number)]) for number in range(4)
    ]
    assert [writer.wait() for writer in writers] == [0] * 4
    wanted = {f"writer {number} entry {n}" for number in range(4) for n in range(10)}
    lines = text(tmp_path).splitlines()
    assert len(lines) == 40
    assert set(lines) == wanted


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_category_is_a_tag_of_the_entry_in_its_section(tmp_path: Path, category: str) -> None:
    shutil.copy(TEMPLATES / "MEMORY.md", tmp_path)
    before = text(tmp_path)
    append(tmp_path, "MEMORY.md", "said first", category=category)
    append(tmp_path, "MEMORY.md", "- and this second", category=category)
    section = text(tmp_path).partition(f"## {category.capitalize()}s\n")[2].partition("\n## ")[0]
    assert section.strip() == f"- [{category}] said first\n- [{category}] and this second"
    kept = [line for line in text(tmp_path).splitlines() if not line.startswith("- [")]
    assert [line for line in kept if line] == [line for line in before.splitlines() if line]


def test_a_category_without_its_section_goes_to_the_end(tmp_path: Path) -> None:
    write(tmp_path, "# Memory\n")
    append(tmp_path, "MEMORY.md", "it rains", category="fact")
    assert text(tmp_path) == "# Memory\n- [fact] it rains\n"


def test_an_entry_can_go_to_the_end_of_a_section(tmp_path: Path) -> None:
    write(tmp_path, "## A\n- one\n\n## B\n- two\n")
    append(tmp_path, "MEMORY.md", "- more", section="A")
    append(tmp_path, "MEMORY.md", "- other", section="C")
    assert text(tmp_path) == "## A\n- one\n- more\n\n## B\n- two\n## C\n- other\n"


def test_unknown_categories_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="pattern, mistake, preference, fact"):
        append(tmp_path, "MEMORY.md", "x", category="gossip")


# Known entries


@pytest.mark.parametrize("again", ["Prefers metric units", "- [preference] prefers  METRIC units."])
def test_what_is_said_already_is_not_written_again(tmp_path: Path, again: str) -> None:
    append(tmp_path, "MEMORY.md", "Prefers metric units.", category="preference")
    before = text(tmp_path)
    receipt = append(tmp_path, "MEMORY.md", again)
    assert not receipt.changed
    assert receipt.message == "MEMORY.md says so already in line 1; nothing was written."
    assert text(tmp_path) == before


def test_what_is_nearly_said_is_refused_with_the_line(tmp_path: Path) -> None:
    write(tmp_path, "# Memory\n\n- Always run the tests before committing\n")
    nearly = "Always run tests before commiting"
    with pytest.raises(DuplicateError, match="line 3") as caught:
        append(tmp_path, "MEMORY.md", nearly)
    assert caught.value.exit_code == 4
    assert append(tmp_path, "MEMORY.md", nearly, even_if_similar=True).changed


def test_the_threshold_of_likeness_can_be_set(tmp_path: Path) -> None:
    write(tmp_path, "- User prefers dark mode in all editors\n")
    more = "User prefers dark mode in all code editors"
    with pytest.raises(DuplicateError):
        append(tmp_path, "MEMORY.md", more)
    assert append(tmp_path, "MEMORY.md", more, limits=Limits(similarity=0.97)).changed


def test_facts_that_differ_in_a_number_are_all_kept(tmp_path: Path) -> None:
    for number in range(30):
        assert append(tmp_path, "MEMORY.md", f"The code of gate {number} is {number * 7 % 13}").changed


def test_a_list_is_known_only_when_all_of_it_is(tmp_path: Path) -> None:
    write(tmp_path, "- milk\n- bread\n")
    assert not append(tmp_path, "MEMORY.md", "- Bread\n- Milk").changed
    assert append(tmp_path, "MEMORY.md", "- milk\n- cheese").changed
    assert append(tmp_path, "MEMORY.md", "## Shopping\n- milk").changed


def test_what_stands_in_code_is_not_known(tmp_path: Path) -> None:
    write(tmp_path, "```\nrun the tests\n```\n")
    assert append(tmp_path, "MEMORY.md", "run the tests").changed


# Sections


def test_replace_section_overwrites_body(tmp_path: Path) -> None:
    write(tmp_path, "# Memory\n\n## A\nold\nold too\n\n## B\nkept\n")
    said = call(tmp_path, file="MEMORY.md", action="replace_section", section_title="A", content="new")
    assert text(tmp_path) == "# Memory\n\n## A\nnew\n\n## B\nkept\n"
    assert said == f"Section 'A' updated in MEMORY.md ({len(text(tmp_path))} bytes)."


def test_replace_section_appends_when_not_found(tmp_path: Path) -> None:
    write(tmp_path, "# Memory\n\n## A\none")
    replace_section(tmp_path, "MEMORY.md", "B", "two")
    assert text(tmp_path) == "# Memory\n\n## A\none\n## B\ntwo\n"


@pytest.mark.parametrize("blank", ["", "  \n\n"])
def test_replace_section_with_empty_content(tmp_path: Path, blank: str) -> None:
    write(tmp_path, "## A\nold\n## B\nkept\n")
    replace_section(tmp_path, "MEMORY.md", "A", blank)
    assert text(tmp_path) == "## A\n## B\nkept\n"


def test_replace_section_creates_memory_file_if_missing(tmp_path: Path) -> None:
    replace_section(tmp_path, "SKILL.md", "A", "new")
    assert text(tmp_path, "SKILL.md") == "## A\nnew\n"


@pytest.mark.parametrize(
    "title", [{}, {"section_title": None}, {"section_title": " "}, {"section_title": "## "}]
)
def test_replace_section_missing_section_title_errors(tmp_path: Path, title: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="Missing 'section_title' parameter"):
        call(tmp_path, file="MEMORY.md", action="replace_section", content="new", **title)
    assert not (tmp_path / "MEMORY.md").exists()


def test_replace_section_is_idempotent(tmp_path: Path) -> None:
    write(tmp_path, "## A\nold\n\n# Other\n## A\nsecond\n")
    assert replace_section(tmp_path, "MEMORY.md", "## A", "new\n").changed
    assert not replace_section(tmp_path, "MEMORY.md", "A", "new").changed
    assert text(tmp_path) == "## A\nnew\n\n# Other\n## A\nsecond\n"


def test_headings_in_code_blocks_are_no_sections(tmp_path: Path) -> None:
    write(tmp_path, "```md\n## A\nan example\n```\n\n## A\n~~~\n## B\n~~~\nold\n\n## B\nkept\n")
    replace_section(tmp_path, "MEMORY.md", "A", "new")
    assert text(tmp_path) == "```md\n## A\nan example\n```\n\n## A\nnew\n\n## B\nkept\n"


@pytest.mark.parametrize("content", ["new\n## B\nforged", "Title\n===\n", "```\nopen", "~~~\nopen\n```"])
def test_content_that_would_break_out_of_its_section_is_refused(tmp_path: Path, content: str) -> None:
    write(tmp_path, "## A\nold\n")
    with pytest.raises(UsageError):
        replace_section(tmp_path, "MEMORY.md", "A", content)
    assert text(tmp_path) == "## A\nold\n"


@pytest.mark.parametrize("title", ["two\nlines", "a\0b"])
def test_a_title_is_one_line(tmp_path: Path, title: str) -> None:
    with pytest.raises(UsageError):
        replace_section(tmp_path, "MEMORY.md", title, "x")


# Arguments


def test_rejects_unknown_action(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Unknown action 'delete'"):
        call(tmp_path, file="MEMORY.md", action="delete", content="x")


@pytest.mark.parametrize(
    "file", ["../../etc/passwd", "MEMORY_GOALS.md", "memory.md", "Notes/MEMORY.md", "/etc/passwd", ""]
)
@pytest.mark.parametrize("action", ["append", "replace_section"])
def test_rejects_disallowed_file(tmp_path: Path, file: str, action: str) -> None:
    with pytest.raises(FileNotAllowedError) as caught:
        call(tmp_path, file=file, action=action, content="x", section_title="A")
    assert str(caught.value) == f"File '{file}' is not allowed. Permitted files: MEMORY.md, SKILL.md"
    assert caught.value.exit_code == 5
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("missing", ["file", "action", "content"])
def test_required_fields_are_named_when_missing(tmp_path: Path, missing: str) -> None:
    arguments = {"file": "MEMORY.md", "action": "append", "content": "x"}
    del arguments[missing]
    with pytest.raises(UsageError, match=f"Missing '{missing}' parameter"):
        update_memory_md(tmp_path, arguments)
    with pytest.raises(UsageError, match=f"Missing '{missing}' parameter"):
        update_memory_md(tmp_path, {**arguments, missing: 7})


def test_an_empty_entry_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Missing 'content' parameter"):
        append(tmp_path, "MEMORY.md", " \n")


# What must not be written


def test_secrets_are_taken_out_and_counted(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    receipt = append(tmp_path, "MEMORY.md", f"The deploy token is {secret}, ask Mara")
    assert secret not in text(tmp_path)
    assert "ask Mara" in text(tmp_path)
    assert sum(receipt.removed.values()) == 1
    assert secret not in repr(receipt)


def test_nothing_but_a_secret_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError):
        append(tmp_path, "MEMORY.md", "ghp_" + "a1B2c3D4e5" * 4)
    assert not (tmp_path / "MEMORY.md").exists()


def test_sizes_are_capped(tmp_path: Path) -> None:
    limits = Limits(file_bytes=100, entry_bytes=40)
    with pytest.raises(TooLargeError) as caught:
        append(tmp_path, "MEMORY.md", "ö" * 21, limits=limits)
    assert caught.value.exit_code == 5
    write(tmp_path, "## A\n" + "x" * 90 + "\n")
    with pytest.raises(TooLargeError):
        append(tmp_path, "MEMORY.md", "one more line", limits=limits)
    assert replace_section(tmp_path, "MEMORY.md", "A", "short", limits=limits).changed


def test_a_file_that_a_person_made_too_large_may_shrink(tmp_path: Path) -> None:
    write(tmp_path, "## A\n" + "x" * 300 + "\n## B\n" + "y" * 300 + "\n")
    assert replace_section(tmp_path, "MEMORY.md", "A", "short", limits=Limits(file_bytes=100)).changed


def test_default_sizes() -> None:
    assert Limits().file_bytes == 65_536
    assert inspect.signature(append).parameters["limits"].default == Limits()


# What stays


@pytest.mark.parametrize(("end", "last"), [("\r\n", ""), ("\r\n", "\r\n"), ("\n", "")])
def test_line_ends_stay(tmp_path: Path, end: str, last: str) -> None:
    write(tmp_path, f"## A{end}one{last}")
    append(tmp_path, "MEMORY.md", "two\nthree")
    assert text(tmp_path) == f"## A{end}one{end}two{end}three{end}"
    replace_section(tmp_path, "MEMORY.md", "A", "x\ny")
    assert text(tmp_path) == f"## A{end}x{end}y{end}"


def test_bytes_that_are_no_utf8_stay(tmp_path: Path) -> None:
    write(tmp_path, b"\xef\xbb\xbf## A\nold\n## caf\xe9\nkept \xff\n")
    append(tmp_path, "MEMORY.md", "new")
    replace_section(tmp_path, "MEMORY.md", "A", "x")
    assert (tmp_path / "MEMORY.md").read_bytes() == b"\xef\xbb\xbf## A\nx\n## caf\xe9\nkept \xff\nnew\n"


def test_a_utf16_file_is_refused_and_stays(tmp_path: Path) -> None:
    write(tmp_path, "old".encode("utf-16"))
    with pytest.raises(UnreadableNoteError):
        append(tmp_path, "MEMORY.md", "new")
    assert (tmp_path / "MEMORY.md").read_bytes() == "old".encode("utf-16")


# Links


def test_a_symlinked_lock_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".memory-write.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RefusedError):
        append(tmp_path, "MEMORY.md", "x")
    assert not (tmp_path / "MEMORY.md").exists()
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("inside", [True, False])
def test_a_symlinked_target_is_refused(tmp_path: Path, inside: bool) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    theirs = (root if inside else tmp_path) / "theirs.md"
    theirs.write_text("mine")
    (root / "MEMORY.md").symlink_to(theirs)
    for change in (
        lambda: append(root, "MEMORY.md", "x"),
        lambda: replace_section(root, "MEMORY.md", "A", "x"),
    ):
        with pytest.raises(RefusedError):
            change()
    assert theirs.read_text() == "mine"


def test_a_symlinked_parent_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(RefusedError):
        append(tmp_path / "link", "MEMORY.md", "x")
    assert list((tmp_path / "real").iterdir()) == []
