"""What is in the notes when a world begins: pages, lists and memories of somebody who has kept notes for years."""

import datetime
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import attrs

from tool_sandbox.apps import Draw, Size
from tool_sandbox.apps.notes.phrases import (
    AGENDA,
    AUTHORS,
    BOOK_SUBJECTS,
    BOOKS,
    CITIES,
    DISHES,
    GIFTS,
    HABITS,
    HOTELS,
    HOUSE,
    INGREDIENTS,
    INSTRUCTIONS,
    LISTS,
    LOGGED,
    OPINIONS,
    OUTCOMES,
    PACKING,
    PREFERENCES,
    PROJECTS,
    SEASONS,
    STEPS,
    TRADES,
    WEEKDAYS,
)
from tool_sandbox.apps.notes.tables import CHECKLISTS, ITEMS, LOGS, MEMORIES, PAGES

Row = dict[str, Any]
Rows = list[Row]

COUNTS: dict[Size, tuple[int, int, int]] = {"small": (6, 3, 5), "medium": (60, 25, 40), "large": (1200, 400, 150)}
"""Pages, checklists and memories of each size."""


def content(draw: Draw, size: Size) -> dict[str, Rows]:
    """Draws the rows of all tables."""
    pages, checklists, memories = COUNTS[size]
    made = _Notes(draw)
    made.write_pages(pages)
    made.write_checklists(checklists)
    made.write_memories(memories)
    return {
        PAGES.name: made.pages,
        CHECKLISTS.name: made.checklists,
        ITEMS.name: made.items,
        MEMORIES.name: made.memories,
        LOGS.name: list(_conversations(draw.apart("conversations"), 3 * memories // 4)),
    }


# Rows, for the content here and for scenarios that need certain ones ------------------------------------------


def page_row(draw: Draw, title: str, text: str, written: str, *, tags: Sequence[str] = (), pinned: bool = False) -> Row:
    """A page that was written at a moment and not changed since."""
    return {
        "page_id": draw.key("page"),
        "title": title,
        "content": text,
        "tags": list(tags),
        "pinned": pinned,
        "created_at": written,
        "changed_at": written,
    }


def checklist_row(draw: Draw, title: str, created: str, page_id: str | None = None) -> Row:
    """A checklist, still without items."""
    return {"checklist_id": draw.key("checklist"), "title": title, "page_id": page_id, "created_at": created}


def item_row(draw: Draw, checklist_id: str, content: str, position: int, done_at: str | None = None) -> Row:
    """An item of a checklist, done if there is a moment at which it was."""
    return {
        "item_id": draw.key("item"),
        "checklist_id": checklist_id,
        "content": content,
        "position": position,
        "done": done_at is not None,
        "done_at": done_at,
    }


def memory_row(draw: Draw, said: str, topic: str, told: str) -> Row:
    """Something that the user said at a moment."""
    return {"memory_id": draw.key("memory"), "content": said, "topic": topic, "told_at": told}


def log_row(draw: Draw, subject: str, said: Sequence[str], begun: str) -> Row:
    """An earlier conversation; the user begins, and the assistant answers in turn."""
    lines = [f"{('user', 'assistant')[number % 2]}: {text}" for number, text in enumerate(said)]
    return {"conversation_id": draw.key("conversation"), "subject": subject, "log": "\n".join(lines), "begun_at": begun}


# Content ------------------------------------------------------------------------------------------------------


@attrs.define
class _Notes:
    """Rows as they are made."""

    draw: Draw
    pages: Rows = attrs.field(factory=list)
    checklists: Rows = attrs.field(factory=list)
    items: Rows = attrs.field(factory=list)
    memories: Rows = attrs.field(factory=list)

    # Pages -----------------------------------------------------------------------------------

    def write_pages(self, count: int) -> None:
        """Pages from the oldest to the newest, all with different titles."""
        kinds: list[Callable[[datetime.date], tuple[str, str, list[str]]]] = [
            self._meeting,
            self._recipe,
            self._trip,
            self._book,
            self._gifts,
            self._repair,
        ]
        titles = set[str]()
        for number in range(count):
            # About two notes a week, the last one yesterday.
            days = -1 - (count - 1 - number) * 3 - self.draw.integer(0, 2)
            day = self.draw.today + datetime.timedelta(days=days)
            kind = kinds[number % len(kinds)] if count <= 12 else self.draw.choice(kinds)
            title, text, tags = kind(day)
            title = next(each for each in _numbered(title) if each not in titles)
            titles.add(title)
            written = self.draw.moment(days, self.draw.integer(8, 21), self.draw.integer(0, 59))
            self.pages.append(page_row(self.draw, title, text, written, tags=tags, pinned=self.draw.chance(0.05)))

    def _meeting(self, day: datetime.date) -> tuple[str, str, list[str]]:
        people = [person.first_name for person in self.draw.sample(self.draw.people, self.draw.integer(2, 3))]
        project = self.draw.choice(PROJECTS)
        points = self.draw.sample(AGENDA, 3)
        lines = [f"With {', '.join(people[:-1])} and {people[-1]}, about {project}."]
        lines += [f"- {point}: {self.draw.choice(OUTCOMES)}" for point in points]
        lines.append(
            f"Next: {self.draw.choice(people)} sends the summary by {(day + datetime.timedelta(days=4)):%-d %B}."
        )
        return f"Meeting on {project}, {day:%-d %B %Y}", "\n".join(lines), ["work", "meeting"]

    def _recipe(self, day: datetime.date) -> tuple[str, str, list[str]]:
        dish = self.draw.choice(DISHES)
        serves = self.draw.integer(2, 6)
        parts = [f"- {self.draw.integer(1, 8) * 50} g {name}" for name in self.draw.sample(INGREDIENTS, 4)]
        steps = [f"{number}. {step}" for number, step in enumerate(self.draw.sample(STEPS, 3), start=1)]
        minutes = self.draw.integer(4, 18) * 5
        text = "\n".join([f"Serves {serves}, takes {minutes} minutes.", *parts, *steps])
        addition, giver = self.draw.choice(INGREDIENTS), self.draw.person().first_name
        return f"{giver}'s {dish} with {addition}", text, ["recipes", self.draw.choice(("weekday", "guests"))]

    def _trip(self, day: datetime.date) -> tuple[str, str, list[str]]:
        city, nights = self.draw.choice(CITIES), self.draw.integer(2, 9)
        with_whom = self.draw.person().first_name
        cost = self.draw.integer(18, 240) * 10
        lines = [
            f"{nights} nights with {with_whom}, {cost} dollars for the two of us in all.",
            f"Stayed at the {self.draw.choice(HOTELS)}.",
            self.draw.choice(OPINIONS),
            f"Do not forget next time: {self.draw.choice(PACKING)}.",
        ]
        return (
            f"{city} with {with_whom}, {self.draw.choice(SEASONS)} {day.year}",
            "\n".join(lines),
            ["travel", city.lower()],
        )

    def _book(self, day: datetime.date) -> tuple[str, str, list[str]]:
        book, author = f"The {self.draw.choice(BOOKS)} {self.draw.choice(BOOK_SUBJECTS)}", self.draw.choice(AUTHORS)
        pages, stars = self.draw.integer(12, 60) * 10, self.draw.integer(1, 5)
        lender = self.draw.person().first_name
        text = f"By {author}, {pages} pages. {stars} of 5 stars.\n{self.draw.choice(OPINIONS)}\nLent by {lender}."
        return f"Read: {book}", text, ["books"]

    def _gifts(self, day: datetime.date) -> tuple[str, str, list[str]]:
        person, ideas = self.draw.person(), self.draw.sample(GIFTS, 3)
        lines = [f"- {idea}, about {self.draw.integer(3, 30) * 5} dollars" for idea in ideas]
        return f"Gift ideas for {person.first_name}, {day.year}", "\n".join(lines), ["gifts"]

    def _repair(self, day: datetime.date) -> tuple[str, str, list[str]]:
        thing, trade = self.draw.choice(HOUSE), self.draw.choice(TRADES)
        lines = [
            f"{trade} came on {day:%-d %B %Y}, {self.draw.integer(6, 60) * 10} dollars, paid by card.",
            f"Warranty until {day.replace(year=day.year + 2, day=min(day.day, 28)):%-d %B %Y}.",
            f"Invoice number {self.draw.integer(10_000, 99_999)}.",
        ]
        return f"House: {thing}, {day:%B %Y}", "\n".join(lines), ["house", "repairs"]

    # Checklists ------------------------------------------------------------------------------

    def write_checklists(self, count: int) -> None:
        """Checklists from the oldest to the newest; older ones are nearly done."""
        titles = set[str]()
        for number in range(count):
            topic, entries = LISTS[number % len(LISTS)] if count <= len(LISTS) else self.draw.choice(LISTS)
            days = -1 - (count - 1 - number) * 4
            dated = (
                f"{topic}, {self.draw.today + datetime.timedelta(days=days):%-d %B %Y}" if count > len(LISTS) else topic
            )
            title = next(each for each in _numbered(dated) if each not in titles)
            titles.add(title)
            page = self.draw.choice(self.pages)["page_id"] if self.draw.chance(0.25) else None
            created = self.draw.moment(days, 9, self.draw.integer(0, 59))
            self.checklists.append(checklist_row(self.draw, title, created, page))
            self._write_items(
                self.checklists[-1]["checklist_id"], entries, days, likely=0.3 if number >= count - 3 else 0.85
            )

    def _write_items(self, checklist_id: str, entries: tuple[str, ...], days: int, likely: float) -> None:
        chosen = self.draw.sample(entries, self.draw.integer(4, min(9, len(entries))))
        for position, entry in enumerate(chosen, start=1):
            done = self.draw.chance(likely)
            done_at = self.draw.moment(days, self.draw.integer(10, 22), self.draw.integer(0, 59)) if done else None
            self.items.append(item_row(self.draw, checklist_id, entry, position, done_at))

    # Memories --------------------------------------------------------------------------------

    def write_memories(self, count: int) -> None:
        """What was told, from the oldest to the newest: later ones may replace earlier ones."""
        kinds = (("preference", PREFERENCES), ("habit", HABITS), ("instruction", INSTRUCTIONS))
        for number in range(count):
            days = -2 - (count - 1 - number) * 2
            if self.draw.chance(0.3):
                person = self.draw.person()
                topic, said = "person", f"{person.first_name} {self.draw.choice(_about(person.relationship))}"
            else:
                topic, options = self.draw.choice(kinds)
                said = self.draw.choice(options)
            told = self.draw.moment(days, self.draw.integer(7, 22), self.draw.integer(0, 59))
            self.memories.append(memory_row(self.draw, f"{said}.", topic, told))


def _conversations(draw: Draw, count: int) -> Iterator[Row]:
    """What was talked about, from the oldest to the newest."""
    for number in range(count):
        person, other = draw.sample(draw.people, 2)
        words = {"person": person.name, "first": person.first_name, "other": other.first_name}
        words |= {"day": draw.choice(WEEKDAYS), "hour": draw.integer(8, 19), "city": draw.choice(CITIES)}
        subject, *said = (text.format(**words, amount=draw.integer(3, 48) * 5) for text in draw.choice(LOGGED))
        days = -1 - (count - 1 - number) * 3 - draw.integer(0, 1)
        yield log_row(draw, subject, said, draw.moment(days, draw.integer(7, 21), draw.integer(0, 59)))


def _about(relationship: str | None) -> tuple[str, ...]:
    known = (f"is my {relationship}",) if relationship else ("is somebody I met at a course",)
    return (*known, "cannot eat nuts", "does not like to be called before ten", "prefers a message to a call")


def _numbered(title: str) -> Iterator[str]:
    """A title, and with numbers behind it for further ones of the same kind."""
    yield title
    number = 2
    while True:
        yield f"{title} ({number})"
        number += 1
