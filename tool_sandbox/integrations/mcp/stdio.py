"""Tools over standard input and output, for one client that has started this process."""

import asyncio
import contextvars
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tool_sandbox.integrations.mcp.conversation import LARGEST_REQUEST
from tool_sandbox.integrations.mcp.tools import CallTool, Offer, ServedTools, check_installed, clean_json

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared.message import SessionMessage

_CHUNK = 65536


class StdioServer:
    """Serves tools to the client at the other end of standard input and output.

    From its start on nothing else gets to the client: what this process prints goes to standard error. Its threads
    wait outside of Python's own streams, so that the process can end at any moment.
    """

    def __init__(self) -> None:
        """A server that has not looked for its client yet."""
        check_installed()
        sys.stdout.flush()
        self._input = os.dup(0)
        self._output = os.dup(1)
        os.dup2(2, 1)
        self._thread: threading.Thread | None = None

    def start(
        self,
        tools: Sequence[Mapping[str, Any]] | Offer,
        call: CallTool,
        *,
        instructions: str = "",
        on_end: Callable[[], object] = lambda: None,
    ) -> None:
        """Answers the client from now on."""
        served = ServedTools(tools, call, instructions)

        def serve() -> None:
            try:
                asyncio.run(self._serve(served))
            finally:
                on_end()

        run = contextvars.Context().run
        self._thread = threading.Thread(target=run, args=(serve,), name="mcp-stdio", daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Waits until the client has closed its end."""
        if self._thread is not None:
            self._thread.join()

    def close(self) -> None:
        """Gives standard output back to this process."""
        os.dup2(self._output, 1)

    async def _serve(self, tools: ServedTools) -> None:
        import anyio

        server = tools.server()
        send, incoming = anyio.create_memory_object_stream["SessionMessage | Exception"](0)
        outgoing, receive = anyio.create_memory_object_stream["SessionMessage"](0)
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(loop, send), name="mcp-stdin", daemon=True).start()
        async with anyio.create_task_group() as group:
            group.start_soon(self._write, receive)
            await server.run(incoming, outgoing, server.create_initialization_options())

    def _read(
        self, loop: asyncio.AbstractEventLoop, send: "MemoryObjectSendStream[SessionMessage | Exception]"
    ) -> None:
        """Hands in messages one by one, in a thread that may wait for ever."""
        import mcp_types
        from mcp.shared.message import SessionMessage

        with suppress(RuntimeError, OSError):
            for line in self._lines():
                cleaned = clean_json(line)
                if cleaned is None:
                    self._write_line(_PARSE_ERROR)
                    continue
                message: SessionMessage | Exception
                try:
                    message = SessionMessage(mcp_types.jsonrpc_message_adapter.validate_json(cleaned, by_name=False))
                except ValueError as error:
                    message = error
                asyncio.run_coroutine_threadsafe(send.send(message), loop).result()
        with suppress(RuntimeError):
            asyncio.run_coroutine_threadsafe(send.aclose(), loop)

    def _lines(self) -> Iterator[bytes]:
        rest, is_skipping = b"", False
        while chunk := os.read(self._input, _CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if line.strip() and not is_skipping:
                    yield line
                is_skipping = False
            if len(rest) > LARGEST_REQUEST:
                if not is_skipping:
                    self._write_line(_PARSE_ERROR)
                rest, is_skipping = b"", True

    async def _write(self, receive: "MemoryObjectReceiveStream[SessionMessage]") -> None:
        async for sent in receive:
            self._write_line(sent.message.model_dump_json(by_alias=True, exclude_unset=True).encode())

    def _write_line(self, line: bytes) -> None:
        data = memoryview(line + b"\n")
        # A client that is gone does not read.
        with suppress(OSError):
            while data:
                data = data[os.write(self._output, data) :]


_PARSE_ERROR = json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}}).encode()
