"""The roles of the published benchmark that a model plays: their names, and the model that each stands for.

Without options a name makes the published class. With options (``Hermes:model=MODEL,base_url=URL``) it is short for the
model that it stands for, chosen with these options.
"""

from collections.abc import Iterator
from typing import NamedTuple


class PublishedRole(NamedTuple):
    """A published name.

    Attributes:
        name: The name.
        description: What it is, in one line.
        agent: Class that plays the agent (``module:Class``).
        user: Class that plays the user, ``None`` where only the agent was published.
        model: The choice that it stands for.
        fixed: Value of the parameter ``model_name`` of the class, ``None`` where it takes none.
    """

    name: str
    description: str
    agent: str
    user: str | None
    model: str
    fixed: str | None


def published_roles() -> Iterator[PublishedRole]:
    """All published names that a model plays."""
    for name, model in (
        ("GPT_3_5_0125", "gpt-3.5-turbo-0125"),
        ("GPT_4_0125", "gpt-4-0125-preview"),
        ("GPT_4_o_2024_05_13", "gpt-4o-2024-05-13"),
    ):
        agent = f"tool_sandbox.roles.openai_api_agent:{name}_Agent"
        user = f"tool_sandbox.roles.openai_api_user:{name}_User"
        yield PublishedRole(name, f"published: {model}", agent, user, f"openai/{model}", None)
    for size, model in (
        ("Opus", "claude-3-opus-20240229"),
        ("Sonnet", "claude-3-sonnet-20240229"),
        ("Haiku", "claude-3-haiku-20240307"),
    ):
        agent = f"tool_sandbox.roles.anthropic_api_agent:Claude{size}Agent"
        yield PublishedRole(f"Claude_3_{size}", f"published: {model}", agent, None, f"anthropic/{model}", None)
    for name, model in (
        ("Gemini_1_0", "gemini-1.0-pro"),
        ("Gemini_1_5", "gemini-1.5-pro-001"),
        ("Gemini_1_5_Flash", "gemini-1.5-flash-001"),
    ):
        agent = "tool_sandbox.roles.gemini_agent:GeminiAgent"
        yield PublishedRole(name, f"published: {model}", agent, None, f"google/{model}", model)
    for name, form, model, role in (
        ("MistralOpenAIServer", "mistral", "mistralai/Mistral-7B-Instruct-v0.3", "MistralOpenAIServerAgent"),
        ("Cohere_Command_R", "cohere", "CohereForAI/c4ai-command-r-v01", "CohereAgent"),
        ("Cohere_Command_R_Plus", "cohere", "CohereForAI/c4ai-command-r-plus", "CohereAgent"),
        ("Hermes", "hermes", "NousResearch/Hermes-2-Pro-Mistral-7B", "HermesAPIAgent"),
        ("Gorilla", "gorilla", "gorilla-llm/gorilla-openfunctions-v2", "GorillaAPIAgent"),
    ):
        module = "cohere_agent" if form == "cohere" else f"{form}_api_agent"
        choice = f"openai-compatible/{model}:format={form}"
        text = f"published: {model}, by text completions at OPENAI_BASE_URL"
        yield PublishedRole(name, text, f"tool_sandbox.roles.{module}:{role}", None, choice, model)
