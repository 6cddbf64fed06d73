"""Finds registered names in a text.

Owns the matcher: it is built from the registry once and then asked for every text that is indexed and every
question. It reads no file and resolves no link. `memory.extract` merges what it finds with the mechanical
mentions.

What counts as a match
    - Names are the display name, every alias, the title of a note outside `entities/`, and handle values
      that are no plain word (`mara_l`). E-mail addresses and handles count where they stand as such
      (`mara@x.org`, `@mara`).
    - A name is compared word by word, without regard to case, on whole words: `Ann` is not found in
      `Annual`. Between two words white space (at most one line end) and hyphens are the same; other marks
      must be as in the name, except that a full stop may be missing (`J. Berg`, `J Berg`). Curly and
      straight apostrophes, composed and decomposed letters are the same. `Mara's` holds `Mara`; `don't`
      does not hold `Don`.
    - A name made of ordinary words only (`memory.common_words`, and all words of one or two letters) needs
      the capitals it is written with: `Will`, `May`, `AI`. Written in small letters, it may also begin with
      a capital.
    - A name with letters of a script that uses no blanks (Chinese, Japanese, Korean, Thai, Lao, Khmer,
      Burmese) is found anywhere in a text, from two letters on.
    - The leftmost match wins, of those that start together the longest.
    - A name that several entities share gives one mention for each of them, in the order of their ids:
      nothing is guessed and nothing is lost. `memory.registry` reports such names as problems.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from vaultkeeper.memory.common_words import COMMON_WORDS
from vaultkeeper.memory.folding import UNSPACED, fold, is_word_char, split_words
from vaultkeeper.memory.mechanical import find_at_mentions
from vaultkeeper.types import Entity, Mention

_UNSPACED = re.compile(f"[{UNSPACED}]")
_LOOSE = re.compile(r"[\s\-\u2010-\u2015\u00ad]+")
_IGNORED_NAMES = frozenset({"a", "i"})
_MAX_GAP = 8  # characters between two words of a name
_OPTIONAL_EDGE = ".,;:!?…'’\"“”()[]{}<>*_|/\\-–—@ "


class GazetteerDiff(NamedTuple):
    """What two gazetteers do not have in common.

    Attributes:
        phrases: Folded names (words joined by one blank; a Chinese name as it is) that may match otherwise
            than before: only texts that contain one of them have to be read again.
        addresses: E-mail addresses and handles, folded, of which the same holds.
        paths: Notes that became or ceased to be an entity, or changed their id: the same holds for texts
            that link to them.
    """

    phrases: frozenset[str]
    addresses: frozenset[str]
    paths: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.phrases or self.addresses or self.paths)


class _Form(NamedTuple):
    """One way to write the words of a key, ready to be compared."""

    entity_id: str
    seps: list[str]
    prefix: str
    suffix: str
    written: tuple[str, ...] | None


class _Unspaced(NamedTuple):
    """A name with letters of a script without blanks; `offset` is that of its first such letter."""

    folded: str
    offset: int
    entity_ids: tuple[str, ...]


def surfaces(entity: Entity) -> Iterator[str]:
    """The names of an entity that are looked for in texts, without its addresses."""
    if entity.display_name:
        yield entity.display_name
    yield from entity.aliases
    if not entity.path.startswith("entities/"):
        title = entity.path.rpartition("/")[2]
        yield title[:-3] if title[-3:].lower() == ".md" else title
    for handle in entity.handles:
        if not handle.value.isalpha() and "#" not in handle.value:
            yield handle.value.lstrip("@")


def _separator(between: str) -> str:
    """What must stand between two words: nothing for blanks and hyphens, else the marks."""
    return _LOOSE.sub("", between)


def _same_separators(have: list[str], want: list[str]) -> bool:
    return all(here == there or (there == "." and not here) for here, there in zip(have, want, strict=True))


def _form(name: str, words: list[str], entity_id: str) -> _Form:
    folded = fold(name)[0]
    seps: list[str] = []
    pieces: list[str] = []
    end = 0
    prefix = ""
    for number, word in enumerate(words):
        start = folded.index(word, end)
        if number:
            seps.append(_separator(folded[end:start].replace("’", "'")))
        else:
            prefix = folded[:start]
        end = start + len(word)
        pieces.append(name[start:end] if len(folded) == len(name) else word)
    prefix = prefix.strip().lstrip("@#([{\"'*_“‘").strip()
    suffix = folded[end:].rstrip(_OPTIONAL_EDGE)
    ordinary = all(len(word) <= 2 or word in COMMON_WORDS for word in words) and not suffix and not prefix
    return _Form(entity_id, seps, prefix, suffix, tuple(pieces) if ordinary else None)


class Gazetteer:
    """Names of the registry, compiled for search.

    Building costs about 5 µs a name; what a name needs to be compared in detail is prepared when its words
    are first met.

    Args:
        entities: Two with one id count as one.
    """

    def __init__(self, entities: Iterable[Entity]) -> None:
        self.paths: dict[str, str] = {}
        self._addresses: dict[str, set[str]] = {}
        self._names: dict[str, set[tuple[str, str]]] = {}
        self._lengths: dict[str, tuple[int, ...]] = {}
        self._reach: dict[str, int] = {}
        self._forms: dict[str, list[_Form]] = {}
        self._unspaced_names: dict[str, set[str]] = {}
        self._unspaced: dict[str, list[_Unspaced]] | None = None
        self._unspaced_heads: re.Pattern[str] | None = None
        for entity in sorted(entities, key=lambda entity: (entity.id, entity.path)):
            self._add(entity)
        self._heads = frozenset(self._lengths)

    def _add(self, entity: Entity) -> None:
        self.paths[entity.path] = entity.id
        for email in entity.emails:
            self._addresses.setdefault(email.strip().lower(), set()).add(entity.id)
        for handle in entity.handles:
            value = handle.value.strip().lstrip("@").lower()
            if value:
                self._addresses.setdefault(value if "#" in value else "@" + value, set()).add(entity.id)
        for name in surfaces(entity):
            self._add_name(name, entity.id)

    def _add_name(self, name: str, entity_id: str) -> None:
        folded = name.lower() if name.isascii() else fold(name)[0]
        if not folded.isascii() and _UNSPACED.search(folded):
            folded = folded.strip()
            for form in {folded, "".join(folded.split()) if not re.search("[a-z]", folded) else folded}:
                if len(form) > 1:
                    self._unspaced_names.setdefault(form, set()).add(entity_id)
            return
        words = split_words(folded)
        key = " ".join(words)
        if not words or key in _IGNORED_NAMES:
            return
        names = self._names.get(key)
        if names is None:
            self._names[key] = {(name, entity_id)}
            lengths = self._lengths.get(words[0], ())
            if len(words) not in lengths:
                self._lengths[words[0]] = tuple(sorted((*lengths, len(words)), reverse=True))
            # One more than a name can take up, so that a word that is cut off is no part of it.
            reach = len(key) + (_MAX_GAP - 1) * (len(words) - 1) + 1 if len(words) > 1 else 0
            if reach > self._reach.get(words[0], -1):
                self._reach[words[0]] = reach
        else:
            names.add((name, entity_id))

    def names(self) -> dict[str, tuple[str, ...]]:
        """Folded names with the ids they stand for, sorted: words joined by one blank; a Chinese name as it is.

        A text that mentions the entity by that name contains the words in this order, so a phrase query in
        the full-text index (or a substring search for names without blanks) finds a superset of the texts
        concerned.
        """
        found = {key: tuple(sorted({owner for _, owner in names})) for key, names in self._names.items()}
        found.update((key, tuple(sorted(owners))) for key, owners in self._unspaced_names.items())
        return dict(sorted(found.items()))

    def addresses(self) -> dict[str, tuple[str, ...]]:
        """E-mail addresses, `@handles` and `name#1234`, folded, with the ids they stand for."""
        return {key: tuple(sorted(owners)) for key, owners in sorted(self._addresses.items())}

    def knows(self, address: str) -> bool:
        """True when somebody has this e-mail address or handle."""
        return address.lower() in self._addresses

    def owners(self, address: str) -> tuple[str, ...]:
        """The ids that an e-mail address, `@handle` or `name#1234` stands for; empty when nobody has it."""
        return tuple(sorted(self._addresses.get(address.lower(), ())))

    def find(self, text: str) -> list[Mention]:
        """Finds registered names and addresses.

        Returns:
            Mentions that do not overlap, except that a shared name gives one a entity; sorted by start and id.
        """
        found = list(self.find_names(text))
        for mention in find_at_mentions(text):
            found += promote(self, mention)
        return leftmost_longest(found)

    def find_names(self, text: str) -> list[Mention]:
        """Finds names without addresses: all candidates, of those that start together the longest; not yet sorted."""
        low, offsets = fold(text)
        words = split_words(low)
        found: list[tuple[int, int, tuple[str, ...]]] = []
        heads = self._heads.intersection(words)
        if heads:
            found = self._find_spaced(text, low, offsets, heads)
        if self._unspaced_names and not low.isascii():
            found += self._find_unspaced(low)
        if not found:
            return []
        mentions: list[Mention] = []
        for start, end, owners in found:
            if offsets is not None:
                start, end = offsets[start], offsets[end]
            surface = text[start:end]
            mentions += [Mention(owner, owner.partition(":")[0], surface, start, end) for owner in owners]
        return mentions

    def _find_spaced(
        self, text: str, low: str, offsets: list[int] | None, heads: Iterable[str]
    ) -> list[tuple[int, int, tuple[str, ...]]]:
        """Compares what follows each of these first words with the names that begin so."""
        found: list[tuple[int, int, tuple[str, ...]]] = []
        names = self._names
        for head in heads:
            lengths = self._lengths[head]
            reach = self._reach[head]
            size = len(head)
            start = low.find(head)
            while start >= 0:
                end = start + size
                if not ((start and is_word_char(low[start - 1])) or is_word_char(low[end : end + 1])):
                    words = split_words(low[start : start + reach]) if reach else [head]
                    for length in lengths:
                        key = " ".join(words[:length]) if length > 1 else head
                        if length > len(words) or key not in names:
                            continue
                        spans = [(start, end)]
                        for word in words[1:length]:
                            at = low.index(word, spans[-1][1])
                            spans.append((at, at + len(word)))
                        match = self._verify(key, text, low, spans, offsets)
                        if match:
                            found.append(match)
                            break
                start = low.find(head, end)
        return found

    def _verify(
        self, key: str, text: str, low: str, spans: list[tuple[int, int]], offsets: list[int] | None
    ) -> tuple[int, int, tuple[str, ...]] | None:
        forms = self._forms.get(key)
        if forms is None:
            words = key.split(" ")
            forms = self._forms[key] = [
                _form(unicodedata.normalize("NFC", name), words, owner)
                for name, owner in sorted(self._names[key])
            ]
        start, end = spans[0][0], spans[-1][1]
        if (start > 1 and low[start - 1] == "_" and is_word_char(low[start - 2])) or (
            low[end : end + 1] == "_" and is_word_char(low[end + 1 : end + 2])
        ):
            return None  # part of a_longer_identifier; `_Mara_` is emphasis
        if low[end : end + 2] in ("'t", "’t") and not is_word_char(low[end + 2 : end + 3]):
            return None
        seps: list[str] = []
        for left, right in pairwise(spans):
            gap = low[left[1] : right[0]]
            if gap != " " and (len(gap) > _MAX_GAP or gap.count("\n") > 1):
                return None
            seps.append("" if gap == " " else _separator(gap.replace("’", "'")))
        best: tuple[int, int] | None = None
        owners: list[str] = []
        for form in forms:
            if seps != form.seps and not _same_separators(seps, form.seps):
                continue
            if form.prefix and low[max(0, start - len(form.prefix)) : start] != form.prefix:
                continue
            if form.suffix and not low.startswith(form.suffix, end):
                continue
            if form.written is not None and not _as_written(form.written, text, spans, offsets):
                continue
            span = (start - len(form.prefix), end + len(form.suffix))
            if best is None or span[1] - span[0] > best[1] - best[0]:
                best, owners = span, [form.entity_id]
            elif span == best and form.entity_id not in owners:
                owners.append(form.entity_id)
        return (*best, tuple(sorted(owners))) if best else None

    def _find_unspaced(self, low: str) -> list[tuple[int, int, tuple[str, ...]]]:
        if self._unspaced is None:
            self._unspaced = _compile_unspaced(self._unspaced_names)
            self._unspaced_heads = re.compile(f"[{''.join(sorted({key[0] for key in self._unspaced}))}]")
        assert self._unspaced_heads is not None
        found: list[tuple[int, int, tuple[str, ...]]] = []
        for head in self._unspaced_heads.finditer(low):
            at = head.start()
            for key in (low[at : at + 2], low[at]):
                for name in self._unspaced.get(key, ()):
                    start = at - name.offset
                    end = start + len(name.folded)
                    if (
                        start >= 0
                        and low.startswith(name.folded, start)
                        and not (start and is_word_char(low[start]) and is_word_char(low[start - 1]))
                        and not (is_word_char(low[end - 1]) and is_word_char(low[end : end + 1]))
                    ):
                        found.append((start, end, name.entity_ids))
        return found


def _as_written(
    written: tuple[str, ...], text: str, spans: list[tuple[int, int]], offsets: list[int] | None
) -> bool:
    if offsets is not None:
        spans = [(offsets[start], offsets[end]) for start, end in spans]
    pieces = tuple(text[start:end] for start, end in spans)
    if offsets is not None:
        pieces = tuple(unicodedata.normalize("NFC", piece) for piece in pieces)
    if pieces == written:
        return True
    capital = written[0][:1].upper() + written[0][1:]
    return all(word.islower() for word in written) and pieces == (capital, *written[1:])


def _compile_unspaced(names: dict[str, set[str]]) -> dict[str, list[_Unspaced]]:
    compiled: dict[str, list[_Unspaced]] = {}
    for folded in sorted(names, key=lambda name: (-len(name), name)):
        head = _UNSPACED.search(folded)
        assert head is not None
        key = folded[head.start() : head.start() + 2]
        compiled.setdefault(key, []).append(_Unspaced(folded, head.start(), tuple(sorted(names[folded]))))
    return compiled


def promote(gazetteer: Gazetteer, mention: Mention) -> list[Mention]:
    """The registered owners of an e-mail address or handle, as mentions at its place; empty when it has none."""
    return [
        Mention(owner, owner.partition(":")[0], mention.surface, mention.start, mention.end)
        for owner in gazetteer.owners(mention.surface)
    ]


def leftmost_longest(mentions: Iterable[Mention]) -> list[Mention]:
    """Drops mentions that overlap an earlier or, starting together, a longer one; equal spans all stay.

    Returns:
        Sorted by start and id, each once.
    """
    kept: list[Mention] = []
    for mention in sorted(
        set(mentions), key=lambda mention: (mention.start, -mention.end, mention.entity_id)
    ):
        last = kept[-1] if kept else None
        if (
            last is None
            or mention.start >= last.end
            or (mention.start, mention.end) == (last.start, last.end)
        ):
            kept.append(mention)
    return kept


def diff(old: Gazetteer, new: Gazetteer) -> GazetteerDiff:
    """Compares two gazetteers; swapping them gives the same."""
    phrases = {
        key for key in old._names.keys() | new._names.keys() if old._names.get(key) != new._names.get(key)
    }
    phrases |= {
        key
        for key in old._unspaced_names.keys() | new._unspaced_names.keys()
        if old._unspaced_names.get(key) != new._unspaced_names.get(key)
    }
    addresses = {
        key
        for key in old._addresses.keys() | new._addresses.keys()
        if old._addresses.get(key) != new._addresses.get(key)
    }
    paths = {
        path for path in old.paths.keys() | new.paths.keys() if old.paths.get(path) != new.paths.get(path)
    }
    return GazetteerDiff(frozenset(phrases), frozenset(addresses), frozenset(paths))
