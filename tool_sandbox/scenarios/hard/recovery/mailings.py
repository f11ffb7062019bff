"""A mailing that broke off: who has got a mail, whose is waiting, who got a wrong one, and what it has to say."""

import datetime

import attrs

from tool_sandbox.answers.facts import Time
from tool_sandbox.apps.files.content import file_row
from tool_sandbox.apps.files.tables import FILES
from tool_sandbox.apps.mail.tables import MAILS, THREADS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.recovery import stage
from tool_sandbox.scenarios.hard.recovery.stage import Row, Steps, everything
from tool_sandbox.scenarios.matchers import Anything, OneOf, Says
from tool_sandbox.scenarios.vocabulary import Node, Task, added, call, changed, in_any_order, loses_answer, say
from tool_sandbox.scenarios.world import Person, World
from tool_sandbox.world.script import Solution, ToolCallFailed

# By place on the list: nothing (-), withdrawn (x), 5 minutes longer (l), changes places with the third behind (s),
# withdrawn and back (b), a question (q), somebody else's word (e).
SAID = "-lxs-bq-el-x--"
# What became of the first attempt: nothing (-), sent (s), draft (d), waits to be sent tomorrow (o); by the list as it
# was, or with a capital letter by what holds now.
SENT = "-sSdDoO-s-Sdo-"


@attrs.define
class Guest:
    """Somebody who is heard: when by the list, and when in the end, in minutes of the day, unless withdrawn."""

    person: Person
    minutes: int
    is_off: bool = False
    first: int = 0
    begins: int = 0
    how: str = "-"
    mail: Row | None = None

    @property
    def name(self) -> str:
        """The full name."""
        return self.person.name

    @property
    def address(self) -> str:
        """Where mails to this one go."""
        return f"{'.'.join(self.name.lower().split())}@example.org"


def _times(guests: list[Guest]) -> list[int]:
    """When each begins who is heard: one after another from 9:00, with ten minutes of rest after every fourth."""
    begins, moment = [], 540
    heard = 0
    for each in guests:
        begins.append(moment)
        if not each.is_off:
            heard += 1
            moment += each.minutes + 10 * (heard % 4 == 0)
    return begins


def _guests(world: World) -> tuple[list[Guest], list[tuple[int, str]]]:
    """The list as it was, with all that holds now, and what was said about it."""
    turn, later = world.integer(0, 0, 13), world.integer(0, 0, 13)
    guests = [Guest(world.new_person(), world.integer(8 + number % 5, 6, 19)) for number in range(14)]
    order, said = list(guests), []
    for each, begins in zip(guests, _times(guests), strict=True):
        each.first = begins
    for number, guest in enumerate(guests):
        kind, other = SAID[(number + turn) % 14], guests[(number + 3) % 14]
        if kind in "xb":
            said.append((number, "I have caught a cold and can't take part. Please strike me off."))
            guest.is_off = kind == "x"
        if kind == "l":
            guest.minutes += 5
            said.append((number, "My piece is longer than I thought, I need 5 minutes more than it says on the list."))
        if kind == "s":
            said.append((number, f"{other.name} and I change places on the list, the order of all others stays."))
            here, there = order.index(guest), order.index(other)
            order[here], order[there] = other, guest
        if kind == "q":
            said.append((number, "Would it be possible to be heard a little earlier? If not, never mind."))
        if kind == "e":
            said.append((number, f"{other.name} told somebody that 5 minutes less would do, I believe."))
    said += [(number, "I am well again and will take part after all, at my place on the list and as long as planned.")
             for number in range(14) if SAID[(number + turn) % 14] == "b"]  # fmt: skip
    for each, begins in zip(order, _times(order), strict=True):
        each.begins = begins
        each.how = SENT[(guests.index(each) + later) % 14]
    return guests, said


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
        guest.mail = row | ({"dated_at": draw.moment(1, 7)} if guest.how in "oO" else {})
        row |= guest.mail


def _is_wrong(guest: Guest) -> bool:
    return guest.mail is not None and guest.mail["body"] != _text(guest.begins)


def _needs_mail(guest: Guest) -> bool:
    """Whether a new mail is due: nothing is there, or what has left was wrong."""
    return not guest.is_off and (guest.how == "-" or (guest.how in "sS" and _is_wrong(guest)))


def _mend(guests: list[Guest], what: str) -> Steps:
    """Sends what is missing, once for each, and corrects what has not left yet."""
    subject = f"{what}: your time"
    found: list[Row] = yield from everything("search_mail", query=f'in:anywhere subject:"{subject}" from:me')
    for folder in ("sent", "outbox", "drafts"):
        yield call("search_mail", query=f'in:{folder} subject:"{subject}"')
    there = {row["mail_id"] for row in found}
    for guest in guests:
        mail_id = guest.mail["mail_id"] if guest.mail else ""
        if _needs_mail(guest):
            look = call("search_mail", query=f'in:anywhere to:{guest.address} subject:"{subject}"')
            while True:
                try:
                    yield call("send_mail", to=[guest.address], subject=subject, body=_text(guest.begins))
                except ToolCallFailed:
                    if (yield look)["total"] == (mail_id in there):
                        continue
                break
        elif guest.how in "oO" and _is_wrong(guest):
            yield call("take_back_mail", mail_id=mail_id)
        if guest.how in "doDO" and _is_wrong(guest):
            yield call("modify_mail_draft", mail_id=mail_id, body=_text(guest.begins))
        if guest.how in "dD" or (guest.how in "oO" and _is_wrong(guest)):
            yield call("send_mail_draft", mail_id=mail_id)


def _node(guest: Guest) -> tuple[list[Node], list[Node]]:
    """What has to become of the mails of a guest, and what may be on the way to it."""
    body = Says([Time(datetime.time(guest.begins // 60, guest.begins % 60))])
    if _needs_mail(guest):
        cells: Row = {
            "to": [guest.address],
            "body": body,
            "read": Anything(),
            "from_name": Anything(),
            "dated_at": Anything(),
        }
        cells |= {"from_address": Anything(), "subject": Anything(), "thread_id": Anything(), "answers_id": Anything()}
        either: Row = {"kind": OneOf(["sent", "draft"]), "folder": OneOf(["sent", "drafts"])}
        return [added(MAILS, kind="sent", folder="sent", **cells)], [added(MAILS, **cells | either)]
    if guest.mail is None or not (guest.how in "dD" or (guest.how in "oO" and _is_wrong(guest))):
        return [], []
    cells = {"kind": "sent", "folder": "sent", "dated_at": Anything(), "subject": Anything()}
    cells |= {"body": body} if _is_wrong(guest) else {}
    where = {"mail_id": guest.mail["mail_id"]}
    return [changed(MAILS, where, **cells)], [changed(MAILS, where, kind="draft", folder="drafts")]


def _send(world: World, *, noted: bool, chatted: bool) -> Task:
    what = world.phrase("Spring auditions", "Junior auditions", "Opera auditions")
    guests, said = _guests(world)
    longer = [number for number, text in said if "5 minutes more" in text]
    lines = [f"{number + 1}; {each.name}; {each.address}; {each.minutes - 5 * (number in longer)} minutes"
             for number, each in enumerate(guests)]  # fmt: skip
    text = "\n".join(["place; name; address; length", *lines])
    if noted:
        stage.put_page(world, f"{what}: list", text)
    else:
        draw = world.draw("files")
        world.put(FILES, file_row(draw, f"{what} list", "table", None, draw.moment(-9, 9), content=text))
    members = stage.put_chat(world, what, [each.person for each in guests]) if chatted else []
    for number, (who, words) in enumerate(said):
        if chatted:
            stage.put_post(world, members[who + 1], words, 290 - 9 * number)
        else:
            stage.put_mail(
                world, (guests[who].name, guests[who].address), f"{what}: a request", words, 290 - 9 * number
            )
    _put_first_mails(world, what, guests)
    nodes = [_node(each) for each in guests]
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
            yield from everything("search_group_posts", chat_id=found["chat_id"])
        else:
            yield from everything("search_mail", query=f'in:inbox subject:"{what}: a request"')
        yield from _mend(guests, what)
        yield say(f"{len(heard)} people will be heard.")

    return Task(
        user=f'On the day of the "{what}" people are heard one after another in the order of my list, which is in my '
        f"{'notes' if noted else 'files'}. The first begins at 09:00, each begins when the one before is over, and "
        f"after "
        f"every fourth one who is heard there are 10 minutes of rest. In "
        f"{'our group chat' if chatted else 'my inbox'} some "
        "have said what is different for themselves; what they say firmly holds, a question or a rumour about others "
        "does "
        "not. Whoever has withdrawn is left out, and all behind move up. Everybody who is heard has to know their "
        "time by "
        f'mail, subject "{what}: your time", text "Your audition begins at 09:00." with the right time. I had begun '
        f'with '
        "that before the changes, and then the line broke down: some mails have left, some wait to be sent tomorrow, "
        "some "
        "are drafts. Please finish it. Who has got a right mail, or will get it by itself, gets no other. Who has got "
        "one "
        "with a wrong time gets a new one. What is a draft is used, and what waits with a wrong time is taken back, "
        "put "
        "right and sent now. Write nothing to those who are not heard. The line is still bad, and nobody is to get a "
        "mail twice.",
        tools=[*(("search_note_pages", "get_note_page") if noted else ("search_files", "get_document")),
               *(("search_group_chats", "search_group_posts", "get_group_post") if chatted else ()), *TOOLS],
        milestones=[*in_any_order(*(node for must, _ in nodes for node in must))],

        allowed=[*(node for _, may in nodes for node in may), added(THREADS, 14, subject=Anything())],
        events=[loses_answer("send_mail", is_done=done, passes=number) for number, done in enumerate((True, False))],
        solution=solution,
    )  # fmt: skip


TOOLS = ("search_mail", "get_mail", "get_mail_thread", "send_mail", "send_mail_draft", "modify_mail_draft",
         "take_back_mail", "reply_to_mail", "move_mail")  # fmt: skip


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
