from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.errors import RefusedError, UsageError
from vaultkeeper.importers.item import check_source, scope_of, source_slug
from vaultkeeper.vault.paths import safe_name


def test_a_plain_id_is_its_own_folder() -> None:
    assert source_slug("hd7-gauge-manual") == "hd7-gauge-manual"
    assert scope_of("document", "root_releases") == "document:root_releases"


@given(st.text(min_size=1, max_size=300), st.text(min_size=1, max_size=300))
def test_two_sources_never_share_a_folder(one: str, other: str) -> None:
    assert (source_slug(one) == source_slug(other)) == (one == other)
    assert safe_name(source_slug(one), "") == source_slug(one)


def test_an_id_must_be_one_and_no_secret() -> None:
    assert check_source("gmail:a|b", "email") == "email"
    with pytest.raises(UsageError, match="kinds are document, chat, email"):
        check_source("x", "song")
    with pytest.raises(UsageError):
        check_source("  ", "chat")
    with pytest.raises(RefusedError):
        check_source("gh" + "p_" + "x9Kq2mVw7Lr4Tz8Bn3Hs6Jd1Fg5Yc0PaQe2R", "document")
