from __future__ import annotations

import pytest

from vaultkeeper.ask.expected import asking_words, defines, expected, fits, has_unit, standing


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When does the ferry leave?", "moment"),
        ("On which day is it closed?", "moment"),
        ("How long is the ferry?", "duration"),
        ("How often does it go?", "frequency"),
        ("How many cars fit?", "amount"),
        ("What is the price of a ticket?", "amount"),
        ("what does a ticket cost", "amount"),
        ("Why was it late?", "reason"),
        ("Who steers it?", "name"),
        ("Where does it land?", "place"),
        ("In which town does it land?", "place"),
        ("What is it painted with?", ""),
        ("What did the one who steers it say?", ""),
        ("Where does the woman who steers it live?", "place"),
        ("渡船什么时候开？", "moment"),
        ("票多少钱？", "amount"),
        ("谁开船？", "name"),
        ("船停在哪里？", "place"),
        ("为什么晚了？", "reason"),
        ("What is a slipway?", "meaning"),
        ("What does RIB stand for?", "meaning"),
        ("What is the price per use?", "amount"),
        ("Who is Ada?", "meaning"),
        ("What is Ada's phone number?", "amount"),
        ("What is Ada's favourite song?", ""),
        ("滑道是什么？", "meaning"),
        ("", ""),
    ],
)
def test_the_question_word_says_what_is_asked_for(question: str, kind: str) -> None:
    assert expected(question).kind == kind


def test_a_question_about_now_and_one_that_describes() -> None:
    assert expected("Where does the ferry land now?").current
    assert not expected("Where did the ferry land?").current
    assert expected("Where does the one who steers it live?").described
    assert expected("Which shop is the flour from?").described
    assert not expected("Where does Ada live?").described


@pytest.mark.parametrize(
    ("kind", "text", "others"),
    [
        ("moment", "It leaves at 07:10.", "It leaves soon after us."),
        ("moment", "In May the route is longer.", "It may be longer."),
        ("moment", "三月五日开船。", "船很大。"),
        ("amount", "It holds 40 cars.", "It was built for cars."),
        ("amount", "Twelve cars at most.", "On 3 April 2024 it sank."),
        ("duration", "The crossing takes 25 minutes.", "The crossing takes long."),
        ("frequency", "It goes every hour.", "It goes at one."),
        ("name", "It is steered by Ada Brandt.", "It is steered well."),
        ("place", "It lands in Harlingen.", "It lands in April."),
        ("reason", "Late because of the fog.", "Late again."),
    ],
)
def test_the_kind_is_seen_in_a_text(kind: str, text: str, others: str) -> None:
    assert fits(kind, text, "")
    assert not fits(kind, others, "")


def test_what_the_question_says_itself_is_no_answer() -> None:
    assert not fits("amount", "The 40 cars were on deck.", "Who counted the 40 cars?")
    assert not fits("name", "It is steered by Ada.", "Who is Ada?")
    assert not fits("", "Anything at all, 40 cars.", "What?")


def test_what_holds_and_what_is_over() -> None:
    assert standing("Since March it lands in Harlingen.") > standing("It used to land in Lauwersoog.")
    assert standing("~~Lauwersoog~~") < 0 == standing("It lands.")


def test_words_that_only_ask() -> None:
    assert asking_words("How long did it take, and how far is it?") == {"long", "far"}
    assert asking_words("It took long.") == frozenset()


@pytest.mark.parametrize(
    ("question", "text", "others"),
    [
        ("What does a ticket cost?", "A ticket is € 4.", "A ticket is valid for 4 days."),
        ("How heavy is the anchor?", "The anchor has 12 kg.", "The anchor is from 1912."),
        ("How warm is the water?", "17° at noon.", "17 swimmers at noon."),
        ("How deep is the harbour?", "It has 3 m at low water.", "It has 3 berths."),
        ("票多少钱？", "四十元。", "四十张。"),
    ],
)
def test_the_unit_that_is_asked_for(question: str, text: str, others: str) -> None:
    assert has_unit(text, question)
    assert not has_unit(others, question)


def test_a_sentence_that_says_what_a_thing_is() -> None:
    for text in ("A slipway is a ramp.", "**slipway** — a ramp", "Slipways are ramps.", "slipway: a ramp"):
        assert defines(text, "What is a slipway?")
    assert not defines("The boat stood on the slipway for years.", "What is a slipway?")
    assert defines("滑道是斜坡。", "滑道是什么？")


def test_a_price_is_no_time_of_the_day() -> None:
    assert fits("amount", "They are 14.80 euros a piece.", "What do they cost?")
    assert fits("amount", "They are € 14.80 now.", "What do they cost?")
    assert fits("moment", "We meet at 14.30 in the hall.", "When do we meet?")
    assert not fits("amount", "We meet at 14.30 in the hall.", "How many are we?")
    assert not fits("moment", "They weigh 9.20 kg, or 14.80 in all.", "When?")
