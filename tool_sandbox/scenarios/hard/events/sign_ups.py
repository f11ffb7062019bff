"""Places that are given away while people still sign up, change their minds and cancel."""

import datetime
from collections.abc import Callable, Iterable, Sequence

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps.calendar.content import event_row, times
from tool_sandbox.apps.calendar.tables import ATTENDEES, CALENDARS, EVENTS, NOTICES
from tool_sandbox.apps.notes.content import checklist_row
from tool_sandbox.apps.notes.tables import CHECKLISTS, ITEMS
from tool_sandbox.apps.wallet.rows import payee_row
from tool_sandbox.apps.wallet.tables import PAYEES, TRANSACTIONS, TRANSFERS
from tool_sandbox.scenarios.checks import Changed, NotYet
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.events.arrivals import CHAT, MAIL, Says, chat, email, inbox
from tool_sandbox.scenarios.hard.recovery import stage
from tool_sandbox.scenarios.hard.recovery.stage import Steps, everything, money, one
from tool_sandbox.scenarios.matchers import Anything, OneOf, SameWords
from tool_sandbox.scenarios.vocabulary import (
    Node,
    Task,
    added,
    answer,
    call,
    in_any_order,
    say,
)  # fmt: skip
from tool_sandbox.scenarios.world import Person, World
from tool_sandbox.world.errors import ScenarioError
from tool_sandbox.world.script import Solution

STORIES: tuple[tuple[tuple[int, str, int | None], ...], ...] = (
    ((0, "Count me in!", 1),),
    ((0, "I am coming with my two children.", 3),),
    ((0, "Maybe. I have to ask at work first.", None), (1, "I have got the day off, so I am coming.", 1)),
    ((0, "My husband and I are coming.", 2), (2, "My husband is ill, so it is only me.", 1)),
    ((0, "Sadly I can't make it that day. Have fun!", None),),
    ((1, "I would like to sign up with three friends. Four places, please.", 4),),
    ((0, "Yes, I am coming.", 1), (1, "I have to cancel after all, sorry.", 0)),
    ((1, "I would love to. I'll tell you this evening whether I can.", None), (2, "Now I know it: I am coming.", 1)),
    ((1, "We are coming, my brother and I.", 2), (2, "We have to cancel, both of us.", 0)),
    ((0, "I am coming with my daughter.", 2), (1, "Have you seen it? My daughter and I are coming.", None)),
    ((1, "I am in, and my parents are coming along.", 3),),
    ((1, "I am coming, on my own.", 1),),
    ((0, "We are two and want to come, my neighbour and I.", 2), (2, "My neighbour can't come, I still can.", 1)),
)
"""What people write: before the start, until sign-ups close, and after that; and how many places they want then."""

RULES = (
    "How it works: whoever says clearly that they come signs up, maybe does not count. When sign-ups close, places go "
    "in "
    "the order in which people signed up, and it counts how many places they want by then. Nobody is split up: a party "
    "that does not fit any more goes on the waiting list, and whoever comes next is looked at. Who signs up later than "
    "that goes to the end of the waiting list. When cancelling is over, free places go to the waiting list in order, "
    "again to each party that fits as a whole. The number of places is announced beside the sign-ups."
)


@attrs.define
class Stream:
    """Who writes what and when, and who has places in the end."""

    people: list[Person]
    said: list[tuple[int, int, int, str]]
    places: int
    before: int
    seated: dict[str, int]
    waiting: list[str]
    first: dict[str, int]


def _given(
    stories: list[tuple[str, int, int, int | None]], places: int
) -> tuple[dict[str, int], dict[str, int], list[str]]:
    """Who has places when sign-ups close, and in the end, with the waiting list; from name, phase, order and wish."""
    line: dict[str, int] = {}
    seats: dict[str, int] = {}
    first: dict[str, int] = {}
    for phase in (1, 2):
        for name, when, _, wish in stories:
            if wish is not None and (when < 2) == (phase == 1):
                line = {**line, name: wish} if wish else {each: size for each, size in line.items() if each != name}
        seats = {name: min(size, line[name]) for name, size in seats.items() if name in line}
        for name, size in line.items():
            if name not in seats and size <= places - sum(seats.values()):
                seats[name] = size
        first = first or dict(seats)
    return first, seats, [name for name in line if name not in seats]


def _stream(world: World) -> Stream:
    people = [world.new_person() for _ in STORIES]
    for _ in range(60):
        turn = world.integer(0, 0, 12)
        order = sorted(range(13), key=lambda who: (who * 5 + turn * 3 + world.integer(0, 0, 6)) % 13)
        said = sorted(
            ((phase, place, who, text, wish) for place, who in enumerate(order) for phase, text, wish in STORIES[who]),
        )
        for places in range(10, 17):
            first, seats, waiting = _given(
                [(people[who].name, phase, place, wish) for phase, place, who, _, wish in said], places
            )
            jumped = next((name for name in seats if name not in first), None)
            if len(waiting) > 1 and jumped and len(seats) > 6 and set(first) - set(seats):
                lines = [(phase, place, who, text) for phase, place, who, text, _ in said]
                return Stream(people, lines, places, places + 2, seats, waiting, first)
    raise ScenarioError("nobody moves up from the waiting list")


@attrs.frozen
class Outcome:
    """What is done with places: tools, what is done when sign-ups and cancelling are over, and what that leaves."""

    wish: str
    tools: tuple[str, ...]
    steps: Callable[[], Steps]
    nodes: Sequence[Node]
    allowed: Sequence[Node]
    told: int = 0


def _on_list(world: World, what: str, stream: Stream, until: Callable[[int], Steps]) -> Outcome:
    at = world.put(CHECKLISTS, checklist_row(world.draw("notes"), f"{what}: places", world.draw("notes").moment(-3, 9)))

    def steps() -> Steps:
        seen = yield from until(1)
        [found] = (yield call("search_checklists", words=f"{what}: places"))["results"]
        parties = {name: f"{name}: {size}" for name, size in stream.first.items() if name in seen}
        items = yield call("add_checklist_items", checklist_id=found["checklist_id"], items=[*parties.values()])
        made = dict(zip(parties, items, strict=True))
        yield from until(2)
        for name, item_id in made.items():
            if name not in stream.seated:
                yield call("delete_checklist_item", item_id=item_id)
            elif stream.seated[name] != stream.first[name]:
                yield call("modify_checklist_item", item_id=item_id, content=f"{name}: {stream.seated[name]}")
        more = [f"{name}: {size}" for name, size in stream.seated.items() if name not in made]
        yield call("add_checklist_items", checklist_id=found["checklist_id"], items=more)

    def item(name: str, *sizes: int) -> Node:
        said = OneOf([SameWords(f"{name} {size}") for size in sizes])
        return added(ITEMS, checklist_id=at["checklist_id"], content=said, position=Anything())

    wish = (f'enter everybody who has places then in my checklist "{what}: places", one item for each party, such as '
            '"Ann Lee: 2"')  # fmt: skip
    return Outcome(
        wish, ("search_checklists", "get_checklist", "add_checklist_items", "modify_checklist_item",
               "delete_checklist_item", "create_checklist"), steps,
        [*_left(item(*each) for each in stream.first.items() if stream.seated.get(each[0]) != each[1]),
         *(item(*each) for each in stream.seated.items())],
        [item(name, *{size, stream.seated.get(name, size)}) for name, size in stream.first.items()],
    )  # fmt: skip


def _left(nodes: Iterable[Node]) -> list[Node]:
    """That something was there for a while, and is no more."""
    made: list[Node] = []
    for number, node in enumerate(nodes):
        there = node.passing().named(f"for a while {number}").after()
        if isinstance(there.check, Changed):
            made += [there, Node(NotYet(there.check, undoes=True), "state").after(there.label)]
    return made


def _invited(world: World, what: str, stream: Stream, until: Callable[[int], Steps]) -> Outcome:
    draw = world.draw("calendar")
    calendar = next(row for row in world.stored(CALENDARS) if row["name"] == "Private" and row["access"] == "owner")
    event = world.put(EVENTS, event_row(draw, calendar, what, times(draw, 6, 19, 120)))
    emails = {each.name: email(each) for each in stream.people}

    def steps() -> Steps:
        seen = yield from until(1)
        [found] = (yield call("search_calendar_events", words=what))["results"]
        invited = [emails[name] for name in stream.first if name in seen]
        yield call("invite_to_calendar_event", event_id=found["event_id"], emails=invited)
        yield from until(2)
        for name in [name for name in stream.first if name not in stream.seated]:
            yield call("uninvite_from_calendar_event", event_id=found["event_id"], email=emails[name])
        more = [emails[name] for name in stream.seated if name not in stream.first]
        yield call("invite_to_calendar_event", event_id=found["event_id"], emails=more)

    def guest(name: str) -> Node:
        return added(ATTENDEES, event_id=event["event_id"], email=emails[name], answer="none", required=Anything())

    known = OneOf([emails[name] for name in {**stream.first, **stream.seated}])
    notice = added(NOTICES, 30, event_id=event["event_id"], recipient_email=known, message=Anything(),
                   sent_at=Anything(), kind=OneOf(["invitation", "cancellation", "update"]))  # fmt: skip
    return Outcome(
        f'invite everybody who has places then to the event "{what}" in my calendar, at the address that they wrote '
        f'from '
        "(whoever wrote for a party, nobody else of it)",
        ("search_calendar_events", "get_calendar_event", "invite_to_calendar_event", "uninvite_from_calendar_event"),
        steps, [*_left(guest(name) for name in stream.first if name not in stream.seated), *map(guest, stream.seated)],
        [*map(guest, stream.first), notice],
    )  # fmt: skip


def _paid_back(world: World, what: str, stream: Stream, until: Callable[[int], Steps]) -> Outcome:
    draw = world.draw("wallet")
    fare, account = 50 * world.integer(27, 20, 45), stage.put_account(world, f"{what} account", 400000)
    payees = [world.put(PAYEES, payee_row(draw, each.name)) for each in stream.people]
    wishes = {stream.people[who].name: 0 for _, _, who, _ in stream.said}
    for _, _, who, text in stream.said:
        size = next(wish for story in STORIES for _, said, wish in story if said == text)
        wishes[stream.people[who].name] = max(size or 0, wishes[stream.people[who].name])
    back = {name: (size - stream.seated.get(name, 0)) * fare for name, size in wishes.items()}
    back = {name: cents for name, cents in back.items() if cents}

    def steps() -> Steps:
        yield from until(1)
        yield from until(2)
        accounts = yield call("search_bank_accounts", words=f"{what} account")
        rows = yield from everything("search_payees")
        for name, cents in back.items():
            yield call("create_money_transfer", account_id=accounts["results"][0]["account_id"], amount=cents,
                       payee_id=one(rows, name=name)["payee_id"], description=what)  # fmt: skip

    same = {"account_id": account["account_id"], "description": SameWords(what), "category": Anything()}
    ids = {row["name"]: row["payee_id"] for row in payees}
    return Outcome(
        f"pay back from the {what} account what people have paid for nothing: everybody pays {money(fare)} dollars for "
        "each place when they sign up, and gets back what they paid for places that they do not have in the end, be it "
        "that they cancelled or got none; one transfer to each payee, with "
        f'the description "{what}"',
        ("search_bank_accounts", "search_payees", "create_money_transfer", "search_money_transfers"), steps,
        [added(TRANSFERS, payee_id=ids[name], amount=cents, state="sent", **same) for name, cents in back.items()],
        [added(TRANSACTIONS, counterparty=name, amount=-cents, kind="transfer", transfer_id=Anything(), **same)
         for name, cents in back.items()], sum(back.values()),
    )  # fmt: skip


def _at_once(_: int) -> Steps:
    yield from ()


def _listed_and_paid_back(world: World, what: str, stream: Stream, until: Callable[[int], Steps]) -> Outcome:
    listed = _on_list(world, what, stream, until)
    paid = _paid_back(world, what, stream, _at_once)

    def steps() -> Steps:
        yield from listed.steps()
        yield from paid.steps()

    both = (*listed.nodes, *(node.after() for node in paid.nodes)), (*listed.allowed, *paid.allowed)
    wish = f"{listed.wish}; when cancelling is over, also {paid.wish}"
    return Outcome(wish, (*listed.tools, *paid.tools), steps, *both)


def _give_places(
    world: World,
    place: Callable[[World, str, list[Person], str], tuple[Says, Callable[[], Steps]]],
    end: Callable[[World, str, Stream, Callable[[int], Steps]], Outcome],
) -> Task:
    what = world.phrase("Lighthouse trip", "Falcon show", "Glacier walk", "Mill concert")
    stream = _stream(world)
    start = world.local(world.now)
    closes = start.replace(minute=0, second=0, microsecond=0) + datetime.timedelta(hours=3)
    ends = [(closes + datetime.timedelta(hours=2 * part) - start).total_seconds() / 60 for part in (0, 1)]
    say_it, read = place(world, what, stream.people, RULES)
    events = [say_it(4, f"We have {stream.before} places.", -800)]
    for phase, number, who, text in stream.said:
        begin, end_of = ((-600, -60), (12, ends[0] - 5), (ends[0] + 6, ends[1] - 4))[phase]
        events.append(say_it(who, text, begin + (end_of - begin) * number / 13))
    events.append(say_it(4, f"Bad news, we do not get what was promised: there are only {stream.places} places now.",
                         ends[0] / 2))  # fmt: skip

    def until(part: int) -> Steps:
        yield call("wait_until", time=f"{closes + datetime.timedelta(hours=2 * part - 2):%Y-%m-%dT%H:%M}")
        return str((yield from read()))

    outcome = end(world, what, stream, until)

    def solution() -> Solution:
        yield from outcome.steps()
        yield say(f"I've paid back {money(outcome.told)} dollars in all." if outcome.told else "It is all done.")

    where = "chat, and a pinned post there says" if place is chat else "inbox, and my notes say"
    return Task(
        user=f'Today the places of our "{what}" are given away. People sign up in '
        f"{'the group ' if place is chat else 'my '}{where} how it works. Signing up is over at "
        f"{closes:%H:%M}, cancelling at "
        f"{closes + datetime.timedelta(hours=2):%H:%M}. Please wait for both, look what has come in, and "
        f"{outcome.wish}. {PACE[end]} I need no places myself."
        f"{' Tell me in the end what you have paid back in all.' if outcome.told else ''}",
        tools=["wait_until", "wait_minutes", *(CHAT if place is chat else MAIL), *outcome.tools],
        milestones=[*in_any_order(*outcome.nodes), answer(Number(outcome.told / 100, "USD"))]
        if outcome.told
        else [node if node.waits_for else node.after() for node in outcome.nodes],
        allowed=outcome.allowed,
        events=[event for event in events if event is not None],
        solution=solution,
    )  # fmt: skip


PACE: dict[Callable[..., Outcome], str] = {
    _on_list: "Do so when signing up is over, for all to see, and bring it up to date when cancelling is over.",
    _invited: "Do so when signing up is over, and bring it up to date when cancelling is over.",
    _paid_back: "Send the money when cancelling is over.",
    _listed_and_paid_back: "Write the list when signing up is over, and bring it up to date when cancelling is over.",
}


# The order of sign-ups with changes of size, a number of places that falls, parties that are passed over.
@scenario(apps=("clock", "groups", "notes"))
def list_who_has_places(world: World) -> Task:
    """Keep the list of who has places up to date while people sign up and cancel in a chat."""
    return _give_places(world, chat, _on_list)


# As before; each mail is read for itself, and the rules are in the notes.
@scenario(apps=("clock", "mail", "notes"))
def list_who_has_places_by_mail(world: World) -> Task:
    """Keep the list of who has places up to date while people sign up and cancel by mail."""
    return _give_places(world, inbox, _on_list)


# As before; whoever loses a place is not to be invited any more.
@scenario(apps=("clock", "mail", "notes", "calendar"))
def invite_who_has_places(world: World) -> Task:
    """Invite who has places, while people sign up and cancel by mail."""
    return _give_places(world, inbox, _invited)


# What is paid back follows from the difference between the wish at first and the places in the end.
@scenario(apps=("clock", "groups", "wallet"))
def pay_back_who_has_no_places(world: World) -> Task:
    """Pay back for places that people have paid and do not have in the end."""
    return _give_places(world, chat, _paid_back)


# As before, with mails.
@scenario(apps=("clock", "mail", "notes", "wallet"))
def pay_back_who_has_no_places_by_mail(world: World) -> Task:
    """Pay back for places that people have paid by mail and do not have in the end."""
    return _give_places(world, inbox, _paid_back)


@scenario(apps=("clock", "groups", "notes", "wallet"))
def list_who_has_places_and_pay_back(world: World) -> Task:
    """Keep the list of who has places up to date, and pay back for places that nobody has."""
    return _give_places(world, chat, _listed_and_paid_back)


@scenario(apps=("clock", "mail", "notes", "wallet"))
def list_who_has_places_and_pay_back_by_mail(world: World) -> Task:
    """Keep the list of who has places by mail up to date, and pay back for places that nobody has."""
    return _give_places(world, inbox, _listed_and_paid_back)
