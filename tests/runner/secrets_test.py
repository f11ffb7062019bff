"""No file of a run holds a key that was in use, whoever said it and wherever."""

import io
import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tool_sandbox.cli import main
from tool_sandbox.models.logs import set_logging
from tool_sandbox.models.redaction import REDACTED, given_secrets
from tool_sandbox.roles.external.loop import loop_agent
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.store import FinishedRun

SECRETS = {
    "MY_ADDRESS": "postgres://10.1.2.3/Some-Place",
    "MY_PASSWORD": "correcthorse",
    "MY_PEM": "-----BEGIN X-----\nAbCd0123456789/+AbCd\nzzzz0123456789",
    "MY_JSON": '{"account": "a\\"b", "id": "0123-4567"}',
    "OTHER_API_KEY": "other-0123456789-key",
}
TRIVIAL = {
    "MODE": "true",
    "LEVEL": "1",
    "SHORT": "wifi",
    "PORT": "12345",
    "TOOL": "set_wifi_status",
    "T": "SETTING",
}

AGENT = """
import json, os, sys
def send(**message): print(json.dumps(message), flush=True)
secrets = [os.environ[name] for name in sys.argv[1].split("+")]
sys.stdin.readline(), sys.stdin.readline()
for secret in secrets:
    send(type="log", text=secret)
    arguments = {"on": secret, "more": {secret: [secret]}}
    send(type="tool_calls", calls=[{"id": "1", "name": "set_wifi_status", "arguments": arguments}], text=secret)
    sys.stdin.readline()
send(type="tool_calls", calls=[{"id": "2", "name": "set_wifi_status", "arguments": {"on": False}}])
sys.stdin.readline()
send(type="message", text="Wifi is turned off. " + " ".join(secrets), model=secrets[0])
sys.stdin.readline()
sys.stderr.write(" ".join(secrets))
if sys.argv[2] == "gives up": send(type="error", message="I had " + secrets[0])
"""


def played(given: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str = "fine") -> FinishedRun:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    names = "+".join(given)
    (tmp_path / "agent.py").write_text(AGENT, "utf-8")
    command = shlex.join([sys.executable, "-S", str(tmp_path / "agent.py"), names, how])
    return play(prepare_run(agent=f"command(env={names}): {command}", scenarios=["wifi_off"]), tmp_path / "out")


@pytest.mark.parametrize("how", ["fine", "gives up"])
def test_values_that_were_passed_on_are_in_no_file(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = played(SECRETS, tmp_path, monkeypatch, how)
    files = [path for path in run.path.rglob("*") if path.is_file()]
    assert len(files) > 5
    for secret in (*SECRETS.values(), "AbCd0123456789/+AbCd", "0123-4567"):
        for form in (secret, repr(secret)[1:-1], json.dumps(secret)[1:-1], json.dumps(json.dumps(secret))[3:-3]):
            assert [path.name for path in files if form.encode() in path.read_bytes()] == [], form
    assert sum(REDACTED.encode() in path.read_bytes() for path in files) > 3
    # What is stored can be read. A number that nobody has shown was said, which is a piece of a secret.
    (result,) = run.results
    assert (result["milestone_similarity"], result["similarity"]) == (1.0, 0.5)
    assert {"PHONE": REDACTED}.items() <= {
        finding["kind"]: finding["said"] for finding in result["unsupported"]
    }.items()
    assert main(["rescore", str(run.path)]) in (0, 1)
    assert "1 scored again" in capsys.readouterr().out


def test_what_is_trivial_mangles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = played(TRIVIAL, tmp_path, monkeypatch)
    assert not any(REDACTED.encode() in path.read_bytes() for path in run.path.rglob("*") if path.is_file())
    assert run.results[0]["similarity"] == 1.0


def test_which_values_count() -> None:
    assert given_secrets(TRIVIAL) == ()
    assert {value for value in SECRETS.values() if value not in given_secrets(SECRETS)} == set()
    assert given_secrets({"A_TOKEN": "12345678", "B_TOKEN": "seven77", "C": "ollama_x", "D": "ollama-x"}) == (
        "ollama-x",
    )


def test_a_key_of_the_environment_is_in_no_file_and_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "other-0123456789-key"
    monkeypatch.setenv("OTHER_API_KEY", key)

    def agent(messages: Any, tools: Any) -> str:
        tools.call("set_wifi_status", {"on": key})
        if len(messages) > 4:
            raise ValueError(f"no {key}")
        return f"What about {key}?"

    log = io.StringIO()
    set_logging("DEBUG", log)
    try:
        run = play(prepare_run(agent=loop_agent(agent), scenarios=["wifi_off"]), tmp_path)
    finally:
        set_logging()
    assert key not in log.getvalue()
    assert key not in str(run.results)
    assert [path for path in run.path.rglob("*") if path.is_file() and key.encode() in path.read_bytes()] == []
