from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.present.snippet import make_snippet, plain, stem


def marked(body: str, *labels: str, width: int = 240) -> list[str]:
    snippet = make_snippet(body, labels, width)
    return [snippet.text[start:end] for start, end in snippet.matches]


def test_words_are_marked_in_any_form() -> None:
    assert marked("He decided; deciding is hard, decision made.", "decide") == ["decided", "deciding"]
    assert marked("Planning the plans of a planner", "plan") == ["Planning", "plans"]
    assert marked("projects and prose", "pro*") == ["projects", "prose"]
    assert marked("这个项目的进展", "项目", "进展") == ["项目", "进展"]


def test_markup_is_left_out() -> None:
    assert plain("**Bold** and [[note|label]] and [[Other]]\nnext `x`") == "Bold and label and Other next x"


def test_embeds_and_bare_addresses_are_left_out() -> None:
    body = "![[Movies.base#Favorites]]\n- https://example.org/a\nSee ![](x.png) the [[Ran]] film."
    assert make_snippet(body, ["film"]).text == "See the Ran film."
    assert make_snippet("![[Movies.base]]\n> ![x](y.png)", ["movies"]).text == ""
    assert plain("![[Movies.base#Favorites]] here") == "here"


def test_the_window_holds_the_words() -> None:
    body = "filler words here " * 40 + "the needle is in here " + "more filler " * 40
    snippet = make_snippet(body, ["needle"], 80)
    assert "needle" in snippet.text
    assert len(snippet.text) <= 80
    assert snippet.text.startswith("…")
    assert snippet.text.endswith("…")
    assert [snippet.text[a:b] for a, b in snippet.matches] == ["needle"]


def test_stems_of_short_words_stay() -> None:
    assert stem("is") == "is"
    assert stem("bus") == "bus"
    assert stem("running") == stem("runs") == "run"


@given(st.text(max_size=400), st.lists(st.text(min_size=1, max_size=10), max_size=4), st.integers(20, 100))
def test_any_text(body: str, labels: list[str], width: int) -> None:
    snippet = make_snippet(body, labels, width)
    assert len(snippet.text) <= width
    at = 0
    for start, end in snippet.matches:
        assert at <= start < end <= len(snippet.text)
        at = end


def test_what_is_crossed_out_keeps_its_marks() -> None:
    assert plain("~~150 euros~~ 300 euros since *January*") == "~~150 euros~~ 300 euros since January"


def test_marks_inside_of_words_and_numbers_are_none() -> None:
    assert (
        plain("snake_case_name, [REDACTED_SECRET], E=mc2, 2*3")
        == "snake_case_name, [REDACTED_SECRET], E=mc2, 2*3"
    )
    assert plain("_so_ __this__ ***that*** ==here== **粗**体") == "so this that here 粗体"


def test_ids_of_blocks_are_left_out() -> None:
    assert plain("Chapter 9. ^nine\nx^2 and ^ alone") == "Chapter 9. x^2 and ^ alone"
