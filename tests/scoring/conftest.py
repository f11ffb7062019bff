"""A hand-written conversation: messages one after the other, and what changes in the world on the way."""

import json
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.scoring import SnapshotConstraint, snapshot_similarity

ANN = {"person_id": "p1", "name": "Ann", "phone_number": "+1", "relationship": "friend", "is_self": False}
BOB = {"person_id": "p2", "name": "Bob", "phone_number": "+2", "relationship": None, "is_self": False}


class Play:
    """Writes a trajectory; a change of the world shows at the message that follows it, or at a tool's answer."""

    def __init__(self) -> None:
        self.context = ExecutionContext()
        self._changes: list[tuple[DatabaseNamespace, Any]] = []
        self.context.set_rows(DatabaseNamespace.CONTACT, [ANN, BOB])
        self._add(RoleType.SYSTEM, RoleType.AGENT, "Be brief.")

    def _add(self, sender: RoleType, recipient: RoleType, content: str, traces: list[str] | None = None) -> int:
        row = {"sender": sender, "recipient": recipient, "content": content, "tool_trace": traces}
        row["visible_to"] = [sender, recipient]
        self.context.add_to_database(DatabaseNamespace.SANDBOX, [row])
        return self.context.max_sandbox_message_index

    def user(self, content: str) -> int:
        self._change()
        return self._add(RoleType.USER, RoleType.AGENT, content)

    def agent(self, content: str) -> int:
        self._change()
        return self._add(RoleType.AGENT, RoleType.USER, content)

    def tool(self, tool_name: str, result: Any = None, **arguments: Any) -> int:
        """A call and its answer, which carries the trace; the index of the answer."""
        self._add(RoleType.AGENT, RoleType.EXECUTION_ENVIRONMENT, f"{tool_name}()")
        self._change()
        trace = json.dumps({"tool_name": tool_name, "arguments": arguments, "result": result})
        return self._add(RoleType.EXECUTION_ENVIRONMENT, RoleType.AGENT, repr(result), [trace])

    def setting(self, **values: Any) -> None:
        rows = self.context.get_table(DatabaseNamespace.SETTING).dicts()
        self._changes.append((DatabaseNamespace.SETTING, [rows[0] | values]))

    def contacts(self, *rows: dict[str, Any]) -> None:
        self._changes.append((DatabaseNamespace.CONTACT, rows))

    def _change(self) -> None:
        for namespace, rows in self._changes:
            self.context.set_rows(namespace, rows)
        self._changes.clear()


@pytest.fixture
def play() -> Play:
    return Play()


@pytest.fixture
def says() -> Callable[..., SnapshotConstraint]:
    """Makes the constraint that the agent tells the user something."""

    def make(content: str) -> SnapshotConstraint:
        target = pl.DataFrame({"sender": RoleType.AGENT, "recipient": RoleType.USER, "content": content})
        return SnapshotConstraint(DatabaseNamespace.SANDBOX, snapshot_similarity, target_dataframe=target)

    return make


@pytest.fixture
def has_setting() -> Callable[..., SnapshotConstraint]:
    """Makes the constraint that settings have some values."""

    def make(**values: Any) -> SnapshotConstraint:
        return SnapshotConstraint(
            DatabaseNamespace.SETTING, snapshot_similarity, target_dataframe=pl.DataFrame([values])
        )

    return make
