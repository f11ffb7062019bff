"""The user that a language model plays."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

from tool_sandbox.conversation.demonstrations import Demonstration, in_band, read_demonstrations
from tool_sandbox.conversation.execution_context import RoleType, get_current_context
from tool_sandbox.conversation.messages import Message
from tool_sandbox.conversation.tool_conversion import convert_to_openai_tools
from tool_sandbox.models.calling import RetryPolicy
from tool_sandbox.models.faults import one_line
from tool_sandbox.models.messages import ModelReply, StopReason
from tool_sandbox.models.provider import Provider
from tool_sandbox.roles.model_history import Entry
from tool_sandbox.roles.model_role import ModelRole, callable_calls
from tool_sandbox.world.errors import ModelError, ModelRefusedError, UserError

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario

END_CONVERSATION = "end_conversation"
"""Name of the tool that ends the conversation."""

ATTEMPTS = 2
"""How often the model is asked for one message before the conversation is given up."""

NUDGE = "\n\nYour last reply {fault}. Reply with what you say next as plain text, or call end_conversation."
SILENCE = "(The assistant sends an empty message.)"
"""What the model is shown in place of a message without words, which some providers refuse."""

_EXAMPLES = (
    "First, how other people handled other tasks. Nothing that they know or say is part of your task.\n\n{examples}\n\n"
    "Now for you.\n\n"
)
_EXAMPLE = "<example>\nTask: {task}\n\n{transcript}\nUser calls a tool: end_conversation()\n</example>"

_THOUGHT = re.compile(r"<(think|thinking)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_CALL_AS_TEXT = re.compile(
    r"\bend_?conversation\b|^\W*end (?:the )?conversation\W*$"
    r"|[\[(*<{]\s*(?:the )?(?:user )?end(?:s|ing|ed)?[ -](?:of )?(?:the )?conversation\s*[\])*>}]",
    re.IGNORECASE,
)
_HELD_BACK = re.compile(
    r"(?:\b(?:not|never|until|unless|before|without)\b|n['’]t)(?:\s+\w+){0,5}?\s+\W{0,2}end_?conversation"
    r"|end_?conversation\W{0,4}\s(?:yet|later|until|once|when|after)\b",
    re.IGNORECASE,
)


class ModelUser(ModelRole):
    """Plays the user with any model, from the brief of the scenario.

    What the model knows is what the user sees: its brief, demonstrations of other tasks, and what the two said. It
    says its texts to the agent, calls tools that only the user has, and ends the conversation by a tool call; that one
    counts when it is written as text, too.
    """

    role_type: ClassVar[RoleType] = RoleType.USER
    lead_in: ClassVar[str] = "(You have your phone at hand. Begin the conversation.)"
    """Stands before the user's first message: many servers refuse a conversation that the model opens."""

    def __init__(self, provider: Provider, policy: RetryPolicy | None = None) -> None:
        """A user that has said nothing yet."""
        super().__init__(provider, policy)
        self._demonstrations: tuple[Demonstration, ...] = ()

    def begin(self, scenario: "Scenario") -> None:
        """Takes the demonstrations of the scenario that is about to be played."""
        super().begin(scenario)
        self._demonstrations = scenario.demonstrations

    def respond(self, ending_index: int | None = None) -> None:
        """Answers the agent, or ends the conversation."""
        entries = self.entries(ending_index)
        if entries[-1][1].sender is RoleType.SYSTEM:
            return
        system, entries = self._briefed(entries)
        fault = ""
        for _ in range(ATTEMPTS):
            reply = self._asked(system + (NUDGE.format(fault=fault) if fault else ""), entries)
            if fault:
                # Thoughts are bound to the instruction that they were thought under, and this one is not sent again.
                reply = attrs.evolve(reply, raw=())
            fault = self._say(reply)
            if not fault:
                return
        raise UserError(f"{self._label}: the reply of the simulated user {fault}, {ATTEMPTS} times in a row")

    @property
    def _label(self) -> str:
        return f"{self.provider.name}/{self.provider.model}"

    def _briefed(self, entries: Sequence[Entry]) -> tuple[str, list[Entry]]:
        """The one standing instruction, and the conversation without what went into it."""
        groups, start = in_band([message for _, message in entries])
        told = [message.content for _, message in entries[start:] if message.sender is RoleType.SYSTEM]
        brief = "\n\n".join(told)
        examples = tuple(dict.fromkeys((*self._demonstrations, *read_demonstrations(groups, brief))))
        said = [(index, _audible(message)) for index, message in entries[start:]]
        return with_demonstrations(brief, examples), said

    def _asked(self, system: str, entries: list[Entry]) -> ModelReply:
        tools = convert_to_openai_tools(self.get_available_tools())
        lead_in = Message(sender=RoleType.AGENT, recipient=RoleType.USER, content=self.lead_in)
        try:
            reply = self.ask(system, [(-1, lead_in), *entries] if self.lead_in else entries, tools)
        except (ModelError, ModelRefusedError) as error:
            raise UserError(f"the simulated user cannot continue: {error}") from error
        if reply.stop in (StopReason.REFUSAL, StopReason.BLOCKED):
            raise UserError(f"{self._label} declines to play the user: {one_line(reply.text or reply.stop_text)}")
        if reply.stop is StopReason.CONTEXT_EXCEEDED:
            raise UserError(f"{self._label}: the context of the simulated user is full ({reply.stop_text})")
        return reply

    def _say(self, reply: ModelReply) -> str:
        """Writes what the model answered to the log."""
        text = _THOUGHT.sub("", reply.text).strip()
        calls = reply.calls if reply.stop is not StopReason.MAX_TOKENS else ()
        if any(call.name == END_CONVERSATION for call in calls) or is_end_as_text(text):
            # Only that it is called counts: the tool has no parameters, whatever the model gave it.
            number = get_current_context().max_sandbox_message_index + 1
            call = self.tool_call_message(f"end_{number}", END_CONVERSATION, {})
            call = attrs.evolve(call, openai_tool_call_id=None, openai_function_name=None)
            self.add_messages([call.with_text(text or None)])
            return ""
        if own := [call for call in calls if call.name in self.get_available_tools()]:
            self._call(attrs.evolve(reply, calls=tuple(own), raw=reply.raw if len(own) == len(calls) else ()), text)
            return ""
        if not text:
            if calls:
                return f"called {one_line(calls[0].name, 40)!r}, which the user does not have"
            return "was empty" if reply.stop is not StopReason.MAX_TOKENS else "was cut off before its first word"
        # A reply whose calls were left out could not be sent back as it came.
        kept = reply if text == reply.text and not reply.calls else attrs.evolve(reply, raw=())
        self.write([Message(sender=RoleType.USER, recipient=RoleType.AGENT, content=text)], kept)
        return ""

    def _call(self, reply: ModelReply, text: str) -> None:
        """Writes calls of the user's own tools to the log; what is said beside them nobody hears."""
        reply, calls = callable_calls(reply, get_current_context().max_sandbox_message_index + 1)
        messages = [self.tool_call_message(call.id, call.name, call.arguments) for call in calls]
        self.write([messages[0].with_text(text or None), *messages[1:]], reply)


def with_demonstrations(brief: str, demonstrations: Sequence[Demonstration]) -> str:
    """A brief that begins with demonstrations."""
    examples = "\n\n".join(
        _EXAMPLE.format(task=demonstration.task or "(not told)", transcript=_transcript(demonstration.texts))
        for demonstration in demonstrations
    )
    return _EXAMPLES.format(examples=examples) + brief if examples else brief


def _transcript(texts: Sequence[str]) -> str:
    speakers = ("User", "Assistant")
    return "\n".join(f"{speakers[number % 2]}: {text}" for number, text in enumerate(texts) if text)


def is_end_as_text(text: str) -> bool:
    """Whether a model wrote the call that ends the conversation as text: ``end_conversation()``, as JSON, in markup."""
    sentences = re.split(r"(?<=[.!?])\s+|\n+", text)
    return any(_CALL_AS_TEXT.search(sentence) and not _HELD_BACK.search(sentence) for sentence in sentences)


def _audible(message: Message) -> Message:
    if message.sender is RoleType.AGENT and not message.content.strip():
        return attrs.evolve(message, content=SILENCE)
    return message
