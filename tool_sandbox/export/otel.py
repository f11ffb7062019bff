"""Conversations as traces, by the semantic conventions of OpenTelemetry for generative AI.

A conversation is a trace: ``invoke_workflow`` is the conversation, below it ``invoke_agent`` from a message of the user
to the agent's answer, below that ``chat`` for each message of the agent and ``execute_tool`` for each call. The score
is an event ``gen_ai.evaluation.result`` of the conversation.

A run has the time at which it began and how long each model took, but not when each conversation began. So every trace
begins with its run (one that does not say when: with its world); a message takes as long as its model did, and whatever
was not measured a millisecond.
"""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import attrs

from tool_sandbox.export.genai import (
    as_json,
    error_type,
    finish_reason,
    iso_time,
    message_parts,
    output_message,
    provider_name,
    text_part,
    token_usage,
    tool_definition,
)
from tool_sandbox.export.otlp import CLIENT, INTERNAL, Attributes, Span, traces_data
from tool_sandbox.export.trajectory import Entry, Trajectory

_SECOND = 1_000_000_000
_UNMEASURED = 1_000_000
"""Nanoseconds of what was not measured."""

_ROOT = "conversation"


def otel_line(trajectory: Trajectory) -> dict[str, Any]:
    """A conversation as one line of OTLP/JSON."""
    run = trajectory.run
    identity = [run.get("started"), run.get("agent"), run.get("user"), trajectory.metadata["directory"]]
    return traces_data(as_json(identity), _Tracer(trajectory, _begin(trajectory)).spans())


def _begin(trajectory: Trajectory) -> int:
    started = trajectory.run.get("started")
    if started is None:
        return round((trajectory.clock or 0.0) * _SECOND)
    return round(datetime.datetime.fromisoformat(started).timestamp()) * _SECOND


@attrs.define
class _Tracer:
    """Makes the spans of a conversation, one after the other.

    Attributes:
        trajectory: The conversation.
        now: The time at which it is, in nanoseconds since 1970.
    """

    trajectory: Trajectory
    now: int

    def spans(self) -> list[Span]:
        """All spans, the conversation first."""
        start, entries = self.now, self.trajectory.entries
        below: list[Span] = []
        for is_of_agent, group in groupby(range(len(entries)), lambda place: entries[place].role in _OF_AGENT):
            places = list(group)
            if is_of_agent and any(entries[place].weight for place in places):
                below += self._invocation(places)
        return [self._conversation(start), *below]

    def _conversation(self, start: int) -> Span:
        result, metadata = self.trajectory.result, self.trajectory.metadata
        verdict: Attributes = {
            "gen_ai.evaluation.name": "score",
            "gen_ai.evaluation.score.value": self.trajectory.score,
            "gen_ai.evaluation.score.label": "success" if metadata["success"] else "failure",
            "gen_ai.evaluation.explanation": result.get("reason"),
        }
        exception = result.get("exception_type")
        return Span(
            name=f"invoke_workflow {metadata['scenario']}",
            kind=INTERNAL,
            path=_ROOT,
            parent=None,
            start=start,
            end=max(self.now, start + _UNMEASURED),
            attributes={
                "gen_ai.operation.name": "invoke_workflow",
                "gen_ai.workflow.name": metadata["scenario"],
                "gen_ai.conversation.id": self._id,
                "error.type": exception,
                **{f"tool_sandbox.{name}": value for name, value in metadata.items()},
                "tool_sandbox.world.start": iso_time(self.trajectory.clock),
            },
            error=(result.get("reason") or exception) if exception else None,
            events=[("gen_ai.evaluation.result", verdict)],
        )

    def _invocation(self, places: Sequence[int]) -> list[Span]:
        entries, path, start = self.trajectory.entries, f"invocation {places[0]}", self.now
        below = [span for place in places for span in self._message(place, path)]
        asked = [entry for entry in entries[: places[0]] if entry.role != "system"]
        since = max((place for place, entry in enumerate(asked) if entry.role == "assistant"), default=-1) + 1
        said = entries[max(place for place in places if entries[place].weight)]
        instructions = [text_part(entry) for entry in entries if entry.role == "system"]
        invocation = Span(
            name=f"invoke_agent {self.trajectory.metadata['agent']}",
            kind=INTERNAL,
            path=path,
            parent=_ROOT,
            start=start,
            end=self.now,
            attributes={
                **self._common("invoke_agent"),
                "gen_ai.agent.name": self.trajectory.metadata["agent"],
                "gen_ai.agent.version": (self.trajectory.run.get("agent_program") or {}).get("version"),
                "gen_ai.system_instructions": as_json(instructions) if instructions else None,
                "gen_ai.tool.definitions": as_json([tool_definition(tool) for tool in self.trajectory.tools]),
                "gen_ai.input.messages": as_json([message_parts(entry) for entry in asked[since:]]),
                "gen_ai.output.messages": as_json([output_message(said)]),
                **token_usage(entries[place] for place in places),
            },
        )
        return [invocation, *below]

    def _message(self, place: int, parent: str) -> Iterator[Span]:
        entry, start = self.trajectory.entries[place], self.now
        if not entry.weight:
            return
        took = 0.0 if entry.model is None else entry.model.latency_s + entry.model.wait_s
        self.now += round(took * _SECOND) or _UNMEASURED
        history = [message_parts(earlier) for earlier in self.trajectory.entries[:place] if earlier.role != "system"]
        yield Span(
            name=" ".join(filter(None, ("chat", self.trajectory.run.get("agent_model")))),
            kind=INTERNAL if self._model is None else CLIENT,
            path=f"chat {place}",
            parent=parent,
            start=start,
            end=self.now,
            attributes={
                **self._common("chat"),
                "gen_ai.response.finish_reasons": [finish_reason(entry)],
                "gen_ai.input.messages": as_json(history),
                "gen_ai.output.messages": as_json([output_message(entry)]),
                **token_usage([entry]),
                "tool_sandbox.cost_usd": None if entry.model is None else entry.model.cost_usd,
                "tool_sandbox.reward": entry.reward,
                "tool_sandbox.message_index": entry.index,
            },
        )
        answers = self._answers(place)
        for number, call in enumerate(entry.calls):
            yield from self._call(call, answers.get(call["id"]), f"call {place} {number}", parent)

    def _answers(self, place: int) -> dict[str, Entry]:
        """Id of a call to its answer, among what follows a message."""
        found: dict[str, Entry] = {}
        for entry in self.trajectory.entries[place + 1 :]:
            if entry.role != "tool":
                break
            found.setdefault(str(entry.message["tool_call_id"]), entry)
        return found

    def _call(self, call: Mapping[str, Any], answer: Entry | None, path: str, parent: str) -> list[Span]:
        """The span of a call, and below it those of what code called."""
        start, inner = self.now, () if answer is None else answer.code_calls
        below = [
            self._tool(each["name"], each["id"], each["arguments"], f"{path} {number}", path, each)
            for number, each in enumerate(inner)
        ]
        told = None if answer is None else {"content": answer.message["content"], "is_error": answer.error is not None}
        function = call["function"]
        span = self._tool(function["name"], call["id"], function["arguments"], path, parent, told)
        return [attrs.evolve(span, start=start), *below]

    def _tool(
        self, name: str, call_id: str, arguments: str, path: str, parent: str, answer: Mapping[str, Any] | None
    ) -> Span:
        start = self.now
        self.now += _UNMEASURED
        content = None if answer is None else answer["content"]
        error = content if answer is not None and answer["is_error"] else None
        return Span(
            name=f"execute_tool {name}",
            kind=INTERNAL,
            path=path,
            parent=parent,
            start=start,
            end=self.now,
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.conversation.id": self._id,
                "gen_ai.tool.name": name,
                "gen_ai.tool.call.id": call_id,
                "gen_ai.tool.type": "function",
                "gen_ai.tool.description": self._descriptions.get(name),
                "gen_ai.tool.call.arguments": arguments,
                "gen_ai.tool.call.result": None if error is not None else content,
                "error.type": None if error is None else error_type(error),
            },
            error=error,
        )

    @property
    def _id(self) -> str:
        return f"{self.trajectory.metadata['run']}/{self.trajectory.metadata['directory']}"

    @property
    def _model(self) -> Mapping[str, Any] | None:
        model: Mapping[str, Any] | None = (self.trajectory.run.get("models") or {}).get("agent")
        return model

    @property
    def _descriptions(self) -> Mapping[str, str | None]:
        return {tool["function"]["name"]: tool["function"].get("description") for tool in self.trajectory.tools}

    def _common(self, operation: str) -> Attributes:
        return {
            "gen_ai.operation.name": operation,
            "gen_ai.provider.name": provider_name(self._model),
            "gen_ai.request.model": self.trajectory.run.get("agent_model"),
            "gen_ai.conversation.id": self._id,
        }


_OF_AGENT = ("assistant", "tool")
"""Roles of the messages between one of the user and the next."""
