"""Honest remarks beside a right answer: an offer, an obstacle that was overcome, what was not done."""

import datetime
import re
from collections.abc import Iterator
from typing import Any

from tool_sandbox.answers.dialogue import questions
from tool_sandbox.answers.facts._settings import setting_key
from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.play import Reference, calls_of
from tool_sandbox.proof.wording import SETTING_NAMES, day, enumeration
from tool_sandbox.world.script import Say, Step, ToolCallFailed

Told = tuple[str, tuple[Step, ...]]
"""What kind of remark, and the steps with it."""

_LIMIT = re.compile(r"days must be at least 0 and at most (\d+)")
_STATES = {True: "on", False: "off"}


def remarks(scenario: Scenario, reference: Reference) -> Iterator[Told]:
    """Versions of the reference solution with something said that is true and was not asked for."""
    steps = reference.steps
    last = max((number for number, step in enumerate(steps) if isinstance(step, Say)), default=None)
    if last is None or questions(text := getattr(steps[last], "text", "")):
        return
    told = (
        *_offers(reference),
        *_untouched(reference),
        *_moves(reference),
        *_limits(reference),
        *_others(reference, text),
    )
    for kind, after in told:
        yield kind, (*steps[:last], Say(f"{text} {after}"), *steps[last + 1 :])
    yield from _obstacles(scenario, reference, last, text)


# Offers --------------------------------------------------------------------------------------------------------


def _offers(reference: Reference) -> Iterator[tuple[str, str]]:
    yield "closing offer", "Anything else?"
    yield "offer on a condition", "If you need it some other way, tell me how and I'll look again."
    changed = [key for key, (first, *_, final) in _histories(reference).items() if first is not final]
    for key in changed[:1]:
        before = _histories(reference)[key][0]
        yield "offer to undo", f"Want me to turn {_name(key)} back {_STATES[before]}?"


# Settings ------------------------------------------------------------------------------------------------------


def _name(key: str) -> str:
    """A setting within a sentence."""
    name = SETTING_NAMES[key][0]
    return name if name.isupper() or "-" in name else name[0].lower() + name[1:]


def _histories(reference: Reference) -> dict[str, list[bool]]:
    """Each switch that was moved, with all its states in order."""
    context, found = reference.context, dict[str, list[bool]]()
    start = context.first_user_sandbox_message_index
    tables = [context.get_table(DatabaseNamespace.SETTING, start)]
    tables += [table for index, table in context.get_history(DatabaseNamespace.SETTING) if index > start]
    for row in (table.dicts()[-1] for table in tables):
        for column, on in row.items():
            if isinstance(on, bool) and (key := setting_key(column)) and found.setdefault(key, [on])[-1] is not on:
                found[key].append(on)
    return {key: states for key, states in found.items() if len(states) > 1}


def _moves(reference: Reference) -> Iterator[tuple[str, str]]:
    """Two moves of a switch in one sentence."""
    for key, states in _histories(reference).items():
        if len(states) == 3:
            yield (
                "two moves told",
                f"{SETTING_NAMES[key][0]} went {_STATES[states[1]]} and is {_STATES[states[2]]} again.",
            )


def _obstacles(scenario: Scenario, reference: Reference, last: int, text: str) -> Iterator[Told]:
    """A first attempt that fails and is told, and a permission that is asked for."""
    steps, access = reference.steps, reference.access
    setting = frozenset({DatabaseNamespace.SETTING})
    first = next((number for number in range(last) if setting & access[number].writes), None)
    if first is None:
        return
    behind = next((number for number in range(first, last) if not setting & access[number].writes), last)
    if behind == last or not setting & access[behind].reads:
        return
    moved = [
        (key, on)
        for step in steps[first:behind]
        for call in calls_of(step)
        if isinstance(on := call.arguments.get("on"), bool) and (key := setting_key(call.tool[4:]))
    ]
    causes = enumeration([f"{_name(key)} was {_STATES[not on]}" for key, on in moved])
    remedies = enumeration([f"turned {_name(key)} {_STATES[on]}" for key, on in moved])
    tried = (*steps[:first], steps[behind], *steps[first:last])
    story = f"The first attempt failed because {causes}, so I {remedies} and tried again."
    yield "overcome failure told", (*tried, Say(f"{story} {text}"), *steps[last + 1 :])
    if scenario.user_script is not None and scenario.user_script.consents:
        needed = enumeration([f"{_name(key)} {_STATES[on]}" for key, on in moved])
        asked = (*steps[:first], Say(f"That needs {needed}: shall I?"), *steps[first:])
        yield "requirement told in a question", asked


# What was not done ---------------------------------------------------------------------------------------------


def _untouched(reference: Reference) -> Iterator[tuple[str, str]]:
    """What was left alone."""
    added, removed, changed = _deeds(reference)
    if DatabaseNamespace.MESSAGING not in added:
        yield "nothing sent", "I sent nothing."
    if not removed:
        yield "nothing deleted", "I've deleted nothing."
    if not added - {DatabaseNamespace.MESSAGING}:
        yield "nothing added", "I've added nothing."
    if DatabaseNamespace.SETTING not in changed:
        yield "nothing turned on", "I haven't turned anything on."


def _deeds(reference: Reference) -> tuple[set[Any], ...]:
    """Tables with a row more, with a row less, and with any change, at any moment."""
    context = reference.context
    start = context.first_user_sandbox_message_index
    added, removed, changed = set[Any](), set[Any](), set[Any]()
    for namespace in context.table_names():
        key = context.key_column(namespace)
        before = context.get_table(namespace, start)
        for index, table in context.get_history(namespace):
            if index > start and table.rows != before.rows:
                changed.add(namespace)
                was, now = (set(each.column(key)) if key else set() for each in (before, table))
                added |= {namespace} if now - was else set()
                removed |= {namespace} if was - now else set()
                before = table
    return added, removed, changed


# Beside the answer ---------------------------------------------------------------------------------------------


def _limits(reference: Reference) -> Iterator[tuple[str, str]]:
    """How far a forecast reaches, and the day that this is."""
    context = reference.context
    for result in reference.results:
        limit = _LIMIT.search(result.message) if isinstance(result, ToolCallFailed) else None
        if limit is not None:
            now = datetime.datetime.fromtimestamp(
                context.clock.now(context.max_sandbox_message_index), context.timezone
            )
            last = now.date() + datetime.timedelta(days=int(limit[1]))
            yield "limit told with its day", f"It reaches only {limit[1]} days ahead, so to {day(last, 2)}."


def _others(reference: Reference, text: str) -> Iterator[tuple[str, str]]:
    """A message of the same conversation, quoted beside the one that was asked for."""
    found = [row for result in reference.results if isinstance(result, list) for row in result if isinstance(row, dict)]
    messages = {row["message_id"]: row for row in found if "message_id" in row}.values()
    told = [row for row in messages if row["content"] in text]
    for row in told if len(told) == 1 else ():
        parties = {row["sender_phone_number"], row["recipient_phone_number"]}
        earlier = [
            other
            for other in messages
            if {other["sender_phone_number"], other["recipient_phone_number"]} == parties
            and other["creation_timestamp"] < row["creation_timestamp"]
        ]
        if earlier:
            before = max(earlier, key=lambda other: other["creation_timestamp"])
            yield "another message quoted", f'It is the follow-up to "{before["content"]}"'
