"""512 conversations at once on one server, each with a world of its own."""

import asyncio
import re
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from tests.integrations.mcp.clients import http_client
from tests.stubs.playing import play
from tool_sandbox.conversation.execution_context import DatabaseNamespace
from tool_sandbox.models.session import Session
from tool_sandbox.roles.external.agent import Brief, Driver, ExternalAgent, Reply
from tool_sandbox.roles.external.bridge import ToolBridge
from tool_sandbox.roles.external.program import close_endpoint, listed, open_endpoint
from tool_sandbox.scenarios import get_scenario

COUNT = 512
"""Conversations at once."""

NAME = "add_contact_with_relationship_and_local_number"
"""A scenario with few tools, those that are called among them."""

PATIENCE_S = 300
"""A guard against hanging, far more than it takes."""

resource = pytest.importorskip("resource")


@pytest.fixture(autouse=True)
def open_files() -> Iterator[None]:
    """Each conversation has two connections here, with both of their ends."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = COUNT * 5 + 500
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip(f"the machine allows {hard} open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(autouse=True)
def frequent_turns() -> Iterator[None]:
    """Server and clients are two busy threads of one process here: with the usual 5 ms each waits for the other."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.0002)
    yield
    sys.setswitchinterval(before)


class Crowd:
    """All clients, in one event loop; nobody reads back or leaves before all others have got there."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.everybody = asyncio.Barrier(COUNT)
        self.failures: list[BaseException] = []
        self.endpoints: dict[int, Any] = {}
        self.read: dict[int, str] = {}

    @contextmanager
    def running(self) -> Iterator[None]:
        thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        thread.start()
        yield
        self.loop.call_soon_threadsafe(self.loop.stop)
        thread.join(60)
        self.loop.close()

    async def converse(self, number: int) -> str:
        """Writes a value, waits until all others have written theirs, and reads everything back."""
        endpoint = self.endpoints[number]
        phone = f"+1415555{number:04}"
        async with http_client(endpoint, "2026-07-28" if number % 4 else "legacy") as client:
            added = await client.call_tool("add_contact", {"name": f"Person {number}", "phone_number": phone})
            assert not added.is_error, added.content
            assert listed(endpoint) == 1
            await self.everybody.wait()
            await self._knock_elsewhere(number)
            await self.everybody.wait()
            found = await client.call_tool("search_contacts", {"name": "Person"})
        self.read[number] = found.content[0].text
        return "Done."

    async def _knock_elsewhere(self, number: int) -> None:
        """With one's own secret, another conversation's door stays closed."""
        if number % 16:
            return
        async with httpx2.AsyncClient(verify=False, trust_env=False, timeout=60) as http:
            own, other = self.endpoints[number], self.endpoints[(number + 1) % COUNT]
            statuses = [
                (await http.post(other.url, headers=own.headers, json={})).status_code,
                (await http.post(own.url.replace("/c/", "/c/0"), headers=own.headers, json={})).status_code,
            ]
        assert statuses == [401, 404]


class Member(Driver):
    def __init__(self, crowd: Crowd, number: int) -> None:
        self._crowd, self._number = crowd, number

    def open(self, brief: Brief, bridge: ToolBridge, session: Session) -> None:
        self.endpoint = self._crowd.endpoints[self._number] = open_endpoint(bridge)

    def turn(self, text: str) -> Reply:
        if self._number in self._crowd.read:
            return Reply("Done.")
        conversing = self._crowd.converse(self._number)
        try:
            return Reply(asyncio.run_coroutine_threadsafe(conversing, self._crowd.loop).result(PATIENCE_S))
        except BaseException as error:
            # Otherwise this would only be the end of one conversation.
            self._crowd.failures.append(error)
            raise

    def close(self) -> None:
        close_endpoint(self.endpoint)


class CrowdAgent(ExternalAgent):
    provider_name = model_name = "test"

    def __init__(self, crowd: Crowd, number: int) -> None:
        super().__init__()
        self._make = lambda: Member(crowd, number)

    def make_driver(self) -> Driver:
        return self._make()


@pytest.mark.slow
def test_no_conversation_sees_the_world_of_another() -> None:
    scenario = get_scenario(NAME)
    crowd = Crowd()

    def converse(number: int) -> list[str]:
        context = play(CrowdAgent(crowd, number), scenario).context
        names = [row["name"] for row in context.get_database(DatabaseNamespace.CONTACT).to_dicts()]
        return [name for name in names if name.startswith("Person")]

    with crowd.running(), ThreadPoolExecutor(COUNT) as pool:
        worlds = list(pool.map(converse, range(COUNT)))
    assert crowd.failures == []
    assert worlds == [[f"Person {number}"] for number in range(COUNT)]
    assert {number: re.findall(r"Person \d+", text) for number, text in crowd.read.items()} == {
        number: [f"Person {number}"] for number in range(COUNT)
    }
