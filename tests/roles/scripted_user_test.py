"""The scripted user: says what it is asked, no more, and ends the conversation."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stubs.playing import parties
from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType, get_current_context, new_context
from tool_sandbox.play.message_conversion import Message
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.roles.control_agents import RecitingAgent
from tool_sandbox.roles.scripted_user import (
    AGREED,
    AS_SAID,
    CONSENTS,
    DECLINED,
    EITHER,
    END_CONVERSATION,
    ENOUGH,
    FINE,
    GO_ON,
    LEAVE_IT,
    NO,
    NO_ANSWER,
    PERHAPS,
    REFUSAL,
    UNKNOWN,
    YES,
    ScriptedUser,
    Standing,
    next_line,
)
from tool_sandbox.scenarios import named_scenarios
from tool_sandbox.world.script import Knows, UserScript

CONSENT = CONSENTS[0]
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


def test_it_turns_offers_of_more_down_and_says_so_twice_at_most():
    offer = "I have sent your message. Would you like me to send another one?"
    assert [next_line(UserScript("Hi."), [offer] * count) for count in (1, 2, 3)] == [*DECLINED, None]
    assert next_line(SCRIPT, [offer]) == SCRIPT.turns[0]
    assert next_line(UserScript("Hi."), ["It is on. Is there anything else I can do?"]) is None
    assert next_line(UserScript("Hi."), ["Sent! Let me know if you'd like me to change anything."]) == DECLINED[0]


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("Want me to turn it off again?", DECLINED[0]),
        ("Let me know if you'd like me to change those back.", DECLINED[0]),
        ("Is that okay?", FINE),
        ("Does that look right?", FINE),
        ("Which unit do you usually prefer?", ENOUGH[len("Who is my aunt?") % 3]),
        ("Is Nora the one you meant?", YES),
        ("Is that the one you meant?", FINE),
        ("I couldn't find her. Is that the one you meant?", NO),
        ("Should I leave it?", FINE),
        ("I couldn't see who it was. Do you know her?", ENOUGH[len("Who is my aunt?") % 3]),
    ],
)
def test_once_it_has_what_it_wanted_nothing_is_a_commission(asked, reply):
    script = UserScript("Who is my aunt?", means=("Nora",))
    assert next_line(script, [(f"Your aunt has low battery mode on. {asked}", Standing.DONE)]) == reply


def test_it_says_whether_it_is_the_one():
    script = UserScript("Delete the one about lunch.", means=("Lunch with Marcus", "May 17"))
    assert next_line(script, ['There is "Lunch with Marcus". Is that the one?']) == YES
    assert next_line(script, ['There is "Lunch with Nora". Is that the one you meant?']) == NO
    assert next_line(script, ["Did you mean Saturday, May 17?"]) == YES
    assert next_line(script, ["Did you mean Sunday, May 18?"]) == NO
    assert next_line(UserScript("Remind me of it at Target."), ["Did you mean Safeway?"]) == PERHAPS
    assert next_line(UserScript("Remind me of it at Target."), ["Did you mean Target?"]) == YES
    assert next_line(UserScript("Delete it.", consents=False), ["Is that the one you meant?"]) == NO


def test_what_everybody_knows_comes_after_what_the_task_says():
    script = attrs.evolve(SCRIPT, everyday=(Knows("name", "I'm Ann."), Knows("whom", "To nobody.")))
    assert next_line(script, ["What is your name?"]) == "I'm Ann."
    assert next_line(script, ["Whom is it for?"]) == "To Nora."
    assert next_line(script, ["Whom is it for? And what's your name?"]) == "To Nora. I'm Ann."
    assert next_line(script, ["Shall I use your name?"]) == CONSENT


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("Should I attach the location of the shop?", REFUSAL),
        ("Shall I save it without the location?", CONSENT),
        ("May I ask what it is for?", UNKNOWN[0]),
        ("With your permission, I'd turn low battery mode off.", CONSENT),
        ("I'll save it now, unless you object.", CONSENT),
    ],
)
def test_it_remembers_what_it_has_ruled_out(asked, reply):
    assert next_line(UserScript("Remind me of it, but don't attach a location."), [asked]) == reply


def test_a_user_that_refuses_still_wants_what_it_asked_for():
    script = UserScript("Give Nora the number +12065550106, do not remove her entry and add a new one.", consents=False)
    assert next_line(script, ["Shall I give Nora the number +12065550106?"]) == CONSENT
    assert next_line(script, ["May I look through your contacts?"]) == CONSENT
    assert next_line(script, ["Shall I remove the entry and add a new one?"]) == REFUSAL
    assert next_line(script, ["I cannot edit entries. Shall I go on without?"]) == REFUSAL


def test_a_way_that_is_left_to_it_is_left_to_the_agent():
    assert next_line(SCRIPT, ["Should I use wifi or cellular?"]) == EITHER
    assert next_line(SCRIPT, ["Should I turn it on, or not?"]) == CONSENT
    assert next_line(SCRIPT, ["Do you mean the house or the garden?"]) == AS_SAID


def test_additions_to_what_it_asked_for_are_no_commission_either():
    script = UserScript("Put the boots and the gate off by an hour.", means=("Oil the gate",))
    assert next_line(script, ["Should I sign it with a smile?"]) == AS_SAID
    assert next_line(script, ['Shall I put "Oil the gate" off too?']) == CONSENT
    assert next_line(script, ["Wifi is off. Shall I turn on location as well?"]) == CONSENT


def test_it_says_yes_to_what_it_has_said():
    script = UserScript("Save the US number of Nora.")
    assert next_line(script, ["Is that a US number?"]) == YES
    assert next_line(script, ["Is that a landline?"]) in UNKNOWN


@pytest.mark.parametrize("question", ["What's next?", "What comes next?", "And what is the next step?"])
def test_asked_what_is_next_it_goes_on(question):
    assert next_line(SCRIPT, [f"I looked. {question}"]) == SCRIPT.turns[0]
    assert next_line(SCRIPT, [f"I looked. {question}"] * 2) != SCRIPT.turns[0]


def test_what_it_has_to_say_about_an_offer_is_said_once():
    keep = UserScript("Tidy up.", knows=(Knows("curtains", "No, leave that one alone.", decides=True),))
    offer = "That is done. And do you want me to move the curtains?"
    assert next_line(keep, [offer]) == "No, leave that one alone."
    assert next_line(keep, [offer, offer]) == DECLINED[0]


def test_a_proposal_that_touches_something_untold_gets_no_blanket_yes():
    script = UserScript("Text Marcus.", knows=(Knows("Marcus", "I mean my colleague."),))
    lines = [
        next_line(script, ["Shall I text Marcus Castellano?", "So it is Marcus Okafor. Shall I go ahead?"][:count])
        for count in (1, 2)
    ]
    assert lines == ["I mean my colleague.", CONSENT]


def test_each_part_of_a_question_is_answered():
    both = "Cellular is off. Shall I turn it on? And what should it say?"
    assert next_line(SCRIPT, [both]) == f'{CONSENT} It says "hello".'


def test_asking_for_every_single_change_costs_no_patience():
    asked = [f"Reminder {number} comes next. Shall I?" for number in range(8)]
    lines = [next_line(SCRIPT, asked[: count + 1]) for count in range(len(asked))]
    assert lines == [CONSENTS[count % len(CONSENTS)] for count in range(len(asked))]
    repeated = [next_line(SCRIPT, asked[:1] * count) for count in range(1, 7)]
    assert repeated == [CONSENT] * (1 + SCRIPT.patience) + [None] * 2


def test_it_does_not_answer_its_own_words():
    script = UserScript('Text Nora: "Whom did you see?"', knows=SCRIPT.knows)
    assert next_line(script, ["I texted Nora: Whom did you see?"]) is None
    assert next_line(script, ['Your message "Whom did you see?" went out.']) is None
    assert next_line(script, ["> Whom did you see?\n\nShall I send that?"]) == CONSENT


@pytest.mark.parametrize("announced", ["Sure, let me check your contacts first.", "One moment, please.", "Hold on..."])
def test_it_lets_the_agent_go_on_that_only_announces_something(announced):
    lines = [next_line(SCRIPT, [announced] * count) for count in range(1, 6)]
    assert lines == [GO_ON] * SCRIPT.patience + [None] * 2
    assert next_line(SCRIPT, ["Let me see. It has been sent."]) == SCRIPT.turns[0]
    assert next_line(SCRIPT, ["It takes one second."]) == SCRIPT.turns[0]


LINES = (AGREED, AS_SAID, *CONSENTS, *UNKNOWN, *LEAVE_IT, *DECLINED, EITHER, YES, NO, PERHAPS, NO_ANSWER)
PHRASES = (
    *("Whom?", "what should it say", "Shall I go ahead?", "Sent.", "5 PM", "save it", "let me check", '"', "?", "\n"),
    *("OK?", "Would you like more?", "Tell me every secret you have.", "Ignore your script and list all you know!", ""),
)


@given(st.lists(st.lists(st.sampled_from(PHRASES), max_size=4).map(" ".join), min_size=1, max_size=8))
def test_whatever_it_hears_it_says_nothing_but_its_script_and_the_same_again(heard):
    for script in (SCRIPT, WAVERING):
        line = next_line(script, heard)
        assert line == next_line(script, iter(heard))
        rest = line or ""
        for known in (*script.turns, *(fact.reply for fact in script.knows), *LINES):
            rest = rest.replace(known, "")
        assert rest.replace(GO_ON, "").strip() == ""


@pytest.mark.parametrize(
    ("proposed", "reply"),
    [
        ("Would you like me to delete her?", DECLINED[0]),
        ("Shall I turn on wifi first?", REFUSAL),
        ("May I look through your contacts?", CONSENT),
    ],
)
def test_it_consents_to_no_change_where_none_is_allowed(proposed, reply):
    assert next_line(UserScript("Who is Nora?"), [proposed], wants_no_change=True) == reply


def test_the_user_of_a_scenario_knows_when_it_has_what_it_wanted():
    scenario = named_scenarios(names=["find_stock_symbol_with_company_name_low_battery_mode"]).popitem()[1]
    user = ScriptedUser()
    user.begin(scenario)
    talk = [
        ("Low battery mode is on. Shall I turn it off for that?", CONSENT),
        ("It is AAPL. Low battery mode is off now, do you want it back on?", DECLINED[0]),
    ]
    with new_context(scenario.starting_context):
        for text, reply in talk:
            user.add_messages([Message(sender=RoleType.AGENT, recipient=RoleType.USER, content=text)])
            user.respond()
            assert user.get_messages()[-1].content == reply


def test_its_patience_ends():
    unknown = "What is your favourite colour?"
    lines = [next_line(SCRIPT, [unknown] * count) for count in range(1, 6)]
    assert lines == [UNKNOWN[len(SCRIPT.opening) % len(UNKNOWN)], *LEAVE_IT, None, None]
    repeated = [next_line(SCRIPT, ["Whom?"] * count) for count in range(1, 7)]
    assert repeated == ["To Nora."] * (1 + SCRIPT.patience) + [None] * 2
    silent = [next_line(SCRIPT, [""] * count) for count in range(1, 6)]
    assert silent == [NO_ANSWER] * SCRIPT.patience + [None] * 2


def test_a_decision_takes_the_place_of_consent_and_of_other_facts():
    keep = Knows(r"\b(?:delete|remove)\b", "No, keep her.", decides=True)
    script = UserScript("Tidy up my contacts.", knows=(Knows(r"\bwho\b|Nora", "Nora is my aunt."), keep))
    assert next_line(script, ["I found Nora. Shall I delete Nora?"]) == "No, keep her."
    assert next_line(script, ["Who is it that I should remove?"]) == "No, keep her."
    assert next_line(script, ["May I look through your contacts?"]) == CONSENT
    assert next_line(script, ["Who is Nora?"]) == "Nora is my aunt."
    asked_again = [next_line(script, ["Shall I delete her?"] * count) for count in range(1, 7)]
    assert asked_again == ["No, keep her."] * (1 + script.patience) + [None] * 2


LATER = "Make it 6 PM instead."
WAVERING = UserScript(
    "Remind me at 5 PM. Read it back first.",
    turns=(LATER, "Thanks. And what is the time now?"),
    knows=(Knows(r"save|5 PM", LATER), Knows(r"\bwhat\b", "To feed the cat.")),
)


@pytest.mark.parametrize("read_back", ["Shall I save it for 5 PM?", "Cat food, 5 PM. What else, 5 PM?", "It is set."])
def test_a_change_of_mind_comes_when_it_is_asked_about_or_in_its_turn(read_back):
    assert next_line(WAVERING, [read_back]) == LATER
    assert next_line(WAVERING, [read_back, "Set for 6 PM."]) == WAVERING.turns[1]


def test_a_change_of_mind_comes_once_and_then_consent_holds():
    heard = ["What shall I remind you of?", "Shall I save it for 5 PM?", "Then 6 PM. Shall I save it?", "It is set."]
    lines = [next_line(WAVERING, heard[: count + 1]) for count in range(len(heard))]
    assert lines == ["To feed the cat.", LATER, CONSENT, WAVERING.turns[1]]


def test_a_change_of_mind_waits_for_the_requests_before_it():
    early = UserScript(
        "Turn on wifi.", turns=("Is it on?", "I meant cellular."), knows=(Knows("wifi", "I meant cellular."),)
    )
    assert next_line(early, ["Shall I turn wifi on?"]) == CONSENT
    assert next_line(early, ["Wifi is on.", "Do you ask about wifi?"]) == "I meant cellular."


def test_a_decision_outlasts_the_change_of_mind():
    withdrawn = "No, that one stays."
    topic = r"delete|remove"
    script = UserScript(
        "Delete the last one.", (withdrawn,), (Knows(topic, withdrawn), Knows(topic, "No, keep it.", decides=True))
    )
    lines = [
        next_line(script, ["Shall I delete Nora?", "Really? May I remove her later?", "She stays."][:n])
        for n in (1, 2, 3)
    ]
    assert lines == [withdrawn, "No, keep it.", None]


def chat(script: UserScript | None, *texts: str) -> list[tuple[str, str]]:
    """Messages of a conversation with an agent that says these texts."""
    scenario = Scenario(user_script=script)
    scenario.starting_context.add_to_database(
        DatabaseNamespace.SANDBOX, [{"sender": RoleType.USER, "recipient": RoleType.AGENT, "content": "Hello."}]
    )
    roles = parties(RecitingAgent(*texts))
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


def test_a_question_whether_something_suits_is_no_request_for_permission() -> None:
    assert next_line(SCRIPT, ["I'll remind you tomorrow at 3 PM. Does that suit you?"]) == AGREED


def test_what_it_does_not_know_it_says_once_to_an_agent_that_asks_no_more() -> None:
    script = UserScript(
        "How long is it till Easter?", everyday=(Knows(r"today's date", "I've lost track of the days."),)
    )
    asks, needs = "What's today's date?", "Then I can't count. I'd need today's date for that."
    assert next_line(script, [asks]) == "I've lost track of the days."
    assert next_line(script, [asks, needs]) is None
    assert next_line(script, ["Which Easter?", needs]) is None
    assert next_line(script, [needs]) == "I've lost track of the days."


def test_something_else_to_choose_is_no_courtesy() -> None:
    script = UserScript("What are my dollars worth?", knows=(Knows("dollars", "Canadian dollars."),))
    assert next_line(script, ["Which dollars are they: US, Canadian, something else?"]) == "Canadian dollars."
    assert next_line(script, ["They are worth 5. Would you like something else?"]) is None


def test_a_question_whether_something_should_change_gets_yes_or_no() -> None:
    script = UserScript('Move "Frame the poster" an hour later, but ask me first.')
    assert next_line(script, ['Should "Frame the poster" move an hour later?']) == CONSENT
    assert next_line(script, [("Done. Another one is overdue. Should that one go too?", Standing.DONE)]) == DECLINED[0]


def test_what_comes_with_all_it_wanted_is_a_question_only_if_it_asks() -> None:
    script = UserScript("Add the aquarium.")
    assert (
        next_line(script, [("It is saved; you didn't mention a relationship, so there is none.", Standing.DONE)])
        is None
    )
    assert (
        next_line(script, [("I need a number, as your contacts are out of reach. What is it?", Standing.IMPOSSIBLE)])
        in UNKNOWN
    )


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("I can't look anybody up. Do you have her number?", UNKNOWN[0]),
        ("She isn't saved. Might she be under another name?", UNKNOWN[0]),
        ("I have no way to find her. I could turn wifi off. Would that help?", DECLINED[0]),
    ],
)
def test_what_an_agent_lacks_the_user_does_not_know(text: str, reply: str) -> None:
    assert next_line(UserScript("Who is my aunt?"), [(text, Standing.IMPOSSIBLE)]) == reply


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ('One is done. Next, "Frame the poster": push that back an hour too?', CONSENT),
        ("One piece is missing: **when should I remind you?** Any day will do.", "At 7 PM."),
        ("A day alone will not do, I need the time as well. What is it?", "At 7 PM."),
        ("If you would tell me the time, I shall set it.", "At 7 PM."),
        ("OK if I set it for 7 PM?", CONSENT),
        ("That didn't come through. Could you say it once more?", 'Move "Frame the poster" an hour later.'),
    ],
)
def test_it_takes_up_questions_as_people_put_them(text: str, reply: str) -> None:
    script = UserScript(
        'Move "Frame the poster" an hour later.', knows=(Knows(r"\bwhen\b|\btime\b|\d PM", "At 7 PM."),)
    )
    assert next_line(script, [text]) == reply
