"""What the travel app holds: timetables and hotels of the next weeks, and the bookings of somebody who travels."""

import datetime
import zoneinfo
from collections.abc import Sequence
from typing import Any

import attrs

from tool_sandbox.apps import Draw, Person, Size, as_moment
from tool_sandbox.apps.travel.holds import UNPAID, reference_for, stay_times
from tool_sandbox.apps.travel.phrases import AMENITIES, CITIES, CURRENCIES, LINES
from tool_sandbox.apps.travel.phrases import HOTELS as HOTEL_NAMES
from tool_sandbox.apps.travel.phrases import ROOMS as ROOM_KINDS
from tool_sandbox.apps.travel.tables import (
    BOOKINGS,
    DEPARTURES,
    FARES,
    HOTELS,
    MEMBERSHIPS,
    NIGHTS,
    ROOMS,
    SEGMENTS,
    STAYS,
    STOPS,
    TRAVELLERS,
)

Row = dict[str, Any]
Rows = list[Row]

COUNTS: dict[Size, tuple[int, int, int, int, int]] = {
    "small": (3, 3, 3, 2, 3),
    "medium": (9, 7, 8, 10, 8),
    "large": (17, 14, 20, 40, 16),
}
"""Lines, days of timetables, hotels, journeys of the past, and travellers of each size."""

TABLES = (STOPS, DEPARTURES, FARES, HOTELS, ROOMS, NIGHTS, TRAVELLERS, MEMBERSHIPS, BOOKINGS, SEGMENTS, STAYS)

FARE_RULES = (
    ("basic", 100, 0, None, 0, 0),
    ("standard", 135, 1, 4_500, 50, 24),
    ("flex", 190, 2, 0, 100, 1),
)
"""Name, price in percent, bags, change fee, refund in percent, and hours before departure at which changes end."""


def content(draw: Draw, size: Size) -> dict[str, Rows]:
    """Draws the rows of all tables."""
    lines, days, hotels, past, people = COUNTS[size]
    made = _Travel(draw)
    made.name_people(people)
    made.build_stops()
    for day in range(1, days + 1):
        for line in range(lines):
            made.run_line(line, day)
    for name, city in HOTEL_NAMES[:hotels]:
        made.open_hotel(name, city, days + 12)
    made.travel_before(past)
    made.travel_soon()
    return made.rows


# Rows, for the content here and for scenarios that need certain ones ------------------------------------------


def departure_row(draw: Draw, stops: dict[tuple[str, str], Row], line: int, day: int, hour: int, back: bool) -> Row:
    """A departure of a line of `LINES` on a day, there or back, on the clocks of the places."""
    kind, letters, carrier, first, last, minutes, _ = LINES[line]
    first, last = (last, first) if back else (first, last)
    place = "airport" if kind == "flight" else "station"
    start, end = stops[first, place], stops[last, place]
    date = draw.today + datetime.timedelta(days=day)
    local = datetime.datetime(date.year, date.month, date.day, hour, 5 * (line % 12), tzinfo=_zone(first))
    return {
        "departure_id": draw.key("departure"),
        "kind": kind,
        "number": f"{letters} {100 + 20 * line + hour // 6 * 2 + back}",
        "carrier": carrier,
        "from_stop_id": start["stop_id"],
        "to_stop_id": end["stop_id"],
        "from_city": first,
        "to_city": last,
        "departs_on": date.isoformat(),
        "departs_at": local.isoformat(),
        "arrives_at": as_moment(local.timestamp() + 60 * minutes, _zone(last)),
        "state": "on time",
    }


def fare_row(draw: Draw, departure_id: str, name: str, lowest: int, seats: int) -> Row:
    """A fare with the rules that fares of its name have."""
    _, percent, bags, fee, refund, hours = next(rule for rule in FARE_RULES if rule[0] == name)
    return {
        "fare_id": draw.key("fare"),
        "departure_id": departure_id,
        "name": name,
        "price": lowest * percent // 10_000 * 100,
        "currency": "USD",
        "seats": seats,
        "bags": bags,
        "change_fee": fee,
        "refund_percent": refund,
        "closes_hours": hours,
    }


def booking_row(
    draw: Draw, kind: str, title: str, made: str, times: tuple[str, str], travellers: Rows, total: int, currency: str
) -> Row:
    """A booking that was paid at once."""
    booking_id = draw.key("booking")
    return {
        "booking_id": booking_id,
        "reference": reference_for(booking_id),
        "kind": kind,
        "title": title,
        "state": "confirmed",
        "made_at": made,
        "held_until": None,
        "starts_at": times[0],
        "ends_at": times[1],
        "traveller_ids": [traveller["traveller_id"] for traveller in travellers],
        "total": total,
        "currency": currency,
        "membership_id": None,
        **UNPAID,
    }


def _zone(city: str) -> zoneinfo.ZoneInfo:
    return zoneinfo.ZoneInfo(CITIES[city][1])


# Content ------------------------------------------------------------------------------------------------------


@attrs.define
class _Travel:
    """Rows as they are made."""

    draw: Draw
    rows: dict[str, Rows] = attrs.field(factory=lambda: {table.name: [] for table in TABLES})
    stops: dict[tuple[str, str], Row] = attrs.field(factory=dict)

    def _add(self, table: Any, **cells: Any) -> Row:
        row = cells if table.key in cells else {table.key: self.draw.key(table.key.removesuffix("_id")), **cells}
        self.rows[table.name].append(row)
        return row

    def name_people(self, count: int) -> None:
        """The owner, who is a member with two carriers, and people whose passports last, end soon, or are missing."""
        partners = [person for person in self.draw.people if person.relationship == "partner"]
        others = [person for person in self.draw.people if person not in partners]
        for number, person in enumerate([self.draw.owner, *partners, *others][:count]):
            days = 40 if number == 2 else self.draw.integer(400, 3_000)
            traveller = self._traveller(person, None if number % 4 == 3 else self.draw.date(days))
            for carrier in (("Northwell Air", "Coastline Rail") if number == 0 else ("Northwell Air",))[: 2 - number]:
                self._add(
                    MEMBERSHIPS,
                    traveller_id=traveller["traveller_id"],
                    carrier=carrier,
                    number=f"{carrier[:2].upper()}{self.draw.integer(10**7, 10**8 - 1)}",
                    tier="gold" if number + len(carrier) == 13 else "blue",
                    opening_points=self.draw.integer(20, 400) * 10,
                )

    def _traveller(self, person: Person, expires: str | None) -> Row:
        number = f"P{self.draw.integer(10**7, 10**8 - 1)}" if expires else None
        wish = self.draw.choice(("window", "aisle", "none"))
        passport = {"passport_number": number, "passport_expires_on": expires}
        return self._add(TRAVELLERS, name=person.name, **passport, seat_wish=wish)

    def build_stops(self) -> None:
        """An airport and a station in each city."""
        for city, (country, zone) in CITIES.items():
            for kind, name, minutes in (("airport", "Airport", 50), ("station", "Central Station", 12)):
                cells = {"name": f"{city} {name}", "kind": kind, "city": city, "country": country, "zone": zone}
                self.stops[city, kind] = self._add(STOPS, **cells, minutes_to_change=minutes)

    def run_line(self, line: int, day: int) -> None:
        """Departures of a line on a day, both ways, with fares; a few are late, cancelled or sold out."""
        hours = (7, 13, 18) if line < 4 else (8, 15)
        for hour in hours:
            for back in (False, True):
                departure = departure_row(self.draw, self.stops, line, day, hour, back)
                self.sell(departure, line, self.draw.integer(90, 170))
                if self.draw.chance(0.04):
                    departure["state"] = self.draw.choice(("delayed", "cancelled"))

    def sell(self, departure: Row, line: int, percent: int) -> Rows:
        """Puts a departure and its fares on sale."""
        self._add(DEPARTURES, **departure)
        lowest = LINES[line][6] * percent // 100
        for rule in FARE_RULES:
            seats = 0 if self.draw.chance(0.1) else self.draw.integer(1, 24)
            self._add(FARES, **fare_row(self.draw, departure["departure_id"], rule[0], lowest, seats))
        return self.rows[FARES.name][-3:]

    def open_hotel(self, name: str, city: str, days: int) -> None:
        """A hotel with rooms, dearer at the weekend, some nights sold out."""
        country, zone = CITIES[city]
        currency, amenities = CURRENCIES.get(country, "USD"), self.draw.sample(AMENITIES, 3)
        about = {
            "stars": self.draw.integer(2, 5),
            "amenities": amenities,
            "minutes_to_center": self.draw.integer(2, 40),
        }
        hotel = self._add(HOTELS, name=name, city=city, zone=zone, **about, currency=currency)
        single = self.draw.integer(16, 40) * 500 if currency != "JPY" else self.draw.integer(16, 40) * 500 // 2
        for kind, sleeps, more in self.draw.sample(ROOM_KINDS, 2):
            rules = {"breakfast": self.draw.chance(0.5), "free_cancel_days": self.draw.choice((0, 1, 2, 7))}
            room = self._add(ROOMS, hotel_id=hotel["hotel_id"], name=kind, sleeps=sleeps, **rules)
            for day in range(days):
                weekend = (self.draw.today + datetime.timedelta(days=day)).weekday() in (4, 5)
                price = (single + more) * (125 if weekend else 100) // 10_000 * 100 + self.draw.integer(0, 5) * 200
                rooms = 0 if self.draw.chance(0.08) else self.draw.integer(1, 6)
                self._add(NIGHTS, room_id=room["room_id"], night_of=self.draw.date(day), price=price, rooms=rooms)

    # Bookings --------------------------------------------------------------------------------

    def travel_before(self, count: int) -> None:
        """Journeys of the past: mostly to Seattle with the same carrier, always to the same hotel there, but once."""
        for number in range(count):
            day = -9 - 14 * (count - 1 - number) - self.draw.integer(0, 6)
            line = 0 if number % 4 != 3 else self.draw.integer(1, 2)
            nights = self.draw.integer(1, 3)
            there = departure_row(self.draw, self.stops, line, day, 7, False)
            back = departure_row(self.draw, self.stops, line, day + nights, 18, True)
            legs = [(leg, self.sell(leg, line, self.draw.integer(90, 150))[1]) for leg in (there, back)]
            self._book_trip(legs, self.rows[TRAVELLERS.name][:1], day - 12)
            hotel = self.rows[HOTELS.name][1 if number == count - 2 else 0]
            if line < 2:
                self._book_stay(hotel, self.rows[TRAVELLERS.name][:1], day, nights, day - 12)

    def travel_soon(self) -> None:
        """What is to come: a paid trip of two, a hold that is open, one that has expired, a cancelled trip, a stay."""
        two = self.rows[TRAVELLERS.name][:2]
        soon = [each for each in self.rows[DEPARTURES.name] if each["departs_on"] >= self.draw.date(2)]
        for number, departure in enumerate([soon[0], soon[3], soon[5], soon[2]]):
            known = [each for each in self.rows[FARES.name] if each["departure_id"] == departure["departure_id"]]
            departure["state"] = "on time"
            known[1]["seats"] = max(4, known[1]["seats"])
            booking = self._book_trip([(departure, known[1])], two if number == 0 else two[:1], -1 - (number == 2))
            if number in (1, 2):
                # A hold ends a day after it began; it was never paid.
                booking |= {"state": "held", "made_at": self.draw.ago(300 if number == 1 else 1_700)}
                booking["held_until"] = self.draw.ago(300 - 1_440 if number == 1 else 260)
            if number == 3:
                booking |= {"state": "cancelled", "refund": booking["total"] // 2}
        self._book_stay(self.rows[HOTELS.name][0], two, 2, 2, -1)

    def _book_trip(self, legs: Sequence[tuple[Row, Row]], travellers: Rows, day: int) -> Row:
        title = " - ".join([legs[0][0]["from_city"], *(leg["to_city"] for leg, _ in legs)])
        made = self.draw.moment(day, 19, self.draw.integer(0, 59))
        total = sum(fare["price"] for _, fare in legs) * len(travellers)
        times = legs[0][0]["departs_at"], legs[-1][0]["arrives_at"]
        booking = booking_row(self.draw, "trip", title, made, times, travellers, total, "USD")
        self._add(BOOKINGS, **booking)
        for position, (_, fare) in enumerate(legs, start=1):
            fare["seats"] = max(fare["seats"], len(travellers) + 1)
            cells = {name: fare[name] for name in ("fare_id", "departure_id", "price")}
            self._add(SEGMENTS, booking_id=booking["booking_id"], position=position, **cells)
        return self.rows[BOOKINGS.name][-1]

    def _book_stay(self, hotel: Row, travellers: Rows, day: int, nights: int, booked: int) -> None:
        rooms = [room for room in self.rows[ROOMS.name] if room["hotel_id"] == hotel["hotel_id"]]
        room = max(rooms, key=lambda room: int(room["sleeps"]))
        first, last = self.draw.date(day), self.draw.date(day + nights)
        known = {night["night_of"]: night for night in self.rows[NIGHTS.name] if night["room_id"] == room["room_id"]}
        usual = min(night["price"] for night in known.values())
        prices = [known.get(self.draw.date(each), {"price": usual})["price"] for each in range(day, day + nights)]
        for night in known.values():
            night["rooms"] += first <= night["night_of"] < last
        made = self.draw.moment(booked, 20, self.draw.integer(0, 59))
        title, times = f"{hotel['name']}, {hotel['city']}", stay_times(hotel, first, last)
        booking = booking_row(self.draw, "hotel", title, made, times, travellers, sum(prices), hotel["currency"])
        self._add(BOOKINGS, **booking)
        cells = {"check_in_on": first, "check_out_on": last, "guests": len(travellers), "first_night": prices[0]}
        self._add(STAYS, booking_id=booking["booking_id"], room_id=room["room_id"], **cells)
