from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.index.grams import cjk_grams, has_cjk, is_surely_spaced, is_unspaced


@pytest.mark.parametrize(
    ("text", "grams"),
    [
        ("", ""),
        ("plain words", ""),
        ("naïve café", ""),
        ("我喜欢 AI 吗", "我喜 喜欢 吗"),
        ("用OpenAI的模型", "用 的模 模型"),
        ("カタカナ", "カタ タカ カナ"),
        ("한국어", "한국 국어"),
        ("人々。", "人々"),
        ("𠮷野家", "𠮷野 野家"),
    ],
)
def test_bigrams(text: str, grams: str) -> None:
    assert cjk_grams(text) == grams
    assert has_cjk(text) == bool(grams)


@given(st.text(alphabet="汉字かなカナ한글 a，\n", max_size=40), st.integers(0, 40), st.integers(2, 6))
def test_a_part_of_a_run_is_found_as_a_phrase(text: str, start: int, length: int) -> None:
    part = text[start : start + length]
    if not part or not all(has_cjk(char) for char in part) or len(part) < 2:
        return
    assert f" {cjk_grams(part)} " in f" {cjk_grams(text)} "


def test_fts5_keeps_each_gram_as_one_token() -> None:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5(g, content='', tokenize='unicode61 remove_diacritics 0')")
    db.execute("INSERT INTO t(rowid, g) VALUES(1, ?)", (cjk_grams("人々がカタカナを書くㄱㄴ한국어𠮷野ｶﾅ々"),))
    for gram in cjk_grams("人々がカタカナを書くㄱㄴ한국어𠮷野ｶﾅ々").split():
        assert db.execute("SELECT count(*) FROM t WHERE t MATCH ?", (f'"{gram}"',)).fetchone() == (1,), gram


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("aé’–\u2e80\u2fff\u0e01\ue000汉ｶ🎉"))))
def test_the_quick_verdict_is_never_wrong_about_spaced_text(text: str) -> None:
    if is_surely_spaced(text):
        assert not is_unspaced(text)


def test_the_quick_verdict_settles_western_text() -> None:
    assert is_surely_spaced("“Núñez’s café” – Kovač… ελλάδα, Привет")
    assert not is_surely_spaced("汉")
