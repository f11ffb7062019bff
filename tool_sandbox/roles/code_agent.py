"""The agent that calls tools from Python which a model writes: ``code:provider/model``.

The model is not offered any tools. It is told of them as Python functions; a fenced block of Python in its answer is
run by the execution environment in a limited process (`code_process`), and what came of it is the next thing that the
model is told. An answer without a block goes to the user.

What becomes a message: all blocks of an answer together are one piece of code and one message, and so is the reply to
it. Between the two stand the tool calls that the code makes, each as the call and the answer that a direct call would
have left in the log, with its error or its trace, and with a snapshot of the world after it. A score therefore does
not depend on how many calls are made in one piece of code. The model is not told of these messages: it knows what its
code printed. The largest number of messages of a scenario counts them like those of any other agent; a piece of code
may go on past it, until it ends or meets its own limits. Code that is nothing but one tool call becomes that tool call,
as any other agent would have made it.
"""

import ast
import json
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from tool_sandbox.conversation.console import Console
from tool_sandbox.conversation.execution_context import RoleType, get_current_context
from tool_sandbox.conversation.messages import Message, tool_call_as_seen
from tool_sandbox.helpers.syntax import parse_module
from tool_sandbox.models.messages import ModelReply, StopReason
from tool_sandbox.models.naming import choose_model, is_model, split_choice
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.code_blocks import fenced, split_reply, written_call
from tool_sandbox.roles.code_process import CodeLimits
from tool_sandbox.roles.code_stubs import describe_tools
from tool_sandbox.roles.model_agent import ModelAgent
from tool_sandbox.roles.model_history import Entry, Remembered
from tool_sandbox.roles.model_role import CUT_OFF, NOT_FINISHED
from tool_sandbox.roles.role_spec import RoleSpec
from tool_sandbox.roles.tool_dispatch import CODE, bound_arguments, is_agent_code, parse_invocation
from tool_sandbox.world.errors import ConfigurationError
from tool_sandbox.world.tool import ToolFunction

PREFIX = "code:"
"""What a choice of this agent begins with."""

INSTRUCTION = """\
# How you act

You use tools by writing Python. Put the code into a fenced block that begins with ```python. It is run, and you are \
told what it printed, the value of the expression at its end if it ends with one, and the error if there was one. \
Variables, functions and imports are kept for your next code. Several blocks in one answer are run as one program, and \
the user sees nothing of such an answer.

An answer without a block of Python is what you say to the user.

The functions below are defined already. Arguments whose default is `...` can be left out. A function that fails \
raises an exception. Arguments are plain values: texts, numbers, True, False, None, lists and dictionaries. Beside the \
functions you have Python's standard library, but no network and no other programs; one piece of code may take \
{seconds:g} seconds.

```python
{tools}
```"""

NO_TOOL_CALLS = "tools cannot be called like that here; write a block of Python that calls them as functions"
"""What a model is told that makes a tool call although it was offered no tools."""


class CodeAgent(ModelAgent):
    """Plays the agent with any model, which calls tools from Python that it writes."""

    _told: tuple[Any, str] | None = None

    def ask(self, system: str, entries: Sequence[Entry], tools: Sequence[Mapping[str, Any]]) -> ModelReply:
        """Asks the model what to do next, with the tools described in words and the conversation as mere talk."""
        spoken = [(index, as_spoken(message)) for index, message in entries]
        return super().ask("\n\n".join(filter(None, (system, self._instruction()))), spoken, ())

    def _instruction(self) -> str:
        """How to act, written once as long as neither tools nor scrambles change."""
        context, tools = get_current_context(), self.get_available_tools()
        made_of = (tuple(tools.items()), tuple(context.tool_augmentation_list), context.profile)
        if self._told is None or self._told[0] != made_of:
            seconds = CodeLimits().wall_seconds
            self._told = made_of, INSTRUCTION.format(seconds=seconds, tools=describe_tools(tools))
        return self._told[1]

    def write(self, messages: Sequence[Message], reply: ModelReply) -> None:
        """Appends the messages of a reply to the log, and remembers the provider's own form of it."""
        index = get_current_context().max_sandbox_message_index + 1
        super().write(messages, reply)
        if index in self._remembered:
            # The history is compared as it is told.
            memory = self._remembered[index]
            self._remembered[index] = Remembered(tuple(map(as_spoken, memory.messages)), memory.raw)

    def _described_tools(self) -> Sequence[Mapping[str, Any]]:
        return ()

    def _act(self, reply: ModelReply) -> None:
        message = None if reply.stop in _DECLINED else _message(reply)
        if reply.calls:
            # A provider refuses unanswered calls.
            reply = attrs.evolve(reply, calls=(), raw=None)
        if message is None:
            super()._act(reply)
            return
        self.has_refused = False
        self.write([message], reply)


_DECLINED = (StopReason.REFUSAL, StopReason.BLOCKED, StopReason.CONTEXT_EXCEEDED)
_UNFINISHED = {StopReason.MAX_TOKENS: CUT_OFF, StopReason.OTHER: NOT_FINISHED}


def _message(reply: ModelReply) -> Message | None:
    """What a reply sends to the execution environment, ``None`` for a text to the user."""
    said = split_reply(reply.text)
    call_id = f"code_{get_current_context().max_sandbox_message_index + 1}"
    text, code = said.text, said.code
    if code is None:
        if not reply.calls:
            return None
        code = _failing(NO_TOOL_CALLS)
    elif reply.stop in _UNFINISHED:
        # Half of a program may do something else than the whole.
        text, code = reply.text, _failing(_UNFINISHED[reply.stop])
    elif (call := single_call(code)) is not None:
        return CodeAgent.tool_call_message(call_id, *call).with_text(text or None)
    message = Message(
        sender=RoleType.AGENT,
        recipient=RoleType.EXECUTION_ENVIRONMENT,
        content=code if code.strip() else "pass",
        openai_tool_call_id=call_id,
        openai_function_name=CODE,
    )
    return message.with_text(text or None)


def _failing(reason: str) -> str:
    return f"raise RuntimeError({reason!r})"


# Code that is one call -----------------------------------------------------------------------


def single_call(code: str) -> tuple[str, dict[str, Any]] | None:
    """The tool call that a piece of code is, if it is nothing else and shows what the tool returns."""
    try:
        statements = parse_module(code).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    if len(statements) != 1 or not isinstance(statements[0], ast.Expr):
        return None
    invocation = parse_invocation(ast.get_source_segment(code, statements[0]) or "")
    tools = CodeAgent.get_available_tools()
    if invocation is None or (tool := tools.get(invocation.name)) is None or _is_defined_anew(invocation.name):
        return None
    if invocation.shows == "str" and _returns_text(tool):
        return None
    context = get_current_context()
    arguments = bound_arguments(context, tool, invocation.arguments, invocation.keywords)
    try:
        is_plain = arguments is not None and json.loads(json.dumps(arguments)) == arguments
    except (TypeError, ValueError, RecursionError):
        return None
    return (invocation.name, arguments) if arguments is not None and is_plain else None


def _is_defined_anew(name: str) -> bool:
    """Whether earlier code may have given the name of a tool another meaning."""
    console = Console.adopt(get_current_context().interactive_console)
    word = re.escape(name)
    ways = rf"\b(?:def|class|import|as|for|global)\s+{word}\b|\b{word}\b[^=\n(]*=(?!=)|\*|\b(?:del|exec|globals)\b"
    binding = re.compile(ways)
    return name in console.plain_names() or any(
        binding.search(entry.source) for entry in console.journal if entry.kind == "code"
    )


def _returns_text(tool: ToolFunction) -> bool:
    """Whether printing what a tool returns may look different from its ``repr``."""
    hint = typing.get_type_hints(tool).get("return", Any)
    return hint is Any or str in (hint, *typing.get_args(hint))


# What the model is told ----------------------------------------------------------------------


def as_spoken(message: Message) -> Message:
    """A message as the model of this agent is told it: code is part of what it said, a result something it heard."""
    parties = message.sender, message.recipient
    if parties == (RoleType.AGENT, RoleType.EXECUTION_ENVIRONMENT):
        content = "\n\n".join(filter(None, (message.text, fenced(_code(message)))))
        return Message(RoleType.AGENT, RoleType.USER, content)
    if parties == (RoleType.EXECUTION_ENVIRONMENT, RoleType.AGENT):
        return Message(RoleType.USER, RoleType.AGENT, _outcome(message))
    return message


def _code(message: Message) -> str:
    call = None if is_agent_code(message) else tool_call_as_seen(message)
    if call is None or not isinstance(call.arguments, dict):
        return message.content
    return written_call(call.name, call.arguments)


def _outcome(message: Message) -> str:
    content = message.content.rstrip()
    if message.tool_call_exception is not None:
        return f"The code ended with an error. Its output, and the error:\n{content}"
    return f"The output of the code:\n{content}" if content else "The code has run, without any output."


# Choosing it ---------------------------------------------------------------------------------


def resolve(choice: str, *, offline: bool = False) -> tuple[RoleSpec, Callable[[], BaseRole]]:
    """Finds the model that is to write code."""
    model = choice.strip().removeprefix(PREFIX).strip()
    if not is_model(model):
        raise ConfigurationError(f"{PREFIX} needs the model that writes the code: {PREFIX}provider/model")
    chosen = choose_model(model, offline=offline)
    spec = RoleSpec(
        PREFIX + split_choice(model)[0],
        f"calls tools from Python that it writes; {chosen.spec.description}",
        {"agent": f"{__name__}:CodeAgent"},
        model=model,
        writes_code=True,
    )
    return spec, lambda: CodeAgent(chosen.provider, chosen.policy)
