"""What a milestone measures: calls, failed calls, questions and lasting changes, read off the trajectory.

Each check is called with a context and a message index and returns 1.0 or 0.0. All are data with equality that say of
themselves what they are.
"""

import json
import re
from typing import Any, ClassVar, Protocol, runtime_checkable

import attrs

from tool_sandbox.answers.dialogue import topics
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.conversation.messages import parse_tool_call
from tool_sandbox.helpers.json_forms import as_json, fields_of
from tool_sandbox.scenarios.matchers import without_separators
from tool_sandbox.scoring.side_effects import fits, has_cells, matches
from tool_sandbox.world.baseline import baseline
from tool_sandbox.world.table import Table

Row = dict[str, Any]


def _message(context: ExecutionContext, index: int) -> Row:
    rows = context.get_table(DatabaseNamespace.SANDBOX, index).dicts()
    return rows[-1] if rows else {}


def _is_between(message: Row, sender: RoleType, recipient: RoleType) -> bool:
    return message.get("sender") == sender and message.get("recipient") == recipient


@runtime_checkable
class Check(attrs.AttrsInstance, Protocol):
    """What a node measures, an answer too: data that the evaluation calls, with a form for reports."""

    reads_trajectory: ClassVar[bool]

    def __call__(self, *, context: ExecutionContext, index: int) -> float:
        """1.0 if it is so at message ``index``, else 0.0."""

    def to_dict(self) -> dict[str, Any]:
        """What is measured, as JSON values."""


@attrs.frozen
class FieldCheck:
    """What the checks of scenarios share: they read the trajectory and are described by their fields."""

    reads_trajectory: ClassVar[bool] = True

    def described(self) -> dict[str, Any]:
        """Type name under ``check``, and every field that is set."""
        return {name: value for name, value in fields_of(self, "check").items() if value}

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON values."""
        form: dict[str, Any] = as_json(self.described())
        return form


@attrs.frozen
class Called(FieldCheck):
    """A successful call of a tool by the agent.

    Attributes:
        tool: Real name of the tool.
        arguments: Arguments that are pinned down; all others are free.
        result: What the result must be, ``None`` for anything.
    """

    namespace: ClassVar[DatabaseNamespace] = DatabaseNamespace.SANDBOX

    tool: str
    arguments: dict[str, Any] = attrs.field(factory=dict)
    result: Any = None

    def __call__(self, *, context: ExecutionContext, index: int) -> float:
        """1.0 if it is so at message ``index``, else 0.0."""
        message = _message(context, index)
        if not _is_between(message, RoleType.EXECUTION_ENVIRONMENT, RoleType.AGENT):
            return 0.0
        traces = [json.loads(trace) for trace in message["tool_trace"] or ()]
        return float(any(self._fits(trace) for trace in traces))

    def _fits(self, trace: dict[str, Any]) -> bool:
        return (
            trace["tool_name"] == self.tool
            and fits(self.arguments, trace["arguments"])
            and (self.result is None or matches(self.result, trace["result"]))
        )


@attrs.frozen
class Failed(FieldCheck):
    """A call of a tool by the agent that raised an error.

    Attributes:
        tool: Real name of the tool.
        arguments: Arguments that are pinned down; all others are free.
    """

    namespace: ClassVar[DatabaseNamespace] = DatabaseNamespace.SANDBOX

    tool: str
    arguments: dict[str, Any] = attrs.field(factory=dict)

    def __call__(self, *, context: ExecutionContext, index: int) -> float:
        """1.0 if it is so at message ``index``, else 0.0."""
        reply = _message(context, index)
        if not _is_between(reply, RoleType.EXECUTION_ENVIRONMENT, RoleType.AGENT) or not reply["tool_call_exception"]:
            return 0.0
        for earlier in range(index - 1, -1, -1):
            message = _message(context, earlier)
            if message.get("openai_tool_call_id") == reply["openai_tool_call_id"]:
                return float(self._fits(message["content"] or ""))
        return 0.0

    def _fits(self, code: str) -> bool:
        try:
            call = parse_tool_call(code)
        except ValueError:
            return False
        if call is None or call.name != self.tool or not isinstance(call.arguments, dict):
            return False
        return fits(self.arguments, call.arguments)


@attrs.frozen
class Asked(FieldCheck):
    """A question of the agent to the user.

    Attributes:
        topic: Regular expression, case-insensitive, searched in what is asked.
    """

    namespace: ClassVar[DatabaseNamespace] = DatabaseNamespace.SANDBOX

    topic: str

    def __call__(self, *, context: ExecutionContext, index: int) -> float:
        """1.0 if it is so at message ``index``, else 0.0."""
        message = _message(context, index)
        if not _is_between(message, RoleType.AGENT, RoleType.USER):
            return 0.0
        return float(any(re.search(self.topic, text, re.IGNORECASE) for text in topics(message["content"] or "")))


@attrs.frozen
class Told(FieldCheck):
    """A text of the agent to the user that holds something.

    Attributes:
        pattern: Regular expression, case-insensitive, searched in the text and in its digits alone, so that a phone
            number is found however it is spaced.
    """

    namespace: ClassVar[DatabaseNamespace] = DatabaseNamespace.SANDBOX

    pattern: str

    def __call__(self, *, context: ExecutionContext, index: int) -> float:
        """1.0 if it is so at message ``index``, else 0.0."""
        message = _message(context, index)
        if not _is_between(message, RoleType.AGENT, RoleType.USER):
            return 0.0
        text = message["content"] or ""
        return float(any(re.search(self.pattern, form, re.IGNORECASE) for form in (text, without_separators(text))))


@attrs.frozen
class Changed(FieldCheck):
    """A difference between the start of the world and a later snapshot that the world did not make by itself.

    Attributes:
        namespace: Database.
        kind: ``"added"``, ``"removed"`` or ``"updated"``.
        where: Which rows of the start are meant (removed and updated).
        values: Cells that the new or changed row must have (added and updated).
        count: Number of rows.
        lasts: Whether the change must still be there at the end of the conversation.
    """

    namespace: str
    kind: str
    where: dict[str, Any] = attrs.field(factory=dict)
    values: dict[str, Any] = attrs.field(factory=dict)
    count: int = 1
    lasts: bool = True

    @property
    def only_reads(self) -> str:
        """The table on which alone it depends what this says."""
        return self.namespace

    def __call__(self, *, context: ExecutionContext, index: int) -> float:
        """1.0 if it is so at message ``index``, else 0.0."""
        first = context.first_user_sandbox_message_index
        moments = [index, context.max_sandbox_message_index] if self.lasts else [index]
        return float(
            all(
                self._is_reached(
                    baseline(context, self.namespace, first, moment), context.get_table(self.namespace, moment)
                )
                for moment in moments
            )
        )

    def _is_reached(self, start: Table, now: Table) -> bool:
        """Whether enough rows are as they should be; most of a large table is never looked at."""
        if self.kind == "added":
            fitting = [key for key in now.keys.keys() - start.keys.keys() if self._has(now, key, self.values)]
        elif self.kind == "removed":
            fitting = [key for key in start.keys.keys() - now.keys.keys() if self._has(start, key, self.where)]
        else:
            # Most changes name their row.
            named = self.where.get(start.schema.key)
            keys = start.keys if not isinstance(named, str) else [named] if named in start.keys else []
            meant = [key for key in keys if self._has(start, key, self.where)]
            fitting = [key for key in meant if key in now.keys and self._has(now, key, self.values)]
        return len(fitting) >= self.count

    def _has(self, table: Table, key: Any, wanted: dict[str, Any]) -> bool:
        return has_cells(wanted, table.schema, table.rows[table.keys[key]])


@attrs.frozen
class NotYet(FieldCheck):
    """A change that has not been made so far.

    Attributes:
        change: The change.
        undoes: Whether it takes back an earlier change. One that does not is no change where the world starts like
            that, and has then never been made.
    """

    change: Changed
    undoes: bool = False

    @property
    def namespace(self) -> str:
        """Database of the change."""
        return self.change.namespace

    @property
    def only_reads(self) -> str:
        """The table on which alone it depends what this says."""
        return self.change.namespace

    def __call__(self, *, context: ExecutionContext, index: int) -> float:
        """1.0 if it is so at message ``index``, else 0.0."""
        made = attrs.evolve(self.change, lasts=False)
        start = context.first_user_sandbox_message_index
        is_none = not self.undoes and made(context=context, index=start)
        return float(is_none or not made(context=context, index=index))
