import pytest

from vaultkeeper.errors import UnreadableNoteError
from vaultkeeper.vault.splice import (
    append_items,
    keep_properties,
    read_properties,
    remove_items,
    replace_frontmatter,
    set_property,
)

APPEND = """
missing key
---
id: x
---
body
===
---
id: x
aliases:
  - P
---
body
###
no frontmatter
# Title
===
---
aliases:
  - P
---
# Title
###
empty file
===
---
aliases:
  - P
---
###
empty frontmatter
---
---
===
---
aliases:
  - P
---
###
a list with an indent, a comment and a sibling
---
aliases: # mine
    - M   # first
    # between
    - "L"
    # behind
kind: person
---
===
---
aliases: # mine
    - M   # first
    # between
    - "L"
    - P
    # behind
kind: person
---
###
a list without an indent
---
aliases:
- M
kind: person
---
===
---
aliases:
- M
- P
kind: person
---
###
brackets
---
aliases: [ M, 'L' ] # two
---
===
---
aliases: [ M, 'L', P ] # two
---
###
empty brackets
---
aliases: []
---
===
---
aliases: [P]
---
###
brackets over lines, with a comma at the end
---
aliases: [
  M, # one
  L,
]
---
===
---
aliases: [
  M, # one
  L, P,
]
---
###
nothing yet
---
aliases:
kind: person
---
===
---
aliases:
  - P
kind: person
---
###
nothing yet with a comment
---
aliases: # later
kind: person
---
===
---
aliases: # later
  - P
kind: person
---
###
null
---
aliases: ~ # later
---
===
---
aliases: [P] # later
---
###
one value
---
aliases: Mara of Lund
---
===
---
aliases: [Mara of Lund, P]
---
###
one value with a comma
---
aliases: Lund, Mara
---
===
---
aliases: ["Lund, Mara", P]
---
###
one number
---
Aliases: 7
---
===
---
Aliases: [7, P]
---
###
a block text last
---
aliases:
  - |
    two
    lines

kind: person
---
===
---
aliases:
  - |
    two
    lines

  - P
kind: person
---
###
mappings in the list
---
aliases:
  - M
  - a: 1
    b:
      c: 2
---
===
---
aliases:
  - M
  - a: 1
    b:
      c: 2
  - P
---
###
an empty item last
---
aliases:
  - M
  -
---
===
---
aliases:
  - M
  -
  - P
---
###
indented keys
---
  id: x
---
===
---
  id: x
  aliases:
    - P
---
###
fence at the end of the file
---
id: x
---
===
---
id: x
aliases:
  - P
---
"""


def cases(table: str):
    for case in table.strip("\n").split("\n###\n"):
        title, _, rest = case.partition("\n")
        before, _, after = rest.partition("===\n")
        yield pytest.param(before, after if after.endswith("\n") else after + "\n", id=title)


@pytest.mark.parametrize(("before", "after"), list(cases(APPEND)))
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_append_changes_only_what_it_must(before, after, newline, mark):
    if not before and newline == "\r\n":
        newline = "\n"
    old = mark + before.replace("\n", newline).encode()
    new = append_items(old, "aliases", ["P"])
    assert new == mark + after.replace("\n", newline).encode()


def test_a_missing_last_line_end_stays_missing():
    assert append_items(b"---\nid: x\n---", "a", ["P"]) == b"---\nid: x\na:\n  - P\n---"
    assert append_items(b"no end", "a", ["P"]) == b"---\na:\n  - P\n---\nno end"


def test_handles_are_appended_in_the_style_that_is_there():
    handle = {"kind": "github", "value": "mara"}
    block = b"---\nhandles:\n  - kind: mail\n    value: x\nz: 1\n---\n"
    assert append_items(block, "handles", [handle]) == (
        b"---\nhandles:\n  - kind: mail\n    value: x\n  - kind: github\n    value: mara\nz: 1\n---\n"
    )
    flow = b"---\nhandles: [{kind: a, value: b}]\n---\n"
    assert append_items(flow, "handles", [handle]) == (
        b"---\nhandles: [{kind: a, value: b}, {kind: github, value: mara}]\n---\n"
    )
    assert read_properties(append_items(b"", "handles", [handle])) == {"handles": [handle]}


REMOVE = """
block
---
aliases:
  # about M
  - M # gone
  - L
kind: person
---
===
---
aliases:
  # about M
  - L
kind: person
---
###
the last one
---
aliases: # mine
- M
kind: person
---
===
---
aliases: [] # mine
kind: person
---
###
first in brackets
---
aliases: [M, L , K]
---
===
---
aliases: [L , K]
---
###
last in brackets
---
aliases: [L, M ]
---
===
---
aliases: [L ]
---
###
only one in brackets
---
aliases: [ "M" ]
---
===
---
aliases: [  ]
---
###
several
---
aliases: [M, L, M, M]
---
===
---
aliases: [L]
---
###
a single value
---
aliases: M # x
---
===
---
aliases: [] # x
---
###
several lines
---
aliases:
  - "M"
  - L
  - 'M'
---
===
---
aliases:
  - L
---
###
nothing to remove
---
aliases: [L]
---
===
---
aliases: [L]
---
"""


@pytest.mark.parametrize(("before", "after"), list(cases(REMOVE)))
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_remove_changes_only_what_it_must(before, after, newline):
    old = before.replace("\n", newline).encode()
    assert remove_items(old, "aliases", lambda value: value == "M") == after.replace("\n", newline).encode()


def test_a_mapping_in_a_list_goes_with_all_its_lines():
    old = b"---\nhandles:\n  - kind: a\n    value: b\n  -\n    kind: c\n    value: d\n  - e\n---\n"
    assert (
        remove_items(old, "handles", lambda value: isinstance(value, dict)) == b"---\nhandles:\n  - e\n---\n"
    )


SET = """
replace
---
updated_at: 2024 # x
---
===
---
updated_at: v # x
---
###
double quotes stay
---
updated_at: "old"
a: 1
---
===
---
updated_at: "v"
a: 1
---
###
single quotes stay
---
updated_at: 'old'
---
===
---
updated_at: 'v'
---
###
empty
---
updated_at: # x
---
===
---
updated_at: v # x
---
###
block text
---
updated_at: |
  a
  b
z: 1
---
===
---
updated_at: v
z: 1
---
###
missing
---
z: 1
# the end
---
===
---
z: 1
# the end
updated_at: v
---
"""


@pytest.mark.parametrize(("before", "after"), list(cases(SET)))
def test_set_changes_only_the_value(before, after):
    assert set_property(before.encode(), "updated_at", "v") == after.encode()


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("2026-04-13", '"2026-04-13"'),
        ("2026-04-13T10:00:00Z", '"2026-04-13T10:00:00Z"'),
        ("Yes", '"Yes"'),
        ("y", '"y"'),
        ("007", '"007"'),
        ("~", '"~"'),
        ("", '""'),
        (" x", '" x"'),
        ("a: b", '"a: b"'),
        ("a #b", '"a #b"'),
        ("@mara", '"@mara"'),
        ("mara@x.org", "mara@x.org"),
        ("O'Brien", '"O\'Brien"'),
        ("张伟", "张伟"),
        ("Lund, Mara", '"Lund, Mara"'),
        ("a\nb\\", '"a\\nb\\\\"'),
        (7, "7"),
        (True, "true"),
        (None, "null"),
    ],
)
def test_values_are_quoted_when_they_could_be_taken_for_something_else(value, written):
    assert set_property(b"", "k", value) == f"---\nk: {written}\n---\n".encode()


def test_the_same_value_changes_nothing():
    note = b"---\nk:   'v'   # c\n---\n"
    assert set_property(note, "k", "v") is note


@pytest.mark.parametrize(
    "note",
    [
        b"---\na: b: c\n---\n",
        b"---\naliases: [x\n---\n",
        b"---\nnever closed\n",
        b"---\na: 1\na: 2\n---\n",
        b"---\n- a list\n---\n",
        b"---\njust text\n---\n",
        b"---\n{a: 1}\n---\n",
        b"---\naliases:\n\t- x\n---\n",
        b"---\nbase: &b [x]\naliases: *b\n---\n",
        b"---\naliases: {a: b}\n---\n",
        b"---\na: \xff\n---\n",
        "---\na: 1\n---\n".encode("utf-16"),
        b"---\x00\n---\n",
    ],
)
def test_what_cannot_be_edited_safely_is_refused(note):
    with pytest.raises(UnreadableNoteError):
        append_items(note, "aliases", ["P"])


def test_bytes_of_the_body_need_not_be_text():
    body = b"---\nid: x\n---\ncaf\xe9 \xff\r\nmixed\n"
    assert append_items(body, "a", ["P"]) == b"---\nid: x\na:\n  - P\n---\ncaf\xe9 \xff\r\nmixed\n"


def test_another_frontmatter_leaves_the_body_as_it_is():
    note = b"\xef\xbb\xbf---\r\nid: x\r\n---\r\n\r\nCaf\xe9\n"
    other = b"---\nid: y\nlevel: 1\n---\nNot this.\n"
    assert replace_frontmatter(note, other) == b"\xef\xbb\xbf---\r\nid: y\r\nlevel: 1\r\n---\r\n\r\nCaf\xe9\n"
    with pytest.raises(UnreadableNoteError):
        replace_frontmatter(b"no frontmatter", other)


def test_properties_of_an_older_version_are_kept_as_they_are_written():
    old = b"---\nid: x\n# mine\nMine: [1,  2] # so\nlevel: 1\nmore: |\n  a\n  b\n---\nbody\n"
    new = b"---\r\nid: y\r\nlevel: 2\r\n---\r\nother\r\n"
    kept = keep_properties(new, old, {"id", "level"})
    assert kept == (
        b"---\r\nid: y\r\nlevel: 2\r\n# mine\r\nMine: [1,  2] # so\r\nmore: |\r\n  a\r\n  b\r\n---\r\nother\r\n"
    )
    assert keep_properties(new, b"no frontmatter", set()) == new
    with pytest.raises(UnreadableNoteError):
        keep_properties(new, b"---\nid: &a [1]\nMine: *a\n---\n", {"id"})
