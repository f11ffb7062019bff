"""A user with tools of its own: it does what it is clearly told, which everything that reads a conversation shows."""

import base64
import contextvars
import gzip
import json
import re
from collections import Counter
from pathlib import Path

import pytest

import tool_sandbox as ts
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Answer, serve
from tests.scenarios.router import (
    DEVICES,
    ROUTER,
    TOLD,
    TOPIC,
    have_router_restarted,
    have_router_restarted_although_user_errs,
)
from tests.shell import Shell
from tests.stubs.playing import parties, rows_of
from tool_sandbox.analysis.views import read_conversation
from tool_sandbox.conversation.execution_context import ExecutionContext, RoleType, get_current_context
from tool_sandbox.conversation.messages import Message
from tool_sandbox.models.openai_chat import OpenAIChat
from tool_sandbox.models.provider import Endpoint
from tool_sandbox.play.dialogue import MOST_OWN_CALLS, Dialogue
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.play import Playback, play
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.control_agents import RecitingAgent
from tool_sandbox.roles.model_user import ModelUser
from tool_sandbox.scenarios.augmentations import AUGMENTATIONS
from tool_sandbox.scenarios.build import build
from tool_sandbox.scenarios.definition import Definition, scenario
from tool_sandbox.scenarios.vocabulary import Task, acts, added, call, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.errors import ScenarioError
from tool_sandbox.world.script import Acts

SUITE = Path(__file__).with_name("router.py")
NAMES = ("have_router_restarted", "have_router_restarted_although_user_errs")


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


def built(definition: Definition = have_router_restarted, augmentation: int = 0) -> Scenario:
    (made,) = build(definition, AUGMENTATIONS[augmentation : augmentation + 1]).values()
    return made


def said(context: ExecutionContext, sender: RoleType = RoleType.USER) -> list[str]:
    """What was said after the opening, or what the user called."""
    rows = [row for row in rows_of(context) if row["sender"] == sender and row["visible_to"] != [RoleType.USER]]
    return [row["openai_function_name"] or row["content"] for row in rows]


@pytest.mark.slow
def test_both_scenarios_are_proved(shell: Shell) -> None:
    printed = shell("scenarios", "check", "--suite", SUITE, "--seed", "0", "1", "--processes", "1")
    assert "0 findings" in printed.out


def test_the_user_does_what_it_is_told_and_says_what_came_of_it() -> None:
    context, result = play(built(), Playback([call("get_line_status"), say(TOLD), call("get_line_status")]))
    assert said(context)[1:3] == ["restart_router", "Done, the light is green."]
    asked, answered = (
        row for row in rows_of(context) if RoleType.USER in row["visible_to"] and row["openai_tool_call_id"]
    )
    assert asked["visible_to"] == [RoleType.USER, RoleType.EXECUTION_ENVIRONMENT]
    assert json.loads(answered["tool_trace"][0]) == {"tool_name": "restart_router", "arguments": {}, "result": "green"}
    assert result.side_effects == []


@pytest.mark.parametrize(
    "text", ["Did you restart the router?", "I'll restart the router.", "Shall I restart the router?", "Hello?"]
)
def test_it_does_nothing_that_it_is_not_told(text: str) -> None:
    context, _ = play(built(), Playback([say(text)]))
    assert "restart_router" not in said(context)


def test_it_errs_the_first_time_only() -> None:
    made = built(have_router_restarted_although_user_errs)
    context, result = play(made, Playback([call("get_line_status"), say(TOLD), say(TOLD), call("get_line_status")]))
    assert said(context)[1:5] == [
        "unplug_lamp", "I pulled the plug, and the light went off.", "restart_router", "Done, the light is green.",
    ]  # fmt: skip
    assert result.side_effects == []


def task_of(world: World, *does: Acts) -> Task:
    return Task(
        user="What is wrong with the line?",
        tools=["get_line_status"],
        milestones=[added(DEVICES)],
        solution=[say("No.")],
        does=does,
    )


def in_world(*does: Acts) -> Scenario:
    """A task in which the user's deeds are neither a goal nor allowed."""

    @scenario(apps=[ROUTER])
    def other(world: World) -> Task:
        """Do nothing."""
        return task_of(world, *does)

    return built(other)


def test_what_the_user_does_is_a_side_effect_unless_it_is_a_goal_or_allowed() -> None:
    made = in_world(acts(TOPIC, call("restart_router"), reply="Done."))
    _, result = play(made, Playback([say(TOLD)]))
    assert [(effect.namespace, effect.columns) for effect in result.side_effects] == [(DEVICES.name, ("light",))]


def test_several_things_are_done_in_the_order_of_the_text_and_a_failure_is_told() -> None:
    both = (
        acts(TOPIC, call("restart_router"), reply="The router is on."),
        acts("unplug.* lamp", call("unplug_lamp"), reply="The lamp is off."),
    )
    text = "Please unplug the lamp, then restart the router."
    context, _ = play(in_world(*both), Playback([say(text), say(text)]))
    failed = "I tried, but it did not work. It says: ValueError: the lamp is unplugged already"
    assert said(context)[1:7] == [
        "unplug_lamp", "restart_router", "The lamp is off. The router is on.",
        "unplug_lamp", "restart_router", f"{failed} The router is on.",
    ]  # fmt: skip


@pytest.mark.parametrize("augmentation", range(len(AUGMENTATIONS)))
def test_the_agent_never_has_a_tool_of_the_user(augmentation: int) -> None:
    context = built(augmentation=augmentation).starting_context
    offered = {tool.__name__ for tool in context.get_tools_of(RoleType.AGENT).values()}
    assert not offered & {"restart_router", "unplug_lamp"}
    assert set(context.get_tools_of(RoleType.USER)) == {"end_conversation", "restart_router"}


def test_the_agent_cannot_call_one() -> None:
    context, _ = play(built(), Playback([call("restart_router")]))
    (answer,) = (row for row in rows_of(context) if row["recipient"] == RoleType.AGENT and row["tool_call_exception"])
    assert "is not defined" in answer["content"]
    assert context.get_table(DEVICES.name).column("light")[0] == "red"


@pytest.mark.parametrize(
    ("does", "told"),
    [
        (
            acts("x", call("get_line_status"), reply="Done."),
            "'get_line_status', which is no tool that only the user has",
        ),
        (acts("x", call("fly_away"), reply="Done."), "does 'fly_away', which is no tool"),
        (acts("x", call("restart_router", hard=True), reply="Done."), r"restart_router has no parameters \['hard'\]"),
        (acts("x", call("restart_router"), reply="Done.", wrong=call("unplug_lamp")), "It needs a wrong_reply"),
    ],
)
def test_slips_of_an_author_are_told(does: Acts, told: str) -> None:
    with pytest.raises(ScenarioError, match=told):
        in_world(does)


# Limits --------------------------------------------------------------------------------------


class Restless(BaseRole):
    """A user that calls its tool, and says something once in a while."""

    role_type = RoleType.USER

    def __init__(self, calls: int) -> None:
        self.calls, self.made = calls, 0

    def respond(self, ending_index: int | None = None) -> None:
        self.made += 1
        if self.made % (self.calls + 1):
            self.add_messages([self.tool_call_message(f"user_{self.made}", "restart_router", {})])
        else:
            self.add_messages([Message(sender=RoleType.USER, recipient=RoleType.AGENT, content="Again.")])


def turns_with(calls: int) -> Counter[RoleType]:
    def converse() -> Dialogue:
        dialogue = built().begin(parties(RecitingAgent(*["Hello?"] * 60), Restless(calls)), "x")
        while (party := dialogue.next_party) is not None:
            dialogue.advance(party)
        return dialogue

    return contextvars.copy_context().run(converse).turns


def test_calls_of_the_user_are_no_turns() -> None:
    without, with_calls = turns_with(0), turns_with(3)
    assert without[RoleType.AGENT] == with_calls[RoleType.AGENT] == 40
    assert without[RoleType.USER] == with_calls[RoleType.USER]


def test_a_user_that_only_calls_comes_to_an_end() -> None:
    turns = turns_with(10**6)
    assert (turns[RoleType.USER], turns[RoleType.EXECUTION_ENVIRONMENT]) == (40, 40 + MOST_OWN_CALLS)


# What is stored ------------------------------------------------------------------------------


def test_a_run_shows_reports_rescores_and_replays_it(tmp_path: Path, shell: Shell) -> None:
    run = ts.run("Oracle", scenarios=list(NAMES), suite=SUITE, output_dir=tmp_path / "run", progress=False)
    assert run.results["similarity"].to_list() == [1.0, 1.0]
    view = read_conversation(run.path, NAMES[0])
    calls = [message for message in view.messages if message.call and message.sender == "USER"]
    assert [message.call.name for message in calls if message.call] == ["restart_router", "end_conversation"]
    (changed,) = [message for message in view.messages if message.changes]
    assert (changed.sender, changed.recipient) == ("EXECUTION_ENVIRONMENT", "USER")
    printed = shell("show", run.path, NAMES[1]).out
    assert "unplug_lamp" in printed
    assert "restart_router" in printed
    shell("report", run.path, "-o", tmp_path / "report.html")
    blocks = re.findall(
        r'<script type="text/plain" [^>]*>([A-Za-z0-9+/=]+)<', (tmp_path / "report.html").read_text("utf-8")
    )
    told = "".join(gzip.decompress(base64.b64decode(block)).decode() for block in blocks)
    assert "unplug_lamp" in told
    assert "2 scored again, 0 moved" in shell("rescore", run.path, "--suite", SUITE).out
    again = f"replay:{run.path}"
    for user in ("Scripted", again):
        folder = tmp_path / user[:6]
        replayed = ts.run(again, user=user, scenarios=list(NAMES), suite=SUITE, output_dir=folder, progress=False)
        assert replayed.results["similarity"].to_list() == [1.0, 1.0]


def test_an_environment_plays_it_within_a_step() -> None:
    with ts.Env(NAMES[0], suite=SUITE) as env:
        env.reset()
        env.step([("get_line_status", {})])
        seen = env.step(TOLD)
        assert seen.messages[-1] == {"role": "user", "content": "Done, the light is green."}
        assert "restart_router" not in json.dumps(seen.messages)
        twin = env.fork()
        for each in (env, twin):
            each.step([("get_line_status", {})])
            assert each.step("It works again: line fine.").score == 1.0


# A model as the user -------------------------------------------------------------------------


def test_a_model_has_the_tools_and_sees_what_comes_of_them() -> None:
    moves = [
        Answer("One moment.", (("restart_router", {}),)),
        Answer("The light is green."),
        Answer("", (("end_conversation", {}),)),
    ]
    with serve(OpenAIChatDialect(templated=True), moves) as server:
        user = ModelUser(OpenAIChat("gpt-test", {}, Endpoint(f"{server.url}/v1", "sk-test-0123456789abcdef", 10.0)))
        context = contextvars.copy_context().run(_converse, user)
        heard = [seen.heard for seen in server.seen if seen.heard]
    assert said(context)[1:3] == ["restart_router", "The light is green."]
    assert all(set(each.tools) == {"end_conversation", "restart_router"} for each in heard)
    assert "with tools that you have beside end_conversation: restart_router." in heard[0].system
    results = [message for message in heard[1].body["messages"] if message["role"] == "tool"]
    assert [message["content"] for message in results] == ["'green'"]
    assert context.get_table(DEVICES.name).column("light")[0] == "green"


def _converse(user: ModelUser) -> ExecutionContext:
    made = built()
    made._converse(parties(RecitingAgent(TOLD, "Thank you, it works."), user), made.name)
    return get_current_context()
