"""What the tools that an agent is offered cost in tokens, as estimated."""

from tool_sandbox.conversation.execution_context import ExecutionContext, RoleType
from tool_sandbox.conversation.tool_schemas import description_length
from tool_sandbox.records.result import OfferedTools

CHARACTERS_PER_TOKEN = 3
"""Characters of a request that make a token: text has more, JSON and numbers have fewer."""


def offered_tools(context: ExecutionContext) -> OfferedTools:
    """Counts the tools that the agent of a world is offered now, and estimates the tokens of their descriptions."""
    tools = context.get_tools_of(RoleType.AGENT)
    characters = sum(description_length(context, name, tool) for name, tool in tools.items())
    return {"tools": len(tools), "tokens": -(-characters // CHARACTERS_PER_TOKEN)}
