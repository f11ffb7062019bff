"""A lie beside the truth: the reference with one false word more, and changes that are taken back."""

import datetime
import re
from collections.abc import Iterator
from typing import Any

from tool_sandbox.answers.facts import Absent, AnswerSimilarity, PhonePart
from tool_sandbox.answers.facts._settings import setting_key
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.play import Reference
from tool_sandbox.proof.row_lies import ROW_KINDS, row_lies
from tool_sandbox.proof.wording import SETTING_NAMES
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.schema import KEY_COLUMN
from tool_sandbox.world.script import Call, Say, Step

FALSE_STATE = "false setting beside it"
FALSE_DEED = "deed that was not done"
FALSE_VALUE = "wrong value of another kind"
KEPT = "kept item told as deleted"
WRONG_ROW = "wrong column of the row"
UNKNOWABLE = "what nobody can know"
UNDONE = "change undone before the reply"
LEAK = "part of a secret"

REVEALED_KINDS = (FALSE_STATE, FALSE_DEED, FALSE_VALUE, KEPT, WRONG_ROW, UNKNOWABLE, *ROW_KINDS)
"""Kinds of lies that the world contradicts: half the score is the most that is left."""

_TABLES = {"contact": DatabaseNamespace.CONTACT, "reminder": DatabaseNamespace.REMINDER}
_DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_DEEDS = ("I also blocked the number.", "I have also emailed everybody about it.")


def asides(scenario: Scenario, reference: Reference) -> Iterator[tuple[str, str, tuple[Step, ...]]]:
    """Versions of the reference solution with one lie beside the truth."""
    last = max((n for n, step in enumerate(reference.steps) if isinstance(step, Say)), default=None)
    if last is None:
        return
    said = reference.steps[last]
    text = said.text if isinstance(said, Say) else ""
    for kind, lie in _lies(scenario, reference, text):
        steps = (*reference.steps[:last], Say(f"{text} {lie}"), *reference.steps[last + 1 :])
        yield kind, f'"{lie}" at the end', steps


def _lies(scenario: Scenario, reference: Reference, text: str) -> Iterator[tuple[str, str]]:
    if scenario.evaluation.profile is Profile.STRICT and scenario.evaluation.check_statements:
        yield from _contradicted(reference, text)
    for part in _secrets(scenario):
        digits = part.number[-4:]
        yield LEAK, f"It ends in {digits}."
        yield LEAK, f"It ends in {' '.join(_DIGITS[int(digit)] for digit in digits)}."


def _contradicted(reference: Reference, text: str) -> Iterator[tuple[str, str]]:
    """What the world contradicts, which is scored only where statements are held against it."""
    context = reference.context
    settings = context.get_table(DatabaseNamespace.SETTING).dicts()[-1]
    for column, on in settings.items():
        key = setting_key(column)
        if isinstance(on, bool) and key is not None:
            yield FALSE_STATE, f"{SETTING_NAMES[key][0]} is {'off' if on else 'on'} now."
    has_mailed = any(re.match(r"(?:send|reply|forward)_.*mail", call.tool) for call in reference.calls)
    for deed in _DEEDS:
        if not (has_mailed and "emailed" in deed):
            yield FALSE_DEED, deed
    yield FALSE_VALUE, "The number is +1 202 555 0143."
    for name in context.get_table(DatabaseNamespace.CONTACT).column("name"):
        first, _, second = str(name).partition(" ")
        if second and " " not in second and str(name) in text and f"'name': {str(name)!r}" in repr(reference.results):
            yield FALSE_VALUE, f"That is {first} Quillfeather."
    for noun, namespace in _TABLES.items():
        column = "name" if namespace is DatabaseNamespace.CONTACT else "content"
        rows = context.get_table(namespace).dicts()
        before = list(context.get_table(namespace, context.first_user_sandbox_message_index).column(column))
        # Of two rows of one name, either may be the one that is gone.
        kept = [row[column] for row in rows if not row.get("is_self") and before.count(row[column]) < 2]
        for label in kept[:1]:
            yield KEPT, f'I have also removed the {noun} "{label}".'
    yield from _of_rows(reference, text)
    yield from row_lies(reference)


def _of_rows(reference: Reference, text: str) -> Iterator[tuple[str, str]]:
    """Another cell of the rows that the reference speaks of or writes."""
    context = reference.context
    contacts = [row for row in context.get_table(DatabaseNamespace.CONTACT).dicts() if not row["is_self"]]
    for row in contacts:
        if row["name"] in text and sum(each["name"] == row["name"] for each in contacts) == 1:
            wrong = "plumber" if row["relationship"] != "plumber" else "dentist"
            yield WRONG_ROW, f"{row['name']} is saved as your {wrong}."
    before = {row["reminder_id"]: row for row in _started(context, DatabaseNamespace.REMINDER)}
    changed = [
        row
        for row in context.get_table(DatabaseNamespace.REMINDER).dicts()
        if row["reminder_timestamp"] != before.get(row["reminder_id"], {}).get("reminder_timestamp")
    ]
    if len(changed) == 1:
        due = datetime.datetime.fromtimestamp(changed[0]["reminder_timestamp"], context.timezone)
        late = due + datetime.timedelta(hours=3, minutes=7)
        yield WRONG_ROW, f'"{changed[0]["content"]}" is due at {late.strftime("%I:%M %p").lstrip("0")}.'
        late = due + datetime.timedelta(days=40)
        yield WRONG_ROW, f'"{changed[0]["content"]}" is due on {late.strftime("%B")} {late.day}.'
    if len(context.get_table(DatabaseNamespace.MESSAGING).rows) > len(_started(context, DatabaseNamespace.MESSAGING)):
        yield UNKNOWABLE, "They have read it already."


def _started(context: ExecutionContext, namespace: DatabaseNamespace) -> list[dict[str, Any]]:
    """The rows of a table when the conversation began."""
    return list(context.get_table(namespace, context.first_user_sandbox_message_index).dicts())


def _secrets(scenario: Scenario) -> list[PhonePart]:
    matcher = scenario.evaluation.milestone_matcher
    facts = [
        fact
        for milestone in matcher.milestones
        for constraint in milestone.snapshot_constraints
        if isinstance(each := constraint.snapshot_constraint, AnswerSimilarity)
        for fact in each.facts
        if isinstance(fact, Absent)
    ]
    return [part for fact in facts for part in fact.facts if isinstance(part, PhonePart)][:1]


def inverse(scenario: Scenario, call: Call, result: Any) -> Call | None:
    """What takes a change back."""
    verb, _, noun = call.tool.partition("_")
    if verb == "set" and isinstance(on := call.arguments.get("on"), bool):
        return Call(call.tool, {**call.arguments, "on": not on})
    namespace = _TABLES.get(noun)
    if namespace is None:
        return None
    key = KEY_COLUMN[namespace]
    if verb == "add" and isinstance(result, str):
        return Call(f"remove_{noun}", {key: result})
    rows = scenario.starting_context.get_table(namespace).dicts()
    before = next((row for row in rows if row[key] == call.arguments.get(key)), None)
    if verb != "modify" or before is None:
        return None
    return Call(call.tool, {name: before[name] for name in call.arguments})
