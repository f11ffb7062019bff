"""Tools for lists of tasks, and who takes part in them."""

import re
from typing import Any

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    add_all,
    change,
    checked_date,
    checked_text,
    checked_texts,
    contains,
    equals,
    now,
    rows_with,
    search,
    today,
    tool,
)
from tool_sandbox.apps.tasks.editing import (
    ME,
    Row,
    check_number,
    is_overdue,
    needs,
    own_list,
    shifted,
    told,
    unfinished,
)
from tool_sandbox.apps.tasks.tables import DEPENDENCIES, LISTS, TASKS

LONGEST_NAME = 60
MOST_MEMBERS = 20
MOST_COPIED = 200

_ADDRESS = re.compile(r"[^@\s]{1,30}@[^@\s]{1,25}\.[^@\s]{2,10}")


def _check_list(name: str | NotGiven, most_in_progress: int | NotGiven | None, own: str = "") -> None:
    checked_text(name, "name", LONGEST_NAME)
    if any(row["list_id"] != own for row in rows_with(LISTS, "name", name)):
        raise ValueError(f"there is a list of tasks with the name {name!r} already")
    check_number(most_in_progress, "most_in_progress", 50)


@tool
def create_task_list(name: str, reviewed: bool = False, most_in_progress: int | None = None) -> str:
    """Make a list of tasks, which belongs to the user. Others are added by set_task_list_members.

    Args:
        name: Name, which no other list of tasks has.
        reviewed: Whether tasks are done only after a review.
        most_in_progress: How many tasks can be in progress together, from 1 to 50; any number if left out.

    Returns:
        Identifier of the new list.

    Raises:
        ValueError: There is a list of this name, the name is blank or too long, or the number is out of range.
    """
    _check_list(name, most_in_progress)
    cells = {"name": name, "reviewed": reviewed, "most_in_progress": most_in_progress, "archived": False}
    return add(LISTS, **cells, owner=ME, members=[], created_at=now())


@tool
def search_task_lists(
    words: str | NotGiven = NOT_GIVEN,
    owner: str | NotGiven = NOT_GIVEN,
    member: str | NotGiven = NOT_GIVEN,
    archived: bool | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find lists of tasks, the newest first. Without conditions it lists all, archived ones, too.

    Args:
        words: Words that all occur in the name.
        owner: Whose they are: "me" or an e-mail address.
        member: Somebody who is a member: "me" or an e-mail address.
        archived: Whether they are archived.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (lists with owner, up to 3 members and number_of_members, rules, and the numbers of tasks, unfinished
        and overdue ones), total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    return search(
        LISTS,
        contains("name", words),
        equals("owner", owner),
        equals("members", member),
        equals("archived", archived),
        order_by="created_at",
        descending=True,
        show=_with_counts,
        limit=limit,
        cursor=cursor,
    )


def _with_counts(row: Row, read: Read) -> Row:
    tasks = read(TASKS).with_cell("list_id", row["list_id"])
    present = today()
    del row["created_at"]
    row["number_of_members"], row["members"] = len(row["members"]), row["members"][:3]
    counts = {"unfinished": len(unfinished(tasks)), "overdue": sum(is_overdue(task, present) for task in tasks)}
    return row | {"tasks": len(tasks)} | counts


@tool
def modify_task_list(
    list_id: str,
    name: str | NotGiven = NOT_GIVEN,
    reviewed: bool | NotGiven = NOT_GIVEN,
    most_in_progress: int | NotGiven | None = NOT_GIVEN,
    archived: bool | NotGiven = NOT_GIVEN,
) -> None:
    """Change a list of tasks of the user. What is left out stays as it is.

    Args:
        list_id: Identifier of the list.
        name: New name, which no other list has.
        reviewed: Whether tasks are done only after a review.
        most_in_progress: How many tasks can be in progress together, from 1 to 50; None for any number.
        archived: True closes the list, when nothing in it is in progress or in review; False opens it again.

    Returns:
        Nothing.

    Raises:
        ValueError: The name is taken, blank or too long, the number is out of range, nothing to change was given, or
            something is in progress or in review in a list that is to be archived.
        NoDataError: No list has this identifier.
        PermissionError: It belongs to somebody else.
    """
    own_list(list_id)
    _check_list(name, most_in_progress, list_id)
    busy = [task for task in rows_with(TASKS, "list_id", list_id) if task["state"] in ("in_progress", "review")]
    if archived is True and busy:
        raise ValueError(f"{told(busy[0])} is {busy[0]['state']}; finish it or set it to another state first")
    change(LISTS, list_id, name=name, reviewed=reviewed, most_in_progress=most_in_progress, archived=archived)


@tool
def set_task_list_members(list_id: str, members: list[str]) -> None:
    """Say who takes part in a list of tasks beside its owner, the user. Only they can be assigned to its tasks.

    Args:
        list_id: Identifier of the list.
        members: E-mail addresses of all members from now on, at most 20; who is not named is no member any more, and
            must have nothing unfinished on the list.

    Returns:
        Nothing.

    Raises:
        ValueError: An address cannot be accepted, there are too many, or unfinished tasks are assigned to somebody who
            would be no member any more.
        NoDataError: No list has this identifier.
        PermissionError: It belongs to somebody else.
    """
    own_list(list_id)
    members = checked_texts(members, "members", longest=60, most=MOST_MEMBERS)
    if wrong := [person for person in members if not _ADDRESS.fullmatch(person)]:
        raise ValueError(f"each of members must be an e-mail address, got {wrong[0][:60]!r}")
    for task in unfinished(rows_with(TASKS, "list_id", list_id)):
        if task["assignee"] not in (None, ME, *members):
            raise ValueError(f"{told(task)} is assigned to {task['assignee']}; give it to somebody else first")
    change(LISTS, list_id, members=members)


@tool
def copy_task_list(list_id: str, name: str, shift_days: int = 0) -> str:
    """Make a new list with the tasks of another one, to do all of it again; it belongs to the user.

    Members, rules, tasks with details, assignees, times and labels, and what needs what are copied; not comments, nor
    tasks that were cancelled or that repeat. All tasks are open.

    Args:
        list_id: Identifier of the list, of which at most 200 tasks are copied.
        name: Name of the new list, which no other list has.
        shift_days: How many days later the tasks of the copy are due.

    Returns:
        Identifier of the new list.

    Raises:
        ValueError: There is a list of this name, the name is blank or too long, the list has too many tasks, or a date
            would be out of range.
        NoDataError: No list has this identifier.
        PermissionError: It belongs to somebody else.
    """
    row = own_list(list_id)
    _check_list(name, None)
    tasks = [t for t in rows_with(TASKS, "list_id", list_id) if t["state"] != "cancelled" and t["repeats"] is None]
    if len(tasks) > MOST_COPIED or abs(shift_days) > 10_000:
        raise ValueError(f"at most {MOST_COPIED} tasks are copied, and at most 10000 days later")
    cells = {each: value for each, value in row.items() if each != "list_id"}
    copy_id = add(LISTS, **(cells | {"name": name, "archived": False, "created_at": now()}))
    keys = add_all(TASKS, [_copied(task, copy_id, int(shift_days)) for task in tasks])
    copies = dict(zip((task["task_id"] for task in tasks), keys, strict=True))
    pairs = [(copies[key], copies.get(needed["task_id"])) for key in copies for needed in needs(key)]
    add_all(DEPENDENCIES, [{"task_id": key, "needed_task_id": needed} for key, needed in pairs if needed])
    return copy_id


def _copied(task: Row, list_id: str, days: int) -> Row:
    names = ("title", "details", "priority", "assignee", "minutes", "labels")
    due_on = task["due_on"] and checked_date(shifted(task["due_on"], days, business_days=False), "the new date")
    cells = {"list_id": list_id, "state": "open", "due_on": due_on, "creator": ME, "created_at": now()}
    return {name: task[name] for name in names} | cells
