"""The interface that a provider implements: requests into its wire format, replies and errors out of it."""

import functools
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from tool_sandbox.models.endpoint import Endpoint as Endpoint
from tool_sandbox.models.faults import ProviderError, RequestFault
from tool_sandbox.models.messages import ModelReply, ModelRequest
from tool_sandbox.models.parameters import COMMON, Parameter
from tool_sandbox.world.errors import MissingRequirementError

if TYPE_CHECKING:
    from tool_sandbox.models.batch_service import BatchService

NO_KEY = "EMPTY"
"""Sent as key to servers that want none."""


class Provider(ABC):
    """One model at one provider. Stateless, shared by all conversations and threads of a process.

    The three steps of a call are apart so that each can be replaced and tested: ``wire`` builds the keywords of
    ``model_inference``, ``send`` makes one HTTP request through the vendor's SDK, without retries, and ``read``
    understands what came back.

    Attributes:
        name: Name of the provider, the part of a choice before the slash.
        key_variables: Environment variables that may hold its key, the first one that is set counts.
        parameters: Options that it takes.
        model: Id of the model.
        settings: The options given, but for those that say how to reach it.
        endpoint: Where the model is.
    """

    name: ClassVar[str]
    key_variables: ClassVar[tuple[str, ...]] = ()
    parameters: ClassVar[tuple[Parameter, ...]] = COMMON

    def __init__(self, model: str, settings: Mapping[str, Any] | None = None, endpoint: Endpoint | None = None) -> None:
        """Checks the settings; connects to nothing."""
        self.model = model
        self.settings = dict(settings or {})
        self.endpoint = endpoint or Endpoint()
        self.check(model, self.settings)

    @classmethod  # noqa: B027 - a provider may have nothing to refuse
    def check(cls, model: str, settings: Mapping[str, Any]) -> None:
        """Refuses settings that a model is known not to take; allows everything by default."""

    def require_access(self) -> None:  # noqa: B027 - most have been given their key
        """Looks whether the environment says how to be let in, for a class that finds its own key; opens nothing."""

    def prepare(self) -> None:  # noqa: B027 - a provider may need nothing
        """Looks for what it needs to be let in, before the first request; sends nothing to the model."""

    @functools.cached_property
    def client(self) -> Any:
        """The SDK's client, made when it is first needed; ``None`` for a provider without one."""
        return None

    def connect(self) -> None:
        """Loads the SDK and makes its client, so that the time of the first request is that of the model."""
        _ = self.client

    def batches(self, url: str, headers: Mapping[str, str]) -> "BatchService | None":
        """Where requests like one to an address can be sent in batches, ``None`` if they cannot."""
        return None

    def no_batches(self) -> str | None:
        """Why requests to this model cannot be sent in batches, ``None`` if they can."""
        return f"{self.name} has no batch service that is known here"

    def key(self) -> str:
        """The key that it was given, or the one of this environment."""
        return self.endpoint.api_key or required_key(self.name, self.key_variables)

    def failed(self, fault: RequestFault) -> ProviderError:
        """What to raise for a fault that an answer tells of."""
        return ProviderError(f"{self.name}/{self.model}: {fault}", fault)

    @abstractmethod
    def wire(self, request: ModelRequest) -> dict[str, Any]:
        """The request in the provider's format: a pure function, equal bytes for equal requests."""

    @abstractmethod
    def send(self, **wire: Any) -> Any:
        """Makes one request through the SDK, without retries."""

    @abstractmethod
    def read(self, answer: Any) -> ModelReply:
        """Understands a reply."""

    @abstractmethod
    def explain(self, error: Exception) -> RequestFault | None:
        """Says what an exception of `send` means."""


def environment_key(names: tuple[str, ...]) -> str | None:
    """The first of some environment variables that is set."""
    return next((value for name in names if (value := os.environ.get(name, "").strip())), None)


@attrs.frozen
class CloudAccess:
    """A cloud whose own credentials may take the place of a key.

    Attributes:
        name: Its name.
        variables: What has to be known of it: for each thing, the environment variables that may say it, best first.
    """

    name: str
    variables: tuple[tuple[str, ...], ...]

    def is_known(self) -> bool:
        """Whether the environment says everything."""
        return all(environment_key(names) is not None for names in self.variables)

    def __str__(self) -> str:
        return f"{' and '.join(names[0] for names in self.variables)} for {self.name}"


def required_key(provider: str, names: tuple[str, ...]) -> str:
    """The key of a provider."""
    key = environment_key(names)
    if key is None:
        raise MissingRequirementError(f"{provider} needs environment variable {' or '.join(names)}")
    return key
