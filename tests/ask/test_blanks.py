"""What says nothing is no evidence: headings without a text, what `init` wrote, lists of what is merely near."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from vaultkeeper.ask.blanks import MOST_NEAR
from vaultkeeper.ask.params import AskParams, SearchParams
from vaultkeeper.config import Settings
from vaultkeeper.keeper import Keeper
from vaultkeeper.memory.starter import create_missing, is_starter_text, starter_files

NOTES = {
    "Plot.md": "# Plot\n\nThe gate of the plot squeaks.\n\n## Tools\n\n## Beds\n\nBeans.\n\n## Plan\n\n![[Plot plan.png]]\n\n## To buy\n- [ ] \n",
    "Ada.md": "---\nkind: person\nphone: 555 1234\n---\n## Meetings\n\n![[Meetings.base]]\n\n## Clippings\n\n![[Clippings.base]]\n",
    "Templates/Day.md": "# Day\n\nThe gate, the gate, the gate: what happened there?\n",
    "Gate.md": "Painted the gate, which took a whole day.\n",
    "Empty.md": "",
    "2025-06-01.md": "## Notes\n",
}


@pytest.fixture(scope="module")
def keeper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keeper]:
    folder = tmp_path_factory.mktemp("blanks")
    vault = folder / "vault"
    create_missing(vault, dry_run=False)
    for path, text in NOTES.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text(text, encoding="utf-8")
    (vault / "SKILL.md").write_text(
        "# Skills\n\nHow bread is made here: count back from the hour of baking.\n"
    )
    keeper = Keeper(
        vault.resolve(), folder / "index", Settings(), clock=lambda: datetime(2025, 7, 1, tzinfo=UTC)
    )
    keeper.sync()
    keeper.embed_pending()
    yield keeper
    keeper.close()


def asked(keeper: Keeper, question: str) -> list[str]:
    return [one.link for one in keeper.ask(AskParams(question)).evidence]


def test_a_heading_without_a_text_is_no_evidence(keeper: Keeper) -> None:
    found = asked(keeper, "What does the gate of the plot do?")
    assert "[[Plot]]" in found
    assert "[[Plot#Beds]]" in found
    assert not {"[[Plot#Tools]]", "[[Plot#Plan]]", "[[Plot#To buy]]"} & set(found)
    listed = [one.link for one in keeper.search(SearchParams("plot")).evidence]
    assert not {"[[Plot#Tools]]", "[[Plot#Plan]]", "[[Plot#To buy]]"} & set(listed)


def test_it_is_when_its_own_words_are_asked_for(keeper: Keeper) -> None:
    assert asked(keeper, "tools")[0] == "[[Plot#Tools]]"
    assert "[[Plot#Plan]]" in asked(keeper, "Where is the plan?")


def test_a_note_of_properties_alone_is_shown_once(keeper: Keeper) -> None:
    found = asked(keeper, "What is Ada's phone?")
    assert found[0] == "[[Ada#Meetings]]"
    assert "[[Ada#Clippings]]" not in found
    assert (
        keeper.ask(AskParams("What is Ada's phone?")).evidence[0].snippet.text
        == "kind: person · phone: 555 1234"
    )


def test_a_note_without_anything_is_found_by_its_name_only(keeper: Keeper) -> None:
    assert asked(keeper, "Empty")[0] == "[[Empty]]"
    assert "[[Empty]]" not in asked(keeper, "Who painted the gate?")


def test_the_words_of_a_day_do_not_bring_up_its_empty_headings(keeper: Keeper) -> None:
    assert asked(keeper, "What happened in June 2025?") == []


def test_what_came_with_the_vault_is_no_evidence(keeper: Keeper) -> None:
    question = "What should your agents always know, in short lines?"
    assert not [link for link in asked(keeper, question) if "MEMORY" in link]
    assert "[[MEMORY#Memory]]" in asked(keeper, "memory")
    assert "[[SKILL#Skills]]" in asked(keeper, "How is bread made?")


def test_templates_stand_behind_notes(keeper: Keeper) -> None:
    found = asked(keeper, "gate")
    assert found.index("[[Day]]") > found.index("[[Gate]]")


@pytest.mark.parametrize("question", ["Which airline flies to Lisbon?", "Which airline painted it?"])
def test_few_are_shown_that_are_only_near(keeper: Keeper, question: str) -> None:
    answer = keeper.ask(AskParams(question))
    near = [one for one in answer.evidence if set(one.hit.why.signals) == {"dense"}]
    assert 0 < len(near) <= MOST_NEAR
    assert answer.total == len(answer.evidence)


def test_starter_texts_are_those_of_the_vault_root() -> None:
    text = starter_files()["MEMORY.md"].decode().split("\n\n")[1]
    assert is_starter_text("MEMORY.md", text.replace("\n", " "))
    assert not is_starter_text("Notes/MEMORY.md", text)
    assert not is_starter_text("MEMORY.md", f"{text} Mine.")
