"""Conversations as the messages of the Anthropic API, such that it accepts whatever happened before."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.models.anthropic_code import OpenRuns, blocks_of, caller_of, to_json_text
from tool_sandbox.models.messages import AssistantTurn, RequestedCall, ToolResult, Turn, UserTurn

Block = dict[str, Any]

CACHED = {"type": "ephemeral"}
"""Asks the provider to keep everything up to here for five minutes."""

LOOKBACK = 15
"""Blocks behind the end of the request before, up to which the provider reliably finds that end by itself; it looks at
twenty."""

NOTHING_SAID = "(no text)"
"""Stands for an empty message, which the API does not take."""

OPENING = "(The conversation begins.)"
"""Stands before a conversation in which the model spoke first."""

NO_ANSWER = "(This call was not carried out.)"
"""Answers a call to which the log has no answer."""

_VALID_ID = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_THOUGHTS = ("thinking", "redacted_thinking")


def to_tool(openai_tool: Mapping[str, Any]) -> dict[str, Any]:
    """Describes a tool in the way of Anthropic."""
    function = openai_tool["function"]
    schema = function.get("parameters") or {"type": "object", "properties": {}}
    return {"name": function["name"], "description": function.get("description", ""), "input_schema": schema}


def to_messages(turns: Iterable[Turn]) -> list[dict[str, Any]]:
    """Builds the messages of a request: both parties in turn, every call answered in the message after it."""
    history = _History()
    for turn in turns:
        if isinstance(turn, AssistantTurn):
            history.add_reply(turn)
        elif isinstance(turn, UserTurn):
            history.add_answers((), [_text(turn.text if turn.text.strip() else NOTHING_SAID)])
        else:
            history.add_answers(turn.results, [])
    return history.messages or [_opening()]


@attrs.frozen
class _Waiting:
    """A call to be answered: its id as it was sent, its id in the log, and whether code made it."""

    sent_id: str
    call_id: str
    is_from_code: bool = False


@attrs.define
class _History:
    """Messages under construction.

    Attributes:
        messages: What there is so far.
        waiting: Calls that the next message has to answer.
        ids: All ids of calls that were sent; the API takes each only once.
        runs: What the provider has begun to execute and not ended.
    """

    messages: list[dict[str, Any]] = attrs.field(factory=list)
    waiting: list[_Waiting] = attrs.field(factory=list)
    ids: set[str] = attrs.field(factory=set)
    runs: OpenRuns = attrs.field(factory=OpenRuns)

    def add_reply(self, turn: AssistantTurn) -> None:
        """Adds what the model said."""
        if not self.messages:
            self.messages.append(_opening())
        if turn.raw:
            content = [self._sent_back(block) for raw in turn.raw for block in blocks_of(raw) if not _is_empty(block)]
        else:
            content = [_text(turn.text)] if turn.text.strip() else []
            content += [self._call(call) for call in turn.calls]
        self._append("assistant", content)

    def add_answers(self, results: Sequence[ToolResult], texts: list[Block]) -> None:
        """Adds one result for each call that waits for one, then as text what else was said."""
        left, answers = list(results), []
        for call in self.waiting:
            result = next((result for result in left if result.call_id == call.call_id), None)
            left = [other for other in left if other is not result]
            answers.append(_result(call, result))
        said = [_text(f"{result.name}: {result.text}") for result in left] + texts
        self.waiting = []
        if self.runs and said:
            # Code that waits takes results alone, and nothing can be said to a model whose code has no end.
            self._add_heard(answers)
            self._append("assistant", self.runs.close())
            answers = []
        self._add_heard(answers + said)

    def _add_heard(self, content: list[Block]) -> None:
        if content:
            self._drop_last_thoughts()
            self._append("user", content)

    def _call(self, call: RequestedCall) -> Block:
        sent_id = self._expect(_valid_id(call.id), call.id)
        return {"type": "tool_use", "id": sent_id, "name": _valid_name(call.name), "input": to_input(call.arguments)}

    def _sent_back(self, block: Block) -> Block:
        """A block as it came, but for what the API refuses: ids used before, and odd letters of ids and names."""
        if block["type"] != "tool_use":
            self.runs.see(block)
            return block
        sent_id = self._expect(_valid_id(block["id"]), block["id"], is_from_code=caller_of(block) is not None)
        return {**block, "id": sent_id, "name": _valid_name(block["name"])}

    def _expect(self, sent_id: str, call_id: str, *, is_from_code: bool = False) -> str:
        """Waits for the answer to a call, under an id that was not sent before."""
        while sent_id in self.ids:
            sent_id = _valid_id(f"{sent_id} {len(self.ids)}")
        self.ids.add(sent_id)
        self.waiting.append(_Waiting(sent_id, call_id, is_from_code))
        return sent_id

    def _append(self, role: str, content: list[Block]) -> None:
        """Adds a message; the same party speaking twice is one message."""
        if self.messages and self.messages[-1]["role"] == role:
            self.messages[-1] = {"role": role, "content": [*self.messages[-1]["content"], *content]}
        elif content:
            self.messages.append({"role": role, "content": content})

    def _drop_last_thoughts(self) -> None:
        if self.messages and self.messages[-1]["role"] == "assistant":
            content = list(self.messages.pop()["content"])
            while content and content[-1]["type"] in _THOUGHTS:
                content.pop()
            self._append("assistant", content)


def _opening() -> dict[str, Any]:
    return {"role": "user", "content": [_text(OPENING)]}


def _is_empty(block: Block) -> bool:
    return block["type"] == "text" and not str(block.get("text") or "").strip()


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def to_input(arguments: Mapping[str, Any] | str) -> dict[str, Any]:
    """Arguments as the object that the API demands; text that was none becomes its only value."""
    return {"unparsed_arguments": arguments} if isinstance(arguments, str) else dict(arguments)


def _valid_name(name: str) -> str:
    """The name of a tool in the letters that the API takes (another provider may have let others pass)."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:128] or "_"


def _valid_id(call_id: str) -> str:
    """The id of a call, replaced by a digest if the API would not take it."""
    if _VALID_ID.fullmatch(call_id):
        return call_id
    return f"call_{hashlib.sha256(call_id.encode('utf-8', 'replace')).hexdigest()[:24]}"


def _result(call: _Waiting, result: ToolResult | None) -> Block:
    block: Block = {"type": "tool_result", "tool_use_id": call.sent_id, "is_error": result is None or result.is_error}
    text = result.text if result is not None else NO_ANSWER
    if call.is_from_code and not block["is_error"]:
        text = to_json_text(text)
    # The answer of a tool may be empty, a text may not.
    return {**block, "content": [_text(text)]} if text.strip() else block


def with_marker(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Marks where the request before this one ended, if the provider could not find that place by itself.

    The provider keeps the prompt at markers, of which it sets one at the end by itself, and finds what it has kept only
    a few blocks before a marker. A reply with many parallel calls, and their results, can be longer than that.
    """
    marked = list(messages)
    last_reply = next((i for i in reversed(range(len(marked))) if marked[i]["role"] == "assistant"), 0)
    if last_reply == 0 or sum(len(message["content"]) for message in marked[last_reply:]) <= LOOKBACK:
        return marked
    before = marked[last_reply - 1]
    if isinstance(before["content"], list):
        *earlier, last = before["content"]
        marked[last_reply - 1] = {**before, "content": [*earlier, {**last, "cache_control": CACHED}]}
    return marked
