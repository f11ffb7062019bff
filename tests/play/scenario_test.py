"""Playing, scoring and extending a scenario written against the published API."""

import copy
import json
import pickle
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    ScenarioCategories,
    get_current_context,
)
from tool_sandbox.play.message_conversion import Message
from tool_sandbox.play.scenario import Scenario, ScenarioExtension
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.execution_environment import ExecutionEnvironment
from tool_sandbox.scoring import (
    Evaluation,
    Milestone,
    MilestoneMatcher,
    Minefield,
    SnapshotConstraint,
    snapshot_similarity,
)
from tool_sandbox.world.errors import RoleError, ScenarioError
from tool_sandbox.world.profile import Profile

SANDBOX, SETTING = DatabaseNamespace.SANDBOX, DatabaseNamespace.SETTING
SYSTEM, USER, AGENT, ENVIRONMENT = RoleType
Roles = dict[RoleType, BaseRole]


class Lines(BaseRole):
    """Sends prepared messages, one a turn."""

    def __init__(self, *lines: tuple[RoleType, str]) -> None:
        self.lines = list(lines)
        self.begun_with: Scenario | None = None

    def begin(self, scenario: Scenario) -> None:
        """Remembers what is played."""
        self.begun_with = scenario

    def respond(self, ending_index: int | None = None) -> None:
        """Sends the next line, or nothing once all are said."""
        self.messages_validation(self.get_messages(ending_index))
        if self.lines:
            recipient, content = self.lines.pop(0)
            self.add_messages([Message(sender=str(self.role_type), recipient=recipient, content=content)])


class Agent(Lines):
    """A prepared agent."""

    role_type: ClassVar[RoleType | None] = AGENT


class User(Lines):
    """A prepared user."""

    role_type: ClassVar[RoleType | None] = USER


def says(content: str) -> SnapshotConstraint:
    """The agent says something to the user."""
    target = pl.DataFrame({"sender": AGENT, "recipient": USER, "content": content})
    return SnapshotConstraint(SANDBOX, snapshot_similarity, target_dataframe=target)


@pytest.fixture
def scenario() -> Scenario:
    """Turn off wifi and say so."""
    context = ExecutionContext(tool_allow_list=["set_wifi_status", "end_conversation"])
    context.add_to_database(
        SANDBOX,
        [
            {"sender": SYSTEM, "recipient": ENVIRONMENT, "content": "from tool_sandbox.tools.setting import *"},
            {"sender": SYSTEM, "recipient": ENVIRONMENT, "content": "import json\ncount = 1"},
            {"sender": SYSTEM, "recipient": AGENT, "content": "You are an assistant."},
            {"sender": USER, "recipient": AGENT, "content": "Turn off wifi"},
        ],
    )
    off = SnapshotConstraint(SETTING, snapshot_similarity, target_dataframe=pl.DataFrame({"wifi": False}))
    milestones = [Milestone([off]), Milestone([says("Wifi is turned off now")])]
    return Scenario(context, Evaluation(MilestoneMatcher(milestones)), categories=[ScenarioCategories.SINGLE_TOOL_CALL])


@pytest.fixture
def roles() -> Roles:
    """Everybody does what is wanted."""
    return {
        AGENT: Agent((ENVIRONMENT, "print(repr(set_wifi_status(on=False)))"), (USER, "Wifi is turned off now")),
        USER: User((ENVIRONMENT, "end_conversation()")),
        ENVIRONMENT: ExecutionEnvironment(),
    }


def test_play(scenario: Scenario, roles: Roles) -> None:
    before = scenario.starting_context.fork()
    context = scenario.play(roles, "wifi")
    assert get_current_context() is context
    assert scenario.starting_context.equals(before)
    log = context.get_database(SANDBOX, get_all_history_snapshots=True)
    assert log["content"].to_list()[3:] == [
        "Turn off wifi",
        "print(repr(set_wifi_status(on=False)))",
        "None",
        "Wifi is turned off now",
        "end_conversation()",
        "",
    ]
    assert log["conversation_active"].to_list()[-3:] == [True, False, False]
    assert json.loads(log["tool_trace"][5][0])["tool_name"] == "set_wifi_status"
    assert context.interactive_console.locals["count"] == 1
    agent = roles[AGENT]
    assert isinstance(agent, Lines)
    assert agent.begun_with is scenario
    result = scenario.evaluation.evaluate(context, max_turn_count=30)
    assert dict(result.milestone_mapping) == {0: (5, 1.0), 1: (6, 1.0)}
    assert (result.similarity, result.turn_count, result.profile) == (1.0, 3, Profile.PUBLISHED)


def test_number_of_messages_is_limited(scenario: Scenario) -> None:
    scenario.max_messages = 5
    chatter: Roles = {
        AGENT: Agent(*[(USER, "hm")] * 9),
        USER: User(*[(AGENT, "well?")] * 9),
        ENVIRONMENT: ExecutionEnvironment(),
    }
    assert scenario.play(chatter, "wifi").max_sandbox_message_index == 3 + 5


class Batches(Lines):
    """Reads several things at once, so many in each turn; without any it says something."""

    role_type: ClassVar[RoleType | None] = AGENT

    def __init__(self, *sizes: int) -> None:
        super().__init__()
        self.sizes = list(sizes)

    def respond(self, ending_index: int | None = None) -> None:
        """Sends the calls of the next turn, or a text."""
        size = self.sizes.pop(0) if self.sizes else 0
        to, content = (ENVIRONMENT, "print(repr(get_wifi_status()))") if size else (USER, "Let me think.")
        self.add_messages([Message(sender=AGENT, recipient=to, content=content)] * max(1, size))


@given(st.lists(st.integers(0, 20), max_size=6), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_turns_of_the_agent_are_limited_and_every_call_has_its_result(sizes: list[int], turns: int) -> None:
    context = ExecutionContext(tool_allow_list=["get_wifi_status", "end_conversation"])
    setup = {"sender": SYSTEM, "recipient": ENVIRONMENT, "content": "from tool_sandbox.tools.setting import *"}
    context.add_to_database(SANDBOX, [setup, {"sender": USER, "recipient": AGENT, "content": "Is wifi on?"}])
    scenario = Scenario(context, max_turns=turns)
    parties: Roles = {AGENT: Batches(*sizes), USER: User(*[(AGENT, "Go on.")] * 9), ENVIRONMENT: ExecutionEnvironment()}
    log = scenario.play(parties, "wifi").get_database(SANDBOX, get_all_history_snapshots=True).to_dicts()[2:]
    played = (sizes + [0] * turns)[:turns]
    assert [row["recipient"] for row in log] == [
        party for size in played for party in ([ENVIRONMENT] * size + [AGENT] * size if size else [USER, AGENT])
    ]


def test_faults_of_roles_and_set_up_are_named(scenario: Scenario, roles: Roles) -> None:
    with pytest.raises(RoleError, match="'wifi': AGENT"):
        scenario.play({**roles, AGENT: Agent()}, "wifi")
    with pytest.raises(KeyError):
        scenario.play({ENVIRONMENT: ExecutionEnvironment(), USER: User()}, "wifi")
    broken = Scenario(ExecutionContext())
    broken.starting_context.add_to_database(
        SANDBOX, [{"sender": SYSTEM, "recipient": ENVIRONMENT, "content": "import nothing_of_the_kind"}]
    )
    with pytest.raises(ScenarioError, match="nothing_of_the_kind"):
        broken.play(roles, "broken")


def test_files(scenario: Scenario, roles: Roles, tmp_path: Path) -> None:
    result = scenario.play_and_evaluate(roles, tmp_path, "wifi")
    directory = tmp_path / "trajectories" / "wifi"
    assert {path.name for path in directory.iterdir()} == {
        "pretty_print.txt",
        "execution_context.json",
        "conversation.json",
    }
    stored = json.loads((directory / "execution_context.json").read_text(encoding="utf-8"))
    restored = ExecutionContext.from_dict(stored)
    assert restored.equals(result.ending_context)
    assert scenario.evaluation.evaluate(restored, 30) == result.evaluation_result
    conversation = json.loads((directory / "conversation.json").read_text(encoding="utf-8"))
    assert [turn["role"] for turn in conversation] == ["system", "user", "assistant", "tool", "assistant"]


def test_files_of_a_conversation_that_broke(scenario: Scenario, roles: Roles, tmp_path: Path) -> None:
    with pytest.raises(RoleError):
        scenario.play_and_evaluate({**roles, AGENT: Agent((AGENT, "talking to myself"))}, tmp_path, "wifi")
    directory = tmp_path / "trajectories" / "wifi"
    assert {path.name for path in directory.iterdir()} == {"pretty_print.txt", "execution_context.json"}
    assert "talking to myself" in (directory / "pretty_print.txt").read_text(encoding="utf-8")


def test_names_of_scenarios_do_not_leave_the_run_directory(scenario: Scenario, roles: Roles, tmp_path: Path) -> None:
    scenario.play_and_evaluate(roles, tmp_path / "run", "../../outside")
    assert not (tmp_path / "outside").exists()
    assert len(list((tmp_path / "run" / "trajectories").iterdir())) == 1


def test_extension(scenario: Scenario) -> None:
    before = pickle.dumps(scenario.starting_context)
    extension = ScenarioExtension(
        name="twice",
        base_scenario=scenario,
        messages=[{"sender": USER, "recipient": AGENT, "content": "and on again"}],
        tool_allow_list=["get_wifi_status"],
        tool_deny_list=["add_contact"],
        milestones=[Milestone([says("a")]), Milestone([says("b")])],
        minefields=[Minefield([says("c")])],
        categories=[ScenarioCategories.STATE_DEPENDENCY],
    )
    for _ in range(2):
        ((name, extended),) = extension.get_extended_scenario().items()
        assert name == "twice"
        context = extended.starting_context
        assert context.tool_allow_list == ["set_wifi_status", "end_conversation", "get_wifi_status"]
        assert context.tool_deny_list == ["add_contact"]
        assert context.get_database(SANDBOX)["content"].to_list() == ["and on again"]
        assert extended.categories == ["SINGLE_TOOL_CALL", "STATE_DEPENDENCY"]
        matcher = extended.evaluation.milestone_matcher
        assert matcher.edge_list == [(0, 1)]
        # Three databases besides the messages are guarded; deriving them twice would double them.
        assert [len(milestone.snapshot_constraints) for milestone in matcher.milestones] == [1, 5]
    assert pickle.dumps(scenario.starting_context) == before


def test_scenarios_are_copied_and_sent_to_workers(scenario: Scenario, roles: Roles) -> None:
    for twin in (copy.deepcopy(scenario), pickle.loads(pickle.dumps(scenario))):
        twin.starting_context.tool_allow_list.append("add_contact")
        twin.categories.append(ScenarioCategories.CANONICALIZATION)
        assert "add_contact" not in (scenario.starting_context.tool_allow_list or ())
        assert scenario.categories == ["SINGLE_TOOL_CALL"]
        fresh: dict[RoleType, Any] = copy.deepcopy(roles)
        assert twin.evaluation.evaluate(twin.play(fresh, "wifi"), 30).similarity == 1.0


def test_lists_are_not_shared_between_scenarios() -> None:
    Scenario().categories.append(ScenarioCategories.COREFERENCE)
    assert Scenario().categories == []
