"""Errands of a family, by app: what is to be done with which of several rows that look alike, and the one tool for it.

Each is for one of three children, so that a rule can leave those of one of them out.
"""

from collections.abc import Callable
from typing import Any

import attrs

from tool_sandbox.apps.calendar.content import attendee_row, event_row, times
from tool_sandbox.apps.calendar.tables import ATTENDEES, CALENDARS, EVENTS, EXCEPTIONS, NOTICES
from tool_sandbox.apps.clock.content import alarm_row
from tool_sandbox.apps.clock.tables import ALARMS
from tool_sandbox.apps.dining.tables import ENTRIES, GUESTS, RESTAURANTS
from tool_sandbox.apps.draw import Draw
from tool_sandbox.apps.files.content import file_row, share_row
from tool_sandbox.apps.files.tables import FILES, SHARES
from tool_sandbox.apps.groups.rows import chat_row, member_row, post_row
from tool_sandbox.apps.groups.tables import CHATS, MEMBERS, PEOPLE, POSTS
from tool_sandbox.apps.home.content import device_row
from tool_sandbox.apps.home.tables import DEVICES, ROOMS, SCENES, SCHEDULES, STEPS, WEEKDAYS
from tool_sandbox.apps.mail.rows import mail_row, thread_row
from tool_sandbox.apps.mail.tables import LABELS, MAILS, THREADS
from tool_sandbox.apps.notes.content import checklist_row, item_row, memory_row
from tool_sandbox.apps.notes.tables import CHECKLISTS, ITEMS, MEMORIES
from tool_sandbox.apps.tasks.content import list_row, task_row
from tool_sandbox.apps.tasks.tables import LISTS, TASKS
from tool_sandbox.apps.wallet.rows import order_row, payee_row
from tool_sandbox.apps.wallet.tables import ACCOUNTS, PAYEES, RUNS, STANDING_ORDERS
from tool_sandbox.scenarios.evidence import Mentions
from tool_sandbox.scenarios.matchers import Anything
from tool_sandbox.scenarios.vocabulary import Node, added, call, changed, removed
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Call, Solution

Row = dict[str, Any]
ANY = Anything()


@attrs.frozen
class Errand:
    """One thing to do.

    Attributes:
        child: For whom.
        says: The words in which it is asked for.
        act: The calls that do it.
        node: What is changed then.
        allowed: What the app writes down beside.
    """

    child: str
    says: str
    act: Callable[[], Solution]
    node: Node
    allowed: tuple[Node, ...] = ()


@attrs.frozen
class Home:
    """A world and three children."""

    world: World
    children: tuple[str, str, str]

    def draw(self, app: str) -> Draw:
        """Chance and dates for an app."""
        return self.world.draw(app)


def _one(search: Call, pick: Callable[[Row], Any], does: Callable[[Row], Call], read: str = "", key: str = "") -> Any:
    """Finds rows, reads each in full where that is needed, and does something with the one that is meant."""

    def act() -> Solution:
        rows = (yield search)["results"]
        if read:
            rows = yield [call(read, **{key: row[key]}) for row in rows]
        yield does(next(row for row in rows if pick(row)))

    return act


def payments(home: Home) -> list[Errand]:
    """One payment left out, an order that rests, and one that ends, among six of the same teacher."""
    (a, b, c), draw, world = home.children, home.draw("wallet"), home.world
    thing = world.choice("drum", "fencing", "pottery")
    payee = world.put(PAYEES, payee_row(draw, f"{thing.capitalize()} school"))
    account = next(row for row in world.stored(ACCOUNTS) if row["name"] == "Everyday account")
    names = ("lessons {a}", "lessons {a} and {b}", "lessons {b}", "lessons {c}", "hire {c}", "camp {b}", "hire {a}")
    rows = {}
    for number, text in enumerate(f"{thing} {name.format(a=a, b=b, c=c)}" for name in names):
        order = order_row(draw, account, payee, 3_500 + 450 * number, text, draw.date(5 + number))
        rows[text] = world.put(STANDING_ORDERS, order)["standing_order_id"]

    def errand(child: str, what: str, says: str, tool: str, node: Callable[[str], Node], **more: Any) -> Errand:
        text = f"{thing} {what} {child}"
        does = lambda row: call(tool, standing_order_id=row["standing_order_id"], **more)  # noqa: E731
        act = _one(call("search_standing_orders", words=thing), lambda row: row["description"] == text, does)
        return Errand(child, says, act, node(rows[text]))

    def state(to: str) -> Callable[[str], Node]:
        return lambda key: changed(STANDING_ORDERS, {"standing_order_id": key}, state=to)

    return [
        errand(
            a, "lessons", f"The next payment for {a}'s {thing} lessons alone is left out, {a} is ill then. After "
            "that it goes on as ever.", "change_standing_order_run",
            lambda key: added(RUNS, standing_order_id=key, due_on=draw.date(5), action="skip"), action="skip",
        ),
        errand(
            b, "lessons", f"{b} takes no {thing} lessons alone for the time being. Nothing is to be paid for those "
            "until I say so, but then it must go on without anything being set up again.", "modify_standing_order",
            state("paused"), paused=True,
        ),
        errand(
            c, "hire", f"{c} has given the hired {thing} things back for good; there is no more to pay for them.",
            "cancel_standing_order", state("cancelled"),
        ),
    ]  # fmt: skip


def chores(home: Home) -> list[Errand]:
    """A chore that is left out once, a thing that will not be done, and a slip that goes without a trace."""
    (a, b, c), draw, world = home.children, home.draw("tasks"), home.world
    thing = world.choice("globe", "telescope", "banjo")
    on = world.put(LISTS, list_row(draw, "Children's things", draw.moment(-40, 9)))["list_id"]

    def put(title: str, days: int, made: int = -30, **cells: Any) -> str:
        row = task_row(draw, on, title, draw.moment(made, 9 + days), due_on=draw.date(days), assignee="me", **cells)
        return str(world.put(TASKS, row)["task_id"])

    oil = [put(f"{what} {who}'s bicycle", 3, repeats="weekly") for who in (a, b) for what in ("Oil", "Pump up")]
    lent = [put(f"Return the {thing}", 6, details=text) for text in (
        f"{b} has it from the library.", f"{c} has it from the school.", f"{b} has it from the school.",
        f"{a} has it from the neighbour.")]  # fmt: skip
    twice = [put(f"Sew on {who}'s badge", 4, made) for who, made in ((c, -20), (b, -9), (c, -6), (a, -4))]
    why = "we have bought it"
    drop = lambda row: call("set_task_state", task_ids=[row["task_id"]], state="cancelled", reason=why)  # noqa: E731
    return [
        Errand(
            a, f"{a}'s bicycle is not oiled this time; a week later it is again, as ever.",
            _one(call("search_tasks", words=f"oil {a}"), lambda row: True,
                 lambda row: call("skip_task_occurrence", task_id=row["task_id"])),
            changed(TASKS, {"task_id": oil[0]}, due_on=draw.date(10)),
        ),
        Errand(
            b, f"The {thing} that {b} had from the school does not go back, we have bought it. Keep the task, but as "
            "one that will not be done, and say why.",
            _one(call("search_tasks", words=thing),
                 lambda row: row["details"] == f"{b} has it from the school.",
                 drop, "get_task", "task_id"),
            changed(TASKS, {"task_id": lent[2]}, state="cancelled", reason=ANY),
        ),
        Errand(
            c, f"Sewing on {c}'s badge stands among the tasks twice. The entry that was made later was a slip: it goes "
            "for good, as if it had never been there.",
            _one(call("search_tasks", words=f"{c} badge"), lambda row: row["created_at"] == draw.moment(-6, 13),
                 lambda row: call("delete_task", task_id=row["task_id"]), "get_task", "task_id"),
            removed(TASKS, task_id=twice[2]),
        ),
    ]  # fmt: skip


def dates(home: Home) -> list[Errand]:
    """One date of a series, an event that no longer blocks, and one of somebody else that goes on without the user."""
    (a, b, c), draw, world = home.children, home.draw("calendar"), home.world
    sport = world.choice("swimming", "climbing", "skating")
    calendar = {row["name"]: row for row in world.stored(CALENDARS) if row["access"] == "owner"}["Private"]

    def put(title: str, days: int, hour: int, **more: Any) -> Row:
        return world.put(EVENTS, event_row(draw, calendar, title, times(draw, days, hour, 40), **more))

    series = [put(f"{sport}, {who}", 9 - 35, 18 + place, recurrence="FREQ=WEEKLY") for place, who in enumerate((a, b))]
    put(f"{sport}, badge of {a}", 9, 21)
    fairs = [put(f"Fair with {who}", 12 + place, 20) for place, who in enumerate((b, c, f"{b} and {a}"))]
    own = []
    for place, who in enumerate((a, c)):
        meeting = put(f"Parents of {who}'s class", 13 + place, 19, organizer_email=draw.people[4].email)
        own.append(world.put(ATTENDEES, attendee_row(draw, meeting, draw.owner.email, "accepted", draw.moment(-2, 9))))
    day, find = draw.date(9), call("search_calendar_events", words=f"fair {b}")
    agenda = call("list_calendar_agenda", since=f"{day}T00:00", until=f"{day}T23:59", words=sport)
    cancel = lambda row: call("cancel_calendar_event", event_id=row["event_id"], scope="this", occurrence_date=day)  # noqa: E731
    notice = added(NOTICES, event_id=own[1]["event_id"], recipient_email=ANY, kind="answer", message=ANY, sent_at=ANY)
    return [
        Errand(
            a, f"{a}'s weekly {sport} falls out on {day}, only on that day. Single events, such as that of a badge, "
            "stay.",
            _one(agenda, lambda row: row["title"] == f"{sport}, {a}", cancel),
            added(EXCEPTIONS, event_id=series[0]["event_id"], occurrence_date=day, kind="cancelled"),
        ),
        Errand(
            b, f"The fair with {b} alone stays in my calendar, but it must not take my time there: others may plan "
            "with me then.",
            _one(find, lambda row: row["title"] == f"Fair with {b}",
                 lambda row: call("modify_calendar_event", event_id=row["event_id"], show_as="free")),
            changed(EVENTS, {"event_id": fairs[0]["event_id"]}, show_as="free"),
        ),
        Errand(
            c, f"I am not at the parents' evening of {c}'s class after all, which takes place without me.",
            _one(call("search_calendar_events", words=f"parents {c}"), lambda row: True,
                 lambda row: call("answer_calendar_invitation", event_id=row["event_id"], answer="declined")),
            changed(ATTENDEES, {"attendee_id": own[1]["attendee_id"]}, answer="declined", comment=ANY, answered_at=ANY),
            (notice,),
        ),
    ]  # fmt: skip


def chats(home: Home) -> list[Errand]:
    """A chat that makes no sound, one that is left, and a post that is only taken down."""
    (a, b, c), draw, world = home.children, home.draw("groups"), home.world
    club = world.choice("Otters", "Magpies", "Hedgehogs")
    me, *others = sorted(world.stored(PEOPLE), key=lambda row: not row["is_me"])

    def put(name: str, role: str = "member") -> tuple[str, str]:
        chat = world.put(CHATS, chat_row(draw, name, None, draw.moment(-90, 9)))["chat_id"]
        rows = [member_row(draw, chat, me["person_id"], role, draw.moment(-80, 9), draw.moment(-1, 9))]
        rows += [member_row(draw, chat, row["person_id"], "admin", draw.moment(-90, 9)) for row in others[:3]]
        return chat, next(iter([world.put(MEMBERS, row)["member_id"] for row in rows]))

    made = {name: put(name, "admin") for name in (
        f"{club} {a}", f"{club} {a} trainers", f"{club} {b} drivers", f"{club} {b}", f"{club} {c}")}  # fmt: skip
    for place, who in enumerate((b, c)):
        post = post_row(
            draw,
            made[f"{club} {c}"][0],
            others[0]["person_id"],
            f"List of {who}: bring a rope.",
            draw.moment(-5, 9 + place),
        )
        posts = world.put(POSTS, post | {"pinned": True})["post_id"]

    def find(name: str) -> tuple[Call, Callable[[Row], Any]]:
        return call("search_group_chats", words=name), lambda row: row["name"] == name

    mute = lambda row: call("modify_group_chat", chat_id=row["chat_id"], muted=True)  # noqa: E731
    return [
        Errand(
            a, f"The chat of {a}'s {club}, not the trainers', must make no sound any more. I stay in it and read it.",
            _one(*find(f"{club} {a}"), mute), changed(CHATS, {"chat_id": made[f"{club} {a}"][0]}, muted=True),
        ),
        Errand(
            b, f"I drive no more for {b}'s {club}: I want to be out of the drivers' chat for good.",
            _one(*find(f"{club} {b} drivers"), lambda row: call("leave_group_chat", chat_id=row["chat_id"])),
            removed(MEMBERS, member_id=made[f"{club} {b} drivers"][1]),
        ),
        Errand(
            c, f"In the chat of {c}'s {club} the list of {c} no longer has to be at the top. It stays in the chat.",
            _one(call("search_group_posts", words=f"list {c}"), lambda row: True,
                 lambda row: call("pin_group_post", post_id=row["post_id"], pinned=False)),
            changed(POSTS, {"post_id": posts}, pinned=False),
        ),
    ]  # fmt: skip


def letters(home: Home) -> list[Errand]:
    """A mail that must not leave yet, one that leaves the inbox but not the mailbox, and one that gets a label."""
    (a, b, c), draw, world = home.children, home.draw("mail"), home.world
    place = world.choice("lighthouse", "castle", "salt mine")
    school, label = ("Hill School", "office@hill-school.example"), world.stored(LABELS)[0]

    def put(subject: str, body: str, number: int, **cells: Any) -> str:
        thread = world.put(THREADS, thread_row(draw, subject))["thread_id"]
        sender = (draw.owner.name, draw.owner.email) if cells else school
        to = [school[1]] if cells else [draw.owner.email]
        dated = draw.moment(1, 6 + number) if cells else draw.moment(-6, 6 + number)
        return str(world.put(MAILS, mail_row(draw, thread, sender, to, subject, body, dated, **cells))["mail_id"])

    out = [
        put(f"Absence of {who}", f"{who} cannot come on Friday.", n, kind="sent", folder="sent")
        for n, who in enumerate((c, a, b))
    ]
    trips = [
        put(f"Trip to the {place}", f"{who}'s class goes on {day}.", n)
        for n, (who, day) in enumerate(((a, "Monday"), (b, "Tuesday"), (c, "Monday")))
    ]
    reports = [
        put(f"Report of {who}{more}", "It is attached, well done.", 4 + n)
        for n, (who, more) in enumerate(((c, ""), (c, ", first draft"), (b, "")))
    ]
    move = lambda row: call("move_mail", mail_ids=[row["mail_id"]], folder="archive")  # noqa: E731

    def file() -> Solution:
        [known] = (yield call("search_mail_labels", words=label["name"]))["results"]
        rows = (yield call("search_mail", query=f'subject:"Report of {c}"'))["results"]
        row = next(row for row in rows if row["subject"] == f"Report of {c}")
        yield call("label_mail", mail_ids=[row["mail_id"]], label_ids=[known["label_id"]])

    return [
        Errand(
            a, f"The mail about {a}'s absence goes out by itself tomorrow. It must not: I want to go on writing it.",
            _one(call("search_mail", query=f"in:outbox {a}"), lambda row: row["subject"] == f"Absence of {a}",
                 lambda row: call("take_back_mail", mail_id=row["mail_id"])),
            changed(MAILS, {"mail_id": out[1]}, kind="draft", folder="drafts", dated_at=ANY),
        ),
        Errand(
            b, f"What the school wrote about the trip of {b}'s class to the {place} leaves the inbox, but is kept.",
            _one(call("search_mail", query=f'subject:"Trip to the {place}"'), lambda row: f"{b}'s class" in row["body"],
                 move, "get_mail", "mail_id"),
            changed(MAILS, {"mail_id": trips[1]}, folder="archive"),
        ),
        Errand(
            c, f'The mail with {c}\'s report, not the draft, gets the label "{label["name"]}" and stays where it is.',
            file, changed(MAILS, {"mail_id": reports[0]}, label_ids=[label["label_id"]]),
        ),
    ]  # fmt: skip


def papers(home: Home) -> list[Errand]:
    """A right that ends, a document that goes but could come back, and one that becomes confidential."""
    (a, b, c), draw, world = home.children, home.draw("files"), home.world
    aunt, coach = (each.email for each in draw.people[6:8])

    def put(name: str, text: str, *people: str) -> tuple[str, list[str]]:
        row = world.put(FILES, file_row(draw, name, "text", None, draw.moment(-9, 9), content=text))
        return row["file_id"], [
            world.put(SHARES, share_row(draw, row, who, "viewer", draw.moment(-8, 9)))["share_id"] for who in people
        ]

    grows = [put(f"Growth of {who}", "98 cm, 104 cm, 111 cm", aunt, coach) for who in (a, c)]
    plans = [put(f"Timetable {letter}", f"{who}, {year} school year: Latin at eight.", aunt)
             for letter, who, year in (("K", b, "this"), ("L", b, "last"), ("M", c, "last"))]  # fmt: skip
    shots = [put(f"Vaccinations of {who}", "Tetanus, measles.") for who in (b, c)]

    def unshare() -> Solution:
        rows = (yield call("search_files", words=f"Growth of {a}"))["results"]
        grown = next(row["file_id"] for row in rows if row["path"] == f"Growth of {a}")
        shares = (yield call("search_file_shares", file_id=grown))["results"]
        yield call("remove_file_share", share_id=next(row["share_id"] for row in shares if row["person"] == coach))

    return [
        Errand(
            a, f"{draw.people[7].name} must not get at the document about {a}'s growth any more. All else stays.",
            unshare, removed(SHARES, share_id=grows[0][1][1]),
        ),
        Errand(
            b, f"{b}'s timetable of last school year can go, in such a way that I can fetch it back within a month.",
            _one(call("search_files", words="timetable"), lambda row: f"{b}, last" in row["content"],
                 lambda row: call("trash_file", file_id=row["file_id"]), "get_document", "file_id"),
            changed(FILES, {"file_id": plans[1][0]}, trashed_at=Mentions("T")),
        ),
        Errand(
            c, f"{c}'s vaccinations are confidential from now on; nothing else about the document changes.",
            _one(call("search_files", words=f"Vaccinations of {c}"), lambda row: row["path"] == f"Vaccinations of {c}",
                 lambda row: call("modify_file", file_id=row["file_id"], confidential=True)),
            changed(FILES, {"file_id": shots[1][0]}, confidential=True),
        ),
    ]  # fmt: skip


def rooms(home: Home) -> list[Errand]:
    """One day of a schedule, what a scene sets of a lamp, and a device that a scene has nothing to do with any more."""
    (a, b, c), draw, world = home.children, home.draw("home"), home.world
    moment = world.choice("reads", "sleeps", "plays")
    nursery = world.put(ROOMS, {"room_id": draw.key("room"), "name": "nursery", "floor": "upper floor"})["room_id"]
    lamp, fan = (world.put(DEVICES, device_row(draw, nursery, name, kind, draw.ago(3)))["device_id"]
                 for name, kind in (("star lamp", "light"), ("ceiling fan", "plug")))  # fmt: skip

    def scene(name: str) -> tuple[str, list[str]]:
        key, empty = draw.key("scene"), {"power": None, "level": None, "degrees": None}
        world.put(SCENES, {"scene_id": key, "name": name})
        cells = ({"device_id": lamp, "level": 70}, {"device_id": fan, "power": "on"})
        return key, [
            world.put(STEPS, {"step_id": draw.key("step"), "scene_id": key, **empty, **each})["step_id"]
            for each in cells
        ]

    scenes = {
        name: scene(name)
        for name in (f"{a} wakes", f"{b} {moment}", f"{b} {moment} late", f"{c} {moment}", f"{c} wakes")
    }
    plans = []
    for who, late in ((a, ""), (a, " late"), (c, "")):
        cells: Row = {"scene_id": scenes[f"{who} wakes"][0], "time": "05:50" if late else "05:10"}
        cells |= {"weekdays": list(WEEKDAYS), "starts_on": draw.date(-50), "ends_on": None, "skipped": []}
        cells |= {"enabled": True, "changed_at": draw.moment(-50, 9)}
        plans.append(
            world.put(SCHEDULES, {"schedule_id": draw.key("schedule"), "name": f"Wake {who}{late}", **cells})[
                "schedule_id"
            ]
        )
    day, full = draw.date(4), ("get_home_scene", "scene_id")

    def device(scene: Row, name: str) -> Row:
        found = next(each["device_id"] for each in scene["sets"] if each["device"] == name)
        return {"scene_id": scene["scene_id"], "device_id": found}

    def find(name: str) -> tuple[Call, Callable[[Row], Any]]:
        return call("search_home_scenes", words=name), lambda row: row["name"] == name

    return [
        Errand(
            a, f"The earlier one of {a}'s two schedules for waking up is left out on {day}, and on that day only.",
            _one(call("search_home_schedules", words=a), lambda row: row["name"] == f"Wake {a}",
                 lambda row: call("skip_home_schedule_date", schedule_id=row["schedule_id"], skip_on=day)),
            changed(SCHEDULES, {"schedule_id": plans[0]}, skipped=[day]),
        ),
        Errand(
            b, f"In the scene in which {b} {moment}, not the late one, the star lamp is at 30 percent from now on. "
            "Leave the lamp itself as it is at the moment.",
            _one(*find(f"{b} {moment}"),
                 lambda row: call("set_scene_device", **device(row, "star lamp"), level=30), *full),
            changed(STEPS, {"step_id": scenes[f"{b} {moment}"][1][0]}, level=30),
        ),
        Errand(
            c, f"The scene in which {c} {moment} has nothing to do with the ceiling fan any more, whatever that does.",
            _one(*find(f"{c} {moment}"), lambda row: call("remove_scene_device", **device(row, "ceiling fan")), *full),
            removed(STEPS, step_id=scenes[f"{c} {moment}"][1][1]),
        ),
    ]  # fmt: skip


def mornings(home: Home) -> list[Errand]:
    """An alarm that rests, something to forget, and an item that is no longer needed."""
    (a, b, c), clock, notes, world = home.children, home.draw("clock"), home.draw("notes"), home.world
    fear = world.choice("geese", "lifts", "balloons")
    alarms = [world.put(ALARMS, alarm_row(clock, f"Bus of {who}", time, repeat_days=days))["alarm_id"]
              for who, time, days in ((a, "07:05", ["monday"]), (a, "07:25", ["tuesday"]), (b, "07:05", ["tuesday"]))
    ]  # fmt: skip
    told = [world.put(MEMORIES, memory_row(notes, text, "person", notes.moment(-9, 9)))["memory_id"] for text in (
        f"{b} is afraid of {fear}.", f"{b} is afraid of thunder.", f"{a} is afraid of {fear}.")]  # fmt: skip
    bag = world.put(CHECKLISTS, checklist_row(notes, f"Satchel of {c}", notes.moment(-9, 9)))["checklist_id"]
    other = world.put(CHECKLISTS, checklist_row(notes, f"Satchel of {b}", notes.moment(-9, 9)))["checklist_id"]
    items = [world.put(ITEMS, item_row(notes, key, text, place))["item_id"]
             for key in (bag, other) for place, text in enumerate(("compass", "ruler", "compass refills"), 1)
    ]  # fmt: skip

    def strike() -> Solution:
        [row] = (yield call("search_checklists", words=f"Satchel of {c}"))["results"]
        full = yield call("get_checklist", checklist_id=row["checklist_id"])
        item = next(each for each in full["items"] if each["content"] == "compass")
        yield call("delete_checklist_item", item_id=item["item_id"])

    return [
        Errand(
            a, f"{a}'s bus alarm on Tuesdays is not to ring until I turn it on again myself.",
            _one(call("search_alarms", words=f"bus {a}"), lambda row: row["repeat_days"] == ["tuesday"],
                 lambda row: call("modify_alarm", alarm_id=row["alarm_id"], enabled=False)),
            changed(ALARMS, {"alarm_id": alarms[1]}, enabled=False),
        ),
        Errand(
            b, f"You once were told that {b} is afraid of {fear}. That is over, forget it for good.",
            _one(call("recall_earlier_conversations", words=f"{b} {fear}"), lambda row: True,
                 lambda row: call("forget_memory", memory_id=row["memory_id"])),
            removed(MEMORIES, memory_id=told[0]),
        ),
        Errand(
            c, f"{c} needs no compass in the satchel: off the list with it. It is not that it had been packed.",
            strike, removed(ITEMS, item_id=items[0]),
        ),
    ]  # fmt: skip


def meals(home: Home) -> list[Errand]:
    """A table that nobody waits for any more, on one of three dates, and two diets of which only a part changes."""
    (a, b, c), draw, world = home.children, home.draw("dining"), home.world
    cafe = world.stored(RESTAURANTS)[world.integer(0, 0, 2)]
    waits = []
    for days in (5, 6, 7):
        cells = {
            "restaurant_id": cafe["restaurant_id"],
            "wait_on": draw.date(days),
            "earliest": "12:00",
            "latest": "14:00",
        }
        waits.append(
            world.put(ENTRIES, {"entry_id": draw.key("entry"), **cells, "party_size": 4, "joined_at": draw.ago(4000)})[
                "entry_id"
            ]
        )
    remark = "Drinks only water, and brings a spoon."
    for name, diets in (
        (f"{b} Holm", ["vegan", "gluten-free"]),
        (f"{c} Holm", ["vegan", "halal"]),
        (f"{b} Holmes", ["vegan"]),
    ):
        world.put(GUESTS, {"guest_id": draw.key("guest"), "name": name, "diets": diets, "remark": remark})

    def eats(name: str, less: str) -> tuple[Any, Node]:
        guest = next(row for row in world.stored(GUESTS) if row["name"] == name)
        kept = [each for each in guest["diets"] if each != less]
        does = lambda row: call("note_what_guest_eats", name=name, diets=kept, remark=row["remark"])  # noqa: E731
        act = _one(call("search_what_guests_eat", words=name), lambda row: row["name"] == name, does)
        return act, changed(GUESTS, {"guest_id": guest["guest_id"]}, diets=kept)

    return [
        Errand(
            a, f"On {draw.date(6)} {a} and I eat at home: we wait no longer for a table at {cafe['name']} on that day. "
            "The other days stand.",
            _one(call("search_waiting_list_entries", wait_on=draw.date(6)),
                 lambda row: row["restaurant_id"] == cafe["restaurant_id"],
                 lambda row: call("leave_restaurant_waiting_list", entry_id=row["entry_id"])),
            removed(ENTRIES, entry_id=waits[1]),
        ),
        Errand(b, f"{b} is not vegan any more. What else is noted about what {b} eats is as true as ever.",
               *eats(f"{b} Holm", "vegan")),
        Errand(c, f"{c} does not eat halal any more. What else is noted about what {c} eats stays.",
               *eats(f"{c} Holm", "halal")),
    ]  # fmt: skip


PACKS = {each.__name__: each for each in (payments, chores, dates, chats, letters, papers, rooms, mornings, meals)}
