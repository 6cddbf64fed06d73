"""The documentation says what the program does, or the build fails."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import click
import pytest

from vaultkeeper import errors
from vaultkeeper.cli.main import COMMANDS, SECTIONS
from vaultkeeper.config import describe

PROJECT = Path(__file__).parents[1]
DOCS = PROJECT / "docs"


def load_generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generator = load_generator()
COMMANDS_BY_WORDS: dict[str, click.Command] = dict(generator.commands())


@pytest.mark.parametrize("page", generator.PAGES)
def test_a_generated_page_is_what_the_program_says(page: str) -> None:
    text = (DOCS / page).read_text("utf-8")
    assert text == generator.PAGES[page](), "run `python docs/generate.py`"


@pytest.mark.parametrize("words", COMMANDS_BY_WORDS)
def test_every_command_and_option_explains_itself(words: str) -> None:
    command = COMMANDS_BY_WORDS[words]
    assert (command.help or "").strip(), words
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert (parameter.help or "").strip().endswith((".", ")")), f"{words} {parameter.opts}"
            assert all(
                f"`{name}" in (DOCS / "cli.md").read_text() or name.startswith("-") for name in parameter.opts
            )


def test_every_command_stands_in_one_section() -> None:
    assert sorted(name for names in SECTIONS.values() for name in names) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_sentence_in_the_list_is_the_first_of_the_help(name: str) -> None:
    first = (COMMANDS_BY_WORDS[f"vaultkeeper {name}"].help or "").strip().partition("\n\n")[0]
    assert COMMANDS[name][1].split(",")[0].split(".")[0] in " ".join(first.split())


@pytest.mark.parametrize("name", [f"vaultkeeper {name}" for name in COMMANDS])
def test_the_guides_mention_every_command(name: str) -> None:
    guides = "\n".join(path.read_text("utf-8") for path in guide_pages())
    assert name in guides


def guide_pages() -> list[Path]:
    return [PROJECT / "README.md", *(p for p in sorted(DOCS.glob("*.md")) if p.name not in generator.PAGES)]


def test_every_setting_is_in_a_guide_or_the_settings_page() -> None:
    text = (DOCS / "settings.md").read_text("utf-8")
    assert [row.key for row in describe() if f"`{row.key}`" not in text] == []


def test_every_error_can_be_said() -> None:
    """The sentences and hints name only facts that are given wherever the error is raised."""
    facts = {
        name: set(re.findall(r"\{(\w+)", kind.sentence + kind.hint))
        for name, kind in generator.error_classes()
    }
    wrong = []
    raised = set()
    for path in sorted((PROJECT / "vaultkeeper").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in facts:
                raised.add(node.func.id)
                given = {keyword.arg for keyword in node.keywords}
                if None not in given and given != facts[node.func.id]:
                    wrong.append((path.name, node.lineno, node.func.id, given ^ facts[node.func.id]))
    assert wrong == []
    assert set(facts) - raised == set(), "an error that nothing raises"


def test_every_exit_code_has_a_meaning() -> None:
    text = (DOCS / "errors.md").read_text("utf-8")
    assert all(f"| {code.value} |" in text for code in errors.Exit)


SAYING = {"Problem", "problem", "complain", "Remark", "remark", "append"}


def problem_codes() -> set[str]:
    """Codes that the package gives to a `Problem`, wherever they are written."""
    found = set()
    for path in (PROJECT / "vaultkeeper").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in SAYING:
                texts = [
                    a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)
                ]
                found |= {text for text in texts if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", text)}
    return found


def test_every_problem_code_is_documented() -> None:
    from vaultkeeper.vault.problems import CODES

    assert problem_codes() - set(CODES) == set()
    text = "\n".join(path.read_text("utf-8") for path in (PROJECT / "vaultkeeper").rglob("*.py"))
    assert [code for code in CODES if text.count(f'"{code}"') < 2] == [], "a code that nothing says"


def links(page: Path) -> list[str]:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.S)
    return re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)


@pytest.mark.parametrize(
    "page", [*PROJECT.glob("*.md"), *DOCS.glob("*.md")], ids=lambda page: str(page.relative_to(PROJECT))
)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = [link for link in links(page) if "://" not in link]
    assert [link for link in targets if not (page.parent / link).exists()] == []


def test_architecture_fits_on_two_pages() -> None:
    assert len((PROJECT / "ARCHITECTURE.md").read_text("utf-8").splitlines()) <= 120


def test_the_version_is_said_once() -> None:
    import tomllib

    from vaultkeeper import __version__

    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == __version__
    assert f"## {__version__}" in (PROJECT / "CHANGELOG.md").read_text("utf-8")
