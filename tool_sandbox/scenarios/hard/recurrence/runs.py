"""Standing orders over some weeks: which runs are left out or made smaller, by the day on which they really happen."""

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps.tasks.content import list_row
from tool_sandbox.apps.tasks.tables import LISTS
from tool_sandbox.apps.wallet.ledger import business_day, open_runs
from tool_sandbox.apps.wallet.ledger import runs as engine_runs
from tool_sandbox.apps.wallet.rows import account_row, order_row, payee_row
from tool_sandbox.apps.wallet.tables import ACCOUNTS, PAYEES, RUNS, STANDING_ORDERS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.bookkeeping.jobs import Deed, Job, Look, look, mails, make_task, page
from tool_sandbox.scenarios.hard.bookkeeping.papers import Row, money, put_mail, put_page
from tool_sandbox.scenarios.hard.common import in_the_end
from tool_sandbox.scenarios.hard.recurrence.deadlines import ONE, READS, Day, spoken
from tool_sandbox.scenarios.matchers import Anything
from tool_sandbox.scenarios.vocabulary import Task, added, call, removed
from tool_sandbox.scenarios.world import World

ORDERS = (
    ("lesson", "Cello lesson", "week", 1, 2_450), ("lesson", "Swimming lessons", "week", 2, 3_900),
    ("lesson", "Spanish, lesson and book", "month", 1, 6_250), ("gift", "Gift to the food bank", "month", 1, 4_515),
    ("gift", "Monthly gift to the zoo", "week", 2, 1_575), ("club", "Chess club", "week", 1, 835),
    ("club", "Book club and library", "month", 1, 1_290), ("rent", "Rent of the garage", "month", 1, 11_800),
    ("rent", "Lesson room, rent", "week", 2, 5_640), ("insurance", "Insurance of the cello", "month", 1, 2_985),
)  # fmt: skip
"""Sort, description, unit, how many of them, cents."""
PAYEE_NAMES = ("Alder House", "Birch Lane", "Cedar Court", "Dogwood Hall", "Elm Corner", "Fir Point", "Gorse Hill")
TOOLS = (
    *(*READS, "search_bank_accounts", "search_standing_orders", "get_standing_order", "modify_standing_order"),
    *("change_standing_order_run", "cancel_standing_order"),
)


@attrs.frozen
class Run:
    """One coming run of a standing order; amount and state are as they would be if nothing is done."""

    order: Row
    sort: str
    due: Day
    happens: Day
    amount: int
    skipped: bool

    def deed(self, action: str, amount: int | None = None) -> Deed:
        """Leaves it out, gives it another amount, or has it as usual again."""
        where = {"standing_order_id": self.order["standing_order_id"], "due_on": self.due.isoformat()}
        given = {"amount": amount} if amount else {}
        step = call("change_standing_order_run", action=action, **where, **given)
        if action == "as usual":
            return Deed((removed(RUNS, **where),), (step,))
        return Deed((added(RUNS, **where, action=action, **given),), (step,))


def _put_orders(world: World) -> tuple[Row, list[Run], tuple[Look, ...]]:
    """An account with ten standing orders, and their runs of the coming seven weeks; some have exceptions already."""
    draw, name = world.draw("wallet"), world.phrase("Family account", "House account", "Shared account")
    account = world.put(ACCOUNTS, account_row(draw, name, "current", "USD", 0, 900_000) | {"opening_balance": 900_000})
    until, runs = world.today + 49 * ONE, list[Run]()
    for number, (sort, what, unit, every, cents) in enumerate(ORDERS):
        payee = world.put(PAYEES, payee_row(draw, f"{PAYEE_NAMES[number % 7]} {number + 1}"))
        near = {world.in_days(days).isoformat() for days in (-2, -1, 0, 1)}
        while True:
            first = world.today - draw.integer(30, 170) * ONE
            is_long = first.month in (1, 3, 5, 7, 8, 10, 12)
            first = first.replace(day=31) if what == "Rent of the garage" and is_long else first
            order = order_row(draw, account, payee, cents, what, first.isoformat(), unit=unit, every=every)
            # What is due about today may have happened or not.
            if not near & {run["due_on"] for run in engine_runs(order, [], world.in_days(9))}:
                break
        world.put(STANDING_ORDERS, order)
        coming = [run for run in open_runs(order, [], until) if run["runs_on"] > world.in_days(1).isoformat()]
        special = dict[str, Row]()
        for run in draw.sample(coming, 1 if number % 3 == 0 else 0):
            cells = {"run_exception_id": draw.key("run_exception"), "standing_order_id": order["standing_order_id"]}
            cells |= {"due_on": run["due_on"], "action": "skip", "amount": None}
            special[run["due_on"]] = world.put(RUNS, cells)
        for run in coming:
            due, happens = (Day.fromisoformat(run[name]) for name in ("due_on", "runs_on"))
            runs.append(Run(order, sort, due, happens, cents, run["due_on"] in special))
    orders = look(
        "search_standing_orders", "get_standing_order", key="standing_order_id", account_id=account["account_id"]
    )
    return account, runs, (look("search_bank_accounts", words=name), orders)


def _away(world: World, *, back: bool) -> Task:
    """Leaves out and halves runs over an absence; the user may come back earlier in the end."""
    account, runs, looks = _put_orders(world)
    start = world.today + (11 + (5 - world.today.weekday()) % 7) * ONE
    end, early, last = start + 16 * ONE, start - 2 * ONE, world.today + 42 * ONE
    sooner = end - 6 * ONE if back else end
    text = (
        f"We are away from {spoken(start)} to {spoken(end)}. What counts for a run is the day on which the money "
        "moves, not the day on which it is due. While we are away, lessons and clubs are left out; after that they "
        f"go on as usual. Gifts are half from {spoken(start)} until {spoken(last)}, an odd cent in favour of those "
        "who get them. Rents and insurances always go out in full, also those with something else in their names. Runs "
        "that are left out already stay so, but a rent or an insurance that is left out has to go out after all."
    )
    again = f"About the time when we are away: we leave two days earlier, on {spoken(early)}. All that begins with our "
    again += "leaving begins then. We come back as planned."
    put_page(world, "While we are away", text)
    put_mail(world, world.friend.name, "While we are away", again, -1)
    deeds, undone, total, then = list[Deed](), list[Deed](), 0, 0
    for run in runs:
        amount = later = 0 if run.skipped else run.amount
        if run.sort in ("rent", "insurance") and run.skipped and run.happens <= last:
            deeds.append(run.deed("as usual"))
            amount = later = run.amount
        elif run.sort in ("lesson", "club") and early <= run.happens <= end and not run.skipped:
            skip, amount, later = run.deed("skip"), 0, 0
            if run.happens > sooner:
                skip, later = skip.for_now(), run.amount
                where = {"standing_order_id": run.order["standing_order_id"], "due_on": run.due.isoformat()}
                undone.append(Deed((in_the_end(RUNS, [where], there=False),), run.deed("as usual").steps))
            deeds.append(skip)
        elif run.sort == "gift" and early <= run.happens <= last and not run.skipped:
            amount = later = (run.amount + 1) // 2
            deeds.append(run.deed("change", amount))
        total += amount if early <= run.happens <= end else 0
        then += later if early <= run.happens <= sooner else 0
    asked = [
        f"Please bring the runs of my standing orders from the {account['name']} until {spoken(last)} in line "
        'with the page "While we are away" of my notes; a mail (away) changed something. Change single runs, never a '
        "whole order. Then tell me how much leaves the account through standing "
        "orders while we are away, from the day we leave to the day we come back. Only the figure, please."
    ]
    asked += [
        f"We come back earlier than planned, on {spoken(sooner)}. Please have those runs as usual again which that "
        "changes, and no others. How much leaves the account through standing orders while we are away, then? "
        "Only the figure, please."
    ] * back
    told = [f"The runs are changed. They take {money(cents)} from the account in that time." for cents in (total, then)]
    facts = [[Number(cents / 100, "USD")] for cents in (total, then)]
    return Job(
        asked,
        TOOLS,
        (page("While we are away"), mails("subject:away"), *looks),
        deeds,
        told[0],
        facts[back],
        (text, again),
        [(undone, told[1])] * back,
        facts[0] * back,
    ).task()


# The day on which a run happens is not the day on which it is due, what is called a lesson may be rent, what is skipped
# already has to stay or come back, and the sum is of what is left of forty runs.
@scenario(apps=("wallet", "notes", "mail"))
def leave_out_runs_while_away(world: World) -> Task:
    """Leave out and halve runs of standing orders over an absence, and tell what still leaves the account."""
    return _away(world, back=False)


# Only what the user itself had left out before stays out, and gifts stay halved: a model puts back too much.
@scenario(apps=("wallet", "notes", "mail"))
def leave_out_runs_and_come_back_earlier(world: World) -> Task:
    """Leave out and halve runs over an absence, and undo what is not needed when the absence gets shorter."""
    return _away(world, back=True)


# A run that is due on a weekend or a holiday happens later, which some receivers do not accept: for each of these the
# last business day before has to be found, around weekends and holidays of the United States.
@scenario(apps=("wallet", "tasks", "notes", "mail"))
def pay_late_runs_by_hand(world: World) -> Task:
    """Leave out those runs of punctual orders that would come late, and make tasks to pay them on time."""
    account, runs, looks = _put_orders(world)
    draw = world.draw("tasks")
    tasks = world.put(LISTS, list_row(draw, world.phrase("Payments", "Money", "To pay"), draw.moment(-40, 9)))
    last = world.today + 48 * ONE
    text = (
        "Rents, insurances and lessons have to be there on the day on which they are due. If a run of theirs happens "
        "later than that, because of a weekend or a holiday, it is to be left out, and I pay by hand: on the last "
        "business day of the bank before the due date. Clubs and gifts can be late. What is left out already is fine."
    )
    again = (
        "About late payments: the insurance tells me that a day or two do not matter to them. The clubs, however, have "
    )
    again += "become strict, so treat them like rents."
    put_page(world, "Punctual payments", text)
    put_mail(world, world.friend.name, "Late payments", again, -1)
    deeds, total = list[Deed](), 0
    for run in runs:
        if run.sort in ("gift", "insurance") or run.skipped or run.happens == run.due or run.due > last:
            continue
        day = next(d for d in (run.due - n * ONE for n in range(1, 9)) if business_day(d) == d)
        title = f"Pay {run.order['description']}"
        deeds += [
            run.deed("skip"),
            make_task(tasks, title, (f"{money(run.amount)}", Anything()), due_on=day.isoformat()),
        ]
        total += run.amount
    return Job(
        f"Please see to it that nothing of my standing orders from the {account['name']} comes late that must not, for "
        f"all runs due until {spoken(last)}: leave out the runs that would come late, and put a task on my list "
        f'"{tasks["name"]}" for each of them, titled "Pay <description of the order>", due on the day on which I pay '
        'by hand, and assigned to me. What must not be late stands on the page "Punctual payments" of my notes, a mail '
        "(late) changed it. In the end tell me how much I have to pay by hand in all. Only the figure, please.",
        (*TOOLS, "search_task_lists", "search_tasks", "create_task", "modify_task"),
        (page("Punctual payments"), mails("subject:late"), look("search_task_lists", words=tasks["name"]), *looks),
        deeds,
        f"Everything is set. You have to pay {money(total)} by hand in all.",
        [Number(total / 100, "USD")],
        (text, again),
    ).task()
