"""A model that plays reference solutions as Python: what an agent that writes code is tested with."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from tests.loopback.reference import seen_by_agent
from tests.loopback.server import Answer, Heard
from tool_sandbox.conversation.tool_schemas import SEARCH_TOOL
from tool_sandbox.helpers.literals import to_literal
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.play import calls_of, record
from tool_sandbox.roles.oracle_agent import FINISHED
from tool_sandbox.world.script import Call, Say, ToolCallFailed


def code_turns(scenario: Scenario, *, batched: bool = False, searches: bool = False) -> tuple[str, ...]:
    """The answers of a model that plays the reference solution of a scenario in code, perhaps with tool search."""
    reference = record(scenario)
    answers: list[str] = []
    block: list[str] = []
    found: set[str] = set()
    for step, result in zip(reference.steps, reference.results, strict=True):
        if isinstance(step, Say):
            answers += [*_blocks(block), step.text]
            block = []
            continue
        if searches:
            names = {seen_by_agent(scenario, call)[0] for call in calls_of(step)} - found
            found |= names
            answers += _blocks([f"found = {SEARCH_TOOL}(query={name!r}, limit=1)" for name in sorted(names)])
        results = [result] if isinstance(step, Call) else result
        lines = [_line(scenario, *each, batched=batched) for each in zip(calls_of(step), results, strict=True)]
        if batched:
            block += lines
        else:
            answers += [text for line in lines for text in _blocks([line])]
    return (*answers, *_blocks(block))


def _blocks(lines: Sequence[str]) -> list[str]:
    return ["```python\n" + "\n".join(lines) + "\n```"] if lines else []


def _line(scenario: Scenario, call: Call, result: Any, *, batched: bool) -> str:
    name, arguments = seen_by_agent(scenario, call)
    line = f"print(repr({name}({', '.join(f'{word}={to_literal(value)}' for word, value in arguments.items())})))"
    if batched and isinstance(result, ToolCallFailed):
        return f"try:\n    {line}\nexcept Exception as error:\n    print(error)"
    return line


@attrs.frozen
class CodeBrain:
    """Plays the reference solutions of some scenarios in code.

    Stateless: a conversation is known by its opening, and its state by the number of answers in it.
    """

    answers: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, scenarios: Sequence[Scenario], *, batched: bool = False, searches: bool = False) -> "CodeBrain":
        by_opening = {
            scenario.user_script.opening: code_turns(scenario, batched=batched, searches=searches)
            for scenario in scenarios
            if scenario.user_script
        }
        assert len(by_opening) == len(scenarios), "two scenarios have the same opening"
        return cls(by_opening)

    def __call__(self, heard: Heard) -> Answer:
        assert not heard.tools, "an agent that writes code offers no tools"
        opening = heard.system + "\n" + next(turn.text for turn in heard.turns if turn.role == "user")
        answers = self.answers[max((text for text in self.answers if text in opening), key=len)]
        number = sum(turn.role == "assistant" for turn in heard.turns)
        return Answer(answers[number] if number < len(answers) else FINISHED)
