"""Which apps there are: those of this package, those of installed packages, and those of the code that is running."""

import contextlib
import contextvars
import functools
import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from tool_sandbox.apps.app import App, check_together
from tool_sandbox.apps.draw import Draw
from tool_sandbox.apps.places import placed_error
from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.world.device import DeviceState
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.tool import ToolFunction

GROUP = "tool_sandbox.apps"
"""Entry points by which installed packages offer apps: the name of the app, and where it is."""

_additional: contextvars.ContextVar[tuple[App, ...]] = contextvars.ContextVar("additional_apps", default=())


@contextlib.contextmanager
def additional_apps(apps: Iterable[App]) -> Iterator[None]:
    """Counts further apps among those that there are inside a ``with`` block."""
    token = _additional.set((*_additional.get(), *apps))
    try:
        yield
    finally:
        _additional.reset(token)


def app_names() -> list[str]:
    """Names of all apps: built-in ones, installed ones, then those of the code that is running."""
    return list(dict.fromkeys([*built_in(), *_offered(), *(app.name for app in _additional.get())]))


@functools.cache
def built_in() -> tuple[str, ...]:
    """Names of the apps of this package."""
    folder = Path(__file__).parent
    return tuple(sorted(module.name for module in pkgutil.iter_modules([str(folder)]) if module.ispkg))


def find_app(name: str) -> App:
    """An app by its name, loaded on first use.

    Raises:
        UnknownNameError: There is none.
        ConfigurationError: It cannot be loaded, or something is wrong with it.
    """
    for app in _additional.get():
        if app.name == name:
            return app
    if name in built_in():
        return _loaded(f"tool_sandbox.apps.{name}", "APP", name)
    points = {point.value: point for point in _offered().get(name, ())}
    if not points:
        raise UnknownNameError(f"there is no app {name!r}.", suggest(name, app_names()))
    if len(points) > 1:
        raise ConfigurationError(f"several packages offer an app {name!r}: {', '.join(sorted(points))}")
    (point,) = points.values()
    return _loaded(point.module, point.attr or "APP", name)


def with_needed(apps: Iterable[App | str]) -> tuple[App, ...]:
    """Apps and those that they need, each once, what is needed first.

    Raises:
        ConfigurationError: One cannot be loaded, or they cannot be in one world.
    """
    found: dict[str, App] = {}

    def take(app: App, path: tuple[str, ...]) -> None:
        if app.name in path or found.get(app.name) is app:
            return
        for name in app.needed_apps:
            take(given.get(name) or _needed(app, name), (*path, app.name))
        if found.setdefault(app.name, app) is not app:
            check_together([found[app.name], app])

    every = [find_app(app) if isinstance(app, str) else app for app in apps]
    given = {app.name: app for app in every}
    for app in every:
        take(app, ())
    check_together(found.values())
    return tuple(found.values())


def _needed(app: App, name: str) -> App:
    try:
        return find_app(name)
    except UnknownNameError as error:
        line = f"app {app.name!r} needs {name!r}, which is no app here and no setting"
        raise placed_error(line, app.place) from error


def tools_of(apps: Iterable[App]) -> dict[str, ToolFunction]:
    """Tools of apps by name, in order."""
    return {function.__name__: function for app in apps for function in app.tools}


def _offered() -> dict[str, list[EntryPoint]]:
    found: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=GROUP):
        found.setdefault(point.name, []).append(point)
    return found


@functools.cache
def _loaded(module: str, attribute: str, name: str) -> App:
    try:
        app = getattr(importlib.import_module(module), attribute, None)
    except ConfigurationError:
        raise
    except Exception as error:
        raise ConfigurationError(
            f"app {name!r} ({module}) cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(app, App) or app.name != name:
        raise ConfigurationError(f"{module}:{attribute} should be the app {name!r}, and is {app!r:.100}")
    if name not in built_in():
        try_content(app)
    return app


def try_content(app: App) -> None:
    """Draws the content of an app once, in its smallest size.

    Raises:
        ConfigurationError: It breaks a rule.
    """
    device = DeviceState(Profile.STRICT)
    apps = with_needed([app])
    device.add_tables(schema for each in apps for schema in each.tables)
    for each in apps:
        each.fill(device, Draw(each.name), "small")
