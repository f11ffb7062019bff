"""The published Gemini agent."""

from collections.abc import Mapping, Sequence
from typing import Any

from tool_sandbox.models.gemini import Gemini
from tool_sandbox.models.gemini_access import VERTEX
from tool_sandbox.roles.model_agent import ModelAgent


class GeminiAgent(ModelAgent):
    """Plays the agent with a Gemini model, as published: on Vertex AI, always with the likeliest token.

    Where no project and region are set, the Gemini API is asked with a key instead.
    """

    def __init__(self, model_name: str = "gemini-1.5-pro-preview-0409") -> None:
        """Checks that the model can be reached; connects to nothing."""
        from tool_sandbox.models.catalogue import refuse_retired

        if self.sends_itself():
            refuse_retired(Gemini.name, model_name)
        settings: dict[str, Any] = {"temperature": 0.0, "top_k": 1}
        if VERTEX.is_known():
            settings["vertex"] = True
        provider = Gemini(model_name, settings)
        if self.sends_itself():
            provider.require_access()
        super().__init__(provider)

    def model_inference(  # type: ignore[override]  # the published keywords
        self, gemini_messages: Sequence[Mapping[str, Any]], gemini_tools: Sequence[Mapping[str, Any]]
    ) -> Any:
        """Sends one request."""
        return self.provider.send(gemini_messages=gemini_messages, gemini_tools=gemini_tools)
