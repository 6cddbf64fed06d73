import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vaultkeeper.memory.entities import entity_from_note, read_entity
from vaultkeeper.types import Handle, Note
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.problems import CODES

RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def note(path: str, properties: str = "", body: str = "free notes") -> Note:
    return parse_note(path, f"---\n{properties}\n---\n{body}".encode() if properties else body.encode())


WHOLE = """id: person:mara
kind: person
display_name: Mara Lindqvist
aliases: [Mara, M, mara]
emails:
  - mara@x.org
handles:
  - kind: github
    value: mara_l
created_at: "2026-01-01T00:00:00Z"
updated_at: 2026-01-02T00:00:00Z
merged_ids: [old-mara, "person:maria"]
favourite: tea"""


def test_a_whole_note():
    entity, problems = read_entity(note("entities/person/x.md", WHOLE))
    assert problems == []
    assert entity.id == "person:mara"
    assert entity.display_name == "Mara Lindqvist"
    assert entity.aliases == ["Mara", "M"]
    assert entity.emails == ["mara@x.org"]
    assert entity.handles == [Handle("github", "mara_l")]
    assert (entity.created_at, entity.updated_at) == ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")
    assert entity.merged_ids == ["person:old-mara", "person:maria"]


@pytest.mark.parametrize(
    ("path", "properties", "expected"),
    [
        ("entities/person/Mara L.md", "", "person:mara l"),
        ("entities/person/person_mara.md", "", "person:mara"),
        ("entities/person/x.md", "display_name: Mara", "person:mara"),
        ("entities/people/x.md", "aliases: [y]", "person:x"),
        ("entities/person/deep/x.md", "", "person:x"),
        ("entities/x.md", "kind: person", "person:x"),
        ("entities/x.md", "id: topic:y", "topic:y"),
        ("entities/x.md", "aliases: [y]", None),
        ("entities/person/broken.md", "a: b: c", "person:broken"),
        ("entities/person/x.md", "id: 007", "person:7"),
        ("entities/person/x.md", 'id: "007"', "person:007"),
        ("entities/person/x.md", "id: 2026-04-13", "person:2026-04-13"),
        ("entities/person/x.md", "id: '@Mara'", "person:mara"),
        ("People/Mara.md", "kind: person", "person:mara"),
        ("Mara.md", "kind: Person", "person:mara"),
        ("Mara.md", "Kind: person\nID: person:m", "person:m"),
        ("Meeting.md", "kind: event", None),
        ("Launch.md", "kind: event\naliases: [the launch]", "event:launch"),
        ("Launch.md", "kind: event\nid: event:launch-1", "event:launch-1"),
        ("a.md", "kind: summary", None),
        ("a.md", "kind: document\nid: person:x", None),
        ("a.md", "kind: people", None),
        ("a.md", "kind: [person]", None),
        ("a.md", "id: person:x", None),
        ("a.md", "", None),
        ("wiki/summaries/source-x/L1/a.md", "kind: person", None),
        ("episodic/s/000001.md", "kind: person", None),
        ("Templates/Person.md", "kind: person", None),
        ("05 - Templates/Person.md", "kind: person", None),
        ("entities/person/README.md", "", None),
        ("a.md", "kind: person\ndisplay_name: '{{title}}'", None),
    ],
)
def test_which_notes_declare_an_entity(path, properties, expected):
    entity = entity_from_note(note(path, properties))
    assert (entity and entity.id) == expected


@pytest.mark.parametrize(
    ("path", "properties", "expected"),
    [
        ("People/Mara.md", "", "person:mara"),
        ("People/Family/Mara.md", "", "person:mara"),
        ("People/Firms/Acme.md", "", "organization:acme"),
        ("People/Mara.md", "kind: document", None),
        ("People/Mara.md", "kind: location", "location:mara"),
        ("People/People.md", "", None),
        ("People/Mara/Mara.md", "", "person:mara"),
        ("Peoples/Mara.md", "", None),
    ],
)
def test_folders_can_be_mapped(path, properties, expected):
    entity = entity_from_note(note(path, properties), {"People/": "person", "/People/Firms": "organization"})
    assert (entity and entity.id) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("[{kind: GitHub, value: '@mara'}]", [Handle("github", "mara")]),
        ("[{github: mara}, {mail: x}]", [Handle("github", "mara"), Handle("mail", "x")]),
        ("{github: mara}", [Handle("github", "mara")]),
        ("'github:mara'", [Handle("github", "mara")]),
        ("['@mara', mara, 'x#1234']", [Handle("handle", "mara"), Handle("handle", "x#1234")]),
        ("[{value: 7}]", [Handle("handle", "7")]),
        ("", []),
    ],
)
def test_handles_in_all_the_ways_people_write_them(value, expected):
    entity, problems = read_entity(note("entities/person/x.md", f"handles: {value}"))
    assert entity.handles == expected
    assert problems == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a@x.org", ["a@x.org"]),
        ("a@x.org, b@y.org", ["a@x.org", "b@y.org"]),
        ("[a@x.org, A@X.org, 'mailto:b@y.org', '<c@z.org>']", ["a@x.org", "b@y.org", "c@z.org"]),
    ],
)
def test_emails_as_text_or_list(value, expected):
    assert entity_from_note(note("entities/person/x.md", f"emails: {value}")).emails == expected


def test_numbers_and_dates_are_text():
    entity, problems = read_entity(
        note("entities/person/x.md", "display_name: 1984\naliases: [7, 2026-01-01, 1.5]")
    )
    assert entity.display_name == "1984"
    assert entity.aliases == ["7", "2026-01-01", "1.5"]
    assert problems == []


@pytest.mark.parametrize(
    ("path", "properties", "code", "line"),
    [
        ("entities/starship/x.md", "a: 1", "entity-kind-unknown", None),
        ("entities/person/x.md", "a: 1\nkind: starship\nid: topic:x", "entity-kind-mismatch", 4),
        ("entities/person/x.md", "id: [a]", "entity-id-invalid", 2),
        ("entities/person/x.md", "id: '@#'", "entity-id-invalid", 2),
        ("entities/person/x.md", "id: 'person:'", None, None),
        ("entities/person/x.md", "aliases: [{a: b}]", "entity-field-invalid", 2),
        ("entities/person/x.md", "aliases: [true]", "entity-field-invalid", 2),
        ("entities/person/x.md", "display_name: [a]", "entity-field-invalid", 2),
        ("entities/person/x.md", "b: 1\nemails: [nobody]", "entity-email-invalid", 3),
        ("entities/person/x.md", "handles: [[]]\n", None, None),
        ("entities/person/x.md", "handles: [{kind: a, value: }]", "entity-field-invalid", 2),
    ],
)
def test_bad_values_are_problems_and_never_errors(path, properties, code, line):
    parsed = note(path, properties)
    entity = entity_from_note(parsed)
    assert entity is not None
    problems = [problem for problem in parsed.problems if problem.code.startswith("entity-")]
    assert [problem.code for problem in problems] == ([code] if code else [])
    if code:
        assert code in CODES
        assert problems[0].line == line
        assert problems[0].path == path
    entity_from_note(parsed)
    assert len([problem for problem in parsed.problems if problem.code.startswith("entity-")]) == len(
        problems
    )


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["id", "kind", "display_name", "aliases", "emails", "email", "handles", "merged_ids", "created_at"]
)


@RELAXED
@given(
    st.dictionaries(KEYS, VALUES),
    st.sampled_from(["entities/person/x.md", "entities/x.md", "People/x.md", "x.md"]),
)
def test_no_properties_whatever_raise(properties, path):
    entity, problems = read_entity(Note(path, "", b"", properties=properties), {"People": "person"})
    if entity is not None:
        assert entity.id.startswith(entity.kind + ":")
        assert entity.id != entity.kind + ":"
        assert all(
            isinstance(text, str) and text for text in [entity.display_name, *entity.aliases, *entity.emails]
        )
    assert all(problem.code in CODES for problem in problems)
