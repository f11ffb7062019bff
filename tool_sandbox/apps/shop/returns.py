"""Tools for what is sent back."""

import datetime
from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    change,
    equals,
    get,
    meets,
    now,
    rows_with,
    search,
    today,
    tool,
    user_tool,
)
from tool_sandbox.apps.shop.catalogue import name_of
from tool_sandbox.apps.shop.orders import order_state, returnable_until, returned
from tool_sandbox.apps.shop.tables import LINES, ORDERS, RETURNS
from tool_sandbox.apps.wallet.payments import give_back, refunded
from tool_sandbox.apps.wallet.tables import TRANSACTIONS

HAND_IN_DAYS = 14


def return_state(row: dict[str, Any]) -> str:
    """How a return stands now."""
    if row["cancelled"]:
        return "cancelled"
    if row["handed_in_at"] is not None:
        return "handed in"
    return "requested" if today() <= row["hand_in_by"] else "expired"


@tool
def request_shop_return(
    line_id: str,
    reason: Literal["too small", "too large", "damaged", "wrong item", "do not like it"],
    quantity: int = 1,
) -> dict[str, str]:
    """Ask the online shop to take back something that was delivered.

    The owner then has 14 days to hand in the parcel; the money is on its way after that. What was damaged or wrong can
    be returned for 60 days, also from final sale.

    Args:
        line_id: Line of the order, from get_shop_order.
        reason: Why it is returned.
        quantity: How many of it.

    Returns:
        return_id, and the date hand_in_by.

    Raises:
        ValueError: It is not delivered yet, cannot be returned any more or at all, or so many are not left.
        NoDataError: No line has this identifier.
    """
    line = get(LINES, line_id)
    order = get(ORDERS, line["order_id"])
    if (state := order_state(order)) != "delivered":
        raise ValueError(f"the order is {state}, only what was delivered can be returned")
    until = returnable_until(line, order)
    if reason in ("damaged", "wrong item"):
        until = (datetime.date.fromisoformat(order["delivers_at"][:10]) + datetime.timedelta(days=60)).isoformat()
    if until is None or today() > until:
        raise ValueError("it is on final sale" if until is None else f"it could be returned until {until}")
    left = line["quantity"] - returned(line_id)
    if not 1 <= quantity <= left:
        raise ValueError(f"quantity must be at least 1, and {left} are left to return")
    last = (datetime.date.fromisoformat(today()) + datetime.timedelta(days=HAND_IN_DAYS)).isoformat()
    cells = {"line_id": line_id, "quantity": int(quantity), "reason": reason, "requested_at": now()}
    return_id = add(RETURNS, **cells, hand_in_by=last, handed_in_at=None, refund_id=None, cancelled=False)
    return {"return_id": return_id, "hand_in_by": last}


def _shown(row: dict[str, Any], read: Read) -> dict[str, Any]:
    line = read(LINES).get(row["line_id"]) or {"variant_id": "", "order_id": ""}
    row["state"] = return_state(row)
    del row["cancelled"]
    return row | {"name": name_of(line["variant_id"], read)[:80], "order_id": line["order_id"]}


@tool
def search_shop_returns(
    line_id: str | NotGiven = NOT_GIVEN,
    state: Literal["requested", "handed in", "expired", "cancelled"] | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find what is sent back to the online shop, the newest first. Without conditions it lists all.

    Args:
        line_id: Line of the order.
        state: How the return stands now.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results (with the name and the state, and the transaction of the refund), total, and next_cursor, which is None
        on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    conditions = equals("line_id", line_id), meets("state", state, lambda row: return_state(row) == state)
    return search(
        RETURNS, *conditions, order_by="requested_at", descending=True, show=_shown, limit=limit, cursor=cursor
    )


def _open_return(return_id: str) -> dict[str, Any]:
    found = get(RETURNS, return_id)
    if (state := return_state(found)) != "requested":
        raise ValueError(f"the return is {state} already")
    return found


@tool
def cancel_shop_return(return_id: str) -> None:
    """Keep something after all that was to be sent back to the online shop.

    Args:
        return_id: Identifier of the return.

    Returns:
        Nothing.

    Raises:
        ValueError: The parcel was handed in, or the return has expired or is cancelled already.
        NoDataError: No return has this identifier.
    """
    _open_return(return_id)
    change(RETURNS, return_id, cancelled=True)


@user_tool
def hand_in_return_parcel(return_id: str) -> dict[str, Any]:
    """Take a parcel that goes back to the online shop to the parcel office. The money comes five business days later.

    Args:
        return_id: Identifier of the return.

    Returns:
        amount of the refund in cents, and its transaction_id.

    Raises:
        ValueError: The parcel was handed in already, or the return has expired or is cancelled.
        NoDataError: No return has this identifier.
    """
    found = _open_return(return_id)
    line = get(LINES, found["line_id"])
    paid = line["quantity"] * line["unit_price"] - line["discount"]
    before = sum(row["quantity"] for row in rows_with(RETURNS, "line_id", line["line_id"]) if row["refund_id"])
    share = paid * (before + found["quantity"]) // line["quantity"] - paid * before // line["quantity"]
    order = get(ORDERS, line["order_id"])
    payment = get(TRANSACTIONS, order["transaction_id"])
    share = min(share, -payment["amount"] - refunded(payment["transaction_id"]))
    refund_id = give_back(payment, share, f"return of {order['order_id']}") if share else None
    change(RETURNS, return_id, handed_in_at=now(), refund_id=refund_id)
    return {"amount": share, "transaction_id": refund_id}
