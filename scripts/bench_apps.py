"""Measures tables of apps at 10,000 rows: forks, searches, changes, and writing a world.

Usage: python scripts/bench_apps.py [ROWS]
"""

import json
import sys
import timeit
from collections.abc import Callable
from typing import Any

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
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType, new_context
from tool_sandbox.world.profile import Profile

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


def make_world(count: int) -> tuple[ExecutionContext, Draw]:
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


def main(count: int) -> None:
    context, draw = make_world(count)
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
            first, *others = timeit.repeat(case, number=1, repeat=21)
            print(f"{name:<30} {sorted(others)[10] * 1e3:9.3f} ms   (the first time {first * 1e3:.3f})")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
