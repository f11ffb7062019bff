"""What callers observe of the execution environment, one message at a time."""

import code
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    ScenarioCategories,
    get_current_context,
    new_context,
)
from tool_sandbox.conversation.messages import Message, format_tool_call
from tool_sandbox.roles import tool_dispatch
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.code_process import CompileError
from tool_sandbox.roles.execution_environment import (
    ExecutionEnvironment,
    format_compile_error,
    get_messages_to_process,
    respond_to_messages,
    respond_to_single_message,
)
from tool_sandbox.world.errors import InfrastructureError, ScenarioError
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.utils import register_as_tool

AGENT, USER, SYSTEM, EE = RoleType.AGENT, RoleType.USER, RoleType.SYSTEM, RoleType.EXECUTION_ENVIRONMENT
ANN = {"name": "Ann", "phone_number": "+12453344098"}


@pytest.fixture
def world() -> Iterator[ExecutionContext]:
    with new_context(ExecutionContext(id_seed="seed")) as context:
        context.trace_tool = True
        BaseRole.add_messages([Message(USER, AGENT, "go")])
        yield context


@pytest.fixture
def strict(world: ExecutionContext) -> ExecutionContext:
    world.profile = Profile.STRICT
    return world


def send(*contents: str, sender: RoleType = AGENT) -> list[Message]:
    """Sends contents in one go and returns the replies."""
    before = len(BaseRole.get_messages())
    BaseRole.add_messages([Message(sender, EE, content) for content in contents])
    ExecutionEnvironment().respond()
    return BaseRole.get_messages()[before + len(contents) :]


def call(name: str, arguments: Any, call_id: str = "c0") -> str:
    return format_tool_call(call_id, name, arguments)


class TestToolCalls:
    def test_layout_shows_the_repr_and_keeps_ids(self, world: ExecutionContext) -> None:
        content = call("search_contacts", {"is_self": True})
        BaseRole.add_messages([Message(AGENT, EE, content, None, "call-1", "contact_3")])
        ExecutionEnvironment().respond()
        reply = BaseRole.get_messages()[-1]
        assert (reply.sender, reply.recipient, reply.content) == (EE, AGENT, "[]")
        assert (reply.openai_tool_call_id, reply.openai_function_name) == ("call-1", "contact_3")
        assert reply.tool_call_exception is None
        assert reply.visible_to == [EE, AGENT]
        (trace,) = reply.tool_trace or ()
        assert json.loads(trace)["tool_name"] == "search_contacts"

    @pytest.mark.parametrize(
        ("content", "shown"),
        [
            ("get_wifi_status()", ""),
            ("print(get_wifi_status())", "True"),
            (" print( repr( get_wifi_status( ) ) ) ", "True"),
            ("print(calculate_lat_lon_distance(1, 2.0, 1, longitude_1=2))", "0.0"),
            ("print(timestamp_to_datetime_info(timestamp=1e9)['year'])", "2001"),
        ],
    )
    def test_typed_forms(self, world: ExecutionContext, content: str, shown: str) -> None:
        (reply,) = send(content)
        assert (reply.content, reply.tool_call_exception) == (shown, None)
        assert len(reply.tool_trace or ()) == 1

    def test_user_ends_the_conversation(self, world: ExecutionContext) -> None:
        (reply,) = send("end_conversation()", sender=USER)
        assert (reply.content, reply.conversation_active, reply.recipient) == ("", False, USER)

    def test_change_lands_on_the_reply_and_trace_leaves_the_call(self, world: ExecutionContext) -> None:
        send(call("set_wifi_status", {"on": False}))
        assert [index for index, _ in world.get_history(DatabaseNamespace.SETTING)] == [0, 2]
        assert [message.tool_trace is None for message in BaseRole.get_messages()] == [True, True, False]
        assert world.trace_tool is True

    def test_dispatch_does_not_touch_the_console_of_the_call(self, world: ExecutionContext) -> None:
        send(call("search_contacts", {"is_self": True}))
        (reply,) = send("print(c0_parameters, c0_response)")
        assert reply.content == "{'is_self': True} []"


class TestErrors:
    def test_published_names_are_qualified(self, world: ExecutionContext) -> None:
        (reply,) = send(call("remove_contact", {"person_id": "x"}))
        assert reply.content.startswith("polars.exceptions.NoDataError: ")
        assert reply.tool_call_exception == reply.content
        assert reply.tool_trace is None

    def test_strict_names_are_short(self, strict: ExecutionContext) -> None:
        (reply,) = send(call("remove_contact", {"person_id": "x"}))
        assert reply.content.startswith("NoDataError: ")

    def test_messages_are_kept_whole(self) -> None:
        error = ValueError("a\nb")
        error.add_note("a note")
        assert tool_dispatch.describe_exception(error, Profile.PUBLISHED) == "ValueError: a\nb"
        group = ExceptionGroup("several", [KeyError("k")])
        assert tool_dispatch.describe_exception(group, Profile.PUBLISHED) == "ExceptionGroup: several (1 sub-exception)"
        assert tool_dispatch.describe_exception(KeyError("k"), Profile.STRICT) == "KeyError: 'k'"
        assert tool_dispatch.describe_exception(TimeoutError(), Profile.STRICT) == "TimeoutError"

    @pytest.mark.parametrize("profile", list(Profile))
    @pytest.mark.parametrize(
        "content",
        [
            call("search_contcts", {"name": "x"}),
            call("add_contact", {"nme": "x"}),
            call("add_contact", '{"name": '),
            call("add_contact", [1]),
            call("add_contact", None),
            call("unknown; tool", {}),
            call("", {}),
            call("print", {}),
            "search_contcts(name='x')",
        ],
    )
    def test_slips_of_a_model_are_answered(self, world: ExecutionContext, profile: Profile, content: str) -> None:
        world.profile = profile
        (reply,) = send(content)
        assert reply.tool_call_exception == reply.content != ""

    def test_close_names_are_suggested_as_the_agent_knows_them(self, strict: ExecutionContext) -> None:
        (reply,) = send(call("search_contcts", {}))
        assert reply.content == "NameError: name 'search_contcts' is not defined. Did you mean: 'search_contacts'?"
        strict.tool_augmentation_list = [ScenarioCategories.TOOL_NAME_SCRAMBLED]
        BaseRole.add_messages([Message(AGENT, EE, call("unknown_tool", {}), None, "c0", "tol_3")])
        ExecutionEnvironment().respond()
        assert BaseRole.get_messages()[-1].content.endswith("name 'tol_3' is not defined. Did you mean: 'tool_3'?")

    def test_stderr_and_warnings_are_no_failure(self, world: ExecutionContext) -> None:
        (reply,) = send("import sys, warnings\nwarnings.warn('w')\nprint('e', file=sys.stderr)\nprint('o')")
        assert (reply.content, reply.tool_call_exception) == ("o", None)


class TestOffer:
    def test_withheld_tools_run_as_published(self, world: ExecutionContext) -> None:
        world.tool_allow_list = ["end_conversation"]
        assert send("print(get_wifi_status())")[0].content == "True"
        assert send("x = 1\nprint(get_wifi_status())")[0].content == "True"

    @pytest.mark.parametrize("content", [call("set_wifi_status", {"on": False}), "x = 1\nset_wifi_status(on=False)"])
    def test_withheld_tools_do_not_exist_when_strict(self, strict: ExecutionContext, content: str) -> None:
        strict.tool_allow_list = ["get_wifi_status"]
        before = strict.get_table(DatabaseNamespace.SETTING)
        (reply,) = send(content)
        assert "NameError: name 'set_wifi_status' is not defined" in (reply.tool_call_exception or "")
        assert get_current_context().get_table(DatabaseNamespace.SETTING) is before

    def test_agent_cannot_use_tools_of_the_user_when_strict(self, strict: ExecutionContext) -> None:
        (reply,) = send("end_conversation()")
        assert reply.tool_call_exception is not None
        assert reply.conversation_active is True


class TestSetUp:
    def send_set_up(self, source: str) -> int:
        BaseRole.add_messages([Message(SYSTEM, EE, source)])
        return len(BaseRole.get_messages()) - 1

    def test_imports_have_no_reply(self, world: ExecutionContext) -> None:
        index = self.send_set_up("import json\nfrom tool_sandbox.tools.contact import add_contact")
        ExecutionEnvironment().respond(ending_index=index)
        assert len(BaseRole.get_messages()) == index + 1
        assert world.interactive_console.locals["json"] is json
        assert world.interactive_console.locals["add_contact"] is world.name_to_tool["add_contact"]

    def test_code_runs_in_this_process_and_prepares_later_code(self, world: ExecutionContext) -> None:
        index = self.send_set_up(
            "from tool_sandbox.tools.contact import add_contact\n"
            "add_contact(name='Ann', phone_number='+12453344098')\n"
            "def double(x):\n    return 2 * x\n"
        )
        ExecutionEnvironment().respond(ending_index=index)
        assert world.get_table(DatabaseNamespace.CONTACT).column("name") == ["Ann"]
        assert send("print(double(4))")[0].content == "8"
        assert send(call("double", {"x": 5}))[0].content == "10"

    def test_each_message_runs_exactly_once(self, world: ExecutionContext) -> None:
        add = "from tool_sandbox.tools.contact import add_contact\nadd_contact(name='{}', phone_number='+12453344098')"
        first = self.send_set_up(add.format("Ann"))
        second = self.send_set_up(add.format("Ben"))
        for index in (first, second):
            ExecutionEnvironment().respond(ending_index=index)
        send("get_wifi_status()", sender=USER)
        assert get_current_context().get_table(DatabaseNamespace.CONTACT).column("name") == ["Ann", "Ben"]

    def test_set_up_and_call_in_one_batch(self, world: ExecutionContext) -> None:
        BaseRole.add_messages([Message(SYSTEM, EE, "x = 20"), Message(AGENT, EE, "print(x + 1)")])
        ExecutionEnvironment().respond()
        assert BaseRole.get_messages()[-1].content == "21"

    @pytest.mark.parametrize("source", ["import no_such_module", "x = = 1", "1 / 0", "raise SystemExit(1)", "if x:"])
    def test_failure_names_the_message(self, world: ExecutionContext, source: str) -> None:
        self.send_set_up(source)
        with pytest.raises(ScenarioError, match="set-up message"):
            ExecutionEnvironment().respond()

    def test_tools_from_elsewhere(self, world: ExecutionContext, monkeypatch: pytest.MonkeyPatch) -> None:
        @register_as_tool()
        def shout(text: str) -> str:
            """Shout."""
            return text.upper()

        world.interactive_console.locals["shout"] = shout
        world.interactive_console.runsource("pass")
        (reply,) = send(call("shout", {"text": "hi"}))
        assert (reply.content, len(reply.tool_trace or ())) == ("'HI'", 1)


class TestCode:
    def test_state_persists_between_messages_and_in_locals(self, world: ExecutionContext) -> None:
        assert send("a = b = [1]")[0].content == ""
        assert send("import math\ndef f(x):\n    return math.floor(x)")[0].content == ""
        assert send("a.append(f(2.5))\nprint(b)")[0].content == "[1, 2]"
        assert get_current_context().interactive_console.locals["a"] == [1, 2]
        fork = get_current_context().fork()
        assert send("del a\nprint('a' in globals(), b)")[0].content == "False [1, 2]"
        assert "a" not in get_current_context().interactive_console.locals
        with new_context(fork):
            assert send("print(a)")[0].content == "[1, 2]"

    def test_several_tools_in_one_message(self, world: ExecutionContext) -> None:
        (reply,) = send(
            "for on in (False, True):\n    set_wifi_status(on=on)\nprint(get_wifi_status())\nset_wifi_status(on=True)"
        )
        assert reply.content == "True\nValueError: wifi is already on" == "True\n" + (reply.tool_call_exception or "")
        assert [json.loads(trace)["tool_name"] for trace in reply.tool_trace or ()] == [
            *("set_wifi_status", "set_wifi_status", "get_wifi_status")
        ]
        assert BaseRole.get_messages()[1].tool_trace is None

    def test_tools_of_earlier_messages_do_not_run_again(self, world: ExecutionContext) -> None:
        first = f"person = add_contact(**{ANN!r})\nclass Kept:\n    pass"
        (reply,) = send(first)
        assert reply.tool_call_exception is None
        assert len(get_current_context().get_table(DatabaseNamespace.CONTACT)) == 1
        (reply,) = send("print(Kept.__name__, person == search_contacts(name='Ann')[0]['person_id'])")
        assert reply.content == "Kept True"
        assert len(get_current_context().get_table(DatabaseNamespace.CONTACT)) == 1

    def test_errors_of_tools_can_be_caught_by_their_class(self, world: ExecutionContext) -> None:
        source = (
            "try:\n    set_wifi_status(on='x')\nexcept TypeError as error:\n    print(type(error).__name__)\n"
            "try:\n    remove_contact(person_id='x')\nexcept Exception as error:\n    print(type(error).__module__)\n"
            "remove_contact(person_id='x')"
        )
        (reply,) = send(source)
        lines = reply.content.splitlines()
        assert lines[:2] == ["TypeError", "polars.exceptions"]
        assert lines[2].startswith("polars.exceptions.NoDataError: ")

    @pytest.mark.parametrize(
        ("source", "content", "exception"),
        [
            ("print('a  ')\nprint()", "a", None),
            ("1 + 1", "", None),
            ("print('a')\n1 / 0", "a\nZeroDivisionError: division by zero", "ZeroDivisionError: division by zero"),
            ("print()\n1 / 0", "\nZeroDivisionError: division by zero", "ZeroDivisionError: division by zero"),
            ("raise ValueError", "ValueError", "ValueError"),
            ("raise ValueError('a\\nb')", "ValueError: a\nb", "ValueError: a\nb"),
            ("class E(Exception):\n    pass\nraise E('x')", "__console__.E: x", "__console__.E: x"),
            ("import sys\nsys.exit(3)", "SystemExit: 3", "SystemExit: 3"),
            ("raise KeyboardInterrupt", "KeyboardInterrupt", "KeyboardInterrupt"),
        ],
    )
    def test_output_and_last_line(
        self, world: ExecutionContext, source: str, content: str, exception: str | None
    ) -> None:
        (reply,) = send(source)
        assert (reply.content, reply.tool_call_exception) == (content, exception)

    def test_incomplete_code(self, world: ExecutionContext) -> None:
        text = "Error: The given code was incomplete and could not be executed: 'if x:'"
        (reply,) = send("if x:")
        assert (reply.content, reply.tool_call_exception) == (text, text)

    @pytest.mark.parametrize(
        ("source", "report"),
        [
            ("x = = 1", '  File "<input>", line 1\n    x = = 1\n        ^\nSyntaxError: invalid syntax\n'),
            ("if x:\n    y = = 1\n", '  File "<input>", line 2\n    y = = 1\n        ^\nSyntaxError: invalid syntax\n'),
            ("return 5", "SyntaxError: 'return' outside function\n"),
        ],
    )
    def test_compile_report(self, world: ExecutionContext, source: str, report: str) -> None:
        (reply,) = send(source)
        assert (reply.content, reply.tool_call_exception) == (report, report)

    def test_compile_report_has_one_caret_at_the_start_column(self) -> None:
        error = CompileError("SyntaxError", "bad", line=3, column=9, text="    foo(a b)\n")
        assert format_compile_error(error) == '  File "<input>", line 3\n    foo(a b)\n        ^\nSyntaxError: bad\n'

    def test_a_plain_console_works_too(self, world: ExecutionContext) -> None:
        console = code.InteractiveConsole({"x": 4})
        reply = respond_to_single_message(console, Message(AGENT, EE, "y = x + 1\nprint(y)"), EE)
        assert reply is not None
        assert reply.content == "5"
        assert console.locals["y"] == 5


class TestFaults:
    def test_infrastructure_is_not_the_models_fault(
        self, world: ExecutionContext, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def down() -> None:
            raise InfrastructureError("the service is down")

        monkeypatch.setitem(world.name_to_tool, "get_wifi_status", down)
        with pytest.raises(InfrastructureError):
            send("get_wifi_status()")
        assert world.trace_tool is True

    def test_exits_and_panics_of_tools_are_answered(
        self, world: ExecutionContext, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def leave() -> None:
            raise SystemExit(3)

        def panic() -> None:
            raise type("PanicException", (BaseException,), {})("at the disco")

        monkeypatch.setitem(world.name_to_tool, "get_wifi_status", leave)
        assert send("get_wifi_status()")[0].content == "SystemExit: 3"
        monkeypatch.setitem(world.name_to_tool, "get_wifi_status", panic)
        assert "at the disco" in send("get_wifi_status()")[0].content


class TestSelection:
    def test_tail_to_one_recipient(self) -> None:
        messages = [Message(AGENT, EE, "a"), Message(EE, AGENT, "b"), Message(AGENT, EE, "c"), Message(USER, EE, "d")]
        assert [message.content for message in get_messages_to_process(messages, EE)] == ["c", "d"]
        assert get_messages_to_process(messages, AGENT) == []
        assert get_messages_to_process([], EE) == []

    def test_one_by_one(self, world: ExecutionContext) -> None:
        messages = [
            Message(SYSTEM, EE, "x = 2"),
            Message(AGENT, EE, "print(x)"),
            Message(AGENT, EE, "get_wifi_status()"),
        ]
        replies = respond_to_messages(world.interactive_console, messages, EE)
        assert [reply.content for reply in replies] == ["2", ""]

    def test_out_of_turn(self, world: ExecutionContext) -> None:
        with pytest.raises(KeyError):
            ExecutionEnvironment().respond()


@pytest.mark.parametrize("profile", list(Profile))
@pytest.mark.parametrize(
    "payload", ["open({0!r}, 'w')", "__import__('os').system('touch {0}')", "x\n{0}\nopen({0!r}, 'w')"]
)
def test_injected_code_leaves_no_trace(tmp_path: Path, profile: Profile, payload: str) -> None:
    target = tmp_path / "owned"
    text = payload.format(str(target))
    with new_context(ExecutionContext(profile=profile)):
        BaseRole.add_messages([Message(USER, AGENT, "go")])
        for content in (
            format_tool_call(text, "search_contacts", {"name": "x"}),
            format_tool_call("c", text, {}),
            format_tool_call("c", "search_contacts", {"name": text}),
            format_tool_call("c", "search_contacts", {text: 1}),
            format_tool_call("c", "search_contacts", text),
            f"search_contacts(name={text})",
            f"c_parameters = {text}\nc_response = search_contacts(**c_parameters)\nprint(repr(c_response))",
        ):
            send(content)
    assert list(tmp_path.iterdir()) == []


def test_frames_stay_readable(world: ExecutionContext) -> None:
    send(call("add_contact", ANN))
    frame = world.get_database(DatabaseNamespace.SANDBOX, get_all_history_snapshots=True)
    assert isinstance(frame, pl.DataFrame)
    assert frame["tool_trace"].is_not_null().to_list() == [False, False, True]
