from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.keeping.world import World
from vaultkeeper.errors import FlavourError
from vaultkeeper.keeping.flavours import TOKEN_BUDGET
from vaultkeeper.retrieval.flavour import FLAVOURS
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.tokens import approx_tokens


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.keeper.close()


def facet(world: World, key: str, value: str, **more: str) -> None:
    from vaultkeeper.memory.facets import Facet, render_facet, value_mark

    given = {"written": value_mark(value), **more}
    world.write(
        f"profile/preference/{key}.md", render_facet(Facet("preference", key, value, **given)).decode()
    )  # type: ignore[arg-type]


def lines(world: World, name: str) -> list[str]:
    return [line for line in world.keeper.flavours.read(name).text.splitlines() if line.startswith("- ")]


def test_evidence_stands_by_its_tier_and_outcomes_only_back_it_up(world: World) -> None:
    world.write(
        "MEMORY.md",
        "# Memory\n\n## Working style\n- [preference] Short answers, please.\n- [mistake] An answer in German.\n",
    )
    facet(world, "tone", "I like a formal tone in every message", segments=("work/000000",))  # type: ignore[arg-type]
    world.write(
        "wiki/segments/work/000000.md",
        "---\nsession_id: work\nstart_seq: 0\nend_seq: 1\nturn_count: 1\nstart: 2026-02-01T08:00:00Z\n"
        "end: 2026-02-01T08:01:00Z\nreason: time_gap\nrecap_by: extractive\n---\n# Segment\n\nWords.\n\n## Events\n\n"
        "- **decision** we decided that every reply is in English ([[episodic/work/000000|1]] 0–10, 0.6) ^evt-0a\n",
    )
    assert world.keeper.flavours.build(("communication",)) == ["flavoured/communication.md"]
    tiers = [line[:6] for line in lines(world, "comms")]
    assert tiers == ["- [T0]", "- [T1]", "- [T2]", "- [T3]"]
    (world.root / "MEMORY.md").unlink()
    (world.root / "profile/preference/tone.md").unlink()
    world.keeper.flavours.build()
    assert not (world.root / "flavoured/communication.md").exists()


def test_the_note_says_what_it_answers_and_links_its_evidence(world: World) -> None:
    world.write("SKILL.md", "# Skills\n\n## Code\n- Use snake_case and type hints.\n")
    world.keeper.flavours.build()
    note = parse_note("x.md", (world.root / "flavoured/coding_style.md").read_bytes())
    assert note.properties["kind"] == "flavoured_root"
    assert note.properties["scope"] == "coding_style"
    assert note.properties["ask"] == FLAVOURS["coding_style"].ask
    assert str(note.properties["tree_id"]).startswith("flavoured:")
    assert (note.properties["leaves_folded"], note.properties["token_budget"]) == (1, 1000)
    assert note.properties["token_estimate"] == approx_tokens(note.text[note.body_start :])
    assert lines(world, "style") == ["- [T0] Use snake_case and type hints. [[SKILL#Code]]"]
    [found] = world.keeper.flavours.read("style", "snake_case hints").evidence
    assert found.tier == 0


def test_the_same_evidence_writes_nothing(world: World) -> None:
    world.write("MEMORY.md", "# Memory\n- Always ask before a merge.\n")
    assert world.keeper.flavours.build()
    before = {path: path.read_bytes() for path in (world.root / "flavoured").iterdir()}
    world.wait(days=1)
    assert world.keeper.flavours.build() == []
    assert {path: path.read_bytes() for path in (world.root / "flavoured").iterdir()} == before


def test_what_is_newer_or_gone_is_compiled_anew(world: World) -> None:
    facet(world, "a", "I prefer vim as editor")
    world.keeper.flavours.build()
    assert lines(world, "env") == ["- [T2] I prefer vim as editor [[profile/preference/a]]"]
    facet(world, "a", "I prefer vim as editor", superseded_by="preference/b")
    facet(world, "b", "I prefer emacs as editor")
    world.keeper.flavours.build()
    assert lines(world, "env") == ["- [T1] I prefer emacs as editor [[profile/preference/b]]"]


@pytest.mark.parametrize("what", ["edited", "own"])
def test_what_a_person_wrote_stays(world: World, what: str) -> None:
    path = world.root / "flavoured/environment.md"
    facet(world, "a", "I prefer vim as editor")
    if what == "own":
        world.write("flavoured/environment.md", "# Mine\n\n- [T0] A quiet room.\n")
    else:
        world.keeper.flavours.build()
        path.write_text(path.read_text() + "\n- [T0] A quiet room.\n")
    before = path.read_bytes()
    facet(world, "b", "I work in a terminal with zsh")
    assert "flavoured/environment.md" not in world.keeper.flavours.build()
    assert path.read_bytes() == before
    (world.root / "profile/preference/a.md").unlink()
    (world.root / "profile/preference/b.md").unlink()
    world.keeper.flavours.build()
    assert path.read_bytes() == before


def test_the_body_is_clamped_to_the_budget_and_the_best_stays(world: World) -> None:
    many = "".join(f"- Rule {n}: always run the tests of part {n} before a merge.\n" for n in range(300))
    world.write("SKILL.md", f"# Skills\n\n{many}")
    facet(world, "a", "I never skip tests")
    world.keeper.flavours.build()
    for name in ("directives", "coding_style"):
        text = (world.root / f"flavoured/{name}.md").read_text()
        body = text.split("---\n", 2)[2]
        assert TOKEN_BUDGET * 0.9 < approx_tokens(body) <= TOKEN_BUDGET


def test_chinese_evidence_is_found_by_its_words(world: World) -> None:
    world.write("MEMORY.md", "# 记忆\n- 回答要简短，不要客套。\n- 我住在南京。\n")
    world.keeper.flavours.build()
    assert lines(world, "tone") == ["- [T0] 回答要简短，不要客套。 [[MEMORY#记忆]]"]


def test_secrets_are_taken_out(world: World) -> None:
    world.write(
        "MEMORY.md", "# M\n- Always use the token ghp_abcdefghijklmnopqrstuvwxyz0123456789 for a merge.\n"
    )
    world.keeper.flavours.build()
    assert "REDACTED" in "".join(lines(world, "rules"))
    assert "ghp_" not in "".join(path.read_text() for path in (world.root / "flavoured").iterdir())


def test_a_note_that_is_no_text_hides_no_other_evidence(world: World) -> None:
    (world.root / "MEMORY.md").write_text("# Memory\n\n- Answers in English.\n", "utf-16")
    world.write("SKILL.md", "# Skills\n\n## Code\n- Use snake_case and type hints.\n")
    assert world.keeper.flavours.build(("coding_style",)) == ["flavoured/coding_style.md"]


def test_without_evidence_nothing_is_built_and_an_unknown_flavour_is_an_error(world: World) -> None:
    assert world.keeper.flavours.build() == []
    assert not world.keeper.flavours.read("tone").built
    assert not (world.root / "flavoured").exists()
    with pytest.raises(FlavourError):
        world.keeper.flavours.read("sweet")


def test_a_place_that_leads_out_of_the_vault_is_left_alone(world: World) -> None:
    outside = world.root.parent / "outside"
    outside.mkdir()
    (world.root / "flavoured").symlink_to(outside)
    world.write("MEMORY.md", "# Memory\n- Always ask before a merge.\n")
    assert world.keeper.flavours.build() == []
    assert list(outside.iterdir()) == []
