"""The agent played by a Mistral model that is served as open weights."""

from tool_sandbox.models.completions import model_at_server
from tool_sandbox.roles.model_agent import ModelAgent


class MistralAgent(ModelAgent):
    """A model that calls tools in the prompt format of Mistral, however it is served."""


class MistralOpenAIServerAgent(MistralAgent):
    """Such a model behind a server that completes text."""

    def __init__(self, model_name: str, base_url: str | None = None) -> None:
        """An agent that has said nothing yet."""
        super().__init__(model_at_server(model_name, "mistral", base_url))
