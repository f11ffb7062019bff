"""A list of tasks that somebody has replanned without asking: what was changed goes back, and what was agreed stays."""

from collections.abc import Callable, Sequence
from typing import Any

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps.tasks.content import edit_rows, list_row, task_row
from tool_sandbox.apps.tasks.tables import CHANGES, EDITS, LISTS, TASKS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.common import NOW, read_all
from tool_sandbox.scenarios.hard.recovery import stage
from tool_sandbox.scenarios.hard.recovery.stage import Row, Steps, together
from tool_sandbox.scenarios.matchers import Anything, OneOf
from tool_sandbox.scenarios.vocabulary import Task, added, answer, answer_for_now, call, changed, in_any_order, say
from tool_sandbox.scenarios.world import Person, World
from tool_sandbox.world.script import Solution

TOOLS = ("search_task_lists", "search_tasks", "get_task", "modify_task", "set_task_state", "search_task_changes",
         "undo_task_edit", "modify_tasks_together", "shift_task_due_dates", "delete_task", *NOW)  # fmt: skip
SETS = (
    ("Harvest fair", ("Rent the tent", "Hire the band", "Print the posters", "Order the cider", "Book the stewards",
     "Borrow the benches", "Draw the site plan", "Insure the stalls", "Test the generator", "Invite the mayor",
     "Paint the signs", "Collect the apples", "Plan the parking", "Clean the press")),
    ("Book market", ("Sort the donations", "Rent the hall", "Price the atlases", "Hang the banners", "Ask the bakery",
     "Call the papers", "Count the tables", "Fetch the shelves", "Train the cashiers", "Insure the first editions",
     "Draw the floor plan", "Label the boxes", "Invite the authors", "Sweep the cellar")),
    ("Night run", ("Mark the course", "Hire the timing mats", "Order the medals", "Close the bridge", "Ask the medics",
     "Print the numbers", "Test the lanterns", "Plan the water points", "Brief the marshals", "Insure the runners",
     "Rent the fences", "Invite the schools", "Charge the radios", "Book the photographer")),
)  # fmt: skip

# Who changed what, in order of time: x is who replanned, o somebody else; then whether x's last word stands.
# A capital letter says that it was approved. Fields: d due_on, a assignee, p priority, m minutes, l label, s state.
STORIES = (
    "xd",
    "xa xp",
    "xd xd",
    "od xd",
    "xd od",
    "xp op xp",
    "Xd",
    "xm op",
    "xl",
    "xs",
    "Xa xm",
    "oa xa",
    "op",
    "xa oa xd",
)
FIELDS = {"d": "due_on", "a": "assignee", "p": "priority", "m": "minutes", "l": "label", "s": "state"}


@attrs.define
class Story:
    """A task, what each column held one after another, and what it is to hold in the end."""

    row: Row
    held: dict[str, list[Any]] = attrs.field(factory=dict)
    wanted: Row = attrs.field(factory=dict)
    story: str = ""

    @property
    def found(self) -> Row:
        """What the columns to be put back held at first."""
        return {name: self.held[name][-1] for name in self.wanted}


def _replanned(world: World, at: Row, titles: Sequence[str], people: Sequence[str], by: str, hours: int) -> list[Story]:
    """Tasks with their history, as it is written down; ``by`` is who replanned, ``hours`` ago."""
    draw, stories = world.draw("tasks"), []
    turn = world.integer(0, 0, len(STORIES) - 1)
    for number, title in enumerate(titles):
        story = STORIES[(number + turn) % len(STORIES)]
        held: dict[str, list[Any]] = {"due_on": [draw.date(world.integer(9 + number, 8, 30))], "state": ["open"],
                                      "assignee": [people[number % len(people)]],
                                      "minutes": [15 * world.integer(3, 2, 9)],
                                      "priority": ["normal"], "label": [f"team {number % 3 + 1}"]}  # fmt: skip
        fresh: dict[str, Callable[[], Any]] = {
                 "due_on": lambda: draw.date(world.integer(33, 31, 60)), "state": lambda: "cancelled",
                 "assignee": lambda: people[world.integer(1, 0, len(people) - 1)],
                 "minutes": lambda: 15 * world.integer(12, 10, 16),
                 "priority": lambda: world.choice("low", "high", "urgent"), "label": lambda: "team 4"}  # fmt: skip
        log: list[tuple[str, Any, Any, str, int]] = []
        wanted: Row = {}
        for step, change_of in enumerate(story.split()):
            who, name = change_of[0], FIELDS[change_of[1]]
            value = fresh[name]()
            while value in held[name]:
                value = draw.date(len(held[name]) + 61) if name == "due_on" else _next(value, people)
            minutes = 60 * hours - 9 * number - 170 * step - world.integer(1, 0, 8)
            log.append((name, held[name][-1], value, by if who in "xX" else people[(number + step) % 2],
                        60 * (hours + 90) if who == "o" and step == 0 else minutes))  # fmt: skip
            wanted.setdefault(name, held[name][-1]) if who == "x" else wanted.pop(name, None)
            held[name].append(value)
        cells = {name: values[-1] for name, values in held.items() if name != "label"}
        cells |= {
            "labels": [held["label"][-1]],
            "reason": "not needed, I think" if held["state"][-1] != "open" else None,
        }
        row = world.put(TASKS, task_row(draw, at["list_id"], title, draw.moment(-30, 9), **cells))
        for name, old, new, person, minutes in log:
            edit, change = edit_rows(draw, row, name, str(old), str(new), person, draw.ago(minutes))
            world.put(EDITS, edit)
            world.put(CHANGES, change)
        stories.append(Story(row, held, wanted, story))
    return stories


def _next(value: str, people: Sequence[str]) -> str:
    ring = [*people, people[0]] if value in people else ["low", "high", "urgent", "low"]
    return ring[ring.index(value) + 1]


Place = Callable[[World, str, list[Person], list[tuple[int, str]]], Callable[[], Steps]]
"""Where it is said what was agreed: puts it there, and gives the way to read it."""


def _posts(world: World, what: str, people: list[Person], said: list[tuple[int, str]]) -> Callable[[], Steps]:
    members = stage.put_chat(world, what, people)
    for number, (who, text) in enumerate(said):
        stage.put_post(world, members[who + 1], text, 70 - 6 * number)

    def steps() -> Steps:
        [chat] = (yield call("search_group_chats", words=what))["results"]
        for row in (yield from read_all("search_group_posts", chat_id=chat["chat_id"])):
            if row["excerpt"].endswith("..."):
                yield call("get_group_post", post_id=row["post_id"])

    return steps


def _mails(world: World, what: str, people: list[Person], said: list[tuple[int, str]]) -> Callable[[], Steps]:
    first = stage.put_mail(world, (people[2].name, _email(people[2])), f"{what}: what I have changed",
                           "I have gone through the list. Tell us all here if something should stay.", 90)  # fmt: skip
    for number, (who, text) in enumerate(said):
        stage.put_mail(world, (people[who].name, _email(people[who])), f"Re: {what}: what I have changed", text,
                       70 - 6 * number, thread_id=first["thread_id"])  # fmt: skip

    def steps() -> Steps:
        rows = yield from read_all("search_mail", query=f'subject:"{what}"')
        yield call("get_mail_thread", thread_id=rows[0]["thread_id"])

    return steps


def _email(person: Person) -> str:
    return f"{'.'.join(person.name.lower().split())}@example.com"


def _said(stories: list[Story], leads: dict[str, int]) -> list[tuple[int, str]]:
    """What is said about changes: the lead of the team agrees, somebody else does, or the lead thinks again."""
    said: list[tuple[int, str]] = []
    for each in stories:
        lead, title = leads[each.held["label"][0]], each.row["title"]
        if each.story.startswith("X"):
            what = "date" if each.story == "Xd" else "person who does it"
            said.insert(0, (lead, f'About "{title}": the new {what} was my wish, please leave that as it is now.'))
        if each.story in ("xs", "xd"):
            said.append(((lead + 1) % 3, f'I like what became of "{title}", that can stay for my part.'))
        if each.story == "xd xd":
            said.insert(0, (lead, f'"{title}" on the later date is fine, leave it.'))
            text = (
                f'I spoke too soon about "{title}", the hall does not play along. The new date cannot stay after all.'
            )
            said.append((lead, text))
    return said


def _put_back(world: World, place: Place, tools: Sequence[str], *, own: bool = False) -> Task:
    draw = world.draw("tasks")
    what, titles = world.choice(*SETS)
    people = [world.new_person() for _ in range(4)]
    emails = [_email(each) for each in people]
    at = world.put(LISTS, list_row(draw, what, draw.moment(-60, 9), emails))
    by, hours = ("me", 9) if own else (emails[2], 50)
    others = [emails[0], emails[1], emails[3]] if own else [emails[0], emails[1], emails[2], emails[3]]
    stories = _replanned(world, at, titles, others, by, hours)
    leads = {f"team {number + 1}": (0, 1, 3)[number] for number in range(3)}
    text = "Who decides: " + "; ".join(f"{team} {people[who].name}" for team, who in leads.items())
    rest = (
        "What a team does is decided by the one named here and by nobody else; if one changes their mind, the last word"
    )
    stage.put_page(world, f"{what}: teams", f"{text}. The team of a task is its label. {rest} counts.")
    read = place(world, what, people, _said(stories, leads))
    due = [each for each in stories if each.wanted]
    teams = {team: [each for each in due if each.held["label"][0] == team] for team in leads}
    team = max(teams, key=lambda team: (all("state" not in each.wanted for each in teams[team]), len(teams[team])))
    again = teams[team]

    def solution() -> Solution:
        [page] = (yield call("search_note_pages", words=f"{what} teams"))["results"]
        yield call("get_note_page", page_id=page["page_id"])
        yield from read()
        [found] = (yield call("search_task_lists", words=what))["results"]
        tasks = {
            row["title"]: row["task_id"] for row in (yield from read_all("search_tasks", list_id=found["list_id"]))
        }
        yield from together(call("search_task_changes", task_id=tasks[each.row["title"]]) for each in due)
        yield from _set(tasks, [(each, each.wanted) for each in due])
        yield say(f"I have put back {len(due)} tasks.")
        yield from _set(tasks, [(each, each.found) for each in again])
        yield say(f"There are {len(due) - len(again)} tasks that differ now.")

    whose = "I have" if own else f"{people[2].name} has"
    since = "today" if own else f"since {world.local(world.now - 3600 * hours):%A, %-d %B}"
    return Task(
        user=(
            f'{whose} changed lots of things on the task list "{what}" {since}, and it was a mistake. Please put it '
        f"back: whatever {'I' if own else people[2].first_name} changed there goes back to what it was directly "
        "before. What others have changed is right, so if somebody else was the last to change something, that "
        "stays, and if somebody else changed it in between, then what they chose is what has to come back. What "
        "was agreed stays "
        f'too: {WHERE[place]} and my note "{what}: teams" says who can agree to anything. Write no comments. When '
        "all is put back, tell me how many tasks you have changed for it.",
            f'I have just heard from {people[leads[team]].name}: {team} wants to keep the new plan after all. Put '
            f'the tasks with the label "{team}" back to exactly how they were when I first wrote to you, all of '
            'them, by the label '
            "that they have now. All other tasks stay as they are now. How many tasks differ then from how they "
            "were when I first wrote to you? Only the figure, please.",
        ),
        tools=[*TOOLS, "search_note_pages", "get_note_page", *tools],
        milestones=[
            *in_any_order(
                *(_node(each, each.wanted) for each in due if each not in again),
                answer_for_now(Number(len(due), "tasks")),
                *(_node(each, each.wanted).passing().named(each.row["title"]) for each in again),
            ),
            *in_any_order(*(_node(each, each.found).after(each.row["title"]) for each in again)),
            answer(Number(len(due) - len(again), "tasks")),
        ],
        allowed=[
            *(_node(each, {name: OneOf(held) for name, held in each.held.items()}) for each in due),
            added(EDITS, 60, made_by="me", undone=OneOf([True, False])),
            added(CHANGES, 120, edit_id=Anything(), task_id=OneOf([each.row["task_id"] for each in due]),
                  field=Anything(), old=Anything(), new=Anything()),
            changed(EDITS, {"made_by": "me"}, undone=True),
        ],
        solution=solution,
    )  # fmt: skip


def _set(tasks: dict[str, str], wanted: Sequence[tuple[Story, Row]]) -> Steps:
    """Gives tasks cells."""
    steps = []
    for each, values in wanted:
        cells = {"labels" if name == "label" else name: [cell] if name == "label" else cell
                 for name, cell in values.items()}  # fmt: skip
        if state := cells.pop("state", None):
            steps.append(call("set_task_state", task_ids=[tasks[each.row["title"]]], state=state))
        if cells:
            steps.append(call("modify_task", task_id=tasks[each.row["title"]], **cells))
    yield from together(steps)


def _node(each: Story, cells: Row) -> Any:
    """That a task has cells; where it is open again, without the reason for which it was not."""
    columns = {name: cell for name, cell in cells.items() if name != "label"}
    if "label" in cells:
        held = cells["label"]
        columns["labels"] = OneOf([[one] for one in held.options] + [[]]) if isinstance(held, OneOf) else [held]
    return changed(TASKS, {"task_id": each.row["task_id"]}, **columns | ({"reason": None} if "state" in cells else {}))


WHERE: dict[Place, str] = {
    _posts: "it is said in our group chat of the same name,",
    _mails: "it is said in the answers to the mail about it,",
}


# Chains of changes by several people, approvals by the wrong person, and one that was taken back.
@scenario(apps=("tasks", "notes", "groups"))
def put_back_replanning_discussed_in_chat(world: World) -> Task:
    """Put back what somebody changed in a list of tasks, but for what the right people agreed to in a chat."""
    return _put_back(world, _posts, ("search_group_chats", "search_group_posts", "get_group_post"))


# As before, with the approvals in a thread of mails.
@scenario(apps=("tasks", "notes", "mail"))
def put_back_replanning_discussed_by_mail(world: World) -> Task:
    """Put back what somebody changed in a list of tasks, but for what the right people agreed to by mail."""
    return _put_back(world, _mails, ("search_mail", "get_mail", "get_mail_thread"))


# The own edits can be undone as they are, but some of them would take with them what has to stay.
@scenario(apps=("tasks", "notes", "groups"))
def put_back_own_replanning(world: World) -> Task:
    """Put back own changes of this morning in a list of tasks, but for what was agreed to in a chat."""
    return _put_back(world, _posts, ("search_group_chats", "search_group_posts", "get_group_post"), own=True)


@scenario(apps=("tasks", "notes", "mail"))
def put_back_own_replanning_discussed_by_mail(world: World) -> Task:
    """Put back own changes of this morning in a list of tasks, but for what was agreed to by mail."""
    return _put_back(world, _mails, ("search_mail", "get_mail", "get_mail_thread"), own=True)
