from __future__ import annotations

import pytest

from tests.retrieval.woods import Woods, ms
from vaultkeeper.retrieval.params import ListSourcesParams
from vaultkeeper.retrieval.sources import SourceInfo, display_name, list_sources, may_see, source_kind_of


@pytest.mark.parametrize(
    ("scope", "kind"),
    [
        ("conversations:agent", "chat"), ("episodic:s1", "chat"), ("chat:team", "chat"), ("slack:general", "chat"),
        ("email:a", "email"), ("gmail:a|b", "email"), ("document:manual", "document"), ("notion:x", "document"),
        ("notes:Projects", "document"), ("notes:", "document"), ("slacker", "document"),
    ],
)  # fmt: skip
def test_kinds(scope: str, kind: str) -> None:
    assert source_kind_of(scope) == kind


@pytest.mark.parametrize(
    ("scope", "hint", "name"),
    [
        ("notes:Projects", None, "Projects"), ("notes:", None, "Notes at the top"), ("conversations:agent", None, "Conversations"),
        ("gmail:a@x.org|b@x.org", "A@X.org", "b@x.org"), ("gmail:a@x.org|b@x.org", None, "a@x.org ↔ b@x.org"),
        ("gmail:a@x.org|b@x.org", "c@x.org", "a@x.org ↔ b@x.org"), ("plain", None, "plain"),
    ],
)  # fmt: skip
def test_names(scope: str, hint: str | None, name: str) -> None:
    assert display_name(scope, hint) == name


def test_scope_exact_id_prefix_no_smear_untagged_fail_open() -> None:
    allowed = frozenset({"slack:a", "crm"})
    assert may_see("slack:a", allowed)
    assert not may_see("slack:ab", allowed)
    assert may_see("mem_src:crm:1", allowed)
    assert not may_see("mem_src:crmx:1", allowed)
    assert may_see("notes:Projects", frozenset())
    assert may_see("conversations:agent", frozenset())
    assert not may_see("email:x", frozenset())
    assert may_see("email:x", None)


def test_sources_are_listed_newest_first(woods: Woods) -> None:
    woods.note("Projects/A.md", "The tides of the sea.", "2026-03-01T12:00:00Z")
    woods.note("Projects/B.md", "The tides of the river.", "2026-03-02T12:00:00Z")
    woods.note("episodic/s1/000000.md", "We talked about bread.", "2026-03-05T12:00:00Z")
    woods.note("episodic/s2/000000.md", "We talked about honey.", "2026-02-05T12:00:00Z")
    woods.note("sources/email/m/1.md", "A mail.", "2026-01-05T12:00:00Z")
    woods.sync()
    assert list_sources(woods.corpus, ListSourcesParams()) == (
        SourceInfo("conversations:agent", "Conversations", "chat", 2, ms("2026-03-05T12:00:00")),
        SourceInfo("notes:Projects", "Projects", "document", 2, ms("2026-03-02T12:00:00")),
        SourceInfo("email:m", "m", "email", 1, ms("2026-01-05T12:00:00")),
    )
    woods.sources = frozenset()
    assert [row.source_id for row in list_sources(woods.corpus, ListSourcesParams())] == [
        "conversations:agent",
        "notes:Projects",
    ]
