"""Finding the tools: which functions exist, which backend serves them, how they are ranked."""

import contextlib
import contextvars
import functools
import hashlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import FunctionType, ModuleType

from tool_sandbox.world.enums import ToolBackend as ToolBackend
from tool_sandbox.world.tool import Tool, ToolFunction

_REGISTRY = "tool_sandbox.tools"
"""Package whose tools every world knows."""


def _extract_tools(members: Sequence[tuple[str, ToolFunction]]) -> dict[str, dict[ToolBackend, ToolFunction]]:
    """Groups the tools among module members by name and backend."""
    found: dict[str, dict[ToolBackend, ToolFunction]] = {}
    for name, member in members:
        if not Tool.is_registered(member):
            continue
        backend = Tool.of(member).backend
        known = found.setdefault(name, {}).setdefault(backend, member)
        if known is not member:
            raise KeyError(f"two tools with the same name {name!r} and the same backend {backend} exist")
    return found


def _module_members(module: ModuleType) -> list[tuple[str, ToolFunction]]:
    """Functions below a module: submodules first, recursively, each in alphabetical order."""
    members: list[tuple[str, ToolFunction]] = []
    prefix = f"{module.__name__}."
    for _, submodule in inspect.getmembers(module, inspect.ismodule):
        if submodule.__name__.startswith(prefix):
            members.extend(_module_members(submodule))
    members.extend(inspect.getmembers(module, inspect.isfunction))
    return members


def choose_tools(
    members: Sequence[tuple[str, ToolFunction]], preferred_tool_backend: ToolBackend
) -> dict[str, ToolFunction]:
    """Picks one version of every tool among module members."""
    order = [preferred_tool_backend, ToolBackend.DEFAULT, *ToolBackend]
    return {
        name: next(by_backend[backend] for backend in order if backend in by_backend)
        for name, by_backend in _extract_tools(members).items()
    }


ToolFinder = Callable[[ToolBackend], dict[str, ToolFunction]]
"""Gives tools by name for a preferred backend."""

_additional: contextvars.ContextVar[ToolFinder | None] = contextvars.ContextVar("additional_tools", default=None)


@contextlib.contextmanager
def additional_tools(finder: ToolFinder) -> Iterator[None]:
    """Counts tools of another package among those of ``tool_sandbox.tools`` inside a ``with`` block.

    Worlds made inside know them, and rankings of distracting tools contain them. The registered set itself stays as it
    is, for other threads too.
    """
    token = _additional.set(finder)
    try:
        yield
    finally:
        _additional.reset(token)


@contextlib.contextmanager
def further_tools(tools: Mapping[str, ToolFunction]) -> Iterator[None]:
    """The same for tools that do not depend on the backend, beside those that are counted already."""
    outer = _additional.get()
    with additional_tools(lambda backend: ({} if outer is None else outer(backend)) | dict(tools)):
        yield


def _found_additionally(preferred_tool_backend: ToolBackend) -> dict[str, ToolFunction]:
    finder = _additional.get()
    return {} if finder is None else finder(preferred_tool_backend)


def find_tools_by_module(module: ModuleType, preferred_tool_backend: ToolBackend) -> dict[str, ToolFunction]:
    """Finds the tools in a module and its submodules.

    A tool that a module imports counts as a member of that module. `additional_tools` count as members of
    ``tool_sandbox.tools``.
    """
    tools = choose_tools(_module_members(module), preferred_tool_backend)
    if module.__name__ == _REGISTRY:
        tools.update(_found_additionally(preferred_tool_backend))
    return tools


def _members_seen(module: ModuleType) -> tuple[object, ...]:
    """Everything a walk over a module looks at, to tell whether another walk would find the same."""
    prefix = f"{module.__name__}."
    seen: list[object] = []
    # A copy: another thread may import a submodule meanwhile, which becomes a member.
    for name, member in vars(module).copy().items():
        if isinstance(member, FunctionType):
            seen += (name, member)
        elif isinstance(member, ModuleType) and member.__name__.startswith(prefix):
            seen += (name, *_members_seen(member))
    return tuple(seen)


@functools.lru_cache(maxsize=8)
def _registered_tools(preferred_tool_backend: ToolBackend, seen: tuple[object, ...]) -> dict[str, ToolFunction]:
    import tool_sandbox.tools

    return choose_tools(_module_members(tool_sandbox.tools), preferred_tool_backend)


def get_all_tools(preferred_tool_backend: ToolBackend = ToolBackend.DEFAULT) -> dict[str, ToolFunction]:
    """All tools of ``tool_sandbox.tools``, and `additional_tools`.

    The package is walked again only after something in it has changed, such as a tool that was
    added by another package; the dictionary is the caller's own.
    """
    backend = ToolBackend(preferred_tool_backend)
    return registered_tools(backend) | _found_additionally(backend)


def registered_tools(preferred_tool_backend: ToolBackend = ToolBackend.DEFAULT) -> dict[str, ToolFunction]:
    """The tools of ``tool_sandbox.tools`` alone, see `get_all_tools`."""
    import tool_sandbox.tools

    return dict(_registered_tools(ToolBackend(preferred_tool_backend), _members_seen(tool_sandbox.tools)))


def get_scrambled_tool_names(tools: Iterable[ToolFunction]) -> dict[str, str]:
    """Opaque names: the last part of the tool's module and a running number within it."""
    counters: dict[str, int] = {}
    scrambled: dict[str, str] = {}

    def rank(tool: ToolFunction) -> tuple[bool, str]:
        # Tools of another package come last, so that they do not move the numbers of a module of the same name.
        return not tool.__module__.startswith(f"{_REGISTRY}."), f"{tool.__module__}.{tool.__name__}"

    for tool in sorted(tools, key=rank):
        module = tool.__module__.rsplit(".", 1)[-1]
        counters[module] = counters.get(module, -1) + 1
        scrambled[tool.__name__] = f"{module}_{counters[module]}"
    return scrambled


def get_opaque_tool_names(tools: Iterable[ToolFunction]) -> dict[str, str]:
    """Names that tell nothing, not even which tools belong together."""
    names = sorted((tool.__name__ for tool in tools), key=lambda name: hashlib.sha256(name.encode()).digest())
    return {name: f"tool_{number}" for number, name in enumerate(names)}


def rank_tools_by_similarity(
    target_tool_names: list[str] | None, module: ModuleType, preferred_tool_backend: ToolBackend
) -> list[str]:
    """Orders the other tools of a module by how well they distract from the targets.

    Tools defined in the same module as any target come first, then the rest; within a group by
    descending weighted ratio between the names, ties in order of discovery.
    """
    from rapidfuzz import fuzz, utils

    tools = find_tools_by_module(module, preferred_tool_backend)
    if not target_tool_names:
        return list(tools)
    if missing := [name for name in target_tool_names if name not in tools]:
        raise KeyError(f"tools {missing} do not exist in {module.__name__}")
    target_modules = {tools[name].__module__ for name in target_tool_names}

    def rank(name: str) -> tuple[bool, float]:
        similarity = max(fuzz.WRatio(name, target, processor=utils.default_process) for target in target_tool_names)
        return tools[name].__module__ not in target_modules, -similarity

    return sorted((name for name in tools if name not in target_tool_names), key=rank)
