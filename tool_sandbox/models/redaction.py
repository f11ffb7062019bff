"""Takes keys out of everything that is written down: what passed over the wire, error texts, tracebacks.

Whatever is redacted is also served to the SDK in that form, so that a key that a server sends back goes nowhere.
"""

import base64
import contextlib
import functools
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from urllib.parse import quote, unquote, unquote_plus, urlsplit

from tool_sandbox.models.endpoint import Endpoint
from tool_sandbox.play.trajectory_files import cleaned

REDACTED = "[redacted]"
"""Stands where a key was."""

SHORTEST = 8
"""Characters of the shortest text that is taken for a secret; shorter ones are words that occur anywhere."""

_LONGEST_WORD = 20
"""Letters in a row that no word has."""

_PLACEHOLDERS = frozenset(
    {"lm-studio", "not-needed", "not-required", "no-key-required", "sk-no-key-required", "placeholder", "disabled"}
)
"""What people write where a local server wants a key and does not read it."""

_SECRET_NAME = re.compile(
    r"(?:API_?KEY|ACCESS_?KEY(?:_ID)?|SECRET(?:_KEY)?|PRIVATE_KEY|TOKEN|PASSWORD|PASSWD|AUTH_KEY)\Z", re.IGNORECASE
)
_NAME = re.compile(r"(?:[a-z_]*|[A-Z_]*)\Z")
_PASSWORD = re.compile(r"\s*[A-Za-z][\w+.-]*://[^/?#\s:@]*:([^/?#\s@]+)@")
_SECRET_PARAMETER = re.compile(r"key|token|secret|sig|pass|credential|auth", re.IGNORECASE)
_USER_IN_ADDRESS = re.compile(r"//[^/@\s,]*@")
_SECRET_HEADERS = ("authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie")

# A key begins at the start of a word. Inside of base64 (signatures of thoughts, encrypted reasoning) every character
# before is a letter of base64, so that nothing there is taken for a key.
_START = r"(?<![A-Za-z0-9_+/\-])"
_SHAPES = re.compile(
    _START
    + r"(?:"
    + r"|".join(
        (
            r"sk-(?:ant|proj|svcacct|admin|or-v1|lf)-[\w-]{12,}",
            r"sk-(?=[a-zA-Z_-]*[0-9])[\w-]{20,}",
            r"AIza[\w-]{35}(?![\w-])",
            r"AQ\.[\w-]{40,}",
            r"ya29\.[\w.-]{20,}",
            r"xai-[A-Za-z0-9]{20,}",
            r"gsk_[A-Za-z0-9]{20,}",
            r"hf_[A-Za-z0-9]{20,}",
            r"gh[oprsu]_[A-Za-z0-9]{30,}",
            r"github_pat_\w{22,}",
            r"pplx-[A-Za-z0-9]{20,}",
            r"nvapi-[\w-]{20,}",
            r"tgp_v1_[\w-]{20,}",
            r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])",
        )
    )
    + r")|(?P<scheme>\b[Bb]earer(?:\s+|%20|\+))(?=[A-Za-z._~+/=-]*[0-9])[\w.~+/=-]{16,}"
)
_HINTS = (
    *("sk-", "AIza", "AQ.", "ya29.", "xai-", "gsk_", "hf_", "gho_", "ghp_", "ghr_", "ghs_", "ghu_"),
    *("github_pat_", "pplx-", "nvapi-", "tgp_v1_", "AKIA", "ASIA", "earer"),
)
"""One of these is in every text that has a key of a known shape; looking for them is far faster than the pattern."""


# Signs that JSON need not escape and some servers do, of arguments that are JSON within JSON too; not the two that have
# to be. Only whole runs of backslashes are tried, because a model can write very long ones.
_ESCAPED = re.compile(r"(?<!\\)\\+(?:u00((?!22|5[Cc])[2-7][0-9A-Fa-f])|/)")


_BEGUN_UNICODE = re.compile(r"u[0-9A-Fa-f]{0,3}$")


_in_use: "ContextVar[set[str] | None]" = ContextVar("in_use", default=None)


@contextlib.contextmanager
def without_keys() -> Iterator[None]:
    """Takes the keys that are in use out of every file that the current context writes: of one conversation, mostly."""
    token = _in_use.set(set())
    try:
        with cleaned(lambda content: redact_file(content, keys_in_use())):
            yield
    finally:
        _in_use.reset(token)


def use_keys(keys: Iterable[str]) -> None:
    """Notes keys of the conversation that the current context plays; does nothing outside of one."""
    known = _in_use.get()
    if known is not None:
        known.update(keys)


def keys_in_use() -> tuple[str, ...]:
    """The keys of this environment, and those that the current conversation uses besides."""
    return (*environment_secrets(os.environ), *(_in_use.get() or ()))


def given_secrets(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of variables that somebody named to be passed on, who passes on keys for the most part.

    All of them, with these exceptions: what is shorter than eight characters, or a number; what people write where no
    key is needed; and where the name does not end like that of a key, words of letters and underscores in one case,
    which could be those of a tool or of a table.
    """
    kept = [value for name, value in environment.items() if _SECRET_NAME.search(name) or not _NAME.match(value)]
    kept += [line for value in kept if "\n" in value for line in value.split("\n")]
    found = [form for text in map(str.strip, kept) for form in (text, json.dumps(text)[1:-1], repr(text)[1:-1])]
    return tuple(dict.fromkeys(filter(_is_secret, found)))


def secrets_of(endpoint: Endpoint) -> tuple[str, ...]:
    """What must not be written down while a model is in use."""
    given = [endpoint.api_key or ""]
    with contextlib.suppress(ValueError):
        password = urlsplit(endpoint.base_url or "").password or ""
        given += [password, unquote(password)]
    return tuple(dict.fromkeys((*filter(_is_secret, given), *environment_secrets(os.environ))))


def environment_secrets(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of variables whose names end like that of a key, and passwords in addresses.

    Paths are left out, and so are words: a database's password that is ``postgres`` must not make holes in what models
    say, which would change how they are scored.
    """
    return _secrets_among(tuple(environment.items()))


@functools.lru_cache(maxsize=4)
def _secrets_among(variables: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    values = [value.strip() for name, value in variables if _SECRET_NAME.search(name)]
    values = [value for value in values if not value.startswith(("/", "~", "./"))]
    for _, value in variables:
        # Addresses of proxies and of servers.
        password = _PASSWORD.match(value)
        values += [password[1], unquote(password[1])] if password else []
    words = {value for value in values if value.isalpha() and len(value) < _LONGEST_WORD}
    return tuple(dict.fromkeys(value for value in values if _is_secret(value) and value not in words))


def header_secrets(headers: Mapping[str, str]) -> tuple[str, ...]:
    """The credentials that a request is sent with, wherever they came from."""
    found = []
    for name in _SECRET_HEADERS:
        value = headers.get(name, "")
        scheme, _, credentials = value.partition(" ")
        found += [credentials.strip() or scheme]
        if scheme.lower() == "basic":
            found += _basic(credentials)
    return tuple(secret for secret in found if _is_secret(secret))


def _basic(credentials: str) -> list[str]:
    try:
        return [base64.b64decode(credentials).decode().partition(":")[2]]
    except ValueError:
        return []


def _is_secret(text: str) -> bool:
    # A number could be the phone number that a conversation is about.
    return (
        len(text) >= SHORTEST
        and not text.isdigit()
        and text.lower() not in _PLACEHOLDERS
        and text not in REDACTED
        and REDACTED not in text
    )


def redact(text: str, secrets: Iterable[str] = (), *, shapes: bool = True) -> str:
    """Replaces keys by ``[redacted]``.

    Found are the secrets, also as JSON, URL or base64 (of anything that contains them) would write them, and what has
    the shape of a key of a known provider. Everything else stays as it is.
    """
    secrets = tuple(secrets)
    if not secrets and not shapes:
        return text
    if _ESCAPED.search(text) and secret_spans(plain := _ESCAPED.sub(_unescaped, text), secrets, shapes=shapes):
        text = plain
    spans = secret_spans(text, secrets, shapes=shapes)
    if not spans:
        return text
    ends = [0, *(end for _, end in spans)]
    kept = [text[end:start] for end, (start, _) in zip(ends, spans, strict=False)]
    return REDACTED.join((*kept, text[ends[-1] :]))


def secret_spans(text: str, secrets: Iterable[str], *, shapes: bool = True) -> list[tuple[int, int]]:
    """Where keys begin and end in a text, without overlaps, in order."""
    forms = _forms(tuple(sorted(set(secrets))))
    spans = []
    if any(form in text for form in forms.literal):
        spans += [match.span() for match in forms.pattern.finditer(text)]
    if shapes and any(hint in text for hint in _HINTS):
        spans += [(max(match.start(), match.end("scheme")), match.end()) for match in _SHAPES.finditer(text)]
    merged: list[tuple[int, int]] = []
    for start, end in sorted((_outside_escapes(text, start), end) for start, end in spans):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _outside_escapes(text: str, start: int) -> int:
    """Moves a beginning that lies within an escape sequence to where that begins: half of one is no JSON."""
    unicode = _BEGUN_UNICODE.search(text, max(0, start - 4), start)
    for end in (start, unicode.start() if unicode else start):
        first = end
        while first > 0 and text[first - 1] == "\\":
            first -= 1
        if (end - first) % 2:
            return end - 1
    return start


def _unescaped(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else "/"


def redact_file(content: bytes, secrets: Iterable[str]) -> bytes:
    """Takes the keys that are in use out of a file of a conversation, which stays JSON or text; else equal bytes.

    Nothing else is taken for a key: what only looks like one may be what the conversation is about.
    """
    return redact_bytes(content, secrets, shapes=False)


def redact_bytes(body: bytes, secrets: Iterable[str] = (), *, shapes: bool = True) -> bytes:
    """As `redact`, for a body of which the encoding is not known; equal bytes if there is nothing to hide."""
    try:
        text, encoding = body.decode(), "utf-8"
    except UnicodeDecodeError:
        text, encoding = body.decode("latin-1"), "latin-1"
    redacted = redact(text, secrets, shapes=shapes)
    return body if redacted == text else redacted.encode(encoding)


def without_credentials(text: str) -> str:
    """A choice or an address without the user and password that an address can hold."""
    return _USER_IN_ADDRESS.sub("//", text)


def public_url(url: str) -> str:
    """An address without user, password, fragment, and parameters that look like credentials."""
    address, _, query = url.partition("#")[0].partition("?")
    scheme, separator, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    clean = f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"
    named = ((part, unquote_plus(part.partition("=")[0])) for part in query.split("&") if part)
    kept = [part for part, name in named if not _SECRET_PARAMETER.search(name)]
    return f"{clean}?{'&'.join(kept)}" if kept else clean


class _Forms:
    """How secrets may be written.

    Attributes:
        literal: Every way to write one of them.
        pattern: Finds any of them, the longest first.
    """

    def __init__(self, secrets: tuple[str, ...]) -> None:
        forms: set[str] = set()
        for secret in filter(_is_secret, secrets):
            url = quote(secret, safe="")
            forms |= {secret, url, re.sub(r"%..", lambda match: match.group().lower(), url), *_base64_forms(secret)}
            forms |= {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
        self.literal = tuple(sorted(forms, key=lambda form: (-len(form), form)))
        self.pattern = re.compile("|".join(map(re.escape, self.literal)) or r"(?!)")


@functools.lru_cache(maxsize=1024)
def _forms(secrets: tuple[str, ...]) -> _Forms:
    return _Forms(secrets)


def _base64_forms(secret: str) -> Iterable[str]:
    """What base64 makes of a secret in the middle of something else: three forms, by the bytes before it."""
    data = secret.encode("utf-8", "surrogatepass")
    for before in range(3):
        # Letters of base64 that hold bits of the secret alone; the ones at its edges depend on the neighbours.
        first, last = -(-before * 8 // 6), (before + len(data)) * 8 // 6
        encoded = base64.b64encode(b"\0" * before + data + b"\0\0").decode()[first:last]
        yield encoded
        yield encoded.translate({ord("+"): "-", ord("/"): "_"})
