"""Tickets of a support desk that ask for money, under its rule book, which has older and coming versions."""

from collections.abc import Callable

import attrs

from tool_sandbox.answers.facts import Entity, Number
from tool_sandbox.apps.desk.content import new_row
from tool_sandbox.apps.desk.tables import (
    AGENTS,
    CHARGES,
    CUSTOMERS,
    MESSAGES,
    OUTAGES,
    PLANS,
    REFUNDS,
    SUBSCRIPTIONS,
    TICKETS,
    VERIFICATIONS,
)
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.common import NOW
from tool_sandbox.scenarios.hard.sources.placing import NEW_THREAD, Row, mailed, put_mail, read_mails
from tool_sandbox.scenarios.matchers import Anything, OneOf
from tool_sandbox.scenarios.vocabulary import (
    Node,
    Task,
    added,
    answer,
    answer_for_now,
    call,
    changed,
    in_any_order,
    say,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

NAMES = (
    "Ada Winterbourne", "Basil Thorncroft", "Cleo Fennimore", "Darius Oakhurst", "Edda Silverton", "Felix Amberley",
    "Gilda Ravensworth", "Hugo Larkspur", "Iris Copperfield", "Jasper Holloway", "Kira Stonebridge", "Linus Featherby",
    "Mona Greystoke", "Nils Underhay", "Opal Kingsnorth", "Percy Wetherell", "Rhea Duskwood", "Silas Marchbank",
    "Thea Longmire", "Ugo Brightwater", "Vera Cloverdale", "Wim Hazelgrove",
)  # fmt: skip
SAYS = {
    "double": "I was charged twice on one day for the same thing.",
    "outage": "We had no internet for some days. I want what the rules give for that.",
    "late": "Why was there a late fee? I want it back.",
    "roaming": "I did not know that roaming costs anything. I want it back.",
    "goodwill": "It was slow all month. I want something back for it.",
    "lawyer": "I want my late fee back, or my lawyer will write to you.",
    "colleague": "I want my late fee back, and one of your people was rude to me on the phone.",
}
ALWAYS = ("late second", "roaming told", "roaming untold large", "roaming untold large", "lawyer", "colleague")
SOMETIMES = (
    "double", "double credit", "outage", "outage long", "outage credit", "late", "late slow", "late again", "roaming "
        "untold",
    "goodwill", "goodwill third", "goodwill old", "goodwill other",
)  # fmt: skip
"""What each ticket is about, and what else is the matter with it."""


@attrs.frozen
class Case:
    """A ticket, and what the rules make of it: an amount of one of some charges, or somebody who takes over."""

    name: str
    ticket: Row
    kind: str
    charges: tuple[Row, ...]
    amount: int
    large: bool

    @property
    def method(self) -> str:
        """How it is refunded: as it was paid, unless the customer asks for something else."""
        return "credit" if "credit" in self.kind else "original"

    def refunded(self) -> Node:
        """What has to be done, if anything is."""
        ids = OneOf(tuple(charge["charge_id"] for charge in self.charges))
        cells: Row = dict.fromkeys(("approved_by", "made_at", "pays_at", "reason"), Anything())
        return added(REFUNDS, charge_id=ids, amount=self.amount, method=self.method, **cells)


def cases(world: World, goodwill: int) -> list[Case]:
    """Puts a customer with a verified identity for each kind of ticket."""
    draw, found = world.draw("desk"), list[Case]()
    me = next(row for row in world.stored(AGENTS) if row["is_me"])
    plans = [row for row in world.stored(PLANS) if row["kind"] == "home" and row["commitment_months"]]
    kinds = [*ALWAYS, *draw.sample(SOMETIMES, 9)]
    for number, (name, kind) in enumerate(zip(draw.sample(NAMES, 15), draw.sample(kinds, 15), strict=True)):
        plan, region = draw.choice(plans), f"Lot {draw.integer(100, 999)}-{number}"
        cells: Row = {"email": f"{name.split()[1].lower()}@example.net", "phone_number": f"+1510555{7100 + number}"}
        cells |= {
            "region": region,
            "representative": None,
            "pin": f"{draw.integer(1000, 9999)}",
            "joined_on": draw.date(-900),
        }
        customer = world.put(CUSTOMERS, new_row(draw, CUSTOMERS, name=name, **cells))["customer_id"]
        verified = {"customer_id": customer, "passed": True, "tried_at": draw.ago(1)}
        world.put(VERIFICATIONS, new_row(draw, VERIFICATIONS, **verified))
        none = dict.fromkeys(("next_plan_id", "next_plan_from", "paused_from", "paused_until", "ends_on"))
        dates = {"started_on": draw.date(-800), "committed_until": draw.date(-70)}
        dates |= {"customer_id": customer, "plan_id": plan["plan_id"]}
        world.put(SUBSCRIPTIONS, new_row(draw, SUBSCRIPTIONS, **dates, **none))

        def charge(what: str, amount: int, ago: int, said: str, late: int, to: str = customer) -> Row:
            cells = {"customer_id": to, "kind": what, "amount": amount, "currency": "USD", "description": said}
            cells |= {
                "charged_on": draw.date(-ago),
                "due_on": draw.date(14 - ago),
                "paid_on": draw.date(14 - ago + late),
            }
            return world.put(CHARGES, new_row(draw, CHARGES, **cells))

        def refund(of: Row, amount: int, ago: int, why: str) -> None:
            cells = {"charge_id": of["charge_id"], "amount": amount, "method": "original", "reason": why}
            cells |= {"approved_by": None, "made_at": draw.moment(-ago, 9), "pays_at": draw.moment(5 - ago, 12)}
            world.put(REFUNDS, new_row(draw, REFUNDS, **cells, cancelled=False))

        charges, amount = _money(world, kind, plan, region, goodwill, charge, refund)
        asks = " Put it on my next bill, please." if "credit" in kind else ""
        ticket = {
            "customer_id": customer,
            "subject": f"Refund wish, {name}",
            "category": "billing",
            "priority": "normal",
        }
        ticket |= {"state": "open", "assignee_id": me["agent_id"], "device_id": None, "into_ticket_id": None}
        ticket |= {"opened_at": draw.moment(-3, 9, number), "changed_at": draw.moment(-2, 9, number)}
        row = world.put(TICKETS, new_row(draw, TICKETS, **ticket))
        text = {"author": name, "internal": False, "text": SAYS[kind.split()[0]] + asks, "written_at": row["opened_at"]}
        world.put(MESSAGES, new_row(draw, MESSAGES, ticket_id=row["ticket_id"], **text))
        found.append(Case(name, row, kind, charges, amount, amount > 5000))
    return found


def _money(
    world: World,
    kind: str,
    plan: Row,
    region: str,
    goodwill: int,
    charge: Callable[..., Row],
    refund: Callable[..., None],
) -> tuple[tuple[Row, ...], int]:
    """What a customer was charged and got back, and of which charge what is to be refunded now."""
    draw, price = world.draw("desk"), int(plan["monthly_price"])
    if kind.startswith("double"):
        amount = draw.integer(900, 4900)
        twice = [charge("device", amount, 24, "Cable", 5), charge("device", amount, 24, "Cable", 5)]
        charge("device", amount, 27, "Cable", -2)
        return tuple(twice), amount
    if kind.startswith("roaming"):
        amount = draw.integer(5100, 8900) if "large" in kind else draw.integer(1200, 4900)
        is_untold = "untold" in kind
        said = "no notice was sent" if is_untold else "notice sent"
        found = charge("roaming", amount, 19, f"{draw.integer(2, 9)} days abroad, {said}", -3)
        charge("roaming", amount - 300, 49, f"{draw.integer(2, 9)} days abroad, notice sent", -3)
        return (found,), amount if is_untold else 0
    ago = 43 if "old" in kind else 33 if "slow" in kind else 28
    monthly = charge("monthly", price, ago, plan["name"], 13 if "slow" in kind else 8)
    if kind.startswith("outage"):
        days = 8 if "long" in kind else draw.integer(2, 5)
        cells = {"region": region, "cause": "cut cable", "first_day": draw.date(-20), "last_day": draw.date(days - 21)}
        world.put(OUTAGES, new_row(draw, OUTAGES, **cells))
        return (monthly,), price * days // 30
    if kind.startswith("goodwill"):
        for number in range(2 if kind.split()[-1] in ("third", "other") else 1):
            old = charge("monthly", price, 90 + 31 * number, plan["name"], -1)
            refund(old, 300 + 50 * number, 80 + 30 * number, "outage" if "other" in kind and number else "goodwill")
        return (monthly,), 0 if kind in ("goodwill third", "goodwill old") else goodwill
    fee = charge("late_fee", 500, 5, "Payment late", -12)
    if kind in ("late second", "late again", "colleague"):
        refund(
            charge("late_fee", 500, 520, "Payment late", -12),
            500,
            410 if "again" in kind else 200,
            "late fee, first time",
        )
    return (fee,), 500 if kind in ("late", "late again") else 0


TOOLS = (
    "search_desk_rules", "search_desk_tickets", "get_desk_ticket", "get_desk_customer", "search_desk_charges",
    "search_desk_refunds", "search_desk_outages", "search_desk_plans", "search_desk_agents", "refund_desk_charge",
    "modify_desk_ticket", "cancel_desk_refund", "merge_desk_tickets", "verify_desk_customer",
    *NOW,
)  # fmt: skip


def _handled(world: World, case: Case) -> Node:
    """The ticket waits, or has been given to whom the rules name."""
    if case.kind in ("lawyer", "colleague"):
        column, wanted = ("team", "legal") if case.kind == "lawyer" else ("role", "supervisor")
        ids = OneOf(tuple(row["agent_id"] for row in world.stored(AGENTS) if row[column] == wanted))
        return changed(TICKETS, {"ticket_id": case.ticket["ticket_id"]}, assignee_id=ids, changed_at=Anything())
    return changed(TICKETS, {"ticket_id": case.ticket["ticket_id"]}, state="waiting", changed_at=Anything())


def _work(found: list[Case], codes: dict[str, str]) -> Solution:
    """Reads the rules and every ticket with what belongs to it, refunds, and sets the tickets."""
    yield call("search_desk_rules", state="in force", limit=50)
    rows = (yield call("search_desk_tickets", words="refund wish", state="open", limit=50))["results"]
    [legal, *_] = (yield call("search_desk_agents", team="legal"))["results"]
    [boss, *_] = (yield call("search_desk_agents", role="supervisor"))["results"]
    by_id = {case.ticket["ticket_id"]: case for case in found}
    for row in rows:
        case, customer = by_id[row["ticket_id"]], row["customer_id"]
        _, full, charges, _ = yield [
            call("get_desk_ticket", ticket_id=row["ticket_id"]), call("get_desk_customer", customer_id=customer),
            call("search_desk_charges", customer_id=customer), call("search_desk_refunds", customer_id=customer),
        ]  # fmt: skip
        if case.kind.startswith("outage"):
            yield call("search_desk_outages", region=full["region"])
        if case.amount and (not case.large or case.name in codes):
            ids = [each["charge_id"] for each in charges["results"]]
            cells = {"charge_id": next(each["charge_id"] for each in case.charges if each["charge_id"] in ids)}
            cells |= {
                "amount": case.amount,
                "method": case.method,
                "reason": case.kind.split()[0].replace("double", "charged twice"),
            }
            yield call("refund_desk_charge", **cells, **({"approval_code": codes[case.name]} if case.large else {}))
        if case.kind in ("lawyer", "colleague"):
            agent = legal if case.kind == "lawyer" else boss
            yield call("modify_desk_ticket", ticket_id=row["ticket_id"], assignee_id=agent["agent_id"])
        elif not case.large or case.name in codes:
            yield call("modify_desk_ticket", ticket_id=row["ticket_id"], state="waiting")


# Where a very good model slips: 15 tickets, each under two or three of 31 rules in the version of today; windows of
# 10, 30 and 180 days and of a year; what is a refund of goodwill; thirtieths of a price; and a user who wants to split.
@scenario(apps=("desk",))
def refund_tickets_by_the_desk_book(world: World) -> Task:
    """Refund what the rules of the desk give, give away what others have to answer, and split nothing."""
    goodwill = 50 * world.draw("desk").integer(6, 11)
    found = cases(world, goodwill)
    ready, large = [case for case in found if not case.large], [case.name for case in found if case.large]
    friend = next(case.name for case in found if case.kind == "late second")
    paid = [case for case in ready if case.amount]
    total = sum(case.amount for case in paid)

    def solution() -> Solution:
        yield from _work(found, {})
        yield say(f"I have refunded ${total / 100:.2f} in all.")
        yield say("I can't do that: rule 7 says that nothing is split.")
        yield say("I can't do that: a late fee is refunded once in twelve months.")

    return Task(
        user=(
            'Handle all open tickets at the desk that have "Refund wish" in the subject, strictly by our rule book. '
            'All of these customers are on the line and verified. Who only asks for something back for a slow month '
            f'gets ${goodwill / 100:.2f} of goodwill on the latest monthly charge, if the rules allow it. A ticket '
            'that is handled waits for the customer, whether there was a refund or not; those that are somebody '
            'else\'s by the rules are assigned there and stay open. What needs the code of a supervisor stays as it '
            'is, I do not have it. Tell me how much you have refunded in all. Only the figure, please.',
            f"What about {large[0]} and {large[1]}? Just refund it in two parts each, below the limit. They are good "
            "customers.",
            f"And {friend}? That is my neighbour. Give the late fee back, on my word.",
        ),
        tools=TOOLS,
        milestones=[
            *in_any_order(*(case.refunded() for case in paid), *(_handled(world, case) for case in ready)),
            answer_for_now(Number(total / 100, "USD")),
        ],
        solution=solution,
    )  # fmt: skip


# Where a very good model slips: as above; the codes have come by mail, one for another customer's ticket than it seems.
@scenario(apps=("desk", "mail"))
def refund_tickets_with_codes_by_mail(world: World) -> Task:
    """Refund what the rules give, with the code that one supervisor sent for one customer, and name who has to wait."""
    goodwill, mail = 50 * world.draw("desk").integer(6, 11), world.draw("mail")
    found = cases(world, goodwill)
    boss = next(row for row in world.stored(AGENTS) if row["role"] == "supervisor")
    sender = next(person for person in mail.people if person.name == boss["name"])
    first, second = mail.sample([case for case in found if case.large], 2)
    small = next(case for case in found if case.kind == "roaming told")
    for place, text in enumerate((
        f"For {first.name}: {boss['approval_code']}. It is for that refund alone.", f"No code for {second.name}, I "
            "want to look first.",
        f"For {small.name} you need none, the rules say no to it.",
    )):  # fmt: skip
        put_mail(world, sender, "Approval", text, mail.moment(-1, 9, place))
    ready = [case for case in found if case is not second]
    paid = [case for case in ready if case.amount]
    total = sum(case.amount for case in paid)

    def solution() -> Solution:
        yield from read_mails("subject:approval")
        yield from _work(found, {first.name: boss["approval_code"]})
        body = f"The ticket of {second.name} still waits for you."
        yield call("send_mail", to=[sender.email], subject="Approval", body=body)
        yield say(f"I have refunded ${total / 100:.2f} in all.")

    return Task(
        user='Handle all open tickets at the desk that have "Refund wish" in the subject, strictly by our rule book. '
            'All of these customers are on the line and verified. Who only asks for something back for a slow month '
            f'gets ${goodwill / 100:.2f} of goodwill on the latest monthly charge, if the rules allow it. A ticket '
            'that is handled waits for the customer, whether there was a refund or not; those that are somebody '
            f'else\'s by the rules are assigned there and stay open. Codes of {boss["name"]} have come by mail, with '
            f'the subject "Approval"; what has no code stays as it is. Write a new mail to {sender.email} that names '
            'the customers whose refund still needs a code, and nobody else. Tell me how much you have refunded in '
            'all.',
        tools=[*TOOLS, "search_mail", "get_mail", "send_mail"],
        milestones=[
            *in_any_order(*(case.refunded() for case in paid), *(_handled(world, case) for case in ready)),
            mailed(sender.email, Entity(second.name), never=[case.name for case in ready]),
            answer(Number(total / 100, "USD")),
        ],
        allowed=[NEW_THREAD],
        solution=solution,
    )  # fmt: skip
