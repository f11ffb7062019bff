"""Desk: the support desk of an internet provider, with customers, plans, refunds, devices, tickets and a rule book."""

from tool_sandbox.apps import App
from tool_sandbox.apps.desk import charges, customers, devices, rulebook, subscriptions, tickets
from tool_sandbox.apps.desk.content import content
from tool_sandbox.apps.desk.probes import PROBES
from tool_sandbox.apps.desk.tables import (
    AGENTS,
    CHARGES,
    CUSTOMERS,
    DEVICES,
    MESSAGES,
    OUTAGES,
    PLANS,
    REFUNDS,
    RULES,
    SUBSCRIPTIONS,
    TICKETS,
    VERIFICATIONS,
)

APP = App(
    name="desk",
    title="Support desk",
    tables=[
        *(AGENTS, RULES, OUTAGES, CUSTOMERS, VERIFICATIONS, PLANS, SUBSCRIPTIONS),
        *(CHARGES, REFUNDS, DEVICES, TICKETS, MESSAGES),
    ],
    tools=[
        customers.search_desk_customers,
        customers.get_desk_customer,
        customers.verify_desk_customer,
        customers.modify_desk_customer,
        subscriptions.search_desk_plans,
        subscriptions.change_desk_subscription_plan,
        subscriptions.pause_desk_subscription,
        subscriptions.cancel_desk_subscription,
        charges.search_desk_charges,
        charges.refund_desk_charge,
        charges.cancel_desk_refund,
        charges.search_desk_refunds,
        devices.search_desk_devices,
        devices.run_desk_device_action,
        devices.exchange_desk_device,
        devices.plug_in_desk_device,
        devices.look_at_desk_device,
        tickets.search_desk_tickets,
        tickets.get_desk_ticket,
        tickets.create_desk_ticket,
        tickets.modify_desk_ticket,
        tickets.add_desk_ticket_message,
        tickets.merge_desk_tickets,
        rulebook.search_desk_rules,
        rulebook.search_desk_outages,
        rulebook.search_desk_agents,
    ],
    content=content,
    words={
        AGENTS.name: ("agent", "agents"),
        RULES.name: ("rule", "rules"),
        OUTAGES.name: ("outage", "outages"),
        CUSTOMERS.name: ("customer", "customers"),
        VERIFICATIONS.name: ("check of a PIN", "checks of PINs"),
        PLANS.name: ("plan", "plans"),
        SUBSCRIPTIONS.name: ("subscription", "subscriptions"),
        CHARGES.name: ("charge", "charges"),
        REFUNDS.name: ("refund", "refunds"),
        DEVICES.name: ("device", "devices"),
        TICKETS.name: ("ticket", "tickets"),
        MESSAGES.name: ("message", "messages"),
    },
    probes=PROBES,
)
