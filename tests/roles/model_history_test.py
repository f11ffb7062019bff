"""Turns that were worked out before are taken over as long as nothing that they were made of has changed."""

import attrs

from tool_sandbox.conversation.execution_context import ExecutionContext, RoleType, new_context
from tool_sandbox.conversation.messages import Message, format_tool_call
from tool_sandbox.models.messages import UserTurn
from tool_sandbox.roles.model_history import Entry, KnownTurn, Remembered, to_turns

USER, AGENT, TOOLS = RoleType.USER, RoleType.AGENT, RoleType.EXECUTION_ENVIRONMENT


def call(name: str) -> Message:
    content = format_tool_call(name, "f", {"x": 1})
    return Message(AGENT, TOOLS, content, openai_tool_call_id=name, openai_function_name="f")


def result(name: str) -> Message:
    return Message(TOOLS, AGENT, "None", openai_tool_call_id=name, openai_function_name="f")


LOG = (
    Message(USER, AGENT, "Do it."),
    call("a"),
    call("b"),
    result("b"),
    result("a"),
    Message(AGENT, USER, "Done."),
    Message(USER, AGENT, "Thanks."),
)


def entries(*messages: Message) -> list[Entry]:
    return list(enumerate(messages))


def test_a_growing_conversation_gives_the_same_turns_as_a_new_one() -> None:
    with new_context(ExecutionContext()):
        known: dict[int, KnownTurn] = {}
        for length in range(1, len(LOG) + 1):
            part = entries(*LOG[:length])
            assert to_turns(part, AGENT, {}, known) == to_turns(part, AGENT)
        first = to_turns(entries(*LOG), AGENT, {}, known)
        assert all(map(lambda a, b: a is b, first, to_turns(entries(*LOG), AGENT, {}, known)))


def test_what_has_changed_is_computed_again() -> None:
    with new_context(ExecutionContext()):
        known: dict[int, KnownTurn] = {}
        to_turns(entries(*LOG), AGENT, {}, known)
        said = attrs.evolve(LOG[0], content="Do something else.")
        assert to_turns(entries(said, *LOG[1:]), AGENT, {}, known)[0] == UserTurn("Do something else.")
        # Without the second call its result is the only one that stands at its place.
        shorter = [*entries(*LOG)[:2], *entries(*LOG)[3:]]
        assert to_turns(shorter, AGENT, {}, known) == to_turns(shorter, AGENT)
        remembered = {5: Remembered((LOG[5],), ("raw",))}
        assert to_turns(entries(*LOG), AGENT, remembered, known) == to_turns(entries(*LOG), AGENT, remembered)
