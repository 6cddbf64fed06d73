"""A wheel that is installed into an environment of its own works without the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds the wheel with the backend that is installed here, so that nothing is downloaded."""
    target = tmp_path_factory.mktemp("wheel")
    code = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(target)], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    return target / done.stdout.splitlines()[-1]


def test_the_wheel_holds_the_program_its_templates_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    folders = {name.split("/")[0] for name in names}
    assert folders == {"vaultkeeper", next(name for name in folders if name.endswith(".dist-info"))}
    templates = {
        str(p.relative_to(PROJECT / "templates")) for p in (PROJECT / "templates").rglob("*") if p.is_file()
    }
    prefix = "vaultkeeper/_templates/"
    assert {name.removeprefix(prefix) for name in names if name.startswith(prefix)} == templates


def test_an_installed_wheel_makes_a_vault_and_answers(wheel: Path, tmp_path: Path) -> None:
    place = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    python = place / "bin" / "python"
    packages = next((place / "lib").glob("python*")) / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    # The dependencies are seen through a path file; the package itself comes from the wheel.
    here = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "dependencies.pth").write_text("\n".join(here))
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("VAULTKEEPER_", "PYTHON"))
    }
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def run(*words: str) -> str:
        done = subprocess.run(
            [python, "-m", "vaultkeeper", *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = subprocess.run(
        [python, "-c", "import vaultkeeper; print(vaultkeeper.__file__)"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert where.stdout.startswith(str(packages))
    assert "MEMORY.md" in run("init", "vault")
    (tmp_path / "vault" / "Tea.md").write_text("Green tea is steeped at seventy degrees.\n")
    assert "Tea" in run("search", "seventy degrees", "--vault", "vault")
