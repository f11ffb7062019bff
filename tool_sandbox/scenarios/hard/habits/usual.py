"""Customs of several circles: what is usual follows from changes that last, not from exceptions."""

from collections.abc import Sequence
from typing import Any

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps import Draw
from tool_sandbox.apps.calendar.content import attendee_row, days, event_row, times
from tool_sandbox.apps.calendar.tables import ATTENDEES, CALENDARS, EVENTS, EXCEPTIONS, NOTICES
from tool_sandbox.apps.dining.content import reservation_row
from tool_sandbox.apps.dining.tables import HOURS, RESERVATIONS, RESTAURANTS, TABLES, WEEKDAYS
from tool_sandbox.apps.mail.tables import LABELS, MAILS, THREADS
from tool_sandbox.apps.wallet.rows import account_row, payee_row, transfer_rows
from tool_sandbox.apps.wallet.tables import ACCOUNTS, PAYEES, TRANSACTIONS, TRANSFERS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.common import NOW, read_all
from tool_sandbox.scenarios.hard.discretion.sources import (
    Reads,
    Row,
    address,
    cast,
    check_seen,
    put_mail,
    put_page,
    read_mails,
    read_page,
)
from tool_sandbox.scenarios.matchers import Anything, Matcher, SameWords
from tool_sandbox.scenarios.vocabulary import Node, Task, added, answer, answer_for_now, call, in_any_order, say, told
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

Values = dict[str, Any]
Pools = dict[str, Sequence[Any]]

WHYS = (
    *("the trains were late", "somebody had a birthday", "the heating was out", "the sitter could not come"),
    *("there was a match on television", "the street was dug up", "we had talked about it", "it was so hot"),
    *("there was a concert", "the old way took too long", "someone had a cold", "it was pouring"),
)
SAID = {
    "once": (
        "{} like this only this time: {}", "{}: an exception, {}", "{} is for once; {}", "{}: next time as before, {}",
    ),
    "lasts": (
        "{} stays like this: {}", "{} like this from now on, {}", "{}: our new rule, {}", "{}: every time now, {}",
    ),
    "stays": ("{}: last time's exception stays after all, {}", "{}: what was an exception last time is the rule, {}"),
    "back": ("{}: back to what it was before the last change that was to last, {}",),
    "thrice": ("{} like this three times, this one included; {}",),
}  # fmt: skip
"""What is noted of a change by its kind; of a slip nothing is."""


@attrs.frozen
class SameItems(Matcher):
    """A list of the same items in any order."""

    items: tuple[str, ...]

    def __call__(self, actual: Any) -> bool:
        """Whether a value fits."""
        return isinstance(actual, list) and sorted(actual) == sorted(self.items)


@attrs.frozen
class Custom:
    """What a circle does again and again.

    Attributes:
        name: Name of the circle.
        past: What was done each time, the oldest first, and what was noted about it.
        usual: What it has come to by changes that last.
        still: Parts that are so for one more time.
    """

    name: str
    past: list[tuple[Values, str]]
    usual: Values
    still: frozenset[str]

    def meant(self, how: str) -> Values:
        """What is done ``as usual``, ``like last time`` or ``as it was at first``."""
        return {USUAL: self.usual, LAST: self.past[-1][0], FIRST: self.past[0][0]}[how]


USUAL, LAST, FIRST = "as usual", "exactly like last time", "as it was in the beginning"
ROWS = (
    ("", "{a} once", "{b} lasts", "{a} lasts {c} slip", "", "{d} thrice {b} once", "{b} stays", "{c} once", "{a} back",
     "{b} lasts {d} once", "{c} once {d} slip"),
    ("", "{b} lasts", "{a} slip", "{c} once {d} lasts", "{c} stays", "{b} back", "{a} lasts", "{d} once",
     "{c} lasts {a} once", "{b} thrice", "{d} once {c} once"),
    ("", "{c} once", "{c} stays", "{a} thrice {b} slip", "{d} lasts", "", "{b} lasts {d} once", "{c} back", "{b} once",
     "{b} stays {a} once", "{d} slip {c} once"),
    ("", "{d} lasts", "{a} once", "{b} lasts {a} once", "{a} stays", "{d} back", "{c} thrice", "{b} slip", "{a} lasts",
     "{d} lasts {b} once", "{b} once {a} once"),
    ("", "{a} lasts", "{d} once {b} slip", "{c} lasts", "{a} once", "{a} stays", "{b} thrice", "{d} lasts", "{c} back",
     "{d} once", "{d} stays {b} once"),
    ("", "{c} slip", "{b} lasts", "{d} lasts {b} once", "{a} once", "{b} back", "{a} lasts {c} lasts", "",
     "{a} once", "{a} stays {d} thrice", "{c} once {a} slip"),
)  # fmt: skip
"""How customs change from time to time, each part of one kind."""


def _other(draw: Draw, old: Any, pool: Sequence[Any]) -> Any:
    """Another value: of a list of people, one less or one more."""
    if not isinstance(old, tuple):
        return draw.choice([each for each in pool if each != old])
    if len(old) > 2 and draw.chance(0.5):
        gone = draw.choice(old[1:])
        return tuple(each for each in old if each != gone)
    return (*old, draw.choice([each for each in pool if each not in old]))


def _custom(draw: Draw, name: str, base: Values, pools: Pools, labels: dict[str, str], rows: Sequence[str]) -> Custom:
    """Draws a history; each part of what is done has a label, in an order that is drawn for the pattern."""
    usual, before, parts = dict(base), dict(base), dict(zip("abcd", draw.sample([*labels], 4), strict=True))
    some, past = dict[str, tuple[int, Any]](), list[tuple[Values, str]]()
    for row in rows:
        words = row.format(**parts).split()
        some = {part: (left - 1, value) for part, (left, value) in some.items() if left > 1}
        now, said = usual | {part: value for part, (_, value) in some.items()}, list[str]()
        for part, how in zip(words[::2], words[1::2], strict=True):
            new = {"stays": past and past[-1][0][part], "back": before[part]}.get(how) or _other(
                draw, usual[part], pools[part]
            )
            now[part] = new
            if how in SAID:
                said.append(draw.choice(SAID[how]).format(labels[part], draw.choice(WHYS)))
            if how in ("lasts", "stays", "back"):
                before[part], usual[part] = usual[part], new
            elif how == "thrice":
                some[part] = 3, new
        past.append((now, ". ".join(said)))
    still = {part: value for part, (left, value) in some.items() if left > 1}
    return Custom(name, past, usual | still, frozenset(still))


def _asked(customs: Sequence[Custom], hows: Sequence[str]) -> str:
    """Who wants what how, in words."""
    parts = [f"{how}: {', '.join(c.name for c, each in zip(customs, hows, strict=True) if each == how)}"
             for how in dict.fromkeys(hows)]  # fmt: skip
    return "; ".join(parts)


def _news(world: World, customs: Sequence[Custom], parts: dict[str, str], pools: Pools) -> None:
    """What was mailed since the last time: changes that were agreed, which last, and proposals, which are none."""
    draw = world.draw("mail")
    for number, custom in enumerate(draw.sample(customs, min(5, len(customs)))):
        free = [each for each in parts if not isinstance(custom.usual[each], tuple) and each not in custom.still]
        part, writer, about = draw.choice(free), cast(world, 1)[0], f"About {custom.name}"
        new, is_agreed = _other(draw, custom.usual[part], pools[part]), number < 3
        shown = {"amount": "{:.2f} USD", "minutes": "{} minutes"}.get(part, "{}").format(
            new / 100 if part == "amount" else new
        )
        words = "from the next time on: {}. So it was agreed." if is_agreed else "from now on: {}? I only propose it."
        put_mail(world, writer, about, f"{parts[part]} {words.format(shown)}", -2)
        if number == 0:
            put_mail(world, writer, about, "What I wrote is off again, we all thought better of it.", -1)
        elif is_agreed:
            custom.usual[part] = new


def _read_news(customs: Sequence[Custom]) -> Reads:
    mails = yield from read_mails('subject:"About"')
    check_seen(mails, "So it was agreed", "I only propose it", "is off again")


MEANING = (
    f'"{USUAL}" means with every change that was meant to last and without what was an exception. What was meant for '
    "three times holds for three times running, so for the next one, too, if that is one of the three; then it is as "
    f'before. What differed without a note was a slip, no change. "{LAST}" means every detail of the last time, '
    f'exceptions and slips included; "{FIRST}" means the very first time on record. What I was mailed since the last '
    'time ("About ...") changes what is usual if it was agreed and has not been called off.'
)


# Tables -------------------------------------------------------------------------------------------------------

CIRCLES = ("chess friends", "old neighbours", "book circle", "rowing crew", "cousins", "Friday band")
TABLE_PARTS = {"place": "The place", "area": "Where we sit", "time": "The hour", "guests": "Who comes"}


def _restaurants(world: World) -> dict[str, Row]:
    """Three restaurants that seat guests every evening, and have room."""
    draw, made = world.draw("dining"), {}
    plain: Row = {"cuisine": "Georgian", "neighbourhood": "Dogpatch", "price_level": 2, "stars": 4, "features": []}
    plain |= {"diets": [], "favourite": False, "minutes_at_table": 90, "days_ahead": 60, "confirm_from": 20}
    plain |= {"free_cancel_hours": 24, "fee_per_person": 0, "currency": "USD"}
    names = (("Tbilisi Nights", "Walnut Cellar", "Villa Kakheti"), ("Osteria Lume", "Trattoria Sole", "Da Renzo"))
    for number, name in enumerate(world.choice(*names, ("Blue Anchor", "Crab Shack", "Pier House"))):
        cells = {"restaurant_id": draw.key("restaurant"), "name": name, "phone_number": f"+1415555390{number}"}
        made[name] = world.put(RESTAURANTS, cells | plain)
        own = {"restaurant_id": cells["restaurant_id"]}
        for weekday in WEEKDAYS:
            span = {"weekday": weekday, "opens": "17:00", "last_seating": "21:30"}
            world.put(HOURS, {"hours_id": draw.key("hours"), **own, **span})
        for area in ("inside", "terrace", "bar"):
            table = {"name": f"{area} 1", "area": area, "fewest": 1, "most": 12}
            world.put(TABLES, {"table_id": draw.key("table"), **own, **table})
    return made


def _tables(world: World, hows: Sequence[str], then: Sequence[str] = ()) -> Task:
    """Reserves for each circle; the last ``then`` of them in a second turn."""
    draw, places, people = world.draw("dining"), _restaurants(world), cast(world, 11)
    world.stored(RESERVATIONS).clear()  # else visits of others on the same weekday could count
    days = dict(zip(("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"), range(6), strict=True))
    pools: Pools = {
        "place": [*places],
        "area": ("inside", "terrace", "bar"),
        "time": ("18:00", "18:45", "19:30", "20:15"),
    }
    names, asked = draw.sample(CIRCLES, len(hows) + len(then)), [*hows, *then]
    pools |= {"guests": people}
    table_of = {(row["restaurant_id"], row["area"]): row for row in world.stored(TABLES)}
    monday = 7 - world.today.weekday()
    customs, about = [], []
    for number, name in enumerate(names):
        company = tuple(draw.sample(people, 3))
        base = {"place": draw.choice([*places]), "area": draw.choice(pools["area"]), "time": draw.choice(pools["time"])}
        custom = _custom(draw, name, base | {"guests": company}, pools, TABLE_PARTS, ROWS[number % len(ROWS)])
        weekday = [*days][number]
        about.append(f"{name}: {weekday}s, about every five weeks, at first with {', '.join(company)}.")
        for times_ago, (values, said) in enumerate(reversed(custom.past), start=1):
            starts = draw.moment(monday + number - 35 * times_ago - 7, *map(int, values["time"].split(":")))
            place = places[values["place"]]
            made = draw.moment(monday - 35 * times_ago - 20, 9)
            table = table_of[place["restaurant_id"], values["area"]]
            row = reservation_row(draw, place, table, len(values["guests"]) + 1, starts, made, values["guests"])
            world.put(RESERVATIONS, row | {"note": said or None, "rating": draw.integer(3, 5)})
        customs.append(custom)
    put_page(world, "Circles", "\n".join(draw.sample(about, len(about))))
    _news(world, customs, TABLE_PARTS, pools)

    def row_of(number: int) -> Row:
        values, place = customs[number].meant(asked[number]), places[customs[number].meant(asked[number])["place"]]
        starts = draw.moment(monday + number, *map(int, values["time"].split(":")))
        cells = {"restaurant_id": place["restaurant_id"], "starts_at": starts, "guests": [*values["guests"]]}
        return cells | {"party_size": len(values["guests"]) + 1, "area": values["area"]}

    def reserve(numbers: Sequence[int]) -> Reads:
        for number in numbers:
            cells = row_of(number)
            [row] = (yield call("search_restaurants", words=customs[number].meant(asked[number])["place"]))["results"]
            yield call("reserve_table", **cells | {"restaurant_id": row["restaurant_id"]})

    def solution() -> Solution:
        page = yield from read_page("Circles")
        yield from _read_news(customs)
        rows = yield from read_all("search_table_reservations")
        seen = yield [call("get_table_reservation", reservation_id=row["reservation_id"]) for row in rows]
        check_seen([page, seen], *(text for custom in customs for _, text in custom.past), *names)
        yield from reserve(range(len(hows)))
        yield say("The tables are reserved.")
        if then:
            yield from reserve(range(len(hows), len(asked)))
            yield say("Those tables are reserved, too.")

    def node(number: int) -> Node:
        cells = row_of(number)
        cells["table_id"] = table_of[cells["restaurant_id"], cells.pop("area")]["table_id"]
        return added(RESERVATIONS, **cells | {"guests": SameItems(tuple(cells["guests"]))}, state="booked")

    user = [
        f"Reserve tables for next week (from Monday, {world.in_days(monday)}), for each of these circles on its "
        f'weekday, which stands on my page "Circles": {_asked(customs[: len(hows)], hows)}. {MEANING} My '
        "visits of the past, with what I noted at each, tell it all: place, hour, where we sit (ask for it) and "
        "who comes along (name them). No wishes."
    ]
    if then:
        user.append(f"Now the same for the rest. {_asked(customs[len(hows) :], then)}.")
    return Task(
        user=user,
        tools=[
            *("search_note_pages", "get_note_page", "search_restaurants", "get_restaurant", "search_free_tables"),
            *("search_table_reservations", "get_table_reservation", "reserve_table", "modify_table_reservation"),
            *("cancel_table_reservation", "search_mail", "get_mail", *NOW),
        ],
        milestones=in_any_order(*(node(number) for number in range(len(asked)))),
        never=[told(r"\bI(?:'ve| have)? also (?:booked|reserved) (?:you )?(?:a|another) table\b")],
        solution=solution,
    )


# Transfers ----------------------------------------------------------------------------------------------------

RECENT = 4
TRANSFER_PARTS = {"amount": "The amount", "account": "The account", "text": "The reference", "category": "The category"}


def _transfers(world: World, hows: Sequence[str], then: Sequence[str] = ()) -> Task:
    """Pays each payee; the last ``then`` of them in a second turn."""
    draw, asked, accounts, payees = world.draw("wallet"), [*hows, *then], {}, {}
    for name in world.choice(
        ("House fund", "Club fund"), ("Joint account", "Side account"), ("Blue account", "Red account")
    ):
        row = account_row(draw, name, "current", "USD", 0, 50_000_000) | {"opening_balance": 50_000_000}
        accounts[name] = world.put(ACCOUNTS, row)
    amounts = tuple(draw.sample([draw.integer(20, 160) * 125 + 35 for _ in range(12)], 6))
    pools: Pools = {
        "amount": [*dict.fromkeys(amounts)],
        "account": [*accounts],
        "category": ("leisure", "health", "gifts"),
    }
    pools |= {"text": ("Monthly share", "Dues", "Contribution", "Fee of the month")}
    customs = []
    for number, name in enumerate(
        draw.sample(("Elm Choir", "Fox Judo", "Yew Pottery", "Ash Dance", "Oak Chess", "Fir Yoga"), len(asked))
    ):
        payees[name] = world.put(PAYEES, payee_row(draw, name))
        base = {part: draw.choice(pools[part]) for part in TRANSFER_PARTS}
        custom = _custom(draw, name, base, pools, TRANSFER_PARTS, ROWS[number % len(ROWS)])
        for months_ago, (values, said) in enumerate(reversed(custom.past), start=1):
            sent = (values["amount"], values["text"], draw.moment(-30 * months_ago - number, 11), values["category"])
            transfer, legs = transfer_rows(draw, accounts[values["account"]], payees[name], *sent)
            world.put(TRANSFERS, transfer)
            world.put(TRANSACTIONS, legs[0] | {"note": said or None})
        customs.append(custom)
    world.stored(TRANSACTIONS).sort(key=lambda row: str(row["booked_at"]))
    put_page(world, "Money of this month", _asked(customs[: len(hows)], hows))
    _news(world, customs, TRANSFER_PARTS, pools)

    def cells_of(number: int) -> Row:
        values = customs[number].meant(asked[number])
        ids = {
            "account_id": accounts[values["account"]]["account_id"],
            "payee_id": payees[customs[number].name]["payee_id"],
        }
        return ids | {"amount": values["amount"], "description": values["text"], "category": values["category"]}

    def pay(numbers: Sequence[int]) -> Reads:
        for number in numbers:
            name, cells = customs[number].name, cells_of(number)
            [payee] = (yield call("search_payees", words=name))["results"]
            rows = (yield call("search_bank_transactions", words=name, limit=20))["results"]
            seen = yield [call("get_bank_transaction", transaction_id=row["transaction_id"]) for row in rows]
            check_seen(seen, *(text for _, text in customs[number].past))
            yield call("create_money_transfer", **cells | {"payee_id": payee["payee_id"]})

    def total(numbers: Sequence[int]) -> str:
        return f"{sum(cells_of(number)['amount'] for number in numbers) / 100:.2f}"

    first, second = range(len(hows)), range(len(hows), len(asked))
    recent = sum(values["amount"] for custom in customs for values, _ in custom.past[-RECENT:])

    def solution() -> Solution:
        yield call("search_bank_accounts")
        check_seen((yield from read_page("Money of this month")), *(custom.name for custom in customs[: len(hows)]))
        yield from _read_news(customs)
        yield from pay(first)
        yield say(f"The sum of these payments is {total(first)} USD.")
        if then:
            yield from pay(second)
            yield say(f"The sum of these alone is {total(second)} USD.")
        yield say(f"The sum of those is {recent / 100:.2f} USD.")

    user = [
        f'Pay the payees that my page "Money of this month" names, as it says. {MEANING} Every month\'s '
        "transfer to each of them is in my bank transactions, with the note that I made about it there: that goes for "
        "the amount, the account that pays, the reference and the category. In the end tell me only the sum of what "
        "you have paid."
    ]
    if then:
        user.append(f"Now the rest, please: {_asked(customs[len(hows) :], then)}. And tell me the sum of these alone.")
    user.append(
        f"One more figure: take the last {RECENT} transfers to each of the {len(asked)} payees that were named in "
        "all, those of today not counted. What is the sum of all of these together?"
    )
    paid = [added(TRANSFERS, **cells_of(number), state="sent") for number in range(len(asked))]
    booked = [
        added(TRANSACTIONS, amount=-cells_of(number)["amount"], transfer_id=Anything()) for number in range(len(asked))
    ]
    sums = [Number(float(total(each)), "USD") for each in (first, second) if each]
    answers = [answer_for_now(each) for each in sums]
    groups = [[*in_any_order(*(paid[number] for number in each))] for each in (first, second) if each]
    return Task(
        user=user,
        tools=[
            *("search_bank_accounts", "search_payees", "search_bank_transactions", "get_bank_transaction"),
            *("search_money_transfers", "create_money_transfer", "cancel_money_transfer", "search_standing_orders"),
            *("create_standing_order", "add_payee", "modify_bank_transaction", "search_note_pages", "get_note_page"),
            *("search_mail", "get_mail", *NOW),
        ],
        milestones=[
            *(node for group, told_ in zip(groups, answers, strict=True) for node in (*group, told_)),
            answer(Number(recent / 100, "USD")),
        ],
        allowed=booked,
        solution=solution,
    )


def _weekdays(world: World, customs: Sequence[Custom]) -> None:
    """Writes down on which weekday each circle has its date next week, which is the day of the past, too."""
    lines = [f"{custom.name}: {weekday}" for custom, weekday in zip(customs, WEEKDAYS, strict=False)]
    put_page(world, "Circles", "\n".join(world.draw("notes").sample(lines, len(lines))))


# Meetings -----------------------------------------------------------------------------------------------------

MEETING_PARTS = {"time": "The hour", "minutes": "The length", "place": "The place", "people": "Who is invited"}


def _meetings(world: World, hows: Sequence[str], then: Sequence[str] = ()) -> Task:
    """Enters a meeting of each circle; the last ``then`` of them in a second turn."""
    draw, asked, people = world.draw("calendar"), [*hows, *then], cast(world, 11)
    for table in (EXCEPTIONS, ATTENDEES, NOTICES, EVENTS):
        world.stored(table).clear()
    calendar = next(row for row in world.stored(CALENDARS) if row["name"] == "Private")
    pools: Pools = {"time": ("17:30", "18:00", "18:45", "19:15"), "minutes": (45, 60, 75, 100), "people": people}
    pools |= {"place": ("Corner House", "Boat shed", "Library", "Gym hall", "Old mill")}
    names, monday = draw.sample(CIRCLES, len(asked)), 7 - world.today.weekday()
    customs = []
    for number, name in enumerate(names):
        base = {part: draw.choice(pool) for part, pool in pools.items()} | {"people": tuple(draw.sample(people, 3))}
        custom = _custom(draw, name, base, pools, MEETING_PARTS, ROWS[number % len(ROWS)])
        for times_ago, (values, said) in enumerate(reversed(custom.past), start=1):
            hour, minute = map(int, values["time"].split(":"))
            when = times(draw, monday + number - 14 * times_ago, hour, values["minutes"], minute=minute)
            row = event_row(draw, calendar, name.capitalize(), when, location=values["place"], description=said)
            world.put(EVENTS, row)
            answered = draw.moment(-14 * times_ago - 8, 9)
            for person in values["people"]:
                world.put(ATTENDEES, attendee_row(draw, row, address(person), "accepted", answered))
        customs.append(custom)
    _weekdays(world, customs)
    _news(world, customs, MEETING_PARTS, pools)

    def cells_of(number: int) -> Row:
        values = customs[number].meant(asked[number])
        hour, minute = map(int, values["time"].split(":"))
        when = times(draw, monday + number, hour, values["minutes"], minute=minute)
        cells = {"title": customs[number].name.capitalize(), "location": values["place"]}
        return (
            cells | {name: when[name] for name in ("starts_at", "ends_at")} | {"calendar_id": calendar["calendar_id"]}
        )

    def emails(number: int) -> list[str]:
        return [address(name) for name in customs[number].meant(asked[number])["people"]]

    def enter(numbers: Sequence[int]) -> Reads:
        for number in numbers:
            name = customs[number].name
            rows = (yield call("search_calendar_events", words=name, limit=20))["results"]
            seen = yield [call("get_calendar_event", event_id=row["event_id"]) for row in rows]
            check_seen(seen, *(text for _, text in customs[number].past))
            cells = cells_of(number) | {"calendar_id": seen[0]["calendar_id"], "emails": emails(number)}
            yield call("create_calendar_event", **cells)

    def solution() -> Solution:
        check_seen((yield from read_page("Circles")), *names)
        yield from _read_news(customs)
        yield from enter(range(len(hows)))
        yield say("The meetings are in your calendar.")
        if then:
            yield from enter(range(len(hows), len(asked)))
            yield say("Those are there, too.")

    user = [
        f"Enter the meetings of next week (from Monday, {world.in_days(monday)}) into my private calendar, one of "
        'each circle, on the weekday that my page "Circles" in the notes has for it. '
        f"{_asked(customs[: len(hows)], hows)}. {MEANING} All meetings so far are in that "
        "calendar under the names of the circles, with what I noted as their descriptions: that goes for hour, "
        "length, place and who is invited. The titles are as always; the new ones need no description."
    ]
    if then:
        user.append(f"Now the other circles: {_asked(customs[len(hows) :], then)}.")
    invited = [email for number in range(len(asked)) for email in emails(number)]
    fresh = {"event_id": Anything(), "required": True, "answer": "none"}
    return Task(
        user=user,
        tools=[
            *("search_calendar_events", "get_calendar_event", "list_calendar_agenda", "search_calendar_people"),
            *("create_calendar_event", "modify_calendar_event", "cancel_calendar_event", "invite_to_calendar_event"),
            *("uninvite_from_calendar_event", "search_note_pages", "get_note_page", "search_mail", "get_mail"),
            *NOW,
        ],
        milestones=in_any_order(
            *(
                added(EVENTS, **cells | {"title": SameWords(cells["title"]), "location": SameWords(cells["location"])})
                for cells in map(cells_of, range(len(asked)))
            ),
            *(added(ATTENDEES, invited.count(email), email=email, **fresh) for email in dict.fromkeys(invited)),
        ),
        allowed=[
            added(NOTICES, invited.count(email), event_id=Anything(), recipient_email=email, kind="invitation")
            for email in dict.fromkeys(invited)
        ],
        solution=solution,
    )


# Circulars ----------------------------------------------------------------------------------------------------

MAIL_PARTS = {"to": "Who gets it", "cc": "Who gets a copy", "subject": "The subject", "time": "The hour of sending"}


def _circulars(world: World, hows: Sequence[str], then: Sequence[str] = ()) -> Task:
    """Sends a circular to each circle; the last ``then`` of them in a second turn."""
    draw, asked, people = world.draw("mail"), [*hows, *then], cast(world, 12)
    pools: Pools = {"to": people[:7], "cc": people[7:], "time": ("08:15", "12:30", "17:45", "21:00")}
    pools |= {"subject": ("News", "What is on", "Short report", "This week")}
    names, monday, customs = draw.sample(CIRCLES, len(asked)), 7 - world.today.weekday(), []
    for number, name in enumerate(names):
        label = world.put(LABELS, {"label_id": draw.key("label"), "name": name})
        base = {part: draw.choice(pool) for part, pool in pools.items()}
        base |= {"to": tuple(draw.sample(people[:7], 3)), "cc": tuple(draw.sample(people[7:], 2))}
        custom = _custom(draw, name, base, pools, MAIL_PARTS, ROWS[number % len(ROWS)])
        for weeks_ago, (values, said) in enumerate(reversed(custom.past), start=1):
            lists: Row = {part: [address(each) for each in values[part]] for part in ("to", "cc")}
            body = f"Dear all, here is what there is to tell. {said}".strip()
            cells: Row = {"kind": "sent", "folder": "sent", "label_ids": [label["label_id"]], "email": draw.owner.email}
            mail = put_mail(world, draw.owner.name, values["subject"], body, 0, **lists, **cells)
            mail["dated_at"] = draw.moment(monday + number - 7 * weeks_ago - 7, *map(int, values["time"].split(":")))
        customs.append(custom)
    own = next(row for row in world.stored(CALENDARS) if row["name"] == "Private")
    for number, custom in enumerate(customs):
        day = days(world.draw("calendar"), draw.date(monday + number))
        world.put(EVENTS, event_row(world.draw("calendar"), own, f"Circular: {custom.name}", day))
    put_page(world, "Circulars", _asked(customs[: len(hows)], hows))
    _news(world, customs, MAIL_PARTS, pools)
    text = world.choice("The next date is in two weeks.", "Nothing new so far.", "Thanks for all the help.")

    def cells_of(number: int) -> Row:
        values = customs[number].meant(asked[number])
        lists = {part: [address(each) for each in values[part]] for part in ("to", "cc")}
        leaves = draw.moment(monday + number, *map(int, values["time"].split(":")))
        return lists | {"subject": values["subject"], "send_at": leaves}

    def send(numbers: Sequence[int]) -> Reads:
        for number in numbers:
            name = customs[number].name
            rows = (yield call("search_mail", query=f'in:sent label:"{name}"', limit=20))["results"]
            seen = yield [call("get_mail", mail_id=row["mail_id"]) for row in rows]
            check_seen(seen, *(said for _, said in customs[number].past), *cells_of(number)["to"])
            yield call("send_mail", **cells_of(number), body=text)

    def solution() -> Solution:
        check_seen((yield from read_page("Circulars")), *names[: len(hows)])
        agenda = yield call("search_calendar_events", words="Circular:")
        check_seen(agenda, *(draw.date(monday + number) for number in range(len(asked))))
        yield from _read_news(customs)
        yield from send(range(len(hows)))
        yield say("The mails will leave at their hours.")
        if then:
            yield from send(range(len(hows), len(asked)))
            yield say("So will these.")

    user = [
        f"Send the circulars of next week (from Monday, {world.in_days(monday)}) to the circles on my page "
        '"Circulars" in the notes, as it says: one mail to each circle, which leaves on the day that my calendar has '
        'for it in that week ("Circular: ..."). '
        f"{MEANING} My sent mails have a label for each circle; at the end of "
        "some is what I noted. That goes for who gets it, who gets a copy, the subject and the hour of sending. The "
        f'text of each is just: "{text}"'
    ]
    if then:
        user.append(f"And now to the other circles, with the same text: {_asked(customs[len(hows) :], then)}.")
    nodes = []
    for cells in map(cells_of, range(len(asked))):
        parts: Row = {part: SameItems(tuple(cells[part])) for part in ("to", "cc")}
        sent: Row = {"kind": "sent", "folder": "sent", "read": True, "dated_at": cells["send_at"]}
        nodes.append(added(MAILS, **parts, **sent, subject=SameWords(cells["subject"]), body=SameWords(text)))
    return Task(
        user=user,
        tools=["search_mail", "get_mail", "search_mail_labels", "send_mail", "send_mail_draft", "modify_mail_draft",
               "take_back_mail", "reply_to_mail", "forward_mail", "label_mail",
               "search_note_pages", "get_note_page", "search_calendar_events", "list_calendar_agenda", *NOW],
        milestones=in_any_order(*nodes, added(THREADS, len(nodes), subject=Anything())),
        solution=solution,
    )  # fmt: skip


# Scenarios ----------------------------------------------------------------------------------------------------


@scenario(apps=("dining", "notes", "mail"))
def reserve_usual_tables(world: World) -> Task:
    """Reserve a table for each circle as it has come to be usual."""
    # Slips: the last visit of each circle was an exception in one part or two, while other parts of the same
    # or an earlier visit changed for good, so that six histories of four parts have to be kept apart.
    return _tables(world, [USUAL] * 6)


@scenario(apps=("dining", "notes", "mail"))
def reserve_tables_of_three_kinds(world: World) -> Task:
    """Reserve tables as usual for some circles, like last time and as at first for others."""
    # Slips: the last visit counts in full for two circles and not at all for others; the first one is on the last page.
    return _tables(world, [USUAL, LAST, USUAL, FIRST, LAST, USUAL])


@scenario(apps=("dining", "notes", "mail"))
def reserve_usual_tables_then_others(world: World) -> Task:
    """Reserve tables as usual for some circles, then for others, which want the last or the first one."""
    # Slips: what was read for one circle is used again many calls later, by another rule than the one before.
    return _tables(world, [USUAL, USUAL, LAST], [USUAL, FIRST, LAST])


@scenario(apps=("wallet", "notes", "mail"))
def pay_usual_amounts(world: World) -> Task:
    """Pay each payee as it has come to be usual."""
    # Slips: the latest amounts and accounts are exceptions, and a lasting change of one part stands in the note of a
    # payment that was an exception in another; six amounts with cents have to be added up.
    return _transfers(world, [USUAL] * 6)


@scenario(apps=("wallet", "notes", "mail"))
def pay_amounts_of_three_kinds(world: World) -> Task:
    """Pay some payees as usual, others like last time or as at first."""
    # Slips: the reference and the category change as often as the amount, and are as easily taken from the wrong month.
    return _transfers(world, [LAST, USUAL, FIRST, USUAL, USUAL, LAST])


@scenario(apps=("wallet", "notes", "mail"))
def pay_usual_amounts_then_others(world: World) -> Task:
    """Pay some payees as usual, then others in other ways, and tell each sum."""
    # Slips: the second sum is of the second payments alone, by other rules.
    return _transfers(world, [USUAL, LAST, USUAL], [USUAL, USUAL, FIRST])


@scenario(apps=("calendar", "notes", "mail"))
def enter_usual_meetings(world: World) -> Task:
    """Enter a meeting of each circle as it has come to be usual."""
    # Slips: who is invited changes by one person at a time, for once or for good, and the length with it.
    return _meetings(world, [USUAL] * 6)


@scenario(apps=("calendar", "notes", "mail"))
def enter_meetings_of_three_kinds(world: World) -> Task:
    """Enter meetings as usual for some circles, like last time and as at first for others."""
    # Slips: for the last time every exception counts, for the usual none, and both have the same note before them.
    return _meetings(world, [FIRST, USUAL, LAST, USUAL, USUAL, LAST])


@scenario(apps=("calendar", "notes", "mail"))
def enter_usual_meetings_then_others(world: World) -> Task:
    """Enter meetings as usual for some circles, then for others in other ways."""
    # Slips: as above, with a second turn that turns the rules round.
    return _meetings(world, [LAST, USUAL, USUAL], [FIRST, USUAL, USUAL])


@scenario(apps=("mail", "notes", "calendar"))
def send_usual_circulars(world: World) -> Task:
    """Send a mail to each circle as it has come to be usual."""
    # Slips: two lists of people that change one by one, the subject and the hour, in eleven mails of each circle.
    return _circulars(world, [USUAL] * 6)


@scenario(apps=("mail", "notes", "calendar"))
def send_circulars_of_three_kinds(world: World) -> Task:
    """Send mails as usual to some circles, like last time and as at first to others."""
    # Slips: a copy that went to one more person for good may be missing in the last mail, as an exception.
    return _circulars(world, [USUAL, FIRST, LAST, USUAL, LAST, USUAL])


@scenario(apps=("mail", "notes", "calendar"))
def send_usual_circulars_then_others(world: World) -> Task:
    """Send mails as usual to some circles, then to others in other ways."""
    # Slips: the second turn asks for three circles whose mails have the same subjects as those before.
    return _circulars(world, [USUAL, USUAL, FIRST], [LAST, USUAL, USUAL])
