"""The Gemini command line as the agent under test: one process per message, continued with ``--resume``."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from tool_sandbox.models.faults import one_line
from tool_sandbox.models.messages import Usage
from tool_sandbox.models.plain import count, json_or_none, mapping
from tool_sandbox.roles.external.agent import Driver, Reply
from tool_sandbox.roles.external.cli_agent import SERVER, CommandLineAgent, CommandLineDriver, own_tool_error
from tool_sandbox.roles.external.program import Quirks, positive
from tool_sandbox.world.errors import AgentError, InfrastructureError

EXCLUDED = (
    *("run_shell_command", "write_file", "replace", "read_file", "read_many_files", "list_directory", "glob"),
    *("search_file_content", "grep_search", "web_fetch", "google_web_search", "save_memory", "write_todos"),
    *("activate_skill", "ask_user", "enter_plan_mode", "exit_plan_mode", "get_internal_docs", "update_topic"),
    *("codebase_investigator", "cli_help", "generalist", "browser_agent"),
)
"""Its own tools and helpers, by the names of several versions; the list of what is allowed is empty, too."""

SETTINGS, SYSTEM = "home/.gemini/settings.json", "home/.gemini/system.md"

_CHATS = ".gemini/tmp/*/chats/*.jsonl"
_LARGEST = 64 * 2**20

_LIMIT = 53
_NOT_ITS_FAULT = {
    41: "could not log in",
    42: "refused its input",
    52: "refused its settings",
    55: "did not trust its directory",
}
"""Exit codes. The input is refused where the session to resume is gone, say."""

_PREFIXES = (f"mcp_{SERVER}_", f"mcp__{SERVER}__", f"{SERVER}__", "")


@attrs.define(eq=False, repr=False, slots=False, kw_only=True)
class GeminiCliAgent(CommandLineAgent):
    """Plays the agent with the Gemini CLI (``gemini --output-format stream-json``).

    Attributes:
        max_turns: Requests to the model in one turn.
    """

    vendor: ClassVar[str] = "google"
    provider_name: ClassVar[str] = "gemini-cli"
    how_to_get: ClassVar[str] = "npm install -g @google/gemini-cli"
    left_on: ClassVar[tuple[str, ...]] = (
        "its context before the first message: today's date, platform, a path",
        "the prefix mcp_sandbox_ of its tools' names, and the tags untrusted_context around what they return",
        "an argument wait_for_previous that it adds to every tool, and that is removed from calls",
        "its compression of conversations that get long, and its detection of loops",
        "names of models that it replaces by those of their successors",
        "paths after an @ in the user's words, which it looks up in the empty working directory",
        "its routing between models if no model is given",
    )

    binary: str = "gemini"
    max_turns: int | None = attrs.field(default=None, validator=positive)

    def keys(self) -> tuple[str, ...]:
        """The only variable that it reads."""
        return ("GEMINI_API_KEY",)

    @property
    def fixed_tools(self) -> str:
        """Why the tools of a conversation cannot become more."""
        return "it lists the tools once, when it starts"

    def make_driver(self) -> Driver:
        """Makes what runs the program in a new conversation."""
        return GeminiDriver(self)


class GeminiDriver(CommandLineDriver):
    """Runs the Gemini CLI in one conversation."""

    agent: GeminiCliAgent
    # Its client takes a result that is JSON for structured content, and then refuses lists, numbers and the like. What
    # it is given as such does not get to the model.
    quirks: ClassVar[Quirks] = Quirks(own_arguments=frozenset({"wait_for_previous"}), structured=True)
    _session_id: str | None = None

    def _turn(self, text: str) -> Reply:
        model, resume = self.agent.model, self._session_id
        if resume is not None:
            self._tidy_up()
        argv = (
            self._program,
            *("--output-format", "stream-json", "--approval-mode", "default"),
            *(() if model is None else ("--model", model)),
            *(() if resume is None else ("--resume", resume)),
        )
        process = self._start(argv, self._files(), self._variables())
        # What begins with a slash would be taken for one of its commands.
        self._say(process, f" {text}" if text.startswith("/") else text)
        process.close_stdin()
        turn = GeminiTurn(self.name, frozenset(tool["function"]["name"] for tool in self._bridge.tools))
        for event in self._events(process):
            turn.take(event)
        self._session_id = turn.session or self._session_id
        if turn.status == "success":
            self._check_listed()
            self._end()
            return Reply(turn.text, turn.usage, None, turn.model, stop_text=turn.status, request_id=self._session_id)
        raise self._failed(turn)

    def _tidy_up(self) -> None:
        """Takes the results of calls out of the kept sessions where they stand a second time.

        The program writes them down with the calls and as a message, and sends both when it resumes, which its model
        refuses.
        """
        for found in sorted(self._workspace.home.glob(_CHATS)):
            path = f"home/{found.relative_to(self._workspace.home)}"
            kept = self._workspace.read(path, _LARGEST) or ""
            self._workspace.write(path, "".join(line for line in kept.splitlines(True) if not _repeats(line)))

    def _failed(self, turn: "GeminiTurn") -> Exception:
        died = self._died(turn.complaint or "")
        code = self.exit_code
        if code == _LIMIT:
            return AgentError(f"{self.name}: the agent has used up its turns (max_turns)")
        if code in _NOT_ITS_FAULT:
            return InfrastructureError(f"{died} (it {_NOT_ITS_FAULT[code]})")
        if turn.status is None and turn.failure is None:
            return died
        if turn.failure is None:
            return AgentError(self._words("the model gave no valid answer", turn.complaint or ""))
        return self._provider_failed(turn.failure)

    def _files(self) -> dict[str, str]:
        server = {
            "httpUrl": self._url(),
            "headers": dict(self._at().headers),
            "timeout": int(self.agent.turn_timeout_s * 1000),
            # Nobody is there to approve its calls.
            "trust": True,
        }
        off = {"enabled": False}
        settings = {
            "mcpServers": {SERVER: server},
            "mcp": {"allowed": [SERVER]},
            "tools": {"core": [f"mcp_{SERVER}_*"], "exclude": list(EXCLUDED), "useRipgrep": False},
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": off},
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            "context": {"includeDirectoryTree": False},
            "experimental": {"enableAgents": False, "plan": False, "topicUpdateNarration": False},
            "model": {"maxSessionTurns": self.agent.max_turns or -1},
            "privacy": {"usageStatisticsEnabled": False},
            **dict.fromkeys(("telemetry", "ide", "skills", "hooksConfig"), off),
            "useWriteTodos": False,
        }
        files = {SETTINGS: json.dumps(settings)}
        return {**files, SYSTEM: self._brief.system} if self._brief.system else files

    def _variables(self) -> dict[str, str]:
        variables = {
            "GEMINI_API_KEY": self._key[1],
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_CLI_NO_RELAUNCH": "true",
            "NO_COLOR": "1",
        }
        if self._brief.system:
            variables["GEMINI_SYSTEM_MD"] = self._place(SYSTEM)
        if (url := self._model_url()) is not None:
            variables["GOOGLE_GEMINI_BASE_URL"] = url
        if self._executor.name == "none":
            # The home is that of the person, whose settings and sessions are left alone.
            variables["GEMINI_CLI_HOME"] = self._place(SETTINGS).removesuffix(SETTINGS.removeprefix("home"))
            variables["GEMINI_CLI_SYSTEM_SETTINGS_PATH"] = self._place(SETTINGS)
        return variables


@attrs.define
class GeminiTurn:
    """Reads the events of one turn.

    Attributes:
        name: The agent, for error texts.
        tools: Names of the tools of the sandbox.
        session: Id of the session.
        model: Model, that which has written most where the program says so.
        text: What the agent has said since its last tool call.
        usage: Tokens of the turn.
        status: How the turn ended by the program's account, ``None`` if it says nothing.
        failure: Why it failed.
        complaint: The last error that was reported on the way.
    """

    name: str
    tools: frozenset[str]
    session: str | None = None
    model: str | None = None
    text: str = ""
    usage: Usage | None = None
    status: str | None = None
    failure: str | None = None
    complaint: str | None = None
    _foreign: dict[str, str] = attrs.field(factory=dict)

    def take(self, event: Mapping[str, Any]) -> None:
        """Reads one event; those of unknown types mean nothing."""
        kind = event.get("type")
        if kind == "init":
            self.session, self.model = _text(event, "session_id"), _text(event, "model")
        elif kind == "message" and event.get("role") == "assistant":
            said = _text(event, "content") or ""
            self.text = self.text + said if event.get("delta") else said
        elif kind == "tool_use":
            self.text = ""
            self._note_call(_text(event, "tool_name") or "", _text(event, "tool_id") or "")
        elif kind == "tool_result":
            self._check_result(event)
        elif kind == "error":
            self.complaint = one_line(_text(event, "message") or "")
        elif kind == "result":
            self._finish(event)

    def _note_call(self, tool: str, call: str) -> None:
        if not any(tool.startswith(prefix) and tool.removeprefix(prefix) in self.tools for prefix in _PREFIXES):
            self._foreign[call] = tool

    def _check_result(self, event: Mapping[str, Any]) -> None:
        tool = self._foreign.get(_text(event, "tool_id") or "")
        if tool is not None and event.get("status") == "success":
            raise own_tool_error(self.name, tool)

    def _finish(self, event: Mapping[str, Any]) -> None:
        self.status = _text(event, "status")
        error = event.get("error")
        if isinstance(error, Mapping):
            self.failure = one_line(_text(error, "message") or "no reason given")
        stats = event.get("stats")
        if isinstance(stats, Mapping):
            self.usage = _usage(stats)
            self.model = _busiest(stats.get("models")) or self.model


def _repeats(line: str) -> bool:
    """Whether a line of a session is a message that is nothing but results of calls."""
    message = mapping(json_or_none(line))
    parts = message.get("content") if message.get("type") == "user" else None
    return isinstance(parts, list) and bool(parts) and all("functionResponse" in mapping(part) for part in parts)


def _text(event: Mapping[str, Any], name: str) -> str | None:
    value = event.get(name)
    return value if isinstance(value, str) else None


def _usage(stats: Mapping[str, Any]) -> Usage:
    said, taken = count(stats.get("output_tokens")), count(stats.get("input_tokens"))
    # What it thinks is in the total alone.
    thought = max(0, count(stats.get("total_tokens")) - taken - said)
    return Usage(
        input_tokens=taken,
        cached_tokens=min(count(stats.get("cached")), taken),
        output_tokens=said + thought,
        reasoning_tokens=thought,
    )


def _busiest(models: Any) -> str | None:
    if not isinstance(models, Mapping) or not models:
        return None
    counts = {
        str(name): _usage(stats).output_tokens if isinstance(stats, Mapping) else 0 for name, stats in models.items()
    }
    return max(counts, key=lambda name: counts[name])
