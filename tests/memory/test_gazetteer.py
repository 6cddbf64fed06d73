import random
import unicodedata

import pytest

from vaultkeeper.memory.gazetteer import Gazetteer, diff
from vaultkeeper.types import Entity, Handle


def person(name: str, *aliases: str, **more) -> Entity:
    kind = more.pop("kind", "person")
    more.setdefault("path", f"entities/{kind}/{name}.md")
    return Entity(f"{kind}:{name.lower()}", kind, name, aliases=list(aliases), **more)


def found(text: str, *entities: Entity) -> list[tuple[str, str]]:
    mentions = Gazetteer(entities).find(text)
    for mention in mentions:
        assert text[mention.start : mention.end] == mention.surface
    return [(mention.entity_id, mention.surface) for mention in mentions]


MARA = person(
    "Mara Lindqvist", "Mara", "ML", emails=["Mara@Lindqvist.se"], handles=[Handle("github", "mara_l")]
)
JONAS = person("Jonas O'Brien", "J. O'Brien", "JO")
ANNA = person("Anna-Lena Berg", "Anna")


@pytest.mark.parametrize(
    ("text", "surfaces"),
    [
        ("mara lindqvist and MARA", ["mara lindqvist", "MARA"]),
        ("Mara\nLindqvist came", ["Mara\nLindqvist"]),
        ("Mara\n\nLindqvist came", ["Mara"]),
        ("Mara. Lindqvist came", ["Mara"]),
        ("Mara-Lindqvist", ["Mara-Lindqvist"]),
        ("Mara\u00a0Lindqvist", ["Mara\u00a0Lindqvist"]),
        ("Mara's plan, Mara’s plan", ["Mara", "Mara"]),
        ("Marathon, Samara, mara2", []),
        ("_Mara_ **Mara** `Mara`", ["Mara"] * 3),
        ("get_mara_id and mara_id and x_Mara", []),
        ("ML models, ml models", ["ML"]),
        ("write to mara@lindqvist.se!", ["mara@lindqvist.se"]),
        ("ask @mara_l or mara_l", ["@mara_l", "mara_l"]),
        ("x.mara@lindqvist.se", ["mara"]),
        ("我和Mara吃饭", ["Mara"]),
        ("MARA: “Mara” — ‘Mara’…", ["MARA", "Mara", "Mara"]),
        ("", []),
        ("[[Mara Lindqvist|M]]", ["Mara Lindqvist"]),
        ("#mara", ["mara"]),
    ],
)
def test_finds_whole_words_in_all_spellings(text, surfaces):
    assert [surface for _, surface in found(text, MARA)] == surfaces


@pytest.mark.parametrize(
    ("text", "surfaces"),
    [
        ("Jonas O’Brien, jonas o'brien", ["Jonas O’Brien", "jonas o'brien"]),
        ("J. O'Brien, J O'Brien, J.O'Brien", ["J. O'Brien", "J O'Brien", "J.O'Brien"]),
        ("Jonas O Brien", []),
        ("Jonas, O'Brien", []),
    ],
)
def test_marks_between_words_are_part_of_the_name(text, surfaces):
    assert [surface for _, surface in found(text, JONAS)] == surfaces


def test_longest_match_wins_and_then_the_leftmost():
    york = person("New York", kind="location")
    university = person("York University", kind="organization")
    paper = person("New York Times", kind="organization")
    assert found("New York Times", york, university, paper) == [
        ("organization:new york times", "New York Times")
    ]
    assert found("New York University", york, university, paper) == [("location:new york", "New York")]


def test_a_longer_name_with_other_marks_leaves_the_shorter_one():
    assert found("Anna, Lena Berg", ANNA) == [("person:anna-lena berg", "Anna")]
    assert found("anna lena berg", ANNA) == [("person:anna-lena berg", "anna lena berg")]


@pytest.mark.parametrize("name", ["Will", "May", "Mark", "AI", "Bo", "Rust", "The Point"])
def test_ordinary_words_need_their_capitals(name):
    entity = person("Somebody Else", name)
    assert [surface for _, surface in found(f"so {name} came", entity)] == [name]
    assert found(f"so {name.lower()} came", entity) == []


def test_ordinary_words_written_small_may_begin_a_sentence():
    flat = person("Lijsterstraat 22", "the old flat", kind="location")
    text = "The old flat is empty. We loved the old flat. THE OLD FLAT!"
    assert [surface for _, surface in found(text, flat)] == ["The old flat", "the old flat"]


def test_negations_do_not_hold_a_name():
    don = person("Don Arden", "Don")
    assert found("Don't. Don’t. Don's car", don) == [("person:don arden", "Don")]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("written", ["NFC", "NFD"])
def test_composed_and_decomposed_letters_are_the_same(form, written):
    zoe = person(unicodedata.normalize(written, "Zoë Müller"))
    text = unicodedata.normalize(form, "Die Grüße von zoë müller.")
    assert [unicodedata.normalize("NFC", surface) for _, surface in found(text, zoe)] == ["zoë müller"]


def test_letters_that_grow_when_folded_keep_the_offsets():
    izmir = person("İzmir", kind="location")
    assert [surface for _, surface in found("İİ: İzmir ve Straße", izmir)] == ["İzmir"]


def test_names_without_blanks_are_found_inside_and_longest_first():
    wei = person("张伟", "张伟明老师", "小张")
    wang = person("王芳")
    assert found("昨天张伟和王芳讨论，张伟明老师也来了。", wei, wang) == [
        ("person:张伟", "张伟"),
        ("person:王芳", "王芳"),
        ("person:张伟", "张伟明老师"),
    ]
    assert found("张三伟", wei) == []
    assert found("村上春樹を読む", person("村上 春樹")) == [("person:村上 春樹", "村上春樹")]
    assert found("我们用GPT研究组的数据, XGPT研究组", person("GPT研究组")) == [
        ("person:gpt研究组", "GPT研究组")
    ]


def test_a_single_letter_of_a_script_without_blanks_is_no_name():
    assert found("王先生来了", person("Wang", "王")) == []


def test_a_shared_name_gives_every_owner():
    other = person("Mara Chen", "Mara")
    assert found("Mara called", MARA, other) == [
        ("person:mara chen", "Mara"),
        ("person:mara lindqvist", "Mara"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "surfaces"),
    [
        ("C++", "C++ and C and c++.", ["C++", "c++"]),
        ("C#", "C# or C", ["C#"]),
        (".NET", "the .NET and the net", [".NET"]),
        ("Acme Inc.", "Acme Inc. and Acme Inc", ["Acme Inc", "Acme Inc"]),
        ("AT&T", "AT&T, at t", ["AT&T"]),
        ("R", "R is a language, r is none", ["R"]),
        ("3M", "3M sells, 3m high", ["3M"]),
        ("Korenhalmstraat 8, Ghent", "at Korenhalmstraat 8, Ghent", ["Korenhalmstraat 8, Ghent"]),
        ("नरेश शर्मा", "कल नरेश शर्मा आए", ["नरेश शर्मा"]),
        ("!!!", "wow !!!", []),
    ],
)
def test_names_with_marks(name, text, surfaces):
    assert [surface for _, surface in found(text, person("Nobody At All", name))] == surfaces


def test_the_title_of_a_note_of_the_user_is_a_name_and_a_file_of_ours_is_not():
    assert found("ask Dr Berg", person("Helena", path="People/Dr Berg.md")) != []
    assert found("mark it", person("Someone", path="entities/person/mark.md")) == []


def test_names_lists_what_a_phrase_query_can_look_for():
    names = Gazetteer([MARA, person("张伟")]).names()
    assert names["mara lindqvist"] == ("person:mara lindqvist",)
    assert names["张伟"] == ("person:张伟",)
    assert "mara l" in names
    assert list(names) == sorted(names)


def test_diff_names_what_changed_and_nothing_else():
    old = Gazetteer([MARA, JONAS])
    new = Gazetteer(
        [person("Mara Lindqvist", "Mara", "Mäusle", emails=["m@x.org"], handles=MARA.handles), JONAS]
    )
    change = diff(old, new)
    assert change.phrases == {"ml", "mäusle"}
    assert change.addresses == {"mara@lindqvist.se", "m@x.org"}
    assert not change.paths
    assert diff(new, old) == change
    assert not diff(old, Gazetteer([JONAS, MARA]))
    assert diff(old, Gazetteer([MARA])).paths == {JONAS.path}


def test_a_text_without_a_changed_phrase_keeps_its_mentions():
    """What the index relies on when it re-reads only some texts."""
    rng = random.Random(4)
    words = [
        "Mara",
        "Lindqvist",
        "Will",
        "anna",
        "-",
        "Lena",
        "Berg",
        "张伟",
        "和",
        ".",
        "O'Brien",
        "@mara_l",
        "x",
    ]
    entities = [MARA, JONAS, ANNA, person("Will Berg", "Will"), person("张伟"), person("Lena Berg", "x Lena")]
    for _ in range(300):
        old = Gazetteer(rng.sample(entities, 4))
        new = Gazetteer(rng.sample(entities, 4))
        text = " ".join(rng.choices(words, k=12))
        change = diff(old, new)
        before, after = old.find(text), new.find(text)
        if before != after:
            plain = " ".join("".join(c if c.isalnum() else " " for c in text.lower()).split())
            assert any(f" {phrase} " in f" {plain} " or phrase in text for phrase in change.phrases) or any(
                address in text.lower() for address in change.addresses
            )


def test_order_of_the_entities_does_not_matter():
    text = "Mara met Anna and Jonas O'Brien"
    assert found(text, MARA, JONAS, ANNA) == found(text, ANNA, MARA, JONAS)


def registry(count: int) -> list[Entity]:
    rng = random.Random(1)
    syllables = ["ka", "lo", "mi", "ne", "ru", "sa", "ti", "vo", "be", "do", "fi", "gu"]

    def word() -> str:
        return "".join(rng.choices(syllables, k=rng.randint(2, 4))).title()

    return [
        person(f"{word()} {word()} {number}", word() + "x", f"{word()} of {word()}")
        for number in range(count)
    ]
