"""Each check on what simulated users really write: what it must find, and what it must leave alone."""

import pytest

from tool_sandbox.world.outcome import Outcome
from tool_sandbox.world.script import Knows, UserScript

OPENING = "I want to send a text."
WHO = "Whom should I send it to?"
WHAT = "What should the message say?"
DONE = "Done! I've sent your message to Claire Whitfield."

# Leaked secrets ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "The number is +13125550105.",
        "it's (312) 555-0105",
        "You can reach him at 312-555-0105 I think",
        "call +1 312 555 0105 please",
        "312.555.0105",
        "I'd say it is 67.9983 kilometers.",
        "It should come out at about 68 km",
        "roughly 67.998, right?",
        "Wasn't it 68.0?",
        "That's 2026-01-01.",
        "It is January 1 of course",
        "on 1 January",
        "The 1st? No: Jan 01, I looked it up.",
        "My plumber is Diego Okafor.",
        "it's diego okafor",
        "DIEGO OKAFOR, no doubt",
    ],
)
def test_leaked_secret(kinds, text) -> None:
    assert "leaked_secret" in kinds(OPENING, "Let me see what I can find about that number and date.", text)


@pytest.mark.parametrize(
    "text",
    [
        "To Claire Whitfield.",
        "I don't know the number.",
        "Can you look it up? I have no idea.",
        "The one from Chicago.",
        "It is far away, more than an hour by car.",
        "sometime after the holidays",
        "My plumber, the one with the van.",
        "Just use your tools, please.",
        "Diego, I think? Not sure about the rest.",
        "no clue, that's what I'm asking you",
        "In January I guess",
        "around noon",
        "The first of the two.",
        "You tell me!",
        "Whatever you find is fine.",
        "My neighbor knows, but I can't ask her now.",
    ],
)
def test_no_leaked_secret(kinds, text) -> None:
    assert "leaked_secret" not in kinds(OPENING, "Which number and which date do you mean?", text)


@pytest.mark.parametrize("source", ["It belongs to Diego Okafor.", "RESULT: {'name': 'Diego Okafor'}"])
def test_what_the_agent_has_found_out_is_no_secret_any_more(kinds, source) -> None:
    texts = [OPENING, source, "Shall I?"] if source.startswith("RESULT") else [OPENING, source]
    assert "leaked_secret" not in kinds(*texts, "Yes, write to Diego Okafor.")


# Invented facts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "To Sarah.",
        "Sarah",
        "to my sister Sarah Connor",
        "Please send it to Bartholomew.",
        "Her number is 415-555-0134.",
        "It's +14155550134",
        "Claire Whitfield, she is 34 years old.",
        "Say that I'll be there at 8 PM.",
        "at 19:30",
        "make it eight o'clock",
        "the code is 48213",
        "Tell her it costs $250.",
        'Write: "See you at the old harbour before sunrise!"',
        "She lives in Springfield.",
        "On Monday, please.",
        "By August 4 at the latest",
        "about 12.5 kilometers",
        "Claire Whitfield from Northwind Traders",
    ],
)
def test_invented_fact(kinds, text) -> None:
    assert "invented_fact" in kinds(OPENING, "To whom, what should it say, and when?", text)


@pytest.mark.parametrize(
    "text",
    [
        "To Claire Whitfield.",
        "Claire",
        "claire whitfield's number please",
        "I don't know, that's all I can tell you.",
        'It should say: "Dinner at our place on Sunday at 7 PM?"',
        "dinner at our place on sunday, 7pm",
        "Sunday at seven PM",
        "Dinner at 19:00 on Sunday",
        "Yes, turn Wi-Fi and Bluetooth on.",
        "OK, Thanks A Lot!",
        "Sure! Go ahead 👍 Thanks!",
        "I need it NOW.",
        "Two things: who, and what. I told you both.",
        "Just 1 message, please",
        "You have 100% of what I know.",
        "Hmm... No idea, sorry.",
        "Today is fine, Wednesday right?",
        "Well, I'd say Claire. The Whitfield one!",
        "She's in my Contacts.",
        "We're family, I'm sure you'll find her.",
    ],
)
def test_no_invented_fact(kinds, text) -> None:
    assert "invented_fact" not in kinds(OPENING, "To whom and what should it say?", text)


def test_what_the_agent_said_may_be_taken_up_and_shortened(kinds) -> None:
    offers = "I found Priya Ramanathan (+1 415 555 0101), 3,336.04 km away. Is that who you mean?"
    for text in ("Yes, Priya!", "the one with 555-0101", "ending in 0101", "the one 3336 km away", "+14155550101, yes"):
        assert kinds(OPENING, offers, text) == [], text


def test_an_invention_is_found_where_it_is_first_said(converse) -> None:
    from tool_sandbox.fidelity import audit

    context = converse(OPENING, WHO, "To Bartholomew, please.", "You mean whom?", "As I said, Bartholomew.")
    findings = audit(context, UserScript(OPENING))
    assert [(finding.kind, finding.message_index) for finding in findings] == [("invented_fact", 2)]


# Acting as the assistant ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "How can I help you today?",
        "Hello! How may I assist you?",
        "Is there anything else I can help you with?",
        "You're welcome! Let me know if you need anything else.",
        "Feel free to reach out if you have any other questions.",
        "I'm happy to help!",
        "I'd be glad to assist with that.",
        "Would you like me to send it now?",
        "Do you want me to turn on cellular service?",
        "Who would you like to send the message to?",
        "What would you like the message to say?",
        "Could you please provide the recipient and the content?",
        "Please provide the phone number.",
        "I have sent the message to Claire.",
        "I've successfully updated the contact.",
        "I've added the reminder for you.",
        "Your message has been sent.",
        "I'll look up her number for you.",
        "Let me check your contacts.",
        "As an AI language model, I can't feel that.",
        "I am your assistant, so tell me more.",
        "Assistant: The message is on its way.",
        'send_message(phone_number="+1", content="hi")',
        '{"name": "search_contacts", "arguments": {"name": "Claire"}}',
        "<tool_call>search</tool_call>",
        "I should not call end_conversation yet.",
    ],
)
def test_acting_as_assistant(kinds, text) -> None:
    assert "acting_as_assistant" in kinds(OPENING, "Cellular service is on now.", text)


@pytest.mark.parametrize(
    "text",
    [
        "Can you help me with that?",
        "Please send it to Claire Whitfield.",
        "I already turned it off myself.",
        "I have sent her a text yesterday, that's not it.",
        "Great, so the message has been sent. Thanks!",
        "Thank you so much for your help!",
        "Would you mind checking again?",
        "Let me know when it's done.",
        "Tell me if you can't find her.",
        "I can wait.",
        "I'd like you to add it to my contacts.",
        "Could you tell me what it says?",
        "I'll call her instead.",
        "You can turn cellular on.",
        "Do whatever you need to do.",
        "I think I have saved her as a friend.",
        "Let me think... Claire Whitfield.",
        "I have set nothing up yet, have you?",
        "Yes, go ahead and set the reminder.",
        "That's all, nothing else, bye!",
        "What would you need from me?",
        "I found it was too long, make it shorter.",
    ],
)
def test_not_acting_as_assistant(kinds, text) -> None:
    assert "acting_as_assistant" not in kinds(OPENING, "Cellular service is on now.", text)


# Ended early ---------------------------------------------------------------------------------------------------

FOLLOW_UP = UserScript(
    "Who is saved as a friend?",
    turns=("Make them all clients: save client as their relationship.", "And what time is it in Tokyo?"),
    knows=(Knows("which|mean", "I mean the contacts in the phone."),),
)
UNANSWERED = (
    "Whom is it for?",
    "Who is the recipient?",
    "Sure! Which contact should get it?",
    "What would you like it to say?",
    "I need to know the recipient.",
    "Please tell me what it should say.",
    "Let me check your contacts.",
    "One moment, please.",
    "Sure, let me look that up.",
    "Hold on while I check that.",
    "",
    "   ",
    "Cellular service is off. May I turn it on?",
    "I can't send it in low battery mode. Shall I turn that off?",
    "Should I send it now?",
    "How old are you?",
    "Cellular is off, so nothing went out. Do you want me to switch it on?",
)


@pytest.mark.parametrize("text", UNANSWERED)
def test_ended_early(kinds, text) -> None:
    assert kinds(OPENING, text, ended=True) == ["ended_early"]


@pytest.mark.parametrize(
    "texts",
    [
        (DONE,),
        ("The message has been sent. Is there anything else I can do?",),
        ("Sent! Would you like me to send another one?",),
        ("I am sorry, but I cannot help with that.",),
        ("I can't do that, there is no such tool.",),
        (WHO, "To Claire Whitfield.", DONE),
        (WHO, "To Claire Whitfield.", WHAT, 'It should say: "Dinner at our place on Sunday at 7 PM?"', DONE),
        ("", "Hello?", "", "Still there?", "", "Hello??", ""),
        (WHO, "To Claire.", WHO, "To Claire!", WHO, "Claire, as I said.", "Whom is it for?"),
        ("That is on its way.",),
        ("It went out.",),
        ("I have texted her.",),
        ("There is no contact of that name.",),
        ("Okay.",),
    ],
)
def test_not_ended_early(kinds, texts) -> None:
    assert kinds(OPENING, *texts, ended=True) == []


@pytest.mark.parametrize(
    ("texts", "early"),
    [
        (("Claire Whitfield and Diego Okafor.",), True),
        (("Claire Whitfield.", "Make them all clients.", "Done, they are clients now."), True),
        (("Claire Whitfield.", "ok thanks", "You're welcome."), True),
        (("Claire.", "Save client as their relationship.", "Done.", "what time is it in Tokyo?", "It is noon."), False),
        (("Claire.", "turn them into clients and tell me the time in Tokyo", "Done, it is noon in Tokyo."), False),
        (("", "Hello?", "", "Hello??", "", "Anyone?", ""), False),
    ],
)
def test_ended_before_all_was_said(kinds, texts, early) -> None:
    found = kinds("Who is saved as a friend?", *texts, ended=True, script=FOLLOW_UP)
    assert ("ended_early" in found) is early


@pytest.mark.parametrize(
    ("text", "early"),
    [
        ("Cellular is off. May I turn it on?", True),
        ("Let me check.", True),
        ("", True),
        ("Which one?", False),
        ("It is done.", False),
        ("Your boss is Priya. Would you like me to call her?", False),
        ("Your boss is Priya. Shall I text her?", False),
    ],
)
def test_ended_early_without_a_script(kinds, text, early) -> None:
    assert ("ended_early" in kinds("Who is my boss?", text, ended=True, script=None)) is early


# Never ended ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "texts",
    [
        (DONE, "Thanks!", DONE, "Great, thanks a lot!", DONE),
        ("It has been sent.", "Thank you.", "It was sent successfully.", "Wonderful, thank you!", "Goodbye."),
        ("Sent.", "ok", "The text is sent.", "ok bye", "It went out."),
        (DONE, "Are you sure?", DONE, "Really sure?", DONE, "Okay.", DONE),
        *(
            tuple(part for _ in range(6) for part in (repeated, "Please try again."))
            for repeated in ("I cannot do that.", "Please hold.", "Which one do you mean?", "Cellular is off.", "Hm.")
        ),
    ],
)
def test_never_ended(kinds, texts) -> None:
    assert "never_ended" in kinds(OPENING, *texts, outcome=Outcome.MAX_MESSAGES)


@pytest.mark.parametrize(
    "texts",
    [
        (WHO, "To Claire Whitfield.", DONE),
        (DONE, "Thanks!"),
        (DONE,),
        (WHO, "Claire Whitfield.", WHAT, "Dinner on Sunday.", "Cellular is off. May I?", "Yes.", DONE),
        ("I cannot do that.", "Please try.", "I cannot do that.", "Use your tools."),
        ("Let me see.", "ok", "Let me check.", "ok", "Let me search."),
    ],
)
def test_not_never_ended(kinds, texts) -> None:
    assert "never_ended" not in kinds(OPENING, *texts, outcome=Outcome.MAX_MESSAGES)


def test_only_a_conversation_that_was_cut_off_can_lack_an_end(kinds) -> None:
    texts = (DONE, "Thanks!", DONE, "Thanks a lot!", DONE)
    assert kinds(OPENING, *texts, outcome=Outcome.MODEL_ERROR) == []
    assert kinds(OPENING, *texts, outcome=None) == ["never_ended"]
    assert kinds(OPENING, *texts, outcome=None, script=None, brief=OPENING) == ["never_ended"]
    requests = ("And one to Claire.", "Now to Diego.", "And Priya, please.")
    talk = [part for text in requests for part in (DONE, text)]
    assert kinds(OPENING, *talk, outcome=None, script=None, brief=f"{OPENING} {' '.join(requests)}") == []


# Ignored questions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Nice weather we have.",
        "Thanks!",
        "Great, thank you so much.",
        "Hello there.",
        "I love this phone.",
        "Take your time.",
        "Wonderful!",
        "Hurry up.",
        "You are very helpful.",
        "Okay.",
        "Good evening.",
        "Please go ahead.",
        "Good morning to you",
        "I am on the bus.",
        "Bye!",
    ],
)
def test_ignored_question(kinds, text) -> None:
    assert kinds(OPENING, WHO, text) == ["ignored_question"]


@pytest.mark.parametrize(
    "text",
    [
        "Claire Whitfield.",
        "to claire",
        "Whitfield",
        "I don't know, that's all I can tell you.",
        "No idea, sorry.",
        "not sure",
        "Can't remember.",
        "Any of them.",
        "Whichever you like.",
        "Up to you.",
        "What do you mean?",
        "Never mind.",
        "I told you already.",
        "Doesn't matter.",
        "The first one.",
        'It should say: "Dinner at our place?"',
        "You decide.",
    ],
)
def test_no_ignored_question(kinds, text) -> None:
    assert "ignored_question" not in kinds(OPENING, WHO, text)


@pytest.mark.parametrize(
    ("text", "ignored"),
    [
        ("I am on the bus right now.", True),
        ("Nice weather we have.", True),
        ("Claire is my aunt.", True),
        ("Hello there!", True),
        ("The moon is made of cheese.", True),
        ("Yes, please go ahead.", False),
        ("go for it", False),
        ("No, please don't.", False),
        ("k", False),
        ("Turn it on.", False),
        ("You may, but switch it off afterwards.", False),
        ("whatever it takes", False),
        ("I'd rather not.", False),
        ("Is that necessary?", False),
        ("fine by me", False),
        ("Just do what I asked for, nothing else.", False),
        ("Cellular can be on, I don't mind", False),
    ],
)
@pytest.mark.parametrize("script", [UserScript(OPENING), None])
def test_ignored_permission(kinds, script, text, ignored) -> None:
    found = kinds(OPENING, "Cellular service is off. May I turn it on?", text, script=script, brief=OPENING)
    assert ("ignored_question" in found) is ignored


# Repetition ----------------------------------------------------------------------------------------------------

REQUEST = "Text Claire Whitfield about dinner at our place."
ASKED = UserScript(REQUEST)


@pytest.mark.parametrize(
    "heard",
    [
        "I've sent your message to Claire Whitfield.",
        "The text to Claire Whitfield is on its way.",
        "Claire Whitfield is one of your friends.",
        "All set! Is there anything else I can do for you?",
        "It is 9 degrees where she lives.",
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        REQUEST,
        REQUEST.lower(),
        "Text Claire Whitfield about dinner at our place!!",
        "text claire whitfield about the dinner at our place",
    ],
)
def test_repetition(kinds, heard, text) -> None:
    assert kinds(REQUEST, heard, text, script=ASKED) == ["repetition"]


@pytest.mark.parametrize(
    ("heard", "text"),
    [
        ("Sorry, I cannot send it.", REQUEST),
        ("I could not find that contact.", REQUEST),
        ("What was it again that you want?", REQUEST),
        ("Please tell me what to do.", REQUEST),
        ("", REQUEST),
        ("Let me check.", REQUEST),
        ("Okay.", REQUEST),
        ("Cellular service is off.", REQUEST),
        ("Something went wrong.", REQUEST),
        ("I've sent it to Claire Whitfield.", "Thanks!"),
        ("I've sent it to Claire Whitfield.", "Text her once more about dinner tonight."),
        ("I've sent it to Claire Whitfield.", "And now call her."),
        ("I have no tool for that.", REQUEST),
        ("There is a problem with the network.", REQUEST),
        ("Nothing was found under that name.", REQUEST),
    ],
)
def test_no_repetition(kinds, heard, text) -> None:
    assert "repetition" not in kinds(REQUEST, heard, text, script=ASKED)


def test_thanks_may_be_said_again(kinds) -> None:
    assert kinds(REQUEST, "It has been sent.", "Thank you so much!", "Glad it went out.", "Thank you so much!") == []


# Persons -------------------------------------------------------------------------------------------------------

PERSON = UserScript(
    "What is the stock symbol of Netflix?",
    everyday=(Knows("what day is it|today's date", "It's Friday, May 16, 2025."), Knows("your name", "I'm Ann.")),
    means=("NFLX",),
)
OFFERS = (
    "It is NFLX. Would you like me to switch wifi off again?",
    "It has been saved. Do you want me to set an alarm?",
)


@pytest.mark.parametrize("offer", OFFERS)
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Yes, please go ahead.", True),
        ("Sure!", True),
        ("ok do that", True),
        ("No, thanks.", False),
        ("No need, thank you!", False),
        ("Okay, that's all, thanks.", False),
        ("I'm good.", False),
    ],
)
def test_commission(kinds, offer, text, found) -> None:
    assert kinds(PERSON.opening, offer, text, script=PERSON) == (["commission"] if found else [])


def test_consent_before_it_is_done_is_no_commission(kinds) -> None:
    for asked in ("Low battery mode is on. Would you like me to turn it off?", "Wifi is off. Shall I turn it on?"):
        assert kinds(PERSON.opening, asked, "Yes, please go ahead.", script=PERSON) == []


@pytest.mark.parametrize("asked", ["What's today's date?", "Could you tell me your name?"])
@pytest.mark.parametrize(
    ("text", "found"),
    [("I don't know.", True), ("No idea, sorry.", True), ("It's May 16.", False), ("I'm Ann.", False)],
)
def test_what_everybody_knows(kinds, asked, text, found) -> None:
    assert kinds(PERSON.opening, asked, text, script=PERSON) == (["ignored_question"] if found else [])


def test_a_refrain(kinds) -> None:
    line = "I don't know, that's all I can tell you."
    asked = ("Which market?", line, "Is it the American one?", line, "Which year?")
    assert kinds(PERSON.opening, *asked, line, script=PERSON) == ["repetition"]
    assert kinds(PERSON.opening, *asked, "No clue at all, just do what you can.", script=PERSON) == []
    assert kinds(PERSON.opening, *(("Which market?", line) * 3), script=PERSON) == []
