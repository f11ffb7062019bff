"""Choosing a command as the agent, and what is said of it."""

import sys
from pathlib import Path

import pytest

from tool_sandbox.integrations.executors import Limits
from tool_sandbox.roles.external.command import CommandAgent, public_command, resolve, split_command
from tool_sandbox.roles.external.json_lines import JsonLinesDriver
from tool_sandbox.roles.external.one_shot import OneShotDriver
from tool_sandbox.roles.registry import resolve_role
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

KEY = "sk-proj-0123456789abcdef0123456789"


def agent(choice: str) -> CommandAgent:
    role = resolve_role(choice, "agent")[1]()
    assert isinstance(role, CommandAgent)
    return role


@pytest.mark.parametrize(
    "choice", ["command: sh -c 'a: b'", "command:sh -c 'a: b'", " command : sh -c 'a: b'", "command(): sh -c 'a: b'"]
)
def test_without_options(choice: str) -> None:
    assert agent(choice).argv == ("sh", "-c", "a: b")
    assert agent(choice).limits == Limits()


def test_with_options() -> None:
    role = agent("command(timeout_s=60,memory_mb=512, output_mb=1,kill_after_s=0.5,mcp=yes): sh -c 'x=(1,2)'")
    assert role.describe()["limits"]["turn_s"] == 60
    assert role.limits == Limits(memory_bytes=512 * 2**20, output_bytes=2**20, line_bytes=2**20, kill_after_s=0.5)
    assert role.argv == ("sh", "-c", "x=(1,2)")
    assert role.describe()["mcp"] is True


@pytest.mark.parametrize(
    ("choice", "reason"),
    [
        ("command:", "there is no command"),
        ("command: ''", "there is no command"),
        ("command: sh 'x", "cannot be split into words: No closing quotation"),
        ("command(timeout_s=60", "is written command:"),
        ("command(timeout_s=60) sh", "is written command:"),
        ("command(timeout_s): sh", "are written option=value"),
        ("command(timeout_s=1,timeout_s=2): sh", "twice"),
        ("command(timeout=60): sh", "Did you mean: timeout_s"),
        ("command(command=x): sh", "no option 'command'"),
        ("command(timeout_s=soon): sh", "has to be a number"),
        ("command(timeout_s=0): sh", "greater than 0"),
        ("command(timeout_s=nan): sh", "has to be a number"),
        ("command(timeout_s=inf): sh", "greater than 0"),
        ("command(memory_mb=-1): sh", "greater than 0"),
        ("command(executor=podman): sh", "choose one of none, subprocess, docker"),
        ("command(executor=docker): sh", "needs an image"),
        ("command(image=x): sh", "has no image"),
        ("command(env=NO_SUCH_VARIABLE_X): sh", "NO_SUCH_VARIABLE_X, which the agent is to have, is not set"),
        ("command(env=A B): sh", "env=NAME"),
    ],
)
def test_mistakes_are_one_clear_line(choice: str, reason: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        agent(choice)
    assert reason in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_unknown_option_is_an_unknown_name() -> None:
    with pytest.raises(UnknownNameError):
        agent("command(speed=1): sh")


@pytest.mark.parametrize("program", ["no-such-program-x", "./no-such-program-x", "/no/such/program"])
def test_a_command_that_does_not_exist(program: str) -> None:
    role = agent(f"command: {program} --json")
    with pytest.raises(ConfigurationError, match="there is no such program"):
        role.describe()


def test_what_is_said_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_LOGIN", "correct-horse-7")
    role = agent("command(env=MY_LOGIN,executor=none): sh agent.sh --login correct-horse-7")
    described = role.describe()
    assert described["command"] == "sh agent.sh --login [redacted]"
    assert described["environment"] == ["MY_LOGIN"]
    assert described["executor"] == {"name": "none"}
    assert described["limits"]["turn_s"] == 600
    assert (described["name"], described["form"], described["protocol"]) == ("command", "json-lines", 1)
    assert "correct-horse" not in repr(described)


@pytest.mark.parametrize("word", ["{promptfile}", "{prompt_fil}", "{mcpconfig}", "{outputfile}"])
def test_a_slip_in_what_is_filled_in_is_no_command(word: str) -> None:
    with pytest.raises(UnknownNameError, match=f"has {word};.*Did you mean"):
        resolve_role(f"command: my-agent {word}", "agent")


def test_a_key_in_the_command_is_refused_and_not_quoted() -> None:
    # Otherwise it would stand in run.json, for a run to be resumed from.
    with pytest.raises(ConfigurationError, match="looks like a key") as caught:
        resolve_role(f"command: sh agent.sh --api-key {KEY}", "agent")
    assert KEY not in str(caught.value)
    assert "env=NAME" in str(caught.value)


@pytest.mark.parametrize(
    ("command", "public"),
    [
        ("a --token=abcd-efgh-1", "a --token=[redacted]"),
        ("a --token 'abcd efgh 1' b", "a --token '[redacted]' b"),
        ("MY_SECRET=abcd-efgh-1 a", "MY_SECRET=[redacted] a"),
        (f"a -k {KEY}", "a -k [redacted]"),
        ("a --max-tokens 500 --n 500", "a --max-tokens 500 --n 500"),
        ("a --key=value x", "a --key=value x"),
        ("a --keys /etc/keys/mine", "a --keys /etc/keys/mine"),
        ("python  my_agent.py", "python  my_agent.py"),
    ],
)
def test_secrets_on_the_command_line(command: str, public: str) -> None:
    assert public_command(command) == public


@pytest.mark.parametrize(
    ("command", "label"),
    [
        ("python my_agent.py", "command_my_agent"),
        ("/usr/local/bin/agent --x", "command_agent"),
        ("node 'a b/../c d.js'", "command_c-d"),
        ("sh -c 'x/../..'", "command_sh"),
        ("..", "command_agent"),
        ("x" * 300, "command_" + "x" * 52),
    ],
)
def test_directories_are_named_after_it(command: str, label: str) -> None:
    spec, _ = resolve(f"command: {command}")
    assert spec.name == label
    assert spec.is_external


def test_which_way_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert isinstance(agent("command: sh x").make_driver(), JsonLinesDriver)
    role = agent("command: sh x --file={prompt_file}")
    assert isinstance(role.make_driver(), OneShotDriver)
    assert role.describe()["form"] == "one-shot"
    # Braces that mean nothing to us are the command's own.
    assert agent("command: sh -c '{json} {}'").argv == ("sh", "-c", "{json} {}")


def test_splitting() -> None:
    assert split_command("""a "b c" d\\ e '' "$HOME" ; rm""") == ("a", "b c", "d e", "", "$HOME", ";", "rm")


def test_windows_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    role = agent(f"command: {sys.executable}")
    monkeypatch.setattr("tool_sandbox.integrations.executors.local.os.name", "nt")
    with pytest.raises(ConfigurationError, match="Linux and macOS only"):
        role.describe()
