from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from vaultkeeper.types import Block, Heading
from vaultkeeper.vault.links import Anchors, LinkResolver, fold, has_anchor, link_key, link_problems
from vaultkeeper.vault.note import parse_note

PATHS = [
    "Home.md", "a/Plan.md", "b/Plan.md", "b/longer/Plan.md", "a/Plan.png", "Pro.jects/2607.01 - Vortex.md",
    "x.md/y.md", "img/pen.png", "img/pen.png.md", "Über.md", "a/Only.md", "A/only.md", "deep/er/Home.md",
    "c/100% #1.md", "😀.md", "p/q/Twin.md", "o/q/Twin.md",
]  # fmt: skip


@pytest.mark.parametrize(
    ("note", "target", "path", "status"),
    [
        ("a/x.md", "", "a/x.md", "ok"),
        ("a/x.md", "Home", "Home.md", "ok"),
        ("a/x.md", "home", "Home.md", "case"),
        ("a/x.md", "Home.md", "Home.md", "ok"),
        ("deep/er/x.md", "Home", "Home.md", "ok"),
        ("a/x.md", "Plan", "a/Plan.md", "ok"),
        ("b/x.md", "Plan", "b/Plan.md", "ok"),
        ("b/longer/x.md", "Plan", "b/longer/Plan.md", "ok"),
        ("x.md", "Plan", "a/Plan.md", "ambiguous"),
        ("x.md", "longer/Plan", "b/longer/Plan.md", "ok"),
        ("x.md", "onger/Plan", None, "dead"),
        ("p/q/x.md", "q/Twin", "p/q/Twin.md", "ok"),
        ("x.md", "q/Twin", "o/q/Twin.md", "ambiguous"),
        ("x.md", "Plan.png", "a/Plan.png", "ok"),
        ("x.md", "2607.01 - Vortex", "Pro.jects/2607.01 - Vortex.md", "ok"),
        ("x.md", "2607", None, "dead"),
        ("x.md", "pen.png", "img/pen.png.md", "ok"),
        ("x.md", "img/pen.png", "img/pen.png.md", "ok"),
        ("x.md", unicodedata.normalize("NFD", "Über"), "Über.md", "ok"),
        ("x.md", "über", "Über.md", "case"),
        ("x.md", "y", "x.md/y.md", "ok"),
        ("b/longer/x.md", "../Plan", "b/Plan.md", "ok"),
        ("b/longer/x.md", "./Plan", "b/longer/Plan.md", "ok"),
        ("b/longer/x.md", "../../a/Plan.md", "a/Plan.md", "ok"),
        ("b/longer/x.md", "../../../Home", None, "dead"),
        ("b/x.md", "./Home", None, "dead"),
        ("b/x.md", "/Home", "Home.md", "ok"),
        ("b/x.md", "/Plan", None, "dead"),
        ("b/x.md", "/a/plan", "a/Plan.md", "case"),
        ("x.md", "a/Only", "a/Only.md", "ok"),
        ("x.md", "A/only", "A/only.md", "ok"),
        ("x.md", "100% ", None, "dead"),
        ("x.md", "\U0001f600", "😀.md", "ok"),
        ("x.md", "a\u00a0b", None, "dead"),
        ("x.md", "https://example.org", None, "dead"),
        ("x.md", "a/", None, "dead"),
        ("x.md", "/", None, "dead"),
        ("x.md", "..", None, "dead"),
    ],
)
def test_resolve(note: str, target: str, path: str | None, status: str) -> None:
    found = LinkResolver(PATHS).resolve(note, target)
    assert (found.path, found.status) == (path, status)
    assert (found.path is None) == (found.candidates == ())


def test_candidates_are_named_shortest_first() -> None:
    found = LinkResolver(PATHS).resolve("x.md", "Plan")
    assert found.candidates == ("a/Plan.md", "b/Plan.md", "b/longer/Plan.md")


def test_a_shorter_path_wins_over_fewer_folders() -> None:
    resolver = LinkResolver(["a-long-folder/N.md", "a/b/c/N.md"])
    assert resolver.resolve("x.md", "N").path == "a/b/c/N.md"


NAMES = st.sampled_from(
    [
        "a",
        "b",
        "A",
        "n",
        "n.md.md",
        "n .md",
        "n\u00a0",
        "\u00a0n",
        "n.md",
        "N.md",
        "m.MD",
        "é",
        "e\u0301.md",
        "x.png",
        "c d.md",
    ]
)
PATH = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
TARGET = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "", "./", "../", "../../", "/", "//", " "]),
    PATH,
    st.sampled_from(["", " ", "/", "/.", "/.."]),
)


@given(st.lists(PATH), st.lists(PATH), PATH, PATH)
def test_history_does_not_matter(kept: list[str], gone: list[str], note: str, target: str) -> None:
    fresh = LinkResolver(sorted(set(kept)))
    lived = LinkResolver(gone + kept[::-1])
    for path in gone:
        if path not in kept:
            lived.remove(path)
    lived.remove("never there")
    assert lived.resolve(note, target) == fresh.resolve(note, target)
    assert lived.near(target) == fresh.near(target)


@settings(max_examples=500, deadline=None)
@given(st.sets(PATH), PATH, PATH, TARGET)
def test_a_file_changes_only_links_of_its_key(paths: set[str], new: str, note: str, target: str) -> None:
    before = LinkResolver(paths).resolve(note, target)
    after = LinkResolver(paths | {new}).resolve(note, target)
    assert before == after or link_key(new) == link_key(target)


@given(st.sets(PATH, min_size=1), st.data())
def test_a_full_path_always_finds_its_file(paths: set[str], data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(paths)))
    assume(path.strip() == path)  # blanks at the edges of a link do not count
    # A note whose name ends in `.md.md` is found first, wherever it lies.
    assume(not any(fold(other).endswith(fold(path.rpartition("/")[2]) + ".md") for other in paths))
    found = LinkResolver(paths).resolve("x/y.md", path)
    assert found.path in {other for other in paths if fold(other) == fold(path)}


def test_near_names() -> None:
    resolver = LinkResolver(["Garden plan.md", "Garden.md", "a/garden-plan-2026.md", "Zoo.md"])
    assert resolver.near("garden_plan") == ("Garden plan.md", "a/garden-plan-2026.md", "Garden.md")
    assert resolver.near("Zoological") == ()
    assert resolver.near("!?") == ()


@pytest.mark.parametrize(
    ("subpath", "found"),
    [
        ("", True),
        ("North shore", True),
        ("north   SHORE", True),
        ("Top", True),
        ("Top#North shore", True),
        ("Top#Deep", True),
        ("Top#North shore#Deep", True),
        ("North shore#Top", False),
        ("Other#North shore", False),
        ("A b c", True),
        ("A: b [c]", True),
        ("^a-1", True),
        ("^A-1", True),
        ("^b", False),
        ("Top^a-1", True),
        ("Nowhere", False),
        ("#", True),
    ],
)
def test_anchors(subpath: str, found: bool) -> None:
    headings = [
        Heading(1, "Top", 1, 0), Heading(2, "North shore", 2, 0), Heading(3, "Deep", 3, 0), Heading(1,
        "Other", 4, 0), Heading(2, "A: b [c]", 5, 0),
    ]  # fmt: skip
    assert has_anchor(Anchors(headings, [Block("a-1", 7)]), subpath) is found


def test_problems_name_the_candidates() -> None:
    text = "[[Plan]]\n[[home]]\n[a](Nowhere.md)\n[[Garden-plan]]\n[[Home#No]]\n[[Home#^no]]\n[[Home#Yes]]\n"
    resolver = LinkResolver([*PATHS, "Garden plan.md"])
    note = parse_note("Note.md", (text + "[[pen.png#x]]\n").encode())
    anchors = {"Home.md": Anchors([Heading(1, "Yes", 1, 0)], [])}
    problems = link_problems(
        note, [resolver.resolve(note.path, link.target) for link in note.links], anchors.get, resolver.near
    )
    assert [(problem.code, problem.line) for problem in problems] == [
        ("link-ambiguous", 1),
        ("link-case", 2),
        ("link-dead", 3),
        ("link-dead", 4),
        ("heading-missing", 5),
        ("block-missing", 6),
    ]
    messages = [problem.message for problem in problems]
    assert "a/Plan.md, b/Plan.md, b/longer/Plan.md" in messages[0]
    assert "Home.md" in messages[1]
    assert "(Nowhere.md)" in messages[2]
    assert "Garden plan.md" in messages[3]
    assert "No" in messages[4]
