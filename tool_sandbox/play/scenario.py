"""A scenario: a world, what may happen in it, and how what happened is scored."""

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.conversation.demonstrations import Demonstration
from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    ScenarioCategories,
    get_current_context,
    set_current_context,
)
from tool_sandbox.helpers.paths import escape_name
from tool_sandbox.play.blame import scenario_code
from tool_sandbox.play.dialogue import Dialogue, Role, run_set_up
from tool_sandbox.play.trajectory_files import PublishedFiles, conversation_turns, make_directory
from tool_sandbox.scoring import Evaluation, EvaluationResult, Milestone, MilestoneMatcher, Minefield
from tool_sandbox.world.errors import ConversationStoppedError
from tool_sandbox.world.script import SolutionFactory, UserScript

if TYPE_CHECKING:
    from tool_sandbox.play.record import Record


@attrs.define
class ScenarioResult:
    """Outcome of one conversation.

    Attributes:
        ending_context: The world after the last message, with its whole history.
        evaluation_result: The score.
        stopped: Why a party could not go on, ``None`` if the conversation came to an end of its own.
    """

    ending_context: ExecutionContext
    evaluation_result: EvaluationResult
    stopped: ConversationStoppedError | None = None


@attrs.define
class Scenario:
    """A task that can be played and scored.

    Attributes:
        starting_context: The world and the messages before the conversation; never modified by play.
        evaluation: How a trajectory is scored.
        max_messages: Largest number of new messages; a last response of several may exceed it.
        max_turns: Instead of it, the largest number of responses of the agent, and of the user: calls made in parallel
            are one, and no conversation ends between a call and its result. ``None`` counts messages.
        categories: Tags by which results are averaged.
        name: Name of the scenario.
        family: Name of the group of scenarios that share its task.
        tier: Part of the suite that it belongs to, empty outside the suite.
        axis: What makes it hard, empty outside the hard tier.
        goal: The task in one sentence, for lists and reports.
        solution: Starts the reference solution, if there is one.
        user_script: What the scripted user says, if the scenario has one.
        demonstrations: Conversations that show a model how to play the user; no part of the message log.
    """

    starting_context: ExecutionContext = attrs.field(factory=ExecutionContext)
    evaluation: Evaluation = attrs.field(factory=Evaluation)
    max_messages: int = 30
    max_turns: int | None = None
    categories: list[ScenarioCategories] = attrs.field(factory=list)
    name: str = ""
    family: str = ""
    tier: str = ""
    axis: str = ""
    goal: str = ""
    solution: SolutionFactory | None = None
    user_script: UserScript | None = None
    demonstrations: tuple[Demonstration, ...] = ()

    def __attrs_post_init__(self) -> None:
        """Checks the evaluation.

        Raises:
            ScenarioError: A milestone or minefield cannot be scored.
        """
        self.evaluation.check()

    def play(self, roles: Mapping[RoleType, Role], scenario_name: str) -> ExecutionContext:
        """Plays the conversation to its end, or until a party cannot go on (``ConversationStoppedError``).

        The context that is played becomes the current one and stays it. Tool calls are traced. Whatever else a role
        raises passes as it is; ``tool_sandbox.play.blame`` tells whose turn it was.

        Args:
            roles: The role that answers for each role type.
            scenario_name: Name for error messages.

        Returns:
            The world after the last message.

        Raises:
            KeyError: A message was sent to a role type without a player.
            RoleError: A role answered nothing, or set-up code sent a message.
            ScenarioError: Set-up code of the scenario failed.
        """
        self._converse(roles, scenario_name)
        return get_current_context()

    def _converse(self, roles: Mapping[RoleType, Role], scenario_name: str) -> ConversationStoppedError | None:
        """Plays, and returns why a party could not go on if that happened."""
        dialogue = self.begin(roles, scenario_name)
        while (party := dialogue.next_party) is not None:
            dialogue.advance(party)
        return dialogue.stopped

    def begin(self, roles: Mapping[RoleType, Role], scenario_name: str) -> Dialogue:
        """Makes a fork of the starting context the current one, and has everything ready for the first answer.

        Args:
            roles: The role that answers for each role type.
            scenario_name: Name for error messages.

        Returns:
            The conversation, whose set-up code has run.
        """
        context = self.starting_context.fork()
        context.trace_tool = True
        set_current_context(context)
        for role in roles.values():
            role.begin(self)
        start = context.max_sandbox_message_index
        with scenario_code():
            run_set_up(context, roles, scenario_name)
        return Dialogue(roles, scenario_name, start, self.max_messages, self.max_turns)

    def play_and_evaluate(
        self, roles: Mapping[RoleType, Role], output_directory: Path, scenario_name: str
    ) -> ScenarioResult:
        """Plays the conversation, writes it to disk and scores it.

        Files go to ``output_directory/trajectories/<scenario_name>`` (characters that a file name cannot
        hold are escaped): ``pretty_print.txt`` and
        ``execution_context.json`` always, ``conversation.json`` after a successful evaluation.

        Args:
            roles: The role that answers for each role type.
            output_directory: Directory of the run.
            scenario_name: Name of the scenario, and of its directory.

        Returns:
            The final world and its score, that of what was played until then if a party could not go on.

        Raises:
            Exception: Whatever play or evaluation raised, after the files are written.
        """
        directory = Path(output_directory) / "trajectories" / escape_name(scenario_name)
        make_directory(directory)
        return self.play_and_keep(roles, PublishedFiles(directory), scenario_name)

    def play_and_keep(
        self, roles: Mapping[RoleType, Role], keeper: "PublishedFiles | Record", scenario_name: str
    ) -> ScenarioResult:
        """Plays the conversation, has it kept and scores it, as `play_and_evaluate` does with files.

        Args:
            roles: The role that answers for each role type.
            keeper: Told what was played, also when that ended with an exception, and what it was worth.
            scenario_name: Name for error messages.
        """
        try:
            stopped = self._converse(roles, scenario_name)
        finally:
            ending_context = get_current_context()
            keeper.played(ending_context)
        result = self.evaluate(ending_context)
        keeper.graded(conversation_turns(ending_context, result, self.evaluation))
        return ScenarioResult(ending_context, result, stopped)

    def evaluate(self, context: ExecutionContext) -> EvaluationResult:
        """Scores a trajectory of this scenario, to its end or as far as it goes."""
        with scenario_code():
            return self.evaluation.evaluate(context, max_turn_count=self.max_messages)


@attrs.define
class ScenarioExtension:
    """A scenario derived from another: more messages and tools, its own milestones.

    Attributes:
        name: Name of the extended scenario.
        base_scenario: What is extended; not modified.
        messages: Rows appended to the message log.
        tool_allow_list: Names added to the allow list, ``None`` to leave it as it is.
        tool_deny_list: Names added to the deny list, ``None`` to leave it as it is.
        milestones: Milestones of the extended scenario.
        milestone_edge_list: Their order, a chain by default.
        minefields: Minefields of the extended scenario.
        minefield_edge_list: Their order, a chain by default.
        categories: Tags added to those of the base.
    """

    name: str
    base_scenario: Scenario
    messages: list[dict[str, Any]] = attrs.field(factory=list)
    tool_allow_list: list[str] | None = None
    tool_deny_list: list[str] | None = None
    milestones: list[Milestone] = attrs.field(factory=list)
    milestone_edge_list: list[tuple[int, int]] | None = None
    minefields: list[Minefield] = attrs.field(factory=list)
    minefield_edge_list: list[tuple[int, int]] | None = None
    categories: list[ScenarioCategories] = attrs.field(factory=list)

    def get_extended_scenario(self) -> dict[str, Scenario]:
        """Builds the extended scenario.

        Returns:
            Its name, and the scenario.

        Raises:
            ScenarioError: Milestones, minefields or their order are invalid.
        """
        scenario = copy.deepcopy(self.base_scenario)
        context = scenario.starting_context
        context.add_to_database(DatabaseNamespace.SANDBOX, self.messages)
        if self.tool_allow_list is not None:
            context.tool_allow_list = [*(context.tool_allow_list or ()), *self.tool_allow_list]
        if self.tool_deny_list is not None:
            context.tool_deny_list = [*(context.tool_deny_list or ()), *self.tool_deny_list]
        scenario.evaluation = attrs.evolve(
            scenario.evaluation,
            milestone_matcher=MilestoneMatcher(self.milestones, self.milestone_edge_list),
            minefield_matcher=MilestoneMatcher(self.minefields, self.minefield_edge_list),
        )
        scenario.evaluation.check()
        scenario.categories = [*scenario.categories, *self.categories]
        scenario.name = self.name
        return {self.name: scenario}
