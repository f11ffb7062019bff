"""What needs a package that is not there says so in one line."""

import importlib
import sys

import pytest

from tool_sandbox.world.errors import MissingRequirementError


@pytest.mark.parametrize("door", ["openenv", "verifiers"])
def test_a_missing_package_is_one_line(door: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, f"tool_sandbox.{door}", raising=False)
    monkeypatch.setitem(sys.modules, door, None)
    with pytest.raises(MissingRequirementError) as caught:
        importlib.import_module(f"tool_sandbox.{door}")
    assert str(caught.value).endswith(f" needs the extra: pip install 'tool_sandbox[{door}]'")
