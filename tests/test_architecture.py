"""The rules of ARCHITECTURE.md that a machine can check."""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
PACKAGE = PROJECT / "vaultkeeper"
MODULES = {str(path.relative_to(PACKAGE)): path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
TREES = {name: ast.parse(text) for name, text in MODULES.items()}
SURFACES = ("cli/", "watch/", "mcp_server/", "bench/", "__main__.py")

ONLY_IN = {
    "sqlite3": ("index/db.py",),
    "hnswlib": ("index/vectors.py",),
    "click": ("cli/",),
    "watchdog": ("watch/",),
    "frontmatter": ("vault/",),
    "yaml": ("vault/",),
    "bs4": ("importers/conversion.py",),
    "markdownify": ("importers/conversion.py",),
    "pypdf": ("importers/conversion.py",),
    "dulwich": ("history/repository.py",),
}
"""Where a library may be imported; everybody else goes through that module."""

WRITERS = {
    "vault/write.py": "the one way into the vault",
    "vault/lock.py": "lock files",
    "vault/update.py": "the half of vault/write.py for files that somebody else may save at the same moment",
    "memory/starter.py": "the folder of a new vault",
    "cli/vaults.py": "the user's list of vaults",
    "watch/": "its socket, log and state in the index's own folder, and the unit of the service",
    "history/": "snapshots, read marks and checkpoints in the state folder, outside the vault",
    "index/": "the derived index, outside the vault",
    "providers/": "nothing today; caches of models would be theirs",
}
"""Who may open a file for writing, and for what."""

WRITING_CALLS = {
    "write_text", "write_bytes", "unlink", "rename", "mkdir", "rmdir", "touch", "symlink_to", "hardlink_to",
    "rmtree", "copyfile", "copytree", "makedirs", "ftruncate", "fsync",
}  # fmt: skip

EXCEPTIONS = {"Service", "ServiceStatus"}
"""`watch/service.py` is about services of the operating system, which are called so."""

BANNED_WORDS = re.compile(
    r"Manager|Service|Handler|Helper|Utils|Coordinator|Processor|Factory|^Base[A-Z]|Impl$", re.ASCII
)


def imports(tree: ast.AST) -> Iterator[str]:
    """Top-level names of every import, lazy ones too, but not those for type checkers only."""
    guarded = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in guarded:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def calls(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """Every call with the words of what is called, such as `os.environ.get`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node, ast.unparse(node.func)


def opens_for_writing(call: ast.Call, words: str) -> bool:
    last = words.rpartition(".")[2]
    if last in ("open", "fdopen"):
        texts = [
            a.value for a in [*call.args, *(k.value for k in call.keywords)] if isinstance(a, ast.Constant)
        ]
        return any(isinstance(text, str) and re.fullmatch(r"[rbt]*[wax+][rwaxbt+]*", text) for text in texts)
    return last in WRITING_CALLS or words in ("os.remove", "os.replace")


@pytest.mark.parametrize("name", MODULES)
def test_no_module_is_longer_than_500_lines(name: str) -> None:
    assert MODULES[name].count("\n") <= 500


def test_the_median_module_is_at_most_170_lines() -> None:
    """Few modules, each of one idea, count for more than short ones: two halves of an idea stand in one place."""
    assert statistics.median(text.count("\n") for text in MODULES.values()) <= 170


def test_imports_point_down_only() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("library", ONLY_IN)
def test_a_library_is_imported_only_where_it_belongs(library: str) -> None:
    users = [name for name, tree in TREES.items() if library in imports(tree)]
    assert [name for name in users if not name.startswith(ONLY_IN[library])] == []


def test_below_the_surfaces_nothing_prints_or_reads_the_environment_or_the_clock() -> None:
    forbidden = re.compile(
        r"print|input|breakpoint|os\.getenv|os\.environ\b.*|sys\.std(in|out|err)\b.*|time\.time(_ns)?|time\.localtime"
        r"|(datetime\.)?(datetime|date)\.(now|utcnow|today)|locale\.\w+|Path\.(home|cwd)|os\.getcwd"
        r"|.*\.expanduser|platformdirs\.\w+"
    )
    found = []
    for name, tree in TREES.items():
        if name.startswith(SURFACES):
            continue
        found += [(name, node.lineno, words) for node, words in calls(tree) if forbidden.fullmatch(words)]
        found += [
            (name, node.lineno, "os.environ")
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and ast.unparse(node) in ("os.environ", "sys.argv")
        ]
    assert found == []


def test_the_command_line_reads_the_environment_in_one_place() -> None:
    readers = {
        name
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "os.environ"
    }
    assert {name for name in readers if name.startswith("cli/")} <= {
        "cli/call.py",
        "cli/boundary.py",
    }


def test_only_the_listed_modules_write_files() -> None:
    found = [
        (name, node.lineno, words)
        for name, tree in TREES.items()
        if not name.startswith(tuple(WRITERS))
        for node, words in calls(tree)
        if opens_for_writing(node, words)
    ]
    assert found == []


def test_the_check_for_writing_sees_the_ways_to_write() -> None:
    def seen(text: str) -> bool:
        return any(opens_for_writing(node, words) for node, words in calls(ast.parse(text)))

    assert all(
        seen(text)
        for text in ("open(p, 'w')", "p.open(mode='ab')", "p.open('r+')", "os.fdopen(f, 'wb')", "p.unlink()")
    )
    assert not any(
        seen(text) for text in ("open(p)", "open(p, 'rb')", "p.open(encoding='utf-8')", "p.read_text()")
    )


def test_names_say_what_a_thing_is() -> None:
    found = [
        (name, node.name)
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and BANNED_WORDS.search(node.name) and node.name not in EXCEPTIONS
    ]
    found += [
        (name, name)
        for name in MODULES
        if any(word in name for word in ("utils", "helper", "manager", "handler", "common.py"))
    ]
    assert found == []


def test_a_protocol_stands_only_in_ports() -> None:
    users = [
        name
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).endswith("Protocol") for base in node.bases)
    ]
    assert set(users) <= {"ports.py"}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_says_what_it_owns(name: str) -> None:
    assert ast.get_docstring(TREES[name])


def dotted(name: str) -> str:
    parts = Path(name).with_suffix("").parts
    return ".".join(["vaultkeeper", *(parts[:-1] if parts[-1] == "__init__" else parts)])


def used_modules(tree: ast.AST) -> set[str]:
    """Modules of the package that a module imports, with their full names."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("vaultkeeper"):
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_every_module_has_its_test() -> None:
    """A module is tested by its own test, or by one of a module of the same package that uses it."""
    tests = [ast.parse(path.read_text("utf-8")) for path in (PROJECT / "tests").rglob("*.py")]
    tested = set().union(*map(used_modules, tests))
    for name in MODULES:
        if list((PROJECT / "tests" / Path(name).parent).glob(f"test_{Path(name).stem}*.py")):
            tested.add(dotted(name))
    while True:
        more = {
            used
            for name, tree in TREES.items()
            if dotted(name) in tested
            for used in used_modules(tree)
            if used.rpartition(".")[0].startswith(dotted(name).rpartition(".")[0]) or name == "keeper.py"
        }
        if more <= tested:
            break
        tested |= more
    missing = [
        name
        for name in MODULES
        if dotted(name) not in tested and not name.endswith(("__init__.py", "__main__.py"))
    ]
    assert [name for name in missing if not name.startswith("cli/")] == []


def test_nothing_fails_to_import_without_unix_only_modules() -> None:
    """Modules that Windows lacks are imported inside functions or under a guard, so that importing works there."""
    unix = {"fcntl", "resource", "pwd", "grp", "termios", "tty"}
    found = [
        (name, node.lineno)
        for name, tree in TREES.items()
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for module in imports(ast.Module([node], []))
        if module in unix
    ]
    assert found == []
