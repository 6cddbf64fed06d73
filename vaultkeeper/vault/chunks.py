"""A note in parts that are searched, embedded and cited: its leaves.

Owns where a note is cut, the ids of the parts, and the text of a part that is embedded. A function of the note alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256

from vaultkeeper.types import Chunk, Note
from vaultkeeper.vault.tokens import MAX_TOKENS, SECTION_TOKENS, conservative_tokens

_OVERLAP = 0.12  # of the budget, repeated from the part before. Source: BEHAVIOUR §6.2
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_SENTENCE = re.compile(r"[.!?][\"'”’)\]]*\s+|\n|[。！？…]+[”’」』）]*")
_BLANK = re.compile(r"\s+")
_SETEXT = re.compile(r"[^\n]*\n(?:(?!\s*\n)[^\n]*\n)*? {0,3}(?:=+|-+)[^\S\n]*(?:\n|\Z)")
_WHOLE = [(0, 0)]
_EMBED_VERSION = b"2\0"


def chunk_id(kind: str, source_id: str, seq: int, content: str) -> str:
    """Returns 32 hex digits that vary with each argument.

    Source: BEHAVIOUR §6.2: sha256 of kind, source id, seq as 32-bit big-endian and content, separated by zero bytes.
    """
    return _id(f"{kind}\0{source_id}\0".encode("utf-8", "surrogatepass"), seq, content)


def _id(prefix: bytes, seq: int, content: str) -> str:
    data = b"%b%b\0%b" % (prefix, seq.to_bytes(4, "big"), content.encode("utf-8", "surrogatepass"))
    return sha256(data).digest()[:16].hex()


def chunk_note(
    note: Note,
    source_id: str,
    kind: str = "note",
    *,
    section_tokens: int = SECTION_TOKENS,
    max_tokens: int = MAX_TOKENS,
) -> list[Chunk]:
    """Cuts a note by its headings, and sections that are too long at paragraphs, sentences, blanks, or anywhere.

    What stands before the first heading is a chunk of its own. A heading with nothing below it gives a chunk with an
    empty text, so that it can be found; one whose text lies in its sub-headings gives none. A note without any text
    is one empty chunk. A note of kind `turn` is one chunk.

    Args:
        source_id: Identity of the note; part of the chunk ids.
        section_tokens: Budget of a section of a note, by the conservative estimate.
        max_tokens: Budget of a turn, and upper bound of both.

    Returns:
        In the order of the note, at least one. The parts of a cut section overlap by at most 12 % of the budget.
    """
    text, turn = note.text, kind == "turn"
    budget = max(16, max_tokens if turn else min(section_tokens, max_tokens))
    prefix = f"{kind}\0{source_id}\0".encode("utf-8", "surrogatepass")
    chunks: list[Chunk] = []
    counted, line = note.body_start, note.body_line
    for heading, anchor, start, end, keep_empty in _sections(note, turn):
        body = text[start:end].lstrip()
        if body:
            start = end - len(body)
            body = body.rstrip()
        elif not keep_empty:
            continue
        partial = len(body) > budget
        spans = _split(body, budget) if partial else _WHOLE
        for first, last in spans:
            part = body[first:last].strip() if partial else body
            at = start + first
            line += text.count("\n", counted, at)
            counted = at
            seq = len(chunks)
            chunks.append(Chunk(_id(prefix, seq, part), seq, heading, anchor, part, line, at, len(spans) > 1))
    if not chunks:
        chunks.append(Chunk(_id(prefix, 0, ""), 0, "", "", "", note.body_line, note.body_start, False))
    return chunks


def _sections(note: Note, turn: bool) -> Iterator[tuple[str, str, int, int, bool]]:
    """Yields heading path, heading, start and end of the text below it, and whether it counts when empty."""
    text, headings = note.text, note.headings
    if turn or not headings:
        yield "", "", note.body_start, len(text), False
        return
    yield "", "", note.body_start, headings[0].offset, False
    names: list[str] = []
    levels: list[int] = []
    level, name, _, offset = headings[0]
    for following in (*headings[1:], None):
        while levels and levels[-1] >= level:
            levels.pop()
            names.pop()
        levels.append(level)
        names.append(name)
        end = following.offset if following else len(text)
        is_leaf = following is None or following.level <= level
        yield " > ".join(names), name, _below(text, offset, end), end, is_leaf
        if following:
            level, name, _, offset = following


def _below(text: str, offset: int, end: int) -> int:
    """Where the text of a section begins: behind the line of its heading, or the underline of a Setext one."""
    first = text.find("\n", offset, end)
    if first < 0:
        return end
    if text[offset] == "#" or text[offset:first].lstrip(" ").startswith("#"):
        return first + 1
    underlined = _SETEXT.match(text, offset, end)
    return underlined.end() if underlined else first + 1


def _split(text: str, budget: int) -> list[tuple[int, int]]:
    """Cuts a text into spans within the budget; each but the first begins inside of the one before."""
    if conservative_tokens(text) <= budget:
        return [(0, len(text))]
    overlap = int(budget * _OVERLAP)
    room = budget - overlap
    spans: list[tuple[int, int]] = []
    start = used = end = 0
    for piece_end, cost in _pieces(text, room):
        if used + cost > room and used:
            spans.append((start, end))
            start, used = _step_back(text, end, overlap, start), 0
        used += cost
        end = piece_end
    spans.append((start, end))
    return spans


def _step_back(text: str, end: int, overlap: int, floor: int) -> int:
    """Where the next part begins: at most `overlap` tokens before `end`, at a sentence or a word where there is one."""
    start = max(floor + 1, end - 2 * overlap)
    while start < end and conservative_tokens(text[start:end]) > overlap:
        start += (end - start + 1) // 2
    sentence = _SENTENCE.search(text, start, end)
    if sentence and sentence.end() < end:
        return sentence.end()
    word = _BLANK.search(text, start, end)
    return word.end() if word and word.end() < end else (start if not text[start:end].isascii() else end)


def _pieces(text: str, room: int) -> Iterator[tuple[int, int]]:
    """Yields end and cost of consecutive pieces within `room`: paragraphs, else sentences, else words, else cuts."""
    yield from _cut(text, 0, len(text), room, (_PARAGRAPH, _SENTENCE, _BLANK))


def _cut(
    text: str, start: int, end: int, room: int, levels: tuple[re.Pattern[str], ...]
) -> Iterator[tuple[int, int]]:
    if not levels:
        step = max(1, room // 8)
        for first in range(start, end, step):
            last = min(first + step, end)
            yield last, conservative_tokens(text[first:last])
        return
    previous = start
    for last in [*(match.end() for match in levels[0].finditer(text, start, end)), end]:
        if last > previous:
            cost = conservative_tokens(text[previous:last])
            if cost <= room:
                yield last, cost
            else:
                yield from _cut(text, previous, last, room, levels[1:])
            previous = last


_FENCE = re.compile(r"^ {0,3}(?:```|~~~)[^\n]*$", re.M)
# Both patterns begin with letters that are known, so that what holds no mark is skipped at once.
_LINE_MARK = re.compile(
    r"\n[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?|(?:>[ \t]?)+(?:\[![\w-]+\][+-]?)?|(?<=\n)#{1,6}[ \t]+)"
)
_MARK = re.compile(
    r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]+)\]\]"  # [[target|label]] → label
    r"|\[([^\[\]\n]*)\]\([^()\n]*\)"  # [text](target) → text
    r"|!(?=\[)|%%|<!--|-->|</?[A-Za-z][^<>\n]*>"
    r"|\^(?<=[ \t]\^)[A-Za-z0-9-]+[ \t]*$"  # block id
    r"|\*\*|__|~~|==|``*|\*(?:(?<!\w\*)(?=\S)|(?<=\S\*)(?!\w))|_(?:(?<!\w_)(?=\S)|(?<=\S_)(?!\w))",
    re.M,
)


def embedding_text(title: str, heading: str, body: str) -> str:
    """Returns the text that stands for a chunk's meaning: title, heading path and body without Markdown's marks.

    A title without a letter, such as the number of a turn, says nothing and is left out.
    """
    if "```" in body or "~~~" in body:
        body = _FENCE.sub("", body)
    plain = _MARK.sub(_bare, _LINE_MARK.sub("\n", f"\n{body}"))
    head = [title] if any(map(str.isalpha, title)) else []
    return "\n".join(part for part in (*head, heading, plain.strip()) if part)


def _bare(match: re.Match[str]) -> str:
    return match[1] or match[2] or ""


def text_sha(title: str, heading: str, body: str) -> bytes:
    """Returns the key of `embedding_text` of the same arguments, 32 bytes, without the cost of making it."""
    key = f"{title}\0{heading}\0{body}".encode("utf-8", "surrogatepass")
    return sha256(_EMBED_VERSION + key).digest()
