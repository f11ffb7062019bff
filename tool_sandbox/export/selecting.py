"""Which conversations of runs are exported."""

import fnmatch
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import attrs

from tool_sandbox.records.result import Result
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.runner.verdicts import is_evaluated, is_success
from tool_sandbox.world.errors import ConfigurationError

Ending = Literal["all", "success", "failed"]
ENDINGS: tuple[Ending, ...] = get_args(Ending)


@attrs.frozen
class Selection:
    """What of a run is wanted.

    Attributes:
        scenarios: Names or patterns of scenarios, empty for all.
        only: Whether only successes or only failures are wanted.
        min_score: The lowest score that is wanted.
        is_excluded_wanted: Whether conversations are wanted that say nothing about the agent, because of a failure of
            the infrastructure or of the simulated user.
    """

    scenarios: Sequence[str] = ()
    only: Ending = "all"
    min_score: float = 0.0
    is_excluded_wanted: bool = False

    def __attrs_post_init__(self) -> None:
        """Checks the values, which may come from a program."""
        if self.only not in ENDINGS:
            raise ConfigurationError(f"only has to be one of {', '.join(ENDINGS)}, not {self.only!r}")
        if not 0 <= self.min_score <= 1:
            raise ConfigurationError(f"the lowest score has to be a number from 0 to 1, not {self.min_score!r}")

    def fits(self, result: Mapping[str, Any]) -> bool:
        """Whether a conversation is wanted, were it not excluded."""
        is_named = not self.scenarios or any(fnmatch.fnmatchcase(result["name"], name) for name in self.scenarios)
        is_wanted = self.only == "all" or is_success(result) == (self.only == "success")
        return is_named and is_wanted and result["similarity"] >= self.min_score


@attrs.frozen
class Selected:
    """A run and what of it is wanted.

    Attributes:
        path: Directory of the run.
        description: What the run was asked to do.
        results: Results of the conversations that are wanted.
        excluded: Number of those that are wanted but say nothing about the agent.
        others: Number of those that are not wanted.
    """

    path: Path
    description: Mapping[str, Any]
    results: Sequence[Result]
    excluded: int
    others: int


def select(path: Path, selection: Selection) -> Selected:
    """Finds the conversations of a run that are wanted, as far as it has been played."""
    directory = RunDirectory(path)
    results = directory.read_results()
    fitting = [result for result in results if selection.fits(result)]
    wanted = [result for result in fitting if selection.is_excluded_wanted or is_evaluated(result)]
    return Selected(path, directory.read_run(), wanted, len(fitting) - len(wanted), len(results) - len(fitting))
