"""Conversations in Inspect: its messages, tools, scores, limits, retries and roles."""

import math
from pathlib import Path
from typing import Any

import anyio
import pytest
from inspect_ai import task_with
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.event import ModelEvent, SampleLimitEvent, ToolEvent
from inspect_ai.model import ChatMessage, ChatMessageTool, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate

from tests.integrations.inspect.models import Reply, late, model_of, output_of, played, said, sample, script
from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.brain import SolutionBrain
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import serve
from tool_sandbox.conversation.execution_context import ExecutionContext, new_context
from tool_sandbox.conversation.tool_conversion import convert_to_openai_tools
from tool_sandbox.conversation.tool_discovery import ToolBackend, get_all_tools
from tool_sandbox.integrations.inspect.kept import KEY, Kept
from tool_sandbox.integrations.inspect.messages import tool_infos
from tool_sandbox.integrations.inspect.tasks import core
from tool_sandbox.scenarios import get_scenario

OFF: Reply = [("set_wifi_status", {"on": False})]
SOLVED = script(OFF, "Wifi is turned off.")


def test_tools_are_described_as_elsewhere() -> None:
    with new_context(ExecutionContext()):
        tools = convert_to_openai_tools(get_all_tools(ToolBackend.DEFAULT))
    assert len(tools) > 30
    assert [info.model_dump(exclude_none=True) for info in tool_infos(tools)] == [tool["function"] for tool in tools]


def test_log_has_the_conversation(tmp_path: Path) -> None:
    log = played(tmp_path, model_of(SOLVED))
    found = sample(log)
    assert (found.id, found.epoch, found.error, found.limit) == ("wifi_off", 1, None, None)
    assert [message.role for message in found.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert [message.text for message in found.messages[1:]] == ["Turn off wifi.", "", "None", "Wifi is turned off."]
    assert len({message.id for message in found.messages}) == 5
    (call,) = [event for event in found.events if isinstance(event, ToolEvent)]
    assert (call.function, call.arguments, call.result, call.error) == ("set_wifi_status", {"on": False}, "None", None)
    assert call.message_id == found.messages[3].id
    asked = [event for event in found.events if isinstance(event, ModelEvent)]
    assert [[tool.name for tool in event.tools] for event in asked] == [["set_wifi_status"]] * 2
    assert found.metadata["family"] == "settings"
    assert found.metadata["seed"] == 0
    assert "NO_DISTRACTION_TOOLS" in found.metadata["categories"]
    assert log.eval.metadata is not None
    assert log.eval.metadata["tier"] == "core"
    assert found.model_usage["mockllm/script"].total_tokens == 24


def test_score_has_its_parts(tmp_path: Path) -> None:
    log = played(tmp_path, model_of(SOLVED), epochs=2)
    assert log.samples is not None
    for each in log.samples:
        assert each.scores is not None
        score = each.scores["evaluation"]
        values = {"success": 1.0, "score": 1.0, "milestones": 1.0, "side_effects": 0.0, "unsupported": 0.0}
        assert score.value == values
        assert score.answer == "Wifi is turned off."
        assert score.metadata is not None
        assert score.metadata["outcome"] == "completed"
        assert score.explanation is not None
        assert score.explanation.startswith("completed\nmilestone 0: 1.00 at message 5")
    assert log.results is not None
    by_name = {score.name: score.metrics for score in log.results.scores}
    assert list(by_name) == ["success", "score", "milestones", "side_effects", "unsupported"]
    assert by_name["success"]["mean"].value == 1
    assert by_name["success"]["stderr"].params == {"cluster": "family"}
    assert [Kept.of(each.store[KEY]).result["trial"] for each in log.samples] == [0, 1]


def test_what_was_missed_is_told(tmp_path: Path) -> None:
    found = sample(played(tmp_path, model_of(script("Wifi is off. Call +12025550188 if it is not."))))
    assert found.scores is not None
    score = found.scores["evaluation"]
    assert score.as_dict()["success"] == 0
    assert score.as_dict()["unsupported"] == 2
    assert score.explanation is not None
    assert "milestone 0: 0.00" in score.explanation
    assert "not supported: " in score.explanation


def test_failed_call_is_an_error(tmp_path: Path) -> None:
    found = sample(played(tmp_path, model_of(script([("set_wifi_status", {"on": "maybe"})], OFF, "Wifi is off."))))
    first, second = [message for message in found.messages if isinstance(message, ChatMessageTool)]
    assert first.error is not None
    assert second.error is None
    events = [event for event in found.events if isinstance(event, ToolEvent)]
    assert [event.error for event in events] == [first.error, None]


def test_worlds_of_other_seeds_are_samples_of_their_own(tmp_path: Path) -> None:
    log = played(tmp_path, model_of(SOLVED), ["wifi_off", "get_wifi"], seed=[0, 3])
    assert log.samples is not None
    ids = {"wifi_off", "get_wifi", "wifi_off__seed_3", "get_wifi__seed_3"}
    assert {each.id for each in log.samples} == ids
    assert {Kept.of(each.store[KEY]).result["directory"] for each in log.samples} == ids


def test_seeds_between_commas_are_numbers() -> None:
    """Inspect gives a list of texts."""
    seeds = [each.metadata["seed"] for each in core(scenarios="wifi_off", seed=["0", "-3"]).dataset if each.metadata]
    assert seeds == [0, -3]


def test_scenarios_are_chosen_as_elsewhere() -> None:
    chosen = core(scenarios=["wifi*"], augmentation="no_distraction_tools", tag="SINGLE_USER_TURN", family="settings")
    ids = [each.id for each in chosen.dataset]
    assert "wifi_off" in ids
    assert all(str(name).startswith("wifi") and "distraction" not in str(name) for name in ids)


def test_largest_number_of_messages_is_a_limit(tmp_path: Path) -> None:
    found = sample(played(tmp_path, model_of(script([("set_wifi_status", {"on": True})]))))
    assert found.limit is not None
    assert (found.limit.type, found.limit.limit) == ("custom", 40)
    (event,) = [event for event in found.events if isinstance(event, SampleLimitEvent)]
    assert event.message == "the conversation has reached the 40 turns that it may have"
    # The last call is there with its result, though the model is not asked any more.
    assert len([event for event in found.events if isinstance(event, ToolEvent)]) == 40
    assert isinstance(found.messages[-1], ChatMessageTool)
    assert found.scores is not None
    assert found.scores["evaluation"].as_dict()["success"] == 0
    assert found.scores["evaluation"].metadata is not None
    assert found.scores["evaluation"].metadata["outcome"] == "max_messages"


@pytest.mark.parametrize("limit", [{"message_limit": 4}, {"token_limit": 11}])
def test_limits_of_inspect_end_a_conversation_that_is_scored(limit: dict[str, int], tmp_path: Path) -> None:
    found = sample(played(tmp_path, model_of(SOLVED), **limit))
    assert found.limit is not None
    assert f"{found.limit.type}_limit" in limit
    assert found.error is None
    assert found.scores is not None
    score = found.scores["evaluation"]
    # The call was made before the message or token that was one too many, but for the tokens.
    assert score.as_dict()["score"] == (0.0 if "token_limit" in limit else 0.7)
    assert score.metadata is not None
    assert score.metadata["outcome"] == "max_messages"
    assert score.metadata["reason"].startswith("Inspect: ")


def test_limit_of_time_ends_a_conversation_that_is_scored(tmp_path: Path) -> None:
    async def answer(messages: list[ChatMessage]) -> ModelOutput:
        if said(messages):
            await anyio.sleep(60)
        return output_of(OFF)

    found = sample(played(tmp_path, late(answer), time_limit=2))
    assert found.limit is not None
    assert found.limit.type == "time"
    assert found.scores is not None
    assert found.scores["evaluation"].as_dict()["score"] == 0.7


def failing(times: int, brain: Any = SOLVED) -> Any:
    """A model whose server fails a few times."""
    left = [times]

    def answer(messages: list[ChatMessage], *rest: Any) -> ModelOutput:
        if said(messages) and left[0]:
            left[0] -= 1
            raise RuntimeError("the server is on fire")
        return output_of(brain(messages), said(messages))

    return get_model("mockllm/failing", custom_outputs=answer)


def test_failing_server_is_an_error_of_the_sample(tmp_path: Path) -> None:
    found = sample(played(tmp_path, failing(1)))
    assert found.error is not None
    assert "the server is on fire" in found.error.message
    assert not found.scores
    assert Kept.of(found.store[KEY]).result["outcome"] == "infrastructure_error"


def test_inspect_plays_a_sample_again(tmp_path: Path) -> None:
    found = sample(played(tmp_path, failing(1), retry_on_error=1))
    assert found.error is None
    assert found.error_retries is not None
    assert len(found.error_retries) == 1
    assert found.scores is not None
    assert found.scores["evaluation"].as_dict()["success"] == 1


@pytest.mark.parametrize(
    ("stop", "outcome", "score"), [("content_filter", "refused", 1.0), ("model_length", "model_error", 0.7)]
)
def test_model_that_cannot_go_on_is_scored(stop: Any, outcome: str, score: float, tmp_path: Path) -> None:
    def answer(messages: list[ChatMessage], *rest: Any) -> ModelOutput:
        if not said(messages):
            return output_of(OFF)
        stopped = ModelOutput.from_content("script", "", stop_reason=stop)
        return stopped.model_copy(update={"usage": ModelUsage()})

    found = sample(played(tmp_path, get_model("mockllm/stopped", custom_outputs=answer)))
    assert found.error is None
    assert found.scores is not None
    assert found.scores["evaluation"].as_dict()["score"] == score
    assert found.scores["evaluation"].metadata is not None
    assert found.scores["evaluation"].metadata["outcome"] == outcome
    assert stop in found.scores["evaluation"].metadata["reason"]


USER = script("(said already)", "Is it off now?", [("end_conversation", {})])


def test_model_of_the_role_user_plays_the_user(tmp_path: Path) -> None:
    found = sample(played(tmp_path, model_of(SOLVED), model_roles={"user": model_of(USER)}))
    assert [message.text for message in found.messages if message.role == "user"] == [
        "Turn off wifi.",
        "Is it off now?",
    ]
    assert found.scores is not None
    assert found.scores["evaluation"].as_dict()["success"] == 1
    events = [event for event in found.events if isinstance(event, ModelEvent)]
    assert [event.role for event in events] == [None, None, "user", None, "user"]
    assert Kept.of(found.store[KEY]).description["user"] == "inspect/mockllm/script"


def test_user_who_is_named_is_no_model(tmp_path: Path) -> None:
    found = sample(played(tmp_path, model_of(SOLVED), user="Scripted", model_roles={"user": model_of(USER)}))
    assert [message.text for message in found.messages if message.role == "user"] == ["Turn off wifi."]


def test_user_at_fault_is_not_scored(tmp_path: Path) -> None:
    silent = model_of(script("Turn off wifi.", ""))
    found = sample(played(tmp_path, model_of(SOLVED), model_roles={"user": silent}))
    assert found.scores is not None
    score = found.scores["evaluation"]
    # Older versions write null for what is not a number.
    values: list[Any] = [*score.value.values()] if isinstance(score.value, dict) else [score.value]
    assert all(value is None or math.isnan(value) for value in values)
    assert score.metadata is not None
    assert score.metadata["outcome"] == "user_error"


@pytest.mark.parametrize("choice", ["user", "profile", "services", "tools", "seed", "scenarios", "augmentation"])
def test_setting_that_is_wrong_is_one_line_before_anything_is_played(choice: str) -> None:
    with pytest.raises(PrerequisiteError, match="Nobody") as caught:
        core(**{"scenarios": "wifi_off", choice: "Nobody"})
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("Nobody", {}, "no agent 'Nobody'"),
        ("Oracle", {"error_rate": 7}, "between 0 and 1"),
        ("Oracle", {"x": 1}, "'x'"),
    ],
)
def test_agent_that_is_wrong_is_one_line(name: str, options: dict[str, Any], told: str) -> None:
    with pytest.raises(PrerequisiteError, match=told) as caught:
        get_model(f"tool_sandbox/{name}", **options)
    assert len(str(caught.value).splitlines()) == 1


def test_other_solver_is_not_scored(tmp_path: Path) -> None:
    task = task_with(core(scenarios="wifi_off"), solver=generate())
    found = sample(played(tmp_path, model_of(SOLVED), task=task))
    assert found.error is not None
    assert "was not played by the solver of tool_sandbox" in found.error.message


def test_answers_are_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    asked: list[int] = []

    def counted(messages: list[ChatMessage]) -> Reply:
        asked.append(said(messages))
        return SOLVED(messages)

    for _ in range(2):
        found = sample(played(tmp_path, model_of(counted), cache=True))
        assert found.scores is not None
        assert found.scores["evaluation"].as_dict()["success"] == 1
    assert asked == [0, 1]


def test_conversations_are_played_at_once(tmp_path: Path) -> None:
    waiting: list[int] = []
    most = [0]

    async def answer(messages: list[ChatMessage]) -> ModelOutput:
        waiting.append(1)
        most[0] = max(most[0], len(waiting))
        await anyio.sleep(0.5)
        waiting.pop()
        return output_of(SOLVED(messages), said(messages))

    log = played(tmp_path, late(answer), epochs=8, max_samples=8, scenarios="wifi_off")
    assert log.samples is not None
    assert len(log.samples) == 8
    assert most[0] > 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "dialect", "options"),
    [
        ("openai/gpt-4.1-mini", OpenAIChatDialect(), {"responses_api": False}),
        ("anthropic/claude-haiku-4-5", AnthropicDialect(), {}),
    ],
)
def test_providers_of_inspect_are_asked_as_ours_are(
    name: str, dialect: Any, options: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With real clients, and a server on this machine that knows the solution."""
    names = ["wifi_off", "get_wifi"]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test-0123456789")
    with serve(dialect, SolutionBrain.of([get_scenario(each) for each in names])) as server:
        address = f"{server.url}/v1" if name.startswith("openai") else server.url
        log = played(tmp_path, get_model(name, base_url=address, memoize=False, **options), names)
    assert log.samples is not None
    for each in log.samples:
        assert each.error is None
        assert each.scores is not None
        assert each.scores["evaluation"].as_dict()["success"] == 1
        usage = Kept.of(each.store[KEY]).result["usage"]["agent"]
        assert usage["model"] == name
        assert usage["input_tokens"] > 0
        assert usage["cost_usd"] > 0
