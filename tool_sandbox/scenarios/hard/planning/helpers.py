"""Helpers and tasks: who does what, and what fits into a day, where the first good plan is not the best."""

import datetime
import itertools
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from tool_sandbox.answers.facts import Fact, Number
from tool_sandbox.apps.calendar.content import event_row, times
from tool_sandbox.apps.calendar.tables import CALENDARS, EVENTS
from tool_sandbox.apps.tasks.content import list_row, task_row
from tool_sandbox.apps.tasks.tables import LISTS, TASKS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.bookkeeping.jobs import Deed, Job, Look, change_task, look, page
from tool_sandbox.scenarios.hard.bookkeeping.papers import Row, money, new_names, put_chat, put_page
from tool_sandbox.scenarios.vocabulary import Task
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.errors import DrawError

SKILLS = ("wood", "wires", "plants", "paint")
WORK = {
    "wood": ("Build the stage", "Mend the benches", "Raise the roof", "Saw the boards", "Hang the doors"),
    "wires": ("Lay the cables", "Mount the lamps", "Test the sound", "Wire the till", "Fix the bell"),
    "plants": ("Trim the hedge", "Set the flowers", "Rake the lawn", "Water the pots", "Plant the trees"),
    "paint": ("Paint the signs", "Coat the fence", "Letter the boards", "Varnish the floor", "Draw the lines"),
}
TOOLS = (
    *("search_task_lists", "search_tasks", "get_task", "modify_task", "modify_tasks_together", "get_task_workload"),
    *("search_note_pages", "get_note_page", "search_group_chats", "search_group_posts", "get_group_post"),
)
CHAT, TITLE = "Crew of the fair", "Who helps at the fair"
MOST = 60_000
"""Plans that are looked at."""


@attrs.frozen
class Helper:
    """Somebody who helps: what for how many minutes, for how many cents an hour, and for how many to come at all."""

    name: str
    skills: tuple[str, ...]
    minutes: int
    wage: int
    travel: int

    @property
    def email(self) -> str:
        """Address of the helper."""
        return f"{self.name.lower().replace(' ', '.')}@example.org"


Work = tuple[str, str, int]
"""A task: title, skill, minutes."""
Plan = tuple[int, ...]
"""For each task the number of its helper."""


def _put_work(world: World, name: str, helpers: Sequence[Helper], work: Sequence[Work]) -> tuple[Row, list[Row]]:
    """A list with its tasks: title, skill as a label, minutes."""
    draw = world.draw("tasks")
    tasks = world.put(LISTS, list_row(draw, name, draw.moment(-30, 9), [helper.email for helper in helpers]))
    rows = []
    for title, skill, minutes in work:
        cells = {"labels": [skill], "minutes": minutes}
        rows.append(world.put(TASKS, task_row(draw, tasks["list_id"], title, draw.moment(-20, 9), **cells)))
    return tasks, rows


def _looks(title: str, tasks: Row) -> tuple[Look, ...]:
    posts = look("search_group_posts", "get_group_post", key="post_id", pinned=True)
    listed = look("search_tasks", list_id=tasks["list_id"], limit=50)
    return (
        page(title),
        look("search_group_chats", words=CHAT),
        posts,
        look("search_task_lists", words=tasks["name"]),
        listed,
    )


def _plans(helpers: Sequence[Helper], work: Sequence[Work], most: int) -> Iterator[tuple[Plan, list[int]]]:
    """All ways to give each task to somebody who can do it and has the time, with the minutes of each helper."""
    able = [[n for n, helper in enumerate(helpers) if skill in helper.skills] for _, skill, _ in work]

    def extend(plan: Plan, used: list[int]) -> Iterator[tuple[Plan, list[int]]]:
        if len(plan) == len(work):
            yield plan, used
            return
        for number in able[len(plan)]:
            spent = used[number] + work[len(plan)][2]
            if spent <= helpers[number].minutes and plan.count(number) < most:
                yield from extend((*plan, number), [*used[:number], spent, *used[number + 1 :]])

    yield from extend((), [0] * len(helpers))


def _draw_crew(world: World, count: int, sizes: Sequence[int]) -> tuple[list[Helper], list[Work]]:
    """Helpers with two or three skills, and tasks of every skill."""
    draw = world.draw("tasks")
    helpers = []
    for number, name in enumerate(new_names(world, "tasks", count)):
        skills = tuple(sorted({SKILLS[number % 4], *draw.sample(SKILLS, 1 + number % 2)}))
        wage, travel = 50 * draw.integer(36, 64), 100 * draw.integer(8, 30)
        helpers.append(Helper(name, skills, 15 * draw.integer(12, 18), wage, travel))
    work = [
        (title, skill, 15 * draw.integer(4, 10))
        for skill, size in zip(SKILLS, sizes, strict=True)
        for title in draw.sample(WORK[skill], size)
    ]
    return helpers, draw.sample(work, len(work))


@attrs.frozen
class Crew:
    """Helpers, what is to be done, and the plan that holds already, if there is one."""

    helpers: list[Helper]
    work: list[Work]
    start: Plan = ()

    def costs(self, helpers: Sequence[Helper]) -> list[tuple[int, Plan]]:
        """Plans with what wages and ways cost, the cheapest first; empty if there are too many to see all."""
        plans = itertools.islice(_plans(helpers, self.work, 3), MOST)
        found = [
            (sum(used[n] * h.wage // 60 + h.travel for n, h in enumerate(helpers) if used[n]), plan)
            for plan, used in plans
        ]
        return sorted(found) if len(found) < MOST else []

    @property
    def wages(self) -> str:
        """The rules, and what everybody can do and costs."""
        lines = [
            f"- {h.name} ({h.email}): {', '.join(h.skills)}; at most {h.minutes} minutes; {money(h.wage)} an hour, and "
            f"{money(h.travel)} for the way if at least one task is done"
            for h in self.helpers
        ]
        text = (
            "Every task needs one helper who has its skill. Nobody does more than three tasks. Wages are paid by the "
            "minute: the minutes of all tasks of a helper together, times the wage of an hour, divided by 60, and that "
            "rounded down to the whole cent once for each helper. What the way costs comes on top."
        )
        return "\n".join((text, *lines))


def _assigned(
    world: World,
    crew: Crew,
    plan: Plan,
    texts: tuple[str, str, str],
    told: str,
    facts: Sequence[Fact],
    then: tuple[Plan, str, str, Fact] | None = None,
) -> Task:
    """Assigns the tasks; texts are the rules, what changed in them, and what is wanted.

    A second round has a plan, what the user says, what is told, and the fact in it.
    """
    (text, post, wanted), name = texts, world.phrase("Autumn fair", "Village fair", "School fair")
    tasks, rows = _put_work(world, name, crew.helpers, crew.work)
    for row, number in zip(rows, crew.start, strict=False):
        row["assignee"] = crew.helpers[number].email
    put_page(world, TITLE, text)
    put_chat(world, CHAT, [(-6, post), (-4, "Do we have enough gloves?"), (-3, "Plenty, in the red box.")])
    asked = [
        f'For my task list "{name}": {wanted} Who can do what, and for how long, stands on the page "{TITLE}" '
        f'of my notes, a change is pinned in the chat "{CHAT}". The label of a task says which skill it needs.'
    ]
    first, second = list[Deed](), list[Deed]()
    for row, number, last in zip(rows, plan, then[0] if then else plan, strict=True):
        if row["assignee"] != crew.helpers[number].email:
            deed = change_task(row, assignee=crew.helpers[number].email)
            first.append(deed if last == number else deed.for_now())
        second += [change_task(row, assignee=crew.helpers[last].email)] if last != number else []
    rounds = [(second, then[2])] if then else []
    asked += [then[1]] if then else []
    ends = ([then[3]], facts) if then else (facts, ())
    return Job(asked, TOOLS, _looks(TITLE, tasks), first, told, ends[0], (text, post), rounds, ends[1]).task()


# Who is cheapest by the hour costs most to fetch, and minutes do not fit together: the best crew leaves out somebody
# whom every step by step choice takes.
@scenario(apps=("tasks", "notes", "groups"))
def assign_fair_tasks_for_least_money(world: World) -> Task:
    """Find the cheapest way to staff ten tasks, with wages, travel and limits, and assign them."""
    for _ in range(80):
        crew = Crew(*_draw_crew(world, 6, (3, 2, 3, 2)))
        late = world.draw("tasks").integer(0, 5)
        found = crew.costs(_shorter(crew.helpers, late, 60))
        if len(found) > 20 and found[1][0] - found[0][0] >= 75 and len(set(found[0][1])) < 6:
            break
    else:
        raise DrawError("no plan is clearly the cheapest")
    total, plan = found[0]
    post = f"{crew.helpers[late].name} has to leave an hour earlier than planned, so that is an hour less."
    wanted = (
        "Please assign every task to one of the helpers, so that wages and ways together cost as little as possible, "
    )
    told = f"All tasks are assigned. The plan costs {money(total)} in all."
    texts = (crew.wages, post, f"{wanted}and tell me how much that is, only that figure.")
    return _assigned(world, crew, plan, texts, told, [Number(total / 100, "USD")])


def _shorter(helpers: Sequence[Helper], number: int, minutes: int) -> list[Helper]:
    return [attrs.evolve(h, minutes=h.minutes - minutes) if n == number else h for n, h in enumerate(helpers)]


# Everything is assigned already, so that a plan from scratch is wrong: the fewest changes count first, and where one is
# replaced somebody else has to make room, although another plan costs less.
@scenario(apps=("tasks", "notes", "groups"))
def mend_plan_of_fair_with_fewest_changes(world: World) -> Task:
    """Replace a helper who cannot come, with as few changes as possible and then as cheaply as possible."""
    for _ in range(120):
        crew = Crew(*_draw_crew(world, 6, (3, 2, 3, 2)))
        first = crew.costs(crew.helpers)
        if len(first) < 20:
            continue
        start = first[len(first) // 9][1]
        gone, late = sorted(range(6), key=start.count)[-1], sorted(range(6), key=start.count)[-2]
        now = _shorter(_shorter(crew.helpers, gone, 10_000), late, 30)
        ranked = sorted((sum(map(operator.ne, plan, start)), cents, plan) for cents, plan in crew.costs(now))
        if len(ranked) > 5 and ranked[0][0] > start.count(gone) and ranked[1][:2] > (ranked[0][0], ranked[0][1] + 74):
            break
    else:
        raise DrawError("no plan is clearly the best")
    changes, total, plan = ranked[0]
    names = crew.helpers[gone].name, crew.helpers[late].name
    post = f"{names[0]} is ill and cannot come at all. {names[1]} has half an hour less than planned."
    wanted = (
        "All tasks are assigned, but that plan no longer works. Please change it so that it does: leave as many tasks "
        "as possible with who has them (those of somebody who cannot come go to others in any case), and of such plans "
        "take the one that costs least. Tell me what wages and ways "
        "cost in all then. Only the figure, please."
    )
    told = f"I changed {changes} tasks. The plan costs {money(total)} in all now."
    texts = (crew.wages, post, wanted)
    return _assigned(world, attrs.evolve(crew, start=start), plan, texts, told, [Number(total / 100, "USD")])


# The second plan is not the cheapest without the one who is gone, but the one that is nearest to the first.
@scenario(apps=("tasks", "notes", "groups"))
def assign_fair_tasks_then_lose_a_helper(world: World) -> Task:
    """Staff ten tasks as cheaply as possible, and mend the plan when somebody drops out."""
    for _ in range(400):
        crew = Crew(*_draw_crew(world, 6, (3, 2, 3, 2)))
        late = world.draw("tasks").integer(0, 5)
        able = _shorter(crew.helpers, late, 60)
        found = crew.costs(able)
        if len(found) < 20 or found[1][0] - found[0][0] < 75:
            continue
        total, plan = found[0]
        gone = max((n for n in range(6) if n != late), key=plan.count)
        rest = crew.costs(_shorter(able, gone, 10_000))
        ranked = sorted((sum(map(operator.ne, each, plan)), cents, each) for cents, each in rest)
        if len(ranked) > 2 and ranked[0][2] != rest[0][1] and ranked[1][:2] > (ranked[0][0], ranked[0][1] + 24):
            break
    else:
        raise DrawError("no plan is clearly the best")
    post = f"{crew.helpers[late].name} has to leave an hour earlier than planned, so that is an hour less."
    wanted = (
        "Please assign every task to one of the helpers, so that wages and ways together cost as little as possible, "
        "and tell me how much that is, only that figure."
    )
    asked = (
        f"Now {crew.helpers[gone].name} has cancelled altogether. Please change the plan so that it works without: "
        "leave as many of the other tasks as possible with who has them by your plan, and of such plans take the one "
        "that costs least. What do wages and ways cost in all then?"
    )
    texts, cost = (crew.wages, post, wanted), ranked[0][1]
    told = f"All tasks are assigned. The plan costs {money(total)} in all."
    then = (ranked[0][2], asked, f"The new plan costs {money(cost)} in all.", Number(cost / 100, "USD"))
    return _assigned(world, crew, plan, texts, told, [Number(total / 100, "USD")], then)


# What is short for one makes it long for another: a model evens out step by step, and stops where two would have to
# change places, or forgets the price among plans that are equally short.
@scenario(apps=("tasks", "notes", "groups"))
def assign_fair_tasks_most_evenly(world: World) -> Task:
    """Staff ten tasks so that the longest work is as short as possible, and then as cheaply as possible."""
    for _ in range(160):
        crew = Crew(*_draw_crew(world, 6, (2, 3, 2, 3)))
        late = world.draw("tasks").integer(0, 5)
        ranked = []
        for cents, plan in crew.costs(_shorter(crew.helpers, late, 60)):
            used = [sum(task[2] for task, n in zip(crew.work, plan, strict=True) if n == each) for each in range(6)]
            ranked.append((max(used), cents, plan))
        ranked.sort()
        if len(ranked) > 20 and ranked[1][0] == ranked[0][0] and ranked[1][1] - ranked[0][1] >= 75:
            break
    else:
        raise DrawError("no plan is clearly the best")
    longest, total, plan = ranked[0]
    post = f"{crew.helpers[late].name} has to leave an hour earlier than planned, so that is an hour less."
    wanted = (
        "Please assign every task to one of the helpers, so that whoever works longest works as short as possible; of "
        "such plans take the one of which wages and ways together cost least. Tell me how many minutes the longest "
        "work of anybody is, and what the plan costs. Only the two figures, please."
    )
    told = f"All tasks are assigned. The plan costs {money(total)} in all. The longest work is {longest} minutes."
    facts = [Number(total / 100, "USD"), Number(longest, "minute")]
    return _assigned(world, crew, plan, (crew.wages, post, wanted), told, facts)


# The points are highest where the hours are fewest; two people must not meet on the same sort of work, and what one is
# taken off makes three others change places.
@scenario(apps=("tasks", "notes", "groups"))
def assign_fair_tasks_for_most_joy(world: World) -> Task:
    """Assign nine tasks so that the points of liking are highest, while two helpers must not share a kind of work."""
    draw = world.draw("tasks")
    for _ in range(80):
        helpers, work = _draw_crew(world, 5, (3, 2, 2, 2))
        joy = {(h.name, skill): draw.integer(1, 9) for h in helpers for skill in h.skills}
        a, b = draw.sample(range(5), 2)
        found, plans = [], list(itertools.islice(_plans(helpers, work, 3), MOST))
        for plan, used in plans:
            kinds = [{work[task][1] for task, number in enumerate(plan) if number == each} for each in (a, b)]
            if not kinds[0] & kinds[1] and all(used):
                points = sum(joy[helpers[n].name, work[task][1]] for task, n in enumerate(plan))
                found.append((-points, plan))
        found.sort()
        greedy = sum(max(joy.get((h.name, skill), 0) for h in helpers) for _, skill, _ in work)
        if len(found) > 10 and len(plans) < MOST and found[0][0] < found[1][0] and -found[0][0] < greedy - 2:
            break
    else:
        raise DrawError("no plan is clearly the best")
    total, plan = -found[0][0], found[0][1]
    lines = [
        f"- {h.name} ({h.email}), at most {h.minutes} minutes: " + ", ".join(f"{s} {joy[h.name, s]}" for s in h.skills)
        for h in helpers
    ]
    text = (
        "Every task needs one helper who has its skill. Nobody does more than three tasks, and everybody does at least "
    )
    text += (
        "one. The figure behind a skill is how much the helper likes it: it counts once for every task of that kind.\n"
    )
    post = f"{helpers[a].name} and {helpers[b].name} have quarrelled: do not let them both do work of the same kind."
    wanted = (
        "Please assign every task to one of the helpers, so that the points of liking are as many as possible in all, "
    )
    wanted += "and tell me how many that makes, only that figure."
    told = f"All tasks are assigned. The plan comes to {total} points."
    texts = (text + "\n".join(lines), post, wanted)
    return _assigned(world, Crew(helpers, work), plan, texts, told, [Number(total, "point")])


@attrs.frozen
class Stint:
    """A task that may be done on a day; `after` is the number of the one that has to be done before, or -1."""

    title: str
    skill: str
    minutes: int
    points: int
    after: int


def _packed(stints: Sequence[Stint], gaps: Sequence[int], noisy: int) -> list[tuple[int, frozenset[int]]]:
    """Sets of tasks that fit into the gaps of a day, the best first, with points; wood is for gaps before `noisy`."""
    best = dict[frozenset[int], int]()

    def place(number: int, left: tuple[int, ...], done: frozenset[int], last: tuple[int, ...], points: int) -> None:
        if number == len(stints):
            best[done] = points
            return
        place(number + 1, left, done, (*last, -1), points)
        stint = stints[number]
        if stint.after >= 0 and last[stint.after] < 0:
            return
        for gap in range(last[stint.after] if stint.after >= 0 else 0, len(left)):
            if stint.minutes <= left[gap] and (stint.skill != "wood" or gap < noisy):
                rest = (*left[:gap], left[gap] - stint.minutes, *left[gap + 1 :])
                place(number + 1, rest, done | {number}, (*last, gap), points + stint.points)

    place(0, tuple(gaps), frozenset(), (), 0)
    return sorted(((points, done) for done, points in best.items()), key=lambda each: (-each[0], sorted(each[1])))


# The gaps are what the appointments leave, less the way: the tasks with the most points do not fill them, and a model
# packs by points a minute, or lets the noisy work slip into the evening.
@scenario(apps=("tasks", "calendar", "notes", "groups"))
def choose_tasks_for_one_day(world: World) -> Task:
    """Choose the tasks that bring most points in the gaps between the appointments of a day."""
    draw, cal, weekday = world.draw("tasks"), world.draw("calendar"), world.integer(6, 4, 9)
    private = next(row for row in world.stored(CALENDARS) if row["name"] == "Private" and row["access"] == "owner")
    day = world.in_days(weekday)
    for row in list(world.stored(EVENTS)):
        # The day is free of everything else.
        days = [
            (row[name] or row[other] or "")[:10]
            for name, other in (("first_day", "starts_at"), ("last_day", "ends_at"))
        ]
        if row["recurrence"] or days[0] <= day.isoformat() <= days[1]:
            row["status"] = "cancelled"
    for _ in range(200):
        starts = (9 * 60, *sorted(15 * draw.integer(44, 76) for _ in range(3)), 21 * 60)
        lengths = [15 * draw.integer(2, 5) for _ in range(3)]
        busy = [(start, start + length) for start, length in zip(starts[1:4], lengths, strict=True)]
        edges = [
            (9 * 60, busy[0][0] - 15),
            *((a[1] + 15, b[0] - 15) for a, b in itertools.pairwise(busy)),
            (busy[2][1] + 15, 21 * 60),
        ]
        gaps = [end - start for start, end in edges]
        if (
            min(gaps) < 45
            or max(gaps) > 260
            or not any(start >= 18 * 60 for start, _ in edges)
            or any(a < 1080 < b for a, b in edges)
        ):
            continue
        noisy = sum(start < 18 * 60 for start, _ in edges)
        titles = [(title, skill) for skill in SKILLS for title in draw.sample(WORK[skill], 2)]
        stints = [Stint(t, s, 5 * draw.integer(6, 26), draw.integer(3, 14), -1) for t, s in draw.sample(titles, 8)]
        stints[5], stints[7] = attrs.evolve(stints[5], after=1), attrs.evolve(stints[7], after=2)
        found = _packed(stints, gaps, noisy)
        by_rate, by_points = (sorted(stints, key=key) for key in (lambda s: -s.points / s.minutes, lambda s: -s.points))
        size = len(found[0][1])
        greedy = [{s.title for s in order[:size]} for order in (by_rate, by_points)]
        best = {stints[number].title for number in found[0][1]}
        if 3 <= size <= 6 and found[0][0] > found[1][0] and best not in greedy:
            break
    else:
        raise DrawError("no choice is clearly the best")
    name, title = world.phrase("House and yard", "Work on the house", "Yard and shed"), "My free days"
    tasks, rows = _put_work(world, name, (), [(s.title, s.skill, s.minutes) for s in stints])
    for stint, row in zip(stints, rows, strict=True):
        row |= {"details": f"{stint.points} points.", "assignee": "me"}
        if stint.after >= 0:
            row["details"] += f' Only after "{stints[stint.after].title}", on the same day or later.'
    for (start, end), what in zip(busy, ("Dentist", "Visit of the aunt", "Call with the bank"), strict=True):
        when = times(cal, weekday, start // 60, end - start, minute=start % 60)
        world.put(EVENTS, event_row(cal, private, what, when))
    text = (
        "On a free day I work from 9:00 to 21:00, around what is in my calendar, and need 15 minutes free before and "
    )
    text += "after each appointment. A task is done in one go, and one follows the other without a pause. "
    text += "Points are in the details of a task."
    post = "Please no noise in the yard from 18:00 on: woodwork has to be over by then."
    notes = put_page(world, title, text)
    put_chat(world, CHAT, [(-6, post), (-4, "Do we have enough gloves?"), (-3, "Plenty, in the red box.")])
    chosen, total = sorted(found[0][1]), found[0][0]
    span: dict[str, Any] = {"since": f"{day}T00:00", "until": f"{day + datetime.timedelta(days=1)}T00:00"}
    listed = look("search_tasks", "get_task", key="task_id", list_id=tasks["list_id"], limit=50)
    return Job(
        f'On {day:%A}, {day.day} {day:%B %Y} I have time for my task list "{name}". Please find out which of its tasks '
        f'I should do on that day to get the most points (the rules are on the page "{title}" of my notes, a post is '
        f'pinned in the chat "{CHAT}"; nothing of the list is done before). Set exactly those to be due on that day; '
        "the others stay without a date. In the end tell me how many points that makes, only that figure.",
        (*TOOLS, "list_calendar_agenda", "search_calendar_events"),
        (*_looks(title, tasks), look("list_calendar_agenda", **span), listed),
        [change_task(rows[number], due_on=day.isoformat()) for number in chosen],
        f"The tasks of that day are set. They make {total} points.",
        [Number(total, "point")],
        (notes["content"], post, *(row["details"] for row in rows)),
    ).task()
