import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vaultkeeper.vault.frontmatter import parse_properties
from vaultkeeper.vault.yaml_text import render_block_item, render_flow_item, render_scalar

RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.text(alphabet="ynoYNOes0123456789.-+:_eExTZ #'\"\\{}[],&*!|>%@`~=<?a\n\t"),
    st.sampled_from(
        ["Yes", "1:30", "0o7", "017", "1_0", ".5", "1e3", "<<", "=", "2026-04-13", "!x", "- a", "? a"]
    ),
)


@RELAXED
@given(TEXTS, st.sampled_from(["", "'", '"']))
def test_a_text_comes_back_from_both_versions_of_yaml(text, quote):
    written = render_scalar(text, quote)
    assert "\n" not in written
    for shape in ("k: {}", "k: [{}]", "k:\n  - {}", "k: {{a: {}}}"):
        source = shape.format(written)
        for value in (yaml.safe_load(source)["k"], parse_properties(source).properties["k"]):
            while not isinstance(value, str):
                assert isinstance(value, list | dict)
                (value,) = value if isinstance(value, list) else value.values()
            assert value == text


@RELAXED
@given(st.dictionaries(TEXTS.filter(bool), TEXTS, min_size=1, max_size=3))
def test_a_mapping_comes_back_in_both_styles(item):
    block = "k:\n" + render_block_item(item, "  ", "\n")
    flow = f"k: [{render_flow_item(item)}]"
    for source in (block, flow):
        assert yaml.safe_load(source) == {"k": [item]}
        assert parse_properties(source).properties == {"k": [item]}


@pytest.mark.parametrize("text", ["Mara Lindqvist", "张伟", "mara@x.org", "Zoë", "a-b_c.d/e (f)", "C++"])
def test_what_needs_no_quotes_gets_none(text):
    assert render_scalar(text) == text
