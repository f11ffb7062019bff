"""The roles of the published benchmark that a model plays: their names, and the model that each stands for.

Without options a name makes the published class. With options (``Hermes:model=MODEL,base_url=URL``) it is short for the
model that it stands for, chosen with these options.
"""

from collections.abc import Iterator, Mapping

from tool_sandbox.roles.role_spec import Kind, Requirement, RoleSpec


def published_roles() -> Iterator[RoleSpec]:
    """All published names that a model plays."""
    for name, model in (
        ("GPT_3_5_0125", "gpt-3.5-turbo-0125"),
        ("GPT_4_0125", "gpt-4-0125-preview"),
        ("GPT_4_o_2024_05_13", "gpt-4o-2024-05-13"),
    ):
        agent = f"tool_sandbox.roles.openai_api_agent:{name}_Agent"
        user = f"tool_sandbox.roles.openai_api_user:{name}_User"
        yield _spec(name, model, {"agent": agent, "user": user}, f"openai/{model}")
    for size, model in (
        ("Opus", "claude-3-opus-20240229"),
        ("Sonnet", "claude-3-sonnet-20240229"),
        ("Haiku", "claude-3-haiku-20240307"),
    ):
        agent = f"tool_sandbox.roles.anthropic_api_agent:Claude{size}Agent"
        yield _spec(f"Claude_3_{size}", model, {"agent": agent}, f"anthropic/{model}")
    for name, model in (
        ("Gemini_1_0", "gemini-1.0-pro"),
        ("Gemini_1_5", "gemini-1.5-pro-001"),
        ("Gemini_1_5_Flash", "gemini-1.5-flash-001"),
    ):
        agent = "tool_sandbox.roles.gemini_agent:GeminiAgent"
        yield _spec(name, model, {"agent": agent}, f"google/{model}", model_name=model)
    for name, form, model, role in (
        ("MistralOpenAIServer", "mistral", "mistralai/Mistral-7B-Instruct-v0.3", "MistralOpenAIServerAgent"),
        ("Cohere_Command_R", "cohere", "CohereForAI/c4ai-command-r-v01", "CohereAgent"),
        ("Cohere_Command_R_Plus", "cohere", "CohereForAI/c4ai-command-r-plus", "CohereAgent"),
        ("Hermes", "hermes", "NousResearch/Hermes-2-Pro-Mistral-7B", "HermesAPIAgent"),
        ("Gorilla", "gorilla", "gorilla-llm/gorilla-openfunctions-v2", "GorillaAPIAgent"),
    ):
        module = "cohere_agent" if form == "cohere" else f"{form}_api_agent"
        choice = f"openai-compatible/{model}:format={form}"
        told = f"{model}, by text completions at OPENAI_BASE_URL"
        yield _spec(name, told, {"agent": f"tool_sandbox.roles.{module}:{role}"}, choice, model_name=model)


def _spec(name: str, told: str, classes: Mapping[Kind, str], choice: str, **fixed: str) -> RoleSpec:
    needs = (Requirement(choice.partition("/")[0], "provider"),)
    return RoleSpec(name, f"published: {told}", classes, needs, fixed, choice)
