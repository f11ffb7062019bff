"""The wallet: payees, transfers, standing orders, and what was paid."""

from typing import Any

from tool_sandbox.answers.facts import Quote
from tool_sandbox.apps.wallet.rows import account_number, order_row, payee_row, transaction_row
from tool_sandbox.apps.wallet.tables import ACCOUNTS, PAYEES, STANDING_ORDERS, TRANSACTIONS, TRANSFERS
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.matchers import Anything, SameWords
from tool_sandbox.scenarios.vocabulary import (
    NOT_FOUND,
    Task,
    added,
    answer,
    call,
    called,
    cannot,
    changed,
    say,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

WALLET = ("wallet",)
EVERYDAY = "Everyday account"


def _everyday(world: World) -> dict[str, Any]:
    """The account from which most is paid."""
    return next(row for row in world.stored(ACCOUNTS) if row["name"] == EVERYDAY)


def _put_payee(world: World, name: str) -> dict[str, Any]:
    """A trusted payee."""
    return world.put(PAYEES, payee_row(world.draw("wallet"), name))


def _put_order(world: World, payee: dict[str, Any], amount: int, description: str) -> dict[str, Any]:
    """A monthly standing order that begins in two weeks."""
    draw = world.draw("wallet")
    return world.put(STANDING_ORDERS, order_row(draw, _everyday(world), payee, amount, description, draw.date(14)))


def _put_payment(world: World, merchant: str, what: str, cents: int, days: int, **more: Any) -> dict[str, Any]:
    """A card payment of some days ago."""
    draw = world.draw("wallet")
    return world.put(
        TRANSACTIONS, transaction_row(draw, _everyday(world), -cents, merchant, what, draw.moment(days, 10)) | more
    )


@scenario(apps=WALLET)
def add_payee_with_note(world: World) -> Task:
    """Add a payee with an account number and a note."""
    name, note = world.choice(
        ("Bramble Kennels", "dog sitter"), ("Saddlers Yard", "riding lessons"), ("Quince Ceramics", "pottery course")
    )
    number = account_number(world.draw("wallet"))
    return Task(
        user=world.phrase(
            f'Please add {name} to my payees. The account number is {number}, in US dollars. Note: "{note}".',
            f'I need a new payee in my wallet: {name}, account number {number}, US dollars, with the note "{note}".',
        ),
        tools=["add_payee"],
        milestones=[added(PAYEES, name=SameWords(name), account_number=number, currency="USD", note=SameWords(note))],
        solution=[
            call("add_payee", name=name, account_number=number, currency="USD", note=note),
            say(f"{name} is one of your payees now."),
        ],
    )


@scenario(apps=WALLET)
def transfer_to_payee(world: World) -> Task:
    """Transfer an amount to a payee, beside one with nearly the same name."""
    first, other, what = world.choice(
        ("Bramble Kennels", "Bramble Nursery", "two days in June"),
        ("Saddlers Yard", "Saddlers Arms", "riding lesson"),
        ("Quince Ceramics", "Quince Bakery", "glazing of the bowl"),
    )
    dollars = world.integer(64, 20, 90)
    _put_payee(world, other)
    payee, account = _put_payee(world, first), _everyday(world)

    def solution() -> Solution:
        accounts = yield call("search_bank_accounts", words=EVERYDAY)
        payees = yield call("search_payees", words=first)
        yield call(
            "create_money_transfer",
            account_id=accounts["results"][0]["account_id"],
            payee_id=payees["results"][0]["payee_id"],
            amount=dollars * 100,
            description=what,
        )
        yield say(f"The transfer of {dollars} dollars to {first} is on its way.")

    same = {"description": SameWords(what), "category": Anything(), "account_id": account["account_id"]}
    return Task(
        user=world.phrase(
            f'Transfer {dollars} dollars from my {EVERYDAY} to the payee {first}, please. Description: "{what}".',
            f'Please send {dollars} dollars to my payee {first} from the {EVERYDAY}, with the description "{what}".',
        ),
        tools=["search_bank_accounts", "search_payees", "create_money_transfer"],
        milestones=[
            added(TRANSFERS, payee_id=payee["payee_id"], amount=100 * dollars, state="sent", **same),
            added(
                TRANSACTIONS,
                amount=-100 * dollars,
                counterparty=first,
                kind="transfer",
                transfer_id=Anything(),
                **same,
            ).after(),
        ],
        solution=solution,
    )


@scenario(ScenarioCategories.SINGLE_TOOL_CALL, apps=WALLET, twin="transfer_to_payee")
def transfer_to_unknown_payee(world: World) -> Task:
    """Say that nobody of this name is among the payees."""
    name, other = world.choice(
        ("Bramble Kennels", "Bramble Nursery"), ("Saddlers Yard", "Saddlers Arms"), ("Quince Ceramics", "Quince Bakery")
    )
    dollars = world.integer(35, 20, 90)
    _put_payee(world, other)
    return Task(
        user=world.phrase(
            f"Send {dollars} dollars from my {EVERYDAY} to the payee {name}, please.",
            f"Please transfer {dollars} dollars to my payee {name} from the {EVERYDAY}.",
        ),
        tools=["search_bank_accounts", "search_payees", "create_money_transfer"],
        denied=["add_payee"],
        milestones=[
            called("search_payees"),
            answer(cannot(NOT_FOUND, about=(name, "payee"), task="send")),
        ],
        solution=[
            call("search_payees", words=name),
            say(f"I can't send the money: there is no payee {name} in your wallet."),
        ],
    )


@scenario(apps=WALLET)
def lower_standing_order(world: World) -> Task:
    """Lower the amount of one of two standing orders to the same payee."""
    name, first, second = world.choice(
        ("Bramble Kennels", "dog walks", "dog food"),
        ("Saddlers Yard", "stable hire", "hay and oats"),
        ("Quince Ceramics", "kiln hire", "clay supply"),
    )
    dollars = world.integer(72, 50, 90)
    less = world.integer(48, 20, 49)
    payee = _put_payee(world, name)
    order = _put_order(world, payee, 100 * dollars, first)
    _put_order(world, payee, 100 * dollars, second)

    def solution() -> Solution:
        orders = yield call("search_standing_orders", words=first)
        order_id = orders["results"][0]["standing_order_id"]
        yield call("modify_standing_order", standing_order_id=order_id, amount=100 * less)
        yield say(f'The standing order "{first}" to {name} is {less} dollars now.')

    return Task(
        user=world.phrase(
            f'My standing order "{first}" to {name} should be only {less} dollars from now on. Please change it.',
            f'Lower the standing order to {name} with the description "{first}" to {less} dollars, please.',
        ),
        tools=["search_standing_orders", "modify_standing_order"],
        milestones=[changed(STANDING_ORDERS, {"standing_order_id": order["standing_order_id"]}, amount=100 * less)],
        solution=solution,
    )


@scenario(apps=WALLET)
def remove_payee_with_standing_order(world: World) -> Task:
    """Remove a payee, for which the standing order to it must be cancelled first."""
    name, other, what = world.choice(
        ("Bramble Kennels", "Bramble Nursery", "dog walks"),
        ("Saddlers Yard", "Saddlers Arms", "stable hire"),
        ("Quince Ceramics", "Quince Bakery", "kiln hire"),
    )
    payee = _put_payee(world, name)
    order = _put_order(world, payee, world.integer(4_200, 2_000, 9_000), what)
    _put_order(world, _put_payee(world, other), 3_100, f"{what}, other place")

    def solution() -> Solution:
        payees = yield call("search_payees", words=name)
        payee_id = payees["results"][0]["payee_id"]
        orders = yield call("search_standing_orders", payee_id=payee_id)
        for row in orders["results"]:
            yield call("cancel_standing_order", standing_order_id=row["standing_order_id"])
        yield call("remove_payee", payee_id=payee_id)
        yield say(f"I've cancelled the standing order to {name} and removed the payee.")

    return Task(
        user=world.phrase(
            f"Remove {name} from my payees. If there is a standing order to them, cancel it as well.",
            f"I am done with {name}: please cancel any standing order to them and remove them from my payees.",
        ),
        tools=["search_payees", "search_standing_orders", "cancel_standing_order", "remove_payee"],
        milestones=[
            changed(STANDING_ORDERS, {"standing_order_id": order["standing_order_id"]}, state="cancelled"),
            changed(PAYEES, {"payee_id": payee["payee_id"]}, removed=True),
        ],
        solution=solution,
    )


@scenario(apps=WALLET, content="medium")
def read_note_of_payment(world: World) -> Task:
    """Say what stands in the note of a payment, beside another payment to the same merchant."""
    merchant, what, note, other, older = world.choice(
        ("Bramble Kennels", "dog walk", "Bring the red leash", "kennel week", "Vaccination card is needed"),
        ("Saddlers Yard", "riding lesson", "Borrowed helmet, size medium", "stable hire", "Gate key under the bucket"),
        ("Quince Ceramics", "pottery course", "Collect the bowl in spring", "kiln hire", "Shelf seven belongs to me"),
    )
    paid = _put_payment(world, merchant, what, world.integer(4_215, 2_000, 8_999), -9, note=note)
    _put_payment(world, merchant, other, world.integer(3_170, 2_000, 8_999), -16, note=older)

    def solution() -> Solution:
        rows = (yield call("search_bank_transactions", words=f"{merchant} {what}"))["results"]
        payment = yield call("get_bank_transaction", transaction_id=rows[0]["transaction_id"])
        yield say(f'Your note says: "{payment["note"]}"')

    return Task(
        user=world.phrase(
            f'What did I write in the note of my payment to {merchant} for "{what}"?',
            f'There is a note at my payment "{what}" to {merchant} in the wallet. What does it say?',
        ),
        tools=["search_bank_transactions", "get_bank_transaction"],
        milestones=[
            called("get_bank_transaction", transaction_id=paid["transaction_id"]),
            answer(Quote(note, instead_of=(older,))),
        ],
        solution=solution,
    )


@scenario(ScenarioCategories.BATCH_EDIT, apps=WALLET, content="medium")
def sort_payments_into_categories(world: World) -> Task:
    """Set the category of all payments to a merchant, where one kind of them counts as something else."""
    merchant, what, category = world.choice(
        ("Bramble Kennels", "dog walk", "leisure"),
        ("Saddlers Yard", "riding lesson", "health"),
        ("Quince Ceramics", "pottery course", "leisure"),
    )
    count = world.integer(4, 3, 5)
    voucher = world.integer(1, 0, count - 1)
    paid = [
        _put_payment(world, merchant, "gift voucher" if each == voucher else what, 2_500 + 150 * each, -9 - 5 * each)
        for each in range(count)
    ]

    def solution() -> Solution:
        rows = (yield call("search_bank_transactions", words=merchant))["results"]
        yield [
            call(
                "modify_bank_transaction",
                transaction_id=row["transaction_id"],
                category="gifts" if row["description"] == "gift voucher" else category,
            )
            for row in rows
        ]
        yield say(f'All {len(rows)} payments to {merchant} have their category now, the gift voucher "gifts".')

    return Task(
        user=world.phrase(
            f'Put all my payments to {merchant} into the category "{category}", but the gift voucher into "gifts".',
            f'In my wallet, every payment to {merchant} should count as "{category}". Only the gift voucher from there '
            'counts as "gifts".',
        ),
        tools=["search_bank_transactions", "modify_bank_transaction"],
        milestones=[
            changed(
                TRANSACTIONS,
                {"transaction_id": row["transaction_id"]},
                category="gifts" if each == voucher else category,
            ).after()
            for each, row in enumerate(paid)
        ],
        solution=solution,
    )
