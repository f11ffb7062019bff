"""The Codex command line as the agent under test: one process per message (``codex exec``, ``codex exec resume``)."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from tool_sandbox.models.faults import one_line
from tool_sandbox.models.messages import Usage
from tool_sandbox.models.plain import count
from tool_sandbox.roles.external.agent import Driver, Reply
from tool_sandbox.roles.external.cli_agent import (
    CONNECT_S,
    SERVER,
    TOKEN_VARIABLE,
    CommandLineAgent,
    CommandLineDriver,
    own_tool_error,
)
from tool_sandbox.roles.external.program import one_of
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError

VERIFIED = "0.169.0"
"""The version with which all of this was last tried."""

HOME = "home/.codex"

SETTINGS: Mapping[str, Any] = {
    # Nobody is there to be asked, and nothing may be changed.
    "approval_policy": "never",
    "sandbox_mode": "read-only",
    "web_search": "disabled",
    # The instruction of the scenario is all that the agent is told about its place; today's date is not.
    "include_environment_context": False,
    "include_permissions_instructions": False,
    "include_apps_instructions": False,
    "include_collaboration_mode_instructions": False,
    "project_doc_max_bytes": 0,
    "check_for_update_on_startup": False,
    "cli_auth_credentials_store": "file",
}
"""Keys of the configuration that switch off what is not the sandbox's."""

FEATURES_OFF = (
    *("shell_tool", "unified_exec", "shell_snapshot", "apps", "plugins", "hooks", "memories"),
    *("image_generation", "view_image", "tool_suggest", "skill_mcp_dependency_install", "goals", "sleep_tool"),
    *("browser_use", "browser_use_external", "in_app_browser", "computer_use"),
)
"""Features that give the program tools of its own."""

TABLES_OFF: Mapping[str, Mapping[str, Any]] = {
    "agents": {"enabled": False},
    "history": {"persistence": "none"},
    "analytics": {"enabled": False},
    "skills": {"include_instructions": False},
    "skills.bundled": {"enabled": False},
}

MODEL_OFF: Mapping[str, Any] = {
    # The tools as tools: neither functions of a language to write programs in, nor to be searched for first.
    "tool_mode": "direct",
    "supports_search_tool": False,
    "apply_patch_tool_type": None,
    "shell_type": "disabled",
    "experimental_supported_tools": [],
    "multi_agent_version": None,
}
"""What the program's catalog says of every model, in place of what it says itself: no switch reaches these."""

_CATALOG = f"{HOME}/models.json"

_PROVIDER = "endpoint"

_NO_TOOLS = "required MCP servers failed to initialize"
"""What the program says when it gives up because it has not reached the tools."""

_OWN_TOOLS = ("command_execution", "file_change", "web_search", "collab_tool_call")
"""Items that show that the program has used a tool of its own."""


@attrs.define(eq=False, repr=False, slots=False, kw_only=True)
class CodexAgent(CommandLineAgent):
    """Plays the agent with Codex (``codex exec --json``).

    Attributes:
        effort: Reasoning effort.
    """

    vendor: ClassVar[str] = "openai"
    provider_name: ClassVar[str] = "codex"
    how_to_get: ClassVar[str] = "npm install -g @openai/codex"
    left_on: ClassVar[tuple[str, ...]] = (
        "its own base instructions, which mention tools that do not exist; the scenario's instruction follows as a "
        "developer message",
        "list_mcp_resources, list_mcp_resource_templates and read_mcp_resource, which find nothing",
        "request_user_input, which is refused",
    )

    binary: str = "codex"
    effort: str | None = attrs.field(
        default=None, validator=one_of("none", "minimal", "low", "medium", "high", "xhigh")
    )

    def keys(self) -> tuple[str, ...]:
        """Its own variable, and that of OpenAI."""
        return "CODEX_API_KEY", "OPENAI_API_KEY"

    @property
    def fixed_tools(self) -> str:
        """Why the tools of a conversation cannot become more."""
        return "it lists the tools once, when it starts"

    def make_driver(self) -> Driver:
        """Makes what runs the program in a new conversation."""
        return CodexDriver(self)


class CodexDriver(CommandLineDriver):
    """Runs Codex in one conversation."""

    agent: CodexAgent
    _thread: str | None = None
    _used: Usage = Usage()
    _catalog: str | None = None

    def _turn(self, text: str) -> Reply:
        resume = () if self._thread is None else ("resume", self._thread)
        argv = (self._program, "exec", "--json", "--skip-git-repo-check", *resume, "-")
        if self._catalog is None:
            self._catalog = self._models()
        files = {f"{HOME}/config.toml": self._config(), _CATALOG: self._catalog}
        process = self._start(argv, files, self._variables())
        self._say(process, text)
        process.close_stdin()
        turn = CodexTurn(self.name)
        for event in self._events(process):
            turn.take(event)
        self._thread = turn.thread or self._thread
        if turn.failure is not None:
            # If a request is refused as wrong, it hands on the bare body of the answer; else the status, too.
            raise self._provider_failed(turn.failure, 400 if turn.failure.startswith("{") else None)
        if not turn.is_complete:
            died = self._died(turn.complaint or "")
            raise InfrastructureError(str(died)) if _NO_TOOLS in str(died) else died
        self._check_listed()
        used, self._used = turn.usage.since(self._used), turn.usage
        self._end()
        # The events do not name the model that has answered.
        return Reply(turn.text, used, model=None, stop_text="turn.completed", request_id=self._thread)

    def _variables(self) -> dict[str, str]:
        # `codex exec` reads this variable alone, whichever of the two the person has set.
        home = self._place(HOME)
        return {"CODEX_API_KEY": self._key[1], TOKEN_VARIABLE: self._at().token, "CODEX_HOME": home}

    def _models(self) -> str:
        """The program's own catalog of models, without the tools that it gives to them."""
        process = self._start((self._program, "debug", "models", "--bundled"), {}, {"CODEX_HOME": self._place(HOME)})
        process.close_stdin()
        lines: list[str] = []
        while (line := process.read_line(CONNECT_S)) is not None:
            lines.append(line)
        self._end()
        try:
            models = json.loads("".join(lines))["models"]
            return json.dumps({"models": [{**model, **MODEL_OFF} for model in models]})
        except (ValueError, RecursionError, KeyError, TypeError) as error:
            raise ConfigurationError(
                f"{self.name}: `{self.agent.binary} debug models --bundled` prints no catalog of models, so "
                f"that the program's own tools cannot be switched off; version {VERIFIED} does"
            ) from error

    def _config(self) -> str:
        url = self._model_url()
        top = {
            **SETTINGS,
            "model": self.agent.model,
            "model_reasoning_effort": self.agent.effort,
            "model_provider": None if url is None else _PROVIDER,
            "model_catalog_json": self._place(_CATALOG),
            "developer_instructions": self._brief.system or None,
        }
        server = {
            "url": self._url(),
            "bearer_token_env_var": TOKEN_VARIABLE,
            "enabled": True,
            # Without the tools a run is worth nothing.
            "required": True,
            "startup_timeout_sec": CONNECT_S,
            "tool_timeout_sec": int(self.agent.turn_timeout_s),
            # Nobody is there to approve; without this, calls that change something are declined.
            "default_tools_approval_mode": "approve",
        }
        tables = {
            **TABLES_OFF,
            "features": dict.fromkeys(FEATURES_OFF, False),
            f"mcp_servers.{SERVER}": server,
        }
        if url is not None:
            tables[f"model_providers.{_PROVIDER}"] = _provider(url)
        return _toml(top, tables)


def _provider(url: str) -> Mapping[str, Any]:
    """A place of one's own for the model. OpenAI's is asked over WebSockets first, which others seldom speak."""
    return {
        "name": _PROVIDER,
        "base_url": url,
        "env_key": "CODEX_API_KEY",
        "wire_api": "responses",
        "supports_websockets": False,
    }


def _toml(top: Mapping[str, Any], tables: Mapping[str, Mapping[str, Any]]) -> str:
    """A file in TOML; values that are ``None`` are left out."""

    def lines(values: Mapping[str, Any]) -> list[str]:
        # A JSON string without escapes of our making is a basic string of TOML.
        return [f"{name} = {_toml_value(value)}" for name, value in values.items() if value is not None]

    parts = ["\n".join(lines(top))]
    parts += ["\n".join([f"[{name}]", *lines(values)]) for name, values in tables.items()]
    return "\n\n".join(parts) + "\n"


def _toml_value(value: Any) -> str:
    if isinstance(value, str):
        # JSON escapes like TOML, but leaves out the one control character that TOML wants escaped, too.
        text = value.encode("utf-8", "replace").decode()
        return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
    return json.dumps(value)


@attrs.define
class CodexTurn:
    """Reads the events of one turn.

    Attributes:
        name: The agent, for error texts.
        thread: Id of the conversation.
        text: The agent's last message.
        usage: Tokens of the whole conversation until now.
        is_complete: Whether the turn has come to its end.
        failure: Why it failed, if it did.
        complaint: The last error that was reported on the way; most of them pass.
    """

    name: str
    thread: str | None = None
    text: str = ""
    usage: Usage = attrs.field(factory=Usage)
    is_complete: bool = False
    failure: str | None = None
    complaint: str | None = None

    def take(self, event: Mapping[str, Any]) -> None:
        """Reads one event; those of unknown types mean nothing."""
        kind = event.get("type")
        if kind == "thread.started" and isinstance(event.get("thread_id"), str):
            self.thread = event["thread_id"]
        elif kind == "item.completed" and isinstance(event.get("item"), Mapping):
            self._take_item(event["item"])
        elif kind == "turn.completed":
            self.is_complete, self.usage = True, _usage(event.get("usage"))
        elif kind == "turn.failed":
            self.failure = _message(event.get("error"))
        elif kind == "error":
            self.complaint = _message(event)

    def _take_item(self, item: Mapping[str, Any]) -> None:
        kind = item.get("type")
        if kind == "agent_message" and isinstance(item.get("text"), str):
            self.text = item["text"]
        elif kind in _OWN_TOOLS and item.get("status", "completed") == "completed":
            raise own_tool_error(self.name, kind)


def _message(error: Any) -> str:
    words = error.get("message") if isinstance(error, Mapping) else error
    return one_line(str(words or "no reason given"))


def _usage(usage: Any) -> Usage:
    used = usage if isinstance(usage, Mapping) else {}
    return Usage(
        input_tokens=count(used.get("input_tokens")),
        cached_tokens=count(used.get("cached_input_tokens")),
        output_tokens=count(used.get("output_tokens")),
        reasoning_tokens=count(used.get("reasoning_output_tokens")),
    )
