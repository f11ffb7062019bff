"""Tools that confirm and cancel reservations, and keep what visits were like."""

from tool_sandbox.apps import NOT_GIVEN, NotGiven, as_money, change, checked_text, get, tool
from tool_sandbox.apps.dining.reservations import check_open, fee_of
from tool_sandbox.apps.dining.tables import RESERVATIONS, RESTAURANTS, state_of


@tool
def confirm_table_reservation(reservation_id: str) -> None:
    """Confirm a reservation of a large party, so that the table is not given away.

    Args:
        reservation_id: Identifier of the reservation.

    Returns:
        Nothing.

    Raises:
        ValueError: The reservation needs no confirmation, has lapsed, or is over.
        NoDataError: No reservation has this identifier.
    """
    reservation = get(RESERVATIONS, reservation_id)
    if state_of(reservation) != "unconfirmed":
        raise ValueError(f"the reservation is {state_of(reservation)}, there is nothing to confirm")
    change(RESERVATIONS, reservation_id, confirmed=True)


@tool
def cancel_table_reservation(reservation_id: str, agreed_fee: int = 0) -> int:
    """Cancel a reservation of a table; shortly before it costs a fee for each person.

    Args:
        reservation_id: Identifier of the reservation.
        agreed_fee: The most that the user has agreed to pay for it, in cents; get_table_reservation tells the fee.

    Returns:
        The fee in cents.

    Raises:
        ValueError: The reservation is over or cancelled, or the fee is higher than agreed.
        NoDataError: No reservation has this identifier.
    """
    reservation = get(RESERVATIONS, reservation_id)
    check_open(reservation)
    restaurant = get(RESTAURANTS, reservation["restaurant_id"])
    fee = fee_of(reservation, restaurant)
    if fee > agreed_fee:
        raise ValueError(
            f"cancelling costs {as_money(fee, restaurant['currency'])}, more than agreed_fee; ask the user to agree"
        )
    change(RESERVATIONS, reservation_id, state="cancelled", fee=fee)
    return fee


@tool
def rate_restaurant_visit(
    reservation_id: str,
    rating: int | NotGiven = NOT_GIVEN,
    bill: int | NotGiven = NOT_GIVEN,
    note: str | NotGiven = NOT_GIVEN,
) -> None:
    """Keep what a visit to a restaurant cost and what it was like.

    Args:
        reservation_id: Identifier of the reservation, which is past.
        rating: Stars from 1 to 5.
        bill: What the party paid, in cents.
        note: What to remember.

    Returns:
        Nothing.

    Raises:
        ValueError: Nothing was given, the visit is still to come or was cancelled, or a value is out of range.
        NoDataError: No reservation has this identifier.
    """
    if state_of(get(RESERVATIONS, reservation_id)) != "past":
        raise ValueError("only a visit that is over can be rated")
    amounts = {"rating": rating, "bill": bill}
    if not isinstance(rating, NotGiven) and not 1 <= rating <= 5:
        raise ValueError(f"rating must be from 1 to 5, got {str(rating)[:20]}")
    if not isinstance(bill, NotGiven) and not 0 <= bill <= 10**8:
        raise ValueError(f"bill must be an amount in cents, from 0 to {10**8}, got {str(bill)[:20]}")
    checked_text(note, "note", 500)
    given = {name: value if isinstance(value, NotGiven) else int(value) for name, value in amounts.items()}
    change(RESERVATIONS, reservation_id, **given, note=note)
