"""Measures apps in milliseconds of CPU time: tables of 10,000 rows, and every tool of every app with large content.

Not a test: what it prints depends on the machine.

Usage: python scripts/bench_apps.py [--rows ROWS] [--apps NAME ...]
"""

import argparse
import contextlib
import contextvars
import importlib.metadata
import json
import os
import platform
import random
import statistics
import time
import timeit
from collections.abc import Callable, Iterator
from typing import Any

import attrs

from tool_sandbox.apps import (
    Draw,
    add,
    at_least,
    change,
    choice,
    contains,
    equals,
    key,
    moment,
    now,
    only_one,
    reference,
    remove,
    remove_with,
    search,
    table,
    text,
    texts,
    tool,
)
from tool_sandbox.apps.calls import Caller
from tool_sandbox.apps.check import make_world
from tool_sandbox.apps.registry import built_in, with_needed
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType, new_context
from tool_sandbox.world.device import DeviceState
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.tool import Tool, ToolFunction

ROWS = table(
    "big.rows",
    key("row_id"),
    text("title"),
    text("body"),
    choice("state", "open", "done"),
    moment("at"),
    texts("tags"),
    unique=[only_one("title")],
    row_rules=[lambda row: None],
)
LINKS = table("big.links", key("link_id"), reference("row_id", "big.rows"))


@tool
def finish_row(row_id: str) -> None:
    """Change one row."""
    change(ROWS, row_id, state="done")


@tool
def add_row(title: str) -> None:
    """Add one row."""
    add(ROWS, title=title, body="new", state="open", at=now(), tags=[])


@tool
def drop_row(row_id: str) -> None:
    """Remove one row and what refers to it."""
    remove_with(LINKS, "row_id", row_id)
    remove(ROWS, row_id)


def make_table(count: int) -> tuple[ExecutionContext, Draw]:
    context = ExecutionContext(profile=Profile.STRICT, id_seed="bench")
    context.add_tables([ROWS, LINKS])
    draw = Draw("bench")
    rows = [
        {
            "row_id": draw.key("row"),
            "title": f"title {number}",
            "body": f"some words about {number} things and {number * 7} others",
            "state": draw.choice(("open", "done")),
            "at": draw.moment(-number % 3000, 9),
            "tags": ["all", f"tag{number % 50}"],
        }
        for number in range(count)
    ]
    context.add_to_database(ROWS.name, rows)
    links = [{"link_id": draw.key("link"), "row_id": row["row_id"]} for row in rows]
    context.add_to_database(LINKS.name, links)
    say = {"sender": RoleType.USER, "recipient": RoleType.AGENT, "content": "Go on."}
    context.add_to_database(DatabaseNamespace.SANDBOX, [say])
    return context, draw


def bench_tables(count: int) -> None:
    """Prints what is done to one table costs."""
    context, draw = make_table(count)
    ids = iter(context.get_table(ROWS.name).column("row_id"))
    numbers = iter(range(10**9))

    def finish_and_search() -> None:
        finish_row(next(ids))
        search(ROWS, contains(("title", "body"), "things 77"))

    cases: dict[str, Callable[[], Any]] = {
        "fork": context.fork,
        "search for two words": lambda: search(ROWS, contains(("title", "body"), "things 77")),
        "search by a cell, in order": lambda: search(ROWS, equals("state", "open"), order_by="at"),
        "search by a tag and a word": lambda: search(ROWS, equals("tags", "tag7"), contains("body", "9")),
        "search by time, in order": lambda: search(ROWS, at_least("at", draw.moment(-100, 0)), order_by="at"),
        "list all, newest first": lambda: search(ROWS, order_by="at", descending=True),
        "change a row": lambda: finish_row(next(ids)),
        "add a row": lambda: add_row(f"new {next(numbers)}"),
        "remove a row and its links": lambda: drop_row(next(ids)),
        "change a row, then search": finish_and_search,
        "write the world as JSON": lambda: json.dumps(context.to_dict(serialize_console=False)),
    }
    with new_context(context):
        for name, case in cases.items():
            first, *others = timeit.repeat(case, timer=time.thread_time, number=1, repeat=21)
            print(f"{name:<30} {sorted(others)[10] * 1e3:9.3f} ms   (the first time {first * 1e3:.3f})")


# Every tool of an app with large content -------------------------------------------------------------------------


@attrs.frozen
class Measured:
    """What a tool costs in milliseconds, in its slowest kind of call."""

    tool: str
    slowest: float
    kind: str


def kinds_of_calls(caller: Caller, device: DeviceState, function: ToolFunction) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of a search with each condition by itself, and without; of another tool with arguments drawn at random."""
    parameters = Tool.of(function).parameters
    if "cursor" not in {parameter.name for parameter in parameters}:
        yield from (("any", caller.arguments(device, function, sanity=1.0)) for _ in range(8))
        return
    needed = [parameter for parameter in parameters if parameter.default is parameter.empty]
    for parameter in (None, *parameters):
        if parameter is None or (parameter not in needed and parameter.name not in ("limit", "cursor")):
            chosen = needed if parameter is None else [*needed, parameter]
            for _ in range(3):
                yield (
                    parameter.name if parameter else "no condition",
                    {each.name: caller.sane(device, each) for each in chosen},
                )


def cpu_ms(function: ToolFunction, arguments: dict[str, Any]) -> float:
    """What a call costs, one that fails included."""
    begin = time.thread_time()
    with contextlib.suppress(Exception):
        function(**arguments)
    return (time.thread_time() - begin) * 1e3


def bench_app(name: str) -> Iterator[Measured]:
    """Measures every tool of an app."""
    apps = with_needed([name])
    device, caller = make_world(apps, "large"), Caller(apps[-1], apps, random.Random(1))
    for function in apps[-1].tools:
        costs = dict[str, list[float]]()
        for kind, arguments in kinds_of_calls(caller, device, function):
            for is_first in (True, False):
                begin = device.savepoint()
                cost = cpu_ms(function, arguments)
                device.restore(begin)
                # The first call of a tool makes indexes, which a world shares with all its forks.
                if not is_first:
                    costs.setdefault(kind, []).append(cost)
        medians = {kind: statistics.median(some) for kind, some in costs.items()}
        slowest = max(medians, key=medians.__getitem__)
        yield Measured(function.__name__, medians[slowest], slowest)


def main() -> None:
    """Prints machine, versions and both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000, help="rows of the single table")
    parser.add_argument("--apps", nargs="*", choices=built_in(), default=built_in(), help="apps, all by default")
    given = parser.parse_args()
    version = importlib.metadata.version("tool_sandbox")
    print(f"{platform.platform()}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}")
    print(f"Python {platform.python_version()}, tool_sandbox {version}\n\nA table of {given.rows} rows:")
    bench_tables(given.rows)
    for app in given.apps:
        print(f"\n{app}, large:")
        measured = contextvars.copy_context().run(lambda name: [*bench_app(name)], app)
        for each in sorted(measured, key=lambda one: -one.slowest):
            print(f"{each.tool:<34} {each.slowest:9.3f} ms   ({each.kind})", flush=True)


if __name__ == "__main__":
    main()
