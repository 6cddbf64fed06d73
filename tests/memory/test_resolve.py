import random

import pytest

from vaultkeeper.memory.registry import Registry
from vaultkeeper.memory.resolve import MARGIN, THRESHOLD, resolve
from vaultkeeper.types import Entity, Handle


def entity(name: str, *aliases: str, kind: str = "person", emails=(), handles=()) -> Entity:
    return Entity(
        f"{kind}:{name.lower()}",
        kind,
        name,
        f"entities/{kind}/x.md",
        list(aliases),
        list(emails),
        list(handles),
    )


REGISTRY = Registry(
    [
        entity("Mara Lindqvist", "Mara", emails=["mara.l@x.org"], handles=[Handle("github", "lindq")]),
        entity("Robert Smith"),
        entity("Jonas Weber"),
        entity("Johanna Weber"),
        entity("Zoë Müller"),
        entity("王小明"),
        entity("张伟", "老张"),
        entity("Acme Industries", kind="organization"),
        entity("Acme Institute", kind="organization"),
        entity("Kestrel LX", "the Kestrel", kind="product"),
        entity("Ann Lee"),
        entity("Anna Leeds"),
    ]
)


@pytest.mark.parametrize(
    "name", ["mara", "MARA LINDQVIST", "person:mara lindqvist", "mara.l@x.org", "@lindq", "老张"]
)
def test_exact(name):
    found = resolve(REGISTRY, name)
    assert found.status == "exact"
    assert found.score == 1.0
    assert found.entity is found.candidates[0].entity


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Mara Lindquist", "person:mara lindqvist"),
        ("Lindqvist", "person:mara lindqvist"),
        ("Lindquist", "person:mara lindqvist"),
        ("M. Lindqvist", "person:mara lindqvist"),
        ("Lindqvist, Mara", "person:mara lindqvist"),
        ("Dr. Mara Lindqvist", "person:mara lindqvist"),
        ("mara.l", "person:mara lindqvist"),
        ("mara.lindqvist@gmail.com", "person:mara lindqvist"),
        ("Bob Smith", "person:robert smith"),
        ("Rob", "person:robert smith"),
        ("Zoe Muller", "person:zoë müller"),
        ("Jonas Webber", "person:jonas weber"),
        ("小明", "person:王小明"),
        ("Kestrel", "product:kestrel lx"),
        ("kestrel-lx", "product:kestrel lx"),
    ],
)
def test_guesses_that_are_clear(name, expected):
    found = resolve(REGISTRY, name)
    assert (found.status, found.entity and found.entity.id) == ("fuzzy", expected), found.candidates
    assert THRESHOLD <= found.score < 1


@pytest.mark.parametrize("name", ["Weber", "J. Weber", "Acme", "Acme Inst", "Ann Leed"])
def test_never_a_guess_between_two_that_are_close(name):
    found = resolve(REGISTRY, name)
    assert found.entity is None, found.candidates
    if found.status == "ambiguous":
        assert found.candidates[0].score - found.candidates[1].score < MARGIN
    assert len(found.candidates) >= 2


@pytest.mark.parametrize(
    "name", ["", "   ", "!!", "Xerxes", "ML", "Mark", "李四", "Mara Chen", "Smithsonian"]
)
def test_nothing_is_better_than_something_wrong(name):
    found = resolve(REGISTRY, name)
    assert found.entity is None
    assert found.status == "none", found.candidates


def test_a_shared_exact_name_is_ambiguous_until_the_kind_decides():
    registry = Registry([entity("Lund", kind="location"), entity("Lund")])
    assert resolve(registry, "lund").status == "ambiguous"
    assert [candidate.entity.kind for candidate in resolve(registry, "lund").candidates] == [
        "location",
        "person",
    ]
    assert resolve(registry, "lund", "person").entity.kind == "person"


def test_an_initial_alone_is_no_part_of_a_name():
    assert resolve(Registry([entity("Somebody", handles=[Handle("x", "mara.l")])]), "Lin").status == "none"


def test_limit_and_order_of_candidates():
    registry = Registry([entity(f"Weber {name}") for name in ("Ada", "Bea", "Cem", "Dov", "Eva", "Fay")])
    found = resolve(registry, "Weber", limit=3)
    assert [candidate.entity.display_name for candidate in found.candidates] == [
        "Weber Ada",
        "Weber Bea",
        "Weber Cem",
    ]


def test_the_answer_does_not_depend_on_the_order_of_notes():
    entities = list(REGISTRY)
    expected = resolve(REGISTRY, "webr")
    for seed in range(5):
        random.Random(seed).shuffle(entities)
        assert resolve(Registry(entities), "webr") == expected


def test_an_empty_registry():
    assert resolve(Registry([]), "x").status == "none"
