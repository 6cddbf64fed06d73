"""Secrets for tests, put together from pieces at run time, so that none lies in a file. They open nothing."""

from __future__ import annotations

import base64
import json
import string
from random import Random

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def glue(*pieces: str) -> str:
    return "".join(pieces)


def some(rng: Random, alphabet: str, length: int) -> str:
    """Characters of an alphabet, a digit and an upper-case letter among them where it has such."""
    value = [rng.choice(alphabet) for _ in range(length)]
    if "A" in alphabet and length >= 4:
        value[1], value[2] = rng.choice(string.digits), rng.choice(string.ascii_uppercase)
    return "".join(value)


def provider_keys(rng: Random) -> dict[str, str]:
    """One made-up key of each provider."""

    def part(length: int) -> str:
        return some(rng, ALNUM, length)

    claims = [
        base64.urlsafe_b64encode(json.dumps(p).encode()).decode().rstrip("=")
        for p in ({"alg": "HS256"}, {"sub": part(9)})
    ]
    return {
        "openai_key": glue("s", "k-", "proj-", part(60)),
        "anthropic_key": glue("s", "k-", "ant-", "api03-", part(93)),
        "github_token": glue("gh", rng.choice("pousr"), "_", part(36)),
        "github_fine_grained": glue("github", "_pat_", part(22), "_", part(59)),
        "gitlab_token": glue("gl", "pat-", part(20)),
        "npm_token": glue("np", "m_", part(36)),
        "pypi_token": glue("py", "pi-", "AgEIcHlwaS5v", part(120)),
        "aws_access_key_id": glue("AK", "IA", some(rng, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)),
        "google_api_key": glue("AI", "za", part(35)),
        "slack_token": glue("xo", "xb-", some(rng, "123456789", 12), "-", part(24)),
        "stripe_key": glue("s", "k_", "live", "_", part(24)),
        "sendgrid_key": glue("S", "G.", part(22), ".", part(43)),
        "twilio_key": glue("S", "K", some(rng, HEX, 32)),
        "telegram_token": glue(some(rng, "123456789", 10), ":AA", part(33)),
        "discord_token": glue("MT", part(22), ".", part(6), ".", part(38)),
        "jwt": glue(*(f"{claim}." for claim in claims), part(43)),
        "huggingface_token": glue("h", "f_", part(34)),
        "vault_token": glue("hv", "s.", part(40)),
    }


def key_block(rng: Random, label: str = "RSA", newline: str = "\n") -> str:
    """A private key of 12 lines."""
    rule = "-" * 5
    kind = glue(f"{label} " if label else "", "PRIV", "ATE KEY")
    lines = [some(rng, ALNUM + "+/", 64) for _ in range(12)]
    return newline.join([f"{rule}BEGIN {kind}{rule}", *lines, f"{rule}END {kind}{rule}"])


def with_check(body: str, passes: object, alphabet: str = string.digits) -> str:
    """The body with the first ending of the alphabet that passes a check."""
    assert callable(passes)
    endings = [*alphabet, *(a + b for a in alphabet for b in alphabet)]
    return next(body + ending for ending in endings if passes(body + ending))
