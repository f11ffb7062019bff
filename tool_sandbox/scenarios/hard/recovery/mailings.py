"""A mailing that broke off: who has got a mail, whose is waiting, who got a wrong one, and what it has to say."""

import datetime

import attrs

from tool_sandbox.answers.facts import Time
from tool_sandbox.apps.files.content import file_row
from tool_sandbox.apps.files.tables import FILES
from tool_sandbox.apps.mail.tables import MAILS, THREADS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.common import NOW, read_all
from tool_sandbox.scenarios.hard.recovery import stage
from tool_sandbox.scenarios.hard.recovery.stage import Row, Steps
from tool_sandbox.scenarios.matchers import Anything, OneOf, Says
from tool_sandbox.scenarios.vocabulary import Node, Task, added, answer, call, changed, in_any_order, loses_answer, say
from tool_sandbox.scenarios.world import Person, World
from tool_sandbox.world.errors import DrawError
from tool_sandbox.world.script import Solution, ToolCallFailed

# By place on the list: nothing (-), withdrawn (x), longer (l), changes places with the third behind (s), withdrawn and
# back (b), a question (q), somebody else's word (e), another instrument (i), another address (a).
SAID = "-lxsibqaeli-x-"
ON = ("old piano", "harp", "organ")
# What became of the first attempt: nothing (-), sent (s), draft (d), waits to be sent tomorrow (o); by the list as it
# was, or with a capital letter by what holds now.
SENT = "-sSdDoO-s-Sdo-"


@attrs.define
class Guest:
    """Somebody who is heard, on what and for how many seconds each piece takes, and when in minutes of the day."""

    person: Person
    on: str
    pieces: tuple[int, int]
    more: int = 0
    is_off: bool = False
    first: int = 0
    begins: int = 0
    last: int = 0
    how: str = "-"
    mail: Row | None = None
    moved: bool = False

    @property
    def name(self) -> str:
        """The full name."""
        return self.person.name

    @property
    def address(self) -> str:
        """Where mails to this one go by the list."""
        return f"{'.'.join(self.name.lower().split())}@example.org"

    @property
    def reached_at(self) -> str:
        """Where mails to this one really go."""
        return self.address.replace("@example.org", "@example.net") if self.moved else self.address

    @property
    def minutes(self) -> int:
        """How long it takes, with what comes beside the pieces."""
        return -(-sum(self.pieces) // 60) + 2 + self.more


def _times(guests: list[Guest]) -> list[int]:
    """When each begins who is heard, and when all is over, by the rules that the user tells."""
    begins, moment, heard, on = [], 600, 0, ""
    for each in guests:
        start = moment + 3 * (not each.is_off and bool(on) and each.on != on)
        start = 780 if start < 780 < 60 + start + each.minutes else start
        begins.append(start)
        if not each.is_off:
            heard, on = heard + 1, each.on
            moment = start + each.minutes + 10 * (heard % 4 == 0)
    return [*begins, moment - 10 * (heard % 4 == 0)]


def _guests(world: World) -> tuple[list[Guest], list[Guest], list[tuple[int, str]], str]:
    """The guests with all that holds now, the order that holds now, what was said about it, and the list as it was."""
    turn, later = world.integer(0, 0, 13), world.integer(3, 0, 13)
    guests = [Guest(world.new_person(), world.choice(*(ON[number % 3 :] + ON[: number % 3])),
                    (world.integer(223 + 17 * number, 200, 420), world.integer(407 - 13 * number, 200, 420)))
              for number in range(14)]  # fmt: skip
    order, said, lines = list(guests), [], ["place; name; address; instrument; pieces"]
    for each, begins in zip(guests, _times(guests), strict=False):
        each.first = begins
        pieces = " and ".join(f"{seconds // 60}:{seconds % 60:02d}" for seconds in each.pieces)
        lines.append(f"{len(lines)}; {each.name}; {each.address}; {each.on}; {pieces}")
    for number, guest in enumerate(guests):
        kind, other = SAID[(number + turn) % 14], guests[(number + 3) % 14]
        guest.how = SENT[(number + later) % 14]
        if kind in "xb":
            said.append((number, "I have caught a cold and can't take part. Please strike me off."))
            guest.is_off = kind == "x"
        if kind == "l":
            guest.more = 4
            said.append((number, "I play a third piece, so I need 4 minutes more in all than by the list."))
        if kind == "s":
            said.append((number, f"{other.name} and I change places on the list, the order of all others stays."))
            here, there = order.index(guest), order.index(other)
            order[here], order[there] = other, guest
        if kind == "q":
            said.append((number, "Would it be possible to be heard a little earlier? If not, never mind."))
        if kind == "e":
            said.append((number, f"{other.name} told somebody that 5 minutes less would do, I believe."))
        if kind == "i":
            guest.on = next(each for each in ON if each != guest.on)
            said.append((number, f"I am going to play on the {guest.on} now, with the same pieces."))
        if kind == "a":
            guest.moved, guest.how = True, "S"
            said.append(
                (number, f"My address on the list is out of date. From now on only {guest.reached_at} reaches me.")
            )
    said += [(number, "I am well again and will take part after all, at my place on the list and as long as planned.")
             for number in range(14) if SAID[(number + turn) % 14] == "b"]  # fmt: skip
    for each, begins in zip(order, _times(order), strict=False):
        each.begins = begins
    return guests, order, said, "\n".join(lines)


def _leaves(order: list[Guest]) -> tuple[Guest, list[Guest], int]:
    """Who withdraws in the end, whose time is another one then, and when all is over."""
    heard = [each for each in order if not each.is_off]
    for who in (heard[-4], heard[-5], heard[-3], heard[-6]):
        who.is_off = True
        *begins, over = _times(order)
        who.is_off = False
        moved = [(each, at) for each, at in zip(order, begins, strict=True)
                 if each is not who and not each.is_off and at != each.begins]  # fmt: skip
        if 2 <= len(moved) <= 4 and who.how not in "oO":
            for each, at in moved:
                each.last = at
            return who, [each for each, _ in moved], over
    raise DrawError("nobody can withdraw")


def _clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"


def _text(minute: int) -> str:
    return f"Your audition begins at {_clock(minute)}."


def _put_first_mails(world: World, what: str, guests: list[Guest]) -> None:
    """Mails of the first attempt; what waits leaves tomorrow at seven."""
    draw = world.draw("mail")
    me = draw.owner.name, draw.owner.email
    for number, guest in enumerate(guests):
        if guest.how == "-" or (guest.is_off and guest.how not in "sS"):
            guest.how = "-"
            continue
        kind, folder = ("draft", "drafts") if guest.how in "dD" else ("sent", "sent")
        text = _text(guest.begins if guest.how.isupper() and not guest.is_off else guest.first)
        row = stage.put_mail(
            world, me, f"{what}: your time", text, 300 - number, to=[guest.address], kind=kind, folder=folder
        )
        if guest.moved:
            gone = f"Your mail to {guest.address} could not be delivered, there is no such mailbox."
            stage.put_mail(world, ("Mail delivery", "postmaster@example.org"), "Undeliverable", gone, 299 - number)
        guest.mail = row | ({"dated_at": draw.moment(1, 7)} if guest.how in "oO" else {})
        row |= guest.mail


def _is_wrong(guest: Guest) -> bool:
    return guest.mail is not None and guest.mail["body"] != _text(guest.begins)


def _needs_mail(guest: Guest) -> bool:
    """Whether a new mail is due: nothing is there, or what has left was wrong."""
    return not guest.is_off and (guest.how == "-" or guest.moved or (guest.how in "sS" and _is_wrong(guest)))


def _mend(guests: list[Guest], what: str) -> Steps:
    """Sends what is missing, once for each, and corrects what has not left yet."""
    subject = f"{what}: your time"
    found: list[Row] = yield from read_all("search_mail", query=f'in:anywhere subject:"{subject}" from:me')
    for folder in ("sent", "outbox", "drafts"):
        yield call("search_mail", query=f'in:{folder} subject:"{subject}"')
    there = {row["mail_id"] for row in found}
    for guest in guests:
        mail_id = guest.mail["mail_id"] if guest.mail else ""
        if _needs_mail(guest):
            look = call("search_mail", query=f'in:anywhere to:{guest.reached_at} subject:"{subject}"')
            while True:
                try:
                    yield call("send_mail", to=[guest.reached_at], subject=subject, body=_text(guest.begins))
                except ToolCallFailed:
                    if (yield look)["total"] == (mail_id in there and not guest.moved):
                        continue
                break
        elif guest.how in "oO" and _is_wrong(guest):
            yield call("take_back_mail", mail_id=mail_id)
        if guest.how in "doDO" and _is_wrong(guest):
            yield call("modify_mail_draft", mail_id=mail_id, body=_text(guest.begins))
        if guest.how in "dD" or (guest.how in "oO" and _is_wrong(guest)):
            yield call("send_mail_draft", mail_id=mail_id)


def _new(guest: Guest, minute: int) -> tuple[Node, Node]:
    """That a guest gets a new mail with a time, and what may be there until it is sent."""
    body = Says([Time(datetime.time(minute // 60, minute % 60))])
    free = ("read", "from_name", "dated_at", "from_address", "subject", "thread_id", "answers_id")
    cells: Row = {"to": [guest.reached_at], "body": body} | dict.fromkeys(free, Anything())
    either: Row = {"kind": OneOf(["sent", "draft"]), "folder": OneOf(["sent", "drafts"])}
    return added(MAILS, kind="sent", folder="sent", **cells), added(MAILS, **cells | either)


def _node(guest: Guest) -> tuple[list[Node], list[Node]]:
    """What has to become of the mails of a guest, and what may be on the way to it."""
    if _needs_mail(guest):
        must, may = _new(guest, guest.begins)
        return [must], [may]
    if guest.mail is None or not (guest.how in "dD" or (guest.how in "oO" and _is_wrong(guest))):
        return [], []
    cells: Row = {"kind": "sent", "folder": "sent", "dated_at": Anything(), "subject": Anything()}
    body = Says([Time(datetime.time(guest.begins // 60, guest.begins % 60))])
    cells |= {"body": body} if _is_wrong(guest) else {}
    where = {"mail_id": guest.mail["mail_id"]}
    return [changed(MAILS, where, **cells)], [changed(MAILS, where, kind="draft", folder="drafts")]


def _second(guest: Guest) -> tuple[list[Node], list[Node]]:
    """What has to become of the mails of a guest whose time has changed once more."""
    must, may = _new(guest, guest.last)
    if guest.mail is None or guest.how not in "oO" or _is_wrong(guest):
        return [must], [may]
    cells: Row = {"kind": "draft", "folder": "drafts", "dated_at": Anything()}
    return [must, changed(MAILS, {"mail_id": guest.mail["mail_id"]}, **cells)], [may]


def _send(world: World, *, noted: bool, chatted: bool) -> Task:
    what = world.phrase("Spring auditions", "Junior auditions", "Opera auditions")
    guests, order, said, text = _guests(world)
    who, moved, over = _leaves(order)
    if noted:
        stage.put_page(world, f"{what}: list", text)
    else:
        draw = world.draw("files")
        world.put(FILES, file_row(draw, f"{what} list", "table", None, draw.moment(-9, 9), content=text))
    members = stage.put_chat(world, what, [each.person for each in guests]) if chatted else []
    for number, (each, words) in enumerate(said):
        if chatted:
            stage.put_post(world, members[each + 1], words, 290 - 9 * number)
        else:
            stage.put_mail(
                world, (guests[each].name, guests[each].reached_at), f"{what}: a request", words, 290 - 9 * number
            )
    _put_first_mails(world, what, guests)
    nodes = [_node(each) for each in guests] + [_second(each) for each in moved]
    heard = [each for each in guests if not each.is_off]

    def solution() -> Solution:
        if noted:
            [page] = (yield call("search_note_pages", words=f"{what}: list"))["results"]
            yield call("get_note_page", page_id=page["page_id"])
        else:
            [page] = (yield call("search_files", words=f"{what} list"))["results"]
            yield call("get_document", file_id=page["file_id"])
        if chatted:
            [found] = (yield call("search_group_chats", words=what))["results"]
            yield from read_all("search_group_posts", chat_id=found["chat_id"])
        else:
            yield from read_all("search_mail", query=f'in:inbox subject:"{what}: a request"')
        yield call("search_mail", query="in:inbox subject:Undeliverable")
        yield from _mend(guests, what)
        yield say(f"{len(heard)} people will be heard.")
        for each in moved:
            if each.mail and each.how in "oO" and not _is_wrong(each):
                yield call("take_back_mail", mail_id=each.mail["mail_id"])
            yield call("send_mail", to=[each.reached_at], subject=f"{what}: your new time", body=_text(each.last))
        yield say(f"The last one is over at {_clock(over)}.")

    return Task(
        user=(
            f'On the day of the "{what}" people are heard one after another in the order of my list, which is in my '
            f"{'notes' if noted else 'files'}. Each takes as long as the pieces together, rounded up to whole "
            "minutes, and 2 minutes more. The first begins at 10:00, each other when the one before is over, but 3 "
            "minutes after that if the one before plays on another instrument, and after every fourth one who is "
            "heard there are 10 minutes of rest (if both apply, both count). Nobody is heard between 12:00 and "
            "13:00: who would not be over by 12:00 begins at 13:00. In "
            f"{'our group chat' if chatted else 'my inbox'} some have said what is different for themselves; what "
            "they say firmly holds, a question or a rumour about others does not. Whoever has withdrawn is left "
            "out, and all behind move up. Everybody who is heard has to know their time by mail, subject "
            f'"{what}: your time", text "Your audition begins at 10:00." with the right time. I had begun with that '
            'before '
            "the changes, and then the line broke down: some mails have left, some wait to be sent tomorrow, some "
            "are drafts, and what came back as undeliverable has reached nobody. Please finish it. Who has got a "
            "right mail, or will get it by itself, gets no other. Who has got one with a wrong time gets a new "
            "one. What is a draft is used, and what waits with a wrong time is taken back, put right and sent now. "
            "Write nothing to those who are not heard. The line is still bad, and nobody is to get a mail twice.",
            f"{who.name} has just phoned me and can't come and needs no mail; all behind move up. Everybody whose time "
            f'is another one by that has to get one more mail now, subject "{what}: your new time", with the same text '
            "and the new time; if one to them still waits to be sent tomorrow, take that back and leave "
            "it as a draft. When is the last one over then?",
        ),
        tools=[*(("search_note_pages", "get_note_page") if noted else ("search_files", "get_document")),
               *(("search_group_chats", "search_group_posts", "get_group_post") if chatted else ()), *TOOLS],
        milestones=[
            *in_any_order(*(node for must, _ in nodes for node in must)),
            answer(Time(datetime.time(over // 60, over % 60))),
        ],
        allowed=[*(node for _, may in nodes for node in may), added(THREADS, 20, subject=Anything())],
        events=[loses_answer("send_mail", is_done=done, passes=number) for number, done in enumerate((True, False))],
        solution=solution,
    )  # fmt: skip


TOOLS = ("search_mail", "get_mail", "get_mail_thread", "send_mail", "send_mail_draft", "modify_mail_draft",
         "take_back_mail", "reply_to_mail", "move_mail", *NOW)  # fmt: skip


# One wrong minute spoils all times behind it; mails of four kinds that are right or wrong, and a lost answer.
@scenario(apps=("files", "groups", "mail"))
def finish_mailing_of_file_with_chat(world: World) -> Task:
    """Finish a mailing with the times that follow from a file and from what was said in a chat."""
    return _send(world, noted=False, chatted=True)


@scenario(apps=("notes", "groups", "mail"))
def finish_mailing_of_note_with_chat(world: World) -> Task:
    """Finish a mailing with the times that follow from a note and from what was said in a chat."""
    return _send(world, noted=True, chatted=True)


@scenario(apps=("files", "mail"))
def finish_mailing_of_file_with_mails(world: World) -> Task:
    """Finish a mailing with the times that follow from a file and from mails that came in."""
    return _send(world, noted=False, chatted=False)


@scenario(apps=("notes", "mail"))
def finish_mailing_of_note_with_mails(world: World) -> Task:
    """Finish a mailing with the times that follow from a note and from mails that came in."""
    return _send(world, noted=True, chatted=False)
