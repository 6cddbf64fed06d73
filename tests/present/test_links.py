from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from vaultkeeper.present.links import obsidian_url, wikilink


@pytest.mark.parametrize(
    ("path", "unique", "headings", "block", "expected"),
    [
        ("Work/Plan.md", True, (), "", "[[Plan]]"),
        ("Work/Plan.md", False, ("Next steps",), "", "[[Work/Plan#Next steps]]"),
        ("Plan.md", True, ("Year", "Goals"), "", "[[Plan#Year#Goals]]"),
        ("Plan.md", True, ("Goals",), "b-1", "[[Plan#^b-1]]"),
        ("Plan.md", True, ("Costs: [[EUR]] | #1 ^x",), "", "[[Plan#Costs EUR 1 x]]"),
        ("Q&A 50% 🎉.md", True, (), "", "[[Q&A 50% 🎉]]"),
        ("a/C#.md", True, ("Top level",), "", "[C#](a/C%23.md#Top%20level)"),
        ("a/[draft].md", True, (), "", "[\\[draft\\]](a/%5Bdraft%5D.md)"),
        ("v1.2.md", True, (), "", "[[v1.2]]"),
    ],
)
def test_links(path: str, unique: bool, headings: tuple[str, ...], block: str, expected: str) -> None:
    assert wikilink(path, unique, headings, block) == expected


@pytest.mark.parametrize("path", ["Work/Plan.md", "ä ö/日记 50% & more.md", "a/C#.md", "x+y.md"])
def test_addresses_say_what_was_meant(path: str) -> None:
    url = obsidian_url("My Vault & Co", path, ("A b",))
    assert url.startswith("obsidian://open?vault=My%20Vault%20%26%20Co&file=")
    assert " " not in url
    assert "+" not in url
    query = parse_qs(urlsplit(url).query, strict_parsing=True)
    assert query == {"vault": ["My Vault & Co"], "file": [path.removesuffix(".md") + "#A b"]}


def test_address_of_a_block() -> None:
    assert obsidian_url("V", "n.md", ("H",), "b1").endswith("file=n%23%5Eb1")
