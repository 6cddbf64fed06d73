from __future__ import annotations

import random
import string
from pathlib import Path

import pytest

from tests.memory.grove import Grove
from vaultkeeper.errors import StorageError
from vaultkeeper.memory.seal import load_nodes
from vaultkeeper.memory.tree import INPUT_TOKENS


@pytest.fixture
def grove(tmp_path: Path) -> Grove:
    grove = Grove(tmp_path)
    for number in range(3):
        grove.add(number, tokens=INPUT_TOKENS // 3 + 1)
    return grove


@pytest.mark.parametrize("answer", ["", "  \n\t ", "x " * 5000, "@stranger9 broke the gauge."])
def test_a_blank_too_long_or_invented_text_of_a_model_gives_way_to_the_extract(
    grove: Grove, answer: str
) -> None:
    grove.bench.writer = lambda texts, limit: answer
    grove.tend()
    [node] = load_nodes(grove.root)
    assert node.summary_by == "extractive"
    assert node.text
    assert "stranger" not in node.text


def test_a_model_that_fails_gives_way_to_the_extract(grove: Grove) -> None:
    def fails(texts: object, limit: int) -> str:
        raise TimeoutError

    grove.bench.writer = fails
    grove.tend()
    [node] = load_nodes(grove.root)
    assert node.summary_by == "extractive"


def test_a_grounded_text_of_a_model_is_taken_with_its_labels(grove: Grove) -> None:
    grove.bench.writer = lambda texts, limit: "Somebody asked @keeper1 about it. All was quiet."
    grove.bench.writer_name = "small-model"
    grove.tend()
    [node] = load_nodes(grove.root)
    assert (node.summary_by, node.entities) == ("small-model", ("handle:keeper1",))


@pytest.mark.parametrize(
    ("strategy", "labels"),
    [
        ("grounded", ("handle:keeper1",)),
        ("extract", ("handle:keeper1",)),
        ("union", ("handle:keeper0", "handle:keeper1", "handle:keeper2")),
        ("empty", ()),
    ],
)
def test_label_strategies(grove: Grove, strategy: str, labels: tuple[str, ...]) -> None:
    grove.bench.labels = strategy  # type: ignore[assignment]
    grove.bench.writer = lambda texts, limit: "Somebody asked @keeper1 about it."
    grove.tend()
    [node] = load_nodes(grove.root)
    assert node.entities == labels


def test_a_secret_in_a_note_does_not_reach_its_summary(tmp_path: Path) -> None:
    grove = Grove(tmp_path)
    secret = "gh" + "p_" + "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=36))
    grove.add(
        1, tokens=INPUT_TOKENS, text=f"The relay of the harbour uses the token {secret} since the storm. " * 3
    )
    grove.tend()
    [path] = grove.files()
    text = (grove.root / path).read_text()
    assert secret not in text


def test_a_disk_that_refuses_leaves_the_tree_as_it_was(grove: Grove) -> None:
    (grove.root / "wiki").write_text("a file where the folder should be")
    with pytest.raises(StorageError):
        grove.tend()
    (grove.root / "wiki").unlink()
    grove.tend()
    grove.assert_sound()


def test_the_score_is_that_of_the_best_child_and_never_below_zero(grove: Grove) -> None:
    grove.tend()
    [node] = load_nodes(grove.root)
    assert node.score == 0.5


def test_notes_are_read_again_only_when_they_changed(grove: Grove) -> None:
    grove.tend()
    known: dict[str, tuple[tuple[int, int], object]] = {}
    [first] = load_nodes(grove.root, known)  # type: ignore[arg-type]
    [again] = load_nodes(grove.root, known)  # type: ignore[arg-type]
    assert again is first
    file = grove.root / first.path
    file.write_text(file.read_text() + "\nMore.\n")
    [changed] = load_nodes(grove.root, known)  # type: ignore[arg-type]
    assert changed.text.endswith("More.")
    file.unlink()
    assert list(load_nodes(grove.root, known)) == []  # type: ignore[arg-type]
    assert known == {}
