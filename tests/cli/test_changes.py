from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from vaultkeeper.cli.call import Call, default_index_dir, default_state_dir
from vaultkeeper.errors import ConfigError


def test_the_fields_stand_in_the_order_of_the_schema(run: Run, vault: Path) -> None:
    said = run("changes", "--json", "--vault", str(vault))
    found = said.json
    assert list(found) == ["schema", "since", "sources", "marked", "notes"]
    [source] = found["sources"]
    assert list(source) == [
        "source",
        "kind",
        "label",
        "from",
        "to",
        "added",
        "modified",
        "removed",
        "unchanged",
    ]
    assert source["added"] == [{"id": "Tea.md", "path": "Tea.md", "title": "Tea"}]
    assert (found["notes"], found["marked"], source["from"]) == (["first_look"], True, None)
    (vault / "Tea.md").write_text("# Tea\n\nBlack.\n")
    [source] = run("changes", "--json", "--diff", "--vault", str(vault)).json["sources"]
    assert "+Black." in source["modified"][0]["diff"]
    assert run("changes", "--json", "--vault", str(vault)).json["sources"] == []


def test_a_diff_with_a_fence_in_it_does_not_end_its_block(run: Run, vault: Path) -> None:
    run("changes", "-q", "--vault", str(vault))
    (vault / "Tea.md").write_text("# Tea\n\n````\ncode\n````\n")
    said = run("changes", "--diff", "--vault", str(vault))
    assert "  `````diff\n" in said.out
    assert "  +````\n" in said.out


def test_an_error_is_json_too(run: Run, vault: Path) -> None:
    said = run("changes", "--json", "--source", "notes:Nothing", "--vault", str(vault))
    assert (said.code, said.out) == (3, "")
    assert json.loads(said.err)["error"]["type"] == "SourceNotFoundError"
    assert run("changes", "--to", "1234567", "--vault", str(vault)).code == 2
    assert run("changes", "--from", "1234567", "--vault", str(vault)).code == 3
    assert (
        run("changes", "--no-sync", "--vault", str(vault), env={"VAULTKEEPER_INDEX_DIR": "../none"}).code == 3
    )


def test_where_the_history_lies(run: Run, vault: Path) -> None:
    said = run("changes", "-q", "--vault", str(vault), "--set", "state_dir=../elsewhere")
    assert said.code == 0
    assert (vault.parent / "elsewhere/history.git/HEAD").exists()
    shown = run("config", "show", "--json", "--vault", str(vault)).json
    assert shown["state_dir"].startswith(str(vault.parent / "home"))
    assert "state" in shown["state_dir"] or sys.platform != "linux"
    assert not Path(shown["state_dir"]).exists()


def test_index_and_history_never_share_a_folder_by_default(tmp_path: Path) -> None:
    assert default_index_dir(tmp_path) != default_state_dir(tmp_path)
    assert default_index_dir(tmp_path).name == default_state_dir(tmp_path).name


@pytest.mark.parametrize("setting", [".", "..", "Folder", "a/b"])
def test_the_history_never_lies_among_the_notes(vault: Path, setting: str) -> None:
    call = Call(environment={}, folder=vault, vault=str(vault), overrides={"state_dir": setting})
    with pytest.raises(ConfigError, match="state_dir"):
        assert call.state_dir


def test_commands_that_need_no_history_import_no_git(run: Run, vault: Path) -> None:
    code = (
        "import sys, vaultkeeper.cli.main as m; m.run(sys.argv[1:]); "
        "print([name for name in sys.modules if 'dulwich' in name])"
    )
    for words in (["status"], ["search", "tea"], ["checkpoint", "--help"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *words, "--vault", str(vault)],
            capture_output=True,
            text=True,
            check=False,
            env={"HOME": str(vault.parent / "home"), "PYTHONPATH": str(Path(__file__).parents[2])},
        )
        assert done.stdout.rstrip().endswith("[]"), (words, done.stdout, done.stderr)
