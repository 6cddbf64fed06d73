"""Arguments of a tool call as a dataclass: JSON in, checked values out.

Owns what a field of a parameter class may be, and the sentences that name what is wrong. Knows no mode.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import MISSING, Field, field, fields
from typing import Any, TypeVar

from vaultkeeper.errors import UsageError

T = TypeVar("T")

MAX_TEXT_CHARS = 10_000_000
MAX_MS = 10**15
"""Beyond the year 33,000; what is larger is no time."""


def text(doc: str, default: str | None = None, *, missing: str = "") -> Any:
    """A text; without a default it is required, and `missing` is what is said when it is not given."""
    meta = {"type": "string", "doc": doc, "choices": (), "missing": missing}
    return field(metadata=meta) if default is None else field(default=default, metadata=meta)


def optional_text(doc: str, *, choices: tuple[str, ...] = ()) -> Any:
    """A text, or None."""
    return field(default=None, metadata={"type": "string", "doc": doc, "choices": choices})


def texts(doc: str, *, required: bool = False, choices: tuple[str, ...] = (), cap: int | None = None) -> Any:
    """A list of texts, as a tuple. More than `cap` are allowed and the first ones are used."""
    meta = {"type": "array", "doc": doc, "choices": choices, "cap": cap}
    return field(metadata=meta) if required else field(default=(), metadata=meta)


def number(
    doc: str, default: int | None = None, *, least: int = 0, most: int | None = None, required: bool = False
) -> Any:
    """A whole number of at least `least`. One above `most` counts as `most`."""
    meta = {"type": "integer", "doc": doc, "least": least, "most": most}
    return field(metadata=meta) if required else field(default=default, metadata=meta)


def flag(doc: str) -> Any:
    """True or false, false by default."""
    return field(default=False, metadata={"type": "boolean", "doc": doc})


def is_required(one: Field[Any]) -> bool:
    """True when a call must give this field."""
    return one.default is MISSING and one.default_factory is MISSING


def read_arguments(kind: type[T], arguments: Mapping[str, Any], name: str) -> T:
    """Builds a parameter object.

    Args:
        arguments: Names that `kind` does not have are left out; null counts as not given.
        name: Of the tool, for the error.

    Raises:
        UsageError: `invalid arguments for <name>: …`.
    """
    values: dict[str, Any] = {}
    for one in fields(kind):  # type: ignore[arg-type]
        value = arguments.get(one.name)
        if value is None:
            if is_required(one):
                said = one.metadata.get("missing")
                raise UsageError(reason=said or f"invalid arguments for {name}: missing field `{one.name}`")
            continue
        values[one.name] = _checked(one, value, name)
    return kind(**values)


def _checked(one: Field[Any], value: Any, name: str) -> Any:
    expected = one.metadata["type"]

    def wrong(what: str) -> UsageError:
        return UsageError(reason=f"invalid arguments for {name}: `{one.name}` {what}")

    if expected == "integer":
        if isinstance(value, bool) or not isinstance(value, int):
            raise wrong(f"must be a whole number, not {_shown(value)}")
        least, most = one.metadata["least"], one.metadata["most"]
        if value < least:
            raise wrong(f"must be at least {least}, not {value}")
        if abs(value) > MAX_MS and most is None:
            raise wrong(f"is out of range: {value}")
        return value if most is None else min(value, most)
    if expected == "boolean":
        if not isinstance(value, bool):
            raise wrong(f"must be true or false, not {_shown(value)}")
        return value
    if expected == "string":
        if not isinstance(value, str):
            raise wrong(f"must be a text, not {_shown(value)}")
        return _text(value, wrong)
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise wrong(f"must be a list of texts, not {_shown(value)}")
    cap = one.metadata["cap"]
    return tuple(_text(item, wrong) for item in value[:cap])


def _text(value: str, wrong: Any) -> str:
    if len(value) > MAX_TEXT_CHARS:
        raise wrong(f"is longer than {MAX_TEXT_CHARS:,} characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise wrong("holds half of a surrogate pair") from None
    return value


def _shown(value: object) -> str:
    if value is None:
        return "null"
    words = {
        bool: "true or false",
        int: "a number",
        float: "a fraction",
        str: "a text",
        list: "a list",
        dict: "an object",
    }
    shown = words.get(type(value), type(value).__name__)
    return f"{value!r}" if isinstance(value, str | int | float) and len(str(value)) < 40 else shown


def check_choice(value: str, choices: Collection[str], error: str) -> None:
    """Refuses what is none of the choices.

    Raises:
        UsageError: `<error>: <value>`, with the choices.
    """
    if value not in choices:
        raise UsageError(reason=f"{error}: {value}. Valid: {', '.join(choices)}")
