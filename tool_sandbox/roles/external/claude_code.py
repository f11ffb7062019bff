"""The Claude Code command line as the agent under test, with the tools of the sandbox over MCP and none of its own."""

import json
import os
import re
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from tool_sandbox.models.anthropic_limits import EFFORTS
from tool_sandbox.models.session import Session
from tool_sandbox.roles.external.agent import Brief, Driver, Reply
from tool_sandbox.roles.external.bridge import ToolBridge
from tool_sandbox.roles.external.claude_events import Account, ClaudeTurn, ModelFailedError
from tool_sandbox.roles.external.cli_agent import CONNECT_S, SERVER, CommandLineAgent, CommandLineDriver
from tool_sandbox.roles.external.program import one_of, positive
from tool_sandbox.world.errors import ConfigurationError

if TYPE_CHECKING:
    from tool_sandbox.integrations.executors import AgentProcess

KEY = "ANTHROPIC_API_KEY"
LOGIN = "CLAUDE_CODE_OAUTH_TOKEN"
CONFIG = "mcp.json"


def _not_negative(agent: object, option: "attrs.Attribute[int]", value: int) -> None:
    if value < 0:
        raise ConfigurationError(f"option {option.alias} cannot be less than 0, got {value}")


def _names(agent: object, option: "attrs.Attribute[str]", value: str) -> None:
    if value and not all(re.fullmatch(r"[A-Z][A-Za-z]*", name) for name in value.split("+")):
        raise ConfigurationError(f"option {option.alias} is written Bash+Read, got {value!r}")


@attrs.define(eq=False, repr=False, slots=False, kw_only=True)
class ClaudeCodeAgent(CommandLineAgent):
    """Plays the agent with Claude Code (``claude -p``).

    Attributes:
        max_turns: Requests to the model in one turn.
        effort: Reasoning effort.
        max_budget_usd: What a conversation may cost.
        bare: Whether it leaves out what it reads from its surroundings, a person's login included.
        retries: How often it repeats a failed request to the model.
    """

    vendor: ClassVar[str] = "anthropic"
    untold: ClassVar[tuple[str, ...]] = ("kill_after_s", "tools")
    provider_name: ClassVar[str] = "claude-code"
    how_to_get: ClassVar[str] = (
        "npm install -g @anthropic-ai/claude-code, or pip install 'tool_sandbox[claude-sdk]', which brings it along"
    )

    binary: str = "claude"
    max_turns: int | None = attrs.field(default=None, validator=positive)
    effort: str | None = attrs.field(default=None, validator=one_of(*EFFORTS))
    max_budget_usd: float | None = attrs.field(default=None, validator=positive)
    _way: str = attrs.field(default="process", alias="session", validator=one_of("process", "resume"))
    bare: bool = True
    retries: int = attrs.field(default=4, validator=_not_negative)
    _own: str = attrs.field(default="", alias="tools", validator=_names)

    @property
    def is_resumed(self) -> bool:
        """Whether each turn has a process of its own."""
        return self._way == "resume"

    @property
    def own_tools(self) -> tuple[str, ...]:
        """Tools of its own that it may use because they were requested."""
        return tuple(filter(None, self._own.split("+")))

    def keys(self) -> tuple[str, ...]:
        """The key, and a login of a person, which works only where the program looks for one."""
        return (KEY,) if self.bare else (KEY, LOGIN)

    def make_driver(self) -> Driver:
        """Makes what runs the program in a new conversation."""
        return ClaudeDriver(self)

    def more(self) -> Mapping[str, Any]:
        """Its own tools, and what is left on."""
        left_on = [*self.left_on, *([] if self.bare else ["today's date in the prompt"])]
        return {"own_tools": list(self.own_tools) or "off", "not_switched_off": left_on}

    def find(self) -> str | None:
        """Where the program is: on the PATH, else what the Claude Agent SDK brings along."""
        return super().find() or self.bundled()

    def bundled(self) -> str | None:
        """The program that the Claude Agent SDK brings along."""
        from importlib.util import find_spec

        spec = find_spec("claude_agent_sdk") if self.binary == "claude" else None
        places = spec.submodule_search_locations if spec is not None else None
        for place in places or ():
            for name in ("claude", "claude.exe"):
                bundled = Path(place) / "_bundled" / name
                if bundled.is_file() and os.access(bundled, os.X_OK):
                    return str(bundled)
        return None


class ClaudeDriver(CommandLineDriver):
    """Runs Claude Code in one conversation."""

    agent: ClaudeCodeAgent

    def open(self, brief: Brief, bridge: ToolBridge, session: Session) -> None:
        """Makes workspace, endpoint and a session id."""
        super().open(brief, bridge, session)
        self._needed = self._tools
        self._session_id = str(uuid.uuid4())
        self._has_session = False
        self._account = Account()

    @property
    def _tools(self) -> frozenset[str]:
        """The tools that the agent has now, by the names that the program gives them."""
        offered = (f"mcp__{SERVER}__{tool['function']['name']}" for tool in self._bridge.tools)
        return frozenset((*offered, *self.agent.own_tools))

    def _turn(self, text: str) -> Reply:
        process = self._process
        if process is None:
            process = self._start((self._program, *self._arguments()), self._files(), self._variables())
        # What begins with a slash would be taken for one of its commands.
        text = f" {text}" if text.startswith("/") else text
        message = {"type": "user", "message": {"role": "user", "content": text}}
        self._say(process, json.dumps(message))
        if self.agent.is_resumed:
            process.close_stdin()
        reply = self._hear(process)
        self._has_session = True
        if self.agent.is_resumed:
            self._end()
        return reply

    def _hear(self, process: "AgentProcess") -> Reply:
        turn = ClaudeTurn(self.name, SERVER, self._tools, self._account, needed=self._needed)
        try:
            for event in self._events(process):
                reply = turn.take(event)
                if reply is not None:
                    self._account = turn.account
                    return reply
        except ModelFailedError as error:
            raise self._provider_failed(str(error), error.status) from None
        raise self._died()

    def _arguments(self) -> tuple[str, ...]:
        agent = self.agent
        wanted = {
            "--output-format": "stream-json",
            "--input-format": "stream-json",
            "--mcp-config": self._place(CONFIG),
            "--tools": ",".join(agent.own_tools),
            "--allowedTools": ",".join((f"mcp__{SERVER}", *agent.own_tools)),
            "--permission-mode": "dontAsk",
            "--setting-sources": "",
            "--system-prompt": self._brief.system,
            "--model": agent.model,
            "--effort": agent.effort,
            "--max-turns": agent.max_turns,
            "--max-budget-usd": agent.max_budget_usd,
            "--resume" if self._has_session else "--session-id": self._session_id,
        }
        pairs = [str(word) for flag, value in wanted.items() if value is not None for word in (flag, value)]
        return ("-p", "--verbose", "--strict-mcp-config", *(["--bare"] if agent.bare else []), *pairs)

    def _files(self) -> dict[str, str]:
        return {CONFIG: json.dumps({"mcpServers": {SERVER: self._server()}})}

    def _variables(self) -> dict[str, str]:
        name, key = self._key
        milliseconds = str(int(self.agent.turn_timeout_s * 1000))
        variables = {
            name: key,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            # Otherwise a refusal moves the session to an older model.
            "CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK": "1",
            "CLAUDE_CODE_DISABLE_REFUSAL_RETRY": "1",
            "CLAUDE_CODE_MAX_RETRIES": str(self.agent.retries),
            "CLAUDE_CODE_ATTRIBUTION_HEADER": "0",
            "ENABLE_TOOL_SEARCH": "false",
            # The first request to the model waits until the tools are there.
            "MCP_CONNECTION_NONBLOCKING": "0",
            "MCP_CONNECT_TIMEOUT_MS": str(CONNECT_S * 1000),
            "MCP_TIMEOUT": str(CONNECT_S * 1000),
            "MCP_TOOL_TIMEOUT": milliseconds,
            # Longer results would be cut, and a direct call is not.
            "MAX_MCP_OUTPUT_TOKENS": "1000000",
        }
        if self._executor.name == "none":
            # Only then is our own environment passed on, which may be that of a Claude Code around us.
            variables["CLAUDECODE"] = ""
        if (url := self._model_url()) is not None:
            variables["ANTHROPIC_BASE_URL"] = url
        return variables
