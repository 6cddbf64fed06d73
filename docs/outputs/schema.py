"""JSON Schema of types: dataclasses, named tuples, typed dictionaries, lists and unions of them."""

from __future__ import annotations

import re
import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from inspect import cleandoc
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from vaultkeeper.retrieval.schemas import DIALECT

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean"}
_FIELD = re.compile(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)


def output_schema(title: str, hint: Any) -> dict[str, Any]:
    """Returns the schema of a type, with the classes in it under `$defs`."""
    defs: dict[str, dict[str, Any]] = {}
    schema = type_schema(hint, defs)
    body = {"$schema": DIALECT, "title": title, **schema}
    return {**body, "$defs": dict(sorted(defs.items()))} if defs else body


def type_schema(hint: Any, defs: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Returns the schema of a type; adds the classes that it names to `defs`."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return {}
    if hint is type(None):
        return {"type": "null"}
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [type_schema(one, defs) for one in arguments]}
    if origin in (list, tuple, Sequence):
        return {"type": "array", "items": type_schema(arguments[0], defs)}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": type_schema(arguments[1], defs)}
    name = hint.__name__
    if name not in defs:
        defs[name] = {}  # a class may hold itself
        defs[name] = _class_schema(hint, defs)
    return {"$ref": f"#/$defs/{name}"}


def _class_schema(kind: Any, defs: dict[str, dict[str, Any]]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    required = names = list(hints)
    if is_dataclass(kind):
        required = names = [one.name for one in fields(kind)]
    elif is_typeddict(kind):
        extras = get_type_hints(kind, include_extras=True)
        required = [name for name in names if get_origin(extras[name]) is not NotRequired]
    else:
        required = names = list(kind._fields)
    meanings = field_meanings(kind)
    properties = {}
    for name in names:
        properties[name] = type_schema(hints[name], defs)
        if name in meanings:
            properties[name]["description"] = meanings[name]
    return {
        "type": "object",
        "description": cleandoc(kind.__doc__ or "").partition("\n\n")[0].replace("\n", " "),
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def field_meanings(kind: Any) -> dict[str, str]:
    """Returns what the docstring of a class says of its fields."""
    part = cleandoc(kind.__doc__ or "").partition("Attributes:\n")[2]
    return {name: " ".join(text.split()) for name, text in _FIELD.findall(part)}
