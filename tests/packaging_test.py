"""What the package promises about its own files."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def _name(requirement: str) -> str:
    return re.split(r"[\s<>=!~;\[]", requirement.strip(), maxsplit=1)[0].lower().replace("_", "-")


def test_development_extra_and_group_are_the_same() -> None:
    assert PROJECT["project"]["optional-dependencies"]["dev"] == PROJECT["dependency-groups"]["dev"]


def _imported() -> set[str]:
    """Modules that some module of the package imports, in whatever way, by their first names."""
    nodes = [node for path in (ROOT / "tool_sandbox").rglob("*.py") for node in ast.walk(ast.parse(path.read_bytes()))]
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return {name.partition(".")[0] for name in plain | {n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)}}


@pytest.mark.slow
def test_types_can_be_checked_without_extras() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    there = {_name(requirement) for requirement in [*PROJECT["project"]["dependencies"], *extras["dev"]]}
    optional = {_name(requirement) for extra in extras.values() for requirement in extra} - there
    names = {name.replace("-", "_") for name in optional} & _imported()
    overrides = [each for each in PROJECT["tool"]["mypy"]["overrides"] if each.get("ignore_missing_imports")]
    assert {f"{name}.*" for name in names} <= {name for each in overrides for name in each["module"]}
    assert names == {"claude_agent_sdk", "openenv", "verifiers"}


def test_lock_pins_every_dependency_once() -> None:
    lines = (ROOT / "requirements.lock").read_text("utf-8").splitlines()
    pinned = [_name(line) for line in lines if "==" in line and not line.lstrip().startswith("#")]
    assert len(pinned) == len(set(pinned))
    wanted = [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["dev"]]
    assert {_name(requirement) for requirement in wanted} <= set(pinned)


def test_lock_names_no_registry() -> None:
    assert "://" not in (ROOT / "requirements.lock").read_text("utf-8")


def test_a_wheel_brings_the_pages_that_its_description_links_to() -> None:
    shared = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    folder = "share/doc/tool_sandbox"
    assert {place: f"{folder}/{place}" for place in shared} == shared
    assert f"`{folder}`" in (ROOT / "README.md").read_text("utf-8")
    links = re.findall(r"\]\((?!http)([^)#]+)", (ROOT / PROJECT["project"]["readme"]).read_text("utf-8"))
    assert {link.split("/")[0] for link in links} <= set(shared)
    assert all((ROOT / link).exists() for link in links)


def test_a_lock_keeps_apart_what_has_an_environment_of_its_own() -> None:
    apart = set(re.findall(r"^    check (\w+) door ", (ROOT / "scripts" / "test").read_text("utf-8"), re.MULTILINE))
    extras = PROJECT["project"]["optional-dependencies"]
    others = {name for name, needs in extras.items() if name not in apart and "mcp>=2.3" in needs}
    conflicts = [{name for each in pair for name in each.items()} for pair in PROJECT["tool"]["uv"]["conflicts"]]
    for door in apart:
        for other in [*(("extra", name) for name in others | (apart - {door})), ("group", "dev")]:
            assert {("extra", door), other} in conflicts


def test_commands_can_be_started() -> None:
    for name in ("scripts/tool_sandbox", "scripts/test", "scripts/docs", ".ci/run"):
        assert (ROOT / name).stat().st_mode & 0o111
