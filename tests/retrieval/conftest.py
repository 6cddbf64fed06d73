from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.retrieval.woods import Woods


@pytest.fixture
def woods(tmp_path: Path) -> Iterator[Woods]:
    made = Woods(tmp_path)
    yield made
    made.bench.db.close()
