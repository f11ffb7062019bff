"""What is in the wallet when a world begins: accounts, whom they pay, and months or years of transactions."""

import datetime
from typing import Any

import attrs

from tool_sandbox.apps import Draw, Person, Size, seconds_of
from tool_sandbox.apps.wallet.ledger import business_day, run_row, runs, settlement
from tool_sandbox.apps.wallet.phrases import ABROAD, BILLS, COMPANIES, EMPLOYER, MERCHANTS, ONLINE_SHOP, REASONS
from tool_sandbox.apps.wallet.rows import (
    Row,
    Rows,
    account_row,
    code_row,
    order_row,
    payee_row,
    transaction_row,
    transfer_rows,
)
from tool_sandbox.apps.wallet.tables import (
    ACCOUNTS,
    CODES,
    PAYEES,
    RUNS,
    SHARES,
    STANDING_ORDERS,
    TRANSACTIONS,
    TRANSFERS,
)

MONTHS: dict[Size, int] = {"small": 1, "medium": 6, "large": 48}


def content(draw: Draw, size: Size) -> dict[str, Rows]:
    """Draws the rows of all tables."""
    made = _Wallet(draw, MONTHS[size])
    made.open_accounts()
    made.know_payees(6 if size == "small" else len(draw.people))
    made.repeat_transfers()
    made.earn_and_spend()
    made.send_transfers()
    made.charge_twice_and_refund()
    made.split_dinners()
    made.wait_for_codes()
    made.open_with_enough()
    made.transactions.sort(key=lambda row: seconds_of(row["booked_at"]))
    return {
        ACCOUNTS.name: made.accounts,
        PAYEES.name: made.payees,
        TRANSFERS.name: made.transfers,
        STANDING_ORDERS.name: made.orders,
        RUNS.name: made.exceptions,
        TRANSACTIONS.name: made.transactions,
        SHARES.name: made.shares,
        CODES.name: made.codes,
    }


@attrs.define
class _Wallet:
    """Rows as they are made."""

    draw: Draw
    months: int
    accounts: Rows = attrs.field(factory=list)
    payees: Rows = attrs.field(factory=list)
    transfers: Rows = attrs.field(factory=list)
    orders: Rows = attrs.field(factory=list)
    exceptions: Rows = attrs.field(factory=list)
    transactions: Rows = attrs.field(factory=list)
    shares: Rows = attrs.field(factory=list)
    codes: Rows = attrs.field(factory=list)

    @property
    def days(self) -> int:
        """How far the history goes back."""
        return 30 * self.months

    def open_accounts(self) -> None:
        """Accounts that differ in what they are for, one of them in another currency."""
        self.accounts = [
            account_row(self.draw, "Everyday account", "current", "USD", 50_000, 250_000),
            account_row(self.draw, "Savings", "savings", "USD", 0, 100_000),
            account_row(self.draw, "Travel card", "card", "EUR", 0, 50_000),
            account_row(self.draw, "Household account with Claire", "current", "USD", 0, 80_000),
        ]

    # Payees ----------------------------------------------------------------------------------

    def know_payees(self, count: int) -> None:
        """People and companies; the landlord has an old account that is no longer paid to."""
        landlord = self._relation("landlord")
        known = [person for person in self.draw.people if person is not landlord][: count - 1]
        self.payees = [payee_row(self.draw, landlord.name, note="rent"), payee_row(self.draw, landlord.name)]
        self.payees[1] |= {"note": "rent, old account", "removed": True}
        for person in known:
            abroad = person.relationship == "brother"
            self.payees.append(
                payee_row(
                    self.draw, person.name, currency="EUR" if abroad else "USD", trusted=person.relationship is not None
                )
            )
        self.payees += [payee_row(self.draw, name) for name in COMPANIES]

    def _relation(self, relationship: str) -> Person:
        return next((each for each in self.draw.people if each.relationship == relationship), self.draw.people[-1])

    def _payee(self, name: str) -> Row:
        return next(payee for payee in self.payees if payee["name"] == name)

    # Transfers -------------------------------------------------------------------------------

    def repeat_transfers(self) -> None:
        """Standing orders with their past runs; the rent rose when it moved to the new account."""
        everyday, rent = self.accounts[0], self.draw.integer(26, 34) * 5_000
        changes = self._month_day(-(self.months // 3), 1)
        gym, choir, joinery, school = map(self._payee, COMPANIES)
        begin, home = self._month_day(-self.months, 1), {"category": "housing"}
        month_end = (begin.replace(day=28) + datetime.timedelta(days=4)).replace(day=1) - datetime.timedelta(days=1)
        if self.months > 2:
            last = {"last_on": (changes - datetime.timedelta(days=1)).isoformat(), "state": "cancelled"}
            self._order(
                order_row(self.draw, everyday, self.payees[1], rent - 7_000, "rent", f"{begin}", **home, **last)
            )
        self._order(order_row(self.draw, everyday, self.payees[0], rent, "rent", f"{changes}", **home))
        fit = {"category": "health", "unit": "week", "every": 2}
        self._order(
            order_row(self.draw, everyday, gym, 1_950, "gym, two weeks", f"{begin.replace(day=5)}", **fit), "skip"
        )
        fun = {"category": "leisure"}
        self._order(
            order_row(self.draw, everyday, choir, 6_000, "choir fee", f"{begin.replace(day=15)}", every=3, **fun)
        )
        garage = order_row(self.draw, everyday, joinery, 4_500, "workshop rent", f"{month_end}", **home)
        self._order(garage, "change")
        self._order(order_row(self.draw, everyday, school, 8_900, "course", self.draw.date(-50), state="paused", **fun))

    def _month_day(self, months: int, day: int) -> datetime.date:
        number = self.draw.today.year * 12 + self.draw.today.month - 1 + months
        return datetime.date(number // 12, number % 12 + 1, day)

    def _order(self, order: Row, exception: str = "") -> None:
        """An order and what it has paid; with an exception among its past runs and one among those to come."""
        self.orders.append(order)
        until = self.draw.today + datetime.timedelta(days=100)
        every = list(runs(order, (), until))
        past = [run for run in every if run["runs_on"] <= order["booked_until"]]
        own = [past[len(past) // 2], every[len(past) + 1]] if exception and past else []
        amount = order["amount"] // 2 if exception == "change" else None
        same = {"standing_order_id": order["standing_order_id"], "action": exception, "amount": amount}
        new = [{"run_exception_id": self.draw.key("run_exception"), "due_on": run["due_on"], **same} for run in own]
        self.exceptions += new
        payee = next(each["name"] for each in self.payees if each["payee_id"] == order["payee_id"])
        for run in runs(order, new, until):
            stopped = order["state"] == "paused" and run["due_on"] > self.draw.date(-20)
            if run["runs_on"] <= order["booked_until"] and not run["skipped"] and not stopped:
                cells = run_row(order, payee, run, self.draw.tzinfo)
                self.transactions.append({"transaction_id": self.draw.key("transaction"), **cells})

    def send_transfers(self) -> None:
        """Single transfers to people, as often as one every ten days, and what goes to the savings each month."""
        everyday, savings = self.accounts[:2]
        people = [each for each in self.payees[2 : -len(COMPANIES)] if each["currency"] == "USD"]
        for days in range(-self.days, 0, 10):
            reason, category, low, high = self.draw.choice(REASONS)
            sent = self.draw.moment(days, self.draw.integer(8, 21), self.draw.integer(0, 59))
            amount = self.draw.integer(low // 50, high // 50) * 50
            payee = self._payee(COMPANIES[2]) if category == "housing" else self.draw.choice(people)
            self._send(everyday, payee, amount, reason, sent, category)
        for month in range(-self.months, 0):
            odd = month == -(self.months // 2) - 1
            day = (self._month_day(month, 3) - self.draw.today).days
            self._send(everyday, savings, 15_000 if odd else 30_000, "savings", self.draw.moment(day, 9), "savings")
        # What was sent a moment ago is pending; one that was a mistake is cancelled.
        self._send(everyday, people[0], self.draw.integer(60, 220) * 50, REASONS[0][0], self.draw.ago(35), "eating out")
        self._send(everyday, people[1], 12_500, REASONS[1][0], self.draw.ago(190), "leisure")
        self.transfers[-1] |= {"state": "cancelled", "settles_at": None}
        self.transactions[-1]["cancelled"] = True

    def _send(self, account: Row, target: Row, amount: int, reason: str, sent: str, category: str) -> None:
        transfer, legs = transfer_rows(self.draw, account, target, amount, reason, sent, category)
        self.transfers.append(transfer)
        self.transactions += legs

    # Payments --------------------------------------------------------------------------------

    def earn_and_spend(self) -> None:
        """Salary, bills and card payments, day by day; and a journey with the card in the other currency."""
        everyday, salary = self.accounts[0], self.draw.integer(92, 118) * 5_000
        for days in range(-self.days, 0):
            day = self.draw.today + datetime.timedelta(days=days)
            if day == business_day(day.replace(day=25)):
                self._booked(everyday, salary, EMPLOYER, f"salary {day:%B}", days, "income", hour=6)
            for name, category, what, monthday, low, high in BILLS:
                if day.day == monthday:
                    # The subscription to films has become dearer of late.
                    dearer = 200 if name == BILLS[2][0] and days > -self.days // 3 else 0
                    self._booked(everyday, -self.draw.integer(low, high) - dearer, name, what, days, category, hour=7)
            for name, category, texts, low, high, likely in MERCHANTS:
                if self.draw.chance(likely):
                    account = self.accounts[3] if category == "groceries" and self.draw.chance(0.2) else everyday
                    self._booked(account, -self.draw.integer(low, high), name, self.draw.choice(texts), days, category)
        for start in range(-self.days + 12, 0, 170):
            for number, (name, category, what, low, high) in enumerate(ABROAD * (1 if self.months < 3 else 3)):
                days = min(-1, start + number // 3)
                self._booked(self.accounts[2], -self.draw.integer(low, high), name, what, days, category)

        self._order_online()

    def _order_online(self) -> None:
        """Payments for an order of today, for one that has left the shop by now, and for one that has come."""
        for minutes in (95, next(filter(self._is_on_its_way, range(1517, 12_000, 1440)), 2_957), 12 * 1440 + 410):
            amount, booked = -self.draw.integer(3_000, 9_000), self.draw.ago(minutes)
            row = transaction_row(self.draw, self.accounts[0], amount, ONLINE_SHOP, "online order", booked)
            self.transactions.append(row | {"category": "shopping"})

    def _is_on_its_way(self, minutes: int) -> bool:
        booked, zone = self.draw.ago(minutes), self.draw.tzinfo
        sent, come = settlement(booked, zone, 1, hour=9), settlement(booked, zone, 4, hour=14)
        return seconds_of(sent) <= self.draw.start < seconds_of(come)

    def _booked(
        self, account: Row, amount: int, name: str, what: str, days: int, category: str, hour: int | None = None
    ) -> None:
        hours = (18, 21) if what.startswith("dinner") else (11, 13) if what.startswith("lunch") else (8, 20)
        booked = self.draw.moment(days, hour or self.draw.integer(*hours), self.draw.integer(0, 59))
        row = transaction_row(self.draw, account, amount, name, what, booked)
        self.transactions.append(row | {"category": category})

    def _payments_to(self, name: str) -> Rows:
        return [row for row in self.transactions if row["counterparty"] == name]

    def charge_twice_and_refund(self) -> None:
        """One payment was charged twice lately, beside two of the same amount that are right; some were refunded."""
        shop, noodles = self._payments_to(ONLINE_SHOP), self._payments_to(MERCHANTS[4][0])
        for paid in [row for row in shop[:-3] if self.draw.chance(0.12)]:
            self._again(paid, 10 * 1440, amount=-paid["amount"], kind="refund", refund_of=paid["transaction_id"])
        for paid in noodles[-3:-2] or self._payments_to(MERCHANTS[0][0])[-2:-1]:
            self._again(paid, 2)
        for paid in noodles[-6:-5]:
            self._again(paid, 7 * 1440)

    def _again(self, paid: Row, minutes: int, **other: Any) -> bool:
        """The same once more some minutes later, but for other cells, unless that is still to come."""
        booked = datetime.datetime.fromisoformat(paid["booked_at"]).timestamp() + 60 * minutes
        if booked >= self.draw.start:
            return False
        moment = self.draw.ago((self.draw.start - booked) / 60)
        settles = settlement(moment, self.draw.tzinfo, 5 if other else 1)
        key = {"transaction_id": self.draw.key("transaction")}
        self.transactions.append(paid | key | {"booked_at": moment, "settles_at": settles} | other)
        return True

    def split_dinners(self) -> None:
        """Dinners that others owe a part of; most paid it back, one of them without being ticked off."""
        dinners = [row for row in self._payments_to(MERCHANTS[3][0]) if row["description"] == "dinner, table of four"]
        dinners = dinners or self._payments_to(MERCHANTS[4][0])[-1:]
        for number, dinner in enumerate(dinners):
            people = self.draw.sample(self.draw.people[:8], 3)
            for person in people:
                share = {"share_id": self.draw.key("share"), "transaction_id": dinner["transaction_id"]}
                share |= {"amount": -dinner["amount"] // 4, "category": dinner["category"], "person": person.name}
                missed = (number, person) == (len(dinners) // 2, people[0])
                came = (missed or self.draw.chance(0.6)) and self._again(
                    dinner, self.draw.integer(1, 4) * 1440, amount=share["amount"], counterparty=person.name,
                    description="my part of dinner", kind="transfer", category="income",
                )  # fmt: skip
                self.shares.append(share | {"paid_back": came and not missed})

    # Codes and balances ----------------------------------------------------------------------

    def wait_for_codes(self) -> None:
        """A transfer, a standing order and a higher limit that wait for their codes; one has expired."""
        everyday, new = self.accounts[0], self.payees[2]
        transfer, _ = transfer_rows(self.draw, everyday, new, 62_000, "deposit for the summer house", self.draw.ago(3))
        transfer |= {"state": "awaiting_code", "settles_at": None, "category": "travel"}
        self.transfers.append(transfer)
        order = order_row(self.draw, everyday, new, 4_000, "lottery club", self.draw.date(12), state="awaiting_code")
        self.orders.append(order)
        self.codes = [
            code_row(self.draw, 7, transfer_id=transfer["transfer_id"]),
            code_row(self.draw, 8, account_id=self.accounts[1]["account_id"], new_amount=150_000),
            code_row(self.draw, -600, standing_order_id=order["standing_order_id"]),
        ][: 3 if self.months > 1 else 2]

    def open_with_enough(self) -> None:
        """Opening balances with which no account was ever below zero."""
        for account in self.accounts:
            own = [row for row in self.transactions if row["account_id"] == account["account_id"]]
            lowest = total = 0
            for row in sorted(own, key=lambda row: seconds_of(row["settles_at" if row["amount"] > 0 else "booked_at"])):
                total += row["amount"]
                lowest = min(lowest, total)
            account["opening_balance"] = -lowest + self.draw.integer(40, 400) * 500
