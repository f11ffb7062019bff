"""A rollout plays what ``ts.Env`` plays, with a real client that asks a model on this machine."""

import asyncio
from collections.abc import Callable, Sequence

import openai
import pytest

import tool_sandbox as ts
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Answer, Brain, Broken, Hang, Loopback, Move, serve
from tool_sandbox.api.rollout import Rollout

OFF = Answer(calls=(("set_wifi_status", {"on": False}),))
DONE = Answer("Wifi is turned off.")


def rollout() -> Rollout:
    return Rollout(lambda: ts.Env("wifi_off"))


async def play(server: Loopback, each: Rollout, limit: Callable[[], str | None] = lambda: None) -> None:
    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="sk-test-012345", max_retries=0) as client:
        await each.play(client, "model", limit)


def played(moves: Brain | Sequence[Move], limit: Callable[[], str | None] = lambda: None) -> Rollout:
    each = rollout()
    with serve(OpenAIChatDialect(), moves) as server:
        asyncio.run(play(server, each, limit))
    return each


def test_it_is_played_to_the_end() -> None:
    each = played([OFF, DONE])
    told = each.told()
    assert (told["score"], told["success"], told["outcome"], told["rewards"]) == (1, True, "completed", [0, 1])
    assert [message["role"] for message in each.messages] == ["system", "user", "assistant", "tool", "assistant"]


def test_nothing_is_told_of_what_has_not_begun() -> None:
    assert rollout().told() == {}


@pytest.mark.parametrize(
    ("move", "reached", "outcome", "reason"),
    [
        (Broken(400, "context_length_exceeded", "too long"), None, "model_error", "does not fit into the context"),
        (Broken(400, "content_policy_violation", "flagged"), None, "refused", "the request was blocked"),
        (Broken(400, "", "rollout stopped"), "max_turns", "max_messages", "a limit was reached: max_turns"),
    ],
)
def test_what_was_played_is_scored(move: Move, reached: str | None, outcome: str, reason: str) -> None:
    env = ts.Env("wifi_off")
    env.reset()
    env.step([("set_wifi_status", {"on": False})])
    told = played([OFF, move], lambda: reached).told()
    assert told["outcome"] == outcome
    assert reason in told["reason"]
    assert told["rewards"] == [0, told["score"]] == [0, env.score()]


@pytest.mark.parametrize("status", [401, 500])
def test_a_model_that_cannot_be_asked_is_an_error(status: int) -> None:
    with pytest.raises(openai.APIStatusError):
        played([OFF, Broken(status)])


def test_a_rollout_that_is_cancelled_has_the_score_of_what_it_did() -> None:
    each = rollout()

    async def cancelled(server: Loopback) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(play(server, each), 2)

    with serve(OpenAIChatDialect(), [OFF, Hang(3)]) as server:
        asyncio.run(cancelled(server))
    told = each.told()
    assert (told["outcome"], told["milestones"]) == ("max_messages", [1, 0])


def test_the_instruction_can_be_another() -> None:
    each = Rollout(lambda: ts.Env("wifi_off"), "Be brief.")
    with serve(OpenAIChatDialect(), [DONE]) as server:
        asyncio.run(play(server, each))
        assert server.seen[0].body["messages"][0] == {"role": "system", "content": "Be brief."}


def test_calls_with_one_id_are_told_apart() -> None:
    """The model is shown the ids under which its calls were answered."""
    twice = Answer(calls=OFF.calls * 2, call_ids=("same", "same"))
    each = played([twice, DONE])
    (said,) = (message for message in each.messages if message.get("tool_calls"))
    answered = [message["tool_call_id"] for message in each.messages if message["role"] == "tool"]
    assert [call["id"] for call in said["tool_calls"]] == answered
    assert len(set(answered)) == 2


def test_a_message_is_sent_back_as_it_came() -> None:
    each = played([Answer(calls=OFF.calls, text="Let me see."), DONE])
    assert each.messages[2].keys() == {"role", "content", "tool_calls"}
    assert each.messages[2]["content"] == "Let me see."


def test_many_are_played_at_once() -> None:
    rollouts = [rollout() for _ in range(50)]

    async def all_of_them(server: Loopback) -> None:
        await asyncio.gather(*(play(server, each) for each in rollouts))

    with serve(OpenAIChatDialect(), lambda heard: DONE if heard.turns[-1].role == "tool" else OFF) as server:
        asyncio.run(all_of_them(server))
    assert [each.told()["score"] for each in rollouts] == [1] * 50
