"""Keys are taken out in every form, and nothing else is touched."""

import base64
import json
import random
import string
import uuid
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.models.vendors import KEY, mini_openai
from tool_sandbox.models.redaction import (
    REDACTED,
    environment_secrets,
    header_secrets,
    public_url,
    redact,
    redact_bytes,
    redact_file,
    secrets_of,
)

keys = st.text(string.ascii_letters + string.digits + '-_/+="\\é', min_size=12, max_size=60).filter(
    # Neither a number, a placeholder nor a path.
    lambda key: environment_secrets({"X_API_KEY": key}) == (key,)
)
SHAPES = [
    "sk-ant-api03-" + "aB3_-" * 18,
    "sk-proj-" + "aB3_x" * 20,
    "sk-" + "a1B2c3D4" * 6,
    "sk-or-v1-" + "0123456789abcdef" * 4,
    "AIza" + "Sy0-_aB" * 5,
    "ya29." + "a0AfH6SMB-_" * 5,
    "xai-" + "aB3" * 20,
    "gsk_" + "aB3" * 17,
    "hf_" + "aBcDeFgHiJ" * 3,
    "ghp_" + "aB3" * 12,
    "github_pat_" + "aB3_" * 20,
    "AKIA" + "ABCDEFGH" * 2,
]


@given(keys, st.text(), st.text())
def test_a_key_is_found_in_every_form(key, before, after):
    forms = [
        key,
        json.dumps(key)[1:-1],
        json.dumps(key, ensure_ascii=False)[1:-1],
        quote(key, safe=""),
        quote_plus(key),
        quote(key, safe="").lower() if key == key.lower() else quote(key, safe=""),
    ]
    for form in forms:
        redacted = redact(before + form + after, [key])
        assert form not in redacted or form in before + REDACTED + after


@given(keys, st.text(string.ascii_letters, max_size=9))
def test_base64_of_credentials_gives_nothing_away(key, user):
    encoded = base64.b64encode(f"{user}:{key}".encode()).decode()
    redacted = redact(f"Authorization: Basic {encoded}", [key])
    left = redacted.replace(REDACTED, "").removeprefix("Authorization: Basic ").rstrip("=")
    # At most the letters that share bits with a neighbour of the key stay.
    assert len(left) <= -(-8 * (len(user) + 1) // 6) + 3


@given(st.text(), st.lists(keys, max_size=3))
def test_redacting_twice_changes_nothing_more(text, found):
    once = redact(text + "".join(found), found)
    assert redact(once, found) == once


@pytest.mark.parametrize("frame", ["{}", '{{"key":"{}"}}', "key={}&x=1", "Incorrect key provided: {}.", "x\n{}\n"])
def test_known_shapes_need_not_be_named(frame):
    for key in SHAPES:
        assert redact(frame.format(key)).replace(".", "") == frame.format(REDACTED).replace(".", "")


def test_bearer_tokens_need_not_be_named():
    assert redact("Authorization: Bearer abc.DEF-0123456789~xyz ok") == f"Authorization: Bearer {REDACTED} ok"


ORDINARY = [
    "+1 (555) 867-5309, 14155550100, 2024-05-13T10:00:00Z, 37.334606,-122.009102",
    str(uuid.UUID(int=0x1234_5678_9ABC_DEF0_1234_5678_9ABC_DEF0)),
    "call_abc123DEF456ghi789JKL012 toolu_01A09q90qw90lq917835lq9 chatcmpl-9x8y7z6w5v4u3t2s1r0q",
    "msg_013Zva2CMHLNnXjNJJKqJ2EF",
    "task-sk-learn, disk-usage-of-my-very-long-partition-name-2, ask-me-anything-12345678901234567890",
    "Use sk-learn for that. The bearer of bad news. bearer bonds of high denomination",
    "hf_hub_download(repo_id) and ghp_ and AIza and sk- alone, xai-org, AKIAK",
    "https://example.com/path?q=a&page=2#top",
    '{"tool_choice": "auto", "max_tokens": 1024, "token_count": 9, "api_key_env": "MY_KEY"}',
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_stays_as_it_is(text):
    assert redact(text, ["12345678", "14155550100", "short", "lm-studio", "not-needed"]) == text


@given(st.binary(max_size=3000))
def test_signatures_of_thoughts_stay_as_they_are(data):
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        text = json.dumps({"signature": "Ep" + encode(data).decode()})
        assert redact(text) == text


def test_random_signatures_stay_as_they_are():
    source = random.Random(1)
    for _ in range(20):
        text = "gAAAA" + base64.urlsafe_b64encode(source.randbytes(20_000)).decode()
        assert redact(text, [KEY]) == text


@given(st.binary())
def test_bodies_without_keys_are_equal_byte_for_byte(body):
    assert redact_bytes(body, [KEY]) == body


@given(keys, st.text(), st.text(), st.booleans())
@example("\xe9" + "0" * 11, "", "", False)
@example("n" + "0" * 11, "\n" + "0" * 11, "", True)
@example("41" + "a" * 11, "\u0141" + "a" * 11, "", True)
def test_a_file_without_the_keys_in_use_is_the_same_json(key, before, after, escapes):
    said = before + key + after
    content = {"said": said, "calls": [{key: json.dumps({"header": key})}], "number": 1}
    file = json.dumps(content, ensure_ascii=escapes).encode("utf-8", "surrogatepass")
    kept = json.loads(redact_file(file, [key]))
    assert [*kept, kept["number"]] == ["said", "calls", "number", 1]
    for text in (kept["said"], str(kept["calls"])):
        assert key not in text or key in before + REDACTED + after
        assert REDACTED in text


def test_a_file_keeps_what_only_looks_like_a_key():
    file = json.dumps({"said": f"the token is {SHAPES[0]}"}).encode()
    assert redact_file(file, [KEY]) == file


def test_a_key_in_a_body_that_is_no_text():
    assert redact_bytes(b"\xff" + KEY.encode() + b"\xfe", [KEY]) == b"\xff" + REDACTED.encode() + b"\xfe"


def test_a_secret_that_contains_another_goes_whole():
    assert redact("a-long-secret-that-is-longer", ["a-long-secret", "a-long-secret-that-is-longer"]) == REDACTED


def test_the_mark_itself_is_no_secret():
    assert redact("[redacted] redacted", ["redacted", "redacted]", "x[redacted]x"]) == "[redacted] redacted"


def test_variables_that_look_like_keys():
    found = environment_secrets(
        {
            "OPENAI_API_KEY": "alpha2beta3gamma",
            "HF_TOKEN": "hf-value-1",
            "AWS_SECRET_ACCESS_KEY": "aws/secret/value",
            "AWS_ACCESS_KEY_ID": "AWSKEYID7VALUE",
            "GITHUB_TOKEN": " padded-token ",
            "MY_CLIENT_SECRET": "client-secret",
            "DB_PASSWORD": "correct horse",
            "SHORT_API_KEY": "abc",
            "PIN_TOKEN": "1234567890",
            "LOCAL_API_KEY": "lm-studio",
            "AWS_REGION": "us-west-2-somewhere",
            "MAX_TOKENS": "one-thousand",
            "KEYBOARD": "qwertyuiop",
            "TOKENIZERS_PARALLELISM": "disabled-please",
            "SERVICE_TOKEN": "/var/run/secrets/token",
        }
    )
    assert set(found) == {
        *("alpha2beta3gamma", "hf-value-1", "aws/secret/value", "AWSKEYID7VALUE", "padded-token"),
        *("client-secret", "correct horse"),
    }


def test_secrets_of_a_provider(monkeypatch):
    monkeypatch.setenv("SOME_VENDOR_API_KEY", "another-secret")
    found = secrets_of(mini_openai("http://me:pass%2Fword@127.0.0.1:1", key="my-own-key").endpoint)
    assert {"my-own-key", "pass%2Fword", "pass/word", "another-secret"} <= set(found)
    assert "127.0.0.1" not in "".join(secrets_of(mini_openai("http://127.0.0.1:1", key="EMPTY").endpoint))
    secrets_of(mini_openai("http://[broken", key="x").endpoint)


def test_secrets_of_a_request():
    basic = base64.b64encode(b"me:password1").decode()
    headers = {"authorization": f"Basic {basic}", "x-api-key": "key-of-anthropic", "accept": "application/json"}
    assert set(header_secrets(headers)) == {basic, "password1", "key-of-anthropic"}
    assert header_secrets({"authorization": "Bearer token-value"}) == ("token-value",)
    assert header_secrets({"authorization": "Basic ?"}) == ()


@pytest.mark.parametrize(
    ("url", "public"),
    [
        ("https://me:pw@host:1/v1/x?key=abc&alt=sse#part", "https://host:1/v1/x?alt=sse"),
        ("https://host/v1?api-version=2&%61pi_key=x", "https://host/v1?api-version=2"),
        ("https://host/v1/models/a:b", "https://host/v1/models/a:b"),
        ("http://[::1]:8000/?access_token=1", "http://[::1]:8000/"),
        ("https://host/a@b?x=@", "https://host/a@b?x=@"),
    ],
)
def test_addresses_without_credentials(url, public):
    assert public_url(url) == public


def test_words_are_no_secrets_of_the_environment():
    assert environment_secrets({"DB_PASSWORD": "postgres", "MY_TOKEN": "changeMe", "X_API_KEY": "k3y-abcdef"}) == (
        "k3y-abcdef",
    )


def test_long_runs_of_backslashes_are_read_in_one_pass():
    text = "\\" * 500_000
    assert redact(text, [KEY]) == text
