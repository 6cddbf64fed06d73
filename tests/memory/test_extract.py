from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vaultkeeper.memory.extract import extract
from vaultkeeper.memory.gazetteer import Gazetteer
from vaultkeeper.types import Entity, Handle

RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

MARA = Entity(
    "person:mara", "person", "Mara Lindqvist", "People/Mara Lindqvist.md", ["Mara"], ["mara@x.org"], [Handle("x", "ml")]
)  # fmt: skip
JONAS = Entity("person:jonas", "person", "Jonas", "entities/person/jonas.md")
KEEPER = Entity(
    "product:keeper", "product", "Vaultkeeper", "entities/product/vaultkeeper.md", ["vault keeper"]
)
WEI = Entity("person:张伟", "person", "张伟", "entities/person/w.md")
GAZETTEER = Gazetteer([MARA, JONAS, KEEPER, WEI])


def found(text: str, links=()) -> list[tuple[str, str]]:
    mentions = extract(text, GAZETTEER, links)
    for mention in mentions:
        assert text[mention.start : mention.end] == mention.surface
        assert mention.kind == mention.entity_id.partition(":")[0]
    return [(mention.entity_id, mention.surface) for mention in mentions]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mara wrote to mara@x.org", [("person:mara", "Mara"), ("person:mara", "mara@x.org")]),
        ("ask @ML or @jo", [("person:mara", "@ML"), ("handle:jo", "@jo")]),
        ("mara@other.org", [("email:mara@other.org", "mara@other.org")]),
        ("https://x.org/Mara/Jonas", [("url:https://x.org/Mara/Jonas", "https://x.org/Mara/Jonas")]),
        (
            "#vault-keeper",
            [
                ("hashtag:vault-keeper", "#vault-keeper"),
                ("topic:vault-keeper", "#vault-keeper"),
                ("product:keeper", "vault-keeper"),
            ],
        ),
        ("#mara-plan", [("hashtag:mara-plan", "#mara-plan"), ("topic:mara-plan", "#mara-plan")]),
        ("@Jonas", [("handle:jonas", "@Jonas"), ("person:jonas", "Jonas")]),
        ("@Jonas_k", [("handle:jonas_k", "@Jonas_k")]),
        ("@张伟你好", [("handle:张伟你好", "@张伟你好"), ("person:张伟", "张伟")]),
        ("nothing here", []),
    ],
)
def test_merging(text, expected):
    assert found(text) == expected


def test_a_link_is_a_mention_whatever_its_label():
    text = "with [[Mara Lindqvist|M]] and [[People/Mara Lindqvist#Jonas]] and ![[w]] and [Jonas too](w.md)"
    links = [
        (5, MARA.path),
        (text.index("[[People"), MARA.path),
        (text.index("![[w"), WEI.path),
        (text.index("[Jonas"), WEI.path),
    ]
    assert found(text, links) == [
        ("person:mara", "M"),
        ("person:mara", "People/Mara Lindqvist#Jonas"),
        ("person:张伟", "w"),
        ("person:张伟", "Jonas too"),
    ]


def test_a_link_to_another_note_is_read_as_text():
    assert found("[[2026-03-01 with Mara|the day]]", [(0, "2026-03-01 with Mara.md")]) == [
        ("person:mara", "Mara")
    ]
    assert found("[[Mara]] is unresolved") == [("person:mara", "Mara")]


def test_links_that_do_not_stand_there_are_left_out():
    assert found("Mara", [(0, MARA.path), (99, MARA.path)]) == [("person:mara", "Mara")]


def test_a_link_without_a_name_mentions_nobody():
    assert found("keeperkeeper[[]]", [(12, MARA.path)]) == []


@RELAXED
@given(
    st.lists(
        st.sampled_from(
            ["Mara", "Lindqvist", "[[", "]]", "|", "@", "#", "ml", "mara@x.org", "张伟", " ", "http://x.org/", "\n",
             "Jonas", "İ", "e\u0301", "vault", "keeper", "-", "_", "'s"]
        ),
        max_size=12,
    ),
    st.lists(st.tuples(st.integers(0, 30), st.sampled_from([MARA.path, JONAS.path, "x.md"])), max_size=3),
)  # fmt: skip
def test_order_and_overlaps(parts, links):
    text = "".join(parts)
    mentions = extract(text, GAZETTEER, links)
    keys = [(m.start, m.start - m.end, m.entity_id) for m in mentions]
    assert keys == sorted(set(keys))
    for mention in mentions:
        assert text[mention.start : mention.end] == mention.surface != ""
    for left, right in pairwise(mentions):
        nested = left.kind in ("hashtag", "topic", "handle")
        assert right.start >= left.end or (left[3:] == right[3:]) or nested
