"""Somebody leaves or comes, in five apps at once; much of it is decided by others, and has to be named."""

import itertools
from collections.abc import Iterator, Sequence

import attrs

from tool_sandbox.answers.facts import Entity, Number
from tool_sandbox.apps import Person
from tool_sandbox.apps.calendar.content import attendee_row, event_row, times
from tool_sandbox.apps.calendar.tables import ATTENDEES, CALENDARS, EVENTS, NOTICES
from tool_sandbox.apps.files.content import file_row, share_row
from tool_sandbox.apps.files.tables import FILES, SHARES
from tool_sandbox.apps.groups.rows import person_row
from tool_sandbox.apps.groups.tables import INVITATIONS, MEMBERS, PEOPLE
from tool_sandbox.apps.tasks.content import list_row, task_row
from tool_sandbox.apps.tasks.tables import LISTS, TASKS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.common import NOW
from tool_sandbox.scenarios.hard.recovery.stage import together
from tool_sandbox.scenarios.hard.sources.placing import (
    NEW_THREAD,
    Row,
    edits,
    mailed,
    put_chat,
    put_page,
    read_page,
)
from tool_sandbox.scenarios.matchers import Anything, OneOf
from tool_sandbox.scenarios.vocabulary import Task, added, answer, call, changed, in_any_order, removed, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

APPS = ("groups", "calendar", "files", "tasks", "mail", "notes")
CHAT_NAMES = (
    "Lift duty",
    "Bike shed",
    "Roof garden",
    "Coffee fund",
    "Late brunch",
    "Spare keys",
    "Film night",
    "Swap shelf",
)
EVENT_NAMES = (
    "Budget round", "Archive visit", "Supplier talk", "Fire drill", "Press breakfast", "Audit week opening",
    "Site walk",
    "Printer training", "Strategy hike", "Shift handover",
)  # fmt: skip
FILE_NAMES = ("Rota", "Price sheet", "Floor plan", "Seating", "Wine list", "Packing list", "Guest book", "Phone tree")
LIST_NAMES = ("Move to the annex", "Winter sale", "New website", "Stock taking", "Jubilee", "Canteen menu", "Insurance")
TEAM = (
    ("Ottilie Brandt", "Ottilie Brandtner"),
    ("Casimir Holt", "Casimir Holt-Young"),
    ("Philippa Voss", "Philippa Vosso"),
)
TOOLS = (
    "search_note_pages", "get_note_page", "search_group_people", "search_group_chats", "get_group_chat",
    "search_calendar_events", "get_calendar_event", "search_file_shares", "get_document", "search_task_lists",
    "search_tasks", "set_task_list_members", "send_mail", *NOW,
)  # fmt: skip
"""What both tasks need; what puts somebody in or out comes with each."""


@attrs.frozen
class Office:
    """Rows about one person, by whether the user decides about them and whether the rules leave them as they are."""

    person: Person
    others: Sequence[Person]
    chats: dict[str, tuple[Row, str]]
    events: dict[str, tuple[Row, str]]
    shares: dict[str, tuple[Row, str]]
    lists: dict[str, tuple[Row, str]]
    tasks: list[Row]

    def with_state(self, state: str, *parts: str) -> list[str]:
        """Names of what is in a state."""
        return [name for part in parts or ("chats", "events", "lists") for name, (_, has) in getattr(self, part).items()
                if has == state]  # fmt: skip


def office(world: World) -> Office:
    """Puts somebody into chats, events, documents and lists, which are "own", "theirs", "kept" or "over"."""
    draw, (name, nearly) = world.draw("groups"), world.choice(*TEAM)
    person, others = Person(name, "+15105550711"), world.draw("groups").people[3:7]
    made = Office(person, others, {}, {}, {}, {}, [])
    world.put(PEOPLE, person_row(draw, name, person.phone_number))
    world.put(PEOPLE, person_row(draw, nearly, "+15105550722"))

    def named(names: tuple[str, ...], *fixed: str) -> Iterator[tuple[int, str, str]]:
        states = [*fixed, *(draw.choice(("own", "theirs")) for _ in range(3))]
        return zip(range(len(states)), draw.sample(names, len(states)), states, strict=True)

    for number, title, state in named(CHAT_NAMES, "kept", "kept", "own", "theirs"):
        role = "member" if state == "theirs" or number == 1 else "admin"
        chat = put_chat(world, title, [others[number % 4], person], role)
        chat["about"] = "Whoever leaves the office stays in here" if state == "kept" else "Who does what, and when"
        made.chats[title] = chat, state
    put_chat(world, "Choir of the house", [others[0], Person(nearly, "")], "admin")
    calendar = next(row for row in world.stored(CALENDARS) if row["name"] == "Work" and row["access"] == "owner")
    for number, title, state in named(EVENT_NAMES, "kept", "kept", "over", "own", "theirs", "own"):
        host, days = others[number % 4].email, -9 if state == "over" else 20 + 2 * number
        cells = {"organizer_email": host} if state == "theirs" or number == 1 else {}
        about = "A good bye: everybody who is here now takes part" if state == "kept" else "As agreed in the round"
        event = world.put(
            EVENTS, event_row(draw, calendar, title, times(draw, days, 7, 40), description=about, **cells)
        )
        for each in (person.email, draw.owner.email if cells else host):
            world.put(ATTENDEES, attendee_row(draw, event, each, "accepted", draw.moment(-12, 9)))
        made.events[title] = event, state
    for title, state in zip(draw.sample(FILE_NAMES, 6), ("own", "own", "own", "own", "kept", "over"), strict=True):
        text = f"{title}\n{'Handed over, step by step, until summer' if state == 'kept' else 'Newest lines at the end'}"
        file = world.put(FILES, file_row(draw, title, "text", None, draw.moment(-90, 9), content=text))
        since, until = draw.moment(-80, 9), draw.moment(-3, 18) if state == "over" else None
        share = share_row(draw, file, person.email, draw.choice(("viewer", "editor")), since, until)
        made.shares[title] = world.put(SHARES, share), state
    for number, title, state in named(LIST_NAMES, "own", "own", "theirs"):
        cells = {"owner": others[3].email} if state == "theirs" else {}
        members = [person.email, *(["me"] if cells else []), *[each.email for each in others[1 : 3 if number else 2]]]
        row = world.put(LISTS, list_row(draw, title, draw.moment(-70, 9), members, **cells))
        made.lists[title] = row, state
        for place, stage in enumerate(("open", "in_progress", "done")):
            more = {"done_at": draw.moment(-5, 9)} if stage == "done" else {}
            task = task_row(draw, row["list_id"], f"{title}, part {place + 1}", draw.moment(-60, 9), state=stage,
                            assignee=person.email, **more)  # fmt: skip
            world.put(TASKS, task)
            if state == "own" and not more:
                made.tasks.append(task)
    return made


def _in_any_order(members: list[str]) -> OneOf:
    return OneOf(tuple(map(list, itertools.permutations(members))))


def _heirs(file: Office) -> dict[str, str]:
    """Who gets the unfinished tasks of each list."""
    heir = file.others[2].email
    return {row["list_id"]: heir if heir in row["members"] else "me" for row, _ in file.lists.values()}


LEAVING = (
    "1. Whoever leaves is taken out of every chat, event, document and list of tasks in which he or she is, as far "
    "as we decide about it.\n2. Not out of chats whose description says that those who leave stay.\n3. Events that "
    "are over stay as they are, and so do those to come whose description calls them a good bye.\n4. Rights to "
    "documents that have run out stay as they are. The right to a document that is being handed over (its second "
    "line says so) stays, too.\n5. What he or she has not finished on our lists goes to {0} where {0} is on the "
    "list, else to me.\n6. What should be done by rules 1 to 5, but others decide about it, is named to them by "
    "me: I have to know the names of those chats, events and lists, and of no others."
)


# Where a very good model slips: 27 places in four apps, each to be opened to see who decides and which exception holds;
# tasks have to be given away before a list lets go of somebody; what is kept must not be named as impossible.
@scenario(apps=APPS)
def take_leaver_off_everything(world: World) -> Task:
    """Take somebody who leaves off all that the user decides about, and name the rest to the boss."""
    file, boss = office(world), world.draw("groups").people[8]
    person, left, heirs = file.person, file.with_state("theirs"), _heirs(file)
    put_page(world, "When somebody leaves", LEAVING.format(file.others[2].email))
    members = [row for row in world.stored(MEMBERS) for chat, state in file.chats.values()
               if state == "own" and row["chat_id"] == chat["chat_id"]]  # fmt: skip
    own = next(row["person_id"] for row in world.stored(PEOPLE) if row["name"] == person.name)
    members = [row for row in members if row["person_id"] == own]
    events = {event["event_id"] for event, state in file.events.values() if state == "own"}
    guests = [row for row in world.stored(ATTENDEES) if row["event_id"] in events and row["email"] == person.email]
    rights = [share for share, state in file.shares.values() if state == "own"]
    lists = [row for row, state in file.lists.values() if state == "own"]
    done = len(file.with_state("own", "chats", "events", "shares", "lists"))

    def solution() -> Solution:
        yield from read_page("When somebody leaves")
        [found] = [
            row
            for row in (yield call("search_group_people", words=person.name))["results"]
            if row["name"] == person.name
        ]
        chats = (yield call("search_group_chats", person_id=found["person_id"]))["results"]
        gone: list[str] = []
        for chat in (yield from together(call("get_group_chat", chat_id=row["chat_id"]) for row in chats)):
            if file.chats[chat["name"]][1] == "own":
                gone += [row["member_id"] for row in chat["members"] if row["person_id"] == found["person_id"]]
        yield from together(call("remove_group_member", member_id=each) for each in gone)
        rows = (yield call("search_calendar_events", email=person.email))["results"]
        rows = yield from together(call("get_calendar_event", event_id=each["event_id"]) for each in rows)
        own = [row["event_id"] for row in rows if file.events[row["title"]][1] == "own"]
        yield from together(call("uninvite_from_calendar_event", event_id=each, email=person.email) for each in own)
        shares = (yield call("search_file_shares", person=person.email))["results"]
        yield from together(call("get_document", file_id=row["file_id"]) for row in shares)
        kept = {share["share_id"] for share, state in file.shares.values() if state == "own"}
        kept &= {row["share_id"] for row in shares}
        yield from together(call("remove_file_share", share_id=each) for each in sorted(kept))
        rows = (yield call("search_task_lists", member=person.email))["results"]
        tasks = (yield call("search_tasks", assignee=person.email, finished=False, limit=50))["results"]
        rows = [each for each in rows if each["owner"] == "me"]
        given = {task["task_id"]: heirs[task["list_id"]] for task in tasks
                 if task["list_id"] in [row["list_id"] for row in rows]}  # fmt: skip
        yield from together(call("modify_task", task_id=key, assignee=heir) for key, heir in given.items())
        rest = {row["list_id"]: [each for each in row["members"] if each != person.email] for row in rows}
        yield from together(call("set_task_list_members", list_id=key, members=each) for key, each in rest.items())
        yield call(
            "send_mail", to=[boss.email], subject=person.name, body=f"Others decide about these: {', '.join(left)}."
        )
        yield say(f"There are {done} places that {person.first_name} is out of now.")

    return Task(
        user=f'{person.name} ({person.email}) is leaving us. Do everything that my page "When somebody leaves" asks '
            f'for. Then mail {boss.email} the names of the chats, events and lists that rule 6 speaks of, nothing '
            f"else, and tell me how many places {person.first_name} is out of by that, each chat, event, document "
            "and list counted as one.",
        tools=[*TOOLS, "remove_group_member", "uninvite_from_calendar_event", "cancel_calendar_event",
               "remove_file_share", "modify_task", "modify_tasks_together", "delete_task", "leave_group_chat"],
        milestones=[
            *in_any_order(
                *(removed(MEMBERS, member_id=row["member_id"]) for row in members),
                *(removed(ATTENDEES, attendee_id=row["attendee_id"]) for row in guests),
                *(removed(SHARES, share_id=row["share_id"]) for row in rights),
                *(changed(TASKS, {"task_id": row["task_id"]}, assignee=heirs[row["list_id"]]) for row in file.tasks),
                *(changed(LISTS, {"list_id": row["list_id"]},
                    members=_in_any_order(row["members"][1:])) for row in lists),
            ),
            mailed(boss.email, *map(Entity, left), never=file.with_state("kept")),
            answer(Number(done, "place")),
        ],
        allowed=[NEW_THREAD, *edits(20), added(NOTICES, len(guests), recipient_email=person.email, kind="cancellation",
                                             message=Anything())],
        solution=solution,
    )  # fmt: skip


COMING = (
    "1. Whoever comes gets into every chat, event, document and list of tasks in which the colleague is whom he or "
    "she joins, as far as we decide about it.\n2. Not into chats in which those who leave stay (see their "
    "descriptions): these are private.\n3. Not into events that are over, nor into those to come whose description "
    "calls them a good bye.\n4. Documents can only be read at first, whatever the colleague may do with them. "
    "Nothing is shared of which the colleague's right has run out, nor what is being handed over (see its second "
    "line).\n5. Tasks themselves are not given to anybody.\n6. What should be done by rules 1 to 4, but others "
    "decide about it, is named to them by me: I have to know the names of those chats, events and lists, and of no "
    "others."
)


# Where a very good model slips: as above, and the newcomer can only be invited to chats; a right is not copied as it
# is.
@scenario(apps=APPS)
def let_newcomer_into_everything(world: World) -> Task:
    """Put a newcomer into all that a colleague is in and the user decides about, and name the rest to the boss."""
    file, boss, draw = office(world), world.draw("groups").people[8], world.draw("groups")
    person, left = file.person, file.with_state("theirs")
    new = Person(world.choice("Rosalind Achterberg", "Benedict Oyelaran", "Marguerite Stenholm"), "+15105550733")
    row = world.put(PEOPLE, person_row(draw, new.name, new.phone_number, wants_invitation=True))
    put_page(world, "When somebody comes", COMING)
    own = {part: [each for each, state in getattr(file, part).values() if state == "own"]
           for part in ("chats", "events", "shares", "lists")}  # fmt: skip
    done = sum(map(len, own.values()))

    def solution() -> Solution:
        yield from read_page("When somebody comes")
        rows = (yield call("search_group_people", words=person.name))["results"]
        ids = {each["name"]: each["person_id"] for each in rows}
        [guest] = (yield call("search_group_people", words=new.name))["results"]
        chats = (yield call("search_group_chats", person_id=ids[person.name]))["results"]
        chats = yield from together(call("get_group_chat", chat_id=each["chat_id"]) for each in chats)
        mine = [chat["chat_id"] for chat in chats if file.chats[chat["name"]][1] == "own"]
        yield from together(call("invite_to_group_chat", chat_id=each, person_id=guest["person_id"]) for each in mine)
        rows = (yield call("search_calendar_events", email=person.email))["results"]
        rows = yield from together(call("get_calendar_event", event_id=each["event_id"]) for each in rows)
        mine = [event["event_id"] for event in rows if file.events[event["title"]][1] == "own"]
        yield from together(call("invite_to_calendar_event", event_id=each, emails=[new.email]) for each in mine)
        shares = (yield call("search_file_shares", person=person.email))["results"]
        read = yield from together(call("get_document", file_id=each["file_id"]) for each in shares)
        mine = [each["file_id"] for each, text in zip(shares, read, strict=True)
                if "Handed" not in text["content"] and each["in_force"]]  # fmt: skip
        yield from together(call("share_file", file_id=each, person=new.email, role="viewer") for each in mine)
        lists = [
            each for each in (yield call("search_task_lists", member=person.email))["results"] if each["owner"] == "me"
        ]
        members = {each["list_id"]: [*each["members"], new.email] for each in lists}
        yield from together(call("set_task_list_members", list_id=key, members=each) for key, each in members.items())
        body = f"Others decide about these: {', '.join(left)}."
        yield call("send_mail", to=[boss.email], subject=new.name, body=body)
        yield say(f"There are {done} places that {new.first_name} has got into.")

    free: Row = {"expires_at": Anything(), "invited_by_id": Anything()}
    return Task(
        user=f'{new.name} ({new.email}) joins {person.name} ({person.email}) in the office. Do everything that my '
            f'page "When somebody comes" asks for. Then mail {boss.email} the names of the chats, events and lists '
            'that rule 6 speaks of, nothing else. Tell me how many chats, events, documents and lists '
            f'{new.first_name} has got into, each counted as one place, all together; an invitation is as good as '
            'that.',
        tools=[*TOOLS, "add_group_member", "invite_to_group_chat", "invite_to_calendar_event", "share_file",
            "create_file_link",
               "modify_task"],
        milestones=[
            *in_any_order(
                *(added(INVITATIONS, chat_id=each["chat_id"], person_id=row["person_id"],
                    **free) for each in own["chats"]),
                *(added(ATTENDEES, event_id=each["event_id"], email=new.email, required=Anything(), answer="none")
                  for each in own["events"]),
                *(added(SHARES, file_id=each["file_id"], person=new.email, role="viewer", shared_at=Anything())
                  for each in own["shares"]),
                *(changed(LISTS, {"list_id": each["list_id"]}, members=_in_any_order([*each["members"], new.email]))
                  for each in own["lists"]),
            ),
            mailed(boss.email, *map(Entity, left), never=file.with_state("kept")),
            answer(Number(done, "place")),
        ],
        allowed=[NEW_THREAD, added(NOTICES, len(own["events"]), recipient_email=new.email, kind="invitation")],
        solution=solution,
    )  # fmt: skip
