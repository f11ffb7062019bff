"""Chat completions: OpenAI's, and those of the many servers that speak the same protocol."""

import functools
import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from tool_sandbox.models import openai_errors, openai_shared
from tool_sandbox.models.faults import FaultKind, MalformedReplyError, RequestFault
from tool_sandbox.models.messages import (
    AssistantTurn,
    ModelReply,
    ModelRequest,
    RequestedCall,
    ResultsTurn,
    StopReason,
    ToolResult,
    Turn,
    UserTurn,
)
from tool_sandbox.models.openai_message import calls_of, content_of, stop_of, usage_of, written_arguments
from tool_sandbox.models.openai_shared import json_object, valid_name
from tool_sandbox.models.openai_stream import collect, is_stream, whole
from tool_sandbox.models.parameters import COMMON, Parameter
from tool_sandbox.models.plain import as_plain, mapping, plain, request_id_of, text_or_none
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    import openai

API = Parameter("api", "protocol to speak", choices=("responses", "chat"))

_LONGEST_ID = 40


class OpenAIChat(openai_shared.OpenAIProtocol):
    """A model of OpenAI behind chat completions."""

    name = "openai"
    parameters: ClassVar[tuple[Parameter, ...]] = (*openai_shared.SAMPLING, *openai_shared.TOOL_USE, API, *COMMON)

    _limit = "max_completion_tokens"

    @classmethod
    def check(cls, model: str, settings: Mapping[str, Any]) -> None:
        """Refuses sampling options that models which reason are known not to take."""
        openai_shared.check_sampling(model, settings)

    def wire(self, request: ModelRequest) -> dict[str, Any]:
        """Messages and tools.

        A reply of the server goes back as it came, but for what the server itself would refuse: tool names in letters
        that no tool can have.
        """
        messages: list[dict[str, Any]] = [{"role": "system", "content": request.system}] if request.system else []
        for turn in request.turns:
            messages.extend(self._messages(turn))
        return {"openai_messages": plain(messages), "openai_tools": [dict(tool) for tool in request.tools]}

    def _messages(self, turn: Turn) -> Iterator[dict[str, Any]]:
        if isinstance(turn, UserTurn):
            yield {"role": "user", "content": turn.text}
        elif isinstance(turn, ResultsTurn):
            yield from map(self._result, turn.results)
        elif turn.raw:
            yield from map(self._sent_back, turn.raw)
        elif turn.text or turn.calls:
            yield self._assistant(turn)

    def _assistant(self, turn: AssistantTurn) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": turn.text}
        if turn.calls:
            message["tool_calls"] = [
                {
                    "id": self._id(call.id),
                    "type": "function",
                    "function": {"name": valid_name(call.name), "arguments": json_object(call.arguments)},
                }
                for call in turn.calls
            ]
        return message

    def _result(self, result: ToolResult) -> dict[str, Any]:
        return {
            "role": "tool",
            "tool_call_id": self._id(result.call_id),
            "name": valid_name(result.name),
            "content": result.text,
        }

    def _sent_back(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        message = dict(raw)
        if "tool_calls" in message:
            message["tool_calls"] = [self._call_sent_back(call) for call in message["tool_calls"]]
        return message

    def _call_sent_back(self, call: Mapping[str, Any]) -> dict[str, Any]:
        function = call["function"]
        return {**call, "id": self._id(call["id"]), "function": {**function, "name": valid_name(function["name"])}}

    def _id(self, call_id: str) -> str:
        return openai_shared.valid_id(call_id, _LONGEST_ID)

    def send(self, **wire: Any) -> "openai.types.chat.ChatCompletion":
        """Makes one request."""
        completions = self.client.chat.completions
        options = self._options(wire.get("openai_tools") or ())
        request = openai_shared.ready_made({"model": self.model, "messages": wire["openai_messages"], **options})
        if not self.settings.get("stream"):
            answer: openai.types.chat.ChatCompletion = completions.create(**request)
            return answer
        with completions.create(**request, stream=True, stream_options={"include_usage": True}) as stream:
            if "json" in stream.response.headers.get("content-type", "") and not is_stream(stream.response.read()):
                return whole(stream.response.content)
            return collect(stream, stream.response.headers.get("x-request-id"))

    def _options(self, tools: Sequence[Any]) -> dict[str, Any]:
        settings = self.settings
        options: dict[str, Any] = {
            name: settings[name] for name in ("temperature", "top_p", "seed") if name in settings
        }
        if "effort" in settings:
            options["reasoning_effort"] = settings["effort"]
        if "max_tokens" in settings:
            options[self._limit] = settings["max_tokens"]
        return options | self.tool_options(tools, lambda name: {"type": "function", "function": {"name": name}})

    def read(self, answer: Any) -> ModelReply:
        """Understands a chat completion."""
        data = as_plain(answer)
        if not isinstance(data, Mapping):
            raise MalformedReplyError("the answer is not a JSON object")
        choice = self._choice(data)
        message = choice["message"]
        content, refusal = content_of(message)
        calls = calls_of(message, data)
        word = choice.get("finish_reason")
        stop = stop_of(word)
        if stop in (StopReason.END, StopReason.TOOL_USE):
            stop = StopReason.TOOL_USE if calls else StopReason.END
        if stop is StopReason.OTHER and calls and not self.is_vendor:
            # Such a server may call the ordinary end of a reply by a name of its own.
            stop = StopReason.TOOL_USE
        if refusal and stop is not StopReason.BLOCKED:
            stop = StopReason.REFUSAL
        text = refusal or self._visible(content)
        # A refusal goes back as plain text: calls beside it are not carried out, so they get no answer.
        goes_back = (text.strip() or calls) and stop is not StopReason.REFUSAL and "function_call" not in message
        return ModelReply(
            text=text,
            calls=calls,
            stop=stop,
            stop_text=str(word or ""),
            usage=usage_of(data),
            served_model=text_or_none(data.get("model")),
            request_id=request_id_of(answer),
            raw=self._raw(message, calls) if goes_back else None,
        )

    def _choice(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        choices = data.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        holder = data if choice is None else choice
        error = mapping(holder).get("error")
        if choice is None and data.get("object") == "error":
            error = data
        if error:
            raise self.failed(openai_errors.fault_in_body(error, self.endpoint.api_key))
        if not isinstance(choice, Mapping) or not isinstance(choice.get("message"), Mapping):
            raise MalformedReplyError("the chat completion has no message")
        if choice.get("finish_reason") in ("error", "insufficient_system_resource"):
            raise self.failed(RequestFault(FaultKind.OVERLOADED, f"finish_reason {choice['finish_reason']}"))
        return choice

    def _visible(self, text: str) -> str:
        return text

    def _raw(self, message: Mapping[str, Any], calls: Sequence[RequestedCall]) -> dict[str, Any]:
        """What of a message the server takes back; one that is not OpenAI's gets its own fields back, too."""
        content = message.get("content")
        own = {name: value for name, value in message.items() if value is not None and name not in _OUTPUT_ONLY}
        raw: dict[str, Any] = {
            **({} if self.is_vendor else own),
            "role": "assistant",
            "content": "" if content is None else content,
        }
        if not calls:
            raw.pop("tool_calls", None)
            return raw
        raw["tool_calls"] = [
            {
                **({} if self.is_vendor else {name: value for name, value in entry.items() if name != "index"}),
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": written_arguments(entry, call)},
            }
            for entry, call in zip(message["tool_calls"], calls, strict=True)
        ]
        return raw


_OUTPUT_ONLY = ("annotations", "audio", "function_call", "refusal")


class OpenAICompatibleChat(OpenAIChat):
    """A model behind a third-party server that speaks OpenAI's protocol.

    Differs where such servers do. Unknown fields of a reply (reasoning, signatures) go back with it. Arguments that
    are no JSON object go back as the only value of one, because many servers decode the history for a chat template.
    Texts of the user that follow one another become one message, because many templates want the parties to alternate.
    Reasoning that a server leaves inside the text, up to ``</think>``, is not said to the user, but goes back.
    """

    name = "openai-compatible"
    parameters = (*openai_shared.SAMPLING, *openai_shared.TOOL_USE, *COMMON)

    is_vendor = False
    _limit = "max_tokens"

    @classmethod
    def check(cls, model: str, settings: Mapping[str, Any]) -> None:
        """Allows everything: what such a model takes only its server knows."""

    @functools.cached_property
    def client(self) -> "openai.OpenAI":
        """The SDK's client."""
        if self.endpoint.base_url is None and not os.environ.get("OPENAI_BASE_URL"):
            raise ConfigurationError(f"{self.name} needs an address: {self.name}/{self.model}:base_url=http://...")
        return openai_shared.make_client(self.endpoint, self.key(), is_vendor=False)

    def wire(self, request: ModelRequest) -> dict[str, Any]:
        """Messages and tools."""
        wire = super().wire(request)
        messages: list[dict[str, Any]] = []
        for message in wire["openai_messages"]:
            if messages and message["role"] == messages[-1]["role"] == "user":
                messages[-1]["content"] += "\n\n" + message["content"]
            else:
                messages.append(message)
        return {**wire, "openai_messages": messages}

    def send(self, **wire: Any) -> "openai.types.chat.ChatCompletion":
        """Makes one request; an error about a call that the server could not read becomes that call."""
        import openai

        try:
            return super().send(**wire)
        except openai.APIError as error:
            call = openai_errors.unreadable_call(error.body)
            if call is None:
                raise
            return openai.types.chat.ChatCompletion.construct(object="chat.completion", choices=[call])

    def _call_sent_back(self, call: Mapping[str, Any]) -> dict[str, Any]:
        sent = super()._call_sent_back(call)
        return {**sent, "function": {**sent["function"], "arguments": json_object(sent["function"]["arguments"])}}

    def _id(self, call_id: str) -> str:
        # Mistral accepts only ids of its own form.
        is_mistral = "mistral" in f"{self.model} {self.endpoint.base_url}".lower()
        if not is_mistral or re.fullmatch("[a-zA-Z0-9]{9}", call_id):
            return call_id
        return hashlib.sha256(call_id.encode()).hexdigest()[:9]

    def _visible(self, text: str) -> str:
        is_opened = text.lstrip().startswith("<think>")
        thought, end, rest = text.partition("</think>")
        if end and thought.count("<think>") == int(is_opened):
            return rest.lstrip()
        return "" if is_opened and not end else text
