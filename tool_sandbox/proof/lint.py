"""What can be said about a scenario without playing anything but its reference solution."""

import functools
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from tool_sandbox.answers.facts import AnswerSimilarity
from tool_sandbox.apps.registry import tools_of
from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    ScenarioCategories,
)
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.play import Reference
from tool_sandbox.proof.source import OWN
from tool_sandbox.proof.tags import Complaint, check_tags
from tool_sandbox.scenarios import ScenarioInfo
from tool_sandbox.scenarios.build import ReferenceSolution, predecessors
from tool_sandbox.scenarios.checks import Called, Changed, Failed
from tool_sandbox.scenarios.definition import Definition
from tool_sandbox.scenarios.vocabulary import Node, Task
from tool_sandbox.scoring.side_effects import matches

_WRITERS: dict[tuple[str, str], tuple[str, ...]] = {
    (DatabaseNamespace.CONTACT, "added"): ("add_contact",),
    (DatabaseNamespace.CONTACT, "updated"): ("modify_contact",),
    (DatabaseNamespace.CONTACT, "removed"): ("remove_contact",),
    (DatabaseNamespace.MESSAGING, "added"): ("send_message_with_phone_number",),
    (DatabaseNamespace.REMINDER, "added"): ("add_reminder",),
    (DatabaseNamespace.REMINDER, "updated"): ("modify_reminder",),
    (DatabaseNamespace.REMINDER, "removed"): ("remove_reminder",),
}
"""Which tools make which change."""

_SETTERS = {
    "cellular": "set_cellular_service_status",
    "wifi": "set_wifi_status",
    "location_service": "set_location_service_status",
    "low_battery_mode": "set_low_battery_mode_status",
}


def definition_of(scenario: Scenario) -> tuple[Definition, int] | None:
    """The definition and seed that a scenario was built from, ``None`` if it was built some other way."""
    solution = scenario.solution
    return (solution.definition, solution.seed) if isinstance(solution, ReferenceSolution) else None


def source_lines(definition: Definition) -> int:
    """Number of lines of the function that defines a base scenario, its decorator included; 0 if no file holds it.

    In the hard tier, where a family shares its builder, the lines of an axis by the number of its scenarios.
    """
    if definition.axis:
        return _lines_of_axis(definition.function.__module__.rpartition(".")[0])
    try:
        return len(inspect.getsourcelines(definition.function)[0])
    except OSError:
        return 0


@functools.cache
def _lines_of_axis(package: str) -> int:
    modules = list(pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."))
    sources = [inspect.getsource(importlib.import_module(module.name)).splitlines() for module in modules]
    scenarios = sum(line.startswith("@scenario") for source in sources for line in source)
    return round(sum(map(len, sources)) / max(1, scenarios))


def lint(
    scenario: Scenario,
    reference: Reference,
    definition: Definition,
    task: Task,
    necessary: int,
    infos: Sequence[ScenarioInfo] | None = None,
) -> Iterator[Complaint]:
    """Checks a scenario for slips of its author."""
    yield from _tools(scenario.starting_context, task)
    yield from _nodes(definition.name, task)
    yield from _minefields(scenario.starting_context, task)
    yield from _secrets(scenario, task)
    yield from check_tags(scenario, reference, necessary)
    yield from _twin(definition, OWN.infos if infos is None else infos)


# Tools and nodes -----------------------------------------------------------------------------------------------


def _tools(context: ExecutionContext, task: Task) -> Iterator[Complaint]:
    if both := {*task.tools} & {*task.denied}:
        yield "tools", "no tool both offered and denied", f"{sorted(both)} are"
    if repeated := sorted({tool for tool in task.tools if task.tools.count(tool) > 1}):
        yield "tools", "each tool listed once", f"{repeated} are listed again"
    named = {node.check.tool for node in (*task.milestones, *task.never) if isinstance(node.check, (Called, Failed))}
    named |= {tool for node in task.milestones for tool in _traced(node.check)}
    if withheld := sorted(tool for tool in named if not context.is_tool_offered(tool)):
        yield "tools", "tools that milestones name to be offered", f"{withheld} are not"


def _traced(value: Any) -> Iterator[str]:
    """Tools whose results an answer takes its values from."""
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from _traced(item)
    elif hasattr(value, "resolve"):
        yield value.tool
    elif attrs.has(type(value)):
        for field in attrs.fields(type(value)):
            yield from _traced(getattr(value, field.name))


def _nodes(name: str, task: Task) -> Iterator[Complaint]:
    """A gate that nothing comes after decides nothing."""
    waited_for = {earlier for before in predecessors(name, task.milestones) for earlier in before}
    for index, node in enumerate(task.milestones):
        if node.kind == "gate" and index not in waited_for:
            yield "nodes", "something that waits for every gate", f"nothing waits for {_named(node)}"


def _named(node: Node) -> str:
    return node.label or str(node.check)


def _minefields(context: ExecutionContext, task: Task) -> Iterator[Complaint]:
    for node in task.never:
        check = node.check
        if isinstance(check, (Called, Failed)) and not context.is_tool_offered(check.tool):
            yield "minefields", "a minefield that can be met", f"{check.tool} is not offered"
        elif isinstance(check, Changed):
            writers = _writers(check, context)
            if not any(context.is_tool_offered(tool) for tool in writers):
                yield "minefields", "a minefield that can be met", f"none of {sorted(writers)} is offered"
            elif check.where and not _exists(context, check):
                yield "minefields", "a minefield that can be met", f"no row of the start is {check.where}"


def _writers(check: Changed, context: ExecutionContext) -> tuple[str, ...]:
    if check.namespace == DatabaseNamespace.SETTING:
        return tuple(_SETTERS[name] for name in check.values if name in _SETTERS) or tuple(_SETTERS.values())
    owner = [app for app in context.apps if check.namespace in {table.name for table in app.tables}]
    # Which tool of an app makes which change is not declared.
    return tuple(tools_of(owner)) or _WRITERS.get((check.namespace, check.kind), ())


def _exists(context: ExecutionContext, check: Changed) -> bool:
    rows = context.get_table(check.namespace).dicts()
    return any(all(matches(wanted, row.get(name)) for name, wanted in check.where.items()) for row in rows)


# What the user must not know -----------------------------------------------------------------------------------


def _secrets(scenario: Scenario, task: Task) -> Iterator[Complaint]:
    script = scenario.user_script
    if script is None:
        return
    said = [script.opening, *script.turns, *(fact.reply for fact in script.knows)]
    spoken = " ".join(said)
    unguarded = [
        text
        for node in task.milestones
        if isinstance(node.check, AnswerSimilarity)
        for text in _expected_texts(node.check.facts)
        if not _holds(spoken, text) and not any(_holds(secret, text) for secret in script.secrets)
    ]
    if unguarded:
        yield "secrets", "answers to be among the user's secrets", f"{sorted(set(unguarded))} are not"
    brief = _brief(scenario)
    for secret in script.secrets:
        if _holds(spoken, secret) or _holds(brief, secret):
            yield "secrets", "a user who never says a secret", f"{secret!r} is in the script or the brief"


def _expected_texts(value: Any) -> Iterator[str]:
    """Names, numbers to call and texts that an answer has to state."""
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from _expected_texts(item)
        return
    kind = type(value).__name__
    if kind in ("Listing", "AnyOf"):
        yield from _expected_texts(getattr(value, "items" if kind == "Listing" else "facts"))
    for name in {"Entity": ("name",), "Phone": ("number",), "Quote": ("text",)}.get(kind, ()):
        if isinstance(text := getattr(value, name), str):
            yield text


def _holds(text: str, part: str) -> bool:
    """Whether a text says something, as whole words and whatever stands between digits."""
    plain, wanted = (re.sub(r"(?<=\d)[\s().\-]+(?=\d)", "", form).casefold() for form in (text, part))
    return bool(re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", plain))


def _brief(scenario: Scenario) -> str:
    history = scenario.starting_context.get_history(DatabaseNamespace.SANDBOX)
    rows = (row for _, table in history for row in table.where(sender=RoleType.SYSTEM, recipient=RoleType.USER))
    return " ".join(row["content"] for row in rows)


def _twin(definition: Definition, infos: Sequence[ScenarioInfo]) -> Iterator[Complaint]:
    if ScenarioCategories.INSUFFICIENT_INFORMATION not in definition.tags:
        return
    twins = {info.name: info for info in infos}
    twin = twins.get(definition.twin)
    if not definition.twin:
        yield "twin", "a possible twin of an impossible task", "none is named"
    elif twin is None:
        yield "twin", "a possible twin of an impossible task", f"there is no scenario {definition.twin!r}"
    elif ScenarioCategories.INSUFFICIENT_INFORMATION in twin.categories:
        yield "twin", "a twin that is possible", f"{definition.twin} is impossible as well"
