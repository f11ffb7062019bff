"""What the tasks app keeps: lists, tasks with what they need first, comments, and every change of a task."""

from typing import Any

from tool_sandbox.apps import TableRule, choice, date, flag, key, moment, only_one, reference, table, text, texts, whole
from tool_sandbox.world.table import Table

STATES = ("open", "in_progress", "waiting", "review", "done", "cancelled")
STARTED = ("in_progress", "review", "done")
"""States that a task has only after all that it needs is finished."""

FINISHED = ("done", "cancelled")
PRIORITIES = ("low", "normal", "high", "urgent")
REPEATS = ("daily", "weekdays", "weekly", "monthly", "yearly")


def _is_complete(row: dict[str, Any]) -> str | None:
    told = [
        ((row["state"] == "done") == (row["done_at"] is not None), "is done if and only if it has a time of it"),
        (row["state"] != "waiting" or row["reason"] is not None, "waits without a reason"),
        (row["state"] not in ("in_progress", "review") or row["assignee"] is not None, "is worked at by nobody"),
        ((row["repeats"] is None) == (row["repeats_from"] is None), "repeats without a first date"),
        (row["repeats"] is None or row["due_on"] is not None, "repeats without being due"),
    ]
    return next((f"task {row['task_id']} {words}" for is_right, words in told if not is_right), None)


def _follows(task_id: str, dependencies: Table, tasks: Table) -> str | None:
    """Nothing needs itself, and nothing has begun before all that it needs was finished."""
    before = dependencies.with_cell("task_id", task_id)
    for row in (*before, *dependencies.with_cell("needed_task_id", task_id)):
        later, needed = (tasks.get(row[name]) or {"state": "open"} for name in ("task_id", "needed_task_id"))
        if later["state"] in STARTED and needed["state"] not in FINISHED:
            return f"task {row['task_id']} has begun, but {row['needed_task_id']}, which it needs, is not finished"
    known, left = set[str](), [row["needed_task_id"] for row in before]
    while left:
        each = left.pop()
        if each == task_id:
            return f"task {task_id} needs itself, directly or by others"
        if each not in known:
            known.add(each)
            left += [row["needed_task_id"] for row in dependencies.with_cell("task_id", each)]
    return None


LISTS = table(
    "tasks.lists",
    key("list_id"),
    text("name"),
    text("owner"),
    texts("members"),
    flag("reviewed"),
    whole("most_in_progress", 1, 50, optional=True),
    flag("archived"),
    moment("created_at"),
    unique=[only_one("name", words="there is a list of tasks with the name {name!r} already")],
)
"""Lists of tasks. People are ``me`` or an e-mail address; the owner does not stand among the members."""

TASKS = table(
    "tasks.tasks",
    key("task_id"),
    reference("list_id", "tasks.lists"),
    text("title"),
    text("details", optional=True),
    choice("state", *STATES),
    text("reason", optional=True),
    choice("priority", *PRIORITIES),
    date("due_on", optional=True),
    text("assignee", optional=True),
    whole("minutes", 1, 10_000, optional=True),
    texts("labels"),
    choice("repeats", *REPEATS, optional=True),
    date("repeats_from", optional=True),
    text("creator"),
    moment("created_at"),
    moment("done_at", optional=True),
    row_rules=[_is_complete],
)
"""Tasks."""

DEPENDENCIES = table(
    "tasks.dependencies",
    key("dependency_id"),
    reference("task_id", "tasks.tasks"),
    reference("needed_task_id", "tasks.tasks"),
    unique=[only_one("task_id", "needed_task_id", words="the task needs that one already")],
    rules=[TableRule(_follows, others=("tasks.tasks",), per=("task_id", "needed_task_id"))],
)
"""Which task has to be finished before which can begin."""

COMMENTS = table(
    "tasks.comments",
    key("comment_id"),
    reference("task_id", "tasks.tasks"),
    text("author"),
    text("content"),
    moment("written_at"),
)
"""What people wrote about tasks."""

EDITS = table("tasks.edits", key("edit_id"), text("made_by"), moment("made_at"), flag("undone"))
"""Changes of one or more tasks that were made together."""

CHANGES = table(
    "tasks.changes",
    key("change_id"),
    reference("edit_id", "tasks.edits"),
    reference("task_id", "tasks.tasks"),
    text("field"),
    text("old", optional=True),
    text("new", optional=True),
)
"""What an edit did to each task: a column with its cell before and after, or a label, or that the task was made."""
