"""What a check demands, in words, from its JSON form in ``evaluation.json``.

A matcher stands there as it would be written, ``Near(value=5.0, tolerance=1.0)``. It is parsed, never executed; what
cannot be read stays as it is.
"""

import ast
import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from tool_sandbox.helpers.syntax import parse_expression

Description = Mapping[str, Any]

_MATCHER = re.compile(r"[A-Z]\w*\(.*\)", re.DOTALL)
_LARGEST_MATCHER = 10_000
_MOMENTS: dict[str, Callable[..., Any]] = {
    "date": datetime.date,
    "time": datetime.time,
    "datetime": datetime.datetime,
    "timedelta": datetime.timedelta,
}
_VERBS = {"added": "added to", "removed": "removed from", "updated": "updated in"}
_REASONS = {
    "NOT_FOUND": "nothing was found",
    "TOOL_MISSING": "there is no tool for it",
    "INFORMATION_MISSING": "something is not known",
    "SETTING_BLOCKED": "a setting is in the way",
}


def check_in_words(check: Description) -> str:
    """One line that says what has to hold.

    Args:
        check: An entry of ``checks``.
    """
    if "facts" in check:
        scope = "" if check.get("scope") == "conversation" else ", before the user goes on"
        return f"the agent tells the user: {'; '.join(map(fact_in_words, check['facts']))}{scope}"
    kind = check.get("check")
    words = _CHECKS.get(kind) if isinstance(kind, str) else None
    return words(check) if words is not None else _constraint(check)


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
    """A fact of an answer, in a few words.

    Args:
        fact: JSON form of a fact, or a plain value.
    """
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
    """A value, or a matcher as it would be written, in words."""
    if isinstance(value, Mapping) and "from_trace" in value:
        path = "".join(f"[{step}]" for step in value.get("path") or ())
        return f"what {value['from_trace']} gave{path}"
    if isinstance(value, str):
        return _matcher(value) if len(value) <= _LARGEST_MATCHER and _MATCHER.fullmatch(value) else f'"{value}"'
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, Mapping):
        return f"({cells_in_words(value)})"
    return f"[{_listed(value)}]" if isinstance(value, list | tuple) else str(value)


def _listed(values: Sequence[Any], separator: str = ", ") -> str:
    return separator.join(value if isinstance(value, str) else value_in_words(value) for value in values)


@lru_cache(maxsize=4096)
def _matcher(text: str) -> str:
    try:
        return _node_in_words(parse_expression(text))
    except (SyntaxError, ValueError, MemoryError, RecursionError, KeyError, TypeError):
        return text


def _node_in_words(node: ast.expr) -> str:
    match node:
        case ast.Call(func=ast.Name(id=name), args=[], keywords=keywords):
            return _matchers(name, {keyword.arg or "": keyword.value for keyword in keywords})
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return ", ".join(f"{ast.literal_eval(key)} = {_node_in_words(value)}" for key, value in pairs if key)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return " or ".join(map(_node_in_words, items))
    return value_in_words(ast.literal_eval(node))


def _matchers(name: str, fields: Mapping[str, ast.expr]) -> str:
    if name in _FACTS:
        return fact_in_words({"fact": name} | {field: _json(value) for field, value in fields.items()})
    match name:
        case "Near":
            return f"{_node_in_words(fields['value'])} ± {_node_in_words(fields['tolerance'])}"
        case "SameWords":
            return f"the words {_node_in_words(fields['text'])}"
        case "OneOf":
            return _node_in_words(fields["options"])
        case "Anything":
            return "anything"
        case "Nothing":
            return "nothing"
        case "HasRow":
            return f"a row with {_node_in_words(fields['cells'])}"
        case "Cells":
            return f"({_node_in_words(fields['cells'])})"
        case "Several":
            return f"at least {_node_in_words(fields['count'])} rows"
        case "Mentions":
            return f"a text with {_node_in_words(fields['part'])}"
        case "Says":
            never = _json(fields["never"]) if "never" in fields else ()
            without = f", but not {_listed(never, ' / ')}" if never else ""
            return f"a text that says {'; '.join(map(fact_in_words, _json(fields['facts'])))}{without}"
    return f"{name}({', '.join(f'{field} {_node_in_words(value)}' for field, value in fields.items())})"


def _json(node: ast.expr) -> Any:
    """A value in the ``repr`` of a fact, as its JSON form would have it."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[], keywords=keywords):
            return {"fact": name} | {keyword.arg or "": _json(keyword.value) for keyword in keywords}
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return [_json(item) for item in items]
        case ast.Call(func=ast.Attribute(attr=name), args=arguments) if name in _MOMENTS:
            moment = _MOMENTS[name](*map(ast.literal_eval, arguments))
            return moment.total_seconds() if isinstance(moment, datetime.timedelta) else moment.isoformat()
    return ast.literal_eval(node)
