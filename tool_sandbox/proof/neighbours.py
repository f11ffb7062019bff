"""Calls that differ from a given one in a single argument: a value beside it, or another thing of the same kind."""

from collections.abc import Iterator
from typing import Any

import attrs

from tool_sandbox.answers.facts import Fact
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.falsehoods import Others, falsehoods
from tool_sandbox.proof.lapses import checks
from tool_sandbox.roles.mistakes import neighbour
from tool_sandbox.scenarios.checks import Changed
from tool_sandbox.scenarios.matchers import Anything, Says
from tool_sandbox.scoring.side_effects import matches
from tool_sandbox.world.script import Call
from tool_sandbox.world.table import Table

_DAY = 86400.0
_DAYS = 3 * _DAY
_PLACES = ("Grand Canyon", "Space Needle")
_FAR = 20.0
_NEARBY = 0.05
"""Degrees to another place of the same region, some 5 km."""

_TABLES = {
    "contact": DatabaseNamespace.CONTACT,
    "contacts": DatabaseNamespace.CONTACT,
    "reminder": DatabaseNamespace.REMINDER,
    "message": DatabaseNamespace.MESSAGING,
}
_COLUMNS = {(DatabaseNamespace.MESSAGING, "phone_number"): "recipient_phone_number"}
_KEYS = {"person_id": DatabaseNamespace.CONTACT, "reminder_id": DatabaseNamespace.REMINDER}
_SETTERS = ("set_wifi_status", "set_cellular_service_status", "set_location_service_status")
_AMOUNTS = ("amount", "seconds")


@attrs.frozen
class NearMiss:
    """A call that is almost right.

    Attributes:
        call: The call.
        elsewhere: Whether it is about another person, thing or place, and not about another value.
    """

    call: Call
    elsewhere: bool = False


def others(context: ExecutionContext) -> Others:
    """Names and texts of a world, with which a false answer can be told."""
    people = [row["name"] for row in context.get_table(DatabaseNamespace.CONTACT).dicts() if not row["is_self"]]
    texts = [
        row["content"]
        for namespace in (DatabaseNamespace.REMINDER, DatabaseNamespace.MESSAGING)
        for row in context.get_table(namespace).dicts()
    ]
    return Others(tuple(dict.fromkeys(people)), tuple(dict.fromkeys(texts)))


def misread(call: Call) -> Iterator[NearMiss]:
    """Calls of a reading or calculating tool with one argument changed."""
    for name, value in call.arguments.items():
        other = _other_amount(name, value)
        if other != value:
            yield NearMiss(_with(call, **{name: other}))


def miswritten(call: Call, scenario: Scenario) -> Iterator[NearMiss]:
    """Calls of a writing tool with one argument changed."""
    context = scenario.starting_context
    if call.tool in _SETTERS:
        for tool in [tool for tool in _SETTERS if tool != call.tool and context.is_tool_offered(tool)][:1]:
            yield NearMiss(Call(tool, call.arguments), elsewhere=True)
    for name, value in call.arguments.items():
        if (table := _table_of(name, context)) is not None:
            yield from _other_rows(call, name, table)
        elif name == "phone_number":
            yield NearMiss(_with(call, **{name: neighbour(value)}))
            yield from _other_numbers(call, context)
        elif name == "latitude" and call.arguments.get("longitude") is not None:
            near = {"latitude": value + _NEARBY, "longitude": call.arguments["longitude"] + _NEARBY}
            yield NearMiss(_with(call, **near), elsewhere=True)
        elif name != "longitude" and value is not None:
            yield from _other_values(call, name, value, scenario)


def _with(call: Call, **arguments: Any) -> Call:
    return Call(call.tool, {**call.arguments, **arguments})


def _is_timestamp(name: str) -> bool:
    return "timestamp" in name


def _other_amount(name: str, value: Any) -> Any:
    """A neighbour that no rounding hides: amounts grow by a fifth, times by some days, places lie far away."""
    if name == "location":
        return next(place for place in _PLACES if place != value)
    if name.startswith(("latitude", "longitude")):
        return -value if abs(value) > _FAR else value + 2 * _FAR
    if _is_timestamp(name):
        return value + _DAYS
    if name == "second":
        return value + 10
    if name in _AMOUNTS and isinstance(value, (int, float)) and not isinstance(value, bool):
        return value + round(abs(value) / 5) + 1
    return neighbour(value)


def _table_of(key: str, context: ExecutionContext) -> Table | None:
    """The table whose rows an argument names by their key."""
    known = _KEYS.get(key) or next((schema.name for schema in context.app_schemas if schema.key == key), None)
    return None if known is None else context.get_table(known)


def _other_rows(call: Call, name: str, table: Table) -> Iterator[NearMiss]:
    """The same act on the row before and on the row behind it, unless that is a copy of the right row."""
    rows = {row[name]: row for row in table}
    keys, right = list(rows), rows.get(call.arguments[name])
    if right is None:
        return
    place = keys.index(right[name])
    for key in dict.fromkeys((keys[(place + 1) % len(keys)], keys[place - 1])):
        if rows[key] | {name: right[name]} != right:
            yield NearMiss(_with(call, **{name: key}), elsewhere=True)


def _other_numbers(call: Call, context: ExecutionContext) -> Iterator[NearMiss]:
    """The number of another contact."""
    own = call.arguments["phone_number"]
    rows = context.get_table(DatabaseNamespace.CONTACT).dicts()
    numbers = [row["phone_number"] for row in rows if row["phone_number"] not in (None, own)]
    for number in numbers[-1:]:
        yield NearMiss(_with(call, phone_number=number), elsewhere=True)


def _other_values(call: Call, name: str, value: Any, scenario: Scenario) -> Iterator[NearMiss]:
    wanted = [each for each in _wanted(call, name, scenario) if matches(each, value)]
    if any(isinstance(each, Anything) or (isinstance(each, Says) and not each.facts) for each in wanted):
        return
    facts: list[Fact] = [fact for each in wanted if isinstance(each, Says) for fact in each.facts]
    if facts:
        lies = falsehoods(value, facts, others(scenario.starting_context))
        for lie in [lie for lie in lies if lie.kind in ("wrong figure", "wrong entity in answer")]:
            yield NearMiss(_with(call, **{name: lie.text}))
        return
    yield NearMiss(_with(call, **{name: _beside(value)}))
    if _is_timestamp(name):
        yield NearMiss(_with(call, **{name: value + _DAY}))


def _beside(value: Any) -> Any:
    """A value beside another one: a list without its last item, or with one more if that is the only one."""
    if isinstance(value, list) and value:
        return value[:-1] or [*value, neighbour(value[0])]
    return neighbour(value)


def _wanted(call: Call, name: str, scenario: Scenario) -> list[Any]:
    """What the milestones of a scenario expect of the column that an argument is written to; of apps, in any table."""
    namespace = next((table for word, table in _TABLES.items() if f"_{word}" in call.tool), DatabaseNamespace.SETTING)
    column = _COLUMNS.get((namespace, name), name)
    return [
        check.values[column]
        for check in checks(scenario)
        if isinstance(check, Changed) and column in check.values
        if check.namespace is namespace or ("." in check.namespace and namespace is DatabaseNamespace.SETTING)
    ]
