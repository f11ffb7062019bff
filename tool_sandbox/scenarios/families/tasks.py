"""Tasks: lists of them, their dates and states, what comes first, and what only others may do."""

import datetime
from typing import Any

from tool_sandbox.answers.facts import Duration
from tool_sandbox.apps.tasks.content import dependency_row, list_row, task_row
from tool_sandbox.apps.tasks.tables import CHANGES, DEPENDENCIES, EDITS, LISTS, TASKS
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import Mentions, found
from tool_sandbox.scenarios.matchers import Anything, OneOf, SameWords
from tool_sandbox.scenarios.vocabulary import (
    TOOL_MISSING,
    Node,
    Task,
    added,
    answer,
    call,
    cannot,
    changed,
    removed,
    say,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution, ToolCallFailed

Row = dict[str, Any]

APPS = ("tasks",)


def _put_list(world: World, name: str, days: int = -60, **more: Any) -> Row:
    """A list of tasks among the others."""
    draw = world.draw("tasks")
    return world.put(LISTS, list_row(draw, name, draw.moment(days, 9), **more))


def _put_task(world: World, on: Row, title: str, **more: Any) -> Row:
    """A task of the user on a list, made three weeks ago."""
    draw = world.draw("tasks")
    return world.put(TASKS, task_row(draw, on["list_id"], title, draw.moment(-21, 10), **{"assignee": "me"} | more))


def _history(tasks: list[Row], *fields: str) -> list[Node]:
    """What the app writes down about changes of tasks: one edit for all of them, or one for each change."""
    most, task_ids = len(tasks) * len(fields), OneOf([task["task_id"] for task in tasks])
    change = {"task_id": task_ids, "field": OneOf(fields), "old": Anything(), "new": Anything()}
    return [
        added(EDITS, most, made_by="me", made_at=Anything()),
        added(CHANGES, most, edit_id=Anything(), **change),
    ]


@scenario(apps=APPS)
def create_task_on_list(world: World) -> Task:
    """Put a task with a date and a length on a list that has to be found."""
    name, title = world.choice(
        ("Aquarium", "Clean the filter"),
        ("Choir tour", "Hire the coach"),
        ("Orchard", "Prune the pear trees"),
        ("Treehouse", "Sand the ladder"),
    )
    target = _put_list(world, name)
    due_on, minutes = world.in_days(world.integer(12, 5, 25)).isoformat(), 5 * world.integer(9, 4, 30)

    def solution() -> Solution:
        rows = (yield call("search_task_lists", words=name))["results"]
        yield call(
            "create_task", list_id=rows[0]["list_id"], title=title, due_on=due_on, minutes=minutes, assignee="me"
        )
        yield say(f'I\'ve added the task "{title}" to the list {name}.')

    return Task(
        user=world.phrase(
            f'Add the task "{title}" to my task list {name}, please. It is assigned to me, due on {due_on}, and takes '
            f"{minutes} minutes.",
            f'My task list {name} needs a new task: "{title}", due on {due_on}, {minutes} minutes of work, and '
            "assigned to me.",
        ),
        tools=["search_task_lists", "create_task"],
        milestones=[
            added(
                TASKS,
                list_id=target["list_id"],
                title=SameWords(title),
                state="open",
                priority="normal",
                due_on=due_on,
                minutes=minutes,
                assignee="me",
                creator="me",
                created_at=Anything(),
            )
        ],
        solution=solution,
    )


@scenario(apps=APPS)
def make_task_urgent(world: World) -> Task:
    """Give one task another priority and date, where another list has a task of the same title."""
    name, other, title = world.choice(
        ("Lantern parade", "Lantern workshop", "Buy wire and paper"),
        ("Pottery class", "Pottery market", "Fire the bowls"),
        ("Rowing regatta", "Rowing camp", "Varnish the oars"),
    )
    due_on = world.in_days(world.integer(6, 3, 9)).isoformat()
    _put_task(world, _put_list(world, other), title, due_on=world.in_days(20).isoformat())
    task = _put_task(world, _put_list(world, name, -50), title, due_on=world.in_days(15).isoformat())

    def solution() -> Solution:
        lists = (yield call("search_task_lists", words=name))["results"]
        rows = (yield call("search_tasks", words=title, list_id=lists[0]["list_id"]))["results"]
        yield call("modify_task", task_id=rows[0]["task_id"], priority="urgent", due_on=due_on)
        yield say(f'"{title}" on the list {name} is urgent now and due on {due_on}.')

    return Task(
        user=world.phrase(
            f'The task "{title}" on the list {name} is urgent now and due on {due_on}. Please change it.',
            f'Set "{title}" on my task list {name} to the priority urgent, and to be due on {due_on}.',
        ),
        tools=["search_task_lists", "search_tasks", "modify_task"],
        milestones=[changed(TASKS, {"task_id": task["task_id"]}, priority="urgent", due_on=due_on)],
        allowed=_history([task], "priority", "due_on"),
        solution=solution,
    )


@scenario(apps=APPS)
def pause_task_with_reason(world: World) -> Task:
    """Set one task of a list to waiting for a reason, where another one has nearly the same title."""
    name, title, other, reason = world.choice(
        ("Moving house", "Rent a van", "Rent a piano trolley", "my cousin may lend us his lorry"),
        ("Costume party", "Sew the pirate coat", "Sew the pirate hat", "the velvet is sold out until spring"),
        ("Ski week", "Wax the skis", "Wax the snowboard", "the iron is lent to a friend"),
    )
    tasks = _put_list(world, name)
    _put_task(world, tasks, other, due_on=world.in_days(9).isoformat())
    task = _put_task(world, tasks, title, due_on=world.in_days(world.integer(11, 8, 16)).isoformat())

    def solution() -> Solution:
        rows = (yield call("search_tasks", words=title))["results"]
        yield call("set_task_state", task_ids=[rows[0]["task_id"]], state="waiting", reason=reason)
        yield say(f'The task "{title}" is set to waiting.')

    return Task(
        user=world.phrase(
            f'Set the task "{title}" on my list {name} to waiting. Write as the reason: "{reason}"',
            f'I cannot go on with the task "{title}" of the list {name}. Please set its state to waiting, with the '
            f'reason "{reason}"',
        ),
        tools=["search_task_lists", "search_tasks", "set_task_state"],
        milestones=[changed(TASKS, {"task_id": task["task_id"]}, state="waiting", reason=SameWords(reason))],
        allowed=_history([task], "state", "reason"),
        solution=solution,
    )


@scenario(apps=APPS)
def add_up_open_work(world: World) -> Task:
    """Tell how long the unfinished tasks of one person on one list take."""
    draw = world.draw("tasks")
    name, titles = world.choice(
        ("Open garden", ("Rake the gravel", "Paint the arbour", "Label the roses", "Mend the fountain")),
        ("Radio play", ("Cut the intro", "Record the owl", "Mix the rain", "Write the credits")),
        ("Canoe repair", ("Patch the hull", "Oil the seats", "Splice the rope", "Polish the bow")),
    )
    tasks = _put_list(world, name, members=[draw.people[0].email])
    lengths = [5 * world.integer(canonical, 5, 40) for canonical in (9, 14, 22, 7)]
    done = {"state": "done", "done_at": draw.moment(-2, 15)}
    for title, minutes, more in zip(titles, lengths, ({}, {}, {"assignee": draw.people[0].email}, done), strict=True):
        _put_task(world, tasks, title, minutes=minutes, due_on=world.in_days(10).isoformat(), **more)
    total = sum(lengths[:2])

    def solution() -> Solution:
        lists = (yield call("search_task_lists", words=name))["results"]
        yield call("get_task_workload", list_id=lists[0]["list_id"])
        yield say(f"Your unfinished tasks on {name} take {total} minutes.")

    return Task(
        user=world.phrase(
            f"How many minutes do the unfinished tasks take that I have to do myself on the list {name}?",
            f"On my task list {name}, how long will it take me, in minutes, to do my own tasks that are left?",
        ),
        tools=["search_task_lists", "search_tasks", "get_task_workload"],
        milestones=[
            found("search_task_lists", list_id=tasks["list_id"]),
            answer(Duration(datetime.timedelta(minutes=total))),
        ],
        solution=solution,
    )


@scenario(ScenarioCategories.BATCH_EDIT, apps=APPS)
def postpone_unfinished_tasks(world: World) -> Task:
    """Move the dates of all unfinished tasks of a list by some days, and leave those that are done."""
    name, titles = world.choice(
        ("Village cinema", ("Borrow the projector", "Hang the screen", "Pop the corn", "Sell tickets")),
        ("Goat shed", ("Level the floor", "Raise the walls", "Tar the roof", "Fence the yard")),
        ("Quilt show", ("Iron the banners", "Number the quilts", "Borrow easels", "Brief the jury")),
    )
    tasks, days = _put_list(world, name), world.integer(4, 2, 9)
    done = {"state": "done", "done_at": world.draw("tasks").moment(-3, 15)}
    _put_task(world, tasks, titles[0], due_on=world.in_days(-1).isoformat(), **done)
    dates = [world.integer(canonical, 3, 20) for canonical in (5, 9, 12)]
    left = [
        _put_task(world, tasks, title, due_on=world.in_days(date).isoformat())
        for title, date in zip(titles[1:], dates, strict=True)
    ]

    def solution() -> Solution:
        lists = (yield call("search_task_lists", words=name))["results"]
        rows = (yield call("search_tasks", list_id=lists[0]["list_id"], finished=False))["results"]
        yield call("shift_task_due_dates", task_ids=[row["task_id"] for row in rows], days=days)
        yield say(f"I've moved {len(rows)} tasks of {name} by {days} days.")

    return Task(
        user=world.phrase(
            f"Everything that is not finished on my task list {name} is to be due {days} days later. Please move it.",
            f"We are late with {name}. Move the due dates of all unfinished tasks of that list by {days} days, to "
            "later.",
        ),
        tools=["search_task_lists", "search_tasks", "shift_task_due_dates", "modify_task"],
        milestones=[
            changed(TASKS, {"task_id": task["task_id"]}, due_on=world.in_days(date + days).isoformat()).after()
            for task, date in zip(left, dates, strict=True)
        ],
        allowed=_history(left, "due_on"),
        solution=solution,
    )


@scenario(apps=APPS)
def finish_task_with_what_it_needs(world: World) -> Task:
    """Mark a task as done, after the one that it needs first."""
    name, needed, title, other = world.choice(
        ("Sauna", "Stack the firewood", "Test the stove", "Sew the curtains"),
        ("Model railway", "Glue the tunnel", "Lay the long track", "Paint the station"),
        ("School play", "Learn the second act", "Rehearse with lights", "Print the masks"),
    )
    draw, tasks = world.draw("tasks"), _put_list(world, name)
    _put_task(world, tasks, other)
    first, task = _put_task(world, tasks, needed), _put_task(world, tasks, title)
    world.put(DEPENDENCIES, dependency_row(draw, task, first))

    def solution() -> Solution:
        rows = (yield call("search_tasks", words=title))["results"]
        before = (yield call("get_task", task_id=rows[0]["task_id"]))["needs"]
        yield call("set_task_state", task_ids=[row["task_id"] for row in before], state="done")
        yield call("set_task_state", task_ids=[rows[0]["task_id"]], state="done")
        yield say(f'"{title}" is done, and so is "{before[0]["title"]}", which it needs first.')

    now = Mentions(world.today.isoformat())
    return Task(
        user=world.phrase(
            f'Mark the task "{title}" on the list {name} as done. What it needs first is finished, too: mark that as '
            "done as well.",
            f'I am through with "{title}" on my list {name}, and with the task that has to come before it. Please set '
            "both to done.",
        ),
        tools=["search_tasks", "get_task", "set_task_state"],
        milestones=[
            changed(TASKS, {"task_id": first["task_id"]}, state="done", done_at=now).after(),
            changed(TASKS, {"task_id": task["task_id"]}, state="done", done_at=now).after(),
        ],
        allowed=_history([first, task], "state"),
        solution=solution,
    )


def _delete(world: World, *, possible: bool) -> Task:
    """Wants a task deleted on a list of somebody else, which the user made or did not make."""
    draw = world.draw("tasks")
    name, title, other = world.choice(
        ("Bowling evening", "Reserve two lanes", "Reserve the grill"),
        ("Beach clean-up", "Borrow the trailer", "Borrow long gloves"),
        ("Bell tower", "Grease the clock", "Grease the hinges"),
    )
    owner = world.choice(*draw.people[:3])
    tasks = _put_list(world, name, owner=owner.email, members=["me"])
    _put_task(world, tasks, other, creator="me")
    task = _put_task(world, tasks, title, creator="me" if possible else owner.email)

    def solution() -> Solution:
        rows = (yield call("search_tasks", words=title))["results"]
        try:
            yield call("delete_task", task_id=rows[0]["task_id"])
            yield say(f'The task "{title}" is deleted.')
        except ToolCallFailed:
            yield say(
                f'I could not delete the task "{title}": you have no permission for it, because {owner.email} made it. '
                "Only its maker and owner of the list can do that."
            )

    about = (title, "task", "delete", "permission", owner.email)
    return Task(
        user=world.phrase(
            f'Delete the task "{title}" from the list {name}, please.',
            f'On the task list {name} there is "{title}". Please delete that one for good.',
        ),
        tools=["search_task_lists", "search_tasks", "get_task", "delete_task"],
        milestones=[removed(TASKS, task_id=task["task_id"])]
        if possible
        else [
            found("search_tasks", task_id=task["task_id"]),
            answer(cannot(TOOL_MISSING, about=about, task="removed")),
        ],
        solution=solution,
    )


@scenario(apps=APPS)
def delete_own_task(world: World) -> Task:
    """Delete a task that the user made, on a list of somebody else."""
    return _delete(world, possible=True)


@scenario(ScenarioCategories.INSUFFICIENT_INFORMATION, apps=APPS, twin="delete_own_task")
def delete_own_task_insufficient_information(world: World) -> Task:
    """Delete a task that somebody else made, on a list of theirs."""
    return _delete(world, possible=False)
