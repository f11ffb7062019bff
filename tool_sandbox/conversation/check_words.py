"""What a check demands, in words, from what checks, facts and matchers say of themselves.

All of them do so with ``to_dict``. It does not matter whether what is in them has been made JSON, as in a stored run.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Description = Mapping[str, Any]

_VERBS = {"added": "added to", "removed": "removed from", "updated": "updated in"}
_REASONS = {
    "NOT_FOUND": "nothing was found",
    "TOOL_MISSING": "there is no tool for it",
    "INFORMATION_MISSING": "something is not known",
    "SETTING_BLOCKED": "a setting is in the way",
}


def check_in_words(check: Any) -> str:
    """One line that says what has to hold."""
    check = _description(check)
    if "facts" in check:
        scope = "" if check.get("scope") == "conversation" else ", before the user goes on"
        return f"the agent tells the user: {'; '.join(map(fact_in_words, check['facts']))}{scope}"
    kind = check.get("check")
    words = _CHECKS.get(kind) if isinstance(kind, str) else None
    return words(check) if words is not None else _constraint(check)


def _description(value: Any) -> Any:
    """What an object says of itself; anything else as it is."""
    return value.to_dict() if hasattr(value, "to_dict") else value


def _changed(check: Description) -> str:
    count, namespace = check.get("count", 1), check.get("namespace")
    only = "only " if check.get("check") == "OnlyAdded" else ""
    rows = "a row is" if count == 1 else f"{count} rows are"
    where = f" where {cells_in_words(check['where'])}" if check.get("where") else ""
    joint = " so that" if check["kind"] == "updated" else " with"
    values = f"{joint} {cells_in_words(check['values'])}" if check.get("values") else ""
    lasting = ", still so at the end" if check.get("lasts") else ""
    return f"{only}{rows} {_VERBS.get(check['kind'], check['kind'])} {namespace}{where}{values}{lasting}"


def _called(check: Description) -> str:
    arguments = f" with {cells_in_words(check['arguments'])}" if check.get("arguments") else ""
    result = f", which gives {value_in_words(check['result'])}" if check.get("result") is not None else ""
    failing = " and fails" if check["check"] == "Failed" else ""
    return f"the agent calls {check['tool']}{arguments}{result}{failing}"


def _not_yet(check: Description) -> str:
    return f"not yet: {check_in_words(check['change'])}"


def _premature(check: Description) -> str:
    return f"{check_in_words(check['change'])}, before: {check_in_words(check['condition'])}"


def _either(check: Description) -> str:
    return " or ".join(map(check_in_words, check["checks"]))


def _would_find(check: Description) -> str:
    rows = " and ".join(f"({cells_in_words(row)})" for row in check["rows"])
    return f"the agent calls {check['tool']} such that it would find {rows}"


_CHECKS: dict[str, Callable[[Description], str]] = {
    "Changed": _changed,
    "OnlyAdded": _changed,
    "Called": _called,
    "Failed": _called,
    "Asked": lambda check: f"the agent asks the user about /{check['topic']}/",
    "Told": lambda check: f"the agent writes /{check['pattern']}/ to the user",
    "NotYet": _not_yet,
    "Premature": _premature,
    "Either": _either,
    "WouldFind": _would_find,
}

_MEASURES = {
    "snapshot_similarity": "looks like",
    "addition_similarity": "gains",
    "removal_similarity": "loses",
    "update_similarity": "changes to",
    "tool_trace_dependant_similarity": "looks like (with a value from a tool result)",
}


def _constraint(check: Description) -> str:
    """A constraint as the published benchmark writes them: a measure, and the rows wanted."""
    name, database = str(check.get("check")), check.get("database_namespace", check.get("database"))
    if name == "guardrail_similarity":
        return f"{database} stays as it is"
    rows = check.get("target_dataframe") or ()
    shown = " and ".join(f"({cells_in_words(row)})" for row in rows if isinstance(row, Mapping))
    return f"{database} {_MEASURES.get(name, f'meets {name}')} {shown}".rstrip()


# Facts ---------------------------------------------------------------------------------------


def fact_in_words(fact: Any) -> str:
    """A fact of an answer, in a few words."""
    fact = _description(fact)
    if not isinstance(fact, Mapping):
        return value_in_words(fact)
    words = _FACTS.get(str(fact.get("fact")))
    text = words(fact) if words is not None else _fields(fact)
    about = fact.get("about") or ()
    return f"{text} (about {_listed(about, ' / ')})" if about and fact.get("fact") != "Leader" else text


def _fields(fact: Description) -> str:
    fields = {name: value for name, value in fact.items() if name not in ("fact", "about") and value not in (None, [])}
    shown = ", ".join(f"{name} {fact_in_words(value)}" for name, value in fields.items())
    return f"{fact.get('fact', '')} {shown}".strip()


def _number(fact: Description) -> str:
    joint = " in " if isinstance(fact["value"], Mapping) else " "
    unit = f"{joint}{fact['unit']}" if fact.get("unit") else ""
    margin = f" ± {value_in_words(fact['tolerance'])}" if fact.get("tolerance") else ""
    share = f" ± {fact['relative']:.0%}" if fact.get("relative") else ""
    return f"{value_in_words(fact['value'])}{unit}{margin or share}"


def _seconds(fact: Description) -> str:
    value = fact["value"]
    return f"{value:g} s" if isinstance(value, int | float) else f"the duration {value_in_words(value)}"


def _cannot(fact: Description) -> str:
    reason = _REASONS.get(str(fact["because"]), str(fact["because"]))
    terms = f" ({_listed(fact['terms'], ' / ')})" if fact.get("terms") else ""
    return f"it cannot be done because {reason}{terms}"


def _boolean(fact: Description) -> str:
    terms = fact["true_terms"] if fact["value"] else fact["false_terms"]
    if terms:
        return f"it is so: {_listed(terms, ' / ')}"
    return f"it is not so: {_listed(fact['true_terms'], ' / ')}"


_FACTS: dict[str, Callable[[Description], str]] = {
    "Quote": lambda fact: value_in_words(fact["text"]),
    "Entity": lambda fact: value_in_words(fact["name"]),
    "Leader": lambda fact: f"{value_in_words(fact['name'])} comes first ({_listed(fact.get('about') or ())})",
    "Number": _number,
    "AnyNumber": lambda fact: f"some figure in {fact['unit']}",
    "Phone": lambda fact: f"the number {value_in_words(fact['number'])}",
    "AnyPhone": lambda fact: "some phone number",
    "PhonePart": lambda fact: f"any part of {fact['number']}",
    "Duration": _seconds,
    "Date": lambda fact: f"the day {value_in_words(fact['value'])}",
    "Time": lambda fact: f"the time {value_in_words(fact['value'])}",
    "DateTime": lambda fact: f"the moment {value_in_words(fact['value'])}",
    "Weekday": lambda fact: f"the weekday {value_in_words(fact['value'])}",
    "Switch": lambda fact: f"{fact['subject']} is {'on' if fact['on'] else 'off'}",
    "Boolean": _boolean,
    "Done": lambda fact: f"it was {str(fact['action']).replace('_', ' ')}",
    "NotDone": lambda fact: f"it was not {_listed(fact['task'], ' / ')}",
    "Cannot": _cannot,
    "AnyOf": lambda fact: f"either {' or '.join(map(fact_in_words, fact['facts']))}",
    "Absent": lambda fact: f"nothing of this: {', '.join(map(fact_in_words, fact['facts']))}",
    "Listing": lambda fact: (
        f"{'in this order' if fact.get('ordered') else 'all of'}: {', '.join(map(fact_in_words, fact['items']))}"
    ),
    "Paired": lambda fact: ", ".join(map(fact_in_words, fact["pairs"])),
}


# Values --------------------------------------------------------------------------------------


def cells_in_words(cells: Mapping[str, Any]) -> str:
    """Columns or arguments with what they have to be."""
    return ", ".join(f"{name} = {value_in_words(value)}" for name, value in cells.items())


def value_in_words(value: Any) -> str:
    """A value, or what a matcher accepts."""
    value = _description(value)
    if isinstance(value, Mapping):
        return _mapping_in_words(value)
    if isinstance(value, str):
        return f'"{value}"'
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    if isinstance(value, float):
        return f"{value:.10g}"
    return f"[{_listed(value)}]" if isinstance(value, list | tuple) else str(value)


def _mapping_in_words(value: Description) -> str:
    if "from_trace" in value:
        path = "".join(f"[{step}]" for step in value.get("path") or ())
        return f"what {value['from_trace']} gave{path}"
    # What a tool gave may look like a matcher, and be none.
    with contextlib.suppress(KeyError, TypeError, AttributeError):
        return _MATCHERS[value["matcher"]](value)
    return f"({cells_in_words(value)})"


def _says(matcher: Description) -> str:
    without = f", but not {_listed(matcher['never'], ' / ')}" if matcher["never"] else ""
    return f"a text that says {'; '.join(map(fact_in_words, matcher['facts']))}{without}"


_MATCHERS: dict[str, Callable[[Description], str]] = {
    "Near": lambda matcher: f"{value_in_words(matcher['value'])} ± {value_in_words(matcher['tolerance'])}",
    "SameWords": lambda matcher: f"the words {value_in_words(matcher['text'])}",
    "OneOf": lambda matcher: " or ".join(map(value_in_words, matcher["options"])),
    "Anything": lambda matcher: "anything",
    "Nothing": lambda matcher: "nothing",
    "HasRow": lambda matcher: f"a row with {cells_in_words(matcher['cells'])}",
    "Cells": lambda matcher: f"({cells_in_words(matcher['cells'])})",
    "Several": lambda matcher: f"at least {matcher['count']} rows",
    "Mentions": lambda matcher: f"a text with {value_in_words(matcher['part'])}",
    "Says": _says,
}


def _listed(values: Sequence[Any], separator: str = ", ") -> str:
    return separator.join(value if isinstance(value, str) else value_in_words(value) for value in values)
