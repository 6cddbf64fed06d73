"""What a language model adds of its own when a segment closes: remarks on exchanges with tools, and goals.

Owns how much it may add, and what of its answers is dropped. Nothing here raises, whatever the model does, and without
a model nothing happens: recaps, events, facets and mistakes do not need one.

Source: BEHAVIOUR §4.6 and §4.8; checks are ours.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vaultkeeper.errors import VaultkeeperError
from vaultkeeper.memory.episodes import Turn
from vaultkeeper.memory.goals import MAX_GOALS, add_goal, list_goals
from vaultkeeper.memory.recap import ask_in_time, build_prompt, is_grounded
from vaultkeeper.memory.redact import redact
from vaultkeeper.memory.segments import Remark
from vaultkeeper.ports import LanguageModel

MOST_CHARS = 240
FIRST_GOALS = 3
"""Goals that are proposed at most while there are none; later it is one at a time."""

ANSWER_TOKENS = 120
NOTHING = "NONE"

REFLECT = (
    "You look back at one exchange with an agent and its tools. Say in one sentence what to do, or to avoid, the next "
    "time such a thing is asked for. Name only what the exchange names. If there is nothing to learn, answer NONE."
)
PROPOSE = (
    "You keep a short list of a person's long-term goals. Below are the goals so far and a recap of what was said "
    "lately. If the person states a new lasting goal, write it as one line that begins with `- `; {most} at most. Name "
    "only what the recap names. If there is none, answer NONE."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflecting:
    """What a model may add.

    Attributes:
        most_a_session: Remarks on one conversation at most; 0 asks for none.
        min_tool_calls: Tool calls that an exchange must have.
        goals: Whether goals may be proposed.
    """

    most_a_session: int = 20
    min_tool_calls: int = 1
    goals: bool = True


def reflect(
    turns: Sequence[Turn], model: LanguageModel, how: Reflecting, made: int, *, deadline_s: float
) -> tuple[Remark, ...]:
    """Returns the model's remarks on exchanges of a segment.

    The first answer that fails or is late ends it, so that a model that hangs costs one deadline a segment.

    Args:
        made: Remarks that the conversation has already.
    """
    remarks: list[Remark] = []
    for at, turn in enumerate(turns):
        if made + len(remarks) >= how.most_a_session:
            break
        if turn.role != "assistant" or _count_calls(turn) < how.min_tool_calls:
            continue
        exchange = [*turns[max(0, at - 1) : at], turn]
        prompt = "\n\n".join([build_prompt(exchange), *([turn.lesson] if turn.lesson else [])])
        answer = _ask(model, prompt, REFLECT, deadline_s)
        if answer is None:
            break
        if _is_usable(answer, exchange):
            digest = hashlib.sha256(f"{turn.path}\x1f{answer}".encode("utf-8", "surrogatepass")).hexdigest()
            remarks.append(Remark(f"ref-{digest[:20]}", answer, turn.seq))
    return tuple(remarks)


def propose_goals(
    root: Path, recap: str, turns: Sequence[Turn], model: LanguageModel, *, deadline_s: float
) -> tuple[str, ...]:
    """Adds goals that the model finds in a recap, as far as there is room; none of a person's is ever dropped for it.

    Returns:
        The goals that were added.
    """
    try:
        goals = list_goals(root)
    except (VaultkeeperError, OSError):
        return ()
    most = min(1 if goals else FIRST_GOALS, MAX_GOALS - len(goals))
    if most <= 0:
        return ()
    known = "\n".join(f"- {goal.text}" for goal in goals) or "(none)"
    prompt = f"Goals so far:\n{known}\n\nRecap:\n{recap}"
    answer = _ask(model, prompt, PROPOSE.format(most=most), deadline_s) or ""
    added: list[str] = []
    for line in answer.split("\n"):
        text = line.strip().removeprefix("- ").strip()
        if len(added) >= most or not line.strip().startswith("- ") or not _is_usable(text, turns):
            continue
        try:
            added.append(add_goal(root, text).goal.text)
        except (VaultkeeperError, OSError):  # there already, or no room: the next recap may bring another
            continue
    return tuple(added)


def _ask(model: LanguageModel, prompt: str, system: str, deadline_s: float) -> str | None:
    answer = ask_in_time(lambda: model.complete(prompt, system=system, max_tokens=ANSWER_TOKENS), deadline_s)
    return redact(answer).text.strip() if isinstance(answer, str) else None


def _is_usable(text: str, turns: Sequence[Turn]) -> bool:
    """Whether a text is one short line that says something, without a secret, a link or a name of its own."""
    return (
        len(text) <= MOST_CHARS
        and "\n" not in text
        and "[[" not in text
        and "[REDACTED" not in text
        and re.sub(r"\W", "", text).upper() not in ("", NOTHING)
        and is_grounded(text, turns)
    )


def _count_calls(turn: Turn) -> int:
    try:
        calls = json.loads(turn.tool_calls_json or "[]")
    except ValueError:
        return 0
    return len(calls) if isinstance(calls, list) else 0
