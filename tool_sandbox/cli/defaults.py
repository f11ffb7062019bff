"""What flags mean that were not given: the usual defaults, or those of the run that is re-played."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from tool_sandbox.common.errors import ConfigurationError
from tool_sandbox.common.printable import printable

if TYPE_CHECKING:
    import argparse

DEFAULT_USER_TYPE = "Scripted"
"""Who plays the user unless something else is asked for."""


def fill_in(arguments: "argparse.Namespace") -> None:
    """Fills in the user, scenarios, seeds, trials, rules, services and instruction of a run.

    Args:
        arguments: Parsed flags, which are changed. ``instruction`` is added: what the agent is told, ``None`` for what
            each scenario says.

    Raises:
        ConfigurationError: A stored run or the file of the instruction cannot be read.
    """
    from tool_sandbox.runner.parties import read_instruction
    from tool_sandbox.runner.replaying import replayed_run

    arguments.instruction = None if arguments.system_prompt is None else read_instruction(arguments.system_prompt)
    run = replayed_run(arguments.agent) or replayed_run(arguments.user or "")
    if run is not None:
        _follow(arguments, run)
    arguments.user = arguments.user or DEFAULT_USER_TYPE
    arguments.seed = arguments.seed or [0]
    arguments.trials = arguments.trials or 1


def _follow(arguments: "argparse.Namespace", path: Path) -> None:
    """Takes everything that was not given from a stored run."""
    from tool_sandbox.runner.replaying import PREFIX, stored_choice
    from tool_sandbox.runner.store import RunDirectory

    run = RunDirectory(path).read_run()
    if arguments.user is None:
        user = stored_choice(path, "user")
        # The scripted user needs nothing stored; a model or a person would have to be asked.
        arguments.user = user if user == DEFAULT_USER_TYPE else f"{PREFIX}{path}"
    if not _chooses(arguments):
        name = (run["suite"] or {}).get("name")
        if name is not None and arguments.suite is None:
            raise ConfigurationError(f"the run was played with suite {name}; say where it is with --suite PATH")
        arguments.scenarios = list(dict.fromkeys(episode["scenario_name"] for episode in run["episodes"]))
    stored: dict[str, Any] = {
        "seed": run["seeds"],
        "trials": run["trials"],
        "profile": run["profile"],
        "clock": (run["suite"] or {}).get("clock"),
        "suite_time": (run["suite"] or {}).get("time"),
        "instruction": (run.get("instruction") or {}).get("text"),
    }
    for flag, value in stored.items():
        if getattr(arguments, flag) is None:
            setattr(arguments, flag, value)
    if arguments.services == "offline":
        services = run["services"].get("choice", "offline")
        if ":" in services:
            # A file may not name another one to be read or written.
            raise ConfigurationError(f"{path} had other services; repeat them: --services {printable(quote(services))}")
        arguments.services = services
    if arguments.preferred_tool_backend == "DEFAULT":
        arguments.preferred_tool_backend = run["preferred_tool_backend"]


def _chooses(arguments: "argparse.Namespace") -> bool:
    """Whether flags say which scenarios are meant."""
    filters = arguments.category or arguments.family or arguments.augmentation or arguments.opt_in
    return arguments.scenarios is not None or arguments.test_mode or bool(filters)
