"""JSON Schema of the modes and of their answers, made from the dataclasses. `docs/schema/` holds what this says."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from inspect import cleandoc
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from vaultkeeper.retrieval.arguments import is_required
from vaultkeeper.retrieval.dispatch import available_modes
from vaultkeeper.retrieval.modes import EntityMatch
from vaultkeeper.retrieval.params import MODES, ListSourcesParams
from vaultkeeper.retrieval.sources import SourceInfo
from vaultkeeper.types import QueryResponse, RetrievalHit, Why

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TOOL = "memory_tree"


def mode_schema(mode: str) -> dict[str, Any]:
    """Returns the schema of the arguments of one mode, `mode` left out."""
    return params_schema(MODES[mode])


def params_schema(kind: type) -> dict[str, Any]:
    """Returns the schema of a parameter class."""
    members = fields(kind)
    return {
        "type": "object",
        "description": _first_sentence(kind),
        "properties": {one.name: _property(one) for one in members},
        "required": [one.name for one in members if is_required(one)],
    }


def tool_schema(*, writable: bool = True) -> dict[str, Any]:
    """Returns the schema of the arguments of the tool: `mode`, and what any mode takes."""
    modes = available_modes(writable=writable)
    properties: dict[str, Any] = {
        "mode": {"type": "string", "enum": list(modes), "description": _modes_text(modes)}
    }
    users: dict[str, list[str]] = {}
    for mode in modes:
        for one in fields(MODES[mode]):
            users.setdefault(one.name, []).append(mode)
            properties.setdefault(one.name, _loose(one))
    for name, listed in users.items():
        text = properties[name]["description"]
        properties[name]["description"] = f"{text} Modes: {', '.join(listed)}."
    return {"type": "object", "properties": properties, "required": ["mode"]}


def _modes_text(modes: tuple[str, ...]) -> str:
    return " ".join(f"{mode}: {_first_sentence(MODES[mode])}" for mode in modes)


def _loose(one: Field[Any]) -> dict[str, Any]:
    """A property that several modes share: without the default of one of them."""
    return {key: value for key, value in _property(one).items() if key != "default"}


def _property(one: Field[Any]) -> dict[str, Any]:
    meta: Mapping[str, Any] = one.metadata
    schema: dict[str, Any] = {"type": meta["type"], "description": meta["doc"]}
    if meta["type"] == "array":
        schema["items"] = {"type": "string", **_enum(meta)}
    elif meta["type"] == "integer":
        schema["minimum"] = 1 if one.name == "max_depth" else max(meta["least"], -(10**15))
    else:
        schema |= _enum(meta)
    if not is_required(one) and one.default not in (None, ()):
        schema["default"] = one.default
    return schema


def _enum(meta: Mapping[str, Any]) -> dict[str, Any]:
    return {"enum": list(meta["choices"])} if meta.get("choices") else {}


def _first_sentence(kind: type) -> str:
    return cleandoc(kind.__doc__ or "").partition("\n\n")[0].replace("\n", " ")


def result_schemas() -> dict[str, dict[str, Any]]:
    """Returns the schemas of the answers: of hits, of `search_entities`, of `list_sources`."""
    return {
        "query_response": {
            **_object(QueryResponse, extra={"schema": {"const": 1}}),
            "$defs": {"RetrievalHit": _object(RetrievalHit), "Why": _object(Why)},
        },
        "search_entities": {"type": "array", "items": _object(EntityMatch)},
        "list_sources": {"type": "array", "items": _object(SourceInfo)},
    }


def all_schemas() -> dict[str, dict[str, Any]]:
    """Returns every schema by the name of its file, without `.json`."""
    found = {TOOL: tool_schema(), f"{TOOL}_read_only": tool_schema(writable=False)}
    found |= {f"{mode}.arguments": mode_schema(mode) for mode in MODES}
    found["list_sources.arguments"] = params_schema(ListSourcesParams)
    found |= {f"{name}.result": schema for name, schema in result_schemas().items()}
    return {name: {"$schema": DIALECT, "title": name, **schema} for name, schema in found.items()}


def _object(kind: type, extra: dict[str, Any] | None = None) -> dict[str, Any]:
    hints = get_type_hints(kind)
    names = [one.name for one in fields(kind)] if is_dataclass(kind) else list(kind._fields)  # type: ignore[attr-defined]
    properties = {**(extra or {}), **{name: _type(hints[name]) for name in names}}
    return {
        "type": "object",
        "description": _first_sentence(kind),
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _type(hint: Any) -> dict[str, Any]:
    plain = {str: "string", int: "integer", float: "number", bool: "boolean"}
    origin = get_origin(hint)
    if hint in plain:
        return {"type": plain[hint]}
    if origin is Literal:
        return {"enum": list(get_args(hint))}
    if origin in (Union, types.UnionType):
        options = [_type(one) for one in get_args(hint) if one is not type(None)]
        return {"anyOf": [*options, {"type": "null"}]}
    if origin is tuple:
        return {"type": "array", "items": _type(get_args(hint)[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _type(get_args(hint)[1])}
    return {"$ref": f"#/$defs/{hint.__name__}"}
