"""Between the Claude Agent SDK and the program that it drives, which one of our executors runs.

The SDK would start the program itself, with all variables of this process. Here it gets an environment of its own, the
limits of every other agent, and an end that nothing of it survives.
"""

import asyncio
import contextlib
import queue
import threading
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

from claude_agent_sdk import Transport

if TYPE_CHECKING:
    from tool_sandbox.integrations.executors import AgentProcess

POLL_S = 0.02
"""Seconds that a line to the program waits at most for the end of a look at what the program says."""

_ENDING_S = 30.0


class ProcessTransport(Transport):
    """Carries lines to and from a process, which wants to be used by one thread at a time.

    Attributes:
        ended: Set once the program will say no more; all it has said was heard by then.
        failure: What has gone wrong with the process, for which the SDK has no place.
    """

    def __init__(self, start: "Callable[[], AgentProcess]", hear: "Callable[[str], dict[str, Any] | None]") -> None:
        """A transport without a process."""
        self._start = start
        self._hear = hear
        self._process: AgentProcess | None = None
        self._thread: threading.Thread | None = None
        self._to_write: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._messages: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._is_ready = False
        self._is_over = threading.Event()
        self.ended = asyncio.Event()
        self.failure: BaseException | None = None

    async def connect(self) -> None:
        """Starts the program."""
        self._loop = asyncio.get_running_loop()
        self._process = await asyncio.to_thread(self._start)
        self._is_ready = True
        self._thread = threading.Thread(target=self._exchange, name="claude-sdk", daemon=True)
        self._thread.start()

    async def write(self, data: str) -> None:
        """Has lines written."""
        for line in data.splitlines():
            self._to_write.put(line)

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        """What the program says, until it ends."""
        while (message := await self._messages.get()) is not None:
            yield message

    async def end_input(self) -> None:
        """Ends the program's input."""
        self._to_write.put(None)

    async def close(self) -> None:
        """Kills the program."""
        self._is_ready = False
        self._is_over.set()
        if self._process is not None:
            await asyncio.to_thread(self._process.kill)
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, _ENDING_S)

    def is_ready(self) -> bool:
        """Whether the program runs, as far as is known."""
        return self._is_ready

    def _exchange(self) -> None:
        try:
            while not self._is_over.is_set() and self._step():
                pass
        except BaseException as error:
            self.failure = error
        self._is_ready = False
        # Nobody listens once the loop has ended.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._messages.put_nowait, None)
            self._loop.call_soon_threadsafe(self.ended.set)

    def _step(self) -> bool:
        """Writes what waits to be written and looks for a line; whether there will be more."""
        assert self._process is not None  # noqa: S101 - the thread starts after it
        # What a program has printed before its end says more than that it does not listen any more.
        with contextlib.suppress(queue.Empty, BrokenPipeError):
            while True:
                line = self._to_write.get_nowait()
                self._process.close_stdin() if line is None else self._process.write_line(line)
        try:
            text = self._process.read_line(POLL_S)
        except TimeoutError:
            return True
        if text is None:
            return False
        message = self._hear(text) if text.strip() else None
        if message is not None:
            self._loop.call_soon_threadsafe(self._messages.put_nowait, message)
        return True
