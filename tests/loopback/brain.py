"""Brains for loopback servers: one plays reference solutions over the wire, one breaks things on the way."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from tests.loopback.server import Answer, Brain, Heard, HeardTurn, Move
from tool_sandbox.helpers.literals import from_literal
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.world.script import Call, Say, Solution, Step, ToolCallFailed

FINISHED = "That is all."


@attrs.frozen
class SolutionBrain:
    """Plays the reference solution of whatever scenario a conversation belongs to.

    Stateless: what comes next is worked out from the request alone. A conversation is known by its opening, so the
    scenarios need different ones. Steps are matched with what the history says was done; anything else in it (a call
    that was damaged on the way, an empty reply) is passed over, and the step is made again.
    """

    scenarios: Mapping[str, Scenario]

    @classmethod
    def of(cls, scenarios: Sequence[Scenario]) -> "SolutionBrain":
        by_opening = {scenario.user_script.opening: scenario for scenario in scenarios if scenario.user_script}
        assert len(by_opening) == len(scenarios), "two scenarios have the same opening"
        return cls(by_opening)

    def scenario(self, heard: Heard) -> Scenario:
        # Where a format has no place of its own for the instruction, part of the opening may be taken for it.
        opening = heard.system + "\n" + next(turn.text for turn in heard.turns if turn.role == "user")
        known = max((text for text in self.scenarios if text in opening), key=len)
        return self.scenarios[known]

    def __call__(self, heard: Heard) -> Answer:
        scenario = self.scenario(heard)
        assert scenario.solution is not None
        solution = scenario.solution()
        step: Step | None = next(solution)
        for assistant, replies in _rounds(heard.turns):
            if step is None:
                break
            if _carries_out(assistant, step):
                step = _advance(solution, step, assistant, replies)
        return _answer(step)


def _rounds(turns: Sequence[HeardTurn]) -> Iterator[tuple[HeardTurn, list[HeardTurn]]]:
    position = 0
    while position < len(turns):
        turn = turns[position]
        position += 1
        if turn.role != "assistant":
            continue
        replies = []
        while position < len(turns) and turns[position].role != "assistant":
            replies.append(turns[position])
            position += 1
        yield turn, replies


def _carries_out(assistant: HeardTurn, step: Step) -> bool:
    if isinstance(step, Say):
        return not assistant.calls and assistant.text.strip() == step.text.strip()
    wanted = [(call.tool, _plain(call.arguments)) for call in ([step] if isinstance(step, Call) else step)]
    return [(name, arguments) for _, name, arguments in assistant.calls] == wanted


def _advance(solution: Solution, step: Step, assistant: HeardTurn, replies: Sequence[HeardTurn]) -> Step | None:
    try:
        if isinstance(step, Say):
            return solution.send("\n".join(reply.text for reply in replies if reply.role == "user"))
        calls = [step] if isinstance(step, Call) else step
        results = [reply for reply in replies if reply.role == "tool"]
        assert len(results) == len(calls), f"{len(calls)} calls, {len(results)} results"
        values = []
        for call, result in zip(calls, results, strict=True):
            try:
                values.append(from_literal(result.text))
            except ValueError:
                return solution.throw(ToolCallFailed(call, result.text))
        return solution.send(values[0] if isinstance(step, Call) else values)
    except StopIteration:
        return None


def _answer(step: Step | None) -> Answer:
    if step is None:
        return Answer(FINISHED)
    if isinstance(step, Say):
        return Answer(step.text)
    calls = [step] if isinstance(step, Call) else step
    return Answer(calls=tuple((call.tool, _plain(call.arguments)) for call in calls))


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value))


@attrs.define(eq=False)
class WithReplacements:
    """Another brain, with some of its answers replaced.

    ``replacement(heard, number, answer)`` sees the request, the number of requests in this conversation before it, and
    the right answer, and gives what is done instead, or ``None``.
    """

    brain: Brain
    replacement: Callable[[Heard, int, Answer], Move | None]
    key: Callable[[Heard], Any]
    _counts: Counter[Any] = attrs.field(factory=Counter)
    _lock: threading.Lock = attrs.field(factory=threading.Lock)

    def __call__(self, heard: Heard) -> Move:
        answer = self.brain(heard)
        assert isinstance(answer, Answer)
        with self._lock:
            number = self._counts[self.key(heard)]
            self._counts[self.key(heard)] += 1
        return self.replacement(heard, number, answer) or answer
