"""What holds for every agent that is a command-line program, with stand-ins that speak each program's protocol."""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.loopback.reference import traces
from tests.stubs.acting import install
from tests.stubs.playing import Played, play
from tests.together import together
from tool_sandbox.integrations.executors import Command, Limits, Workspace
from tool_sandbox.integrations.executors.docker import DockerExecutor
from tool_sandbox.models.messages import AssistantTurn, RequestedCall, ResultsTurn, ToolResult, UserTurn
from tool_sandbox.roles.external.claude_code import ClaudeCodeAgent
from tool_sandbox.roles.external.cli_agent import CommandLineAgent, status_in
from tool_sandbox.roles.external.cli_log import CUT, END, LONGEST_LINE, LONGEST_LOG, EventLog
from tool_sandbox.roles.external.codex import CodexAgent, CodexDriver
from tool_sandbox.roles.external.gemini_cli import GeminiCliAgent
from tool_sandbox.roles.external.transcript import with_history
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.roles.registry import resolve_role
from tool_sandbox.world.errors import AgentError, ConfigurationError, InfrastructureError

KEY = "key-for-tests-0123456789"
SINGLE = "wifi_off"
SEVERAL = "modify_contact_with_message_recency"
TWO_TURNS = "modify_contact_with_message_recency_multiple_user_turn"
SCRAMBLED = f"{TWO_TURNS}_3_distraction_tools_tool_name_scrambled"


@attrs.frozen
class Kind:
    program: str
    agent: Callable[..., CommandLineAgent]
    key: str
    version: str


pytestmark = pytest.mark.sampled(3)

KINDS = {
    "claude-code": Kind("claude", ClaudeCodeAgent, "ANTHROPIC_API_KEY", "2.1.330"),
    "codex": Kind("codex", CodexAgent, "CODEX_API_KEY", "0.169.0"),
    "gemini-cli": Kind("gemini", GeminiCliAgent, "GEMINI_API_KEY", "0.61.0"),
}


@pytest.fixture(params=list(KINDS))
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Kind:
    kind = KINDS[request.param]
    monkeypatch.setenv("CLAUDECODE", "1")
    for other in KINDS.values():
        # The keys of the others must not get through.
        monkeypatch.setenv(other.key, KEY if other is kind else f"other-{KEY}")
    return kind


@pytest.fixture
def make(kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., CommandLineAgent]:
    """Puts a stand-in first on the PATH, and makes an agent that finds it there."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")

    def make(scenarios: list[str], options: dict[str, Any] | None = None, **config: Any) -> CommandLineAgent:
        install(tmp_path / "bin", kind.program, scenarios=scenarios, record=str(tmp_path), **config)
        return kind.agent(**(options or {}))

    return make


def starts(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(tmp_path.glob("*.json"))]


def oracle(name: str) -> Played:
    return play(OracleAgent(), name)  # type: ignore[arg-type]


def untimed(traced: Any) -> Any:
    return json.loads(json.dumps(traced, default=str))


@pytest.mark.slow
@pytest.mark.parametrize("name", [SEVERAL, SCRAMBLED])
def test_a_scenario_is_passed_as_the_oracle_passes_it(
    make: Callable[..., CommandLineAgent], kind: Kind, name: str
) -> None:
    played, wanted = play(make([name]), name), oracle(name)
    assert played.stopped is None
    assert played.score == wanted.score == 1.0
    assert played.calls == wanted.calls
    assert untimed(traces(played.rows)) == untimed(traces(wanted.rows))
    assert [row["openai_tool_call_id"] for row in played.rows] == [row["openai_tool_call_id"] for row in wanted.rows]
    (call, *_) = played.agent.session.calls
    assert call.stop == "end"
    assert call.usage.input_tokens > call.usage.output_tokens > 0


@pytest.mark.slow
def test_nothing_is_left_and_nothing_secret_gets_out(make, kind, tmp_path) -> None:
    played = play(make([SINGLE]), SINGLE)
    (start,) = starts(tmp_path)
    assert not Path(start["cwd"]).exists()
    assert not Path(start["environment"]["HOME"]).exists()
    log = json.dumps(played.agent.session.log)
    assert len(played.agent.session.log) > 3
    assert KEY not in log
    assert KEY not in json.dumps(start["argv"])
    assert [name for name, value in start["environment"].items() if KEY in value] == [kind.key]
    for part in ("settings", "server"):
        assert KEY not in json.dumps(start.get(part))


@pytest.mark.slow
def test_two_conversations_at_once_do_not_meet(make, kind) -> None:
    names = [SEVERAL, "remove_contact_by_phone"]
    agents = [make(names) for _ in names]
    played: dict[str, Played] = {}
    together(lambda pair: played.update({pair[1]: play(*pair)}), zip(agents, names, strict=True))
    for name in names:
        assert played[name].score == 1.0
        assert played[name].calls == oracle(name).calls


@pytest.mark.slow
def test_a_program_that_dies_stops_the_conversation(make) -> None:
    played = play(make([SEVERAL], fault="exit"), SEVERAL)
    assert isinstance(played.stopped, AgentError)
    assert "ended with code 3 before it had answered: panic: something broke" in str(played.stopped)


@pytest.mark.slow
def test_a_program_that_dies_later_keeps_what_was_done(make) -> None:
    played = play(make([TWO_TURNS], fault="exit", at=1), TWO_TURNS)
    assert isinstance(played.stopped, AgentError)
    assert played.calls
    assert 0 <= played.score < 1


@pytest.mark.slow
def test_a_program_that_hangs_is_killed(make, tmp_path) -> None:
    played = play(make([SINGLE], {"timeout_s": 2.0}, fault="hang"), SINGLE)
    assert isinstance(played.stopped, AgentError)
    assert "longer than 2 s" in str(played.stopped)
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # other programs end meanwhile
            assert str(tmp_path).encode() not in path.read_bytes()


@pytest.mark.slow
def test_a_program_that_floods_is_stopped(make) -> None:
    played = play(make([SINGLE], {"output_mb": 2}, fault="flood"), SINGLE)
    assert isinstance(played.stopped, AgentError)
    assert "2 MiB" in str(played.stopped)
    assert len(json.dumps(played.agent.session.log)) < 2**20


@pytest.mark.slow
def test_what_is_no_event_is_passed_over(make) -> None:
    played = play(make([SINGLE], fault="garbage"), SINGLE)
    assert played.score == 1.0
    assert "this is not JSON" in played.agent.session.log
    assert {"type": "of tomorrow", "x": {}} in played.agent.session.log


@pytest.mark.slow
def test_it_says_what_it_is(make, kind) -> None:
    described = make([SINGLE], {"model": "m-1", "base_url": "http://someone:secret@host/v1"}).describe()
    assert described["version"] == kind.version
    assert described["model"] == "m-1"
    assert described["executor"] == "subprocess"
    assert described["own_tools"] == "off"
    assert "secret" not in json.dumps(described)


@pytest.mark.slow
def test_a_pinned_version_has_to_be_there(make, kind) -> None:
    assert make([SINGLE], {"version": kind.version}).describe()["version"] == kind.version
    with pytest.raises(ConfigurationError, match=r"version 9\.9\.9 was asked for, .* is installed"):
        make([SINGLE], {"version": "9.9.9"}).describe()


@pytest.mark.slow
def test_a_program_that_says_no_version_is_of_none(make) -> None:
    agent = make([SINGLE], version="nightly")
    assert agent.describe()["version"] is None
    with pytest.raises(ConfigurationError, match="an unknown one is installed"):
        make([SINGLE], {"version": "1.0"}, version="nightly").describe()


def test_a_missing_key_is_named(make, kind, monkeypatch) -> None:
    agent = make([SINGLE])
    for other in (*KINDS.values(), attrs.evolve(kind, key="OPENAI_API_KEY")):
        monkeypatch.delenv(other.key, raising=False)
    with pytest.raises(ConfigurationError, match=kind.key):
        agent.describe()


def test_a_missing_program_is_named_with_a_way_to_get_it(kind) -> None:
    with pytest.raises(ConfigurationError, match=r"needs the program no-such on the PATH: npm install"):
        kind.agent(binary="no-such").describe()


VARIABLES = {"claude": "ANTHROPIC_BASE_URL", "codex": "OPENAI_BASE_URL", "gemini": "GOOGLE_GEMINI_BASE_URL"}


@pytest.mark.slow
def test_the_address_of_the_model_is_that_of_its_provider(make, kind, monkeypatch) -> None:
    monkeypatch.setenv(VARIABLES[kind.program], "http://someone:secret@127.0.0.1:9/v1")
    assert make([SINGLE]).describe()["base_url"] == "http://127.0.0.1:9/v1"
    assert make([SINGLE], {"base_url": "http://elsewhere/v1"}).describe()["base_url"] == "http://elsewhere/v1"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"executor": "jail"}, "no executor 'jail'"),
        ({"executor": "docker"}, "needs an image"),
        ({"image": "x"}, "has no image; an image goes with executor=docker"),
        ({"timeout_s": 0.0}, "timeout_s has to be greater than 0"),
        ({"memory_mb": -1}, "memory_mb has to be greater than 0"),
        ({"binary": " "}, "binary has to name a program"),
    ],
)
def test_impossible_options_are_refused(kind, options, words) -> None:
    with pytest.raises(ConfigurationError, match=words):
        kind.agent(**options)


@pytest.mark.parametrize("name", list(KINDS))
def test_the_options_of_a_name_are_those_of_its_class(name: str) -> None:
    spec, factory = resolve_role(f"{name}:model=m,timeout_s=7.5,memory_mb=100,executor=none", "agent")
    agent = factory()
    assert spec.is_external
    assert isinstance(agent, CommandLineAgent)
    assert (agent.model, agent.executor().name, agent.model_name) == ("m", "none", "m")
    assert (agent.turn_timeout_s, agent.limits.memory_bytes) == (7.5, 100 * 2**20)


def test_in_a_container_the_program_is_that_of_the_image(kind) -> None:
    agent = kind.agent(executor="docker", image="agents:1")
    assert agent.program() == kind.program
    assert agent.executor().name == "docker"


def test_a_container_is_given_what_the_program_needs_and_no_key_where_others_see_it(kind, monkeypatch) -> None:
    started: list[Any] = []

    def start(executor: DockerExecutor, command: Command, workspace: Workspace, limits: Limits) -> None:
        started.append((executor.argv(command, workspace, limits, "box"), command))
        raise AgentError("there is no daemon")

    monkeypatch.setattr(DockerExecutor, "start", start)
    # This one asks the program for its models first, which needs no key.
    monkeypatch.setattr(CodexDriver, "_models", lambda driver: "{}")
    played = play(kind.agent(executor="docker", image="agents:1", memory_mb=512), SINGLE)
    assert "there is no daemon" in str(played.stopped)
    ((argv, command),) = started
    assert argv[:2] == ("docker", "run")
    assert argv[argv.index("agents:1") - 1] == kind.program
    assert str(512 * 2**20) in argv
    assert kind.key in argv
    tokens = [value for name, value in command.environment.items() if "TOKEN" in name and not value.isdigit()]
    assert not [word for word in argv for secret in (KEY, *tokens) if secret in word]
    # Its files are named as they are called in there.
    assert not [word for word in argv[argv.index("agents:1") :] if "tool_sandbox_agent_" in word]
    assert not [value for value in command.environment.values() if "tool_sandbox_agent_" in value]


def test_more_memory_than_allowed_ends_the_program(make) -> None:
    played = play(make([SINGLE], {"memory_mb": 8}), SINGLE)
    assert isinstance(played.stopped, AgentError)
    assert "8 MiB of memory" in str(played.stopped)


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("unexpected status 429 Too Many Requests", 429),
        ("API Error: 529 Overloaded", 529),
        ("[API Error: no (Status: 503)]", 503),
        ("HTTP 401", 401),
        ("502 Bad Gateway", 502),
        ("I have 500 apples and 404 pears", None),
        ("", None),
    ],
)
def test_the_status_is_found_in_words(words: str, status: int | None) -> None:
    assert status_in(words) == status


def test_the_log_is_bounded_and_clean() -> None:
    kept: list[Any] = []
    log = EventLog(kept, ("tok-123456789",))
    assert log.add('{"a": "tok-123456789"}') == {"a": "tok-123456789"}
    assert kept == [{"a": "[redacted]"}]
    long = "y" * (LONGEST_LINE + 1)
    assert log.add(long) is None
    assert kept[1] == "y" * LONGEST_LINE + CUT
    for _ in range(LONGEST_LOG // LONGEST_LINE + 3):
        log.add(long)
    assert kept[-1] == END
    assert kept.count(END) == 1
    assert log.add('{"type": "result"}') == {"type": "result"}


def test_a_conversation_that_has_begun_is_told() -> None:
    history = (
        UserTurn("Hi"),
        AssistantTurn("Wait.", (RequestedCall("1", "look", {"at": "x"}), RequestedCall("2", "look", "{broken"))),
        ResultsTurn((ToolResult("1", "look", "found"), ToolResult("2", "look", "ValueError", is_error=True))),
        AssistantTurn("Found."),
    )
    told = with_history(history, "And now?")
    assert with_history((), "And now?") == "And now?"
    assert told.splitlines()[1:] == [
        "User: Hi",
        "Assistant: Wait.",
        'Assistant called look: {"at": "x"}',
        "Assistant called look: {broken",
        "look returned: found",
        "look failed: ValueError",
        "Assistant: Found.",
        "",
        "The user now says:",
        "And now?",
    ]


def test_without_the_server_nothing_is_started(make, monkeypatch) -> None:
    def fail(*_: Any) -> None:
        raise InfrastructureError("no server")

    monkeypatch.setattr("tool_sandbox.roles.external.program.open_endpoint", fail)
    with pytest.raises(InfrastructureError, match="no server"):
        play(make([SINGLE]), SINGLE)
