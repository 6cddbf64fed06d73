"""What of a turn is no prose: calls of tools, and images in it.

Source: BEHAVIOUR §1.5.
"""

from __future__ import annotations

import re

_CALL = re.compile(r"<tool_call>.*?(?:</tool_call>|\Z)", re.S)
_IMAGE = re.compile(r"\[IMAGE:[^\]\n]*\]|!\[[^\]\n]*\]\(data:[^)\s]*\)")
_BLANK_LINES = re.compile(r"\n[ \t]*\n[ \t]*(?:\n[ \t]*)+")
_CALL_LINES = ('{"tool_calls"', '"tool_calls"')


def strip_tool_calls(text: str) -> str:
    """Takes out spans between `<tool_call>` and `</tool_call>` (to the end where it is not closed) and lines of their
    JSON.

    A text without any of them is returned as it is; from others runs of blank lines and blanks at the ends go too.
    """
    if "<tool_call>" not in text and '"tool_use"' not in text and '"tool_calls"' not in text:
        return text
    text = _CALL.sub("", text)
    lines = [
        line
        for line in text.split("\n")
        if '"tool_use"' not in line and not line.lstrip().startswith(_CALL_LINES)
    ]
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()


def strip_images(text: str) -> str:
    """Takes out `[IMAGE:…]` marks and images that are embedded as data."""
    return _IMAGE.sub("", text) if "[IMAGE:" in text or "](data:" in text else text


def prose_of(content: str) -> str:
    """Returns what of a turn is prose; may be empty."""
    return strip_images(strip_tool_calls(content)).strip()
