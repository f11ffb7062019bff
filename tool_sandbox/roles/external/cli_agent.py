"""What agents have in common that are command-line programs: they print events, and reach the tools over MCP.

A conversation has one private workspace and one MCP endpoint, also where it takes a new process for every turn. What
such a program prints is data: kept as it came, read event by event, and never trusted to have any particular form.
"""

import abc
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from tool_sandbox.integrations.mcp.tools import is_installed
from tool_sandbox.models.faults import FaultKind, ProviderError, RequestFault, fault_of_status, one_line
from tool_sandbox.models.provider import environment_key
from tool_sandbox.models.providers import PROVIDERS
from tool_sandbox.models.redaction import public_url
from tool_sandbox.models.session import Session
from tool_sandbox.roles.external.agent import CLOSING_S, Brief, Reply
from tool_sandbox.roles.external.bridge import ToolBridge
from tool_sandbox.roles.external.program import ProgramAgent, ProgramDriver, listed
from tool_sandbox.roles.external.transcript import with_history
from tool_sandbox.world.errors import AgentError, ConfigurationError, InfrastructureError, MissingRequirementError

if TYPE_CHECKING:
    from tool_sandbox.integrations.executors import AgentProcess, Executor

SERVER = "sandbox"
"""Name under which the programs know our MCP server."""

CONNECT_S = 60
"""Seconds that a program may take to connect to it."""

TOKEN_VARIABLE = "TOOL_SANDBOX_MCP_TOKEN"  # noqa: S105 - the name of a variable
"""Holds the secret of the endpoint, for programs that read it from their environment."""

_NET_S = 60.0
_VERSION = re.compile(r"\d+(?:\.\d+)+[\w.+-]*")


@attrs.define(eq=False, repr=False, slots=False, kw_only=True)
class CommandLineAgent(ProgramAgent):
    """Plays the agent with a command-line program.

    Attributes:
        model: Model as the program names it, its default if ``None``.
        version: The only version to be accepted, any if ``None``.
        binary: Name of the program, or the path to it.
        base_url: Where its model is, the vendor's place if ``None``.
        how_to_get: How a person gets the program.
        place: The option that says where the program is.
        left_on: What of the program's own tools and additions cannot be switched off.
        vendor: Provider of its models.
        untold: Options that ``run.json`` does not tell of, or in other words.
    """

    how_to_get: ClassVar[str]
    place: ClassVar[str] = "binary"
    left_on: ClassVar[tuple[str, ...]] = ()
    vendor: ClassVar[str]
    untold: ClassVar[tuple[str, ...]] = ("kill_after_s",)

    model: str | None = None
    version: str | None = None
    binary: str = ""
    base_url: str | None = None

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if not self.binary.strip():
            raise ConfigurationError("option binary has to name a program")
        self.base_url = self.base_url or environment_key(PROVIDERS[self.vendor].url_variables[:1])
        self.model_name = self.model or self.provider_name

    @abc.abstractmethod
    def keys(self) -> tuple[str, ...]:
        """Variables one of which has to hold the key of the program's model, in the order in which they are tried."""

    def describe(self) -> Mapping[str, Any]:
        """The program, its version, how it is isolated, and what could not be switched off."""
        if missing := self.missing():
            raise MissingRequirementError(f"{self.provider_name} needs {' and '.join(missing)}")
        executor = self.executor()
        executor.check()
        version = self._version(executor)
        if self.version is not None and version != self.version:
            raise ConfigurationError(
                f"{self.provider_name}: version {self.version} was asked for, {version or 'an unknown one'} "
                f"is installed ({self.binary})"
            )
        options = {option.alias: getattr(self, option.name) for option in attrs.fields(type(self))}
        return {
            "name": self.provider_name,
            **{name: value for name, value in options.items() if name not in self.untold},
            "version": version,
            "base_url": None if self.base_url is None else public_url(self.base_url),
            "own_tools": "off",
            "not_switched_off": list(self.left_on),
            **self.more(),
        }

    def more(self) -> Mapping[str, Any]:
        """What else ``run.json`` should say of this program."""
        return {}

    def missing(self) -> list[str]:
        """What it needs and does not find here, in words; nothing is started."""
        program = (
            f"the program {self.binary} on the PATH: {self.how_to_get}; "
            f"or say where it is: --agent {self.provider_name}:{self.place}=PATH"
        )
        needs = {
            f"environment variable {' or '.join(self.keys())}": any(map(_value, self.keys())),
            "Python package mcp (pip install 'tool_sandbox[mcp]')": is_installed(),
            program: self._executor == "docker" or self.find() is not None,
        }
        return [need for need, is_met in needs.items() if not is_met]

    def program(self) -> str:
        """The program to start: a path on this machine, a name in the image of a container."""
        found = self.binary if self._executor == "docker" else self.find()
        if found is None:
            raise MissingRequirementError(f"{self.provider_name}: {self.binary} is no longer on the PATH")
        return found

    def find(self) -> str | None:
        """Where the program is on this machine, ``None`` if it is not there."""
        return shutil.which(str(Path(self.binary).expanduser()))

    def key(self) -> tuple[str, str]:
        """Name and value of the variable that holds the key."""
        for name in self.keys():
            if value := _value(name):
                return name, value
        raise MissingRequirementError(f"{self.provider_name}: none of {', '.join(self.keys())} is set any longer")

    def _version(self, executor: "Executor") -> str | None:
        from tool_sandbox.integrations.executors import first_line

        match = _VERSION.search(first_line(executor.start, (self.program(), "--version")))
        return match[0] if match else None


def _value(variable: str) -> str | None:
    return environment_key((variable,))


class CommandLineDriver(ProgramDriver):
    """Runs a command-line program in one conversation.

    A subclass says how to start it (`_start` with arguments, files and variables) and reads its events.

    Attributes:
        exit_code: How the program ended, where that was looked at.
    """

    agent: CommandLineAgent
    exit_code: int | None = None
    _is_first = True

    def open(self, brief: Brief, bridge: ToolBridge, session: Session) -> None:
        """Makes workspace and endpoint; the program starts with the first turn."""
        self._key = self.agent.key()
        self._program = self.agent.program()
        super().open(brief, bridge, session)

    def _secrets(self) -> tuple[str, ...]:
        return (self._key[1],)

    def turn(self, text: str) -> Reply:
        """Hands the user's words over and waits for the answer."""
        from tool_sandbox.integrations.executors import ProcessLimitError

        if self._is_first:
            text = with_history(self._brief.history, text)
        self._is_first = False
        try:
            return self._turn(text)
        except ProcessLimitError as error:
            raise AgentError(self._words(str(error))) from error

    @abc.abstractmethod
    def _turn(self, text: str) -> Reply:
        """One turn of the program."""

    def _say(self, process: "AgentProcess", text: str) -> None:
        """Writes to the program, which may be gone already."""
        try:
            process.write_line(text, self.agent.turn_timeout_s)
        except TimeoutError:
            raise
        except AgentError:
            # It is gone or does not listen; what it has printed says more about why.
            return

    def _model_url(self) -> str | None:
        url = self.agent.base_url
        return None if url is None else self._executor.reach(url)

    def _events(self, process: "AgentProcess") -> Iterator[dict[str, Any]]:
        """What the program prints until it ends; lines that are no JSON objects are only kept."""
        # The role gives up before; this is for the case that the role no longer waits.
        deadline = time.monotonic() + self.agent.turn_timeout_s + _NET_S
        while True:
            try:
                line = process.read_line(max(0.0, deadline - time.monotonic()))
            except TimeoutError:
                process.kill()
                raise
            if line is None:
                return
            if line.strip():
                event = self._log.add(line)
                if event is not None:
                    yield event

    def _died(self, said: str = "") -> AgentError:
        """The program has printed its last line and has not answered."""
        process = self._process
        if process is None:
            return AgentError(f"{self.name}: the program is not running")
        try:
            self.exit_code = process.wait(CLOSING_S)
        except TimeoutError:
            process.kill()
        ended = "closed its output" if self.exit_code is None else f"ended with code {self.exit_code}"
        self._end()
        return AgentError(self._words(f"the program {ended} before it had answered", said or process.stderr_tail))

    def _words(self, problem: str, detail: str = "") -> str:
        """A line for people, without secrets."""
        detail = one_line(self._log.clean(detail))
        return f"{self.name}: {self._log.clean(problem)}" + (f": {detail}" if detail else "")

    def _check_listed(self) -> None:
        """Refuses an answer that was given without the tools."""
        if not listed(self._at()):
            raise InfrastructureError(f"{self.name}: the program answered without having listed the tools over MCP")

    def _provider_failed(self, words: str, status: int | None = None) -> Exception:
        """What a failed request of the program to its model means."""
        words = one_line(self._log.clean(words))
        status = status or status_in(words)
        fault = fault_of_status(status or 400, "", words, {})
        if fault.kind is FaultKind.CONTEXT_EXCEEDED:
            return AgentError(f"{self.name}: the context is full ({words})")
        if status is None:
            if _OVERFLOW.search(words):
                return AgentError(f"{self.name}: the answer is longer than the model may write ({words})")
            fault = RequestFault(FaultKind.CONNECTION, words)
        return ProviderError(f"{self.name}: the model did not answer: {words}", fault)


_STATUS = re.compile(r"(?i:status(?:\s*code)?|HTTP|API Error|code)\W{0,4}([45]\d\d)\b|\b([45]\d\d) [A-Z]")
_OVERFLOW = re.compile(r"output token (?:maximum|limit)|max(?:imum)?.?output.?tokens", re.IGNORECASE)


def own_tool_error(name: str, tool: str) -> InfrastructureError:
    """What it means that a program has used what is not the sandbox's."""
    return InfrastructureError(
        f"{name}: the program used a tool of its own ({one_line(tool)}), which this version does not switch off"
    )


def status_in(words: str) -> int | None:
    """The HTTP status that an error text names, if it does."""
    match = _STATUS.search(words)
    return int(match[1] or match[2]) if match else None
