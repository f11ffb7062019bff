"""Tools for the states of tasks, and for what has to be finished first."""

from tool_sandbox.apps import add, checked_text, get, now, remove, rows_with, tool
from tool_sandbox.apps.tasks.editing import ME, MOST_TOGETHER, Row, changeable, check_sound, edit, needs, next_due, told
from tool_sandbox.apps.tasks.tables import DEPENDENCIES, LISTS, TASKS
from tool_sandbox.apps.tasks.tasks import State

NEXT: dict[str, tuple[str, ...]] = {
    "open": ("in_progress", "waiting", "done", "cancelled"),
    "in_progress": ("open", "waiting", "review", "done", "cancelled"),
    "waiting": ("open", "in_progress", "cancelled"),
    "review": ("in_progress", "done"),
    "done": ("open",),
    "cancelled": ("open",),
}
"""States that can follow each state."""

MOST_NEEDED = 10


def _check_step(task: Row, state: str, reason: str | None) -> None:
    row = get(LISTS, task["list_id"])
    following = NEXT[task["state"]]
    if row["reviewed"]:
        following = tuple(each for each in following if each != "done" or task["state"] == "review")
    if state not in following:
        raise ValueError(
            f"{told(task)} is {task['state']}; in the list {row['name']!r} that can become {' or '.join(following)}"
        )
    if state in ("waiting", "cancelled") and reason is None:
        raise ValueError(f"reason is missing: say why a task is {state}")
    if row["reviewed"] and state == "done" and row["owner"] != ME:
        raise PermissionError(f"in the list {row['name']!r} its owner {row['owner']} says when a review is done")


def repeat(task: Row) -> str:
    """Makes the next task after one that repeats."""
    cells = {name: value for name, value in task.items() if name not in ("task_id", "done_at", "reason")}
    cells |= {"state": "open", "due_on": next_due(task), "created_at": now()}
    return add(TASKS, **cells)


@tool
def set_task_state(task_ids: list[str], state: State, reason: str | None = None) -> str:
    """Set tasks of one or more lists to another state; all or, if one cannot be set, none.

    open, in_progress, waiting, review, done, cancelled: from open to in_progress, waiting, done or cancelled; from
    in_progress to all others; from waiting to open, in_progress or cancelled; from review to in_progress or done; from
    done and cancelled only back to open. A task begins and is done only after all that it needs is done or cancelled.
    In lists that are reviewed a task is done only after review. When a task that repeats is done, the next one is made.

    Args:
        task_ids: Identifiers of the tasks, at most 50.
        state: The new state.
        reason: Why; needed for waiting and cancelled.

    Returns:
        Identifier of the edit, with which undo_task_edit takes all of it back.

    Raises:
        ValueError: There are no tasks or too many, one cannot have this state after the one that it has, needs
            something else first or somebody to do it, the list has enough in progress or is archived, or the reason is
            missing, blank or too long.
        NoDataError: No task has one of the identifiers.
        PermissionError: One is assigned to somebody else in a list of somebody else, or that one says when it is done.
    """
    checked_text(reason, "reason", 200)
    changes: list[tuple[Row, Row]] = []
    made: list[str] = []
    for task in chosen(task_ids):
        _check_step(task, state, reason)
        cells: Row = {"state": state, "reason": reason}
        if state == "done" and task["repeats"] is not None:
            made.append(repeat(task))
            # The next one repeats from now on, so that this one, if it is opened again, makes no second one.
            cells |= {"repeats": None, "repeats_from": None}
        changes.append((task, cells))
    return edit(changes, made)


def chosen(task_ids: list[str]) -> list[Row]:
    """Tasks that the user may change."""
    if not 1 <= len(task_ids) <= MOST_TOGETHER:
        raise ValueError(f"task_ids must have from 1 to {MOST_TOGETHER} entries, got {len(task_ids)}")
    return [changeable(task_id) for task_id in dict.fromkeys(task_ids)]


@tool
def skip_task_occurrence(task_id: str) -> str:
    """Leave out one time a task that repeats: it is due at the next date instead.

    Args:
        task_id: Identifier of the task.

    Returns:
        The date at which it is due now.

    Raises:
        ValueError: It does not repeat, or has no later date, or the list is archived.
        NoDataError: No task has this identifier.
        PermissionError: It is assigned to somebody else in a list of somebody else.
    """
    task = changeable(task_id)
    if task["repeats"] is None:
        raise ValueError(f"{told(task)} does not repeat")
    due_on = next_due(task)
    edit([(task, {"due_on": due_on})])
    return due_on


@tool
def add_task_dependency(task_id: str, needed_task_id: str) -> str:
    """Say that a task can begin only after another one, of the same list or another, is done or cancelled.

    Args:
        task_id: Identifier of the task that comes later.
        needed_task_id: Identifier of the task that it needs first.

    Returns:
        Identifier of the dependency.

    Raises:
        ValueError: It is so already, the tasks would need each other, the later one has begun while the other is
            unfinished, it needs 10 others already, or a list is archived.
        NoDataError: No task has one of the identifiers.
        PermissionError: The later one is assigned to somebody else in a list of somebody else.
    """
    task, needed = changeable(task_id), get(TASKS, needed_task_id)
    known = {each["task_id"] for each in needs(task_id)}
    if needed_task_id in known or len(known) >= MOST_NEEDED:
        raise ValueError(f"{told(task)} needs {len(known)} tasks already, this one or too many to take it, too")
    if task_id in _all_before(needed_task_id):
        raise ValueError(f"{told(needed)} needs {told(task)} itself, directly or by others")
    dependency_id = add(DEPENDENCIES, task_id=task_id, needed_task_id=needed_task_id)
    check_sound(task_id)
    return dependency_id


def _all_before(task_id: str) -> set[str]:
    found, left = set[str](), [task_id]
    while left:
        each = left.pop()
        if each not in found:
            found.add(each)
            left += [row["needed_task_id"] for row in rows_with(DEPENDENCIES, "task_id", each)]
    return found


@tool
def remove_task_dependency(dependency_id: str) -> None:
    """Take away that a task needs another one first.

    Args:
        dependency_id: Identifier of the dependency, which get_task tells under needs.

    Returns:
        Nothing.

    Raises:
        ValueError: The list of the task that comes later is archived.
        NoDataError: No dependency has this identifier.
        PermissionError: That task is assigned to somebody else in a list of somebody else.
    """
    changeable(get(DEPENDENCIES, dependency_id)["task_id"])
    remove(DEPENDENCIES, dependency_id)
