"""Events: what a user said that should be remembered, found by rules.

`extract_events` reads a message; `event_id` names what it found. Rules are grammatical (who speaks, in which
tense and mood, with a verb of which class), English and Chinese; they cost no model and no network, and give
the same events for the same text on every machine.
"""

from __future__ import annotations

from vaultkeeper.memory.events.chinese import chinese_events
from vaultkeeper.memory.events.english import english_events
from vaultkeeper.memory.events.event import HEURISTIC_CONFIDENCE, Event, EventKind, event_id
from vaultkeeper.memory.events.masking import mask
from vaultkeeper.memory.sentences import split_sentences

__all__ = ["HEURISTIC_CONFIDENCE", "Event", "EventKind", "event_id", "extract_events"]


def extract_events(text: str) -> list[Event]:
    """Returns the events of a user's message in the order of their place; spans never overlap.

    Never raises on content and is linear in the length of the text. Questions, requests, conditions,
    reported and quoted speech, code, logs and pasted mail hold no events.
    """
    shown = mask(text)
    events: list[Event] = []
    for span in split_sentences(shown):
        both = english_events(shown, span.start, span.end) + chinese_events(shown, span.start, span.end)
        for found in sorted(both, key=lambda found: (found.start, -found.end)):
            if events and found.start < events[-1].end:
                continue
            quote = text[found.start : found.end]
            events.append(Event(found.kind, quote, found.start, found.end, found.negated))
    return events
