"""A person at the terminal, with scripted key strokes."""

import io
from collections.abc import Iterator

import pytest

from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    ScenarioCategories,
    get_current_context,
    new_context,
)
from tool_sandbox.conversation.messages import Message, format_tool_call, to_openai_messages
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.cli_role import CliAgent, CliRole, CliUser, ConversationAbandonedError
from tool_sandbox.roles.execution_environment import ExecutionEnvironment
from tool_sandbox.roles.terminal import Terminal

AGENT, USER, SYSTEM, EE = RoleType.AGENT, RoleType.USER, RoleType.SYSTEM, RoleType.EXECUTION_ENVIRONMENT


@pytest.fixture(autouse=True)
def world() -> Iterator[ExecutionContext]:
    with new_context(ExecutionContext(id_seed="seed")) as context:
        BaseRole.add_messages(
            [
                Message(SYSTEM, AGENT, "Be helpful."),
                Message(SYSTEM, USER, "You want the wifi off."),
                Message(USER, AGENT, "a demonstration", visible_to=[USER]),
                Message(USER, AGENT, "Turn off the wifi, please."),
            ]
        )
        yield context


def turn(role: type[CliRole], *lines: str) -> tuple[Message, str]:
    """One turn of a person who types these lines; the message sent, and all that was shown."""
    screen = io.StringIO()
    role(Terminal(io.StringIO("".join(f"{line}\n" for line in lines)), screen)).respond()
    return BaseRole.get_messages()[-1], screen.getvalue()


def agent_answers() -> None:
    BaseRole.add_messages([Message(AGENT, USER, "Shall I?")])


class TestTurn:
    def test_text_goes_to_the_other_party(self) -> None:
        message, screen = turn(CliAgent, "", "Shall I?")
        assert (message.sender, message.recipient, message.content) == (AGENT, USER, "Shall I?")
        assert "You are the AGENT" in screen
        assert "Turn off the wifi, please." in screen
        assert "a demonstration" not in screen
        assert "You want" not in screen
        message, _ = turn(CliUser, "Yes.")
        assert (message.sender, message.recipient, message.content) == (USER, AGENT, "Yes.")

    def test_only_what_is_new_is_shown_again(self) -> None:
        screen = io.StringIO()
        role = CliAgent(Terminal(io.StringIO("one\n/history\ntwo\n"), screen))
        role.respond()
        BaseRole.add_messages([Message(USER, AGENT, "next")])
        screen.truncate(0)
        screen.seek(0)
        role.respond()
        shown = screen.getvalue()
        before, _, history = shown.partition("/history")
        assert "next" in before
        assert "Turn off" not in before
        assert "Turn off" in history

    def test_a_message_of_the_system_needs_no_answer(self) -> None:
        BaseRole.add_messages([Message(SYSTEM, AGENT, "psst")])
        before = len(BaseRole.get_messages())
        CliAgent(Terminal(io.StringIO(""), io.StringIO())).respond()
        assert len(BaseRole.get_messages()) == before

    @pytest.mark.parametrize("lines", [[], ["/quit"], ["/help"]])
    def test_leaving_is_one_clear_line_and_loses_nothing(self, lines: list[str]) -> None:
        before = BaseRole.get_messages()
        with pytest.raises(ConversationAbandonedError, match="the agent left") as caught:
            turn(CliAgent, *lines)
        assert "\n" not in str(caught.value)
        assert BaseRole.get_messages() == before

    def test_control_characters_do_not_reach_the_terminal(self) -> None:
        BaseRole.add_messages([Message(USER, AGENT, "\x1b[2Jgone\x07")])
        _, screen = turn(CliAgent, "ok")
        assert "\x1b" not in screen
        assert "\x07" not in screen
        assert "gone" in screen


class TestCalls:
    @pytest.mark.parametrize(
        "lines",
        [
            ["set_wifi_status(on=False)"],
            ["set_wifi_status(False)"],
            ["tool", "set_wifi_status(on=False)"],
            ["/call set_wifi_status", "false"],
            ["/call set_wifi_status", "off?", "3", "no"],
        ],
    )
    def test_ways_to_call(self, lines: list[str]) -> None:
        message, _ = turn(CliAgent, *lines)
        assert message.content == format_tool_call("cli_4", "set_wifi_status", {"on": False})
        assert (message.openai_tool_call_id, message.openai_function_name) == ("cli_4", "set_wifi_status")
        ExecutionEnvironment().respond()
        assert get_current_context().get_table(DatabaseNamespace.SETTING).column("wifi") == [False]
        history, _ = to_openai_messages(CliAgent.filter_messages(BaseRole.get_messages()))
        assert history[-1]["tool_call_id"] == history[-2]["tool_calls"][0]["id"] == "cli_4"
        _, screen = turn(CliAgent, "Done.")
        assert "set_wifi_status(on=False)" in screen
        assert "result of set_wifi_status: None" in screen

    def test_arguments_are_asked_for_one_by_one(self) -> None:
        message, screen = turn(CliAgent, "/call search_contacts", "Ann", "", "+1", "", "")
        assert message.content == format_tool_call(
            "cli_4", "search_contacts", {"person_id": "Ann", "phone_number": "+1"}
        )
        assert "name (string, optional, Enter to leave it out): " in screen

    def test_required_arguments_are_asked_for_again(self) -> None:
        message, screen = turn(CliAgent, "/call set_wifi_status", "", "nope", "true")
        assert "{'on': True}" in message.content
        assert screen.count("That is not a boolean; for example true.") == 2

    @pytest.mark.parametrize(
        ("line", "says"),
        [
            ("/call serch_contacts", "Did you mean search_contacts"),
            ("/call end_conversation", "You have no tool"),
            ("/end", "You have no tool"),
            ("/call", "Which tool?"),
            ("/dance", "There is no command /dance"),
            ("search_contacts(name=open('x'))", "not a call with plain values"),
            ("set_wifi_status(True, False)", "at most 1 argument"),
            ("/tools", "set_wifi_status(on)"),
            ("/help", "/call NAME"),
        ],
    )
    def test_mistakes_are_explained_and_can_be_repaired(self, line: str, says: str) -> None:
        message, screen = turn(CliAgent, line, "ok")
        assert says in screen
        assert message.content == "ok"

    @pytest.mark.parametrize(
        "line",
        [
            "serch_contacts(name='Ann')",
            "serch_contacts(name='Ann'",
            "serch_contacts(name=Ann)",
            "serch_contacts()",
        ],
    )
    def test_a_mistyped_call_is_said_only_when_meant(self, line: str) -> None:
        for answer in ("", "n", "no"):
            before = len(BaseRole.get_messages())
            message, screen = turn(CliAgent, line, answer, "search_contacts()")
            assert "You have no tool 'serch_contacts'. Did you mean search_contacts" in screen
            assert "as text? [y/N]" in screen
            assert message.recipient is EE
            assert len(BaseRole.get_messages()) == before + 1
            ExecutionEnvironment().respond()
        message, _ = turn(CliAgent, line, "y")
        assert (message.recipient, message.content) == (USER, line)

    @pytest.mark.parametrize("line", ["Ann (your sister) called.", "Which one (a or b)?", "Done (see above)", "x(y"])
    def test_text_with_brackets_is_said_at_once(self, line: str) -> None:
        message, screen = turn(CliAgent, line)
        assert (message.recipient, message.content) == (USER, line)
        assert "as text?" not in screen

    def test_typed_call_that_is_none(self) -> None:
        message, screen = turn(CliAgent, "tool", "hello", "tool", "no_such_tool()", "bye")
        assert "not a call" in screen
        assert "You have no tool 'no_such_tool'" in screen
        assert message.content == "bye"

    @pytest.mark.parametrize("line", ["end", "/end", "end_conversation()"])
    def test_user_ends_the_conversation(self, line: str) -> None:
        agent_answers()
        message, _ = turn(CliUser, line)
        assert message.recipient is EE
        ExecutionEnvironment().respond()
        assert BaseRole.get_messages()[-1].conversation_active is False

    def test_agent_sees_scrambled_names_only(self, world: ExecutionContext) -> None:
        world.tool_augmentation_list = [
            ScenarioCategories.TOOL_NAME_SCRAMBLED,
            ScenarioCategories.ARG_NAME_SCRAMBLED,
        ]
        message, screen = turn(CliAgent, "/tools", "set_wifi_status(on=False)", "y", "setting_8(arg_0=False)")
        assert message.recipient is USER
        assert "setting_8(arg_0)" in screen
        BaseRole.add_messages([Message(USER, AGENT, "and?")])
        message, _ = turn(CliAgent, "setting_8(arg_0=False)")
        assert "set_wifi_status(**" in message.content
        assert "{'on': False}" in message.content
        assert message.openai_function_name == "setting_8"
        ExecutionEnvironment().respond()
        _, screen = turn(CliAgent, "ok")
        assert "setting_8(arg_0=False)" in screen

    def test_nothing_typed_is_executed(self, tmp_path: object) -> None:
        message, _ = turn(CliAgent, f"__import__('os').mkdir('{tmp_path}/owned')", "y")
        assert message.recipient is USER
        assert not list(tmp_path.iterdir())  # type: ignore[attr-defined]


def test_colour_only_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Screen()
    Terminal(target=screen).show("[bold]x[/bold]", "red")
    assert "[bold]x[/bold]" in screen.getvalue()
    Terminal().show("plain", "red")
    assert capsys.readouterr().out == "plain\n"
