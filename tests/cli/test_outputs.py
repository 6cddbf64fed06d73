from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest

from docs.outputs.schema import output_schema
from docs.outputs.table import OUTPUTS
from vaultkeeper.cli.main import COMMANDS, cli, run

PROJECT = Path(__file__).parents[2]

CALLS = """
sync
rebuild
status
doctor
ask "Where does Mara work now?"
ask "what did I do before the move"
search rye flour
brief --since 2026-03-01 --until 2026-03-31
note "Projects/Tidewater/Tidewater.md"
note "Country loaf" "Move to Ghent"
walk "Mara and Dirk"
entities mara
sources
window --since 2026-03-01 --until 2026-03-31
drill summary:1773640804000:L1-97ab2cfe
leaves LEAF
graph mara
changes --source Recipes
changes --source Recipes --since-last
checkpoint add "one"
checkpoint list
checkpoint cleanup --older-than 1y
entity list
entity show mara
entity add person "Zed Alpha"
entity add person "Zed Beta"
entity alias "Zed Alpha" Zedda
entity merge "Zed Beta" "Zed Alpha"
entity resolve lindqist
entity resolve qqqqqq
capture --session plans --user "I live in Ghent and I decided to use DuckDB." --assistant "Noted."
recall rent
session list
session show plans
session recap plans
session end plans
session show plans
tend
profile show
profile set home_city_ghent Ghent
profile pin diet
profile history home
profile forget diet
memory append MEMORY.md "The water board reports in NAP" --category fact
memory replace-section MEMORY.md "Habits" "Early riser."
memory show
memory store "Spare key" "Hangs behind the blue bicycle."
memory recall key
memory list
memory forget "Spare key"
goals list
goals add "Keep bees again"
goals edit g1 "Another thing"
goals delete g2
preferences save units "Metric units"
preferences list
preferences find units
preferences forget units
rules add bash "Never use sudo" --priority critical
rules list
rules delete bash RULE
flavour communication --query short
ingest paper.md
ingest paper.md
tree list
tree show notes:Daily
tree show notes:Daily --scores
tree show summary:1773640804000:L1-97ab2cfe
tree seal notes:Projects
tree verify
init new
vault list
config show
config get limit
service status
bench walk --queries queries.jsonl
bench ask --queries queries.jsonl
"""
"""Calls of every command that has `--json`, in an order in which one can build on the other."""


def commands_with_json() -> Iterator[str]:
    """The words of every command that takes `--json`."""
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        found = {name: command}
        if isinstance(command, click.Group):
            found = {
                f"{name} {one}": command.get_command(context, one) for one in command.list_commands(context)
            }
        for words, one in found.items():
            if one is not None and any("--json" in option.opts for option in one.params):
                yield words


def values_of(text: str) -> list[Any]:
    """The JSON values of a text, one after the other."""
    found, rest = [], text.strip()
    while rest:
        value, end = json.JSONDecoder().raw_decode(rest)
        found.append(value)
        rest = rest[end:].strip()
    return found


def test_every_command_with_json_is_described() -> None:
    assert sorted(commands_with_json()) == sorted(OUTPUTS)


@pytest.mark.parametrize("command", OUTPUTS)
def test_a_description_is_a_schema(command: str) -> None:
    jsonschema.Draft202012Validator.check_schema(output_schema(command, OUTPUTS[command]))


def test_what_every_command_prints_fits_its_description(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = tmp_path / "sample_vault"
    shutil.copytree(PROJECT / "sample_vault", vault)
    (vault / "flavoured").mkdir()
    (vault / "flavoured/communication.md").write_text("# Tone\n\n- [T1] Shorter, please. 2026-02-01\n")
    (tmp_path / "paper.md").write_text(
        "# On tea\n\nTea is steeped at 70 degrees for two minutes by most who know.\n"
    )
    (tmp_path / "queries.jsonl").write_text('{"query": "Mara and Dirk", "answers": ["People/x.md"]}\n')
    for name in [name for name in os.environ if name.startswith("VAULTKEEPER_")]:
        monkeypatch.delenv(name)
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "VAULTKEEPER_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("VAULTKEEPER_VAULT", str(vault))
    monkeypatch.chdir(tmp_path)
    assert run(["vault", "add", str(vault)]) == 0
    capsys.readouterr()
    seen: dict[str, Any] = {}
    for line in CALLS.strip().splitlines():
        if "LEAF" in line:
            line = line.replace("LEAF", seen["ask"]["hits"][0]["node_id"])
        if "RULE" in line:
            line = line.replace("RULE", seen["rules list"][0]["id"])
        words = shlex.split(line)
        command = next(name for n in (2, 1) if (name := " ".join(words[:n])) in OUTPUTS)
        code = run([*words, "--json"])
        said = capsys.readouterr()
        assert code in (0, 1, 3, 8), f"{line}: {said.err}"
        values = values_of(said.out)
        assert values, f"{line}: {said.err}"
        schema = jsonschema.Draft202012Validator(output_schema(command, OUTPUTS[command]))
        for value in values:
            seen[command] = value
            wrong = [f"{one.json_path}: {one.message[:300]}" for one in schema.iter_errors(value)]
            assert wrong == [], line
    assert sorted(seen) == sorted(OUTPUTS)


def test_no_file_is_left_over() -> None:
    files = {path.stem for path in (PROJECT / "docs/schema").glob("*.output.json")}
    assert files == {f"{command.replace(' ', '-')}.output" for command in OUTPUTS}
