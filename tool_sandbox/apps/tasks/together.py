"""Tools for many tasks at once, for what was changed, and for taking it back."""

from typing import Any

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Ordered,
    Read,
    at_least,
    at_most,
    change,
    checked_date,
    checked_moment,
    checked_text,
    contains,
    equals,
    found_in,
    get,
    meets,
    now,
    paged,
    rows_of,
    rows_with,
    seconds_of,
    tool,
)
from tool_sandbox.apps.tasks.editing import (
    LONGEST_LABEL,
    ME,
    MOST_LABELS,
    Row,
    as_text,
    changeable,
    check_cells,
    check_sound,
    edit,
    found,
    is_overdue,
    open_list,
    shifted,
    told,
    unfinished,
)
from tool_sandbox.apps.tasks.states import chosen
from tool_sandbox.apps.tasks.tables import CHANGES, EDITS, LISTS, TASKS
from tool_sandbox.apps.tasks.tasks import Priority, forget

UNDO_HOURS = 24
MOST_DAYS = 1_000


@tool
def modify_tasks_together(
    task_ids: list[str],
    list_id: str | NotGiven = NOT_GIVEN,
    assignee: str | NotGiven | None = NOT_GIVEN,
    priority: Priority | NotGiven = NOT_GIVEN,
    due_on: str | NotGiven | None = NOT_GIVEN,
    add_label: str | NotGiven = NOT_GIVEN,
    remove_label: str | NotGiven = NOT_GIVEN,
) -> str:
    """Change several tasks in the same way; all or, if one cannot be changed, none.

    Args:
        task_ids: Identifiers of the tasks, at most 50.
        list_id: Identifier of the list that they are moved to.
        assignee: Who does them: "me", or the e-mail address of the owner or a member of their list; None for nobody.
        priority: How important they are.
        due_on: Date until which they are to be done, for example 2025-05-14; None for no date.
        add_label: A label that they get.
        remove_label: A label that they lose.

    Returns:
        Identifier of the edit, with which undo_task_edit takes all of it back.

    Raises:
        ValueError: There are no tasks or too many, nothing would change, a text or date is wrong, one would have more
            than three labels, does not go with its list or with its state afterwards, or a list is archived.
        NoDataError: No task or no list has one of the identifiers.
        PermissionError: One is assigned to somebody else in a list of somebody else.
    """
    cells = {"list_id": list_id, "assignee": assignee, "priority": priority, "due_on": due_on}
    given = {name: value for name, value in cells.items() if value is not NOT_GIVEN}
    check_cells(given)
    checked_text(add_label, "add_label", LONGEST_LABEL)
    if not isinstance(list_id, NotGiven):
        open_list(list_id)
    changes = []
    for task in chosen(task_ids):
        labels = [label for label in task["labels"] if label != remove_label]
        if isinstance(add_label, str) and add_label not in labels:
            labels.append(add_label)
        if len(labels) > MOST_LABELS:
            raise ValueError(f"{told(task)} would have {len(labels)} labels, at most {MOST_LABELS} are accepted")
        changes.append((task, given if labels == task["labels"] else given | {"labels": labels}))
    return edit(changes)


@tool
def shift_task_due_dates(task_ids: list[str], days: int, business_days: bool = False) -> str:
    """Move the dates at which tasks are due, each by the same number of days. All or none are moved.

    Args:
        task_ids: Identifiers of the tasks, at most 50; each has a date.
        days: How many days later, or with a number below 0 earlier; at most 1000.
        business_days: Whether only Monday to Friday count; a date then never falls on a weekend.

    Returns:
        Identifier of the edit, with which undo_task_edit takes all of it back.

    Raises:
        ValueError: There are no tasks or too many, one has no date, the number is 0 or too large, or a list is
            archived.
        NoDataError: No task has one of the identifiers.
        PermissionError: One is assigned to somebody else in a list of somebody else.
    """
    if not 1 <= abs(days) <= MOST_DAYS:
        raise ValueError(f"days must be from 1 to {MOST_DAYS}, or below 0 as many, got {str(days)[:20]}")
    tasks = chosen(task_ids)
    if without := [task for task in tasks if task["due_on"] is None]:
        raise ValueError(f"{told(without[0])} has no date that could be moved")
    dates = [checked_date(shifted(task["due_on"], int(days), business_days), "the new date") for task in tasks]
    return edit([(task, {"due_on": due_on}) for task, due_on in zip(tasks, dates, strict=True)])


@tool
def undo_task_edit(edit_id: str) -> int:
    """Take back an edit of the user, of one task or of many, within 24 hours: all tasks are as they were before it.

    Args:
        edit_id: Identifier of the edit, which the tool that made it gave, or search_task_changes.

    Returns:
        Number of changes that were taken back.

    Raises:
        ValueError: It was taken back already, is too long ago, or a task was changed in the same place since, or would
            not go with others as it was (undo later edits first).
        NoDataError: No edit has this identifier.
        PermissionError: It was made by somebody else, or a task belongs to others by now.
    """
    made = get(EDITS, edit_id)
    if made["made_by"] != ME:
        raise PermissionError(f"this edit was made by {made['made_by']}, who alone can take it back")
    if made["undone"] or seconds_of(made["made_at"]) < seconds_of(now()) - 3600 * UNDO_HOURS:
        raise ValueError(f"this edit of {made['made_at']} was taken back already, or more than {UNDO_HOURS} hours ago")
    changes = rows_with(CHANGES, "edit_id", edit_id)
    for row in changes:
        _take_back(row)
    for task_id in {row["task_id"] for row in changes if row["field"] != "made"}:
        check_sound(task_id)
    change(EDITS, edit_id, undone=True)
    return len(changes)


def _take_back(row: Row) -> None:
    task, field, old, new = changeable(row["task_id"]), row["field"], row["old"], row["new"]
    if field == "made":
        later = {each["edit_id"] for each in rows_with(CHANGES, "task_id", row["task_id"])} - {row["edit_id"]}
        if not all(get(EDITS, each)["undone"] for each in later):
            raise ValueError(f"{told(task)}, which this edit made, was changed since; undo that first")
        forget(row["task_id"])
    elif field == "label":
        if (old or new in task["labels"]) and (new or old not in task["labels"]):
            labels = [label for label in task["labels"] if label != new] + ([old] if old else [])
            change(TASKS, task["task_id"], labels=labels)
        else:
            raise ValueError(f"the labels of {told(task)} were changed since; undo that first")
    elif as_text(task[field]) != new:
        raise ValueError(f"{field} of {told(task)} was changed since; undo that first")
    else:
        cells = {field: int(old) if field == "minutes" and old else old}
        if field == "state":
            cells["done_at"] = now() if old == "done" else None
        change(TASKS, task["task_id"], **cells)


@tool
def search_task_changes(
    task_id: str | NotGiven = NOT_GIVEN,
    edit_id: str | NotGiven = NOT_GIVEN,
    field: str | NotGiven = NOT_GIVEN,
    words: str | NotGiven = NOT_GIVEN,
    made_by: str | NotGiven = NOT_GIVEN,
    made_from: str | NotGiven = NOT_GIVEN,
    made_until: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find what was changed in tasks, the latest first: who did what last time, and what was there before.

    Args:
        task_id: Identifier of the task.
        edit_id: Identifier of the edit, which may have changed several tasks.
        field: What was changed: title, details, state, reason, due_on, assignee, priority, minutes, label, list_id,
            repeats, repeats_from, or made for a task that came to be.
        words: Words that all occur in the title of the task as it is now.
        made_by: Who changed it: "me" or an e-mail address.
        made_from: Earliest time of the change, for example 2025-05-14T10:24, in the zone of the device.
        made_until: Latest time of the change.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (change_id, edit_id, task_id, title, field, old and new, shortened to 60 characters, made_by, made_at,
        undone), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: A time, the limit or the cursor cannot be understood.
    """
    edits = (
        equals("edit_id", edit_id),
        equals("made_by", made_by),
        at_least("made_at", checked_moment(made_from, "made_from")),
        at_most("made_at", checked_moment(made_until, "made_until")),
    )
    changes = equals("task_id", task_id), equals("field", field)

    def rows(read: Read) -> Ordered:
        tasks, made, table = read(TASKS), read(EDITS), read(CHANGES)
        titled = {tasks.rows[place][0] for place in found_in(tasks, contains("title", words))}
        meant = {made.rows[place][0] for place in found_in(made, *edits)}
        fits = meets("both", True, lambda task, edit: task in titled and edit in meant, "task_id", "edit_id")
        moments = made.derived(seconds_of, "made_at")
        when = [moments[made.keys[edit]] for edit in table.column("edit_id")]
        return Ordered(found_in(table, *changes, fits), when, descending=True)

    return paged(("changes", edits, changes, words), rows, limit, cursor, _listed)


def _listed(place: int, read: Read) -> Row:
    row = CHANGES.as_dict(read(CHANGES).rows[place])
    task, edit = read(TASKS).get(row["task_id"]) or {}, read(EDITS).get(row["edit_id"]) or {}
    shown = {name: row[name] and row[name][:60] for name in ("change_id", "edit_id", "task_id", "field", "old", "new")}
    return shown | {"title": task["title"]} | {name: edit[name] for name in ("made_by", "made_at", "undone")}


@tool
def get_task_workload(
    due_from: str | NotGiven = NOT_GIVEN, due_until: str | NotGiven = NOT_GIVEN, list_id: str | NotGiven = NOT_GIVEN
) -> list[dict[str, Any]]:
    """Tell how much everybody has to do: tasks that are neither done nor cancelled, without archived lists.

    Args:
        due_from: Earliest date at which the tasks are due, for example 2025-05-14.
        due_until: Latest date at which they are due.
        list_id: Identifier of their list; all lists if left out.

    Returns:
        For each assignee (None for nobody), those with most to do first: tasks, minutes in all, overdue, and
        without_minutes, tasks whose time is not known.

    Raises:
        ValueError: A date cannot be understood.
        NoDataError: No list has this identifier.
    """
    archived = {row["list_id"] for row in rows_of(LISTS) if row["archived"]}
    if not isinstance(list_id, NotGiven):
        archived -= {get(LISTS, list_id)["list_id"]}
    conditions = (
        equals("list_id", list_id),
        at_least("due_on", checked_date(due_from, "due_from")),
        at_most("due_on", checked_date(due_until, "due_until")),
    )
    work: dict[str | None, list[Row]] = {}
    for task in unfinished(found(rows_of, TASKS, *conditions)):
        if task["list_id"] not in archived:
            work.setdefault(task["assignee"], []).append(task)
    rows: list[Row] = [
        {
            "assignee": assignee,
            "tasks": len(tasks),
            "minutes": sum(task["minutes"] or 0 for task in tasks),
            "overdue": sum(map(is_overdue, tasks)),
            "without_minutes": sum(task["minutes"] is None for task in tasks),
        }
        for assignee, tasks in work.items()
    ]
    return sorted(rows, key=lambda row: (-row["minutes"], -row["tasks"], row["assignee"] or ""))[:100]
