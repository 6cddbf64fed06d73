"""A splice changes one property as wanted and not one byte elsewhere, whatever the frontmatter looks like."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vaultkeeper.errors import UnreadableNoteError
from vaultkeeper.vault.frontmatter import parse_properties
from vaultkeeper.vault.splice import append_items, read_properties, remove_items, set_property
from vaultkeeper.vault.yaml_text import render_scalar

RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
WORDS = st.sampled_from(
    ["Mara", "M", "7", "yes", "2026-04-13", "a b", "张伟", "x: y", "O'Brien", "a, b", "#t", "", "é"]
)
ANY_TEXT = st.one_of(WORDS, st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
COMMENT = st.sampled_from(["", "", " # c", "   # - x: y"])
FILLER = st.sampled_from([[], [], ["# - note"], [""], ["", "  # deep"]])


@st.composite
def scalars(draw) -> str:
    word = draw(WORDS)
    style = draw(st.sampled_from(["auto", "'", '"', "plain"]))
    if style == "plain":
        return draw(st.sampled_from(["Mara", "7", "yes", "2026-04-13", "a b, c", "~", "http://x.org/#a"]))
    return render_scalar(word, "" if style == "auto" else style)


@st.composite
def values(draw, column: int) -> list[str]:
    """What follows a key and its colon, as lines."""
    style = draw(
        st.sampled_from(["scalar", "empty", "flow", "wide flow", "block", "handles", "text", "mapping"])
    )
    items = draw(st.lists(scalars(), max_size=4))
    comment = draw(COMMENT)
    pad = " " * (column + draw(st.sampled_from([0, 2, 4])))
    deep = " " * (column + 2)
    if style == "scalar":
        return [" " + draw(scalars()) + comment]
    if style == "flow":
        gap = draw(st.sampled_from(["", " "]))
        flow = [item for item in items if item[0] in "'\"" or not set(item) & set(",[]{}")]
        return [f" [{gap}{(',' + gap).join(flow)}{gap}]{comment}"]
    if style == "wide flow" and items:
        flow = [item for item in items if item[0] in "'\"" or not set(item) & set(",[]{}")]
        return [" [" + comment, *[f"{deep}{item},{draw(COMMENT)}" for item in flow], f"{deep}]"]
    if style == "block" and items:
        lines = [comment]
        for item in items:
            gap = draw(st.sampled_from([" ", "   "]))
            lines += [pad + "-" + gap + item + draw(COMMENT), *draw(FILLER)]
        return lines
    if style == "handles":
        return [
            comment,
            f"{pad}- kind: a",
            f"{pad}  value: b{draw(COMMENT)}",
            f"{pad}- {{kind: c, value: d}}",
        ]
    if style == "text":
        mark = draw(st.sampled_from(["|", ">", "|-", "|+"]))
        return [" " + mark, f"{deep}first line", "", f"{deep}second # line"]
    if style == "mapping":
        return [comment, f"{deep}inner: [1, 2]", f"{deep}other: x"]
    return [comment]


@st.composite
def notes(draw) -> tuple[bytes, str, bytes, bytes]:
    """A note, one of its keys (or a new one), and the bytes before and behind that property."""
    newline = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    mark = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"]))
    column = draw(st.sampled_from([0, 0, 0, 2]))
    keys = draw(
        st.lists(st.sampled_from(["id", "aliases", "Tags", "two words", "é"]), unique=True, max_size=4)
    )
    parts: list[list[str]] = []
    for key in keys:
        first, *more = draw(values(column))
        parts.append([" " * column + key + ":" + first, *more, *draw(FILLER)])
    body = draw(st.sampled_from(["", "# T\n\ntext\n", "no end", "---\nk: v\n---\n", "caf\r\nx\n"]))
    key = draw(st.sampled_from(["aliases", *keys]))

    def encode(lines: list[str]) -> bytes:
        return "".join(line + newline for line in lines).encode()

    opening, closing = mark + b"---" + newline.encode(), b"---" + newline.encode() + body.encode()
    chunks = [encode(part) for part in parts]
    where = keys.index(key) if key in keys else len(keys)
    before = opening + b"".join(chunks[:where])
    behind = b"".join(chunks[where + 1 :]) + closing
    return opening + b"".join(chunks) + closing, key, before, behind


def check(note: tuple[bytes, str, bytes, bytes], new: bytes, wanted: object) -> None:
    data, key, before, behind = note
    assert new.startswith(before)
    assert new.endswith(behind)
    old_properties, new_properties = read_properties(data), read_properties(new)
    assert new_properties.pop(key) == wanted
    old_properties.pop(key, None)
    assert repr(new_properties) == repr(old_properties)


def as_list(value: object) -> list[object] | None:
    if value is None or value == "":
        return []
    if isinstance(value, dict):
        return None
    return value if isinstance(value, list) else [value]


@settings(RELAXED, max_examples=150)
@given(notes(), st.lists(ANY_TEXT, min_size=1, max_size=3))
def test_append(note, items):
    data, key, _, _ = note
    have = as_list(read_properties(data).get(key))
    try:
        new = append_items(data, key, items)
    except UnreadableNoteError:
        assert have is None
        return
    assert have is not None
    check(note, new, have + items)


@settings(RELAXED, max_examples=150)
@given(notes(), st.sets(st.integers(0, 4)))
def test_remove(note, doomed):
    data, key, _, _ = note
    value = read_properties(data).get(key)
    if isinstance(value, dict) or value is None:
        return
    have = value if isinstance(value, list) else [value]
    goes = [repr(item) for number, item in enumerate(have) if number in doomed]
    new = remove_items(data, key, lambda item: repr(item) in goes)
    if not goes:
        assert new is data
        return
    check(note, new, [item for item in have if repr(item) not in goes])


@settings(RELAXED, max_examples=150)
@given(notes(), ANY_TEXT)
def test_set(note, text):
    data, key, _, _ = note
    before = read_properties(data).get(key)
    if isinstance(before, list | dict):
        return
    check(note, set_property(data, key, text), text)


@settings(RELAXED, max_examples=100)
@given(st.binary(max_size=60), ANY_TEXT)
def test_any_bytes_are_edited_or_refused(body, text):
    try:
        new = set_property(body, "k", text)
    except UnreadableNoteError:
        return
    assert read_properties(new)["k"] == text
    assert new.endswith(body.removeprefix(b"\xef\xbb\xbf")) or body.lstrip(b"\xef\xbb\xbf").startswith(b"---")


@RELAXED
@given(st.lists(ANY_TEXT, min_size=1, max_size=4))
def test_append_then_remove_gives_the_list_back(items):
    data = b"---\naliases: [first] # c\n---\nbody"
    new = remove_items(append_items(data, "aliases", items), "aliases", lambda value: value in items)
    if "first" not in items:
        assert new == data
    assert parse_properties("a: 1").state == "ok"
