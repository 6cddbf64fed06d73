"""Resolves a name that a person typed to an entity.

Owns the guessing: how alike two names are, and when that is enough. It never chooses between two that are
close to each other, and it never writes.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from vaultkeeper.memory.folding import UNSPACED
from vaultkeeper.memory.nicknames import same_given_name
from vaultkeeper.memory.registry import Registry, fold_name
from vaultkeeper.types import Entity

THRESHOLD = 0.82
"""A guess below this score is none."""

MARGIN = 0.06
"""A guess must be better than the next entity by this much."""

_POOL = 60  # surfaces that are compared closely, by each of the quick measures
_UNSPACED = re.compile(f"[{UNSPACED}]")


class Candidate(NamedTuple):
    """An entity that a name may mean, with the best of its names; score in 0..1, comparable within one answer."""

    entity: Entity
    score: float
    surface: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a name was resolved to.

    Attributes:
        entity: Only with status `exact` or `fuzzy`.
        score: Of the best candidate; 1.0 when exact, 0.0 when there is none.
        candidates: Best first, then by id; at most one an entity. Filled with every status.
        status: `ambiguous`: several are exactly or about equally good. `none`: nothing is good enough.
    """

    entity: Entity | None
    score: float
    candidates: tuple[Candidate, ...]
    status: Literal["exact", "fuzzy", "ambiguous", "none"]


def resolve(registry: Registry, name: str, kind: str | None = None, limit: int = 5) -> Resolved:
    """Resolves an id, name, alias, e-mail address or handle, or something like it.

    An id or an exact name without regard to case is `exact`, unless two entities have it. Otherwise names
    are compared by edit distance without accents, parts of names, initials, short forms of given names and
    the local part of e-mail addresses; the best is taken when it reaches `THRESHOLD` and leads the next
    entity by `MARGIN`.

    Args:
        kind: Only entities of this kind.
        limit: How many candidates to name.
    """
    by_id = registry.find(name)
    if by_id is not None and kind in (None, by_id.kind):
        return Resolved(by_id, 1.0, (Candidate(by_id, 1.0, by_id.id),), "exact")
    exact = registry.find_named(name, kind)
    if exact:
        candidates = tuple(Candidate(entity, 1.0, name.strip()) for entity in exact)
        if len(exact) == 1:
            return Resolved(exact[0], 1.0, candidates, "exact")
        return Resolved(None, 1.0, candidates[:limit], "ambiguous")
    ranked = _ranked(registry, name, kind)
    candidates = tuple(ranked[:limit])
    if not ranked:
        return Resolved(None, 0.0, (), "none")
    best = ranked[0]
    if best.score < THRESHOLD:
        return Resolved(None, best.score, candidates, "none")
    if len(ranked) > 1 and best.score - ranked[1].score < MARGIN:
        return Resolved(None, best.score, candidates, "ambiguous")
    return Resolved(best.entity, best.score, candidates, "fuzzy")


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    """Lower case without accents and marks, single blanks."""
    decomposed = unicodedata.normalize("NFKD", fold_name(text))
    kept = "".join(char for char in decomposed if not unicodedata.combining(char))
    kept = kept.replace("ß", "ss").replace("ø", "o").replace("ł", "l").replace("æ", "ae")
    return " ".join(re.sub(r"[\W_]+", " ", unicodedata.normalize("NFC", kept).replace("'", "")).split())


def _surfaces(entity: Entity) -> list[tuple[str, str]]:
    """Names of an entity as shown and as compared."""
    shown = [entity.display_name, *entity.aliases]
    if not entity.path.startswith("entities/"):
        shown.append(entity.path.rpartition("/")[2].removesuffix(".md"))
    found = [(name, _plain(name)) for name in shown]
    found += [(email, _plain(email.partition("@")[0])) for email in entity.emails]
    found += [(handle.value, _plain(handle.value)) for handle in entity.handles]
    return [(name, plain) for name, plain in found if plain]


def _ranked(registry: Registry, name: str, kind: str | None) -> list[Candidate]:
    from rapidfuzz import fuzz, process

    at = name.strip().find("@")
    query = _plain(name.strip()[:at] if at > 0 else name)
    if not query:
        return []
    surfaces = [(entity, *pair) for entity in registry.entities_of(kind) for pair in _surfaces(entity)]
    plains = [plain for _, _, plain in surfaces]
    pool: set[int] = set()
    for scorer in (fuzz.ratio, fuzz.token_set_ratio, fuzz.partial_ratio):
        pool.update(index for _, _, index in process.extract(query, plains, scorer=scorer, limit=_POOL))
    words = query.split()
    for index, plain in enumerate(plains):
        first = plain.split(" ", 1)[0]
        if first[0] == words[0][0] or same_given_name(first, words[0]):
            pool.add(index)
    best: dict[str, Candidate] = {}
    for index in sorted(pool):
        entity, shown, plain = surfaces[index]
        score = round(similarity(query, plain), 4)
        if score > 0.4 and (entity.id not in best or score > best[entity.id].score):
            best[entity.id] = Candidate(entity, score, shown)
    return sorted(best.values(), key=lambda candidate: (-candidate.score, candidate.entity.id))


def similarity(query: str, name: str) -> float:
    """How alike a question and a name are, both plain; 0..1, 0.97 when they differ in accents and marks only.

    The constants order the reasons: a spelling mistake in a whole name (edit distance), an initial or a
    short form in a whole name (0.90), a part of a longer name (0.88), the name with more around it (0.86).
    A question of initials only is never enough.
    """
    from rapidfuzz import fuzz

    if query == name:
        return 0.97
    whole = max(fuzz.ratio(query, name), 0.98 * fuzz.token_sort_ratio(query, name)) / 100
    if min(len(query), len(name)) <= 3:
        whole *= 0.8  # one letter of three is another name
    if _UNSPACED.search(query) or _UNSPACED.search(name):
        short, long = sorted((query.replace(" ", ""), name.replace(" ", "")), key=len)
        if short == long:
            return 0.96
        if len(short) >= 2 and short in long:
            return max(whole, 0.88 if len(query) <= len(name) else 0.84)
        return whole
    return max(whole * 0.96, _by_words(query.split(), name.split()))


def _by_words(query: list[str], name: list[str]) -> float:
    from rapidfuzz import fuzz

    def alike(left: str, right: str) -> float:
        if left == right:
            return 1.0
        if (len(left) == 1 or len(right) == 1) and left[0] == right[0]:
            return 0.9
        if same_given_name(left, right):
            return 0.9
        ratio: float = fuzz.ratio(left, right) / 100
        return ratio if min(len(left), len(right)) >= 4 and ratio >= 0.8 else 0.0

    if len(query) == len(name):
        scores = [alike(left, right) for left, right in zip(query, name, strict=True)]
        if all(scores) and any(len(word) > 1 for word in query):
            return (
                0.90 + 0.06 * (min(scores) - 0.9) * 10
                if min(scores) >= 0.9
                else 0.95 * sum(scores) / len(scores)
            )
        return 0.0
    short, long = sorted((query, name), key=len)
    if not any(len(word) > 1 for word in query) or not any(len(word) > 1 for word in short):
        return 0.0
    taken: set[int] = set()
    total = 0.0
    spelt_out = False  # a lone initial is no part of a name
    for word in short:
        score, where = max(
            ((alike(word, other), -index) for index, other in enumerate(long) if index not in taken),
            default=(0.0, 0),
        )
        if not score:
            return 0.0
        taken.add(-where)
        total += score
        spelt_out = spelt_out or min(len(word), len(long[-where])) > 1
    if not spelt_out:
        return 0.0
    mean = total / len(short)
    if short is query:
        return 0.88 - (1 - mean) / 2
    return mean * (0.86 if len(short) > 1 else 0.6)
