"""Google's Gemini models through ``google-genai``, with an API key or on Vertex AI."""

import functools
import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from tool_sandbox.models.faults import MalformedReplyError, RequestFault
from tool_sandbox.models.gemini_access import GEMINI_KEYS, VERTEX, VERTEX_PROJECT, VERTEX_REGION
from tool_sandbox.models.gemini_contents import SYSTEM_ROLE, Json, to_messages, to_tools
from tool_sandbox.models.gemini_faults import explain_error
from tool_sandbox.models.gemini_reply import read_reply
from tool_sandbox.models.messages import ModelReply, ModelRequest
from tool_sandbox.models.parameters import COMMON, Parameter
from tool_sandbox.models.provider import Provider, environment_key
from tool_sandbox.models.tap import http_client
from tool_sandbox.world.errors import ConfigurationError, MissingRequirementError

if TYPE_CHECKING:
    from google.genai import Client, types

THINKING_LEVELS = ("minimal", "low", "medium", "high", "xhigh")
_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_GENERATION = re.compile(r"gemini-(\d+)(?:\.(\d+))?")
_LARGEST_SEED = 2**31 - 1


@attrs.frozen
class GeminiAnswer:
    """What a request brought.

    Attributes:
        response: The SDK's object; the body of the reply is in its ``sdk_http_response``.
        tools: What was offered, needed to read the numbers in the calls.
    """

    response: "types.GenerateContentResponse"
    tools: Sequence[Mapping[str, Any]]


class Gemini(Provider):
    """A model behind ``generateContent``. The history is sent as a whole each time; no chat is kept."""

    name: ClassVar[str] = "google"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        *COMMON,
        Parameter("temperature", "randomness of the answers", "number", minimum=0, maximum=2),
        Parameter("top_p", "share of the probability mass to sample from", "number", minimum=0, maximum=1),
        Parameter("top_k", "number of most likely tokens to sample from", "whole number", minimum=1, maximum=1000),
        Parameter("seed", "seed of sampling", "whole number", minimum=0, maximum=_LARGEST_SEED),
        Parameter(
            "thinking",
            "thinking level, or budget in tokens (0: none, -1: dynamic)",
            "whole number",
            minimum=-1,
            maximum=1_000_000,
            choices=THINKING_LEVELS,
        ),
        Parameter("tool_choice", "auto, any, none, or the name of the only tool that may be called"),
        Parameter("vertex", "whether to use Vertex AI", "flag"),
        Parameter("project", f"project on Vertex AI, in place of {VERTEX_PROJECT[0]}"),
        Parameter("region", f"region on Vertex AI, in place of {VERTEX_REGION[0]}"),
    )

    @classmethod
    def check(cls, model: str, settings: Mapping[str, Any]) -> None:
        """Refuses ids that the SDK cannot put into an address, and thinking that a model is known not to do."""
        if not model or re.search(r"\.\.|[?&#\s]", model):
            raise ConfigurationError(f"google has no model {model!r}")
        if settings.get("vertex") is False and (settings.get("project") or settings.get("region")):
            raise ConfigurationError("options project and region of google are for Vertex AI; leave out vertex=false")
        thinking, generation = settings.get("thinking"), _generation(model)
        if thinking is None or generation is None or generation >= (3, 0):
            return
        if generation < (2, 5):
            raise ConfigurationError(f"google/{model} does not think; leave out the option thinking")
        if isinstance(thinking, str):
            raise ConfigurationError(f"google/{model} takes a number of tokens for thinking, not a level")

    @property
    def is_vertex(self) -> bool:
        """Whether requests go to Vertex AI: as the options say, else if there is a project and region but no key."""
        if "vertex" in self.settings:
            return bool(self.settings["vertex"])
        if self.settings.get("project") or self.settings.get("region"):
            return True
        has_key = self.endpoint.api_key or environment_key(GEMINI_KEYS)
        return not has_key and VERTEX.is_known()

    def vertex_place(self) -> tuple[str, str]:
        """Project and region on Vertex AI."""
        project = self.settings.get("project") or environment_key(VERTEX_PROJECT)
        region = self.settings.get("region") or environment_key(VERTEX_REGION)
        missing = [
            " or ".join(names) for names, value in ((VERTEX_PROJECT, project), (VERTEX_REGION, region)) if not value
        ]
        if missing:
            raise MissingRequirementError(f"google on Vertex AI needs environment variable {', and '.join(missing)}")
        return str(project), str(region)

    def require_access(self) -> None:
        """Looks whether the environment says how to be let in, without connecting."""
        if self.is_vertex:
            self.vertex_place()
        elif not self.endpoint.api_key and not environment_key(GEMINI_KEYS):
            raise MissingRequirementError(f"google needs environment variable {' or '.join(GEMINI_KEYS)}, or {VERTEX}")

    def prepare(self) -> None:
        """Looks for the key, or on Vertex AI for the credentials that this machine has for Google."""
        self.require_access()
        if self.is_vertex:
            _ = self.client

    @functools.cached_property
    def client(self) -> "Client":
        """The SDK's client, made when it is first needed."""
        try:
            from google import genai
            from google.genai import types
        except ImportError:
            raise ConfigurationError("google needs a package: pip install 'tool_sandbox[google]'") from None
        base_url, version = _address(self.endpoint.base_url)
        options = types.HttpOptions(
            base_url=base_url,
            api_version=version,
            timeout=max(1, round(self.endpoint.timeout_s * 1000)),
            httpx_client=http_client(),
        )
        self.require_access()
        if self.is_vertex:
            project, region = self.vertex_place()
            credentials = _credentials(self._access_token())
            return genai.Client(
                vertexai=True, project=project, location=region, credentials=credentials, http_options=options
            )
        key = self.endpoint.api_key or environment_key(GEMINI_KEYS)
        return genai.Client(vertexai=False, api_key=key, http_options=options)

    def _access_token(self) -> str | None:
        """The key of the endpoint, but for one that is meant for the Gemini API."""
        key = self.endpoint.api_key
        return None if key in [environment_key((name,)) for name in GEMINI_KEYS] else key

    def wire(self, request: ModelRequest) -> dict[str, Any]:
        """Contents, the first of which is the system instruction (role ``system``), and tools."""
        generation = _generation(self.model)
        is_signed = generation is None or generation >= (3, 0)
        return {"gemini_messages": to_messages(request, is_signed), "gemini_tools": to_tools(request.tools)}

    def send(self, **wire: Any) -> GeminiAnswer:
        """Makes one request; no function is called, nothing is retried or continued by the SDK."""
        client = self.client
        from google.genai import types

        messages: Sequence[Json] = wire["gemini_messages"]
        tools: Sequence[Json] = wire["gemini_tools"] or ()
        system = [part["text"] for entry in messages if entry["role"] == SYSTEM_ROLE for part in entry["parts"]]
        contents = [entry for entry in messages if entry["role"] != SYSTEM_ROLE]
        config = types.GenerateContentConfig(
            **self._sampling(),
            system_instruction="\n\n".join(system) or None,
            tools=[types.Tool.model_validate(tool) for tool in tools] or None,
            tool_config=self._tool_config() if tools else None,
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
            automatic_continuation=False,
            # The SDK's objects lose fields that it does not know and write signatures in another alphabet, but what
            # the model said has to be sent back as it came: so the contents pass by them in both directions.
            should_return_http_response=True,
            http_options=types.HttpOptions(extra_body={"contents": contents}),
        )
        response = client.models.generate_content(model=self.model, contents="(see extra_body)", config=config)
        return GeminiAnswer(response, tools)

    def _sampling(self) -> dict[str, Any]:
        settings = self.settings
        names = {"max_tokens": "max_output_tokens"}
        sampling = {
            names.get(name, name): settings[name]
            for name in ("temperature", "top_p", "top_k", "seed", "max_tokens")
            if name in settings
        }
        if (thinking := settings.get("thinking")) is not None:
            kind = "thinking_level" if isinstance(thinking, str) else "thinking_budget"
            sampling["thinking_config"] = {kind: thinking.upper() if isinstance(thinking, str) else thinking}
        return sampling

    def _tool_config(self) -> "types.ToolConfig | None":
        from google.genai import types

        choice = self.settings.get("tool_choice")
        if choice is None:
            return None
        is_mode = choice in ("auto", "any", "none")
        return types.ToolConfig(
            function_calling_config=types.FunctionCallingConfig(
                mode=types.FunctionCallingConfigMode(choice.upper() if is_mode else "ANY"),
                allowed_function_names=None if is_mode else [choice],
            )
        )

    def read(self, answer: Any) -> ModelReply:
        """Understands a `GeminiAnswer`, or a ``GenerateContentResponse`` of the SDK."""
        response, tools = (answer.response, answer.tools) if isinstance(answer, GeminiAnswer) else (answer, ())
        http = response.sdk_http_response
        if http is None or http.body is None:
            return read_reply(response.model_dump(mode="json", by_alias=True, exclude_none=True), tools)
        try:
            document = json.loads(http.body)
        except (ValueError, RecursionError) as error:
            raise MalformedReplyError(f"the reply is no JSON: {error}") from error
        return read_reply(document, tools)

    def explain(self, error: Exception) -> RequestFault | None:
        """Says what an exception means, without the key where the server repeats it."""
        fault = explain_error(error)
        key = self.endpoint.api_key or environment_key(GEMINI_KEYS)
        if fault is None or not key:
            return fault
        return attrs.evolve(fault, message=fault.message.replace(key, "(key)"))


def _address(base_url: str | None) -> tuple[str | None, str | None]:
    """Address and version of the API, which the SDK wants apart though most people write them together."""
    match = re.fullmatch(r"(.+)/(v\d+(?:alpha|beta)?\d*)/?", base_url or "")
    return (match[1], match[2]) if match else (base_url, None)


def _generation(model: str) -> tuple[int, int] | None:
    """Generation of a model by its id, such as (2, 5); ``None`` if the id does not say."""
    match = _GENERATION.search(model)
    return (int(match[1]), int(match[2] or 0)) if match else None


def _credentials(token: str | None) -> Any:
    """An access token as it is, else the credentials that this machine has for Google."""
    from google.auth import default, exceptions
    from google.oauth2.credentials import Credentials

    if token is not None:
        return Credentials(token=token)  # type: ignore[no-untyped-call]
    try:
        credentials, _ = default(scopes=[_SCOPE])
    except exceptions.DefaultCredentialsError:
        raise MissingRequirementError(
            "google on Vertex AI needs credentials: run `gcloud auth application-default login`, or have environment "
            "variable GOOGLE_APPLICATION_CREDENTIALS name a key file"
        ) from None
    return credentials
