"""Who plays: a name from the command line, or anything that makes a role."""

import functools
import inspect
import logging
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.models.catalogue import warning_about
from tool_sandbox.models.provider import Provider
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.runner.replaying import Kind, replayed_run, stored_party
from tool_sandbox.world.errors import ConfigurationError, MissingRequirementError

_logger = logging.getLogger(__name__)


@attrs.frozen
class NamedRole:
    """Makes a role by its name; unlike the role itself it can be sent to another process.

    Attributes:
        choice: ``Name``, ``provider/model`` or ``replay:RUN_DIR``, the first two with options or without.
        kind: Which party it plays.
    """

    choice: str
    kind: Kind

    def __call__(self) -> BaseRole:
        """Makes a new role."""
        return self._factory()

    @functools.cached_property
    def _factory(self) -> Callable[[], BaseRole]:
        run = replayed_run(self.choice)
        if run is not None:
            return stored_party(run, self.kind)
        from tool_sandbox.roles.registry import resolve_role

        return resolve_role(self.choice, self.kind)[1]


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
        replay: Directory of the run whose stored answers it repeats, ``None`` if it gives its own.
        concurrency: Conversations at once that suit it, ``None`` if its model's provider knows better.
        program: What ``run.json`` says of an agent with a loop of its own, ``None`` for others.
        fixed_tools: Why the tools that it has in a conversation cannot become more, empty if they can.
        short: What to call it where a command or a path will not do.
        provider: The model that this package asks for its answers, ``None`` if it asks none.
    """

    name: str
    model_name: str | None
    factory: Callable[[], BaseRole]
    is_local: bool = False
    is_interactive: bool = False
    needs_solution: bool = False
    replay: Path | None = None
    concurrency: int | None = None
    program: Mapping[str, Any] | None = None
    fixed_tools: str = ""
    short: str | None = None
    provider: Provider | None = None

    @property
    def label(self) -> str:
        """What the run directory is named after: who plays, with the options that are sent to the model."""
        if self.replay is not None:
            return f"replay_{self.model_name or self.replay.name}".replace("/", "_")
        from tool_sandbox.models.naming import split_choice
        from tool_sandbox.models.parameters import CORE_OPTIONS
        from tool_sandbox.roles.registry import path_name

        if self.short is not None:
            return self.short
        name, options = split_choice(self.name)
        model = path_name(self.name)
        if model is None and not options:
            return self.model_name or name
        told = [f"_{option}={value}" for option, value in options.items() if option not in CORE_OPTIONS]
        return "".join([model or name, *told])

    @classmethod
    def find(cls, role: str | Callable[[], BaseRole], kind: Kind) -> "Cast":
        """Checks who is to play."""
        if not isinstance(role, str):
            if not callable(role):
                is_one = hasattr(role, "respond")
                told = "is an instance; give its class" if is_one else "is neither a name nor what makes a role"
                raise ConfigurationError(f"{kind} {role!r:.80} {told}")
            role = _own_loop(role) if kind == "agent" else _own_user(role)
            name = getattr(role, "__name__", type(role).__name__)
            found = cls(name, getattr(role, "model_name", None), role)
            if isinstance(role, type) and not _is_model(role):
                return found
            probe = _probe(role)
            found = attrs.evolve(found, provider=_provider(probe))
            return _external(found, probe) if _makes_loops(role) else found
        factory = NamedRole(role, kind)
        run = replayed_run(role)
        if run is not None:
            probe = factory()
            probe.teardown()
            model = getattr(probe, "model_name", None)
            provider = _provider(probe)
            return cls(role, model, factory, is_local=provider is None, replay=run, provider=provider)
        from tool_sandbox.roles.registry import ROLES, resolve_role

        try:
            spec, make = resolve_role(role, kind)
            probe = _probe(make)
        except MissingRequirementError as error:
            raise MissingRequirementError(f"{kind} {error}") from None
        if spec.model is not None:
            _warn_of_end(spec.model)
        found = cls(
            role,
            getattr(probe, "model_name", None),
            factory,
            spec.is_local,
            spec.is_interactive,
            spec.needs_solution,
            provider=_provider(probe),
        )
        if not spec.is_external:
            return found
        return _external(found, probe, short=None if spec.name in ROLES else spec.name)


def _external(cast: Cast, role: Any, short: str | None = None) -> Cast:
    """A party with a loop of its own, of which one is asked what it is."""
    return attrs.evolve(
        cast, concurrency=role.concurrency, program=dict(role.describe()), short=short, fixed_tools=role.fixed_tools
    )


def _own_loop(role: Callable[[], BaseRole]) -> Callable[[], BaseRole]:
    """What makes roles of a class that is none, or of a function of messages and tools: a custom loop."""
    is_role = isinstance(role, type) and issubclass(role, BaseRole)
    if is_role or not (hasattr(role, "respond") or _takes_messages(role)):
        return role
    from tool_sandbox.roles.external.loop import loop_agent

    return loop_agent(role)


def _own_user(role: "Callable[..., Any]") -> "Callable[[], BaseRole]":
    """What makes roles of a function of messages: a custom user."""
    if not _takes_messages(role, 1):
        return role
    from tool_sandbox.roles.function_user import FunctionUserFactory

    return FunctionUserFactory(role)


def _takes_messages(role: Any, count: int = 2) -> bool:
    """Whether a function has to be given messages (and, for an agent, tools), and so makes no role."""
    if isinstance(role, type):
        return False
    try:
        parameters = inspect.signature(role).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(each.kind in positional and each.default is each.empty for each in parameters) == count


def _makes_loops(role: Any) -> bool:
    module = sys.modules.get("tool_sandbox.roles.external.loop")
    return module is not None and isinstance(role, module.LoopFactory)


def _is_model(role: Any) -> bool:
    # Such a class can only exist once the module is imported.
    module = sys.modules.get("tool_sandbox.roles.model_role")
    return module is not None and isinstance(role, type) and issubclass(role, module.ModelRole)


def _provider(probe: Any) -> Provider | None:
    return probe.provider if _is_model(type(probe)) else None


def _probe(factory: Callable[[], BaseRole]) -> BaseRole:
    """Makes a role, so that what is wrong or missing is a mistake of the command and not of every conversation."""
    probe: Any = factory()
    probe.teardown()
    if _is_model(type(probe)) and probe.sends_itself():
        from tool_sandbox.models.naming import is_asked

        if is_asked():
            probe.provider.prepare()
    role: BaseRole = probe
    return role


def _warn_of_end(choice: str) -> None:
    from tool_sandbox.models.naming import find_provider, split_choice

    spec, model = find_provider(split_choice(choice)[0])
    if warning := warning_about(spec.name, model):
        _logger.warning("%s", warning)
