"""Looking for entities in all chunks of a note at once finds what looking in each of them finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.index.vaults import Bench
from vaultkeeper.index import work
from vaultkeeper.index.mentions import find_occurrences
from vaultkeeper.memory.gazetteer import Gazetteer
from vaultkeeper.types import Entity

GAZETTEER = Gazetteer(
    [
        Entity(
            "person:mara", "person", "Mara Lindqvist", "entities/person/mara.md", aliases=["Mara", "李娜"]
        ),
        Entity("person:will", "person", "Will", "entities/person/will.md", emails=["will@x.org"]),
        Entity("person:sofia", "person", "ΣΟΦΊΑΣ", "people/s.md"),
        Entity(
            "project:c", "project", "Mara C++", "entities/project/c.md", aliases=["ice-cream shop", "Zoë"]
        ),
    ]
)
WORDS = st.sampled_from(
    "Mara Lindqvist mara C++ Will will will@x.org @will #tag (#tag) #Tag/sub http://x.org/#tag ice cream shop ice-cream "
    "李娜 ΣΟΦΊΑΣ σοφίας Zoe\u0308 Zoë İ [[mara|she]] [[mara]] . , _ Mara_x don't x#1234 \n \n\n".split(" ")
)
TEXTS = st.lists(WORDS, max_size=8).map(" ".join)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4), TEXTS, TEXTS)
def test_all_chunks_at_once_give_the_same_as_each(
    sections: list[tuple[str, str]], title: str, context: str
) -> None:
    chunks: list[tuple[object, ...]] = []
    links = []
    start = 0
    for seq, (anchor, body) in enumerate(sections):
        told = f"dates\n{context}" if seq == 0 else "dates"
        chunks.append((7 + seq, "id", 1, seq, title, anchor, body, told, anchor, 1, start, 0, 0, b"", 5, 6))
        at = body.find("[[mara")
        if at >= 0:
            links.append((start + at, "link", "mara", "entities/person/mara.md"))
        start += len(body) + 10
    if "[[mara" in context:
        links.append((0, "property", "mara", "entities/person/mara.md"))
    each = [row for chunk in chunks for row in find_occurrences([chunk], links, GAZETTEER)]
    assert sorted(find_occurrences(chunks, links, GAZETTEER)) == sorted(each)


@pytest.mark.parametrize("many", [0, 200])
def test_an_entity_that_is_read_after_the_notes_that_name_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    monkeypatch.setattr(work, "_MANY_NAMES", many)
    monkeypatch.setattr(work, "_WRITE_NOTES", 1)
    bench.write("a.md", "Zelda was here, and [[q|she]] spoke.\n\n# More\n\nAsk zelda@x.org.\n")
    bench.write("entities/person/mara.md", "---\nid: person:mara\ndisplay_name: Mara\n---\nKnows Zelda.\n")
    bench.write(
        "z/q.md", "---\nkind: person\nid: person:zelda\naliases: [Zelda]\nemails: [zelda@x.org]\n---\n"
    )
    query = (
        "SELECT path, seq, surface, mentions FROM occurrences JOIN chunks USING(chunk_pk) JOIN notes USING(note_pk) "
        "WHERE entity_id = 'person:zelda' AND path NOT LIKE 'z/%' ORDER BY path, seq"
    )
    expected = [
        ("a.md", 0, "Zelda", 2),
        ("a.md", 1, "zelda@x.org", 1),
        ("entities/person/mara.md", 0, "Zelda", 1),
    ]
    bench.sync()
    assert bench.rows(query) == expected
    bench.write("b.md", "Zelda again, who is new here.")
    bench.write(
        "z/q.md", "---\nkind: person\nid: person:zelda\naliases: [Zeldine]\nemails: [zelda@x.org]\n---\n"
    )
    bench.sync()
    assert [row[:3] for row in bench.rows(query)] == [("a.md", 0, "she"), ("a.md", 1, "zelda@x.org")]
    bench.assert_like_new()
