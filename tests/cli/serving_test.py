"""``tool_sandbox serve``: a scenario played from a real MCP client, over HTTP and over standard input and output."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.integrations.mcp.clients import MODES, SyncClient, connected, http_client, log_of
from tests.loopback.reference import play_reference, traces
from tests.runner.suites.players import RADIO
from tests.shell import Shell
from tool_sandbox.cli.serving_agent import REPLY, instructions
from tool_sandbox.conversation.execution_context import ExecutionContext
from tool_sandbox.integrations.mcp import ToolEndpoint
from tool_sandbox.models.messages import AssistantTurn, RequestedCall, UserTurn
from tool_sandbox.roles.external.agent import Brief
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.scenarios import get_scenario

NAME = "modify_contact_with_message_recency"
LONG = "send_message_with_contact_content_cellular_off_multiple_user_turn"
PATIENCE_S = 120
"""A guard against hanging."""


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "tool_sandbox.cli", "serve", *map(str, words)]


class Serving:
    """A serving process and what it writes to standard error."""

    def __init__(self, *words: object, **more: Any) -> None:
        pipe = subprocess.PIPE
        given = {"stdin": subprocess.DEVNULL, "stdout": pipe, "stderr": pipe, "text": True} | more
        self.process = subprocess.Popen(command(*words), **given)
        self.told = ""

    def endpoint(self) -> ToolEndpoint:
        """Reads up to the end of what it says to the person."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.told += line
            if line.startswith("waiting for the client"):
                break
        url, token = re.search(r"URL +(\S+)", self.told), re.search(r"Authorization: Bearer (\S+)", self.told)
        assert url, self.told
        assert token
        return ToolEndpoint(url[1], token[1])

    def end(self) -> tuple[int, str]:
        """Waits for its end: the exit code, and what else it said."""
        out, err = self.process.communicate(timeout=PATIENCE_S)
        assert out == ""
        return self.process.returncode, err


@contextmanager
def serving(*words: object, **more: Any) -> Iterator[Serving]:
    started = Serving(*words, **more)
    try:
        yield started
    finally:
        started.process.kill()
        started.process.communicate()


def play_over(client: SyncClient, name: str) -> str:
    """Plays the reference solution; gives what the last reply was answered with."""
    player = play_reference(get_scenario(name), client.call)
    text = next(player)
    for _ in range(20):
        answer, is_error = client.call(REPLY, {"text": text})
        assert not is_error
        if answer.startswith("The conversation is over"):
            return answer
        text = player.send(answer)
    raise AssertionError("the conversation does not end")


def stored(directory: Path) -> tuple[dict[str, Any], ExecutionContext]:
    """Result and world of the only conversation of the only run."""
    (run,) = directory.iterdir()
    (result,) = RunDirectory(run).read_results()
    path = run / "trajectories" / result["directory"] / "execution_context.json"
    return result, ExecutionContext.from_dict(json.loads(path.read_text("utf-8")))


def assert_as_played_directly(directory: Path, name: str, base: Path) -> None:
    result, context = stored(directory)
    play(prepare_run("Oracle", scenarios=[name]), base)
    direct, world = stored(base)
    for key in ("similarity", "milestone_mapping", "outcome", "tool_calls", "scenario_hash", "suite"):
        assert result[key] == direct[key], key
    assert log_of(context) == log_of(world)
    assert traces(log_of(context))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("mode", MODES)
def test_over_stdio_as_directly(mode: str, tmp_path: Path) -> None:
    words = command("-s", NAME, "--transport", "stdio", "-o", tmp_path / "served")
    with connected(Client(StdioServerParameters(command=words[0], args=words[1:]), mode=mode)) as client:
        if mode != "2026-07-28":
            opening = get_scenario(NAME).user_script.opening  # type: ignore[union-attr]
            assert client.instructions
            assert client.instructions.endswith(f"User: {opening}")
        assert [tool.name for tool in client.tools()][-1] == REPLY
        assert "Score 1.000 (success" in play_over(client, NAME)
        late, is_error = client.call("search_contacts", {})
        assert is_error
        assert late.startswith("The conversation is over")
    assert_as_played_directly(tmp_path / "served", NAME, tmp_path / "direct")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_over_http_as_directly(mode: str, tmp_path: Path) -> None:
    with serving("-s", LONG, "-o", tmp_path / "served") as served:
        with connected(http_client(served.endpoint(), mode)) as client:
            ending = play_over(client, LONG)
        code, rest = served.end()
    assert code == 0
    assert "Score 1.000 (success" in ending
    assert rest.splitlines()[0] == ending
    assert rest.splitlines()[1].startswith(f"results: {tmp_path}")
    assert_as_played_directly(tmp_path / "served", LONG, tmp_path / "direct")


@pytest.mark.slow
def test_a_suite_of_an_author_is_served_with_its_tools(tmp_path: Path) -> None:
    words = command("-s", "leave_the_network", "--suite", RADIO, "--transport", "stdio", "-o", tmp_path)
    with connected(Client(StdioServerParameters(command=words[0], args=words[1:]), mode="auto")) as client:
        assert [tool.name for tool in client.tools()] == ["leave_wireless_network", REPLY]
        assert client.call("leave_wireless_network", {}) == ("None", False)
        ending, _ = client.call(REPLY, {"text": "Wifi is off now."})
    assert "Score 1.000 (success" in ending
    assert stored(tmp_path)[0]["suite"]["name"] == "radio"


@pytest.mark.slow
def test_what_is_printed_can_be_pasted() -> None:
    with serving("-s", NAME, "--seed", "3") as served:
        endpoint = served.endpoint()
        pasted = json.loads(served.told[served.told.index("{") : served.told.rindex("}") + 1])
        assert pasted["mcpServers"]["sandbox"] == {"type": "http", "url": endpoint.url, "headers": endpoint.headers}
        opening = get_scenario(NAME, seed=3).user_script.opening  # type: ignore[union-attr]
        assert f"User: {opening}\n" in served.told


@pytest.mark.slow
def test_without_output_nothing_is_kept(tmp_path: Path) -> None:
    importable = {"PYTHONPATH": str(Path(__file__).parents[2])}
    with serving("-s", "wifi_off", cwd=tmp_path, env=os.environ | importable) as served:
        with connected(http_client(served.endpoint())) as client:
            assert "Score 1.000" in play_over(client, "wifi_off")
        assert served.end()[0] == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_person_can_be_the_user() -> None:
    with serving("-s", "wifi_off", "--user", "Cli", stdin=subprocess.PIPE) as served:
        process = served.process
        assert process.stdin is not None
        process.stdin.write("Are you sure?\n/end\n")
        process.stdin.flush()
        with connected(http_client(served.endpoint())) as client:
            assert client.call(REPLY, {"text": "It is off."}) == ("Are you sure?", False)
            assert client.call(REPLY, {"text": "No."})[0].startswith("The conversation is over: completed. Score 0.000")
        out, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0
    assert "It is off." in out


@pytest.mark.slow
def test_calls_out_of_turn_and_without_sense() -> None:
    with serving("-s", LONG) as served, connected(http_client(served.endpoint())) as client:
        for arguments in ({}, {"text": 7}, {"text": None}, {"words": "x"}):
            assert client.call(REPLY, arguments) == (f"{REPLY} needs the argument text, a string", True)
        text, is_error = client.call("no_such_tool", {})
        assert is_error
        assert "no_such_tool" in text


@pytest.mark.slow
def test_a_conversation_that_runs_out_of_messages_says_so() -> None:
    with serving("-s", "wifi_off") as served:
        with connected(http_client(served.endpoint())) as client:
            for _ in range(60):
                text, is_error = client.call("no_such_tool", {})
                if text.startswith("The conversation is over"):
                    break
            assert is_error
            assert text.startswith("The conversation is over: max_messages. Score 0.000 (no success; ")
        assert served.end()[0] == 0


@pytest.mark.sampled(2)
@pytest.mark.skipif(os.name != "posix", reason="sends signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it_cleanly(number: int, tmp_path: Path) -> None:
    with serving("-s", NAME, "-o", tmp_path) as served:
        endpoint = served.endpoint()
        with connected(http_client(endpoint)) as client:
            client.call("search_contacts", {})
            served.process.send_signal(number)
            code, rest = served.end()
        assert (code, rest.splitlines()[0]) == (130, "the conversation was interrupted")
        assert "Traceback" not in rest
        port = int(endpoint.url.split(":")[2].split("/")[0])
        with socket.socket() as free:
            free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            free.bind(("127.0.0.1", port))


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="sends signals of POSIX")
def test_an_interrupt_ends_stdio_while_it_reads(tmp_path: Path) -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen(command("-s", NAME, "--transport", "stdio"), stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stderr is not None
        while not process.stderr.readline().startswith(b"User: "):
            pass
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
        assert process.stderr.read().splitlines() == [b"the conversation was interrupted"]
        assert process.stdout is not None
        assert process.stdout.read() == b""


@pytest.mark.slow
def test_a_client_that_leaves_is_scored_as_it_stands(tmp_path: Path) -> None:
    words = command("-s", NAME, "--transport", "stdio", "-o", tmp_path)
    done = subprocess.run(words, input=b"", capture_output=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"the MCP client left before the conversation was over" in done.stderr
    assert b"Traceback" not in done.stderr
    result, _ = stored(tmp_path)
    assert (result["outcome"], result["evaluated"]) == ("model_error", True)


@pytest.mark.slow
def test_stdio_survives_what_is_no_message() -> None:
    lines = [b"{", b"\xff\xfe", b"[1]", b"[" * 100_000, b'"' + b"x" * 5_000_000 + b'"', b"", b"null"]
    info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    opening = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": info}
    begun = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    call = b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"nothing","arguments":{"x":"\\ud800"}}}'
    sent = [json.dumps(opening).encode(), json.dumps(begun).encode(), *lines, call]
    pipe = subprocess.PIPE
    with subprocess.Popen(command("-s", NAME, "--transport", "stdio"), stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        # So that the pipe does not fill up.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        process.stdin.write(b"\n".join(sent) + b"\n")
        process.stdin.flush()
        answers = []
        while not answers or answers[-1].get("id") != 2:
            answers.append(json.loads(process.stdout.readline()))
        assert answers[-1]["result"]["isError"] is True
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["-s", "wifi_of"], "there is no scenario 'wifi_of'. Did you mean: wifi_off"),
        (["-s", "wifi*"], "serve plays one, such as wifi_off"),
        ([], "required: -s/--scenario"),
        (["-s", "wifi_off", "--user", "Nobody"], "there is no user 'Nobody'"),
        (["-s", "wifi_off", "--port", "x"], "'x' is not a port"),
        (["-s", "wifi_off", "--port", "70000"], "'70000' is not a port"),
        (["-s", "wifi_off", "--transport", "stdio", "--port", "1"], "--port belongs to --transport http"),
        (["-s", "wifi_off", "--transport", "stdio", "--user", "Cli"], "the user Cli needs the terminal"),
        (["-s", "wifi_off", "--transport", "sse"], "invalid choice: 'sse'"),
        (["-s", "wifi_off", "--portt", "1"], "Did you mean: --port?"),
    ],
)
def test_mistakes_are_one_line(words: list[str], complaint: str, shell: Shell) -> None:
    assert complaint in shell.complaint("serve", *words)


def test_a_port_that_is_taken(taken_port: int, shell: Shell) -> None:
    complaint = shell.complaint("serve", "-s", "wifi_off", "--port", taken_port)
    assert f"cannot listen on port {taken_port}" in complaint


def test_without_the_sdk(monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    assert "pip install 'tool_sandbox[mcp]'" in shell.complaint("serve", "-s", "wifi_off")


def test_help_names_the_tool_that_replies(shell: Shell) -> None:
    assert REPLY in shell("serve", "--help").out


def test_an_earlier_conversation_is_told() -> None:
    history = (
        UserTurn("Hi."),
        AssistantTurn("Hello!"),
        UserTurn("Look."),
        AssistantTurn(calls=(RequestedCall("", "f", {}),)),
    )
    told = instructions(Brief("Be good.", history), "Well?").split("\n\n")
    assert [told[0], *told[2:]] == ["Be good.", "User: Hi.", "You: Hello!", "User: Look.", "User: Well?"]
