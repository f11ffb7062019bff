"""Flags and sub-commands of ``tool_sandbox``."""

import argparse
import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tool_sandbox.cli.files import OutputFile
from tool_sandbox.cli.parsing import OnceHere, Parser, amount, positive
from tool_sandbox.version import __version__

PLAY = "run"
CHECK = "check"
RESCORE = "rescore"
DOCTOR = "doctor"
RETRY = "retry"
LISTINGS = ("scenarios", "tools", "agents")

_ORDER = (
    *(
        PLAY,
        "sweep",
        "resume",
        RETRY,
        "serve",
        "metrics",
        "compare",
        "power",
        "report",
        "view",
        "show",
        "review",
        RESCORE,
    ),
    *(*LISTINGS, DOCTOR),
)
"""All commands as they are listed."""

_EPILOG = """\
commands: tool_sandbox COMMAND, each with a --help of its own; RUN is the directory of
a run, and mostly also of several runs, such as a sweep

play:
  [run] [FLAGS]            one agent with one user; its flags are above
  sweep [FILE]             several agents, users, worlds and trials at once
  resume RUN ...           play what is missing in runs that were killed or stopped
  retry RUN                play again, in place, what a provider or service spoiled
  serve --scenario NAME    one scenario for any MCP client, to be played by hand
look at results:
  metrics RUN ...          scores with intervals and floors, pass@k, errors, tokens, cost
  compare RUN RUN ...      what differs, and how surely; --fail-if fails a build
  power [RUN ...]          how much has to be played to see a difference
  report RUN ...           one HTML file with every conversation
  view [FOLDER]            the same in the browser, also while it is played
  show RUN [SCENARIO]      conversations in the terminal
  review RUN               decides what the readers of answers found unclear
  rescore RUN              what the installed suite scores a stored run, and why
what there is:
  scenarios list           names of the scenarios; show NAME: all of one;
                           check: the proof that their scores mean something
  tools [NAME ...]         tools of the agent
  agents                   who can play agent and user, and what each needs here
  doctor                   which models are ready here, and whether one answers

exit codes: 0 all conversations were played, 1 some could not be (or the budget is spent, or a replay went another
way), 2 the command was wrong, 130 interrupted

examples:
  tool_sandbox                                                 every scenario, offline, with the reference agent
  tool_sandbox --agent Unhelpful --scenarios 'wifi*' 'modify_contact*'
  tool_sandbox --user Cli --agent Cli --scenario wifi_off      play both sides by hand
  tool_sandbox --agent anthropic/MODEL --dry-run               what a full run would ask of a model, and cost
  tool_sandbox --agent openai/MODEL --budget 5 --cache answers
  tool_sandbox --agent replay:data/RUN                         play a stored run once more, without a network
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
    if arguments and arguments[0] == RESCORE:
        return _rescore_parser().parse_args(arguments[1:])
    if arguments and arguments[0] == RETRY:
        return _retry_parser().parse_args(arguments[1:])
    if arguments and arguments[0] == DOCTOR:
        return _doctor_parser().parse_args(arguments[1:])
    parser = _play_parser()
    if arguments and arguments[0] == PLAY:
        arguments = arguments[1:]
    elif arguments and not arguments[0].startswith("-"):
        commands = _ORDER
        close = "".join(f" Did you mean: {name}?" for name in difflib.get_close_matches(arguments[0], commands, n=1))
        parser.error(f"there is no command {arguments[0]!r}; there are {', '.join(commands)}.{close}")
    return parser.parse_args(arguments)


def _play_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="tool_sandbox",
        description="Plays scenarios of a stateful world between a user and an agent with tools, and scores them.",
        epilog=_EPILOG,
    )
    parser.set_defaults(command=PLAY)
    parser.add_argument("--version", action="version", version=f"tool_sandbox {__version__}")
    who = parser.add_argument_group("who plays")
    who.add_argument(
        "--agent", action=OnceHere, default="Oracle", metavar="NAME", help="the agent (default: %(default)s)"
    )
    who.add_argument("--user", action=OnceHere, metavar="NAME", help="the user (default: Scripted)")
    who.add_argument(
        "--system-prompt",
        type=Path,
        metavar="FILE",
        help="tell the agent this in place of every scenario's instruction",
    )
    add_what(parser.add_argument_group("what is played"))
    add_models(parser.add_argument_group("what models may do"))
    how = parser.add_argument_group("how")
    how.add_argument("--dry-run", action="store_true", help="only say what would be run, and what it may cost")
    add_concurrency(how)
    how.add_argument("-o", "--output_dir", default="data", metavar="DIR", help="where runs go (default: %(default)s)")
    how.add_argument(
        "--services",
        default="offline",
        metavar="WHAT",
        help="behind the search tools: offline, rapidapi, record:PATH or replay:PATH (default: %(default)s)",
    )
    how.add_argument("--preferred_tool_backend", default="DEFAULT", metavar="NAME", help="for tools with several")
    return parser


def add_concurrency(command: "argparse._ActionsContainer") -> None:
    """Adds flags about how many conversations are played at once, and where."""
    command.add_argument(
        "--concurrency",
        "--parallel",
        "-p",
        type=positive,
        metavar="N",
        help="conversations at once (default: what suits the providers at play; see: tool_sandbox agents)",
    )
    command.add_argument(
        "--processes",
        type=positive,
        metavar="N",
        help="spread them over N processes (default: 1; more, as cores allow, from 128 models' conversations at once)",
    )


def add_stored(command: "argparse._ActionsContainer", *, several: bool = False) -> None:
    """Adds flags about how to go on with what is stored.

    Args:
        command: Parser of a command that plays into stored runs.
        several: Whether it takes more than one run.
    """
    one, together = (" (one RUN only)", ", by all runs together") if several else ("", "")
    again = "append" if several else "store"
    for party in ("agent", "user"):
        command.add_argument(
            f"--{party}",
            action=again,
            metavar="NAME",
            help=f"the {party} as it was played, or with another base_url or key{one}; needed for commands, files and "
            f"programs, and where it names a base_url or variable{', once for each' if several else ''}",
        )
    command.add_argument("--judge", metavar="MODEL", help="the judge of the run, where it has a base_url or variable")
    command.add_argument("--services", metavar="WHAT", help="record:PATH or replay:PATH, where the run has one")
    command.add_argument("--cache", type=Path, metavar="DIR", help="where answers are kept, if the run has a cache")
    command.add_argument("--suite", metavar="PATH", help="where the suite is, of a run that was played with --suite")
    command.add_argument("--anyway", action="store_true", help="even where new and stored scores do not compare")
    command.add_argument("--budget", type=amount, metavar="USD", help=f"stop when this is spent{together}")
    command.add_argument("--max-tokens-total", type=positive, metavar="N", help="stop when so many tokens are used")
    command.add_argument("--prices", type=Path, metavar="FILE", help="prices of your own, if the run has some")
    add_concurrency(command)


def repeated(arguments: argparse.Namespace) -> dict[str, Any]:
    """What of a stored run a person has said again, beside who plays."""
    return {flag: getattr(arguments, flag) for flag in ("prices", "judge", "services", "cache")}


def add_models(group: "argparse._ArgumentGroup") -> None:
    """Adds flags about what models may do."""
    group.add_argument("--budget", type=amount, metavar="USD", help="stop when this is spent, by the price table")
    group.add_argument("--max-tokens-total", type=positive, metavar="N", help="stop when so many tokens are used")
    group.add_argument("--judge", metavar="MODEL", help="a second opinion on answers; decides what is unclear")
    group.add_argument("--cache", type=Path, metavar="DIR", help="keep answers here and never pay for one twice")
    group.add_argument("--prices", type=Path, metavar="FILE", help="prices of your own, before those of this package")


def add_what(group: "argparse._ArgumentGroup") -> None:
    """Adds flags about what is played: scenarios, worlds, repetitions, rules."""
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
    _add_filters(group)
    group.add_argument("-t", "--test_mode", action="store_true", help="only a few scenarios, to see that all works")
    group.add_argument("--seed", type=int, nargs="+", metavar="N", help="worlds to draw (default: 0)")
    group.add_argument("--trials", type=positive, metavar="N", help="repetitions of each (default: 1)")
    group.add_argument("--profile", choices=("published", "strict"), help="rules to score by (default: the scenario's)")
    add_suite(group)


def _add_filters(command: "argparse._ActionsContainer") -> None:
    command.add_argument(
        "--tag",
        "--category",
        dest="category",
        action="append",
        default=[],
        metavar="NAME",
        help="only scenarios tagged so; may be repeated",
    )
    command.add_argument("--family", action="append", default=[], metavar="NAME", help="only this group of scenarios")
    command.add_argument(
        "--augmentation",
        action="append",
        default=[],
        metavar="NAME",
        help="only this variant, an opt-in one such as large_world or flaky_service among them",
    )
    command.add_argument("--opt-in", action="store_true", help="the opt-in variants too (default: the published eight)")


def add_suite(command: "argparse._ActionsContainer") -> None:
    """Adds flags about the suite whose scenarios and tools are meant."""
    command.add_argument(
        "--suite",
        metavar="PATH",
        help="scenarios of another package, whose code is run: a checkout of the published benchmark, a package, a "
        "Python file, or the name of an installed module",
    )
    command.add_argument(
        "--clock",
        choices=("frozen", "ticking", "system"),
        help="time in such a suite: stays at its loading, a second a message from there, or the machine's "
        "(default: frozen)",
    )
    command.add_argument(
        "--suite_time", "--suite-time", metavar="TIME", help="load such a suite as if it were TIME (ISO 8601)"
    )


_SCENARIOS_EPILOG = """\
examples:
  tool_sandbox scenarios list 'wifi*'
  tool_sandbox scenarios show wifi_off
  tool_sandbox scenarios check wifi_off
"""


def _listing_parser() -> argparse.ArgumentParser:
    parser = Parser(prog="tool_sandbox", description="Shows what there is.")
    commands = parser.add_subparsers(dest="command", required=True)
    scenarios = commands.add_parser("scenarios", help="the scenarios", epilog=_SCENARIOS_EPILOG).add_subparsers(
        dest="action", required=True
    )
    listing = scenarios.add_parser("list", help="names and goals", description="Lists scenarios with their goals.")
    listing.add_argument("patterns", nargs="*", metavar="PATTERN", help="names or patterns (default: all)")
    _add_filters(listing)
    show = scenarios.add_parser(
        "show", help="everything about one", description="Shows a scenario: start, goal, tools, milestones, solution."
    )
    show.add_argument("name", metavar="NAME")
    show.add_argument("--seed", type=int, default=0, metavar="N", help="world to draw (default: 0)")
    _add_check(scenarios)
    tools = commands.add_parser("tools", help="tools of the agent", description="Lists tools of the agent.")
    tools.add_argument("names", nargs="*", metavar="NAME", help="show these in full")
    for command in (listing, show, tools):
        add_suite(command)
    agents = commands.add_parser(
        "agents",
        help="who can play agent and user",
        description="Lists who can play agent and user, and what each needs here.",
    )
    for command in (listing, show, tools, agents):
        command.add_argument("--json", action="store_true", help="as JSON")
    return parser


_RESCORE_EPILOG = """\
exit codes: 0 all were scored again, 1 some could not be or moved without a reason, 2 the command was wrong

examples:
  tool_sandbox rescore data/RUN                          what would move, and why
  tool_sandbox rescore data/RUN --to data/rescored       a copy of the run with the new scores
"""


def _rescore_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="tool_sandbox rescore",
        description="Scores the stored conversations of a run with the installed suite. Nothing is played, and the run "
        "itself is only read. Says which scores moved and why: other milestones, another start, other rules.",
        epilog=_RESCORE_EPILOG,
    )
    parser.set_defaults(command=RESCORE)
    parser.add_argument("run", metavar="RUN", help="directory of the run")
    parser.add_argument("--suite", metavar="PATH", help="where the suite is, of a run that was played with --suite")
    parser.add_argument("--to", metavar="DIR", help="write a copy of the run with the new scores here")
    parser.add_argument("--json", type=OutputFile, metavar="FILE", help="write what moved and why here")
    parser.add_argument("--profile", choices=("published", "strict"), help="rules to score by (default: the run's)")
    return parser


_RETRY_EPILOG = """\
exit codes: 0 all were played, 1 some could not be, 2 the command was wrong, 130 interrupted

examples:
  tool_sandbox retry data/RUN
  tool_sandbox retry data/RUN --outcome infrastructure_error user_error
  tool_sandbox resume SWEEP                              what is missing in all runs of a sweep
"""


def _retry_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="tool_sandbox retry",
        description="Plays again, in place, the conversations of a run that say nothing about its agent, and those "
        "that have no result yet; everything is as it was in the run. What runs code, or names a variable, an address "
        "or a path, has to be said again. Then sums the run up again.",
        epilog=_RETRY_EPILOG,
    )
    parser.set_defaults(command=RETRY)
    parser.add_argument("run", metavar="RUN", help="directory of the run")
    parser.add_argument(
        "--outcome",
        action="extend",
        nargs="+",
        metavar="OUTCOME",
        help="play these again (default: infrastructure_error); user_error and the others can be named too",
    )
    add_stored(parser)
    return parser


_DOCTOR_EPILOG = """\
exit codes: 0 ready, 1 not, 2 the command was wrong

examples:
  tool_sandbox doctor                                    all providers
  tool_sandbox doctor --agent anthropic/MODEL --call     one model, and whether it answers
"""


def _doctor_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="tool_sandbox doctor",
        description="Says which model providers are ready here and what the others lack; keys are never shown.",
        epilog=_DOCTOR_EPILOG,
    )
    parser.set_defaults(command=DOCTOR)
    parser.add_argument("--agent", metavar="NAME", help="check this agent, as before a run")
    parser.add_argument("--user", metavar="NAME", help="check this user")
    parser.add_argument("--call", action="store_true", help="ask the model something, for a few tokens")
    parser.add_argument("--prices", type=Path, metavar="FILE", help="prices of your own")
    parser.add_argument("--json", action="store_true", help="as JSON")
    return parser


_CHECK_EPILOG = """\
each scenario is played with
  the reference solution       scores 1 without a side effect, also with independent calls exchanged
  agents that should fail      silent, refusing, request-blind, read-only, claims-only, empty-answer: next to nothing
  near misses                  a call dropped or changed, an unrequested write, a false answer: less than 1
  paraphrases of the answer    score 1
and its definition is linted: tools, milestones, minefields, secrets, tags, twins, near-duplicates.

exit codes: 0 all is as it should be, 1 there are findings, 2 the command was wrong

examples:
  tool_sandbox scenarios check                                      all base scenarios, a minute or two
  tool_sandbox scenarios check 'remove_contact*' --seed 0 1 2       three instances of some
  tool_sandbox scenarios check wifi_off --all-augmentations         one in every way of offering tools
  tool_sandbox scenarios check --suite my_scenarios.py              scenarios of your own
  tool_sandbox scenarios check --elsewhere --json report.json       what the suite publishes about itself
"""


def _add_check(scenarios: "argparse._SubParsersAction[Parser]") -> None:
    check = scenarios.add_parser(
        CHECK,
        help="prove that scores mean something",
        description="Proves scenarios: what deserves a score gets it, and nothing else does.",
        epilog=_CHECK_EPILOG,
    )
    check.add_argument("patterns", nargs="*", metavar="NAME", help="names or patterns (default: all base scenarios)")
    ways = check.add_mutually_exclusive_group()
    ways.add_argument(
        "--augmentation",
        action="extend",
        nargs="+",
        default=[],
        metavar="NAME",
        help="check them in these ways instead",
    )
    ways.add_argument("--all-augmentations", action="store_true", help="check them in every way of offering tools")
    check.add_argument("--seed", type=int, nargs="+", default=[0], metavar="N", help="instances (default: 0)")
    add_suite(check)
    check.add_argument("--elsewhere", action="store_true", help="also on five machine dates in three time zones")
    check.add_argument("--processes", type=positive, metavar="N", help="processes at once (default: one a core)")
    check.add_argument("--json", type=OutputFile, metavar="FILE", help="write the report there")
    check.add_argument("--markdown", type=Path, metavar="FILE", help="bring the figures of a page up to date")
    check.add_argument("--from-report", type=Path, metavar="FILE", help="show an earlier report, check nothing")
