"""Rows that make a world larger and leave its task as it is.

The world sizes of `tool_sandbox.scenarios.augmentations` fill the tables of a start up to a number of rows. What
fills them is drawn from the seed of the instance and is never an answer to the task:

- No word of it (three letters or more) resembles a word of the request or of the task's own rows, so a search for
  anything that the task speaks of finds what it finds in the small world.
- Nobody among the filling shares a number or an area code with a person of the suite.
- Messages are older than the oldest one of the small world; where that one matters, they lie between it and yesterday.
- Reminders are due more than two months ahead; where the last one of the small world matters, more than two months
  ago. All were written before those of the small world.
"""

import copy
import datetime
import functools
import itertools
import random
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from rapidfuzz import fuzz, process

from tool_sandbox.scenarios import filler_words as words
from tool_sandbox.scenarios.vocabulary import Task
from tool_sandbox.scenarios.world import Note, Person, TextMessage, World

T = TypeVar("T")
Rows = dict[str, list[dict[str, Any]]]
IsFree = Callable[[str], bool]

_GAP = 60
"""Days between now and the reminders of the filling."""

_WRITTEN = 20
"""Days since the newest reminder of the filling was written."""

_DAYS_PER_ROW = 0.7
"""Over how long messages and reminders spread, at least `_SHORTEST_SPREAD` days."""

_SHORTEST_SPREAD = 120

_RESEMBLANCE = 74.0
"""Similarity (0-100) below which a search for one word does not find the other."""

_WORD = re.compile(r"[^\W\d_]{3,}")

_SORTED_BY = {"CONTACT": "name", "MESSAGING": "creation_timestamp", "REMINDER": "creation_timestamp"}
"""The order in which a phone keeps its tables."""


def filled(world: World, task: Task, count: int) -> Rows:
    """Start tables of a world with more in it."""
    rows = world.rows()
    if not count:
        return rows
    draw = random.Random(f"{world.name} {world.seed}")
    is_free = _freedom(world, task)
    missing = {name: max(0, count - len(rows[name])) for name in _SORTED_BY}
    filling = copy.copy(world)
    free = (person for person in _people(world.seed) if is_free(f"{person.name} {person.relationship or ''}"))
    people = list(itertools.islice(free, missing["CONTACT"]))
    # The owner's entry, if there is one, makes the owner's messages refer to it.
    filling.contacts = [*people, *(person for person in world.contacts if person.is_self)]
    filling.messages = _messages(world, task, people, missing["MESSAGING"], draw, is_free)
    filling.reminders = _reminders(world, task, missing["REMINDER"], draw, is_free)
    more = filling.rows()
    del more["CONTACT"][len(people) :]
    return rows | {name: sorted(rows[name] + more[name], key=lambda row: row[by]) for name, by in _SORTED_BY.items()}


# Words -------------------------------------------------------------------------------------------


def _freedom(world: World, task: Task) -> IsFree:
    """A test of texts: whether no word resembles one that the task or its world uses."""
    texts = [*task.user, *(known.reply for known in task.knows), *(known.topic for known in task.knows)]
    texts += [text for person in world.contacts for text in (person.name, person.relationship or "")]
    texts += [message.content for message in world.messages] + [note.content for note in world.reminders]
    taken = list({word.lower() for text in texts for word in _WORD.findall(text)})
    known: dict[str, bool] = {}

    def is_free(text: str) -> bool:
        for word in text.lower().split():
            if word not in known:
                alike = process.extractOne(word, taken, scorer=fuzz.ratio, score_cutoff=_RESEMBLANCE)
                known[word] = alike is None and not any(
                    word.startswith(other) or other.startswith(word) for other in taken
                )
            if not known[word]:
                return False
        return True

    return is_free


def _pick(draw: random.Random, options: Sequence[T]) -> T:
    # Of all methods only `random` is promised to give the same numbers in every version of Python.
    return options[int(draw.random() * len(options))]


def _shuffled(draw: random.Random, items: Iterable[T]) -> list[T]:
    numbered = [(draw.random(), number, item) for number, item in enumerate(items)]
    return [item for _, _, item in sorted(numbered, key=lambda entry: entry[:2])]


# People ------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=32)
def _people(seed: int) -> tuple[Person, ...]:
    """Everybody who can fill the address book of an instance; as many as there are numbers."""
    draw = random.Random(f"people {seed}")
    names = _shuffled(draw, (f"{first} {last}" for first in words.FIRST_NAMES for last in words.LAST_NAMES))
    numbers = _shuffled(draw, (f"+1{area}5550{line}" for area in words.AREA_CODES for line in range(100, 200)))
    return tuple(
        Person(name, number, _pick(draw, words.RELATIONS)) for name, number in zip(names, numbers, strict=False)
    )


# Messages ----------------------------------------------------------------------------------------


def _messages(
    world: World, task: Task, people: Sequence[Person], count: int, draw: random.Random, is_free: IsFree
) -> list[TextMessage]:
    """Exchanges of a text and its reply, each with somebody of the filling."""
    if not people:
        return []
    openings = [f"{event} {news}" for event in filter(is_free, words.EVENTS) for news in filter(is_free, words.NEWS)]
    replies = list(filter(is_free, words.REPLIES))
    times: set[float] = set()
    messages: list[TextMessage] = []
    for number, start in enumerate(_message_times(world, task, (count + 1) // 2, draw)):
        person = people[number % len(people)]
        asked = _unused(start, times)
        answered = _unused(start + 60 + int(draw.random() * 3000), times)
        messages.append(TextMessage(person, world.me, _pick(draw, openings), asked))
        messages.append(TextMessage(world.me, person, _pick(draw, replies), answered))
    return messages[:count]


def _unused(time: float, times: set[float]) -> float:
    """The first second from ``time`` on at which nothing happened; messages are told apart by their time."""
    while time in times:
        time += 1
    times.add(time)
    return time


def _message_times(world: World, task: Task, count: int, draw: random.Random) -> list[float]:
    """POSIX times in whole seconds at which exchanges begin, in no order."""
    oldest = min(world.messages, key=lambda message: message.sent_at, default=None)
    begin = world.now if oldest is None else oldest.sent_at
    yesterday = world.at(world.in_days(-1), 0)
    room = int(yesterday - begin - 5 * 3600)
    if oldest is not None and room > 0 and _matters(task, oldest.message_id, oldest.content):
        return [int(begin) + 3 * 3600.0 + int(draw.random() * room) for _ in range(count)]
    days = max(_SHORTEST_SPREAD, int(_DAYS_PER_ROW * count * 2))
    latest = min(world.local(begin).date(), world.today)
    dates = (latest - datetime.timedelta(days=2 + int(draw.random() * days)) for _ in range(count))
    return [world.at(date, 8) + int(draw.random() * 13 * 3600) for date in dates]


# Reminders ---------------------------------------------------------------------------------------


def _reminders(world: World, task: Task, count: int, draw: random.Random, is_free: IsFree) -> list[Note]:
    """Chores without a place, each at an hour of its own."""
    chores = [f"{chore} {thing}" for chore in filter(is_free, words.CHORES) for thing in filter(is_free, words.THINGS)]
    days = max(_SHORTEST_SPREAD, int(_DAYS_PER_ROW * count))
    last = max(world.reminders, key=lambda note: note.due_at, default=None)
    sign = -1 if last is not None and _matters(task, last.reminder_id, last.content) else 1
    hours: dict[tuple[int, int], None] = {}
    while len(hours) < count:
        hours[_GAP + int(draw.random() * days), 8 + int(draw.random() * 12)] = None
    notes = []
    for content, (day, hour) in zip(_endless(draw, chores), hours, strict=False):
        written = _WRITTEN + int(draw.random() * days) + (day if sign < 0 else 0)
        created_at = world.at(world.in_days(-written), 7) + int(draw.random() * 14 * 3600)
        notes.append(Note(content, created_at, world.at(world.in_days(sign * day), hour)))
    return notes


def _endless(draw: random.Random, options: Sequence[T]) -> Iterable[T]:
    while True:
        yield from _shuffled(draw, options)


def _matters(task: Task, *marks: str) -> bool:
    """Whether the milestones of a task speak of a row."""
    milestones = repr(task.milestones)
    return any(mark in milestones for mark in marks)
