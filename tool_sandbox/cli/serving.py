"""The command that lets any MCP client play a scenario: its tools, its user, its score."""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from tool_sandbox.cli.arguments import add_options, add_suite
from tool_sandbox.cli.parsing import Parser, of_kind, port
from tool_sandbox.cli.repository import describe_commit
from tool_sandbox.helpers.counting import counted
from tool_sandbox.helpers.printable import printable
from tool_sandbox.integrations.executors.workspace import shelter
from tool_sandbox.records.kinds import OUTPUT
from tool_sandbox.records.result import Result
from tool_sandbox.runner.request import Request
from tool_sandbox.runner.stopping import Stop
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from tool_sandbox.cli.serving_agent import ClientConnection
    from tool_sandbox.runner.run import PreparedRun
    from tool_sandbox.runner.store import FinishedRun

_EPILOG = """\
the client plays the agent: it gets the tools of the scenario, and reply_to_user, which sends a message to the user
and returns the answer or, at the end, the score. The system prompt and the user's first message are the instructions
of the server; with http they are printed, too, with the address and a configuration to paste into a client.

exit codes: 0 the conversation was played, 1 it could not be, 2 usage error, 130 interrupted

examples:
  tool_sandbox serve --scenario wifi_off                 wait for a client at a private address
  tool_sandbox serve --scenario wifi_off --user Cli      be the user yourself
  tool_sandbox serve --scenario wifi_off -o data         keep the conversation, for show, report and compare
  tool_sandbox serve --scenario NAME --suite FILE.py     a scenario of your own
  tool_sandbox serve --scenario wifi_off --transport stdio      for clients that start their own servers
"""


def parser() -> Parser:
    """The flags of ``tool_sandbox serve``."""
    flags = Parser(
        prog="tool_sandbox serve",
        description="Serves one scenario over MCP, to be played by hand or by any program. Only this machine can reach "
        "it, and only with the token that is printed. Control-C ends it.",
        epilog=_EPILOG,
    )
    flags.add_argument("-s", "--scenario", required=True, metavar="NAME", help="scenario to play")
    flags.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the world (default: 0)")
    add_suite(flags)
    add_options(flags, "tools")
    flags.add_argument("--user", default="Scripted", metavar="NAME", help="the user (default: %(default)s)")
    flags.add_argument(
        "--transport", choices=("http", "stdio"), default="http", help="how the client connects (default: http)"
    )
    flags.add_argument("--port", type=port, metavar="N", help="port for http (default: any free one)")
    flags.add_argument(
        "-o",
        "--output-dir",
        "--output_dir",
        type=of_kind(OUTPUT),
        metavar="DIR",
        help="write a run there (default: nothing is kept)",
    )
    return flags


def command(arguments: argparse.Namespace) -> int:
    """Plays one conversation with the client that connects."""
    from tool_sandbox.cli.playing import exit_code, interruptible
    from tool_sandbox.cli.serving_agent import ClientConnection
    from tool_sandbox.cli.serving_transports import ClientTransport, HttpTransport, StdioTransport

    if arguments.transport == "stdio":
        from tool_sandbox.roles.registry import look_up

        if arguments.port is not None:
            raise ConfigurationError(
                "--port belongs to --transport http; a client of stdio has no address to connect to"
            )
        if look_up(arguments.user, "user").is_interactive:
            raise ConfigurationError("the user Cli needs the terminal that --transport stdio gives to the client")
    transport: ClientTransport = (
        StdioTransport() if arguments.transport == "stdio" else HttpTransport(arguments.port or 0)
    )
    connection = ClientConnection(transport.connect)
    run = _prepare(arguments, connection)
    with transport, interruptible() as stop:
        finished = _play(run, connection, arguments.output_dir, stop)
        if not finished.summary["run"]["interrupted"]:
            transport.end()
    return exit_code(finished)


def _prepare(arguments: argparse.Namespace, connection: "ClientConnection") -> "PreparedRun":
    from tool_sandbox.cli.serving_agent import NAME, ClientAgent
    from tool_sandbox.runner.run import prepare_run

    def client() -> ClientAgent:
        return ClientAgent(connection)

    client.__name__ = NAME
    suite = Request.of(vars(arguments)).loaded_suite()
    chosen = {"suite": suite, "seeds": [arguments.seed], "tools": arguments.tools}
    run = prepare_run(client, arguments.user, [arguments.scenario], **chosen)
    if (count := len(run.episodes)) > 1:
        name = run.episodes[0].scenario_name
        scenarios = counted(count, "scenario")
        raise ConfigurationError(f"{arguments.scenario!r} means {scenarios}; serve plays one, such as {name}")
    # Somebody sits there: it is played in this thread, which an interrupt gets out of every wait.
    agent = attrs.evolve(run.agent, is_interactive=True)
    program = {"name": NAME, "transport": arguments.transport}
    return attrs.evolve(run, agent=agent, description={**run.description, "agent_program": program})


def _play(run: "PreparedRun", connection: "ClientConnection", output_dir: Path | None, stop: Stop) -> "FinishedRun":
    """Plays the conversation and tells the client and the terminal how it ended."""
    from tool_sandbox.runner.run import play

    ending = "the conversation was interrupted"
    try:
        with tempfile.TemporaryDirectory(dir=shelter()) as directory:
            finished = play(run, output_dir or directory, git_sha=describe_commit(), stop=stop)
            if finished.results:
                ending = describe_ending(finished.results[0])
    finally:
        connection.finish(ending)
        _say(ending)
    if output_dir is not None:
        _say(f"results: {finished.path}")
    return finished


def describe_ending(result: Result) -> str:
    """How a conversation ended and what it scored, in one line."""
    from tool_sandbox.cli.tally import describe_failure
    from tool_sandbox.runner.verdicts import is_evaluated

    if not is_evaluated(result):
        return f"The conversation could not be played: {describe_failure(result)}"
    why = f" ({result['reason']})" if result["reason"] else ""
    calls = f"{result['tool_calls']} tool call{'s' * (result['tool_calls'] != 1)}, {result['tool_errors']} failed"
    hit = ", a minefield was hit" if result["minefield_hit"] else ""
    effects = f", {count} unwanted changes" if (count := len(result["side_effects"])) else ""
    return (
        f"The conversation is over: {result['outcome']}{why}. Score {result['similarity']:.3f} "
        f"({'success' if result['success'] else 'no success'}; {calls}{hit}{effects})."
    )


def _say(text: str) -> None:
    print(printable(text), file=sys.stderr, flush=True)
