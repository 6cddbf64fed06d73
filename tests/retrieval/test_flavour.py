from __future__ import annotations

from pathlib import Path

import pytest

from vaultkeeper.errors import FlavourError, UsageError
from vaultkeeper.retrieval.flavour import ALIASES, Evidence, find_evidence, flavour_name, rank, read_flavour

NOTE = """---
kind: flavoured_root
sealed_at: 2026-03-01T08:00:00Z
leaves_folded: 12
---
# Tone

Short answers, no praise.

- [T2] Writes "ok" for yes (2026-01-04)
- [T0] Answer in short sentences. [[Rules]] 2026-02-01
- **T1** Said "shorter, please" to a long answer, 2026-02-10
  - T3: Thanked for a short answer 2026-02-11
- An ordinary item of T0
"""


def write(root: Path, text: str, name: str = "communication") -> None:
    (root / "flavoured").mkdir(parents=True, exist_ok=True)
    (root / f"flavoured/{name}.md").write_text(text)


@pytest.mark.parametrize(
    ("name", "flavour"),
    [
        ("comms", "communication"), ("tone", "communication"), ("code_style", "coding_style"),
        ("coding", "coding_style"),
        ("style", "coding_style"), ("tech_stack", "stack"), ("technology", "stack"), ("process", "workflow"),
        ("env", "environment"), ("tooling", "environment"), ("rules", "directives"), ("directive", "directives"),
        ("dislikes", "anti_preferences"), ("pet_peeves", "anti_preferences"), ("Pet Peeves", "anti_preferences"),
        (" coding-style ", "coding_style"), *((name, name) for name in ALIASES),
    ],
)  # fmt: skip
def test_a_flavour_has_other_names(name: str, flavour: str) -> None:
    assert flavour_name(name) == flavour


def test_an_unknown_flavour_is_an_error_that_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(FlavourError) as caught:
        read_flavour(tmp_path, "sweet")
    assert "coding_style" in caught.value.advice
    with pytest.raises(UsageError):
        flavour_name("  ")


@pytest.mark.parametrize("text", [None, "", "---\nkind: flavoured_root\n---\n\n"])
def test_a_flavour_that_is_not_built_says_so(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        write(tmp_path, text)
    found = read_flavour(tmp_path, "tone")
    assert (found.name, found.path, found.built) == ("communication", "flavoured/communication.md", False)
    assert (found.text, found.evidence) == ("", ())


def test_a_flavour_is_its_note(tmp_path: Path) -> None:
    write(tmp_path, NOTE)
    found = read_flavour(tmp_path, "tone")
    assert found.built
    assert found.text.startswith("# Tone\n\nShort answers")
    assert (found.sealed_at, found.leaves_folded) == ("2026-03-01T08:00:00Z", 12)
    assert [one.tier for one in found.evidence] == [0, 1, 2, 3]
    lines = NOTE.split("\n")
    assert all(one.text in lines[one.line - 1] for one in found.evidence)


def test_a_note_behind_a_symbolic_link_is_not_read(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    write(tmp_path / "out", NOTE)
    root.mkdir()
    (root / "flavoured").symlink_to(tmp_path / "out/flavoured")
    assert not read_flavour(root, "tone").built
    (root / "flavoured").unlink()
    (root / "flavoured").mkdir()
    (root / "flavoured/communication.md").symlink_to(tmp_path / "out/flavoured/communication.md")
    assert not read_flavour(root, "tone").built


def test_a_query_ranks_by_words_times_tier(tmp_path: Path) -> None:
    write(tmp_path, NOTE)
    found = read_flavour(tmp_path, "tone", "short answer")
    assert [one.tier for one in found.evidence] == [0, 1, 3]
    assert all(one.score > 0 for one in found.evidence)
    assert read_flavour(tmp_path, "tone", "nothing of this").evidence == ()


def items(*rows: tuple[int, str]) -> list[Evidence]:
    return find_evidence("\n".join(f"- [T{tier}] {text}" for tier, text in rows))


def test_of_equal_words_the_better_tier_comes_first() -> None:
    found = rank(items((3, "use tabs"), (2, "use tabs"), (1, "use tabs"), (0, "use tabs")), "tabs")
    assert [one.tier for one in found] == [0, 1, 2, 3]


def test_ties_go_to_the_newest() -> None:
    rows = [(1, "tabs 2026-01-01"), (1, "tabs 2026-03-01"), (1, "tabs 2025-12-31")]
    assert [one.date for one in rank(items(*rows), "tabs")] == ["2026-03-01", "2026-01-01", "2025-12-31"]
    assert [one.date for one in rank(items(*rows))] == ["2026-03-01", "2026-01-01", "2025-12-31"]


def test_an_outcome_only_backs_up_what_others_say() -> None:
    assert rank(items((3, "tabs worked"))) == ()
    assert rank(items((3, "tabs worked"), (1, "spaces please")), "tabs") == ()
    assert [one.tier for one in rank(items((3, "tabs worked"), (1, "tabs please")), "tabs")] == [1, 3]


def test_chinese_evidence_is_found_by_its_characters() -> None:
    found = rank(items((0, "回答要简短"), (1, "用公制单位")), "简短")
    assert [one.text for one in found] == ["回答要简短"]
