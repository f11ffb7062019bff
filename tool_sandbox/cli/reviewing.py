"""The command that has a person, or a model, decide what is unclear."""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tool_sandbox.cli.parsing import Parser
from tool_sandbox.cli.reporting import usage_text
from tool_sandbox.cli.rescoring import scored_by
from tool_sandbox.cli.stored import run_paths
from tool_sandbox.cli.timeline import decision_text
from tool_sandbox.helpers.counting import counted
from tool_sandbox.helpers.printable import printable
from tool_sandbox.models.redaction import keys_in_use, redact, without_keys
from tool_sandbox.records.options import recorded
from tool_sandbox.records.result import Result
from tool_sandbox.records.usage import PartyUsage
from tool_sandbox.runner.rescore import episode_of
from tool_sandbox.runner.review import REVIEW_FILE, decide
from tool_sandbox.runner.reviewer import Reviewer
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.runner.usage import add_up, usage_of
from tool_sandbox.runner.verdicts import is_open
from tool_sandbox.runner.wiring import Wiring
from tool_sandbox.world.errors import ConfigurationError

_EPILOG = f"""\
Each decision is kept in {REVIEW_FILE} in the directory of the run, with its author and time, and the conversation is
scored again at once; `rescore` uses it, too. Decisions of a person take precedence over those of a judge.

examples:
  tool_sandbox review runs/agent_my_agent
  tool_sandbox review runs/* --judge openai/gpt-5.6-terra

exit codes: 0 done, 1 the judge could not decide everything, 2 usage error
"""
_ANSWERS = {"s": True, "stated": True, "n": False, "not stated": False}
_QUESTION = "Does it state this? stated (s), not stated (n), skip (Enter), end (q): "

_PATIENCE = 3
"""Consecutive conversations about which a judge may decide nothing before it is no longer asked."""


def parser() -> Parser:
    """The parser of ``tool_sandbox review``."""
    command = Parser(
        prog="tool_sandbox review",
        description="Shows each conversation whose score depends on an unclear answer, with the sentence and the fact, "
        "and asks whether the sentence states the fact.",
        epilog=_EPILOG,
    )
    command.add_argument("runs", nargs="+", metavar="RUN", help="directory of a run, of a sweep, or of several runs")
    command.add_argument("--judge", metavar="MODEL", help="ask this model instead of a person")
    command.add_argument(
        "--prices", type=Path, metavar="FILE", help="your own price table; takes precedence over the built-in one"
    )
    command.add_argument("--suite", metavar="PATH", help="path of the suite, if the run was played with --suite")
    return command


def command(arguments: argparse.Namespace) -> int:
    """Asks, and scores by the answers."""
    waiting = {}
    for path in run_paths(arguments.runs):
        directory = RunDirectory(path)
        if found := [result for result in directory.read_results() if is_open(result)]:
            waiting[path] = reviewer(path, arguments.suite), found
    if not waiting:
        print("no conversation is open")
        return 0
    print(f"{counted(sum(len(found) for _, found in waiting.values()), 'conversation')} open")
    asker = _Person() if arguments.judge is None else _Model(arguments.judge, arguments.prices)
    still = 0
    for each, found in waiting.values():
        with each.directory.claim(), without_keys():
            known = asker.decided
            for result in found:
                if not asker.is_done and not asker.ask(each, result):
                    asker.is_done = True
            if asker.decided > known:
                each.directory.rebuild_summary()
        still += sum(map(is_open, each.directory.read_results()))
    asker.end()
    print(f"{counted(asker.decided, 'reading')} decided, {counted(still, 'conversation')} still open")
    return 1 if asker.has_failed else 0


def reviewer(path: Path, place: str | None = None) -> Reviewer:
    """What takes decisions about a run."""
    directory = RunDirectory(path)
    run = directory.read_run()
    if run.get("suite") is None:
        raise ConfigurationError(f"{path} was not played with a suite, so it cannot be scored again")
    found = Reviewer(directory, *scored_by(run, place, recorded(run)["profile"]))
    found.check()
    return found


class _Person:
    """Who sits at the terminal."""

    def __init__(self) -> None:
        self.decided, self.is_done, self.has_failed = 0, False, False
        self._name = _asked("Your name: ")
        if not self._name:
            raise ConfigurationError("a decision needs a name")

    def ask(self, run: Reviewer, result: Result) -> bool:
        """Asks about one conversation until it is closed; whether to go on with the next one."""
        low, high = result.get("score_interval") or (0.0, 1.0)
        print(f"\n{printable(result['directory'])}: score {low:.3f} to {high:.3f}")
        seen: set[tuple[int, str]] = set()
        while (doubt := next(_undecided(result, seen), None)) is not None:
            seen.add((doubt["message"], doubt["fact"]))
            print(printable(f"  message {doubt['message']}: {doubt['sentence']}"))
            print(printable(f"  fact: {doubt['fact']}"))
            answer = _asked(_QUESTION, ("", "q", *_ANSWERS))
            if answer in (None, "q"):
                return False
            if answer in _ANSWERS:
                decision = decide(result["directory"], doubt, is_stated=_ANSWERS[answer], by=str(self._name))
                result = run.take(result, [decision])
                self.decided += 1
        return True

    def end(self) -> None:
        """A person costs nothing."""


class _Model:
    """A judge."""

    def __init__(self, choice: str, prices: Path | None) -> None:
        from tool_sandbox.models.prices import load_prices
        from tool_sandbox.runner.judging import NamedJudge

        self.decided, self.is_done, self.has_failed = 0, False, False
        self._judge, self._wiring = NamedJudge(choice)(), Wiring(price=load_prices(prices))
        self._usages: list[PartyUsage] = []
        self._failures = 0

    def ask(self, run: Reviewer, result: Result) -> bool:
        """Asks about one conversation; whether it is worth while to go on with the next one."""
        wires = self._wiring.connect({}, episode_of(result), self._judge.provider)
        session, model = wires.sessions["judge"]
        after, count, error = run.ask(self._judge, session, result)
        self._usages.append(usage_of(session, model))
        self.decided += count
        self._failures = 0 if count or error is None else self._failures + 1
        print(f"\n{printable(result['directory'])}: {_told(after)}")
        for line in _decisions(after, self._judge.name):
            print(printable(f"  {line}"))
        if error is not None:
            self.has_failed = True
            print(printable(f"  left open: {redact(error, keys_in_use())}"))
        return self._failures < _PATIENCE

    def end(self) -> None:
        """Says what it cost."""
        if self.is_done:
            silent = counted(_PATIENCE, "conversation")
            print(f"\nthe judge decided nothing about {silent} in a row and is not asked any more")
        if (total := add_up(self._usages)) is not None:
            print(f"\njudge {printable(self._judge.name)}: {usage_text(total)}")


def _told(result: Result) -> str:
    interval: Sequence[float] | None = result["score_interval"]
    return f"score {result['similarity']:.3f}" if interval is None else f"score {interval[0]:.3f} to {interval[1]:.3f}"


def _decisions(result: Result, judge: str) -> Iterator[str]:
    for doubt in result["unclear"]:
        if doubt.get("is_judge") and doubt["by"] == judge:
            yield f"message {doubt['message']}: {doubt['sentence']}"
            yield f"fact: {doubt['fact']}{decision_text(doubt)}"


def _undecided(result: Result, seen: set[tuple[int, str]]) -> Iterator[Mapping[str, Any]]:
    if is_open(result):
        for doubt in result["unclear"]:
            if doubt["is_stated"] is None and (doubt["message"], doubt["fact"]) not in seen:
                yield doubt


def _asked(question: str, known: tuple[str, ...] | None = None) -> str | None:
    """A line from the terminal, asked for until it is a known answer; ``None`` at the end of the input."""
    while True:
        print(question, end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            print()
            return None
        answer = line.strip() if known is None else line.strip().lower()
        if known is None or answer in known:
            return answer
