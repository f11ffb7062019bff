"""What is on the lists of tasks when a world begins: projects that follow one another, the household, errands."""

import datetime
from collections.abc import Sequence
from typing import Any

import attrs

from tool_sandbox.apps import Draw, Person, Size, seconds_of
from tool_sandbox.apps.notes.phrases import PROJECTS
from tool_sandbox.apps.tasks.editing import next_due
from tool_sandbox.apps.tasks.phrases import CHORES, ERRANDS, FLOW, REASONS, REMARKS, REVIEWED, SUPPLIERS
from tool_sandbox.apps.tasks.tables import CHANGES, COMMENTS, DEPENDENCIES, EDITS, FINISHED, LISTS, TASKS

Row = dict[str, Any]

COUNTS: dict[Size, tuple[int, int, int]] = {"small": (1, 2, 1), "medium": (4, 3, 8), "large": (60, 12, 60)}
"""Projects, reports with a review, and times that each weekly chore was done."""


def content(draw: Draw, size: Size) -> dict[str, list[Row]]:
    """Draws the rows of all tables."""
    projects, reports, times = COUNTS[size]
    made = _Content(draw)
    for number in range(projects):
        made.project(number, 7 if size == "small" else len(FLOW))
    for number in range(reports):
        made.report(number)
    made.household(times)
    made.errands(5 if size == "small" else len(ERRANDS))
    return {
        LISTS.name: made.lists,
        TASKS.name: made.tasks,
        DEPENDENCIES.name: made.dependencies,
        COMMENTS.name: made.comments,
        EDITS.name: made.edits,
        CHANGES.name: made.changes,
    }


# Rows, for the content here and for scenarios that need certain ones ------------------------------------------


def list_row(draw: Draw, name: str, created: str, members: Sequence[str] = (), **cells: Any) -> Row:
    """A list of the user."""
    row: Row = {"list_id": draw.key("list"), "name": name, "owner": "me", "members": list(members)}
    return row | {"reviewed": False, "most_in_progress": None, "archived": False, "created_at": created} | cells


def task_row(draw: Draw, list_id: str, title: str, created: str, **cells: Any) -> Row:
    """A task, open if nothing else is said; one that repeats needs ``due_on``."""
    row: Row = {"task_id": draw.key("task"), "list_id": list_id, "title": title, "details": None, "state": "open"}
    row |= {"reason": None, "priority": "normal", "due_on": None, "assignee": None, "minutes": None, "labels": []}
    row |= {"repeats": None, "repeats_from": cells.get("due_on") if cells.get("repeats") else None}
    return row | {"creator": "me", "created_at": created, "done_at": None} | cells


def edit_rows(draw: Draw, task: Row, field: str, old: str | None, new: str | None, by: str, at: str) -> tuple[Row, Row]:
    """An edit, and what it changed in a task that is as it was afterwards."""
    edit = {"edit_id": draw.key("edit"), "made_by": by, "made_at": at, "undone": False}
    change = {"change_id": draw.key("change"), "edit_id": edit["edit_id"], "task_id": task["task_id"]}
    return edit, change | {"field": field, "old": old, "new": new}


def dependency_row(draw: Draw, task: Row, needed: Row) -> Row:
    """That a task needs another one first."""
    key = draw.key("dependency")
    return {"dependency_id": key, "task_id": task["task_id"], "needed_task_id": needed["task_id"]}


def comment_row(draw: Draw, task: Row, author: str, text: str, written: str) -> Row:
    """What somebody wrote about a task."""
    key = draw.key("comment")
    return {"comment_id": key, "task_id": task["task_id"], "author": author, "content": text, "written_at": written}


# Content ------------------------------------------------------------------------------------------------------


@attrs.define
class _Content:
    """Rows as they are made."""

    draw: Draw
    lists: list[Row] = attrs.field(factory=list)
    tasks: list[Row] = attrs.field(factory=list)
    dependencies: list[Row] = attrs.field(factory=list)
    comments: list[Row] = attrs.field(factory=list)
    edits: list[Row] = attrs.field(factory=list)
    changes: list[Row] = attrs.field(factory=list)

    def at(self, days: int) -> str:
        """Some time of a day, not after now."""
        return self.draw.moment(min(days, -1), self.draw.integer(8, 18), self.draw.integer(0, 59))

    def known(self, count: int, relationship: str) -> list[Person]:
        """People with a relationship to the owner; all, where there are not so many."""
        found = [person for person in self.draw.people if person.relationship == relationship]
        return found if len(found) >= count else list(self.draw.people)

    def add_list(self, name: str, days: int, members: Sequence[str] = (), **cells: Any) -> Row:
        self.lists.append(list_row(self.draw, name, self.at(days), members, **cells))
        return self.lists[-1]

    def record(self, task: Row, field: str, old: str | None, new: str | None, by: str, at: str) -> None:
        edit, change = edit_rows(self.draw, task, field, old, new, by, at)
        self.edits.append(edit)
        self.changes.append(change)

    def project(self, number: int, length: int) -> None:
        """The same flow of tasks for each project; the first is under way, earlier ones are over."""
        subject = PROJECTS[number % len(PROJECTS)].removeprefix("the ")
        begun = -14 - 24 * number
        day = self.draw.today + datetime.timedelta(days=begun)
        team = [person.email for person in self.draw.sample(self.known(3, "coworker"), 3)]
        cells = {"most_in_progress": 4, "archived": number > 3}
        row = self.add_list(f"{subject.capitalize()}, {day:%B %Y}", begun - 6, team, **cells)
        # Who was asked last time, and who got the order, is found in earlier projects.
        asked = self.draw.sample(SUPPLIERS, 3)
        details = {FLOW[1][0]: f"Ask {', '.join(asked[:2])} and {asked[2]}.", FLOW[7][0]: f"We order from {asked[0]}."}
        self._flow(row, FLOW[:length], begun, ["me", *team], details, over=number > 2)

    def report(self, number: int) -> None:
        """A report for the boss, who owns the list and says when something is done."""
        boss = self.known(1, "boss")[0].email
        others = [person.email for person in self.draw.sample(self.known(2, "coworker"), 3) if person.email != boss][:2]
        begun = -8 - 31 * number
        day = self.draw.today + datetime.timedelta(days=begun)
        row = self.add_list(
            f"Report {day:%B %Y}", begun - 5, ["me", *others], owner=boss, reviewed=True, archived=number > 0
        )
        self._flow(row, REVIEWED, begun, ["me", *others], {}, over=number > 0)

    def _flow(self, row: Row, flow: Any, begun: int, people: list[str], details: dict[str, str], *, over: bool) -> None:
        made: list[Row] = []
        for title, days, minutes, label, before in flow:
            due, person = begun + days, self.draw.choice(people)
            cells = {"assignee": person, "minutes": minutes, "labels": [label], "due_on": self.draw.date(due)}
            cells |= {"details": details.get(title), "creator": row["owner"]}
            cells |= {"priority": self.draw.choice(("normal", "normal", "high", "low"))}
            task = task_row(self.draw, row["list_id"], title, row["created_at"], **cells)
            needed = [made[each] for each in before]
            self.dependencies += [dependency_row(self.draw, task, each) for each in needed]
            self._advance(row, task, due, over, needed)
            self._talk(task, due, [*people, row["owner"]])
            made.append(task)
            self.tasks.append(task)

    def _advance(self, row: Row, task: Row, due: int, over: bool, needed: list[Row]) -> None:
        """Sets a task to a state that goes with its date and with what it needs."""
        can_begin = all(each["state"] in FINISHED for each in needed)
        if over and self.draw.chance(0.04) and not row["reviewed"]:
            task |= {"state": "cancelled", "reason": "not needed this time"}
        elif over or (can_begin and due < -2 and (due < -12 or self.draw.chance(0.85))):
            moments = [each["done_at"] for each in needed if each["done_at"]]
            done_at = max([self.at(due + self.draw.integer(-1, 1)), *moments], key=seconds_of)
            task |= {"state": "done", "done_at": done_at}
            by = row["owner"] if row["reviewed"] else task["assignee"]
            self.record(task, "state", "review" if row["reviewed"] else "in_progress", "done", by, task["done_at"])
        elif can_begin and due < 6:
            busy = sum(t["state"] == "in_progress" for t in self.tasks if t["list_id"] == row["list_id"])
            task["state"] = self.draw.choice(("in_progress", "review", "open") if busy < 3 else ("open",))
        elif self.draw.chance(0.15):
            task |= {"state": "waiting", "reason": self.draw.choice(REASONS)}
        elif self.draw.chance(0.2):
            task["assignee"] = None

    def _talk(self, task: Row, due: int, people: list[str]) -> None:
        """Now and then a date was moved, and somebody wrote something."""
        if self.draw.chance(0.15):
            old = self.draw.date(due - self.draw.integer(1, 4))
            by, at = self.draw.choice(people), self.at(due - 2)
            self.record(task, "due_on", old, task["due_on"], by, at)
            day = datetime.date.fromisoformat(task["due_on"])
            self.comments.append(comment_row(self.draw, task, by, f"It is enough if this is done by {day:%-d %B}.", at))
        if self.draw.chance(0.3):
            text, at = self.draw.choice(REMARKS), self.at(due - self.draw.integer(0, 2))
            self.comments.append(comment_row(self.draw, task, self.draw.choice(people), text, at))

    def household(self, times: int) -> None:
        """Chores that come back, with those that were done: by turns, but for one time."""
        partner = self.known(1, "partner")[0].email
        row = self.add_list("Household", -900, [partner])
        for number, (title, repeats, minutes) in enumerate(CHORES):
            count = times if repeats == "weekly" else max(1, times // 4) if repeats == "monthly" else 1
            pause = {"weekly": 7, "monthly": 30, "yearly": 365}[repeats]
            first = self.draw.date(self.draw.integer(0, 5) - pause * count)
            cells = {"minutes": minutes, "labels": ["home"], "repeats_from": first, "repeats": repeats}
            task = task_row(self.draw, row["list_id"], title, row["created_at"], due_on=first, **cells)
            odd = self.draw.integer(0, count - 1)
            for time in range(count):
                # Whose turn it is changes each time; once somebody else had to do it.
                person = ("me", partner)[(time + number + (time == odd)) % 2]
                days = (datetime.date.fromisoformat(task["due_on"]) - self.draw.today).days
                if days >= 0:
                    break
                done = {"state": "done", "done_at": self.at(days), "assignee": person}
                past = task | done | {"task_id": self.draw.key("task"), "repeats": None, "repeats_from": None}
                self.tasks.append(past)
                self.record(past, "state", "open", "done", person, past["done_at"])
                task["due_on"] = next_due(task)
            self.tasks.append(task)

    def errands(self, count: int) -> None:
        """What the user has to do alone, some of it for long."""
        row = self.add_list("Errands", -400)
        for title in ERRANDS[:count]:
            days = self.draw.integer(-20, 25)
            cells = {"due_on": self.draw.date(days) if self.draw.chance(0.7) else None, "assignee": "me"}
            task = task_row(self.draw, row["list_id"], title, self.at(days - 45), **cells)
            if self.draw.chance(0.25):
                task |= {"state": "done", "done_at": self.at(days - 1)}
            else:
                # Looked through this morning.
                self.record(task, "priority", "low", "normal", "me", self.draw.ago(self.draw.integer(20, 90)))
            self.tasks.append(task)
