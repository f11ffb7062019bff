"""Whose turn it was when something was raised.

The class of an exception stays what it is, because outside code catches it; the party is noted on the exception itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tool_sandbox.common.execution_context import RoleType

_NOTE = "tool_sandbox_party"


@contextmanager
def turn_of(party: RoleType) -> Iterator[None]:
    """Notes a party on every exception that passes.

    Args:
        party: Whose turn it is.
    """
    try:
        yield
    except BaseException as error:
        # An exception whose class has slots cannot be noted on, and is nobody's then.
        with suppress(AttributeError, TypeError):
            setattr(error, _NOTE, party)
        raise


def blamed_party(error: BaseException) -> RoleType | None:
    """The party whose turn it was.

    Args:
        error: What was raised while a conversation was played.

    Returns:
        The party, ``None`` if it was nobody's turn: set-up, evaluation, or no conversation at all.
    """
    party = getattr(error, _NOTE, None)
    return party if isinstance(party, RoleType) else None
