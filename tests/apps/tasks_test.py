"""What somebody who keeps tasks relies on."""

from collections.abc import Iterator
from typing import Any

import pytest
from polars.exceptions import NoDataError

from tests.apps.conftest import make_context
from tool_sandbox.apps import Draw, add, change, rows_of, rows_with
from tool_sandbox.apps.tasks.content import list_row, task_row
from tool_sandbox.apps.tasks.lists import (
    copy_task_list,
    create_task_list,
    modify_task_list,
    search_task_lists,
    set_task_list_members,
)
from tool_sandbox.apps.tasks.states import (
    add_task_dependency,
    remove_task_dependency,
    set_task_state,
    skip_task_occurrence,
)
from tool_sandbox.apps.tasks.tables import EDITS, LISTS, TASKS
from tool_sandbox.apps.tasks.tasks import comment_on_task, create_task, delete_task, get_task, modify_task, search_tasks
from tool_sandbox.apps.tasks.together import (
    get_task_workload,
    modify_tasks_together,
    search_task_changes,
    shift_task_due_dates,
    undo_task_edit,
)
from tool_sandbox.conversation.execution_context import ExecutionContext, new_context

DIEGO, IMANI = "diego.okafor@example.com", "imani.mbeki@example.com"


@pytest.fixture(autouse=True)
def world() -> Iterator[ExecutionContext]:
    """A world with the tasks app, still empty."""
    with new_context(make_context("tasks")) as context:
        yield context


@pytest.fixture
def list_id() -> str:
    """A list of the user with one member."""
    made = create_task_list("Fair")
    set_task_list_members(made, [DIEGO])
    return made


def state(task_id: str) -> str:
    return str(get_task(task_id)["state"])


def theirs(**cells: Any) -> str:
    """A list of Diego in which the user takes part."""
    draw = Draw("tasks")
    return add(LISTS, **list_row(draw, "Theirs", draw.moment(-9, 9), ["me", IMANI], owner=DIEGO, **cells))


def test_what_is_needed_comes_first_and_is_not_opened_under_what_follows(list_id: str) -> None:
    first, second = create_task(list_id, "Order"), create_task(list_id, "Pay")
    dependency_id = add_task_dependency(second, first)
    with pytest.raises(ValueError, match=r"needs 'Order' .* first, which is open"):
        set_task_state([second], "done")
    with pytest.raises(ValueError, match="itself, directly or by others"):
        add_task_dependency(first, second)
    assert [row["title"] for row in search_tasks(blocked=True)["results"]] == ["Pay"]
    set_task_state([second, first], "done")
    with pytest.raises(ValueError, match=r"'Pay' .* needs 'Order' .* and is done; open that one again first"):
        set_task_state([first], "open")
    with pytest.raises(ValueError, match="needs it"):
        delete_task(first)
    remove_task_dependency(dependency_id)
    set_task_state([first], "open")
    assert (state(first), state(second)) == ("open", "done")


def test_states_follow_one_another(list_id: str) -> None:
    task_id = create_task(list_id, "Order")
    with pytest.raises(ValueError, match="is open; in the list 'Fair' that can become in_progress or waiting"):
        set_task_state([task_id], "review")
    with pytest.raises(ValueError, match="needs an assignee"):
        set_task_state([task_id], "in_progress")
    with pytest.raises(ValueError, match="reason is missing"):
        set_task_state([task_id], "waiting")
    set_task_state([task_id], "waiting", reason="no answer yet")
    modify_task(task_id, assignee="me")
    set_task_state([task_id], "in_progress")
    assert get_task(task_id)["reason"] is None
    with pytest.raises(ValueError, match="needs an assignee"):
        modify_task(task_id, assignee=None)


def test_a_list_may_allow_only_so_much_at_once(list_id: str) -> None:
    modify_task_list(list_id, most_in_progress=1)
    one, two = (create_task(list_id, title, assignee="me") for title in ("One", "Two"))
    with pytest.raises(ValueError, match="1 tasks in progress at most"):
        set_task_state([one, two], "in_progress")
    set_task_state([one], "in_progress")
    with pytest.raises(ValueError, match=r"'One' .* is in_progress; finish it"):
        modify_task_list(list_id, archived=True)
    set_task_state([one], "done")
    modify_task_list(list_id, archived=True)
    with pytest.raises(ValueError, match="archived"):
        comment_on_task(two, "Too late?")
    assert (search_tasks()["total"], search_tasks(list_id=list_id)["total"]) == (0, 2)


def test_only_members_are_assigned(list_id: str) -> None:
    with pytest.raises(ValueError, match="no member of the list 'Fair'"):
        create_task(list_id, "Order", assignee=IMANI)
    create_task(list_id, "Order", assignee=DIEGO)
    with pytest.raises(ValueError, match=f"is assigned to {DIEGO}; give it"):
        set_task_list_members(list_id, [IMANI])
    set_task_list_members(list_id, [IMANI, DIEGO])
    assert search_task_lists(member=IMANI)["results"][0]["unfinished"] == 1


def test_in_a_list_of_somebody_else() -> None:
    list_id, draw = theirs(reviewed=True), Draw("more")
    row = task_row(draw, list_id, "Draft", draw.moment(-3, 9), assignee=IMANI, creator=DIEGO)
    add(TASKS, **row)
    with pytest.raises(PermissionError, match=f"assigned to {IMANI} in a list of {DIEGO}"):
        modify_task(row["task_id"], priority="high")
    with pytest.raises(PermissionError, match="belongs to"):
        modify_task_list(list_id, archived=True)
    own = create_task(list_id, "Charts", assignee="me")
    set_task_state([own], "in_progress")
    with pytest.raises(ValueError, match="that can become open or waiting or review or cancelled"):
        set_task_state([own], "done")
    set_task_state([own], "review")
    with pytest.raises(PermissionError, match="says when a review is done"):
        set_task_state([own], "done")


def test_what_repeats_comes_back_once(list_id: str) -> None:
    task_id = create_task(list_id, "Pay the rent", due_on="2025-01-31", assignee="me", repeats="monthly")
    edit_id = set_task_state([task_id], "done")
    (following,) = [row["task_id"] for row in search_tasks(finished=False)["results"]]
    assert get_task(following)["due_on"] == "2025-02-28"
    assert skip_task_occurrence(following) == "2025-03-31"
    with pytest.raises(ValueError, match="was changed since"):
        undo_task_edit(edit_id)
    (skipped,) = search_task_changes(task_id=following, field="due_on")["results"]
    assert (skipped["old"], skipped["new"]) == ("2025-02-28", "2025-03-31")
    undo_task_edit(skipped["edit_id"])
    set_task_state([task_id], "open")
    assert get_task(task_id)["repeats"] is None
    undo_task_edit(set_task_state([task_id], "done"))
    undo_task_edit(search_task_changes(task_id=task_id, field="state", words="rent")["results"][1]["edit_id"])
    undo_task_edit(edit_id)
    (task,) = rows_of(TASKS)
    assert (task["state"], task["repeats"], task["done_at"]) == ("open", "monthly", None)


@pytest.mark.parametrize(
    ("repeats", "due_on", "following"),
    [
        ("weekdays", "2025-05-16", "2025-05-19"),
        ("weekly", "2025-05-16", "2025-05-23"),
        ("yearly", "2024-02-29", "2025-02-28"),
        ("daily", "2025-12-31", "2026-01-01"),
        ("monthly", "2025-01-15", "2025-02-15"),
    ],
)
def test_dates_of_what_repeats(list_id: str, repeats: Any, due_on: str, following: str) -> None:
    assert skip_task_occurrence(create_task(list_id, "Again", due_on=due_on, repeats=repeats)) == following


def test_many_are_changed_and_all_of_it_is_taken_back(list_id: str) -> None:
    ids = [create_task(list_id, title, due_on="2025-05-16", labels=["old"]) for title in ("One", "Two", "Three")]
    before = rows_of(TASKS)
    first = modify_tasks_together(ids, assignee=DIEGO, add_label="new", remove_label="old")
    second = shift_task_due_dates(ids[:2], 2, business_days=True)
    assert [(row["due_on"], row["labels"]) for row in rows_of(TASKS)] == [
        ("2025-05-20", ["new"]),
        ("2025-05-20", ["new"]),
        ("2025-05-16", ["new"]),
    ]
    assert undo_task_edit(second) == 2
    assert undo_task_edit(first) == 9
    assert rows_of(TASKS) == before
    with pytest.raises(ValueError, match="taken back already"):
        undo_task_edit(first)


def test_nothing_is_taken_back_over_a_later_change_or_after_a_day(list_id: str) -> None:
    task_id = create_task(list_id, "One")
    early, late = modify_task(task_id, priority="high"), modify_task(task_id, priority="urgent")
    with pytest.raises(ValueError, match=r"priority of 'One' .* was changed since"):
        undo_task_edit(early)
    undo_task_edit(late)
    change(EDITS, early, made_at="2025-05-13T10:00:00-07:00")
    with pytest.raises(ValueError, match="more than 24 hours ago"):
        undo_task_edit(early)


def test_all_or_none(list_id: str) -> None:
    one, two = create_task(list_id, "One", due_on="2025-05-16"), create_task(list_id, "Two")
    with pytest.raises(ValueError, match=r"'Two' .* has no date"):
        shift_task_due_dates([one, two], 3)
    with pytest.raises(NoDataError):
        set_task_state([one, "task_00000000"], "done")
    assert (get_task(one)["due_on"], state(one)) == ("2025-05-16", "open")
    assert len(rows_of(EDITS)) == 0


def test_a_list_is_done_again(list_id: str) -> None:
    first = create_task(list_id, "Order", due_on="2025-05-16", assignee=DIEGO, minutes=30, labels=["a"])
    second, third = create_task(list_id, "Pay", due_on="2025-05-20"), create_task(list_id, "Dance")
    add_task_dependency(second, first)
    set_task_state([first], "done")
    set_task_state([third], "cancelled", reason="no music")
    copy_id = copy_task_list(list_id, "Fair 2026", shift_days=364)
    order, pay = rows_with(TASKS, "list_id", copy_id)
    assert (order["state"], order["due_on"], order["assignee"], order["labels"]) == ("open", "2026-05-15", DIEGO, ["a"])
    assert [each["title"] for each in get_task(pay["task_id"])["needs"]] == ["Order"]
    with pytest.raises(ValueError, match="already"):
        copy_task_list(list_id, "Fair 2026")


def test_how_much_everybody_has_to_do(list_id: str) -> None:
    create_task(list_id, "One", due_on="2025-05-10", assignee=DIEGO, minutes=30)
    create_task(list_id, "Two", due_on="2025-05-20", assignee=DIEGO, minutes=45)
    create_task(list_id, "Three", assignee="me")
    work = {row["assignee"]: row for row in get_task_workload()}
    assert work[DIEGO] == {"assignee": DIEGO, "tasks": 2, "minutes": 75, "overdue": 1, "without_minutes": 0}
    assert work["me"]["without_minutes"] == 1
    assert get_task_workload(due_from="2025-05-14")[0]["minutes"] == 45
