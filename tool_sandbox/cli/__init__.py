"""The command line.

``main`` is the console script. ``run_sandbox`` and its neighbours are the published way in from Python; new code finds
more in ``tool_sandbox.runner``. Nothing heavy is imported before a command needs it.
"""

import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tool_sandbox.cli.repository import describe_commit, get_git_sha, has_local_changes
from tool_sandbox.runner import DEFAULT_USER as DEFAULT_USER_TYPE

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario
    from tool_sandbox.records.result import Result

__all__ = ["DEFAULT_USER_TYPE", "get_git_sha", "has_local_changes", "main", "run_sandbox", "write_result_summary"]

COMMANDS = {
    "run": ("arguments.play_parser", "playing.play_command"),
    "sweep": ("arguments.sweep_parser", "sweeping.command"),
    "resume": ("arguments.resume_parser", "resuming.resume_command"),
    "retry": ("arguments.retry_parser", "resuming.retry_command"),
    "serve": ("serving.parser", "serving.command"),
    "metrics": ("measuring.parser", "measuring.command"),
    "compare": ("comparing.parser", "comparing.command"),
    "power": ("power.parser", "power.command"),
    "report": ("writing.parser", "writing.command"),
    "export": ("exporting.parser", "exporting.command"),
    "import": ("importing.parser", "importing.command"),
    "view": ("viewing.parser", "viewing.command"),
    "show": ("showing.parser", "showing.command"),
    "review": ("reviewing.parser", "reviewing.command"),
    "rescore": ("arguments.rescore_parser", "rescoring.rescore_command"),
    "scenarios": ("arguments.scenarios_parser", "listing.scenarios_command"),
    "tools": ("arguments.tools_parser", "listing.tools_command"),
    "apps": ("apps.parser", "apps.command"),
    "agents": ("arguments.agents_parser", "listing.agents_command"),
    "doctor": ("arguments.doctor_parser", "doctoring.doctor_command"),
}
"""All commands as they are listed: what makes the parser, and what the parsed flags are handed to for an exit code."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command."""
    from tool_sandbox.cli.streams import lasting_streams
    from tool_sandbox.helpers.printable import printable_lines
    from tool_sandbox.models.logs import set_logging
    from tool_sandbox.world.errors import ConfigurationError, StorageError

    with lasting_streams():
        try:
            set_logging(show_level=False)
            try:
                return _run(sys.argv[1:] if argv is None else argv)
            finally:
                sys.stdout.flush()
        except SystemExit as request:
            # argparse leaves this way, for help and for mistakes.
            return request.code if isinstance(request.code, int) else 2
        except (ConfigurationError, StorageError) as error:
            told = f"tool_sandbox: {error}"
            print(printable_lines(told if (remote := _remote()) is None else remote.addressed(told)), file=sys.stderr)
            return 2 if isinstance(error, ConfigurationError) else 1
        except KeyboardInterrupt:
            return 130
        finally:
            if (remote := _remote()) is not None:
                remote.forget()


def _run(words: Sequence[str]) -> int:
    from tool_sandbox.cli.files import alone

    name, *flags = words if words and not words[0].startswith("-") else ("run", *words)
    if name not in COMMANDS:
        from tool_sandbox.helpers.suggestions import suggest

        close = "".join(f" Did you mean: {each}?" for each in suggest(name, COMMANDS)[:1])
        _found("arguments.play_parser")().error(
            f"there is no command {name!r}; there are {', '.join(COMMANDS)}.{close}"
        )
    parser, command = COMMANDS[name]
    arguments = _found(parser)().parse_args(flags)
    with alone(arguments):
        code: int = _found(command)(arguments)
        if (remote := _remote()) is not None:
            remote.send_changes()
        return code


def _remote() -> Any:
    """What knows of results at addresses; most commands have no need of it, and its import takes a while."""
    return sys.modules.get("tool_sandbox.runner.remote")


def _found(place: str) -> Any:
    module, _, name = place.partition(".")
    return getattr(importlib.import_module(f"tool_sandbox.cli.{module}"), name)


def run_sandbox(
    *,
    agent_type: str,
    user_type: str,
    name_to_scenario: "Mapping[str, Scenario]",
    processes: int = 16,
    output_base_dir: str | Path = "data",
) -> Path:
    """Plays scenarios and writes a run directory."""
    from tool_sandbox.cli.playing import play_and_report
    from tool_sandbox.runner.run import prepare_run

    run = prepare_run(str(agent_type), str(user_type), name_to_scenario, threads=processes)
    return play_and_report(run, output_base_dir).path


def write_result_summary(result_summary: Sequence[Mapping[str, Any]], output_directory: str | Path) -> dict[str, Any]:
    """Writes ``result_summary.json`` and the parquet file for results that were played one by one."""
    from tool_sandbox.runner.store import RunDirectory

    path = Path(output_directory)
    path.mkdir(parents=True, exist_ok=True)
    results = [cast("Result", dict(result)) for result in result_summary]
    return dict(RunDirectory(path).write_summary(results, {}, describe_commit()))
