"""Real vaults and hard constructs kept outside of the project, where they are present."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.vault.reading import vault_fields
from vaultkeeper.types import Note
from vaultkeeper.vault.canvas import parse_canvas
from vaultkeeper.vault.links import Anchors, LinkResolver, has_anchor
from vaultkeeper.vault.note import parse_note

DATA = (
    Path(os.environ.get("VAULTKEEPER_TEST_DATA") or Path(__file__).parents[2].parent / "shared" / "data")
    / "vaults"
)
NAMES = ("kepano-obsidian", "tasks-demo", "research-zh")

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"the real vaults are not here: {DATA} does not exist"
)


class Vault:
    def __init__(self, name: str, folder: Path) -> None:
        with tarfile.open(DATA / f"{name}.tar.gz") as archive:
            archive.extractall(folder, filter="data")
        self.root = folder / name
        self.expected: dict[str, Any] = json.loads(
            (DATA / f"{name}.expected.json").read_text(encoding="utf-8")
        )
        self.files = sorted(
            path.relative_to(self.root).as_posix() for path in self.root.rglob("*") if path.is_file()
        )
        self.resolver = LinkResolver(self.files)
        self.notes: dict[str, Note] = {
            path: parse_note(path, (self.root / path).read_bytes())
            for path in self.files
            if path.endswith(".md")
        }

    def digest(self) -> str:
        total = hashlib.sha256()
        for path in self.files:
            total.update(path.encode() + b"\0" + (self.root / path).read_bytes() + b"\0")
        return total.hexdigest()


@pytest.fixture(scope="module", params=NAMES)
def vault(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Vault:
    return Vault(request.param, tmp_path_factory.mktemp("vault"))


def test_every_field_of_every_note(vault: Vault) -> None:
    wrong = []
    expected = vault.expected["notes"]
    assert vault.notes.keys() == expected.keys()
    for path, note in vault.notes.items():
        got = vault_fields(note, vault.resolver)
        if "undecided" not in expected[path]:
            wrong += [
                (path, name, got[name], expected[path][name])
                for name in got
                if got[name] != expected[path][name]
            ]
    assert wrong == []


def test_totals(vault: Vault) -> None:
    totals = vault.expected["totals"]
    notes = vault.notes.values()
    tags = Counter(tag for note in notes for tag in {tag.lower() for tag in note.tags})
    assert tags == vault.expected["tags"]
    assert Counter(note.frontmatter for note in notes) == totals["frontmatter"]
    assert sum(len(note.headings) for note in notes) == totals["headings"]
    invalid = {note.path for note in notes if note.frontmatter == "invalid"}
    assert invalid == {problem["path"] for problem in vault.expected["yaml_problems"]}
    for note in notes:
        if note.frontmatter == "invalid":
            assert [problem.line for problem in note.problems if problem.code.startswith("yaml")] != [None]


def test_missing_headings_and_blocks(vault: Vault) -> None:
    missing: dict[str, list[tuple[str, str]]] = {"missing_headings": [], "missing_blocks": []}
    for note in vault.notes.values():
        for link in note.links:
            found = vault.notes.get(vault.resolver.resolve(note.path, link.target).path or "")
            if found is not None and not has_anchor(Anchors(found.headings, found.blocks), link.subpath):
                kind = "missing_blocks" if link.subpath.startswith("^") else "missing_headings"
                missing[kind].append((note.path, f"{link.target}#{link.subpath}"))
    for kind, links in missing.items():
        assert Counter(links) == Counter(map(tuple, vault.expected[kind]))


def test_canvases(vault: Vault) -> None:
    canvases = {
        path: parse_canvas(path, (vault.root / path).read_bytes())
        for path in vault.files
        if path.endswith(".canvas")
    }
    got = {}
    resolver = LinkResolver(vault.files)
    for path, canvas in canvases.items():
        files = [link.target[1:] for link in canvas.links if link.kind == "card"]
        got[path] = {
            "ok": not canvas.problems,
            "files": files,
            "missing_files": [file for file in files if file not in vault.files],
            "text_links": len(canvas.links) - len(files),
        }
        assert [resolver.resolve(path, f"/{file}").path for file in files] == files
    assert got == vault.expected["canvases"]


def test_reading_writes_nothing(vault: Vault) -> None:
    before = vault.digest()
    for path in vault.notes:
        parse_note(path, (vault.root / path).read_bytes())
    assert vault.digest() == before


def test_what_obsidian_itself_holds(tmp_path: Path) -> None:
    vault = Vault("tasks-demo", tmp_path)
    cache = json.loads((DATA / "tasks-demo.obsidian-cache.json").read_text(encoding="utf-8"))
    wrong: list[object] = []
    for path, held in cache["notes"].items():
        if path in cache["newer"]:
            continue
        note = vault.notes[path]

        def linked(kind: str, note: Note = note) -> list[list[object]]:
            links = [link for link in note.links if link.kind == kind]
            return [
                [link.target + ("#" + link.subpath if link.subpath else ""), link.line - 1] for link in links
            ]

        got = {
            "links": linked("link"),
            "embeds": linked("embed"),
            "property_links": [target for target, _ in linked("property")],
            "headings": [[heading.level, heading.text] for heading in note.headings],
            "block_ids": [block.id for block in note.blocks],
            "frontmatter": note.properties or None,
            "all_tags": {"#" + tag for tag in note.tags},
        }
        held["property_links"] = [target for _, target in held["property_links"]]
        held["all_tags"] = set(held["all_tags"])
        if note.properties:
            got["frontmatter_end_line"] = note.body_line - 2
        wrong += [(path, name, got[name], held[name]) for name in got if got[name] != held[name]]
        for target, opened in held["resolve"].items():
            found = vault.resolver.resolve(path, target.partition("#")[0]).path
            if found != opened:
                wrong.append((path, target, found, opened))
    assert wrong == []


def nasty() -> list[tuple[str, str]]:
    source = DATA / "nasty_dev.md"
    text = source.read_text(encoding="utf-8") if source.is_file() else ""
    parts = re.split(r"^## (?=\d+\. )", text, flags=re.MULTILINE)[1:]
    return [(part.partition("\n")[0], part) for part in parts]


@pytest.mark.parametrize("section", [part for _, part in nasty()], ids=[title for title, _ in nasty()])
def test_nasty_construct(section: str) -> None:
    files: dict[str, bytes] = {}
    expected: dict[str, Any] = {}
    for found in re.finditer(r"^~{8}(\w+) ?(.*)\n((?:.*\n)*?)~{8}$", section, re.MULTILINE):
        kind, path, body = found.groups()
        if kind == "input":
            body = body.replace("\n", "\r\n") if path.endswith(" crlf") else body
            files[path.removesuffix(" crlf")] = body.encode()
        elif kind == "files":
            files.update(dict.fromkeys(body.split("\n")[:-1], b""))
        else:
            expected = json.loads(body)
    resolver = LinkResolver(files)
    got = {path: vault_fields(parse_note(path, files[path]), resolver) for path in expected}
    assert {path: {name: got[path][name] for name in asked} for path, asked in expected.items()} == expected
    assert expected
