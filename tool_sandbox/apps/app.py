"""An app: everything that is to be said about one kind of data."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

import attrs

from tool_sandbox.apps.documentation import flaws
from tool_sandbox.apps.draw import Draw, Size
from tool_sandbox.apps.places import calling_place, place_of, placed_error
from tool_sandbox.helpers.typed import as_tuple
from tool_sandbox.world.device import DeviceState
from tool_sandbox.world.errors import ConfigurationError
from tool_sandbox.world.events import use_events
from tool_sandbox.world.rules import BrokenRuleError
from tool_sandbox.world.schema import SCHEMAS, DatabaseNamespace
from tool_sandbox.world.table import TableSchema
from tool_sandbox.world.tool import Tool, ToolFunction

Content = Callable[[Draw, Size], Mapping[str, Sequence[Mapping[str, Any]]]]
"""Draws the rows of the tables, by their names, in a size; the same draw gives the same rows."""

SETTINGS = tuple(column.name for column in SCHEMAS[DatabaseNamespace.SETTING].columns if column.element is bool)
"""Settings of the device that tools can need."""


def _schemas(given: Iterable[TableSchema]) -> tuple[TableSchema, ...]:
    return tuple(given)


def _functions(given: Iterable[ToolFunction]) -> tuple[ToolFunction, ...]:
    return tuple(given)


@attrs.frozen(eq=False)
class App:
    """One kind of data, its tools and its content.

    Attributes:
        name: Name in lower case, with which the names of its tables begin.
        title: Name for people.
        tables: Its tables.
        tools: Its tools, in the order in which they are listed.
        content: Draws what is in its tables when a world begins.
        words: Name of a table to what one row of it, and several, are called in speech.
        needs: Names of other apps whose tables it refers to or whose tools it is of no use without, and of settings of
            the device that some of its tools need.
        probes: Calls that bring about errors which are not met by chance, for the check of the app; each begins in a
            world with small content of its own.
        lets_time_pass: Whether some of its tools wait, see `tool_sandbox.world.events.wait`.
        place: File and line of the definition.
    """

    name: str
    title: str
    tables: tuple[TableSchema, ...] = attrs.field(converter=_schemas)
    tools: tuple[ToolFunction, ...] = attrs.field(converter=_functions)
    content: Content
    words: Mapping[str, tuple[str, str]] = attrs.field(factory=dict)
    needs: tuple[str, ...] = attrs.field(default=(), converter=as_tuple)
    probes: tuple[ToolFunction, ...] = attrs.field(default=(), converter=_functions)
    lets_time_pass: bool = False
    place: str = attrs.field(init=False, factory=calling_place)

    def __attrs_post_init__(self) -> None:
        """Checks what can be checked without other apps.

        Raises:
            ConfigurationError: Something is missing or contradicts itself; says in a line what, and where.
        """
        for place, line in self._flaws():
            raise placed_error(f"app {self.name!r}: {line}", place)

    @property
    def needed_apps(self) -> tuple[str, ...]:
        """Names of the other apps that have to be there."""
        return tuple(name for name in self.needs if name not in SETTINGS)

    def _flaws(self) -> Iterator[tuple[str, str]]:
        here = self.place
        if not (self.name.isidentifier() and self.name.islower()):
            yield here, "its name must be one word in lower case"
        if not self.title.strip():
            yield here, "it has no title"
        names = [schema.name for schema in self.tables]
        if not names:
            yield here, "it has no tables"
        for name in names:
            if not name.startswith(f"{self.name}.") or names.count(name) > 1:
                yield here, f"its tables must have different names that begin with {self.name}., got {name!r}"
            if name not in self.words:
                yield here, f"words does not say what a row of {name} is called"
        for name in self.words.keys() - {*names}:
            yield here, f"words names a table {name!r}, which it does not have"
        for schema in self.tables:
            yield from ((here, line) for line in self._wrong_references(schema, names))
        yield from self._wrong_tools()

    def _wrong_references(self, schema: TableSchema, own: Sequence[str]) -> Iterator[str]:
        targets = [*(str(column.references) for column in schema.references), *_others(schema)]
        for target in targets:
            app = target.partition(".")[0]
            if target in SCHEMAS:
                yield f"{schema.name} refers to {target}, which other tools change as they like; keep a text instead"
            elif target not in own and (app == self.name or app not in self.needs):
                yield f"{schema.name} refers to {target}, which is no table of this app or of one that it needs"

    def _wrong_tools(self) -> Iterator[tuple[str, str]]:
        names = [function.__name__ for function in self.tools]
        if not names:
            yield self.place, "it has no tools"
        published = published_tools()
        for function in self.tools:
            place = place_of(function)
            yield from ((place, line) for line in flaws(function))
            if names.count(function.__name__) > 1 or function.__name__ in published:
                yield place, f"there are two tools of the name {function.__name__}"

    # Worlds ----------------------------------------------------------------------------------

    def add_tables(self, device: DeviceState) -> None:
        """Gives a world the empty tables of the app, and what it takes to wait in it."""
        device.add_tables(self.tables)
        if self.lets_time_pass:
            # From the start: a call that fails leaves no table behind.
            use_events(device, {})

    def fill(self, device: DeviceState, draw: Draw, size: Size) -> None:
        """Puts drawn content into the empty tables of a world, after that of the apps that it needs.

        Raises:
            ConfigurationError: The content breaks a rule; says in a line which.
        """
        before = device.savepoint()
        try:
            for name, rows in self.content(draw.into(device), size).items():
                device.add_to_database(name, [dict(row) for row in rows])
            device.check_rules(before)
        except (BrokenRuleError, KeyError, TypeError, ValueError) as error:
            device.restore(before)
            line = error.args[0] if isinstance(error, KeyError) and error.args else error
            place = place_of(self.content)
            raise placed_error(f"app {self.name!r}: its {size} content is wrong: {line}", place) from error


def _others(schema: TableSchema) -> list[str]:
    return [name for rule in schema.rules for name in rule.others]


def published_tools() -> set[str]:
    """Names of the tools that every world has."""
    import tool_sandbox.tools

    modules = (module for module in list(vars(tool_sandbox.tools).values()) if isinstance(module, ModuleType))
    return {name for module in modules for name, value in list(vars(module).items()) if Tool.is_registered(value)}


def check_together(apps: Iterable[App]) -> None:
    """Checks that apps can be in one world.

    Raises:
        ConfigurationError: Two have the same name, or tools of the same name, or one that is needed is missing.
    """
    known: dict[str, App] = {}
    tools: dict[str, App] = {}
    for app in apps:
        if known.setdefault(app.name, app) is not app:
            raise ConfigurationError(f"there are two apps {app.name!r}: {known[app.name].place} and {app.place}")
        for function in app.tools:
            if tools.setdefault(function.__name__, app) is not app:
                other = tools[function.__name__]
                line = f"app {app.name!r}: app {other.name!r} has a tool of the name {function.__name__}, too"
                raise placed_error(line, place_of(function))
    for app in known.values():
        if missing := [name for name in app.needed_apps if name not in known]:
            raise placed_error(f"app {app.name!r} needs {missing[0]!r}, which is no app here and no setting", app.place)
        for schema in app.tables:
            for target in (*(str(column.references) for column in schema.references), *_others(schema)):
                if target not in {each.name for each in known[target.partition(".")[0]].tables}:
                    raise placed_error(
                        f"app {app.name!r}: {schema.name} refers to {target}, which is not there", app.place
                    )
