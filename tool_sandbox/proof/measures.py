"""Honest ways of telling a figure: in a second unit, in a forecast, before the place, counted on a calendar."""

import datetime
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tool_sandbox.answers.facts import Date, DateTime, Number, Time
from tool_sandbox.answers.facts._units import UNITS, unit
from tool_sandbox.conversation.execution_context import ExecutionContext
from tool_sandbox.proof.answers import ReferenceAnswer, single
from tool_sandbox.proof.play import Reference, calls_of
from tool_sandbox.proof.renderings import value_of
from tool_sandbox.proof.wording import day, figure
from tool_sandbox.world.script import Call

_NUMERAL = re.compile(r"\d[\d,]*(?:\.\d+)?")

_SECOND_UNITS = {
    "celsius": "fahrenheit",
    "fahrenheit": "celsius",
    "kilometre": "mile",
    "mile": "kilometre",
    "knot": "kilometre_per_hour",
    "kilometre_per_hour": "knot",
    "gallon": "litre",
    "litre": "gallon",
}


def in_two_forms(answer: ReferenceAnswer, reference: Reference) -> str | None:
    """The answer with a second unit in brackets, or a second way to write a date, a time or a number."""
    results = [float(result) for result in reference.results if isinstance(result, float)]
    return answer.with_values(lambda fact, shown: f"{shown}{_second_form(fact, shown, results)}")


def _second_form(fact: Any, shown: str, results: list[float]) -> str:
    if isinstance(fact, (Date, DateTime, Time)):
        other = value_of(fact, 1 if shown == value_of(fact, 0) else 0)
        return f" ({other})" if other != shown else ""
    own = unit(fact.unit) if isinstance(fact, Number) and fact.unit is not None else None
    second, figures = _SECOND_UNITS.get(own.name) if own is not None else None, _NUMERAL.findall(shown)
    if own is None or second is None or not figures:
        return ""
    amount = float(figures[0].replace(",", ""))
    # Worked out from what the tool gave, and not from the figure that is rounded.
    exact = next((result for result in results if abs(result - amount) < 0.01 * abs(amount)), _number(fact))
    return f" ({figure(Number(own.convert(exact, UNITS[second]), second), 2)})"


def _number(fact: Number) -> float:
    return float(fact.value)  # type: ignore[arg-type]


def _calls(reference: Reference, tool: str) -> list[tuple[Call, Any]]:
    """Calls of a tool, each with its result."""
    return [
        (call, result)
        for step, results in zip(reference.steps, reference.results, strict=True)
        for call, result in zip(calls_of(step), results if isinstance(step, list) else [results], strict=False)
        if call.tool == tool
    ]


def _measured(answer: ReferenceAnswer) -> Number | None:
    """The figure with a unit that an answer consists of."""
    facts = answer.values
    one = facts[0] if len(facts) == 1 else None
    return one if isinstance(one, Number) and one.unit is not None else None


def as_a_forecast(answer: ReferenceAnswer, reference: Reference) -> str | None:
    """What the weather should be, today or tomorrow."""
    fact, looked_up = _measured(answer), _calls(reference, "search_weather_around_lat_lon")
    if fact is None or len(looked_up) != 1 or unit(str(fact.unit)).dimension not in ("temperature", "speed"):
        return None
    days = looked_up[0][0].arguments.get("days", 0)
    when = {0: "Today it", 1: "Tomorrow it"}.get(days, "It")
    return f"{when} should be about {value_of(fact, 0)} there, so nothing unusual."


def place_last(answer: ReferenceAnswer, reference: Reference) -> str | None:
    """The value first, and then the place that it belongs to."""
    fact = _measured(answer)
    places = {call.arguments.get("location") for call, _ in _calls(reference, "search_location_around_lat_lon")}
    return f"{value_of(fact, 0)} at {place}." if fact and len(places) == 1 and (place := places.pop()) else None


def value_first(answer: ReferenceAnswer, reference: Reference) -> str | None:
    """Each value, and then the thing or the quality that it belongs to."""
    facts = answer.values
    if not facts or not all(getattr(fact, "about", ()) for fact in facts):
        return None
    told = [(value_of(fact, 0), fact.about[0]) for fact in facts]
    return (
        ", ".join(f"{value} is the {about}" if about.islower() else f"{value} for {about}" for value, about in told)
        + "."
    )


def converted(answer: ReferenceAnswer, reference: Reference) -> str | None:
    """The amount that was asked for, and then the one that it comes from."""
    fact = _measured(answer)
    calls = _calls(reference, "convert_currency") if fact else []
    if fact is None or not calls:
        return None
    own = [call.arguments for call, _ in calls if call.arguments["to_currency_code"] == str(fact.unit).upper()]
    return f"{value_of(fact, 1)} for the {own[0]['amount']} {own[0]['from_currency_code']}." if own else None


def days_and_hours(answer: ReferenceAnswer, reference: Reference) -> str | None:
    """A number of days with the hours that are left over."""
    for result in _spans(answer, reference):
        hours = round(result["seconds"] / 3600)
        days = re.compile(rf"\b{result['days']}(?: full)? days\b")
        if 0 < hours < 24 and days.search(answer.text):
            return days.sub(f"{result['days']} days and about {hours} hours", answer.text)
    return None


def by_the_calendar(answer: ReferenceAnswer, reference: Reference) -> str | None:
    """A number of days as it is counted on a calendar, and the day: "today" and "tomorrow" where it is one of these."""
    found = _measured(answer)
    for call, _ in _calls(reference, "timestamp_diff") if found is not None and found.unit == "day" else ():
        start, end = (_date(call.arguments[name], reference.context) for name in ("timestamp_0", "timestamp_1"))
        days = (end - start).days
        near = {0: "It is today.", 1: "It is tomorrow."}
        if found is not None and days >= 0 and abs(days - _number(found)) <= (found.tolerance or 0):
            return near.get(days, f"It is {days} days from now by the calendar, so on {day(end, 1)}.")
    return None


def _date(moment: float, context: ExecutionContext) -> datetime.date:
    return datetime.datetime.fromtimestamp(moment, context.timezone).date()


def _days(answer: ReferenceAnswer) -> Number | None:
    """The number of days that an answer tells."""
    facts = [fact for fact in single(answer.stated) if isinstance(fact, Number) and fact.unit == "day"]
    return facts[0] if len(facts) == 1 else None


def _spans(answer: ReferenceAnswer, reference: Reference) -> Iterator[Mapping[str, Any]]:
    """Differences between moments that an answer tells in days."""
    fact = _days(answer)
    for _, result in _calls(reference, "timestamp_diff") if fact is not None else ():
        if isinstance(result, Mapping) and fact is not None and abs(result["days"] - _number(fact)) <= 1:
            yield result


MEASURES = {
    "in two forms": in_two_forms,
    "as a forecast": as_a_forecast,
    "place last": place_last,
    "value first": value_first,
    "with the amount that it comes from": converted,
    "in days and hours": days_and_hours,
    "by the calendar": by_the_calendar,
}
"""Ways of telling a figure."""
