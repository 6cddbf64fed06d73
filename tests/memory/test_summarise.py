from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.memory.summarise import prose_of, summarise, ungrounded
from vaultkeeper.vault.tokens import approx_tokens

MARKDOWN = """# Title

A paragraph that is
wrapped over lines with a [[Link|label]] and **bold** words.

- first item of the list
- [x] second item, `code` in it

| a | b |
| --- | --- |
| 1 | 2 |

```python
print("never said")
```

> [!note]- Folded
> A quoted remark goes on
> in its second line.

%% hidden %% <!-- hidden
too --> Shown again. ^block-1
From: mara@example.org
"""


def test_prose_is_what_a_reader_reads() -> None:
    assert prose_of(MARKDOWN).split("\n") == [
        "A paragraph that is wrapped over lines with a label and bold words.",
        "first item of the list",
        "second item, code in it",
        "A quoted remark goes on in its second line.",
        "Shown again.",
    ]


@given(st.lists(st.text(max_size=300), max_size=6))
def test_an_extract_never_exceeds_half_and_quotes_only(texts: list[str]) -> None:
    summary = summarise(texts)
    assert approx_tokens(summary.text) <= max(0, sum(map(approx_tokens, texts)) // 2)
    for sentence in summary.sentences:
        source = " ".join(prose_of(texts[sentence.child]).split())
        assert sentence.text.rstrip("…") in source


def test_the_same_texts_give_the_same_extract() -> None:
    texts = [
        f"The {word} stood beside the harbour for {n} years. It was never moved."
        for n, word in enumerate("abcdef")
    ]
    assert summarise(texts) == summarise(texts)


def test_one_short_sentence_is_cut_to_half() -> None:
    summary = summarise(["A single sentence that is all that there is to say about it."])
    assert summary.text.endswith("…")
    assert approx_tokens(summary.text) <= 7


def test_chinese_is_cut_at_its_own_marks() -> None:
    text = "水位计在风暴中损坏。技术员第二天更换了传感器。码头上的人都很高兴。读数恢复正常以后大家回家。"
    summary = summarise([text])
    assert summary.sentences
    assert all(sentence.text.endswith("。") for sentence in summary.sentences)


@pytest.mark.parametrize("text", ["", "```\ncode only\n```", "| a | b |\n| --- | --- |", "# Heading"])
def test_without_prose_there_is_no_extract(text: str) -> None:
    assert summarise([text]).sentences == ()


def test_who_is_named_by_no_child_is_found_out() -> None:
    assert ungrounded(["person:a", "person:b"], [["person:a"], []]) == {"person:b"}
