import os

import pytest

from vaultkeeper.errors import RefusedError
from vaultkeeper.vault.paths import entity_path, inside, is_program_path, safe_name, slug


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mara Lindqvist", "mara-lindqvist"),
        ("  --A__b--  ", "a__b"),
        ("gmail:a|b", "gmail-a-b"),
        ("张伟", "unknown"),
        ("", "unknown"),
        ("x" * 200, "x" * 120),
        ("_x_", "x"),
    ],
)
def test_slug(text, expected):
    assert slug(text) == expected


@pytest.mark.parametrize(
    ("entity_id", "path"),
    [
        ("person:alice", "entities/person/alice.md"),
        ("person:mara lindqvist", "entities/person/mara-lindqvist.md"),
        ("person:mara_lindqvist", "entities/person/mara_lindqvist.md"),
        ("person:王小明", "entities/person/王小明.md"),
        ("person:Zoë d'Arc", "entities/person/zoë-d-arc.md"),
        ("topic:हिन्दी भाषा", "entities/topic/हिन्दी-भाषा.md"),
        ('product:a/b\\c*?"<>|', "entities/product/a-b-c.md"),
        ("technology:c#", "entities/technology/c.md"),
        ("technology:#", "entities/technology/_.md"),
        ("misc:😀", "entities/misc/😀.md"),
        ("person:con", "entities/person/con_.md"),
        ("person:x\x00\x1fy.", "entities/person/x-y.md"),
        ("../x:y", "entities/_._x/y.md"),
        ("person:../../x", "entities/person/x.md"),
        ("person:", "entities/person/_.md"),
    ],
)
def test_a_new_entity_lands_under_its_slug(entity_id, path, tmp_path):
    assert entity_path(entity_id) == path
    inside(tmp_path, path)


@pytest.mark.parametrize("name", ["x" * 400, "王" * 400, "😀" * 400, "x " * 400])
def test_the_note_of_an_entity_has_a_name_that_every_system_can_carry(name):
    one, other = (entity_path(f"person:{name}{end}").rpartition("/")[2] for end in "ab")
    assert len(one.encode()) <= 250
    assert one != other


@pytest.mark.parametrize(
    "name",
    ["CON", "nul", "com1.txt", "Lpt9", "aux.", "...", ".hidden", " x ", "x.", "", "😀" * 90, "é" * 300],
)
def test_any_name_becomes_one_that_every_system_can_carry(name, tmp_path):
    safe = safe_name(name)
    (tmp_path / safe).write_bytes(b"")
    assert len(safe.encode()) <= 200
    assert safe[0] not in ". "
    assert safe[:-3].rstrip(". ") == safe[:-3] != ""
    assert safe.split(".")[0].lower() not in {"con", "nul", "com1", "lpt9", "aux"}


def test_two_long_names_stay_two():
    assert safe_name("x" * 300 + "a") != safe_name("x" * 300 + "b")


def test_whose_a_path_is():
    assert is_program_path("MEMORY.md")
    assert is_program_path("entities/person/x.md")
    assert not is_program_path("People/MEMORY.md")
    assert not is_program_path("entities.md")
    assert not is_program_path("entities")
    assert not is_program_path("Entities/x.md")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../x.md",
        "a/../../x.md",
        "a//b.md",
        "./x.md",
        "a/",
        "a\0b",
        ".obsidian/app.json",
        "a/.git/x",
    ],
)
def test_paths_that_are_no_notes_are_refused(path, tmp_path):
    with pytest.raises(RefusedError):
        inside(tmp_path, path)


def test_links_out_of_the_vault_are_refused_at_every_level(tmp_path):
    vault, outside = tmp_path / "vault", tmp_path / "outside"
    (vault / "real" / "deep").mkdir(parents=True)
    (outside / "deep").mkdir(parents=True)
    (vault / ".hidden").mkdir()
    for name, target in {
        "out": outside,
        "in": vault / "real",
        "dark": vault / ".hidden",
        "up": tmp_path,
    }.items():
        (vault / name).symlink_to(target, target_is_directory=True)
    (vault / "real" / "far").symlink_to(outside / "deep")
    (vault / "real" / "file.md").symlink_to(vault / "real" / "other.md")
    (vault / "loop").symlink_to("loop")
    for path in (
        "out/x.md",
        "out/deep/x.md",
        "real/far/x.md",
        "in/far/new/x.md",
        "up/vault2/x.md",
        "dark/x.md",
    ):
        with pytest.raises(RefusedError):
            inside(vault, path)
    for path in ("real/file.md", "in/file.md", "loop", "real/deep", "out"):
        with pytest.raises(RefusedError):
            inside(vault, path)
    assert inside(vault, "in/x.md") == vault / "real" / "x.md"
    assert inside(vault, "up/vault/real/x.md") == vault / "real" / "x.md"
    with pytest.raises(RefusedError):
        inside(vault, "loop/x.md")


def test_the_root_itself_may_be_a_link(tmp_path):
    (tmp_path / "vault").mkdir()
    (tmp_path / "link").symlink_to("vault")
    assert inside(tmp_path / "link", "a/b.md") == tmp_path / "vault" / "a" / "b.md"


def test_a_sibling_with_the_roots_name_in_front_is_outside(tmp_path):
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault2").mkdir()
    (tmp_path / "vault" / "x").symlink_to(tmp_path / "vault2")
    with pytest.raises(RefusedError):
        inside(tmp_path / "vault", "x/a.md")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(RefusedError):
        inside(tmp_path, "pipe.md")
