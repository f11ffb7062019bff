"""Which module may import which: a lower layer knows nothing of an upper one, and no two need each other to load."""

import ast
from collections.abc import Iterator
from pathlib import Path

import networkx
import pytest

import tool_sandbox

ROOT = Path(tool_sandbox.__file__).parent

LAYERS = ("common", "tools", "models", "integrations", "roles", "scenarios", "proof", "runner", "analysis", "cli")
"""From the bottom to the top."""

LAZY = {("common/tool_discovery.py", "tools")}
"""The table of tools is found in the package of that name, once somebody asks for it."""

Import = ast.Import | ast.ImportFrom


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """File to its source."""
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8")) for path in ROOT.rglob("*.py")}


def test_a_layer_imports_nothing_from_above(trees: dict[str, ast.Module]) -> None:
    wrong = []
    for file, tree in trees.items():
        layer = file.partition("/")[0]
        above = LAYERS[LAYERS.index(layer) + 1 :] if layer in LAYERS else ()
        for node in running(tree):
            packages = {module.split(".")[1] for module in modules(node)}
            wrong += [f"{file}:{node.lineno}" for name in packages if name in above and (file, name) not in LAZY]
    assert wrong == []


def test_every_package_has_a_layer() -> None:
    assert {path.parent.name for path in ROOT.glob("*/__init__.py")} == set(LAYERS)


def test_no_modules_need_each_other_to_load(trees: dict[str, ast.Module]) -> None:
    files = {module_of(file): file for file in trees}
    graph = networkx.DiGraph()
    for name, file in files.items():
        for node in running(trees[file], inner=False):
            needed = modules(node) & files.keys()
            # A package is not needed for the sake of itself where a module is taken from it.
            graph.add_edges_from(
                (name, module) for module in needed if not any(m.startswith(f"{module}.") for m in needed)
            )
    assert [names for names in networkx.strongly_connected_components(graph) if len(names) > 1] == []


def module_of(file: str) -> str:
    return f"tool_sandbox.{file.removesuffix('.py').replace('/', '.')}".removesuffix(".__init__")


def running(tree: ast.AST, *, inner: bool = True) -> Iterator[Import]:
    """Imports that are run, those for type checkers being none; on request without those within functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Import):
            yield node
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        elif isinstance(node, ast.stmt | ast.excepthandler) and (inner or not isinstance(node, ast.FunctionDef)):
            yield from running(node, inner=inner)


def modules(node: Import) -> set[str]:
    """Modules of this package that an import names, and what it takes from them, which may be modules too."""
    if isinstance(node, ast.Import):
        found = {alias.name for alias in node.names}
    elif node.module == "tool_sandbox":
        found = {f"tool_sandbox.{alias.name}" for alias in node.names}
    else:
        found = {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in found if name.startswith("tool_sandbox.")}
