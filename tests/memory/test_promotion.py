from dataclasses import replace

from vaultkeeper.memory.facets import Facet, value_mark
from vaultkeeper.memory.profile import Profile
from vaultkeeper.memory.promotion import MOST_AT_ONCE, Entry, find_entries


def facet(
    key: str,
    value: str,
    count: int = 3,
    segments: tuple[str, ...] = ("a/000000", "b/000000"),
    kind: str = "context",
) -> Facet:
    return Facet(
        kind, key, value, 0.6, count, 1, 2, segments, valid_from="2026-01-01", written=value_mark(value)
    )


CONFIRMED = facet("dutch", "I speak Dutch")


def test_what_was_said_often_in_several_conversations_is_promoted() -> None:
    assert find_entries(Profile([CONFIRMED])) == [Entry("fact", "I speak Dutch", "context/dutch")]
    assert find_entries(Profile([facet("x", "I prefer tea", kind="preference")]))[0].category == "preference"


def test_what_is_not_confirmed_is_not() -> None:
    for worse in (
        replace(CONFIRMED, evidence_count=2),
        replace(CONFIRMED, segments=("a/000000", "a/000020", "a/000040")),
        replace(CONFIRMED, confidence=0.5),
        replace(CONFIRMED, promoted=True),
        replace(CONFIRMED, state="forgotten"),
        replace(CONFIRMED, superseded_by="context/x"),
        replace(CONFIRMED, valid_until="2026-02-01"),
        replace(CONFIRMED, negated=True),
    ):
        assert find_entries(Profile([worse])) == []


def test_once_is_enough_where_the_setting_says_so() -> None:
    once = replace(CONFIRMED, evidence_count=1, segments=("a/000000",))
    assert find_entries(Profile([once]), confirmed_only=False)


def test_what_a_person_pinned_is_promoted_at_once_and_first() -> None:
    pinned = replace(facet("tea", "I drink tea", 1, ()), state="pinned", first_ms=9)
    assert [entry.facet for entry in find_entries(Profile([CONFIRMED, pinned]))] == [
        "context/tea",
        "context/dutch",
    ]


def test_a_line_that_is_no_longer_true_gets_its_successor() -> None:
    old = replace(
        facet("old", "I live in Utrecht."),
        promoted=True,
        superseded_by="context/new",
        valid_until="2026-08-29",
    )
    new = replace(facet("new", "I moved to Ghent.", 1, ("c/000000",)), valid_from="2026-08-29")
    (entry,) = find_entries(Profile([old, new]))
    assert entry.text == "I moved to Ghent (since 2026-08-29; no longer: I live in Utrecht)"


def test_a_few_at_a_time_and_short() -> None:
    many = [facet(f"f{n}", f"I know fact {n} " + "word " * 90) for n in range(9)]
    entries = find_entries(Profile(many))
    assert len(entries) == MOST_AT_ONCE
    assert all(len(entry.text) <= 240 for entry in entries)
