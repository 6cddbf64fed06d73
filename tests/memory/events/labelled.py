"""Reads labelled messages: the fixtures' notation and JSON Lines."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[2] / "fixtures"
KINDS = {"D": "decision", "C": "commitment", "P": "preference", "F": "fact"}


def read_fixture(name: str) -> list[dict[str, Any]]:
    """Returns messages with `text`, `lang` and `events` (`kind`, `quote`, `negated`)."""
    lines = (FIXTURES / name).read_text("utf-8").splitlines()
    return [_message(line) for line in lines if line and not line.startswith("#")]


def _message(line: str) -> dict[str, Any]:
    line = line.replace("\\n", "\n")
    marked = re.compile(r"\{([DCPF])(-?) (.*?)\}", re.S)
    events = [{"kind": KINDS[m[1]], "quote": m[3], "negated": bool(m[2])} for m in marked.finditer(line)]
    text = marked.sub(lambda m: m[3], line)
    return {"text": text, "events": events, "lang": "zh" if re.search("[\u4e00-\u9fff]", text) else "en"}
