"""Near misses of a reference solution: each does one thing wrong, and none may score 1."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import attrs

from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType, ScenarioCategories
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.answers import answers, exchanged_call, replaced
from tool_sandbox.proof.asides import LEAK, REVEALED_KINDS, UNDONE, asides, inverse
from tool_sandbox.proof.course import Course
from tool_sandbox.proof.falsehoods import falsehoods
from tool_sandbox.proof.findings import shown
from tool_sandbox.proof.harm import harmful_calls
from tool_sandbox.proof.lapses import MistakenAgent, checks
from tool_sandbox.proof.neighbours import misread, miswritten, others
from tool_sandbox.proof.play import Playback, Reference, calls_of
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.control_agents import MeddlingAgent
from tool_sandbox.scenarios.checks import Asked, Called, Changed, Failed
from tool_sandbox.world.device import TIME_TABLE
from tool_sandbox.world.script import Call, Say, Step, ToolCallFailed

DROPPED = "dropped call"
CHANGED = "changed argument"
SWAPPED = "swapped"
ELSEWHERE = "wrong entity"

HARM_KINDS = ("extra write before", "extra write between", "extra write after")
"""Kinds of mutants that do something unrequested."""

_DOUBLED_KINDS = ("two answers", "list of another length")
ANSWER_KINDS = ("negated answer", "wrong figure", "wrong entity in answer", "retracted answer", *_DOUBLED_KINDS)
"""Kinds of mutants that tell something false; the answer must then earn nothing."""

CAPS = (
    {DROPPED: 8, CHANGED: 9, SWAPPED: 3, ELSEWHERE: 4}
    | dict.fromkeys(HARM_KINDS, 2)
    | dict.fromkeys(ANSWER_KINDS, 3)
    | dict.fromkeys((*REVEALED_KINDS, UNDONE, LEAK), 1)
    | dict.fromkeys(_DOUBLED_KINDS, 2)
)
"""Most mutants of a kind in one scenario, 60 in all."""


@attrs.frozen
class Mutant:
    """A near miss of the reference solution.

    Attributes:
        kind: What is wrong with it.
        label: What it does, in words or calls.
        agent: Makes the agent that plays it.
    """

    kind: str
    label: str
    agent: Callable[[], BaseRole]


def mutants(course: Course, wide: Course | None = None) -> Iterator[tuple[Course, Mutant]]:
    """Near misses of a reference solution, the same ones every time, and the course on which each is played.

    Args:
        course: Of the scenario.
        wide: That of the scenario with all tools, where there is most harm to be done; by default, harm is done here.
    """
    sources = [_swapped, *([_meddling] if wide is None else []), _false_answers, _asides]
    reference = course.reference
    if reference.plan == reference.steps:  # else a call was made again, and its first try is no step of the solution
        sources = [_dropped, _changed, *sources]
    yield from ((course, mutant) for source in sources for mutant in _chosen(source(course)))
    if wide is not None:
        yield from ((wide, mutant) for mutant in _chosen(_meddling(wide)))


def _chosen(found: Iterable[Mutant]) -> Iterator[Mutant]:
    """Those of each kind that are played."""
    by_kind: dict[str, list[Mutant]] = {}
    for mutant in found:
        by_kind.setdefault(mutant.kind, []).append(mutant)
    for kind, alike in by_kind.items():
        yield from _spread(alike, CAPS[kind])


def _spread(found: Sequence[Mutant], cap: int) -> Iterable[Mutant]:
    """At most ``cap`` of the mutants, the first and the last included."""
    if len(found) <= cap:
        return found
    if cap == 1:
        return [found[sum(map(ord, found[0].label)) % len(found)]]
    return [found[number * (len(found) - 1) // (cap - 1)] for number in range(cap)]


def _playback(kind: str, label: str, steps: Iterable[Step]) -> Mutant:
    played = tuple(steps)
    return Mutant(kind, label, lambda: Playback(played))


# Calls ---------------------------------------------------------------------------------------------------------


def _dropped(course: Course) -> Iterator[Mutant]:
    """Each call left out: of a write nothing else changes, without a lookup the solution does what it can."""
    scenario, reference = course.scenario, course.reference
    for position, step in enumerate(reference.steps):
        calls = calls_of(step)
        if not calls:
            continue
        if _is_goal(scenario, reference, position):
            for number, call in enumerate(calls):
                left = replaced(reference.steps, position, *exchanged_call(step, number, None))
                yield _playback(DROPPED, f"without {shown([call])}", left)
        elif _matters(course, position):
            label = f"as if {shown([step])} had told nothing"
            yield Mutant(DROPPED, label, lambda p=position: MistakenAgent(p, None))  # type: ignore[misc]


def _is_goal(scenario: Scenario, reference: Reference, position: int) -> bool:
    """Whether a step writes where a change is wanted; a setting that only enables other steps is no goal.

    Nor is a wait: what comes in meanwhile is written by the world.
    """
    goals = {check.namespace for check in checks(scenario) if isinstance(check, Changed)}
    writes = reference.access[position].writes
    return bool(goals & writes) and TIME_TABLE not in writes


def _matters(course: Course, position: int) -> bool:
    """Whether the solution uses what a step brings to light, or a milestone demands the call."""
    scenario, reference = course.scenario, course.reference
    agent = MistakenAgent(position, None)
    course.converse(agent)
    if agent.leads_elsewhere(scenario, reference):
        return True
    dropped = {call.tool for call in calls_of(reference.steps[position])}
    left = {call.tool for number, step in enumerate(reference.steps) if number != position for call in calls_of(step)}
    return any(isinstance(check, (Called, Failed)) and check.tool in dropped - left for check in checks(scenario))


def _is_telling(scenario: Scenario, call: Call) -> bool:
    """Whether it matters what was looked up: where nothing can be found, only calls with pinned arguments do."""
    if ScenarioCategories.INSUFFICIENT_INFORMATION not in scenario.categories:
        return True
    pinned = [check for check in checks(scenario) if isinstance(check, (Called, Failed)) and check.arguments]
    return any(check.tool == call.tool for check in pinned)


def _changed(course: Course) -> Iterator[Mutant]:
    """Each argument changed: a write as it is, a lookup so that its wrong result is used."""
    scenario, reference = course.scenario, course.reference
    for position, step in enumerate(reference.steps):
        if isinstance(reference.results[position], ToolCallFailed) and step in reference.steps[position + 1 :]:
            continue  # Its answer was lost and it was not done, so it is made again.
        for number, call in enumerate(calls_of(step)):
            if _is_goal(scenario, reference, position):
                for miss in miswritten(call, scenario):
                    steps = replaced(reference.steps, position, *exchanged_call(step, number, miss.call))
                    kind = ELSEWHERE if miss.elsewhere else CHANGED
                    yield _playback(kind, f"{shown([miss.call])} in place of {shown([call])}", steps)
                continue
            for miss in misread(call) if _is_telling(scenario, call) else ():
                (other,) = exchanged_call(step, number, miss.call)
                agent = MistakenAgent(position, other)
                course.converse(agent)
                if agent.leads_elsewhere(scenario, reference):
                    label = f"{shown([miss.call])} in place of {shown([call])}, and what follows from it"
                    yield Mutant(CHANGED, label, lambda p=position, o=other: MistakenAgent(p, o))  # type: ignore[misc]


def _swapped(course: Course) -> Iterator[Mutant]:
    """Steps exchanged with the one that they depend on: a write first, or a question to the user."""
    scenario, reference = course.scenario, course.reference
    asks = any(isinstance(check, Asked) for check in checks(scenario))
    steps, access = reference.steps, reference.access
    for position in range(len(steps) - 1):
        first, second = steps[position], steps[position + 1]
        enabling = access[position].writes & access[position + 1].reads
        # A second step of which the answer was lost fails at either place.
        is_lost = isinstance(reference.results[position + 1], ToolCallFailed)
        if enabling and access[position + 1].writes and not is_lost:
            swapped = (*steps[:position], second, first, *steps[position + 2 :])
            if _fails(course, swapped, position):
                yield _playback(SWAPPED, f"{shown([second, first])} in this order", swapped)
    for position in [position for position, step in enumerate(steps) if asks and isinstance(step, Say)]:
        writes = [later for later in range(position + 1, len(steps)) if _is_goal(scenario, reference, later)]
        if writes and "?" in getattr(steps[position], "text", ""):
            rest = replaced(steps, writes[0])
            swapped = (*rest[:position], steps[writes[0]], *rest[position:])
            yield _playback(SWAPPED, f"{shown([steps[writes[0]]])} before asking", swapped)


def _fails(course: Course, steps: Sequence[Step], position: int) -> bool:
    """Whether the step at ``position`` fails."""
    context = course.converse(Playback(steps[: position + 1]))
    log = [row for _, table in context.get_history(DatabaseNamespace.SANDBOX) for row in table.dicts()]
    parties = RoleType.EXECUTION_ENVIRONMENT, RoleType.AGENT
    replies = [row for row in log if (row["sender"], row["recipient"]) == parties]
    made = sum(len(calls_of(step)) for step in steps[: position + 1])
    return len(replies) >= made and replies[made - 1]["tool_call_exception"] is not None


# Harm ----------------------------------------------------------------------------------------------------------


def _meddling(course: Course) -> Iterator[Mutant]:
    """Something unrequested, at the start, in the middle and just before the last text."""
    sent = course.sent
    # In a short solution two of the places may be one.
    places = {sent[len(sent) // 2]: HARM_KINDS[1], sent[-1]: HARM_KINDS[2], 0: HARM_KINDS[0]}
    for place, kind in sorted(places.items()):
        for call in harmful_calls(course.scenario, course.reference):
            yield Mutant(
                kind,
                f"{shown([call])} after {place} messages",
                lambda place=place, call=call: MeddlingAgent(place, call),  # type: ignore[misc]
            )


# Answers -------------------------------------------------------------------------------------------------------


def _false_answers(course: Course) -> Iterator[Mutant]:
    """Each answer told falsely, or taken back."""
    scenario, reference = course.scenario, course.reference
    for answer in answers(scenario, reference):
        lies = falsehoods(answer.text, answer.facts, others(scenario.starting_context))
        for lie in {lie.text: lie for lie in lies}.values():
            steps = replaced(reference.steps, answer.position, Say(lie.text))
            yield _playback(lie.kind, f'"{lie.text}"', steps)


def _asides(course: Course) -> Iterator[Mutant]:
    """The right answer with a lie beside it, and changes taken back before it."""
    scenario, reference = course.scenario, course.reference
    for kind, label, steps in asides(scenario, reference):
        yield _playback(kind, label, steps)
    said = [number for number, step in enumerate(reference.steps) if isinstance(step, Say)]
    goals = [number for number in range(said[-1] if said else 0) if _is_goal(scenario, reference, number)]
    later = {call.tool for step in reference.steps[goals[-1] + 1 if goals else 0 :] for call in calls_of(step)}
    for call in calls_of(reference.steps[goals[-1]]) if goals else ():
        back = inverse(scenario, call, reference.results[goals[-1]])
        if back is None or back == call or call.tool in later:
            continue
        if scenario.starting_context.is_tool_offered(back.tool):
            steps = (*reference.steps[: said[-1]], back, *reference.steps[said[-1] :])
            yield _playback(UNDONE, f"{shown([back])} before the reply", steps)
