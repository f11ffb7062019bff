"""Scenarios in a world that moves: what it does by itself is neither the agent's merit nor its fault."""

import contextlib
from pathlib import Path
from typing import Any

import pytest

import tool_sandbox as ts
from tests.shell import Shell
from tool_sandbox.analysis.views import read_conversation
from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType, ScenarioCategories
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.roles.execution_environment import ExecutionEnvironment
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.roles.scripted_user import ScriptedUser
from tool_sandbox.scenarios.augmentations import AUGMENTATIONS
from tool_sandbox.scenarios.build import build
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.vocabulary import (
    CONTACT,
    Task,
    added,
    call,
    called,
    changed,
    happens,
    loses_answer,
    say,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.device import current_device
from tool_sandbox.world.errors import ConfigurationError
from tool_sandbox.world.events import EVENTS
from tool_sandbox.world.script import Solution, ToolCallFailed

NUMBER = "+14155550199"


def moves(world: World) -> str:
    """A friend writes a new number into the address book that they share, and somebody unknown turns up."""
    device = current_device()
    rows = [
        row | {"phone_number": NUMBER} if row["person_id"] == world.friend.person_id else row
        for row in device.get_table(CONTACT)
    ]
    new = {"person_id": "new", "name": "Nora New", "phone_number": "+14155550111", "is_self": False}
    device.set_rows(CONTACT, [*rows, new | {"relationship": None}])
    return "an address book was brought up to date"


@scenario(ScenarioCategories.STATE_DEPENDENCY)
def rename_while_numbers_change(world: World) -> Task:
    """Call a friend by another name, while the friend's number changes by itself."""
    wanted = "Ally"

    def solution() -> Solution:
        [row] = yield call("search_contacts", name=world.friend.name)
        yield call("modify_contact", person_id=row["person_id"], name=wanted)
        yield say(f"{world.friend.name} is called {wanted} now.")

    return Task(
        user=f"Rename {world.friend.name} to {wanted} in my contacts.",
        tools=("search_contacts", "modify_contact", "remove_contact"),
        milestones=[called("search_contacts"), changed(CONTACT, {"person_id": world.friend.person_id}, name=wanted)],
        events=[happens(lambda: moves(world), after=1)],
        solution=solution,
    )


@scenario(ScenarioCategories.STATE_DEPENDENCY)
def add_a_contact_once(world: World) -> Task:
    """Add a contact, although the answer to the first try is lost."""

    def solution() -> Solution:
        found: list[Any] = []
        while not found:
            with contextlib.suppress(ToolCallFailed):
                yield call("add_contact", name="Zoe Last", phone_number=NUMBER)
            found = yield call("search_contacts", name="Zoe Last")
        yield say("Zoe Last is in your contacts now.")

    return Task(
        user="Add Zoe Last, 415 555 0199, to my contacts.",
        tools=("search_contacts", "add_contact"),
        milestones=[added(CONTACT, name="Zoe Last", phone_number=NUMBER)],
        events=[loses_answer("add_contact", is_done=True)],
        solution=solution,
    )


def built(definition: Any) -> Scenario:
    return build(definition, AUGMENTATIONS[:1])[definition.name]


def played(made: Scenario) -> Any:
    roles = {
        RoleType.EXECUTION_ENVIRONMENT: ExecutionEnvironment(),
        RoleType.USER: ScriptedUser(),
        RoleType.AGENT: OracleAgent(),
    }
    context = made.play(roles, made.name)
    return context, made.evaluate(context)


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


def test_what_the_world_does_is_no_side_effect() -> None:
    context, score = played(built(rename_while_numbers_change))
    assert score.similarity == 1.0
    assert score.side_effects == []
    (event,) = context.get_table(EVENTS.name).dicts()
    assert (event["state"], event["told"]) == ("done", "an address book was brought up to date")
    (row,) = context.get_table(CONTACT).where(name="Ally")
    assert row["phone_number"] == NUMBER


def test_a_row_that_the_world_added_is_not_the_agents_to_remove() -> None:
    made = built(rename_while_numbers_change)
    context, _ = played(made)
    rows = [row for row in context.get_table(CONTACT).dicts() if row["person_id"] != "new"]
    context.set_rows(CONTACT, rows)
    message = {"sender": RoleType.AGENT, "recipient": RoleType.USER, "content": "Done."}
    context.add_to_database(DatabaseNamespace.SANDBOX, [message])
    score = made.evaluate(context)
    assert [(effect.kind, effect.key) for effect in score.side_effects] == [("removed", "new")]


def test_done_although_the_answer_was_lost() -> None:
    context, score = played(built(add_a_contact_once))
    assert score.similarity == 1.0
    assert len(context.get_table(CONTACT).where(name="Zoe Last")) == 1


def test_an_event_that_cannot_happen_is_refused_when_it_is_built() -> None:
    @scenario(ScenarioCategories.STATE_DEPENDENCY)
    def never(world: World) -> Task:
        """Nothing."""
        return Task(
            user="Hello.", tools=("search_contacts",), milestones=[added(CONTACT)], solution=[say("Hello.")],
            events=[happens(lambda: "", at=world.now - 60)],
        )  # fmt: skip

    with pytest.raises(ConfigurationError, match="can never happen"):
        built(never)


def test_a_reader_sees_what_the_world_did(tmp_path: Path, shell: Shell) -> None:
    run = ts.run("Oracle", scenarios=rename_while_numbers_change, output_dir=tmp_path, progress=False)
    view = read_conversation(run.path, rename_while_numbers_change.name)
    (message,) = [message for message in view.messages if message.happened]
    assert message.happened == ("an address book was brought up to date",)
    assert {change.database for change in message.changes} == {"CONTACT"}
    printed = shell("show", run.path, rename_while_numbers_change.name).out
    assert "the world by itself: an address book was brought up to date" in printed
