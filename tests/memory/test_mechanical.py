import time

import pytest

from vaultkeeper.memory.mechanical import find_mechanical


def found(text: str) -> list[str]:
    mentions = find_mechanical(text)
    for mention in mentions:
        assert text[mention.start : mention.end] == mention.surface
        assert mention.entity_id.startswith(mention.kind + ":")
    return [mention.entity_id for mention in sorted(mentions, key=lambda m: (m.start, m.entity_id))]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("write to Mara.L+x@Mail.Example.ORG.", ["email:mara.l+x@mail.example.org"]),
        ("<a@b.co>, (c_d@e.io)", ["email:a@b.co", "email:c_d@e.io"]),
        ("a@b, a@b.c, @b.co x", ["handle:b.co"]),
        ("a@b.com1", []),
        ("..x@y.org", ["email:x@y.org"]),
        ("联系mara@x.org你好", ["email:mara@x.org"]),
        ("mailto:a@b.co", ["email:a@b.co"]),
    ],
)
def test_emails(text, ids):
    assert found(text) == ids


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("see https://X.org/A?b=c#d.", ["url:https://X.org/A?b=c#d"]),
        ("(http://x.org), [a](https://y.org/z)!", ["url:http://x.org", "url:https://y.org/z"]),
        ("HTTPS://x.org", ["url:HTTPS://x.org"]),
        ("<http://x.org/a>b", ["url:http://x.org/a"]),
        ("看 https://x.org/路，然后", ["url:https://x.org/路"]),
        ("**https://x.org**", ["url:https://x.org"]),
        ("ftp://x.org http:// https://. xhttp://y", []),
        ("://", []),
    ],
)
def test_urls(text, ids):
    assert found(text) == ids


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("@Mara and (@jonas.w) and\n@x-y_z.", ["handle:mara", "handle:jonas.w", "handle:x-y_z"]),
        ("a@mara /@mara .@mara", []),
        ("@ mara @-x", []),
        ("@张伟 @zoë @नरेश", ["handle:张伟", "handle:zoë", "handle:नरेश"]),
        ("ping Mara#1234, x#1234 a#123 ab#12345", ["handle:mara#1234"]),
        ("n" * 32 + "#0001", ["handle:" + "n" * 32 + "#0001"]),
        ("n" * 33 + "#0001", []),
    ],
)
def test_handles(text, ids):
    assert found(text) == ids


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("#Launch (#q3-plan)", ["hashtag:launch", "topic:launch", "hashtag:q3-plan", "topic:q3-plan"]),
        ("#a #1a x#tag #", []),
        ("#ab #AB", ["hashtag:ab", "topic:ab", "hashtag:ab"]),
        ("#读书 很好 #书", ["hashtag:读书", "topic:读书", "hashtag:书", "topic:书"]),
        ("#project/alpha/", ["hashtag:project/alpha", "topic:project/alpha"]),
        ("# Heading ## More", []),
        ("#größe", ["hashtag:größe", "topic:größe"]),
    ],
)
def test_hashtags(text, ids):
    assert found(text) == ids


@pytest.mark.parametrize(
    "unit",
    ["@", "#", "a@", "a.", "@a.", "x#1234", "://", "http://", "@a.b", "a@b.c.", "#a", "@-", "_%+", "@a-"],
)
def test_time_grows_with_the_text_only(unit):
    def seconds(length: int) -> float:
        text = unit * (length // len(unit)) + "@x.org http://y #ab"
        best = 9.0
        for _ in range(3):
            began = time.process_time()
            find_mechanical(text)
            best = min(best, time.process_time() - began)
        return best

    short, long = seconds(20_000), seconds(160_000)
    assert long < 40 * max(short, 0.001)
