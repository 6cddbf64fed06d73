import pytest

from vaultkeeper.memory.cleaning import prose_of, strip_images, strip_tool_calls


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a <tool_call>{x}</tool_call> b", "a  b"),
        ("a\n<tool_call>never closed", "a"),
        ('a\n{"type": "tool_use"}\nb', "a\nb"),
        ('a\n{"tool_calls": []}\n\n\n\nb', "a\n\nb"),
        ("  untouched\n\n\n\n ", "  untouched\n\n\n\n "),
        ("about tool_use in prose", "about tool_use in prose"),
    ],
)
def test_calls_of_tools_are_no_prose(text: str, expected: str) -> None:
    assert strip_tool_calls(text) == expected


def test_images_are_no_prose() -> None:
    assert (
        strip_images("a [IMAGE:aGk=] b ![x](data:image/png;base64,aGk=) c ![kept](a.png)")
        == "a  b  c ![kept](a.png)"
    )
    assert prose_of(" [IMAGE:aGk=] ") == ""
