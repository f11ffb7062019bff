"""What the dining app holds: restaurants of the town, and the reservations of somebody who eats out every week."""

import datetime
from collections.abc import Sequence
from typing import Any

import attrs

from tool_sandbox.apps import Draw, Size, as_moment, seconds_of
from tool_sandbox.apps.dining.phrases import DIETS, FEATURES, NAMES, NEIGHBOURHOODS, NOTES, REASONS, REMARKS, WISHES
from tool_sandbox.apps.dining.tables import (
    ENTRIES,
    GUESTS,
    HOURS,
    RESERVATIONS,
    RESTAURANTS,
    SPECIAL_HOURS,
    TABLES,
    TAKEN,
    WEEKDAYS,
)

Row = dict[str, Any]
Rows = list[Row]

COUNTS: dict[Size, tuple[int, int, int, int]] = {
    "small": (5, 2, 4, 4),
    "medium": (14, 6, 25, 10),
    "large": (48, 14, 150, 16),
}
"""Restaurants, days for which others have reserved, visits of the past, and guests of each size."""

TABLE_KINDS = (
    ("inside", 1, 2),
    ("inside", 2, 4),
    ("terrace", 1, 2),
    ("inside", 3, 6),
    ("bar", 1, 2),
    ("private room", 6, 12),
)
"""Area, and fewest and most people."""


def content(draw: Draw, size: Size) -> dict[str, Rows]:
    """Draws the rows of all tables."""
    restaurants, days, visits, guests = COUNTS[size]
    made = _Dining(draw)
    for number in range(restaurants):
        made.open_restaurant(number)
    made.note_guests(guests)
    made.eat_before(visits)
    made.eat_soon()
    made.wait()
    for restaurant in made.rows[RESTAURANTS.name]:
        for day in range(days):
            made.fill_tables(restaurant, day)
    return made.rows


# Rows, for the content here and for scenarios that need certain ones ------------------------------------------


def reservation_row(
    draw: Draw, restaurant: Row, table: Row, party: int, starts_at: str, made_at: str, guests: Sequence[str] = ()
) -> Row:
    """A reservation that needs no confirmation."""
    ends = seconds_of(starts_at) + 60 * restaurant["minutes_at_table"]
    return {
        "reservation_id": draw.key("reservation"),
        "restaurant_id": restaurant["restaurant_id"],
        "table_id": table["table_id"],
        "party_size": party,
        "starts_at": starts_at,
        "ends_at": as_moment(ends, draw.tzinfo),
        "guests": list(guests),
        "wishes": None,
        "state": "booked",
        "confirm_until": None,
        "confirmed": False,
        "made_at": made_at,
        "fee": 0,
        "bill": None,
        "rating": None,
        "note": None,
    }


def taken_row(draw: Draw, restaurant: Row, table: Row, starts_at: str) -> Row:
    """A table that somebody else has."""
    ends_at = as_moment(seconds_of(starts_at) + 60 * restaurant["minutes_at_table"], draw.tzinfo)
    return {
        "taken_id": draw.key("taken"),
        "table_id": table["table_id"],
        "starts_at": starts_at,
        "ends_at": ends_at,
    }


# Content ------------------------------------------------------------------------------------------------------


def _rows() -> dict[str, Rows]:
    tables = (RESTAURANTS, HOURS, SPECIAL_HOURS, TABLES, TAKEN, RESERVATIONS, ENTRIES, GUESTS)
    return {table.name: [] for table in tables}


@attrs.define
class _Dining:
    """Rows as they are made."""

    draw: Draw
    rows: dict[str, Rows] = attrs.field(factory=_rows)
    busy: set[tuple[str, str]] = attrs.field(factory=set)

    def _add(self, table: Any, **cells: Any) -> Row:
        row = {table.key: self.draw.key(table.key.removesuffix("_id")), **cells}
        self.rows[table.name].append(row)
        return row

    def open_restaurant(self, number: int) -> None:
        """A restaurant with its rules, hours, exceptions and tables; further ones of a name are in other places."""
        name, cuisine = NAMES[number % len(NAMES)]
        place = NEIGHBOURHOODS[number % len(NEIGHBOURHOODS)]
        restaurant = self._add(
            RESTAURANTS,
            name=name if number < len(NAMES) else f"{name} {place} {number // len(NAMES) + 1}",
            cuisine=cuisine,
            neighbourhood=place,
            phone_number=f"+1415555{2000 + number:04d}",
            price_level=self.draw.integer(1, 4),
            stars=self.draw.integer(3, 5),
            features=self.draw.sample(FEATURES, 3),
            diets=self.draw.sample(DIETS, self.draw.integer(1, 4)),
            favourite=number in (0, 1),
            minutes_at_table=self.draw.choice((90, 105, 120)),
            days_ahead=self.draw.choice((30, 30, 60)),
            confirm_from=self.draw.choice((5, 6, 7)),
            free_cancel_hours=self.draw.choice((3, 24, 24, 48)),
            fee_per_person=self.draw.choice((0, 1_000, 1_500, 2_500)),
            currency="USD",
        )
        self._set_hours(restaurant["restaurant_id"], number)
        for position in range(4 + number % 3):
            area, fewest, most = TABLE_KINDS[position]
            cells = {"name": f"{area} {position + 1}", "area": area, "fewest": fewest, "most": most}
            self._add(TABLES, restaurant_id=restaurant["restaurant_id"], **cells)

    def _set_hours(self, restaurant_id: str, number: int) -> None:
        """Closed on one weekday, lunch at some, later at the weekend; one or two dates with other hours."""
        closed = WEEKDAYS[(0, 1, 6)[number % 3]]
        for weekday in WEEKDAYS:
            if weekday == closed:
                continue
            late = "22:00" if weekday in ("Friday", "Saturday") else "21:00"
            if number % 2:
                self._add(HOURS, restaurant_id=restaurant_id, weekday=weekday, opens="12:00", last_seating="14:00")
            self._add(HOURS, restaurant_id=restaurant_id, weekday=weekday, opens="17:30", last_seating=late)
        for days in self.draw.sample((3, 4, 5, 6, 7, 8, 16, 17, 18, 19, 20), 1 + number % 2):
            reason, shut = self.draw.choice(REASONS), self.draw.chance(0.6)
            times = {"opens": None if shut else "17:30", "last_seating": None if shut else "19:00"}
            self._add(SPECIAL_HOURS, restaurant_id=restaurant_id, date=self.draw.date(days), reason=reason, **times)

    def note_guests(self, count: int) -> None:
        """What people eat; the first ones keep a diet."""
        for number, person in enumerate(self.draw.people[:count]):
            diets = self.draw.sample(DIETS, 1 + number % 2) if number < 3 or self.draw.chance(0.4) else []
            self._add(GUESTS, name=person.name, diets=diets, remark=self.draw.choice(REMARKS))

    # Reservations ----------------------------------------------------------------------------

    def _tables(self, restaurant: Row) -> Rows:
        return [row for row in self.rows[TABLES.name] if row["restaurant_id"] == restaurant["restaurant_id"]]

    def _reserve(self, restaurant: Row, days: int, hour: int, guests: list[str], table: int = 1) -> Row:
        starts = self.draw.moment(days, hour, 30)
        made = self.draw.moment(min(days, 0) - self.draw.integer(2, 9), 20, self.draw.integer(0, 59))
        place = self._tables(restaurant)[table]
        row = reservation_row(self.draw, restaurant, place, len(guests) + 1, starts, made, guests)
        self.rows[RESERVATIONS.name].append(row)
        self.busy.add((row["table_id"], starts[:10]))
        return row

    def eat_before(self, count: int) -> None:
        """A visit about every week, the latest last: Fridays at the usual place with the partner, but once."""
        partner = next((each for each in self.draw.people if each.relationship == "partner"), self.draw.people[0])
        friday = (self.draw.today.weekday() - 4) % 7 or 7
        for number in range(count):
            weeks = count - 1 - number
            usual = number % 3 != 1 and number != count - 2
            restaurant = self.rows[RESTAURANTS.name][0 if usual else self.draw.integer(1, 4)]
            friends = [each.name for each in self.draw.sample(self.draw.people, 2)]
            days = -friday - 7 * weeks - (0 if usual else 2)
            row = self._reserve(restaurant, days, 19, [partner.name] if usual else friends)
            row["wishes"] = "the table at the window" if usual else self.draw.choice(WISHES)
            row["note"], row["rating"] = self.draw.choice(NOTES)
            row["bill"] = self.draw.integer(45, 95) * 100 * row["party_size"] // 2
            if weeks in (3, 11):
                row |= {"state": "cancelled", "bill": None, "rating": None, "note": None, "fee": 2_000}
        self.rows[RESERVATIONS.name][-1] |= {"bill": None, "rating": None, "note": None}

    def eat_soon(self) -> None:
        """What is to come: a table for two, two for many that are to be confirmed, and such a one that has lapsed."""
        names = [person.name for person in self.draw.people]
        open_days = [self._open_day(restaurant, 3) for restaurant in self.rows[RESTAURANTS.name][:4]]
        self._reserve(self.rows[RESTAURANTS.name][0], open_days[0], 19, names[3:4])
        far = self._open_day(self.rows[RESTAURANTS.name][4], 16)
        for number, day, guests in ((2, open_days[2], 5), (3, open_days[3], 4), (4, far, 5)):
            self.rows[RESTAURANTS.name][number]["confirm_from"] = 5
            row = self._reserve(self.rows[RESTAURANTS.name][number], day, 18, names[:guests], table=3)
            until = seconds_of(row["starts_at"]) - 24 * 3600
            row["confirm_until"] = as_moment(until, self.draw.tzinfo) if number != 3 else self.draw.ago(95)

    def _open_day(self, restaurant: Row, first: int) -> int:
        """The first day from one on at which a restaurant has the hours of its weekday."""
        own = restaurant["restaurant_id"]
        special = {row["date"] for row in self.rows[SPECIAL_HOURS.name] if row["restaurant_id"] == own}
        weekdays = {row["weekday"] for row in self.rows[HOURS.name] if row["restaurant_id"] == own}
        days = (day for day in range(first, first + 40) if self.draw.date(day) not in special)
        return next(day for day in days if WEEKDAYS[self._date(day).weekday()] in weekdays)

    def _date(self, day: int) -> datetime.date:
        return self.draw.today + datetime.timedelta(days=day)

    def fill_tables(self, restaurant: Row, day: int) -> None:
        """Tables of an evening that others have, where the restaurant is open and the user has none."""
        if self._open_day(restaurant, day) != day:
            return
        for table in self._tables(restaurant):
            if self.draw.chance(0.6):
                self._take(
                    restaurant, table, self.draw.moment(day, self.draw.integer(18, 20), self.draw.choice((0, 15, 30)))
                )

    def _take(self, restaurant: Row, table: Row, starts_at: str) -> None:
        if (table["table_id"], starts_at[:10]) not in self.busy:
            self.busy.add((table["table_id"], starts_at[:10]))
            self.rows[TAKEN.name].append(taken_row(self.draw, restaurant, table, starts_at))

    def wait(self) -> None:
        """A Saturday on which the whole town is out: all tables are taken, but at one place some are free again."""
        saturday = next(day for day in range(9, 16) if self._date(day).weekday() == 5)
        for number, restaurant in enumerate(self.rows[RESTAURANTS.name]):
            if self._open_day(restaurant, saturday) != saturday:
                continue
            for table in self._tables(restaurant) if number != 2 else ():
                self._take_all_evening(restaurant, table, saturday)
            if 1 <= number <= 3:
                cells = {"earliest": "18:30", "latest": "20:00", "party_size": 2, "joined_at": self.draw.ago(2_900)}
                cells |= {"restaurant_id": restaurant["restaurant_id"], "wait_on": self.draw.date(saturday)}
                self._add(ENTRIES, **cells)

    def _take_all_evening(self, restaurant: Row, table: Row, day: int) -> None:
        """One party after the other, from the first seating to the last one."""
        self.busy.add((table["table_id"], self.draw.date(day)))
        length, starts = 60 * restaurant["minutes_at_table"], seconds_of(self.draw.moment(day, 17, 30))
        while starts <= seconds_of(self.draw.moment(day, 22)):
            moment = as_moment(starts, self.draw.tzinfo)
            self.rows[TAKEN.name].append(taken_row(self.draw, restaurant, table, moment))
            starts += length
