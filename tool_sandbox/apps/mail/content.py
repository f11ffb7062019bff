"""What is in the mailbox when a world begins: some months or years of mails of somebody who answers most of them."""

import datetime
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from tool_sandbox.apps import Draw, Person, Size, as_money
from tool_sandbox.apps.mail import phrases
from tool_sandbox.apps.mail.rows import Row, Sender, attachment_row, identity_row, mail_row, thread_row
from tool_sandbox.apps.mail.tables import ATTACHMENTS, FILTERS, IDENTITIES, LABELS, MAILS, THREADS

COUNTS: dict[Size, int] = {"small": 7, "medium": 60, "large": 900}
"""Threads of each size, beside drafts and spam."""

COMMITTEE = ("Harbour Street Committee", "committee@harbourstreet.example")


def content(draw: Draw, size: Size) -> dict[str, list[Row]]:
    """Draws the rows of all tables."""
    box = _Mailbox(draw)
    box.write(COUNTS[size])
    return {
        IDENTITIES.name: box.identities,
        THREADS.name: box.threads,
        LABELS.name: [{"label_id": label_id, "name": name} for name, label_id in box.labels.items()],
        MAILS.name: sorted(box.mails, key=lambda row: datetime.datetime.fromisoformat(row["dated_at"])),
        ATTACHMENTS.name: box.attachments,
        FILTERS.name: [box.filter(*each) for each in FILTERS_KEPT],
    }


def _any_of(senders: Sequence[tuple[str, ...]]) -> str:
    return " OR ".join(f"from:{address}" for _, address in senders)


FILTERS_KEPT = (
    ("Newsletters", _any_of(phrases.NEWSLETTERS), "Reading", "archive"),
    ("Orders", _any_of(phrases.SHOPS), "Orders", None),
    ("Committee", f"to:{COMMITTEE[1]}", "Committee", None),
)
"""Names, queries, labels and folders of the filters; they agree with how the mails are filed."""


def _of(person: Person) -> Sender:
    return person.name, person.email


@attrs.define
class _Mailbox:
    """Rows as they are made, and the thread that is being written."""

    draw: Draw
    labels: dict[str, str] = attrs.field(factory=dict)
    identities: list[Row] = attrs.field(factory=list)
    threads: list[Row] = attrs.field(factory=list)
    mails: list[Row] = attrs.field(factory=list)
    attachments: list[Row] = attrs.field(factory=list)
    _label: str = ""
    _last: Row | None = None
    _is_open: bool = False
    _told: set[str] = attrs.field(factory=set)

    def write(self, count: int) -> None:
        """Threads from the oldest to the newest; what would be after yesterday has not been written yet."""
        self.labels = {name: self.draw.key("label") for name in phrases.LABELS}
        self.identities = [
            identity_row(self.draw, _of(self.draw.owner), is_default=True),
            identity_row(self.draw, COMMITTEE, is_default=False, hold_minutes=10),
        ]
        stories: list[Callable[[int], None]] = [
            *(self._bill, self._meeting, self._order, self._family, self._defect, self._paper),
            *(self._newsletter, self._committee, self._trip, self._bill, self._meeting),
        ]
        for number in range(count):
            story = stories[number % len(stories)] if count < 20 else self.draw.choice(stories)
            story(-2 - (count - 1 - number) * 2 - self.draw.integer(0, 1))
        for number in range(max(6, count // 12)):
            self._spam(-1 - number * 4)
        for number, (subject, body) in enumerate(phrases.UNSENT):
            self._own(subject, body, "draft", "drafts", self.draw.ago(900 * (number + 1)))
        for number, (subject, body) in enumerate(phrases.WAITING, start=1):
            self._own(subject, body, "sent", "sent", self.draw.moment(number, 9))

    def filter(self, name: str, query: str, label: str, folder: str | None) -> Row:
        """A filter that files mails under a label."""
        row = {"filter_id": self.draw.key("filter"), "name": name, "query": query, "label_ids": [self.labels[label]]}
        return row | {"folder": folder, "marks_read": False, "stars": False}

    # One thread ------------------------------------------------------------------------------

    def _begin(self, subject: str, label: str) -> None:
        self.threads.append(thread_row(self.draw, subject))
        self._label, self._last, self._is_open = label, None, True

    def _receive(self, sender: Sender, body: str, day: int, hour: int, **cells: Any) -> None:
        """A mail comes in; those who should have filed it have not always done so."""
        is_filed = self._label in ("Reading", "Orders", "Committee") or self.draw.chance(0.85)
        usual = {
            "folder": "archive" if day < -60 and self.draw.chance(0.8) else "inbox",
            "read": self.draw.chance(0.97 if day < -4 else 0.5),
            "label_ids": [self.labels[self._label]] if is_filed and self._label else [],
        }
        self._add(sender, body, day, hour, **usual | cells)

    def _send(self, to: Sequence[str], body: str, day: int, hour: int, **cells: Any) -> None:
        self._add(_of(self.draw.owner), body, day, hour, to=to, kind="sent", folder="sent", **cells)

    def _add(self, sender: Sender, body: str, day: int, hour: int, *, file: str = "", **cells: Any) -> None:
        self._is_open = self._is_open and day < 0
        if not self._is_open:
            return
        thread, last = self.threads[-1], self._last
        subject = f"Re: {thread['subject']}" if last else thread["subject"]
        dated = self.draw.moment(day, hour, self.draw.integer(0, 59))
        cells = {"to": [self.draw.owner.email], "answers_id": last["mail_id"] if last else None} | cells
        self._last = mail_row(self.draw, thread["thread_id"], sender, subject=subject, body=body, dated=dated, **cells)
        self.mails.append(self._last)
        if file:
            size = self.draw.integer(60_000, 4_000_000)
            self.attachments.append(attachment_row(self.draw, self._last["mail_id"], file, size))

    def _day(self, day: int) -> datetime.date:
        return self.draw.today + datetime.timedelta(days=day)

    def _workday(self, day: int) -> datetime.date:
        """That day, or Monday if it is on a weekend."""
        date = self._day(day)
        return date + datetime.timedelta(days=7 - date.weekday() if date.weekday() > 4 else 0)

    def _who(self, relationship: str, count: int) -> list[Person]:
        """People of a kind, or any if there are too few."""
        known = [person for person in self.draw.people if person.relationship == relationship]
        return self.draw.sample(known if len(known) >= count else self.draw.people, count)

    # Stories ---------------------------------------------------------------------------------

    def _bill(self, day: int) -> None:
        """An invoice, perhaps corrected, perhaps with a reminder, and paid in the end."""
        month, (name, address, usual) = self._day(day), self.draw.choice(phrases.VENDORS)
        subject, vendor = f"{name}: invoice for {month:%B %Y}", (name, address)
        if subject in self._told:
            return self._family(day)
        self._told.add(subject)
        self._begin(subject, "Invoices")
        number, amount = self.draw.integer(10_000, 99_999), usual + self.draw.integer(-40, 60) * 5
        owed, until = as_money(amount, "USD"), f"{self._day(day + 14):%-d %B %Y}"
        is_wrong = self.draw.chance(0.15)
        body = f"Your invoice {number} over {as_money(amount * 2, 'USD') if is_wrong else owed} is attached."
        self._receive(vendor, f"{body} Please pay by {until}.", day, 8, file=f"invoice-{number}.pdf")
        if is_wrong:
            body = f"Invoice {number} was wrong. {number}-B over {owed} replaces it, due the same day."
            self._receive(vendor, body, day + 2, 8, file=f"invoice-{number}-B.pdf")
        is_late = self.draw.chance(0.1)
        if is_late:
            self._receive(vendor, f"We have not received your payment of {owed} for {number} yet.", day + 20, 8)
        if is_late or self.draw.chance(0.8):
            self._receive(vendor, f"Thank you, {owed} came in today.", day + (24 if is_late else 9), 8)
        return None

    def _meeting(self, day: int) -> None:
        """A time is proposed to several, one cannot, another is agreed on."""
        host, other = self._who("coworker", 2)
        project, hour = self.draw.choice(phrases.PROJECTS), self.draw.integer(9, 15)
        when, owner = self._workday(day + 3), self.draw.owner.email
        self._begin(f"Meeting about {project}", "Work")
        both = [owner, other.email]
        self._receive(_of(host), f"Could we meet on {when:%A, %-d %B} at {hour}:00, for an hour?", day, 9, to=both)
        self._receive(_of(other), f"I cannot before {hour + 1}:30 that day.", day, 11, to=[host.email], cc=[owner])
        if self.draw.chance(0.75):
            body = f"{hour + 1}:30 suits me, too. Shall I book the {self.draw.choice(('small', 'large'))} room?"
            self._send([other.email, host.email], body, day, 13)
            answer = self.draw.choice(("Yes please", "No need, we take my office", "Yes, and bring the figures"))
            self._receive(_of(host), f"{answer}. See you at {hour + 1}:30.", day + 1, 9, to=both)

    def _order(self, day: int) -> None:
        """An order is confirmed, sent and delivered, or late."""
        shop, goods = self.draw.choice(phrases.SHOPS), self.draw.choice(phrases.GOODS)
        number, price = f"{self.draw.integer(100, 999)}-{self.draw.integer(1000, 9999)}", self.draw.integer(12, 190)
        self._begin(f"Your order {number}", "Orders")
        body = f"Thank you for your order of {goods} for {as_money(price * 100 - 5, 'USD')}. It leaves within two days."
        self._receive(shop, body, day, 19)
        self._receive(shop, f"Order {number} is on its way, parcel {self.draw.integer(10**7, 10**8)}.", day + 2, 7)
        late = self.draw.chance(0.2)
        body = "It is delayed; we are sorry. It should come next week." if late else "It was handed to your neighbour."
        self._receive(shop, body, day + 4, 15)

    def _family(self, day: int) -> None:
        """Somebody invites, and asks for the usual, which only earlier mails name, or for once for something else."""
        person, other = self.draw.person(), self.draw.choice(phrases.DISHES)
        usual = phrases.DISHES[len(person.name) % len(phrases.DISHES)]
        is_known, is_other = person.name in self._told, other != usual and self.draw.chance(0.15)
        self._told.add(person.name)
        self._begin(self.draw.choice(phrases.OCCASIONS), "Family")
        wish = f"{other} instead of {usual}, just this once" if is_other else "the usual" if is_known else usual
        body = f"We will be {self.draw.integer(4, 11)} this time. Could you bring {wish}? {person.first_name}"
        self._receive(_of(person), body, day, 18)
        if self.draw.chance(0.7):
            self._send([person.email], f"Gladly! I bring {other if is_other else usual}. What time?", day, 21)
            time = self.draw.choice(("12:30", "17:00", "18:30"))
            self._receive(_of(person), f"At {time}, and nothing else, please.", day + 1, 8)

    def _defect(self, day: int) -> None:
        """Something in the flat is broken, and the landlord answers."""
        landlord, thing = self._who("landlord", 1)[0], self.draw.choice(phrases.DEFECTS)
        self._begin(f"Repair: {thing}", "House")
        self._send([landlord.email], f"Since this morning {thing} does not work. Could you have it repaired?", day, 8)
        visit = f"{self._workday(day + 6):%A, %-d %B} between {self.draw.integer(8, 10)} and 12"
        self._receive(_of(landlord), f"Somebody comes on {visit}. Does that suit you?", day + 1, 10)
        if self.draw.chance(0.7):
            self._send([landlord.email], "Yes, I will be at home.", day + 1, 20)

    def _paper(self, day: int) -> None:
        """A document in several versions."""
        author, reader = self._who("coworker", 2)
        document, project = self.draw.choice(phrases.DOCUMENTS), self.draw.choice(phrases.PROJECTS)
        name = f"{document.replace(' ', '-')}-{project.split()[-1]}"
        self._begin(f"{document.capitalize()} for {project}", "Work")
        body, cc = f"Here is the first version of the {document}. What do you think?", [reader.email]
        self._receive(_of(author), body, day, 10, file=f"{name}-v1.docx", cc=cc)
        body, both = f"Page {self.draw.integer(2, 9)} has old figures.", [author.email, self.draw.owner.email]
        self._receive(_of(reader), body, day, 14, to=both)
        self._receive(_of(author), "Thank you, this one is right.", day + 1, 9, file=f"{name}-v2.docx", cc=cc)
        if self.draw.chance(0.6):
            self._send([author.email], "Fine with me, please send it out.", day + 1, 12, cc=cc)
            self._receive(_of(author), "Done, this is what I sent.", day + 2, 9, file=f"{name}-final.pdf", cc=cc)

    def _newsletter(self, day: int) -> None:
        sender, first, second = self.draw.choice(phrases.NEWSLETTERS), *self.draw.sample(phrases.NEWS, 2)
        self._begin(f"{sender[0]}: {first}", "Reading")
        folder = "trash" if self.draw.chance(0.2) else "archive"
        self._receive(sender, f"In this issue: {first}. Also: {second}.", day, 6, folder=folder)

    def _committee(self, day: int) -> None:
        """The neighbours discuss something, all with all."""
        first, second, third = self.draw.sample(self.draw.people, 3)
        topic, own = self.draw.choice(phrases.TOPICS), COMMITTEE[1]
        self._begin(f"Vote on {topic}", "Committee")
        body = f"Who is for the plan about {topic}? It costs {as_money(self.draw.integer(4, 90) * 500, 'USD')} in all."
        self._receive(_of(first), body, day, 17, to=[own, second.email], cc=[third.email])
        answer = self.draw.choice(("Against.", "For it, if it is cheaper."))
        self._receive(_of(second), "I am for it.", day + 1, 8, to=[first.email, own], cc=[third.email])
        self._receive(_of(third), answer, day + 1, 11, to=[first.email, own], cc=[second.email])
        if self.draw.chance(0.6):
            cells: Row = {"kind": "sent", "folder": "sent", "to": [first.email], "cc": [second.email, third.email]}
            self._add(COMMITTEE, "The committee is for it.", day + 2, 9, **cells)

    def _trip(self, day: int) -> None:
        """A weekend is planned with somebody, and booked."""
        person, city, leaves = self.draw.person(), self.draw.choice(phrases.CITIES), self._day(day + 30)
        code = f"{self.draw.integer(0x100000, 0xFFFFFF):X}"
        self._begin(f"{city} in {leaves:%B}", "Trips")
        self._send([person.email], f"Shall we go to {city} from {leaves:%-d %B} for three nights?", day, 20)
        self._receive(_of(person), "Yes! I look for a room, you take care of the train.", day + 1, 9)
        body = f"Booked, code {code}, {as_money(self.draw.integer(14, 60) * 1000, 'USD')} for both. Half is yours."
        self._receive(_of(person), body, day + 2, 12, file=f"booking-{code}.pdf")

    def _spam(self, day: int) -> None:
        """Mostly in spam; now and then it is clever enough for the inbox."""
        if self.draw.chance(0.25):
            boss = self._who("boss", 1)[0]
            self._begin("Quick favour", "")
            sender = boss.name, boss.email.replace("@", "@mail.")
            self._receive(sender, self.draw.choice(phrases.HURRIED), day, 7, folder="inbox")
        else:
            name, address, subject, body = self.draw.choice(phrases.SPAM)
            self._begin(subject, "")
            self._receive((name, address), body, day, 3, folder="spam")

    def _own(self, subject: str, body: str, kind: str, folder: str, dated: str) -> None:
        """A mail of the owner that has not left."""
        self._begin(subject, "")
        own, to, thread_id = _of(self.draw.owner), [self.draw.person().email], self.threads[-1]["thread_id"]
        row = mail_row(self.draw, thread_id, own, to, subject, body, dated, kind=kind, folder=folder)
        self.mails.append(row)
