from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.history.repo import Told


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Told]:
    told = Told(tmp_path / "state")
    yield told
    told.repository.close()
