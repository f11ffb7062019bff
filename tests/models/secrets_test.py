"""Keys go to their provider and nowhere else, whatever comes back."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.loopback.gemini import TOKEN
from tests.loopback.server import Answer, Broken, Encoded, Heard, Move, serve
from tests.models.hostile_test import DIALECTS, KEYS, SCENARIO, Altered, chosen, some_dialects
from tool_sandbox.cli import main

ESCAPES = {"/": "\\/", "+": "\\u002B", "=": "\\u003d", "-": "\\u002D"}
SPOKEN = ("authorization", "x-api-key", "x-goog-api-key", "proxy-authorization")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def told(heard: Heard) -> str:
    """The credentials of a request in the words of a server."""
    return " ".join(heard.headers[name] for name in SPOKEN if name in heard.headers)


def leaks(directory: Path, *texts: str) -> list[str]:
    """Where a key can be read."""
    files = [path for path in directory.rglob("*") if path.is_file()]
    found = {str(path.relative_to(directory)): path.read_text("latin-1") for path in files}
    found |= {f"output {number}": text for number, text in enumerate(texts)}
    found |= {f"name {path}": path for path in found}
    keys = (*KEYS.values(), TOKEN)
    forms = {form for key in keys for form in (key, json.dumps(key)[1:-1], key.replace("/", "\\/"))}
    return [place for place, text in found.items() if any(form in text for form in forms)]


def echo(heard: Heard, number: int) -> Move:
    credentials = told(heard)
    assert any(key in credentials for key in KEYS.values())
    if number == 0:
        headers = {"retry-after-ms": "1", "x-request-id": credentials, "server": credentials}
        return Broken(500, credentials, f"cannot let in {credentials}", headers)
    if number == 1:
        return Broken(503, body=f"<html>{credentials}</html>".encode(), headers={"retry-after": "0"})
    if number == 2:
        calls = (("search_contacts", {"name": credentials, credentials: 1}), (credentials, {}))
        return Answer(f"You are {credentials}.", calls=calls, served_model=credentials)
    if number == 3:
        return Answer(f"{credentials} is your key", stop=credentials, served_model=credentials)
    return Broken(401, credentials, f"Incorrect API key: {credentials}", {"location": f"http://x/?key={credentials}"})


def plain(encoded: Encoded) -> Encoded:
    return encoded


def escaped(encoded: Encoded) -> Encoded:
    """As servers write that escape more than they have to."""
    text = encoded.body.decode()
    for key in KEYS.values():
        quoted = json.dumps(key)[1:-1]
        text = text.replace(quoted, "".join(ESCAPES.get(letter, letter) for letter in quoted))
    return attrs.evolve(encoded, body=text.encode())


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("name", "alter", "party"),
    [
        *((name, plain, "agent") for name in DIALECTS),
        *((name, escaped, "agent") for name in ("anthropic", "compatible", "google", "mistral")),
        *((name, escaped, "user") for name in ("anthropic-stream", "chat-stream")),
    ],
)
def test_echo(name: str, alter: Callable[[Encoded], Encoded], party: str, tmp_path: Path, capsys: Any) -> None:
    numbers: list[int] = []

    def brain(heard: Heard) -> Move:
        numbers.append(len(numbers))
        return echo(heard, numbers[-1])

    with serve(Altered(DIALECTS[name][1](), alter), brain) as server:
        choice = chosen(name, server.url).replace("retries=0", "retries=3")
        if "compatible" in choice:
            choice += ",api_key_env=LOOPBACK_API_KEY"
        parties = ["--agent", choice] if party == "agent" else ["--user", choice, "--agent", "Unhelpful"]
        flags = ["--cache", str(tmp_path / "cache"), "-o", str(tmp_path / "runs")]
        code = main([*parties, "--scenarios", SCENARIO, "-p", "1", *flags])
    assert code == (0 if party == "agent" else 1)
    assert len(numbers) >= 3
    captured = capsys.readouterr()
    assert leaks(tmp_path, captured.out, captured.err) == []
    (run,) = (tmp_path / "runs").iterdir()
    other = ["--agent", "Unhelpful"] if party == "user" else []
    main([f"--{party}", f"replay:{run}", *other, "-o", str(tmp_path / "again")])
    captured = capsys.readouterr()
    assert leaks(tmp_path, captured.out, captured.err) == []


@pytest.mark.slow
@some_dialects
def test_redirects_are_not_followed(name: str, tmp_path: Path, capsys: Any) -> None:
    with serve(DIALECTS[name][1](), [Answer("Hello.")]) as elsewhere:
        moved = Broken(307, "", "moved", {"location": f"{elsewhere.url}/v1/messages"})
        with serve(DIALECTS[name][1](), [moved]) as server:
            main(["--agent", chosen(name, server.url), "--scenarios", SCENARIO, "-o", str(tmp_path / "runs")])
    assert server.seen
    assert elsewhere.seen == []


@some_dialects
def test_other_keys_stay_here(name: str, tmp_path: Path, capsys: Any) -> None:
    with serve(DIALECTS[name][1](), [Answer("Hello.")]) as server:
        main(["--agent", chosen(name, server.url), "--scenarios", SCENARIO, "-o", str(tmp_path / "runs")])
    own = {"anthropic": "ANTHROPIC_API_KEY", "google": "GEMINI_API_KEY"}.get(name.partition("-")[0], "OPENAI_API_KEY")
    if "compatible" in DIALECTS[name][0]:
        own = ""
    others = [key for variable, key in KEYS.items() if variable != own]
    assert server.seen
    assert not [key for seen in server.seen for key in others if key in str(seen.headers) + seen.path + str(seen.raw)]


def test_passwords_in_addresses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any) -> None:
    """Of proxies and of servers, on every command that shows addresses."""
    password = "p4ss/word-of-mine"
    quoted = "p4ss%2Fword-of-mine"
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://me:{quoted}@127.0.0.1:9/v1?key={quoted}")
    monkeypatch.setenv("HTTPS_PROXY", f"http://me:{quoted}@127.0.0.1:9")
    monkeypatch.setenv("OPENAI_LOG", "debug")
    chosen_model = ["--agent", "openai/gpt-test:retries=0"]
    refused = ["--agent", f"openai-compatible/m:base_url=http://me:{quoted}@127.0.0.1:9/v1"]
    models = chosen_model, refused
    commands = [[*model, "--scenarios", SCENARIO, "-o", str(tmp_path / "runs")] for model in models]
    commands += [[*command, "--dry-run"] for command in commands]
    commands += [["doctor", *model, *more] for more in ([], ["--call"], ["--json"]) for model in ([], *models)]
    for command in [*commands, ["agents", "--json"]]:
        main(command)
    captured = capsys.readouterr()
    texts = [captured.out, captured.err, *(path.read_text("latin-1") for path in tmp_path.rglob("*") if path.is_file())]
    assert not [text for text in texts for secret in (password, quoted, *KEYS.values()) if secret in text]
