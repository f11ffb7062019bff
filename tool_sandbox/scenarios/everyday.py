"""What every user knows without a task saying so (the date, its own name, number and city), and what a task means."""

from collections.abc import Iterator

from tool_sandbox.common._schema import KEY_COLUMN
from tool_sandbox.common.facts import Cannot, Date, DateTime, Weekday
from tool_sandbox.common.script import Knows
from tool_sandbox.scenarios.checks import Changed
from tool_sandbox.scenarios.secrets import answers, facts_of
from tool_sandbox.scenarios.vocabulary import Task
from tool_sandbox.scenarios.world import World

_DAY = (
    r"\b(?:what|which) (?:day|date) is (?:it|today)\b|\bwhat(?:'s| is) (?:the (?:current )?date|today's date|today)\b"
    r"|\b(?:tell|give) me (?:what )?(?:today's date|the (?:current )?date|(?:what )?(?:date|day) it is)\b"
)
_NAME = r"\bwhat(?:'s| is) your (?:own )?(?:full )?name\b|\bwho are you\b|\byour (?:full |own )?name\b"
_NUMBER = r"\byour own (?:phone )?number\b|\bwhat(?:'s| is) your (?:phone )?number\b"
_CITY = r"\b(?:which|what) (?:city|town) (?:are you|do you live|you are)\b"

_CLOCK = "get_current_timestamp"
_COMPASS = "get_current_location"
_CLOCK_TERMS = frozenset(("today", "date", "day", "time"))
_LABELS = ("name", "content", "phone_number")


def everyday_knowledge(world: World, task: Task) -> tuple[Knows, ...]:
    """What the user of a task knows of itself and of the day, unless that is what the task is about.

    Args:
        world: The world of the task.
        task: The task.
    """
    facts = list(facts_of(task))
    is_about_time = _CLOCK in task.denied or any(
        isinstance(fact, (Date, DateTime, Weekday))
        or (isinstance(fact, Cannot) and not _CLOCK_TERMS.isdisjoint(fact.terms))
        for fact in facts
    )
    withheld = {text.casefold() for text in (*answers(task), *task.secrets)}
    knows = [] if is_about_time else [Knows(_DAY, f"It's {world.today:%A, %B} {world.today.day}, {world.today.year}.")]
    for topic, text, line in (
        (_NAME, world.me.name, f"I'm {world.me.name}."),
        (_NUMBER, world.me.phone_number, f"My number is {world.me.phone_number}."),
        (_CITY, "" if _COMPASS in task.tools or _COMPASS in task.denied else world.city, f"I'm in {world.city}."),
    ):
        if text and text.casefold() not in withheld:
            knows.append(Knows(topic, line))
    return tuple(knows)


def rows_meant(world: World, task: Task) -> tuple[str, ...]:
    """Names, contents and numbers of the rows that a task wants changed or removed.

    Args:
        world: The world of the task.
        task: The task.
    """
    return tuple(dict.fromkeys(_labels(world, task)))


def _labels(world: World, task: Task) -> Iterator[str]:
    tables = world.rows()
    for node in task.milestones:
        check = node.check
        if isinstance(check, Changed) and (key := check.where.get(KEY_COLUMN[check.namespace])) is not None:
            for row in tables[str(check.namespace)]:
                if row[KEY_COLUMN[check.namespace]] == key:
                    yield from (row[label] for label in _LABELS if row.get(label))
