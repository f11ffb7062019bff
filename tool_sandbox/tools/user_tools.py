"""What only the user can do."""

from tool_sandbox.world.device import current_device
from tool_sandbox.world.schema import DatabaseNamespace, RoleType
from tool_sandbox.world.tool import register_as_tool
from tool_sandbox.world.validators import typechecked


@register_as_tool(visible_to=(RoleType.USER,))
@typechecked
def end_conversation() -> None:
    """End the conversation. Use it once the task is done, or when it is clear that it cannot be done.

    Returns:
        Nothing.

    Raises:
        ValueError: The conversation has not begun, or is over already.
    """
    context = current_device()
    if context.max_sandbox_message_index < 0:
        raise ValueError("the conversation has not begun")
    if not context.get_table(DatabaseNamespace.SANDBOX).column("conversation_active")[-1]:
        raise ValueError("the conversation is over already")
    context.set_message_fields(conversation_active=False)
