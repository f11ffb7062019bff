"""The tool of this package."""

import time
import uuid

from tool_sandbox.conversation.execution_context import DatabaseNamespace, get_current_context
from tool_sandbox.world.utils import register_as_tool
from tool_sandbox.world.validators import typechecked


@register_as_tool()
@typechecked
def note_watering(plant: str) -> str:
    """Note that a plant has been watered.

    Args:
        plant: Name of the plant.

    Returns:
        Identifier of the note.
    """
    from garden import plants

    if plant not in plants.THIRSTY:
        raise ValueError(f"there is no {plant} here")
    note = {"reminder_id": str(uuid.uuid4()), "content": f"watered the {plant}", "creation_timestamp": time.time()}
    get_current_context().add_to_database(DatabaseNamespace.REMINDER, [note])
    return note["reminder_id"]
