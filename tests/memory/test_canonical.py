import pytest

from vaultkeeper.memory.canonical import canonical_id, semantic_kind, split_id


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("email", " Mara@Lindqvist.SE ", "email:mara@lindqvist.se"),
        ("handle", "@@Mara", "handle:mara"),
        ("hashtag", "#Launch", "hashtag:launch"),
        ("hashtag", "@#Launch", "hashtag:launch"),
        ("topic", "  Vector \n Search ", "topic:vector search"),
        ("url", "https://X.org/Path", "url:https://X.org/Path"),
        ("person", "Zoe\u0308", "person:zoë"),
        ("person", "张伟", "person:张伟"),
    ],
)
def test_canonical_id(kind, value, expected):
    assert canonical_id(kind, value) == expected
    assert canonical_id(*split_id(expected)) == expected


def test_kinds_stay_apart():
    assert canonical_id("hashtag", "x") != canonical_id("topic", "x") != canonical_id("person", "x")


@pytest.mark.parametrize("text", ["mara", "person:", ":x", "human:mara", "", "note: see mara"])
def test_what_is_no_id(text):
    assert split_id(text) is None


def test_words_for_kinds():
    assert semantic_kind(" People ") == "person"
    assert semantic_kind("topic") == "topic"
    assert semantic_kind("summary") is None
    assert semantic_kind("email") is None
