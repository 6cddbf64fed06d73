from __future__ import annotations

from tests.retrieval.filled import FilledIndex
from vaultkeeper.ask.gather import _covered, gather
from vaultkeeper.ask.params import Corpus, SearchParams
from vaultkeeper.index.words import parse_words
from vaultkeeper.retrieval.primitives import keyword


def test_a_plain_search_does_not_follow() -> None:
    index = FilledIndex()
    for i, text in enumerate(["Ann: where is the anchor?", "Bob: in the shed", "Ann: thanks"]):
        index.put(f"episodic/s/{i:06}.md", text, kind="turn", source="episodic:s")
    for i in range(9):
        index.put(f"n{i}.md", "unrelated")
    corpus = Corpus(index.db, "V")
    assert len(gather(corpus, SearchParams("anchor"), follow=False).ranked) == 1
    assert len(gather(corpus, SearchParams("anchor"), follow=True).ranked) == 3


def test_what_was_searched_and_how() -> None:
    index = FilledIndex()
    index.put("a.md", ("A", "apple"), ("B", "pear"), tags=["fruit"])
    index.put("b.md", "apple")
    gathered = gather(Corpus(index.db, "V"), SearchParams("apple", tags=("fruit",)), follow=False)
    assert gathered.indexed == 3
    assert gathered.searched[:2] == (1, 2)
    assert gathered.route == "keyword"
    assert [term.label for term in gathered.terms] == ["apple"]
    assert gather(Corpus(index.db, "V"), SearchParams("plum"), follow=True).route == "none"


def test_scores_lie_in_0_to_1_best_first() -> None:
    index = FilledIndex()
    for i in range(30):
        index.put(f"n{i}.md", "apple " * (i % 5 + 1) + "x " * i)
    ranked = gather(Corpus(index.db, "V"), SearchParams("apple"), follow=True).ranked
    scores = [score for _, score in ranked]
    assert len(ranked) == 30
    assert scores == sorted(scores, reverse=True)
    assert 0 < scores[-1] <= scores[0] <= 1


def test_vectors_say_less_where_words_say_all() -> None:
    index = FilledIndex()
    for number in range(30):
        index.put(f"{number}.md", f"filler text {number}")
    index.put("all.md", "heron nests in reeds")
    whole = keyword(index.db, parse_words("heron reeds"), None)
    assert _covered(whole, 31) == 1.0
    part = keyword(index.db, parse_words("heron reeds filler willow"), None)
    assert 0.0 < _covered(part, 31) < 1.0
    assert _covered(keyword(index.db, parse_words("zzz"), None), 31) == 0.0
