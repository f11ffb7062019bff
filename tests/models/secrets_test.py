"""Keys go to their provider and nowhere else, whatever comes back."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.loopback.gemini import TOKEN
from tests.loopback.server import Answer, Broken, Encoded, Heard, Move, serve
from tests.models.hostile_test import DIALECTS, KEYS, SCENARIO, Altered, chosen, every_dialect
from tool_sandbox.cli import main

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
    found = {str(path.relative_to(directory)): path.read_text("latin-1") for path in directory.rglob("*") if path.is_file()}
    found |= {f"output {number}": text for number, text in enumerate(texts)}
    found |= {f"name {path}": path for path in found}
    keys = (*KEYS.values(), TOKEN)
    forms = {form for key in keys for form in (key, json.dumps(key)[1:-1], key.replace("/", "\\/"))}
    return [place for place, text in found.items() if any(form in text for form in forms)]


def echo(heard: Heard, number: int) -> Move:
    credentials = told(heard)
    assert any(key in credentials for key in KEYS.values())
    if number == 0:
        return Broken(500, credentials, f"cannot let in {credentials}", {"retry-after-ms": "1", "x-request-id": credentials, "server": credentials})
    if number == 1:
        return Broken(503, body=f"<html>{credentials}</html>".encode(), headers={"retry-after": "0"})
    if number == 2:
        calls = (("search_contacts", {"name": credentials, credentials: 1}), (credentials, {}))
        return Answer(f"You are {credentials}.", calls=calls, served_model=credentials)
    if number == 3:
        return Answer(f"{credentials} is your key", stop=credentials, served_model=credentials)
    return Broken(401, credentials, f"Incorrect API key provided: {credentials}", {"location": f"http://x/?key={credentials}"})


def plain(encoded: Encoded) -> Encoded:
    return encoded


def escaped(encoded: Encoded) -> Encoded:
    """As servers write that escape more than they have to."""
    text = encoded.body.decode()
    for key in KEYS.values():
        quoted = json.dumps(key)[1:-1]
        text = text.replace(quoted, quoted.replace("/", "\\/").replace("+", "\\u002B").replace("=", "\\u003d").replace("-", "\\u002D"))
    return attrs.evolve(encoded, body=text.encode())


@every_dialect
@pytest.mark.parametrize("alter", [plain, escaped])
@pytest.mark.parametrize("party", ["agent", "user"])
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
    main([f"--{party}", f"replay:{run}", "-o", str(tmp_path / "again"), *(["--agent", "Unhelpful"] if party == "user" else [])])
    captured = capsys.readouterr()
    assert leaks(tmp_path, captured.out, captured.err) == []
