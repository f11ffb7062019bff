"""Reading what this and earlier versions wrote: every reader sees the present shape, or one clear line.

Format 1 had no ``minefield_hit``, ``family``, ``base_name`` and ``augmentation`` in results at first. Format 2 adds
``replaced/`` (results that made way for new attempts) and ``floor.json`` to the directory. Format 3 has one record per
conversation (``tool_sandbox.play.record``) in the place of several files, and cuts long names of directories.
Results of other programs that write the published keys alone are read too.
"""

from pathlib import Path
from typing import Any, cast

from tool_sandbox.helpers.printable import printable
from tool_sandbox.records.result import PublishedResult, Result
from tool_sandbox.records.run import RUN_FORMAT, RunDescription
from tool_sandbox.records.summary import RunSummary
from tool_sandbox.runner.lineage import installed_family, split_name
from tool_sandbox.runner.schema import check_shape
from tool_sandbox.world.errors import ConfigurationError

_NEEDED_OF_A_RUN = (
    *("agent", "user", "seeds", "trials", "profile", "services"),
    *("preferred_tool_backend", "suite", "episodes"),
)


def current_run(value: Any, where: Path) -> RunDescription:
    """The description of a run in the present shape."""
    if not isinstance(value, dict):
        raise ConfigurationError(f"{where} does not describe a run")
    _check_format(value.get("format"), where)
    value = {**value, "format": RUN_FORMAT}
    check_shape(value, "run", where, needs=_NEEDED_OF_A_RUN)
    if len(set(value["seeds"])) * value["trials"] > max(1, len(value["episodes"])):
        raise ConfigurationError(f"{where} is damaged: seeds and trials make more conversations than 'episodes' has")
    return cast(RunDescription, value)


def current_result(value: Any, where: Path, directory: str | None = None) -> Result:
    """A result in the present shape."""
    if not isinstance(value, dict):
        raise ConfigurationError(f"{where} is no result of a conversation")
    if directory is not None and value.get("directory") != directory:
        raise ConfigurationError(f"{where} is not the result of the conversation in its directory")
    check_shape(value, "result", where, needs=PublishedResult.__required_keys__)
    filled = dict(value)
    if "minefield_hit" not in filled:
        # A hit costs the whole score; less than a whole minefield is no hit where several things make one.
        filled["minefield_hit"] = filled["minefield_similarity"] > 0 and filled["similarity"] == 0
    if "base_name" not in filled:
        base_name, augmentation = split_name(filled["name"])
        filled |= {"family": installed_family(base_name), "base_name": base_name, "augmentation": augmentation}
    return cast(Result, filled)


def current_summary(value: Any, where: Path) -> RunSummary:
    """The summary of a run in the present shape."""
    if not isinstance(value, dict) or not isinstance(value.get("per_scenario_results"), list):
        raise ConfigurationError(f"{where} is not the summary of a run")
    run = value.get("run", {})
    if not isinstance(run, dict):
        raise ConfigurationError(f"{where}: run is not an object")
    if "format" in run:
        _check_format(run["format"], where)
        value = {**value, "run": {**run, "format": RUN_FORMAT}}
    check_shape({**value, "per_scenario_results": []}, "result_summary", where, needs=())
    results = [current_result(result, where) for result in value["per_scenario_results"]]
    return cast(RunSummary, {**value, "per_scenario_results": results})


def _check_format(number: Any, where: Path) -> None:
    if type(number) is not int or number < 1:
        raise ConfigurationError(f"{where} has no valid format number (format: {printable(repr(number))[:60]})")
    if number > RUN_FORMAT:
        raise ConfigurationError(
            f"{where} was written by a newer version of tool_sandbox (format {number}, this one reads up to "
            f"{RUN_FORMAT}); update tool_sandbox"
        )
