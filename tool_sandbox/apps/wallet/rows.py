"""Rows of the wallet, for its content and for scenarios that need certain ones."""

import datetime
from typing import Any

from tool_sandbox.apps import Draw
from tool_sandbox.apps.wallet.ledger import BOOKING_HOUR, settlement, transaction_cells

Row = dict[str, Any]
Rows = list[Row]


def account_number(draw: Draw, country: str = "US") -> str:
    """A number of an account with check digits that fit."""
    digits = f"{draw.integer(10**17, 10**18 - 1)}"
    rest = int("".join(str(int(each, 36)) for each in f"{digits}{country}00")) % 97
    return f"{country}{98 - rest:02d}{digits}"


def account_row(draw: Draw, name: str, kind: str, currency: str, overdraft: int, daily_limit: int) -> Row:
    """An account on which nothing has happened."""
    return {
        "account_id": draw.key("account"),
        "name": name,
        "kind": kind,
        "currency": currency,
        "account_number": account_number(draw),
        "opening_balance": 0,
        "overdraft": overdraft,
        "daily_limit": daily_limit,
        "blocked": False,
    }


def payee_row(draw: Draw, name: str, *, currency: str = "USD", note: str | None = None, trusted: bool = True) -> Row:
    """A payee."""
    number = account_number(draw, "US" if currency == "USD" else "FR")
    cells = {"payee_id": draw.key("payee"), "name": name, "account_number": number, "currency": currency}
    return cells | {"note": note, "trusted": trusted, "removed": False}


def transaction_row(draw: Draw, account: Row, amount: int, counterparty: str, description: str, booked: str) -> Row:
    """A card payment, or with an amount above zero an income; settled a business day later."""
    cells = transaction_cells(account["account_id"], amount, counterparty, description, booked)
    cells |= {"kind": "card" if amount < 0 else "income", "settles_at": settlement(booked, draw.tzinfo)}
    return {"transaction_id": draw.key("transaction"), **cells}


def transfer_rows(
    draw: Draw, account: Row, target: Row, amount: int, description: str, sent: str, category: str = "other"
) -> tuple[Row, Rows]:
    """A transfer that was sent, to a payee or an own account, and its transactions."""
    is_own = "payee_id" not in target
    settles = sent if is_own else settlement(sent, draw.tzinfo)
    transfer = {
        "transfer_id": draw.key("transfer"),
        "account_id": account["account_id"],
        "payee_id": target.get("payee_id"),
        "to_account_id": target.get("account_id"),
        "amount": amount,
        "description": description,
        "category": category,
        "state": "sent",
        "created_at": sent,
        "settles_at": settles,
    }
    legs = [transaction_row(draw, account, -amount, target["name"], description, sent)]
    legs += [transaction_row(draw, target, amount, account["name"], description, sent)] if is_own else []
    more = {"kind": "transfer", "category": category, "transfer_id": transfer["transfer_id"], "settles_at": settles}
    return transfer, [leg | more for leg in legs]


def order_row(draw: Draw, account: Row, payee: Row, amount: int, description: str, first_on: str, **more: Any) -> Row:
    """A standing order, monthly and active unless told otherwise; its past runs are booked by who makes it."""
    has_booked = datetime.datetime.fromtimestamp(draw.start, draw.tzinfo).hour >= BOOKING_HOUR
    return {
        "standing_order_id": draw.key("standing_order"),
        "account_id": account["account_id"],
        "payee_id": payee["payee_id"],
        "amount": amount,
        "description": description,
        "category": "other",
        "every": 1,
        "unit": "month",
        "first_on": first_on,
        "last_on": None,
        "state": "active",
        "booked_until": draw.date(0 if has_booked else -1),
    } | more


def code_row(draw: Draw, minutes_left: float, **subject: Any) -> Row:
    """A code that was sent for something and not used yet."""
    empty = {"transfer_id": None, "standing_order_id": None, "account_id": None, "new_amount": None}
    sent = {"code": f"{draw.integer(0, 999_999):06d}", "expires_at": draw.ago(-minutes_left), "used": False}
    return {"confirmation_id": draw.key("confirmation"), **empty, **sent, **subject}
