"""Tools for single tasks."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Ordered,
    Read,
    add,
    at_least,
    at_most,
    checked_date,
    checked_text,
    checked_texts,
    contains,
    equals,
    found_in,
    get,
    meets,
    now,
    paged,
    remove,
    remove_with,
    rows_with,
    seconds_of,
    tool,
)
from tool_sandbox.apps.tasks.editing import (
    LONGEST_LABEL,
    ME,
    MOST_LABELS,
    Row,
    changeable,
    check_cells,
    check_sound,
    edit,
    is_blocked,
    is_overdue,
    needed_by,
    needs,
    open_list,
    told,
    unfinished,
)
from tool_sandbox.apps.tasks.tables import CHANGES, COMMENTS, DEPENDENCIES, FINISHED, LISTS, TASKS

Priority = Literal["low", "normal", "high", "urgent"]
State = Literal["open", "in_progress", "waiting", "review", "done", "cancelled"]
Repeats = Literal["daily", "weekdays", "weekly", "monthly", "yearly"]

MOST_COMMENTS = 10
SHOWN = ("task_id", "list_id", "title", "state", "priority", "due_on", "assignee", "minutes", "labels")


def _brief(task: Row) -> Row:
    return {name: task[name] for name in ("task_id", "title", "state", "due_on")}


@tool
def create_task(
    list_id: str,
    title: str,
    details: str | None = None,
    due_on: str | None = None,
    assignee: str | None = None,
    priority: Priority = "normal",
    minutes: int | None = None,
    labels: list[str] | None = None,
    repeats: Repeats | None = None,
) -> str:
    """Put a new task on a list of tasks, in the state open.

    Args:
        list_id: Identifier of the list.
        title: What is to be done, at most 80 characters.
        details: More about it, at most 2000 characters.
        due_on: Date until which it is to be done, for example 2025-05-14.
        assignee: Who does it: "me", or the e-mail address of the owner or a member of the list.
        priority: How important it is.
        minutes: How long it takes, from 1 to 10000 minutes.
        labels: Words under which it is filed, at most three.
        repeats: How often it comes back; when it is done, the next one is made. It needs due_on then.

    Returns:
        Identifier of the new task.

    Raises:
        ValueError: A text is blank or too long, a date or number is wrong, due_on is missing for what repeats, the
            assignee is no member of the list, or the list is archived.
        NoDataError: No list has this identifier.
    """
    open_list(list_id)
    cells: Row = {"title": title, "details": details, "due_on": due_on, "minutes": minutes, "labels": labels or []}
    check_cells(cells)
    cells["labels"] = list(dict.fromkeys(labels or []))
    if repeats is not None and due_on is None:
        raise ValueError("due_on is missing: what repeats has to be due")
    cells |= {"repeats": repeats, "repeats_from": due_on if repeats else None, "assignee": assignee}
    cells |= {"priority": priority, "state": "open", "creator": ME, "created_at": now()}
    task_id = add(TASKS, list_id=list_id, **cells)
    check_sound(task_id)
    return task_id


@tool
def get_task(task_id: str) -> dict[str, Any]:
    """Read a task with all that hangs on it.

    Args:
        task_id: Identifier of the task.

    Returns:
        The task; list, the name of its list; needs and needed_by, tasks that come before it (each with dependency_id,
        with which remove_task_dependency takes that away) and after it (at most 30); blocked, whether one that it needs
        is unfinished; overdue; and comments, the latest 10, the newest first.

    Raises:
        NoDataError: No task has this identifier.
    """
    task = get(TASKS, task_id)
    first = rows_with(DEPENDENCIES, "task_id", task_id)
    comments = sorted(rows_with(COMMENTS, "task_id", task_id), key=lambda row: -seconds_of(row["written_at"]))
    return task | {
        "list": get(LISTS, task["list_id"])["name"],
        "needs": [_brief(get(TASKS, row["needed_task_id"])) | {"dependency_id": row["dependency_id"]} for row in first],
        "needed_by": [_brief(each) for each in needed_by(task_id)[:30]],
        "blocked": bool(unfinished(needs(task_id))),
        "overdue": is_overdue(task),
        "comments": [{n: row[n] for n in ("author", "content", "written_at")} for row in comments[:MOST_COMMENTS]],
        "number_of_comments": len(comments),
    }


@tool
def search_tasks(
    words: str | NotGiven = NOT_GIVEN,
    list_id: str | NotGiven = NOT_GIVEN,
    state: State | NotGiven = NOT_GIVEN,
    finished: bool | NotGiven = NOT_GIVEN,
    assignee: str | NotGiven | None = NOT_GIVEN,
    priority: Priority | NotGiven = NOT_GIVEN,
    label: str | NotGiven = NOT_GIVEN,
    due_from: str | NotGiven = NOT_GIVEN,
    due_until: str | NotGiven = NOT_GIVEN,
    blocked: bool | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find tasks, those due first at the top. Tasks of archived lists are found only by the list_id of their list.

    Args:
        words: Words that all occur in the title or the details.
        list_id: Identifier of their list.
        state: State that they have.
        finished: True for those that are done or cancelled, False for the others.
        assignee: Who does them: "me" or an e-mail address; None for those that nobody does.
        priority: Priority that they have.
        label: A label that they have.
        due_from: Earliest date at which they are due, for example 2025-05-14.
        due_until: Latest date at which they are due.
        blocked: Whether something that they need is unfinished.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (task_id, list_id, title, state, priority, due_on, assignee, minutes, labels, blocked, overdue), total,
        and next_cursor, which is None on the last page.

    Raises:
        ValueError: A date, the limit or the cursor cannot be understood.
    """
    conditions = (
        contains(("title", "details"), words),
        equals("list_id", list_id),
        equals("state", state),
        equals("assignee", assignee),
        equals("priority", priority),
        equals("labels", label),
        at_least("due_on", checked_date(due_from, "due_from")),
        at_most("due_on", checked_date(due_until, "due_until")),
    )

    def rows(read: Read) -> Ordered:
        archived = {row["list_id"] for row in read(LISTS) if row["archived"]} if list_id is NOT_GIVEN else set()
        more = (
            meets("not archived", True, lambda key: key not in archived, "list_id"),
            meets("finished", finished, lambda state: (state in FINISHED) == finished, "state"),
            meets("blocked", blocked, lambda key: is_blocked(key, read) == blocked, "task_id"),
        )
        tasks = read(TASKS)
        return Ordered(found_in(tasks, *conditions, *more), tasks.derived(_due_or_last, "due_on"))

    return paged(("tasks", conditions, finished, blocked), rows, limit, cursor, _listed)


def _due_or_last(due_on: str | None) -> str:
    return due_on or "9999"


def _listed(place: int, read: Read) -> Row:
    task = TASKS.as_dict(read(TASKS).rows[place])
    shown = {name: task[name] for name in SHOWN}
    return shown | {"blocked": is_blocked(task["task_id"], read), "overdue": is_overdue(task)}


@tool
def modify_task(
    task_id: str,
    title: str | NotGiven = NOT_GIVEN,
    details: str | NotGiven | None = NOT_GIVEN,
    due_on: str | NotGiven | None = NOT_GIVEN,
    assignee: str | NotGiven | None = NOT_GIVEN,
    priority: Priority | NotGiven = NOT_GIVEN,
    minutes: int | NotGiven | None = NOT_GIVEN,
    labels: list[str] | NotGiven = NOT_GIVEN,
) -> str:
    """Change a task. What is left out stays as it is. Its state is changed by set_task_state.

    Args:
        task_id: Identifier of the task.
        title: What is to be done, at most 80 characters.
        details: More about it; None for nothing.
        due_on: Date until which it is to be done; None for no date.
        assignee: Who does it: "me", or the e-mail address of the owner or a member of its list; None for nobody.
        priority: How important it is.
        minutes: How long it takes, from 1 to 10000 minutes; None where that is not known.
        labels: All labels that it has from now on, at most three.

    Returns:
        Identifier of the edit, with which undo_task_edit takes it back.

    Raises:
        ValueError: Nothing would change, a text, date or number is wrong, the assignee is no member of the list, it is
            worked at and would be without anybody, it repeats and would be without a date, or the list is archived.
        NoDataError: No task has this identifier.
        PermissionError: It is assigned to somebody else in a list of somebody else.
    """
    task = changeable(task_id)
    cells: Row = {"title": title, "details": details, "due_on": due_on, "assignee": assignee, "priority": priority}
    cells |= {"minutes": minutes, "labels": checked_texts(labels, "labels", longest=LONGEST_LABEL, most=MOST_LABELS)}
    given = {name: value for name, value in cells.items() if value is not NOT_GIVEN}
    check_cells(given)
    return edit([(task, given)])


@tool
def comment_on_task(task_id: str, content: str) -> str:
    """Write a comment on a task, which all members of its list read.

    Args:
        task_id: Identifier of the task.
        content: The comment, at most 400 characters.

    Returns:
        Identifier of the comment.

    Raises:
        ValueError: The comment is blank or too long, or the list is archived.
        NoDataError: No task has this identifier.
    """
    open_list(get(TASKS, task_id)["list_id"])
    checked_text(content, "content", 400)
    return add(COMMENTS, task_id=task_id, author=ME, content=content, written_at=now())


def forget(task_id: str) -> None:
    """Removes a task with all that hangs on it."""
    for column in ("task_id", "needed_task_id"):
        remove_with(DEPENDENCIES, column, task_id)
    for schema in (COMMENTS, CHANGES):
        remove_with(schema, "task_id", task_id)
    remove(TASKS, task_id)


@tool
def delete_task(task_id: str) -> None:
    """Delete a task with its comments and its history, for good. To keep it, set its state to cancelled instead.

    Args:
        task_id: Identifier of the task.

    Returns:
        Nothing.

    Raises:
        ValueError: Another task needs it, or the list is archived.
        NoDataError: No task has this identifier.
        PermissionError: It was made by somebody else, in a list of somebody else.
    """
    task = get(TASKS, task_id)
    if ME not in (owner := open_list(task["list_id"])["owner"], task["creator"]):
        raise PermissionError(f"{told(task)} was made by {task['creator']} in a list of {owner}; only they delete it")
    if after := needed_by(task_id):
        raise ValueError(f"{told(after[0])} needs it; remove_task_dependency takes that away first")
    forget(task_id)
