"""Demonstrations in a message log: where they end, and what of them is shown."""

from tool_sandbox.conversation.demonstrations import Demonstration, in_band, read_demonstrations
from tool_sandbox.conversation.execution_context import RoleType
from tool_sandbox.play.message_conversion import Message

SYSTEM, USER, AGENT, ENVIRONMENT = RoleType.SYSTEM, RoleType.USER, RoleType.AGENT, RoleType.EXECUTION_ENVIRONMENT
INSTRUCTION = "Play a person. Be brief.\nYour task: "


def message(sender: RoleType, recipient: RoleType, content: str, *, hidden: bool = True) -> Message:
    return Message(sender=sender, recipient=recipient, content=content, visible_to=[USER] if hidden else None)


EXAMPLE = [
    message(SYSTEM, USER, f"{INSTRUCTION}You want tea."),
    message(USER, AGENT, "Tea!"),
    message(AGENT, USER, "Black or green?"),
    message(AGENT, USER, "Or white?"),
    message(USER, AGENT, "Green."),
    message(USER, ENVIRONMENT, "end_conversation()"),
]
TASK = message(SYSTEM, USER, f"{INSTRUCTION}You want coffee.", hidden=False)
OPENING = message(USER, AGENT, "Coffee!", hidden=False)


def test_they_end_where_the_real_task_begins() -> None:
    groups, start = in_band([*EXAMPLE, *EXAMPLE, TASK, OPENING])
    assert groups == [EXAMPLE, EXAMPLE]
    assert start == 12


def test_a_task_that_only_the_user_sees_is_no_demonstration() -> None:
    hidden = message(SYSTEM, USER, TASK.content)
    assert in_band([*EXAMPLE, hidden, OPENING]) == ([EXAMPLE], 6)
    assert in_band([hidden, OPENING]) == ([], 0)
    assert in_band([TASK, OPENING]) == ([], 0)
    assert in_band([]) == ([], 0)


def test_what_comes_after_the_opening_is_part_of_the_conversation() -> None:
    assert in_band([TASK, OPENING, *EXAMPLE]) == ([], 0)


def test_they_are_shown_by_turns_and_without_the_instruction() -> None:
    (read,) = read_demonstrations([EXAMPLE], TASK.content)
    assert read == Demonstration("Your task: You want tea.", ("Tea!", "Black or green?\nOr white?", "Green."))


def test_one_with_an_instruction_of_its_own_is_shown_whole() -> None:
    (read,) = read_demonstrations([EXAMPLE], "Something else.")
    assert read.task == EXAMPLE[0].content


def test_one_that_the_agent_opens_leaves_the_first_turn_empty() -> None:
    (read,) = read_demonstrations([[EXAMPLE[0], EXAMPLE[2], EXAMPLE[4]]], TASK.content)
    assert read.texts == ("", "Black or green?", "Green.")


def test_a_demonstration_whose_task_is_not_told() -> None:
    groups, start = in_band([*EXAMPLE[1:], TASK, OPENING])
    assert (groups, start) == ([EXAMPLE[1:]], len(EXAMPLE) - 1)
    (read,) = read_demonstrations(groups, TASK.content)
    assert read == Demonstration("", read_demonstrations([EXAMPLE], TASK.content)[0].texts)
