"""The agent played by a Hermes 2 Pro model."""

from tool_sandbox.models.completions import model_at_server
from tool_sandbox.roles.model_agent import ModelAgent


class HermesAPIAgent(ModelAgent):
    """A model that calls tools in the prompt format of Hermes, behind a server that completes text."""

    def __init__(self, model_name: str, base_url: str | None = None) -> None:
        """An agent that has said nothing yet."""
        super().__init__(model_at_server(model_name, "hermes", base_url))
