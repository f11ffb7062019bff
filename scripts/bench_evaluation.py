#!/usr/bin/env python
"""Times the evaluation of trajectories: medians over runs, with the machine and the versions.

Every case is scored in both profiles. The matcher is new in each run, so preparing the targets is included.
"""

import functools
import json
import platform
import random
import statistics
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import polars as pl

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.scoring import (
    Evaluation,
    Milestone,
    MilestoneMatcher,
    SnapshotConstraint,
    addition_similarity,
    snapshot_similarity,
    tool_trace_dependant_similarity,
)
from tool_sandbox.scoring.published.tool_trace_extractors import result_to_temperature_extractor
from tool_sandbox.world.profile import Profile

Edges = list[tuple[int, int]]

SENTENCE = "the message to homer was sent and your reminder has been moved from monday to friday evening at nine"
WORDS = SENTENCE.split()
RUNS = 5

SHAPES: dict[str, Callable[[int], Edges]] = {
    "chain": lambda n: [(i, i + 1) for i in range(n - 1)],
    "antichain + join": lambda n: [(i, n - 1) for i in range(n - 1)],
    "diamond": lambda n: [(0, i) for i in range(1, n - 1)] + [(i, n - 1) for i in range(1, n - 1)],
    "two branches": lambda n: (
        [(0, 1), (0, 2)] + [(i, i + 2) for i in range(1, n - 3)] + [(n - 3, n - 1), (n - 2, n - 1)]
    ),
    "layers": lambda n: [(i, j) for i in range(n // 2) for j in range(n // 2, n)],
    "complete": lambda n: [(i, j) for i in range(n) for j in range(i + 1, n)],
    "zigzag": lambda n: [(i, j) for i in range(0, n - 1, 2) for j in (i - 1, i + 1) if j >= 0],
}


def conversation(messages: int, *, changes: str = "none", seed: int = 0) -> ExecutionContext:
    """Builds a conversation in which every second message comes from the agent."""
    draw = random.Random(seed)
    context = ExecutionContext()
    for number in range(messages):
        if number % 2 and changes != "none":
            on = bool(number // 2 % 2)
            person = {"person_id": f"p{number if changes == 'new' else on}", "name": "A", "is_self": False}
            context.set_rows(DatabaseNamespace.CONTACT, [person])
        sender, recipient = [(RoleType.USER, RoleType.AGENT), (RoleType.AGENT, RoleType.USER)][number % 2]
        trace = json.dumps({"tool_name": "measure", "arguments": {}, "result": draw.randrange(50)})
        text = " ".join(draw.sample(WORDS, draw.randint(4, 12)))
        context.add_to_database(
            DatabaseNamespace.SANDBOX,
            [{"sender": sender, "recipient": recipient, "content": text, "tool_trace": [trace]}],
        )
    return context


def says(text: str) -> SnapshotConstraint:
    """The agent tells the user a text."""
    target = pl.DataFrame({"sender": RoleType.AGENT, "recipient": RoleType.USER, "content": text})
    return SnapshotConstraint(DatabaseNamespace.SANDBOX, snapshot_similarity, target_dataframe=target)


def partial_matches(size: int, edges: Edges) -> list[Milestone]:
    """Milestones that every message of the agent meets a little."""
    draw = random.Random(1)
    return [Milestone([says(" ".join(draw.sample(WORDS, 8)))]) for _ in range(size)]


def plateau(size: int, edges: Edges) -> list[Milestone]:
    """Milestones that most messages of the agent meet equally well."""
    return [Milestone([says("the message to homer was sent")]) for _ in range(size)]


def no_match(size: int, edges: Edges) -> list[Milestone]:
    """Milestones that nothing meets."""
    return [Milestone([says("zzz yyy xxx")]) for _ in range(size)]


def referring(size: int, edges: Edges) -> list[Milestone]:
    """Milestones that depend on what was measured, or added, since another one."""
    gap = functools.partial(
        tool_trace_dependant_similarity, fill_to="content", extractor=result_to_temperature_extractor
    )
    target = pl.DataFrame(
        {"sender": RoleType.AGENT, "recipient": RoleType.USER, "content": "the message was {temperature}"}
    )
    added = pl.DataFrame({"name": "A"})
    milestones = []
    for node in range(size):
        before = [earlier for earlier, later in edges if later == node]
        if not before:
            milestones.append(Milestone([says("the message to homer was sent")]))
        elif node % 2:
            milestones.append(
                Milestone(
                    [SnapshotConstraint(DatabaseNamespace.SANDBOX, gap, earlier, target) for earlier in before[:2]]
                )
            )
        else:
            constraint = SnapshotConstraint(DatabaseNamespace.CONTACT, addition_similarity, before[0], added)
            milestones.append(Milestone([constraint, says("the message was moved")]))
    return milestones


def new_evaluation(kind: Callable[..., list[Milestone]], size: int, edges: Edges, profile: Profile) -> Evaluation:
    """An evaluation that nothing has been prepared for."""
    return Evaluation(MilestoneMatcher(kind(size, edges), edges), profile=profile)


def measure(make: Callable[[], Evaluation], context: ExecutionContext, runs: int) -> tuple[float, float]:
    """Median milliseconds of CPU time, and the score."""
    times = []
    for _ in range(runs):
        evaluation = make()
        start = time.process_time()
        result = evaluation.evaluate(context, max_turn_count=30)
        times.append((time.process_time() - start) * 1000)
    return statistics.median(times), result.similarity


def report(
    title: str, contexts: dict[str, ExecutionContext], size: int, kinds: Sequence[Callable[..., list[Milestone]]]
) -> None:
    """Prints one line a case."""
    print(f"\n{title}\n{'shape':<18}{'milestones':<17}{'world':<13}{'published ms':>13}{'strict ms':>11}{'scores':>16}")
    for shape, edges_of in SHAPES.items():
        edges = edges_of(size)
        for kind in kinds:
            for world, context in contexts.items():
                cells = []
                for profile in Profile:
                    make = functools.partial(new_evaluation, kind, size, edges, profile)
                    cells.append(measure(make, context, RUNS))
                (published, score), (strict, strict_score) = cells
                scores = f"{score:.4f} {strict_score:.4f}"
                print(f"{shape:<18}{kind.__name__:<17}{world:<13}{published:>13.1f}{strict:>11.1f}{scores:>16}")


def typical() -> None:
    """A usual scenario: 3 milestones, 12 messages, 4 tool calls."""
    context = conversation(12)
    times = []
    edges = [(0, 1), (1, 2)]
    for profile in Profile:
        make = functools.partial(new_evaluation, partial_matches, 3, edges, profile)
        times.append(measure(make, context, 101)[0])
    print(f"typical (3 milestones, 12 messages): published {times[0]:.2f} ms, strict {times[1]:.2f} ms")


def main() -> None:
    """Runs all cases."""
    cpu = platform.processor() or platform.machine()
    if (info := Path("/proc/cpuinfo")).exists():
        cpu = next((line.split(":")[1].strip() for line in info.read_text().splitlines() if "model name" in line), cpu)
    print(f"{cpu}, {platform.system()}, Python {platform.python_version()}, polars {version('polars')}")
    print(f"medians of {RUNS} runs, CPU time of one evaluation with a new matcher")
    typical()
    report("6 milestones, 30 messages, nothing matches", {"new": conversation(30, changes="new")}, 6, [no_match])
    worlds = {changes: conversation(300, changes=changes) for changes in ("none", "new", "alternating")}
    report("8 milestones, 300 messages", worlds, 8, [no_match, partial_matches, plateau, referring])


if __name__ == "__main__":
    main()
