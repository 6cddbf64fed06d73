from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.memory.events.labelled import KINDS, read_fixture
from vaultkeeper.memory.events import HEURISTIC_CONFIDENCE, extract_events


def found(text: str) -> list[tuple[str, str]]:
    return [(event.kind, event.quote) for event in extract_events(text)]


def kinds(text: str) -> list[str]:
    return [event.kind for event in extract_events(text)]


PHRASES = {
    "decision": (
        "Let's go with the blue one. · lets go with plan B · I've decided to stay. · ive decided to stay · "
        "I decided to sell it. · "
        "We decided on oak. · We agreed on Lisbon. · The decision is no logo. · We're going with Rust. · "
        "We'll use pnpm. · "
        "well use pnpm · I'll use the second draft. · We have chosen Malin. · I choose the red one. · We "
        "choose tea."
    ),
    "commitment": (
        "I'll send it by Friday. · I'll send it by Monday. · I'll send it by Tuesday. · I have to pay by "
        "Wednesday. · "
        "We need to leave by Thursday. · I'll deliver by Saturday. · I must sign by Sunday. · I'll write "
        "it by tomorrow. · "
        "I'll be done by next week. · I have to move out by end of March. · The deadline is 14 March. · "
        "Due date is 31 July. · "
        "I will call the bank. · I'll do the dishes tonight. · ill do the dishes tonight · I promise to "
        "come. · "
        "I commit to writing daily. · We need to finish by noon. · The recital is scheduled for 21 June. · "
        "I plan to learn Welsh. · "
        "I'm planning to move in May. · I'll make sure the invoices go out."
    ),
    "preference": (
        "I prefer tea. · I like trains. · I love slab serifs. · I hate airports. · I dislike noise. · I "
        "always sketch on paper. · "
        "I never use Comic Sans. · My favorite colour is green. · My favourite format is Markdown. · I "
        "usually write at night. · "
        "I tend to work in short blocks. · I'm used to metric units. · im used to metric units · I don't "
        "like flying."
    ),
    "fact": (
        "I'm based in Quito. · im based in Quito · I live in Antwerp. · I work at a co-op. · I work for "
        "the council. · "
        "My name is Ludo. · I'm a nurse. · im a nurse · I am a nurse. · My role is maintainer. · I've been "
        "a nurse for ten years. · "
        "ive been learning Welsh for two years · I have been here since 2014. · I'm from Chile. · im from "
        "Chile · "
        "My timezone is UTC+2. · My time zone is UTC+2."
    ),
}
"""A sentence for every phrase of BEHAVIOUR 3.1, with those of the article."""


@pytest.mark.parametrize(
    ("kind", "sentence"), [(kind, text) for kind, texts in PHRASES.items() for text in texts.split(" · ")]
)
def test_every_phrase_of_the_tables_is_found(kind: str, sentence: str) -> None:
    assert kinds(sentence) == [kind]


@pytest.mark.parametrize(
    "text",
    [
        # words inside other words, and words that mean something else
        "him a picture was given",
        "i likely broke it",
        "i like, totally forgot",
        "im from time to time losing the cursor",
        "I'm a bit lost.",
        "I'm a tad tired.",
        "I'd love a hint.",
        "I hate to bother you.",
        "I will admit it.",
        "I bet it rains.",
        # questions
        "Should I always commit the lock file?",
        "do i have to promise anything",
        "Did we agree on ten?",
        "I prefer tea, right?",
        # conditions and suppositions
        "If I worked at a bank I'd know.",
        "Should it rain I'll stay in.",
        "Say my name is Bob.",
        "Imagine we agreed on Rome.",
        "Unless it rains I will walk.",
        "I wish I lived in Rome.",
        # others
        "He told me he hates tea.",
        "The board has decided to sell.",
        "According to Priya they agreed on 2%.",
        "She says I always interrupt.",
        "Tobias will send the logs by tomorrow.",
        "My neighbour works at the tax office.",
        # pasted, quoted, translated
        "> I will be out until Monday",
        'Write a story that begins with "I live in Rome."',
        "the log says `I like cats`",
        "```\nI prefer tea\n```",
        "Translate: I live in Rome and I hate it.",
        "2025-01-01 10:00:00 INFO I will retry by Friday",
        "Anna: I'll bring salad\nBo: I hate salad",
        "From: a@example.org\nSubject: I quit\n\nI decided to leave.\n\nwhat now?",
        # open, denied, considered
        "We haven't decided yet.",
        "I don't plan to go.",
        "I'm thinking of moving.",
        "I might take the job.",
        "Maybe we'll move to Spain.",
        "I promise nothing.",
        # the past alone
        "I used to live in Oslo.",
        "As a kid I hated spinach.",
        "The deadline was last Friday.",
        "We had agreed on Rome.",
        "I never said that.",
        "I always wondered how zip works.",
        # complaints and sarcasm
        "I always get this error.",
        "I've been trying for an hour.",
        "oh great, I just love waiting on hold",
        "I love it, thanks!",
        # Chinese
        "我还没决定。",
        "如果我住在上海，社保怎么交？",
        "他说他喜欢吃辣。",
        "我以前住在武汉。",
        "我总是收到这个报错",
        "我应该换工作吗？",
        "翻译：“我保证不再迟到。”",
        "可能会去吧，再看看",
        "房东决定下个月涨租",
    ],
)
def test_no_event(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "My name is Ludo. I hate canned replies & we decided to write by hand",
            [
                ("fact", "My name is Ludo."),
                ("preference", "I hate canned replies"),
                ("decision", "we decided to write by hand"),
            ],
        ),
        (
            "I no longer work for the council, but I promised to hand over the maps by the 15th.",
            [
                ("fact", "I no longer work for the council"),
                ("commitment", "I promised to hand over the maps by the 15th."),
            ],
        ),
        ("I live in Ghent, where do we meet?", [("fact", "I live in Ghent")]),
        (
            "I’ve decided to take v2.1 of it (see https://example.org/a.b).",
            [("decision", "I’ve decided to take v2.1 of it (see https://example.org/a.b).")],
        ),
        ("I alwasy perfer tea", [("preference", "I alwasy perfer tea")]),
        (
            "- we'll use Typst\n- i prefer short mails",
            [("decision", "we'll use Typst"), ("preference", "i prefer short mails")],
        ),
        ("我从来不喝咖啡，有什么别的办法？", [("preference", "我从来不喝咖啡")]),
        (
            "就用 sqlite 了，我今晚把脚本写完",
            [("decision", "就用 sqlite 了"), ("commitment", "我今晚把脚本写完")],
        ),
        ("我們決定用 Rust。我來自臺灣。", [("decision", "我們決定用 Rust。"), ("fact", "我來自臺灣。")]),
    ],
)
def test_quotes_are_sentences_or_clauses(text: str, expected: list[tuple[str, str]]) -> None:
    got = found(text)
    assert [kind for kind, _ in got] == [kind for kind, _ in expected]
    for (_, quote), (_, wanted) in zip(got, expected, strict=True):
        assert quote.rstrip(".。") == wanted.rstrip(".。")


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("I don't live in Oslo any more.", True),
        ("I’m not at Quillon anymore", True),
        ("I no longer smoke.", True),
        ("I quit my job at the bank.", True),
        ("我已经不在北京了。", True),
        ("I live in Oslo.", False),
        ("我住在北京。", False),
    ],
)
def test_what_has_stopped_holding_is_a_negated_fact(text: str, negated: bool) -> None:
    assert [(e.kind, e.negated) for e in extract_events(text)] == [("fact", negated)]


@pytest.mark.parametrize("blank", ["", " ", "\n\t\n", "\u3000", "...", "。"])
def test_blank_text_holds_nothing(blank: str) -> None:
    assert extract_events(blank) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I decided I prefer tea.", "decision"),
        ("I always promise too much.", "preference"),
        ("我决定以后都喝茶。", "decision"),
    ],
)
def test_a_sentence_that_could_be_two_kinds_is_one_event(text: str, kind: str) -> None:
    assert [event.kind for event in extract_events(text)] == [kind]


def test_confidence_of_rules() -> None:
    assert [event.confidence for event in extract_events("I like trains.")] == [HEURISTIC_CONFIDENCE] == [0.6]


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("events_other_words.txt", 0.9),
        ("events_second_look.txt", 0.9),
        ("events_fresh_1.txt", 0.9),
        ("events_fresh_2.txt", 0.85),
        ("events_fresh_3.txt", 0.85),
        ("events_fresh_4.txt", 0.85),
        ("events_fresh_5.txt", 0.9),
        ("events_fresh_6.txt", 0.85),
    ],
)
def test_messages_in_other_words(name: str, least: float) -> None:
    """F1 of so much at least for each kind, and hardly an event in messages without one."""
    right: dict[str, int] = dict.fromkeys(KINDS.values(), 0)
    found_, labelled = dict(right), dict(right)
    disturbed = 0
    messages = read_fixture(name)
    for message in messages:
        labels = {(e["kind"], e["quote"].rstrip(" .!。")) for e in message["events"]}
        got = extract_events(message["text"])
        disturbed += bool(got) and not labels
        for event in got:
            found_[event.kind] += 1
            right[event.kind] += any(
                kind == event.kind and (quote in event.quote or event.quote.rstrip(" .!。") in quote)
                for kind, quote in labels
            )
        for kind, _ in labels:
            labelled[kind] += 1
    for kind in right:
        assert 2 * right[kind] / (found_[kind] + labelled[kind]) >= least, kind
    assert disturbed <= 3


words = st.sampled_from(
    "I we he 我 我们 will 'll don't decided prefer by Friday live in Oslo . , ! ? \n “ ” \" ` > 。 ， ： "
    "喜欢 决定 住在 不 了 any more : - and but if".split(" ")
)


@settings(max_examples=150)
@given(st.text(max_size=200) | st.lists(words, max_size=40).map(" ".join))
def test_any_text_gives_exact_offsets(text: str) -> None:
    last = 0
    for event in extract_events(text):
        assert text[event.start : event.end] == event.quote
        assert event.quote.strip()
        assert event.start >= last
        last = event.end


@pytest.mark.parametrize(
    "piece",
    [
        "I will ",
        "i like to ",
        "my ",
        "> a\n",
        '"',
        "“",
        "`",
        "a, ",
        "if i ",
        "by the end of ",
        "every ",
        "我决定",
        "我喜欢，",
        "::",
        "I am a ",
        "- ",
        "From: x\n",
        "A: b\n",
    ],
)
def test_time_is_linear(piece: str) -> None:
    text = piece * (60_000 // len(piece))
    started = time.process_time()
    extract_events(text)
    assert time.process_time() - started < 8
