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
commands: tool_sandbox COMMAND, each with its own --help; RUN is the directory of a run
or, for most commands, of several runs such as a sweep

play:
  [run] [FLAGS]            one agent with one user; its flags are above
  sweep [FILE]             several agents, users, worlds and trials at once
  resume RUN ...           play what is missing in runs that were killed or stopped
  retry RUN                repeat, in place, conversations that ended with infrastructure errors
  serve --scenario NAME    one scenario for any MCP client, to be played by hand
results:
  metrics RUN ...          scores with intervals and floors, pass@k, errors, tokens, cost
  compare RUN RUN ...      differences and their significance; --fail-if fails a build
  power [RUN ...]          statistical power: trials needed to detect a difference
  report RUN ...           one HTML file with every conversation
  view [FOLDER]            the same in the browser, also during a run
  show RUN [SCENARIO]      conversations in the terminal
  review RUN               decide which facts unclear answers state
  rescore RUN              score a stored run again with the installed suite
lists and checks:
  scenarios list           names of the scenarios; show NAME: details of one;
                           check: verify that the scenarios are scored correctly
  tools [NAME ...]         tools of the agent
  agents                   available agents and users, and what each requires
  doctor                   which models are configured, and whether one answers

exit codes: 0 all conversations were played, 1 some could not be (or the budget is spent, or a replay
differs), 2 usage error, 130 interrupted

examples:
  tool_sandbox                                                 every scenario, offline, with the reference agent
  tool_sandbox --agent Unhelpful --scenarios 'wifi*' 'modify_contact*'
  tool_sandbox --user Cli --agent Cli --scenario wifi_off      play both sides by hand
  tool_sandbox --agent anthropic/MODEL --dry-run               requests and estimated cost of a full run
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
        SystemExit: Help was requested (0), or there is a usage error (2, one line on stderr).
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
    who = parser.add_argument_group("agent and user")
    who.add_argument(
        "--agent", action=OnceHere, default="Oracle", metavar="NAME", help="the agent (default: %(default)s)"
    )
    who.add_argument("--user", action=OnceHere, metavar="NAME", help="the user (default: Scripted)")
    who.add_argument(
        "--system-prompt",
        type=Path,
        metavar="FILE",
        help="system prompt of the agent, in place of every scenario's instruction",
    )
    add_what(parser.add_argument_group("scenarios"))
    add_models(parser.add_argument_group("models"))
    how = parser.add_argument_group("execution")
    how.add_argument("--dry-run", action="store_true", help="only print what would be run, and the estimated cost")
    add_concurrency(how)
    how.add_argument(
        "-o",
        "--output-dir",
        "--output_dir",
        default="data",
        metavar="DIR",
        help="directory for the runs (default: %(default)s)",
    )
    how.add_argument(
        "--services",
        default="offline",
        metavar="WHAT",
        help="backend of the search tools: offline, rapidapi, record:PATH or replay:PATH (default: %(default)s)",
    )
    how.add_argument(
        "--preferred-tool-backend",
        "--preferred_tool_backend",
        default="DEFAULT",
        metavar="NAME",
        help="for tools with several backends",
    )
    return parser


def add_concurrency(command: "argparse._ActionsContainer") -> None:
    """Adds flags about concurrency."""
    command.add_argument(
        "--concurrency",
        "--parallel",
        "-p",
        type=positive,
        metavar="N",
        help="conversations at once (default: what suits the providers; see: tool_sandbox agents)",
    )
    command.add_argument(
        "--processes",
        type=positive,
        metavar="N",
        help="worker processes (default: 1; more, as cores allow, for 128 or more conversations at once)",
    )


def add_stored(command: "argparse._ActionsContainer", *, several: bool = False) -> None:
    """Adds flags of commands that continue stored runs.

    Args:
        command: Parser of a command that plays into stored runs.
        several: Whether it takes more than one run.
    """
    one, together = (" (one RUN only)", " by all runs together") if several else ("", "")
    again = "append" if several else "store"
    for party in ("agent", "user"):
        command.add_argument(
            f"--{party}",
            action=again,
            metavar="NAME",
            help=f"the {party} of the run, possibly with another base_url or key{one}; required for commands, files "
            f"and programs, and if it names a base_url or variable{', once for each' if several else ''}",
        )
    command.add_argument("--judge", metavar="MODEL", help="the judge of the run, if it names a base_url or variable")
    command.add_argument("--services", metavar="WHAT", help="record:PATH or replay:PATH, if the run used one")
    command.add_argument("--cache", type=Path, metavar="DIR", help="the cache of the run, if it has one")
    command.add_argument("--suite", metavar="PATH", help="path of the suite, if the run was played with --suite")
    command.add_argument("--anyway", action="store_true", help="even if new and stored scores are not comparable")
    command.add_argument("--budget", type=amount, metavar="USD", help=f"stop when this much is spent{together}")
    command.add_argument("--max-tokens-total", type=positive, metavar="N", help="stop when this many tokens are used")
    command.add_argument("--prices", type=Path, metavar="FILE", help="the price table of the run, if it has its own")
    add_concurrency(command)


def repeated(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings of a stored run that are given again, beside agent and user."""
    return {flag: getattr(arguments, flag) for flag in ("prices", "judge", "services", "cache")}


def add_models(group: "argparse._ArgumentGroup") -> None:
    """Adds flags about models: budgets, judge, cache and prices."""
    group.add_argument("--budget", type=amount, metavar="USD", help="stop when this much is spent, by the price table")
    group.add_argument("--max-tokens-total", type=positive, metavar="N", help="stop when this many tokens are used")
    group.add_argument(
        "--judge", metavar="MODEL", help="model that gives a second opinion on answers and decides unclear ones"
    )
    group.add_argument(
        "--cache", type=Path, metavar="DIR", help="cache the answers of models here; none is paid for twice"
    )
    group.add_argument(
        "--prices", type=Path, metavar="FILE", help="your own price table; takes precedence over the built-in one"
    )


def add_what(group: "argparse._ArgumentGroup") -> None:
    """Adds flags about scenarios, seeds, trials and scoring."""
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
    group.add_argument(
        "-t", "--test-mode", "--test_mode", action="store_true", help="only a few scenarios, as a smoke test"
    )
    group.add_argument("--seed", type=int, nargs="+", metavar="N", help="seeds of the worlds (default: 0)")
    group.add_argument("--trials", type=positive, metavar="N", help="trials per scenario (default: 1)")
    group.add_argument("--profile", choices=("published", "strict"), help="scoring rules (default: the scenario's)")
    add_suite(group)


def _add_filters(command: "argparse._ActionsContainer") -> None:
    command.add_argument(
        "--tag",
        "--category",
        dest="category",
        action="append",
        default=[],
        metavar="NAME",
        help="only scenarios with this tag; may be repeated",
    )
    command.add_argument("--family", action="append", default=[], metavar="NAME", help="only this family of scenarios")
    command.add_argument(
        "--augmentation",
        action="append",
        default=[],
        metavar="NAME",
        help="only this augmentation, which may be an opt-in one such as large_world or flaky_service",
    )
    command.add_argument(
        "--opt-in", action="store_true", help="also the opt-in augmentations (default: the published eight)"
    )


def add_suite(command: "argparse._ActionsContainer") -> None:
    """Adds flags about the suite that scenarios and tools come from."""
    command.add_argument(
        "--suite",
        metavar="PATH",
        help="suite of another package, whose code is run: a checkout of the published benchmark, a package, a "
        "Python file, or the name of an installed module",
    )
    command.add_argument(
        "--clock",
        choices=("frozen", "ticking", "system"),
        help="clock of such a suite: stopped when it is loaded, one second per message from then on, or that of the "
        "machine (default: frozen)",
    )
    command.add_argument(
        "--suite-time", "--suite_time", metavar="TIME", help="load such a suite as if it were TIME (ISO 8601)"
    )


_SCENARIOS_EPILOG = """\
examples:
  tool_sandbox scenarios list 'wifi*'
  tool_sandbox scenarios show wifi_off
  tool_sandbox scenarios check wifi_off
"""


def _listing_parser() -> argparse.ArgumentParser:
    parser = Parser(prog="tool_sandbox", description="Lists scenarios, tools and agents.")
    commands = parser.add_subparsers(dest="command", required=True)
    scenarios = commands.add_parser("scenarios", help="the scenarios", epilog=_SCENARIOS_EPILOG).add_subparsers(
        dest="action", required=True
    )
    listing = scenarios.add_parser("list", help="names and goals", description="Lists scenarios with their goals.")
    listing.add_argument("patterns", nargs="*", metavar="PATTERN", help="names or patterns (default: all)")
    _add_filters(listing)
    show = scenarios.add_parser(
        "show", help="details of one", description="Shows a scenario: start, goal, tools, milestones, solution."
    )
    show.add_argument("name", metavar="NAME")
    show.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the world (default: 0)")
    _add_check(scenarios)
    tools = commands.add_parser("tools", help="tools of the agent", description="Lists tools of the agent.")
    tools.add_argument("names", nargs="*", metavar="NAME", help="show these in full")
    for command in (listing, show, tools):
        add_suite(command)
    agents = commands.add_parser(
        "agents",
        help="available agents and users",
        description="Lists available agents and users, and what each requires.",
    )
    for command in (listing, show, tools, agents):
        command.add_argument("--json", action="store_true", help="as JSON")
    return parser


_RESCORE_EPILOG = """\
exit codes: 0 all were scored again, 1 some could not be, or changed without a reason, 2 usage error

examples:
  tool_sandbox rescore data/RUN                          which scores would change, and why
  tool_sandbox rescore data/RUN --to data/rescored       a copy of the run with the new scores
"""


def _rescore_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="tool_sandbox rescore",
        description="Scores the stored conversations of a run with the installed suite. Nothing is played, and the run "
        "itself is only read. Says which scores changed and why: milestones, initial state or scoring rules.",
        epilog=_RESCORE_EPILOG,
    )
    parser.set_defaults(command=RESCORE)
    parser.add_argument("run", metavar="RUN", help="directory of the run")
    parser.add_argument("--suite", metavar="PATH", help="path of the suite, if the run was played with --suite")
    parser.add_argument("--to", metavar="DIR", help="write a copy of the run with the new scores here")
    parser.add_argument("--json", type=OutputFile, metavar="FILE", help="write the changes and their reasons here")
    parser.add_argument("--profile", choices=("published", "strict"), help="scoring rules (default: the run's)")
    return parser


_RETRY_EPILOG = """\
exit codes: 0 all were played, 1 some could not be, 2 usage error, 130 interrupted

examples:
  tool_sandbox retry data/RUN
  tool_sandbox retry data/RUN --outcome infrastructure_error user_error
  tool_sandbox resume SWEEP                              play what is missing in a sweep
"""


def _retry_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="tool_sandbox retry",
        description="Plays conversations of a run again, in place: those with an infrastructure error and those "
        "without a result. All settings are those of the run; what runs code, or names a variable, an address or a "
        "path, must be given again. Then updates the summary of the run.",
        epilog=_RETRY_EPILOG,
    )
    parser.set_defaults(command=RETRY)
    parser.add_argument("run", metavar="RUN", help="directory of the run")
    parser.add_argument(
        "--outcome",
        action="extend",
        nargs="+",
        metavar="OUTCOME",
        help="conversations to play again (default: infrastructure_error); user_error and others are possible too",
    )
    add_stored(parser)
    return parser


_DOCTOR_EPILOG = """\
exit codes: 0 ready, 1 not, 2 usage error

examples:
  tool_sandbox doctor                                    all providers
  tool_sandbox doctor --agent anthropic/MODEL --call     one model, and whether it answers
"""


def _doctor_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="tool_sandbox doctor",
        description="Shows which model providers are configured and what the others lack; keys are never shown.",
        epilog=_DOCTOR_EPILOG,
    )
    parser.set_defaults(command=DOCTOR)
    parser.add_argument("--agent", metavar="NAME", help="check this agent, as before a run")
    parser.add_argument("--user", metavar="NAME", help="check this user")
    parser.add_argument("--call", action="store_true", help="send the model one short request")
    parser.add_argument("--prices", type=Path, metavar="FILE", help="your own price table")
    parser.add_argument("--json", action="store_true", help="as JSON")
    return parser


_CHECK_EPILOG = """\
each scenario is played with
  the reference solution       scores 1 without a side effect, also with independent calls reordered
  agents that should fail      silent, refusing, request-blind, read-only, claims-only, empty-answer: next to nothing
  near misses                  a call dropped or changed, an unrequested write, a false answer: less than 1
  paraphrases of the answer    score 1
and its definition is linted: tools, milestones, minefields, secrets, tags, twins, near-duplicates.

exit codes: 0 no findings, 1 there are findings, 2 usage error

examples:
  tool_sandbox scenarios check                                      all base scenarios, one or two minutes
  tool_sandbox scenarios check 'remove_contact*' --seed 0 1 2       three seeds of some scenarios
  tool_sandbox scenarios check wifi_off --all-augmentations         one scenario with every augmentation
  tool_sandbox scenarios check --suite my_scenarios.py              scenarios of your own
  tool_sandbox scenarios check --elsewhere --json report.json       the report that is published with the suite
"""


def _add_check(scenarios: "argparse._SubParsersAction[Parser]") -> None:
    check = scenarios.add_parser(
        CHECK,
        help="verify that scenarios are scored correctly",
        description="Verifies scenarios: correct behaviour scores 1, and anything else scores less.",
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
        help="check these augmentations instead",
    )
    ways.add_argument("--all-augmentations", action="store_true", help="check every augmentation")
    check.add_argument("--seed", type=int, nargs="+", default=[0], metavar="N", help="seeds (default: 0)")
    add_suite(check)
    check.add_argument("--elsewhere", action="store_true", help="also at five dates in three time zones")
    check.add_argument("--processes", type=positive, metavar="N", help="worker processes (default: one per core)")
    check.add_argument("--json", type=OutputFile, metavar="FILE", help="write the report there")
    check.add_argument("--markdown", type=Path, metavar="FILE", help="update the figures in a page")
    check.add_argument("--from-report", type=Path, metavar="FILE", help="show an earlier report instead of checking")
