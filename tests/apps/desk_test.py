"""What somebody at a support desk relies on."""

import datetime
from collections.abc import Iterator
from typing import Any

import pytest

from tests.apps.conftest import make_context
from tool_sandbox.apps import Draw, add, change, rows_of, rows_with
from tool_sandbox.apps.desk import APP
from tool_sandbox.apps.desk.charges import (
    business_days_after,
    cancel_desk_refund,
    refund_desk_charge,
    search_desk_charges,
    search_desk_refunds,
)
from tool_sandbox.apps.desk.customers import (
    get_desk_customer,
    modify_desk_customer,
    search_desk_customers,
    verify_desk_customer,
)
from tool_sandbox.apps.desk.devices import (
    exchange_desk_device,
    look_at_desk_device,
    plug_in_desk_device,
    run_desk_device_action,
    search_desk_devices,
)
from tool_sandbox.apps.desk.rulebook import search_desk_rules
from tool_sandbox.apps.desk.subscriptions import (
    cancel_desk_subscription,
    change_desk_subscription_plan,
    pause_desk_subscription,
)
from tool_sandbox.apps.desk.tables import AGENTS, CHARGES, CUSTOMERS, DEVICES, PLANS, SUBSCRIPTIONS
from tool_sandbox.apps.desk.tickets import (
    add_desk_ticket_message,
    create_desk_ticket,
    get_desk_ticket,
    merge_desk_tickets,
    modify_desk_ticket,
    search_desk_tickets,
)
from tool_sandbox.conversation.execution_context import ExecutionContext, new_context
from tool_sandbox.world.clock import ScenarioClock


@pytest.fixture(autouse=True)
def world() -> Iterator[ExecutionContext]:
    """The morning of 14 May 2025, a Wednesday."""
    with new_context(make_context("desk")) as context:
        APP.fill(context, Draw("desk"), "small")
        yield context


@pytest.fixture
def customer() -> str:
    """A new customer, who has been verified."""
    cells = {"name": "Ana Costa", "email": "ana@example.com", "phone_number": "+15105559999", "region": "Harbour"}
    key = add(CUSTOMERS, **cells, pin="4711", joined_on="2024-01-10")
    assert verify_desk_customer(key, "4711") == {"passed": True, "tries_left": 3}
    return key


def plan(name: str) -> str:
    return str(rows_with(PLANS, "name", name)[0]["plan_id"])


def subscribed(customer: str, name: str, started: str, committed: str) -> str:
    cells = {"customer_id": customer, "plan_id": plan(name), "started_on": started, "committed_until": committed}
    return add(SUBSCRIPTIONS, **cells)


def charged(customer: str, amount: int, paid_on: str | None = "2025-05-03") -> str:
    cells = {"customer_id": customer, "kind": "monthly", "amount": amount, "currency": "USD", "description": "Home"}
    return add(CHARGES, **cells, charged_on="2025-04-20", due_on="2025-05-04", paid_on=paid_on)


def test_only_the_right_pin_opens_an_account(customer: str) -> None:
    other = add(
        CUSTOMERS, **{**rows_of(CUSTOMERS).get(customer), "customer_id": "customer_x", "email": "b@example.com"}
    )  # type: ignore[dict-item]
    with pytest.raises(PermissionError, match="rule 1: the customer has not been verified in the last 30 minutes"):
        modify_desk_customer(other, region="Old Town")
    for left in (2, 1, 0):
        assert verify_desk_customer(other, "1111") == {"passed": False, "tries_left": left}
    with pytest.raises(PermissionError, match="rule 5"):
        verify_desk_customer(other, "4711")
    assert "4711" not in str([get_desk_customer(customer), search_desk_customers(words="Costa")])
    assert get_desk_customer(customer)["verified_until"] == "2025-05-14T10:54:00-07:00"


def test_a_check_counts_for_half_an_hour(world: ExecutionContext, customer: str) -> None:
    world.clock = ScenarioClock(1747243440.0 + 1801, "America/Los_Angeles")
    with pytest.raises(PermissionError, match="rule 1"):
        modify_desk_customer(customer, region="Old Town")


def test_no_more_is_refunded_than_was_paid(customer: str) -> None:
    charge = charged(customer, 4990)
    refund = refund_desk_charge(charge, 3000, "outage")
    with pytest.raises(ValueError, match="from 1 to 1990 cents, which is what is left"):
        refund_desk_charge(charge, 2000, "outage")
    cancel_desk_refund(refund)
    refund_desk_charge(charge, 4990, "charged twice")
    assert search_desk_charges(customer_id=customer)["results"][0]["refunded"] == 4990
    with pytest.raises(ValueError, match="has not been paid"):
        refund_desk_charge(charged(customer, 100, None), 100, "goodwill")


def test_a_large_refund_needs_a_supervisor(customer: str) -> None:
    charge, boss = charged(customer, 7990), rows_with(AGENTS, "role", "supervisor")[0]
    with pytest.raises(
        PermissionError, match=f"rule 7: approval_code is needed for more than 50.00 USD; ask {boss['name']}"
    ):
        refund_desk_charge(charge, 5001, "outage")
    refund_desk_charge(charge, 5001, "outage", approval_code=boss["approval_code"])
    assert search_desk_refunds(customer_id=customer)["results"][0]["approved_by"] == boss["email"]


def test_a_refund_is_paid_after_three_business_days(world: ExecutionContext, customer: str) -> None:
    refund = refund_desk_charge(charged(customer, 4990), 100, "goodwill")
    (row,) = search_desk_refunds(customer_id=customer)["results"]
    assert (row["state"], row["pays_at"]) == ("on its way", "2025-05-19T12:00:00-07:00")
    world.clock = ScenarioClock(1747243440.0 + 6 * 86_400, "America/Los_Angeles")
    assert search_desk_refunds(customer_id=customer)["results"][0]["state"] == "paid"
    with pytest.raises(ValueError, match="was paid at 2025-05-19"):
        cancel_desk_refund(refund)


def test_business_days_leave_out_weekends_and_holidays() -> None:
    # Monday, 26 May 2025, is Memorial Day.
    assert business_days_after(datetime.date(2025, 5, 22), 3) == datetime.date(2025, 5, 28)


def test_dearer_plans_hold_at_once_and_cheaper_ones_later(customer: str) -> None:
    key = subscribed(customer, "Home 100", "2025-01-10", "2026-01-10")
    with pytest.raises(ValueError, match="rule 15"):
        change_desk_subscription_plan(key, plan("Home 100 (2021)"))
    down = change_desk_subscription_plan(key, plan("Home 50"))
    assert down == {"holds_from": "2025-06-01", "committed_until": "2026-01-10", "fee": 2500}
    assert get_desk_customer(customer)["subscriptions"][0]["plan"] == "Home 100"
    up = change_desk_subscription_plan(key, plan("Home 250"))
    assert up == {"holds_from": "2025-05-14", "committed_until": "2027-05-14", "fee": 0}
    assert get_desk_customer(customer)["subscriptions"][0]["plan"] == "Home 250"
    charged(customer, 4990, None)
    with pytest.raises(ValueError, match="rule 19: the customer owes 4990 cents"):
        change_desk_subscription_plan(key, plan("Business 500"))


def test_an_early_end_costs_half_of_what_is_left(customer: str) -> None:
    key = subscribed(customer, "Home 100", "2024-10-01", "2025-08-01")
    with pytest.raises(ValueError, match="the fee is 5235 cents"):
        cancel_desk_subscription(key)
    assert cancel_desk_subscription(key, 5235) == {"ends_on": "2025-05-31", "fee": 5235}
    assert rows_with(CHARGES, "customer_id", customer)[0]["kind"] == "termination"
    fresh = subscribed(customer, "Home 100", "2025-05-02", "2026-05-02")
    assert cancel_desk_subscription(fresh) == {"ends_on": "2025-05-14", "fee": 0}


def test_a_pause_is_once_a_year_and_after_the_commitment(customer: str) -> None:
    bound, free = (subscribed(customer, "Home 100", "2024-01-10", until) for until in ("2026-01-10", "2025-01-10"))
    with pytest.raises(ValueError, match="rule 17: no pause within the commitment"):
        pause_desk_subscription(bound, 1)
    assert pause_desk_subscription(free, 2) == "2025-08-01"
    with pytest.raises(ValueError, match="rule 17: there is a pause until 2025-08-01"):
        pause_desk_subscription(free, 1, "2026-01-01")


def test_a_device_is_exchanged_when_nothing_else_helps(customer: str) -> None:
    cells = {"customer_id": customer, "model": "Router R2", "serial_number": "123", "bought_on": "2023-05-14"}
    device = add(DEVICES, **cells, firmware="6.9", state="faulty", plugged_in=False)
    with pytest.raises(ConnectionError, match="the customer has to plug it in"):
        run_desk_device_action(device, "check")
    plug_in_desk_device("123")
    assert look_at_desk_device("123")["line_light"] == "red"
    with pytest.raises(ValueError, match="rule 24: update the device first"):
        exchange_desk_device(device)
    assert run_desk_device_action(device, "update") == {"firmware": "7.4", "fault": "no signal on the line side"}
    with pytest.raises(PermissionError, match="rule 23"):
        run_desk_device_action(device, "reset")
    run_desk_device_action(device, "reset", customer_agreed=True)
    new = exchange_desk_device(device)
    states = {row["device_id"]: row["state"] for row in search_desk_devices(customer_id=customer)["results"]}
    assert states == {device: "replaced", new: "ordered"}
    change(DEVICES, new, state="faulty", reset_at="2025-05-14T10:24:00-07:00")
    with pytest.raises(ValueError, match="rule 21: the device is a replacement"):
        exchange_desk_device(new)


def test_a_ticket_goes_from_state_to_state(customer: str) -> None:
    ticket, agent = (
        create_desk_ticket(customer, "Router", "It is broken.", "technical", "urgent"),
        rows_of(AGENTS).dicts()[0],
    )
    assert get_desk_ticket(ticket)["answer_by"] == "2025-05-14T14:24:00-07:00"
    with pytest.raises(ValueError, match="nobody has the ticket"):
        modify_desk_ticket(ticket, state="open")
    modify_desk_ticket(ticket, state="open", assignee_id=agent["agent_id"])
    with pytest.raises(ValueError, match="a ticket that is open can become waiting or solved, not closed"):
        modify_desk_ticket(ticket, state="closed")
    for state in ("solved", "closed"):
        modify_desk_ticket(ticket, state=state)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="rule 27"):
        modify_desk_ticket(ticket, state="open")


def test_tickets_about_the_same_are_merged_into_the_older_one(world: ExecutionContext, customer: str) -> None:
    older = create_desk_ticket(customer, "Router", "It is broken.", "technical")
    world.clock = ScenarioClock(1747243440.0 + 90_000, "America/Los_Angeles")
    newer = create_desk_ticket(customer, "Router again", "Still.", "technical")
    add_desk_ticket_message(newer, "Seen before.", internal=True)
    assert [row["ticket_id"] for row in search_desk_tickets(customer_id=customer, overdue=True)["results"]] == [older]
    with pytest.raises(ValueError, match="rule 28"):
        merge_desk_tickets(older, newer)
    assert merge_desk_tickets(newer, older) == 2
    ticket: dict[str, Any] = get_desk_ticket(older)
    assert [message["text"] for message in ticket["messages"]] == ["It is broken.", "Still.", "Seen before."]
    assert (ticket["merged_ids"], get_desk_ticket(newer)["state"]) == ([newer], "closed")


def test_one_version_of_each_rule_is_in_force() -> None:
    rules = search_desk_rules(state="in force", limit=50)["results"]
    assert [rule["number"] for rule in rules] == list(range(1, 32))
    states = [(rule["state"], "30 days" in rule["text"]) for rule in search_desk_rules(number=6)["results"]]
    assert states == [("replaced", False), ("in force", True)]
    assert [rule["number"] for rule in search_desk_rules(state="to come")["results"]] == [26]
