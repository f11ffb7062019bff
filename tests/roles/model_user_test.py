"""The user that a model plays: what it is told, what becomes of its replies, and how it ends a conversation."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.loopback import gemini as gemini_server
from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.completions import CompletionsDialect
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.openai_responses import OpenAIResponsesDialect
from tests.loopback.server import Answer, Broken, Heard, Move, serve
from tests.stubs.playing import parties, rows_of
from tool_sandbox.conversation.demonstrations import Demonstration
from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType, get_current_context
from tool_sandbox.fidelity import audit
from tool_sandbox.models.anthropic_messages import AnthropicMessages
from tool_sandbox.models.calling import RetryPolicy
from tool_sandbox.models.completions import Completions
from tool_sandbox.models.faults import ProviderError
from tool_sandbox.models.gemini import Gemini
from tool_sandbox.models.openai_chat import OpenAIChat
from tool_sandbox.models.openai_responses import OpenAIResponses
from tool_sandbox.models.provider import Endpoint
from tool_sandbox.play.message_conversion import Message
from tool_sandbox.play.scenario import Scenario, ScenarioExtension
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.control_agents import RecitingAgent
from tool_sandbox.roles.model_user import SILENCE, ModelUser, is_end_as_text
from tool_sandbox.roles.openai_api_user import (
    GPT_4_0125_User,
    GPT_4_o_2024_05_13_User,
    OpenAIAPIUser,
)
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios import USER_INSTRUCTION, get_scenario, named_scenarios
from tool_sandbox.scenarios.user_simulator_few_shot_examples import named_user_simulator_few_shot_examples
from tool_sandbox.world.errors import ConfigurationError, UserError

KEY = "sk-test-0123456789abcdef"
NAME = "remove_contact_by_phone_multiple_user_turn"
END = Answer("", (("end_conversation", {}),))
ASK = "Whom should I remove?"


class Played:
    """A conversation, and what the server of the user's model saw of it."""

    def __init__(self, rows: list[dict[str, Any]], heard: list[Heard], error: Exception | None, user: ModelUser):
        self.rows, self.heard, self.error, self.user = rows, heard, error, user
        self.said = [row["content"] for row in rows if (row["sender"], row["recipient"]) == ("USER", "AGENT")][1:]
        self.calls = [row for row in rows if row["sender"] == "USER" and row["recipient"] == "EXECUTION_ENVIRONMENT"]
        self.is_over = rows[-1]["conversation_active"] is False


def rows() -> Iterator[dict[str, Any]]:
    for _, table in get_current_context().get_history(DatabaseNamespace.SANDBOX):
        yield from table.dicts()


def play(
    moves: list[Move] | Callable[[Heard], Move],
    agent: BaseRole | None = None,
    scenario: Scenario | None = None,
    make: Callable[[str], ModelUser] | None = None,
) -> Played:
    """Plays a scenario with a user behind a server that answers as told."""
    scenario = scenario or get_scenario(NAME)
    with serve(OpenAIChatDialect(templated=True), moves) as server:
        policy = RetryPolicy(retries=1, sleep=lambda _: None)
        url = f"{server.url}/v1"
        user = make(url) if make else ModelUser(OpenAIChat("gpt-test", {}, Endpoint(url, KEY, 10.0)), policy)
        roles = parties(agent or RecitingAgent(ASK, "Done, the contact has been removed."), user)
        error = None
        try:
            user.begin(scenario)
            error = scenario._converse(roles, scenario.name)
        except ProviderError as fault:
            error = fault
        return Played(list(rows()), [seen.heard for seen in server.seen if seen.heard], error, user)


def test_it_says_its_texts_and_ends_through_its_tool() -> None:
    played = play([Answer("the one with +12125550104"), END])
    assert played.said == ["the one with +12125550104"]
    assert played.is_over
    (call,) = played.calls
    assert call["content"].splitlines()[1:] == [
        "end_5_response = end_conversation(**end_5_parameters)".replace("end_5", call["content"].split("_param")[0]),
        f"print(repr({call['content'].split('_param')[0]}_response))",
    ]
    assert (call["openai_tool_call_id"], call["openai_function_name"]) == (None, None)
    assert [record.stop for record in played.user.session.calls] == ["end", "tool_use"]
    assert played.user.session.party == "user"


def test_the_model_is_told_its_brief_in_one_text_and_sees_the_roles_inverted() -> None:
    played = play([Answer("+12125550104"), END])
    first, second = played.heard
    (system,) = [message["content"] for message in first.body["messages"] if message["role"] == "system"]
    assert system == second.system
    assert system.count(USER_INSTRUCTION) == 1
    brief = next(row["content"] for row in played.rows if (row["sender"], row["recipient"]) == ("SYSTEM", "USER"))
    assert system.endswith(brief)
    opening = get_scenario(NAME).user_script.opening
    assert [(turn.role, turn.text) for turn in second.turns[1:]] == [
        ("assistant", opening),
        ("user", ASK),
        ("assistant", "+12125550104"),
        ("user", "Done, the contact has been removed."),
    ]
    assert second.turns[0].role == "user"
    assert first.tools == second.tools == ("end_conversation",)


def test_demonstrations_are_shown_to_their_closing_call() -> None:
    system = play([END]).heard[0].system
    examples = named_user_simulator_few_shot_examples()
    send = "send_message_with_contact_content_cellular_off_multiple_user_turn"
    for name in (send, NAME):
        for row in examples[name][1:-1]:
            assert row["content"] in system
    assert system.count("User calls a tool: end_conversation()\n</example>") == 2
    other = play([END], scenario=get_scenario("wifi_off")).heard[0].system
    assert other.count("<example>") == 1
    assert examples[send][1]["content"] in other


def test_the_model_never_sees_what_the_user_does_not_see() -> None:
    scenario = get_scenario("search_phone_number_with_name")
    played = play([END], OracleAgent(), scenario)
    results = [row["content"] for row in played.rows if row["sender"] == "EXECUTION_ENVIRONMENT"]
    assert any("phone_number" in result for result in results)
    sent = json.dumps([heard.body for heard in played.heard])
    assert "person_id" not in sent
    assert "You are the assistant on your user's phone" not in sent
    assert "tool_call_id" not in sent


def in_band(scenario: Scenario) -> Scenario:
    """The scenario as other packages write theirs: demonstrations in the message log, for the user's eyes."""
    examples = list(named_user_simulator_few_shot_examples().values())[:2]
    context = scenario.starting_context
    original = rows_of(context)
    kept = ("sender", "recipient", "content", "visible_to")
    plain = [{name: row[name] for name in kept} for row in original]
    extended = ScenarioExtension("copy", Scenario(name="copy"), [*plain[:2], *examples[0], *examples[1], *plain[2:]])
    copy = extended.get_extended_scenario()["copy"]
    copy.starting_context.tool_allow_list = ["end_conversation"]
    return copy


def test_demonstrations_in_the_message_log_go_into_the_one_text() -> None:
    played = play([Answer("+12125550104"), END], scenario=in_band(get_scenario(NAME)))
    system = played.heard[1].system
    assert system.count("<example>") == 2
    assert system.count(USER_INSTRUCTION) == 1
    examples = list(named_user_simulator_few_shot_examples().values())
    for example in examples[:2]:
        assert example[0]["content"].removeprefix(USER_INSTRUCTION) in system
    assert [turn.role for turn in played.heard[1].turns] == ["user", "assistant", "user", "assistant", "user"]
    assert played.is_over
    assert audit(get_current_context()) == []


@pytest.mark.parametrize(
    "text",
    [
        "end_conversation()",
        "`end_conversation()`",
        "```\nend_conversation()\n```",
        "Great, thanks! end_conversation()",
        "That's all, bye.\n\nend_conversation",
        '{"name": "end_conversation", "arguments": {}}',
        '<tool_call>{"name": "end_conversation", "arguments": {}}</tool_call>',
        "print(end_conversation())",
        "functions.end_conversation({})",
        "*calls end_conversation*",
        "[end conversation]",
        "*ends the conversation*",
        "END_CONVERSATION",
        "I will call end_conversation now.",
        "I don't need more. end_conversation()",
        "<thinking>It says it is done.</thinking>end_conversation()",
    ],
)
def test_a_call_written_as_text_ends_the_conversation(text) -> None:
    played = play([Answer(text)])
    assert played.is_over
    assert played.said == []
    assert len(played.heard) == 1
    (index, kept), *_ = get_current_context().message_texts.items()
    assert kept in text
    assert played.rows[index] == played.calls[0]


@pytest.mark.parametrize(
    "text",
    [
        "Don't end the conversation yet, please.",
        "I won't call end_conversation yet, it isn't done.",
        "I will use end_conversation once you are done.",
        "Let's end this soon.",
        "Is that the end of it?",
        "We had a long conversation about it, in the end.",
    ],
)
def test_a_mention_of_the_end_is_no_end(text) -> None:
    assert not is_end_as_text(text)


@pytest.mark.parametrize("calls", [(("end_conversation", {"reason": "done"}),), (("end_conversation", "oops{"),)])
def test_odd_arguments_do_not_keep_it_from_ending(calls) -> None:
    played = play([Answer("Thank you!", calls)])
    assert played.is_over
    assert played.said == []
    assert get_current_context().message_texts == {played.rows.index(played.calls[0]): "Thank you!"}


def test_other_calls_beside_the_end_or_a_text_are_left_out() -> None:
    odd = ("send_message_with_phone_number", {"phone_number": "+1", "content": "x"})
    played = play([Answer("Remove +12125550104.", (odd,)), Answer("", (odd, ("end_conversation", {})))])
    assert played.said == ["Remove +12125550104."]
    assert played.is_over
    assert len(played.calls) == 1
    assert "send_message" not in json.dumps(played.heard[1].body["messages"][1:])


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (Answer(""), "was empty"),
        (Answer("   \n"), "was empty"),
        (Answer("<think>I should say something.</think>"), "was empty"),
        (Answer("", (("set_wifi_status", {"on": True}),)), "called 'set_wifi_status'"),
        (Answer("", stop="length"), "was cut off"),
        (Answer("", (("end_conversation", {}),), stop="length"), "was cut off"),
    ],
)
def test_a_reply_without_words_is_asked_for_once_more_and_then_given_up(first, reason) -> None:
    played = play([first, Answer("+12125550104"), END])
    assert played.said == ["+12125550104"]
    assert reason in played.heard[1].system
    assert reason not in played.heard[2].system
    lost = play([first])
    assert isinstance(lost.error, UserError)
    assert reason in str(lost.error)
    assert "\n" not in str(lost.error)
    assert len(lost.heard) == 2
    assert lost.rows[-1]["content"] == ASK


def test_a_text_that_was_cut_off_is_said() -> None:
    assert play([Answer("The one with the number", stop="length"), END]).said == ["The one with the number"]


def test_thoughts_in_a_text_are_not_said() -> None:
    assert play([Answer("<think>The secret is 42.</think>\nI don't know."), END]).said == ["I don't know."]


@pytest.mark.parametrize(
    ("move", "words"),
    [
        (Answer("", refusal="I can't take part in that."), "I can't take part"),
        (Answer("", stop="content_filter"), "declines to play the user"),
        (Broken(400, "context_length_exceeded", "maximum context length is 8192 tokens"), "context"),
        (Broken(400, "content_filter", "The prompt was filtered"), "filter"),
    ],
)
def test_a_user_that_cannot_go_on_says_so_in_one_line(move, words) -> None:
    played = play([move])
    assert isinstance(played.error, UserError)
    assert words in str(played.error)
    assert "\n" not in str(played.error)
    assert len(played.heard) == 1


def test_a_fault_of_the_provider_is_not_the_users() -> None:
    played = play([Broken(500)])
    assert isinstance(played.error, ProviderError)
    assert len(played.heard) == 2


def test_silence_of_the_agent_is_shown_as_such() -> None:
    played = play([END], RecitingAgent(""))
    assert played.heard[0].turns[-1].text == SILENCE
    assert played.is_over


def test_a_new_conversation_brings_its_own_demonstrations() -> None:
    user = ModelUser(OpenAIChat("gpt-test", {}, Endpoint("http://127.0.0.1:9/v1", KEY)))
    user.begin(Scenario(demonstrations=(Demonstration("T", ("a", "b")),)))
    user.begin(Scenario())
    assert user._demonstrations == ()


# Published classes ---------------------------------------------------------------------------------------------


def test_the_published_user_plays(monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    played = play([Answer("+12125550104"), END], make=lambda url: OpenAIAPIUser("gpt-4-0125-preview", base_url=url))
    assert played.is_over
    assert played.heard[0].model == "gpt-4-0125-preview"
    assert [turn.role for turn in played.heard[1].turns] == ["assistant", "user", "assistant", "user"]


def test_an_override_of_model_inference_sees_every_request(monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    sent = []

    class Watched(OpenAIAPIUser):
        model_name = "gpt-test"

        def model_inference(self, openai_messages, openai_tools=()):
            sent.append((openai_messages, openai_tools))
            return super().model_inference(openai_messages=openai_messages, openai_tools=openai_tools)

    played = play([Answer("+12125550104"), END], make=lambda url: Watched(base_url=url))
    assert played.is_over
    assert [messages[0]["role"] for messages, _ in sent] == ["system", "system"]
    assert sent[0][1][0]["function"]["name"] == "end_conversation"


def test_published_users_need_a_key_and_a_model_that_is_served(monkeypatch) -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        GPT_4_o_2024_05_13_User(base_url="http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(ConfigurationError, match="retired"):
        GPT_4_0125_User()
    with pytest.raises(ConfigurationError, match="model_name"):
        OpenAIAPIUser()


def test_the_published_conversion() -> None:
    def message(sender: RoleType, recipient: RoleType, content: str) -> Message:
        return Message(sender=sender, recipient=recipient, content=content)

    messages = [
        message(RoleType.SYSTEM, RoleType.USER, "Play."),
        message(RoleType.USER, RoleType.AGENT, "Hi."),
        message(RoleType.AGENT, RoleType.USER, "Hello."),
        message(RoleType.USER, RoleType.EXECUTION_ENVIRONMENT, "end_conversation()"),
        message(RoleType.EXECUTION_ENVIRONMENT, RoleType.USER, "None"),
    ]
    assert OpenAIAPIUser.to_openai_messages(messages) == [
        {"role": "system", "content": "Play."},
        {"role": "assistant", "content": "Hi."},
        {"role": "user", "content": "Hello."},
    ]
    with pytest.raises(ValueError, match="AGENT to EXECUTION_ENVIRONMENT"):
        OpenAIAPIUser.to_openai_messages([message(RoleType.AGENT, RoleType.EXECUTION_ENVIRONMENT, "x")])


def test_demonstrations_are_no_part_of_the_message_log() -> None:
    for scenario in named_scenarios(names=[NAME, "wifi_off"]).values():
        assert scenario.starting_context.max_sandbox_message_index == 3
        assert scenario.demonstrations


# Every provider ------------------------------------------------------------------------------------------------

PROVIDERS = {
    "anthropic": (AnthropicDialect, AnthropicMessages, "claude-haiku-4-5", {}, ""),
    "google": (gemini_server.Gemini, Gemini, "gemini-3-pro", {}, ""),
    "openai": (OpenAIResponsesDialect, OpenAIResponses, "gpt-test", {}, "/v1"),
    **{
        form: (lambda form=form: CompletionsDialect(form), Completions, "m-1", {"format": form}, "/v1")
        for form in ("hermes", "gorilla", "mistral", "cohere")
    },
}


@pytest.mark.parametrize("name", PROVIDERS)
def test_every_provider_can_play_the_user(name) -> None:
    dialect, provider, model, settings, path = PROVIDERS[name]
    scenario = get_scenario(NAME)
    with serve(dialect(), [Answer(""), Answer("the one with +12125550104"), END]) as server:
        endpoint = Endpoint(f"{server.url}{path}", gemini_server.KEY if name == "google" else KEY, 10.0)
        user = ModelUser(provider(model, settings, endpoint), RetryPolicy(retries=0))
        roles = parties(RecitingAgent(ASK, "Done, the contact has been removed."), user)
        context = scenario.play(roles, scenario.name)
        assert len(server.seen) == 3
    assert context.get_table(DatabaseNamespace.SANDBOX).column("conversation_active")[-1] is False
    assert audit(context, scenario.user_script) == []
