"""The agent that a language model plays."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from tool_sandbox.conversation.execution_context import RoleType, get_current_context
from tool_sandbox.conversation.messages import Message
from tool_sandbox.conversation.tool_conversion import convert_to_openai_tools
from tool_sandbox.models.messages import ModelReply, StopReason
from tool_sandbox.roles.model_role import ModelRole, callable_calls
from tool_sandbox.world.errors import ModelError, ModelRefusedError

DECLINED = "(The model declined to answer.)"
"""What the user is told when a provider declines without words."""


class ModelAgent(ModelRole):
    """Plays the agent with any model: reads the conversation, calls tools, answers the user.

    Whatever the model writes becomes messages. A call that cannot be carried out (no such tool, arguments that are no
    JSON object, cut off) is written as a call and answered by the execution environment with an error.
    """

    role_type: ClassVar[RoleType] = RoleType.AGENT
    _described: tuple[Any, list[dict[str, Any]]] | None = None

    def respond(self, ending_index: int | None = None) -> None:
        """Answers the last message with a text to the user or with tool calls, one message per call."""
        entries = self.entries(ending_index)
        if entries[-1][1].sender is RoleType.SYSTEM:
            return
        system = "\n\n".join(message.content for _, message in entries if message.sender is RoleType.SYSTEM)
        self._act(self.ask(system, entries, self._described_tools()))

    def _described_tools(self) -> Sequence[Mapping[str, Any]]:
        """The tools as OpenAI function descriptions, made once as long as neither they nor the scrambles change."""
        context, tools = get_current_context(), self.get_available_tools()
        if not self.sends_itself():
            # The sender may change what is sent.
            return convert_to_openai_tools(tools)
        made_of = (tuple(tools.items()), tuple(context.tool_augmentation_list), context.profile)
        if self._described is None or self._described[0] != made_of:
            self._described = made_of, convert_to_openai_tools(tools)
        return self._described[1]

    def _act(self, reply: ModelReply) -> None:
        self.has_refused = reply.stop in (StopReason.REFUSAL, StopReason.BLOCKED)
        if reply.stop is StopReason.BLOCKED:
            self._say(DECLINED, reply)
            raise ModelRefusedError(f"{self.provider.name}/{self.provider.model} declined: {reply.stop_text}")
        if reply.stop is StopReason.CONTEXT_EXCEEDED:
            raise ModelError(f"{self.provider.name}/{self.provider.model}: the context is full ({reply.stop_text})")
        index = get_current_context().max_sandbox_message_index + 1
        reply, calls = callable_calls(reply, index)
        if not calls or self.has_refused:
            self._say(reply.text, reply)
            return
        messages = [self.tool_call_message(call.id, call.name, call.arguments) for call in calls]
        self.write([messages[0].with_text(reply.text or None), *messages[1:]], reply)

    def _say(self, text: str, reply: ModelReply) -> None:
        self.write([Message(sender=RoleType.AGENT, recipient=RoleType.USER, content=text)], reply)
