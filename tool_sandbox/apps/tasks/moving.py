"""What others do on lists of tasks, for scenarios in a world that moves."""

from tool_sandbox.apps import add, effect, get, now
from tool_sandbox.apps.tasks.editing import ME, Row
from tool_sandbox.apps.tasks.tables import LISTS, TASKS
from tool_sandbox.apps.tasks.tasks import Priority


@effect
def task_is_assigned(
    list_id: str,
    title: str,
    by: str,
    due_on: str | None = None,
    priority: Priority = "normal",
    details: str | None = None,
) -> str:
    """Somebody, named by an e-mail address, puts a task for the owner on a list."""
    name = get(LISTS, list_id)["name"]
    cells: Row = {"title": title, "details": details, "due_on": due_on, "priority": priority, "labels": []}
    add(TASKS, list_id=list_id, **cells, state="open", assignee=ME, creator=by, created_at=now())
    return f"{by} put {title!r} on the list {name} for you"
