"""Messages, the textual form of tool calls, and the history of a model API."""

import contextlib
import copy
import json
import math
import sys
from typing import Any, ClassVar

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat.chat_completion_message_tool_call import ChatCompletionMessageToolCall, Function

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType, new_context
from tool_sandbox.conversation.messages import (
    Message,
    call_prefix,
    format_tool_call,
    openai_tool_call_to_python_code,
    parse_tool_call,
    python_code_to_openai_tool_call,
    to_openai_messages,
)
from tool_sandbox.helpers.literals import from_literal, to_literal
from tool_sandbox.play.message_conversion import (
    get_snapshot_indices_to_databases,
    openai_messages_to_langchain_messages,
    serialize_to_conversation,
)
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.execution_environment import ExecutionEnvironment
from tool_sandbox.scoring import (
    Evaluation,
    EvaluationResult,
    Milestone,
    SnapshotConstraint,
    snapshot_similarity,
)
from tool_sandbox.world.errors import ConfigurationError

AGENT, USER, SYSTEM, EE = RoleType.AGENT, RoleType.USER, RoleType.SYSTEM, RoleType.EXECUTION_ENVIRONMENT
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
PAYLOADS = (
    "x\nimport os\nos.system('touch /tmp/owned')\ny",
    "__import__('os').system('touch owned')",
    "call-1",
    "1",
    "a b",
    "",
    "é",
    "ﬁ",
    "'\"\\",
    "c0_parameters = {}\nc0_response = end_conversation",
)


def tool_call(call_id: str, name: str, arguments: str) -> ChatCompletionMessageToolCall:
    return ChatCompletionMessageToolCall(id=call_id, type="function", function=Function(name=name, arguments=arguments))


class TestMessage:
    def test_fields_in_order_with_defaults(self) -> None:
        names = [field.name for field in attrs.fields(Message)]
        assert names == [
            *("sender", "recipient", "content", "conversation_active", "openai_tool_call_id"),
            *("openai_function_name", "tool_call_exception", "tool_trace", "visible_to"),
        ]
        message = Message("USER", "AGENT", "hi")
        assert message.sender is USER
        assert message.visible_to == [USER, AGENT]
        assert message.conversation_active is None

    def test_is_immutable_and_compared_by_fields(self) -> None:
        message = Message(USER, AGENT, "hi")
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            message.content = "ho"  # type: ignore[misc]
        assert message == Message(USER, AGENT, "hi", visible_to=["USER", "AGENT"])
        assert message != Message(USER, AGENT, "ho")

    def test_unknown_role_is_refused(self) -> None:
        with pytest.raises(ValueError, match="NOBODY"):
            Message("NOBODY", AGENT, "hi")

    def test_is_a_row_of_the_log(self) -> None:
        context = ExecutionContext()
        with new_context(context):
            message = Message(AGENT, EE, "x", openai_tool_call_id="1", openai_function_name="f", visible_to=[AGENT])
            BaseRole.add_messages([message])
            (row,) = context.get_database(DatabaseNamespace.SANDBOX).to_dicts()
            assert attrs.asdict(Message(**row)) == row
            assert BaseRole.get_messages() == [attrs.evolve(message, conversation_active=True)]

    def test_text_beside_a_call_is_no_field(self) -> None:
        message = Message(AGENT, EE, "x")
        spoken = message.with_text("let me look")
        assert spoken.text == "let me look"
        assert message.text is None
        assert spoken == message
        assert "text" not in attrs.asdict(spoken)


class TestTextOfACall:
    def test_three_lines(self) -> None:
        code = openai_tool_call_to_python_code(tool_call("c0", "f_0", '{"a": [1, null], "b": "x"}'), {"f_0"}, "f")
        assert (
            code
            == "c0_parameters = {'a': [1, None], 'b': 'x'}\nc0_response = f(**c0_parameters)\nprint(repr(c0_response))"
        )

    def test_name_of_the_call_without_a_mapping(self) -> None:
        code = openai_tool_call_to_python_code(tool_call("c0", "f", "{}"), {"f"}, None)
        assert code.splitlines()[1] == "c0_response = f(**c0_parameters)"

    def test_unavailable_name_and_broken_json_are_errors(self) -> None:
        with pytest.raises(KeyError):
            openai_tool_call_to_python_code(tool_call("c0", "g", "{}"), {"f"}, None)
        with pytest.raises(json.JSONDecodeError):
            openai_tool_call_to_python_code(tool_call("c0", "f", '{"a": '), {"f"}, None)

    @given(arguments=st.dictionaries(st.text(), JSON, max_size=3))
    def test_round_trip(self, arguments: dict[str, Any]) -> None:
        call = tool_call("c0", "f", json.dumps(arguments))
        code = openai_tool_call_to_python_code(call, {"f"}, None)
        assert python_code_to_openai_tool_call(code, None) == call
        assert python_code_to_openai_tool_call(code, "seen").function.name == "seen"

    def test_only_the_beginning_is_looked_at(self) -> None:
        call = python_code_to_openai_tool_call("i_parameters = {}\ni_response = f + whatever", None)
        assert (call.id, call.function.name, call.function.arguments) == ("i", "f", "{}")

    @pytest.mark.parametrize("code", ["end_conversation()", "a_parameters = {}\nb_response = f(**a_parameters)", ""])
    def test_other_layouts_are_refused(self, code: str) -> None:
        with pytest.raises(AssertionError):
            python_code_to_openai_tool_call(code, None)

    @pytest.mark.parametrize("literal", ["g()", "{'a': open('x')}", "{1, 2}", "b'x'", "{[]: 1}", "(" * 300])
    def test_other_arguments_are_refused(self, literal: str) -> None:
        with pytest.raises(ValueError):  # noqa: PT011 - any text will do
            python_code_to_openai_tool_call(f"i_parameters = {literal}\ni_response = f", None)

    def test_numbers_that_are_not_finite_survive(self) -> None:
        code = openai_tool_call_to_python_code(tool_call("c0", "f", '{"a": NaN, "b": [-Infinity]}'), {"f"}, None)
        assert code.splitlines()[0] == "c0_parameters = {'a': float('nan'), 'b': [float('-inf')]}"
        parsed = parse_tool_call(code)
        assert parsed is not None
        assert math.isnan(parsed.arguments["a"])
        assert parsed.arguments["b"] == [-math.inf]

    @pytest.mark.parametrize("payload", PAYLOADS)
    def test_ids_names_and_arguments_cannot_inject(self, payload: str) -> None:
        code = format_tool_call(payload, payload, {payload: payload})
        assert len(code.splitlines()) == 3
        parsed = parse_tool_call(code)
        assert parsed is not None
        assert parsed.complete
        assert parsed.arguments == {payload: payload}
        assert parsed.name.isidentifier()
        assert f"{parsed.prefix}_".isidentifier()

    @given(st.text())
    def test_prefix_is_deterministic_ascii_and_stable(self, call_id: str) -> None:
        prefix = call_prefix(call_id)
        assert prefix.isascii()
        assert f"{prefix}_parameters".isidentifier()
        assert call_prefix(prefix) == prefix


class TestLiterals:
    @given(JSON)
    def test_round_trip(self, value: Any) -> None:
        assert from_literal(to_literal(value)) == value

    @given(st.text(max_size=40))
    def test_no_text_does_more_than_raise_value_error(self, text: str) -> None:
        with contextlib.suppress(ValueError):
            from_literal(text)


class TestHistory:
    def test_every_pair(self) -> None:
        call = format_tool_call("c0", "f", {"a": 1})
        history, positions = to_openai_messages(
            [
                Message(SYSTEM, AGENT, "s"),
                Message(USER, AGENT, "u"),
                Message(AGENT, EE, call, openai_tool_call_id="c0", openai_function_name="f_0").with_text("One moment."),
                Message(AGENT, EE, format_tool_call("c1", "g", {})),
                Message(EE, AGENT, "1", openai_tool_call_id="c0", openai_function_name="f_0"),
                Message(EE, AGENT, "2", openai_tool_call_id="c1", openai_function_name="g"),
                Message(AGENT, USER, "a"),
            ]
        )
        assert positions == [[0], [1], [2, 3], [4], [5], [6]]
        assert history == [
            {"role": "system", "content": "s"},
            {"role": "user", "content": "u"},
            {
                "role": "assistant",
                "content": "One moment.",
                "tool_calls": [
                    {"id": "c0", "function": {"arguments": '{"a": 1}', "name": "f_0"}, "type": "function"},
                    {"id": "c1", "function": {"arguments": "{}", "name": "g"}, "type": "function"},
                ],
            },
            {"tool_call_id": "c0", "role": "tool", "name": "f_0", "content": "1"},
            {"tool_call_id": "c1", "role": "tool", "name": "g", "content": "2"},
            {"role": "assistant", "content": "a"},
        ]
        assert list(history[3]) == ["tool_call_id", "role", "name", "content"]

    def test_empty_and_silent(self) -> None:
        assert to_openai_messages([]) == ([], [])
        (turn,), _ = to_openai_messages([Message(AGENT, EE, format_tool_call("c0", "f", {}))])
        assert turn["content"] == ""

    def test_raw_call_id_is_shown_to_the_model(self) -> None:
        content = format_tool_call("call-1", "f", {})
        (turn,), _ = to_openai_messages([Message(AGENT, EE, content, openai_tool_call_id="call-1")])
        assert turn["tool_calls"][0]["id"] == "call-1"

    def test_typed_code_is_a_call_of_python(self) -> None:
        (turn,), _ = to_openai_messages([Message(AGENT, EE, "print(1)")])
        assert turn["tool_calls"][0]["function"] == {"arguments": '{"code": "print(1)"}', "name": "python"}

    def test_result_without_id_or_strangers_are_refused(self) -> None:
        with pytest.raises(AssertionError):
            to_openai_messages([Message(EE, AGENT, "1", openai_tool_call_id="c0")])
        with pytest.raises(ValueError, match="USER"):
            to_openai_messages([Message(USER, EE, "x")])


class TestConversation:
    @pytest.fixture
    def played(self) -> ExecutionContext:
        """A contact is added and the wifi turned off in parallel, then the user ends."""
        context = ExecutionContext(id_seed="seed")
        with new_context(context):
            BaseRole.add_messages(
                [
                    Message(USER, AGENT, "hint", visible_to=[USER]),
                    Message(USER, AGENT, "go"),
                    self.call("call-1", "add_contact", {"name": "Ann", "phone_number": "+12453344098"}).with_text(
                        "Hm."
                    ),
                    self.call("call-2", "set_wifi_status", {"on": False}),
                ]
            )
            ExecutionEnvironment().respond()
            BaseRole.add_messages([Message(AGENT, USER, "done"), Message(USER, EE, "end_conversation()")])
            ExecutionEnvironment().respond()
            from tool_sandbox.conversation.execution_context import get_current_context

            return get_current_context()

    @staticmethod
    def call(call_id: str, name: str, arguments: dict[str, Any]) -> Message:
        content = format_tool_call(call_id, name, arguments)
        return Message(AGENT, EE, content, openai_tool_call_id=call_id, openai_function_name=name)

    def milestone(self) -> Milestone:
        import polars as pl

        target = pl.DataFrame({"sender": "AGENT", "recipient": "USER", "content": "done"})
        return Milestone([SnapshotConstraint(DatabaseNamespace.SANDBOX, snapshot_similarity, target_dataframe=target)])

    def test_turns_updates_and_matches(self, played: ExecutionContext) -> None:
        milestone = self.milestone()
        # The call at 2, its parallel sibling at 3, and the final answer at 6.
        result = EvaluationResult(milestone_mapping={0: (3, 0.25), 1: (6, 1.0), 2: (8, 0.0)})  # type: ignore[arg-type]
        turns = serialize_to_conversation(played, result, [milestone] * 3, [])
        assert [turn["role"] for turn in turns] == ["user", "assistant", "tool", "tool", "assistant", "evaluation"]
        assert turns[1]["content"] == "Hm."
        assert [call["id"] for call in turns[1]["tool_calls"]] == ["call-1", "call-2"]
        (match,) = turns[1]["assistant_details"]["milestone_matches"]
        assert (match["milestone_index"], match["milestone_similarity"]) == (0, 0.25)
        assert set(match["milestone"]) == {
            "snapshot_constraints",
            "guardrail_database_list",
            "guardrail_database_exclusion_list",
        }
        (constraint,) = match["milestone"]["snapshot_constraints"]
        assert constraint["snapshot_constraint"] == "snapshot_similarity"
        assert constraint["target_dataframe"] == [{"sender": "AGENT", "recipient": "USER", "content": "done"}]
        update = turns[2]["tool_details"]["database_update"]
        assert update["CONTACT"][0]["name"] == "Ann"
        assert update["SETTING"][0]["wifi"] is False
        assert turns[4]["assistant_details"]["milestone_matches"][0]["milestone_index"] == 1
        (unplaced,) = turns[5]["evaluation_details"]["milestone_matches"]
        assert (unplaced["sandbox_message_index"], unplaced["milestone_index"]) == (8, 2)
        json.dumps(turns)

    def test_a_real_score_is_never_lost_to_typed_code(self) -> None:
        context = ExecutionContext()
        with new_context(context):
            BaseRole.add_messages([Message(AGENT, EE, "get_wifi_status()")])
            ExecutionEnvironment().respond()
            result = Evaluation().evaluate(context, max_turn_count=5)
            turns = serialize_to_conversation(context, result, [], [])
        assert turns[0]["tool_calls"][0]["function"]["name"] == "python"
        assert turns[1]["tool_call_id"] == turns[0]["tool_calls"][0]["id"]
        assert turns[1]["name"] == "python"

    def test_snapshots_by_index(self, played: ExecutionContext) -> None:
        snapshots = get_snapshot_indices_to_databases(played)
        assert set(snapshots) == {0, 4}
        assert set(snapshots[0]) >= {"SETTING"}
        assert snapshots[4][DatabaseNamespace.CONTACT]["name"].to_list() == ["Ann"]
        assert DatabaseNamespace.REMINDER not in snapshots[4]


class TestLangChain:
    HISTORY: ClassVar[list[dict[str, Any]]] = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": None},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c0", "function": {"name": "get_wifi_status", "arguments": "{}"}, "type": "x"}],
        },
        {"role": "tool", "tool_call_id": "c0", "name": "get_wifi_status", "content": "True"},
    ]

    def test_history_in_the_objects_of_langchain(self) -> None:
        history = copy.deepcopy(self.HISTORY)
        human, silent, calling, tool = openai_messages_to_langchain_messages(history)
        assert (type(human).__name__, human.content) == ("HumanMessage", "Hello")
        assert (type(silent).__name__, silent.content, silent.tool_calls) == ("AIMessage", "", [])
        assert [(call["id"], call["name"], call["args"]) for call in calling.tool_calls] == [
            ("c0", "get_wifi_status", {})
        ]
        assert history[3]["tool_calls"][0]["type"] == "function"
        assert (type(tool).__name__, tool.content, tool.tool_call_id) == ("ToolMessage", "True", "c0")

    def test_missing_package_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "langchain_core.messages", None)
        with pytest.raises(ConfigurationError, match=r"tool_sandbox\[langchain\]"):
            openai_messages_to_langchain_messages(self.HISTORY)
