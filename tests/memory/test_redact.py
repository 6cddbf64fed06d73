from __future__ import annotations

import json
import time
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.memory.made_up import ALNUM, HEX, glue, key_block, provider_keys, some, with_check
from vaultkeeper.memory.detectors import identity_numbers
from vaultkeeper.memory.redact import DEEPEST_JSON, looks_like_secret, redact, redact_json

RNG = Random(11)
KEYS = provider_keys(RNG)
WORD = glue("pass", "word")
CHOSEN = glue("Otter-", "Maple_", "7342", "!")
OPAQUE = some(RNG, HEX, 40)
CARD = with_check(
    "4539 1488 0343 646", lambda t: len(t) == 19 and identity_numbers.luhn_ok(t.replace(" ", ""))
)
SSN = glue("531", "-", "42", "-", "7719")


@pytest.mark.parametrize("kind", sorted(KEYS))
@pytest.mark.parametrize(
    "place",
    [
        "{}",
        "key: {}.",
        "`{}`",
        "({})",
        'x("{}")',
        "我把{}填进去了",
        "令牌是「{}」",
        "?t={}&b=1",
        '{{"a": "{}"}}',
        "<{}>",
        "{},",
        '\\"{}\\"',
        "a={}\nb",
    ],
)
def test_keys_of_providers(kind: str, place: str) -> None:
    key = KEYS[kind]
    redaction = redact(place.format(key))
    assert key not in redaction.text
    assert redaction.removed.total() == 1
    rest = place.format("\0").split("\0")
    assert redaction.text.startswith(rest[0])
    assert redaction.text.endswith(rest[1])


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\\n", "\\\\n", "\n    ", "\n> ", " "])
@pytest.mark.parametrize("label", ["RSA", "EC", "OPENSSH", "", "ENCRYPTED", "DSA"])
def test_key_blocks(newline: str, label: str) -> None:
    block = key_block(RNG, label, newline)
    redaction = redact(f"before {block} after")
    assert redaction.text == "before [REDACTED_SECRET] after"
    assert redaction.removed == {"private_key": 1}


def test_a_key_block_without_its_end_takes_its_lines_only() -> None:
    block = key_block(RNG)
    cut = block[: block.index("-----END")].rstrip()
    assert redact(f"{cut}\n\nsee「the runbook」").text.endswith("「the runbook」")
    assert block.splitlines()[3] not in redact(cut).text


def test_two_key_blocks_and_public_ones() -> None:
    public = key_block(RNG).replace(glue("RSA PRIV", "ATE KEY"), "CERTIFICATE")
    text = f"{key_block(RNG)}\n{public}\n{key_block(RNG)}"
    assert redact(text).text == f"[REDACTED_SECRET]\n{public}\n[REDACTED_SECRET]"


@pytest.mark.parametrize(
    "place",
    [
        "{w}: {v}",
        "{w}={v}",
        "DB_{W}={v}",
        '{{"{w}": "{v}"}}',
        "'{w}' => '{v}',",
        '{w} := "{v}"',
        "<{w}>{v}</{w}>",
        "login(user='a', {w}='{v}')",
        'set_{w}("{v}")',
        "--{w} {v}",
        "--{w}='{v}'",
        "sshpass -p '{v}' ssh a@b",
        "curl -u bob:{v} https://x.example",
        "mysql -u root -p{v} notes",
        "machine h.example login bob {w} {v}",
        "Server=db;Uid=sa;Pwd={v};",
        "the wifi {w} is {v}, ok",
        'my {w} is now "{v}"',
        "{w} for the router: {v}",
        "bob / passwd={v} on pg",
        "NAS 的密码是 {v}，用户名 bob",
        "密码：{v}，先登录",
        "新密码改成了{v}。",
        "pwd: {v}\n(that's for pg)",
        "use {v} as the {w}",
        "| {w} | {v} |",
        '{{\\"{w}\\": \\"{v}\\"}}',
        "CREATE USER bob IDENTIFIED BY '{v}';",
        "postgres://bob:{v}@db.internal/x",
        "redis://:{v}@cache:6379/0",
        "git clone https://bob:{v}@git.example.com/x.git",
    ],
)
@pytest.mark.parametrize(
    "value", [glue("granite", "77", "raven"), glue("Harb#", "1987$", "pep"), glue("Walnut-", "Comet_", "812")]
)
def test_passwords_by_the_words_around_them(place: str, value: str) -> None:
    text = place.format(w=WORD, W=WORD.upper(), v=value)
    if "://" in text:
        value = value.replace("#", "%23")
        text = place.format(w=WORD, W=WORD.upper(), v=value)
    redaction = redact(text)
    assert value not in redaction.text
    assert redaction.text == text.replace(value, "[REDACTED]")


@pytest.mark.parametrize(
    "place",
    [
        "API_KEY={v}",
        'client_secret: "{v}"',
        'apiKey := "{v}"',
        '{{"apiKey": "{v}", "n": 3}}',
        "x-api-key: {v}\naccept: */*",
        "auth_token={v}&grant=1",
        "the api key for keeper is {v}",
        "keeper 的 API key：{v}（过期）",
        "JWT_SECRET={v}",
        "访问令牌：{v}",
        "Authorization: Bearer {v}",
        "authorization: token {v}",
        "Cookie: sessionid={v}; theme=dark",
        'client.setApiKey("{v}")',
        "<apiKey>{v}</apiKey>",
        "aws_secret_access_key = {v}",
        "secret_key_base: {v}",
    ],
)
@pytest.mark.parametrize("value", [OPAQUE, some(RNG, ALNUM, 32)])
def test_keys_by_their_names(place: str, value: str) -> None:
    text = place.format(v=value)
    assert redact(text).text in {text.replace(value, "[REDACTED]"), text.replace(value, "[REDACTED_SECRET]")}


@pytest.mark.parametrize(
    "text",
    [
        f"set OPENAI_API_KEY={glue('YOUR_', 'API_KEY')} in .env",
        f"{WORD}: ******",
        f"{WORD}: [REDACTED]",
        f"{WORD}: ${{DB_PW}}",
        f"{WORD} = getpass.getpass()",
        f"{WORD}: str | None = None",
        f"{WORD}: {{{{ vault_db }}}}",
        f"The {WORD} policy asks for 12 characters.",
        f"{WORD} authentication failed for user bob at 12:10",
        "max_tokens=900, token count: 2048",
        "token_ttl_s = 3600",
        "Authorization: Bearer <token>",
        f"{WORD}_file: /run/secrets/db",
        "public_key: ~/.ssh/id.pub",
        "api_key = os.environ['X']",
        f"postgres://bob:${{DB_{WORD.upper()}}}@db/x",
        "postgresql://bob@db:5432/x",
        "git@github.com:a/b.git",
        "Key: F# minor",
        "密码策略规定至少 12 位",
        "我忘了密码，重置邮件没收到",
        "令牌桶每秒 50 个",
        f"commit {some(RNG, HEX, 40)} broke it",
        f"sha256:{some(RNG, HEX, 64)}",
        "9f1c2d3e-1111-4222-8333-444455556666",
        f"md5 {some(RNG, HEX, 32)}  a.jpg",
        "order 4539 1488 0343 6468 shipped".replace("6468", "6460"),
        "call +49 30 1234567 or (212) 555-0123",
        "我的手机号是 13812345678",
        "write to ana@example.org",
        "part 000-12-3456 is out",
        "created_ms: 1712345678901",
        "978-3-16-148410-0",
        "the bearer of bad news",
        "tokenizer splits by token: one each",
        glue("gh", "p_", "x" * 36),
        "ri" + glue("s", "k-") + "register-2024-q1-otter-maple",
        "10.20.4.17:5432 2025-02-11T09:14:55Z",
        'if not token:\n    raise ValueError("token is required")',
        "pass allow=False so that it passes",
    ],
)
def test_what_only_looks_alike_stays(text: str) -> None:
    redaction = redact(text)
    assert redaction.text == text
    assert not redaction.removed


@pytest.mark.parametrize("mark", [" ", "-", "", "\u00a0", "\u2009"])
def test_cards(mark: str) -> None:
    card = CARD.replace(" ", mark)
    assert redact(f"pay with {card}, thx").text == "pay with [REDACTED_PII_CREDIT_CARD], thx"
    wrong = card[:-1] + str((int(card[-1]) + 1) % 10)
    assert redact(f"pay with {wrong}, thx").text == f"pay with {wrong}, thx"


@pytest.mark.parametrize(
    "disguise",
    [
        lambda text: "".join(chr(ord(c) - 48 + 0xFF10) if c.isdigit() else c for c in text),
        lambda text: "".join(chr(ord(c) - 48 + 0x0660) if c.isdigit() else c for c in text),
        lambda text: "\u200b".join(text),
        lambda text: text.replace(" ", "\u200b \ufeff"),
    ],
)
def test_look_alike_digits_are_read_and_replaced_in_place(disguise: object) -> None:
    assert callable(disguise)
    assert redact(f"卡号：{disguise(CARD)}，ﬁn İ").text == "卡号：[REDACTED_PII_CREDIT_CARD]，ﬁn İ"


def test_a_key_with_zero_width_marks() -> None:
    key = KEYS["github_token"]
    assert redact(f"a {key[:9]}\u200b{key[9:]} b").text == "a [REDACTED_SECRET] b"


def test_social_security_numbers() -> None:
    assert redact(f"ssn {SSN}").text == "ssn [REDACTED_PII_US_SSN]"
    assert redact(f"my SSN is {SSN.replace('-', ' ')}").text == "my SSN is [REDACTED_PII_US_SSN]"
    assert redact(f"part {SSN.replace('531', '666')}").text == f"part {SSN.replace('531', '666')}"


def test_earliest_and_longest_wins_and_the_rest_stays_readable() -> None:
    key = KEYS["jwt"]
    redaction = redact(f"export API_KEY='{key}' # {CARD}, then {WORD}={CHOSEN} done")
    assert (
        redaction.text
        == f"export API_KEY='[REDACTED_SECRET]' # [REDACTED_PII_CREDIT_CARD], then {WORD}=[REDACTED] done"
    )
    assert redaction.removed == {"jwt": 1, "credit_card": 1, "password": 1}


def test_the_report_holds_no_value() -> None:
    redaction = redact(f"{WORD}: {CHOSEN} and {KEYS['npm_token']}")
    assert CHOSEN not in repr(redaction)
    assert KEYS["npm_token"] not in repr(redaction)


def test_json_by_names_and_by_shapes() -> None:
    payload = {
        "apiKey": "short",
        "db_password": CHOSEN,
        "pin_token": 123456,
        "max_tokens": 900,
        "primary_key": "id",
        "empty_password": "",
        "token": None,
        "note": f"see {KEYS['github_token']}",
        "list": [{"secret": {"inner": CARD}}],
        "ok": True,
    }
    cleaned, removed = redact_json(payload)
    assert cleaned == {
        "apiKey": "[REDACTED]",
        "db_password": "[REDACTED]",
        "pin_token": "[REDACTED]",
        "max_tokens": 900,
        "primary_key": "id",
        "empty_password": "",
        "token": None,
        "note": "see [REDACTED_SECRET]",
        "list": [{"secret": {"inner": "[REDACTED_PII_CREDIT_CARD]"}}],
        "ok": True,
    }
    assert removed.total() == 5
    assert redact_json(cleaned) == (cleaned, {})


def test_json_is_read_to_a_depth() -> None:
    value: object = CARD
    for _ in range(DEEPEST_JSON * 3):
        value = [value]
    assert CARD not in json.dumps(redact_json(value)[0])
    assert redact_json([[["plain"]]])[0] == [[["plain"]]]


@pytest.mark.parametrize("kind", sorted(KEYS))
def test_names_that_are_secrets(kind: str) -> None:
    assert looks_like_secret(KEYS[kind])


@pytest.mark.parametrize(
    "name",
    [
        "",
        "session-2024-05-01",
        "13812345678",
        "4539148803436467",
        "+49 30 1234567",
        "person:ana-lind",
        some(RNG, HEX, 40),
        "ana@example.org",
        "任务",
    ],
)
def test_names_that_are_none(name: str) -> None:
    assert not looks_like_secret(name)


def test_formatted_numbers_are_no_names() -> None:
    assert looks_like_secret(SSN)


secretish = st.sampled_from(
    [
        *KEYS.values(),
        CARD,
        SSN,
        CHOSEN,
        OPAQUE,
        WORD,
        "is",
        ":",
        "=",
        '"',
        "\\",
        "\n",
        "https://a:",
        "@b",
        "Bearer ",
        "[REDACTED]",
        "密码",
        "key",
        "token",
        "--",
        "-----BEGIN ",
        "\u200b",
        "，",
        "５",
        "://",
        "secret",
    ]
)


@settings(max_examples=200)
@given(
    st.text(max_size=200)
    | st.lists(secretish, max_size=14).map("".join)
    | st.lists(secretish, max_size=14).map(" ".join)
)
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = redact(text)
    twice = redact(once.text)
    assert twice.text == once.text
    assert not twice.removed
    assert bool(once.removed) == (once.text != text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda c: st.lists(c, max_size=3) | st.dictionaries(st.text(max_size=9), c, max_size=3),
    max_leaves=12,
)


@given(json_values)
def test_any_json_is_read(value: object) -> None:
    cleaned, _ = redact_json(value)
    assert redact_json(cleaned)[0] == cleaned


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "1",
        "1 ",
        "1-",
        "eyJ",
        "a.",
        "password ",
        "key=",
        "://a:",
        "-----BEGIN " + glue("PRIV", "ATE KEY") + "-----\n",
        "\\",
        '"',
        "DE89",
        "４",
        "\u200b",
        "s" + "k-",
        "密码是",
        "bearer ",
        "login a:",
        "x@",
        "Cookie: a=",
    ],
)
def test_time_is_linear(piece: str) -> None:
    text = piece * (120_000 // len(piece))
    started = time.process_time()
    redact(text)
    assert time.process_time() - started < 6


def test_text_that_could_hold_a_named_value_is_looked_at() -> None:
    """The words that decide whether the slow expressions are loaded let nothing through that they would find."""
    from vaultkeeper.memory.detectors import find_named_values as guarded
    from vaultkeeper.memory.detectors.named_values import _LITERALS, _OTHER_LITERALS, find_named_values

    value = "X7rtB2" + "mvhW3zL5k"
    for literal in (*_LITERALS, *_OTHER_LITERALS):
        for text in (
            f"{literal}: {value}",
            f"{literal}={value}",
            f"the {literal} is {value}",
            f"{literal.upper()} = {value}",
        ):
            assert list(guarded(text)) == list(find_named_values(text)), text
