"""Whether models can be used here: what each provider needs and has, and one small call to find out for certain."""

import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import attrs

from tool_sandbox.models import catalogue
from tool_sandbox.models.faults import FaultKind, ProviderError
from tool_sandbox.models.messages import ModelRequest, UserTurn
from tool_sandbox.models.naming import ChosenModel, choose_model, find_provider, split_choice
from tool_sandbox.models.provider import Provider, environment_key
from tool_sandbox.models.providers import ProviderSpec, all_providers
from tool_sandbox.world.errors import ConfigurationError, ToolSandboxError

if TYPE_CHECKING:
    from tool_sandbox.models.prices import PriceTable
    from tool_sandbox.models.session import CallRecord

PROMPT = "Say OK and nothing else."
"""What a model is asked to find out whether it answers."""

_TOOL = {
    "type": "function",
    "function": {
        "name": "get_current_time",
        "description": "Tells the time. Not needed to say OK.",
        "parameters": {"type": "object", "properties": {}, "required": []},
    },
}
"""Offered with the question, because a model that cannot be offered tools cannot be tested here."""

_TIMEOUT_S = 60
"""Seconds to wait for the answer."""

_MAX_TOKENS = 64
_CONNECT_TIMEOUT_S = 0.5


@attrs.frozen
class ProviderReadiness:
    """Whether a provider can be used here.

    Attributes:
        name: Its name.
        description: What it is.
        package: Python package that speaks to it.
        package_version: Version of that, ``None`` if it is not installed.
        key_variable: Environment variable that holds its key, ``None`` if none is set; never the key itself.
        address: Where it is, without anything secret; ``None`` for the SDK's own address.
        missing: What it lacks; empty if it is ready.
    """

    name: str
    description: str
    package: str
    package_version: str | None
    key_variable: str | None
    address: str | None
    missing: tuple[str, ...]

    @property
    def is_ready(self) -> bool:
        """Whether nothing is missing."""
        return not self.missing


@attrs.frozen
class ModelReadiness:
    """Whether a chosen model can be used here.

    Attributes:
        choice: The model, ``provider/model``.
        problem: Why it cannot be used, ``None`` if it can.
        warning: What to know of it beforehand, ``None`` for nothing.
        address: Where it is, ``None`` for the SDK's own address.
        has_price: Whether the price of its tokens is known.
        call: The call that was made, ``None`` if none was.
    """

    choice: str
    problem: str | None = None
    warning: str | None = None
    address: str | None = None
    has_price: bool = False
    call: "CallRecord | None" = None

    @property
    def is_ready(self) -> bool:
        """Whether it can be used, as far as was looked."""
        return self.problem is None


def provider_readiness() -> Iterator[ProviderReadiness]:
    """Looks at every provider, without asking any over the network; servers of this machine have to be listening."""
    for spec in all_providers():
        missing = spec.missing()
        address = spec.address or environment_key(spec.url_variables)
        if address is not None and spec.is_local and not missing and not _listens(address):
            missing = [_start(spec, address)]
        yield ProviderReadiness(
            spec.name,
            spec.description,
            spec.package,
            spec.package_version(),
            spec.key_source(),
            None if address is None else shown_address(address),
            tuple(missing),
        )


def model_readiness(choice: str, prices: "PriceTable", *, call: bool = False) -> ModelReadiness:
    """Checks a model as before a run."""
    name = split_choice(choice)[0]
    try:
        chosen = choose_model(choice)
        spec, model = find_provider(name)
        provider = chosen.provider
        address = provider.endpoint.base_url or environment_key(spec.url_variables)
        found = ModelReadiness(
            name,
            warning=catalogue.warning_about(spec.name, model),
            address=None if address is None else shown_address(address),
            has_price=prices.price(provider.name, provider.model) is not None,
        )
        if call:
            return _called(found, spec, _frugal(choice, chosen), prices)
        if spec.is_local and address is not None and not _listens(address):
            return attrs.evolve(found, problem=_start(spec, address))
        return found
    except ConfigurationError as error:
        return ModelReadiness(name, problem=str(error))


def shown_address(address: str) -> str:
    """An address as it may be shown: without user, password and query."""
    parts = urlsplit(address)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}{parts.path}"


def _frugal(choice: str, chosen: ChosenModel) -> Provider:
    """The model with low limits of tokens and time, unless its options say or need others."""
    name, options = split_choice(choice)
    frugal = {"max_tokens": str(_MAX_TOKENS), "timeout": str(_TIMEOUT_S)} | options
    text = ",".join(f"{option}={value}" for option, value in frugal.items())
    try:
        return choose_model(f"{name}:{text}").provider
    except ConfigurationError:
        return chosen.provider


def _called(found: ModelReadiness, spec: ProviderSpec, provider: Provider, prices: "PriceTable") -> ModelReadiness:
    from tool_sandbox.models.calling import RetryPolicy, ask
    from tool_sandbox.models.session import Session

    session = Session(price=prices)
    problem = None
    try:
        provider.connect()
        ask(provider, ModelRequest("", (UserTurn(PROMPT),), (_TOOL,)), session, RetryPolicy(retries=0))
    except ProviderError as error:
        problem = str(error)
        if error.cause.kind is FaultKind.CONNECTION and found.address is not None:
            problem = _start(spec, found.address)
        elif (
            error.cause.kind is FaultKind.INVALID_REQUEST and spec.switch is not None and "format" in spec.switch.option
        ):
            problem += "; a server that cannot call tools has to be started so that it can, or asked by format=hermes"
    except ToolSandboxError as error:
        problem = str(error)
    return attrs.evolve(found, problem=problem, call=session.calls[-1] if session.calls else None)


def _start(spec: ProviderSpec, address: str) -> str:
    how = f"; start it: {spec.start}" if spec.start else "; is the server running?"
    return f"nothing answers at {shown_address(address)}{how}"


def _listens(address: str) -> bool:
    parts = urlsplit(address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname or "", port), timeout=_CONNECT_TIMEOUT_S):
            return True
    except OSError:
        return False
