"""ToolSandbox: a stateful, conversational, interactive benchmark for tool-using language models."""

import logging
from typing import TYPE_CHECKING, Any

from tool_sandbox.version import __version__

if TYPE_CHECKING:
    from tool_sandbox.models.logs import LogLevel as LogLevel
    from tool_sandbox.models.logs import set_logging as set_logging

__all__ = ["LogLevel", "__version__", "set_logging"]

# Quiet, unless somebody asks for more.
logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    if name in ("LogLevel", "set_logging"):
        from tool_sandbox.models import logs

        return getattr(logs, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
