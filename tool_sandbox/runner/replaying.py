"""The parties of a stored run, made once more so that their stored answers can be played back."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from tool_sandbox.helpers.printable import printable
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.runner.store import RUN_FILE, RunDirectory
from tool_sandbox.world.errors import ConfigurationError

Kind = Literal["agent", "user"]

PREFIX = "replay:"
"""What a choice begins with that names the directory of a stored run."""


def replayed_run(choice: str) -> Path | None:
    """The run that a choice wants to have played back, ``None`` if it is no such choice."""
    if not choice.startswith(PREFIX):
        return None
    path = Path(choice.removeprefix(PREFIX)).expanduser()
    if choice == PREFIX or not (path / RUN_FILE).is_file():
        raise ConfigurationError(f"{choice}: no run to replay; write {PREFIX}DIR with a directory that has {RUN_FILE}")
    return path


def stored_choice(run: Path, kind: Kind) -> str:
    """Who played a party of a stored run."""
    choice: str = RunDirectory(run).read_run()[kind]
    if choice.startswith(PREFIX):
        raise ConfigurationError(f"{run} is a replay itself; replay the run that it repeats: {printable(choice)}")
    return choice


def stored_party(run: Path, kind: Kind) -> Callable[[], BaseRole]:
    """What makes a party of a stored run once more, without a key and without a network.

    A model becomes the same role again, whose requests are to be answered from the run. Any other party repeats the
    messages that it wrote, but for the scripted user, which needs nothing stored.
    """
    from tool_sandbox.roles.registry import look_up, resolve_role

    choice = stored_choice(run, kind)
    try:
        spec = look_up(choice, kind)
    except ConfigurationError:
        # It was given in Python, or belongs to a package that is not installed.
        spec = None
    if spec is not None and (spec.model is not None or spec.repeats_itself):
        return resolve_role(choice, kind, offline=True)[1]
    from tool_sandbox.roles.replay_agent import StoredMessagesAgent, StoredMessagesUser

    return lambda: StoredMessagesAgent(run) if kind == "agent" else StoredMessagesUser(run)
