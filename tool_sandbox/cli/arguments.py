"""Flags and sub-commands of ``tool_sandbox``."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.cli.files import OutputFile
from tool_sandbox.cli.parsing import OncePerRun, Parser, of_kind, positive
from tool_sandbox.records.kinds import FLAG
from tool_sandbox.records.options import declared_of, options_of
from tool_sandbox.runner.request import Request
from tool_sandbox.version import __version__

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
  export RUN ... --to F    training data, or OpenTelemetry traces
  view [FOLDER]            the same in the browser, also during a run
  show RUN [SCENARIO]      conversations in the terminal
  review RUN               decide which facts unclear answers state
  rescore RUN              score a stored run again with the installed suite
  import inspect LOG       make a run of a log of Inspect AI
lists and checks:
  scenarios list           names of the scenarios; show NAME: details of one;
                           check: verify that the scenarios are scored correctly
  tools [NAME ...]         tools of the agent
  apps list|show|check     apps, whose tables and tools worlds can have; check: verify one
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


def play_parser() -> Parser:
    """The parser of ``tool_sandbox`` without a command, and of ``run``."""
    parser = Parser(
        prog="tool_sandbox",
        description="Plays scenarios of a stateful world between a user and an agent with tools, and scores them.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"tool_sandbox {__version__}")
    for title in ("agent and user", "scenarios", "models", "execution"):
        group = parser.add_argument_group(title)
        if title == "execution":
            add_dry_run(group)
        add_group(group, title)
    return parser


_SWEEP = """\
the file is TOML; every flag has a key there, and takes precedence over it:
  agents = ["Oracle", { agent = "openai/MODEL", label = "small" }]
  users = ["Scripted"]
  scenarios = ["wifi*", "modify_contact*"]
  seeds = [0, 1]
  trials = 5
  budget = 20.0            # US dollars, for all runs together

exit codes: 0 all conversations were played, 1 some could not be, 2 usage error, 130 interrupted

examples:
  tool_sandbox sweep sweep.toml --dry-run
  tool_sandbox sweep --agent Oracle Oracle:error_rate=0.1 --scenarios 'wifi*' --trials 5
"""


SWEPT = {field.name: declared.key or field.name for field, declared in options_of(Request) if declared.is_swept}
"""Flags of a sweep to their keys in its file."""


def sweep_parser() -> Parser:
    """The parser of ``tool_sandbox sweep``."""
    made = Parser(
        prog="tool_sandbox sweep",
        description="Plays every agent with every user on the same scenarios, concurrently, into one directory with a "
        "run for each pair.",
        epilog=_SWEEP,
    )
    made.add_argument("file", nargs="?", type=Path, metavar="FILE", help="what to play; optional if flags are given")
    made.add_argument("--name", metavar="TEXT", help="name of the sweep (default: the name of FILE)")
    who = made.add_argument_group("agents and users")
    for flag, what in (("agent", "the agents"), ("user", "the users (default: Scripted)")):
        who.add_argument(f"--{flag}", f"--{flag}s", dest=flag, nargs="+", action="extend", metavar="NAME", help=what)
    add_options(who, "system_prompt")
    add_group(made.add_argument_group("scenarios"), "scenarios")
    add_group(made.add_argument_group("models, for all runs together"), "models")
    how = made.add_argument_group("execution")
    add_dry_run(how)
    add_group(how, "execution")
    # What the file says holds where a flag does not.
    made.set_defaults(**dict.fromkeys(SWEPT))
    return made


def add_dry_run(group: "argparse._ArgumentGroup") -> None:
    """Adds the flag of commands that can say what they would play."""
    group.add_argument("--dry-run", action="store_true", help="only print what would be run, and the estimated cost")


def add_group(group: "argparse._ArgumentGroup", title: str) -> None:
    """Adds the flags of all options of a run that are declared to stand under a title."""
    listed = [(field, declared) for field, declared in options_of(Request) if declared.group == title]
    # Who plays the agent is said first.
    add_options(group, *(field.name for field, _ in sorted(listed, key=lambda each: each[0].kw_only)))


def add_options(command: "argparse._ActionsContainer", *names: str, **words: str) -> None:
    """Adds flags of options of a run, as they are declared."""
    fields = attrs.fields_dict(Request)
    for name in (*names, *words):
        field, declared = fields[name], declared_of(fields[name])
        flags = declared.flags or (f"--{name.replace('_', '-')}",)
        repeated = "; may be repeated" if declared.several == "repeated" else ""
        told = words.get(name, declared.help + repeated).replace("%", "%%")
        if declared.kind is FLAG:
            command.add_argument(*flags, dest=name, action="store_true", help=told)
            continue
        default = None if name in words else [] if declared.several == "repeated" else field.default
        value: dict[str, Any] = {"metavar": declared.kind.metavar, "type": of_kind(declared.kind)}
        if declared.kind.choices:
            value = {"choices": declared.kind.choices}
        several = {"action": OncePerRun} if name in ("agent", "user") else _SEVERAL[declared.several]
        command.add_argument(*flags, dest=name, default=default, help=told, **value, **several)


_SEVERAL: Mapping[str | None, Mapping[str, Any]] = {
    None: {},
    "any": {"action": "extend", "nargs": "*"},
    "some": {"nargs": "+"},
    "repeated": {"action": "append"},
}
"""How a flag takes several values, in the words of argparse."""


def add_suite(command: "argparse._ActionsContainer") -> None:
    """Adds flags about the suite that scenarios and tools come from."""
    add_options(command, "suite", "clock", "suite_time")


_SCENARIOS_EPILOG = """\
examples:
  tool_sandbox scenarios list 'wifi*'
  tool_sandbox scenarios show wifi_off
  tool_sandbox scenarios check wifi_off
"""


def scenarios_parser() -> Parser:
    """The parser of ``tool_sandbox scenarios``."""
    parser = Parser(prog="tool_sandbox scenarios", epilog=_SCENARIOS_EPILOG)
    scenarios = parser.add_subparsers(dest="action", required=True)
    listing = scenarios.add_parser("list", help="names and goals", description="Lists scenarios with their goals.")
    listing.add_argument("patterns", nargs="*", metavar="PATTERN", help="names or patterns (default: all)")
    add_options(listing, "tier", "axis", "subset", "category", "family", "augmentation", "opt_in")
    show = scenarios.add_parser(
        "show", help="details of one", description="Shows a scenario: start, goal, tools, milestones, solution."
    )
    show.add_argument("name", metavar="NAME")
    show.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the world (default: 0)")
    _add_check(scenarios)
    for command in (listing, show):
        add_suite(command)
        command.add_argument("--json", action="store_true", help="as JSON")
    return parser


def tools_parser() -> Parser:
    """The parser of ``tool_sandbox tools``."""
    parser = Parser(prog="tool_sandbox tools", description="Lists tools of the agent.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="show these in full")
    add_suite(parser)
    parser.add_argument("--json", action="store_true", help="as JSON")
    return parser


def agents_parser() -> Parser:
    """The parser of ``tool_sandbox agents``."""
    told = "Lists available agents and users, and what each requires."
    parser = Parser(prog="tool_sandbox agents", description=told)
    parser.add_argument("--json", action="store_true", help="as JSON")
    return parser


_RESCORE_EPILOG = """\
exit codes: 0 all were scored again, 1 some could not be, or changed without a reason, 2 usage error

examples:
  tool_sandbox rescore data/RUN                          which scores would change, and why
  tool_sandbox rescore data/RUN --to data/rescored       a copy of the run with the new scores
"""


def rescore_parser() -> Parser:
    """The parser of ``tool_sandbox rescore``."""
    parser = Parser(
        prog="tool_sandbox rescore",
        description="Scores the stored conversations of a run with the installed suite. Nothing is played, and the run "
        "itself is only read. Says which scores changed and why: milestones, initial state or scoring rules.",
        epilog=_RESCORE_EPILOG,
    )
    parser.add_argument("run", metavar="RUN", help="directory of the run")
    add_options(
        parser,
        suite="path of the suite, if the run was played with --suite",
        profile="scoring rules (default: the run's)",
    )
    parser.add_argument("--to", metavar="DIR", help="write a copy of the run with the new scores here")
    add_options(parser, "address", executor="where it is scored again: local, or on a Ray cluster (default: local)")
    parser.add_argument("--json", type=OutputFile, metavar="FILE", help="write the changes and their reasons here")
    return parser


_STORED = """\
{description} All settings are those of the run; what runs code, or names a variable, an address or a path, must be \
given again. Then updates the {updated}."""

_RESUME_EPILOG = """\
exit codes: 0 all conversations are played, 1 some could not be, 2 usage error, 130 interrupted

examples:
  tool_sandbox resume data/RUN
  tool_sandbox resume data/RUN --agent "command: ./my_agent"      a command is never taken from a file
  tool_sandbox resume data/SWEEP --concurrency 50        all its runs at once
  tool_sandbox resume data/RUN --agent vllm/MODEL:base_url=http://127.0.0.1:9000/v1
"""


def resume_parser() -> Parser:
    """The parser of ``tool_sandbox resume``."""
    told = "Plays what is missing in runs that were killed or stopped: conversations without a result, and those with "
    description = _STORED.format(description=f"{told}an infrastructure error.", updated="summaries")
    parser = Parser(prog="tool_sandbox resume", description=description, epilog=_RESUME_EPILOG)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="directory of a run, or of several such as a sweep")
    _add_stored(parser, several=True)
    return parser


_RETRY_EPILOG = """\
exit codes: 0 all were played, 1 some could not be, 2 usage error, 130 interrupted

examples:
  tool_sandbox retry data/RUN
  tool_sandbox retry data/RUN --outcome infrastructure_error user_error
  tool_sandbox resume SWEEP                              play what is missing in a sweep
"""


def retry_parser() -> Parser:
    """The parser of ``tool_sandbox retry``."""
    told = (
        "Plays conversations of a run again, in place: those with an infrastructure error and those without a result."
    )
    description = _STORED.format(description=told, updated="summary of the run")
    parser = Parser(prog="tool_sandbox retry", description=description, epilog=_RETRY_EPILOG)
    parser.add_argument("run", metavar="RUN", help="directory of the run")
    parser.add_argument(
        "--outcome",
        action="extend",
        nargs="+",
        metavar="OUTCOME",
        help="conversations to play again (default: infrastructure_error); user_error and others are possible too",
    )
    _add_stored(parser)
    return parser


def _add_stored(command: Parser, *, several: bool = False) -> None:
    """Adds flags of commands that continue stored runs."""
    one, together = (" (one RUN only)", " by all runs together") if several else ("", "")
    for party in ("agent", "user"):
        command.add_argument(
            f"--{party}",
            action="append" if several else "store",
            metavar="NAME",
            help=f"the {party} of the run, possibly with another base_url or key{one}; required for commands, files "
            f"and programs, and if it names a base_url or variable{', once for each' if several else ''}",
        )
    add_options(
        command,
        judge="the judge of the run, if it names a base_url or variable",
        services="record:PATH or replay:PATH, if the run used one",
        cache="the cache of the run, if it has one",
        suite="path of the suite, if the run was played with --suite",
    )
    command.add_argument("--anyway", action="store_true", help="even if new and stored scores are not comparable")
    add_options(command, budget=f"stop when this much is spent{together}")
    add_options(command, "max_tokens_total")
    add_options(command, prices="the price table of the run, if it has its own")
    add_options(command, "batch_patience", "concurrency", "processes", "executor", "address")


_DOCTOR_EPILOG = """\
exit codes: 0 ready, 1 not, 2 usage error

examples:
  tool_sandbox doctor                                    all providers
  tool_sandbox doctor --agent anthropic/MODEL --call     one model, and whether it answers
"""


def doctor_parser() -> Parser:
    """The parser of ``tool_sandbox doctor``."""
    parser = Parser(
        prog="tool_sandbox doctor",
        description="Shows which model providers are configured and what the others lack; keys are never shown.",
        epilog=_DOCTOR_EPILOG,
    )
    parser.add_argument("--agent", metavar="NAME", help="check this agent, as before a run")
    parser.add_argument("--user", metavar="NAME", help="check this user")
    parser.add_argument("--call", action="store_true", help="send the model one short request")
    add_options(parser, "prices")
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
        "check",
        help="verify that scenarios are scored correctly",
        description="Verifies scenarios: correct behaviour scores 1, and anything else scores less.",
        epilog=_CHECK_EPILOG,
    )
    check.add_argument("patterns", nargs="*", metavar="NAME", help="names or patterns (default: all base scenarios)")
    add_options(check, "tier")
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
    add_options(check, "address", executor="where scenarios are checked: local, or on a Ray cluster (default: local)")
    check.add_argument("--json", type=OutputFile, metavar="FILE", help="write the report there")
    check.add_argument("--markdown", type=Path, metavar="FILE", help="update the figures in a page")
    check.add_argument("--from-report", type=Path, metavar="FILE", help="show an earlier report instead of checking")
