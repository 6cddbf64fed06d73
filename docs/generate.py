"""Writes the generated pages of `docs/`: cli.md, errors.md, settings.md, problems.md, outputs.md and schema/*.json.

    python docs/generate.py [--check]

`--check` writes nothing and exits 1 when a page is not what it would be. `tests/test_docs.py` does the same.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent))

from vaultkeeper import errors
from vaultkeeper.cli.lazy import common_options
from vaultkeeper.cli.main import COMMANDS, SECTIONS, cli
from vaultkeeper.config import describe

NOTE = "<!-- Made by `python docs/generate.py`; edit the source, not this page. -->\n"


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command with the words that call it, groups before what is in them."""
    context = click.Context(cli)
    for name in (name for names in SECTIONS.values() for name in names):
        command = cli.get_command(context, name)
        assert command is not None, name
        yield f"vaultkeeper {name}", command
        if isinstance(command, click.Group):
            for inner in command.list_commands(context):
                found = command.get_command(context, inner)
                assert found is not None, inner
                yield f"vaultkeeper {name} {inner}", found


def plain_help(command: click.Command) -> str:
    """The docstring as Markdown; a paragraph that begins with \\b becomes a code block."""
    parts = []
    for part in inspect.cleandoc(command.help or "").split("\n\n"):
        marked = part.startswith("\b\n")
        parts.append("```\n" + part[2:] + "\n```" if marked else part.replace("\n", " "))
    return "\n\n".join(parts)


def option_rows(options: list[click.Option]) -> list[str]:
    """A table of options."""
    rows = ["| option | what it does |", "| --- | --- |"]
    for option in options:
        names = ", ".join([*option.opts, *option.secondary_opts])
        value = "" if option.is_flag or option.count else f" {option.metavar or value_words(option)}"
        text = (option.help or "").replace("|", "\\|")
        shown = option.show_default and option.default not in (None, False, ())
        rows.append(f"| `{names}{value}` | {text}{f' Default: {option.default}.' if shown else ''} |")
    return rows


def value_words(option: click.Option) -> str:
    """What stands for the value of an option."""
    if isinstance(option.type, click.Choice):
        return "[" + "|".join(str(choice) for choice in option.type.choices) + "]"
    return option.type.name.upper()


def usage(words: str, command: click.Command) -> str:
    """The one line that shows how a command is called."""
    arguments = []
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            name = (parameter.metavar or parameter.name or "").upper()
            if isinstance(parameter.type, click.Choice):
                name = "{" + "|".join(str(choice) for choice in parameter.type.choices) + "}"
            many = "..." if parameter.nargs == -1 else ""
            arguments.append(f"{name}{many}" if parameter.required else f"[{name}{many}]")
    tail = ["COMMAND"] if isinstance(command, click.Group) else arguments
    return " ".join([words, "[OPTIONS]", *tail])


def contents() -> list[str]:
    """The commands by section, each with a link to its own part of the page."""
    lines = []
    for heading, names in SECTIONS.items():
        lines += [f"**{heading}**\n", "| command | what it does |", "| --- | --- |"]
        lines += [f"| [`{name}`](#vaultkeeper-{name}) | {COMMANDS[name][1]} |" for name in names]
        lines.append("")
    return lines


def cli_page() -> str:
    """docs/cli.md."""
    lines = [
        NOTE,
        "# Commands\n",
        plain_help(cli) + "\n",
        "`vaultkeeper COMMAND --help` prints what is below for one command. Data goes to stdout, talk and",
        "errors to stderr; with `--json` an error is one JSON object on stderr. Colours appear on a terminal only;",
        "`NO_COLOR` turns them off and `FORCE_COLOR` on.\n",
        *contents(),
        "## Options of every command\n",
        "They may stand before or after the command's name.\n",
        *option_rows(common_options()),
        "",
    ]
    common = {option.name for option in common_options()}
    for words, command in commands():
        lines.append(f"## {words}\n" if words.count(" ") == 1 else f"### {words}\n")
        lines.append(f"```\n{usage(words, command)}\n```\n")
        lines.append(plain_help(command) + "\n")
        options = [p for p in command.params if isinstance(p, click.Option) and p.name not in common]
        if options:
            lines += [*option_rows(options), ""]
    return "\n".join(lines)


def errors_page() -> str:
    """docs/errors.md."""
    lines = [
        NOTE,
        "# Errors and exit codes\n",
        "An error is a sentence and a hint on stderr. What is wrong *inside a note* is no error: see",
        "[problems](problems.md).\n",
        "| exit code | meaning |",
        "| --- | --- |",
    ]
    meanings = {
        "OK": "done",
        "BUG": "a bug in vaultkeeper, with its traceback; or a question of `bench` that failed",
        "USAGE": "the words of the call, or a setting, make no sense",
        "NOT_FOUND": "what was named does not exist",
        "CONFLICT": "it changed on disk meanwhile, exists already, or could be several things",
        "REFUSED": "a write that must not happen, or that the disk refuses",
        "LOCKED": "another process writes the index",
        "PROVIDER": "an embedder or a language model failed",
        "PROBLEMS": "`doctor` or `tree verify` found problems",
        "INTERRUPTED": "stopped by Ctrl-C",
    }
    lines += [f"| {code.value} | {meanings[code.name]} |" for code in errors.Exit]
    lines += ["", "| error | exit code | what it says | hint |", "| --- | --- | --- | --- |"]
    for name, kind in error_classes():
        cells = [f"`{name}`", str(int(kind.exit_code)), kind.sentence, kind.hint]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([*lines, ""])


def error_classes() -> list[tuple[str, type[errors.VaultkeeperError]]]:
    """The error classes in the order of their definition."""
    return [
        (name, kind)
        for name, kind in vars(errors).items()
        if inspect.isclass(kind)
        and issubclass(kind, errors.VaultkeeperError)
        and kind is not errors.VaultkeeperError
    ]


def settings_page() -> str:
    """docs/settings.md."""
    lines = [
        NOTE,
        "# Settings\n",
        "A value comes from the last of these that has it: the default, `vaultkeeper.toml` in the vault, the",
        "environment variable, `--set KEY=VALUE`. `vaultkeeper config show` prints what is in force and why.",
        "A key with a dot stands in a table of the file: `watch.quiet_ms` is `quiet_ms` under `[watch]`. In",
        "variables and in `--set`, lists are written `a,b` and tables `folder=kind,folder=kind`.\n",
        "| key | type | default | variable | what it is |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in describe():
        default = json.dumps(dict(row.default) if row.type.startswith("table") else row.default)  # type: ignore[call-overload]
        lines.append(f"| `{row.key}` | {row.type} | `{default}` | `{row.variable}` | {row.doc} |")
    lines += [
        "",
        "Two more variables are no settings: `VAULTKEEPER_VAULT` names the vault, and",
        "`VAULTKEEPER_CONFIG_DIR` the folder of the list of vaults.",
    ]
    return "\n".join([*lines, ""])


def problems_page() -> str:
    """docs/problems.md."""
    from vaultkeeper.vault.problems import CODES

    lines = [
        NOTE,
        "# Problems\n",
        "Something wrong in a note, or around the notes. It is stored with the note's path and line, shown",
        "by `vaultkeeper doctor` and `vaultkeeper note`, and stops nothing: the rest of the note is read.\n",
        "| code | what it means |",
        "| --- | --- |",
        *(f"| `{code}` | {sentence} |" for code, sentence in CODES.items()),
    ]
    return "\n".join([*lines, ""])


def schema_pages() -> dict[str, Callable[[], str]]:
    """docs/schema/*.json: JSON Schema of the tool `memory_tree`, of its modes and of their answers."""
    from vaultkeeper.retrieval.schemas import all_schemas

    texts = {
        name: json.dumps(schema, ensure_ascii=False, indent=2) + "\n"
        for name, schema in all_schemas().items()
    }
    return {f"schema/{name}.json": (lambda text=text: text) for name, text in texts.items()}


def output_pages() -> dict[str, Callable[[], str]]:
    """docs/schema/*.output.json: what each command prints with `--json`."""
    from docs.outputs.schema import output_schema
    from docs.outputs.table import OUTPUTS

    texts = {
        command: json.dumps(
            output_schema(f"vaultkeeper {command} --json", kind), ensure_ascii=False, indent=2
        )
        for command, kind in OUTPUTS.items()
    }
    return {
        f"schema/{command.replace(' ', '-')}.output.json": (lambda text=text: text + "\n")
        for command, text in texts.items()
    }


def outputs_page() -> str:
    """docs/outputs.md."""
    from docs.outputs.schema import type_schema
    from docs.outputs.table import OUTPUTS

    defs: dict[str, dict[str, object]] = {}
    rows = []
    for command, kind in OUTPUTS.items():
        words = type_words(type_schema(kind, defs))
        rows.append(f"| `{command}` | {words} | [schema](schema/{command.replace(' ', '-')}.output.json) |")
    lines = [
        NOTE,
        "# What `--json` prints\n",
        "One JSON value on stdout; an error is one object on stderr (`error`: `type message hint exit_code`). Fields",
        "may be added; the number in `schema` is raised when one changes its meaning or goes away. What hits, routes",
        "and remarks mean is said in [schema.md](schema.md).\n",
        "| command | prints | |",
        "| --- | --- | --- |",
        *rows,
        "",
    ]
    for name, schema in sorted(defs.items()):
        properties: dict[str, dict[str, object]] = schema["properties"]  # type: ignore[assignment]
        required: list[str] = schema["required"]  # type: ignore[assignment]
        lines += [
            f"## {name}\n",
            f"{schema['description']}\n",
            "| field | type | meaning |",
            "| --- | --- | --- |",
        ]
        for field, one in properties.items():
            text = str(one.get("description", "")) + ("" if field in required else " May be missing.")
            lines.append(f"| `{field}` | {type_words(one)} | {text.strip()} |".replace("  |", " |"))
        lines.append("")
    return "\n".join(lines)


def type_words(schema: dict[str, object]) -> str:
    """A type in words, with links to the classes on the page."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(type_words(one) for one in schema["anyOf"])  # type: ignore[attr-defined]
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(one)}`" for one in schema["enum"])  # type: ignore[attr-defined]
    if schema.get("type") == "array":
        return f"list of {type_words(schema['items'])}"  # type: ignore[arg-type]
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object: name → {type_words(schema['additionalProperties'])}"  # type: ignore[arg-type]
    return str(schema.get("type", "anything"))


PAGES = {
    "cli.md": cli_page,
    "errors.md": errors_page,
    "settings.md": settings_page,
    "problems.md": problems_page,
    "outputs.md": outputs_page,
    **schema_pages(),
    **output_pages(),
}


def main() -> int:
    """Writes or checks the pages."""
    stale = 0
    for name, render in PAGES.items():
        path = DOCS / name
        text = render()
        if path.exists() and path.read_text("utf-8") == text:
            continue
        stale += 1
        print(f"{name} {'is stale' if '--check' in sys.argv else 'written'}")
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
