"""From a definition to a `Scenario` that can be played: messages, tables, milestones, weights."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.apps.registry import tools_of, with_needed
from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    ScenarioCategories,
)
from tool_sandbox.conversation.tool_discovery import ToolBackend, further_tools, get_all_tools
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.scenarios.augmentations import (
    USER_TOOL,
    Augmentation,
    drawn_order,
    offered_tools,
    ordered_harm,
)
from tool_sandbox.scenarios.checks import Asked, Called, Changed, Check, Failed, NotYet
from tool_sandbox.scenarios.definition import Definition
from tool_sandbox.scenarios.everyday import everyday_knowledge, rows_meant
from tool_sandbox.scenarios.fillers import Rows, filled
from tool_sandbox.scenarios.prompts import AGENT_INSTRUCTION, user_brief
from tool_sandbox.scenarios.secrets import with_secrets
from tool_sandbox.scenarios.user_simulator_few_shot_examples import demonstrations_for
from tool_sandbox.scenarios.vocabulary import Happening, LostAnswer, Node, Task
from tool_sandbox.scenarios.world import World
from tool_sandbox.scoring import Evaluation, Milestone, MilestoneMatcher, Minefield, SnapshotConstraint
from tool_sandbox.scoring.side_effects import Added, AllowedChange, Removed, Updated
from tool_sandbox.tools.services.faulty import Fault, FaultyService
from tool_sandbox.world.errors import ScenarioError
from tool_sandbox.world.events import EventKind, schedule, use_events
from tool_sandbox.world.faults import lose_answer
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.rules import BrokenRuleError
from tool_sandbox.world.script import Acts, Solution, SolutionFactory, UserScript
from tool_sandbox.world.tool import Tool, ToolFunction

MAX_TURNS = {"core": 40, "hard": 240}
"""Largest number of turns of the agent by tier: at least three times what the longest reference solution needs."""

STATE_SHARE = 0.7
"""Share of the points that changes of the world carry where a task asks for a change and an answer."""


@attrs.frozen(eq=False)
class ReferenceSolution:
    """Starts the reference solution of one instance; can be sent to another process."""

    definition: Definition
    seed: int
    factory: SolutionFactory

    def __call__(self) -> Solution:
        """A fresh run of the solution."""
        return self.factory()

    def __reduce__(self) -> tuple[Any, ...]:
        return _reference_solution, (self.definition, self.seed)


def _reference_solution(definition: Definition, seed: int) -> ReferenceSolution:
    return ReferenceSolution(definition, seed, definition.task(seed).solution)


def build(
    definition: Definition,
    augmentations: Sequence[Augmentation],
    *,
    seed: int = 0,
    preferred_tool_backend: ToolBackend = ToolBackend.DEFAULT,
) -> dict[str, Scenario]:
    """Builds a base scenario in several augmentations, which share world and evaluation."""
    base = Base.of(definition, seed, preferred_tool_backend)
    return {definition.name + augmentation.suffix: base.augmented(augmentation) for augmentation in augmentations}


@attrs.frozen(eq=False)
class Base:
    """What all augmentations of a base scenario have in common; never modified."""

    definition: Definition
    world: World
    task: Task
    script: UserScript
    scenario: Scenario

    @classmethod
    def of(cls, definition: Definition, seed: int, backend: ToolBackend) -> "Base":
        """Draws an instance of a base scenario."""
        with further_tools(tools_of(with_needed(definition.apps))):
            return cls._drawn(definition, seed, backend)

    @classmethod
    def _drawn(cls, definition: Definition, seed: int, backend: ToolBackend) -> "Base":
        world, task = definition.drawn(seed)
        check_task(definition.name, task)
        means, everyday = rows_meant(world, task), everyday_knowledge(world, task)
        script = UserScript(
            task.user[0], task.user[1:], task.knows, task.consents, means=means, everyday=everyday, does=task.does
        )
        script = with_secrets(script, task)
        scenario = Scenario(
            starting_context=_starting_context(definition, world, script, backend, filled(world, task, 0), task),
            evaluation=_evaluation(definition.name, task),
            max_turns=MAX_TURNS[definition.tier],
            categories=definition.categories(task),
            name=definition.name,
            family=definition.family,
            tier=definition.tier,
            axis=definition.axis,
            goal=definition.goal,
            solution=ReferenceSolution(definition, world.seed, task.solution),
            user_script=script,
            demonstrations=demonstrations_for(definition.name),
        )
        return cls(definition, world, task, script, scenario)

    def augmented(self, augmentation: Augmentation) -> Scenario:
        """The base scenario in an augmentation, with a world of its own; the evaluation is that of all."""
        definition, task, base = self.definition, self.task, self.scenario
        name, seed = base.name + augmentation.suffix, f"{base.name}{augmentation.suffix} {self.world.seed}"
        with further_tools(tools_of(self.world.apps)):
            context = self._start(augmentation.rows)
            tools = offered_tools(task.tools, task.denied, augmentation, context)
        context.services = task.services
        if augmentation.fault is not None:
            order = ordered_harm(definition, task, seed) if augmentation.fault is Fault.HOSTILE else None
            context.services = FaultyService(augmentation.fault, seed, order, task.services)
            tools += [order.tool] if order is not None and order.tool not in tools else []
        context.tool_allow_list = [*tools, USER_TOOL, *self.script.own_tools]
        context.tool_deny_list = list(task.denied) or None
        context.tool_order = drawn_order(context.tool_allow_list, seed)
        context.tool_augmentation_list = list(augmentation.scrambles)
        tags = {*base.categories, *augmentation.tags}
        categories = [category for category in ScenarioCategories if category in tags]
        return attrs.evolve(base, name=name, starting_context=context, categories=categories)

    def _start(self, rows: int) -> ExecutionContext:
        start = self.scenario.starting_context
        if not rows:
            return start.fork()
        tables = filled(self.world, self.task, rows)
        backend = start.preferred_tool_backend
        return _starting_context(self.definition, self.world, self.script, backend, tables, self.task)


def _starting_context(
    definition: Definition, world: World, script: UserScript, backend: ToolBackend, tables: Rows, task: Task
) -> ExecutionContext:
    context = ExecutionContext(
        preferred_tool_backend=backend,
        profile=Profile.STRICT,
        id_seed=f"{definition.name}:{world.seed}",
        apps=world.apps,
    )
    context.trace_tool = True
    for name, rows in tables.items():
        try:
            context.set_rows(context.table_name(name), rows)
        except (KeyError, TypeError, ValueError) as error:
            raise ScenarioError(f"{definition.name}: {name}: {error.args[0] if error.args else error}") from error
    try:
        context.check_rules()
    except BrokenRuleError as error:
        raise ScenarioError(f"{definition.name}: what the world begins with is wrong: {error}") from error
    context.add_to_database(
        DatabaseNamespace.SANDBOX,
        [
            _message(RoleType.SYSTEM, RoleType.EXECUTION_ENVIRONMENT, _imports(backend)),
            _message(
                RoleType.SYSTEM, RoleType.AGENT, "\n\n".join(filter(None, (AGENT_INSTRUCTION, task.instructions)))
            ),
            _message(RoleType.SYSTEM, RoleType.USER, user_brief(script)),
            _message(RoleType.USER, RoleType.AGENT, script.opening),
        ],
    )
    context.clock = attrs.evolve(world.clock, anchor=context.max_sandbox_message_index)
    _set_going(context, task)
    return context


def _set_going(context: ExecutionContext, task: Task) -> None:
    """Gives a world what it does by itself."""
    own = {f"event {number}": event for number, event in enumerate(task.events) if isinstance(event, Happening)}
    if own:
        use_events(context, {kind: EventKind(event.effect, event.when) for kind, event in own.items()})
    for kind, event in own.items():
        schedule(context, kind, at=event.at, after=event.after)
    for lost in task.events:
        if isinstance(lost, LostAnswer):
            lose_answer(context, lost.tool, is_done=lost.is_done, passes=lost.passes)


def _message(sender: RoleType, recipient: RoleType, content: str) -> dict[str, Any]:
    return {"sender": sender, "recipient": recipient, "content": content, "visible_to": [sender, recipient]}


def _imports(backend: ToolBackend) -> str:
    """One import line per tool module, the first message of every published scenario."""
    by_module: dict[str, list[str]] = {}
    for name, tool in get_all_tools(backend).items():
        by_module.setdefault(tool.__module__, []).append(name)
    return "\n".join(f"from {module} import {', '.join(names)}" for module, names in by_module.items())


# Evaluation --------------------------------------------------------------------------------------


def _evaluation(name: str, task: Task) -> Evaluation:
    before = predecessors(name, task.milestones)
    milestones = [
        Milestone(
            _constraints(task.milestones, before, index),
            guardrail_database_list=[],
            weight=weight,
            name=node.label or None,
        )
        for index, (node, weight) in enumerate(zip(task.milestones, _weights(task.milestones), strict=True))
    ]
    minefields = [Minefield([_constraint(node)], guardrail_database_list=[]) for node in task.never]
    changes = [node.check for node in (*task.milestones, *task.allowed) if isinstance(node.check, Changed)]
    return Evaluation(
        milestone_matcher=MilestoneMatcher(milestones, _edges(task.milestones, before)),
        minefield_matcher=MilestoneMatcher(minefields, []),
        profile=Profile.STRICT,
        allowed_changes=[_allowed_change(change) for change in changes],
        check_statements=True,
    )


def predecessors(name: str, nodes: Sequence[Node]) -> list[list[int]]:
    """For each node everything that comes before it, directly or not, in order."""
    positions: dict[str, int] = {}
    before: list[list[int]] = []
    direct: list[int] = []
    stage: list[int] = []
    for index, node in enumerate(nodes):
        if node.waits_for is None:
            if not node.beside:
                direct, stage = stage, []
        else:
            if missing := [label for label in node.waits_for if label not in positions]:
                raise ScenarioError(
                    f"{name}: milestone {index} waits for {missing}, which no earlier milestone is named"
                )
            direct, stage = [positions[label] for label in node.waits_for], stage if node.beside else []
        stage = [*stage, index]
        before.append(sorted({*direct, *(earlier for position in direct for earlier in before[position])}))
        if node.label:
            positions[node.label] = index
    return before


def _edges(nodes: Sequence[Node], before: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """All pairs (earlier, later): a gate acts on its direct successors only, and is meant for all."""
    return [(earlier, later) for later in range(len(nodes)) for earlier in before[later]]


def _constraints(nodes: Sequence[Node], before: Sequence[Sequence[int]], index: int) -> list[SnapshotConstraint]:
    """The check of a node, and that it comes when it should.

    What is said after a change counts only where the change has been made, and what is asked or said before a change
    only where it has not: a change lasts, so its place in the order alone would not tell.
    """
    constraints = [_constraint(nodes[index])]
    earlier = [nodes[other].check for other in before[index]]
    if nodes[index].kind == "answer":
        standing = [other for other in before[index] if nodes[other].kind == "state"]
        constraints += [_constraint(nodes[other]) for other in standing or _passing(nodes, before, index)]
    if nodes[index].kind == "answer" or isinstance(nodes[index].check, Asked):
        is_second = any(isinstance(change, Changed) for change in earlier)
        later = [nodes[other].check for other in range(len(nodes)) if index in before[other]]
        constraints += [
            SnapshotConstraint(check.namespace, NotYet(check, undoes=is_second))
            for check in later
            if isinstance(check, Changed) and not any(_includes(change, check) for change in earlier)
        ]
    return constraints


def _passing(nodes: Sequence[Node], before: Sequence[Sequence[int]], index: int) -> list[int]:
    """The change that an answer for now is about: it may pass later, but stands while it is told."""
    passing = [other for other in before[index] if isinstance(nodes[other].check, Changed)]
    is_for_now = getattr(nodes[index].check, "scope", "") == "turn"
    return passing[-1:] if is_for_now else []


def _includes(change: Check, part: Changed) -> bool:
    """Whether a part of the rows that a change concerns are changed in the same way."""
    return (
        isinstance(change, Changed)
        and (change.namespace, change.kind) == (part.namespace, part.kind)
        and change.values == part.values
    )


def _constraint(node: Node) -> SnapshotConstraint:
    return SnapshotConstraint(getattr(node.check, "namespace", DatabaseNamespace.SANDBOX), node.check)


def _weights(nodes: Sequence[Node]) -> list[float]:
    """Points of each node; gates have none, changes share `STATE_SHARE`, answers share the rest."""
    kinds = [node.kind for node in nodes]
    states, answers = kinds.count("state"), kinds.count("answer")
    state_share = STATE_SHARE if states and answers else 1.0
    answer_share = 1.0 - STATE_SHARE if states and answers else 1.0
    points = {"state": state_share / max(1, states), "answer": answer_share / max(1, answers), "gate": 0.0}
    return [points[kind] for kind in kinds]


def _allowed_change(check: Changed) -> AllowedChange:
    if check.kind == "added":
        return Added(check.namespace, check.values, at_most=check.count)
    if check.kind == "removed":
        return Removed(check.namespace, check.where, at_most=check.count)
    return Updated(check.namespace, check.where, check.values)


# Lint --------------------------------------------------------------------------------------------


def check_task(name: str, task: Task) -> None:
    """Checks a task for slips of its author."""
    known = get_all_tools()
    if unknown := [tool for tool in (*task.tools, *task.denied) if tool not in known]:
        raise ScenarioError(f"{name}: unknown tools {unknown}")
    if both := sorted({*task.tools} & {*task.denied}):
        raise ScenarioError(f"{name}: tools {both} are offered and denied")
    named = {node.check.tool for node in (*task.milestones, *task.never) if isinstance(node.check, (Called, Failed))}
    if hidden := sorted(named - {*task.tools}):
        raise ScenarioError(f"{name}: milestones or minefields name tools {hidden}, which are not offered")
    if not any(node.kind in ("state", "answer") for node in task.milestones):
        raise ScenarioError(f"{name}: nothing earns points; at least one change or answer is needed")
    for acts in task.does:
        _check_acts(name, acts, known)
    labels = [node.label for node in task.milestones if node.label]
    if len(labels) != len(set(labels)):
        raise ScenarioError(f"{name}: two milestones have the same label")
    if not task.user or not all(text.strip() for text in task.user):
        raise ScenarioError(f"{name}: the user has nothing to say")


def _check_acts(name: str, acts: Acts, known: Mapping[str, ToolFunction]) -> None:
    for call in (acts.call, acts.wrong):
        if call is None:
            continue
        roles = Tool.of(known[call.tool]).visible_to if call.tool in known else ()
        if roles != (RoleType.USER,):
            raise ScenarioError(f"{name}: the user does {call.tool!r}, which is no tool that only the user has")
        if missing := sorted(call.arguments.keys() - {*Tool.of(known[call.tool]).parameter_names}):
            raise ScenarioError(f"{name}: the user's tool {call.tool} has no parameters {missing}")
    if acts.wrong is not None and not acts.wrong_reply:
        raise ScenarioError(f"{name}: what does the user say after {acts.wrong.tool}? It needs a wrong_reply")
