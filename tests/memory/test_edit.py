import dataclasses
import signal
import subprocess
import sys
import textwrap
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vaultkeeper.errors import (
    ConflictError,
    ExistsError,
    NoteNotFoundError,
    RefusedError,
    UnreadableNoteError,
    UsageError,
)
from vaultkeeper.memory import edit
from vaultkeeper.memory.edit import (
    add_alias,
    add_entity,
    merge_entities,
    put_entity,
    remove_alias,
    render_entity,
)
from vaultkeeper.memory.entities import entity_from_note
from vaultkeeper.memory.registry import Registry
from vaultkeeper.types import Entity, Handle
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.write import sha256_hex

NOW = datetime(2026, 4, 13, 10, 30, 15, 999, tzinfo=UTC)
LATER = datetime(2026, 4, 14, tzinfo=UTC)

USERS_NOTE = b"""\xef\xbb\xbf---\r
# who she is\r
kind:   person   # do not touch\r
aliases:\r
    - "Mara"  # first\r
rating: 007\r
met: 2019-05-01\r
---\r
# Mara\r
\r
caf\xe9  \r
no end"""


def write(root: Path, path: str, data: bytes) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(data)


def load(root: Path, path: str) -> Entity:
    entity = entity_from_note(parse_note(path, (root / path).read_bytes()))
    assert entity is not None
    return entity


def files(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


def registry(root: Path) -> Registry:
    notes = [parse_note(path, (root / path).read_bytes()) for path in files(root) if not path.startswith(".")]
    return Registry(entity for note in notes if (entity := entity_from_note(note)))


def test_entity_file_lands_at_expected_path_with_the_exact_shape(tmp_path):
    receipt = add_entity(
        tmp_path, "person", "Alice", now=NOW, aliases=["Al", "al"], emails=["a@x.org"],
        handles=[Handle("github", "alice")], notes="Met in Lund.",
    )  # fmt: skip
    text = (
        '---\nid: "person:alice"\nkind: person\ndisplay_name: Alice\naliases:\n  - Al\nemails:\n  - a@x.org\n'
        "handles:\n  - kind: github\n    value: alice\n"
        'created_at: "2026-04-13T10:30:15Z"\nupdated_at: "2026-04-13T10:30:15Z"\n---\n\nMet in Lund.\n'
    )
    assert files(tmp_path) == ["entities/person/alice.md"]
    data = (tmp_path / receipt.path).read_bytes()
    assert data.decode() == text
    assert receipt == ("entities/person/alice.md", sha256_hex(data), len(data), True)


@pytest.mark.parametrize(
    "name", ["Mara: the 2nd", "Yes", "007", "张伟", 'O\'Brien "Bob"', "a\\b/c", "#x", "CON", "x" * 300]
)
def test_round_trip_person(name, tmp_path):
    entity = Entity(
        f"person:{name.lower().lstrip('#')}", "person", name, "", [name + " 2", "2026-01-01"], ["a@x.org"],
        [Handle("github", "no"), Handle("x", "1")], "2026-01-01T00:00:00Z", merged_ids=["person:old"],
    )  # fmt: skip
    receipt = put_entity(tmp_path, entity, now=NOW)
    again = load(tmp_path, receipt.path)
    expected = dataclasses.replace(entity, path=receipt.path, updated_at="2026-04-13T10:30:15Z")
    assert again == expected


def test_adding_twice_is_an_error_and_writes_nothing(tmp_path):
    receipt = add_entity(tmp_path, "person", "Alice", now=NOW)
    before = (tmp_path / receipt.path).read_bytes()
    with pytest.raises(ExistsError):
        add_entity(tmp_path, "person", " ALICE ", now=LATER)
    assert (tmp_path / receipt.path).read_bytes() == before


def test_two_ids_that_give_one_file_name_become_two_files(tmp_path):
    first = add_entity(tmp_path, "technology", "c_", now=NOW)
    second = add_entity(tmp_path, "technology", "c#", now=NOW)
    third = put_entity(tmp_path, Entity("technology:c++", "technology", "C++", ""), now=NOW)
    assert len({first.path, second.path, third.path}) == 3
    assert put_entity(tmp_path, Entity("technology:c++", "technology", "C++", ""), now=NOW) == third._replace(
        changed=False
    )
    assert {entity.id for entity in registry(tmp_path)} == {
        "technology:c_",
        "technology:c#",
        "technology:c++",
    }


@pytest.mark.parametrize(
    ("kind", "name", "more"),
    [("starship", "x", {}), ("email", "x", {}), ("person", "  ", {}), ("person", "x", {"entity_id": "topic:x"}),
     ("person", "@", {}), ("person", "x", {"aliases": [""]})],
)  # fmt: skip
def test_what_makes_no_entity_is_a_usage_error(kind, name, more, tmp_path):
    with pytest.raises(UsageError):
        add_entity(tmp_path, kind, name, now=NOW, **more)
    assert files(tmp_path) == []


def test_an_alias_changes_one_line_of_a_users_note(tmp_path):
    write(tmp_path, "People/Mara.md", USERS_NOTE)
    mara = load(tmp_path, "People/Mara.md")
    receipt = add_alias(tmp_path, mara, "Máu: the cat", now=NOW)
    data = (tmp_path / "People/Mara.md").read_bytes()
    assert data == USERS_NOTE.replace(
        b'    - "Mara"  # first\r\n', b'    - "Mara"  # first\r\n    - "M\xc3\xa1u: the cat"\r\n'
    )
    assert receipt == ("People/Mara.md", sha256_hex(data), len(data), True)
    assert remove_alias(tmp_path, mara, "MÁU: the cat", now=NOW).changed
    assert (tmp_path / "People/Mara.md").read_bytes() == USERS_NOTE
    assert files(tmp_path) == ["People/Mara.md"]


def test_an_alias_that_is_there_changes_nothing(tmp_path):
    write(tmp_path, "People/Mara.md", USERS_NOTE)
    mara = load(tmp_path, "People/Mara.md")
    before = (tmp_path / "People/Mara.md").stat()
    assert not add_alias(tmp_path, mara, "MARA", now=NOW).changed
    assert not remove_alias(tmp_path, mara, "Nobody", now=NOW).changed
    assert (tmp_path / "People/Mara.md").stat() == before


def test_our_own_note_is_stamped(tmp_path):
    path = add_entity(tmp_path, "person", "Alice", now=NOW).path
    add_alias(tmp_path, load(tmp_path, path), "Al", now=LATER)
    entity = load(tmp_path, path)
    assert (entity.aliases, entity.created_at, entity.updated_at) == (
        ["Al"], "2026-04-13T10:30:15Z", "2026-04-14T00:00:00Z",
    )  # fmt: skip


@pytest.mark.parametrize("head", [b"---\na: b: c\n---\n", b"---\naliases: [x\n", b"---\na: 1\na: 2\n---\n"])
def test_put_entity_refuses_to_clobber_unparsable_non_empty_file(head, tmp_path):
    path = "entities/person/mara.md"
    write(tmp_path, path, head + b"notes")
    mara = Entity("person:mara", "person", "Mara", path, ["M"])
    for change in (
        lambda: put_entity(tmp_path, mara, now=NOW),
        lambda: add_alias(tmp_path, mara, "New", now=NOW),
        lambda: remove_alias(tmp_path, mara, "x", now=NOW),
    ):
        with pytest.raises(UnreadableNoteError) as caught:
            change()
        assert path in str(caught.value)
        assert caught.value.advice
    assert (tmp_path / path).read_bytes() == head + b"notes"
    assert files(tmp_path) == [path]


def test_put_entity_fills_an_empty_file(tmp_path):
    path = "entities/person/x.md"
    write(tmp_path, path, b"\n")
    put_entity(tmp_path, Entity("person:x", "person", "X", path), now=NOW)
    assert load(tmp_path, path).display_name == "X"


def test_put_entity_unites_lists_and_keeps_what_the_user_wrote(tmp_path):
    path = "entities/person/mara.md"
    old = (
        b"---\nid: person:mara\nkind: person\nfavourite: tea # yes\ndisplay_name: 'Mara L.'\naliases: [M]\n"
        b"emails: mara@x.org\nupdated_at: 2020-01-01T00:00:00Z\n---\nnotes without an end"
    )
    write(tmp_path, path, old)
    mara = Entity(
        "person:mara", "person", "Mara Lindqvist", path, ["m", "Mara"], ["MARA@x.org", "m@y.org"],
        [Handle("github", "mara")], "2026-01-01T00:00:00Z",
    )  # fmt: skip
    assert put_entity(tmp_path, mara, now=NOW).changed
    assert (tmp_path / path).read_bytes() == (
        b"---\nid: person:mara\nkind: person\nfavourite: tea # yes\ndisplay_name: 'Mara L.'\naliases: [M, Mara]\n"
        b"emails: [mara@x.org, m@y.org]\nupdated_at: 2026-04-13T10:30:15Z\n"
        b"handles:\n  - kind: github\n    value: mara\n"
        b'created_at: "2026-01-01T00:00:00Z"\n---\nnotes without an end'
    )
    assert not put_entity(tmp_path, mara, now=LATER).changed


def test_upsert_preserves_user_notes_body(tmp_path):
    body = b"\n# Notes\r\n\n---\nid: not this\n---\n\ttail \xff"
    path = "entities/person/x.md"
    write(tmp_path, path, b"---\nid: person:x\nkind: person\n---\n" + body)
    put_entity(tmp_path, Entity("person:x", "person", "X", path, ["Y"]), now=NOW)
    assert (tmp_path / path).read_bytes().endswith(b"---\n" + body)


def test_entity_is_read_with_closing_fence_at_eof(tmp_path):
    path = "entities/person/x.md"
    write(tmp_path, path, b"---\nid: person:x\naliases: [a]\n---")
    add_alias(tmp_path, load(tmp_path, path), "b", now=NOW)
    assert load(tmp_path, path).aliases == ["a", "b"]
    assert (tmp_path / path).read_bytes().endswith(b"\n---")


def test_missing_entity(tmp_path):
    with pytest.raises(NoteNotFoundError):
        add_alias(tmp_path, Entity("person:x", "person", "X", "entities/person/x.md"), "y", now=NOW)


def test_entities_out_of_the_vault_are_refused(tmp_path):
    vault = tmp_path / "vault"
    vault.mkdir()
    write(tmp_path, "outside/x.md", b"---\nkind: person\n---\n")
    (vault / "entities").symlink_to(tmp_path / "outside")
    for path in ("entities/x.md", "../outside/x.md"):
        with pytest.raises(RefusedError):
            add_alias(vault, Entity("person:x", "person", "X", path), "y", now=NOW)
    with pytest.raises(RefusedError):
        add_entity(vault, "person", "Alice", now=NOW)
    assert files(tmp_path / "outside") == ["x.md"]


def two(root: Path) -> tuple[Entity, Entity]:
    write(root, "entities/person/a.md", b"---\nid: person:a\naliases: [Mara]\nemails: [m@x.org]\n---\nkept\n")
    write(
        root,
        "People/Mara Lindqvist.md",
        b"---\r\nkind: person\r\nid: person:b\r\naliases:\r\n- mara\r\n- ML\r\nemails: M@x.org, b@y.org\r\n"
        b"handles: ['@ml']\r\nmerged_ids: [person:c]\r\n---\r\n\r\nother\r\nlines\r\n",
    )
    return load(root, "entities/person/a.md"), load(root, "People/Mara Lindqvist.md")


def test_merge_loses_nothing(tmp_path):
    a, b = two(tmp_path)
    other = (tmp_path / b.path).read_bytes()
    receipt = merge_entities(tmp_path, a, b, now=NOW)
    assert (tmp_path / receipt.trashed).read_bytes() == other
    assert files(tmp_path) == [".trash/People/Mara Lindqvist.md", "entities/person/a.md"]
    merged = load(tmp_path, "entities/person/a.md")
    assert merged.id == "person:a"
    assert merged.aliases == ["Mara", "Mara Lindqvist", "ML"]
    assert merged.emails == ["m@x.org", "b@y.org"]
    assert merged.handles == [Handle("handle", "ml")]
    assert merged.merged_ids == ["person:b", "person:c"]
    text = (tmp_path / a.path).read_text()
    assert text.endswith("---\nkept\n\n## From Mara Lindqvist (person:b)\n\nother\nlines\n")
    assert sha256_hex(text.encode()) == receipt.kept.sha256
    found = registry(tmp_path)
    assert found.find("person:b") == found.find("person:c") == found.find("person:a") == merged


@pytest.mark.parametrize("verb", ["replace_note", "trash_note"])
def test_a_merge_that_was_killed_comes_to_the_same_end(verb, tmp_path):
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    for root in (whole, torn):
        two(root)
    merge_entities(whole, *two(whole), now=NOW)
    program = f"""
        import os, signal, sys
        from pathlib import Path
        from tests.memory import test_edit
        from vaultkeeper.memory import edit
        root = Path(sys.argv[1])
        real = edit.{verb}
        def deadly(*args, **kwargs):
            if {verb!r} == "replace_note":
                real(*args, **kwargs)
            os.kill(os.getpid(), signal.SIGKILL)
        edit.{verb} = deadly
        edit.merge_entities(root, *test_edit.two(root), now=test_edit.NOW)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program), str(torn)], cwd=Path.cwd())
    assert done.returncode == -signal.SIGKILL
    a = load(torn, "entities/person/a.md")
    assert a.merged_ids
    merge_entities(torn, a, load(torn, "People/Mara Lindqvist.md"), now=NOW)
    assert {path: (torn / path).read_bytes() for path in files(torn)} == {
        path: (whole / path).read_bytes() for path in files(whole)
    }


def test_two_notes_with_one_id_can_be_merged(tmp_path):
    write(tmp_path, "entities/person/a.md", b"---\nid: person:a\n---\n")
    write(tmp_path, "entities/person/b.md", b"---\nid: person:a\ndisplay_name: Ada\n---\n")
    merge_entities(tmp_path, *(load(tmp_path, f"entities/person/{name}.md") for name in "ab"), now=NOW)
    assert load(tmp_path, "entities/person/a.md").aliases == ["Ada"]
    assert load(tmp_path, "entities/person/a.md").merged_ids == []
    with pytest.raises(UsageError):
        merge_entities(tmp_path, *[load(tmp_path, "entities/person/a.md")] * 2, now=NOW)


def test_a_merge_that_cannot_be_done_leaves_both(tmp_path):
    a, b = two(tmp_path)
    write(tmp_path, a.path, b"---\na: b: c\n---\n")
    before = {path: (tmp_path / path).read_bytes() for path in files(tmp_path)}
    with pytest.raises(UnreadableNoteError):
        merge_entities(tmp_path, a, b, now=NOW)
    assert {path: (tmp_path / path).read_bytes() for path in files(tmp_path)} == before


def test_a_save_in_obsidian_meanwhile_wins(tmp_path, monkeypatch):
    path = add_entity(tmp_path, "person", "Alice", now=NOW).path
    entity = load(tmp_path, path)
    real = edit.append_items

    def save_meanwhile(*args, **kwargs):
        (tmp_path / path).write_bytes(b"saved by the user")
        return real(*args, **kwargs)

    monkeypatch.setattr(edit, "append_items", save_meanwhile)
    with pytest.raises(ConflictError):
        add_alias(tmp_path, entity, "Al", now=NOW)
    assert (tmp_path / path).read_bytes() == b"saved by the user"


def test_edits_of_many_processes_are_all_kept(tmp_path):
    vault = tmp_path / "vault"
    vault.mkdir()
    path = add_entity(vault, "person", "Alice", now=NOW).path
    program = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from tests.memory.test_edit import NOW, load
        from vaultkeeper.memory.edit import add_alias
        root, path, name = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
        for number in range(8):
            add_alias(root, load(root, path), f"{name}{number}", now=NOW, lock_dir=root.parent / "index")
        """
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", program, str(vault), path, name], cwd=Path.cwd())
        for name in ("Anna", "Berta", "Cilly")
    ]
    assert [process.wait() for process in processes] == [0] * 3
    assert len(load(vault, path).aliases) == 24
    assert files(vault) == [path]


def test_render_entity_with_nothing_in_it():
    assert render_entity(Entity("topic:x", "topic", "x", "")) == (
        b'---\nid: "topic:x"\nkind: topic\ndisplay_name: x\naliases: []\nemails: []\nhandles: []\n'
        b'created_at: ""\nupdated_at: ""\n---\n'
    )
