from collections.abc import Iterator

import pytest

from tool_sandbox.integrations.executors import Workspace


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with Workspace() as workspace:
        yield workspace
    assert not workspace.root.exists()
