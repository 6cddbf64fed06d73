"""Which sentence answers: questions about a small vault of its own, by the kind of thing they ask for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from vaultkeeper.ask.params import AskParams
from vaultkeeper.config import Settings
from vaultkeeper.keeper import Keeper

NOTES = {
    "Choir/Choir.md": """# Choir

We rehearse in the old weaving mill. The heating there is loud, so we pause it during the quiet pieces.

## Rehearsals

Rehearsals are on Thursdays at 19:45. Doors open a quarter of an hour earlier.

## Money

The yearly fee is 84 euros. Students pay half of it. Anneke collects it in January.

## Board

| who | role |
| --- | --- |
| [[anneke-vos|Anneke]] | treasurer |
| [[jonas-feld|Jonas]] | conductor since 2024 |
""",
    "Choir/Programme.md": """# Programme

The spring concert is in St. Martin's church. We moved it there because the town hall has no piano.

What we sing:

- the Stanford motets
- three songs by Nadia Boulanger
- Ubi caritas, to end with

The altos rehearse the Boulanger every second Monday.
""",
    "Boat/Boat.md": """# Boat

The boat is called Kittiwake. She lies at pontoon 7 in Hindeloopen. Her mast is 9.2 metres high.

## Engine

Oil is changed every 150 hours. The impeller was replaced on 3 April 2025. It took the whole morning, about four hours.

## Mooring

~~The mooring costs 910 a year.~~ The mooring now costs 985 a year, since they built the new jetty.
""",
    "Boat/Log.md": """# Log

## Lemmer and back

Wind from the west, six knots at first. Bought [[tobias-krantz|Tobias]] a new lamp, since he lent us his for the trip.

## Enkhuizen

We turned around before the lock, since the forecast had become a gale. The lock keeper waved.
""",
    "Daily/2025-05-17.md": "Kittiwake went into the water. The crane came late, and Tobias brought cake.\n",
    "Daily/2025-06-02.md": "Sold the old sail to a school. They will make bags of it.\n",
    "entities/person/anneke-vos.md": """---
id: person:anneke-vos
kind: person
display_name: Anneke Vos
aliases: [Anneke]
---

Lives above the bakery in Sneek. Plays the double bass as well. Prefers letters to calls.
""",
    "entities/person/jonas-feld.md": """---
id: person:jonas-feld
kind: person
display_name: Jonas Feld
aliases: [Jonas]
---

Grew up in Lübeck. Collects tram tickets. Allergic to cats.
""",
    "entities/person/tobias-krantz.md": """---
id: person:tobias-krantz
kind: person
display_name: Tobias Krantz
aliases: [Tobias, Tobi, the sailmaker]
---

Makes sails in a shed behind the station. Has two daughters, Ida and Merle.
""",
    "People/Wim.md": "---\nkind: person\naliases: [Willem]\n---\nMy uncle. Mends accordions. Willem is no name for him.\n",
    "Daily/2025-06-03.md": "Willem lent us a cart.\n",
    "Year.md": "---\nstart: 2025-01-01\nend: 2025-12-31\n---\nThe year of the big repairs.\n",
    "Boat/Lamps.md": "Ordered ten ship lamps in Harlingen. They cost 14.80 euros a piece.\n",
    "Garden/Garden.md": """# Garden

## Beds

Six raised beds, each of them two metres long. Tomatoes stand under the glass.

## Who helps

Merle waters in July. Old Mr. Haverkamp prunes the pear tree.

## Slugs

We gave up on beer traps. Ducks from next door do the work now.
""",
    "笔记/搬家.md": "# 搬家\n\n新房子在河边的梧桐路。搬家公司收了两千三百元。我们六月十四日搬的家。因为电梯坏了，沙发只好留在楼下。\n",
    "笔记/乐队.md": "# 乐队\n\n鼓手是陈立。我们每周三晚上排练。排练室在地铁站旁边的地下室。\n",
}

CASES = [
    ("When are the choir's rehearsals?", "Thursdays at 19:45"),
    ("How much is the fee of the choir?", "84 euros"),
    ("Who collects the fee?", "Anneke collects"),
    ("Where does the choir rehearse?", "old weaving mill"),
    ("Why did the concert move?", "because the town hall has no piano"),
    ("Where is the spring concert?", "St. Martin"),
    ("Who is the treasurer?", "| treasurer |"),
    ("What is the boat called?", "Kittiwake"),
    ("How high is the mast?", "9.2 metres"),
    ("How often is the oil changed?", "every 150 hours"),
    ("When was the impeller replaced?", "3 April 2025"),
    ("How long did the impeller take?", "about four hours"),
    ("What does the mooring cost now?", "985 a year"),
    ("Why did we turn around before Enkhuizen?", "since the forecast had become a gale"),
    ("When did Kittiwake go into the water?", "Kittiwake went into the water"),
    ("What happened to the old sail?", "to a school"),
    ("Where does the treasurer of the choir live?", "above the bakery in Sneek"),
    ("Which animals is the conductor of the choir allergic to?", "Allergic to cats"),
    ("Where does the one who lent us his lamp make sails?", "behind the station"),
    ("How many daughters does the sailmaker have?", "two daughters"),
    ("How many raised beds are in the garden?", "Six raised beds"),
    ("Who prunes the pear tree?", "Haverkamp prunes"),
    ("Who waters the garden in July?", "Merle waters"),
    ("What do we do against slugs now?", "Ducks from next door"),
    ("How often do the altos rehearse the Boulanger?", "every second Monday"),
    ("Who is Willem?", "My uncle"),
    ("What is the garden?", "Six raised beds"),
    ("What is Tobi's sailcloth shed?", "shed behind the station"),
    ("What do the ship lamps cost?", "14.80 euros"),
    ("新房子在哪里？", "梧桐路"),
    ("搬家公司收了多少钱？", "两千三百元"),
    ("我们什么时候搬的家？", "六月十四日"),
    ("为什么沙发留在楼下？", "因为电梯坏了"),
    ("鼓手是谁？", "陈立"),
    ("排练室在哪里？", "地铁站旁边"),
]  # fmt: skip


@pytest.fixture(scope="module")
def keeper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keeper]:
    folder = tmp_path_factory.mktemp("answering")
    for path, text in NOTES.items():
        (folder / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "vault" / path).write_text(text, encoding="utf-8")
    keeper = Keeper(
        (folder / "vault").resolve(),
        folder / "index",
        Settings(embedder="none"),
        clock=lambda: datetime(2025, 7, 1, tzinfo=UTC),
    )
    keeper.sync()
    yield keeper
    keeper.close()


@pytest.mark.parametrize(("question", "answer"), CASES, ids=[question for question, _ in CASES])
def test_the_first_quote_answers(keeper: Keeper, question: str, answer: str) -> None:
    found = keeper.ask(AskParams(question))
    assert found.quotes
    assert answer in found.quotes[0].text, [quote.text for quote in found.quotes]


def test_words_that_stand_nowhere_are_named(keeper: Keeper) -> None:
    assert keeper.ask(AskParams("How many trombones does the choir have?")).notes == (
        "no_note_has:trombones",
    )
    assert keeper.ask(AskParams("Where does the choir rehearse?")).notes == ()
    assert keeper.ask(AskParams("trombones")).notes == ("words_not_found",)


def test_what_is_of_a_whole_year_did_not_happen_in_one_month_of_it(keeper: Keeper) -> None:
    assert [one.hit.note_path for one in keeper.ask(AskParams("What happened in May 2025?")).evidence] == [
        "Daily/2025-05-17.md"
    ]
    assert keeper.ask(AskParams("What happened in February 2025?")).evidence == ()
    whole = keeper.ask(AskParams("What happened in 2025?"))
    assert "Year.md" in [one.hit.note_path for one in whole.evidence]
    repairs = keeper.ask(AskParams("Which repairs were there in May 2025?"))
    assert "Year.md" in [one.hit.note_path for one in repairs.evidence]
