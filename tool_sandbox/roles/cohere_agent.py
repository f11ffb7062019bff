"""The agent played by a Command R model."""

from tool_sandbox.models.completions import model_at_server
from tool_sandbox.models.formats.cohere import to_cohere_tool
from tool_sandbox.roles.model_agent import ModelAgent

__all__ = ["CohereAgent", "to_cohere_tool"]


class CohereAgent(ModelAgent):
    """A model that calls tools in the prompt format of Command R, behind a server that completes text."""

    def __init__(self, model_name: str, base_url: str | None = None) -> None:
        """An agent that has said nothing yet."""
        super().__init__(model_at_server(model_name, "cohere", base_url))
