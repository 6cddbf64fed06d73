from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaultkeeper.vault import frontmatter
from vaultkeeper.vault.frontmatter import frontmatter_span, parse_properties


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("---\na: b\n---\nbody", (4, 9, 13)),
        ("---\n---", (4, 4, 7)),
        ("---  \na: b\n--- \nbody", (6, 11, 16)),
        ("---\na: b\n----\n---\n", (4, 14, 18)),
        ("---\na: b\n ---\n", None),
        ("----\na: b\n---\n", None),
        ("\n---\na: b\n---\n", None),
        ("---\na: b\n...\n", None),
        ("---", None),
        ("---\n", None),
        ("text --- ---", None),
    ],
)
def test_where_it_stands(text: str, span: tuple[int, int, int] | None) -> None:
    assert frontmatter_span(text) == span


def quick(source: str) -> object:
    found = frontmatter._parse_plain(source, 2)
    return None if found is None else (found.state, repr(found.properties), found.strings)


def slow(source: str) -> object:
    found = frontmatter._parse_yaml(source, 2)
    return found.state, repr(found.properties), found.strings


_SCALARS = (
    "a|a b|Yes|true|False|null|~|2026-04-13|12|007|0x1F|0o17|1.5|1e3|5.|-3|.5|12:30|a: b|a:|é|no|on|=|<<|"
    "http://x.y/z?a=1#b|a#c|a #c|x - y|50% off|it's|'q'|'it''s'|\"q\"|\"[[x]]\"|\"a\\n\"|[a, b]|[]|[ a ,b]|"
    "[a, 'b', \"[[c]]\", 1]|[a,]|[a: b]|[a #b]|[a b, c]|[[x]]|{a: b}|{{date}}|@x|`x`|*x|&x|!x|%x|- a|? a|"
    ">|#x|\\x|a\\b|<% x %>|(a)|1234567890123456789|a\tb|a\u2028b|a\xa0b|\u3000|1_000|0b1|1:30|TRUE|.inf|---|"
    "\"a\"b|[a]b|a, b|a]|a}|'a' b|中文"
)
SCALARS = st.sampled_from([*_SCALARS.split("|"), "|", "'[[a|b]]'"])
_LIST_KEYS = ["a", "b", "my key", "tags", "Null", "true", "x-y", "中", "1", "a b"]
_KEYS = ["c", "d", "title", "aliases", "e f", "null", "é", "_x"]
_INDENTS = ["", "  ", "    ", " ", "\t"]
LINES = st.one_of(
    st.sampled_from(_LIST_KEYS).map("{}:".format),
    st.builds("{}: {}{}".format, st.sampled_from(_KEYS), SCALARS, st.sampled_from(["", "", " ", " # c"])),
    st.builds("{}- {}".format, st.sampled_from(_INDENTS), SCALARS),
    st.sampled_from(["", "  ", "# comment", "  more", "- ", "-", "?", "  k: v"]),
)


@settings(max_examples=500, deadline=None)
@given(st.lists(LINES, max_size=6).map("\n".join))
def test_the_short_way_gives_what_the_loader_gives(source: str) -> None:
    found = quick(source)
    assert found is None or found == slow(source)


SAFE_VALUES = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FFFF), max_size=12)


@settings(max_examples=200, deadline=None)
@given(SAFE_VALUES, SAFE_VALUES)
def test_the_short_way_with_any_characters(key: str, value: str) -> None:
    sources = (f"{key}: x\nb: {value}\n", f"a:\n  - {value}\n", f"a: [{value}, {key}]\n", f'a: "{value}"\n')
    for source in (*sources, f"a: '{value}'\n"):
        found = quick(source)
        assert found is None or found == slow(source)


def test_usual_frontmatter_goes_the_short_way() -> None:
    usual = (
        'title: A note (draft)\naliases:\n  - One\n  - "Two: three"\ntags: [a, b/c, 中文]\n'
        "created: 2026-04-13\n"
        'up: "[[Index]]"\nrating: 4.5\ndone: false\nempty:\nurl: https://example.org/a?b=c#d\n标题: 值\n\n'
        "date created: x\n"
    )
    assert quick(usual) == slow(usual)
    assert quick(usual) is not None


def test_core_schema() -> None:
    source = (
        "a: yes\nb: 0o17\nc: 017\nd: 0x1f\ne: 1e2\nf: .5\ng: -.inf\nh: 1_000\n"
        "i: 2026-01-01T10:00\nj: 190:20\nk: '5'\n"
    )
    assert parse_properties(source).properties == {
        "a": "yes",
        "b": 15,
        "c": 17,
        "d": 31,
        "e": 100.0,
        "f": 0.5,
        "g": -math.inf,
        "h": "1_000",
        "i": "2026-01-01T10:00",
        "j": "190:20",
        "k": "5",
    }


@pytest.mark.parametrize(
    ("source", "properties"),
    [
        ("a: |\n  x\n  y\nb: >\n  x\n  y\n", {"a": "x\ny\n", "b": "x y\n"}),
        ("a: &x [1, 2]\nb: *x\n", {"a": [1, 2], "b": [1, 2]}),
        ("<<: {a: 1}\n", {"<<": {"a": 1}}),
        ("a: !!str 5\nb: !!int '6'\nc: !own x\n", {"a": "5", "b": 6, "c": "x"}),
        ("a: x\u2028y\x07\n", {"a": "x\u2028y\x07"}),
        ("title: {{title}}: more\nb: c\n", {"title": {"{ title }": None}, "b": "c"}),
        ("a: [\n  b,\n  c\n]\n", {"a": ["b", "c"]}),
        ("1: a\ntrue: b\n~: c\n[d, e]: f\n", {"1": "a", "true": "b", "": "c", "[ d, e ]": "f"}),
        ("# nothing but a comment\n", {}),
    ],
)
def test_values(source: str, properties: dict[str, object]) -> None:
    assert parse_properties(source).properties == properties


@pytest.mark.parametrize(
    ("source", "code", "line"),
    [
        ("a: b: c", "yaml-invalid", 2),
        ("x: 1\na: - b", "yaml-invalid", 3),
        ('x: 1\na: "b\nc: d', "yaml-invalid", 4),
        ('a: "b\nc: d"', "yaml-invalid", 2),
        ("a: [b,\nc]", "yaml-invalid", 2),
        ("a: @b", "yaml-invalid", 2),
        ("a: %b", "yaml-invalid", 2),
        ("a: *b", "yaml-invalid", 2),
        ("a: [b], [c]", "yaml-invalid", 2),
        ("a: {x: 1, x: 2}", "yaml-duplicate-key", 2),
        ("a: 1\nb: 2\na: 3", "yaml-duplicate-key", 4),
        ("a: {{b}}: c\nd: {{e}}: f", "yaml-invalid", 3),
        ("a: 1\n...\nb: 2", "yaml-invalid", 4),
        ("a:\n\t- b", "yaml-tab", 3),
        ("[" * 200, "yaml-too-deep", 2),
        ("- " * 200, "yaml-too-deep", 2),
        ("{" * 150, "yaml-too-deep", 2),
        ("{" * 20000, "yaml-invalid", 2),
    ],
)
def test_what_is_refused(source: str, code: str, line: int) -> None:
    found = parse_properties(source)
    assert found.state == "invalid"
    assert found.properties == {}
    assert found.error is not None
    assert (found.error.code, found.error.line) == (code, line)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_never_raises(source: str) -> None:
    parse_properties(source)
