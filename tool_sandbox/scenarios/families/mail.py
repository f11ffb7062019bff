"""Mail: what is written, found, filed, taken back and cleared away."""

from typing import Any

from tool_sandbox.answers.facts import Done, Number
from tool_sandbox.apps.mail.rows import mail_row, thread_row
from tool_sandbox.apps.mail.tables import FILTERS, LABELS, MAILS, THREADS
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import Mentions, found, would_find
from tool_sandbox.scenarios.matchers import Anything, OneOf, SameWords
from tool_sandbox.scenarios.vocabulary import (
    NOT_FOUND,
    Task,
    added,
    answer,
    call,
    cannot,
    changed,
    removed,
    say,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

MAIL = ("mail",)


def _put_mail(world: World, sender: tuple[str, str], subject: str, body: str, days: int, **more: Any) -> dict[str, Any]:
    """A mail in a thread of its own, received some days ago or, with a kind, written by the owner."""
    draw = world.draw("mail")
    thread = world.put(THREADS, thread_row(draw, subject))
    cells = {"to": [draw.owner.email]} | more
    row = mail_row(
        draw, thread["thread_id"], sender, subject=subject, body=body, dated=draw.moment(days, 10, 20), **cells
    )
    return world.put(MAILS, row)


@scenario(apps=MAIL)
def send_mail_to_address(world: World) -> Task:
    """Send a new mail whose address, subject and text are given."""
    address, subject, body = world.choice(
        ("hello@marshpottery.example", "Pottery class", "I would like to join the class on Tuesdays."),
        ("desk@larchhostel.example", "Late arrival", "We will arrive at eleven in the evening."),
        ("office@swanrowing.example", "Rowing boat", "The blue rowing boat has a leak at the stern."),
    )
    return Task(
        user=world.phrase(
            f'Send a mail to {address} please. Subject: "{subject}", text: "{body}"',
            f'Please mail {address} with the subject "{subject}" and this text: "{body}"',
        ),
        tools=["send_mail"],
        milestones=[
            added(THREADS, subject=SameWords(subject)),
            added(
                MAILS, kind="sent", folder="sent", to=[address], subject=SameWords(subject), body=SameWords(body),
                read=True,
            ).after(),
        ],
        solution=[
            call("send_mail", to=[address], subject=subject, body=body),
            say(f'I\'ve sent the mail "{subject}" to {address}.'),
        ],
    )  # fmt: skip


@scenario(apps=MAIL)
def star_and_reopen_mail(world: World) -> Task:
    """Give one mail a star and mark it as unread, beside another mail of the same sender."""
    name, address, subject, other = world.choice(
        ("Marsh Pottery", "hello@marshpottery.example", "Kiln opening hours", "Glaze colours"),
        ("Larch Hostel", "desk@larchhostel.example", "Bunk confirmation", "Breakfast hours"),
        ("Swan Rowing", "office@swanrowing.example", "Regatta times", "Oar storage"),
    )
    _put_mail(world, (name, address), other, "Here is what you asked us about.", -9)
    mail = _put_mail(world, (name, address), subject, "Please read this before you come.", -12)

    def solution() -> Solution:
        rows = (yield call("search_mail", query=f'from:"{name}" subject:"{subject}"'))["results"]
        yield call("mark_mail", mail_ids=[rows[0]["mail_id"]], read=False, starred=True)
        yield say(f'The mail "{subject}" is unread again and has a star.')

    return Task(
        user=world.phrase(
            f'Mark the mail "{subject}" from {name} as unread and give it a star, please.',
            f'There is a mail "{subject}" from {name}. Put a star on it and make it unread again.',
        ),
        tools=["search_mail", "mark_mail"],
        milestones=[changed(MAILS, {"mail_id": mail["mail_id"]}, read=False, starred=True)],
        solution=solution,
    )


@scenario(apps=MAIL)
def take_back_waiting_mail(world: World) -> Task:
    """Take a mail back that has not left yet, beside one of the same subject that has."""
    address, subject, body = world.choice(
        ("hello@marshpottery.example", "Pottery class", "I cannot come to the class anymore."),
        ("desk@larchhostel.example", "Our bunks", "We need two bunks less than we said."),
        ("office@swanrowing.example", "Rowing boat", "I would like to give up the rowing boat."),
    )
    owner = world.draw("mail").owner
    sender, sent = (owner.name, owner.email), {"to": [address], "kind": "sent", "folder": "sent"}
    _put_mail(world, sender, subject, "Thank you for the friendly welcome.", -15, **sent)
    mail = _put_mail(world, sender, subject, body, world.integer(3, 2, 6), **sent)

    def solution() -> Solution:
        rows = (yield call("search_mail", query=f'in:outbox subject:"{subject}"'))["results"]
        yield call("take_back_mail", mail_id=rows[0]["mail_id"])
        yield say(f'I\'ve taken back the mail "{subject}" to {address}; it is a draft again.')

    return Task(
        user=world.phrase(
            f'My mail "{subject}" to {address} waits in the outbox. Take it back, I want to think about it again.',
            f'Please stop the mail "{subject}" to {address} that has not left yet and make it a draft again.',
        ),
        tools=["search_mail", "get_mail", "take_back_mail"],
        milestones=[
            changed(MAILS, {"mail_id": mail["mail_id"]}, kind="draft", folder="drafts", dated_at=Anything()),
        ],
        solution=solution,
    )


@scenario(apps=MAIL, content="medium")
def look_up_number_in_mail(world: World) -> Task:
    """Find a number in one of two mails of a sender, where the other has another one."""
    name, address, thing, older_thing = world.choice(
        ("Marsh Pottery", "hello@marshpottery.example", "kiln", "wheel"),
        ("Larch Hostel", "desk@larchhostel.example", "bunk", "locker"),
        ("Swan Rowing", "office@swanrowing.example", "rowing boat", "paddle"),
    )
    number, older = world.integer(6284, 6_000, 6_999), world.integer(3917, 3_000, 3_999)
    for what, digits, days in ((older_thing, older, -8), (thing, number, -21)):
        mail = _put_mail(
            world, (name, address), f"Your {what}", f"We have kept it for you. The booking number is {digits}.", days
        )

    def solution() -> Solution:
        rows = (yield call("search_mail", query=f'from:"{name}" subject:"{thing}"'))["results"]
        yield call("get_mail", mail_id=rows[0]["mail_id"])
        yield say(f"The booking number for the {thing} is {number}.")

    return Task(
        user=world.phrase(
            f"Which booking number did {name} mail me for the {thing}?",
            f"Look in my mail, please: what is the booking number of the {thing} at {name}?",
        ),
        tools=["search_mail", "get_mail"],
        milestones=[
            found("search_mail", mail_id=mail["mail_id"]),
            answer(Number(number, context=(older,))),
        ],
        secrets=(str(number),),
        solution=solution,
    )


@scenario(ScenarioCategories.BATCH_EDIT, apps=MAIL)
def archive_read_mails_of_sender(world: World) -> Task:
    """Archive the read mails of a sender, however many there are, and leave the unread one."""
    name, address = world.choice(
        ("Marsh Pottery", "hello@marshpottery.example"),
        ("Larch Hostel", "desk@larchhostel.example"),
        ("Swan Rowing", "office@swanrowing.example"),
    )
    subjects = ("Closed on Monday", "New prices", "Lost scarf", "Thank you", "Short survey")
    count = world.integer(4, 3, 5)
    unread = world.integer(1, 0, count - 1)
    mails = [
        _put_mail(world, (name, address), subject, "More about this on our page.", -5 - number, read=number != unread)
        for number, subject in enumerate(subjects[:count])
    ]
    moved = [mail for mail in mails if mail["read"]]

    def solution() -> Solution:
        rows = (yield call("search_mail", query=f'from:"{name}" in:inbox is:read'))["results"]
        yield call("move_mail", mail_ids=[row["mail_id"] for row in rows], folder="archive")
        yield say(f"I've moved {len(rows)} mails from {name} to the archive; the unread one is still in the inbox.")

    return Task(
        user=world.phrase(
            f"Move all mails from {name} in my inbox that I have read to the archive. Unread ones stay.",
            f"Please archive what {name} has mailed me, but only what is read; leave unread mails in the inbox.",
        ),
        tools=["search_mail", "get_mail", "move_mail"],
        milestones=[changed(MAILS, {"mail_id": mail["mail_id"]}, folder="archive").after() for mail in moved],
        solution=solution,
    )


@scenario(apps=MAIL)
def delete_label_with_filter(world: World) -> Task:
    """Delete a label that a filter uses, which has to be deleted first."""
    name = world.phrase("Pottery", "Rowing", "Beekeeping")
    draw = world.draw("mail")
    label = world.put(LABELS, {"label_id": draw.key("label"), "name": name})
    row: dict[str, Any] = {"filter_id": draw.key("filter"), "name": f"{name} mails", "query": f"subject:{name.lower()}"}
    row |= {"label_ids": [label["label_id"]], "folder": None, "marks_read": False, "stars": False}
    rule = world.put(FILTERS, row)

    def solution() -> Solution:
        labels = (yield call("search_mail_labels", words=name))["results"]
        filters = (yield call("search_mail_filters", words=f"{name} mails"))["results"]
        yield call("delete_mail_filter", filter_id=filters[0]["filter_id"])
        yield call("delete_mail_label", label_id=labels[0]["label_id"])
        yield say(f"I've deleted the label {name} and the filter {name} mails that used it.")

    return Task(
        user=world.phrase(
            f'Delete my mail label {name}, please. The filter "{name} mails" uses it, that can go as well.',
            f'I no longer need the mail label {name} and the filter "{name} mails". Delete both.',
        ),
        tools=["search_mail_labels", "search_mail_filters", "delete_mail_filter", "delete_mail_label"],
        milestones=[
            removed(FILTERS, filter_id=rule["filter_id"]),
            removed(LABELS, label_id=label["label_id"]),
            answer(Done("removed", (name, "label", "filter"))),
        ],
        solution=solution,
    )


@scenario(apps=MAIL)
def forward_mail_not_found(world: World) -> Task:
    """Forward a mail that is not there."""
    name, subject = world.choice(("Marsh Pottery", "kiln"), ("Larch Hostel", "bunk"), ("Swan Rowing", "regatta"))
    telling = [Mentions(word) for word in (*name.split(), *name.lower().split(), subject)]
    to = world.phrase("notes@quillarchive.example", "desk@quillarchive.example")
    return Task(
        user=world.phrase(
            f"Forward the mail from {name} about the {subject} to {to}, please.",
            f"{name} sent me a mail about the {subject}. Please forward it to {to}.",
        ),
        tools=["search_mail", "get_mail", "forward_mail"],
        milestones=[
            would_find("search_mail", {"query": OneOf(telling), "limit": Anything(), "cursor": Anything()}),
            answer(cannot(NOT_FOUND, about=("mail", "email", "message", name), task="sent")),
        ],
        solution=[
            call("search_mail", query=f'from:"{name}" in:anywhere'),
            call("search_mail", query=f'"{name}" in:anywhere'),
            say(f"I could not find a mail from {name} about the {subject}, so I have not forwarded anything."),
        ],
    )
