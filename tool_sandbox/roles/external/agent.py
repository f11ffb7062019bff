"""The role that puts an agent with a loop of its own into a conversation.

Such an agent calls tools whenever it likes; a conversation moves message by message. The role lies between: a driver
runs one turn of the agent in a thread of its own, and each of its calls ends one `respond` of the role and is answered
in the next. So the world, the message limit, parallel calls, traces and scores are the same as for any other agent.
"""

import abc
import contextvars
import queue
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from tool_sandbox.conversation.execution_context import RoleType, get_current_context
from tool_sandbox.conversation.messages import Message
from tool_sandbox.conversation.tool_conversion import convert_to_openai_tools
from tool_sandbox.models.faults import FaultKind, ProviderError, one_line
from tool_sandbox.models.messages import RequestedCall, ResultsTurn, StopReason, Turn, Usage, UserTurn
from tool_sandbox.models.plain import count, plain, usd
from tool_sandbox.models.plug_ins import described
from tool_sandbox.models.session import CallRecord, FailedAttempt, Session
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.external.bridge import Batch, BridgeClosedError, ToolBridge
from tool_sandbox.roles.model_history import Entry, to_turns
from tool_sandbox.world.errors import AgentError, InfrastructureError, ModelRefusedError, ToolSandboxError

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario

CLOSING_S = 10.0
"""Seconds that a driver has to come back once it was closed."""


LONGEST_TEXT = 100_000
"""Characters that an agent may say at once. Nobody reads more, and what is said has to be scored."""

_LONGEST_WORDS = 256
"""Characters of what an agent says about itself."""


@attrs.frozen
class Brief:
    """What an agent is told before the first word of the user.

    Attributes:
        system: Standing instruction, possibly empty.
        history: The conversation before the first message that the agent is to answer; mostly empty.
        conversation: A name for the conversation, without meaning, new for each; letters and digits.
        trial: Number of the repetition, from 0.
    """

    system: str
    history: tuple[Turn, ...] = ()
    conversation: str = ""
    trial: int = 0


@attrs.frozen
class Reply:
    """What an agent answers the user, at the end of a turn.

    Attributes:
        text: The text.
        usage: Tokens that the turn has used, ``None`` if the agent does not say.
        cost_usd: What it has cost by the agent's own account, ``None`` if it does not say.
        model: Model that has answered by the agent's own account.
        stop: Why the turn ended. After `StopReason.BLOCKED` the conversation ends; after a refusal in the model's own
            words the user may ask again.
        stop_text: The agent's own word for that.
        request_id: The agent's name for the turn or the session.
    """

    text: str
    usage: Usage | None = None
    cost_usd: float | None = None
    model: str | None = None
    stop: StopReason = StopReason.END
    stop_text: str = ""
    request_id: str | None = None


class Driver(abc.ABC):
    """Runs one agent in one conversation. Each has its own.

    All methods but `cancel` are called one after the other: `open`, then `turn` once a message of the user, in a
    thread with an empty ``contextvars`` context, then `close`.

    What goes wrong is raised: `AgentError` for the agent's own fault (it crashed, was too slow, printed nonsense),
    which ends the conversation and has it scored as it stands, and so does anything unforeseen;
    `InfrastructureError` for a provider, network or machine, which counts against no party.
    """

    @abc.abstractmethod
    def open(self, brief: Brief, bridge: ToolBridge, session: Session) -> None:
        """Makes the agent ready."""

    @abc.abstractmethod
    def turn(self, text: str) -> Reply:
        """Has the agent answer the user; its tool calls go to the bridge meanwhile."""

    def cancel(self) -> None:  # noqa: B027 - most drivers have nothing to do
        """Makes a `turn` that is going on come back soon; called from another thread. Does nothing by default."""

    def close(self) -> None:  # noqa: B027
        """Ends the agent and gives back what it held. Called once, also if `open` has failed. Nothing by default."""


class ExternalAgent(BaseRole, abc.ABC):
    """Plays the agent with a program, SDK or function that has a loop of its own.

    A subclass says how: it makes a `Driver`, and its constructor's parameters are the options of its name.

    Attributes:
        provider_name: Under which name its calls are counted.
        model_name: Model behind it as far as known, else its name.
        session: What it did in this conversation, what it cost, and who watches.
        turn_timeout_s: Seconds that a turn may take, the tools it calls included.
        concurrency: Default number of concurrent conversations.
        is_a_model: Whether `model_name` is the model that is asked, so that an answer of another one is remarkable.
        unforeseen: What it means when a turn raises something that is none of this package's errors. What came from
            the agent has led to it, so that it is the agent's fault unless a platform stands between.
    """

    role_type: ClassVar[RoleType] = RoleType.AGENT
    provider_name: ClassVar[str] = "external"
    concurrency: ClassVar[int] = 4
    model_name: str = ""
    turn_timeout_s: float = 600.0
    has_refused: bool = False
    is_a_model: ClassVar[bool] = True
    unforeseen: ClassVar[type[ToolSandboxError]] = AgentError

    def __init__(self) -> None:
        """A role that has said nothing yet."""
        self.session = Session("agent")
        self._trial = 0
        self._forget()

    @abc.abstractmethod
    def make_driver(self) -> Driver:
        """Makes what runs the agent in a new conversation."""

    @property
    def fixed_tools(self) -> str:
        """Why the tools of a conversation cannot become more, empty if they can."""
        return ""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What it was given that must not be written anywhere, beside the keys of the environment."""
        return ()

    def describe(self) -> Mapping[str, Any]:
        """What ``run.json`` says of the agent: its version, how it is isolated, what was switched off.

        Called once a run, before the first conversation.
        """
        return {}

    def begin_trial(self, trial: int) -> None:
        """Takes the number of the repetition."""
        self._trial = trial

    def begin(self, scenario: "Scenario") -> None:
        """Forgets the conversation before."""
        self.reset()

    def reset(self) -> None:
        """Ends the agent, so that a new one begins with the next message."""
        self.teardown()
        self._forget()

    def _forget(self) -> None:
        self._driver: Driver | None = None
        self._bridge: ToolBridge | None = None
        self._thread: threading.Thread | None = None
        self._has_ended = threading.Event()
        self._events: queue.SimpleQueue[Batch | Reply | BaseException] = queue.SimpleQueue()
        self._batch: tuple[Batch, tuple[str, ...]] | None = None
        self._deadline = self._started = 0.0
        self._calls = 0
        self.has_refused = False

    def respond(self, ending_index: int | None = None) -> None:
        """Lets the agent go on until it calls tools or answers the user."""
        entries = self.entries(ending_index)
        if entries[-1][1].sender is RoleType.SYSTEM:
            return
        if self._batch is None:
            self._begin_turn(entries)
        else:
            self._answer(entries)
        self._write(self._next_event())

    def teardown(self) -> None:
        """Ends the agent."""
        driver, bridge, thread = self._driver, self._bridge, self._thread
        self._driver = self._bridge = self._thread = None
        if bridge is not None:
            bridge.end_turn()
        if driver is None:
            return
        # A thread may live on for a moment after the last word of its turn; there is nothing left to cancel then.
        if thread is not None and not self._has_ended.is_set():
            driver.cancel()
            thread.join(CLOSING_S)
        driver.close()
        if thread is not None:
            thread.join(CLOSING_S)

    def _begin_turn(self, entries: Sequence[Entry]) -> None:
        turns = to_turns(entries, self.role_type)
        said = len(turns)
        while said and isinstance(turns[said - 1], UserTurn):
            said -= 1
        text = "\n\n".join(turn.text for turn in turns[said:] if isinstance(turn, UserTurn))
        if self._driver is None or self._bridge is None:
            self._open(entries, turns[:said])
        assert self._bridge is not None  # noqa: S101 - it was just made
        assert self._driver is not None  # noqa: S101
        self.session.meter.check()
        self._started = time.monotonic()
        self._deadline = self._started + self.turn_timeout_s
        self._events, self._has_ended = queue.SimpleQueue(), threading.Event()
        self._bridge.begin_turn(self._events)
        # Outside code must not find the world of this thread by accident.
        run = contextvars.Context().run
        work = (self._driver, text, self._events, self._has_ended)
        self._thread = threading.Thread(target=run, args=(_run_turn, *work), name="agent-turn", daemon=True)
        self._thread.start()

    def _open(self, entries: Sequence[Entry], history: Sequence[Turn]) -> None:
        system = "\n\n".join(message.content for _, message in entries if message.sender is RoleType.SYSTEM)
        grows = get_current_context().tool_search
        self._bridge = ToolBridge(convert_to_openai_tools(self.get_available_tools()), grows=grows)
        self._driver = self.make_driver()
        brief = Brief(system, tuple(history), secrets.token_hex(8), self._trial)
        try:
            contextvars.Context().run(self._driver.open, brief, self._bridge, self.session)
        except ToolSandboxError:
            raise
        except Exception as error:
            raise self._unforeseen(error, InfrastructureError) from error

    def _answer(self, entries: Sequence[Entry]) -> None:
        assert self._batch is not None  # noqa: S101 - the caller has looked
        assert self._bridge is not None  # noqa: S101 - who has called something has a bridge
        (batch, ids), self._batch = self._batch, None
        turn = to_turns(entries, self.role_type)[-1]
        assert isinstance(turn, ResultsTurn)  # noqa: S101 - the environment answers every call
        if self._bridge.grows and len(tools := self.get_available_tools()) > len(self._bridge.tools):
            self._bridge.offer(convert_to_openai_tools(tools))
        results = {result.call_id: result for result in turn.results}
        # Each under the id that the agent knows it by.
        named = zip(ids, batch.calls, strict=True)
        self._bridge.answer(batch, tuple(attrs.evolve(results[own], call_id=call.id) for own, call in named))

    def _next_event(self) -> "Batch | Reply":
        while True:
            try:
                event = self._events.get(timeout=max(0.0, self._deadline - time.monotonic()))
            except queue.Empty:
                slow = f"{self.provider_name}: the agent took longer than {self.turn_timeout_s:g} s to answer"
                self._note_failure(AgentError(slow), FaultKind.TIMEOUT)
                raise AgentError(slow) from None
            if isinstance(event, Batch) and not event.calls:
                if self._bridge is not None:
                    self._bridge.answer(event, ())
                continue
            if isinstance(event, Reply) and len(event.text) > LONGEST_TEXT:
                said = f"{len(event.text):,} characters; at most {LONGEST_TEXT:,} are taken"
                event = AgentError(f"{self.provider_name}: the agent's answer has {said}")
            if isinstance(event, Reply):
                return _plausible(event)
            if not isinstance(event, BaseException):
                return event
            known = event if isinstance(event, ToolSandboxError) else self._unforeseen(event, self.unforeseen)
            self._note_failure(known)
            raise known from (None if known is event else event)

    def _unforeseen(self, error: BaseException, kind: type[ToolSandboxError]) -> ToolSandboxError:
        return kind(f"{self.provider_name}: {described(error, None)}")

    def _write(self, event: "Batch | Reply") -> None:
        if isinstance(event, Reply):
            if self._bridge is not None:
                self._bridge.end_turn()
            self._note(event)
            self.has_refused = event.stop in (StopReason.REFUSAL, StopReason.BLOCKED)
            self.add_messages([Message(sender=RoleType.AGENT, recipient=RoleType.USER, content=event.text)])
            if event.stop is StopReason.BLOCKED:
                raise ModelRefusedError(one_line(f"{self.provider_name} declined: {event.stop_text}"))
            return
        # The agent's own ids need not be unique, and are new in every run.
        ids = tuple(f"call_{self._calls + number}" for number in range(len(event.calls)))
        self._calls += len(ids)
        self._batch = event, ids
        messages = [self._call_message(own, call) for own, call in zip(ids, event.calls, strict=True)]
        self.add_messages([messages[0].with_text(event.text or None), *messages[1:]])

    def _call_message(self, call_id: str, call: RequestedCall) -> Message:
        return self.tool_call_message(call_id, call.name, call.arguments)

    def _note(self, reply: Reply) -> None:
        self._keep(
            CallRecord(
                self.provider_name,
                self.model_name,
                served_model=reply.model,
                stop=str(reply.stop),
                stop_text=reply.stop_text,
                usage=reply.usage,
                latency_s=time.monotonic() - self._started,
                request_id=reply.request_id,
                cost_usd=reply.cost_usd,
            )
        )

    def _note_failure(self, error: BaseException, kind: FaultKind = FaultKind.SERVER) -> None:
        """A turn without an answer; what it has cost is not known."""
        if isinstance(error, ProviderError):
            kind = error.cause.kind
        took = time.monotonic() - self._started
        failed = FailedAttempt(kind, one_line(str(error) or type(error).__name__), None, took, 0.0)
        self._keep(CallRecord(self.provider_name, self.model_name, failures=(failed,)))

    def _keep(self, record: CallRecord) -> None:
        self.session.calls.append(record)
        self.session.meter.add(record)


def _plausible(reply: Reply) -> Reply:
    """A reply of which nothing can break what is made of it, whatever the agent has written."""
    usage = None if reply.usage is None else Usage(*map(count, attrs.astuple(reply.usage)))
    words = {name: plain(getattr(reply, name)) for name in ("model", "stop_text", "request_id")}
    words = {name: text[:_LONGEST_WORDS] if isinstance(text, str) else None for name, text in words.items()}
    words["stop_text"] = words["stop_text"] or ""
    return attrs.evolve(reply, text=plain(reply.text), usage=usage, cost_usd=usd(reply.cost_usd), **words)


def _run_turn(
    driver: Driver, text: str, events: "queue.SimpleQueue[Batch | Reply | BaseException]", has_ended: threading.Event
) -> None:
    last: Reply | BaseException
    try:
        last = driver.turn(text)
    except BridgeClosedError as error:
        last = AgentError(str(error))
    except BaseException as error:
        last = error
    has_ended.set()
    events.put(last)
