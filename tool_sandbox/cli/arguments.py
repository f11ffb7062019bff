"""Flags and sub-commands of ``tool_sandbox``."""

import argparse
from collections.abc import Sequence
from typing import NoReturn

PLAY = "run"
LISTINGS = ("scenarios", "tools", "agents")

_EPILOG = """\
other commands:
  tool_sandbox scenarios list [PATTERN ...]   names of the scenarios; show NAME for all of one
  tool_sandbox tools [NAME ...]               tools of the agent
  tool_sandbox agents                         who can play agent and user, and what each needs here

exit codes: 0 all conversations were played, 1 some could not be, 2 the command was wrong, 130 interrupted

examples:
  tool_sandbox                                                 every scenario, offline, with the reference agent
  tool_sandbox --agent Unhelpful --scenarios 'wifi*' 'modify_contact*'
  tool_sandbox --user Cli --agent Cli --scenario wifi_off      play both sides by hand
"""


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parses the command line.

    Args:
        arguments: Words after the name of the program.

    Returns:
        The flags, with the name of the command as ``command``.

    Raises:
        SystemExit: Help was asked for (0), or the command is wrong (2, one line on stderr).
    """
    if arguments and arguments[0] in LISTINGS:
        return _listing_parser().parse_args(arguments)
    if arguments and arguments[0] == PLAY:
        arguments = arguments[1:]
    return _play_parser().parse_args(arguments)


class _Parser(argparse.ArgumentParser):
    """A parser that answers a mistake with one line instead of the whole usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def _play_parser() -> argparse.ArgumentParser:
    from tool_sandbox import __version__

    parser = _Parser(
        prog="tool_sandbox",
        description="Plays scenarios of a stateful world between a user and an agent with tools, and scores them.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(command=PLAY)
    parser.add_argument("--version", action="version", version=f"tool_sandbox {__version__}")
    who = parser.add_argument_group("who plays")
    who.add_argument("--agent", default="Oracle", metavar="NAME", help="the agent (default: %(default)s)")
    who.add_argument("--user", default="Scripted", metavar="NAME", help="the user (default: %(default)s)")
    _add_what(parser.add_argument_group("what is played"))
    how = parser.add_argument_group("how")
    how.add_argument("-p", "--parallel", type=_positive, metavar="N", help="conversations at once (default: 16)")
    how.add_argument("--processes", type=_positive, default=1, metavar="N", help="spread them over N processes")
    how.add_argument("-o", "--output_dir", default="data", metavar="DIR", help="where runs go (default: %(default)s)")
    how.add_argument(
        "--services",
        default="offline",
        metavar="WHAT",
        help="behind the search tools: offline, rapidapi, record:PATH or replay:PATH (default: %(default)s)",
    )
    how.add_argument("--preferred_tool_backend", default="DEFAULT", metavar="NAME", help="for tools with several")
    return parser


def _add_what(group: "argparse._ArgumentGroup") -> None:
    group.add_argument(
        "-s",
        "--scenario",
        "--scenarios",
        dest="scenarios",
        action="extend",
        nargs="*",
        metavar="NAME",
        help="names or patterns such as 'wifi*' (default: all)",
    )
    group.add_argument("--category", action="append", default=[], metavar="NAME", help="only scenarios tagged so")
    group.add_argument("-t", "--test_mode", action="store_true", help="only a few scenarios, to see that all works")
    group.add_argument("--seed", type=int, nargs="+", default=[0], metavar="N", help="worlds to draw (default: 0)")
    group.add_argument("--trials", type=_positive, default=1, metavar="N", help="repetitions of each (default: 1)")
    group.add_argument("--profile", choices=("published", "strict"), help="rules to score by (default: the scenario's)")


def _listing_parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="tool_sandbox", description="Shows what there is.")
    commands = parser.add_subparsers(dest="command", required=True)
    scenarios = commands.add_parser("scenarios", help="the scenarios").add_subparsers(dest="action", required=True)
    listing = scenarios.add_parser("list", help="names and goals")
    listing.add_argument("patterns", nargs="*", metavar="PATTERN", help="names or patterns (default: all)")
    listing.add_argument("--category", action="append", default=[], metavar="NAME", help="only scenarios tagged so")
    show = scenarios.add_parser("show", help="everything about one")
    show.add_argument("name", metavar="NAME")
    show.add_argument("--seed", type=int, default=0, metavar="N", help="world to draw (default: 0)")
    tools = commands.add_parser("tools", help="tools of the agent")
    tools.add_argument("names", nargs="*", metavar="NAME", help="show these in full")
    agents = commands.add_parser("agents", help="who can play agent and user")
    for command in (listing, show, tools, agents):
        command.add_argument("--json", action="store_true", help="as JSON")
    return parser


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return number
