"""The published agents that models of OpenAI play, over chat completions."""

from typing import TYPE_CHECKING, Any

from tool_sandbox.models.openai_chat import OpenAIChat
from tool_sandbox.models.openai_shared import KEY_VARIABLES
from tool_sandbox.models.provider import Endpoint, environment_key, required_key
from tool_sandbox.roles.model_agent import ModelAgent
from tool_sandbox.roles.model_role import ModelRole
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    import openai

OFFICIAL_URL = "https://api.openai.com/v1"
"""Where the published agents are asked, whatever ``OPENAI_BASE_URL`` says."""


def published_provider(role: type[ModelRole], model: str, base_url: str | None = None) -> OpenAIChat:
    """A model as the published roles ask it: without temperature, seed or limit."""
    from tool_sandbox.models.catalogue import refuse_retired

    if not model:
        raise ConfigurationError(f"{role.__name__} has no model_name")
    if role.sends_itself():
        if base_url is None:
            refuse_retired(OpenAIChat.name, model)
        required_key(OpenAIChat.name, KEY_VARIABLES)
    return OpenAIChat(model, endpoint=Endpoint(base_url or OFFICIAL_URL, environment_key(KEY_VARIABLES)))


class OpenAIAPIRole(ModelRole):
    """A party that a model of OpenAI plays; subclasses name it.

    Attributes:
        model_name: Id of the model.
    """

    model_name: str = ""

    def __init__(self, model: str | None = None, base_url: str | None = None) -> None:
        """A party that has said nothing yet."""
        self.model_name = model or self.model_name
        super().__init__(published_provider(type(self), self.model_name, base_url))

    def model_inference(self, **wire: Any) -> "openai.types.chat.ChatCompletion":
        """Sends one request."""
        completion: openai.types.chat.ChatCompletion = super().model_inference(**wire)
        return completion


class OpenAIAPIAgent(OpenAIAPIRole, ModelAgent):
    """An agent that a model of OpenAI plays; subclasses name it."""


class GPT_3_5_0125_Agent(OpenAIAPIAgent):  # noqa: N801 - published name
    """GPT-3.5 Turbo of January 2024."""

    model_name = "gpt-3.5-turbo-0125"


class GPT_4_0125_Agent(OpenAIAPIAgent):  # noqa: N801 - published name
    """GPT-4 Turbo preview of January 2024."""

    model_name = "gpt-4-0125-preview"


class GPT_4_o_2024_05_13_Agent(OpenAIAPIAgent):  # noqa: N801 - published name
    """GPT-4o of May 2024."""

    model_name = "gpt-4o-2024-05-13"
