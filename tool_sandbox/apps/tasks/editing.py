"""How tasks are changed: what is allowed, what is kept of it, and what must hold afterwards."""

import datetime
from collections.abc import Sequence
from typing import Any

from dateutil import rrule

from tool_sandbox.apps import (
    Read,
    add,
    add_all,
    change,
    checked_date,
    checked_text,
    checked_texts,
    found_in,
    get,
    now,
    rows_of,
    rows_with,
    today,
)
from tool_sandbox.apps.paging import Condition
from tool_sandbox.apps.tasks.tables import CHANGES, DEPENDENCIES, EDITS, FINISHED, LISTS, STARTED, TASKS
from tool_sandbox.world.table import TableSchema

Row = dict[str, Any]

ME = "me"
LONGEST_TITLE = 80
LONGEST_DETAILS = 2_000
LONGEST_LABEL = 20
MOST_LABELS = 3
MOST_TOGETHER = 50


def found(read: Read, schema: TableSchema, *conditions: Condition) -> list[Row]:
    """Rows of a table that meet conditions."""
    table = read(schema)
    return [schema.as_dict(table.rows[place]) for place in found_in(table, *conditions)]


def needs(task_id: str, read: Read = rows_of) -> list[Row]:
    """Tasks that have to be finished before."""
    rows = read(DEPENDENCIES).with_cell("task_id", task_id)
    return [task for row in rows for task in read(TASKS).with_cell("task_id", row["needed_task_id"])]


def needed_by(task_id: str, read: Read = rows_of) -> list[Row]:
    """Tasks that can begin only afterwards."""
    rows = read(DEPENDENCIES).with_cell("needed_task_id", task_id)
    return [task for row in rows for task in read(TASKS).with_cell("task_id", row["task_id"])]


def unfinished(tasks: Sequence[Row]) -> list[Row]:
    """Those that are neither done nor cancelled."""
    return [task for task in tasks if task["state"] not in FINISHED]


def is_blocked(task_id: str, read: Read = rows_of) -> bool:
    """Whether something that a task needs is unfinished."""
    table, state = read(TASKS), TASKS.positions["state"]
    needed = [row["needed_task_id"] for row in read(DEPENDENCIES).with_cell("task_id", task_id)]
    return any(table.rows[table.keys[key]][state] not in FINISHED for key in needed)


def told(task: Row) -> str:
    """A task as errors name it."""
    return f"{task['title']!r} ({task['task_id']})"


# What is allowed ------------------------------------------------------------------------------


def open_list(list_id: str) -> Row:
    """A list whose tasks may be changed."""
    row = get(LISTS, list_id)
    if row["archived"]:
        raise ValueError(f"the list {row['name']!r} is archived; modify_task_list with archived=False opens it again")
    return row


def own_list(list_id: str) -> Row:
    """A list of the user."""
    row = get(LISTS, list_id)
    if row["owner"] != ME:
        raise PermissionError(f"the list {row['name']!r} belongs to {row['owner']}, who alone may do this")
    return row


def changeable(task_id: str) -> Row:
    """A task that the user may change."""
    task = get(TASKS, task_id)
    owner = open_list(task["list_id"])["owner"]
    if ME not in (owner, task["creator"], task["assignee"]) and task["assignee"] is not None:
        raise PermissionError(
            f"{told(task)} is assigned to {task['assignee']} in a list of {owner}; only they change it"
        )
    return task


def check_cells(cells: Row) -> None:
    """Refuses cells of a task that are no good by themselves."""
    checked_text(cells.get("title"), "title", LONGEST_TITLE)
    checked_text(cells.get("details"), "details", LONGEST_DETAILS)
    checked_date(cells.get("due_on"), "due_on")
    checked_texts(cells.get("labels"), "labels", longest=LONGEST_LABEL, most=MOST_LABELS)
    check_number(cells.get("minutes"), "minutes", 10_000)


def check_number(value: Any, name: str, most: int) -> None:
    """Refuses a number that is not from 1 to another one; ``None`` and `NOT_GIVEN` pass."""
    if isinstance(value, int) and not (1 <= value <= most and value is not True):
        raise ValueError(f"{name} must be a number from 1 to {most}, got {str(value)[:20]}")


def check_sound(task_id: str) -> None:
    """Refuses a task that, after a change, does not go with its list or with other tasks."""
    task = get(TASKS, task_id)
    row = open_list(task["list_id"])
    if task["assignee"] not in (None, row["owner"], *row["members"]):
        raise ValueError(
            f"{str(task['assignee'])[:60]!r} is no member of the list {row['name']!r}; its owner adds people by "
            "set_task_list_members"
        )
    if task["state"] in ("in_progress", "review") and task["assignee"] is None:
        raise ValueError(f"{told(task)} needs an assignee, to be in the state {task['state']}")
    if task["repeats"] is not None and task["due_on"] is None:
        raise ValueError(f"{told(task)} repeats, it needs due_on")
    if task["state"] in STARTED and (missing := unfinished(needs(task_id))):
        raise ValueError(f"{told(task)} needs {told(missing[0])} first, which is {missing[0]['state']}")
    begun = [each for each in needed_by(task_id) if each["state"] in STARTED]
    if begun and task["state"] not in FINISHED:
        raise ValueError(f"{told(begun[0])} needs {told(task)} and is {begun[0]['state']}; open that one again first")
    most, there = row["most_in_progress"], rows_with(TASKS, "list_id", row["list_id"])
    if most is not None and task["state"] == "in_progress" and sum(e["state"] == "in_progress" for e in there) > most:
        raise ValueError(f"the list {row['name']!r} has {most} tasks in progress at most; finish or stop one first")


# What is done and kept ------------------------------------------------------------------------


def edit(tasks: Sequence[tuple[Row, Row]], made: Sequence[str] = ()) -> str:
    """Gives tasks other cells, all or none, keeps what changed, and returns the identifier of the edit.

    Args:
        tasks: Tasks as they are, each with the cells that it is to have.
        made: Identifiers of tasks that were made by this edit.
    """
    log: list[Row] = [{"task_id": task_id, "field": "made", "old": None, "new": None} for task_id in made]
    for task, cells in tasks:
        log += [{"task_id": task["task_id"]} | each for each in _differences(task, cells)]
        if cells:
            change(TASKS, task["task_id"], **_with_done_at(task, cells))
    if not log:
        raise ValueError("nothing would change by this")
    for task, _ in tasks:
        check_sound(task["task_id"])
    edit_id = add(EDITS, made_by=ME, made_at=now(), undone=False)
    add_all(CHANGES, [{"edit_id": edit_id} | each for each in log])
    return edit_id


def _with_done_at(task: Row, cells: Row) -> Row:
    state = cells.get("state", task["state"])
    if state == task["state"]:
        return cells
    return cells | {"done_at": now() if state == "done" else None}


def _differences(task: Row, cells: Row) -> list[Row]:
    found: list[Row] = []
    for field, new in cells.items():
        old = task[field]
        if field == "labels":
            found += [{"field": "label", "old": label, "new": None} for label in old if label not in new]
            found += [{"field": "label", "old": None, "new": label} for label in new if label not in old]
        elif old != new:
            found.append({"field": field, "old": as_text(old), "new": as_text(new)})
    return found


def as_text(cell: Any) -> str | None:
    """A cell of a task as changes keep it."""
    return None if cell is None else str(cell)


# Time -----------------------------------------------------------------------------------------


def next_due(task: Row) -> str:
    """The date at which a task that repeats is due after the present one."""
    first = datetime.datetime.fromisoformat(task["repeats_from"])
    # In a short month, what is due on the 31st is due on the last day.
    days = {"bymonthday": range(min(first.day, 28), first.day + 1), "bysetpos": -1}
    rules: dict[str, tuple[int, Row]] = {
        "daily": (rrule.DAILY, {}),
        "weekdays": (rrule.DAILY, {"byweekday": range(5)}),
        "weekly": (rrule.WEEKLY, {}),
        "monthly": (rrule.MONTHLY, days),
        "yearly": (rrule.YEARLY, days | {"bymonth": first.month}),
    }
    frequency, options = rules[task["repeats"]]
    rule = rrule.rrule(frequency, dtstart=first, **options)
    after = rule.after(datetime.datetime.fromisoformat(task["due_on"]))
    if after is None or after.year > 2099:
        raise ValueError(f"{told(task)} does not repeat after {task['due_on']}")
    return str(after.date())


def shifted(date: str, days: int, business_days: bool) -> str:
    """A date some days later or, with a number below 0, earlier; of business days, Monday to Friday count."""
    day, step = datetime.date.fromisoformat(date), datetime.timedelta(days=1 if days > 0 else -1)
    if not business_days:
        return str(day + days * abs(step))
    for _ in range(abs(days)):
        day += step
        while day.weekday() > 4:
            day += step
    return str(day)


def is_overdue(task: Row, present: str | None = None) -> bool:
    """Whether it should have been finished before today, or another date."""
    if task["due_on"] is None or task["state"] in FINISHED:
        return False
    return bool(task["due_on"] < (present or today()))
