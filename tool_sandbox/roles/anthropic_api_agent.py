"""Agents played by Claude models, under the names of the published benchmark."""

from tool_sandbox.models.anthropic_messages import AnthropicMessages
from tool_sandbox.models.catalogue import refuse_retired
from tool_sandbox.roles.model_agent import ModelAgent
from tool_sandbox.world.errors import ConfigurationError


class AnthropicAPIAgent(ModelAgent):
    """Plays the agent with a Claude model; subclasses name it.

    Attributes:
        model_name: Id of the model.
    """

    model_name: str = ""

    def __init__(self, model: str | None = None) -> None:
        """An agent that has said nothing yet."""
        self.model_name = model or self.model_name
        if not self.model_name:
            raise ConfigurationError(f"{type(self).__name__} has no model_name")
        if self.sends_itself():
            refuse_retired(AnthropicMessages.name, self.model_name)
        super().__init__(AnthropicMessages(self.model_name))


class ClaudeOpusAgent(AnthropicAPIAgent):
    """Claude 3 Opus, retired: needs another model."""

    model_name = "claude-3-opus-20240229"


class ClaudeSonnetAgent(AnthropicAPIAgent):
    """Claude 3 Sonnet, retired: needs another model."""

    model_name = "claude-3-sonnet-20240229"


class ClaudeHaikuAgent(AnthropicAPIAgent):
    """Claude 3 Haiku, retired: needs another model."""

    model_name = "claude-3-haiku-20240307"
