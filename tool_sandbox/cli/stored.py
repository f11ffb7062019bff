"""Finding a stored run, and what it was played with."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tool_sandbox.common.errors import ConfigurationError
from tool_sandbox.common.profile import Profile
from tool_sandbox.runner.store import RUN_FILE

if TYPE_CHECKING:
    from tool_sandbox.runner.suites import Suite


def run_path(given: str) -> Path:
    """The directory of a run.

    Args:
        given: The directory, or a file in it.

    Raises:
        ConfigurationError: There is no run.
    """
    path = Path(given)
    path = path.parent if path.is_file() else path
    if not (path / RUN_FILE).is_file():
        raise ConfigurationError(f"{given} is not the directory of a run: it has no {RUN_FILE}")
    return path


def suite_of(
    run: Mapping[str, Any], place: str | None, profile: Profile | None, services: str = "offline"
) -> "Suite | None":
    """Loads the suite that a run was played with, as it was loaded then.

    Args:
        run: Description of the run.
        place: Where the suite is now, ``None`` for the suite of this package.
        profile: Rules to score by.
        services: What stands behind the search tools.

    Returns:
        The suite, ``None`` for that of this package.

    Raises:
        ConfigurationError: The run was played with another suite, or it cannot be loaded.
    """
    from tool_sandbox.runner.suites import load_suite

    played = run["suite"]
    name = played.get("name")
    if place is None and name is None:
        return None
    if place is None:
        raise ConfigurationError(f"the run was played with suite {name}; say where it is with --suite PATH")
    suite = load_suite(
        place,
        clock=played.get("clock", "frozen"),
        suite_time=played.get("time"),
        profile=profile,
        services=services,
        preferred_tool_backend=run["preferred_tool_backend"],
    )
    if suite.name != name:
        raise ConfigurationError(f"the run was played with suite {name or 'of this package'}, not with {suite.name}")
    return suite
