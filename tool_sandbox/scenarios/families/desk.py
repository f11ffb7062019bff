"""Support desk: tickets, charges and refunds of customers."""

import datetime
from typing import Any

from tool_sandbox.answers.facts import Date
from tool_sandbox.apps.desk.content import new_row
from tool_sandbox.apps.desk.customers import months_after
from tool_sandbox.apps.desk.devices import WARRANTY_MONTHS
from tool_sandbox.apps.desk.tables import AGENTS, CHARGES, CUSTOMERS, DEVICES, MESSAGES, REFUNDS, TICKETS, VERIFICATIONS
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import found
from tool_sandbox.scenarios.matchers import Anything, SameWords
from tool_sandbox.scenarios.vocabulary import (
    INFORMATION_MISSING,
    TOOL_MISSING,
    Task,
    added,
    answer,
    call,
    cannot,
    changed,
    say,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution, ToolCallFailed

DESK = ("desk",)

Row = dict[str, Any]


def _put_customer(world: World) -> Row:
    """A customer whose name nobody else has."""
    draw = world.draw("desk")
    name, region = world.choice(
        ("Thaddeus Quill", "Harbour"), ("Philippa Marlowe", "Old Town"), ("Cosmo Abernathy", "North Bay")
    )
    email, pin = f"{name.split()[1].lower()}@example.net", f"{world.integer(4821, 1000, 9999)}"
    cells = {"name": name, "email": email, "phone_number": "+15105559100", "region": region, "representative": None}
    return world.put(CUSTOMERS, new_row(draw, CUSTOMERS, **cells, pin=pin, joined_on=draw.date(-700)))


def _put_charge(world: World, customer: Row, kind: str, amount: int, days: int, said: str, *, paid: bool) -> Row:
    """A charge of so many days ago, which is due after two weeks; one that is paid was paid after one."""
    draw = world.draw("desk")
    cells = {"customer_id": customer["customer_id"], "kind": kind, "amount": amount, "currency": "USD"}
    cells |= {"charged_on": draw.date(-days), "due_on": draw.date(14 - days), "description": said}
    return world.put(CHARGES, new_row(draw, CHARGES, **cells, paid_on=draw.date(7 - days) if paid else None))


def _put_ticket(world: World, customer: Row, subject: str, state: str, days: int = 5) -> Row:
    """A normal ticket about the account, which the user has."""
    draw, me = world.draw("desk"), next(row for row in world.stored(AGENTS) if row["is_me"])
    cells = {"customer_id": customer["customer_id"], "subject": subject, "category": "account", "priority": "normal"}
    cells |= {"opened_at": draw.moment(-days, 10), "changed_at": draw.moment(1 - days, 9), "device_id": None}
    cells |= {"assignee_id": me["agent_id"], "into_ticket_id": None, "state": state}
    ticket = world.put(TICKETS, new_row(draw, TICKETS, **cells))
    text = {
        "author": customer["name"],
        "internal": False,
        "text": subject,
        "written_at": cells["opened_at"],
    }
    world.put(MESSAGES, new_row(draw, MESSAGES, ticket_id=ticket["ticket_id"], **text))
    return ticket


@scenario(apps=DESK)
def open_desk_ticket(world: World) -> Task:
    """Open a ticket for a customer, in the words that the user gives."""
    customer = _put_customer(world)
    name = customer["name"]
    subject, text, category = world.choice(
        ("Parcel left in the rain", "The box is soaked and the manual is pulp.", "delivery"),
        ("Invoice by post", "I want my invoices on paper from now on.", "billing"),
        ("Remote control scratched", "The remote control came with a scratch.", "technical"),
    )
    priority = world.phrase("low", "normal")

    def solution() -> Solution:
        [row] = (yield call("search_desk_customers", words=name))["results"]
        cells = {"subject": subject, "text": text, "category": category, "priority": priority}
        yield call("create_desk_ticket", customer_id=row["customer_id"], **cells)
        yield say(f'I\'ve opened the ticket "{subject}" for {name}.')

    return Task(
        user=world.phrase(
            f'Open a ticket at the desk for {name}. Category {category}, priority {priority}, subject "{subject}", '
            f'text: "{text}"',
            f'{name} has called: "{text}" Make a {category} ticket of it, with {priority} priority and the subject '
            f'"{subject}".',
        ),
        tools=["search_desk_customers", "create_desk_ticket"],
        milestones=[
            added(
                TICKETS,
                customer_id=customer["customer_id"],
                subject=SameWords(subject),
                category=category,
                priority=priority,
                state="new",
            ),
            added(MESSAGES, author=name, text=SameWords(text), internal=False).after(),
        ],
        solution=solution,
    )


@scenario(apps=DESK)
def hand_over_desk_ticket(world: World) -> Task:
    """Give a ticket to a colleague with a new priority, beside one of nearly the same subject."""
    customer = _put_customer(world)
    subject, other = world.choice(
        ("Socket in the attic", "Socket in the cellar"),
        ("Letterbox name in May", "Letterbox name in June"),
        ("Antenna on the balcony", "Antenna on the roof"),
    )
    _put_ticket(world, customer, other, "open", 3)
    ticket = _put_ticket(world, customer, subject, "open")
    agents = [row for row in world.stored(AGENTS) if not row["is_me"]]
    agent, priority = agents[world.integer(1, 0, len(agents) - 1)], "low"

    def solution() -> Solution:
        [row] = (yield call("search_desk_tickets", words=subject))["results"]
        [colleague] = (yield call("search_desk_agents", words=agent["name"]))["results"]
        yield call(
            "modify_desk_ticket",
            ticket_id=row["ticket_id"],
            assignee_id=colleague["agent_id"],
            priority=priority,
        )
        yield say(f'{agent["name"]} has the ticket "{subject}" now, with {priority} priority.')

    return Task(
        user=world.phrase(
            f'Assign the ticket "{subject}" to {agent["name"]} and set its priority to {priority}.',
            f'{agent["name"]} takes over the ticket "{subject}" from me. Change that at the desk, and make the '
            f"priority {priority}.",
        ),
        tools=["search_desk_tickets", "get_desk_ticket", "search_desk_agents", "modify_desk_ticket"],
        milestones=[
            changed(
                TICKETS,
                {"ticket_id": ticket["ticket_id"]},
                assignee_id=agent["agent_id"],
                priority=priority,
                changed_at=Anything(),
            )
        ],
        solution=solution,
    )


@scenario(apps=DESK)
def take_back_desk_refund(world: World) -> Task:
    """Cancel the refund of a customer that is on its way, beside one that has been paid."""
    draw, customer = world.draw("desk"), _put_customer(world)
    name, amount = customer["name"], world.integer(1250, 700, 2400)
    refunds = []
    for days, made, pays in ((70, -40, -35), (20, -1, 3)):
        charge = _put_charge(world, customer, "device", 3 * amount, days, "Cable set", paid=True)
        cells = {"charge_id": charge["charge_id"], "amount": amount, "method": "original", "reason": "goodwill"}
        cells |= {"made_at": draw.moment(made, 9), "pays_at": draw.moment(pays, 12), "cancelled": False}
        refunds.append(world.put(REFUNDS, new_row(draw, REFUNDS, **cells, approved_by=None)))

    def solution() -> Solution:
        [row] = (yield call("search_desk_customers", words=name))["results"]
        rows = (yield call("search_desk_refunds", customer_id=row["customer_id"]))["results"]
        refund_id = next(each["refund_id"] for each in rows if each["state"] == "on its way")
        yield call("cancel_desk_refund", refund_id=refund_id)
        yield say(f"The refund for {name} that was on its way is cancelled.")

    return Task(
        user=world.phrase(
            f"Cancel the refund for our customer {name} that is still on its way.",
            f"{name}, a customer, has a refund on its way that was a mistake. Take it back, please.",
        ),
        tools=["search_desk_customers", "search_desk_refunds", "cancel_desk_refund"],
        milestones=[changed(REFUNDS, {"refund_id": refunds[1]["refund_id"]}, cancelled=True)],
        solution=solution,
    )


@scenario(apps=DESK)
def tell_warranty_of_desk_device(world: World) -> Task:
    """Say until when the warranty of one device of a customer lasts, beside another device."""
    draw, customer = world.draw("desk"), _put_customer(world)
    name = customer["name"]
    model, other = world.choice(
        ("Door camera C3", "Door bell C1"), ("Repeater P5", "Repeater P2"), ("Desk phone F7", "Cordless phone F4")
    )
    for number, (each, days) in enumerate(((other, 45), (model, world.integer(260, 100, 600)))):
        cells = {"customer_id": customer["customer_id"], "model": each, "serial_number": f"7755{number}331"}
        cells |= {"firmware": "7.4", "state": "working", "plugged_in": True, "reset_at": None, "replaces_id": None}
        device = world.put(DEVICES, new_row(draw, DEVICES, **cells, bought_on=draw.date(-days)))
    until = datetime.date.fromisoformat(months_after(device["bought_on"], WARRANTY_MONTHS))

    def solution() -> Solution:
        [row] = (yield call("search_desk_customers", words=name))["results"]
        rows = (yield call("search_desk_devices", customer_id=row["customer_id"], words=model))["results"]
        day = datetime.date.fromisoformat(rows[0]["warranty_until"])
        yield say(f"The warranty of the {model} lasts until {day.day} {day:%B %Y}.")

    return Task(
        user=world.phrase(
            f"Until which date does the warranty of the {model} last that our customer {name} has?",
            f"Our customer {name} has a {model}. On which date does its warranty end?",
        ),
        tools=["search_desk_customers", "search_desk_devices"],
        milestones=[
            found("search_desk_devices", device_id=device["device_id"]),
            answer(Date(until)),
        ],
        solution=solution,
    )


@scenario(ScenarioCategories.BATCH_EDIT, ScenarioCategories.NEGATIVE_CONSTRAINT, apps=DESK)
def close_solved_desk_tickets(world: World) -> Task:
    """Close all tickets of a customer that are solved, however many there are, and no others."""
    customer = _put_customer(world)
    name, count = customer["name"], world.integer(3, 2, 4)
    subjects = ("Paper invoices", "New door bell", "Letterbox name", "Socket in the hall", "Antenna on the roof")
    tickets = [
        _put_ticket(world, customer, subject, "waiting" if number == count else "solved", 9 - number)
        for number, subject in enumerate(subjects[: count + 1])
    ]

    def solution() -> Solution:
        [row] = (yield call("search_desk_customers", words=name))["results"]
        rows = (yield call("search_desk_tickets", customer_id=row["customer_id"], state="solved"))["results"]
        yield [call("modify_desk_ticket", ticket_id=each["ticket_id"], state="closed") for each in rows]
        yield say(f"I've closed {len(rows)} solved tickets of {name}.")

    return Task(
        user=world.phrase(
            f"Close all tickets of our customer {name} that are solved. Leave the others alone.",
            f"All solved tickets of the customer {name} can be closed, but touch none that is still going on.",
        ),
        tools=["search_desk_customers", "search_desk_tickets", "get_desk_ticket", "modify_desk_ticket"],
        milestones=[
            changed(TICKETS, {"ticket_id": ticket["ticket_id"]}, state="closed", changed_at=Anything()).after()
            for ticket in tickets[:count]
        ],
        solution=solution,
    )


@scenario(apps=DESK)
def refund_desk_charge_after_pin(world: World) -> Task:
    """Refund a charge, for which the customer has to be verified by the PIN that the user has heard."""
    customer = _put_customer(world)
    name, amount = customer["name"], world.integer(1840, 900, 4800)
    _put_charge(world, customer, "device", amount + 65, 35, "Long antenna", paid=True)
    charge = _put_charge(world, customer, "roaming", amount, 21, "4 days abroad, no notice was sent", paid=True)

    def solution() -> Solution:
        [row] = (yield call("search_desk_customers", words=name))["results"]
        yield call("verify_desk_customer", customer_id=row["customer_id"], pin=customer["pin"])
        rows = (yield call("search_desk_charges", customer_id=row["customer_id"], kind="roaming"))["results"]
        cells = {"charge_id": rows[0]["charge_id"], "amount": rows[0]["amount"], "reason": "no notice was sent"}
        yield call("refund_desk_charge", **cells)
        yield say(f"The roaming charge of {name} is refunded in full.")

    return Task(
        user=world.phrase(
            f"{name} is on the phone and gives {customer['pin']} as PIN. Refund the roaming charge in full, as it was "
            'paid; the reason is "no notice was sent".',
            f"Our customer {name} gets the whole roaming charge back, the way it was paid. Reason for the books: "
            f'"no notice was sent". The PIN that I was told is {customer["pin"]}.',
        ),
        tools=["search_desk_customers", "verify_desk_customer", "search_desk_charges", "refund_desk_charge"],
        milestones=[
            added(VERIFICATIONS, customer_id=customer["customer_id"], passed=True),
            added(
                REFUNDS,
                charge_id=charge["charge_id"],
                amount=amount,
                method="original",
                reason=SameWords("no notice was sent"),
                cancelled=False,
            ),
        ],
        solution=solution,
    )


@scenario(apps=DESK)
def refund_desk_charge_without_approval(world: World) -> Task:
    """Say that a refund has to wait for the approval code of a supervisor, which the user does not have."""
    draw, customer = world.draw("desk"), _put_customer(world)
    name, amount = customer["name"], world.integer(8420, 6000, 9900)
    verified = {"customer_id": customer["customer_id"], "passed": True, "tried_at": draw.ago(4)}
    world.put(VERIFICATIONS, new_row(draw, VERIFICATIONS, **verified))
    charge = _put_charge(world, customer, "roaming", amount, 21, "9 days abroad, no notice was sent", paid=True)

    def solution() -> Solution:
        [row] = (yield call("search_desk_customers", words=name))["results"]
        rows = (yield call("search_desk_charges", customer_id=row["customer_id"], kind="roaming"))["results"]
        cells = {"charge_id": rows[0]["charge_id"], "amount": rows[0]["amount"], "reason": "no notice was sent"}
        try:
            yield call("refund_desk_charge", **cells)
            yield say(f"The roaming charge of {name} is refunded in full.")
        except ToolCallFailed:
            yield say("I can't make the refund: the approval code of a supervisor is missing. Please ask for it first.")

    return Task(
        user=world.phrase(
            f"Our customer {name} has been verified. Refund the roaming charge in full, in one refund, as it was paid; "
            'the reason is "no notice was sent".',
            f"Please give {name}, a customer who has been verified, the whole roaming charge back at once, the way it "
            'was paid. Reason for the books: "no notice was sent".',
        ),
        tools=["search_desk_customers", "search_desk_charges", "refund_desk_charge"],
        milestones=[
            found("search_desk_charges", charge_id=charge["charge_id"]),
            answer(cannot(INFORMATION_MISSING, TOOL_MISSING, about=("approval", "code", "supervisor"))),
        ],
        never=[added(REFUNDS, charge_id=charge["charge_id"])],
        solution=solution,
    )
