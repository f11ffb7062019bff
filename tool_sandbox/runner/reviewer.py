"""Takes what people and judges decide about a stored run, and scores by it at once."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.models.session import Session
from tool_sandbox.records.result import Result
from tool_sandbox.runner.player import ScenarioSource
from tool_sandbox.runner.rescore import Rescorer, episode_of
from tool_sandbox.runner.review import Decision, add_to_review, as_decisions, read_review, verdicts_of
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from tool_sandbox.runner.judging import Judge


@attrs.frozen
class Reviewer:
    """Decides about one run; the caller claims the directory.

    Attributes:
        directory: The run.
        scenarios: Builds the scenario of an episode.
        suite: Suite that those scenarios belong to.
    """

    directory: RunDirectory
    scenarios: ScenarioSource
    suite: Mapping[str, Any]

    def check(self) -> None:
        """Checks that the run is scored by this suite, and that what was decided can be read."""
        played = self.directory.read_run().get("suite")
        if played is None or played.get("content_hash") != self.suite["content_hash"]:
            path = self.directory.path
            raise ConfigurationError(
                f"{path} was scored by another version of its suite; "
                f"review what `tool_sandbox rescore {path} --to DIR` writes"
            )
        read_review(self.directory)

    def take(self, result: Result, decisions: Sequence[Decision]) -> Result:
        """Keeps decisions about a conversation and scores it by them; the summary is for the caller to rebuild."""
        if not decisions:
            return result
        verdicts = verdicts_of(add_to_review(self.directory, decisions))
        rescored = Rescorer(self.directory, self.scenarios, self.suite, self.directory, verdicts)(result)
        if not rescored.is_scored:
            raise ConfigurationError(f"{result['directory']} cannot be scored: {rescored.reasons[0]}")
        return rescored.after

    def ask(self, judge: "Judge", session: Session, result: Result) -> tuple[Result, int, str | None]:
        """Has a judge decide about a conversation."""
        from tool_sandbox.runner.settling import settle

        scenario = self.scenarios(episode_of(result))
        context = Rescorer(self.directory, self.scenarios, self.suite).context(result["directory"])
        verdicts = verdicts_of(read_review(self.directory)).get(result["directory"], {})
        score = scenario.evaluation.evaluate(context, scenario.max_messages, as_decisions(verdicts))
        settled = settle(judge, session, result["directory"], scenario, context, score, verdicts)
        return self.take(result, settled.decisions), len(settled.decisions), settled.error
