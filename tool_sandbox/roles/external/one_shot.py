"""Runs an agent that is started again for every turn: a prompt file in, text out, tools over MCP."""

import json
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from tool_sandbox.models.messages import AssistantTurn, RequestedCall, ResultsTurn, ToolResult, Turn, UserTurn
from tool_sandbox.models.session import Session
from tool_sandbox.roles.external.agent import Brief, Reply
from tool_sandbox.roles.external.bridge import ToolBridge
from tool_sandbox.roles.external.command_driver import CommandDriver
from tool_sandbox.roles.external.json_lines_messages import LONGEST_TEXT
from tool_sandbox.roles.external.transcript import with_history
from tool_sandbox.world.errors import AgentError

PROMPT, CONFIG, OUTPUT = "{prompt_file}", "{mcp_config}", "{output_file}"
FILES = {PROMPT: "work/prompt.txt", CONFIG: "work/mcp.json", OUTPUT: "work/output.txt"}
"""What stands for a file in a command, and the file."""

SERVER = "sandbox"
"""Name of our server in the MCP configuration."""


class OneShotDriver(CommandDriver):
    """Starts a process for every turn."""

    def open(self, brief: Brief, bridge: ToolBridge, session: Session) -> None:
        """Makes workspace and endpoint; the first process starts with the first turn."""
        # A new process knows nothing of the one before.
        self._noted = RecordingBridge(bridge)
        super().open(brief, self._noted, session)
        self._turns = list(brief.history)

    def turn(self, text: str) -> Reply:
        """Runs the command once; what it prints, or writes into its output file, is the answer."""
        until = time.monotonic() + self.agent.timeout_s
        if self._wants(OUTPUT):
            self._workspace.write(FILES[OUTPUT], "")
        process = self.run(self._argv(), self._files(text), stdin=False)
        lines = []
        with process, self.failing_as(process):
            while (line := self.heard(process, until)) is not None:
                self._log.add(line)
                lines.append(line)
            code = process.wait(max(0.0, until - time.monotonic()))
        if code != 0:
            raise self.failed(process, code, f"the agent failed with exit code {code}")
        answer = "\n".join(lines)
        if self._wants(OUTPUT):
            answer = self._workspace.read(FILES[OUTPUT], 4 * LONGEST_TEXT) or ""
        answer = answer.strip()
        if len(answer) > LONGEST_TEXT:
            raise AgentError(f"the agent's answer has {len(answer)} characters; at most {LONGEST_TEXT} are taken")
        self._turns += [UserTurn(text), *self._noted.take(), AssistantTurn(answer)]
        return Reply(answer)

    def _wants(self, placeholder: str) -> bool:
        return any(placeholder in word for word in self.agent.argv)

    def _argv(self) -> tuple[str, ...]:
        words = super()._argv()
        for placeholder, file in FILES.items():
            words = tuple(word.replace(placeholder, self._place(file)) for word in words)
        return words

    def _files(self, text: str) -> dict[str, str]:
        parts = (self._brief.system, with_history(self._turns, text))
        return {
            FILES[PROMPT]: "\n\n".join(filter(None, parts)) + "\n",
            FILES[CONFIG]: json.dumps({"mcpServers": {SERVER: self._server()}}, indent=2),
        }


class RecordingBridge(ToolBridge):
    """Passes calls on to another bridge, and remembers them with their results."""

    def __init__(self, bridge: ToolBridge) -> None:
        """A bridge that remembers nothing yet."""
        super().__init__(bridge.tools, grows=bridge.grows)
        self._bridge = bridge
        self._noting = threading.Lock()
        self._seen: list[tuple[tuple[RequestedCall, ...], Future[tuple[ToolResult, ...]]]] = []

    @property
    def tools(self) -> tuple[Mapping[str, Any], ...]:
        """Those of the other bridge."""
        return self._bridge.tools

    def submit(self, calls: Sequence[RequestedCall], text: str = "") -> "Future[tuple[ToolResult, ...]]":
        """Passes calls on; see `ToolBridge.submit`."""
        future = self._bridge.submit(calls, text)
        with self._noting:
            self._seen.append((tuple(calls), future))
        return future

    def take(self) -> list[Turn]:
        """The calls since the last time that were answered, with their results, as turns of the agent."""
        with self._noting:
            seen, self._seen = self._seen, []
        turns: list[Turn] = []
        for calls, future in seen:
            if future.done() and future.exception() is None:
                turns += [AssistantTurn(calls=calls), ResultsTurn(future.result())]
        return turns
