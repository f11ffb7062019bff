"""Tools for tickets."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    as_moment,
    at_least,
    at_most,
    change,
    checked_moment,
    checked_text,
    contains,
    current_device,
    equals,
    get,
    meets,
    now,
    rows_with,
    search,
    seconds_of,
    tool,
)
from tool_sandbox.apps.desk.customers import Row
from tool_sandbox.apps.desk.tables import AGENTS, CUSTOMERS, DEVICES, MESSAGES, TICKETS

Category = Literal["billing", "technical", "account", "delivery"]
Priority = Literal["low", "normal", "high", "urgent"]
State = Literal["new", "open", "waiting", "solved", "closed"]

HOURS = {"urgent": 4, "high": 8, "normal": 24, "low": 72}
"""Hours within which a ticket of a priority is answered."""

NEXT = {
    "new": ("open", "closed"),
    "open": ("waiting", "solved"),
    "waiting": ("open", "solved"),
    "solved": ("open", "closed"),
    "closed": (),
}
"""States into which a ticket can go from each."""

LONGEST_SUBJECT, LONGEST_TEXT, MOST_MESSAGES = 120, 800, 60
SHOWN_MESSAGES = 15


def me() -> Row:
    """The agent whose device this is."""
    return next(iter(rows_with(AGENTS, "is_me", True)), {"agent_id": None, "name": "the desk"})


def _answer_by(ticket: Row) -> str:
    return as_moment(_answer_time(ticket["opened_at"], ticket["priority"]))


def _answer_time(opened_at: str, priority: str) -> float:
    return seconds_of(opened_at) + 3600 * HOURS[priority]


def _listed(ticket: Row, read: Read) -> Row:
    messages = read(MESSAGES).with_cell("ticket_id", ticket["ticket_id"])
    return ticket | {"answer_by": _answer_by(ticket), "messages": len(messages)}


@tool
def create_desk_ticket(
    customer_id: str,
    subject: str,
    text: str,
    category: Literal["billing", "technical", "account", "delivery"],
    priority: Literal["low", "normal", "high", "urgent"] = "normal",
    device_id: str | None = None,
) -> str:
    """Open a ticket for a customer of the support desk; it is assigned to nobody yet.

    Args:
        customer_id: Identifier of the customer.
        subject: What it is about, at most 120 characters.
        text: What the customer says, at most 800 characters.
        category: billing, technical, account or delivery.
        priority: low, normal, high or urgent.
        device_id: Identifier of the device of the customer that it is about.

    Returns:
        Identifier of the new ticket.

    Raises:
        ValueError: A text is blank or too long, or the device is another customer's.
        NoDataError: No customer or no device has this identifier.
    """
    customer = get(CUSTOMERS, customer_id)
    checked_text(subject, "subject", LONGEST_SUBJECT)
    checked_text(text, "text", LONGEST_TEXT)
    if device_id is not None and get(DEVICES, device_id)["customer_id"] != customer_id:
        raise ValueError("the device is another customer's")
    cells = {"customer_id": customer_id, "subject": subject, "category": category, "priority": priority}
    ticket_id = add(TICKETS, **cells, state="new", device_id=device_id, opened_at=now(), changed_at=now())
    add(MESSAGES, ticket_id=ticket_id, author=customer["name"], internal=False, text=text, written_at=now())
    return ticket_id


@tool
def get_desk_ticket(ticket_id: str) -> dict[str, Any]:
    """Read a ticket of the support desk with its messages.

    Args:
        ticket_id: Identifier of the ticket.

    Returns:
        The ticket, answer_by, next_states, merged_ids (tickets that were merged into it), and messages in order, the
        last 15 of them: author, internal (not for the customer), text, written_at.

    Raises:
        NoDataError: No ticket has this identifier.
    """
    ticket = get(TICKETS, ticket_id)
    names = ("author", "internal", "text", "written_at")
    rows = sorted(rows_with(MESSAGES, "ticket_id", ticket_id), key=lambda row: seconds_of(row["written_at"]))
    return ticket | {
        "answer_by": _answer_by(ticket),
        "next_states": list(NEXT[ticket["state"]]),
        "merged_ids": [row["ticket_id"] for row in rows_with(TICKETS, "into_ticket_id", ticket_id)][-20:],
        "messages": [{name: row[name] for name in names} for row in rows[-SHOWN_MESSAGES:]],
    }


@tool
def search_desk_tickets(
    words: str | NotGiven = NOT_GIVEN,
    customer_id: str | NotGiven = NOT_GIVEN,
    state: Literal["new", "open", "waiting", "solved", "closed"] | NotGiven = NOT_GIVEN,
    category: Literal["billing", "technical", "account", "delivery"] | NotGiven = NOT_GIVEN,
    priority: Literal["low", "normal", "high", "urgent"] | NotGiven = NOT_GIVEN,
    assignee_id: str | NotGiven | None = NOT_GIVEN,
    opened_since: str | NotGiven = NOT_GIVEN,
    opened_until: str | NotGiven = NOT_GIVEN,
    overdue: bool | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find tickets of the support desk, those opened last first.

    Args:
        words: Words that all occur in the subject.
        customer_id: Identifier of the customer.
        state: new, open, waiting (for the customer), solved or closed.
        category: billing, technical, account or delivery.
        priority: low, normal, high or urgent.
        assignee_id: Identifier of the agent who has them; None for those that nobody has.
        opened_since: Earliest time at which they were opened, for example 2025-05-14T10:24 in the zone of the device.
        opened_until: Latest time at which they were opened.
        overdue: True for those that are new or open although their time to answer has passed.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (with answer_by, and the number of their messages), total, and next_cursor, which is None on the last
        page.

    Raises:
        ValueError: A time, the limit or the cursor cannot be understood.
    """
    cells = {"customer_id": customer_id, "state": state, "category": category, "priority": priority}
    conditions = [equals(name, cell) for name, cell in (cells | {"assignee_id": assignee_id}).items()]
    conditions += [contains("subject", words), at_least("opened_at", checked_moment(opened_since, "opened_since"))]
    conditions += [at_most("opened_at", checked_moment(opened_until, "opened_until"))]
    time = current_device().now()

    def is_meant(state: str, opened_at: str, priority: str) -> bool:
        return (state in ("new", "open") and _answer_time(opened_at, priority) < time) == overdue

    conditions.append(meets("overdue", overdue, is_meant, "state", "opened_at", "priority"))
    return search(TICKETS, *conditions, order_by="opened_at", descending=True, show=_listed, limit=limit, cursor=cursor)


@tool
def modify_desk_ticket(
    ticket_id: str,
    state: Literal["new", "open", "waiting", "solved", "closed"] | NotGiven = NOT_GIVEN,
    category: Literal["billing", "technical", "account", "delivery"] | NotGiven = NOT_GIVEN,
    priority: Literal["low", "normal", "high", "urgent"] | NotGiven = NOT_GIVEN,
    assignee_id: str | NotGiven | None = NOT_GIVEN,
) -> None:
    """Change state, category, priority or assignee of a ticket of the support desk. What is left out stays as it is.

    Args:
        ticket_id: Identifier of the ticket.
        state: New state; get_desk_ticket says which ones can follow.
        category: New category.
        priority: New priority.
        assignee_id: Identifier of the agent who has it from now on; None for nobody.

    Returns:
        Nothing.

    Raises:
        ValueError: Nothing to change was given, the ticket is closed, the state cannot follow, or nobody has it.
        NoDataError: No ticket or no agent has this identifier.
    """
    ticket = get(TICKETS, ticket_id)
    if isinstance(assignee_id, str):
        get(AGENTS, assignee_id)
    if ticket["state"] == "closed":
        raise ValueError("rule 27: the ticket is closed, open a new one instead")
    if isinstance(state, str) and state not in (ticket["state"], *NEXT[ticket["state"]]):
        raise ValueError(
            f"a ticket that is {ticket['state']} can become {' or '.join(NEXT[ticket['state']])}, not {state}"
        )
    has_it = ticket["assignee_id"] if isinstance(assignee_id, NotGiven) else assignee_id
    if state in ("open", "waiting", "solved") and has_it is None:
        raise ValueError(f"nobody has the ticket: give assignee_id before it is {state}")
    change(TICKETS, ticket_id, state=state, category=category, priority=priority, assignee_id=assignee_id)
    change(TICKETS, ticket_id, changed_at=now())


@tool
def add_desk_ticket_message(ticket_id: str, text: str, internal: bool = False) -> str:
    """Write to the customer in a ticket of the support desk, or an internal note for colleagues.

    Args:
        ticket_id: Identifier of the ticket.
        text: What is written, at most 800 characters.
        internal: Whether it is a note that the customer does not see.

    Returns:
        Identifier of the message.

    Raises:
        ValueError: The text is blank or too long, or the ticket is closed or has 60 messages.
        NoDataError: No ticket has this identifier.
    """
    ticket = get(TICKETS, ticket_id)
    checked_text(text, "text", LONGEST_TEXT)
    if ticket["state"] == "closed":
        raise ValueError("the ticket is closed, open a new one instead")
    if len(rows_with(MESSAGES, "ticket_id", ticket_id)) >= MOST_MESSAGES:
        raise ValueError(f"a ticket has at most {MOST_MESSAGES} messages, open a new one instead")
    change(TICKETS, ticket_id, changed_at=now())
    return add(MESSAGES, ticket_id=ticket_id, author=me()["name"], internal=internal, text=text, written_at=now())


@tool
def merge_desk_tickets(ticket_id: str, into_ticket_id: str) -> int:
    """Merge a ticket of the support desk into an older one of the same customer: its messages move, and it is closed.

    Args:
        ticket_id: Identifier of the newer ticket.
        into_ticket_id: Identifier of the older one, which stays.

    Returns:
        Number of messages that moved.

    Raises:
        ValueError: They are of different customers or the same ticket, one is closed, or the one that stays is newer.
        NoDataError: No ticket has this identifier.
    """
    newer, older = get(TICKETS, ticket_id), get(TICKETS, into_ticket_id)
    if ticket_id == into_ticket_id or newer["customer_id"] != older["customer_id"]:
        raise ValueError("only two different tickets of one customer can be merged")
    if "closed" in (newer["state"], older["state"]):
        raise ValueError("a closed ticket cannot be merged")
    if seconds_of(newer["opened_at"]) < seconds_of(older["opened_at"]):
        raise ValueError("rule 28: the older ticket stays; merge the other way round")
    messages = rows_with(MESSAGES, "ticket_id", ticket_id)
    for row in messages:
        change(MESSAGES, row["message_id"], ticket_id=into_ticket_id)
    change(TICKETS, ticket_id, state="closed", into_ticket_id=into_ticket_id, changed_at=now())
    change(TICKETS, into_ticket_id, changed_at=now())
    return len(messages)
