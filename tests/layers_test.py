"""Which module may import which: a lower layer knows nothing of an upper one, and nothing needs what needs it.

The second is asked of all modules, and in every folder of the modules and folders in it, in whatever way an import is
written. Within a function or for type checkers it counts, and so does the name of a module in a table of texts, because
a dependency does not go away by being looked up late. That a package is loaded for what is in it does not count, nor do
names that are put together at run time.
"""

import ast
from collections.abc import Container, Iterable, Iterator
from pathlib import Path

import networkx
import pytest

import tool_sandbox

ROOT = Path(tool_sandbox.__file__).parent

ORDER = [
    "world",
    "records",
    "helpers",
    "tools",
    "apps",
    "conversation",
    "answers",
    "scoring",
    "play",
    "fidelity",
    "common",
    "models",
    "integrations",
    "roles",
    "scenarios",
    "proof",
    "runner",
    "analysis",
    "export",
    "doors",
    "cli",
    "api",
]
"""From the bottom to the top."""

DOORS = ("integrations/inspect",)
"""Adapters by which another framework plays: they stand on the runner, unlike what else is in their folder."""


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """File to its source."""
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8")) for path in ROOT.rglob("*.py")}


def test_a_layer_imports_nothing_from_above(trees: dict[str, ast.Module]) -> None:
    rank = {layer: place for place, layer in enumerate(ORDER)}
    wrong = []
    for file, line, other in needs(trees):
        layer, needed = file.partition("/")[0], other.partition("/")[0]
        if rank.get(needed, 0) > rank.get(layer, len(rank)):
            wrong.append(f"{file}:{line}")
    assert wrong == []


def test_every_package_has_a_layer() -> None:
    assert {path.parent.name for path in ROOT.glob("*/__init__.py")} | {"doors"} == set(ORDER)


def test_nothing_needs_what_needs_it(trees: dict[str, ast.Module]) -> None:
    found = [
        "\n".join(sorted(line for *_, line in graph.subgraph(names).edges(data="line")))
        for graph in folders(trees)
        for names in networkx.strongly_connected_components(graph)
        if len(names) > 1
    ]
    assert not found, "\n\n".join(["these need each other:", *found])


def folders(trees: dict[str, ast.Module]) -> Iterable[networkx.MultiDiGraph]:
    """Which modules need which, and for each folder which of the modules and folders in it; with the lines of code."""
    every = networkx.MultiDiGraph()
    graphs = {"every module": every}
    for file, line, other in needs(trees):
        mine, others = file.split("/"), other.split("/")
        depth = next(place for place, (a, b) in enumerate(zip(mine, others, strict=False)) if a != b)
        ends = ["/".join(parts[: depth + 1]) for parts in (mine, others)]
        folder = graphs.setdefault("/".join(mine[:depth]), networkx.MultiDiGraph())
        for graph, (one, another) in ((folder, ends), (every, (file, other))):
            graph.add_edge(one, another, line=f"{file}:{line} needs {other}")
    return graphs.values()


def needs(trees: dict[str, ast.Module]) -> Iterator[tuple[str, int, str]]:
    """Each place where a file needs another one: the file, the line, the other one."""
    files = {module_of(file): file for file in trees}
    for file, tree in trees.items():
        for node in ast.walk(tree):
            for name in modules(node, files):
                if files[name] != file:
                    yield placed(file), getattr(node, "lineno", 0), placed(files[name])


def placed(file: str) -> str:
    """A file by the layer that it belongs to."""
    return next((f"doors/{file.removeprefix('integrations/')}" for door in DOORS if file.startswith(f"{door}/")), file)


def module_of(file: str) -> str:
    return f"tool_sandbox.{file.removesuffix('.py').replace('/', '.')}".removesuffix(".__init__")


def modules(node: ast.AST, known: Container[str]) -> set[str]:
    """Modules of this package that a node imports, or names (``module`` or ``module:name``) in a text.

    A package is imported only for what is taken from itself.
    """
    match node:
        case ast.Import(names):
            return {alias.name for alias in names if alias.name in known}
        case ast.ImportFrom(str(package), names) if package in known:
            taken = [f"{package}.{alias.name}" for alias in names]
            return {name if name in known else package for name in taken}
        case ast.Constant(str(text)) if "." in (name := text.partition(":")[0]) and name in known:
            return {name}
    return set()
