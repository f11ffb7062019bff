"""Errors that chance hardly reaches: what only others may change, and what was taken back before."""

from tool_sandbox.apps import get, rows_of
from tool_sandbox.apps.tasks.editing import Row
from tool_sandbox.apps.tasks.states import add_task_dependency, remove_task_dependency, skip_task_occurrence
from tool_sandbox.apps.tasks.tables import DEPENDENCIES, EDITS, LISTS, TASKS
from tool_sandbox.apps.tasks.together import undo_task_edit


def _is_of_others(task: Row) -> bool:
    row = get(LISTS, task["list_id"])
    return "me" not in (row["owner"], task["assignee"]) and task["assignee"] is not None and not row["archived"]


def _task_of_others() -> str:
    return next(str(task["task_id"]) for task in rows_of(TASKS) if _is_of_others(task))


def skip_a_task_of_others() -> None:
    """It is in a list of somebody else, and somebody else does it."""
    skip_task_occurrence(_task_of_others())


def add_a_dependency_to_a_task_of_others() -> None:
    """It is in a list of somebody else, and somebody else does it."""
    add_task_dependency(_task_of_others(), next(row["task_id"] for row in rows_of(TASKS)))


def remove_a_dependency_of_others() -> None:
    """The task that comes later is one of others."""
    rows = (row for row in rows_of(DEPENDENCIES) if _is_of_others(get(TASKS, row["task_id"])))
    remove_task_dependency(next(row["dependency_id"] for row in rows))


def undo_twice() -> None:
    """An edit of the user that was taken back."""
    edit_id = [row["edit_id"] for row in rows_of(EDITS) if row["made_by"] == "me"][-1]
    undo_task_edit(edit_id)
    undo_task_edit(edit_id)
