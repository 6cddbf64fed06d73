"""Secrets that give themselves away by their shape: providers' keys, signed tokens, key blocks, logins in
URLs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from vaultkeeper.memory.detectors.finding import NAMED, SECRET, Finding, is_placeholder
from vaultkeeper.memory.detectors.windows import ascii_view, matches, places_of, windows, words_at

_FRONT = r"(?<![A-Za-z0-9_])"
_BACK = r"(?![A-Za-z0-9_])"
_DASHES = "-" * 5
_FEWEST_DISTINCT = 6
"""A real key has at least so many different characters; `xxxx…` has fewer."""


class _Shape(NamedTuple):
    """A kind of key.

    Attributes:
        kind: its class.
        literals: one of these is in the text, or no such key is.
        pattern: the key; group 1 when only a part of the match is secret.
        mixed: whether the key must hold a digit and a letter in upper case, or be hexadecimal.
    """

    kind: str
    literals: tuple[str, ...]
    pattern: str
    mixed: bool = False


_GITLAB = ("pat", "dt", "ptt", "rt", "soat", "ft", "imt", "agent", "cbt", "oas", "ffct")
_DISCORD = tuple(first + second for first in "MNO" for second in "DTjz")
"""How the base64 of a number begins."""
_LONGEST_CHARS = 4096
_LONG_WORD = re.compile(r"\S{15,}")
"""No key is shorter: `xoxb-` and ten more."""
_SHAPES = (
    _Shape("anthropic_key", ("sk-ant-",), _FRONT + r"sk-ant-[A-Za-z0-9_-]{20,}"),
    _Shape(
        "openai_key",
        ("sk-",),
        _FRONT + r"sk-(?!ant-)(?:proj-|svcacct-|admin-|or-v1-|None-|lf-)?[A-Za-z0-9_-]{20,}",
        mixed=True,
    ),
    _Shape("github_token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), _FRONT + r"gh[pousr]_[A-Za-z0-9]{30,}"),
    _Shape("github_fine_grained", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{30,}"),
    _Shape(
        "gitlab_token",
        tuple(f"gl{kind}-" for kind in _GITLAB),
        _FRONT + r"gl(?:" + "|".join(_GITLAB) + r")-[A-Za-z0-9_.-]{20,}",
    ),
    _Shape("npm_token", ("npm_",), _FRONT + r"npm_[A-Za-z0-9]{30,}"),
    _Shape("pypi_token", ("pypi-",), _FRONT + r"pypi-[A-Za-z0-9_-]{50,}"),
    _Shape(
        "aws_access_key_id",
        ("AKIA", "ASIA", "ABIA", "ACCA"),
        _FRONT + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}" + _BACK,
    ),
    _Shape("google_api_key", ("AIza",), _FRONT + r"AIza[A-Za-z0-9_-]{35}"),
    _Shape(
        "google_oauth",
        ("GOCSPX-", "ya29."),
        _FRONT + r"(?:GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_.-]{20,})",
    ),
    _Shape(
        "slack_token",
        ("xox", "xapp-", "xwfp-"),
        _FRONT + r"(?:xox[abcdeoprs](?:\.xox[bp])?-|xapp-|xwfp-)[A-Za-z0-9-]{10,}",
    ),
    _Shape(
        "slack_webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/]{20,})",
    ),
    _Shape(
        "discord_webhook",
        ("/webhooks/",),
        r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/(\d+/[A-Za-z0-9_-]{30,})",
    ),
    _Shape(
        "teams_webhook", ("webhook.office.com/",), r"webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{40,})"
    ),
    _Shape(
        "stripe_key",
        ("k_live_", "k_test_", "whsec_"),
        _FRONT + r"(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,})",
    ),
    _Shape("sendgrid_key", ("SG.",), _FRONT + r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    _Shape("twilio_key", ("SK",), _FRONT + r"SK[0-9a-fA-F]{32}" + _BACK),
    _Shape("telegram_token", (":AA",), r"(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{30,}"),
    _Shape(
        "discord_token",
        ("mfa.", *_DISCORD),
        r"(?<![A-Za-z0-9_.-])[MNO][DTjz][A-Za-z0-9_-]{21,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}|"
        + _FRONT
        + r"mfa\.[A-Za-z0-9_-]{60,}",
    ),
    _Shape(
        "azure_connection_string",
        ("AccountKey=", "SharedAccessKey="),
        r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{30,}={0,2})",
    ),
    _Shape("azure_signature", ("sig=",), r"[?&]sig=([A-Za-z0-9%+/=_-]{30,})"),
    _Shape(
        "jwt", ("eyJ",), r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,3}"
    ),
    _Shape("huggingface_token", ("hf_",), _FRONT + r"hf_[A-Za-z0-9]{30,}"),
    _Shape("digitalocean_token", ("_v1_",), _FRONT + r"do[opr]_v1_[0-9a-f]{64}"),
    _Shape("shopify_token", ("shp",), _FRONT + r"shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{32}"),
    _Shape("databricks_token", ("dapi",), _FRONT + r"dapi[0-9a-f]{32}(?:-\d)?" + _BACK),
    _Shape("vault_token", ("hvs.", "hvb."), _FRONT + r"hv[sb]\.[A-Za-z0-9_-]{24,}"),
    _Shape("grafana_token", ("glsa_", "glc_"), _FRONT + r"gl(?:sa|c)_[A-Za-z0-9+/=_]{30,}"),
    _Shape(
        "atlassian_token", ("ATATT3", "ATBB", "ATCTT3"), _FRONT + r"(?:ATATT3|ATBB|ATCTT3)[A-Za-z0-9_=-]{20,}"
    ),
    _Shape("docker_token", ("dckr_",), _FRONT + r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"),
    _Shape("newrelic_key", ("NRAK-",), _FRONT + r"NRAK-[A-Z0-9]{27}"),
    _Shape("rubygems_key", ("rubygems_",), _FRONT + r"rubygems_[0-9a-f]{48}"),
    _Shape("postman_key", ("PMAK-",), _FRONT + r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    _Shape("linear_key", ("lin_",), _FRONT + r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    _Shape(
        "notion_token",
        ("secret_", "ntn_"),
        _FRONT + r"(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,})" + _BACK,
    ),
    _Shape("airtable_token", ("pat",), _FRONT + r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _Shape("figma_token", ("figd_", "figu_"), _FRONT + r"fig[du]_[A-Za-z0-9_-]{30,}"),
    _Shape(
        "model_provider_key",
        ("gsk_", "xai-", "pplx-", "r8_", "tvly-", "lsv2_", "pcsk_", "fw_", "nvapi-"),
        _FRONT + r"(?:gsk_|xai-|pplx-|r8_|tvly-|lsv2_(?:pt|sk)_|pcsk_|fw_|nvapi-)[A-Za-z0-9_-]{24,}",
        mixed=True,
    ),
    _Shape("mailgun_key", ("key-",), _FRONT + r"key-[0-9a-f]{32}" + _BACK),
    _Shape("mailchimp_key", ("-us",), r"(?<![0-9a-fA-F])[0-9a-f]{32}-us\d{1,2}" + _BACK),
    _Shape(
        "square_token",
        ("sq0", "EAAA"),
        _FRONT + r"(?:sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}|EAAA[A-Za-z0-9_-]{56,})",
    ),
    _Shape(
        "supabase_token",
        ("sbp_", "sb_secret_"),
        _FRONT + r"(?:sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{20,})",
    ),
    _Shape("sentry_token", ("sntry",), _FRONT + r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    _Shape("terraform_token", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}"),
    _Shape("planetscale_token", ("pscale_",), _FRONT + r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,}"),
    _Shape("age_key", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[0-9A-Z]{40,}"),
    _Shape("google_refresh_token", ("1//",), _FRONT + r"1//0[A-Za-z0-9_-]{30,}"),
    _Shape("oauth_code", ("code=",), r"[?&]code=([A-Za-z0-9_%./~-]{20,})", mixed=True),
)
"""Source: the prefixes that providers publish so that leaked keys can be found."""

_BEARER = re.compile(r"(?i:\b|(?<=[^\x00-\x7f]))(?i:bearer)[ \t]{1,3}[\"'`]?([A-Za-z0-9._~+/=-]{16,})")
_AUTHORIZATION = re.compile(
    r"(?i:authorization|proxy-auth)[\\\"']{0,3}[ \t]{0,3}[:=][ \t]{0,3}[\\\"']{0,3}(?:(?i:basic|token|"
    r"apikey|api-key|key|digest|aws|oauth|bot|sso-key)[ \t]{1,3}([A-Za-z0-9._~+/=:-]{8,})|"
    r"([A-Za-z0-9._~+/=-]{20,}))"
)
_URL_LOGIN = re.compile(
    r"([A-Za-z][A-Za-z0-9+.-]{0,30})://[^\s:/?#@\"'<>\[\]，。；]{0,100}:([^\s/?#\"'<>，。；]{1,200})@(?=[A-"
    r"Za-z0-9\[])"
)
_WEB = frozenset(
    {
        "http",
        "https",
        "ftp",
        "ftps",
        "sftp",
        "git",
        "git+https",
        "git+http",
        "ssh",
        "svn",
        "webdav",
        "dav",
        "davs",
        "ws",
        "wss",
    }
)
_BLOCK_BEGIN = re.compile(
    _DASHES + r"BEGIN ((?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?|SSH2 ENCRYPTED PRIVATE KEY)" + _DASHES
)
_BLOCK_BODY = re.compile(r"(?:[A-Za-z0-9+/=:,;.> \t\r\n-]|\\[nrt])*")
_PUTTY = re.compile(r"Private-Lines: \d{1,3}(?:\r?\n|\\n)((?:[A-Za-z0-9+/=]{1,80}(?:\r?\n|\\n|$)){1,200})")


def find_key_blocks(text: str) -> Iterator[Finding]:
    """Yields private keys from their first to their last dashes, also with escaped line breaks or without
    an end."""
    if _DASHES + "BEGIN" in text:
        at = 0
        while (begin := _BLOCK_BEGIN.search(text, at)) is not None:
            closing = f"{_DASHES}END {begin[1]}{_DASHES}"
            following = text.find(_DASHES + "BEGIN", begin.end())
            limit = following if following >= 0 else len(text)
            end = text.find(closing, begin.end(), limit)
            if end >= 0:
                at = end + len(closing)
            else:
                body = _BLOCK_BODY.match(text, begin.end(), limit)
                at = body.end() if body else begin.end()
                at = begin.start() + len(text[begin.start() : at].rstrip())
            yield Finding(begin.start(), at, "private_key", SECRET)
    if "Private-Lines: " in text:
        for match in _PUTTY.finditer(text):
            yield Finding(match.start(1), match.end(1), "private_key", SECRET)


def find_provider_tokens(text: str) -> Iterator[Finding]:
    """Yields keys and tokens that are secret by their shape, in no order."""
    view = ascii_view(text)
    # No key holds a blank, so that only long words need be looked through for the literals of so many shapes.
    words = [word.span() for word in _LONG_WORD.finditer(view)]
    together = " ".join([view[start:end] for start, end in words])
    for shape in _SHAPES if words else ():
        found = [literal for literal in shape.literals if literal in together]
        if not found:
            continue
        for match in matches(_compiled(shape.pattern), text, words_at(words, places_of(view, found))):
            group = 1 if match.re.groups else 0
            value = match[group].rstrip(".")
            if _is_real(value) and not (shape.mixed and not _is_mixed(value)):
                start = match.start(group)
                yield Finding(start, start + len(value), shape.kind, SECRET)
    yield from _find_headers(text, view)
    if "://" in view and "@" in view:
        for match in matches(_URL_LOGIN, text, windows(view, ("://",), 32, 400)):
            if not is_placeholder(match[2]):
                kind = "basic_auth_url" if match[1].lower() in _WEB else "database_url"
                yield Finding(match.start(2), match.end(2), kind, NAMED)


def _find_headers(text: str, view: str) -> Iterator[Finding]:
    for match in matches(_BEARER, text, windows(view, ("earer", "EARER"), 1, _LONGEST_CHARS)):
        if not is_placeholder(match[1]) and any(mark.isdigit() for mark in match[1]):
            yield Finding(match.start(1), match.end(1), "bearer_token", SECRET)
    for match in matches(
        _AUTHORIZATION, text, windows(view, ("uthorization", "UTHORIZATION", "roxy-auth"), 1, _LONGEST_CHARS)
    ):
        group = 1 if match[1] else 2
        if not is_placeholder(match[group]) and any(mark.isdigit() for mark in match[group]):
            yield Finding(match.start(group), match.end(group), "bearer_token", SECRET)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _is_real(value: str) -> bool:
    return (
        len(set(value[-24:])) >= _FEWEST_DISTINCT
        and "xxxxxx" not in value.lower()
        and "REDACTED" not in value
    )


def _is_mixed(value: str) -> bool:
    has_digit = any(mark.isdigit() for mark in value)
    return has_digit and (any(mark.isupper() for mark in value) or bool(re.search(r"[0-9a-f]{24,}", value)))
