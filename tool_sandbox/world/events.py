"""What a world does by itself: at a time, after some messages, or on a condition; and time that passes by waiting.

Events are rows of a table of the world, so that forks, snapshots and stored conversations have them. What an event does
is code, which the world is given by name. An event happens once, and events happen in the order in which they are due:
when a message is added, or while somebody waits.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import polars as pl

from tool_sandbox.world.device import CURRENT, TIME_TABLE, DeviceState
from tool_sandbox.world.errors import ConfigurationError, ScenarioError
from tool_sandbox.world.table import Column, Table, TableSchema, difference

LONGEST_WAIT_S = 31 * 86400.0

MOST_AT_ONCE = 1000
"""Events that may happen at one moment; more are taken for events that bring each other about without end."""

_STATES = frozenset({"waiting", "done", "cancelled"})


def _text(name: str, *, is_nullable: bool = False, categories: frozenset[str] | None = None) -> Column:
    return Column(name, pl.String, str, is_nullable=is_nullable, categories=categories)


EVENTS = TableSchema(
    [
        _text("event_id"),
        _text("kind"),
        _text("arguments"),
        Column("due_at", pl.Float64, float),
        Column("due_after", pl.Int64, int),
        _text("state", categories=_STATES),
        Column("happened_at", pl.Float64, float),
        Column("number", pl.Int64, int),
        _text("told", is_nullable=True),
        _text("changes", is_nullable=True),
    ],
    name="world.events",
    key="event_id",
)
"""What is going to happen and has happened. ``arguments`` is a JSON object; ``due_at`` a POSIX time in seconds and
``due_after`` a message index, both empty for an event with a condition; ``number`` says as which of all
it happened, ``told`` what happened in words, and ``changes`` what it changed: table to rows, each before and after, as
JSON."""

TIME = TableSchema(
    [_text("clock_id"), Column("waited_s", pl.Float64, float, is_nullable=False, minimum=0)],
    name=TIME_TABLE,
    key="clock_id",
)
"""One row: how long the world has waited, in seconds, beside what its messages took."""

_CLOCK = "clock"


@attrs.frozen
class EventKind:
    """What events of a kind do.

    Attributes:
        effect: Called with the arguments of the event while its world is the current one; changes it, and says what
            happened, in words for people.
        when: For events with a condition: whether it is met, in the current world.
    """

    effect: Callable[..., str]
    when: Callable[[], bool] | None = None


def use_events(device: DeviceState, kinds: Mapping[str, EventKind]) -> None:
    """Gives a world what events of some kinds do, and the tables that events need."""
    if not device.has_table(EVENTS.name):
        device.add_tables([EVENTS, TIME])
    device.event_kinds = {**device.event_kinds, **kinds}
    device.on_message = happen


def schedule(
    device: DeviceState, kind: str, *, at: float | None = None, after: int | None = None, **arguments: Any
) -> str:
    """Has something happen.

    Args:
        device: The world.
        kind: Which kind of event.
        at: POSIX time in seconds, for an event with a time.
        after: Number of messages from now, for an event that comes after messages.
        **arguments: Given to its effect; JSON values.

    Returns:
        Id of the event.

    Raises:
        ConfigurationError: There is no such kind, it can never happen, or its arguments are no JSON values.
    """
    if kind not in device.event_kinds:
        raise ConfigurationError(
            f"event {kind!r}: no such kind; this world has {', '.join(device.event_kinds) or 'none'}"
        )
    ways = [at is not None, after is not None, device.event_kinds[kind].when is not None]
    if sum(ways) != 1:
        raise ConfigurationError(f"event {kind!r} needs exactly one of a time, a number of messages, and a condition")
    if at is not None and at < device.now():
        raise ConfigurationError(f"event {kind!r} can never happen: its time is before the present of the world")
    if after is not None and after < 1:
        raise ConfigurationError(f"event {kind!r} can never happen: it is to come after {after} messages")
    try:
        text = json.dumps(arguments, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"event {kind!r}: its arguments are no JSON values ({error})") from None
    event_id = f"event_{device.new_id()[:8]}"
    due = None if after is None else device.max_sandbox_message_index + after
    row = {"event_id": event_id, "kind": kind, "arguments": text, "due_at": at, "due_after": due, "state": "waiting"}
    device.add_to_database(EVENTS.name, [row])
    return event_id


def cancel(device: DeviceState, event_id: str) -> bool:
    """Has something not happen; false if it has happened, or was cancelled before."""
    row = device.get_table(EVENTS.name).get(event_id)
    if row is None or row["state"] != "waiting":
        return False
    device.change_row(EVENTS.name, event_id, {"state": "cancelled"})
    return True


def wait(device: DeviceState, seconds: float) -> None:
    """Lets time pass; what is due meanwhile happens at its time.

    Raises:
        ValueError: It is no time, or too long.
    """
    if not 0 < seconds <= LONGEST_WAIT_S:
        raise ValueError(f"wait longer than nothing, and {LONGEST_WAIT_S / 86400:.0f} days at most")
    if not device.has_table(TIME.name):
        device.add_tables([EVENTS, TIME])
    _happen_until(device, device.now() + seconds)


def _pass_until(device: DeviceState, moment: float) -> None:
    passed = moment - device.now()
    if passed <= 0:
        return
    waited = device.waited_s + passed
    if device.get_table(TIME.name).get(_CLOCK) is None:
        device.add_to_database(TIME.name, [{"clock_id": _CLOCK, "waited_s": waited}])
    else:
        device.change_row(TIME.name, _CLOCK, {"waited_s": waited})


def happen(device: DeviceState) -> None:
    """Has everything happen that is due, in order.

    Raises:
        ScenarioError: An event failed, or events bring each other about without end.
    """
    _happen_until(device, device.now())


def _happen_until(device: DeviceState, end: float) -> None:
    """Lets time pass up to a moment, from one event to the next."""
    happened = 0
    while happened < MOST_AT_ONCE:
        if (row := _due(device)) is not None:
            _happen(device, row)
            happened += 1
        elif device.now() < end:
            times = (row["due_at"] for row in _waiting(device) if row["due_at"] is not None)
            _pass_until(device, min((end, *times)))
            happened = 0
        else:
            return
    raise ScenarioError(f"more than {MOST_AT_ONCE} events happened at the same time: they never end")


def _waiting(device: DeviceState) -> list[dict[str, Any]]:
    return device.get_table(EVENTS.name).with_cell("state", "waiting")


def _due(device: DeviceState) -> dict[str, Any] | None:
    """What happens next at this moment: by time, then by message, then what has a condition, each as scheduled."""
    waiting = _waiting(device)
    timed = [row for row in waiting if row["due_at"] is not None and row["due_at"] <= device.now()]
    if timed:
        return min(timed, key=lambda row: row["due_at"])
    newest = device.max_sandbox_message_index
    counted = [row for row in waiting if row["due_after"] is not None and row["due_after"] <= newest]
    if counted:
        return min(counted, key=lambda row: row["due_after"])
    others = (row for row in waiting if row["due_at"] is None and row["due_after"] is None)
    return next((row for row in others if _is_met(device, row["kind"])), None)


def _is_met(device: DeviceState, name: str) -> bool:
    kind = device.event_kinds.get(name)
    if kind is None or kind.when is None:
        return False
    token = CURRENT.set(device)
    try:
        return bool(kind.when())
    finally:
        CURRENT.reset(token)


def _happen(device: DeviceState, row: Mapping[str, Any]) -> None:
    """Has one event happen. Whatever else goes on, it is done as a whole, and is no call of a tool."""
    kind = device.event_kinds.get(row["kind"])
    if kind is None:
        # Without what it does: a stored world that is looked at elsewhere.
        device.change_row(EVENTS.name, row["event_id"], {"state": "cancelled"})
        return
    # First, so that it cannot bring itself about.
    number = len(device.get_table(EVENTS.name).with_cell("state", "done"))
    done = {"state": "done", "happened_at": device.now(), "number": number}
    device.change_row(EVENTS.name, row["event_id"], done)
    before, traced = device.savepoint(), device.trace_tool
    device.trace_tool = False
    token = CURRENT.set(device)
    try:
        told = kind.effect(**json.loads(row["arguments"]))
        device.check_rules(before)
    except Exception as error:
        raise ScenarioError(f"event {row['kind']!r} failed: {type(error).__name__}: {error}") from error
    finally:
        CURRENT.reset(token)
        device.trace_tool = traced
    changes = {str(name): rows for name in device.table_names() if (rows := _changes(device, before.table(name), name))}
    device.change_row(EVENTS.name, row["event_id"], {"told": told, "changes": json.dumps(changes)})


def _changes(device: DeviceState, before: Table, name: str) -> list[list[dict[str, Any] | None]]:
    """Rows that are different, each before and after; ``None`` where there was or is none."""
    after, key = device.get_table(name), device.key_column(name)
    if after is before or key is None:
        return []
    start, end, new_end = difference(before, after)
    old, new = (list(map(before.schema.as_dict, rows)) for rows in (before.rows[start:end], after.rows[start:new_end]))
    then, here = ({row[key]: row for row in rows} for rows in (old, new))
    return [[then.get(one), here.get(one)] for one in dict.fromkeys((*then, *here)) if then.get(one) != here.get(one)]
