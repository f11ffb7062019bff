"""Whose turn it was when something was raised, and whether it came out of the code of a scenario.

The class of an exception stays what it is, because outside code catches it; the party is noted on the exception itself.
"""

import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.world import errors

_NOTE = "tool_sandbox_party"
_SCENARIO = "tool_sandbox_scenario"
_LONGEST_CHAIN = 10
_OURS = Path(__file__).parents[1]
_INSTALLED = [Path(path) for name, path in sysconfig.get_paths().items() if name.endswith("lib")]


@contextmanager
def turn_of(party: RoleType) -> Iterator[None]:
    """Notes a party on every exception that passes."""
    with _noted(_NOTE, party):
        yield


@contextmanager
def scenario_code() -> Iterator[None]:
    """Notes on every exception that passes that it came out of an author's set-up, script or checks."""
    with _noted(_SCENARIO, True):
        yield


@contextmanager
def _noted(name: str, value: object) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        # An exception whose class has slots cannot be annotated, and is attributed to no party.
        with suppress(AttributeError, TypeError):
            setattr(error, name, value)
        raise


def is_scenarios(error: BaseException) -> bool:
    """Whether a scenario is to blame, whose author has to change it."""
    is_theirs = isinstance(error, Exception) and not isinstance(error, errors.ToolSandboxError | OSError | MemoryError)
    return isinstance(error, errors.ScenarioError) or (is_theirs and getattr(error, _SCENARIO, False))


def author_place(error: BaseException) -> str | None:
    """File and line of the author's code in which something was raised, ``None`` if it was raised in none."""
    for _ in range(_LONGEST_CHAIN):
        error = error.__cause__ or error
    frames = [(Path(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    frames = [(file, line) for file, line in frames if file.is_file()]
    own = [frame for frame in frames if not any(frame[0].is_relative_to(place) for place in (_OURS, *_INSTALLED))]
    suite = [frame for frame in frames if frame[0].is_relative_to(_OURS / "scenarios")]
    if not (places := own or suite):
        return None
    file, line = places[-1]
    return f"{file}:{line}"


def blamed_party(error: BaseException) -> RoleType | None:
    """The party whose turn it was."""
    party = getattr(error, _NOTE, None)
    return party if isinstance(party, RoleType) else None
