"""Who plays: a name from the command line, or anything that makes a role."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import attrs

if TYPE_CHECKING:
    from tool_sandbox.roles.base_role import BaseRole

Kind = Literal["agent", "user"]


@attrs.frozen
class NamedRole:
    """Makes a role by its name; unlike the role itself it can be sent to another process.

    Attributes:
        choice: ``Name`` or ``Name:option=value,option=value``.
        kind: Which party it plays.
    """

    choice: str
    kind: Kind

    def __call__(self) -> "BaseRole":
        """Makes a new role."""
        return _factory(self.choice, self.kind)()


@functools.cache
def _factory(choice: str, kind: Kind) -> "Callable[[], BaseRole]":
    from tool_sandbox.roles.registry import resolve_role

    return resolve_role(choice, kind)[1]


@attrs.frozen
class Cast:
    """One party of a run.

    Attributes:
        name: As it was asked for.
        model_name: Model behind it, ``None`` where there is no such thing.
        factory: Makes a fresh role for every conversation.
        is_local: Whether it computes its answers, rather than waiting for a model or a person.
        is_interactive: Whether a person plays it at the terminal.
        needs_solution: Whether it plays the reference solution of a scenario.
    """

    name: str
    model_name: str | None
    factory: "Callable[[], BaseRole]"
    is_local: bool = False
    is_interactive: bool = False
    needs_solution: bool = False

    @property
    def label(self) -> str:
        """What the run directory is named after: the model, or the name where there is none or it has options."""
        return self.name if ":" in self.name else self.model_name or self.name

    @classmethod
    def find(cls, role: "str | Callable[[], BaseRole]", kind: Kind) -> "Cast":
        """Checks who is to play.

        Args:
            role: A name that ``tool_sandbox agents`` lists, or what makes a role.
            kind: Which party.

        Returns:
            The party, ready to play.

        Raises:
            ConfigurationError: There is no such role, or something that it needs is missing.
        """
        if not isinstance(role, str):
            name = getattr(role, "__name__", type(role).__name__)
            return cls(name, getattr(role, "model_name", None), role)
        from tool_sandbox.roles.registry import resolve_role

        spec, _ = resolve_role(role, kind)
        factory = NamedRole(role, kind)
        # One is made now, so that a wrong option is a mistake of the command and not of every conversation.
        probe = factory()
        probe.teardown()
        is_interactive = spec.name == "Cli"
        is_local = not spec.needs and not is_interactive
        needs_solution = spec.name == "Oracle"
        return cls(role, getattr(probe, "model_name", None), factory, is_local, is_interactive, needs_solution)
