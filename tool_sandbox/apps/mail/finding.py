"""Which mails a query finds, and how they are shown in lists."""

import datetime
import json
from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from tool_sandbox.apps import Ordered, Read, current_device, newest_first, paged, seconds_of
from tool_sandbox.apps.mail.query import All, AnyOf, Node, Not, Term, size_of, terms
from tool_sandbox.apps.mail.tables import ATTACHMENTS, IDENTITIES, LABELS, MAILS
from tool_sandbox.world.table import Table

Places = Sequence[int]

ROW = 390
"""Characters of a mail in a list at most, so that a page of fifty stays short enough for a conversation."""

_COLUMNS = {
    "": ("from_name", "from_address", "to", "cc", "subject", "body"),
    "from": ("from_name", "from_address"),
    **{name: (name,) for name in ("to", "cc", "bcc", "subject")},
}
_STATES: dict[str, tuple[str, bool]] = {
    "read": ("read", True),
    "unread": ("read", False),
    "starred": ("starred", True),
    "unstarred": ("starred", False),
}


def _as_line(cell: str | tuple[str, ...]) -> str:
    """A text without difference of case and of spaces, so that phrases are found over the ends of lines."""
    return " ".join((cell if isinstance(cell, str) else "\n".join(cell)).casefold().split())


def found_places(query: Node, read: Read) -> Places:
    """Positions of the mails that a query finds; those in spam and trash only if it says where to look."""
    finder = Finder(read)
    places = range(len(finder.mails))
    if not any(term.operator == "in" for term in terms(query)):
        query = All((Not(AnyOf((Term("in", "spam"), Term("in", "trash")))), query))
    return finder.keep(query, places)


@attrs.define
class Finder:
    """Looks for mails in tables as they were at a moment.

    Attributes:
        read: Gives the tables.
        mails: Table of the mails.
    """

    read: Read
    mails: Table = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Takes the mails as they were."""
        self.mails = self.read(MAILS)

    def keep(self, node: Node, places: Places) -> Places:
        """Those of some positions that a query finds."""
        if isinstance(node, Term):
            return self._term(node.operator, node.value, places)
        if isinstance(node, Not):
            return self._of(places, self.keep(node.inner, places), inside=False)
        if isinstance(node, AnyOf):
            return self._of(places, (place for part in node.parts for place in self.keep(part, places)))
        for part in node.parts:
            places = self.keep(part, places)
        return places

    def _term(self, operator: str, value: str, places: Places) -> Places:
        if operator in _COLUMNS:
            return self._with_words(operator, value, places)
        if operator in ("before", "after"):
            return self._on_days(operator, value, places)
        if operator == "in":
            return self._in(value, places)
        if operator == "is" and value in _STATES:
            column, wanted = _STATES[value]
            return self._of(places, self.mails.groups(column).get(wanted, ()))
        if operator == "is":
            return self._of(places, map(self.mails.keys.__getitem__, self._answered()), inside=value == "answered")
        if operator == "label":
            return self._of(places, self.mails.groups("label_ids").get(self._label_id(value), ()))
        return self._with_attachments(operator, value, places)

    def _of(self, places: Places, found: Iterable[int], *, inside: bool = True) -> Places:
        also = {*found}
        return [place for place in places if (place in also) == inside]

    def _with_words(self, operator: str, value: str, places: Places) -> Places:
        texts = [self.mails.derived(self.mails.schema.reader(_as_line, column)) for column in _COLUMNS[operator]]
        wanted = (value,)
        if value == "me" and operator:
            wanted = tuple(each.casefold() for each in self.read(IDENTITIES).column("address")) or wanted
        return [place for place in places if any(each in text[place] for each in wanted for text in texts)]

    def _on_days(self, operator: str, value: str, places: Places) -> Places:
        """Before a day, or from it on, in the zone of the device."""
        day = datetime.date.fromisoformat(value)
        zone = current_device().timezone
        begins = datetime.datetime(day.year, day.month, day.day, tzinfo=zone).timestamp()
        moments = self.mails.derived(self.mails.schema.reader(seconds_of, "dated_at"))
        return [place for place in places if (moments[place] < begins) == (operator == "before")]

    def _in(self, value: str, places: Places) -> Places:
        if value == "anywhere":
            return places
        found = self._of(places, self.mails.groups("folder").get("sent" if value == "outbox" else value, ()))
        if value not in ("sent", "outbox"):
            return found
        moments, now = self.mails.derived(self.mails.schema.reader(seconds_of, "dated_at")), current_device().now()
        return [place for place in found if (moments[place] > now) == (value == "outbox")]

    def _answered(self) -> list[str]:
        sent = self.mails.groups("kind").get("sent", ())
        position = self.mails.schema.positions["answers_id"]
        return [answers for place in sent if (answers := self.mails.rows[place][position]) in self.mails.keys]

    def _label_id(self, name: str) -> str:
        labels = self.read(LABELS)
        for place, folded in enumerate(labels.folded("name")):
            if folded == name:
                return str(labels.column("label_id")[place])
        raise ValueError(f"query: there is no label {name[:40]!r}; search_mail_labels lists them")

    def _with_attachments(self, operator: str, value: str, places: Places) -> Places:
        attached = self.read(ATTACHMENTS)
        rows: Iterable[tuple[int, tuple[Any, ...]]] = enumerate(attached.rows)
        mail, size = (attached.schema.positions[name] for name in ("mail_id", "size_bytes"))
        if operator == "filename":
            rows = ((place, row) for place, row in rows if value in attached.folded("file_name")[place])
        elif operator in ("larger", "smaller"):
            totals = dict[str, int]()
            for _, row in rows:
                totals[row[mail]] = totals.get(row[mail], 0) + row[size]
            keys, bound = self.mails.column("mail_id"), size_of(value)
            return [p for p in places if (totals.get(keys[p], 0) > bound) == (operator == "larger")]
        return self._of(places, (self.mails.keys[row[mail]] for _, row in rows if row[mail] in self.mails.keys))


# Lists ----------------------------------------------------------------------------------------


def paged_mails(query: Node, limit: int, cursor: str | None) -> dict[str, Any]:
    """A page of the mails that a query finds, the newest first."""

    def find(read: Read) -> Ordered:
        return newest_first(read(MAILS), found_places(query, read), "dated_at")

    return paged(query, find, limit, cursor, listed)


def is_waiting(mail: dict[str, Any]) -> bool:
    """Whether a mail was sent but has not left yet."""
    return mail["kind"] == "sent" and seconds_of(mail["dated_at"]) > current_device().now()


def state_of(mail: dict[str, Any]) -> str:
    """``received``, ``draft``, ``waiting`` (it can still be taken back) or ``sent``."""
    return "waiting" if is_waiting(mail) else str(mail["kind"])


def sender_of(mail: dict[str, Any]) -> str:
    """Name and address from which a mail comes."""
    return f"{mail['from_name']} <{mail['from_address']}>"


def cut(text: str, longest: int) -> str:
    """A text in one line, shortened where it must be."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: max(longest - 3, 0)]}..."


def listed(place: int, read: Read) -> dict[str, Any]:
    """What a list shows of a mail."""
    mails, labels = read(MAILS), read(LABELS)
    mail = mails.schema.as_dict(mails.rows[place])
    names = [row["name"] for each in mail["label_ids"] if (row := labels.get(each))]
    shown = {
        "mail_id": mail["mail_id"],
        "thread_id": mail["thread_id"],
        "folder": mail["folder"],
        "from": cut(sender_of(mail), 60),
        "subject": cut(mail["subject"], 60),
        "dated_at": mail["dated_at"],
        "read": mail["read"],
        "starred": mail["starred"],
        "labels": names,
        "attachments": len(read(ATTACHMENTS).groups("mail_id").get(mail["mail_id"], ())),
    }
    room = ROW - len(json.dumps(shown, ensure_ascii=False)) - len(', "excerpt": ""')
    return shown | {"subject": cut(shown["subject"], max(20, 60 + min(room, 0))), "excerpt": cut(mail["body"], room)}
