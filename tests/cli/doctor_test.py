"""``tool_sandbox doctor`` and ``tool_sandbox agents``."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Answer, Broken, Heard, Move, serve
from tests.shell import Shell
from tool_sandbox.cli import main
from tool_sandbox.models.providers import PROVIDERS
from tool_sandbox.models.readiness import shown_address
from tool_sandbox.roles.code_process import LAYERS, CodeResult

SECRET = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for spec in PROVIDERS.values():
        for variable in spec.variables:
            monkeypatch.delenv(variable, raising=False)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_providers_are_listed_with_what_they_lack(monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", SECRET)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"https://me:{SECRET}@proxy.example:8443/path?key={SECRET}")
    text = shell("doctor", "--json").out
    found = {one["name"]: one for one in json.loads(text)}
    assert list(found) == list(PROVIDERS)
    assert (found["google"]["ready"], found["google"]["key_variable"]) == (True, "GOOGLE_API_KEY")
    assert found["anthropic"]["missing"] == ["environment variable ANTHROPIC_API_KEY"]
    assert found["anthropic"]["address"] == "https://proxy.example:8443/path"
    assert found["openai"]["package_version"]
    shown = shell("doctor").out
    assert "GROQ_API_KEY" in shown
    assert SECRET not in text + shown


def test_nothing_ready_is_exit_code_1(monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.setattr("tool_sandbox.models.readiness._listens", lambda address: False)
    assert "start it: ollama serve" in shell("doctor", code=1).out


def test_a_call_needs_a_model(shell: Shell) -> None:
    assert "--agent PROVIDER/MODEL" in shell("doctor", "--call", code=2).err


@pytest.mark.parametrize(("command", "code"), [("doctor", 1), ("agents", 0)])
def test_listings_fit_into_a_small_terminal(
    command: str, code: int, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    monkeypatch.setattr("tool_sandbox.models.readiness._listens", lambda address: False)
    monkeypatch.setattr(
        f"tool_sandbox.cli.{'doctoring' if command == 'doctor' else 'listing'}.terminal_width", lambda: 80
    )
    lines = shell(command, code=code).out.splitlines()
    assert [line for line in lines if len(line) > 80 and not line.startswith("tool_sandbox ")] == []


def test_a_choice_is_checked_without_a_call(monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    found = json.loads(
        shell("doctor", "--agent", "anthropic/claude-opus-5-5:effort=low", "--user", "Scripted", "--json").out
    )
    assert found["agent"]["ready"]
    assert found["agent"]["price_known"]
    assert found["agent"]["call"] is None
    assert found["user"] == {"choice": "Scripted", "ready": True, "problem": None}
    assert "price: unknown" in shell("doctor", "--agent", "openai-compatible/m:base_url=http://127.0.0.1:1/v1").out


def test_what_holds_back_the_code_of_a_model_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], shell: Shell
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    choice = ["doctor", "--agent", "code:anthropic/claude-opus-5-5"]
    layers = json.loads(shell(*choice, "--json").out)["agent"]["code"]
    assert layers["holds"][0] == "limits"
    assert set(LAYERS) - set(layers["holds"]) == set(layers["missing"])
    less = CodeResult(layers=("limits", "files"))
    monkeypatch.setattr("tool_sandbox.cli.doctoring.run_code", lambda *_: less)
    for command in (choice, ["doctor"]):
        told = " ".join(shell(*command).out.split())
        assert "is isolated here by limits, files." in told
        assert f"Missing: calls ({LAYERS['calls']})" in told


def test_a_server_of_this_machine_has_to_listen(shell: Shell) -> None:
    printed = shell("doctor", "--agent", "ollama/llama3.1:8b:base_url=http://127.0.0.1:1/v1", code=1).out
    assert "nothing answers at http://127.0.0.1:1/v1; start it: ollama serve" in printed


def test_a_server_without_tool_calling_is_not_ready(shell: Shell) -> None:
    def brain(heard: Heard) -> Move:
        return Broken(400, message='"auto" tool choice requires a parser') if heard.tools else Answer("OK")

    with serve(OpenAIChatDialect(lenient=True), brain) as server:
        said = shell("doctor", "--agent", f"vllm/m:base_url={server.url}/v1", "--call", code=1).out
    assert '"auto" tool choice requires a parser' in said
    assert "asked by format=hermes" in said


@pytest.mark.parametrize(
    ("choice", "says"),
    [
        ("Claude_3_Opus", "retired on 2026-01-05; use anthropic/claude-opus-5-5"),
        ("anthropic/claude-3-opus-20240229", "retired on 2026-01-05"),
        ("openai/gpt-6-luna", "OPENAI_API_KEY"),
        ("openai/gpt-6-luna:efort=low", "Did you mean: effort"),
        (f"openai/gpt-6-luna:api_key={SECRET}", "does not belong on the command line"),
        ("orcale", "Did you mean: Oracle"),
        ("Hermes", "OPENAI_BASE_URL"),
        ("replay:nowhere", "no run to replay"),
    ],
)
def test_a_choice_that_cannot_be_used_is_explained(choice: str, says: str, shell: Shell) -> None:
    text = shell("doctor", "--agent", choice, code=1).out
    assert text.startswith("agent ")
    assert f"not ready: {text.partition('not ready: ')[2]}" in text
    assert says in text
    assert len(text.splitlines()) == 1
    assert SECRET not in text + shell("doctor", "--agent", choice, "--json", code=1).out


@pytest.mark.slow
def test_a_call_shows_who_answered_and_what_it_cost(monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    answer = Answer("OK", input_tokens=1000, output_tokens=100, served_model="claude-opus-5-5")
    with serve(AnthropicDialect(key=SECRET), [answer]) as server:
        choice = f"anthropic/claude-opus-5-5:base_url={server.url}"
        found = json.loads(shell("doctor", "--agent", choice, "--call", "--json").out)["agent"]
        assert found["address"] == server.url
        assert found["call"]["served_model"] == "claude-opus-5-5"
        assert found["call"]["cost_usd"] == pytest.approx((1000 * 4 + 100 * 20) / 1e6)
        assert found["call"]["usage"]["output_tokens"] == 100
        shown = shell("doctor", "--agent", choice, "--call").out
        assert "answered by claude-opus-5-5" in shown
        assert "1000 tokens in, 100 out, 0.006000 USD" in shown
        assert [seen.heard.body["max_tokens"] for seen in server.seen if seen.heard] == [64, 64]


def test_a_refused_key_is_reported_without_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], shell: Shell
) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    broken = Broken(401, "invalid_api_key", f"Incorrect API key provided: {SECRET}.")
    with serve(OpenAIChatDialect(lenient=True), [broken]) as server:
        choice = f"vllm/m:base_url={server.url}/v1,api_key_env=MY_KEY"
        text = shell("doctor", "--agent", choice, "--call", code=1).out
        assert "not ready: vllm/m: authentication" in text
        assert main(["doctor", "--agent", choice, "--call", "--json"]) == 1
        text += capsys.readouterr().out
    assert len(server.seen) == 2
    assert SECRET not in text


def test_a_server_that_is_not_running_is_said_in_one_line(shell: Shell) -> None:
    address = f"http://127.0.0.1:{_free_port()}/v1"
    assert shell("doctor", "--agent", f"llamacpp/m:base_url={address}", "--call", code=1).out == (
        f"agent llamacpp/m: not ready: nothing answers at {address}; start it: llama-server --jinja -m MODEL.gguf\n"
    )
    printed = shell("doctor", "--user", f"openai-compatible/m:base_url={address}", "--call", code=1).out
    assert "is the server running?" in printed


def test_a_running_local_server_is_ready(shell: Shell) -> None:
    with serve(OpenAIChatDialect(lenient=True), [Answer("OK")]) as server:
        assert "cost unknown" in shell("doctor", "--agent", f"lmstudio/m:base_url={server.url}/v1", "--call").out


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://u:p@h:8/v1?key=x#y", "http://h:8/v1"),
        ("https://[::1]:8/v1", "https://[::1]:8/v1"),
        ("https://example.org", "https://example.org"),
    ],
)
def test_addresses_are_shown_without_secrets(address: str, shown: str) -> None:
    assert shown_address(address) == shown


@pytest.mark.parametrize(
    ("name", "key", "program"),
    [
        ("claude-code", "ANTHROPIC_API_KEY", "claude"),
        ("codex", "CODEX_API_KEY", "codex"),
        ("gemini-cli", "GEMINI_API_KEY", "gemini"),
    ],
)
def test_agents_and_doctor_agree_on_programs(
    name: str,
    key: str,
    program: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shell: Shell,
) -> None:
    def told(*, ready: bool) -> tuple[dict[str, Any], dict[str, Any]]:
        row = next(row for row in json.loads(shell("agents", "--json").out) if row["name"] == name)
        asked = shell("doctor", "--agent", name, "--json", code=0 if ready else 1).out
        return row, json.loads(asked)["agent"]

    monkeypatch.setattr("importlib.util.find_spec", without("claude_agent_sdk"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    listed, asked = told(ready=False)
    assert (listed["ready"], asked["ready"]) == (False, False)
    assert asked["problem"] == f"{name} needs {' and '.join(listed['missing'])}"
    assert key in asked["problem"]
    assert f"the program {program} on the PATH" in asked["problem"]
    monkeypatch.setenv(key, SECRET)
    (tmp_path / program).write_text("#!/bin/sh\necho 1.2.3\n", "utf-8")
    (tmp_path / program).chmod(0o700)
    listed, asked = told(ready=True)
    assert (listed["ready"], asked["ready"]) == (True, True), asked["problem"]


def without(package: str) -> Any:
    """As if a package was not installed."""
    from importlib.util import find_spec

    return lambda name, *more: None if name == package else find_spec(name, *more)


def test_agents_lists_models_and_marks_retired_names(monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.setenv("XAI_API_KEY", SECRET)
    rows = {row["name"]: row for row in json.loads(shell("agents", "--json").out)}
    assert rows["xai/MODEL"]["ready"]
    assert rows["xai/MODEL"]["plays"] == ["agent", "user"]
    assert rows["anthropic/MODEL"]["missing"] == ["environment variable ANTHROPIC_API_KEY"]
    assert rows["Claude_3_Haiku"]["retired"] == "2026-04-19"
    assert rows["Claude_3_Haiku"]["successor"] == "anthropic/claude-haiku-5-5"
    assert not rows["Claude_3_Haiku"]["ready"]
    assert rows["Hermes"]["retired"] is None
    shown = shell("agents").out
    assert "retired 2026-04-19, see anthropic/claude-haiku-5-5" in shown
    assert SECRET not in shown
