"""Plays one conversation and gives its result, whatever happens inside it."""

import contextvars
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import attrs

from tool_sandbox.conversation.execution_context import ExecutionContext, RoleType
from tool_sandbox.models.redaction import without_keys
from tool_sandbox.models.session import Party
from tool_sandbox.play.blame import scenario_code
from tool_sandbox.play.identity import describe_evaluation
from tool_sandbox.play.record import Record
from tool_sandbox.play.trajectory_files import PublishedFiles, conversation_turns, guarded, make_directory
from tool_sandbox.records.result import Result, UserFinding
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.execution_environment import ExecutionEnvironment
from tool_sandbox.runner.gate import WriteGate
from tool_sandbox.runner.plan import Episode
from tool_sandbox.runner.results import failed_result, finished_result, note_ending
from tool_sandbox.runner.review import credit, verdicts_of
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.runner.wiring import Wires, Wiring
from tool_sandbox.world.errors import StorageError
from tool_sandbox.world.outcome import Outcome

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario
    from tool_sandbox.runner.judging import Judge

RoleFactory = Callable[[], "BaseRole"]
"""Makes a fresh role for one conversation. Has to be picklable to be used with processes."""

ScenarioSource = Callable[[Episode], "Scenario"]
"""Builds the scenario of an episode. Has to be picklable to be used with processes."""


@attrs.frozen
class Player:
    """Plays the episodes of a run into its directory.

    Attributes:
        agent: Makes the agent of a conversation.
        user: Makes the user of a conversation.
        scenarios: Builds the scenario of an episode.
        directory: Where the files go.
        suite: Version and content hash of the suite, noted in every result; ``None`` for scenarios of no suite.
        has_published_files: Whether the published files of a conversation stand beside its record, or in it.
        wiring: How models are connected.
        audits_user: Whether the user is checked against its brief.
        judge: Makes what gives a second opinion on the answers and settles what is unclear, ``None`` for none.
        replaces: Whether an earlier attempt at an episode makes way.
        gate: What the files of its conversations pass.
    """

    agent: RoleFactory
    user: RoleFactory
    scenarios: ScenarioSource
    directory: Path
    suite: Mapping[str, Any] | None = None
    has_published_files: bool = True
    wiring: Wiring = attrs.field(factory=Wiring)
    audits_user: bool = False
    judge: "Callable[[], Judge] | None" = None
    replaces: bool = False
    gate: WriteGate = attrs.field(factory=WriteGate)

    def __call__(self, episode: Episode) -> Result:
        """Plays one episode and writes its files.

        The conversation runs in a copy of the caller's ``contextvars`` context, so the world it makes current is not
        seen outside. Nothing that goes wrong in a role, a tool or a scenario escapes, ``SystemExit`` included: it
        becomes part of the result. Only an interrupt by the person at the keyboard passes.
        """
        directory = RunDirectory(self.directory)
        try:
            with guarded(self.gate), without_keys(), self.wiring.playing(episode):
                if self.replaces:
                    directory.clear(episode.directory)
                record = Record()
                result = contextvars.copy_context().run(self._play, episode, record)
                record.write(directory.trajectory(episode.directory), result)
        except StorageError:
            raise
        except OSError as error:
            raise StorageError(error.errno, error.strerror or str(error), str(self.directory)) from error
        return result

    def _play(self, episode: Episode, record: Record) -> Result:
        try:
            with scenario_code():
                scenario = self.scenarios(episode)
        except BaseException as error:
            pass_interrupt(error)
            return Wires().finish(failed_result(episode, error, suite=self.suite), record)
        directory = RunDirectory(self.directory).trajectory(episode.directory)
        make_directory(directory)
        return play_scenario(
            scenario,
            episode,
            self.agent,
            self.user,
            record,
            PublishedFiles(directory) if self.has_published_files else record,
            suite=self.suite,
            wiring=self.wiring,
            audits_user=self.audits_user,
            judge=self.judge,
        )


def play_scenario(
    scenario: "Scenario",
    episode: Episode,
    agent: RoleFactory,
    user: RoleFactory,
    record: Record,
    keeper: PublishedFiles | Record,
    *,
    suite: Mapping[str, Any] | None = None,
    wiring: Wiring | None = None,
    audits_user: bool = False,
    judge: "Callable[[], Judge] | None" = None,
) -> Result:
    """Plays and scores one conversation in the current ``contextvars`` context."""
    from tool_sandbox.runner.explanation import explain
    from tool_sandbox.runner.explanation.failure_modes import failure_of
    from tool_sandbox.runner.settling import Settlement, judge_conversation

    roles: dict[RoleType, BaseRole] = {}
    wires = Wires()
    try:
        roles[RoleType.EXECUTION_ENVIRONMENT] = ExecutionEnvironment()
        roles[RoleType.USER] = user()
        roles[RoleType.AGENT] = agent()
        for role in roles.values():
            role.begin_trial(episode.trial)
        parties: Mapping[Party, BaseRole] = {"agent": roles[RoleType.AGENT], "user": roles[RoleType.USER]}
        second = judge() if judge is not None else None
        wires = (wiring or Wiring()).connect(parties, episode, second.provider if second is not None else None)
        played = scenario.play_and_keep(roles, keeper, episode.label)
        context, opinion, settled = played.ending_context, None, Settlement(played.evaluation_result)
        if second is not None:
            session, _ = wires.sessions["judge"]
            opinion, settled = judge_conversation(second, session, episode.directory, scenario, context, settled.score)
        if settled.decisions:
            keeper.graded(conversation_turns(context, settled.score, scenario.evaluation))
        explanations = explain(scenario.evaluation, context, settled.score)
        record.put("evaluation", describe_evaluation(scenario.evaluation) | {"explanations": explanations})
        result = finished_result(scenario, episode, context, settled.score, suite)
        credit(result, verdicts_of(settled.decisions).get(episode.directory, {}))
        has_refused = getattr(roles[RoleType.AGENT], "has_refused", False) is True
        note_ending(result, played.stopped, has_refused=has_refused)
        result["failure"] = failure_of(scenario, context, settled.score, result["outcome"])
        if audits_user:
            result["user_findings"] = _audited(context, scenario, Outcome(result["outcome"]))
        if opinion is not None:
            result["judge"] = opinion
    except BaseException as error:
        pass_interrupt(error)
        result = failed_result(episode, error, scenario, suite)
    finally:
        tear_down(roles.values())
    return wires.finish(result, record)


def pass_interrupt(error: BaseException) -> None:
    """Raises an interrupt by the person at the keyboard again, which is in the main thread; others are a role's."""
    if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
        raise error


def _audited(context: ExecutionContext, scenario: "Scenario", outcome: Outcome) -> list[UserFinding] | None:
    """What the user did wrong, ``None`` if that cannot be told."""
    import logging

    from tool_sandbox.fidelity import audit

    try:
        return [cast(UserFinding, finding.as_dict()) for finding in audit(context, scenario.user_script, outcome)]
    except Exception:
        # The conversation is played and scored; a remark on it is not worth losing it.
        logging.getLogger(__name__).exception("the user of %s could not be audited", scenario.name)
        return None


def tear_down(roles: Iterable[BaseRole]) -> None:
    """Has roles give back what they hold, whatever happens."""
    import logging

    for role in roles:
        try:
            role.teardown()
        except BaseException:
            logging.getLogger(__name__).exception("%s could not be torn down", type(role).__name__)
