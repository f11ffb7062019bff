"""From a choice such as ``anthropic/claude-opus-5-5:effort=low`` to the model that it means."""

import functools
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import attrs

from tool_sandbox.models import catalogue
from tool_sandbox.models.endpoint import DEFAULT_TIMEOUT_S, Endpoint
from tool_sandbox.models.parameters import CORE_OPTIONS, read_parameters, refuse_keys
from tool_sandbox.models.provider import NO_KEY, Provider, environment_key
from tool_sandbox.models.providers import ProviderSpec, find_spec, provider_names
from tool_sandbox.world.errors import ConfigurationError, MissingRequirementError, UnknownNameError

if TYPE_CHECKING:
    from tool_sandbox.models.calling import RetryPolicy

_OFFLINE_KEY = "not-needed"
_OFFLINE_URL = "http://localhost/v1"
_is_asked: ContextVar[bool] = ContextVar("is_asked", default=True)


@contextmanager
def unasked() -> Iterator[None]:
    """Has models chosen that will not be asked: no key or credential is looked for, let alone read."""
    token = _is_asked.set(False)
    try:
        yield
    finally:
        _is_asked.reset(token)


def is_asked() -> bool:
    """Whether the models that are chosen here are going to be asked."""
    return _is_asked.get()


_OPTIONS = re.compile(r":(?=\s*[A-Za-z_]\w*\s*=)")
"""Where the options of a choice begin. Ids of models contain colons too (``llama3.1:8b``, ``ft:gpt-4o:org::id``)."""


@attrs.frozen
class ChosenModel:
    """What a choice means.

    Attributes:
        spec: Its provider.
        provider: The model.
        policy: How long to retry when its provider fails.
    """

    spec: ProviderSpec
    provider: Provider
    policy: "RetryPolicy"


def split_choice(choice: str) -> tuple[str, dict[str, str]]:
    """Splits a choice into the name of a model and the options."""
    name, *rest = _OPTIONS.split(choice.strip(), maxsplit=1)
    return name, split_options(name, *rest)


def split_options(name: str, text: str | None = None) -> dict[str, str]:
    """Splits the options of a choice."""
    options: dict[str, str] = {}
    for part in () if text is None else text.split(","):
        option, equals, value = (text.strip() for text in part.partition("="))
        if not option or not equals:
            raise ConfigurationError(f"options of {name} are written option=value,option=value")
        if option in options:
            raise ConfigurationError(f"{name} is given the option {option!r} twice")
        options[option] = value
    return options


def without_options(choice: str) -> str:
    """A choice without its options, whatever form they have."""
    return _OPTIONS.split(choice.strip(), maxsplit=1)[0]


def is_model(choice: str) -> bool:
    """Whether a choice has the form ``provider/model``, for any provider; no name of one contains a colon."""
    provider, slash, _ = without_options(choice).partition("/")
    return bool(slash) and ":" not in provider


def choose_model(choice: str, *, offline: bool = False) -> ChosenModel:
    """The model that a choice means, and how long to retry, checked as far as that goes without asking its provider.

    Equal choices give the same model, as long as the environment says the same.
    """
    # What asks models brings an HTTP library with it, which the rest of this module does without.
    from tool_sandbox.models.calling import RetryPolicy

    name, options = split_choice(choice)
    spec, model = find_provider(name)
    # Before anything else is looked at, so that no other complaint can quote the key.
    refuse_keys(options, f"put it in an environment variable and name that: {spec.name}/...:api_key_env=MY_KEY")
    if need := spec.missing_package():
        raise MissingRequirementError(f"{spec.name} needs {need}")
    protocol = spec.load(options)
    switch = spec.switch.option if spec.switch is not None else None
    is_known = any(parameter.name == switch for parameter in protocol.parameters)
    given = {option: value for option, value in options.items() if option != switch or is_known}
    values = read_parameters(spec.name, protocol.parameters, given)
    if not offline:
        catalogue.refuse_retired(spec.name, model)
    offline = offline or not is_asked()
    settings = {option: value for option, value in values.items() if option not in CORE_OPTIONS}
    endpoint = _endpoint(spec, values, offline=offline)
    policy = RetryPolicy() if values.get("retries") is None else RetryPolicy(retries=values["retries"])
    environment = tuple(environment_key((variable,)) for variable in spec.variables)
    provider = _shared(protocol, model, tuple(sorted(settings.items())), endpoint, environment)
    if not offline:
        provider.require_access()
    return ChosenModel(spec, provider, policy)


def find_provider(name: str) -> tuple[ProviderSpec, str]:
    """The provider that a name begins with."""
    from tool_sandbox.helpers.suggestions import suggest

    provider, _, model = name.partition("/")
    spec = find_spec(provider)
    if spec is None:
        names = provider_names()
        raise UnknownNameError(
            f"there is no provider {provider!r}; choose one of {', '.join(names)}.", suggest(provider, names)
        )
    if not model:
        raise ConfigurationError(f"{provider}/ lacks the id of a model; write {provider}/MODEL")
    if not model.isprintable() or " " in model:
        raise ConfigurationError(f"{model!r} is no id of a model: it contains white space")
    return spec, model


@functools.cache
def _shared(
    protocol: type[Provider],
    model: str,
    settings: tuple[tuple[str, Any], ...],
    endpoint: Endpoint,
    environment: tuple[str | None, ...],
) -> Provider:
    """One object for equal choices, so that all conversations share its connections.

    ``environment`` only keeps objects apart that were made under other settings of the SDK's own variables.
    """
    return protocol(model, dict(settings), endpoint)


def _endpoint(spec: ProviderSpec, values: Mapping[str, Any], *, offline: bool) -> Endpoint:
    timeout_s = values.get("timeout", DEFAULT_TIMEOUT_S)
    base_url = values.get("base_url") or spec.address
    if offline:
        return Endpoint(base_url or (_OFFLINE_URL if spec.needs_url else None), _OFFLINE_KEY, timeout_s)
    if base_url is None and (need := spec.missing_url()):
        raise MissingRequirementError(f"{spec.name} needs {need}")
    if base_url is not None:
        _check_url(spec.name, base_url)
    return Endpoint(base_url, _key(spec, values), timeout_s)


def _key(spec: ProviderSpec, values: Mapping[str, Any]) -> str | None:
    variable = values.get("api_key_env")
    if variable is not None:
        key = environment_key((variable,))
        if key is None:
            raise MissingRequirementError(f"{spec.name} needs environment variable {variable}, which is not set")
        return key
    if spec.cloud is not None:
        # Whether a key is wanted depends on the options; the class finds its own.
        return None
    if need := spec.missing_key():
        raise MissingRequirementError(f"{spec.name} needs {need}")
    if spec.needs_url and ("base_url" in values or "format" in values):
        # The key of OpenAI is only for OpenAI. Next to OPENAI_BASE_URL it is meant for that server, but the
        # published agents with a prompt format send none: there it is that of the simulated user.
        return NO_KEY
    return environment_key(spec.keys) or NO_KEY


def _check_url(provider: str, base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        parts, has_host = urlsplit(""), False
    if parts.scheme not in ("http", "https") or not has_host:
        raise ConfigurationError(f"base_url of {provider} has to be an address such as https://example.org/v1")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise ConfigurationError(
            f"base_url of {provider} must not contain a name, password or query, which could be secret; put a key "
            "into an environment variable and name that: api_key_env=MY_KEY"
        )
