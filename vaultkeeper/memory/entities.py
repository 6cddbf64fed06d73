"""Reads an entity from its note.

Owns which notes are registry notes and what their properties mean. It never raises on what stands in a
note: what cannot be used becomes a `Problem` and is left out.

A note declares an entity when it lies in
    - `entities/<kind>/`: always;
    - a folder that the configuration maps to a kind: unless its `kind:` says that it is something else;
    - any other place, if it has a `kind:` of the list below and looks like an entity: for kinds that
      everyday notes use for other things too (event, topic, datetime, …) it must have an id, a display
      name, aliases or an address as well.
Notes that the program writes (`episodic/`, `wiki/`, `profile/`, `memory/`, `sources/`) and templates never do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from vaultkeeper.memory.canonical import SEMANTIC_KINDS, canonical_id, semantic_kind, split_id
from vaultkeeper.types import Entity, Handle, Note, Problem

# Kinds that alone make a note outside `entities/` an entity.
_PLAIN_KINDS = frozenset({"person", "organization", "location", "product", "technology"})
_PROGRAM_FOLDERS = ("episodic/", "wiki/", "profile/", "memory/", "sources/")
_NO_ENTITY_NAMES = frozenset({"readme", "index", "_index"})
_EMAIL = re.compile(r"[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;.]+")
_PLACEHOLDER = re.compile(r"\{\{|<%")


def is_email(text: str) -> bool:
    """Whether a text is an e-mail address, as far as its form tells."""
    return _EMAIL.fullmatch(text) is not None


class _Reader:
    """Properties of one note by folded key, with its problems."""

    def __init__(self, note: Note) -> None:
        self.note = note
        self.properties = {str(key).strip().lower(): value for key, value in note.properties.items()}
        self.problems: list[Problem] = []

    def get(self, *keys: str) -> object:
        for key in keys:
            value = self.properties.get(key)
            if value is not None:
                return value
        return None

    def complain(self, code: str, key: str, message: str) -> None:
        self.problems.append(Problem(self.note.path, self._line(key), code, message))

    def _line(self, key: str) -> int | None:
        head = self.note.text[: self.note.body_start]
        match = re.search(rf"(?im)^[ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*:", head)
        return head.count("\n", 0, match.start()) + 1 if match else None

    def text(self, key: str) -> str:
        value = self.get(key)
        if value is None:
            return ""
        text = _scalar(value)
        if text is None:
            self.complain("entity-field-invalid", key, f"Write `{key}` as one text; it is left out.")
        return text or ""

    def texts(self, *keys: str) -> list[str]:
        """The texts of a list, or of a single value, each once without regard to case."""
        found: dict[str, str] = {}
        for key in keys:
            value = self.properties.get(key)
            for item in value if isinstance(value, list) else [value]:
                if item is None:
                    continue
                text = _scalar(item)
                if text is None:
                    self.complain(
                        "entity-field-invalid", key, f"Write each of `{key}` as a text; one is left out."
                    )
                elif text:
                    found.setdefault(text.lower(), text)
        return list(found.values())


def _scalar(value: object) -> str | None:
    """A text, number or date as text; None for everything else."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return str(value)
    isoformat = getattr(value, "isoformat", None)
    return str(isoformat()) if isoformat else None


def _emails(reader: _Reader) -> list[str]:
    found: dict[str, str] = {}
    for text in reader.texts("emails", "email"):
        for part in re.split(r"[,;\s]+", text):
            email = part.removeprefix("mailto:").strip("<>")
            if is_email(email):
                found.setdefault(email.lower(), email)
            elif email:
                reader.complain(
                    "entity-email-invalid", "emails", f"{part!r} is no e-mail address; it is left out."
                )
    return list(found.values())


def _handle_items(value: object) -> Iterator[tuple[object, object]]:
    """Pairs of kind and value in all the ways in which people write them; the kind is None where there is none."""
    if isinstance(value, list):
        for item in value:
            yield from _handle_items(item)
    elif isinstance(value, Mapping):
        folded = {str(key).strip().lower(): item for key, item in value.items()}
        if "value" in folded:
            yield folded.get("kind"), folded["value"]
        else:
            yield from folded.items()
    elif isinstance(value, str) and ":" in value and "://" not in value:
        kind, _, name = value.partition(":")
        yield kind, name
    elif value is not None:
        yield None, value


def _handles(reader: _Reader) -> list[Handle]:
    found: dict[tuple[str, str], Handle] = {}
    for key in ("handles", "handle"):
        for kind, value in _handle_items(reader.properties.get(key)):
            name = _scalar(value)
            label = "handle" if kind is None else _scalar(kind)
            if not name or not label or not name.lstrip("@"):
                reader.complain(
                    "entity-field-invalid",
                    key,
                    "Write a handle as `kind: …` and `value: …`; one is left out.",
                )
                continue
            handle = Handle(label.strip().lower(), name.strip().lstrip("@"))
            found.setdefault((handle.kind, handle.value.lower()), handle)
    return list(found.values())


def _folder_kind(path: str, people_folders: Mapping[str, str]) -> tuple[str | None, bool]:
    """The kind that a folder gives, and whether the folder is one of `entities/`."""
    if path.startswith("entities/"):
        parts = path.split("/")
        return (parts[1] if len(parts) > 2 else None), True
    best: str | None = None
    longest = -1
    for folder, kind in people_folders.items():
        prefix = folder.strip("/")
        inside = not prefix or path.startswith(prefix + "/")
        folder_note = path.lower() == f"{prefix}/{prefix.rpartition('/')[2]}.md".lower()
        if inside and not folder_note and len(prefix) > longest:
            best, longest = kind, len(prefix)
    return best, False


def is_template(path: str) -> bool:
    """Returns whether a note lies in a folder of templates, such as `Templates/` or `90 Templates/`."""
    return any(
        re.sub(r"[^a-z]", "", part.lower()) in ("template", "templates") for part in path.split("/")[:-1]
    )


def _default_name(note: Note, kind: str) -> str:
    name = note.name
    if note.path.startswith("entities/"):
        name = name.removeprefix(f"{kind}_")
    return name.strip()


def _kind(reader: _Reader, people_folders: Mapping[str, str]) -> str | None:
    """The kind of the entity that a note declares, or None when it declares none."""
    note = reader.note
    folder, registry = _folder_kind(note.path, people_folders)
    stated = reader.get("kind")
    word = _scalar(stated) if stated is not None else None
    raw_id = reader.get("id")
    named = split_id(raw_id) if isinstance(raw_id, str) else None
    own = named[0] if named and named[0] in SEMANTIC_KINDS else None
    if registry:
        if folder is None and word is None and own is None:
            return None
        kind = own or semantic_kind(word or "") or semantic_kind(folder or "")
        if kind is None:
            reader.complain("entity-kind-unknown", "kind", f"{word or folder!r} is no kind; `misc` is used.")
            kind = "misc"
        elif own and any(semantic_kind(other or "") not in (own, None) for other in (word, folder)):
            reader.complain("entity-kind-mismatch", "id", f"The id says {own!r}; it is followed.")
        return kind
    if folder is not None:
        if word is not None and word and semantic_kind(word) is None:
            return None
        return own or semantic_kind(word or "") or semantic_kind(folder) or "misc"
    if word is None or word.lower() not in SEMANTIC_KINDS:
        return None
    kind = own or word.lower()
    if kind not in _PLAIN_KINDS and not own:
        signs = ("display_name", "aliases", "emails", "email", "handles", "handle")
        if not any(reader.properties.get(sign) for sign in signs):
            return None
    return kind


def read_entity(
    note: Note, people_folders: Mapping[str, str] | None = None
) -> tuple[Entity | None, list[Problem]]:
    """Reads the entity that a note declares.

    A missing id is made from kind and name; `display_name` defaults to the title. Numbers and dates count
    as text. `emails` may be a text or a list; `handles` a list of `{kind, value}`, of `github: mara`, of
    texts such as `github:mara` or `@mara`, or a mapping.

    Args:
        people_folders: Folder → kind of the entities in it.

    Returns:
        The entity, or None when the note declares none, and what is wrong with its properties.
    """
    if note.path.startswith(_PROGRAM_FOLDERS) or is_template(note.path):
        return None, []
    if note.name.lower() in _NO_ENTITY_NAMES:
        return None, []
    reader = _Reader(note)
    kind = _kind(reader, people_folders or {})
    if kind is None:
        return None, []
    name = reader.text("display_name") or _default_name(note, kind)
    if not name or _PLACEHOLDER.search(name):
        return None, []
    entity_id = canonical_id(kind, name)
    raw_id = reader.get("id")
    if raw_id is not None:
        text = _scalar(raw_id)
        named = split_id(text) if text else None
        value = named[1] if named and named[0] in SEMANTIC_KINDS else text
        if not value or canonical_id(kind, value) == f"{kind}:":
            reader.complain("entity-id-invalid", "id", f"Write the id as `{entity_id}`, which is used.")
        else:
            entity_id = canonical_id(kind, value)
    merged: list[str] = []
    for old in reader.texts("merged_ids"):
        parts = split_id(old) or (kind, old)
        merged.append(canonical_id(*parts))
    entity = Entity(
        id=entity_id,
        kind=kind,
        display_name=name,
        path=note.path,
        aliases=reader.texts("aliases"),
        emails=_emails(reader),
        handles=_handles(reader),
        created_at=reader.text("created_at"),
        updated_at=reader.text("updated_at"),
        merged_ids=[old for old in merged if old != entity_id],
    )
    return entity, reader.problems


def entity_from_note(note: Note, people_folders: Mapping[str, str] | None = None) -> Entity | None:
    """As `read_entity`; the problems are added to those of the note."""
    entity, problems = read_entity(note, people_folders)
    note.problems += [problem for problem in problems if problem not in note.problems]
    return entity
