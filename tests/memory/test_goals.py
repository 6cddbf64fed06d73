from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.errors import ExistsError, MemoryNotFoundError, RefusedError, TooLargeError, UsageError
from vaultkeeper.memory.goals import (
    FILE,
    HEADER,
    MAX_CHARS,
    MAX_GOALS,
    add_goal,
    delete_goal,
    edit_goal,
    list_goals,
    render_goals,
)


def card() -> str:
    """A number with a check digit that is right, made here so that none stands in the file."""
    digits = "453914880343" + "646"
    doubled = [int(digit) * (2 - number % 2) for number, digit in enumerate(digits)]
    return digits + str(-sum(sum(divmod(value, 10)) for value in doubled) % 10)


PROSE = (
    "---\nowner: me\n---\n# Long-term Goals\n\nWhy I wrote these down.\r\n\n- [g1] First\n  because of this\n"
    "- [ ] a task\n- [gx] no goal\n- [g2]   Second  \n\n```\n- [g3] an example\n```\n<!--\n"
    "- [g4] a thought\n-->\nThe end\xa0"
)


def write(root: Path, text: str) -> None:
    (root / FILE).write_bytes(text.encode())


def text(root: Path) -> str:
    return (root / FILE).read_bytes().decode()


def ids(root: Path) -> list[str]:
    return [goal.id for goal in list_goals(root)]


def test_the_first_goal_makes_the_file(tmp_path: Path) -> None:
    done = add_goal(tmp_path, "  Keep bees ")
    assert text(tmp_path) == "# Long-term Goals\n\n- [g1] Keep bees\n"
    assert (done.goal.id, done.goal.text, done.goal.line) == ("g1", "Keep bees", 3)
    assert done.receipt.bytes == len(text(tmp_path))


def test_no_file_means_no_goals(tmp_path: Path) -> None:
    assert list_goals(tmp_path) == []


def test_only_lines_of_the_form_count_and_none_in_code_or_comments(tmp_path: Path) -> None:
    write(tmp_path, PROSE)
    assert [(goal.id, goal.text) for goal in list_goals(tmp_path)] == [("g1", "First"), ("g2", "Second")]


def test_prose_stays_byte_for_byte_through_every_change(tmp_path: Path) -> None:
    write(tmp_path, PROSE)
    add_goal(tmp_path, "Third")
    edit_goal(tmp_path, "g1", "Changed")
    delete_goal(tmp_path, "g2")
    assert text(tmp_path) == PROSE.replace("[g1] First", "[g1] Changed").replace(
        "- [g2]   Second  \n", "- [g3] Third\n"
    )


def test_a_goal_in_an_empty_template_stands_below_the_prose(tmp_path: Path) -> None:
    template = (Path(__file__).parents[2] / "templates" / FILE).read_text("utf-8")
    write(tmp_path, template)
    add_goal(tmp_path, "First")
    add_goal(tmp_path, "Second")
    assert text(tmp_path) == template + "\n- [g1] First\n- [g2] Second\n"


def test_the_next_id_is_one_that_is_free(tmp_path: Path) -> None:
    write(tmp_path, f"{HEADER}\n\n- [g2] a\n- [g3] b\n")
    assert add_goal(tmp_path, "c").goal.id == "g4"
    delete_goal(tmp_path, "g2")
    assert add_goal(tmp_path, "d").goal.id == "g5"


def test_of_too_many_the_oldest_go_and_are_named(tmp_path: Path) -> None:
    for number in range(MAX_GOALS):
        assert add_goal(tmp_path, f"goal {number}").dropped == ()
    done = add_goal(tmp_path, "one more")
    assert [goal.id for goal in done.dropped] == ["g1"]
    assert ids(tmp_path) == [f"g{number}" for number in range(2, MAX_GOALS + 2)]
    assert done.goal == list_goals(tmp_path)[-1]


def test_of_too_many_characters_the_oldest_go_but_never_the_new_one(tmp_path: Path) -> None:
    add_goal(tmp_path, "a" * 900)
    add_goal(tmp_path, "b" * 900)
    assert [goal.id for goal in add_goal(tmp_path, "c" * 900).dropped] == ["g1"]
    assert [goal.text[0] for goal in add_goal(tmp_path, "d" * 1900).dropped] == ["b", "c"]
    assert [goal.text[0] for goal in list_goals(tmp_path)] == ["d"]
    assert len(render_goals(list_goals(tmp_path))) <= MAX_CHARS


def test_a_goal_that_cannot_fit_is_refused_and_nothing_goes(tmp_path: Path) -> None:
    add_goal(tmp_path, "a")
    before = text(tmp_path)
    with pytest.raises(TooLargeError):
        add_goal(tmp_path, "x" * MAX_CHARS)
    with pytest.raises(TooLargeError):
        edit_goal(tmp_path, "g1", "x" * MAX_CHARS)
    assert text(tmp_path) == before


def test_a_goal_with_lines_of_a_persons_below_it_is_not_dropped(tmp_path: Path) -> None:
    write(
        tmp_path, "- [g1] kept\n  - a note of mine\n" + "".join(f"- [g{n}] goal {n}\n" for n in range(2, 9))
    )
    assert [goal.id for goal in add_goal(tmp_path, "more").dropped] == ["g2"]
    assert "  - a note of mine\n" in text(tmp_path)


def test_a_deleted_goal_takes_its_indented_lines_along(tmp_path: Path) -> None:
    write(tmp_path, "- [g1] a\n  - of a\n- [g2] b\nprose\n")
    delete_goal(tmp_path, "[g1]")
    assert text(tmp_path) == "- [g2] b\nprose\n"


@pytest.mark.parametrize("same", ["Keep Bees", "  keep   bees "])
def test_a_goal_that_is_there_is_refused_on_add_and_edit(tmp_path: Path, same: str) -> None:
    add_goal(tmp_path, "Keep bees")
    add_goal(tmp_path, "Read more")
    for change in (lambda: add_goal(tmp_path, same), lambda: edit_goal(tmp_path, "g2", same)):
        with pytest.raises(ExistsError) as caught:
            change()
        assert caught.value.exit_code == 4
    assert edit_goal(tmp_path, "g1", same).receipt.changed is (same.strip() != "Keep bees")


def test_goals_that_differ_in_a_sign_are_two(tmp_path: Path) -> None:
    add_goal(tmp_path, "Learn C")
    assert add_goal(tmp_path, "Learn C++").goal.id == "g2"


@pytest.mark.parametrize("bad", ["", "  ", "two\nlines", "two\rlines", "two\u2028lines", "nul\0"])
def test_a_goal_is_one_line_of_text(tmp_path: Path, bad: str) -> None:
    with pytest.raises(UsageError):
        add_goal(tmp_path, bad)
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize("secret", ["use ghp_" + "a1B2c3D4e5" * 4, f"pay with {card()}"])
def test_a_goal_with_a_secret_or_personal_number_is_refused(tmp_path: Path, secret: str) -> None:
    with pytest.raises(RefusedError) as caught:
        add_goal(tmp_path, secret)
    assert card() not in str(caught.value)
    assert "ghp_" not in str(caught.value)


@pytest.mark.parametrize("bad", ["g9", "", "1", "../g1"])
def test_an_unknown_id_is_not_found_and_the_known_ones_are_named(tmp_path: Path, bad: str) -> None:
    add_goal(tmp_path, "a")
    for change in (lambda: edit_goal(tmp_path, bad, "b"), lambda: delete_goal(tmp_path, bad)):
        with pytest.raises(MemoryNotFoundError) as caught:
            change()
        assert caught.value.exit_code == 3
        assert "g1" in caught.value.advice


def test_a_symlinked_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "theirs.md").write_text("- [g1] a\n")
    (tmp_path / FILE).symlink_to(tmp_path / "theirs.md")
    with pytest.raises(RefusedError):
        add_goal(tmp_path, "b")
    assert (tmp_path / "theirs.md").read_text() == "- [g1] a\n"


@given(
    st.lists(
        st.sampled_from(["prose\n", "\n", "- [ ] task\r\n", "- item\n", "  deeper\n", "# H\n", "> q\n"]),
        max_size=8,
    )
)
def test_adding_and_deleting_a_goal_gives_back_the_file(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    root = tmp_path_factory.mktemp("goals")
    before = "".join(lines).lstrip(" ")
    write(root, before)
    goal = add_goal(root, "A goal").goal
    assert [one.id for one in list_goals(root)] == ["g1"]
    without = text(root).splitlines(keepends=True)
    del without[goal.line - 1]
    assert "".join(without).replace(HEADER, "").strip() == before.strip()
