import itertools
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vaultkeeper.errors import ConflictError
from vaultkeeper.memory.facets import Facet, value_mark
from vaultkeeper.memory.profile import Profile, Statement, load_profile, render_profile


def say(
    text: str, day: str, segment: str = "", kind: str = "fact", negated: bool = False, confidence: float = 0.6
) -> Statement:
    at_ms = int(datetime.fromisoformat(f"{day}T10:00:00").replace(tzinfo=UTC).timestamp() * 1000)
    return Statement(kind, text, negated, at_ms, segment or f"s-{day}/000000", confidence)  # type: ignore[arg-type]


def learn(*said: Statement) -> Profile:
    profile = Profile()
    for statement in said:
        profile.learn(statement)
    return profile


def only(profile: Profile) -> Facet:
    (facet,) = profile.facets.values()
    return facet


def test_a_statement_becomes_a_facet_of_its_kind() -> None:
    profile = learn(
        say("I speak Dutch", "2026-01-01"), say("I prefer aisle seats", "2026-01-01", kind="preference")
    )
    assert sorted(profile.facets) == ["context/fact_speak_dutch", "preference/preference_prefer_aisle_seats"]
    facet = profile.facets["context/fact_speak_dutch"]
    assert (facet.value, facet.confidence, facet.evidence_count, facet.valid_from) == (
        "I speak Dutch",
        0.6,
        1,
        "2026-01-01",
    )


def test_saying_it_again_is_evidence_and_the_segment_is_remembered_once() -> None:
    said = say("I speak Dutch", "2026-01-01", "a/000000")
    facet = only(learn(said, say("I really speak Dutch", "2026-02-01", "b/000004"), said))
    assert facet.evidence_count == 2
    assert facet.segments == ("a/000000", "b/000004")
    assert facet.last_ms > facet.first_ms


def test_learning_a_segment_again_changes_nothing() -> None:
    said = [
        say("I live in Oslo", "2026-01-01"),
        say("I moved to Ghent", "2026-03-01"),
        say("I don't live in Ghent any more", "2026-05-01", negated=True),
    ]
    profile = learn(*said)
    before = dict(profile.facets)
    for statement in said:
        profile.learn(statement)
    assert profile.facets == before


def test_a_weaker_repeat_never_overwrites_and_an_equal_or_stronger_one_does() -> None:
    strong = say("I speak Dutch every day at work", "2026-01-01", confidence=0.9)
    facet = only(learn(strong, say("I speak Dutch every day at home", "2026-02-01", confidence=0.6)))
    assert (facet.value, facet.confidence, facet.evidence_count) == (strong.text, 0.9, 2)
    equal = say("I speak Dutch every day at school", "2026-03-01", confidence=0.9)
    facet = only(learn(strong, equal))
    assert (facet.value, facet.confidence, facet.evidence_count) == (equal.text, 0.9, 2)


def test_a_newer_wording_of_the_same_key_replaces_and_keeps_the_old_one_with_its_date() -> None:
    facet = only(
        learn(
            say("I usually batch mail every day at eight", "2026-01-01"),
            say("I usually batch mail every day at nine", "2026-02-01"),
        )
    )
    assert facet.value == "I usually batch mail every day at nine"
    assert facet.history == ("2026-01-01: I usually batch mail every day at eight",)


def test_a_newer_answer_supersedes_the_older_with_dates() -> None:
    profile = learn(say("I live in Utrecht", "2026-01-02"), say("I moved to Ghent", "2026-08-29"))
    utrecht, ghent = profile.in_slot("home")
    assert (utrecht.valid_from, utrecht.valid_until, utrecht.superseded_by) == (
        "2026-01-02",
        "2026-08-29",
        ghent.name,
    )
    assert ghent.current
    assert not utrecht.current
    assert [facet.value for facet in profile.in_slot("home") if facet.current] == ["I moved to Ghent"]


SAID = [
    say("I live in Utrecht", "2026-01-02"),
    say("I moved to Ghent", "2026-08-29"),
    say("I live in Ghent now", "2026-09-29"),
    say("I prefer dark mode", "2026-01-05", kind="preference"),
    say("I really prefer light mode", "2026-05-05", kind="preference"),
]


def test_what_holds_when_does_not_depend_on_the_order_of_learning() -> None:
    outcomes = set()
    for order in itertools.permutations(SAID):
        facets = learn(*order).facets.values()
        outcomes.add(
            tuple(
                sorted(
                    (f.slot.name, f.slot.value, f.valid_from, f.valid_until, f.current)
                    for f in facets
                    if f.slot
                )
            )
        )
    assert len(outcomes) == 1


def test_an_answer_can_hold_twice_and_its_first_time_is_history() -> None:
    profile = learn(
        say("I live in Oslo", "2026-01-01"),
        say("I live in Bergen", "2026-03-01"),
        say("I live in Oslo again", "2026-06-01"),
    )
    current = [facet for facet in profile.in_slot("home") if facet.current]
    assert [(facet.key, facet.valid_from) for facet in current] == [("fact_live_oslo", "2026-06-01")]
    assert any("2026-01-01 to 2026-03-01" in entry for entry in current[0].history)


def test_what_holds_no_longer_ends_and_is_not_told() -> None:
    profile = learn(
        say("I work at Halven", "2026-01-01"),
        say("I don't work at Halven any more", "2026-05-01", negated=True),
    )
    facet = only(profile)
    assert (facet.valid_until, facet.current) == ("2026-05-01", False)
    assert "any more" in facet.history[-1]
    assert render_profile(list(profile.facets.values())) == ""
    unknown = only(learn(say("I don't smoke any more", "2026-05-01", negated=True)))
    assert (unknown.negated, unknown.current) == (True, True)


@pytest.mark.parametrize("state", ["pinned", "forgotten"])
def test_the_users_word_stands_for_ever(state: str) -> None:
    profile = learn(say("I live in Oslo", "2026-01-01"))
    facet = replace(only(profile), state=state)  # type: ignore[arg-type]
    profile.put(facet)
    for day in ("2026-02-01", "2026-03-01"):
        profile.learn(say("I live in Oslo", day))
        profile.learn(say("I live in Bergen", day))
    kept = profile.facets[facet.name]
    assert (kept.value, kept.state, kept.superseded_by) == ("I live in Oslo", state, "")
    assert kept.current == (state == "pinned")
    bergen = profile.facets["context/fact_live_bergen"]
    assert bergen.current == (state == "forgotten")


def test_a_value_that_a_person_edited_is_kept_and_stands_above_what_is_heard() -> None:
    edited = Facet("context", "fact_live_oslo", "I live on Nesøya", 0.6, written=value_mark("I live in Oslo"))
    profile = Profile([edited])
    profile.learn(say("I live in Oslo, still", "2026-02-01"))
    assert profile.facets[edited.name].value == "I live on Nesøya"


def test_what_is_forgotten_is_not_learnt_under_another_wording() -> None:
    profile = learn(say("I live in Oslo", "2026-01-01"))
    profile.put(replace(only(profile), state="forgotten"))
    profile.learn(say("I'm based in Oslo", "2026-02-01"))
    assert len(profile.facets) == 1


def test_forgetting_an_answer_does_not_bring_the_one_before_back() -> None:
    profile = learn(say("I live in Utrecht", "2026-01-02"), say("I moved to Ghent", "2026-08-29"))
    profile.put(replace(profile.facets["context/fact_moved_ghent"], state="forgotten"))
    assert not [facet for facet in profile.in_slot("home") if facet.current]


def test_two_answers_with_one_key_are_two_facets() -> None:
    profile = learn(
        say("I live in a small town near Oslo", "2026-01-01"),
        say("I live in a small town near Bergen", "2026-02-01"),
    )
    assert len(profile.facets) == 2
    assert [f.valid_until for f in profile.in_slot("home")] == ["2026-02-01", ""]


def test_a_profile_is_told_by_type_and_says_how_often(tmp_path: Path) -> None:
    assert render_profile([]) == ""
    profile = learn(
        say("I prefer aisle seats", "2026-01-01", kind="preference"),
        say("I prefer aisle seats", "2026-02-01", kind="preference"),
        say("I speak Dutch", "2026-01-01"),
    )
    assert render_profile(list(profile.facets.values())) == (
        "### Context\n- fact_speak_dutch: I speak Dutch\n\n"
        "### Preference\n- preference_prefer_aisle_seats: I prefer aisle seats (confirmed 2x)"
    )


def test_facets_are_notes_and_come_back(tmp_path: Path) -> None:
    profile = learn(*SAID)
    assert profile.flush(tmp_path) == len(profile.facets)
    assert profile.flush(tmp_path) == 0
    assert load_profile(tmp_path).facets == profile.facets
    again = load_profile(tmp_path)
    for statement in SAID:
        again.learn(statement)
    assert again.changed == []


def test_a_note_that_a_person_edits_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    learn(say("I speak Dutch", "2026-01-01")).flush(tmp_path)
    profile = load_profile(tmp_path)
    note = tmp_path / "profile/context/fact_speak_dutch.md"
    note.write_text(note.read_text().replace("Dutch", "Flemish"))
    profile.learn(say("I speak Dutch", "2026-02-01"))
    with pytest.raises(ConflictError):
        profile.flush(tmp_path)
    assert "Flemish" in note.read_text()
    fresh = load_profile(tmp_path)
    fresh.learn(say("I speak Dutch", "2026-02-01"))
    fresh.flush(tmp_path)
    kept = load_profile(tmp_path).facets["context/fact_speak_dutch"]
    assert (kept.value, kept.evidence_count) == ("I speak Flemish", 2)


def test_a_note_that_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    note = tmp_path / "profile/context/fact_speak_dutch.md"
    note.parent.mkdir(parents=True)
    note.write_text("---\n: [broken\n---\nmine")
    (note.parent / "elsewhere.md").symlink_to(tmp_path)
    profile = load_profile(tmp_path)
    profile.learn(say("I speak Dutch", "2026-02-01"))
    assert profile.flush(tmp_path) == 0
    assert note.read_text() == "---\n: [broken\n---\nmine"


@pytest.mark.parametrize(
    ("forgotten", "again"),
    [
        ("I prefer dark mode", "I really like dark mode in my editor"),
        ("I have diabetes", "I've diabetes since last May"),
        ("I live in Ghent", "We moved to Ghent"),
        ("I live in Ghent", "I'm based in Ghent Belgium"),
        ("I am allergic to cashews", "I'm still very allergic to cashews"),
        ("I live in Ghent", "I don't live in Ghent any more"),
    ],
)
def test_what_is_forgotten_stays_forgotten_in_other_words_and_under_another_key(
    forgotten: str, again: str
) -> None:
    facet = Facet("preference", "by_another_key", forgotten, state="forgotten")
    profile = Profile([facet])
    profile.learn(say(again, "2026-02-01", negated="any more" in again))
    assert profile.facets == {facet.name: facet}


@pytest.mark.parametrize(
    ("forgotten", "other"),
    [
        ("I prefer dark mode", "I prefer light mode"),
        ("I live in Ghent", "I live in Bergen"),
        ("I drink tea", "I never drink tea"),
        ("My gate code is 4711", "My gate code is 4712"),
    ],
)
def test_forgetting_one_thing_does_not_forget_another(forgotten: str, other: str) -> None:
    profile = Profile([Facet("preference", "gone", forgotten, state="forgotten")])
    profile.learn(say(other, "2026-02-01"))
    assert other in [facet.value for facet in profile.facets.values() if facet.current]


def written_by_hand(key: str, value: str, day: str, **others: object) -> Facet:
    at_ms = say(value, day).at_ms
    return Facet("context", key, value, 0.9, 3, at_ms, at_ms, valid_from=day, **others)  # type: ignore[arg-type]


def test_a_newer_statement_ends_what_a_person_wrote_and_an_older_one_does_not() -> None:
    ghent = written_by_hand("home_city", "I live in Ghent", "2026-08-29")
    for day, current in (("2026-12-01", "I moved to Leuven last week."), ("2026-03-01", "I live in Ghent")):
        profile = Profile([ghent])
        profile.learn(say("I moved to Leuven last week.", day))
        assert [facet.value for facet in profile.in_slot("home") if facet.current] == [current]
    profile = Profile([ghent])
    for _ in range(2):
        profile.learn(say("I moved to Leuven last week.", "2026-12-01"))
        old, new = profile.in_slot("home")
        assert old == replace(ghent, valid_until="2026-12-01", superseded_by=new.name)
        assert (new.valid_from, new.valid_until) == ("2026-12-01", "")
    profile.learn(say("I moved to Ghent again", "2027-02-01"))
    assert [facet.value for facet in profile.in_slot("home") if facet.current] == ["I live in Ghent"]
    assert profile.in_slot("home")[0].valid_until == "2027-02-01"


def test_a_repeat_leaves_what_a_person_wrote_and_pinning_keeps_it() -> None:
    ghent = written_by_hand("home_city", "I live in Ghent", "2026-08-29")
    profile = Profile([ghent])
    profile.learn(say("I'm based in Ghent", "2026-12-01"))
    kept = profile.facets[ghent.name]
    assert (kept.value, kept.valid_from, kept.evidence_count) == ("I live in Ghent", "2026-08-29", 4)
    profile = Profile([replace(ghent, state="pinned")])
    profile.learn(say("I moved to Leuven", "2026-12-01"))
    assert [facet.value for facet in profile.in_slot("home") if facet.current] == ["I live in Ghent"]


def test_ending_what_a_person_wrote_adds_its_dates_and_leaves_every_other_byte(tmp_path: Path) -> None:
    note = tmp_path / "profile/context/home_city.md"
    note.parent.mkdir(parents=True)
    mine = (
        "---\nvalue: 'I live in Ghent'  # since the move\nvalid_from: 2026-08-29\nstate: auto\n---\n\nMine.\n"
    )
    note.write_text(mine)
    profile = load_profile(tmp_path)
    profile.learn(say("I moved to Leuven", "2026-12-01"))
    profile.flush(tmp_path)
    lines = note.read_text().splitlines()
    assert [line for line in lines if line not in mine.splitlines()] == [
        'valid_until: "2026-12-01"',
        'superseded_by: "[[profile/context/fact_moved_leuven]]"',
    ]
    assert [line for line in mine.splitlines() if line not in lines] == []
