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
from tool_sandbox.scenarios.hard.common import NOW, read_all
from tool_sandbox.scenarios.hard.events.arrivals import CHAT, MAIL, Says, chat, email, inbox
from tool_sandbox.scenarios.hard.recovery import stage
from tool_sandbox.scenarios.hard.recovery.stage import Steps, money, one, together
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
from tool_sandbox.world.errors import DrawError
from tool_sandbox.world.script import Solution

Wish = tuple[int, str] | None
"""How many places somebody wants (0: as before) on which boats in order ("" as before, "x": none), if that is said."""
STORIES: tuple[tuple[tuple[int, str, Wish], ...], ...] = (
    ((0, "Count me in for the {a}!", (1, "a")),),
    ((0, "I am coming with my two children, 5 and 9 years old. The {a}; if that is full, the {b}.", (3, "ab")),),
    ((0, "Maybe. I have to ask at work first.", None),
     (1, "I have got the day off, so I am coming. On the {a}, and on no other.", (1, "a"))),
    ((0, "My husband and I would like to be on the {a}, else on the {b}.", (2, "ab")),
     (2, "My husband is ill, so it is only me.", (1, ""))),
    ((0, "Sadly I can't make it that day. Have fun!", None),),
    ((1, "I would like to sign up with three friends: the {a} or, if need be, the {b}.", (4, "ab")),),
    ((0, "Yes, I am coming. The {a}, please.", (1, "a")), (1, "I have to cancel after all, sorry.", (0, "x"))),
    ((1, "I would love to. I'll tell you this evening whether I can.", None),
     (2, "Now I know it: I am coming. Rather on the {b}, but the {a} will do.", (1, "ba"))),
    ((1, "We are coming, my brother and I, on the {a}.", (2, "a")), (2, "We have to cancel, both of us.", (0, "x"))),
    ((0, "I am coming with my daughter, she is 3. The {a}, or else the {b}.", (1, "ab")),
     (1, "Have you seen it? My daughter and I are coming.", None)),
    ((1, "I am in, and my parents are coming along. Only the {a}, my father does not like the other one.", (3, "a")),),
    ((1, "I am coming on my own, on the {b} or the {a}, in this order.", (1, "ba")),),
    ((0, "We are two and want to come, my neighbour and I. On the {a}.", (2, "a")),
     (2, "My neighbour can't come, I still can.", (1, ""))),
    ((0, "I sign up for the {a}, with my twins, who are 2, and with my mother.", (2, "a")),
     (1, "We would rather be on the {b} now, with the {a} as second choice.", (0, "ba"))),
    ((0, "Three places for us on the {b}, please, or on the {a}.", (3, "ba")),
     (1, "It will be only two of us.", (2, ""))),
    ((0, "One for me on the {a}.", (1, "a")), (1, "Can't make it, I cancel.", (0, "x")),
     (1, "It works out after all! I am in again, on the {a} or else the {b}.", (1, "ab"))),
    ((0, "I take the {b}.", (1, "b")), (2, "Could my cousin perhaps come along, too?", None)),
    ((1, "I come with my sons of 4 and 6. The {b}, please, or else the {a}.", (3, "ba")),),
    ((1, "My sister asks whether there is room left. Keep nothing for her, she will write herself.", None),),
    ((2, "I know that I am late, but I am coming, too: on the {a}, or if that is full on the {b}.", (1, "ab")),),
)  # fmt: skip
"""What people write: before the start, until sign-ups close, and after that; and what they want then."""

RULES = (
    "How it works: 1. Whoever says that they come, that they would like to be on a boat or that they want places signs "
    "up, for all whom they say come along; who still has to see whether they can does not, nor does who only asks. "
    "Children of up to 3 years sit on a lap and need no place. 2. When sign-ups close, it goes in the order in "
    "which people signed up, and it counts what they want by then; whoever changes a wish keeps the turn, whoever "
    "cancels loses it. A party goes on the boat of its first choice if all of it fits there, else on the one of "
    "its second choice if it has named one and all of it fits there, else on the waiting list, and whoever comes "
    "next is looked at. 3. After that nobody gets more places than that, and who signs up only then goes to the "
    "end of the waiting list. Whoever needs fewer keeps the boat. 4. When cancelling is over, those who are on the "
    "boat of their second choice come first, in the order in which they signed up: whose whole party fits on the "
    "first choice now moves there, one after another; nobody is looked at twice, so what one leaves free by that is "
    "for those behind. Then the waiting list gets what is free, in order and as in rule 2, nobody being looked at "
    "twice there, either. 5. How many places there are {who} tells in the same place where people sign up, and the "
    "newest such word holds."
)
BOATS = (("red boat", "green boat"), ("old ferry", "new ferry"), ("north raft", "south raft"))
Seats = dict[str, tuple[int, str]]
"""Number of places and boat by name."""


@attrs.define
class Stream:
    """Who writes what and when, and who has places in the end."""

    people: list[Person]
    boats: tuple[str, str]
    said: list[tuple[int, int, str]]
    most: dict[str, int]
    places: list[dict[str, int]]
    seated: Seats
    free: int
    first: Seats


def _seat(seats: Seats, name: str, size: int, boats: str, places: dict[str, int]) -> bool:
    """Gives a party places on the first of these boats on which it fits."""
    for boat in boats:
        if size <= places[boat] - sum(count for other, (count, at) in seats.items() if at == boat and other != name):
            seats[name] = size, boat
            return True
    return False


def _given(said: list[tuple[int, str, Wish]], places: list[dict[str, int]]) -> tuple[Seats, Seats, list[str]]:
    """Who has places when sign-ups close, and in the end, with the waiting list; from phase, name and wish."""
    line: dict[str, tuple[int, str]] = {}
    seats: Seats = {}
    first: Seats = {}
    for phase in (1, 2):
        for when, name, wish in said:
            if wish is None or (when == 2) != (phase == 2):
                continue
            size, boats = wish
            if boats == "x":
                line.pop(name, None)
                seats.pop(name, None)
            else:
                had = line.get(name, (0, ""))
                line[name] = size or had[0], boats or had[1]
                if name in seats:
                    seats[name] = line[name][0], seats[name][1]
        if phase == 2:
            for name in [name for name in line if name in seats and seats[name][1] != line[name][1][0]]:
                _seat(seats, name, line[name][0], line[name][1][0], places[2])
        for name, (size, boats) in line.items():
            if name not in seats:
                _seat(seats, name, size, boats, places[phase])
        first = first or dict(seats)
    return first, seats, [name for name in line if name not in seats]


def _stream(world: World) -> Stream:
    people, boats = [world.new_person() for _ in STORIES], world.choice(*BOATS)
    draw = world.draw("clock")
    for _ in range(400):
        turn = draw.integer(0, len(STORIES) - 1)
        order = sorted(range(len(STORIES)), key=lambda who: ((who * 7 + turn * 3) % 20, draw.integer(0, 6)))
        sides = [draw.choice(("ab", "ba")) for _ in STORIES]
        said = sorted(((phase, place, number), who) for place, who in enumerate(order)
                      for number, (phase, *_) in enumerate(STORIES[who]))  # fmt: skip
        told = [(key[0], who, STORIES[who][key[2]]) for key, who in said]
        lines = [(phase, people[who].name, wish and (wish[0], _on_side(wish[1], sides[who])))
                 for phase, who, (_, _, wish) in told]  # fmt: skip
        size = {boat: draw.integer(8, 11) for boat in "ab"}
        places = [size, size | {"a": size["a"] - 2}, size | {"a": size["a"] - 2, "b": size["b"] + 1}]
        first, seats, waiting = _given(lines, places)
        moved = [name for name in first if name in seats and seats[name][1] != first[name][1]]
        later = [name for name in seats if name not in first]
        side = {name: wish[1] for _, name, wish in lines if wish and wish[1]}
        second = [name for name in seats if name in first and name not in moved and seats[name][1] != side[name][0]]
        free = sum(places[2].values()) - sum(count for count, _ in seats.values())
        if moved and len(later) > 1 and len(waiting) > 1 and second and free:
            texts = [(phase, who, text.format(a=boats["ab".index(sides[who][0])], b=boats["ab".index(sides[who][1])]))
                     for phase, who, (_, text, _) in told]  # fmt: skip
            most: dict[str, int] = {}
            for _, name, wish in lines:
                most |= {name: max(wish[0], most.get(name, 0))} if wish else {}
            return Stream(people, boats, texts, most, places, seats, free, first)
    raise DrawError("nobody moves, or nobody moves up from the waiting list")


def _on_side(boats: str, side: str) -> str:
    """Boats as somebody calls them."""
    return "".join(side["ab".index(each)] if each in "ab" else each for each in boats)


@attrs.frozen
class Outcome:
    """What is done with places: tools, what is done when sign-ups and cancelling are over, and what that leaves."""

    wish: str
    tools: tuple[str, ...]
    steps: Callable[[], Steps]
    nodes: Sequence[Node]
    allowed: Sequence[Node]
    told: int = 0


End = Callable[[World, str, Stream, Callable[[int], Steps]], Outcome]


def _on_list(world: World, what: str, stream: Stream, until: Callable[[int], Steps]) -> Outcome:
    at = world.put(CHECKLISTS, checklist_row(world.draw("notes"), f"{what}: places", world.draw("notes").moment(-3, 9)))
    first, seated = ({name: f"{name}: {size}, {stream.boats['ab'.index(boat)]}" for name, (size, boat) in each.items()}
                     for each in (stream.first, stream.seated))  # fmt: skip

    def steps() -> Steps:
        seen = yield from until(1)
        [found] = (yield call("search_checklists", words=f"{what}: places"))["results"]
        parties = {name: line for name, line in first.items() if name in seen}
        items = yield call("add_checklist_items", checklist_id=found["checklist_id"], items=[*parties.values()])
        made = dict(zip(parties, items, strict=True))
        yield from until(2)
        gone = [item_id for name, item_id in made.items() if name not in seated]
        yield from together(call("delete_checklist_item", item_id=item_id) for item_id in gone)
        new = [(made[name], seated[name]) for name in made if seated.get(name, first[name]) != first[name]]
        yield from together(call("modify_checklist_item", item_id=item_id, content=line) for item_id, line in new)
        more = [line for name, line in seated.items() if name not in made]
        yield call("add_checklist_items", checklist_id=found["checklist_id"], items=more)

    def item(*lines: str) -> Node:
        said = OneOf([SameWords(line) for line in lines])
        return added(ITEMS, checklist_id=at["checklist_id"], content=said, position=Anything())

    wish = (
        f'enter everybody who has places then in my checklist "{what}: places", one item for each party with the name '
        f'of whoever wrote, the number of places and the boat, such as "Ann Lee: 2, {stream.boats[0]}"'
    )
    return Outcome(
        wish, ("search_checklists", "get_checklist", "add_checklist_items", "modify_checklist_item",
               "delete_checklist_item", "create_checklist"), steps,
        [
            *(item(line).passing().named(line).after() for line in first.values()),
            *_left(item(line) for name, line in first.items() if seated.get(name) != line),
            *(item(line) if line in first.values() else item(line).after(*first.values()) for line in seated.values()),
        ],
        [item(*{line, seated.get(name, line)}) for name, line in first.items()],
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
    events = {side: world.put(EVENTS, event_row(draw, calendar, f"{what}, {boat}", times(draw, 6, 19, 120)))
              for side, boat in zip("ab", stream.boats, strict=True)}  # fmt: skip
    emails = {each.name: email(each) for each in stream.people}
    first, seated = (
        {side: [name for name, (_, boat) in each.items() if boat == side] for side in "ab"}
        for each in (stream.first, stream.seated)
    )

    def steps() -> Steps:
        seen = yield from until(1)
        found = (yield call("search_calendar_events", words=what))["results"]
        ids = {side: one(found, title=event["title"])["event_id"] for side, event in events.items()}
        for side, event_id in ids.items():
            invited = [emails[name] for name in first[side] if name in seen]
            yield call("invite_to_calendar_event", event_id=event_id, emails=invited)
        yield from until(2)
        gone = [(ids[side], emails[name]) for side in ids for name in first[side] if name not in seated[side]]
        yield from together(
            call("uninvite_from_calendar_event", event_id=event_id, email=address) for event_id, address in gone
        )
        for side, event_id in ids.items():
            if more := [emails[name] for name in seated[side] if name not in first[side]]:
                yield call("invite_to_calendar_event", event_id=event_id, emails=more)

    def guest(side: str, name: str) -> Node:
        cells = {"event_id": events[side]["event_id"], "email": emails[name]}
        return added(ATTENDEES, answer="none", required=Anything(), **cells)

    early = [side + name for side in "ab" for name in first[side]]
    known = OneOf([emails[name] for name in {**stream.first, **stream.seated}])
    either = OneOf([event["event_id"] for event in events.values()])
    notice = added(NOTICES, 60, event_id=either, recipient_email=known, message=Anything(),
                   sent_at=Anything(), kind=OneOf(["invitation", "cancellation", "update"]))  # fmt: skip
    return Outcome(
        f'invite everybody who has places then to the event of their boat ("{what}, {stream.boats[0]}" or "{what}, '
        f'{stream.boats[1]}") in my calendar, at the address that they wrote from (whoever wrote for a party, '
        'nobody else '
        "of it)",
        ("search_calendar_events", "get_calendar_event", "invite_to_calendar_event", "uninvite_from_calendar_event"),
        steps,
        [
            *(guest(side, name).passing().named(side + name).after() for side in "ab" for name in first[side]),
            *_left(guest(side, name) for side in "ab" for name in first[side] if name not in seated[side]),
            *(guest(side, name) if name in first[side] else guest(side, name).after(*early)
              for side in "ab" for name in seated[side]),
        ],
        [*(guest(side, name) for side in "ab" for name in first[side]), notice],
    )  # fmt: skip


def _paid_back(world: World, what: str, stream: Stream, until: Callable[[int], Steps]) -> Outcome:
    draw = world.draw("wallet")
    fare, account = 50 * world.integer(27, 20, 45), stage.put_account(world, f"{what} account", 400000)
    costs = {"a": fare, "b": fare - 5 * world.integer(43, 30, 70)}
    payees = [world.put(PAYEES, payee_row(draw, each.name)) for each in stream.people]
    places = {name: stream.seated.get(name, (0, "a")) for name in stream.most}
    back = {name: stream.most[name] * fare - size * costs[boat] for name, (size, boat) in places.items()}
    back = {name: cents for name, cents in back.items() if cents}

    def steps() -> Steps:
        yield from until(1)
        yield from until(2)
        accounts = yield call("search_bank_accounts", words=f"{what} account")
        rows = yield from read_all("search_payees")
        cells = {"account_id": accounts["results"][0]["account_id"], "description": what}
        due = [{"payee_id": one(rows, name=name)["payee_id"], "amount": cents} for name, cents in back.items()]
        yield from together(call("create_money_transfer", **cells, **each) for each in due)

    same = {"account_id": account["account_id"], "description": SameWords(what), "category": Anything()}
    ids = {row["name"]: row["payee_id"] for row in payees}
    return Outcome(
        f"pay back from the {what} account what people have paid for nothing: everybody who has ever signed up, "
        f"early or late, has paid {money(fare)} dollars a place, once, for the largest number of places that they "
        "wanted at any one time (who cancelled and signed up again has not paid twice; a question is no sign-up, and a "
        f"lap costs nothing). A place on the {stream.boats[1]} costs "
        f"{money(costs['b'])} dollars only. What somebody has paid beyond what the places cost that they have in "
        "the end goes back, be it that they cancelled, got "
        f'none, or are on that boat; one transfer to each payee, with the description "{what}"',
        ("search_bank_accounts", "search_payees", "create_money_transfer", "search_money_transfers"), steps,
        [added(TRANSFERS, payee_id=ids[name], amount=cents, state="sent", **same) for name, cents in back.items()],
        [added(TRANSACTIONS, counterparty=name, amount=-cents, kind="transfer", transfer_id=Anything(), **same)
         for name, cents in back.items()], sum(back.values()),
    )  # fmt: skip


def _at_once(_: int) -> Steps:
    yield from ()


def _and_paid_back(first: End) -> End:
    """What is done with places, and then also the paying back."""

    def both(world: World, what: str, stream: Stream, until: Callable[[int], Steps]) -> Outcome:
        given, paid = first(world, what, stream, until), _paid_back(world, what, stream, _at_once)

        def steps() -> Steps:
            yield from given.steps()
            yield from paid.steps()

        nodes = (*given.nodes, *(node.after() for node in paid.nodes))
        wish = f"{given.wish}; when cancelling is over, also {paid.wish}"
        return Outcome(wish, (*given.tools, *paid.tools), steps, nodes, (*given.allowed, *paid.allowed), paid.told)

    return both


def _give_places(
    world: World,
    place: Callable[[World, str, list[Person], str], tuple[Says, Callable[[], Steps]]],
    end: End,
) -> Task:
    what = world.phrase("Lighthouse trip", "Falcon show", "Glacier walk", "Mill concert")
    stream = _stream(world)
    start = world.local(world.now)
    closes = start.replace(minute=0, second=0, microsecond=0) + datetime.timedelta(hours=3)
    ends = [(closes + datetime.timedelta(hours=2 * part) - start).total_seconds() / 60 for part in (0, 1)]
    say_it, read = place(world, what, stream.people, RULES.format(who=stream.people[4].name))
    before, then, late = ([each[side] for side in "ab"] for each in stream.places)
    text = f"We have {before[0]} places on the {stream.boats[0]} and {before[1]} on the {stream.boats[1]}."
    events = [say_it(4, text, -800)]
    for number, (phase, who, text) in enumerate(stream.said):
        begin, end_of = ((-600, -60), (12, ends[0] - 5), (ends[0] + 6, ends[1] - 4))[phase]
        events.append(say_it(who, text, begin + (end_of - begin) * number / len(stream.said)))
    news = (
        f"Bad news, the {stream.boats[0]} takes no more than {then[0]}.",
        f"The {stream.boats[1]} has {late[1]} places now, they found another seat.",
    )
    events += [say_it(4, news[0], ends[0] / 2), say_it(4, news[1], ends[0] + 30)]

    def until(part: int) -> Steps:
        yield call("wait_until", time=f"{closes + datetime.timedelta(hours=2 * part - 2):%Y-%m-%dT%H:%M}")
        seen = str((yield from read()))
        # Before such news has come in nobody can know who has places.
        return seen if news[part - 1] in seen else ""

    outcome = end(world, what, stream, until)

    def solution() -> Solution:
        yield from outcome.steps()
        yield say(f"I've paid back {money(outcome.told)} dollars in all." if outcome.told
                  else f"There are {stream.free} places left on both together.")  # fmt: skip

    where = "chat, and a pinned post there" if place is chat else f'inbox, and my note "{what}: rules"'
    asked = "what you have paid back in all" if outcome.told else "how many places are left then on both boats together"
    told = Number(outcome.told / 100, "USD") if outcome.told else Number(stream.free, "place")
    return Task(
        user=f'Today the places of our "{what}" are given away. People sign up in '
        f"{'the group ' if place is chat else 'my '}{where} says how it works. Signing up is over at {closes:%H:%M}, "
        f"cancelling at {closes + datetime.timedelta(hours=2):%H:%M}. Please wait for both, look what has come in, and "
        f"{outcome.wish}. {PACE.get(end, PACE[_on_list])} I need no places myself. "
        f"Tell me in the end {asked}, only that figure.",
        tools=["wait_until", "wait_minutes", *NOW, *(CHAT if place is chat else MAIL), *outcome.tools],
        milestones=[*in_any_order(*outcome.nodes), answer(told)],
        allowed=outcome.allowed,
        events=[event for event in events if event is not None],
        solution=solution,
    )


PACE: dict[End, str] = {
    _on_list: "Do so when signing up is over, for all to see, and bring it up to date when cancelling is over.",
    _invited: "Do so when signing up is over, and bring it up to date when cancelling is over.",
    _paid_back: "Send the money when cancelling is over.",
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
    return _give_places(world, chat, _and_paid_back(_on_list))


@scenario(apps=("clock", "mail", "notes", "wallet"))
def list_who_has_places_and_pay_back_by_mail(world: World) -> Task:
    """Keep the list of who has places by mail up to date, and pay back for places that nobody has."""
    return _give_places(world, inbox, _and_paid_back(_on_list))


@scenario(apps=("clock", "mail", "notes", "calendar", "wallet"))
def invite_who_has_places_and_pay_back(world: World) -> Task:
    """Invite who has places, while people sign up and cancel by mail, and pay back for places that nobody has."""
    return _give_places(world, inbox, _and_paid_back(_invited))
