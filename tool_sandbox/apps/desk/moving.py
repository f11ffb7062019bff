"""What customers do at the support desk, for scenarios in a world that moves."""

from tool_sandbox.apps import add, change, effect, get, now
from tool_sandbox.apps.desk.tables import CUSTOMERS, MESSAGES, TICKETS
from tool_sandbox.apps.desk.tickets import Category, Priority, create_desk_ticket


@effect
def ticket_arrives(
    customer_id: str, subject: str, text: str, category: Category = "technical", priority: Priority = "normal"
) -> str:
    """A customer asks for something; the ticket is new and nobody has it."""
    create_desk_ticket(customer_id, subject, text, category, priority)
    return f"{get(CUSTOMERS, customer_id)['name']} opened a ticket: {subject}"


@effect
def customer_answers(ticket_id: str, text: str) -> str:
    """A customer writes in a ticket; one that was waiting or solved is open again, a closed one gets a successor."""
    ticket = get(TICKETS, ticket_id)
    customer = get(CUSTOMERS, ticket["customer_id"])
    if ticket["state"] == "closed":
        names = ("customer_id", "subject", "category", "priority")
        create_desk_ticket(**{name: ticket[name] for name in names}, text=text)
    else:
        state = "open" if ticket["state"] in ("waiting", "solved") else ticket["state"]
        change(TICKETS, ticket_id, state=state, changed_at=now())
        said = {"author": customer["name"], "internal": False, "text": text, "written_at": now()}
        add(MESSAGES, ticket_id=ticket_id, **said)
    return f"{customer['name']} wrote about {ticket['subject']!r}"
