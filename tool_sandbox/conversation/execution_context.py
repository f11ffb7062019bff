"""The world of one conversation: messages, settings, contacts, messaging, reminders, and the tables of apps.

Every namespace keeps one snapshot per message index; a write belongs to the message that is being
processed. Snapshots are immutable and shared, so reading the newest is constant time, any other is
a binary search, and a fork costs the same for a small and for a large world.
"""

import contextlib
import functools
from collections.abc import Iterable, Iterator
from typing import Any

import attrs

from tool_sandbox.apps.app import App
from tool_sandbox.apps.registry import find_app, tools_of, with_needed
from tool_sandbox.conversation import tool_discovery
from tool_sandbox.conversation.console import Console
from tool_sandbox.conversation.tool_discovery import ToolBackend
from tool_sandbox.conversation.tool_schemas import SEARCH_TOOL
from tool_sandbox.conversation.tool_search import found_in, search_tools
from tool_sandbox.world.clock import Clock, ScenarioClock
from tool_sandbox.world.device import CURRENT, DeviceState
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.schema import (
    SCHEMAS,
    TOOL_AUGMENTATION_TYPE,
    DatabaseNamespace,
    RoleType,
    ScenarioCategories,
)
from tool_sandbox.world.state import DatabaseAccess
from tool_sandbox.world.stored import read_table, stored_table
from tool_sandbox.world.table import INDEX_COLUMN, History, Table, TableSchema
from tool_sandbox.world.tool import Tool, ToolFunction

__all__ = [
    "TOOL_AUGMENTATION_TYPE",
    "DatabaseAccess",
    "DatabaseNamespace",
    "ExecutionContext",
    "RoleType",
    "ScenarioCategories",
    "get_or_make_context",
    "new_context",
    "new_context_with_attribute",
    "set_current_context",
]


@functools.lru_cache(maxsize=64)
def _scrambled_names(tools: tuple[ToolFunction, ...], profile: Profile) -> dict[str, str]:
    if profile is Profile.STRICT:
        return tool_discovery.get_opaque_tool_names(tools)
    return tool_discovery.get_scrambled_tool_names(tools)


def _known_apps(names: Iterable[str]) -> Iterator[App]:
    """Those of apps that are there: what a world had of others can be looked at without them."""
    for name in names:
        with contextlib.suppress(UnknownNameError):
            yield find_app(name)


BatchStates = dict[int, dict[str, list[dict[str, Any]]]]
"""States within a batch of parallel calls, whose snapshot is one: its index to database to one entry for each call that
changed it, in order, with ``answer`` (index of the answer to the call) and ``rows`` (the state after it as JSON values,
``None`` for the last one: the snapshot; for a table of an app what is different from the state before, with ``from``
and ``to`` as in ``tool_sandbox.world.stored``)."""


class ExecutionContext(DeviceState):
    """World state of one conversation, with a snapshot per message.

    Attributes:
        tool_allow_list: Names of the tools on offer, ``None`` for all.
        tool_deny_list: Names of tools that are withheld, ``None`` for none.
        tool_augmentation_list: Scrambles that apply to the tool descriptions.
        preferred_tool_backend: Backend of tools that have several.
        name_to_tool: All registered tools by real name, in order of discovery.
        tool_order: Order in which tools are offered, ``None`` for the order of discovery.
        tool_search: Whether the agent has to find the tools with a search tool, see `offer_by_search`.
        apps: Apps whose tables and tools the world has beside the published ones.
        batch_states: What each of several parallel calls did; no part of any snapshot, and of no use to scoring.
    """

    def __init__(
        self,
        tool_allow_list: list[str] | None = None,
        tool_deny_list: list[str] | None = None,
        tool_augmentation_list: list[Any] | None = None,
        preferred_tool_backend: ToolBackend = ToolBackend.DEFAULT,
        *,
        profile: Profile = Profile.PUBLISHED,
        clock: Clock | None = None,
        services: Any = None,
        id_seed: str | None = None,
        apps: Iterable[App | str] = (),
    ) -> None:
        """Creates a world with one device, all of its services on, and nothing else.

        Args:
            tool_allow_list: Names of the tools on offer, ``None`` for all.
            tool_deny_list: Names of tools that are withheld.
            tool_augmentation_list: Scrambles of the tool descriptions.
            preferred_tool_backend: Backend of tools that have several.
            profile: Published or corrected behaviour.
            clock: Source of time, `default_clock` by default: usually that of the machine.
            services: Backend of the search tools, the offline service by default.
            id_seed: Namespace of generated ids; the same seed gives the same ids.
            apps: Apps, or names of apps, whose tables and tools the world has, with those that they need.
        """
        super().__init__(profile, clock, services, id_seed)
        self.tool_allow_list = tool_allow_list
        self.tool_deny_list = tool_deny_list
        self.tool_augmentation_list: list[Any] = [] if tool_augmentation_list is None else tool_augmentation_list
        self.preferred_tool_backend = ToolBackend(preferred_tool_backend)
        self.name_to_tool: dict[str, ToolFunction] = tool_discovery.get_all_tools(self.preferred_tool_backend)
        self.apps: tuple[App, ...] = with_needed(apps) if apps else ()
        for app in self.apps:
            app.add_tables(self)
            self.name_to_tool |= tools_of([app])
        self.tool_order: list[str] | None = None
        self.tool_search = False
        self._found: tuple[int, Table | None, tuple[str, ...]] = (0, None, ())
        self.batch_states: BatchStates = {}
        self._console: Any = None

    # Tools -----------------------------------------------------------------------------------

    @property
    def _actual_to_scrambled_tool_name(self) -> dict[str, str]:
        tools = tuple(self.name_to_tool.values())
        if not self.tool_search:
            return _scrambled_names(tools, self.profile)
        # The search tool is none of the scenario's: it keeps its name and leaves those of the others as they are.
        others = tuple(tool for tool in tools if tool is not search_tools)
        return {**_scrambled_names(others, self.profile), SEARCH_TOOL: SEARCH_TOOL}

    @property
    def _scrambled_to_actual_tool_name(self) -> dict[str, str]:
        return {scrambled: actual for actual, scrambled in self._actual_to_scrambled_tool_name.items()}

    @property
    def _names_are_scrambled(self) -> bool:
        return ScenarioCategories.TOOL_NAME_SCRAMBLED in self.tool_augmentation_list

    def offer_by_search(self) -> None:
        """Offers the agent a search tool alone, with which it finds the tools that the scenario offers.

        What it has found is in the log: results of the search tool that it was shown.

        Raises:
            ConfigurationError: The world has the published behaviour, or a tool of its own by that name.
        """
        if self.profile is Profile.PUBLISHED:
            raise ConfigurationError("tool search needs a world of the corrected benchmark: profile strict")
        if SEARCH_TOOL in self.name_to_tool and not self.tool_search:
            raise ConfigurationError(f"tool search is not possible: the scenario has a tool {SEARCH_TOOL!r} of its own")
        self.tool_search = True
        self.name_to_tool[SEARCH_TOOL] = search_tools

    @property
    def found_tools(self) -> tuple[str, ...]:
        """Real names of the tools that the agent has found by `search_tools`, in the order in which it did."""
        tables = self._histories[DatabaseNamespace.SANDBOX].tables
        count, last, found = self._found
        if count != len(tables) or not tables or last is not tables[-1]:
            real = self._scrambled_to_actual_tool_name if self._names_are_scrambled else None
            names = found_in(tables)
            found = tuple(names if real is None else (real[name] for name in names if name in real))
            self._found = len(tables), tables[-1] if tables else None, found
        return found

    def is_tool_offered(self, tool_name: str) -> bool:
        """Whether the allow and deny lists let a tool through.

        Args:
            tool_name: Real name.

        Returns:
            False also for a tool that does not exist, and for the search tool.
        """
        return (
            tool_name in self.name_to_tool
            and (self.tool_allow_list is None or tool_name in self.tool_allow_list)
            and (self.tool_deny_list is None or tool_name not in self.tool_deny_list)
            and not (self.tool_search and tool_name == SEARCH_TOOL)
        )

    def is_offered_to(self, role: RoleType, tool_name: str) -> bool:
        """Whether the scenario offers a tool, by its real name, to a role, be it found already or not."""
        return self.is_tool_offered(tool_name) and role in Tool.of(self.name_to_tool[tool_name]).visible_to

    def may_use(self, role: RoleType, tool_name: str) -> bool:
        """Whether a role may call a tool, by its real name: it is offered, and found if it has to be."""
        if role is RoleType.AGENT and self.tool_search and tool_name not in self.found_tools:
            return tool_name == SEARCH_TOOL
        return self.is_offered_to(role, tool_name)

    def get_offered_tools(self, role: RoleType | None) -> dict[str, ToolFunction]:
        """Tools that the scenario offers to a role, by the names that it sees, be they found already or not."""
        tools = self.get_available_tools(scrambling_allowed=role is RoleType.AGENT)
        return {name: tool for name, tool in tools.items() if role in Tool.of(tool).visible_to}

    def get_tools_of(self, role: RoleType | None) -> dict[str, ToolFunction]:
        """Tools that a role may call, by the names that it sees; see `get_available_tools`.

        Where the agent has to find them: the search tool, then what it has found, in that order, so that what was
        offered before stays as it was.
        """
        tools = self.get_offered_tools(role)
        if role is not RoleType.AGENT or not self.tool_search:
            return tools
        found = map(self.get_agent_facing_tool_name, self.found_tools)
        return {SEARCH_TOOL: search_tools} | {name: tools[name] for name in found if name in tools}

    def get_available_tools(self, scrambling_allowed: bool) -> dict[str, ToolFunction]:
        """Tools that the scenario offers.

        Args:
            scrambling_allowed: Whether names may be scrambled (they are for an agent only).

        Returns:
            Name to tool in the order of discovery, or of `tool_order` where that is set.
        """
        allowed, denied = self.tool_allow_list, self.tool_deny_list
        names = self.name_to_tool if allowed is None else [name for name in self.name_to_tool if name in allowed]
        names = [name for name in names if denied is None or name not in denied]
        if self.tool_search:
            names = [name for name in names if name != SEARCH_TOOL]
        if self.tool_order is not None:
            rank = {name: position for position, name in enumerate(self.tool_order)}
            names.sort(key=lambda name: rank.get(name, len(rank)))
        scramble = scrambling_allowed and self._names_are_scrambled
        facing = self._actual_to_scrambled_tool_name if scramble else None
        return {(facing[name] if facing is not None else name): self.name_to_tool[name] for name in names}

    def get_agent_facing_tool_name(self, tool_name: str) -> str:
        """The name under which the agent sees a tool.

        Args:
            tool_name: Real name.

        Returns:
            The scrambled name while names are scrambled, else the same name.

        Raises:
            KeyError: Unknown name while names are scrambled.
        """
        return self._actual_to_scrambled_tool_name[tool_name] if self._names_are_scrambled else tool_name

    def get_execution_facing_tool_name(self, agent_facing_tool_name: str) -> str:
        """Inverse of `get_agent_facing_tool_name`.

        Args:
            agent_facing_tool_name: Name as the agent wrote it.

        Returns:
            The real name.

        Raises:
            KeyError: Unknown name while names are scrambled.
        """
        if not self._names_are_scrambled:
            return agent_facing_tool_name
        return self._scrambled_to_actual_tool_name[agent_facing_tool_name]

    def get_agent_to_execution_facing_tool_name(self) -> dict[str, str]:
        """Agent-facing to real name for all registered tools."""
        return {self.get_agent_facing_tool_name(name): name for name in self.name_to_tool}

    # Console ---------------------------------------------------------------------------------

    @property
    def interactive_console(self) -> Any:
        """Console of this world (a ``code.InteractiveConsole``), created on first use."""
        if self._console is None:
            self._console = Console()
        return self._console

    @interactive_console.setter
    def interactive_console(self, console: Any) -> None:
        self._console = console

    def _console_bytes(self) -> bytes:
        return Console.adopt(self.interactive_console).to_bytes()

    # Copies ----------------------------------------------------------------------------------

    def fork(self) -> "ExecutionContext":
        """An independent continuation of this world.

        Tables are shared, not copied, so the cost does not depend on their size; neither side
        sees what the other writes later.

        Returns:
            The new context.
        """
        twin = ExecutionContext.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._access = None
        twin._histories = self._share_histories()
        twin._owned = set()
        twin.message_texts = self.message_texts.copy()
        twin.batch_states = self.batch_states.copy()
        for name in ("tool_allow_list", "tool_deny_list", "tool_augmentation_list", "tool_order"):
            if (value := getattr(self, name)) is not None:
                setattr(twin, name, list(value))
        twin.name_to_tool = self.name_to_tool.copy()
        if self._console is not None:
            twin._console = Console.adopt(self._console).fork()
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> "ExecutionContext":
        twin = self.fork()
        memo[id(self)] = twin
        return twin

    __copy__ = fork

    def equals(self, other: "ExecutionContext") -> bool:
        """Whether two contexts hold the same world, settings and history.

        Services and consoles are not compared: they are means, not state of the world.

        Args:
            other: Another context.

        Returns:
            True if all databases, lists, flags, clock and id state are equal.
        """
        return self._histories == other._histories and self._settings() == other._settings()

    def _settings(self) -> dict[str, Any]:
        return {
            "tool_allow_list": self.tool_allow_list,
            "tool_deny_list": self.tool_deny_list,
            "trace_tool": self.trace_tool,
            "tool_augmentation_list": [str(name) for name in self.tool_augmentation_list],
            "preferred_tool_backend": str(self.preferred_tool_backend),
            **self._extensions(),
        }

    # Serialisation ---------------------------------------------------------------------------

    def _extensions(self) -> dict[str, Any]:
        """What the published format has no key for, left out where it is at its default."""
        extensions: dict[str, Any] = {}
        if self.profile is not Profile.PUBLISHED:
            extensions["profile"] = str(self.profile)
        if isinstance(self.clock, ScenarioClock):
            extensions["clock"] = attrs.asdict(self.clock)
        if self.id_seed is not None:
            extensions["ids"] = {"seed": self.id_seed, "counter": self._id_counter}
        if self.tool_order is not None:
            extensions["tool_order"] = list(self.tool_order)
        if self.tool_search:
            extensions["tool_search"] = True
        if self.message_texts:
            extensions["message_texts"] = {str(index): text for index, text in self.message_texts.items()}
        if self.batch_states:
            extensions["batch_states"] = {str(index): states for index, states in self.batch_states.items()}
        if names := dict.fromkeys(schema.name.partition(".")[0] for schema in self.app_schemas):
            extensions["apps"] = list(names)
        return extensions

    def to_dict(self, serialize_console: bool = True) -> dict[str, Any]:
        """All state as plain data.

        Args:
            serialize_console: Whether the console is included (as bytes); without it the result can
                be written as JSON.

        Returns:
            The published keys, and ``extensions`` for state that the published format lacks (absent
            while all of it is at its defaults).
        """
        databases = {}
        for namespace in SCHEMAS:
            history = self._histories[namespace]
            names = (INDEX_COLUMN, *history.schema.names)
            databases[namespace] = [dict(zip(names, row, strict=True)) for row in history.stored_rows()]
        serialized: dict[str, Any] = {
            "_dbs": databases,
            "interactive_console": self._console_bytes() if serialize_console else None,
            "tool_allow_list": self.tool_allow_list,
            "tool_deny_list": self.tool_deny_list,
            "trace_tool": self.trace_tool,
            "tool_augmentation_list": [str(name) for name in self.tool_augmentation_list],
            "preferred_tool_backend": str(self.preferred_tool_backend),
        }
        if extensions := self._extensions():
            serialized["extensions"] = extensions
        if schemas := self.app_schemas:
            extensions["tables"] = {schema.name: stored_table(self._histories[schema.name]) for schema in schemas}
        return serialized

    @classmethod
    def from_dict(cls, serialized_dict: dict[str, Any]) -> "ExecutionContext":
        """Inverse of `to_dict`.

        Args:
            serialized_dict: Result of `to_dict`, possibly after a round trip through JSON.

        Returns:
            An equal context.

        Raises:
            KeyError: A published key is missing, or a column is unknown.
            TypeError: A cell of the wrong type.
            ValueError: An impossible value.
        """
        extensions = serialized_dict.get("extensions", {})
        ids = extensions.get("ids", {"seed": None, "counter": 0})
        context = cls(
            tool_allow_list=serialized_dict["tool_allow_list"],
            tool_deny_list=serialized_dict["tool_deny_list"],
            tool_augmentation_list=[ScenarioCategories(name) for name in serialized_dict["tool_augmentation_list"]],
            preferred_tool_backend=ToolBackend(serialized_dict["preferred_tool_backend"]),
            profile=Profile(extensions.get("profile", Profile.PUBLISHED)),
            clock=ScenarioClock(**extensions["clock"]) if "clock" in extensions else None,
            id_seed=ids["seed"],
            apps=_known_apps(extensions.get("apps", ())),
        )
        context._id_counter = ids["counter"]
        context.trace_tool = serialized_dict["trace_tool"]
        context.tool_order = extensions.get("tool_order")
        if extensions.get("tool_search"):
            context.offer_by_search()
        context.message_texts = {int(index): text for index, text in extensions.get("message_texts", {}).items()}
        context.batch_states = {int(index): states for index, states in extensions.get("batch_states", {}).items()}
        if (console := serialized_dict["interactive_console"]) is not None:
            context._console = Console.from_bytes(console)
        for name, rows in serialized_dict["_dbs"].items():
            namespace = DatabaseNamespace(name)
            context._histories[namespace] = History.from_rows(SCHEMAS[namespace], rows)
        for name, stored in extensions.get("tables", {}).items():
            known = context._histories[name].schema if context.has_table(name) else None
            context._histories[name] = read_table(name, stored, known)
        return context

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state["_access"], state["_owned"] = None, set()
        # What events do may be known to one process alone.
        state["event_kinds"], state["on_message"] = {}, None
        # Registered tools travel by name, so that a worker uses those that it has.
        registered = tool_discovery.get_all_tools(self.preferred_tool_backend) | tools_of(self.apps)
        state["name_to_tool"] = {
            name: None if registered.get(name) is tool else tool for name, tool in self.name_to_tool.items()
        }
        if self._console is not None:
            state["_console"] = self._console_bytes()
        state["apps"] = [app.name for app in self.apps]
        # Those of code that is running only here: there without rules, which may be functions of it.
        declared = {table.name for app in _known_apps(state["apps"]) for table in app.tables}
        state["_foreign"] = {
            schema.name: TableSchema(schema.columns, schema.name, schema.key)
            for schema in self.app_schemas
            if schema.name not in declared
        }
        state["_histories"] = {
            namespace: (history.indices, history.guards, [table.rows for table in history.tables])
            for namespace, history in self._histories.items()
        }
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        histories, console, foreign = (state.pop(name) for name in ("_histories", "_console", "_foreign"))
        self.__dict__.update(state)
        self.apps = with_needed(_known_apps(state["apps"]))
        registered = tool_discovery.get_all_tools(self.preferred_tool_backend) | tools_of(self.apps)
        self.name_to_tool = {
            name: registered[name] if tool is None else tool for name, tool in state["name_to_tool"].items()
        }
        self._console = None
        if console is not None:
            self._console = Console.from_bytes(console)
        self._histories = {}
        schemas: dict[str, TableSchema] = {str(name): schema for name, schema in SCHEMAS.items()}
        schemas |= {table.name: table for app in self.apps for table in app.tables} | foreign
        for namespace, (indices, guards, tables) in histories.items():
            history = self._histories[namespace] = History(schemas[namespace])
            for index, guard, rows in zip(indices, guards, tables, strict=True):
                history.put(index, Table(history.schema, rows), guard)


def get_current_context() -> ExecutionContext:
    """The context of the running conversation.

    Threads and asyncio tasks each have their own.

    Returns:
        The context that was set last.

    Raises:
        RuntimeError: There is none; `get_or_make_context` makes one.
    """
    device = CURRENT.get(None)
    if isinstance(device, ExecutionContext):
        return device
    raise RuntimeError("there is no conversation here: enter the world of one with new_context()")


def get_or_make_context() -> ExecutionContext:
    """The context of the running conversation, a default one that is created on first use where there is none.

    This is ``get_current_context`` of the published benchmark, and what its functions ask that work without one.
    """
    device = CURRENT.get(None)
    if isinstance(device, ExecutionContext):
        return device
    context = ExecutionContext()
    if device is not None:
        # A tool was called before anybody asked for a context: what it did stays.
        vars(context).update(vars(device))
    set_current_context(context)
    return context


def set_current_context(execution_context: ExecutionContext) -> None:
    """Makes a context the current one.

    Args:
        execution_context: The context.
    """
    CURRENT.set(execution_context)


@contextlib.contextmanager
def new_context(context: ExecutionContext) -> Iterator[ExecutionContext]:
    """Makes a context the current one inside a ``with`` block.

    Args:
        context: The context.

    Yields:
        The same context. Afterwards the previous object is current again, if there was one.
    """
    previous = CURRENT.set(context)
    try:
        yield context
    finally:
        CURRENT.reset(previous)


@contextlib.contextmanager
def new_context_with_attribute(**kwargs: Any) -> Iterator[ExecutionContext]:
    """Sets attributes of the current context inside a ``with`` block.

    Args:
        **kwargs: Attribute name to value.

    Yields:
        The current context. Afterwards its attributes have their old values again.

    Raises:
        AttributeError: The context has no such attribute.
    """
    context = get_or_make_context()
    previous = {name: getattr(context, name) for name in kwargs}
    try:
        for name, value in kwargs.items():
            setattr(context, name, value)
        yield context
    finally:
        for name, value in previous.items():
            setattr(context, name, value)
