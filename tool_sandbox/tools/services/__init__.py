"""What stands behind the search tools: an offline world, the live providers, or recordings of either."""

from pathlib import Path
from typing import Any

from tool_sandbox.tools.services.base import SearchService
from tool_sandbox.tools.services.offline import default_service
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

__all__ = ["MODES", "SearchService", "create_service", "default_service"]

MODES = ("offline", "rapidapi", "record", "replay")
"""Modes of `create_service`."""


def create_service(
    mode: str, *, path: Path | None = None, record_from: str = "rapidapi", **options: Any
) -> SearchService:
    """Creates a search service for a run.

    Args:
        mode: ``offline``; ``rapidapi`` (live, key from the environment variable ``RAPID_API_KEY``); ``record``
            (answers come from ``record_from`` and are appended to the file ``path``); ``replay`` (answers come from
            that file only).
        path: File of recorded answers, for ``record`` and ``replay``.
        record_from: Mode of the service that is recorded.
        **options: Passed to `RapidApiService`.

    Returns:
        The service.

    Raises:
        UnknownNameError: There is no such mode.
        ConfigurationError: No key, no path, or an unreadable file.
    """
    if mode == "offline":
        return default_service()
    if mode == "rapidapi":
        from tool_sandbox.tools.services.rapid_api import RapidApiService

        return RapidApiService.from_environment(**options)
    if mode in ("record", "replay"):
        from tool_sandbox.tools.services.recording import RecordingService, ReplayService

        if path is None:
            raise ConfigurationError(f"search service {mode!r} needs the path of a file of recorded answers")
        if mode == "replay":
            return ReplayService(path)
        return RecordingService(path, service=create_service(record_from, **options))
    raise UnknownNameError(f"there is no search service {mode!r}; choose one of {', '.join(MODES)}.")
