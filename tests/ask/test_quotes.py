from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from vaultkeeper.ask.quotes import Question, choose_quotes
from vaultkeeper.index.reads import Leaf
from vaultkeeper.present.snippet import stem
from vaultkeeper.types import TimeWindow


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


def test_a_short_sentence_is_quoted_with_the_next() -> None:
    question = Question("When did the heron come?", {"heron": 3.0, stem("come"): 1.0}, frozenset())
    body = "HERON! At 05:10, on the shed, quite calm. Then rain."
    assert quoted(question, leaf(body), count=1) == ["HERON! At 05:10, on the shed, quite calm."]


def test_a_fragment_is_not_quoted() -> None:
    question = Question("heron", {"heron": 3.0}, frozenset())
    assert quoted(question, leaf("[[heron]].\n\nThe heron stood on the shed.")) == [
        "The heron stood on the shed."
    ]


def test_a_lead_in_counts_for_its_items() -> None:
    question = Question("What does the heron eat?", {"heron": 3.0, "eat": 3.0}, frozenset())
    body = "The pond was frozen.\n\nWhat the heron eats:\n\n- carp from next door\n- frogs of any size"
    assert quoted(question, leaf(body), count=2)[0] == "carp from next door"


def test_the_head_of_a_table_counts_for_its_rows_and_is_not_quoted() -> None:
    question = Question("What is the price of carp?", {"pric": 3.0, "carp": 3.0}, frozenset())
    body = "| fish | price |\n| --- | --- |\n| carp | 12 |\n| tench | 15 |"
    assert quoted(question, leaf(body), count=1) == ["| carp | 12 |"]


def test_what_is_over_gives_way_when_the_question_is_about_now() -> None:
    body = "The heron lived at the pond until May. The heron lives at the canal since June."
    weights = {"heron": 3.0, "liv": 2.0}
    now = Question("Where does the heron live now?", weights, frozenset())
    assert quoted(now, leaf(body), count=1) == ["The heron lives at the canal since June."]


def test_who_is_led_to_answers_rather_than_the_sentence_that_leads() -> None:
    start = leaf("Ada Brandt feeds the heron.", title="Pond", pk=1)
    end = leaf("Lives in Harlingen above the mill.", title="Ada Brandt", pk=2)
    weights = {"feed": 3.0, "heron": 3.0, "liv": 3.0}
    question = Question(
        "Where does the one who feeds the heron live?",
        weights,
        frozenset(),
        led={2: frozenset({"feed", "heron"})},
    )
    assert quoted(question, start, end)[0] == "Lives in Harlingen above the mill."


def test_nearness_in_meaning_decides_where_words_do_not() -> None:
    def similarity(texts: Sequence[str]) -> list[float]:
        return [1.0 if "fowl" in text else 0.0 for text in texts]

    question = Question("heron", {"heron": 3.0}, frozenset(), similarity=similarity)
    assert quoted(
        question, leaf("Water rises in spring. The fowl nests in reeds.", title="Heron"), count=1
    ) == ["The fowl nests in reeds."]


def test_blocks_are_not_joined_in_a_quote() -> None:
    question = Question("Who bakes bread on Tuesdays?", {"bak": 3.0, "bread": 2.0, "mobil": 1.0}, frozenset())
    body = "- [ ] Mobile support\nThe Old Bear bakes rye bread on Tuesdays."
    assert quoted(question, leaf(body), count=1) == ["The Old Bear bakes rye bread on Tuesdays."]


def test_embeds_and_addresses_are_not_quoted() -> None:
    question = Question("favorite movies", {stem("favorites"): 3.0, stem("movies"): 3.0}, frozenset())
    for alone in (
        "![[Movies.base#Favorites]]",
        "![favorites](movies.png)",
        "https://movies.org/favorites/list",
    ):
        assert quoted(question, leaf(alone, title="Movies")) == []
        assert quoted(question, leaf(f"{alone}\nMy favorite one is Ran.", title="Movies")) == [
            "My favorite one is Ran."
        ]


def test_a_sentence_that_points_back_is_quoted_with_the_one_before() -> None:
    question = Question("What gives most joy?", {"joy": 3.0, "most": 1.0}, frozenset())
    body = "I bought an electric bike. It gives me the most joy of all I own.\n\nIt rained."
    assert quoted(question, leaf(body), count=1) == [
        "I bought an electric bike. It gives me the most joy of all I own."
    ]
    apart = "I bought an electric bike.\n\nIt gives me the most joy of all I own."
    assert quoted(question, leaf(apart), count=1) == ["It gives me the most joy of all I own."]


def test_forms_of_a_verb_are_one_word() -> None:
    question = Question("What did he give me?", {stem("give"): 3.0}, frozenset())
    body = "He told a story. Then, at last, he gave me his barometer."
    assert quoted(question, leaf(body), count=1) == ["Then, at last, he gave me his barometer."]


def test_a_day_of_the_time_that_is_asked_for_counts() -> None:
    window = TimeWindow(datetime(2026, 8, 1, tzinfo=UTC), datetime(2026, 8, 31, tzinfo=UTC))
    question = Question("What about the tooth in August?", {"tooth": 3.0}, frozenset(), window=window)
    body = "2026-02-26 The tooth has a crack. 2026-08-19 The tooth needs a crown."
    assert quoted(question, leaf(body), count=1) == ["2026-08-19 The tooth needs a crown."]
