from __future__ import annotations

import sqlite3

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.retrieval.filled import FilledIndex
from vaultkeeper.index.fts import find_phrases, score_terms, search_words, total
from vaultkeeper.index.words import parse_words, split_terms

NASTY = [
    "c++", "it's", "multi-agent", "NOT", "AND OR", "NEAR(", "NEAR(a b, 3)", '"', '"""', '"unbalanced', "a*", "*",
    "**a", "title:x", "-title : x", "{a b}: c", "^a", "a + b", "(", ")", "((", "\0", "a\0b", "🎉", "emoji 🎉 inside",
    "'", "''; DROP", "\ud800", "é\u0301", "\u0301", "%", "_", "\\", "word " * 10_000,
    " ".join(f"w{i}" for i in range(10_000)), "", " ", "\n", "项目", "项", "项目 NOT 进展", "“”", '" "', '"项目"',
    "のテスト", "한국어 검색", '"the of"', "ﬁ ligature", "İstanbul ß",
]  # fmt: skip


@pytest.fixture
def index() -> FilledIndex:
    filled = FilledIndex()
    filled.put(
        "Alpha.md", "The multi-agent system is written in C++ by Zoë.", ("Plan > Next", "It's a plan.")
    )
    filled.put("中文.md", "这个项目的进展很好，下周上线。")
    return filled


@pytest.mark.parametrize("query", NASTY)
def test_no_query_raises(index: FilledIndex, query: str) -> None:
    words = parse_words(query)
    search_words(index.db, words, 10)
    if "\ud800" not in query:
        find_phrases(index.db, [query], 10)


@settings(max_examples=300, deadline=None)
@given(st.text() | st.text(alphabet="\"*():^+-{}\0 aANDORTNE'", max_size=40))
def test_no_text_raises(text: str) -> None:
    words = parse_words(text)
    index = FilledIndex()
    index.put("A.md", "and or not near")
    search_words(index.db, words, 10)


OLD_LETTERS = st.characters(
    codec="utf-8",
    categories=("Lu", "Ll", "Lo", "Lm", "Nd", "Mn", "Zs", "Po", "Pd", "Sm", "Sc"),
    max_codepoint=0x2E7F,
)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=OLD_LETTERS, min_size=1, max_size=30))
@example("0\u18850 \u1886")
def test_words_are_cut_where_fts5_cuts(text: str) -> None:
    """Each word of a text finds the text, and FTS5 sees no word where we see none."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='unicode61 remove_diacritics 0')")
    db.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)")
    import unicodedata

    text = "".join(char for char in text if unicodedata.ucd_3_2_0.category(char) != "Cn")
    db.execute("INSERT INTO t VALUES (?)", (text.replace("\0", " "),))
    theirs = db.execute("SELECT count(*) FROM v").fetchone()[0]
    assert len(split_terms(text)) == theirs


def test_stop_words_do_not_hide_a_fact(index: FilledIndex) -> None:
    found = search_words(index.db, parse_words("what is it that the multi agent was written in?"), 5)
    assert found
    assert found[0].score > 0


def test_stems_and_diacritics(index: FilledIndex) -> None:
    for query in ("systems", "plans", "Zoe", "ZOË", "agents"):
        assert search_words(index.db, parse_words(query), 5), query


def test_a_phrase_must_occur(index: FilledIndex) -> None:
    assert search_words(index.db, parse_words('"agent system"'), 5)
    assert not search_words(index.db, parse_words('"system agent" plan'), 5)


def test_prefix(index: FilledIndex) -> None:
    assert not search_words(index.db, parse_words("sys"), 5)
    assert search_words(index.db, parse_words("sys*"), 5)


def test_chinese_is_found_inside_a_sentence(index: FilledIndex) -> None:
    assert search_words(index.db, parse_words("项目进展如何？"), 5)
    assert search_words(index.db, parse_words("目"), 5)
    assert not search_words(index.db, parse_words("预算"), 5)


def test_title_outweighs_body() -> None:
    index = FilledIndex()
    index.put("Budget.md", "numbers here")
    index.put("Other.md", "budget here")
    for i in range(5):
        index.put(f"Third{i}.md", "nothing")
    assert [s.chunk_pk for s in search_words(index.db, parse_words("budget"), 5)] == [1, 2]


@pytest.mark.parametrize("limit", [1, 2, 3, 10])
def test_order_does_not_depend_on_row_ids(limit: int) -> None:
    """The same notes, put in another order under other row ids, come out in the same order."""
    notes = [(f"n{i}.md", "same words of equal length") for i in range(6)]
    orders = []
    for offset, sequence in ((0, notes), (50, notes[::-1])):
        index = FilledIndex(offset)
        paths = {}
        for path, body in sequence:
            (paths_pk,) = index.put(path, body)
            paths[paths_pk] = path
        orders.append(
            [(paths[pk], score) for pk, score in search_words(index.db, parse_words("words"), limit)]
        )
    assert orders[0] == orders[1]
    assert len(orders[0]) == min(limit, 6)


def test_allowed_is_applied_before_the_limit(index: FilledIndex) -> None:
    for i in range(20):
        index.put(f"plan{i}.md", "plan plan plan")
    (wanted,) = index.put("last.md", "a long text that mentions the plan once among many other words")
    assert [s.chunk_pk for s in search_words(index.db, parse_words("plan"), 1, {wanted})] == [wanted]


def test_phrases_with_too_many_chunks_are_left_out(index: FilledIndex) -> None:
    for i in range(5):
        index.put(f"x{i}.md", "common thing")
    found = find_phrases(index.db, ["common thing", "It's a plan", "absent"], 3)
    assert list(found) == ["It's a plan"]


def test_a_budget_changes_no_score() -> None:
    """Common words only score what rarer ones found, and score that the same."""
    index = FilledIndex()
    for i in range(60):
        index.put(
            f"n{i}.md",
            "common filler " + "other " * (i % 3) + ("rare" if i % 20 == 0 else "") + " x" * (i % 7),
        )
    words = parse_words("common other rare filler")
    every = total(score_terms(index.db, words, budget=None))
    some = total(score_terms(index.db, words, budget=5))
    assert len(some) == 3
    assert len(every) == 60
    assert all(abs(every[pk] - score) < 1e-9 for pk, score in some.items())


def test_scores_are_bm25_of_the_whole_query() -> None:
    index = FilledIndex()
    for i in range(30):
        index.put(f"n{i}.md", "alpha " * (i % 4) + "beta " * (i % 5) + "gamma " * (i % 7))
    rows = index.db.execute(
        "SELECT rowid, -bm25(chunks_fts, 2.0, 1.5, 1.0, 0.5) FROM chunks_fts WHERE chunks_fts MATCH ?",
        ('"alpha" OR "beta" OR "gamma"',),
    )
    ours = total(score_terms(index.db, parse_words("alpha beta gamma")))
    theirs = dict(rows.fetchall())
    assert ours.keys() == theirs.keys()
    assert all(abs(ours[pk] - theirs[pk]) < 1e-9 for pk in ours)


def test_mixed_query_uses_words_and_grams() -> None:
    index = FilledIndex()
    (latin,) = index.put("a.md", "Alpha release plan")
    (both,) = index.put("b.md", "关于Alpha 的上线计划 Alpha")
    found = [s.chunk_pk for s in search_words(index.db, parse_words("Alpha 上线"), 5)]
    assert found == [both, latin]


def test_chinese_phrase_must_occur_in_a_row() -> None:
    index = FilledIndex()
    (row,) = index.put("a.md", "项目进展很好")
    index.put("b.md", "项目的进展很好")
    assert [s.chunk_pk for s in search_words(index.db, parse_words("“项目进展”"), 5)] == [row]
