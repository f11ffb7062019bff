"""Tools for locks, their codes, and the list of who came and went."""

from typing import Any, Literal

from tool_sandbox.apps import (
    NOT_GIVEN,
    NotGiven,
    Read,
    add,
    as_moment,
    at_least,
    before,
    change,
    checked_moment,
    checked_text,
    contains,
    equals,
    get,
    meets,
    need_setting,
    now,
    remove,
    rows_with,
    search,
    seconds_of,
    tool,
    user_tool,
)
from tool_sandbox.apps.home.tables import CODES, EVENTS, LOCKS

Row = dict[str, Any]


def _is_open(lock: Row) -> bool:
    """Whether a lock is unlocked and has not locked itself again."""
    if lock["unlocked_at"] is None:
        return False
    return seconds_of(now()) < seconds_of(lock["unlocked_at"]) + 60 * int(lock["relock_minutes"])


def _is_valid(code: Row) -> bool:
    return seconds_of(code["valid_from"]) <= seconds_of(now()) < seconds_of(code["valid_until"])


def _reach(lock_id: str) -> Row:
    need_setting("wifi", "locks")
    lock = get(LOCKS, lock_id)
    if not lock["online"]:
        raise ConnectionError(f"{lock['name'][:60]} is offline, its battery has {lock['battery_percent']} percent")
    return lock


def _note(lock_id: str, what: str, holder: str) -> None:
    add(EVENTS, lock_id=lock_id, what=what, holder=holder, at=now())


def _check_code(lock: Row, code: str, *, owner: bool = False) -> Row:
    known = [row for row in rows_with(CODES, "lock_id", lock["lock_id"]) if row["code"] == code and _is_valid(row)]
    if not known:
        raise PermissionError(f"the code does not open {lock['name'][:60]} now; ask the user for a code that does")
    if owner and not known[0]["is_owner"]:
        raise PermissionError("only the code of the owner can do this; ask the user for it")
    return known[0]


@tool
def search_door_locks(words: str | NotGiven = NOT_GIVEN, limit: int = 20, cursor: str | None = None) -> dict[str, Any]:
    """List the locks of the doors, and whether they are locked now. They lock themselves again after some minutes.

    Args:
        words: Words that all occur in the name.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results, total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """

    def shown(lock: Row, read: Read) -> Row:
        return lock | {"state": "unlocked" if _is_open(lock) else "locked"}

    return search(LOCKS, contains("name", words), order_by="name", show=shown, limit=limit, cursor=cursor)


@tool
def lock_door(lock_id: str) -> None:
    """Lock a door. Needs wifi.

    Args:
        lock_id: Identifier of the lock.

    Returns:
        Nothing.

    Raises:
        ConnectionError: Wifi is off, or the lock is offline.
        NoDataError: No lock has this identifier.
    """
    _reach(lock_id)
    change(LOCKS, lock_id, state="locked", unlocked_at=None)
    _note(lock_id, "locked", "assistant")


@tool
def unlock_door(lock_id: str, code: str) -> str:
    """Unlock a door with a code, for which the user has to be asked. Needs wifi.

    Args:
        lock_id: Identifier of the lock.
        code: A code that opens it now.

    Returns:
        When it locks itself again.

    Raises:
        PermissionError: The code does not open the lock now.
        ConnectionError: Wifi is off, or the lock is offline.
        NoDataError: No lock has this identifier.
    """
    lock = _reach(lock_id)
    holder = _check_code(lock, code)["holder"]
    change(LOCKS, lock_id, state="unlocked", unlocked_at=now())
    _note(lock_id, "unlocked", holder)
    return as_moment(seconds_of(now()) + 60 * lock["relock_minutes"])


@tool
def add_door_code(
    lock_id: str, code: str, holder: str, valid_from: str | None = None, valid_until: str | None = None
) -> dict[str, str]:
    """Make a new code of a lock for somebody. Needs wifi and the code of the owner, for which the user has to be asked.

    Args:
        lock_id: Identifier of the lock.
        code: Code of the owner.
        holder: Name of the one who gets the new code.
        valid_from: When it begins to open, for example 2025-05-14T10:24; now if left out.
        valid_until: When it ends; never if left out.

    Returns:
        code_id, and new_code, which is not shown again.

    Raises:
        ValueError: The holder has a code of the lock that is not over, or the times or the name are wrong.
        PermissionError: The code is not that of the owner.
        ConnectionError: Wifi is off, or the lock is offline.
        NoDataError: No lock has this identifier.
    """
    lock = _reach(lock_id)
    checked_text(holder, "holder", 80)
    begins, ends = checked_moment(valid_from, "valid_from") or now(), checked_moment(valid_until, "valid_until")
    if seconds_of(ends) <= max(seconds_of(begins), seconds_of(now())):
        raise ValueError("valid_until must be after valid_from, and still to come")
    _check_code(lock, code, owner=True)
    codes = rows_with(CODES, "lock_id", lock_id)
    if any(row["holder"] == holder and seconds_of(row["valid_until"]) > seconds_of(now()) for row in codes):
        raise ValueError(f"{holder!r} has a code of this lock already, remove_door_code takes it away")
    cells = {"holder": holder, "is_owner": False, "valid_from": begins, "valid_until": ends}
    code_id = add(CODES, lock_id=lock_id, code="", **cells)
    # Digits from the key are as good as drawn ones, and the same every time a run is repeated.
    number, used = int(code_id.rpartition("_")[2], 16), {row["code"] for row in codes}
    new_code = next(
        f"{each % 10**6:06d}" for each in range(number, number + 10**6) if f"{each % 10**6:06d}" not in used
    )
    change(CODES, code_id, code=new_code)
    _note(lock_id, "code added", holder)
    return {"code_id": code_id, "new_code": new_code}


@tool
def search_door_codes(
    lock_id: str | NotGiven = NOT_GIVEN,
    holder: str | NotGiven = NOT_GIVEN,
    valid: bool | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """List who has codes of which locks, and when they open. The codes themselves are not shown.

    Args:
        lock_id: Identifier of the lock.
        holder: Words that all occur in the name of the holder.
        valid: Whether they open now.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results, total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: The limit or the cursor cannot be understood.
    """

    def shown(code: Row, read: Read) -> Row:
        del code["code"]
        return code | {"lock": (read(LOCKS).get(code["lock_id"]) or {}).get("name"), "valid": _is_valid(code)}

    conditions = equals("lock_id", lock_id), contains("holder", holder)
    narrow = meets("valid", valid, lambda code: _is_valid(code) is valid)
    return search(CODES, *conditions, narrow, order_by="holder", show=shown, limit=limit, cursor=cursor)


@tool
def remove_door_code(code_id: str, code: str) -> None:
    """Take a code of a lock away from somebody. Needs wifi and the code of the owner.

    Args:
        code_id: Identifier of the code that is taken away.
        code: Code of the owner.

    Returns:
        Nothing.

    Raises:
        ValueError: It is the code of the owner itself.
        PermissionError: The code is not that of the owner.
        ConnectionError: Wifi is off, or the lock is offline.
        NoDataError: No code has this identifier.
    """
    taken = get(CODES, code_id)
    lock = _reach(taken["lock_id"])
    if taken["is_owner"]:
        raise ValueError("the code of the owner cannot be removed")
    _check_code(lock, code, owner=True)
    remove(CODES, code_id)
    _note(taken["lock_id"], "code removed", taken["holder"])


@tool
def search_door_events(
    lock_id: str | NotGiven = NOT_GIVEN,
    what: Literal["locked", "unlocked", "code added", "code removed"] | NotGiven = NOT_GIVEN,
    holder: str | NotGiven = NOT_GIVEN,
    happened_from: str | NotGiven = NOT_GIVEN,
    happened_before: str | NotGiven = NOT_GIVEN,
    limit: int = 20,
    cursor: str | None = None,
) -> dict[str, Any]:
    """List who has locked and unlocked doors, and got or lost codes, the latest first.

    Args:
        lock_id: Identifier of the lock.
        what: What was done.
        holder: Words that all occur in the name of the holder of the code.
        happened_from: Earliest time, for example 2025-05-14T10:24.
        happened_before: Time before which it was.
        limit: Number of results of a page, from 1 to 50.
        cursor: next_cursor of the page before, to go on; with all other arguments as for that page.

    Returns:
        results, total, and next_cursor, which is None on the last page.

    Raises:
        ValueError: A time, the limit or the cursor cannot be understood.
    """
    return search(
        EVENTS,
        equals("lock_id", lock_id),
        equals("what", what),
        contains("holder", holder),
        at_least("at", checked_moment(happened_from, "happened_from")),
        before("at", checked_moment(happened_before, "happened_before")),
        order_by="at",
        descending=True,
        limit=limit,
        cursor=cursor,
    )


@user_tool
def read_own_door_code(lock_id: str) -> str:
    """Look up your own code of a lock, which is on a card in your wallet.

    Args:
        lock_id: Identifier of the lock.

    Returns:
        The code of the owner.

    Raises:
        NoDataError: No lock has this identifier.
    """
    get(LOCKS, lock_id)
    return next(str(row["code"]) for row in rows_with(CODES, "lock_id", lock_id) if row["is_owner"])
