from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.memory.central import content_terms, pick_sentences
from vaultkeeper.vault.tokens import approx_tokens

TEXTS = [
    "The storage of the gauges moves to DuckDB. My cat sleeps.",
    "DuckDB keeps the gauges in one file a month. It rains.",
    "The file of the gauges is sorted by time in DuckDB.",
]


@given(st.lists(st.text(max_size=200), max_size=6), st.integers(0, 80))
def test_sentences_are_exact_in_order_apart_and_within_the_budget(texts: list[str], budget: int) -> None:
    picked = pick_sentences(texts, budget)
    assert all(texts[one.source][one.start : one.end] == one.text for one in picked)
    places = [(one.source, one.start) for one in picked]
    assert places == sorted(set(places))
    assert sum(approx_tokens(one.text) for one in picked) <= budget
    assert picked == pick_sentences(texts, budget)


def test_what_most_sentences_are_about_is_central() -> None:
    picked = pick_sentences(TEXTS, 14)
    assert len(picked) == 1
    assert "DuckDB" in picked[0].text
    assert all("cat" not in one.text and "rains" not in one.text for one in pick_sentences(TEXTS, 40))


def test_the_same_is_not_said_twice() -> None:
    picked = pick_sentences(["The red boat sails to the harbour."] * 5, 500)
    assert len(picked) == 1


def test_code_and_empty_words_say_nothing() -> None:
    assert pick_sentences(["```\nthe storage of gauges moves\n```", "Yes. Ok, do it. And then?"], 500) == []
    assert pick_sentences([], 10) == []


def test_a_bonus_brings_a_sentence_forward() -> None:
    picked = pick_sentences(TEXTS, 12, bonus=lambda source, start, _end: float(source == 0 and start > 0))
    assert [one.text for one in picked] == ["My cat sleeps."]


def test_terms_are_stems_and_pairs_of_characters() -> None:
    assert content_terms("The boats and the BOAT, sailing") == ["boat", "boat", "sail"]
    assert content_terms("存储方案 v2") == ["存储", "储方", "方案"]


def test_chinese_is_summarised_too() -> None:
    picked = pick_sentences(["我们决定用新的存储方案。今天下雨。", "新的存储方案每个月一个文件。"], 16)
    assert picked
    assert all("存储方案" in one.text for one in picked)
