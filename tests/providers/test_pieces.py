from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from vaultkeeper.providers.pieces import Pieces, load_pieces
from vaultkeeper.providers.static import PACKAGE, TOKENIZER
from vaultkeeper.providers.words import split_words


def _tokenizer_path() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0]) / TOKENIZER


@pytest.fixture(scope="module")
def pieces() -> Pieces:
    return load_pieces(_tokenizer_path())


def test_agrees_with_the_tokenizers_library(pieces: Pieces) -> None:
    """On every piece that is a word, and on words that are put together from several."""
    from tokenizers import Tokenizer

    reference = Tokenizer.from_file(str(_tokenizer_path()))
    vocabulary = json.loads(_tokenizer_path().read_bytes())["model"]["vocab"]
    whole = [piece[1:] for piece in vocabulary if piece[0] == "▁" and piece[1:].isalnum()]
    stems = whole[::37]
    joined = [first + second for first, second in zip(stems, reversed(stems), strict=True)]
    prose = split_words(
        "The Quetzalcoatlus überquerte Владивосток; naïve façade 20240513T0930 camelCaseWord Ødegård"
    )
    checked = 0
    for word in whole + joined + prose:
        known, unknown = pieces.split(word)
        if not unknown and len(split_words(word)) == 1:
            assert known == reference.encode(word, add_special_tokens=False).ids, word
            checked += 1
    assert checked > 10_000


def test_characters_without_a_piece_are_named_in_runs() -> None:
    pieces = Pieces({"▁": 0, "a": 1, "b": 2, "▁a": 3})
    assert pieces.split("axyb") == ([3, 2], ["xy"])
    assert pieces.split("xay") == ([0, 1], ["x", "y"])
    assert pieces.split("鑫") == ([], ["鑫"])


def test_a_very_long_run_costs_no_more_than_its_head(pieces: Pieces) -> None:
    known, unknown = pieces.split("ab" * 500_000)
    assert 0 < len(known) <= 64
    assert unknown == []


@pytest.mark.parametrize(
    "content", ["", "{}", '{"model": {"vocab": []}}', '{"model": {"vocab": {"a": 1}}}', "\x00"]
)
def test_another_file_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    with pytest.raises(ValueError):
        load_pieces(path)
