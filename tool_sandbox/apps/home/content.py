"""What the home app holds: a house, what its devices are set to and when, who can open it, and what power it takes."""

from typing import Any

import attrs

from tool_sandbox.apps import Draw, Size
from tool_sandbox.apps.home.tables import (
    CODES,
    DEVICES,
    EVENTS,
    LOCKS,
    READINGS,
    ROOMS,
    SCENES,
    SCHEDULES,
    SETTINGS,
    SETTINGS_OF,
    STEPS,
    TARIFFS,
    WEEKDAYS,
)

Row = dict[str, Any]
Rows = list[Row]

COUNTS: dict[Size, tuple[int, int, int, int]] = {
    "small": (3, 3, 4, 10),
    "medium": (7, 6, 12, 60),
    "large": (14, 9, 35, 500),
}
"""Rooms, scenes, days of readings, and events of each size."""

HOUSE = (
    ("living room", "ground floor", ("ceiling light/light", "reading lamp/light", "blind/blind", "heating/thermostat")),
    ("kitchen", "ground floor", ("ceiling light/light", "dishwasher/appliance", "kettle/plug")),
    ("bedroom", "upper floor", ("bedside lamp/light", "blind/blind", "heating/thermostat", "speaker/speaker")),
    ("study", "upper floor", ("desk lamp/light", "printer/plug", "heating/thermostat")),
    ("bathroom", "upper floor", ("mirror light/light", "heating/thermostat", "washing machine/appliance")),
    ("hall", "ground floor", ("ceiling light/light", "motion sensor/sensor")),
    ("garden", "outside", ("path light/light", "fountain/plug", "weather sensor/sensor")),
    ("cellar", "basement", ("ceiling light/light", "dryer/appliance", "freezer/plug")),
    ("guest room", "upper floor", ("bedside lamp/light", "blind/blind", "heating/thermostat")),
    ("garage", "outside", ("ceiling light/light", "car charger/appliance")),
    ("dining room", "ground floor", ("pendant light/light", "blind/blind", "heating/thermostat", "speaker/speaker")),
    ("workshop", "basement", ("work light/light", "compressor/plug")),
    ("terrace", "outside", ("wall light/light", "patio heater/plug", "speaker/speaker")),
    ("attic", "upper floor", ("ceiling light/light", "fan/plug")),
)
"""Name, floor and devices of the rooms."""

PRESETS: dict[str, dict[str, Row]] = {
    "Good morning": {
        "light": {"power": "on", "level": 60},
        "blind": {"level": 100},
        "thermostat": {"power": "on", "degrees": 21.0},
    },
    "Good night": {"light": {"power": "off"}, "blind": {"level": 0}, "thermostat": {"power": "on", "degrees": 17.5}},
    "Away": {"light": {"power": "off"}, "plug": {"power": "off"}, "thermostat": {"power": "on", "degrees": 15.0}},
    "Movie": {"light": {"power": "on", "level": 15}, "blind": {"level": 0}, "speaker": {"level": 55}},
    "Good morning weekend": {
        "light": {"power": "on", "level": 35},
        "thermostat": {"power": "on", "degrees": 21.5},
    },
    "Dinner": {"light": {"power": "on", "level": 40}, "speaker": {"power": "on", "level": 20}},
    "Holiday": {"light": {"power": "on", "level": 30}, "thermostat": {"power": "on", "degrees": 12.0}},
    "Guests": {"light": {"power": "on", "level": 80}, "thermostat": {"power": "on", "degrees": 21.0}},
    "Laundry at night": {"appliance": {"power": "on"}},
}
"""What scenes set of kinds of devices."""

TIMES = {
    "Good morning": ("Wake up", "06:45", WEEKDAYS[:5]),
    "Good night": ("Lights out", "22:45", WEEKDAYS),
    "Away": ("Off to work", "08:30", WEEKDAYS[:4]),
    "Good morning weekend": ("Wake up late", "08:30", WEEKDAYS[5:]),
    "Laundry at night": ("Night laundry", "23:30", ("Tuesday", "Friday")),
}
"""Name, time and days of the schedules of scenes."""

WATTS = {"light": 9, "plug": 40, "appliance": 900, "speaker": 12, "blind": 2, "thermostat": 120, "sensor": 1}


def content(draw: Draw, size: Size) -> dict[str, Rows]:
    """Draws the rows of all tables."""
    rooms, scenes, days, events = COUNTS[size]
    made = _Home(draw)
    for name, floor, devices in HOUSE[:rooms]:
        made.furnish(name, floor, devices)
    for name in list(PRESETS)[:scenes]:
        made.save_scene(name)
    made.lock_doors()
    made.use_power(days)
    made.live(events)
    return made.rows


# Rows, for the content here and for scenarios that need certain ones ------------------------------------------


def device_row(draw: Draw, room_id: str, name: str, kind: str, changed_at: str, **settings: Any) -> Row:
    """A device that is online, with settings of its kind, where none are given off, shut or low."""
    low = {"power": "off", "level": 0, "degrees": 18.0} | settings
    return {
        "device_id": draw.key("device"),
        "name": name,
        "room_id": room_id,
        "kind": kind,
        "online": True,
        "seen_at": draw.ago(1),
        **{setting: low[setting] if setting in SETTINGS_OF[kind] else None for setting in SETTINGS},
        "changed_at": changed_at,
    }


def code_row(draw: Draw, lock_id: str, holder: str, code: str, begins: str, ends: str | None, owner: bool) -> Row:
    """A code of a lock."""
    cells: Row = {"holder": holder, "code": code, "is_owner": owner, "valid_from": begins, "valid_until": ends}
    return {"code_id": draw.key("code"), "lock_id": lock_id, **cells}


# Content ------------------------------------------------------------------------------------------------------


def _rows() -> dict[str, Rows]:
    tables = (ROOMS, DEVICES, SCENES, STEPS, SCHEDULES, LOCKS, CODES, EVENTS, TARIFFS, READINGS)
    return {table.name: [] for table in tables}


@attrs.define
class _Home:
    """Rows as they are made."""

    draw: Draw
    rows: dict[str, Rows] = attrs.field(factory=_rows)

    def _add(self, table: Any, **cells: Any) -> Row:
        row = {table.key: self.draw.key(table.key.removesuffix("_id")), **cells}
        self.rows[table.name].append(row)
        return row

    def furnish(self, name: str, floor: str, devices: tuple[str, ...]) -> None:
        """A room with devices, one of which may be offline."""
        room = self._add(ROOMS, name=name, floor=floor)
        for each in devices:
            label, kind = each.split("/")
            # Nothing that a schedule has done since is still to be written down when the world begins.
            changed = self.draw.ago(self.draw.integer(1, 9))
            settings = {"power": self.draw.choice(("on", "off")), "level": self.draw.integer(2, 20) * 5}
            settings |= {"degrees": self.draw.integer(34, 44) / 2}
            row = device_row(self.draw, room["room_id"], label, kind, changed, **settings)
            if label in ("reading lamp", "printer", "path light", "compressor"):
                row |= {"online": False, "seen_at": self.draw.ago(self.draw.integer(200, 4_000))}
            self.rows[DEVICES.name].append(row)

    def save_scene(self, name: str) -> None:
        """A scene, with its schedule if it has one; one date of the schedule for work days is skipped."""
        scene = self._add(SCENES, name=name)
        for device in self.rows[DEVICES.name]:
            if (wanted := PRESETS[name].get(device["kind"])) is not None:
                settings = {setting: wanted.get(setting) for setting in SETTINGS}
                self._add(STEPS, scene_id=scene["scene_id"], device_id=device["device_id"], **settings)
        if name in TIMES:
            title, time, weekdays = TIMES[name]
            cells: Row = {"time": time, "weekdays": list(weekdays), "starts_on": self.draw.date(-200), "ends_on": None}
            skipped = [self._next(weekdays[0], 5)] if name == "Good morning" else []
            cells |= {
                "skipped": skipped,
                "enabled": name != "Laundry at night",
                "changed_at": self.draw.moment(-200, 12),
            }
            self._add(SCHEDULES, name=title, scene_id=scene["scene_id"], **cells)

    def _next(self, weekday: str, days: int) -> str:
        """The next date of a weekday, after some days."""
        ahead = (WEEKDAYS.index(weekday) - self.draw.today.weekday() - days) % 7 + days
        return self.draw.date(ahead)

    def lock_doors(self) -> None:
        """Locks, with codes of the owner, the partner, and some that are over, for a few days, or still to begin."""
        partner = next((each for each in self.draw.people if each.relationship == "partner"), self.draw.people[0])
        others = [each for each in self.draw.people if each != partner]
        own = f"{self.draw.integer(10**5, 10**6 - 1)}"
        for name, minutes, battery in (("Front door", 5, 78), ("Garden gate", 15, 12), ("Cellar door", 10, 55)):
            cells = {"online": name != "Cellar door", "state": "locked", "unlocked_at": None}
            lock = self._add(LOCKS, name=name, **cells, relock_minutes=minutes, battery_percent=battery)
            holders = [
                (self.draw.owner.name, -900, None),
                (partner.name, -600, None),
                (others[0].name, -3, 4),
                (others[5].name, -90, -60),
                (others[1].name, 6, 9),
            ]
            for number, (holder, begins, ends) in enumerate(holders if name == "Front door" else holders[:3]):
                code = own if number == 0 else f"{self.draw.integer(10**5, 10**6 - 1)}"
                until = None if ends is None else self.draw.moment(ends, 20)
                times = self.draw.moment(begins, 8), until
                self.rows[CODES.name].append(code_row(self.draw, lock["lock_id"], holder, code, *times, number == 0))

    def use_power(self, days: int) -> None:
        """Tariffs for day and night, dearer since the beginning of the month and again in two weeks; readings."""
        month = 1 - self.draw.today.day
        for begins, day_price, night_price in ((-400, 29, 21), (month, 34, 22), (14, 36, 26)):
            for name, starts, ends, price in (
                ("day", "07:00", "22:00", day_price),
                ("night", "22:00", "07:00", night_price),
            ):
                cells = {"starts": starts, "ends": ends, "price_per_kwh": price, "currency": "USD"}
                self._add(TARIFFS, name=name, valid_from=self.draw.date(begins), **cells)
        for device in self.rows[DEVICES.name]:
            for day in range(-days, 0):
                for number in range(2):
                    tariff = self.rows[TARIFFS.name][(2 if day >= month else 0) + number]
                    used = WATTS[device["kind"]] * self.draw.integer(1, 5 - 2 * number)
                    cells = {"used_on": self.draw.date(day), "tariff_id": tariff["tariff_id"], "watt_hours": used}
                    self._add(READINGS, device_id=device["device_id"], **cells)

    def live(self, count: int) -> None:
        """Comings and goings: out in the morning, back in the evening, a visit in between."""
        people = [self.draw.owner.name, *(row["holder"] for row in self.rows[CODES.name][1:3])]
        for number in range(count):
            day, part = -1 - (count - 1 - number) // 4, number % 4
            hour = (8, 12, 17, 21)[part]
            lock = self.rows[LOCKS.name][self.draw.integer(0, 2) // 2]
            what = "locked" if part in (0, 3) else "unlocked"
            at = self.draw.moment(day, hour, self.draw.integer(0, 59))
            by = people[0] if part in (0, 3) else self.draw.choice(people)
            self._add(EVENTS, lock_id=lock["lock_id"], what=what, holder=by, at=at)
