"""Managed Agents over a loopback platform: the same conversations as with any other agent, whatever goes wrong."""

import itertools
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs
import pytest

from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.brain import FINISHED, SolutionBrain
from tests.loopback.managed import Account, Mishaps, Talk, never, serve_managed
from tests.loopback.server import Answer, Brain, Broken, Heard, serve
from tests.stubs import playing
from tests.together import together
from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType
from tool_sandbox.models.anthropic_messages import AnthropicMessages
from tool_sandbox.models.calling import RetryPolicy
from tool_sandbox.models.messages import Usage
from tool_sandbox.models.provider import Endpoint
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.external import managed_platform, managed_session
from tool_sandbox.roles.external.managed_agents import ManagedAgent
from tool_sandbox.roles.model_agent import DECLINED, ModelAgent
from tool_sandbox.roles.registry import resolve_role
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.world.errors import AgentError, ConfigurationError, ConversationStoppedError, InfrastructureError

KEY = "sk-ant-test-0123456789abcdef"
MODEL = "claude-opus-5-5"
SCENARIOS = ("wifi_off", "remove_contact_by_phone", "modify_contact_with_message_recency")
FIRST = "wifi_off"


@pytest.fixture(autouse=True)
def ready(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setattr(managed_session, "_POLL_S", 0.02)
    fast = RetryPolicy(base_s=0.01, sleep=lambda seconds: threading.Event().wait(min(seconds, 0.05)))
    init = managed_platform.Platform.__init__
    monkeypatch.setattr(
        managed_platform.Platform, "__init__", lambda self, access, policy=fast: init(self, access, policy)
    )
    yield
    managed_platform._shared.cache_clear()


@attrs.frozen
class Played:
    """A conversation that was played: its texts, the world at its end, and its score."""

    rows: list[tuple[Any, ...]]
    world: dict[str, Any]
    score: float
    stopped: ConversationStoppedError | None

    def said(self) -> list[str]:
        return [row[2] for row in self.rows if row[:2] == (RoleType.AGENT, RoleType.USER)]

    def results(self) -> list[str]:
        return [row[2] for row in self.rows if row[0] == RoleType.EXECUTION_ENVIRONMENT]


def play(agent: BaseRole, scenario: Scenario | str = FIRST) -> Played:
    played = playing.play(agent, scenario)
    rows = [(row["sender"], row["recipient"], _without_id(row), row["tool_call_exception"]) for row in played.rows]
    names = [name for name in DatabaseNamespace if name is not DatabaseNamespace.SANDBOX]
    world = {name: played.context.get_database(name, drop_sandbox_message_index=True).to_dicts() for name in names}
    return Played(rows, world, played.score, played.stopped)


def _without_id(row: Mapping[str, Any]) -> str:
    # Ids are the provider's.
    name = row["openai_tool_call_id"]
    return row["content"] if name is None else row["content"].replace(name, "ID")


def solve(*names: str) -> SolutionBrain:
    return SolutionBrain.of([get_scenario(name) for name in names or SCENARIOS])


def managed(account: Account, **options: Any) -> ManagedAgent:
    return ManagedAgent(**{"model": MODEL, "base_url": account.url, "timeout_s": 60.0, **options})


def over_messages(brain: Brain, scenario: str = FIRST) -> Played:
    with serve(AnthropicDialect(key=KEY), brain) as server:
        provider = AnthropicMessages(MODEL, {}, Endpoint(server.url, KEY, 30.0))
        return play(ModelAgent(provider, RetryPolicy(retries=0)), scenario)


@pytest.mark.parametrize("name", SCENARIOS)
def test_same_script_gives_the_same_conversation_as_over_messages(name: str) -> None:
    expected = over_messages(solve(), name)
    with serve_managed(solve()) as account:
        played = play(managed(account), name)
    assert played == expected
    assert played.score == 1.0


PARALLEL = (
    Answer("Let me look.", calls=(("set_wifi_status", {"on": False}), ("no_such_tool", {}))),
    Answer(calls=(("set_wifi_status", {"on": "perhaps"}), ("search_contacts", {"name": "Nobody at all"}))),
    Answer(calls=(("set_wifi_status", {"on": False}),)),
    Answer("The wifi is off now."),
)


def in_order(moves: tuple[Answer, ...]) -> Brain:
    left, lock = iter(moves), threading.Lock()

    def think(heard: Heard) -> Answer:
        with lock:
            return next(left, Answer(FINISHED))

    return think


def after_calls(count: int) -> Callable[[Mapping[str, Any], int], bool]:
    """Cuts a stream before the event that follows some calls, once."""
    left = [count]

    def cut(event: Mapping[str, Any], streams: int) -> bool:
        if left[0] < 0:
            return False
        is_call = event["type"] == "agent.custom_tool_use"
        left[0] -= is_call
        if (left[0] == 0 and not is_call) or left[0] < 0:
            left[0] = -1
            return True
        return False

    return cut


def every_stream(kinds: tuple[str, ...]) -> Callable[[Mapping[str, Any], int], bool]:
    """Cuts every stream before the first event of some kinds; two streams later it is let pass."""
    return lambda event, streams: event["type"] in kinds and streams % 3 != 0


def test_parallel_calls_and_failed_ones_are_answered_as_over_messages() -> None:
    expected = over_messages(in_order(PARALLEL))
    with serve_managed(in_order(PARALLEL)) as account:
        played = play(managed(account))
    assert played == expected
    assert played.score == 1.0
    assert any("TypeError" in text or "ValueError" in text for text in played.results())
    # All results of a reply go at once, in the order of the calls, with the errors marked.
    sent = [event["is_error"] for event in events(account, "user.custom_tool_result")]
    assert sent == [False, True, True, True, True]
    assert len([seen for seen in account.seen if b"user.custom_tool_result" in seen.raw]) == 3


def events(account: Account, kind: str) -> list[dict[str, Any]]:
    return [event for talk in account.sessions.values() for event in talk.events if event["type"] == kind]


@pytest.mark.parametrize(
    "mishaps",
    [
        pytest.param(lambda: Mishaps(twice=True), id="every event twice"),
        pytest.param(lambda: Mishaps(cut=after_calls(1)), id="cut between two parallel calls"),
        pytest.param(lambda: Mishaps(cut=after_calls(2)), id="cut before the calls are waited for"),
        pytest.param(lambda: Mishaps(cut=after_calls(3)), id="cut in the second reply"),
        pytest.param(lambda: Mishaps(cut=every_stream(("agent.custom_tool_use",))), id="cut before every call"),
        pytest.param(lambda: Mishaps(cut=every_stream(("session.status_idle",)), twice=True), id="cut before idle"),
        pytest.param(lambda: Mishaps(broken={"POST /v1/sessions/ID/events": [Broken(429), Broken(500)]}), id="429"),
        pytest.param(lambda: Mishaps(broken={"POST /v1/sessions/ID/events": [Broken(500, "late")] * 3}), id="late 500"),
        pytest.param(
            lambda: Mishaps(broken={"POST /v1/sessions/ID/events": [Broken(409), Broken(529, "late")] * 2}), id="409"
        ),
        pytest.param(
            lambda: Mishaps(
                broken={
                    f"{method} {route}": [Broken(429, headers={"retry-after": "0.01"}), Broken(500), Broken(529)]
                    for method, route in itertools.product(
                        ("GET", "POST"),
                        ("/v1/environments", "/v1/agents", "/v1/sessions", "/v1/sessions/ID/events/stream"),
                    )
                },
                cut=after_calls(2),
            ),
            id="everything three times",
        ),
    ],
)
def test_whatever_is_lost_on_the_way_the_conversation_is_the_same(mishaps: Callable[[], Mishaps]) -> None:
    with serve_managed(in_order(PARALLEL)) as account:
        expected = play(managed(account))
    planned = mishaps()
    is_cut = planned.cut is not never
    with serve_managed(in_order(PARALLEL), mishaps=planned) as account:
        played = play(managed(account))
    assert played == expected
    # Nothing was said or answered twice.
    results = [event["custom_tool_use_id"] for event in events(account, "user.custom_tool_result")]
    assert len(results) == len(set(results)) == 5
    said = [event["content"][0]["text"] for event in events(account, "user.message")]
    assert len(said) == len(played.said())
    (talk,) = account.sessions.values()
    assert talk.streams > len(said) or not is_cut


def test_the_end_of_the_turn_before_is_not_that_of_this_one() -> None:
    answers = (Answer("What?"), *PARALLEL)
    with serve_managed(in_order(answers)) as account:
        expected = play(managed(account))

    def starting(talk: Talk) -> None:
        # The second turn begins only after its stream was lost, and both pages of the history were read.
        while len(said_by_user(talk)) == 2 and (talk.streams == 2 or reads(account) < 2):
            assert not lost.wait(0.02)

    def said_by_user(talk: Talk) -> list[dict[str, Any]]:
        return [event for event in talk.events if event["type"] == "user.message"]

    def reads(account: Account) -> int:
        return account.count("GET /v1/sessions/ID/events")

    lost = threading.Event()
    mishaps = Mishaps(hangs_up=lambda streams: streams == 2, starting=starting)
    with serve_managed(in_order(answers), mishaps=mishaps) as account:
        assert play(managed(account)) == expected


def test_a_platform_that_wants_to_be_left_alone_for_longer_than_a_turn_is_not_waited_for() -> None:
    busy = Mishaps(broken={"POST /v1/sessions/ID/events": [Broken(429, headers={"retry-after": "50"})] * 9})
    with (
        serve_managed(in_order(PARALLEL), mishaps=busy) as account,
        pytest.raises(InfrastructureError, match="rate_limit"),
    ):
        play(managed(account, timeout_s=20.0))
    # The sleeps of this test are short: it was given up at once, not after many attempts.
    assert account.count("POST /v1/sessions/ID/events") == 1


ERROR = {"type": "model_overloaded_error", "message": "too busy", "retry_status": {"type": "exhausted"}}
CIRCLES = {"type": "tool_use_limit_reached_error", "message": "too many rounds", "retry_status": {"type": "exhausted"}}


@pytest.mark.parametrize(
    ("answer", "expected", "words"),
    [
        (Answer(stop="terminated"), InfrastructureError, "terminated"),
        (Answer(stop="deleted"), InfrastructureError, "deleted"),
        (Answer(stop="mystery"), InfrastructureError, "mystery"),
        (Answer(stop="retries_exhausted", extra={"error": ERROR}), InfrastructureError, "too busy"),
        (Answer(stop="retries_exhausted", extra={"error": CIRCLES}), AgentError, "in a loop"),
        (Answer(stop="budget_reached"), AgentError, "budget"),
        (
            Answer(extra={"events": [{"type": "agent.tool_use", "name": "bash", "input": {}}]}),
            InfrastructureError,
            "outside of the sandbox",
        ),
        (
            Answer(
                extra={"events": [{"type": "agent.mcp_tool_use", "name": "x", "mcp_server_name": "y", "input": {}}]}
            ),
            InfrastructureError,
            "outside of the sandbox",
        ),
    ],
)
def test_how_a_session_can_end(answer: Answer, expected: type[Exception], words: str) -> None:
    with serve_managed(in_order((PARALLEL[0], answer))) as account:
        agent = managed(account)
        if expected is InfrastructureError:
            with pytest.raises(InfrastructureError, match=words):
                play(agent)
        else:
            assert words in str(play(agent).stopped)
    assert [talk.archived for talk in account.sessions.values()] == [True]


def test_a_refusal_is_one_and_nothing_of_it_is_used() -> None:
    refusal = Answer("Well, one could", stop="refusal", refusal="cyber")
    with serve_managed(in_order((refusal, Answer(FINISHED)))) as account:
        agent = managed(account)
        played = play(agent)
    assert played.said()[0] == DECLINED
    assert "one could" not in str(played.rows)
    assert (agent.session.calls[0].stop, agent.session.calls[0].stop_text) == ("blocked", "refusal: cyber")


def test_a_session_that_is_moved_goes_on() -> None:
    moved = attrs.evolve(PARALLEL[2], extra={"events": [{"type": "session.status_rescheduled"}]})
    shaken = attrs.evolve(PARALLEL[3], extra={"error": ERROR})
    with serve_managed(in_order((moved, shaken))) as account:
        agent = managed(account)
        played = play(agent)
    assert (played.score, played.said()[0]) == (1.0, "The wifi is off now.")
    assert "session.error" in str(agent.session.log)


def test_tokens_cost_and_names_are_noted_turn_by_turn() -> None:
    thinking = attrs.evolve(PARALLEL[0], thinking="Hm.", cached_tokens=40)
    with serve_managed(in_order((thinking, Answer("Anything else?")))) as account:
        agent = managed(account)
        agent.session.price = lambda provider, model, usage: usage.input_tokens / 1000
        play(agent)
    with serve_managed(in_order((Answer("What?"), Answer("Which?")))) as free_account:
        free = managed(free_account)
        play(free)
    first = agent.session.calls[0]
    assert first.usage == Usage(input_tokens=200, cached_tokens=40, output_tokens=20)
    assert (first.cost_usd, first.served_model) == (0.2, MODEL)
    # Without a price list the platform's own account counts, one turn at a time.
    assert len(free.session.calls) > 1
    assert [record.cost_usd for record in free.session.calls] == pytest.approx([0.03] * len(free.session.calls))
    mute = Mishaps(mute=lambda event: event["type"] in ("span.model_request_end", "session.usage"))
    with serve_managed(in_order((Answer("What?"), Answer("Which?"))), mishaps=mute) as quiet_account:
        quiet = managed(quiet_account)
        play(quiet)
    told = [(record.usage, record.cost_usd) for record in quiet.session.calls]
    assert told == [(Usage(input_tokens=3), pytest.approx(0.03))] * len(told)
    names = agent.session.log[0]
    talk = account.sessions[names["session"]]
    assert (names["agent"], names["environment"]) == (talk.agent["id"], talk.environment)
    assert {event["type"] for event in agent.session.log[1:]} >= {"agent.message", "user.message", "agent.thinking"}


def test_agent_and_environment_are_made_once_and_found_again() -> None:
    with serve_managed(solve(FIRST)) as account:
        for _ in range(2):
            described = managed(account).describe()
            together(lambda _: play(managed(account)), range(4))
            # As in another process, which knows nothing of the first.
            managed_platform._shared.cache_clear()
        assert (len(account.agents), len(account.environments), len(account.sessions)) == (1, 1, 8)
        other = managed(account, effort="low").describe()
    (environment,) = account.environments.values()
    assert environment["config"] == {"type": "cloud", "networking": {"type": "limited"}}
    assert described["environment"] == environment["id"]
    assert described["version"] == f"{next(iter(account.agents))} version 1"
    assert other["version"] != described["version"]


def test_the_platform_is_told_the_scenario_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_SECRET", "hush-hush-hush")
    with serve_managed(solve(FIRST)) as account:
        for _ in range(2):
            play(managed(account, budget=0.1234))
    first, second = (talk for talk in account.sessions.values())
    assert first.agent["tools"] == second.agent["tools"]
    assert {tool["type"] for tool in first.agent["tools"]} == {"custom"}
    schemas = [list(tool["input_schema"]["properties"]) for tool in first.agent["tools"]]
    assert schemas == [sorted(names) for names in schemas]
    assert "helpful" in first.agent["system"] or first.agent["system"]
    assert (first.agent["mcp_servers"], first.agent["skills"]) == ([], [])
    assert first.budget == {"type": "limit", "max_list_cost": {"amount": "12", "currency": "USD"}}
    bodies = b"".join(seen.raw + seen.path.encode() for seen in account.seen)
    assert KEY.encode() not in bodies
    assert b"hush" not in bodies


def test_an_agent_of_ones_own_keeps_its_instruction_and_loses_its_tools() -> None:
    with serve_managed(solve(FIRST), rejects=True) as account:
        own = account.make_agent(
            {"name": "mine", "model": MODEL, "system": "Be a pirate.", "tools": [{"type": "agent_toolset_20260401"}]}
        )
        agent = managed(account, model="", agent=own["id"], version=1)
        assert agent.describe()["version"] == f"{own['id']} version 1"
        assert play(agent).score == 1.0
        (talk,) = account.sessions.values()
        with pytest.raises(ConfigurationError, match="no such version"):
            managed(account, agent=own["id"], version=7).describe()
        with pytest.raises(ConfigurationError, match="no such object"):
            managed(account, agent="agent_nobody").describe()
        team = account.make_agent({"name": "team", "model": MODEL, "multiagent": {"type": "coordinator", "agents": []}})
        with pytest.raises(ConfigurationError, match="team"):
            managed(account, agent=team["id"]).describe()
        with pytest.raises(ConfigurationError, match="claude-nobody"):
            managed(account, model="claude-nobody").describe()
    assert talk.agent["system"].startswith("Be a pirate.\n\n")
    assert {tool["type"] for tool in talk.agent["tools"]} == {"custom"}
    assert agent.session.calls[0].served_model == MODEL


def test_an_agent_that_is_too_slow_is_interrupted() -> None:
    release = threading.Event()

    def think(heard: Heard) -> Answer:
        assert release.wait(60)
        return Answer("late")

    with serve_managed(think) as account:
        played = play(managed(account, timeout_s=0.3))
        release.set()
    assert "longer than 0.3 s" in str(played.stopped)
    assert len(events(account, "user.interrupt")) == 1
    assert [talk.archived for talk in account.sessions.values()] == [True]


def test_a_platform_that_does_not_start_is_not_the_agents_fault() -> None:
    mute = Mishaps(mute=lambda event: event["type"].startswith(("session.", "span.")))

    def think(heard: Heard) -> Answer:
        return Answer(extra={"stays": True, "events": [{"type": "session.status_rescheduled"}]})

    with serve_managed(think, mishaps=mute) as account, pytest.raises(InfrastructureError, match="platform"):
        play(managed(account, timeout_s=0.5))


def test_a_stream_that_is_silent_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(managed_session, "SILENCE_S", 0.2)
    mute = Mishaps(mute=lambda event: event["type"] == "session.status_idle")
    with serve_managed(in_order(PARALLEL), mishaps=mute) as account:
        assert play(managed(account)).score == 1.0


def test_the_end_of_the_conversation_interrupts_the_agent() -> None:
    thinking, release = threading.Event(), threading.Event()

    def think(heard: Heard) -> Answer:
        thinking.set()
        assert release.wait(60)
        return Answer("late")

    with serve_managed(think) as account:
        agent = managed(account)
        agent.turn_timeout_s = 1.0
        played = play(agent)
        release.set()
    assert thinking.is_set()
    assert "longer than 1 s" in str(played.stopped)
    assert len(events(account, "user.interrupt")) >= 1
    assert [talk.archived for talk in account.sessions.values()] == [True]


def test_a_connection_that_hangs_is_cut_when_the_conversation_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(managed_session, "DRAIN_S", 0.4)
    mute = Mishaps(mute=lambda event: True)
    with serve_managed(in_order((Answer(extra={"stays": True}),)), mishaps=mute) as account:
        agent = managed(account)
        agent.turn_timeout_s = 1.0
        played = play(agent)
    assert "longer than 1 s" in str(played.stopped)
    assert not [thread for thread in threading.enumerate() if thread.name == "agent-turn" and thread.is_alive()]


def test_a_stream_that_always_breaks_is_the_platforms_fault() -> None:
    bad = Mishaps(hangs_up=lambda streams: True)
    with (
        serve_managed(in_order((Answer(extra={"stays": True}),)), mishaps=bad, rejects=True) as account,
        pytest.raises(InfrastructureError, match="stream of events"),
    ):
        play(managed(account))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": ""}, "needs a model"),
        ({"effort": "huge"}, "effort"),
        ({"version": 2}, "agent=ID"),
        ({"timeout_s": 0.0}, "timeout_s"),
        ({"budget": 0.001}, "budget"),
        ({"model": "", "agent": "agent_1", "effort": "low"}, "model=NAME"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        ManagedAgent(**{"model": MODEL, **options})


def test_chosen_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_managed(solve(FIRST), rejects=True) as account:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", account.url)
        spec, make = resolve_role(f"managed-agents:model={MODEL},effort=low,timeout_s=60,budget=2", "agent")
        assert (spec.is_external, play(make()).score) == (True, 1.0)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-wrong-000000000000")
        with pytest.raises(ConfigurationError, match="invalid x-api-key") as caught:
            resolve_role(f"managed-agents:model={MODEL}", "agent")[1]().describe()
        assert "wrong-0000" not in str(caught.value)
        monkeypatch.delenv("ANTHROPIC_API_KEY")
        with pytest.raises(ConfigurationError, match="ANTHROPIC_API_KEY"):
            resolve_role(f"managed-agents:model={MODEL}", "agent")
