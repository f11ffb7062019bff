"""Runs a custom class or function in Python: one instance per conversation, asked until it has a text."""

import asyncio
import contextvars
import inspect
import logging
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs

from tool_sandbox.models.faults import FaultKind, ProviderError, RequestFault, fault_of_status
from tool_sandbox.models.messages import ModelReply, StopReason, Usage
from tool_sandbox.models.plug_ins import described, words_of
from tool_sandbox.models.session import Session
from tool_sandbox.roles.external.agent import CLOSING_S, Brief, Driver, Reply
from tool_sandbox.roles.external.bridge import BridgeClosedError, ToolBridge
from tool_sandbox.roles.external.loop_replies import ReplyError, read_reply
from tool_sandbox.roles.external.loop_tools import Chat, Tools
from tool_sandbox.roles.model_agent import DECLINED
from tool_sandbox.roles.model_role import callable_calls
from tool_sandbox.world.errors import AgentError, ConfigurationError, ToolSandboxError

_logger = logging.getLogger("tool_sandbox.agent")


@attrs.frozen
class Target:
    """A custom class or function.

    Attributes:
        name: What messages call it.
        thing: The class or function.
        options: Arguments of the constructor, or further ones of the function.
    """

    name: str
    thing: Callable[..., Any]
    options: Mapping[str, Any] = attrs.field(factory=dict)

    @property
    def model_name(self) -> str:
        """What it says of the model behind it (``model_name``), else its own name."""
        told = getattr(self.thing, "model_name", None)
        return told if isinstance(told, str) and told else self.name

    def start(self) -> "Instance":
        """Makes a new instance of a class; a function is what it is."""
        if not isinstance(self.thing, type):
            return Instance(partial(self.thing, **self.options))
        made = self.thing(**self.options)
        return Instance(made.respond, getattr(made, "begin", None), getattr(made, "close", None))

    def check(self) -> None:
        """Makes one, to see whether that is possible."""
        # As in a conversation, it finds no world by accident.
        contextvars.Context().run(self._check)

    def _check(self) -> None:
        try:
            instance = self.start()
        except (ToolSandboxError, KeyboardInterrupt):
            raise
        except BaseException as error:
            line = described(error, home_of(self.thing))
            raise ConfigurationError(f"{self.name} cannot be created: {line}") from error
        check_parameters(self.name, instance.respond)
        if instance.close is not None:
            LoopDriver(self, instance).close()


@attrs.frozen
class Instance:
    """What answers in one conversation.

    Attributes:
        respond: Takes messages and tools, gives a reply.
        begin: Called before, likewise, ``None`` if there is no such thing.
        close: Called at the end, ``None`` if there is no such thing.
    """

    respond: Callable[..., Any]
    begin: Callable[..., Any] | None = None
    close: Callable[..., Any] | None = None


def check_parameters(name: str, respond: Callable[..., Any]) -> None:
    """Refuses what cannot be called with messages and tools."""
    try:
        signature = inspect.signature(respond)
    except (TypeError, ValueError):
        return
    try:
        signature.bind([], [])
    except TypeError:
        raise ConfigurationError(
            f"{name} has to be callable with two arguments, messages and tools; it takes {signature}"
        ) from None


class LoopDriver(Driver):
    """Asks one instance, until it has a text for the user."""

    def __init__(self, target: Target, instance: Instance | None = None) -> None:
        """A conversation that has not begun."""
        self._target = target
        self._instance = instance
        self._session = Session()
        self._runner: asyncio.Runner | None = None
        self._is_busy = False

    def open(self, brief: Brief, bridge: ToolBridge, session: Session) -> None:
        """Takes in the conversation; the instance is made in the first turn, whose time is limited."""
        self._session = session
        self._chat = Chat(brief, bridge)
        self._tools = Tools(self._chat, bridge.tools)

    def turn(self, text: str) -> Reply:
        """Has the instance answer; the calls in its replies are carried out."""
        self._is_busy = True
        try:
            return self._turn(text)
        finally:
            self._is_busy = False

    def _turn(self, text: str) -> Reply:
        if self._instance is None:
            self._instance = self._run(self._target.start)
            if self._instance.begin is not None:
                self._run(self._instance.begin, self._chat.messages(), self._tools)
        self._chat.hear(text)
        replies: list[tuple[ModelReply, float | None]] = []
        while True:
            reply, cost_usd = self._ask(self._instance.respond, len(replies))
            replies.append((reply, cost_usd))
            if not reply.calls or reply.stop in (StopReason.REFUSAL, StopReason.BLOCKED):
                break
            self._carry_out(reply)
        said = reply.text or (DECLINED if reply.stop is StopReason.BLOCKED else "")
        self._chat.say(said)
        return _summed(said, replies)

    def _ask(self, respond: Callable[..., Any], number: int) -> tuple[ModelReply, float | None]:
        self._tools.refresh()
        try:
            reply, cost_usd = read_reply(self._run(respond, self._chat.messages(), self._tools))
        except ReplyError as error:
            raise AgentError(f"{self._target.name} {error}") from None
        # Calls of a reply that was cut off are answered with an error.
        reply, calls = callable_calls(reply, number)
        return attrs.evolve(reply, calls=calls), cost_usd

    def _carry_out(self, reply: ModelReply) -> None:
        try:
            self._chat.submit(reply.calls, reply.text).result()
        except BridgeClosedError as error:
            raise AgentError(f"{self._target.name}: {error}") from error

    def cancel(self) -> None:
        """Cancels what is awaited; code that is not ``async`` cannot be ended, and is left alone."""
        runner = self._runner
        if runner is not None:
            loop = runner.get_loop()
            loop.call_soon_threadsafe(_cancel_all, loop)

    def close(self) -> None:
        """Has the instance give back what it holds, for which it has ten seconds."""
        # In a thread of its own, which has no world, and which is not waited for forever.
        thread = threading.Thread(target=contextvars.Context().run, args=(self._end,), name="agent-end", daemon=True)
        thread.start()
        thread.join(CLOSING_S)

    def _end(self) -> None:
        close = None if self._instance is None else self._instance.close
        try:
            # While something is still awaited there, nothing else can be.
            if close is not None and not (self._is_busy and inspect.iscoroutinefunction(close)):
                self._run(close)
        except ToolSandboxError as error:
            _logger.warning("%s could not be closed: %s", self._target.name, error)
        if self._runner is not None and not self._is_busy:
            self._runner.close()

    def _run(self, function: Callable[..., Any], *args: Any) -> Any:
        """Calls custom code, awaits its result if needed, and attributes what it raises."""
        try:
            given = function(*args)
            if inspect.isawaitable(given):
                return self._event_loop().run(_awaited(given))
        except BridgeClosedError as error:
            raise AgentError(f"{self._target.name}: {error}") from error
        except ToolSandboxError:
            # A loop that knows this package may say itself whose fault it is.
            raise
        except BaseException as error:
            # An interrupt too: that of the person never gets to this thread.
            raise self._blamed(error) from error
        return given

    def _event_loop(self) -> asyncio.Runner:
        """One for the whole conversation, because clients of HTTP are bound to theirs."""
        if self._runner is None:
            runner = asyncio.Runner()
            # Before anybody else can see it, who would make another.
            runner.get_loop()
            self._runner = runner
        return self._runner

    def _blamed(self, error: BaseException) -> ToolSandboxError:
        line = described(error, home_of(self._target.thing))
        self._session.log.append({"type": "traceback", "text": kept_traceback(error)})
        _logger.info("%s raised %s", self._target.name, line)
        return provider_error(error, self._target.name, line) or AgentError(f"{self._target.name} raised {line}")


async def _awaited(given: Awaitable[Any]) -> Any:
    return await given


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()


def _summed(text: str, replies: Sequence[tuple[ModelReply, float | None]]) -> Reply:
    """What the user is told, with the tokens and the cost of all replies of the turn."""
    last = replies[-1][0]
    usages = [reply.usage for reply, _ in replies if reply.usage is not None]
    costs = [cost_usd for _, cost_usd in replies if cost_usd is not None]
    return Reply(
        text,
        usage=sum(usages, Usage()) if usages else None,
        cost_usd=sum(costs) if costs else None,
        model=next((reply.served_model for reply, _ in reversed(replies) if reply.served_model), None),
        stop=last.stop,
        stop_text=last.stop_text,
        request_id=last.request_id,
    )


LONGEST_TRACEBACK = 20_000
"""Characters of a traceback that are kept: its end, where the cause is."""

_CLIENTS = frozenset({"aiohttp", "anthropic", "google", "httpcore", "httpx", "httpx2", "openai", "requests", "urllib3"})
"""Packages whose exceptions tell of a network or a provider."""

_OWN_FAULT = (FaultKind.INVALID_REQUEST, FaultKind.CONTEXT_EXCEEDED, FaultKind.BLOCKED)


def kept_traceback(error: BaseException) -> str:
    """The traceback of an exception, cut at the front where it is endless."""
    text = "".join(traceback.format_exception(error))
    return text if len(text) <= LONGEST_TRACEBACK else f"...\n{text[-LONGEST_TRACEBACK:]}"


def home_of(thing: Any) -> Path | None:
    """The folder of the file in which a class or function is written."""
    try:
        file = inspect.getsourcefile(inspect.unwrap(thing))
    except (TypeError, ValueError):
        file = getattr(sys.modules.get(getattr(thing, "__module__", "")), "__file__", None)
    return None if file is None else Path(file).absolute().parent


def provider_error(error: BaseException, name: str, line: str) -> ProviderError | None:
    """The failure of a provider or a network that an exception tells of."""
    if not any(cls.__module__.partition(".")[0] in _CLIENTS for cls in type(error).__mro__):
        return None
    response = getattr(error, "response", None)
    status = next((code for code in map(_status, (error, response)) if code is not None), None)
    if status is None:
        words = type(error).__name__
        if not any(word in words for word in ("Connect", "Timeout", "Network", "Protocol", "Read", "Write")):
            return None
        return ProviderError(
            f"{name}: {line}", RequestFault(FaultKind.TIMEOUT if "Timeout" in words else FaultKind.CONNECTION, line)
        )
    headers = getattr(response, "headers", None)
    fault = fault_of_status(status, "", words_of(error), headers if isinstance(headers, Mapping) else {})
    return None if fault.kind in _OWN_FAULT else ProviderError(f"{name}: {line}", fault)


def _status(holder: object) -> int | None:
    for name in ("status_code", "status", "code"):
        status = getattr(holder, name, None)
        if isinstance(status, int) and 400 <= status < 600:
            return status
    return None
