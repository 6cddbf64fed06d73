from __future__ import annotations

from vaultkeeper.ask.quotes import Question, choose_quotes
from vaultkeeper.index.reads import Leaf
from vaultkeeper.present.snippet import stem


def leaf(body: str, title: str = "Note", heading: str = "", pk: int = 1) -> Leaf:
    return Leaf(
        pk, "c" * 32, pk, 0, f"{title}.md", title, "note", "notes:", heading, heading, body, 1, 0, 0, b"", ()
    )


def quoted(question: Question, *leaves: Leaf, count: int = 3) -> list[str]:
    found = choose_quotes(question, leaves, [1.0] * len(leaves), count)
    return [leaves[item.hit].body[item.sentence.start : item.sentence.end] for item in found]


def test_the_sentence_with_the_words_wins() -> None:
    body = "We met at noon. The budget for hosting is 400 euros. Then we ate."
    question = Question("What is the hosting budget?", {"budget": 2.0, "host": 3.0}, frozenset())
    assert quoted(question, leaf(body)) == ["The budget for hosting is 400 euros."]


def test_what_stands_above_counts_half() -> None:
    question = Question("hydration of the loaf", {stem("hydration"): 3.0, "loaf": 2.0}, frozenset())
    best = quoted(question, leaf("That is 74 % hydration.", title="Country loaf"), leaf("The loaf was fine."))
    assert best[0] == "That is 74 % hydration."


def test_how_many_asks_for_a_number() -> None:
    body = "The gauges stand along the coast. All 212 gauges report."
    question = Question("How many gauges are there?", {"gaug": 2.0}, frozenset())
    assert quoted(question, leaf(body), count=1) == ["All 212 gauges report."]


def test_every_sentence_of_an_entitys_note_is_about_it() -> None:
    own = leaf("Since July she works at Pelagic.", title="mara-lindqvist", pk=1)
    other = leaf("Mara does not call.", pk=2)
    question = Question(
        "Where does Mara work?", {"mara": 2.0, "work": 2.0}, frozenset({"mara"}), frozenset({1})
    )
    assert quoted(question, other, own)[0] == "Since July she works at Pelagic."


def test_questions_code_and_headings_answer_nothing() -> None:
    body = "# budget\n\nWhat is the budget?\n\n```\nbudget = 1\n```\n\nThe budget is small."
    question = Question("budget", {"budget": 1.0}, frozenset())
    assert quoted(question, leaf(body)) == ["The budget is small."]


def test_the_same_sentence_is_quoted_once() -> None:
    question = Question("budget", {"budget": 1.0}, frozenset())
    assert quoted(question, leaf("A budget.", pk=1), leaf("A budget.", pk=2)) == ["A budget."]


def test_without_words_the_first_sentence_is_quoted() -> None:
    question = Question("fridge", {"fridg": 1.0}, frozenset())
    assert quoted(question, leaf("# Head\n\nThe refrigerator is wide. More."), leaf("x")) == [
        "The refrigerator is wide."
    ]
    assert quoted(question, leaf("```\ncode\n```")) == []
    assert quoted(question) == []


def test_chinese_is_compared_by_pairs() -> None:
    question = Question("项目什么时候上线？", {"项目": 1.0, "上线": 2.0}, frozenset())
    assert quoted(question, leaf("今天很热。项目三月五日上线。"), count=1) == ["项目三月五日上线。"]
