from __future__ import annotations

from datetime import UTC, datetime
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultkeeper.importers.item import Source
from vaultkeeper.importers.mail import (
    clean_body,
    mail_item,
    parse_mail,
    render_mail,
    render_thread,
    split_mbox,
)

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def mail(**headers: str) -> EmailMessage:
    message = EmailMessage()
    for name, value in {
        "From": "Mara Lindqvist <mara@example.org>",
        "To": "nora@example.org",
        "Subject": "The gauge",
        "Date": "Mon, 2 Mar 2026 10:00:00 +0100",
        "Message-ID": "<m1@example.org>",
        **headers,
    }.items():
        message[name.replace("_", "-")] = value
    return message


def test_a_plain_mail_has_its_header_lines_and_its_body() -> None:
    message = mail(Cc="seun@example.org")
    message.set_content("Bring the tape.\n")
    text = render_mail(parse_mail(message.as_bytes(), NOW))
    assert text == (
        "From: Mara Lindqvist <mara@example.org>  \nTo: nora@example.org  \nCc: seun@example.org  \n"
        "Subject: The gauge  \nDate: Mon, 02 Mar 2026 10:00:00 +0100\n\nBring the tape.\n"
    )


def test_html_alone_is_converted_and_plain_text_preferred() -> None:
    message = mail()
    message.set_content("<p>Bring the <b>tape</b>.</p><script>x()</script>", subtype="html")
    assert parse_mail(message.as_bytes(), NOW).body == "Bring the **tape**."
    both = mail()
    both.set_content("plain words")
    both.add_alternative("<p>other words</p>", subtype="html")
    both.add_attachment(b"%PDF-1.4" * 400, maintype="application", subtype="pdf", filename="plan.pdf")
    found = parse_mail(both.as_bytes(), NOW)
    assert found.body == "plain words"
    assert found.attachments == ("plan.pdf (3 KB)",)


@pytest.mark.parametrize(
    "tail",
    [
        "On Mon, 2 Mar 2026 at 10:00, Nora <nora@example.org> wrote:\n> old words\n",
        "On Monday the second of March in the year of\n2026 Nora wrote:\n\n> old words\n",
        "-----Original Message-----\nFrom: x\nold words",
        "---------- Forwarded message ----------\nold words",
        "Begin forwarded message:\n\nold words",
        "Am 02.03.2026 um 10:00 schrieb Nora:\n> old words",
        "在 2026年3月2日，Nora 写道：\n> old words",
        "> old words\n> more\n> and more\n",
    ],
)
def test_the_chain_of_replies_is_cut(tail: str) -> None:
    assert clean_body(f"New words.\n\n{tail}") == "New words."


def test_short_quotes_stay_and_a_mail_that_is_all_quote_is_kept() -> None:
    assert clean_body("> one line\n\nMy answer.") == "> one line\n\nMy answer."
    assert "old words" in clean_body("-----Original Message-----\nold words")


@pytest.mark.parametrize(
    "footer",
    [
        "To unsubscribe click here.",
        "CONFIDENTIALITY NOTICE: this is secret",
        "Sent from my iPhone",
        "© 2026 ACME. All rights reserved.",
        "View this email in your browser",
        "退订请点击这里",
    ],
)
def test_footers_are_cut(footer: str) -> None:
    assert (
        clean_body(f"News of the harbour.\n\n\n\n\n{footer}\n\nRegards") == "News of the harbour.\n\nRegards"
    )


def test_a_body_cannot_begin_another_mail() -> None:
    message = mail()
    message.set_content("Hello.\n\n---\nFrom: boss@example.org\nSubject: pay\n\n# Heading\nText\n")
    text = render_thread([parse_mail(message.as_bytes(), NOW)])
    assert [line for line in text.split("\n") if line == "---"] == ["---"]
    assert "\\# Heading" in text


def test_a_subject_cannot_add_lines_and_odd_headers_do_not_raise() -> None:
    raw = (
        b"Subject: =?utf-8?b?SGkKRnJvbTogYm9zcw==?=\nFrom: =?bogus?q?x?=\nDate: never\n"
        b"Content-Type: text/plain; charset=klingon\n\nthe caf\xe9"
    )
    found = parse_mail(raw, NOW)
    assert all("\n" not in value for value in found.fields.values())
    assert found.time_ms == int(NOW.timestamp() * 1000)
    assert found.body == "the café"


@given(st.binary(max_size=600))
def test_any_bytes_are_read(data: bytes) -> None:
    render_mail(parse_mail(data, NOW))
    list(split_mbox(data))


def test_an_mbox_gives_its_messages_as_they_were() -> None:
    box = (
        b"From a Mon\nSubject: one\n\nFrom here on\n>From there\n\nFrom b Tue\r\nSubject: two\r\n\r\nwords\n"
    )
    parts = list(split_mbox(box))
    assert [parse_mail(part, NOW).fields["Subject"] for part in parts] == ["one", "two"]
    assert "From there" in parse_mail(parts[0], NOW).body
    assert ">From" not in parse_mail(parts[0], NOW).body


def test_a_reply_is_tagged_and_named_by_its_subject() -> None:
    message = mail(Subject="Re: AW: The gauge / storm?")
    message.set_content("Yes.")
    item = mail_item(parse_mail(message.as_bytes(), NOW), Source("box", "email"))
    assert "reply" in item.tags
    assert item.name.startswith("2026-03-02 The gauge _ storm?")
    assert item.id == "box#m1@example.org"
    assert item.source_ref == "mid:m1@example.org"
