from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.memory.grove import DAY_MS, NOW_MS, Grove, prose
from vaultkeeper.memory.due import When, next_step
from vaultkeeper.memory.seal import Done, carry_out, load_nodes, tend_tree
from vaultkeeper.memory.tree import FANOUT, FLUSH_AGE_S, INPUT_TOKENS, MOST_LEAVES, QUIET_S, Tree
from vaultkeeper.vault.note import parse_note
from vaultkeeper.vault.tokens import approx_tokens


@pytest.fixture
def grove(tmp_path: Path) -> Grove:
    return Grove(tmp_path)


def test_below_the_budget_nothing_is_sealed(grove: Grove) -> None:
    grove.add(1, tokens=INPUT_TOKENS - 1)
    assert grove.tend().paths == []


def test_crossing_the_budget_seals_just_what_crosses_it(grove: Grove) -> None:
    for number in range(5):
        grove.add(number, tokens=INPUT_TOKENS // 4)
    [path] = grove.tend().sealed
    [node] = load_nodes(grove.root)
    assert node.path == path
    assert node.child_ids == tuple(f"{n:032x}" for n in range(4))
    assert [leaf.id for leaf in grove.tree().waiting()] == [f"{4:032x}"]
    assert (node.time_range_start_ms, node.time_range_end_ms) == (
        grove.leaves[f"{0:032x}"].start_ms,
        grove.leaves[f"{3:032x}"].end_ms,
    )
    grove.assert_sound()


def test_many_small_leaves_are_sealed_before_a_note_has_too_many_links(grove: Grove) -> None:
    for number in range(MOST_LEAVES + 1):
        grove.add(number, tokens=30)
    grove.tend()
    [node] = load_nodes(grove.root)
    assert len(node.child_ids) == MOST_LEAVES


def test_ten_nodes_of_a_level_become_one_above_and_nine_do_not(grove: Grove) -> None:
    for number in range(FANOUT - 1):
        grove.add(number, tokens=INPUT_TOKENS)
    grove.tend()
    assert grove.levels() == [9]
    grove.add(99, tokens=INPUT_TOKENS)
    grove.tend()
    assert grove.levels() == [10, 1]
    top = next(node for node in load_nodes(grove.root) if node.level == 2)
    below = [node for node in load_nodes(grove.root) if node.level == 1]
    assert {node.parent for node in below} == {top.name}
    assert set(top.child_ids) == {node.id for node in below}
    grove.assert_sound()


def test_the_cascade_climbs_as_far_as_it_must(grove: Grove) -> None:
    for number in range(111):
        grove.add(number, tokens=INPUT_TOKENS)
    grove.tend()
    assert grove.levels() == [111, 11, 1]
    assert grove.tend().paths == []
    grove.assert_sound()


def test_an_old_buffer_is_sealed_and_a_young_one_waits(grove: Grove) -> None:
    grove.add(1, arrived_ms=NOW_MS - FLUSH_AGE_S * 1000 + 1)
    assert grove.tend().paths == []
    grove.now_ms += 1
    grove.add(2, arrived_ms=NOW_MS)
    assert len(grove.tend().sealed) == 1
    assert len(next(iter(load_nodes(grove.root))).child_ids) == 2


def test_upper_buffers_are_never_forced(grove: Grove) -> None:
    for number in range(3):
        grove.add(number, tokens=INPUT_TOKENS)
    grove.now_ms += 365 * DAY_MS
    grove.tend(force=True)
    assert grove.levels() == [3]


def test_forcing_seals_what_waits_whatever_its_age(grove: Grove) -> None:
    grove.add(1)
    grove.tend(force=True)
    assert grove.levels() == [1]
    assert grove.tend(force=True).paths == []


def test_a_leaf_that_arrives_while_a_summary_is_written_waits_for_the_next(grove: Grove) -> None:
    for number in range(3):
        grove.add(number, tokens=INPUT_TOKENS // 3 + 1)
    tree = grove.tree()

    def writer(texts: object, limit: int) -> str:
        grove.add(50, tokens=7)
        return ""

    grove.bench.writer = writer
    tend_tree(tree, grove.bench, When(NOW_MS))
    grove.bench.writer = None
    assert grove.levels() == [1]
    assert [leaf.id for leaf in grove.tree().waiting()] == [f"{50:032x}"]
    grove.assert_sound()


def test_a_hole_among_the_inputs_is_no_child(grove: Grove) -> None:
    for number in range(3):
        grove.add(number, tokens=INPUT_TOKENS)
    del grove.texts[f"{1:032x}"]
    grove.tend()
    listed = [child for node in load_nodes(grove.root) for child in node.child_ids]
    assert sorted(listed) == [f"{0:032x}", f"{2:032x}"]


def test_without_any_input_nothing_is_sealed(grove: Grove) -> None:
    grove.add(1, tokens=INPUT_TOKENS)
    grove.texts.clear()
    assert grove.tend().paths == []


def test_an_edited_leaf_marks_its_summary_and_later_everything_above_is_written_again(grove: Grove) -> None:
    for number in range(FANOUT):
        grove.add(number, tokens=INPUT_TOKENS)
    grove.tend()
    before = {node.id: node for node in load_nodes(grove.root)}
    grove.remove(3)
    grove.add(
        300,
        tokens=INPUT_TOKENS,
        note="Log/3.md",
        text="The lighthouse burnt down. Nobody was hurt at all by the fire.",
    )
    done = grove.tend()
    assert (len(done.marked), done.rebuilt, done.sealed) == (1, [], [])
    [marked] = [node for node in load_nodes(grove.root) if node.stale]
    assert f"{3:032x}" in marked.child_ids
    grove.now_ms += QUIET_S * 1000
    done = grove.tend()
    assert len(done.rebuilt) == 2
    after = {node.id: node for node in load_nodes(grove.root)}
    assert after.keys() == before.keys()
    assert after[marked.id].child_ids == (f"{300:032x}",)
    assert "lighthouse" in after[marked.id].text
    assert not after[marked.id].stale
    grove.assert_sound()


def test_a_deleted_leaf_leaves_its_summary_and_an_empty_summary_goes(grove: Grove) -> None:
    for number in range(4):
        grove.add(number, tokens=INPUT_TOKENS // 2)
    grove.tend()
    assert grove.levels() == [2]
    grove.remove(0)
    grove.now_ms += DAY_MS
    assert len(grove.tend().rebuilt) == 1
    grove.remove(1)
    assert len(grove.tend().retired) == 1
    assert grove.levels() == [1]
    assert list((grove.root / ".trash").rglob("summary-*.md"))
    grove.assert_sound()


def test_a_renamed_note_keeps_its_place_and_a_models_words(grove: Grove) -> None:
    grove.bench.writer = lambda texts, limit: "The gauge was moved."
    grove.add(1, tokens=INPUT_TOKENS)
    grove.tend()
    grove.bench.writer = lambda texts, limit: pytest.fail("summarised twice")
    text = grove.texts[f"{1:032x}"]
    grove.remove(1)
    grove.add(77, tokens=INPUT_TOKENS, note="Log/other.md", text=text, arrived_ms=NOW_MS)
    grove.now_ms += DAY_MS
    assert len(grove.tend().rebuilt) == 1
    [node] = load_nodes(grove.root)
    assert node.child_ids == (f"{77:032x}",)
    assert node.children == ("Log/other",)
    assert (node.summary_by, node.text) == ("llm", "The gauge was moved.")


def test_new_parts_of_a_note_that_is_being_edited_are_kept_for_its_summary(grove: Grove) -> None:
    grove.add(1, tokens=INPUT_TOKENS, note="Log/a.md")
    grove.tend()
    grove.remove(1)
    for number in (2, 3):
        grove.add(number, tokens=INPUT_TOKENS, note="Log/a.md")
    assert grove.tend().sealed == []
    grove.now_ms += QUIET_S * 1000
    grove.tend()
    [node] = load_nodes(grove.root)
    assert node.child_ids == (f"{2:032x}", f"{3:032x}")


def test_a_summary_that_the_user_rewrote_keeps_their_words(grove: Grove) -> None:
    for number in range(2):
        grove.add(number, tokens=INPUT_TOKENS // 2)
    grove.tend()
    [node] = load_nodes(grove.root)
    file = grove.root / node.path
    head, mark, _ = file.read_text().partition("\n---\n")
    file.write_text(f"{head}{mark}\n# Mine\n\nThis is how it was.\n")
    grove.remove(1)
    grove.now_ms += DAY_MS
    grove.tend()
    [again] = load_nodes(grove.root)
    assert again.child_ids == (f"{0:032x}",)
    assert again.text == "This is how it was."
    assert file.read_text().endswith("\n# Mine\n\nThis is how it was.\n")
    grove.remove(0)
    grove.add(5, tokens=INPUT_TOKENS, note="Log/0.md")
    grove.now_ms += DAY_MS
    grove.tend()
    [again] = load_nodes(grove.root)
    assert again.text == "This is how it was."


@pytest.mark.parametrize("mine", ["蜜蜂\n".encode() + b"Caf\xe9\n", b"Mine\r\nToo", b"\n---\nkey: x\n---\n"])
def test_a_summary_that_the_user_rewrote_keeps_their_bytes(grove: Grove, mine: bytes) -> None:
    for number in range(2):
        grove.add(number, tokens=INPUT_TOKENS // 2)
    grove.tend()
    [node] = load_nodes(grove.root)
    file = grove.root / node.path
    head, mark, _ = file.read_bytes().partition(b"\n---\n")
    file.write_bytes(head + mark + mine)
    grove.remove(1)
    grove.now_ms += DAY_MS
    assert grove.tend().rebuilt == [node.path]
    assert file.read_bytes().partition(b"\n---\n")[2] == mine


@pytest.mark.parametrize("rewritten", [False, True])
def test_what_the_user_added_to_the_properties_of_a_summary_stays(grove: Grove, rewritten: bool) -> None:
    for number in range(2):
        grove.add(number, tokens=INPUT_TOKENS // 2)
    grove.tend()
    [node] = load_nodes(grove.root)
    file = grove.root / node.path
    text = file.read_text("utf-8").replace("aliases:\n", "aliases:\n  - My week\n", 1)
    text = text.replace("tags:\n", "rating: 5 # of 5\nnested:\n  - a: 'b'\ntags:\n  - keep/me\n", 1)
    file.write_text(text.partition("# L1")[0] + "Mine.\n" if rewritten else text, "utf-8")
    grove.remove(1)
    grove.now_ms += DAY_MS
    assert grove.tend().rebuilt == [node.path]
    again = file.read_text("utf-8")
    note = parse_note(node.path, again.encode())
    assert "\nrating: 5 # of 5\nnested:\n  - a: 'b'\n" in again
    assert "keep/me" in note.tags
    assert note.tags.count("level/L1") == 1
    assert note.aliases[1:] == ["My week"]
    assert note.problems == []
    assert grove.tend().paths == []


def test_a_summary_that_the_user_wrote_in_another_encoding_keeps_their_words(grove: Grove) -> None:
    for number in range(2):
        grove.add(number, tokens=INPUT_TOKENS // 2)
    grove.tend()
    [node] = load_nodes(grove.root)
    file = grove.root / node.path
    file.write_text(file.read_text() + "\n蜜蜂\n", "utf-16")
    grove.remove(1)
    grove.now_ms += DAY_MS
    assert grove.tend().rebuilt == [node.path]
    assert file.read_text("utf-8").endswith("\n蜜蜂\n")


def test_a_summary_that_the_user_deleted_comes_back_and_its_parent_follows(grove: Grove) -> None:
    for number in range(FANOUT):
        grove.add(number, tokens=INPUT_TOKENS)
    grove.tend()
    victim = next(node for node in load_nodes(grove.root) if node.level == 1)
    (grove.root / victim.path).unlink()
    grove.tend()
    assert grove.levels() == [10, 1]
    grove.assert_sound()


def test_a_leaf_in_two_summaries_is_taken_out_of_the_later_one(grove: Grove) -> None:
    for number in range(2):
        grove.add(number, tokens=INPUT_TOKENS)
    grove.tend()
    first, second = load_nodes(grove.root)
    file = grove.root / second.path
    file.write_text(
        file.read_text().replace(
            f'child_ids:\n  - "{second.child_ids[0]}"',
            f'child_ids:\n  - "{second.child_ids[0]}"\n  - "{first.child_ids[0]}"',
        )
    )
    assert len(grove.tree().parents[first.child_ids[0]]) == 2
    grove.tend(force=True)
    grove.assert_sound()


def test_a_new_version_of_a_document_gets_a_new_summary_and_the_old_one_goes(grove: Grove) -> None:
    def document(number: int, version: int) -> None:
        grove.add(number, tokens=200, note="sources/document/d/d.md", doc_id="d", version_ms=version)

    for number in (900, 901):
        document(number, 1)
    for number in range(10, 10 + FANOUT - 1):
        grove.add(number, tokens=INPUT_TOKENS)
    grove.tend(force=True)
    old = next(node for node in load_nodes(grove.root) if node.doc_id == "d")
    assert old.version_ms == 1
    grove.remove(901)
    document(902, 2)
    document(900, 2)
    file = grove.root / old.path
    file.write_text(file.read_text().replace("doc_id:", "superseded: true\ndoc_id:"))
    grove.tend()
    new = [node for node in load_nodes(grove.root) if node.doc_id == "d"]
    assert [(node.version_ms, node.superseded, node.child_ids) for node in new] == [
        (2, False, (f"{900:032x}", f"{902:032x}"))
    ]
    assert new[0].id != old.id
    assert grove.levels() == [FANOUT, 1]
    grove.assert_sound()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["add", "add", "add", "remove", "edit", "tend", "wait", "unlink"]),
            st.integers(0, 40),
        ),
        max_size=40,
    )
)
def test_any_history_ends_in_a_sound_tree_in_which_nothing_is_due(
    tmp_path_factory: pytest.TempPathFactory, history: list[tuple[str, int]]
) -> None:
    grove = Grove(tmp_path_factory.mktemp("grove"))
    fresh = 1000
    for verb, number in history:
        known = sorted(grove.leaves)
        if verb == "add":
            grove.add(fresh, tokens=INPUT_TOKENS // 3, note=f"Log/{number % 9}.md")
            fresh += 1
        elif verb == "remove" and known:
            grove.remove(int(known[number % len(known)], 16))
        elif verb == "edit" and known:
            old = grove.leaves[known[number % len(known)]]
            grove.remove(int(old.id, 16))
            grove.add(fresh, tokens=INPUT_TOKENS // 3, note=old.path, arrived_ms=grove.now_ms)
            fresh += 1
        elif verb == "unlink":
            notes = sorted((grove.root / "wiki").rglob("*.md"))
            if notes:
                notes[number % len(notes)].unlink()
        elif verb == "wait":
            grove.now_ms += DAY_MS
        elif verb == "tend":
            grove.tend()
    grove.tend(force=True)
    assert grove.tend(force=True).paths == []
    grove.assert_sound()
    listed = [child for node in load_nodes(grove.root) if node.level == 1 for child in node.child_ids]
    assert sorted(listed) == sorted(grove.leaves)


def test_the_same_leaves_give_the_same_notes_in_any_order(tmp_path: Path) -> None:
    for name, order in (("a", range(25)), ("b", reversed(range(25)))):
        one = Grove(tmp_path / name)
        for number in order:
            one.add(number, tokens=INPUT_TOKENS // 2)
        one.tend()
    first, second = Grove(tmp_path / "a").files(), Grove(tmp_path / "b").files()
    assert first == second
    assert len(first) == 13


def test_no_summary_says_more_than_half_of_what_is_below_it(grove: Grove) -> None:
    for number in range(40):
        grove.add(number, tokens=INPUT_TOKENS // 3)
    grove.add(90, text="Short.", tokens=INPUT_TOKENS)
    grove.tend()
    for node in load_nodes(grove.root):
        if node.level == 1:
            below = sum(approx_tokens(grove.texts[child]) for child in node.child_ids)
            assert approx_tokens(node.text) <= max(1, below // 2)


def test_each_sentence_names_the_child_that_says_it(grove: Grove) -> None:
    for number in range(6):
        grove.add(number, tokens=INPUT_TOKENS // 5)
    grove.tend()
    [node] = load_nodes(grove.root)
    lines = [line for line in (grove.root / node.path).read_text().splitlines() if line.startswith("- ")]
    assert lines
    for line in lines:
        sentence, _, link = line[2:].rpartition(" — ")
        number = int(link.split("|")[0].rpartition("/")[2].rstrip("]"))
        assert sentence in prose(number)


def test_nothing_is_due_in_an_empty_tree() -> None:
    assert next_step(Tree("notes:x", [], []), When(0)) is None


def test_levels_end_somewhere(grove: Grove, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vaultkeeper.memory.tree.MAX_LEVEL", 2)
    for number in range(100):
        grove.add(number, tokens=INPUT_TOKENS)
    grove.tend()
    assert grove.levels() == [100, 10]


def test_the_steps_come_one_at_a_time_and_seals_come_before_links(grove: Grove) -> None:
    for number in range(FANOUT):
        grove.add(number, tokens=INPUT_TOKENS)
    tree = grove.tree()
    kinds = []
    while (step := next_step(tree, When(NOW_MS))) is not None:
        kinds.append(type(step).__name__)
        carry_out(tree, step, grove.bench, Done())
    assert kinds == ["Seal"] * (FANOUT + 1) + ["Adopt"] * FANOUT
