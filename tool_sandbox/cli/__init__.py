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
    import argparse
    from collections.abc import Callable

    from tool_sandbox.play.scenario import Scenario
    from tool_sandbox.records.result import Result

__all__ = ["DEFAULT_USER_TYPE", "get_git_sha", "has_local_changes", "main", "run_sandbox", "write_result_summary"]

COMMANDS = {
    "sweep": "tool_sandbox.cli.sweeping",
    "resume": "tool_sandbox.cli.resuming",
    "metrics": "tool_sandbox.cli.measuring",
    "compare": "tool_sandbox.cli.comparing",
    "power": "tool_sandbox.cli.power",
    "report": "tool_sandbox.cli.writing",
    "view": "tool_sandbox.cli.viewing",
    "show": "tool_sandbox.cli.showing",
    "review": "tool_sandbox.cli.reviewing",
    "serve": "tool_sandbox.cli.serving",
    "import": "tool_sandbox.cli.importing",
}
"""Commands with a module of their own: ``parser()`` gives its parser, ``command(arguments)`` its exit code."""


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
            print(printable_lines(f"tool_sandbox: {error}"), file=sys.stderr)
            return 2 if isinstance(error, ConfigurationError) else 1
        except KeyboardInterrupt:
            return 130


def _run(words: Sequence[str]) -> int:
    from tool_sandbox.cli.arguments import CHECK, DOCTOR, PLAY, RESCORE, RETRY, parse
    from tool_sandbox.cli.files import alone

    command: Callable[[argparse.Namespace], int]
    if words and words[0] in COMMANDS:
        module = importlib.import_module(COMMANDS[words[0]])
        command, arguments = module.command, module.parser().parse_args(words[1:])
    else:
        arguments = parse(words)
        if arguments.command == PLAY:
            from tool_sandbox.cli.playing import play_command as command
        elif arguments.command == RESCORE:
            from tool_sandbox.cli.rescoring import rescore_command as command
        elif arguments.command == RETRY:
            from tool_sandbox.cli.retrying import retry_command as command
        elif arguments.command == DOCTOR:
            from tool_sandbox.cli.doctoring import doctor_command as command
        elif getattr(arguments, "action", "") == CHECK:
            from tool_sandbox.cli.checking import check_command as command
        else:
            from tool_sandbox.cli.listing import listing_command as command
    with alone(arguments):
        return command(arguments)


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
