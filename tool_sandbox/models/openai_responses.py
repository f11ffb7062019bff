"""OpenAI's Responses protocol, used without state on the server."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tool_sandbox.models import openai_errors, openai_shared
from tool_sandbox.models.faults import MalformedReplyError
from tool_sandbox.models.messages import (
    AssistantTurn,
    ModelReply,
    ModelRequest,
    RequestedCall,
    ResultsTurn,
    StopReason,
    Turn,
    UserTurn,
)
from tool_sandbox.models.openai_chat import API
from tool_sandbox.models.openai_shared import json_object, requested_call, usage_of_request, valid_name
from tool_sandbox.models.parameters import COMMON
from tool_sandbox.models.plain import JsonResponse, as_plain, mapping, request_id_of, text_or_none
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    import openai

_LONGEST_ID = 64
_FINAL_EVENTS = ("response.completed", "response.incomplete", "response.failed")
_STOPS: Mapping[str | None, StopReason] = {
    "max_output_tokens": StopReason.MAX_TOKENS,
    "content_filter": StopReason.BLOCKED,
}


class OpenAIResponses(openai_shared.OpenAIProtocol):
    """A model of OpenAI behind the Responses protocol.

    Nothing is stored there: each request holds the whole conversation, with the items of earlier replies (encrypted
    reasoning included) as they came.
    """

    name = "openai"
    parameters = (*openai_shared.SAMPLING, *openai_shared.TOOL_USE, API, *COMMON)

    @classmethod
    def check(cls, model: str, settings: Mapping[str, Any]) -> None:
        """Refuses a seed, which this protocol has not, and sampling options that models which reason do not take."""
        if "seed" in settings:
            raise ConfigurationError(
                f"openai/{model} takes a seed only over chat completions; add api=chat or leave it out"
            )
        openai_shared.check_sampling(model, settings)

    def wire(self, request: ModelRequest) -> dict[str, Any]:
        """Input items, instructions and tools."""
        return {
            "openai_input": [item for turn in request.turns for item in _items(turn)],
            "instructions": request.system,
            "openai_tools": [_tool(tool["function"]) for tool in request.tools],
        }

    def send(self, **wire: Any) -> "JsonResponse | openai.types.responses.Response":
        """Makes one request."""
        request = {
            "model": self.model,
            "input": wire["openai_input"],
            "store": False,
            **({"instructions": wire["instructions"]} if wire.get("instructions") else {}),
            **self._options(wire.get("openai_tools") or ()),
        }
        request = openai_shared.ready_made(request)
        responses = self.client.responses
        if not self.settings.get("stream"):
            # The SDK's objects would be taken apart again at once, and making them is a seventh of the work of a call.
            return JsonResponse(responses.with_raw_response.create(**request).http_response)
        with responses.create(**request, stream=True) as stream:
            answer = _collect(stream)
            answer._request_id = stream.response.headers.get("x-request-id")
            return answer

    def _options(self, tools: Sequence[Any]) -> dict[str, Any]:
        settings = self.settings
        options: dict[str, Any] = {name: settings[name] for name in ("temperature", "top_p") if name in settings}
        if openai_shared.may_reason(self.model):
            # Models that do not reason refuse to be asked for it.
            options["include"] = ["reasoning.encrypted_content"]
        if "effort" in settings:
            options["reasoning"] = {"effort": settings["effort"]}
        if "max_tokens" in settings:
            options["max_output_tokens"] = settings["max_tokens"]
        return options | self.tool_options(tools, lambda name: {"type": "function", "name": name})

    def read(self, answer: Any) -> ModelReply:
        """Understands a response."""
        data = as_plain(answer)
        if not isinstance(data, Mapping):
            raise MalformedReplyError("the answer is not a JSON object")
        if data.get("error") or data.get("status") == "failed":
            raise self.failed(openai_errors.fault_in_body(data.get("error"), self.endpoint.api_key))
        items = data.get("output")
        if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
            raise MalformedReplyError("the response has no output")
        status = data.get("status") or "completed"
        if status not in ("completed", "incomplete"):
            raise MalformedReplyError(f"the response has status {status}")
        text, refusal = _texts(items)
        calls = tuple(_call(item) for item in items if item.get("type") == "function_call")
        reason = mapping(data.get("incomplete_details")).get("reason")
        stop = StopReason.TOOL_USE if calls else StopReason.END
        if status == "incomplete":
            stop = _STOPS.get(str(reason), StopReason.OTHER)
        if refusal and stop is not StopReason.BLOCKED:
            stop = StopReason.REFUSAL
        # A refusal goes back as plain text: calls beside it are not carried out, so they get no answer.
        goes_back = (text.strip() or calls) and stop is not StopReason.REFUSAL
        return ModelReply(
            text=refusal or text,
            calls=calls,
            stop=stop,
            stop_text=str(reason or status),
            usage=usage_of_request(data.get("usage"), "input", "output"),
            served_model=text_or_none(data.get("model")),
            request_id=request_id_of(answer),
            raw=_raw(items) if goes_back else None,
        )


def _items(turn: Turn) -> Iterator[dict[str, Any]]:
    if isinstance(turn, UserTurn):
        yield {"type": "message", "role": "user", "content": turn.text}
    elif isinstance(turn, ResultsTurn):
        for result in turn.results:
            yield {"type": "function_call_output", "call_id": _id(result.call_id), "output": result.text}
    elif turn.raw:
        yield from (_sent_back(item) for reply in turn.raw for item in reply)
    else:
        yield from _built(turn)


def _built(turn: AssistantTurn) -> Iterator[dict[str, Any]]:
    if turn.text:
        yield {"type": "message", "role": "assistant", "content": turn.text}
    for call in turn.calls:
        name, arguments = valid_name(call.name), json_object(call.arguments)
        yield {"type": "function_call", "call_id": _id(call.id), "name": name, "arguments": arguments}


def _sent_back(item: Mapping[str, Any]) -> dict[str, Any]:
    """An item as it came, but for what the server itself would refuse."""
    if item.get("type") != "function_call":
        return dict(item)
    return {**item, "call_id": _id(item["call_id"]), "name": valid_name(item["name"])}


def _id(call_id: str) -> str:
    return openai_shared.valid_id(call_id, _LONGEST_ID)


def _tool(function: Mapping[str, Any]) -> dict[str, Any]:
    empty = {"type": "object", "properties": {}}
    # Strict mode, the default here, would change the schemas: every parameter would become a required one.
    return {"type": "function", "parameters": empty, **function, "strict": False}


def _collect(events: Iterable[Any]) -> "openai.types.responses.Response":
    """The response that a stream describes; it ends with the whole of it."""
    from openai.types.responses import Response

    items: list[Any] = []
    for event in events:
        data = as_plain(event)
        kind = data.get("type") if isinstance(data, Mapping) else None
        if kind == "response.output_item.done":
            items.append(data.get("item"))
        elif kind == "error":
            return Response.construct(error={name: data.get(name) for name in ("code", "message", "param")})
        elif kind in _FINAL_EVENTS and isinstance(data.get("response"), Mapping):
            response = data["response"]
            return Response.construct(**{**response, "output": response.get("output") or items})
    raise MalformedReplyError("the stream ended before the reply was complete")


def _texts(items: Iterable[Mapping[str, Any]]) -> tuple[str, str]:
    """Text and refusal of all messages."""
    texts, refusals = [], []
    for item in items:
        parts = item.get("content") if item.get("type") == "message" else ()
        if not isinstance(parts, Sequence) or not all(isinstance(part, Mapping) for part in parts):
            raise MalformedReplyError("the content of a message is not a list of objects")
        for part in parts:
            texts.append(part.get("text") if part.get("type") == "output_text" else None)
            refusals.append(part.get("refusal") if part.get("type") == "refusal" else None)
    return "\n".join(filter(None, texts)), "\n".join(filter(None, refusals))


def _call(item: Mapping[str, Any]) -> RequestedCall:
    return requested_call(item.get("call_id"), item.get("name"), item.get("arguments"))


def _raw(items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The items that can be sent back: reasoning only where it can be read again and something follows it."""
    kept: list[dict[str, Any]] = []
    for item in items:
        if item.get("type") == "function_call":
            call = _call(item)
            written = item.get("arguments")
            arguments = written if isinstance(written, str) else json_object(call.arguments)
            kept.append({**item, "call_id": call.id, "name": call.name, "arguments": arguments})
        elif item.get("type") != "reasoning" or item.get("encrypted_content") or item.get("content"):
            kept.append(dict(item))
    while kept and kept[-1].get("type") == "reasoning":
        kept.pop()
    return kept
