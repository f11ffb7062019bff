"""Writes ``docs/reference``: what authors of scenarios and tools use, from signatures and docstrings.

Both are read from the source, so that every version of Python writes the same pages.

Usage: python scripts/make_reference.py
"""

import ast
import enum
import functools
import inspect
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

import tool_sandbox as ts
from tool_sandbox import apps
from tool_sandbox.analysis.registry import METRICS, RUN_METRICS, pass_metric
from tool_sandbox.answers import facts
from tool_sandbox.api.observation import Info
from tool_sandbox.api.playing import Call
from tool_sandbox.apps import columns, draw, money, paging, registry, store, times
from tool_sandbox.common.execution_context import get_current_context
from tool_sandbox.conversation.execution_context import ExecutionContext, new_context
from tool_sandbox.gymnasium import ConversationEnv, make
from tool_sandbox.records import metrics
from tool_sandbox.runner.suites import load_suite
from tool_sandbox.scenarios import definition, matchers, rich_world, vocabulary, world
from tool_sandbox.world.rules import TableRule
from tool_sandbox.world.script import Knows
from tool_sandbox.world.table import Table
from tool_sandbox.world.tool import register_as_tool
from tool_sandbox.world.validators import typechecked

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference"
WIDTH = 100
_SECTION = re.compile(r"^(Args|Attributes|Returns|Yields|Raises):$")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def pages() -> dict[str, str]:
    """File name to text of every page."""
    context = ExecutionContext
    tables = [context.get_table, context.get_database, context.add_to_database]
    tables += [context.set_rows, context.remove_from_database]
    tools = [register_as_tool, typechecked, get_current_context, new_context]
    of_world = [each for each in _own(world) if each not in (world.stable_id, world.World)]
    return {
        "facts.md": _page("Facts", "common.facts", [_entry(getattr(facts, name)) for name in sorted(facts.__all__)]),
        "matchers.md": _page("Matchers", "scenarios.matchers", map(_entry, filter(inspect.isclass, _own(matchers)))),
        "vocabulary.md": _page(
            "Scenario vocabulary",
            "scenarios.vocabulary scenarios.definition common.script",
            [_constants(), *map(_class, _own(vocabulary)), _class(Knows), _entry(definition.scenario)],
        ),
        "world.md": _page(
            "The world of a scenario",
            "scenarios.world scenarios.rich_world",
            map(_class, [world.World, rich_world.RichWorld, *of_world]),
        ),
        "tables.md": _page(
            "Tables", "common.execution_context", [*(_entry(each, "context.") for each in tables), _class(Table)]
        ),
        "tools.md": _page(
            "Tools",
            "common.utils common.validators common.execution_context",
            [
                *map(_entry, tools),
                *(_entry(each, "context.") for each in (context.now, context.timezone, context.new_id)),
            ],
        ),
        "apps.md": _page("Apps", "apps apps.registry", _apps()),
        "metrics.md": _page("All metrics", "analysis.registry", [_metrics()]),
        "python.md": _page("Python API", "", _face()),
        "gymnasium.md": _page("Gymnasium", "gymnasium", [_entry(make), _class(ConversationEnv)]),
        "suites.md": _page("Suites", "runner.suites", [_entry(load_suite)]),
    }


def _apps() -> list[str]:
    """What authors of apps use."""
    modules = (columns, store, paging, times, money, draw)
    given = [each for module in modules for each in _own(module) if getattr(apps, each.__name__, None) is each]
    of_world = [TableRule, registry.find_app, registry.additional_apps]
    return [_class(ts.App), *(_class(each) if inspect.isclass(each) else _entry(each) for each in [*given, *of_world])]


def _face() -> list[str]:
    """What ``import tool_sandbox as ts`` offers."""
    step_by_step = [_class(ts.Env), _entry(ts.Env.__init__, "Env.", "###"), _class(ts.Observation), _record(Info)]
    step_by_step += [_class(ts.EnvPool), _entry(ts.EnvPool.__init__, "EnvPool.", "###")]
    made = [_entry(getattr(ts, name), name=name) for name in ("agent", "tool", "scenario")]
    runs = [_entry(ts.run), _entry(ts.load), _entry(ts.compare), _class(ts.Run), _class(ts.Comparison)]
    numbers = [metrics.Metrics, metrics.Group, metrics.Estimate, metrics.PassEstimate, metrics.Headline]
    logging = [_entry(ts.set_logging), _entry(ts.LogLevel)]
    errors = [_entry(each, "errors.") for each in _own(ts.errors)]
    return [*runs, *map(_record, numbers), *step_by_step, *made, _entry(ts.Scenario), *logging, *errors]


def _page(title: str, modules: str, entries: Iterable[str]) -> str:
    places = ", ".join(f"`tool_sandbox.{module}`" for module in modules.split()) or "`tool_sandbox`"
    head = f"# {title}\n\nFrom {places}. Written by `scripts/make_reference.py` from docstrings.\n"
    return "\n".join([head, *entries])


def _own(module: ModuleType) -> list[Any]:
    """Public classes and functions of a module in order of definition."""
    found = [
        each
        for name, each in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(each) or inspect.isfunction(each))
        and each.__module__ == module.__name__
    ]
    return sorted(found, key=lambda each: _node(each)[0].lineno)


def _constants() -> str:
    constants = [(name, value) for name, value in vars(vocabulary).items() if isinstance(value, enum.Enum)]
    lines = "\n".join(f"{name} = {type(value).__name__}.{value.name}" for name, value in constants)
    return f"## Databases and reasons\n\n```py\n{lines}\n```\n"


def _metrics() -> str:
    """A row for each metric of conversations and of runs."""
    passes = [pass_metric(kind, 3) for kind in "^@"]
    rows = [
        f"| `{each.name}` | {each.unit} | {each.better} | {each.meaning} |"
        for each in (*METRICS.values(), *passes, *RUN_METRICS.values())
    ]
    return "\n".join(["| Name | Unit | Better | What it is |", "|---|---|---|---|", *rows, ""])


def _record(item: Any) -> str:
    """The entry of a typed dictionary: its keys, and the texts below them."""
    node, source = _node(item)
    lines = []
    for key, text in pairwise([*node.body, ast.Pass()]):
        if isinstance(key, ast.AnnAssign):
            said = f": {ast.literal_eval(text.value)}" if isinstance(text, ast.Expr) else ""
            lines.append(f"- `{ast.unparse(key.target)}` (`{_type(key.annotation, source)}`){said}")
    return "\n".join([f"## {node.name}", "", _markdown(ast.get_docstring(node) or ""), "", *lines, ""])


def _class(item: Any) -> str:
    """The entry of a function or class, and those of a class's public methods."""
    entries = [_entry(item)]
    if inspect.isclass(item):
        members = [each for name, each in vars(item).items() if not name.startswith("_")]
        methods = [
            each
            for each in members
            if isinstance(each, property | functools.cached_property) or inspect.isfunction(each)
        ]
        entries += [_entry(each, f"{item.__name__}.", level="###") for each in methods]
    return "\n".join(entries)


def _entry(item: Any, owner: str = "", level: str = "##", name: str = "") -> str:
    """Heading, signature and docstring, perhaps under a name that is not its own."""
    is_property = isinstance(item, property | functools.cached_property)
    getter = item.fget if isinstance(item, property) else getattr(item, "func", item)
    node, source = _node(getter)
    told = ast.get_docstring(node) or ""
    if item is ts.run:
        # Its arguments are the fields of a class, and described where those are declared.
        signature, told = f"{_made(Call, 'run')} -> {_type(node.returns, source)}", inspect.getdoc(item) or ""
    elif isinstance(node, ast.ClassDef):
        signature = _constructor(item, node)
    elif is_property:
        signature = f"{node.name}: {_type(node.returns, source)}"
    else:
        result = f" -> {_type(node.returns, source)}" if node.returns else ""
        signature = _call(name or node.name, list(_parameters(node, source, is_method=bool(owner))), result)
    return f"{level} {owner}{name or node.name}\n\n```py\n{signature}\n```\n\n{_markdown(told)}\n"


def _call(name: str, parameters: list[str], result: str) -> str:
    line = f"{name}({', '.join(parameters)}){result}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {parameter}," for parameter in parameters), f"){result}"])


def _parameters(function: _Function, source: str, *, is_method: bool) -> Iterator[str]:
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    defaults = [*[None] * (len(positional) - len(given.defaults)), *given.defaults]
    for number, (argument, default) in enumerate(zip(positional, defaults, strict=True)):
        if number or not is_method:
            yield _parameter(argument.arg, argument.annotation, default, source)
        if number + 1 == len(given.posonlyargs) > is_method:
            yield "/"
    if given.vararg:
        yield "*" + _parameter(given.vararg.arg, given.vararg.annotation, None, source)
    elif given.kwonlyargs:
        yield "*"
    for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield _parameter(argument.arg, argument.annotation, default, source)
    if given.kwarg:
        yield "**" + _parameter(given.kwarg.arg, given.kwarg.annotation, None, source)


def _constructor(item: type[Any], node: ast.ClassDef) -> str:
    """How to make an instance, or for what is not made by authors the class and its bases."""
    if not attrs.has(item) or any(field.name.startswith("_") for field in attrs.fields(item)):
        bases = ", ".join(base.__name__ for base in item.__bases__ if base is not object)
        return f"class {node.name}({bases})" if bases else f"class {node.name}"
    return _made(item, node.name)


def _made(item: type[Any], name: str) -> str:
    """How a class of attrs is called, perhaps under another name."""
    positional, named = list[str](), list[str]()
    for field in attrs.fields(item):
        if field.init:
            (named if field.kw_only else positional).append(_field(item, field.name))
    return _call(name, [*positional, *(["*"] if named else []), *named], "")


def _field(item: type[Any], name: str) -> str:
    """One parameter of a class of attrs, as the class or a base declares it."""
    for base in item.__mro__:
        if not attrs.has(base):
            continue
        node, source = _node(base)
        for each in node.body:
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.target.id == name:
                typed = _given(each, source) if item is Call else each.annotation
                return _parameter(name, typed, _default(each.value), source)
    raise LookupError(f"{item.__name__}.{name} is not declared")


def _given(field: ast.AnnAssign, source: str) -> ast.expr:
    """What a field can be given: its type, or what its converter takes."""
    for each in field.value.keywords if isinstance(field.value, ast.Call) else []:
        if each.arg == "converter" and isinstance(each.value, ast.Name):
            for node in ast.parse(source).body:
                if isinstance(node, ast.FunctionDef) and node.name == each.value.id:
                    return node.args.args[0].annotation or field.annotation
    return field.annotation


def _default(value: ast.expr | None) -> ast.expr | None:
    if not (isinstance(value, ast.Call) and ast.unparse(value.func) == "attrs.field"):
        return value
    given = {each.arg: each.value for each in value.keywords}
    factory = given.get("factory")
    return ast.Call(factory, args=[], keywords=[]) if factory else given.get("default")


def _parameter(name: str, annotation: ast.expr | None, default: ast.expr | None, source: str) -> str:
    typed = f": {_type(annotation, source)}" if annotation else ""
    if default is None:
        return name + typed
    return f"{name}{typed} = {_text(default, source)}" if typed else f"{name}={_text(default, source)}"


def _text(node: ast.expr | None, source: str) -> str:
    """An annotation or default as it is written; of a private constant its value."""
    if isinstance(node, ast.Name) and (match := re.search(rf"^{node.id} = (.+)$", source, re.MULTILINE)):
        return match[1] if node.id.startswith("_") else node.id
    return " ".join((ast.get_source_segment(source, node) or ast.unparse(node)).split()) if node else ""


def _type(node: ast.expr | None, source: str) -> str:
    """An annotation, also one that is written as a text."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else _text(node, source)


def _node(item: Any) -> tuple[Any, str]:
    """Where a class or function is defined, and the source of its module."""
    source, found = _module(item.__module__)
    return found[item.__qualname__], source


@functools.cache
def _module(name: str) -> tuple[str, dict[str, ast.AST]]:
    source = inspect.getsource(sys.modules[name])
    found: dict[str, ast.AST] = {}
    for node in ast.parse(source).body:
        if isinstance(node, (_Function, ast.ClassDef)):
            found[node.name] = node
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{each.name}": each for each in node.body if isinstance(each, _Function)}
    return source, found


def _markdown(docstring: str) -> str:
    """A docstring with its sections as lists."""
    blocks: list[str] = []
    section, lines = "", list[str]()
    for line in [*docstring.splitlines(), "Returns:"]:
        if not (match := _SECTION.match(line)):
            lines.append(line)
            continue
        text = "\n".join(lines).strip("\n")
        blocks.append(_listed(section, textwrap.dedent(text)) if section else text)
        section, lines = match[1], []
    return re.sub(r"``(.+?)``", r"`\1`", "\n\n".join(filter(None, blocks)))


def _listed(section: str, text: str) -> str:
    if section in ("Returns", "Yields"):
        return f"{section}: {text}"
    items = re.sub(r"^(?=\S)", "- ", text, flags=re.MULTILINE)
    items = re.sub(r"^ +(?=\S)", "  ", items, flags=re.MULTILINE)
    return f"{section}:\n\n" + re.sub(r"^- ([^\s:]+):", r"- `\1`:", items, flags=re.MULTILINE)


def main() -> None:
    """Writes the pages."""
    TARGET.mkdir(exist_ok=True)
    for name, text in pages().items():
        (TARGET / name).write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
