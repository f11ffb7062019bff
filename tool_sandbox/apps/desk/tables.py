"""What a support desk keeps: agents, rules and outages; customers, plans, charges and refunds; devices and tickets."""

from typing import Any

from tool_sandbox.apps import (
    choice,
    date,
    flag,
    key,
    moment,
    only_one,
    reference,
    table,
    text,
    whole,
)
from tool_sandbox.apps.columns import money

CATEGORIES = ("billing", "technical", "account", "delivery")
PRIORITIES = ("low", "normal", "high", "urgent")
STATES = ("new", "open", "waiting", "solved", "closed")


def _wrong_subscription(row: dict[str, Any]) -> str | None:
    if (row["next_plan_id"] is None) != (row["next_plan_from"] is None):
        return "a plan to come has a date from which it holds"
    if (row["paused_from"] is None) != (row["paused_until"] is None):
        return "a pause begins and ends"
    return None


def _wrong_merge(row: dict[str, Any]) -> str | None:
    if row["into_ticket_id"] is None or (row["state"] == "closed" and row["into_ticket_id"] != row["ticket_id"]):
        return None
    return "a ticket that was merged into another one is closed"


AGENTS = table(
    "desk.agents",
    key("agent_id"),
    text("name"),
    text("email"),
    choice("role", "agent", "supervisor"),
    choice("team", "first line", "billing", "technicians", "legal"),
    text("approval_code", optional=True),
    flag("is_me"),
    unique=[only_one("email"), only_one(is_me=True)],
)
"""Who works at the desk; supervisors give out their approval codes, which no tool shows."""

RULES = table(
    "desk.rules",
    key("rule_id"),
    whole("number", 1, 200),
    choice("section", "identity", "refunds", "plans", "devices", "tickets"),
    text("text"),
    date("valid_from"),
    unique=[only_one("number", "valid_from")],
)
"""The rule book in all its versions: of each number, the newest one that has begun is in force."""

OUTAGES = table(
    "desk.outages",
    key("outage_id"),
    text("region"),
    text("cause"),
    date("first_day"),
    date("last_day"),
    row_rules=[lambda row: "an outage ends after it begins" if row["last_day"] < row["first_day"] else None],
)
"""Whole days on which a region had no service, last day included."""

CUSTOMERS = table(
    "desk.customers",
    key("customer_id"),
    text("name"),
    text("email"),
    text("phone_number"),
    text("region"),
    text("representative", optional=True),
    text("pin"),
    date("joined_on"),
    unique=[only_one("email", words="another customer has the address {email}")],
)
"""Customers, with the PIN that only they know."""

VERIFICATIONS = table(
    "desk.verifications",
    key("verification_id"),
    reference("customer_id", "desk.customers"),
    flag("passed"),
    moment("tried_at"),
)
"""When a PIN was tried, and whether it was right."""

PLANS = table(
    "desk.plans",
    key("plan_id"),
    text("name"),
    money("monthly_price", 0, 100_000),
    text("currency"),
    whole("megabits", 1, 10_000),
    choice("kind", "home", "business"),
    whole("commitment_months", 0, 36),
    flag("retired"),
    unique=[only_one("name")],
)
"""What can be subscribed to; retired plans are kept by those who have them."""

SUBSCRIPTIONS = table(
    "desk.subscriptions",
    key("subscription_id"),
    reference("customer_id", "desk.customers"),
    reference("plan_id", "desk.plans"),
    date("started_on"),
    date("committed_until"),
    reference("next_plan_id", "desk.plans", optional=True),
    date("next_plan_from", optional=True),
    date("paused_from", optional=True),
    date("paused_until", optional=True),
    date("ends_on", optional=True),
    row_rules=[_wrong_subscription],
)
"""Who has which plan, and what is to come; it renews on the first of each month."""

CHARGES = table(
    "desk.charges",
    key("charge_id"),
    reference("customer_id", "desk.customers"),
    choice("kind", "monthly", "roaming", "late_fee", "device", "termination", "plan_change"),
    money("amount", 1, 1_000_000),
    text("currency"),
    date("charged_on"),
    date("due_on"),
    date("paid_on", optional=True),
    text("description"),
)
"""What customers were charged, and when they paid it."""

REFUNDS = table(
    "desk.refunds",
    key("refund_id"),
    reference("charge_id", "desk.charges"),
    money("amount", 1, 1_000_000),
    choice("method", "original", "credit"),
    text("reason"),
    text("approved_by", optional=True),
    moment("made_at"),
    moment("pays_at"),
    flag("cancelled"),
)
"""Refunds, which are on their way until they are paid."""

DEVICES = table(
    "desk.devices",
    key("device_id"),
    reference("customer_id", "desk.customers"),
    text("model"),
    text("serial_number"),
    date("bought_on"),
    text("firmware"),
    choice("state", "working", "faulty", "ordered", "replaced"),
    flag("plugged_in"),
    moment("reset_at", optional=True),
    reference("replaces_id", "desk.devices", optional=True),
    unique=[only_one("serial_number"), only_one("replaces_id", words="a device is replaced once")],
)
"""Devices that customers have at home; warranty lasts 24 months from the day of purchase."""

TICKETS = table(
    "desk.tickets",
    key("ticket_id"),
    reference("customer_id", "desk.customers"),
    text("subject"),
    choice("category", *CATEGORIES),
    choice("priority", *PRIORITIES),
    choice("state", *STATES),
    reference("assignee_id", "desk.agents", optional=True),
    reference("device_id", "desk.devices", optional=True),
    reference("into_ticket_id", "desk.tickets", optional=True),
    moment("opened_at"),
    moment("changed_at"),
    row_rules=[_wrong_merge],
)
"""What customers have asked for."""

MESSAGES = table(
    "desk.messages",
    key("message_id"),
    reference("ticket_id", "desk.tickets"),
    text("author"),
    flag("internal"),
    text("text"),
    moment("written_at"),
)
"""What was written in tickets: to and from the customer, or as internal notes."""
