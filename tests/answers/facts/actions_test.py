"""Deeds are named by their actions."""

import pytest

from tool_sandbox.answers.facts import Done, NotDone
from tool_sandbox.world.errors import ScenarioError


def test_actions_are_checked() -> None:
    assert Done("deleted") == Done("removed")
    with pytest.raises(ScenarioError, match="unknown action"):
        Done("levitated")
    assert NotDone("deleted") == NotDone(("removed",))
    with pytest.raises(ScenarioError, match="unknown action"):
        NotDone(("sent", "levitated"))
