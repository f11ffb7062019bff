"""What is in the files when a world begins: work, house, taxes and photos, and what others share."""

import datetime
from collections.abc import Sequence
from typing import Any

import attrs

from tool_sandbox.apps import Draw, Person, Size, as_money
from tool_sandbox.apps.files.phrases import COSTS, PAPERS, POLICIES, ROLES, SHARED
from tool_sandbox.apps.files.tables import ACCOUNTS, FILES, SHARES, VERSIONS
from tool_sandbox.apps.notes.phrases import AGENDA, CITIES, OUTCOMES, PROJECTS

Row = dict[str, Any]

COUNTS: dict[Size, tuple[int, int, int, int]] = {
    "small": (1, 2, 3, 2),
    "medium": (4, 5, 14, 10),
    "large": (40, 14, 60, 200),
}
"""Projects, meetings of each, months of rent, and photos of each size."""


def content(draw: Draw, size: Size) -> dict[str, list[Row]]:
    """Draws the rows of all tables."""
    projects, meetings, months, photos = COUNTS[size]
    made = _Content(draw)
    work, house = made.folder("Work", None), made.folder("House", None)
    made.share(house, known(draw, 1, "partner")[0], "editor")
    for number in range(projects):
        made.project(work, number, meetings)
    made.rent(house, months)
    made.taxes(years=1 if size == "small" else 3)
    made.photos(photos)
    for owner, name, role, texts in SHARED:
        made.shared(known(draw, 1, owner)[0], name, role, texts)
    made.trash()
    used = sum(row["size"] for row in made.files if row["owner"] == "me")
    account = {"account_id": draw.key("account"), "email": draw.owner.email, "quota": used * 9 // 8 // 1000 * 1000}
    return {
        ACCOUNTS.name: [account],
        FILES.name: made.files,
        VERSIONS.name: made.versions,
        SHARES.name: made.shares,
    }


def known(draw: Draw, count: int, *relationships: str) -> list[Person]:
    """People with one of these relationships to the owner; all, where there are not so many."""
    found = [person for person in draw.people if person.relationship in relationships]
    return found if len(found) >= count else list(draw.people)


# Rows, for the content here and for scenarios that need certain ones ------------------------------------------


def file_row(draw: Draw, name: str, kind: str, folder_id: str | None, saved: str, **cells: Any) -> Row:
    """A folder, or a document that was written at a moment; texts and tables need ``content``, the others a size."""
    row: Row = {"file_id": draw.key("file"), "name": name, "kind": kind, "folder_id": folder_id, "owner": "me"}
    row |= {"confidential": False, "content": None, "size": len((cells.get("content") or "").encode())}
    row |= {"version": 1, "comment": None, "created_at": saved, "changed_at": saved, "changed_by": "me"}
    return row | {"trashed_at": None} | cells


def with_edit(draw: Draw, document: Row, text: str, saved: str, by: str = "me", comment: str | None = None) -> Row:
    """Puts another text into a document, and returns the row of the version before."""
    earlier = {name: document[name] for name in ("file_id", "version", "content", "size", "comment")}
    earlier |= {"version_id": draw.key("version"), "saved_at": document["changed_at"]}
    earlier |= {"saved_by": document["changed_by"]}
    document |= {"content": text, "size": len(text.encode()), "version": document["version"] + 1, "comment": comment}
    document |= {"changed_at": saved, "changed_by": by}
    return earlier


def share_row(draw: Draw, thing: Row, person: str, role: str, since: str, until: str | None = None) -> Row:
    """A right to a document or a folder."""
    row = {"share_id": draw.key("share"), "file_id": thing["file_id"], "person": person, "role": role}
    return row | {"passcode": None, "shared_at": since, "expires_at": until}


# Content ------------------------------------------------------------------------------------------------------


@attrs.define
class _Content:
    """Rows as they are made."""

    draw: Draw
    files: list[Row] = attrs.field(factory=list)
    versions: list[Row] = attrs.field(factory=list)
    shares: list[Row] = attrs.field(factory=list)

    def put(self, name: str, kind: str, folder: Row | None, days: int, **cells: Any) -> Row:
        saved = self.draw.moment(min(days, -1), self.draw.integer(8, 19), self.draw.integer(0, 59))
        self.files.append(file_row(self.draw, name, kind, folder["file_id"] if folder else None, saved, **cells))
        return self.files[-1]

    def folder(self, name: str, parent: Row | None, days: int = -1500, **cells: Any) -> Row:
        return self.put(name, "folder", parent, days, **cells)

    def write(self, name: str, folder: Row, days: int, lines: Sequence[str], **cells: Any) -> Row:
        return self.put(name, cells.pop("kind", "text"), folder, days, content="\n".join(lines), **cells)

    def share(self, thing: Row, person: Person | str, role: str, *, days: int = -90, end: int | None = None) -> None:
        since = self.draw.moment(days, 12, self.draw.integer(0, 59))
        until = None if end is None else self.draw.moment(end, 18)
        email = person if isinstance(person, str) else person.email
        if not any(row["file_id"] == thing["file_id"] and row["person"] == email for row in self.shares):
            self.shares.append(share_row(self.draw, thing, email, role, since, until))

    def project(self, work: Row, number: int, meetings: int) -> None:
        """A project: its team, the minutes of its weekly meetings, and a budget that was revised."""
        begun = -21 - 35 * number - 7 * meetings
        subject = PROJECTS[number % len(PROJECTS)].removeprefix("the ")
        year = (self.draw.today + datetime.timedelta(days=begun)).year
        folder = self.folder(f"{subject.capitalize()} {year}", work, begun)
        if any(row["name"] == folder["name"] for row in self.files[:-1]):
            folder["name"] += f", part {number // len(PROJECTS) + 1}"
        team = self.draw.sample(known(self.draw, 4, "coworker", "boss"), 4)
        for person, role in zip(team, ("editor", "editor", "viewer"), strict=False):
            self.share(folder, person, role, days=begun)
        self.share(folder, self.draw.people[-1], "viewer", days=begun, end=begun + 60)
        tasks = zip(team, self.draw.sample(ROLES, len(team)), strict=True)
        self.write("Team", folder, begun, [f"- {p.name} <{p.email}>: {role}" for p, role in tasks])
        self._minutes(self.folder("Minutes", folder, begun), subject, team, begun, meetings)
        self._budget(folder, subject, team, begun)

    def _minutes(self, folder: Row, subject: str, team: list[Person], begun: int, meetings: int) -> None:
        # Every week on the same weekday, but for one that had to be moved.
        moved = self.draw.integer(0, meetings - 1)
        for week in range(meetings):
            days = begun + 7 * week + (2 if week == moved else 0)
            there = self.draw.sample(team, max(2, len(team) - self.draw.integer(0, 1)))
            lines = [f"Weekly meeting on the {subject}{', two days late this time' if week == moved else ''}."]
            lines.append(f"Present: {', '.join(person.name for person in there)}")
            lines += [f"- {point}: {self.draw.choice(OUTCOMES)}" for point in self.draw.sample(AGENDA, 3)]
            lines.append(f"Minutes taken by {there[0].first_name}")
            minutes = self.write(f"Minutes {self.draw.date(days)}", folder, days, lines, changed_by=there[0].email)
            if week % 3 == 0:
                # What somebody else remembered otherwise.
                lines[-2], by = f"{lines[-2].partition(':')[0]}: {self.draw.choice(OUTCOMES)}", there[1].email
                saved = self.draw.moment(days + 1, self.draw.integer(9, 17), self.draw.integer(0, 59))
                self.versions.append(with_edit(self.draw, minutes, "\n".join(lines), saved, by, "one point corrected"))

    def _budget(self, folder: Row, subject: str, team: list[Person], begun: int) -> None:
        """A table whose total adds up in every version, and a draft of nearly the same name that was left behind."""
        items = {name: self.draw.integer(4, 90) * 2500 for name in self.draw.sample(COSTS, 5)}
        self.write(f"Budget {subject} (draft)", folder, begun + 1, _table(items), kind="table")
        budget = self.write(f"Budget {subject}", folder, begun + 2, _table(items), kind="table")
        for step in range(self.draw.integer(1, 4)):
            name, by = self.draw.choice(sorted(items)), self.draw.choice(team)
            items[name] += self.draw.choice((-5000, 5000, 7500, 12_000))
            saved = self.draw.moment(begun + 4 + 3 * step, self.draw.integer(9, 17), self.draw.integer(0, 59))
            text = "\n".join(_table(items))
            self.versions.append(with_edit(self.draw, budget, text, saved, by.email, f"{name} corrected"))

    def rent(self, house: Row, months: int) -> None:
        """A receipt for each month of the same amount, but for one; the amount changed a year ago."""
        landlord = known(self.draw, 1, "landlord")[0]
        folder = self.folder("Rent receipts", house)
        self.share(folder, landlord, "viewer")
        base, odd = self.draw.integer(36, 60) * 2500, self.draw.integer(0, months - 1)
        for back in range(months):
            year, month = divmod(self.draw.today.year * 12 + self.draw.today.month - 1 - back, 12)
            first = datetime.date(year, month + 1, 1)
            amount = base - (7500 if back >= 12 else 0) - (15_000 if back == odd else 0)
            lines = [f"Rent {first:%B %Y}", f"Paid to {landlord.name}: {as_money(amount, 'USD')}"]
            if back == odd:
                lines.append("Less because the heating did not work for ten days.")
            self.write(f"Rent {first:%Y-%m}", folder, (first - self.draw.today).days, lines)

    def taxes(self, years: int) -> None:
        """Papers for the tax return of each year, for the user alone."""
        taxes = self.folder("Taxes", None, confidential=True)
        latest = (self.draw.today - datetime.timedelta(days=21)).year
        for year in range(latest - years, latest):
            days = (datetime.date(year + 1, 1, 20) - self.draw.today).days
            folder = self.folder(str(year), taxes, days)
            for name in PAPERS:
                self.put(f"{name} {year}", "scan", folder, days, size=self.draw.integer(200, 900) * 1000)
            given = {f"Donation {n}": self.draw.integer(2, 20) * 500 for n in ("library", "animal shelter", "choir")}
            self.write(f"Donations {year}", folder, days, _table(given), kind="table")

    def photos(self, count: int) -> None:
        """Photos and a few large videos, in a folder for each trip."""
        photos = folder = self.folder("Photos", None)
        days = -20
        for number in range(count):
            if number % 10 == 0:
                days -= 40
                day = self.draw.today + datetime.timedelta(days=days)
                folder = self.folder(f"{self.draw.choice(CITIES)} {day:%Y-%m-%d}", photos, days)
            kind, size = ("video", 90) if number % 10 == 1 else ("photo", 3)
            size = self.draw.integer(size, size * 4) * 1_000_000 + self.draw.integer(0, 999)
            self.put(f"{kind.capitalize()} {number + 1:04d}", kind, folder, days + number % 3, size=size)

    def shared(self, owner: Person, name: str, role: str, texts: Sequence[tuple[str, str]]) -> None:
        """A folder of somebody else; what is newer in it replaces what is older."""
        folder = self.folder(name, None, -400, owner=owner.email)
        for person, allowed in (("me", role), (self.draw.people[0], "editor"), (self.draw.people[-1], "viewer")):
            self.share(folder, person, allowed, days=-400)
        for number, (title, text) in enumerate(texts):
            days = -390 + 120 * number
            first = f"{text.partition('. ')[0]}."
            document = self.write(title, folder, days, [first], owner=owner.email, changed_by=owner.email)
            self.versions.append(with_edit(self.draw, document, text, self.draw.moment(days + 30, 17), owner.email))
        if role == "editor":
            for title, older, newer in POLICIES:
                days = -self.draw.integer(20, 300)
                cells = {"owner": owner.email, "changed_by": owner.email}
                self.write(f"{title} {(self.draw.today.year - 1)}", folder, days - 365, [older], **cells)
                self.write(title, folder, days, [newer], **cells)

    def trash(self) -> None:
        """Some drafts that were put there, the last of them so long ago that it is gone."""
        for days, name in (
            (-2, "Shopping"),
            (-9, "Letter to the insurance (old)"),
            (-23, "Guest list 2"),
            (-41, "Old address list"),
        ):
            cells = {"trashed_at": self.draw.moment(days, 20, 5)}
            self.write(name, self.files[0], days - 30, [f"{name}: not needed any more."], **cells)


def _table(items: dict[str, int]) -> list[str]:
    """Lines with what things cost, and the total."""
    rows = [f"{name};{as_money(amount, 'USD')}" for name, amount in items.items()]
    return ["Item;Amount", *rows, f"Total;{as_money(sum(items.values()), 'USD')}"]
