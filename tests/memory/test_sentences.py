from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.memory.sentences import split_sentences


def sentences(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("we use v1.2 and 3.11.4 here. ok", ["we use v1.2 and 3.11.4 here.", "ok"]),
        ("see https://example.org/a.b?c=d. Then go", ["see https://example.org/a.b?c=d.", "Then go"]),
        ("Dr. Ames came, e.g. on Monday. Fine.", ["Dr. Ames came, e.g. on Monday.", "Fine."]),
        ("numpy, pandas etc. are pinned. Yes", ["numpy, pandas etc. are pinned.", "Yes"]),
        ("we have pens etc. Tomorrow more", ["we have pens etc.", "Tomorrow more"]),
        ("we'll use pnpm. personally i prefer yarn", ["we'll use pnpm.", "personally i prefer yarn"]),
        ("at 8 p.m. sharp we go", ["at 8 p.m. sharp we go"]),
        ('He said "no." She left.', ['He said "no."', "She left."]),
        ("what?! no way!!", ["what?!", "no way!!"]),
        ("1. first\n2) second\n- [x] third\n* fourth", ["first", "second", "third", "fourth"]),
        ("我住在杭州。你呢？好！走；停", ["我住在杭州。", "你呢？", "好！", "走；", "停"]),
        ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
        ("我用 v1.2 版本。Then English. 完了", ["我用 v1.2 版本。", "Then English.", "完了"]),
        ("  \n\n . \n", ["."]),
        ("", []),
    ],
)
def test_sentence_ends(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(
    st.text(alphabet=st.characters(), max_size=400) | st.text(alphabet="aB1.!?。！ \n\"'”)-*", max_size=200)
)
def test_spans_are_in_order_apart_and_trimmed(text: str) -> None:
    last = 0
    for start, end in split_sentences(text):
        assert last <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        assert "\n" not in text[start:end]
        last = end


@given(st.text(alphabet="ab .!?。\n", max_size=200))
def test_only_space_and_markers_are_left_out(text: str) -> None:
    kept = "".join(sentences(text))
    assert [c for c in text if not c.isspace()] == [c for c in kept if not c.isspace()]


@pytest.mark.parametrize("piece", ["a.", "1. ", "e.g. ", "。", "...", '."', "\n- ", " " * 50])
def test_time_is_linear(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    started = time.process_time()
    split_sentences(text)
    assert time.process_time() - started < 5
