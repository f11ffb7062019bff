"""What all roles share."""

import json

import pytest

from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    ScenarioCategories,
    new_context,
)
from tool_sandbox.conversation.messages import Message, parse_tool_call, tool_call_as_seen
from tool_sandbox.roles.base_role import BaseRole

AGENT, USER, SYSTEM, EE = RoleType.AGENT, RoleType.USER, RoleType.SYSTEM, RoleType.EXECUTION_ENVIRONMENT


class Agent(BaseRole):
    role_type = AGENT


class User(BaseRole):
    role_type = USER


class TestLog:
    def test_messages_come_back_as_they_went_in(self) -> None:
        messages = [
            Message(SYSTEM, AGENT, "s"),
            Message(USER, AGENT, "u", conversation_active=True, visible_to=["USER"]),
            Message(EE, AGENT, "x", True, "id", "name", "ValueError: x", ['{"a": 1}', "b"], [AGENT]),
        ]
        with new_context(ExecutionContext()):
            BaseRole.add_messages([])
            assert BaseRole.get_messages() == []
            BaseRole.add_messages(messages[:1])
            BaseRole.add_messages(messages[1:])
            back = BaseRole.get_messages()
            assert [message.content for message in BaseRole.get_messages(1)] == ["s", "u"]
        assert back[1:] == messages[1:]
        assert back[0].conversation_active is True
        assert all(type(name) is str for message in back for name in message.visible_to or ())
        assert back[2].sender is EE

    def test_row_without_visibility_is_visible_to_both_parties(self) -> None:
        context = ExecutionContext()
        context.add_to_database(
            DatabaseNamespace.SANDBOX, [{"sender": "USER", "recipient": "AGENT", "content": "hi", "visible_to": None}]
        )
        with new_context(context):
            assert BaseRole.get_messages()[0].visible_to == [USER, AGENT]

    def test_text_beside_a_call_is_kept_with_the_world(self) -> None:
        context = ExecutionContext()
        with new_context(context):
            BaseRole.add_messages([Message(USER, AGENT, "u"), Message(AGENT, EE, "x").with_text("thinking")])
            fork = context.fork()
            BaseRole.add_messages([Message(EE, AGENT, "y")])
        assert context.message_texts == {1: "thinking"}
        with new_context(ExecutionContext.from_dict(json.loads(json.dumps(fork.to_dict(serialize_console=False))))):
            assert [message.text for message in BaseRole.get_messages()] == [None, "thinking"]

    def test_lone_surrogates_of_a_model_are_no_error(self) -> None:
        with new_context(ExecutionContext()):
            BaseRole.add_messages([Message(AGENT, USER, "a\ud800b", openai_function_name="\udfff").with_text("\ud800")])
            (message,) = BaseRole.get_messages()
        assert (message.content, message.openai_function_name, message.text) == ("a?b", "?", "?")

    def test_validation_and_filter(self) -> None:
        messages = [Message(SYSTEM, USER, "s"), Message(USER, AGENT, "u")]
        Agent.messages_validation(messages)
        with pytest.raises(KeyError):
            User.messages_validation(messages)
        with pytest.raises(IndexError):
            Agent.messages_validation([])
        assert Agent.filter_messages(messages) == messages[1:]
        assert User.filter_messages(messages) == messages

    def test_hooks(self) -> None:
        role = Agent()
        role.reset()
        role.teardown()
        assert BaseRole.role_type is None
        with pytest.raises(NotImplementedError):
            role.respond()


class TestTools:
    def test_each_role_sees_its_own(self) -> None:
        context = ExecutionContext(tool_allow_list=["search_contacts", "end_conversation", "add_contact"])
        context.tool_deny_list = ["add_contact"]
        context.tool_augmentation_list = [ScenarioCategories.TOOL_NAME_SCRAMBLED]
        with new_context(context):
            assert list(Agent.get_available_tools()) == ["contact_3"]
            assert list(User.get_available_tools()) == ["end_conversation"]
            assert BaseRole.get_available_tools() == {}


class TestToolCallMessage:
    def test_call_of_an_offered_tool(self) -> None:
        context = ExecutionContext(tool_augmentation_list=[ScenarioCategories.TOOL_NAME_SCRAMBLED])
        with new_context(context):
            message = Agent.tool_call_message("call-1", "contact_3", '{"name": "Ann"}')
        call = parse_tool_call(message.content)
        assert call is not None
        assert (call.name, call.arguments) == ("search_contacts", {"name": "Ann"})
        assert (message.openai_tool_call_id, message.openai_function_name) == ("call-1", "contact_3")
        assert (message.sender, message.recipient) == (AGENT, EE)

    @pytest.mark.parametrize("name", ["search_contacts", "end_conversation", "no such; tool", "hallucinated"])
    def test_other_names_never_reach_a_tool(self, name: str) -> None:
        context = ExecutionContext(tool_augmentation_list=[ScenarioCategories.TOOL_NAME_SCRAMBLED])
        with new_context(context):
            message = Agent.tool_call_message("c", name, "{}")
        call = parse_tool_call(message.content)
        assert call is not None
        assert call.name not in context.name_to_tool
        assert message.openai_function_name == name

    def test_scrambled_arguments_are_translated_both_ways(self) -> None:
        context = ExecutionContext(tool_augmentation_list=[ScenarioCategories.ARG_NAME_SCRAMBLED])
        with new_context(context):
            message = Agent.tool_call_message("c", "add_contact", '{"arg_0": "Ann", "phone_number": "+1", "x": 2}')
            call, seen = parse_tool_call(message.content), tool_call_as_seen(message)
            assert call is not None
            assert seen is not None
            # The real name, which the agent was not shown, is as unknown as any other.
            assert call.arguments == {"name": "Ann", "phone_number_": "+1", "x_": 2}
            assert seen.arguments == {"arg_0": "Ann", "phone_number_": "+1", "x_": 2}

    @pytest.mark.parametrize("arguments", ["", "{", "[" * 100_000, "{'a': 1}"])
    def test_broken_json_is_kept_as_text(self, arguments: str) -> None:
        with new_context(ExecutionContext()):
            call = parse_tool_call(Agent.tool_call_message("c", "get_wifi_status", arguments).content)
        assert call is not None
        assert call.arguments == arguments
