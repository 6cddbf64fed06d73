"""Mails: `.eml` and mbox → one note a message.

Owns which part of a message is read, what of it is noise, and the form of the note: the header lines that matter, a
blank line, the body. The standard library parses.

Source: BEHAVIOUR §6.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from hashlib import sha256

from vaultkeeper.importers.conversion import html_to_markdown
from vaultkeeper.importers.item import Item, Source
from vaultkeeper.memory.nodes import format_ms
from vaultkeeper.vault.text import decode

FIELDS = ("From", "To", "Cc", "Subject", "Date", "List-Unsubscribe")

_REPLY = re.compile(
    r"^[> \t]*(?:on .{4,160}wrote:|am .{4,160}schrieb.{0,80}:|le .{4,160}a écrit\s*:"
    r"|在.{2,120}写道[:：]|.{2,80}于.{4,60}写道[:：]"
    r"|-{2,} ?(?:original message|forwarded message|ursprüngliche nachricht|原始邮件|转发邮件) ?-{2,}"
    r"|begin forwarded message:)\s*$",
    re.I | re.M,
)
_REPLY_WRAPPED = re.compile(r"^on [^\n]{4,120}\n[^\n]{0,80}wrote:\s*$", re.I | re.M)
_QUOTES = re.compile(r"(?:^[ \t]*>[^\n]*(?:\n|\Z)){3,}", re.M)
_FOOTERS = (
    "unsubscribe",
    "opt out",
    "opt-out",
    "manage your preferences",
    "manage preferences",
    "email preferences",
    "update your preferences",
    "view this email in your browser",
    "view in browser",
    "you are receiving this",
    "you received this email because",
    "this email was sent to",
    "this message was sent to",
    "confidentiality notice",
    "this email and any attachments",
    "this e-mail and any attachments",
    "intended solely for",
    "intended recipient",
    "please consider the environment",
    "sent from my iphone",
    "sent from my android",
    "get outlook for",
    "all rights reserved",
    "退订",
    "取消订阅",
)
_FOOTER_CHARS = 400
_BLANKS = re.compile(r"\n[ \t]*(?:\n[ \t]*){2,}")
_RULE = re.compile(r"^( {0,3})(-{3,}|={3,}|#{1,6}(?=[ \t]|$))", re.M)
_MBOX_FROM = re.compile(rb"^From [^\r\n]*\r?\n(?=[!-9;-~]+:)", re.M)
_SUBJECT_MARKS = re.compile(
    r"^(?:\s*(?:re|aw|fwd?|wg|sv|antw|回复|转发|答复)\s*(?:\[\d+\])?\s*[:：])+\s*", re.I
)


@dataclass(frozen=True, slots=True)
class Mail:
    """One message, canonical.

    Attributes:
        fields: Of `FIELDS`, those that there are, each on one line.
        attachments: Names and sizes of what was left out.
    """

    message_id: str
    fields: dict[str, str]
    time_ms: int
    body: str
    attachments: tuple[str, ...] = ()


def parse_mail(data: bytes, now: datetime) -> Mail:
    """Reads one message. Never raises on what it holds; what has no date is from now."""
    message = message_from_bytes(data, policy=policy.default)
    assert isinstance(message, EmailMessage)
    fields = {name: text for name in FIELDS if (text := _field(message, name))}
    body, attachments = _content(message)
    identity = _field(message, "Message-ID").strip("<> ")
    return Mail(
        identity or sha256(data).hexdigest()[:16],
        fields,
        _time_ms(fields.get("Date", ""), now),
        clean_body(body),
        tuple(attachments),
    )


def split_mbox(data: bytes) -> Iterator[bytes]:
    """Yields the messages of an mbox file; lines that were escaped (`>From `) are as they were."""
    starts = [
        match
        for match in _MBOX_FROM.finditer(data)
        if not match.start()
        or data[max(0, match.start() - 4) : match.start()].replace(b"\r", b"").endswith(b"\n\n")
    ]
    for at, match in enumerate(starts):
        end = starts[at + 1].start() if at + 1 < len(starts) else len(data)
        yield re.sub(rb"(?m)^>(>*From )", rb"\1", data[match.end() : end])


def render_mail(mail: Mail) -> str:
    """The header lines, a blank line, the body. A line of the body that is a rule or a heading is escaped."""
    lines = [f"{name}: {text}" for name, text in mail.fields.items()]
    body = _RULE.sub(r"\1\\\2", mail.body)
    parts = ["  \n".join(lines), "", body]
    if mail.attachments:
        parts += ["", "Attachments: " + ", ".join(mail.attachments)]
    return "\n".join(parts).strip() + "\n"


def render_thread(mails: list[Mail]) -> str:
    """Several messages as one text: each behind a line `---`."""
    return "\n".join(f"---\n{render_mail(mail)}" for mail in mails)


def mail_item(mail: Mail, source: Source) -> Item:
    """Returns the note of a message."""
    subject = mail.fields.get("Subject", "") or "no subject"
    day = format_ms(mail.time_ms)[:10]
    is_reply = bool(_SUBJECT_MARKS.match(subject))
    name = f"{day} {_SUBJECT_MARKS.sub('', subject) or subject}"[:100]
    mark = sha256(mail.message_id.encode("utf-8", "replace")).hexdigest()[:6]
    return Item(
        "email",
        source.id,
        f"{source.id}#{mail.message_id}",
        subject,
        render_mail(mail),
        f"{name} {mark}".replace("/", "_"),
        mail.time_ms,
        mail.time_ms,
        (*source.tags, "reply") if is_reply and "reply" not in source.tags else source.tags,
        source.owner,
        source.ref or f"mid:{mail.message_id}",
    )


def clean_body(text: str) -> str:
    """Takes out quoted replies, footers and runs of blank lines; quotes of one or two lines stay."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    cuts = [match.start() for pattern in (_REPLY, _REPLY_WRAPPED) if (match := pattern.search(text))]
    if cuts and (before := text[: min(cuts)].strip()):
        text = before
    text = _QUOTES.sub("\n", text)
    kept = [part for part in re.split(r"\n[ \t]*\n", text) if not _is_footer(part)]
    return _BLANKS.sub("\n\n", "\n\n".join(kept)).strip()


def _is_footer(paragraph: str) -> bool:
    lowered = paragraph.lower()
    return len(paragraph) <= _FOOTER_CHARS and any(phrase in lowered for phrase in _FOOTERS)


def _field(message: EmailMessage, name: str) -> str:
    try:
        value = str(message.get(name, ""))
    except Exception:  # the library raises many things on headers that are wrong
        value = next((str(raw) for key, raw in message.raw_items() if key.lower() == name.lower()), "")
    return " ".join(value.encode("utf-8", "replace").decode().split())


def _time_ms(date: str, now: datetime) -> int:
    try:
        moment = parsedate_to_datetime(date)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        ms = round(moment.timestamp() * 1000)
        format_ms(ms)
    except (ValueError, TypeError, OverflowError, IndexError):
        return round(now.timestamp() * 1000)
    return ms


def _content(message: EmailMessage) -> tuple[str, list[str]]:
    """The readable text, and what else there is."""
    plain: list[str] = []
    pages: list[str] = []
    attachments: list[str] = []
    for part in message.walk():
        if part.is_multipart():
            continue
        kind = part.get_content_type()
        name = part.get_filename()
        data = part.get_payload(decode=True)
        raw = data if isinstance(data, bytes) else b""
        if name or part.get_content_disposition() == "attachment" or not kind.startswith("text/"):
            size = f"{len(raw) / 1024:.0f} KB"
            attachments.append(" ".join(f"{name or kind} ({size})".split()))
        elif kind == "text/html":
            pages.append(_text(part, raw))
        else:
            plain.append(_text(part, raw))
    text = "\n\n".join(plain)
    if not text.strip() and pages:
        text = "\n\n".join(html_to_markdown(page)[1] for page in pages)
    return text, attachments


def _text(part: object, raw: bytes) -> str:
    charset = part.get_content_charset() if hasattr(part, "get_content_charset") else None
    try:
        return raw.decode(charset or "utf-8")
    except (LookupError, UnicodeDecodeError):
        return decode(raw)[0]
