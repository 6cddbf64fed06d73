import pytest

from vaultkeeper.memory.slots import Slot, find_slot, fold_value


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("I live in Utrecht", "home", "utrecht"),
        ("We just moved to Ghent last month.", "home", "ghent"),
        ("im based in Malmö", "home", "malmö"),
        ("我现在住在上海。", "home", "上海"),
        ("我搬到了成都", "home", "成都"),
        ("I work at Halven Analytics as a data engineer", "employer", "halven analytics"),
        ("I started at Pinegate.", "employer", "pinegate"),
        ("我在华为工作", "employer", "华为"),
        ("My name is Bex.", "name", "bex"),
        ("我叫陆知遥。", "name", "陆知遥"),
        ("My timezone is UTC+5:30.", "timezone", "utc+5:30"),
        ("im in UTC-3", "timezone", "utc-3"),
        ("My role is QA lead.", "role", "qa lead"),
        ("I'm 43 and left-handed.", "age", "43"),
        ("I'm a vegetarian now", "diet", "vegetarian"),
        ("My favourite colour is teal", "favourite_color", "teal"),
        ("my favorite color is blue!", "favourite_color", "blue"),
        ("My laptop is a 2019 ThinkPad with 16 GB RAM.", "my_laptop", "2019 thinkpad"),
        ("I prefer tabs over spaces", "choice_spaces_or_tabs", "tabs"),
        ("I prefer spaces to tabs", "choice_spaces_or_tabs", "spaces"),
        ("I really hate cilantro", "taste_cilantro", "dislikes"),
        ("I don't like cilantro anymore", "taste_cilantro", "dislikes"),
        ("我不喜欢香菜", "taste_香菜", "dislikes"),
    ],
)
def test_a_statement_answers_a_question(text: str, name: str, value: str) -> None:
    assert find_slot(text) == Slot(name, value)


@pytest.mark.parametrize(
    "text",
    [
        "I don't live in Oslo any more.",
        "I no longer work for the council",
        "我不住在深圳了。",
        "I don't work at Quill any more",
    ],
)
def test_an_answer_can_be_taken_back(text: str) -> None:
    slot = find_slot(text)
    assert slot is not None
    assert slot.negated


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I prefer dark mode", "I prefer light mode"),
        ("I prefer short answers", "I like detailed answers"),
        ("我喜欢深色模式", "我更喜欢浅色模式"),
        ("I like coriander", "I can't stand coriander"),
    ],
)
def test_opposites_answer_the_same_question_differently(one: str, other: str) -> None:
    a, b = find_slot(one), find_slot(other)
    assert a is not None
    assert b is not None
    assert a.name == b.name
    assert a.value != b.value


@pytest.mark.parametrize(
    "text",
    [
        "I always write the why",
        "My daughter is allergic to nuts",
        "I tend to leave figures to the end",
        "",
        "I like it when you ask",
        "I speak Dutch",
    ],
)
def test_other_statements_answer_none(text: str) -> None:
    assert find_slot(text) is None


def test_values_are_compared_without_articles_case_and_marks() -> None:
    assert fold_value("The City  Archive now.") == fold_value("city archive")
