"""Where files are, who may do what with them, and what is in the trash: all of it computed when it is asked."""

import operator
import re
from typing import Any, Literal

import attrs

from tool_sandbox.apps import (
    Read,
    as_moment,
    checked_moment,
    checked_text,
    now,
    rows_of,
    rows_with,
    seconds_of,
    unknown,
)
from tool_sandbox.apps.files.tables import ACCOUNTS, DEEPEST, FILES, SHARES, place_of

Row = dict[str, Any]
Role = Literal["viewer", "editor", "manager"]

ME, ANYONE = "me", "anyone"
RANK = {"": 0, "viewer": 1, "editor": 2, "manager": 3, "owner": 4}
DAY = 86_400
TRASH_DAYS = 30
LONGEST_NAME = 100
LONGEST_PATH = 140
DEFAULT_QUOTA = 5_000_000_000

_ADDRESS = re.compile(r"[^@\s]{1,30}@[^@\s]{1,25}\.[^@\s]{2,10}")


def is_over(moment: str | None) -> bool:
    """Whether a time has come."""
    return moment is not None and seconds_of(moment) <= seconds_of(now())


@attrs.define
class Files:
    """All files as they are, or as they were when the first page of a search was taken."""

    read: Read = rows_of
    _lines: dict[str | None, list[Row]] = attrs.field(factory=lambda: {None: []})
    _trashed: dict[str | None, str | None] = attrs.field(factory=lambda: {None: None})

    def line(self, row: Row) -> list[Row]:
        """A document or folder, then the folders above it from the inside out."""
        parent = row["folder_id"]
        if parent not in self._lines:
            folder = self.read(FILES).get(parent)
            self._lines[parent] = [] if folder is None else self.line(folder)
        return [row, *self._lines[parent]]

    def path(self, row: Row) -> str:
        """Names of the folders above and of the thing itself, of a long one the end."""
        path = " / ".join(each["name"] for each in reversed(self.line(row)))
        return path if len(path) <= LONGEST_PATH else f"...{path[-LONGEST_PATH:]}"

    def rights(self, row: Row) -> list[tuple[str, str, Row, Row | None]]:
        """Who has which role because of which document or folder and which share, in force now, the nearest first."""
        found: list[tuple[str, str, Row, Row | None]] = []
        for each in self.line(row):
            found.append((each["owner"], "owner" if each is row else "manager", each, None))
            shares = self.read(SHARES).with_cell("file_id", each["file_id"])
            found += [(s["person"], s["role"], each, s) for s in shares if not is_over(s["expires_at"])]
        # Links do not open what has become confidential.
        return [right for right in found if right[0] != ANYONE] if self.is_confidential(row) else found

    def role(self, row: Row, person: str = ME) -> str:
        """The strongest role of a person, empty for none."""
        if row["owner"] == person:
            return "owner"
        return max((role for who, role, *_ in self.rights(row) if who == person), key=RANK.__getitem__, default="")

    def readers(self, row: Row) -> set[str]:
        """Everybody who may read it, but for the user."""
        return {who for who, *_ in self.rights(row)} - {ME}

    def trashed_at(self, row: Row) -> str | None:
        """When it, or a folder above it, was put into the trash."""
        own, parent = row["trashed_at"], row["folder_id"]
        if parent not in self._trashed:
            folder = self.read(FILES).get(parent)
            self._trashed[parent] = None if folder is None else self.trashed_at(folder)
        above: str | None = self._trashed[parent]
        return min(own, above, key=seconds_of) if own and above else own or above

    def is_gone(self, row: Row) -> bool:
        """Whether it has been in the trash for too long."""
        since = self.trashed_at(row)
        return since is not None and is_over(trash_ends(since))

    def is_live(self, row: Row) -> bool:
        """Whether the user can see it outside the trash."""
        return self.trashed_at(row) is None and (row["owner"] == ME or self.role(row) != "")

    def is_in_trash(self, row: Row) -> bool:
        """Whether the user has put it there, by itself and not for too long."""
        return row["trashed_at"] is not None and row["owner"] == ME and not self.is_gone(row)

    def is_confidential(self, row: Row) -> bool:
        """Whether it, or a folder above it, is confidential."""
        return any(each["confidential"] for each in self.line(row))

    def inside(self, row: Row) -> list[Row]:
        """All that is in a folder, at any depth, in the trash or not; folders before what is in them."""
        return [
            found
            for each in self.read(FILES).with_cell("folder_id", row["file_id"])
            for found in (each, *self.inside(each))
        ]

    def size(self, row: Row) -> int:
        """Bytes of a document, or of all documents in a folder outside the trash."""
        if row["kind"] != "folder":
            return int(row["size"])
        return sum(each["size"] for each in self.inside(row) if self.trashed_at(each) in (None, self.trashed_at(row)))


def trash_ends(since: str) -> str:
    """When something that was put into the trash is deleted."""
    return as_moment(seconds_of(since) + TRASH_DAYS * DAY)


# Things by their identifiers ------------------------------------------------------------------


def find(file_id: str, least: str = "viewer", *, in_trash: bool = False) -> Row:
    """A document or folder for which the user has a role."""
    row, files = rows_of(FILES).get(file_id), Files()
    if row is None or files.is_gone(row) or not (role := files.role(row)):
        raise unknown(FILES, file_id)
    if not in_trash and files.trashed_at(row) is not None:
        raise ValueError(f"{row['name']!r} is in the trash; restore_file brings back what was put there")
    if RANK[role] < RANK[least]:
        raise PermissionError(
            f"your role for {row['name']!r} is {role}, this takes the role {least}; only its owner {row['owner']} "
            "can change that"
        )
    return row


def find_folder(folder_id: str | None) -> None:
    """Checks that something can be put into a folder; None is the top level."""
    if folder_id is None:
        return
    folder = find(folder_id, "editor")
    if folder["kind"] != "folder":
        raise ValueError(f"folder_id {folder_id!r} is the document {folder['name']!r}, no folder")
    if len(Files().line(folder)) > DEEPEST:
        raise ValueError(f"folders stand in one another at most {DEEPEST} deep")


# What callers give ----------------------------------------------------------------------------


def check_name(row: Row) -> None:
    """Refuses a name that is no good, or that something else has in the same place."""
    checked_text(row["name"], "name", LONGEST_NAME)
    for other in rows_with(FILES, "folder_id", row["folder_id"]):
        is_there = other["trashed_at"] is None and other["file_id"] != row["file_id"]
        if is_there and place_of(other) == place_of(row) and other["name"].casefold() == row["name"].casefold():
            raise ValueError(f"{other['name']!r} is in that place already ({other['file_id']}); choose another name")


def checked_person(person: str) -> str:
    """The e-mail address of somebody else."""
    address = person.strip().lower()
    if not _ADDRESS.fullmatch(address):
        raise ValueError(f"person must be an e-mail address, got {person[:40]!r}")
    if any(address == account["email"] for account in rows_of(ACCOUNTS)):
        raise ValueError("person must be somebody else, this is your own address")
    return address


def checked_end(expires_at: str | None, *, longest: int | None, why: str = "") -> str | None:
    """A time at which a right ends, within so many days where that is wanted."""
    end = checked_moment(expires_at, "expires_at")
    if end is not None and is_over(end):
        raise ValueError(f"expires_at must be in the future, got {expires_at!r}")
    if longest is not None and seconds_of(end) > seconds_of(now()) + longest * DAY:
        raise ValueError(f"{why}: give expires_at, at most {longest} days from now")
    return end


# Quota ----------------------------------------------------------------------------------------


_SPACE = ("folder_id", "trashed_at", "size")
_space = operator.itemgetter(*map(FILES.positions.__getitem__, _SPACE))


def used_bytes(files: Files) -> tuple[int, int]:
    """Bytes of the user's own documents: outside the trash, and in it."""
    used = {False: 0, True: 0}
    table = files.read(FILES)
    for place in table.groups("owner").get(ME, ()):
        row = dict(zip(_SPACE, _space(table.rows[place]), strict=True))
        if not files.is_gone(row):
            used[files.trashed_at(row) is not None] += row["size"]
    return used[False], used[True]


def quota() -> int:
    """Bytes that the user's documents may have."""
    return int(next((account["quota"] for account in rows_of(ACCOUNTS)), DEFAULT_QUOTA))


def need_space(row: Row, size: int) -> None:
    """Refuses so many further bytes where they do not fit; for what is not the user's own, others pay."""
    left = quota() - sum(used_bytes(Files()))
    if row["owner"] == ME and size > left:
        raise ValueError(
            f"storage is full: {size} bytes are needed, {max(left, 0)} are left; "
            "put what is not needed into the trash (trash_file) and empty it (empty_file_trash)"
        )
