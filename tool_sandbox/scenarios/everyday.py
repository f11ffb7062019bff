"""What every user knows without a task saying so (the date, its own name, number and city), and what a task means."""

from collections.abc import Iterator

from tool_sandbox.answers.facts import Cannot, Time, Weekday
from tool_sandbox.scenarios.checks import Changed
from tool_sandbox.scenarios.secrets import answers, facts_of
from tool_sandbox.scenarios.vocabulary import Task
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.schema import KEY_COLUMN, DatabaseNamespace
from tool_sandbox.world.script import Knows

_DAY = (
    r"\b(?:what|which) (?:day|date|month|year) is (?:it(?! on\b)|today)\b"
    r"|\b(?:today's|(?:current|present) (?:date|day)|date today)\b"
    r"|\bwhat(?:'s| is) (?:the date|today)\b|\b(?:date|day)(?: and time)? (?:it is|is it)\b(?! on\b)"
)
_NOW = r"\bwhat time (?:is it|it is)\b|\b(?:current|present) (?:date and )?time\b|\bwhat(?:'s| is) the time\b"
_NAME = r"\b(?:what(?:'s| is| are)|tell me|give me|know|need|provide) your (?:own |full )*name\b|\bwho are you\b"
_NUMBER = r"\byour own (?:phone )?number\b|\bwhat(?:'s| is) your (?:phone )?number\b"
_CITY = (
    r"^(?!.*\b(?:coordinates|l(?:at|ong)itude)\b).*(?:\b(?:which|what) (?:city|town|place)"
    r" (?:are you|do you live|you are|you live)\b|\bwhere (?:are you|do you live|you are|you live)\b"
    r"|\byour (?:current )?(?:city|town|location|position|starting point)\b)"
)

_LOST_TRACK = (
    "I can't tell, the clock of my phone is wrong at the moment.",
    "I don't know, the date on my phone is off since I travelled.",
    "No idea, I've lost track of the days on this trip.",
    "I'm not sure myself, I've been away and my phone shows some other day.",
    "Honestly, I've no idea, the clock here has been reset.",
)

_CLOCK = "get_current_timestamp"
_COMPASS = "get_current_location"
_HERE = "Right here, where this phone is."
_CLOCK_TERMS = frozenset(("today", "date", "day", "time"))
_LABELS = ("name", "content", "phone_number")


def everyday_knowledge(world: World, task: Task) -> tuple[Knows, ...]:
    """What the user of a task knows of itself and of the day, unless that is what the task is about."""
    withheld = {text.casefold() for text in (*answers(task), *task.secrets)}
    now = world.local(world.now)
    if _is_about_today(task) or now.date().isoformat() in withheld:
        knows = [Knows(f"{_DAY}|{_NOW}", _LOST_TRACK[len(task.user[0]) % len(_LOST_TRACK)])]
    else:
        knows = [
            Knows(_DAY, f"It's {now:%A, %B} {now.day}, {now.year}."),
            Knows(_NOW, f"It's about {now.hour % 12 or 12}:{now:%M %p}."),
        ]
    for topic, text, line in (
        (_NAME, world.me.name, f"I'm {world.me.name}."),
        (_NUMBER, world.me.phone_number, f"My number is {world.me.phone_number}."),
        (_CITY, world.city, _HERE if _COMPASS in (*task.tools, *task.denied) else f"I'm in {world.city}."),
    ):
        if text and text.casefold() not in withheld:
            knows.append(Knows(topic, line))
    return tuple(knows)


def _is_about_today(task: Task) -> bool:
    """Whether a task is about what day it is: not a thing to be told by the user."""
    return _CLOCK in task.denied or any(
        isinstance(fact, (Weekday, Time)) or (isinstance(fact, Cannot) and not _CLOCK_TERMS.isdisjoint(fact.terms))
        for fact in facts_of(task)
    )


def rows_meant(world: World, task: Task) -> tuple[str, ...]:
    """Names, contents, numbers and times of the rows that a task wants added, changed or removed."""
    return tuple(dict.fromkeys(_labels(world, task)))


def _labels_of_app(world: World, check: Changed) -> Iterator[str]:
    """Texts of the rows of an app's table that a change is about, but for those that only tools use."""
    schema = next(table for app in world.apps for table in app.tables if table.name == check.namespace)
    spoken = [
        column.name
        for column in schema.columns
        if column.element is str
        and not (column.name == schema.key or column.references or column.form or column.categories or column.is_list)
    ]
    key = check.where.get(schema.key)
    for row in world.stored(schema) if key is not None else ():
        if row[schema.key] == key:
            yield from (row[name] for name in spoken if row[name])
    for value in map(check.values.get, spoken):
        yield from (text for text in (getattr(value, "text", value),) if isinstance(text, str))


def _labels(world: World, task: Task) -> Iterator[str]:
    tables = world.rows()
    for node in task.milestones:
        check = node.check
        if not isinstance(check, Changed):
            continue
        if "." in check.namespace:
            yield from _labels_of_app(world, check)
            continue
        key = KEY_COLUMN[DatabaseNamespace(check.namespace)]
        for row in tables[str(check.namespace)] if check.where.get(key) is not None else ():
            if row[key] == check.where[key]:
                yield from (row[label] for label in _LABELS if row.get(label))
        for value in map(check.values.get, _LABELS):
            yield from (text for text in (getattr(value, "text", value),) if isinstance(text, str))
        if isinstance(due := getattr(check.values.get("reminder_timestamp"), "value", None), float):
            day = world.local(due)
            yield f"{due:.0f}"
            yield from (f"{day:%B} {day.day}", f"{day:%A} {day.day}", f"{day.hour % 12 or 12}:{day:%M %p}")
