"""The scripted user: says what it is asked, no more, and ends the conversation."""

import pytest

from tool_sandbox.common.execution_context import DatabaseNamespace, RoleType, get_current_context, new_context
from tool_sandbox.common.message_conversion import Message
from tool_sandbox.common.scenario import Scenario
from tool_sandbox.common.script import Knows, UserScript
from tool_sandbox.roles.control_agents import RecitingAgent
from tool_sandbox.roles.execution_environment import ExecutionEnvironment
from tool_sandbox.roles.scripted_user import CONSENT, END_CONVERSATION, NO_ANSWER, REFUSAL, ScriptedUser, next_line

SCRIPT = UserScript(
    "I want to send a text.",
    turns=("And now read it to me.",),
    knows=(Knows(r"\bwhom?\b|recipient", "To Nora."), Knows(r"\bsay\b|words", 'It says "hello".')),
)


def test_it_opens_and_goes_on_once_it_has_an_answer():
    assert next_line(SCRIPT, []) == SCRIPT.opening
    assert next_line(SCRIPT, ["Your message has been sent."]) == SCRIPT.turns[0]
    assert next_line(SCRIPT, ["Your message has been sent.", "It says hello."]) is None


def test_it_reveals_only_what_it_is_asked_for():
    assert next_line(SCRIPT, ["Whom is it for?"]) == "To Nora."
    assert next_line(SCRIPT, ["What should it say?"]) == 'It says "hello".'
    assert next_line(SCRIPT, ["To whom, and what should it say?"]) == 'To Nora. It says "hello".'
    assert next_line(SCRIPT, ["I sent it to the recipient and it will say hello."]) == SCRIPT.turns[0]


def test_it_consents_or_refuses_when_asked_for_permission():
    question = "Cellular is off. May I turn it on?"
    assert next_line(SCRIPT, [question]) == CONSENT
    assert next_line(UserScript("Hi.", consents=False), [question]) == REFUSAL
    assert next_line(SCRIPT, ["Cellular is off. Would you like me to turn it on?"]) == CONSENT


def test_it_does_not_take_up_offers_of_more():
    offer = "I have sent your message. Would you like me to send another one?"
    assert next_line(UserScript("Hi."), [offer]) is None
    assert next_line(UserScript("Hi."), ["It is on. Is there anything else I can do?"]) is None


def test_its_patience_ends():
    unknown = "What is your favourite colour?"
    lines = [next_line(SCRIPT, [unknown] * count) for count in range(1, 6)]
    assert lines == [SCRIPT.unknown_reply] * SCRIPT.patience + [None] * 2
    repeated = [next_line(SCRIPT, ["Whom?"] * count) for count in range(1, 7)]
    assert repeated == ["To Nora."] * (1 + SCRIPT.patience) + [None] * 2
    silent = [next_line(SCRIPT, [""] * count) for count in range(1, 6)]
    assert silent == [NO_ANSWER] * SCRIPT.patience + [None] * 2


def chat(script: UserScript | None, *texts: str) -> list[tuple[str, str]]:
    """Messages of a conversation with an agent that says these texts."""
    scenario = Scenario(user_script=script)
    scenario.starting_context.add_to_database(
        DatabaseNamespace.SANDBOX, [{"sender": RoleType.USER, "recipient": RoleType.AGENT, "content": "Hello."}]
    )
    roles = {
        RoleType.USER: ScriptedUser(),
        RoleType.AGENT: RecitingAgent(*texts),
        RoleType.EXECUTION_ENVIRONMENT: ExecutionEnvironment(),
    }
    with new_context(scenario.starting_context):
        context = scenario.play(roles, "chat")
    history = context.get_history(DatabaseNamespace.SANDBOX)
    return [(row["sender"], row["content"]) for _, table in history for row in table.dicts()]


def test_it_ends_the_conversation_through_the_execution_environment():
    messages = chat(SCRIPT, "Whom?", "It is done.", "It says hello.")
    assert messages[1:-1] == [
        ("AGENT", "Whom?"),
        ("USER", "To Nora."),
        ("AGENT", "It is done."),
        ("USER", SCRIPT.turns[0]),
        ("AGENT", "It says hello."),
        ("USER", END_CONVERSATION),
    ]
    assert messages[-1][0] == "EXECUTION_ENVIRONMENT"


def test_without_a_script_it_ends_after_the_first_reply():
    messages = chat(None, "Whom do you mean?")
    assert messages[1:3] == [("AGENT", "Whom do you mean?"), ("USER", END_CONVERSATION)]


def test_its_state_is_in_the_messages_alone():
    user = ScriptedUser()
    user.begin(Scenario(user_script=SCRIPT))
    talk = [
        Message(sender=RoleType.USER, recipient=RoleType.AGENT, content=SCRIPT.opening),
        Message(sender=RoleType.AGENT, recipient=RoleType.USER, content="Whom?"),
        Message(sender=RoleType.USER, recipient=RoleType.AGENT, content="To Nora."),
        Message(sender=RoleType.AGENT, recipient=RoleType.USER, content="It is done."),
    ]
    with new_context(Scenario().starting_context):
        user.add_messages(talk)
        fork = get_current_context().fork()
        for context in (get_current_context(), fork):
            with new_context(context):
                user.respond()
                assert user.get_messages()[-1].content == SCRIPT.turns[0]


def test_it_only_answers_messages_to_the_user():
    user = ScriptedUser()
    with new_context(Scenario().starting_context):
        user.add_messages([Message(sender=RoleType.USER, recipient=RoleType.AGENT, content="Hello.")])
        with pytest.raises(KeyError):
            user.respond()


@pytest.mark.parametrize(
    "phrase", ["Whom? ", "let me know ", "Do you want it? ", "It is done. ", "I have sent ", "?", "\n"]
)
def test_an_endless_answer_does_not_stall_it(phrase):
    line = next_line(SCRIPT, [phrase * 20_000])
    assert line is None or isinstance(line, str)
