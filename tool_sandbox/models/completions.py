"""Text completions: models whose servers know nothing of tools, through the ``openai`` package.

The prompt and what is understood of the reply depend on the prompt format that the model was trained with, see
`tool_sandbox.models.formats`.
"""

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from tool_sandbox.models import openai_errors
from tool_sandbox.models.faults import MalformedReplyError
from tool_sandbox.models.formats import FORMATS, Format
from tool_sandbox.models.formats.chat import to_messages, to_request
from tool_sandbox.models.formats.cohere import DIRECT_ANSWER, is_direct_answer
from tool_sandbox.models.messages import AssistantTurn, ModelReply, ModelRequest, RequestedCall, StopReason
from tool_sandbox.models.openai_message import stop_of, usage_of
from tool_sandbox.models.openai_shared import SAMPLING, OpenAIProtocol, make_client
from tool_sandbox.models.parameters import COMMON, Parameter
from tool_sandbox.models.plain import as_plain, request_id_of, text_or_none
from tool_sandbox.models.provider import Endpoint, environment_key
from tool_sandbox.world.errors import ConfigurationError, MissingRequirementError

if TYPE_CHECKING:
    import openai

URL_VARIABLE = "OPENAI_BASE_URL"
"""Environment variable with the address of the server, where none is given."""

_DIRECT_ANSWER = {"tool": DIRECT_ANSWER}


class Completions(OpenAIProtocol):
    """A model behind a server that completes text, with calls of tools written in its own prompt format."""

    name: ClassVar[str] = "openai-compatible"
    is_vendor: ClassVar[bool] = False
    parameters: ClassVar[tuple[Parameter, ...]] = (
        *COMMON,
        Parameter("format", "prompt format of the model", choices=tuple(FORMATS)),
        Parameter("temperature", "randomness of sampling, 0 by default", "number", minimum=0, maximum=2),
        *SAMPLING[1:3],
    )

    def __init__(self, model: str, settings: Mapping[str, Any] | None = None, endpoint: Endpoint | None = None) -> None:
        """Checks the settings and adds those of the published agents, so that the record of a run shows them."""
        super().__init__(model, settings, endpoint)
        self.settings = {"temperature": 0, "max_tokens": self.format.max_tokens, **self.settings}

    @classmethod
    def check(cls, model: str, settings: Mapping[str, Any]) -> None:
        """Wants to know the prompt format."""
        if settings.get("format") not in FORMATS:
            known = ", ".join(FORMATS)
            raise ConfigurationError(
                f"{cls.name}/{model}: option format has to be one of {known}, got {settings.get('format')!r}"
            )

    @property
    def format(self) -> Format:
        """The prompt format of the model."""
        return FORMATS[self.settings["format"]]

    def check_address(self) -> str:
        """Address of the server."""
        address = self.endpoint.base_url or environment_key((URL_VARIABLE,))
        if address is None:
            raise MissingRequirementError(
                f"{self.name}/{self.model} needs the address of its server: base_url= or environment variable "
                f"{URL_VARIABLE}, for example http://localhost:8000/v1"
            )
        if not address.startswith(("http://", "https://")):
            raise ConfigurationError(f"{URL_VARIABLE} has to be an address such as http://localhost:8000/v1")
        return address

    @functools.cached_property
    def client(self) -> "openai.OpenAI":
        """The SDK's client."""
        return make_client(attrs.evolve(self.endpoint, base_url=self.check_address()), self.key(), is_vendor=False)

    def wire(self, request: ModelRequest) -> dict[str, Any]:
        """The request as messages and tools of a chat; the prompt is made of them when they are sent."""
        last = request.turns[-1] if request.turns else None
        if isinstance(last, AssistantTurn) and last.raw:
            # The model wants to answer in words and is asked for them.
            wish = AssistantTurn(last.text, (RequestedCall("call_0", DIRECT_ANSWER, {}),))
            request = attrs.evolve(request, turns=(*request.turns[:-1], wish))
        return {"openai_messages": to_messages(request), "openai_tools": list(request.tools)}

    def send(self, **wire: Any) -> "openai.types.Completion":
        """Writes the prompt and has it completed."""
        import openai.types

        tools = wire.get("openai_tools") or []
        request = to_request(wire["openai_messages"], tools)
        names = ("temperature", "max_tokens", "top_p", "seed")
        sampling = {name: self.settings[name] for name in names if name in self.settings}
        completion = self.client.completions.create(
            model=self.model,
            prompt=self.format.render(request),
            stop=list(self.format.stop),
            **sampling,
        )
        if not isinstance(completion, openai.types.Completion):
            raise MalformedReplyError("the answer is no JSON object")
        return completion.model_copy(update={"openai_tools": None if is_direct_answer(request) else tools})

    def read(self, answer: Any) -> ModelReply:
        """Understands a completion."""
        data = as_plain(answer)
        choice = self._choice(data)
        tools, word = getattr(answer, "openai_tools", None), choice.get("finish_reason")
        stop, raw = stop_of(word), None
        text = _until(choice["text"], self.format.stop)
        said, calls = self.format.parse(text, tools or ())
        if stop is StopReason.END and calls:
            stop = StopReason.TOOL_USE
        elif stop is StopReason.END and tools and self.format.wants_to_answer(text):
            stop, raw = StopReason.PAUSE, _DIRECT_ANSWER
        return ModelReply(
            text=said,
            calls=calls,
            stop=stop,
            stop_text=str(word or ""),
            usage=usage_of(data),
            served_model=text_or_none(data.get("model")),
            request_id=request_id_of(answer),
            raw=raw,
        )

    def _choice(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        choices = data.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(choice, Mapping) and isinstance(choice.get("text"), str):
            return choice
        if data.get("error"):
            raise self.failed(openai_errors.fault_in_body(data["error"], self.endpoint.api_key))
        raise MalformedReplyError("the completion has no text")


def _until(text: str, stop: tuple[str, ...]) -> str:
    """The text before the first stop sequence, for servers that do not know them."""
    places = [place for mark in stop if (place := text.find(mark)) >= 0]
    return text[: min(places, default=len(text))]


def model_at_server(model: str, prompt_format: str, base_url: str | None = None) -> Completions:
    """A model whose server is known, with the settings of the published agents."""
    provider = Completions(model, {"format": prompt_format}, Endpoint(base_url))
    provider.check_address()
    return provider
