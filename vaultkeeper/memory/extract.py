"""The one extractor of mentions, for notes and for questions.

Owns how registered names, links and mechanical mentions are merged. It reads no file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import itemgetter

from vaultkeeper.memory.folding import UNSPACED
from vaultkeeper.memory.gazetteer import Gazetteer, promote
from vaultkeeper.memory.mechanical import find_mechanical
from vaultkeeper.types import Mention

_BY_START_AND_ID = itemgetter(3, 0)
_WIKILINK = re.compile(r"!?\[\[([^\[\]\n|]*)(?:\|([^\[\]\n]*))?\]\]")
_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\(<?[^()\n]*>?\)")
_UNSPACED = re.compile(f"[{UNSPACED}]")


def extract(
    text: str, gazetteer: Gazetteer, links: Sequence[tuple[int, str]] = (), parts: Sequence[int] = ()
) -> list[Mention]:
    """Finds all that a text mentions.

    - A link to the note of an entity is a mention of it, whatever its label says; nothing else is looked
      for inside.
    - An e-mail address or handle that somebody in the registry has is a mention of its owner instead.
    - Of overlapping mentions the leftmost, then the longest stays: a name inside an address or URL is none.
      A name that is all there is behind `#` or `@` stays beside the hashtag or handle.
    - `hashtag:` and its `topic:` share a place, and so do the owners of a shared name.

    Args:
        links: Offset in `text` of each link's first `[` (or of the `!` before it) with the path of the note
            that it resolves to.
        parts: Where each part but the first begins, when several texts are looked through at once: with two empty
            lines before each, every mention is what it would be in its part alone.

    Returns:
        Sorted by start, then longest first, then id; each once.
    """
    found = gazetteer.find_names(text)
    if "@" in text or "#" in text or "://" in text:
        for mention in find_mechanical(text, parts):
            if gazetteer.knows(mention.surface):
                found += promote(gazetteer, mention)
            else:
                found.append(mention)
    linked = _linked(text, gazetteer, links) if links else []
    if not linked:
        if len(found) < 2:
            return found
        found.sort(key=_BY_START_AND_ID)
        if _are_apart(found):
            return found
    return _merge(found, linked)


def _linked(
    text: str, gazetteer: Gazetteer, links: Sequence[tuple[int, str]]
) -> list[tuple[int, int, Mention]]:
    """Mentions by link, with the extent of the whole link."""
    spans: list[tuple[int, int, Mention]] = []
    for start, path in links:
        entity_id = gazetteer.paths.get(path)
        if entity_id is None:
            continue
        match = _WIKILINK.match(text, start)
        if match:
            group = 2 if (match[2] or "").strip() else 1
        else:
            match = _MARKDOWN_LINK.match(text, start)
            group = 1
        if match and match[group]:
            kind = entity_id.partition(":")[0]
            mention = Mention(entity_id, kind, match[group], match.start(group), match.end(group))
            spans.append((match.start(), match.end(), mention))
    return spans


def _are_apart(found: list[Mention]) -> bool:
    """True when none of the mentions, sorted, overlaps another one, but for those of other ids at the same place."""
    last_start = last_end = -1
    last_id = ""
    for entity_id, _, _, start, end in found:
        if start < last_end and (start != last_start or end != last_end or entity_id == last_id):
            return False
        last_start, last_end, last_id = start, end, entity_id
    return True


def _merge(found: list[Mention], linked: list[tuple[int, int, Mention]]) -> list[Mention]:
    spans = linked + [(mention.start, mention.end, mention) for mention in set(found)]
    spans.sort(key=lambda span: (span[0], -span[1], span[2].entity_id))
    kept: list[Mention] = []
    last: tuple[int, int, Mention] | None = None
    inner_end = -1
    for span in spans:
        start, end, mention = span
        if last is None or start >= last[1] or (start, end) == last[:2]:
            kept.append(mention)
            last, inner_end = span, -1
        elif last[2].kind in ("hashtag", "topic", "handle") and end <= last[1] and start >= inner_end:
            body = last[2].surface
            whole = start == last[0] + 1 and end == last[1]
            if whole or (body[:1] in "#@" and _UNSPACED.search(mention.surface)):
                kept.append(mention)
                inner_end = start if whole else end
    kept.sort(key=lambda mention: (mention.start, mention.start - mention.end, mention.entity_id))
    return kept
