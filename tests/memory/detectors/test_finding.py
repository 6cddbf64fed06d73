from __future__ import annotations

import pytest

from vaultkeeper.memory.detectors import is_placeholder, is_secret_name


@pytest.mark.parametrize(
    "value",
    [
        "",
        "****",
        "${X}",
        "$TOKEN",
        "<token>",
        "{{ x }}",
        "[REDACTED]",
        "YOUR_API_KEY",
        "your-key-here",
        "null",
        "xxxxxxxx",
        "...",
        "/run/secrets/db",
        "os.environ",
        "getpass.getpass()",
        "changeme",
        "sk-...",
        "secrets.NPM_TOKEN",
        "%(pw)s",
    ],
)
def test_stands_for_a_secret(value: str) -> None:
    assert is_placeholder(value)


@pytest.mark.parametrize(
    "value", ["otter48" + "marble", "Juni#" + "2024$com", "a8f3" * 8, "/eP/" + "mTerVu5U1L+6hSGwA=="]
)
def test_is_a_secret(value: str) -> None:
    assert not is_placeholder(value)


@pytest.mark.parametrize(
    "name",
    [
        "apiKey",
        "API_KEY",
        "db_password",
        "clientSecret",
        "access-token",
        "x-api-key",
        "passwordHash",
        "密码",
        "SecretAccessKey",
    ],
)
def test_names_of_secrets(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "max_tokens",
        "next_page_token",
        "primaryKey",
        "key",
        "monkey",
        "publicKey",
        "password_length",
        "token_count",
        "secret_name",
        "user",
        "cacheKey",
    ],
)
def test_names_of_something_else(name: str) -> None:
    assert not is_secret_name(name)
