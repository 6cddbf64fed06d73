import threading

import pytest

from vaultkeeper.memory.boundary import Stretch
from vaultkeeper.memory.episodes import Turn
from vaultkeeper.memory.recap import (
    BOOKEND_CHARS,
    bookend,
    build_prompt,
    extract_recap,
    is_grounded,
    prose_of,
    strip_images,
    strip_tool_calls,
    summarize,
    write_recap,
)
from vaultkeeper.memory.segments import find_events
from vaultkeeper.vault.tokens import approx_tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a <tool_call>{x}</tool_call> b", "a  b"),
        ("a\n<tool_call>never closed", "a"),
        ('a\n{"type": "tool_use"}\nb', "a\nb"),
        ('a\n{"tool_calls": []}\n\n\n\nb', "a\n\nb"),
        ("  untouched\n\n\n\n ", "  untouched\n\n\n\n "),
        ("about tool_use in prose", "about tool_use in prose"),
    ],
)
def test_calls_of_tools_are_no_prose(text: str, expected: str) -> None:
    assert strip_tool_calls(text) == expected


def test_images_are_no_prose() -> None:
    assert (
        strip_images("a [IMAGE:aGk=] b ![x](data:image/png;base64,aGk=) c ![kept](a.png)")
        == "a  b  c ![kept](a.png)"
    )
    assert prose_of(" [IMAGE:aGk=] ") == ""


TURNS = [
    Turn("s", 0, 1, "user", "We decided to store gauges in DuckDB files. The weather is nice."),
    Turn("s", 1, 2, "assistant", "DuckDB files of one gauge a month are small. <tool_call>{}</tool_call>"),
    Turn("s", 2, 3, "user", "And the DuckDB files go to the archive of Marguerite every Friday."),
]


class Model:
    name = "test"

    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.asked: list[tuple[str, str, int]] = []

    def complete(self, prompt: str, *, system: str, max_tokens: int) -> str:
        self.asked.append((prompt, system, max_tokens))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[return-value]


def test_a_recap_quotes_central_sentences_under_their_speaker() -> None:
    recap = summarize(TURNS)
    assert recap.by == "extractive"
    assert recap.usable
    assert "User: We decided to store gauges in DuckDB files." in recap.text
    assert "tool_call" not in recap.text
    for line in recap.text.split("\n"):
        said = line.partition(": ")[2]
        assert all(any(part in turn.content for turn in TURNS) for part in said.split(". ")[:1])


def test_a_long_conversation_is_cut_to_half_of_it_or_a_paragraph() -> None:
    long = [
        Turn(
            "s",
            n,
            n,
            "user",
            f"Gauge {n} of the storage in hall {n} needs a new battery and a seal before spring.",
        )
        for n in range(60)
    ]
    assert approx_tokens(summarize(long).text) <= 300
    some = long[:10]
    assert approx_tokens(summarize(some).text) <= sum(approx_tokens(t.content) for t in some) * 0.6


def test_events_come_before_other_sentences() -> None:
    turns = [
        Turn("s", n, n, "user", f"Gauge {n} in hall {n} shows a voltage of {n} volts this morning.")
        for n in range(30)
    ]
    turns[17] = Turn("s", 17, 17, "user", "I prefer aisle seats.")
    events = find_events(Stretch(tuple(turns), None))
    assert "I prefer aisle seats." in extract_recap(turns, events)


@pytest.mark.parametrize("said", ["ok", "", "thx!", "👍", "```\ncode only\n```", "[IMAGE:aGVsbG8=]"])
def test_only_where_nothing_is_said_the_bookend_stands_and_is_not_usable(said: str) -> None:
    recap = summarize([Turn("s", 0, 1, "user", said), Turn("s", 1, 2, "assistant", "ok")])
    assert recap.by == "bookend"
    assert not recap.usable
    assert recap.text.startswith("Conversation segment (2 turns). Started with: ")


def test_the_bookend_cuts_long_messages() -> None:
    text = bookend([Turn("s", 0, 1, "user", "a" * 500), Turn("s", 1, 1, "user", "b" * BOOKEND_CHARS)])
    first = "a" * 200 + "..."
    assert text == f"Conversation segment (2 turns). Started with: {first} | Ended with: {'b' * 200}"
    assert bookend([]) == "Conversation segment (0 turns). Started with:  | Ended with: "


def test_a_model_writes_the_recap_where_there_is_one() -> None:
    model = Model("The gauges go into DuckDB files, archived by Marguerite.")
    recap = summarize(TURNS, (), model)
    assert (recap.by, recap.usable) == ("llm", True)
    prompt, system, budget = model.asked[0]
    assert prompt.startswith("[user-1]\nWe decided")
    assert "2000" in system
    assert budget == 2000


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "  \n",
        RuntimeError("down"),
        None,
        7,
        "word " * 20_000,
        "All of this was decided by Professor Moriarty.",
    ],
)
def test_a_model_that_fails_or_invents_gives_way_to_the_extract(answer: object) -> None:
    assert summarize(TURNS, (), Model(answer)).by == "extractive"


def test_a_late_model_gives_way_to_the_extract() -> None:
    never = threading.Event()

    class Slow(Model):
        def complete(self, prompt: str, *, system: str, max_tokens: int) -> str:
            never.wait(30)
            return "late"

    assert summarize(TURNS, (), Slow(""), deadline_s=0.05).by == "extractive"
    never.set()


def test_the_prompt_holds_every_turn_within_its_share() -> None:
    turns = [Turn("s", n, n, "user", f"turn {n} " + "word " * 100_000) for n in range(20)]
    prompt = build_prompt(turns)
    assert all(f"[user-{n}]\nturn {n} " in prompt for n in range(20))
    assert approx_tokens(prompt) <= 50_000
    assert build_prompt([Turn("s", 0, 0, "user", " ")]) == ""
    assert write_recap([], Model("x")) is None


def test_names_must_be_grounded() -> None:
    assert is_grounded("They met Marguerite's archive on Friday.", TURNS)
    assert not is_grounded("They met Ludwig.", TURNS)
    assert is_grounded("Nothing else was said.", TURNS)


def test_a_models_headings_and_secrets_do_not_reach_the_note() -> None:
    key = "AK" + "IA" + "QX7RTB2MVHW3ZL5K"
    text = write_recap(TURNS, Model(f"## Events\nGauges with key {key} ^evt-1"))
    assert text is not None
    assert "##" not in text
    assert "^" not in text
    assert key not in text
