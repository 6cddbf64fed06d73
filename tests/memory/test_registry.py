import pytest

from vaultkeeper.memory.registry import Registry
from vaultkeeper.types import Entity, Handle

MARA = Entity(
    "person:mara", "person", "Mara Lindqvist", "entities/person/mara.md", ["Mara", "Máu"], ["Mara@Lindqvist.se"],
    [Handle("github", "mara_l")], merged_ids=["person:old mara"],
)  # fmt: skip
CHEN = Entity("person:chen", "person", "Mara Chen", "People/Mara Chen.md", ["Mara"])
LUND = Entity("location:lund", "location", "Lund", "entities/location/lund.md", ["mara@lindqvist.se"])


@pytest.mark.parametrize(
    "needle", ["mara lindqvist", " MARA  Lindqvist ", "MARA@lindqvist.SE", "mara_l", "@Mara_L", "Ma\u0301u"]
)
def test_lookup_alias_finds_by_alias_email_handle_or_name(needle):
    assert Registry([MARA]).lookup_alias("person", needle) is MARA
    assert Registry([MARA]).lookup_alias(None, needle) is MARA
    assert Registry([MARA]).lookup_alias("organization", needle) is None


def test_lookup_is_exact():
    registry = Registry([MARA])
    assert registry.lookup_alias(None, "Mar") is None
    assert registry.lookup_alias(None, "") is None


def test_the_first_by_id_whatever_the_order():
    assert Registry([MARA, CHEN]).lookup_alias("person", "mara") is CHEN
    assert Registry([CHEN, MARA]).lookup_alias("person", "mara") is CHEN
    assert Registry([CHEN, MARA]).find_named("mara") == (CHEN, MARA)


def test_ids_are_found_in_any_case_and_after_a_merge():
    registry = Registry([MARA, LUND])
    assert registry.find("Person:MARA") is MARA
    assert registry.find("person:old mara") is MARA
    assert registry.find("mara") is None
    assert registry.find("person:nobody") is None


def test_list_by_kind():
    registry = Registry([MARA, LUND, CHEN])
    assert [entity.id for entity in registry.entities_of("person")] == ["person:chen", "person:mara"]
    assert len(registry.entities_of()) == len(registry) == 3


def test_shared_names_and_ids_are_problems_at_each_note():
    twin = Entity("person:mara", "person", "Somebody", "entities/person/twin.md")
    problems = Registry([MARA, CHEN, LUND, twin]).problems()
    assert [(problem.path, problem.code) for problem in problems] == [
        ("People/Mara Chen.md", "entity-name-ambiguous"),
        ("entities/location/lund.md", "entity-name-ambiguous"),
        ("entities/person/mara.md", "entity-name-ambiguous"),
        ("entities/person/mara.md", "entity-name-ambiguous"),
        ("entities/person/twin.md", "entity-id-duplicate"),
    ]
    assert "People/Mara Chen.md" in problems[3].message or "People/Mara Chen.md" in problems[2].message
    assert Registry([MARA, LUND.__class__("location:x", "location", "X", "x.md")]).problems() == []
