"""What is in the support desk when a world begins: customers with what they have, paid and asked for."""

import datetime
from typing import Any

import attrs

from tool_sandbox.apps import Draw, Size
from tool_sandbox.apps.desk.charges import LARGEST
from tool_sandbox.apps.desk.customers import months_after
from tool_sandbox.apps.desk.phrases import (
    CASES,
    CAUSES,
    FIRST_NAMES,
    LAST_NAMES,
    MODELS,
    NOTES,
    PLAN_LIST,
    REGIONS,
    RULE_LIST,
)
from tool_sandbox.apps.desk.tables import (
    AGENTS,
    CHARGES,
    CUSTOMERS,
    DEVICES,
    MESSAGES,
    OUTAGES,
    PLANS,
    REFUNDS,
    RULES,
    SUBSCRIPTIONS,
    TICKETS,
    VERIFICATIONS,
)

Row = dict[str, Any]

COUNTS: dict[Size, tuple[int, int, int]] = {"small": (6, 4, 8), "medium": (40, 8, 70), "large": (260, 14, 500)}
"""Customers, months of charges, and tickets of each size."""

TEAMS = ("first line", "billing", "technicians", "legal", "first line")
LATE_FEE = 500
ON_THE_PHONE = (0, 3, 5)
"""Customers who have been verified some minutes ago."""

DAYS_TO_PAY = 14


def content(draw: Draw, size: Size) -> dict[str, list[Row]]:
    """Draws the rows of all tables."""
    made = _Desk(draw)
    customers, months, tickets = COUNTS[size]
    made.books()
    for number in range(customers):
        made.customer(number, months)
    for number in range(tickets):
        made.ticket(number, tickets)
    return {schema.name: rows for schema, rows in made.rows.items()}


def new_row(draw: Draw, schema: Any, **cells: Any) -> Row:
    """A row of any table here with a fresh key, for the content and for scenarios; cells left out are empty."""
    return {schema.key: draw.key(schema.key.removesuffix("_id"))} | cells


@attrs.define
class _Desk:
    """Rows as they are made."""

    draw: Draw
    rows: dict[Any, list[Row]] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        books = (AGENTS, RULES, OUTAGES, PLANS, CUSTOMERS, VERIFICATIONS, SUBSCRIPTIONS)
        self.rows = {schema: [] for schema in (*books, CHARGES, REFUNDS, DEVICES, TICKETS, MESSAGES)}

    def add(self, schema: Any, columns: str, *cells: Any, **more: Any) -> Row:
        """A row of a table, with the cells of the columns that are named."""
        row = new_row(self.draw, schema, **dict(zip(columns.split(), cells, strict=True)), **more)
        self.rows[schema].append(row)
        return row

    def books(self) -> None:
        """Agents, rules, outages and plans."""
        draw, known = self.draw, [each for each in self.draw.people if each.relationship in ("boss", "coworker")]
        for place, person in enumerate([draw.owner, *(known if len(known) >= 3 else draw.people[:4])]):
            role = "supervisor" if person.relationship == "boss" or place == 1 else "agent"
            cells = (person.name, person.email, role, TEAMS[place % len(TEAMS)], person is draw.owner)
            code = f"{draw.integer(100_000, 999_999)}" if role == "supervisor" else None
            self.add(AGENTS, "name email role team is_me", *cells, approval_code=code)
        for number, section, days, text in RULE_LIST:
            self.add(RULES, "number section text valid_from", number, section, text, draw.date(-days))
        for place, name in enumerate(REGIONS):
            for ago in (draw.integer(5, 25), draw.integer(80, 100))[: 1 + place % 2]:
                first, last = draw.date(-ago), draw.date(-ago + draw.integer(0, 3))
                self.add(OUTAGES, "region cause first_day last_day", name, draw.choice(CAUSES), first, last)
        columns = "name monthly_price megabits kind commitment_months retired"
        for plan in PLAN_LIST:
            self.add(PLANS, columns, *plan, currency="USD")

    def customer(self, number: int, months: int) -> None:
        """A customer with a subscription, what was charged for it, and devices; the first two have the same name."""
        draw = self.draw
        first, last = ("Ana", "Costa") if number < 2 else (draw.choice(FIRST_NAMES), draw.choice(LAST_NAMES))
        known = sum(row["name"] == f"{first} {last}" for row in self.rows[CUSTOMERS])
        email = f"{first}.{last}{known + 1 if known else ''}@example.com".lower()
        # Those who are on the phone have been customers for long.
        joined = draw.integer(900, 1500) if number in ON_THE_PHONE else draw.integer(10, 1500)
        cells = (f"{first} {last}", email, f"+1510555{number:04d}", draw.choice(REGIONS), f"{draw.integer(1000, 9999)}")
        spokesman = draw.person().name if draw.chance(0.15) else None
        columns = "name email phone_number region pin joined_on representative"
        key = self.add(CUSTOMERS, columns, *cells, draw.date(-joined), spokesman)["customer_id"]
        if number in ON_THE_PHONE or draw.chance(0.2):
            passed, minutes = (
                number in ON_THE_PHONE,
                draw.integer(2, 9) if number in ON_THE_PHONE else draw.integer(90, 9000),
            )
            self.add(VERIFICATIONS, "customer_id passed tried_at", key, passed, draw.ago(minutes))
        plan = draw.choice(self.rows[PLANS])
        started = draw.date(-joined if joined < 30 or number in ON_THE_PHONE else -draw.integer(5, joined))
        until = months_after(started, plan["commitment_months"])
        columns = "customer_id plan_id started_on committed_until"
        row = self.add(SUBSCRIPTIONS, columns, key, plan["plan_id"], started, until)
        if draw.chance(0.1) and until < draw.date(-200):
            start = months_after(f"{draw.today}"[:8] + "01", -5)
            row |= {"paused_from": start, "paused_until": months_after(start, 1)}
        self._charges(key, plan, row, months)
        if number == 3:
            paid = [each for each in self.rows[CHARGES] if each["customer_id"] == key and each["paid_on"]]
            self._refund(paid[-1], draw.today - datetime.timedelta(days=1))
        self._devices(key, started if number != 3 else draw.date(-300), tried=number == 3)

    def _charges(self, customer_id: str, plan: Row, subscription: Row, months: int) -> None:
        draw, first = self.draw, f"{self.draw.today}"[:8] + "01"
        for ago in range(months - 1, -1, -1):
            day = months_after(first, -ago)
            paused = (
                subscription.get("paused_from") and subscription["paused_from"] <= day < subscription["paused_until"]
            )
            if day <= subscription["started_on"] or paused:
                continue
            late = draw.integer(3, 20) if draw.chance(0.08) else 0
            self._charge(customer_id, "monthly", plan["monthly_price"], day, plan["name"], late)
            if draw.chance(0.04):
                self._charge(customer_id, "monthly", plan["monthly_price"], day, plan["name"], 0)
            if late:
                known = str(datetime.date.fromisoformat(day) + datetime.timedelta(days=DAYS_TO_PAY + late + 1))
                self._charge(customer_id, "late_fee", LATE_FEE, known, f"Payment {late} days late", 0)
            if draw.chance(0.08):
                said = draw.choice(("notice sent", "notice sent", "no notice was sent"))
                amount, fourth = draw.integer(300, 9000), day[:8] + "04"
                self._charge(customer_id, "roaming", amount, fourth, f"{draw.integer(2, 9)} days abroad, {said}", 0)

    def _charge(self, customer_id: str, kind: str, amount: int, day: str, said: str, late: int) -> None:
        """A charge, paid in time or so many days late; refunded now and then."""
        draw, today = self.draw, f"{self.draw.today}"
        if day > today:
            return
        due = datetime.date.fromisoformat(day) + datetime.timedelta(days=DAYS_TO_PAY)
        paid = f"{due + datetime.timedelta(days=late or -draw.integer(1, 10))}"
        columns = "customer_id kind amount charged_on due_on paid_on description"
        cells = (customer_id, kind, amount, day, f"{due}", paid if paid < today else None, said)
        row = self.add(CHARGES, columns, *cells, currency="USD")
        if row["paid_on"] and draw.chance(0.06):
            self._refund(row, datetime.date.fromisoformat(paid) + datetime.timedelta(days=2))

    def _refund(self, charge: Row, day: datetime.date) -> None:
        """What was paid back of a charge, or is on its way if the day is yesterday."""
        draw = self.draw
        ago = (draw.today - day).days
        if ago > 0:
            amount = charge["amount"] // draw.choice((1, 2, 4))
            reason = "late fee, first time" if charge["kind"] == "late_fee" else draw.choice(("goodwill", "outage"))
            # Three days on without weekends; holidays take long to load, and are not missed in what is past.
            times = (
                draw.moment(-ago, 10),
                draw.moment((3, 3, 5, 5, 5, 4, 3)[day.weekday()] - ago, 12),
                draw.chance(0.1),
            )
            approver = next(each["email"] for each in self.rows[AGENTS] if each["role"] == "supervisor")
            columns = "charge_id amount method reason made_at pays_at cancelled approved_by"
            cells = (charge["charge_id"], amount, "original", reason, *times, approver if amount > LARGEST else None)
            self.add(REFUNDS, columns, *cells)

    def _devices(self, customer_id: str, started: str, *, tried: bool) -> None:
        """Devices of a customer; those of one who is on the phone have been updated and reset, and fail still."""
        draw = self.draw
        for model in draw.sample(MODELS, draw.integer(1, 2)):
            state, firmware = draw.choice(("working", "working", "faulty")), draw.choice(("7.4", "7.4", "7.1", "6.9"))
            state, firmware = ("faulty", "7.4") if tried else (state, firmware)
            reset = draw.ago(5) if tried else draw.ago(draw.integer(100, 40_000)) if draw.chance(0.3) else None
            columns = "customer_id model serial_number bought_on firmware state plugged_in reset_at"
            place, is_on = (customer_id, model, f"{draw.integer(10**7, 10**8 - 1)}", started), draw.chance(0.8)
            device = self.add(DEVICES, columns, *place, firmware, state, is_on, reset)
            if state == "faulty" and not tried and draw.chance(0.2):
                number, bought = f"{draw.integer(10**7, 10**8 - 1)}", draw.date(-draw.integer(1, 5))
                device |= {"state": "replaced", "plugged_in": False}
                place = (customer_id, model, number, bought)
                self.add(DEVICES, columns, *place, "7.4", "ordered", False, None, replaces_id=device["device_id"])

    def ticket(self, number: int, count: int) -> None:
        """A ticket with what was written; the last ones are new, and the very last asks what the one before asks."""
        draw, agents = self.draw, self.rows[AGENTS]
        # Some customers write often, the two of the same name among them.
        customer = draw.choice(self.rows[CUSTOMERS][: len(self.rows[CUSTOMERS]) // 3])
        category, subject, asked, answered = draw.choice(CASES)
        if number == count - 1:
            last = self.rows[TICKETS][-1]
            category, subject, asked, answered = next(case for case in CASES if case[1] == last["subject"])
            customer = next(row for row in self.rows[CUSTOMERS] if row["customer_id"] == last["customer_id"])
        ago = (count - number) * 300 + draw.integer(-120, 120)
        states = (
            ("new",) if number >= count - 3 else ("open", "waiting") if count - number < 40 else ("solved", "closed")
        )
        state = draw.choice(states)
        agent = None if state == "new" else draw.choice(agents)
        devices = [row for row in self.rows[DEVICES] if row["customer_id"] == customer["customer_id"]]
        cells = (customer["customer_id"], subject, category, draw.choice(("low", "normal", "normal", "high")), state)
        columns = "customer_id subject category priority state opened_at changed_at assignee_id device_id"
        times = (draw.ago(ago), draw.ago(ago - (100 if agent else 0)), agent and agent["agent_id"])
        row = self.add(TICKETS, columns, *cells, *times, devices[0]["device_id"] if category == "technical" else None)
        said = [(customer["name"], False, asked, ago)]
        if agent:
            note = [(draw.choice(agents)["name"], True, draw.choice(NOTES), ago - 60)] * draw.chance(0.5)
            said += [*note, (agent["name"], False, answered, ago - 100)]
        for author, internal, text, minutes in said:
            written = (author, internal, text, draw.ago(minutes))
            self.add(MESSAGES, "ticket_id author internal text written_at", row["ticket_id"], *written)
