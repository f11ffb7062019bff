"""What the package promises about its own files."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def _name(requirement: str) -> str:
    return re.split(r"[\s<>=!~;\[]", requirement.strip(), maxsplit=1)[0].lower().replace("_", "-")


def test_development_extra_and_group_are_the_same() -> None:
    assert PROJECT["project"]["optional-dependencies"]["dev"] == PROJECT["dependency-groups"]["dev"]


def test_lock_pins_every_dependency_once() -> None:
    lines = (ROOT / "requirements.lock").read_text("utf-8").splitlines()
    pinned = [_name(line) for line in lines if "==" in line and not line.lstrip().startswith("#")]
    assert len(pinned) == len(set(pinned))
    wanted = [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["dev"]]
    assert {_name(requirement) for requirement in wanted} <= set(pinned)


def test_lock_names_no_registry() -> None:
    assert "://" not in (ROOT / "requirements.lock").read_text("utf-8")


def test_commands_can_be_started() -> None:
    for name in ("scripts/tool_sandbox", "scripts/test", ".ci/run"):
        assert (ROOT / name).stat().st_mode & 0o111
