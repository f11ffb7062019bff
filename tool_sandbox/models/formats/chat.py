"""A request as plain messages of a chat, which is how formats are handed what they have to render."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.models.messages import (
    AssistantTurn,
    ModelRequest,
    RequestedCall,
    ResultsTurn,
    ToolResult,
    Turn,
    UserTurn,
)
from tool_sandbox.models.plain import json_or_none


def written(arguments: Mapping[str, Any] | str) -> str:
    """Arguments as a text: the model's own where it wrote no JSON object."""
    return arguments if isinstance(arguments, str) else json.dumps(dict(arguments))


def to_messages(request: ModelRequest) -> list[dict[str, Any]]:
    """Writes a request as messages in the format of OpenAI's chat completions."""
    system = [{"role": "system", "content": request.system}] if request.system else []
    silent = AssistantTurn()
    turns = (
        turn for turn in request.turns if not isinstance(turn, AssistantTurn) or attrs.evolve(turn, raw=()) != silent
    )
    return system + [message for turn in turns for message in as_messages(turn)]


def as_messages(turn: Turn, write: Callable[[Mapping[str, Any] | str], str] = written) -> list[dict[str, Any]]:
    """Writes a turn in that format."""
    match turn:
        case UserTurn(text=text):
            return [{"role": "user", "content": text}]
        case ResultsTurn(results=results):
            return [
                {"role": "tool", "tool_call_id": result.call_id, "name": result.name, "content": result.text}
                for result in results
            ]
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": write(call.arguments)}}
        for call in turn.calls
    ]
    return [{"role": "assistant", "content": turn.text, **({"tool_calls": calls} if calls else {})}]


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
    decoded = json_or_none(arguments)
    return RequestedCall(call["id"], call["function"]["name"], decoded if isinstance(decoded, dict) else arguments)
