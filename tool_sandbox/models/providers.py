"""The providers that can be named in ``provider/model``: where each is, what it needs, which class speaks to it."""

import functools
import importlib
import importlib.metadata
import importlib.util
from collections.abc import Iterable, Iterator, Mapping

import attrs

from tool_sandbox.models.gemini_access import GEMINI_KEYS, VERTEX
from tool_sandbox.models.plug_ins import is_importable, load_offer, offer, offered
from tool_sandbox.models.provider import CloudAccess, Provider, environment_key
from tool_sandbox.world.errors import ConfigurationError

ENTRY_POINTS = "tool_sandbox.providers"
"""Group of entry points under which other packages offer providers by name, each a `ProviderSpec`."""

SOME = 16
"""Conversations at once with a server of which nothing is known."""

MANY = 64
"""Conversations at once with a large API. A small account is told so, and the throttle adapts."""

_COMPATIBLE = "tool_sandbox.models.openai_chat:OpenAICompatibleChat"
_COMPLETIONS = "tool_sandbox.models.completions:Completions"


@attrs.frozen
class ProtocolOption:
    """An option that decides by which protocol a provider is spoken to.

    Attributes:
        option: Name of the option.
        paths: Value to class (``module:Class``).
        default: Value where the option is not given, ``None`` for the provider's own class.
    """

    option: str
    paths: Mapping[str, str]
    default: str | None = None


@attrs.frozen
class ProviderSpec:
    """A provider that can be named.

    Attributes:
        name: The part of a choice before the slash, and the name in records.
        description: What it is, in one line.
        path: Its class (``module:Class``).
        keys: Environment variables that may hold its key, best first.
        needs_key: Whether it does not answer without a key.
        cloud: The cloud whose credentials may take the place of a key; its class finds out which of them to use.
        base_url: Its usual address, ``None`` where the SDK knows it or it has to be given.
        url_variables: Environment variables that may hold its address, best first.
        needs_url: Whether its address has to be given.
        package: Python package that speaks to it.
        extra: Extra of this package that installs it, ``None`` if it is always installed.
        start: How to start the server, for one that runs on this machine.
        switch: The option that selects another protocol.
        concurrency: Default number of conversations at once.
    """

    name: str
    description: str
    path: str
    keys: tuple[str, ...] = ()
    needs_key: bool = True
    cloud: CloudAccess | None = None
    base_url: str | None = None
    url_variables: tuple[str, ...] = ()
    needs_url: bool = False
    package: str = "openai"
    extra: str | None = None
    start: str | None = None
    switch: ProtocolOption | None = None
    concurrency: int = SOME

    @property
    def is_local(self) -> bool:
        """Whether it is a server on this machine."""
        return self.start is not None

    @property
    def address(self) -> str | None:
        """Where it is unless a choice says otherwise, ``None`` where the SDK knows."""
        if self.base_url is None and not self.needs_url:
            return None
        return environment_key(self.url_variables) or self.base_url

    @property
    def variables(self) -> tuple[str, ...]:
        """All environment variables that decide where it is and how to be let in."""
        places = () if self.cloud is None else self.cloud.variables
        return (*self.keys, *self.url_variables, *(name for names in places for name in names))

    def load(self, options: Mapping[str, str]) -> type[Provider]:
        """Imports the class that the options ask for."""
        path = self.path
        if self.switch is not None:
            value = options.get(self.switch.option, self.switch.default)
            if value is not None and value not in self.switch.paths:
                known = " or ".join(self.switch.paths)
                raise ConfigurationError(f"option {self.switch.option} of {self.name} has to be {known}, got {value!r}")
            path = self.switch.paths[value] if value is not None else path
        return _named(path, self.name)

    def has_package(self) -> bool:
        """Whether the Python package that speaks to it is installed, without importing the package itself."""
        return is_importable(self.package)

    def package_version(self) -> str | None:
        """Version of the Python package that speaks to it, ``None`` if it is not installed."""
        try:
            return importlib.metadata.version(self.package.replace(".", "-"))
        except importlib.metadata.PackageNotFoundError:
            return None

    def key_variable(self) -> str | None:
        """The environment variable that holds the key, ``None`` if none is set."""
        return next((name for name in self.keys if environment_key((name,))), None)

    def key_source(self) -> str | None:
        """The environment variable that holds the key, or the cloud that does without; ``None`` if there is neither."""
        cloud = self.cloud.name if self.cloud is not None and self.cloud.is_known() else None
        return self.key_variable() or cloud

    def missing_package(self) -> str | None:
        """What to install, ``None`` if nothing is missing."""
        if self.has_package():
            return None
        install = f"tool_sandbox[{self.extra}]" if self.extra else self.package
        return f"Python package {self.package} (pip install '{install}')"

    def missing_key(self) -> str | None:
        """Which variables to set, ``None`` if the provider can be let in to."""
        if not self.needs_key or self.key_source() is not None:
            return None
        return f"environment variable {' or '.join(self.keys)}{'' if self.cloud is None else f', or {self.cloud}'}"

    def missing_url(self) -> str | None:
        """How to give the address, ``None`` if it is known."""
        if not self.needs_url or environment_key(self.url_variables) is not None:
            return None
        return f"base_url= or environment variable {' or '.join(self.url_variables)}"

    def missing(self) -> list[str]:
        """Everything it needs and does not find here; empty if it is ready."""
        needs = (self.missing_package(), self.missing_key(), self.missing_url())
        return [need for need in needs if need is not None]


@functools.cache
def _named(path: str, name: str) -> type[Provider]:
    """A class of the protocol, under the name of one of the providers that speak it."""
    module, _, attribute = path.partition(":")
    protocol: type[Provider] = getattr(importlib.import_module(module), attribute)
    return protocol if protocol.name == name else type(protocol.__name__, (protocol,), {"name": name})


_FORMAT = ProtocolOption("format", dict.fromkeys(("hermes", "gorilla", "mistral", "cohere"), _COMPLETIONS))


def _preset(
    name: str,
    description: str,
    base_url: str,
    keys: Iterable[str] = (),
    start: str | None = None,
    concurrency: int = 32,
) -> ProviderSpec:
    return ProviderSpec(
        name,
        description,
        _COMPATIBLE,
        keys=tuple(keys),
        needs_key=start is None,
        base_url=base_url,
        url_variables=(f"{name.upper()}_BASE_URL",),
        start=start,
        switch=_FORMAT,
        concurrency=concurrency,
    )


PROVIDERS: dict[str, ProviderSpec] = {
    spec.name: spec
    for spec in (
        ProviderSpec(
            "anthropic",
            "Claude, by the Messages API",
            "tool_sandbox.models.anthropic_messages:AnthropicMessages",
            keys=("ANTHROPIC_API_KEY",),
            url_variables=("ANTHROPIC_BASE_URL",),
            package="anthropic",
            concurrency=48,
        ),
        ProviderSpec(
            "openai",
            "GPT, by the Responses API or, with api=chat, Chat Completions",
            "tool_sandbox.models.openai_responses:OpenAIResponses",
            keys=("OPENAI_API_KEY",),
            url_variables=("OPENAI_BASE_URL",),
            switch=ProtocolOption(
                "api",
                {
                    "responses": "tool_sandbox.models.openai_responses:OpenAIResponses",
                    "chat": "tool_sandbox.models.openai_chat:OpenAIChat",
                },
                "responses",
            ),
            concurrency=MANY,
        ),
        ProviderSpec(
            "google",
            "Gemini, with an API key or by Vertex AI",
            "tool_sandbox.models.gemini:Gemini",
            keys=GEMINI_KEYS,
            cloud=VERTEX,
            url_variables=("GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL"),
            package="google.genai",
            extra="google",
            concurrency=MANY,
        ),
        ProviderSpec(
            "openai-compatible",
            "any server that speaks Chat Completions, at base_url=",
            _COMPATIBLE,
            keys=("OPENAI_API_KEY",),
            needs_key=False,
            url_variables=("OPENAI_BASE_URL",),
            needs_url=True,
            switch=_FORMAT,
        ),
        _preset("vllm", "vLLM on this machine", "http://localhost:8000/v1", start="vllm serve MODEL"),
        _preset("ollama", "Ollama on this machine", "http://localhost:11434/v1", start="ollama serve", concurrency=4),
        _preset(
            "llamacpp",
            "llama.cpp on this machine",
            "http://localhost:8080/v1",
            start="llama-server --jinja -m MODEL.gguf",
            concurrency=4,
        ),
        _preset(
            "lmstudio", "LM Studio on this machine", "http://localhost:1234/v1", start="lms server start", concurrency=4
        ),
        _preset("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",), concurrency=MANY),
        _preset("together", "Together AI", "https://api.together.ai/v1", ("TOGETHER_API_KEY",)),
        _preset("groq", "Groq", "https://api.groq.com/openai/v1", ("GROQ_API_KEY",), concurrency=SOME),
        _preset("mistral", "Mistral AI", "https://api.mistral.ai/v1", ("MISTRAL_API_KEY",), concurrency=SOME),
        _preset(
            "cohere",
            "Cohere",
            "https://api.cohere.ai/compatibility/v1",
            ("CO_API_KEY", "COHERE_API_KEY"),
            concurrency=SOME,
        ),
        _preset("deepseek", "DeepSeek", "https://api.deepseek.com", ("DEEPSEEK_API_KEY",)),
        _preset("xai", "xAI", "https://api.x.ai/v1", ("XAI_API_KEY",)),
    )
}
"""Name to provider of this package. To add one that speaks Chat Completions, add a line."""


def find_spec(name: str) -> ProviderSpec | None:
    """A provider of this package, or else one that another package offers, which is imported."""
    if name in PROVIDERS or name not in offered(ENTRY_POINTS):
        return PROVIDERS.get(name)
    point = offer(ENTRY_POINTS, name, "a provider")
    spec = load_offer(point, "provider")
    if not isinstance(spec, ProviderSpec):
        raise ConfigurationError(f"provider {name!r} ({point.value}) is no ProviderSpec")
    return attrs.evolve(spec, name=name)


def provider_names() -> list[str]:
    """All names of providers: those of this package, then those that others offer."""
    return list(dict.fromkeys([*PROVIDERS, *offered(ENTRY_POINTS)]))


def all_providers() -> Iterator[ProviderSpec]:
    """All providers; one that is offered and cannot be loaded says so as what it lacks."""
    for name in provider_names():
        try:
            spec = find_spec(name)
        except ConfigurationError as error:
            spec = _BrokenOffer(name, "offered by another package", "", problem=str(error))
        if spec is not None:
            yield spec


@attrs.frozen
class _BrokenOffer(ProviderSpec):
    problem: str = ""

    def missing(self) -> list[str]:
        return [self.problem]


def usual_concurrency(names: Iterable[str]) -> int:
    """Conversations at once that suit several providers, each of which is asked in every conversation."""
    found = map(find_spec, names)
    return min((SOME if spec is None else spec.concurrency for spec in found), default=SOME)
