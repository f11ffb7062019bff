"""Runs an agent that is started again for every turn: a prompt file in, text out, tools over MCP."""

import json
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future

from tool_sandbox.models.messages import AssistantTurn, RequestedCall, ResultsTurn, ToolResult, Turn, UserTurn
from tool_sandbox.models.session import Session
from tool_sandbox.roles.external.agent import Brief, Reply
from tool_sandbox.roles.external.bridge import ToolBridge
from tool_sandbox.roles.external.command_driver import CommandDriver, Plan
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

    def __init__(self, plan: Plan) -> None:
        """A driver that has started nothing."""
        super().__init__(plan)
        self._turns: list[Turn] = []

    def open(self, brief: Brief, bridge: ToolBridge, session: Session) -> None:
        """Makes workspace and endpoint; the first process starts with the first turn."""
        super().open(brief, bridge, session)
        self._turns = list(brief.history)

    def tools_for(self, bridge: ToolBridge) -> ToolBridge:
        """A bridge that remembers calls, because a new process knows nothing of the one before."""
        self._noted = RecordingBridge(bridge)
        return self._noted

    def turn(self, text: str) -> Reply:
        """Runs the command once; what it prints, or writes into its output file, is the answer."""
        until = time.monotonic() + self.plan.timeout_s
        assert self.workspace is not None  # noqa: S101 - made when the conversation began
        if self._wants(OUTPUT):
            self.workspace.write(FILES[OUTPUT], "")
        process = self.start(self._argv(), self._files(text), stdin=False)
        lines = []
        with process, self.failing_as(process):
            while (line := self.heard(process, until)) is not None:
                self.log.add(line)
                lines.append(line)
            code = process.wait(max(0.0, until - time.monotonic()))
        if code != 0:
            raise self.failed(process, code, f"the agent failed with exit code {code}")
        answer = "\n".join(lines)
        if self._wants(OUTPUT):
            answer = self.workspace.read(FILES[OUTPUT], 4 * LONGEST_TEXT) or ""
        answer = answer.strip()
        if len(answer) > LONGEST_TEXT:
            raise AgentError(f"the agent's answer has {len(answer)} characters; at most {LONGEST_TEXT} are taken")
        self._turns += [UserTurn(text), *self._noted.take(), AssistantTurn(answer)]
        return Reply(answer)

    def _wants(self, placeholder: str) -> bool:
        return any(placeholder in word for word in self.plan.argv)

    def _argv(self) -> tuple[str, ...]:
        assert self.workspace is not None  # noqa: S101 - made when the conversation began
        words = self.plan.argv
        for placeholder, file in FILES.items():
            path = self.plan.executor.path(self.workspace, file)
            words = tuple(word.replace(placeholder, path) for word in words)
        return words

    def _files(self, text: str) -> dict[str, str]:
        return {FILES[PROMPT]: self._prompt(text), FILES[CONFIG]: json.dumps(self._config(), indent=2)}

    def _prompt(self, text: str) -> str:
        parts = (self.brief.system, with_history(self._turns, text))
        return "\n\n".join(filter(None, parts)) + "\n"

    def _config(self) -> dict[str, object]:
        assert self.endpoint is not None  # noqa: S101 - made when the conversation began
        url = self.plan.executor.reach(self.endpoint.url)
        return {"mcpServers": {SERVER: {"type": "http", "url": url, "headers": dict(self.endpoint.headers)}}}


class RecordingBridge(ToolBridge):
    """Passes calls on to another bridge, and remembers them with their results."""

    def __init__(self, bridge: ToolBridge) -> None:
        """A bridge that remembers nothing yet."""
        super().__init__(bridge.tools)
        self._bridge = bridge
        self._noting = threading.Lock()
        self._seen: list[tuple[tuple[RequestedCall, ...], Future[tuple[ToolResult, ...]]]] = []

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
