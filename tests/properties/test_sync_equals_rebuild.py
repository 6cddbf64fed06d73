"""The first law: any history of edits, renames and deletes, then a sync, equals an index built from nothing."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tests.index.vaults import Bench

FOLDERS = ["", "a/", "b/", "a/deep/", "entities/person/", "episodic/s1/", "People/"]
NAMES = ["Mara", "mara", "Jonas Berg", "note", "2026-03-09", "王小明", "x.md", "Zoë"]
PATHS = [f"{folder}{name}.md" for folder in FOLDERS for name in NAMES]
ATTACHMENTS = ["pic.png", "a/pic.png", "b/Mara.canvas", "note", "a/doc.pdf"]
CANVASES = ["plan.canvas", "b/Mara.canvas", "entities/person/Zoë.canvas"]
SURFACES = [
    "Mara", "Jonas Berg", "jonas-berg", "J. Berg", "ML", "王小明", "小明", "mara@example.org", "@mara_l", "Zoë", "C++",
    "Berg", "张伟", "Ünal", "note", "straße", "42", "#project", "will", "AI",
]  # fmt: skip
LINKS = [
    "[[Mara]]", "[[mara|her]]",
    "[[a/Mara]]", "![[pic.png]]", "[[Jonas Berg#Work]]", "[[note#^b1]]", "[[x.md]]", "[x](../note.md)",

    "[[#Work]]", "[[王小明]]", "[[gone]]", "[[entities/person/Mara|M]]", "[y](a/doc.pdf)",
    "[[2026-03-09]]", "[[Zoë]]", "[[b/note|王]]",
]  # fmt: skip

surface = st.sampled_from(SURFACES)
sentence = st.lists(
    st.one_of(surface, st.sampled_from(LINKS), st.sampled_from(["met", "用", "的", "and", ",", "。"])),
    max_size=7,
)
path = st.sampled_from(PATHS)
index = st.integers(0, 1000)


@st.composite
def bodies(draw: st.DrawFn) -> str:
    parts = []
    for _ in range(draw(st.integers(0, 3))):
        parts.append(draw(st.sampled_from(["", "# Work\n", "## Berg\n", "Text ^b1\n", "### 小明\n"])))
        parts.append(draw(st.sampled_from([" ", ""])).join(draw(sentence)) + "\n\n")
    return "".join(parts)


@st.composite
def heads(draw: st.DrawFn) -> str:
    lines = []
    if draw(st.booleans()):
        lines.append(f"kind: {draw(st.sampled_from(['person', 'note', 'organization']))}")
    if draw(st.booleans()):
        lines.append(f"id: {draw(st.sampled_from(['person:mara', 'person:jonas', 'n1', '7']))}")
    if draw(st.booleans()):
        aliases = draw(st.lists(surface, max_size=3))
        lines.append(f"aliases: {aliases!r}")
    if draw(st.booleans()):
        lines.append(
            draw(
                st.sampled_from(
                    [
                        "date: 2026-03-09",
                        "date: 2024-13-45",
                        "emails: mara@example.org",
                        "handles: ['x:@mara_l']",
                        "about: '[[Mara]]'",
                        "bad: [",
                        "tags: [x, y/z]",
                    ]
                )
            )
        )
    return "---\n" + "\n".join(lines) + "\n---\n" if lines else ""


class Sync(RuleBasedStateMachine):
    """Edits a vault at random; after each sync the index must be like new."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="vk-law-"))
        self.bench = Bench(self.folder)
        self.root = self.bench.root
        self.dirty: set[str] = set()

    def teardown(self) -> None:
        self.bench.db.close()
        shutil.rmtree(self.folder)

    def files(self) -> list[str]:
        return sorted(str(file.relative_to(self.root)) for file in self.root.rglob("*") if file.is_file())

    def pick(self, number: int) -> str | None:
        files = self.files()
        return files[number % len(files)] if files else None

    def changed(self, *paths: str) -> None:
        self.dirty.update(paths)

    @initialize(first=st.lists(st.tuples(path, heads(), bodies()), max_size=5))
    def begin(self, first: list[tuple[str, str, str]]) -> None:
        for where, head, body in first:
            self.write(where, head, body)

    @rule(where=st.sampled_from(CANVASES), files=st.lists(path, max_size=2), text=sentence, label=surface)
    def draw_canvas(self, where: str, files: list[str], text: list[str], label: str) -> None:
        cards = [{"type": "file", "file": file} for file in files]
        nodes = [*cards, {"type": "text", "text": " ".join(text)}, {"type": "group", "label": label}]
        (self.root / where).parent.mkdir(parents=True, exist_ok=True)
        (self.root / where).write_text(json.dumps({"nodes": nodes}))
        self.changed(where)

    @rule(where=path, head=heads(), body=bodies())
    def write(self, where: str, head: str, body: str) -> None:
        file = self.root / where
        if (
            any((self.root / where[:at]).is_file() for at in range(len(where)) if where[at] == "/")
            or file.is_dir()
        ):
            return
        self.bench.write(where, head + body)
        self.changed(where)

    @rule(where=st.sampled_from(ATTACHMENTS))
    def attach(self, where: str) -> None:
        self.bench.write(where, b"{}")
        self.changed(where)

    @rule(number=index, alias=surface)
    def add_alias(self, number: int, alias: str) -> None:
        entities = [
            file
            for file in self.files()
            if file.endswith(".md") and "kind: person" in (self.root / file).read_text()
        ]
        if not entities:
            return
        where = entities[number % len(entities)]
        text = (self.root / where).read_text()
        self.bench.write(
            where,
            text.replace("kind: person", f"kind: person\nalias{number}: x\naliases: [{alias!r}]", 1)
            if "aliases" not in text
            else text.replace("aliases: [", f"aliases: [{alias!r}, ", 1),
        )
        self.changed(where)

    @rule(number=index)
    def delete(self, number: int) -> None:
        where = self.pick(number)
        if where:
            (self.root / where).unlink()
            self.changed(where)

    @rule(number=index, to=path)
    def rename(self, number: int, to: str) -> None:
        where = self.pick(number)
        if where and where.endswith(".md") and not (self.root / to).exists():
            self.bench.move(where, to)
            self.changed(where, to)

    @rule(one=index, other=index)
    def swap(self, one: int, other: int) -> None:
        first, second = self.pick(one), self.pick(other)
        if first and second and first != second:
            self.bench.move(first, "swapping")
            self.bench.move(second, first)
            self.bench.move("swapping", second)
            self.changed(first, second)

    @rule(old=st.sampled_from(FOLDERS[1:]), new=st.sampled_from(["c", "b/in", "People", "entities/person"]))
    def rename_folder(self, old: str, new: str) -> None:
        source, target = self.root / old.rstrip("/"), self.root / new
        if source.is_dir() and not target.exists() and source not in target.parents and target != source:
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(target)
            self.changed(old.rstrip("/"), new)

    @rule(number=index, at=st.integers(1_600_000_000, 1_790_000_000))
    def touch(self, number: int, at: int) -> None:
        where = self.pick(number)
        if where:
            os.utime(self.root / where, (at, at))
            self.changed(where)

    @rule(number=index)
    def change_in_secret(self, number: int) -> None:
        """Same size, same modification time, same inode."""
        where = self.pick(number)
        if where and (self.root / where).stat().st_size:
            file = self.root / where
            before = file.stat()
            data = file.read_bytes()
            with file.open("r+b") as handle:
                handle.write(data.replace(b"Mara", b"Vera").replace(b"met", b"saw"))
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
            self.changed(where)

    @rule()
    def sync_whole(self) -> None:
        self.bench.sync()
        self.dirty.clear()
        self.bench.assert_like_new()

    @precondition(lambda self: self.dirty)
    @rule()
    def sync_hinted(self) -> None:
        self.bench.sync(sorted(self.dirty))
        self.dirty.clear()
        self.bench.assert_like_new()


Sync.TestCase.settings = settings(
    max_examples=40,
    stateful_step_count=18,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=False,
)
TestSync = Sync.TestCase
