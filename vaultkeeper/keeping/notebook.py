"""What agents and their person note down on purpose: MEMORY.md and SKILL.md, goals, memories, preferences, rules.

Owns the way from the verbs to `memory` and, where something is looked up by its meaning, to `retrieval.memories`.
Writing writes the note and nothing else; the index follows at the next sync.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vaultkeeper.errors import NoIndexError, UsageError
from vaultkeeper.memory import curated, namespaces, preferences, tool_rules
from vaultkeeper.memory.goals import GoalReceipt, add_goal, delete_goal, edit_goal, list_goals
from vaultkeeper.memory.page import Page, parse_page
from vaultkeeper.ports import Clock

if TYPE_CHECKING:
    from vaultkeeper.config import Settings
    from vaultkeeper.index.db import Connection
    from vaultkeeper.memory.curated import CuratedReceipt
    from vaultkeeper.memory.gazetteer import Gazetteer
    from vaultkeeper.memory.goals import Goal
    from vaultkeeper.memory.namespaces import Memory, StoreReceipt
    from vaultkeeper.memory.tool_rules import ToolRule
    from vaultkeeper.ports import Embedder, VectorSearch
    from vaultkeeper.retrieval.memories import Recalled, Sources

MAX_LIMIT = 100


@dataclass(slots=True)
class Notebook:
    """See the module.

    Args:
        root: The vault's real path.
        open_db: Opens the index for reading; None when there is none.
        open_gazetteer: The names of the registry.
        open_vectors: The vectors of the index; None when they are switched off.
        open_embedder: Asked only when there are vectors.
    """

    root: Path
    settings: Settings
    clock: Clock
    open_db: Callable[[], Connection | None]
    open_gazetteer: Callable[[Connection], Gazetteer]
    open_vectors: Callable[[], VectorSearch | None]
    open_embedder: Callable[[], Embedder]

    # MEMORY.md and SKILL.md

    def append(
        self,
        file: str,
        content: str,
        *,
        category: str | None = None,
        section: str | None = None,
        even_if_similar: bool = False,
    ) -> CuratedReceipt:
        """Adds an entry; see `memory.curated.append`."""
        return curated.append(
            self.root,
            file,
            content,
            category=category,
            section=section,
            even_if_similar=even_if_similar,
            limits=curated.limits_of(self.settings),
        )

    def replace_section(self, file: str, title: str, content: str) -> CuratedReceipt:
        """Replaces what stands below a heading; see `memory.curated.replace_section`."""
        return curated.replace_section(
            self.root, file, title, content, limits=curated.limits_of(self.settings)
        )

    def show(self, file: str) -> tuple[bytes, Page]:
        """Returns a file as it is, and its lines.

        Raises:
            FileNotAllowedError: another file than MEMORY.md, SKILL.md and MEMORY_GOALS.md.
            NoteNotFoundError: there is none yet.
        """
        from vaultkeeper.errors import FileNotAllowedError
        from vaultkeeper.memory.goals import FILE
        from vaultkeeper.vault.write import read_note

        allowed = (*curated.FILES, FILE)
        if file not in allowed:
            raise FileNotAllowedError(file=file, permitted=", ".join(allowed))
        data = read_note(self.root, file)
        return data, parse_page(data, file)

    # Goals

    def goals(self) -> list[Goal]:
        """Returns the goals in the order of their file."""
        return list_goals(self.root)

    def add_goal(self, text: str) -> GoalReceipt:
        """Adds a goal; see `memory.goals.add_goal`."""
        return add_goal(self.root, text)

    def edit_goal(self, goal_id: str, text: str) -> GoalReceipt:
        """Gives a goal another text."""
        return edit_goal(self.root, goal_id, text)

    def delete_goal(self, goal_id: str) -> GoalReceipt:
        """Takes a goal out."""
        return delete_goal(self.root, goal_id)

    # Memories

    def store(
        self, key: str, content: str, *, namespace: str | None = None, category: str = "core"
    ) -> StoreReceipt:
        """Writes a memory; see `memory.namespaces.store`."""
        return namespaces.store(
            self.root, key, content, now=self.clock(), namespace=namespace, category=category
        )

    def forget(self, key: str, *, namespace: str | None = None) -> str:
        """Moves the note of a memory into the trash, and returns where it lies now."""
        return namespaces.forget(self.root, key, namespace=namespace)

    def memories(self, namespace: str | None = None) -> list[Memory]:
        """Returns the memories of a namespace, by key."""
        return namespaces.load_memories(self.root, namespaces.check_namespace(namespace))

    def recall(
        self,
        query: str | None,
        *,
        namespace: str | None = None,
        limit: int = 5,
        kinds: Collection[str] = (),
    ) -> tuple[list[Recalled], list[str]]:
        """Returns what one namespace knows that fits a query, best first, and remarks.

        Args:
            query: None returns the memories that matter most.
            kinds: What to look for, `memory`, `turn`, `event` or a kind of event; empty means all.

        Raises:
            UsageError: a blank query or namespace, an unknown kind, or a limit out of range.
            NoIndexError: there is no index.
        """
        from vaultkeeper.retrieval.memories import KINDS, OF_EVENTS, recall_memories

        where = namespaces.check_namespace(namespace)
        if query is not None and (not isinstance(query, str) or not query.strip()):
            raise UsageError(reason="Missing 'query' parameter")
        for kind in kinds:
            if kind not in (*KINDS, *OF_EVENTS):
                raise UsageError(
                    reason=f"Unknown kind '{kind}'. Valid kinds: {', '.join((*KINDS, *OF_EVENTS))}"
                )
        _check_limit(limit)
        return recall_memories(self._sources(), query, [where], limit, now=self.clock(), kinds=kinds or KINDS)

    def _sources(self) -> Sources:
        from vaultkeeper.memory.extract import extract
        from vaultkeeper.retrieval.memories import Sources

        db = self.open_db()
        if db is None:
            raise NoIndexError()
        return Sources(
            db, lambda text: extract(text, self.open_gazetteer(db)), self.open_vectors(), self.open_embedder
        )

    # Preferences

    def save_preference(
        self, topic: str, text: str, *, situational: bool = False, limit: int = preferences.SITUATIONAL_LIMIT
    ) -> tuple[StoreReceipt, list[Recalled]]:
        """Saves a preference, and returns those about other topics that are like it and may contradict it.

        Args:
            limit: How many of those at most, both lanes together.

        Raises:
            SwitchedOffError: `learning.explicit_preferences_enabled` is false.
            NoIndexError: there is no index; nothing was saved.
        """
        from vaultkeeper.errors import SwitchedOffError
        from vaultkeeper.retrieval.memories import like_memories

        if not self.settings.learning_explicit_preferences_enabled:
            raise SwitchedOffError(what="Saving preferences", setting="learning.explicit_preferences_enabled")
        _check_limit(limit)
        sources = self._sources()
        receipt = preferences.save_preference(
            self.root, topic, text, now=self.clock(), situational=situational
        )
        lanes = list(preferences.LANES.values())
        found, _ = like_memories(sources, text, lanes, preferences.CONTRADICTION_SIMILARITY, MAX_LIMIT)
        return receipt, [one for one in found if one.memory.key != receipt.key][:limit]

    def standing_preferences(self) -> list[Memory]:
        """Returns the general preferences that every agent is told, newest first."""
        return preferences.standing_preferences(self.root)

    def preferences(self, *, situational: bool = False) -> list[Memory]:
        """Returns all preferences of a lane, newest first."""
        lane = preferences.SITUATIONAL if situational else preferences.GENERAL
        return preferences.newest_first(namespaces.load_memories(self.root, lane))

    def situational_preferences(self, query: str) -> tuple[list[Recalled], list[str]]:
        """Returns the situational preferences that what is being talked about calls for; none for a blank query."""
        from vaultkeeper.retrieval.memories import like_memories

        return like_memories(
            self._sources(),
            query,
            [preferences.SITUATIONAL],
            preferences.SITUATIONAL_SIMILARITY,
            preferences.SITUATIONAL_LIMIT,
        )

    def forget_preference(self, topic: str) -> list[str]:
        """Moves what is preferred about a topic, in both lanes, into the trash.

        Raises:
            MemoryNotFoundError: neither lane knows the topic.
        """
        from vaultkeeper.errors import MemoryNotFoundError

        trashed = []
        for lane in preferences.LANES.values():
            try:
                trashed.append(namespaces.forget(self.root, topic, namespace=lane))
            except MemoryNotFoundError:
                continue
        if not trashed:
            known = ", ".join(
                memory.key for memory in self.preferences() + self.preferences(situational=True)
            )
            raise MemoryNotFoundError(
                what="preference about", name=topic, near=f"There are {known}." if known else ""
            )
        return trashed

    # Rules

    def add_rule(
        self,
        tool: str,
        text: str,
        *,
        priority: str = "normal",
        source: str = "user_explicit",
        rule_id: str | None = None,
    ) -> tuple[ToolRule, StoreReceipt]:
        """Writes a rule for a tool; see `memory.tool_rules.add_rule`."""
        return tool_rules.add_rule(
            self.root, tool, text, now=self.clock(), priority=priority, source=source, rule_id=rule_id
        )

    def rules(self, tool: str | None = None, *, pinned: bool = False) -> Sequence[ToolRule]:
        """Returns the rules of a tool, or of all; only those that every prompt must hold when `pinned`."""
        rules = tool_rules.load_rules(self.root, tool)
        return tool_rules.pinned_rules(rules) if pinned else rules

    def delete_rule(self, tool: str, rule_id: str) -> str:
        """Moves the note of a rule into the trash, and returns where it lies now."""
        return tool_rules.delete_rule(self.root, tool, rule_id)


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= MAX_LIMIT:
        raise UsageError(reason=f"The limit must lie between 1 and {MAX_LIMIT}, not {limit}.")
