"""Tool descriptions in the format of Cohere's chat templates."""

from typing import Any

_NO_DESCRIPTION = "No description."
_NO_TYPE = "object"


def to_cohere_tool(openai_tool: dict[str, Any]) -> dict[str, Any]:
    """Rewrites an OpenAI tool description for Cohere's tool-use chat template.

    Args:
        openai_tool: Result of ``convert_to_openai_tool``.

    Returns:
        ``name``, ``description`` and ``parameter_definitions``: for each parameter its ``description``,
        ``type`` and whether it is ``required``. The template cannot leave anything out, so a missing
        description becomes a placeholder and a missing type ``object``.

    Raises:
        AssertionError: The tool is not a function.
    """
    if openai_tool["type"] != "function":
        # An assertion by contract: outside code expects this class of error.
        raise AssertionError(f"only functions can be converted, got a tool of type {openai_tool['type']!r}")
    function = openai_tool["function"]
    parameters = function["parameters"]
    return {
        "name": function["name"],
        "description": function.get("description") or _NO_DESCRIPTION,
        "parameter_definitions": {
            name: {
                "description": definition.get("description") or _NO_DESCRIPTION,
                "type": definition.get("type") or _NO_TYPE,
                "required": name in parameters["required"],
            }
            for name, definition in parameters["properties"].items()
        },
    }
