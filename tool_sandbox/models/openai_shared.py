"""What all protocols that the ``openai`` package speaks have in common: client, options, names, arguments."""

import functools
import hashlib
import importlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from tool_sandbox.models import openai_errors
from tool_sandbox.models.faults import RequestFault
from tool_sandbox.models.formats.calls import json_or_text
from tool_sandbox.models.messages import RequestedCall, Usage
from tool_sandbox.models.parameters import Parameter
from tool_sandbox.models.plain import count, mapping, plain
from tool_sandbox.models.provider import NO_KEY, Endpoint, Provider, environment_key
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    import openai

    from tool_sandbox.models.openai_batches import OpenAIBatches

KEY_VARIABLES = ("OPENAI_API_KEY",)
"""Environment variables that may hold the key of OpenAI."""

BATCHED = ("/chat/completions", "/responses")
"""Ends of the addresses of which requests can be sent in batches."""

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")

SAMPLING = (
    Parameter("temperature", "randomness of sampling", "number", minimum=0, maximum=2),
    Parameter("top_p", "share of the probability mass to sample from", "number", minimum=0, maximum=1),
    Parameter("seed", "seed of sampling", "whole number", minimum=-(2**63), maximum=2**63 - 1),
    Parameter("effort", "reasoning effort", choices=EFFORTS),
)
TOOL_USE = (
    Parameter("tool_choice", "auto, none, required, or the name of the one tool to call"),
    Parameter("parallel", "whether parallel tool calls are allowed", "flag"),
    Parameter("stream", "whether to stream the reply", "flag"),
)

_NO_REASONING = re.compile(r"(?:ft:)?(?:chatgpt-|gpt-(?:3|4|5-chat))")
_REASONING = re.compile(r"(?:ft:)?(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*chat))")
_REASONING_ALWAYS = re.compile(r"(?:ft:)?(?:o\d|gpt-5(?!\.))")


def may_reason(model: str) -> bool:
    """Whether a model of OpenAI may be one that reasons; false only for those that are known not to."""
    return not _NO_REASONING.match(model)


def check_sampling(model: str, settings: Mapping[str, Any]) -> None:
    """Refuses sampling options that a model of OpenAI is known not to take."""
    if "effort" in settings and not may_reason(model):
        raise ConfigurationError(f"openai/{model} does not reason and takes no effort; leave it out")
    wanted = [name for name in ("temperature", "top_p") if name in settings]
    if not wanted or not _REASONING.match(model) or _NO_REASONING.match(model):
        return
    if _REASONING_ALWAYS.match(model):
        raise ConfigurationError(f"openai/{model} reasons and takes no {' or '.join(wanted)}; use effort instead")
    if settings.get("effort") != "none":
        raise ConfigurationError(f"openai/{model} takes {' and '.join(wanted)} only together with effort=none")


def make_client(endpoint: Endpoint, api_key: str, *, is_vendor: bool = True) -> "openai.OpenAI":
    """The SDK's client, without retries of its own."""
    try:
        import openai
    except ImportError as error:
        raise ConfigurationError("models behind OpenAI's protocol need a package: pip install openai") from error
    from tool_sandbox.models.tap import http_client

    # The SDK looks at httpx where that is loaded, and fails while another thread is loading it, for google-genai.
    with suppress(ImportError):
        importlib.import_module("httpx")
    client = openai.OpenAI(
        api_key=api_key,
        base_url=endpoint.base_url,
        timeout=endpoint.timeout_s,
        max_retries=0,
        http_client=http_client(),
    )
    if not is_vendor:
        client.organization = client.project = None
    return client


class OpenAIProtocol(Provider):
    """A model that the ``openai`` package speaks to, at OpenAI or elsewhere."""

    key_variables = KEY_VARIABLES
    is_vendor: ClassVar[bool] = True

    @functools.cached_property
    def client(self) -> "openai.OpenAI":
        """The SDK's client."""
        return make_client(self.endpoint, self.key(), is_vendor=self.is_vendor)

    def key(self) -> str:
        """The key, which elsewhere is not that of OpenAI: that may be the one of a simulated user."""
        return super().key() if self.is_vendor else self.endpoint.api_key or NO_KEY

    def explain(self, error: Exception) -> RequestFault | None:
        """Says what an exception of the SDK, or an error in an answer, means."""
        return openai_errors.explain(error, self.endpoint.api_key or environment_key(KEY_VARIABLES))

    def batches(self, url: str, headers: Mapping[str, str]) -> "OpenAIBatches | None":
        """Where requests to one of the two endpoints can be sent in batches."""
        endpoint = next((each for each in BATCHED if urlsplit(url).path.endswith(each)), None)
        if endpoint is None or not self.is_vendor:
            return None
        from tool_sandbox.models.openai_batches import OpenAIBatches

        return OpenAIBatches(self, f"{self.name}/{self.model}", f"/v1{endpoint}")

    def no_batches(self) -> str | None:
        """Why requests to this model cannot be sent in batches."""
        if not self.is_vendor:
            return super().no_batches()
        return "a batch has no streams; leave out stream" if self.settings.get("stream") else None

    def tool_options(self, tools: Sequence[Any], one: Callable[[str], Mapping[str, Any]]) -> dict[str, Any]:
        """The options of a request that offers tools; ``one`` names the only tool to be called."""
        if not tools:
            return {}
        options: dict[str, Any] = {"tools": list(tools)}
        if "tool_choice" in self.settings:
            choice = self.settings["tool_choice"]
            options["tool_choice"] = choice if choice in ("auto", "none", "required") else one(choice)
        if "parallel" in self.settings:
            options["parallel_tool_calls"] = self.settings["parallel"]
        return options


def ready_made(request: Mapping[str, Any]) -> dict[str, Any]:
    """Keywords of the SDK for a request whose long parts are handed over as they are to be sent.

    The SDK compares every entry of a conversation and of its tools with all types that it knows for one, to rename
    fields and write dates; what `Provider.wire` built has none of either, and the comparison is most of the work of a
    call. The request has the same bytes without it.
    """
    long = {name: request[name] for name in ("input", "messages", "tools") if name in request}
    return {**request, **{name: [] for name in long}, "extra_body": long}


def arguments_of(value: Any) -> Mapping[str, Any] | str:
    """The arguments of a call."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, str):
        return json.dumps(value)
    decoded = json_or_text(value)
    return decoded if isinstance(decoded, dict) else value


def requested_call(call_id: Any, name: Any, arguments: Any) -> RequestedCall:
    """A call by its parts as they came."""
    return RequestedCall(
        "" if call_id is None else str(call_id), "" if name is None else str(name), arguments_of(arguments)
    )


def usage_of_request(usage: Any, taken: str, given: str) -> Usage | None:
    """Tokens of a request, counted under two names; ``None`` if there are none."""
    if not isinstance(usage, Mapping) or not {f"{taken}_tokens", f"{given}_tokens"} & usage.keys():
        return None
    prompt, reply = count(usage.get(f"{taken}_tokens")), count(usage.get(f"{given}_tokens"))
    of_prompt, of_reply = (mapping(usage.get(f"{part}_tokens_details")) for part in (taken, given))
    reasoning = count(of_reply.get("reasoning_tokens"))
    if reasoning and count(usage.get("total_tokens")) == prompt + reply + reasoning:
        # Some servers count reasoning beside the reply instead of within it.
        reply += reasoning
    return Usage(
        input_tokens=prompt,
        cached_tokens=count(of_prompt.get("cached_tokens")) or count(usage.get("prompt_cache_hit_tokens")),
        cache_write_tokens=count(of_prompt.get("cache_write_tokens")),
        output_tokens=reply,
        reasoning_tokens=reasoning,
    )


def json_object(arguments: Mapping[str, Any] | str) -> str:
    """Arguments as the text of a JSON object, which every server can read; other text becomes its only value."""
    if isinstance(arguments, str):
        decoded = arguments_of(arguments)
        if not isinstance(decoded, str):
            return arguments
        arguments = {"arguments": arguments} if arguments.strip() else {}
    return json.dumps(plain(arguments), ensure_ascii=False)


def valid_name(name: str) -> str:
    """The name of a tool in the letters that servers accept; models also write others."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or "_"


def valid_id(call_id: str, longest: int) -> str:
    """The id of a call, replaced by a digest where it is longer than the server accepts."""
    return call_id if len(call_id) <= longest else f"call_{hashlib.sha256(call_id.encode()).hexdigest()[:24]}"
