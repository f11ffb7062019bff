"""Claude models behind Anthropic's Messages API."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import attrs

from tool_sandbox.models.anthropic_code import (
    MODES,
    SEARCHES,
    VERSIONS,
    answers_code,
    container_of,
    with_code_execution,
    with_tool_search,
)
from tool_sandbox.models.anthropic_history import CACHED, to_messages, to_tool, with_marker
from tool_sandbox.models.anthropic_limits import (
    EFFORTS,
    LEAST_BUDGET,
    SAMPLING,
    THINKING,
    check_settings,
    thinking_type,
)
from tool_sandbox.models.anthropic_reply import STATUS_OF_TYPE, StreamEndedError, assemble, to_reply
from tool_sandbox.models.faults import (
    FaultKind,
    ProviderError,
    RequestFault,
    fault_of_status,
    fault_of_transport,
    one_line,
)
from tool_sandbox.models.messages import ModelReply, ModelRequest
from tool_sandbox.models.parameters import COMMON, Parameter
from tool_sandbox.models.plain import as_plain, is_unreadable, request_id_of
from tool_sandbox.models.provider import Provider
from tool_sandbox.models.redaction import redact, secrets_of
from tool_sandbox.models.tap import http_client

if TYPE_CHECKING:
    import anthropic

    from tool_sandbox.models.anthropic_batches import AnthropicBatches

KEY_VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
"""Environment variables that may hold the key, the first one that is set counts."""

MAX_TOKENS = 16_000
"""Tokens of the longest reply where the settings do not say."""

LONGEST_IN_ONE_PIECE = 21_333
"""Largest number of tokens of a reply that is not streamed: it could take longer than connections live."""


class AnthropicMessages(Provider):
    """Claude over ``client.messages`` of the package ``anthropic``.

    Replies go back into the conversation as they came, thoughts included. Another model is never asked in place of
    this one. The growing conversation is kept in the provider's cache, so that each request pays in full only for what
    is new.

    With ``code_execution`` the model may also run code in a container at Anthropic, of which each conversation has one
    of its own. That code runs there, not here; what it calls arrives as ordinary calls. The provider does not report
    how long a container was used, so that the price of that time is part of no cost.

    With ``tool_search`` the tools are sent as deferred, with a search tool that runs at Anthropic: the model is shown
    those that it has found there.
    """

    name = "anthropic"
    key_variables = KEY_VARIABLES
    parameters = (
        *COMMON,
        Parameter("effort", "reasoning effort", choices=EFFORTS),
        Parameter(
            "thinking", "thinking mode, or its budget in tokens", "whole number", minimum=LEAST_BUDGET, choices=THINKING
        ),
        Parameter("display", "how thoughts are shown in the record", choices=("summarized", "omitted")),
        Parameter("tool_choice", "auto, any, none, or the name of the one tool to call"),
        Parameter("parallel", "whether parallel tool calls are allowed", "flag"),
        Parameter(
            "code_execution",
            "whether code may call the tools: only code, code and model, or only the model",
            choices=MODES,
        ),
        Parameter("code_execution_version", "version of that tool", choices=VERSIONS),
        Parameter("tool_search", "how the provider has the model search for the tools", choices=tuple(SEARCHES)),
        Parameter("stream", "whether to stream the reply; long ones are always streamed", "flag"),
        Parameter("cache", "whether the provider caches the prompt", "flag"),
        *(Parameter(name, "no longer accepted by this provider") for name in SAMPLING),
    )

    @classmethod
    def check(cls, model: str, settings: Mapping[str, Any]) -> None:
        """Refuses sampling parameters, and what the generation of the model is known not to take."""
        check_settings(model, settings, MAX_TOKENS)

    def wire(self, request: ModelRequest) -> dict[str, Any]:
        """The request as keywords of `send`."""
        messages, container = to_messages(request.turns), container_of(request.turns)
        if container is None and answers_code(messages):
            words = "code waits for the results of its calls, but no reply has named a container that is still there"
            raise ProviderError(f"{self.name}/{self.model}: {words}", RequestFault(FaultKind.MALFORMED, words))
        tools = [to_tool(tool) for tool in request.tools]
        if mode := self.settings.get("code_execution"):
            tools = with_code_execution(tools, mode, self.settings.get("code_execution_version", VERSIONS[0]))
        if way := self.settings.get("tool_search"):
            tools = with_tool_search(tools, way)
        wire = {"anthropic_messages": messages, "system": request.system, "anthropic_tools": tools}
        return wire if container is None else {**wire, "container": container}

    def send(self, **wire: Any) -> Any:
        """Makes one request."""
        messages: Any = self.client.messages
        body = self.body(wire["anthropic_messages"], wire.get("system") or "", wire.get("anthropic_tools") or ())
        if wire.get("container"):
            body["container"] = wire["container"]
        body["timeout"] = self.endpoint.timeout_s
        if not (self.settings.get("stream") or body["max_tokens"] > LONGEST_IN_ONE_PIECE):
            return messages.create(**body)
        from anthropic.types import Message

        with messages.create(**body, stream=True) as stream:
            message: Any = Message.construct(**assemble(map(as_plain, stream)))
            message._request_id = stream.response.headers.get("request-id")
        return message

    def body(
        self, messages: Sequence[Mapping[str, Any]], system: str, tools: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """The body of a request, with the settings and with markers for the provider's cache."""
        settings = self.settings
        is_cached = settings.get("cache", True)
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": settings.get("max_tokens", MAX_TOKENS),
            "messages": with_marker(messages) if is_cached else list(messages),
        }
        if system.strip():
            body["system"] = [{"type": "text", "text": system} | ({"cache_control": CACHED} if is_cached else {})]
        if tools:
            body |= {"tools": list(tools), **_tool_choice(settings)}
        if "effort" in settings:
            body["output_config"] = {"effort": settings["effort"]}
        return body | _thinking(settings) | ({"cache_control": CACHED} if is_cached else {})

    def read(self, answer: Any) -> ModelReply:
        """Understands a message of the SDK."""
        data = as_plain(answer)
        error = data.get("error") if isinstance(data, Mapping) and data.get("type") == "error" else None
        if isinstance(error, Mapping):
            code = str(error.get("type") or "")
            words = self._safe(str(error.get("message") or "an error without a message"))
            raise self.failed(fault_of_status(STATUS_OF_TYPE.get(code, 500), code, words, {}))
        return to_reply(data, request_id_of(answer))

    def explain(self, error: Exception) -> RequestFault | None:
        """Says what an exception of `send` means."""
        import anthropic

        if isinstance(error, anthropic.APIStatusError):
            return self._refused(error)
        if (fault := fault_of_transport(error)) is not None:
            return attrs.evolve(fault, message=self._safe(fault.message))
        if is_unreadable(error):
            return RequestFault(FaultKind.MALFORMED, "the answer is not JSON")
        if isinstance(error, anthropic.APIResponseValidationError):
            return RequestFault(FaultKind.MALFORMED, "the answer has an unknown form")
        if isinstance(error, anthropic.APIConnectionError | StreamEndedError):
            cause = error.__cause__ if isinstance(error, anthropic.APIConnectionError) else None
            cause = cause or error
            return RequestFault(FaultKind.CONNECTION, self._safe(f"{type(cause).__name__}: {cause}"))
        return None

    def _refused(self, error: "anthropic.APIStatusError") -> RequestFault:
        code = " ".join(filter(None, (error.type, error.error_code)))
        is_late = error.status_code < 300
        status = STATUS_OF_TYPE.get(error.type or "", 500) if is_late else error.status_code
        return fault_of_status(status, code, self._safe(error.api_message or error.message), error.response.headers)

    def _safe(self, text: str) -> str:
        return one_line(redact(text, secrets_of(self.endpoint)))

    def batches(self, url: str, headers: Mapping[str, str]) -> "AnthropicBatches | None":
        """Where messages can be sent in batches."""
        if urlsplit(url).path.endswith("/v1/messages"):
            from tool_sandbox.models.anthropic_batches import AnthropicBatches

            lane = " ".join(filter(None, (f"{self.name}/{self.model}", headers.get("anthropic-beta"))))
            return AnthropicBatches(self, lane, headers)
        return None

    def no_batches(self) -> str | None:
        """Why requests to this model cannot be sent in batches."""
        if self.settings.get("code_execution"):
            return "a container of code_execution does not live as long as a batch takes"
        if self.settings.get("stream"):
            return "a batch has no streams; leave out stream"
        longest = self.settings.get("max_tokens", MAX_TOKENS) > LONGEST_IN_ONE_PIECE
        return f"longer replies are streamed; set max_tokens to {LONGEST_IN_ONE_PIECE} at most" if longest else None

    def prepare(self) -> None:
        """Looks for the key."""
        self.key()

    @cached_property
    def client(self) -> "anthropic.Anthropic":
        """The SDK's client."""
        import anthropic

        # Given explicitly, so that the SDK does not look for credentials in places that are not named here.
        return anthropic.Anthropic(
            api_key=self.key(), base_url=self.endpoint.base_url, max_retries=0, http_client=http_client()
        )


def _tool_choice(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword ``tool_choice``, none where the default is wanted."""
    choice = settings.get("tool_choice", "auto")
    wanted = {"type": choice} if choice in ("auto", "any", "none") else {"type": "tool", "name": choice}
    if settings.get("parallel") is False and choice != "none":
        wanted["disable_parallel_tool_use"] = True
    return {"tool_choice": wanted} if wanted != {"type": "auto"} else {}


def _thinking(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword ``thinking``, none where the default is wanted."""
    thinking, display = settings.get("thinking"), settings.get("display")
    if thinking is None and display is None:
        return {}
    wanted: dict[str, Any] = {"type": thinking_type(thinking) if thinking is not None else "adaptive"}
    if isinstance(thinking, int):
        wanted["budget_tokens"] = thinking
    return {"thinking": wanted | ({"display": display} if display is not None else {})}
