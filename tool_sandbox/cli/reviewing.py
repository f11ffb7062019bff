"""The command that has a person decide what is unclear."""

import argparse
import datetime
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from tool_sandbox.cli.parsing import Parser
from tool_sandbox.cli.rescoring import scored_by
from tool_sandbox.cli.stored import run_path
from tool_sandbox.common.counting import counted
from tool_sandbox.common.errors import ConfigurationError
from tool_sandbox.common.printable import printable
from tool_sandbox.runner.rescore import Rescorer
from tool_sandbox.runner.review import REVIEW_FILE, Decision, decisions_of, read_review, write_review
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.runner.summary import Result
from tool_sandbox.runner.verdicts import is_open

_EPILOG = f"""\
Each decision is kept in {REVIEW_FILE} in the directory of the run, with who and when, and the conversation is scored
again by it at once; `rescore` goes by it, too.

examples:
  tool_sandbox review runs/agent_my_agent

exit codes: 0 done, 2 the command was wrong
"""
_ANSWERS = {"s": True, "stated": True, "n": False, "not stated": False}
_QUESTION = "Does it state this? stated (s), not stated (n), skip (Enter), end (q): "


def parser() -> Parser:
    """The parser of ``tool_sandbox review``."""
    command = Parser(
        prog="tool_sandbox review",
        description="Shows each conversation whose score hangs on an unclear reading, with the sentence and the fact, "
        "and asks whether the one states the other.",
        epilog=_EPILOG,
    )
    command.add_argument("run", metavar="RUN", help="directory of the run")
    command.add_argument("--suite", metavar="PATH", help="where the suite is, of a run that was played with --suite")
    return command


def command(arguments: argparse.Namespace) -> int:
    """Asks, and scores by the answers.

    Args:
        arguments: Parsed flags.

    Returns:
        Exit code 0.

    Raises:
        ConfigurationError: There is no run, it is being played, or it was scored by another version of its suite.
    """
    directory = RunDirectory(run_path(arguments.run))
    waiting = [result for result in directory.read_results() if is_open(result)]
    if not waiting:
        print("no conversation is open")
        return 0
    run = directory.read_run()
    source, suite = scored_by(run, arguments.suite, run.get("profile"))
    if (run.get("suite") or {}).get("content_hash") != suite["content_hash"]:
        raise ConfigurationError(
            f"{directory.path} was scored by another version of its suite; review what "
            f"`tool_sandbox rescore {directory.path} --to DIR` writes"
        )
    print(f"{counted(len(waiting), 'conversation')} open")
    if not (name := _asked("Your name: ")):
        raise ConfigurationError("a decision needs a name")
    with directory.claim():
        review = read_review(directory)
        known = len(review)
        for result in waiting:
            if not _decided(result, name, review, Rescorer(directory, source, suite, target=directory)):
                break
        if len(review) > known:
            directory.rebuild_summary()
    still = sum(map(is_open, directory.read_results()))
    print(f"{counted(len(review) - known, 'reading')} decided, {counted(still, 'conversation')} still open")
    return 0


def _decided(result: Result, name: str, review: list[Decision], rescorer: Rescorer) -> bool:
    """Asks about one conversation until it is closed; whether to go on with the next one."""
    low, high = result["score_interval"]
    print(printable(f"\n{result['directory']}: score {low:.3f} to {high:.3f}"))
    seen: set[tuple[int, str]] = set()
    while (doubt := next(_undecided(result, seen), None)) is not None:
        seen.add((doubt["message"], doubt["fact"]))
        print(printable(f"  message {doubt['message']}: {doubt['sentence']}"))
        print(printable(f"  fact: {doubt['fact']}"))
        answer = _asked(_QUESTION, ("", "q", *_ANSWERS))
        if answer in (None, "q"):
            return False
        if answer not in _ANSWERS:
            continue
        place = {key: doubt[key] for key in ("message", "fact", "sentence")}
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        review.append(Decision(result["directory"], **place, is_stated=_ANSWERS[answer], by=name, at=now))
        write_review(rescorer.directory, review)
        result = attrs.evolve(rescorer, decisions=decisions_of(review))(result).after
    return True


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
