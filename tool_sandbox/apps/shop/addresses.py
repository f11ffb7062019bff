"""Tools for where orders go."""

from typing import Any

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    add,
    change,
    checked_text,
    contains,
    equals,
    remove,
    rows_with,
    search,
    tool,
)
from tool_sandbox.apps.shop.tables import ADDRESSES


@tool
def add_shipping_address(
    label: str, recipient: str, street: str, postcode: str, city: str, is_default: bool = False
) -> str:
    """Add an address to which orders of the online shop can go.

    Args:
        label: What the address is called, for example home; no other has it.
        recipient: Who gets the parcels.
        street: Street and number.
        postcode: Postcode.
        city: City.
        is_default: Whether it becomes the usual address.

    Returns:
        Identifier of the new address.

    Raises:
        ValueError: Another address has the label, or a text is blank or longer than 60 characters.
    """
    cells = {"label": label, "recipient": recipient, "street": street, "postcode": postcode, "city": city}
    for name, value in cells.items():
        checked_text(value, name, 60)
    if rows_with(ADDRESSES, "label", label):
        raise ValueError(f"there is an address with the label {label!r} already")
    if is_default:
        for usual in rows_with(ADDRESSES, "is_default", True):
            change(ADDRESSES, usual["address_id"], is_default=False)
    return add(ADDRESSES, **cells, is_default=is_default)


@tool
def search_shipping_addresses(
    words: str | NotGiven = NOT_GIVEN,
    is_default: bool | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Find addresses to which orders of the online shop can go. Without conditions it lists all.

    Args:
        words: Words that all occur in label, recipient, street, postcode or city.
        is_default: Whether it is the usual address.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results, total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """
    conditions = contains(("label", "recipient", "street", "postcode", "city"), words), equals("is_default", is_default)
    return search(ADDRESSES, *conditions, order_by="label", limit=limit, cursor=cursor)


@tool
def delete_shipping_address(address_id: str) -> None:
    """Delete an address of the online shop. Orders that go there still do.

    Args:
        address_id: Identifier of the address.

    Returns:
        Nothing.

    Raises:
        NoDataError: No address has this identifier.
    """
    remove(ADDRESSES, address_id)


def written(address: dict[str, Any]) -> str:
    """An address in one line."""
    return ", ".join(address[name] for name in ("recipient", "street", "postcode", "city"))
