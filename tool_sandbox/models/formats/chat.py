"""A request as plain messages of a chat, which is how formats are handed what they have to render."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tool_sandbox.models.messages import (
    AssistantTurn,
    ModelRequest,
    RequestedCall,
    ResultsTurn,
    ToolResult,
    Turn,
    UserTurn,
)


def to_messages(request: ModelRequest) -> list[dict[str, Any]]:
    """Writes a request as messages in the format of OpenAI's chat completions."""
    system = [{"role": "system", "content": request.system}] if request.system else []
    return system + [message for turn in request.turns for message in _messages(turn)]


def _messages(turn: Turn) -> Iterator[dict[str, Any]]:
    match turn:
        case UserTurn(text=text):
            yield {"role": "user", "content": text}
        case ResultsTurn(results=results):
            for result in results:
                yield {
                    "role": "tool",
                    "tool_call_id": result.call_id,
                    "name": result.name,
                    "content": result.text,
                }
        case AssistantTurn(text=text, calls=()):
            if text:
                yield {"role": "assistant", "content": text}
        case AssistantTurn(text=text, calls=calls):
            yield {"role": "assistant", "content": text, "tool_calls": [_tool_call(call) for call in calls]}


def _tool_call(call: RequestedCall) -> dict[str, Any]:
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def to_request(messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> ModelRequest:
    """Inverse of `to_messages`."""
    system = "\n\n".join(message["content"] for message in messages if message["role"] == "system")
    turns: list[Turn] = []
    for message in messages:
        match message["role"]:
            case "user":
                turns.append(UserTurn(message["content"]))
            case "assistant":
                calls = tuple(_requested_call(call) for call in message.get("tool_calls") or ())
                turns.append(AssistantTurn(message["content"] or "", calls))
            case "tool":
                result = ToolResult(message["tool_call_id"], message.get("name", ""), message["content"])
                if turns and isinstance(turns[-1], ResultsTurn):
                    turns[-1] = ResultsTurn((*turns[-1].results, result))
                else:
                    turns.append(ResultsTurn((result,)))
    return ModelRequest(system, tuple(turns), tuple(tools))


def _requested_call(call: Mapping[str, Any]) -> RequestedCall:
    arguments = call["function"]["arguments"]
    try:
        decoded = json.loads(arguments)
    except (ValueError, RecursionError):
        decoded = None
    return RequestedCall(call["id"], call["function"]["name"], decoded if isinstance(decoded, dict) else arguments)
