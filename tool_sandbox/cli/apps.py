"""The command about apps: which there are, what they have, and whether they are as they have to be."""

import argparse
import contextvars
import inspect
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tool_sandbox.apps.app import App
from tool_sandbox.apps.check import CALLS, Report, check_all, check_app, make_world
from tool_sandbox.apps.draw import SIZES, Size
from tool_sandbox.apps.registry import additional_apps, app_names, find_app, try_content, with_needed
from tool_sandbox.cli.parsing import Parser, positive
from tool_sandbox.cli.tables import terminal_width, text_table
from tool_sandbox.helpers.counting import counted
from tool_sandbox.models.plug_ins import described
from tool_sandbox.runner.suite_import import SuiteModules
from tool_sandbox.runner.suite_location import locate
from tool_sandbox.world.column import Column
from tool_sandbox.world.errors import ConfigurationError

_EPILOG = """\
examples:
  tool_sandbox apps list                 the apps that are installed
  tool_sandbox apps show wallet          its tables and tools
  tool_sandbox apps check my_app.py      prove an app of your own

NAME is the name of an app, or the path of a Python file or package in which one is defined, whose code is run

exit codes: 0 all is well, 1 a check found something, 2 usage error, or an app cannot be loaded

examples:
  tool_sandbox apps list
  tool_sandbox apps show notes
  tool_sandbox apps check notes
  tool_sandbox apps check my_app.py --calls 500
"""


def parser() -> Parser:
    """The parser of ``tool_sandbox apps``."""
    made = Parser(prog="tool_sandbox apps", epilog=_EPILOG)
    actions = made.add_subparsers(dest="action", required=True)
    listing = actions.add_parser("list", help="names and sizes", description="Lists apps.")
    show = actions.add_parser("show", help="tables and tools", description="Shows the tables and tools of an app.")
    show.add_argument("names", nargs=1, metavar="NAME")
    check = actions.add_parser(
        "check",
        help="verify apps",
        description="Checks documentation, errors, atomicity, rules, pages, determinism and content of apps, with "
        "calls drawn at random.",
    )
    check.add_argument("names", nargs="*", metavar="NAME", help="apps (default: all)")
    check.add_argument("--calls", type=positive, default=CALLS, metavar="N", help=f"random calls (default: {CALLS})")
    for each in (listing, show):
        each.add_argument("--json", action="store_true", help="as JSON")
    return made


def command(arguments: argparse.Namespace) -> int:
    """Lists, shows or checks apps."""
    if arguments.action == "list":
        return _list([find_app(name) for name in app_names()], as_json=arguments.json)
    given = [app for name in arguments.names for app in _apps_of(name)]
    with additional_apps(app for app in given if app.name not in app_names()):
        if arguments.action == "show":
            return _show(given, as_json=arguments.json)
        return _check(given or [find_app(name) for name in app_names()], arguments.calls)


def _apps_of(name: str) -> list[App]:
    """Apps of a name, or those that a file or package defines."""
    if not (name.endswith(".py") or os.sep in name or Path(name).is_dir()) or name in app_names():
        return [find_app(name)]
    location = locate(name)
    modules = SuiteModules(location.package, location.path, {})
    try:
        members = vars(modules.load(location.module)).values()
    except ConfigurationError:
        raise
    except Exception as error:
        raise ConfigurationError(f"{name} cannot be loaded: {described(error, location.path.parent)}") from error
    apps = list(dict.fromkeys(member for member in members if isinstance(member, App)))
    if not apps:
        raise ConfigurationError(f"{name} defines no app: an object of the class App")
    with additional_apps(apps):
        for app in apps:
            try_content(app)
    return apps


# What a person sees --------------------------------------------------------------------------


def _list(apps: Iterable[App], *, as_json: bool) -> int:
    rows: list[dict[str, Any]] = [
        {
            "name": app.name,
            "title": app.title,
            "tables": len(app.tables),
            "tools": len(app.tools),
            "needs": [*app.needs],
        }
        for app in apps
    ]
    if as_json:
        print(json.dumps(rows, indent=2))
        return 0
    cells = [
        [row["name"], row["title"], ", ".join(row["needs"]), str(row["tables"]), str(row["tools"])] for row in rows
    ]
    print(text_table(["name", "title", "needs", "tables", "tools"], cells, left=3, width=terminal_width()))
    return 0


def _described(app: App) -> dict[str, Any]:
    return {
        "name": app.name,
        "title": app.title,
        "needs": list(app.needs),
        "place": app.place,
        "rows": {size: contextvars.copy_context().run(_rows, app, size) for size in SIZES},
        "tables": [
            {
                "name": schema.name,
                "key": schema.key,
                "words": list(app.words[schema.name]),
                "columns": {column.name: _kind(column) for column in schema.columns},
            }
            for schema in app.tables
        ],
        "tools": {
            function.__name__: {
                "parameters": list(inspect.signature(function).parameters),
                "description": (inspect.getdoc(function) or "").partition("\n")[0],
            }
            for function in app.tools
        },
    }


def _rows(app: App, size: Size) -> int:
    world = make_world(with_needed([app]), size)
    return sum(len(world.get_table(schema.name)) for schema in app.tables)


def _kind(column: Column) -> str:
    """What a cell of a column can be, in words."""
    kind = (
        column.form
        or {"str": "text", "int": "whole number", "float": "number", "bool": "flag"}[column.element.__name__]
    )
    if column.references is not None:
        kind = f"key of {column.references}"
    if column.categories is not None:
        kind = f"one of {', '.join(sorted(column.categories))}"
    bounds = [
        f"{word} {bound:g}" for word, bound in (("from", column.minimum), ("to", column.maximum)) if bound is not None
    ]
    parts = [f"list of {kind}" if column.is_list else kind, *bounds, *(["or empty"] if column.is_nullable else [])]
    return " ".join(parts)


def _show(apps: Iterable[App], *, as_json: bool) -> int:
    for told in map(_described, apps):
        if as_json:
            print(json.dumps(told, indent=2, ensure_ascii=False))
            continue
        needs = f", needs {', '.join(told['needs'])}" if told["needs"] else ""
        rows = ", ".join(f"{size} {number}" for size, number in told["rows"].items())
        print(f"{told['title']} ({told['name']}){needs}; rows of its content: {rows}\n")
        for each in told["tables"]:
            print(f"{each['name']} ({' / '.join(each['words'])})")
            print(text_table(["column", "holds"], [[*cells] for cells in each["columns"].items()], left=2) + "\n")
        tools = [
            [f"{name}({', '.join(tool['parameters'])})", tool["description"]] for name, tool in told["tools"].items()
        ]
        print(text_table(["tool", "what it does"], tools, left=2, width=terminal_width()))
    return 0


def _check(apps: list[App], calls: int) -> int:
    reports = [check_app(app, calls) for app in apps]
    together = check_all(with_needed(apps))
    for report in reports:
        for finding in report.findings:
            print(f"{report.app.name}: {finding}")
    for finding in together:
        print(f"together: {finding}")
    for report in reports:
        print(_summary(report))
    return 1 if together or any(report.findings for report in reports) else 0


def _summary(report: Report) -> str:
    app, made = report.app, report.calls.total()
    return (
        f"{app.name}: {counted(len(app.tables), 'table')}, {counted(len(app.tools), 'tool')}, {counted(made, 'call')} "
        f"({report.succeeded.total()} succeeded), {counted(len(report.findings), 'finding')}"
    )
