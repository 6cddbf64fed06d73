"""What a user can set, and which layer each value came from.

Owns the one table of settings (`Settings`, from which `docs/settings.md` and the completion are made) and the
merge of layers: defaults < `vaultkeeper.toml` in the vault < `VAULTKEEPER_…` < flags. Reads no environment
itself: the surface passes the mapping.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from vaultkeeper.errors import ConfigError

FILE_NAME = "vaultkeeper.toml"
ENV_PREFIX = "VAULTKEEPER_"
RESERVED_ENV = frozenset({"VAULTKEEPER_VAULT", "VAULTKEEPER_CONFIG_DIR"})
"""Variables that are no settings: the vault itself, and the folder of the list of vaults."""

EMPTY: Mapping[str, str] = MappingProxyType({})


def _setting(
    default: Any, doc: str, *, key: str, least: float | None = None, most: float | None = None
) -> Any:
    """A field of `Settings`, with what the user reads about it."""
    metadata = {"default": default, "key": key, "doc": doc, "least": least, "most": most}
    return field(default_factory=lambda: default, metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting: its name here, its dotted key in files, its default and one sentence."""

    index_dir: str = _setting(
        "",
        "Folder of the derived index; empty means a folder of its own in the user's cache directory. "
        "Relative paths start at the vault.",
        key="index_dir",
    )
    state_dir: str = _setting(
        "",
        "Folder of what cannot be made anew from the notes: history, read marks and checkpoints; empty means a folder "
        "of its own in the user's state directory. Relative paths start at the vault.",
        key="state_dir",
    )
    ignore: tuple[str, ...] = _setting(
        ("templates/entities/**",),
        "Globs of notes and folders that are not indexed, such as `Templates/**` or `*.draft.md`; the default are the "
        "templates that `vaultkeeper init` makes.",
        key="ignore",
    )
    entity_folders: Mapping[str, str] = _setting(
        EMPTY,
        'Folders whose notes are registry entries, and of which kind: `"People" = "person"`.',
        key="entity_folders",
    )
    embedder: str = _setting(
        "static",
        "Where vectors come from: `static`, `none`, `onnx:<folder>`, `e5` or `llm:<model id>`.",
        key="embedder",
    )
    hnsw_threshold: int = _setting(
        50_000,
        "Number of texts above which vectors are searched through an HNSW graph instead of exactly.",
        key="hnsw_threshold",
        least=0,
    )
    chunk_max_tokens: int = _setting(
        3_000,
        "Longest turn that is searched and cited as one, in conservative tokens; no part is longer.",
        key="chunk.max_tokens",
        least=100,
        most=100_000,
    )
    chunk_section_tokens: int = _setting(
        800,
        "Longest part of a section of a note that is searched and cited as one, in conservative tokens.",
        key="chunk.section_tokens",
        least=50,
        most=100_000,
    )
    limit: int = _setting(
        10, "How many hits `ask` and `search` print at most.", key="limit", least=1, most=1_000
    )
    tree_archived: tuple[str, ...] = _setting(
        (),
        "Globs of sources that are not summarised any more, such as `notes:Archive`; their summaries stay.",
        key="tree.archived",
    )
    watch_quiet_ms: int = _setting(
        100,
        "How long the vault must be quiet before the watcher takes in a batch of changes, in milliseconds.",
        key="watch.quiet_ms",
        least=1,
        most=60_000,
    )
    watch_max_wait_ms: int = _setting(
        2_000,
        "How long a batch may grow before it is taken in anyway, in milliseconds.",
        key="watch.max_wait_ms",
        least=1,
        most=600_000,
    )
    watch_rescan_minutes: float = _setting(
        10.0,
        "How often the watcher compares the whole vault with the index, in case an event was lost.",
        key="watch.rescan_minutes",
        least=0.1,
        most=100_000,
    )
    segment_max_gap_seconds: float = _setting(
        600.0,
        "Silence in a conversation that is still the same segment, in seconds.",
        key="segment.max_gap_seconds",
        least=1,
        most=10_000_000,
    )
    segment_max_turns: int = _setting(
        20,
        "Exchanges of a segment at most; the next message opens a new one.",
        key="segment.max_turns",
        least=1,
        most=10_000,
    )
    segment_min_similarity: float = _setting(
        0.4,
        "Similarity of a message to its segment below which the topic has changed; -1 switches that off.",
        key="segment.min_similarity",
        least=-1,
        most=1,
    )
    segment_markers: tuple[str, ...] = _setting(
        (),
        "Phrases that open a new segment when a sentence begins with them; empty means those that come with it.",
        key="segment.markers",
    )
    learning_enabled: bool = _setting(
        False,
        "Lets a language model, where there is one, add remarks and goals of its own when a segment closes.",
        key="learning.enabled",
    )
    learning_reflection_enabled: bool = _setting(
        True,
        "Whether it remarks on single exchanges what to do, or to avoid, the next time.",
        key="learning.reflection_enabled",
    )
    learning_user_profile_enabled: bool = _setting(
        True,
        "Whether the archivist keeps what you say about yourself as notes under `profile/`.",
        key="learning.user_profile_enabled",
    )
    learning_tool_tracking_enabled: bool = _setting(
        True,
        "Whether a turn records its tool calls, and which of them failed.",
        key="learning.tool_tracking_enabled",
    )
    learning_tool_memory_capture_enabled: bool = _setting(
        True,
        "Whether tools that fail in the same way in several conversations are remembered as a mistake.",
        key="learning.tool_memory_capture_enabled",
    )
    learning_chat_to_tree_enabled: bool = _setting(
        True,
        "Whether conversations enter the summary tree.",
        key="learning.chat_to_tree_enabled",
    )
    learning_stability_detector_enabled: bool = _setting(
        True,
        "Whether only what was confirmed in several conversations goes to MEMORY.md; else once is enough.",
        key="learning.stability_detector_enabled",
    )
    learning_episodic_capture_enabled: bool = _setting(
        True,
        "Whether `capture` writes turns, and the archivist works on them.",
        key="learning.episodic_capture_enabled",
    )
    learning_stm_recall_enabled: bool = _setting(
        True,
        "Whether `recall` brings up what other conversations said lately.",
        key="learning.stm_recall_enabled",
    )
    learning_unified_compaction_enabled: bool = _setting(
        True,
        "Whether `session recap` gives a recap of a running conversation to shorten it with.",
        key="learning.unified_compaction_enabled",
    )
    learning_explicit_preferences_enabled: bool = _setting(
        True,
        "Whether agents may save preferences.",
        key="learning.explicit_preferences_enabled",
    )
    learning_goals_enrichment_enabled: bool = _setting(
        True,
        "Whether it adds goals that it finds in recaps, while there is room; none of yours is dropped for it.",
        key="learning.goals_enrichment_enabled",
    )
    learning_reflection_source: str = _setting(
        "local",
        "`local` lets only a model on this machine remark and propose; anything else lets every model.",
        key="learning.reflection_source",
    )
    learning_max_reflections_per_session: int = _setting(
        20,
        "Remarks on one conversation at most.",
        key="learning.max_reflections_per_session",
        least=0,
        most=10_000,
    )
    learning_min_turn_complexity: int = _setting(
        1,
        "Tool calls that an exchange must have to be remarked on.",
        key="learning.min_turn_complexity",
        least=0,
        most=10_000,
    )
    learning_rebuild_interval_secs: int = _setting(
        1800,
        "How often a running watcher looks for work of the archivist even when nothing changes, in seconds.",
        key="learning.rebuild_interval_secs",
        least=1,
        most=10_000_000,
    )
    memory_similarity: float = _setting(
        0.9,
        "From which likeness on (0 to 1) an entry is refused, since MEMORY.md or SKILL.md nearly says it already.",
        key="memory.similarity",
        least=0.5,
        most=1,
    )
    memory_max_file_bytes: int = _setting(
        65_536,
        "Size that MEMORY.md and SKILL.md may grow to by what agents write, in bytes.",
        key="memory.max_file_bytes",
        least=1_024,
        most=10_000_000,
    )
    memory_max_entry_bytes: int = _setting(
        8_192,
        "Longest entry or section that agents may write to MEMORY.md or SKILL.md, in bytes.",
        key="memory.max_entry_bytes",
        least=64,
        most=1_000_000,
    )
    log_file: str = _setting(
        "",
        "File that the watcher also logs to; empty means none. Relative paths start at the folder of the index.",
        key="log_file",
    )


class Layer(NamedTuple):
    """Values from one place. Keys are dotted; `origin` is what the user reads, such as a file's path.

    Attributes:
        text: True when values are still texts (environment, flags) and must be read by the setting's type.
    """

    origin: str
    values: Mapping[str, object]
    text: bool = False


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in force and, by dotted key, where each came from."""

    settings: Settings
    origins: Mapping[str, str]


class Described(NamedTuple):
    """One row of the table of settings."""

    key: str
    attribute: str
    type: str
    default: object
    doc: str

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return ENV_PREFIX + self.key.upper().replace(".", "_")


TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
FALSE_WORDS = frozenset({"0", "false", "no", "off"})
TYPE_WORDS = {
    str: "text",
    bool: "true or false",
    int: "whole number",
    float: "number",
    tuple: "list of texts",
}


def describe() -> list[Described]:
    """Returns the table of settings, in the order of `Settings`."""
    return [
        Described(
            f.metadata["key"],
            f.name,
            _type_words(f.metadata["default"]),
            f.metadata["default"],
            f.metadata["doc"],
        )
        for f in fields(Settings)
    ]


def merge(layers: list[Layer]) -> Config:
    """Lays the layers over the defaults, later ones on top.

    Raises:
        ConfigError: a key is unknown, or a value has the wrong type or is out of range; names the origin.
    """
    table = {f.metadata["key"]: f for f in fields(Settings)}
    values: dict[str, Any] = {}
    origins = dict.fromkeys(table, "default")
    for layer in layers:
        for key, raw in layer.values.items():
            if key not in table:
                raise ConfigError(setting=key, origin=layer.origin, reason=_unknown(key, list(table)))
            known = table[key]
            try:
                value = _read(raw, known.metadata["default"]) if layer.text else raw
                values[known.name] = _checked(value, known.metadata)
            except ValueError as error:
                raise ConfigError(setting=key, origin=layer.origin, reason=str(error)) from None
            origins[key] = layer.origin
    return Config(Settings(**values), origins)


def load_file(root: Path) -> Layer:
    """Reads `vaultkeeper.toml` of a vault; an absent file is an empty layer.

    Raises:
        ConfigError: it is no TOML, or it cannot be read.
    """
    path = root / FILE_NAME
    return Layer(str(path), dict(_flatten(load_toml(path))))


def load_toml(path: Path) -> dict[str, object]:
    """Reads a file of settings; an absent one is empty.

    Raises:
        ConfigError: it is no TOML, or it cannot be read.
    """
    try:
        if path.exists() and not path.is_file():  # opening a pipe would wait for its writer
            raise ConfigError(setting="(whole file)", origin=path, reason="it is no file")
        text = path.read_text("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            setting="(whole file)", origin=path, reason=f"it cannot be read ({error})"
        ) from None
    if not text.strip():
        return {}
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(setting="(whole file)", origin=path, reason=f"it is no TOML ({error})") from None


def environment_layers(environment: Mapping[str, str]) -> list[Layer]:
    """Returns a layer for each `VAULTKEEPER_…` variable that is set and not empty."""
    keys = {row.variable: row.key for row in describe()}
    return [
        Layer(f"environment variable {name}", {keys.get(name, name): value}, text=True)
        for name, value in sorted(environment.items())
        if name.startswith(ENV_PREFIX) and name not in RESERVED_ENV and value
    ]


def _flatten(document: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Turns tables into dotted keys, except where a setting is itself a table."""
    tables = {row.key for row in describe() if isinstance(row.default, Mapping)}
    for name, value in document.items():
        key = prefix + name
        if isinstance(value, dict) and key not in tables:
            yield from _flatten(value, key + ".")
        else:
            yield key, value


def _unknown(key: str, known: list[str]) -> str:
    import difflib

    if key.startswith(ENV_PREFIX):
        variables = [row.variable for row in describe()]
        near = difflib.get_close_matches(key, [*variables, *sorted(RESERVED_ENV)], n=1)
    else:
        near = difflib.get_close_matches(key, known, n=1, cutoff=0.4)
    return "there is no such setting" + (f"; the nearest is {near[0]}" if near else "")


def _type_words(default: object) -> str:
    if isinstance(default, Mapping):
        return "table of texts"
    return TYPE_WORDS[type(default)]


def _read(raw: object, default: object) -> object:
    """Reads a text by the type of the setting's default."""
    text = str(raw)
    if isinstance(default, str):
        return text
    if isinstance(default, bool):
        if text.strip().lower() not in TRUE_WORDS | FALSE_WORDS:
            raise ValueError(f"{text!r} is neither 1 nor 0")
        return text.strip().lower() in TRUE_WORDS
    if isinstance(default, int | float):
        try:
            return int(text) if isinstance(default, int) else float(text)
        except ValueError:
            raise ValueError(f"{text!r} is no {_type_words(default)}") from None
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if isinstance(default, tuple):
        return parts
    pairs = [part.partition("=") for part in parts]
    if any(not (folder and kind) for folder, _, kind in pairs):
        raise ValueError(f"{text!r} does not read folder=kind,folder=kind")
    return {folder.strip(): kind.strip() for folder, _, kind in pairs}


def _checked(value: object, metadata: Mapping[str, Any]) -> object:
    """Returns the value as `Settings` holds it, or raises ValueError with the reason."""
    default, least, most = metadata["default"], metadata["least"], metadata["most"]
    wrong = ValueError(f"{value!r} is no {_type_words(default)}")
    if _holds_nul(value):
        raise ValueError("it holds a NUL character")
    if isinstance(default, Mapping):
        if not isinstance(value, Mapping) or not all(isinstance(v, str) for v in value.values()):
            raise wrong
        return MappingProxyType(dict(value))
    if isinstance(default, tuple):
        if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
            raise wrong
        return tuple(value)
    if isinstance(default, str):
        if not isinstance(value, str):
            raise wrong
        return value
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise wrong
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong
    if isinstance(default, int) and not isinstance(value, int):
        raise wrong
    number = type(default)(value)
    if number != number or (least is not None and number < least) or (most is not None and number > most):
        raise ValueError(f"{value} is not {_range_words(least, most)}")
    return number


def _holds_nul(value: object) -> bool:
    """True when a text in the value holds a character that no path can."""
    if isinstance(value, Mapping):
        return any(map(_holds_nul, (*value.keys(), *value.values())))
    return any(map(_holds_nul, value)) if isinstance(value, list | tuple) else "\0" in str(value)


def _range_words(least: float | None, most: float | None) -> str:
    if most is None:
        return f"at least {least}"
    return f"between {least} and {most}"
