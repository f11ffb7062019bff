"""What Inspect finds by the entry point of this package."""

from tool_sandbox.integrations.inspect.reference import Reference as Reference
from tool_sandbox.integrations.inspect.scorer import evaluation as evaluation
from tool_sandbox.integrations.inspect.solver import conversation as conversation
from tool_sandbox.integrations.inspect.tasks import core as core
from tool_sandbox.integrations.inspect.tasks import hard as hard
