"""The acceptance questions point at notes, headings and quotes that really are in the sample vault."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
VAULT = HERE.parent.parent / "sample_vault"
QUESTIONS = [json.loads(line) for line in (HERE / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
LEAST = {"single": 12, "two-hop": 8, "temporal": 7, "changed": 6, "alias": 1, "chinese": 3}


def test_there_are_forty_questions_well_spread() -> None:
    kinds = Counter(question["kind"] for question in QUESTIONS)
    assert len(QUESTIONS) == 40
    assert len({question["id"] for question in QUESTIONS}) == 40
    assert kinds.keys() == LEAST.keys()
    assert all(kinds[kind] >= least for kind, least in LEAST.items())


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_question_is_sound(question: dict[str, object]) -> None:
    expected = question["expected"]
    assert isinstance(expected, list)
    assert len(set(expected)) == len(expected) >= (2 if question["kind"] == "two-hop" else 1)
    notes = [(VAULT / path).read_text(encoding="utf-8") for path in expected]
    holding = [note for note in notes if str(question["quote"]) in note]
    assert holding, "no expected note has the quote"
    if "heading" in question:
        section = re.compile(
            rf"^#+ {re.escape(str(question['heading']))}$(.*?)(?=^#|\Z)", re.MULTILINE | re.DOTALL
        )
        found = section.search(holding[0])
        assert found, "the note with the quote has no such heading"
        assert str(question["quote"]) in found[1], "the quote stands elsewhere"
