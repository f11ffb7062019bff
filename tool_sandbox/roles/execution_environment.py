"""The role that runs tools, and answers with their results."""

import itertools
from code import InteractiveConsole
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from tool_sandbox.conversation.console import Console, JournalEntry
from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    get_or_make_context,
)
from tool_sandbox.conversation.messages import Message
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.parallel_calls import answer_in_every_order
from tool_sandbox.roles.tool_dispatch import (
    Invocation,
    call_tool,
    describe_error,
    describe_exception,
    find_tools,
    is_agent_code,
    named_arguments,
    parse_invocation,
    tools_for_code,
)
from tool_sandbox.world.errors import ScenarioError, ToolSandboxError

if TYPE_CHECKING:
    from tool_sandbox.roles.code_process import CodeResult, CompileError

__all__ = [
    "ExecutionEnvironment",
    "get_messages_to_process",
    "respond_to_messages",
    "respond_to_messages_set_all_order_permutations",
    "respond_to_single_message",
]


def get_messages_to_process(messages: Sequence[Message], recipient: RoleType) -> list[Message]:
    """The unanswered messages to a role."""
    first = len(messages)
    while first and messages[first - 1].recipient == recipient:
        first -= 1
    return list(messages[first:])


def respond_to_messages(
    interactive_console: InteractiveConsole, messages: Sequence[Message], role_type: RoleType
) -> list[Message]:
    """Answers messages one after the other."""
    replies = (respond_to_single_message(interactive_console, message, role_type) for message in messages)
    return [reply for reply in replies if reply is not None]


def respond_to_messages_set_all_order_permutations(
    execution_context: ExecutionContext, messages: Sequence[Message], role_type: RoleType
) -> list[Message]:
    """Answers a batch of messages as if in every order at once.

    The first order, in lexicographic order of the positions, in which a call fails gives its
    replies in its order, and its world; if no order fails, the requested one does. See
    `tool_sandbox.roles.parallel_calls` for how this is found.
    """

    def answer(world: ExecutionContext, message: Message) -> Message | None:
        return respond_to_single_message(world.interactive_console, message, role_type)

    def is_code(message: Message) -> bool:
        return _dispatched(execution_context, execution_context.interactive_console, message) is None

    return answer_in_every_order(execution_context, messages, answer, is_code)


def respond_to_single_message(
    interactive_console: InteractiveConsole, message: Message, role_type: RoleType
) -> Message | None:
    """Does what one message asks for, in the current world.

    A tool call is looked up and called, never executed as code. Set-up code of the system is
    trusted and runs in this process. Any other code runs in a separate, limited process.

    Each call that an agent's code makes stands in the log as if the agent had made it directly: the call, the world
    after it, the answer. These messages come between the code and the reply to it, and nobody but the execution
    environment sees them. The largest number of messages of a scenario counts them, but does not stop a piece of code
    halfway: that has limits of its own.
    """
    context = get_or_make_context()
    console = Console.adopt(interactive_console)
    if message.sender == RoleType.SYSTEM:
        _run_set_up(console, message.content)
        return None
    if is_agent_code(message):
        return _reply(message, role_type, *_run_code(context, console, message))
    before = _traces(context)
    invocation = _dispatched(context, console, message)
    if invocation is not None:
        content, exception = _invoke(context, console, message, invocation)
    else:
        content, exception = _run_code(context, console, message)
    return _reply(message, role_type, content, exception, _take_traces(context, before))


def _reply(
    message: Message, role_type: RoleType, content: str, exception: str | None, traces: list[str] | None = None
) -> Message:
    return Message(
        sender=role_type,
        recipient=message.sender,
        content=content,
        openai_tool_call_id=message.openai_tool_call_id,
        openai_function_name=message.openai_function_name,
        tool_call_exception=exception,
        tool_trace=traces,
    )


# Set-up code ---------------------------------------------------------------------------------


def _run_set_up(console: Console, source: str) -> None:
    try:
        if not console.add_imports(source):
            console.execute(source)
    except ToolSandboxError:
        raise
    except (Exception, SystemExit) as error:
        first_line = source.strip().partition("\n")[0]
        raise ScenarioError(f"set-up message {first_line[:100]!r} failed: {type(error).__name__}: {error}") from error


# Tool calls ----------------------------------------------------------------------------------


def _dispatched(context: ExecutionContext, console: InteractiveConsole, message: Message) -> Invocation | None:
    """The single tool call that a message is, ``None`` if it has to run as code."""
    if is_agent_code(message):
        return None
    invocation = parse_invocation(message.content)
    if invocation is None or invocation.name in context.name_to_tool:
        return invocation
    if isinstance(console, Console) and not console.may_define(invocation.name):
        return invocation
    # A function that earlier code may have defined is found by running the code after it.
    is_tool = isinstance(console, Console) and invocation.name in find_tools(context, console)
    return invocation if is_tool else None


def _invoke(
    context: ExecutionContext, console: Console, message: Message, invocation: Invocation
) -> tuple[str, str | None]:
    name, shown_name = invocation.name, message.openai_function_name or invocation.name
    tools = context.name_to_tool if name in context.name_to_tool else find_tools(context, console)
    try:
        result = call_tool(context, tools, message.sender, name, invocation.arguments, invocation.keywords, shown_name)
    except (ToolSandboxError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        # Besides exceptions: SystemExit, and panics of native libraries, which derive from BaseException.
        text = describe_exception(error, context.profile)
        return text, text
    if invocation.call is not None:
        prefix = invocation.call.prefix
        values = {f"{prefix}_parameters": invocation.keywords, f"{prefix}_response": result}
        console.record(JournalEntry("call", values=values))
    return invocation.show(result), None


def _traces(context: ExecutionContext) -> tuple[str, ...]:
    newest = context.get_table(DatabaseNamespace.SANDBOX) if context.trace_tool else ()
    return tuple(newest.column("tool_trace")[-1] or ()) if len(newest) else ()  # type: ignore[union-attr]


def _take_traces(context: ExecutionContext, before: tuple[str, ...]) -> list[str] | None:
    """Moves the traces of one call off the newest message, where tools leave them."""
    traces = _traces(context)
    if len(traces) == len(before):
        return None
    context.set_message_fields(tool_trace=list(before) or None)
    return list(traces[len(before) :])


# Code ----------------------------------------------------------------------------------------


def _run_code(context: ExecutionContext, console: Console, message: Message) -> tuple[str, str | None]:
    from tool_sandbox.roles.code_process import run_code

    console.sync()
    if is_agent_code(message):
        tools, call = tools_for_code(context)
        # The modules of the tools would tell what scrambled names hide.
        logged = _logging(context, message, call)
        result = run_code(message.content, console, tools, logged, module="tools", shows_last_value=True)
    else:
        tools = find_tools(context, console)
        result = run_code(message.content, console, tools, partial(call_tool, context, tools, message.sender))
    if result.entry is not None:
        console.record(result.entry)
    return _describe_result(message.content, result, context)


class _Caller(BaseRole):
    """The agent, as far as its code speaks for it."""

    role_type: ClassVar[RoleType] = RoleType.AGENT


_CallTool = Callable[[str, Sequence[Any], dict[str, Any]], Any]


def _logging(context: ExecutionContext, code: Message, call: _CallTool) -> _CallTool:
    """What calls a tool for an agent's code, and writes call and answer to the log."""
    numbers = itertools.count()

    def logged(name: str, arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
        shown = named_arguments(context, name, arguments, keywords)
        asked = _Caller.tool_call_message(f"{code.openai_tool_call_id}_{next(numbers)}", name, shown)
        _log(asked)
        before = _traces(context)
        try:
            result = call(name, arguments, keywords)
        except (ToolSandboxError, KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            # As for a direct call.
            text = describe_exception(error, context.profile)
            _log(_reply(asked, RoleType.EXECUTION_ENVIRONMENT, text, text, _take_traces(context, before)))
            raise
        text = repr(result).rstrip()
        _log(_reply(asked, RoleType.EXECUTION_ENVIRONMENT, text, None, _take_traces(context, before)))
        return result

    return logged


def _log(message: Message) -> None:
    """Appends a message that the agent is not told: it knows what its code prints."""
    BaseRole.add_messages([attrs.evolve(message, visible_to=[RoleType.EXECUTION_ENVIRONMENT])])


def _describe_result(source: str, result: "CodeResult", context: ExecutionContext) -> tuple[str, str | None]:
    if result.incomplete:
        text = f"Error: The given code was incomplete and could not be executed: {source!r}"
        return text, text
    if result.compile_error is not None:
        text = format_compile_error(result.compile_error)
        return text, text
    if result.error is None:
        return result.output.rstrip(), None
    error = describe_error(result.error.module, result.error.name, result.error.message, context.profile)
    return (f"{result.output.rstrip()}\n{error}" if result.output else error), error


def format_compile_error(error: "CompileError") -> str:
    """The report of a compile error, the same for every version of Python."""
    message = f"{error.name}: {error.message}\n" if error.message else f"{error.name}\n"
    if error.text is None:
        return message
    line = error.text.rstrip("\n")
    report = f'  File "<input>", line {error.line}\n    {line.strip()}\n'
    if error.column is not None and error.column > 0:
        indent = len(line) - len(line.lstrip())
        report += f"    {' ' * max(0, min(error.column, len(line) + 1) - 1 - indent)}^\n"
    return report + message


def _first_unanswered(context: ExecutionContext, ending_index: int | None) -> int:
    """Index of the first of the messages to the execution environment that end a log, of its last message if none."""
    first: int | None = None
    for index, table in reversed(context.get_history(DatabaseNamespace.SANDBOX)):
        if table.rows and (ending_index is None or index <= ending_index):
            if first is not None and table.column("recipient")[-1] != RoleType.EXECUTION_ENVIRONMENT:
                break
            first = index
    return first or 0


class ExecutionEnvironment(BaseRole):
    """Runs the tools that agent and user call.

    After two or more calls at once the current world is another object: the copy in which they ran.
    """

    role_type: ClassVar[RoleType] = RoleType.EXECUTION_ENVIRONMENT

    def fork(self) -> Self:
        """Itself: it keeps nothing."""
        return self

    def respond(self, ending_index: int | None = None) -> None:
        """Answers the unanswered messages to this role with one message each.

        Set-up messages of the system run once each and have no answer. Several calls are one
        parallel batch, see `respond_to_messages_set_all_order_permutations`.
        """
        context = get_or_make_context()
        first = _first_unanswered(context, ending_index)
        batch = self.get_messages(ending_index, starting_index=first)
        self.messages_validation(batch)
        calls = []
        for index, message in enumerate(batch, start=first):
            if message.sender != RoleType.SYSTEM:
                calls.append(message)
            elif index not in context.interactive_console.set_up:
                _run_set_up(context.interactive_console, message.content)
                context.interactive_console.set_up |= {index}
        if not calls or batch[-1].sender == RoleType.SYSTEM:
            return
        replies = respond_to_messages_set_all_order_permutations(context, calls, self.role_type)
        self.add_messages(replies)
