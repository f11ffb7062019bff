"""Runs an agent that speaks JSON lines: one process per conversation, messages over its standard input and output."""

import contextlib
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tool_sandbox.models.session import Session
from tool_sandbox.roles.external import json_lines_messages as protocol
from tool_sandbox.roles.external.agent import Brief, Reply
from tool_sandbox.roles.external.bridge import ToolBridge
from tool_sandbox.roles.external.command_driver import CommandDriver
from tool_sandbox.roles.external.json_lines_messages import Calls, Failure
from tool_sandbox.world.errors import AgentError, InfrastructureError, ToolSandboxError

if TYPE_CHECKING:
    from tool_sandbox.integrations.executors import AgentProcess

_GOODBYE_S = 1.0


class JsonLinesDriver(CommandDriver):
    """Speaks with one process from the first word of a conversation to its end."""

    _is_greeted = False

    def open(self, brief: Brief, bridge: ToolBridge, session: Session) -> None:
        """Starts the process, which hears of the conversation with the first turn."""
        super().open(brief, bridge, session)
        self.run(self._argv())

    def turn(self, text: str) -> Reply:
        """Hands over what the user says, and answers calls of tools until the agent answers the user."""
        process, until = self._process, time.monotonic() + self.agent.timeout_s
        if process is None:
            raise AgentError("the agent is not running")
        with self.failing_as(process):
            if not self._is_greeted:
                self._is_greeted = True
                self._write(process, self._greeting(), until)
            else:
                self._hear_out(process, until)
            self._write(process, {"type": "user_message", "text": text}, until)
            while True:
                message = self._read(process, until)
                if isinstance(message, Reply):
                    return message
                if isinstance(message, Calls):
                    known = len(self._bridge.tools)
                    results = self._bridge.call(message.calls, message.text)
                    answer = protocol.to_results(message.calls, results, self._bridge.tools[known:])
                    self._write(process, answer, until)
                elif isinstance(message, Failure):
                    kind = InfrastructureError if message.is_infrastructure else AgentError
                    raise kind(f"the agent reported an error: {self._log.clean(message.message)}")

    def close(self) -> None:
        """Says that the conversation is over, waits a moment for the process to end, and ends it."""
        if self._process is not None and not self._process.is_over:
            with contextlib.suppress(ToolSandboxError):
                self._process.write_line(protocol.to_line({"type": "end"}), _GOODBYE_S)
            self._end()
        super().close()

    def _greeting(self) -> Mapping[str, Any]:
        reached = self._endpoint and {"url": self._url(), "headers": dict(self._endpoint.headers)}
        return {
            "type": "start",
            "protocol": protocol.PROTOCOL,
            "conversation": self._brief.conversation,
            "system": self._brief.system,
            "history": protocol.to_history(self._brief.history),
            "tools": list(self._bridge.tools),
            "mcp": reached,
        }

    def _write(self, process: "AgentProcess", message: Mapping[str, Any], until: float) -> None:
        process.write_line(protocol.to_line(message), max(0.0, until - time.monotonic()))

    def _read(self, process: "AgentProcess", until: float) -> protocol.Message:
        line = self.heard(process, until)
        if line is None:
            raise self.ended(process)
        return self._understand(line)

    def _understand(self, line: str) -> protocol.Message:
        if not line.strip():
            return None
        self._log.add(line)
        try:
            return protocol.read_message(line)
        except AgentError as error:
            raise AgentError(self._log.clean(str(error))) from None

    def _hear_out(self, process: "AgentProcess", until: float) -> None:
        """Takes what was said between two turns, which may be remarks only: anything else answers nothing."""
        from tool_sandbox.integrations.executors import ProcessTimeoutError

        while time.monotonic() < until:
            try:
                line = process.read_line(0)
            except ProcessTimeoutError:
                return
            if line is None:
                raise self.ended(process)
            if self._understand(line) is not None:
                excerpt = self._log.clean(line)[:120]
                raise AgentError(f"the agent spoke before the user did, after its turn had ended: {excerpt}")
