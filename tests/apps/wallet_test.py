"""What somebody who uses the wallet relies on."""

import datetime
from collections.abc import Iterator

import pytest

from tool_sandbox.apps import Draw, add, change, get, now, rows_of, seconds_of
from tool_sandbox.apps.wallet import (
    add_payee,
    add_transaction_share,
    cancel_money_transfer,
    cancel_standing_order,
    change_standing_order_run,
    confirm_payment_with_code,
    create_money_transfer,
    create_standing_order,
    get_bank_transaction,
    get_standing_order,
    mark_share_paid_back,
    modify_bank_account,
    modify_standing_order,
    read_payment_codes,
    remove_payee,
    request_transaction_refund,
    search_bank_accounts,
    search_bank_transactions,
    search_payees,
    search_transaction_shares,
    send_payment_code_again,
    split_transaction_evenly,
)
from tool_sandbox.apps.wallet.content import content
from tool_sandbox.apps.wallet.ledger import book_due_runs, business_day, settlement
from tool_sandbox.apps.wallet.payments import pay
from tool_sandbox.apps.wallet.rows import account_number, account_row, payee_row, transaction_row
from tool_sandbox.apps.wallet.tables import ACCOUNTS, PAYEES, STANDING_ORDERS, TRANSACTIONS, TRANSFERS
from tool_sandbox.conversation.execution_context import ExecutionContext, new_context
from tool_sandbox.world.clock import ScenarioClock
from tool_sandbox.world.profile import Profile

DRAW = Draw("wallet")
DAY = 86_400


def world_at(seconds: float) -> ExecutionContext:
    clock = ScenarioClock(seconds, "America/Los_Angeles")
    return ExecutionContext(profile=Profile.STRICT, id_seed="test", clock=clock, apps=["wallet"])


@pytest.fixture(autouse=True)
def world() -> Iterator[ExecutionContext]:
    """An empty wallet on Wednesday, 14 May 2025, at 10:24."""
    with new_context(world_at(DRAW.start)) as context:
        yield context


@pytest.fixture
def account() -> str:
    row = account_row(DRAW, "Everyday", "current", "USD", 10_000, 100_000)
    return add(ACCOUNTS, **row | {"opening_balance": 200_000})


@pytest.fixture
def payee() -> str:
    return add(PAYEES, **payee_row(DRAW, "Beth Novak"))


def available() -> int:
    return int(search_bank_accounts()["results"][0]["available"])


def code() -> str:
    return str(read_payment_codes()[0]["code"])


def test_a_small_transfer_to_a_trusted_payee_is_pending_until_the_next_business_day(account: str, payee: str) -> None:
    made = create_money_transfer(account, 20_000, "rent", payee_id=payee)
    assert (made["state"], made["settles_at"]) == ("pending", "2025-05-15T06:00:00-07:00")
    shown = search_bank_accounts()["results"][0]
    assert (shown["balance"], shown["available"], shown["limit_left_today"]) == (200_000, 190_000, 80_000)
    cancel_money_transfer(made["transfer_id"])
    assert available() == 210_000
    with pytest.raises(ValueError, match="the transfer is cancelled already"):
        cancel_money_transfer(made["transfer_id"])


@pytest.mark.parametrize(
    ("sent", "settles"),
    [
        ("2025-05-16T14:59:00-07:00", "2025-05-19T06:00:00-07:00"),
        ("2025-05-16T15:00:00-07:00", "2025-05-20T06:00:00-07:00"),
        # Memorial Day, and the end of daylight saving.
        ("2025-05-23T09:00:00-07:00", "2025-05-27T06:00:00-07:00"),
        ("2025-10-31T09:00:00-07:00", "2025-11-03T06:00:00-08:00"),
    ],
)
def test_banks_rest_on_weekends_and_holidays(sent: str, settles: str) -> None:
    assert settlement(sent, DRAW.tzinfo) == settles


def test_a_large_transfer_needs_the_code_of_the_phone(account: str, payee: str) -> None:
    made = create_money_transfer(account, 60_000, "car", payee_id=payee)
    assert (made["state"], available()) == ("awaiting_code", 210_000)
    wrong = "000000" if code() != "000000" else "000001"
    with pytest.raises(PermissionError, match="the code is wrong"):
        confirm_payment_with_code(made["confirmation_id"], wrong)
    assert read_payment_codes()[0]["for"] == "transfer of 600.00 USD from Everyday to Beth Novak, car"
    assert confirm_payment_with_code(made["confirmation_id"], code())["state"] == "pending"
    assert available() == 150_000
    with pytest.raises(ValueError, match="it was confirmed or cancelled before"):
        send_payment_code_again(made["confirmation_id"])


def test_the_daily_limit_leaves_nothing_of_a_transfer_that_is_over_it(account: str, payee: str) -> None:
    for _ in range(2):
        create_money_transfer(account, 45_000, "part", payee_id=payee)
    before = len(rows_of(TRANSFERS))
    with pytest.raises(ValueError, match=r"the daily limit of 1000.00 USD of 'Everyday' leaves 100.00 USD for today"):
        create_money_transfer(account, 10_001, "rest", payee_id=payee)
    assert len(rows_of(TRANSFERS)) == before
    waiting = modify_bank_account(account, daily_limit=150_000)
    assert waiting["daily_limit"] == 100_000
    confirm_payment_with_code(waiting["confirmation_id"], code())
    create_money_transfer(account, 10_001, "rest", payee_id=payee)


def test_a_new_payee_is_trusted_after_a_confirmed_transfer(account: str) -> None:
    number = account_number(DRAW)
    wrong = number[:-1] + str((int(number[-1]) + 1) % 10)
    with pytest.raises(ValueError, match="look for a typing error"):
        add_payee("Omar Haddad", wrong)
    payee_id = add_payee("Omar Haddad", f"{number[:4]} {number[4:]}".lower())
    made = create_money_transfer(account, 500, "coffee", payee_id=payee_id)
    with pytest.raises(ValueError, match="is awaiting_code"):
        remove_payee(payee_id)
    confirm_payment_with_code(made["confirmation_id"], code())
    assert create_money_transfer(account, 500, "coffee", payee_id=payee_id)["confirmation_id"] is None
    assert search_payees()["results"][0]["trusted"]


def test_own_accounts_settle_at_once_and_in_one_currency(account: str) -> None:
    saving = add(ACCOUNTS, **account_row(DRAW, "Savings", "savings", "USD", 0, 0))
    euros = add(ACCOUNTS, **account_row(DRAW, "Travel", "card", "EUR", 0, 0))
    create_money_transfer(account, 150_000, "savings", to_account_id=saving)
    assert [(row["name"], row["balance"]) for row in search_bank_accounts(currency="USD")["results"]] == [
        ("Everyday", 50_000),
        ("Savings", 150_000),
    ]
    with pytest.raises(ValueError, match="different currencies"):
        create_money_transfer(account, 1, "trip", to_account_id=euros)
    with pytest.raises(ValueError, match=r"has 600.00 USD available, 600.01 USD are needed"):
        create_money_transfer(account, 60_001, "more", to_account_id=saving)
    modify_bank_account(account, blocked=True)
    with pytest.raises(PermissionError, match="unblock it with modify_bank_account"):
        create_money_transfer(account, 1, "more", to_account_id=saving)


def test_a_standing_order_keeps_the_end_of_the_month_and_moves_to_business_days(account: str, payee: str) -> None:
    made = create_standing_order(account, payee, 30_000, "help", "2025-08-31")
    confirm_payment_with_code(made["confirmation_id"], code())
    order_id = made["standing_order_id"]
    change_standing_order_run(order_id, "skip", due_on="2025-09-30")
    change_standing_order_run(order_id, "change", due_on="2025-10-31", amount=10_000)
    runs = [tuple(run.values()) for run in get_standing_order(order_id)["next_runs"]]
    assert runs[:4] == [
        ("2025-08-31", "2025-09-02", 30_000, False),
        ("2025-09-30", "2025-09-30", 30_000, True),
        ("2025-10-31", "2025-10-31", 10_000, False),
        ("2025-11-30", "2025-12-01", 30_000, False),
    ]
    change_standing_order_run(order_id, "as usual", due_on="2025-09-30")
    assert not get_standing_order(order_id)["next_runs"][1]["skipped"]
    with pytest.raises(ValueError, match="no run that is still to come is due on '2025-09-29'"):
        change_standing_order_run(order_id, "skip", due_on="2025-09-29")
    assert modify_standing_order(order_id, amount=20_000)["confirmation_id"] is None
    raised = modify_standing_order(order_id, amount=25_000)
    assert (raised["state"], raised["amount"]) == ("active", 20_000)
    confirm_payment_with_code(raised["confirmation_id"], code())
    assert get_standing_order(order_id)["amount"] == 25_000
    cancel_standing_order(order_id)
    assert get_standing_order(order_id)["next_runs"] == []


def test_runs_that_were_due_are_booked_once(account: str, payee: str) -> None:
    made = create_standing_order(account, payee, 1_000, "tea", "2025-05-15", unit="week")
    confirm_payment_with_code(made["confirmation_id"], code())
    # Three weeks earlier than the world: five runs are due now, and one was left out.
    change(STANDING_ORDERS, made["standing_order_id"], first_on="2025-04-14", booked_until="2025-04-13")
    assert available() == 205_000
    modify_bank_account(account, blocked=True)
    book_due_runs()
    assert search_bank_transactions(kind="standing_order")["total"] == 0
    modify_bank_account(account, blocked=False)
    book_due_runs()
    book_due_runs()
    booked = [row["booked_at"][:10] for row in search_bank_transactions(kind="standing_order")["results"]]
    assert booked == ["2025-05-12", "2025-05-05", "2025-04-28", "2025-04-21", "2025-04-14"]
    assert available() == 205_000


def test_a_run_without_money_is_not_paid_but_told_of(account: str, payee: str) -> None:
    made = create_standing_order(account, payee, 120_000, "rent", "2025-05-15")
    confirm_payment_with_code(made["confirmation_id"], code())
    change(STANDING_ORDERS, made["standing_order_id"], first_on="2025-04-02", booked_until="2025-04-01")
    assert available() == 210_000 - 2 * 120_000
    book_due_runs()
    runs = [(row["description"], row["state"]) for row in search_bank_transactions(kind="standing_order")["results"]]
    assert runs == [("too little money: rent", "cancelled"), ("rent", "settled")]
    assert available() == 90_000


def test_a_payment_is_refunded_once(account: str) -> None:
    old = transaction_row(DRAW, get(ACCOUNTS, account), -5_000, "Noodle Bar", "dinner", DRAW.moment(-61, 9))
    recent = transaction_row(DRAW, get(ACCOUNTS, account), -5_000, "Noodle Bar", "dinner", DRAW.moment(-6, 9))
    for row in (old, recent):
        add(TRANSACTIONS, **row)
    with pytest.raises(ValueError, match="more than 60 days old"):
        request_transaction_refund(old["transaction_id"])
    request_transaction_refund(recent["transaction_id"], 2_000)
    refund = request_transaction_refund(recent["transaction_id"])
    assert (refund["amount"], refund["settles_at"][:10]) == (3_000, "2025-05-21")
    assert get_bank_transaction(recent["transaction_id"])["refunded"] == 5_000
    with pytest.raises(ValueError, match=r"only 0.00 USD of the payment can still be paid back"):
        request_transaction_refund(recent["transaction_id"])
    with pytest.raises(ValueError, match="the payment is pending"):
        request_transaction_refund(pay(account, 100, "Shop", "pen", "shopping"))


def test_a_dinner_is_split_and_odd_cents_stay(account: str) -> None:
    dinner = pay(account, 10_003, "Trattoria", "dinner", "eating out")
    add_transaction_share(dinner, 1_000, category="gifts")
    shares = split_transaction_evenly(dinner, ["Beth Novak", "Yuki Fujimoto", "Beth Novak"])
    assert [share["amount"] for share in get_bank_transaction(dinner)["shares"]] == [1_000, 3_001, 3_001]
    mark_share_paid_back(shares[0])
    assert [row["person"] for row in search_transaction_shares(person="fuji")["results"]] == ["Yuki Fujimoto"]
    assert search_transaction_shares(paid_back=True)["total"] == 1
    with pytest.raises(ValueError, match="at most 3001, which is not split off yet"):
        add_transaction_share(dinner, 3_002)


@pytest.mark.parametrize("start", [DRAW.start, DRAW.start + 31 * DAY - 25_000, DRAW.start + 290 * DAY])
def test_content_is_settled_in_the_past_and_never_overdrawn(start: float) -> None:
    draw = Draw("wallet", 3, start=start)
    with new_context(world_at(start)) as context:
        rows = content(draw.into(context), "medium")
        for name, each in rows.items():
            context.add_to_database(name, each)
        context.check_rules()
        assert all(seconds_of(row["booked_at"]) <= start for row in rows[TRANSACTIONS.name])
        assert all(row["balance"] >= 0 and row["available"] >= 0 for row in search_bank_accounts()["results"])
        book_due_runs()
        assert len(rows_of(TRANSACTIONS)) == len(rows[TRANSACTIONS.name])
        back = search_bank_transactions(words="my part of dinner")["total"]
        # One has paid back without being ticked off.
        assert search_transaction_shares(paid_back=True)["total"] == back - 1
        for order in rows_of(STANDING_ORDERS):
            assert all(
                run["runs_on"] >= now()[:10] for run in get_standing_order(order["standing_order_id"])["next_runs"]
            )


def test_business_days_are_counted_from_the_next_one() -> None:
    assert business_day(datetime.date(2025, 7, 4)) == datetime.date(2025, 7, 7)
    assert business_day(datetime.date(2025, 7, 3), 2) == datetime.date(2025, 7, 8)
