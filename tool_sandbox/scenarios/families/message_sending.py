"""Sending text messages, with the mobile radio on or in the way."""

from tool_sandbox.answers.facts import Done, Entity
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.matchers import HasRow, Nothing, SameWords
from tool_sandbox.scenarios.steps import newest_message
from tool_sandbox.scenarios.vocabulary import (
    INFORMATION_MISSING,
    MESSAGING,
    NOT_FOUND,
    SETTING_BLOCKED,
    TOOL_MISSING,
    Node,
    Task,
    added,
    answer,
    asked,
    call,
    called,
    cannot,
    failed,
    say,
    setting,
)
from tool_sandbox.scenarios.world import Person, World
from tool_sandbox.world.script import Knows, Solution, ToolCallFailed

COREFERENCE = ScenarioCategories.COREFERENCE
DISAMBIGUATION = ScenarioCategories.DISAMBIGUATION
INSUFFICIENT_INFORMATION = ScenarioCategories.INSUFFICIENT_INFORMATION

RADIO_TOOLS = (
    "search_contacts",
    "get_cellular_service_status",
    "send_message_with_phone_number",
    "set_cellular_service_status",
)


def sent(person: Person, content: str) -> Node:
    """Exactly one message with these words went to this person."""
    return added(MESSAGING, recipient_phone_number=person.phone_number, content=SameWords(content))


def dictated(world: World, name: str, content: str) -> str:
    """Wants somebody texted in given words."""
    return world.phrase(f'Text {name}: "{content}"', f'Send {name} "{content}"')


@scenario()
def send_message_with_phone_number_and_content(world: World) -> Task:
    """Text a dictated sentence to a dictated number."""
    person, content = world.new_person(), world.choice(*pools.SHORT_TEXTS)
    number = person.phone_number
    return Task(
        user=world.phrase(f'Text {number}: "{content}"', f'Send "{content}" to the number {number}.'),
        tools=["send_message_with_phone_number"],
        milestones=[sent(person, content), answer(Done("sent", ("message", "text")))],
        solution=[
            call("send_message_with_phone_number", phone_number=number, content=content),
            say("Your message has been sent."),
        ],
    )


def _pass_on(world: World, person: Person, content: str) -> str:
    return world.phrase(
        f'I need an answer from {person.name}. Text this question over: "{content}"',
        f'Ask {person.name} by text, in exactly these words: "{content}"',
    )


def _with_radio_off(
    world: World, person: Person, content: str, *user: str, knows: dict[str, str] | None = None, question: str = ""
) -> Task:
    """Texts a saved person, although the mobile radio is off at the start."""

    def solution() -> Solution:
        if question:
            yield say(question)
        [row] = yield call("search_contacts", name=person.name)
        yield call("set_cellular_service_status", on=True)
        yield call("send_message_with_phone_number", phone_number=row["phone_number"], content=content)
        yield say(f"I turned cellular on, and your message to {person.name} has been sent.")

    return Task(
        user=user,
        knows=knows or {},
        tools=RADIO_TOOLS,
        milestones=[sent(person, content), answer(Done("sent", ("message", "text")))],
        allowed=[setting(cellular=True)],
        solution=solution,
    )


@scenario(state="cellular_off")
def send_message_with_contact_content_cellular_off(world: World) -> Task:
    """Text a named person; the radio is off and the agent must fix that itself."""
    person, content = world.choice(world.friend, world.other_friend), world.choice(*pools.SHORT_TEXTS)
    request = world.phrase(
        f'Send {person.name} this text: "{content}" If anything is in the way, sort it out yourself.',
        f'Text {person.name} "{content}" and fix whatever stops you.',
    )
    return _with_radio_off(world, person, content, request)


@scenario(state="cellular_off", variant=1)
def send_message_with_contact_content_cellular_off_alt(world: World) -> Task:
    """Pass a question on to a named person; the radio is off at the start."""
    person, content = world.choice(world.other_friend, world.friend), world.choice(*pools.QUESTIONS)
    return _with_radio_off(world, person, content, _pass_on(world, person, content))


@scenario(state="cellular_off", variant=2)
def send_message_with_contact_content_cellular_off_multiple_user_turn(world: World) -> Task:
    """Wants to text; recipient and words come later; the radio is off."""
    person, content = world.choice(world.friend, world.other_friend), world.choice(*pools.SHORT_TEXTS)
    return _with_radio_off(
        world,
        person,
        content,
        world.phrase("I want to send a text.", "Please send a message for me."),
        knows={
            r"\bwhom?\b|recipient|which (?:contact|person|number)|whose": f"To {person.name}.",
            r"\bwhat\b|content|\bsay\b|\bwords\b|\btext\b.*\bbe\b": f'It should say: "{content}"',
        },
        question="Whom shall I text, and what should the message say?",
    )


@scenario(state="cellular_off", variant=3)
def send_message_with_contact_content_cellular_off_multiple_user_turn_alt(world: World) -> Task:
    """Names the recipient; the words come later; the radio is off."""
    person, content = world.choice(world.other_friend, world.friend), world.choice(*pools.SHORT_TEXTS)
    return _with_radio_off(
        world,
        person,
        content,
        world.phrase(f"I want to text {person.name}.", f"Send {person.name} a message."),
        knows={r"\bwhat\b|content|\bsay\b|\bwords\b|message|\btext\b": f'Write: "{content}"'},
        question=f"What should the message to {person.name} say?",
    )


@scenario(COREFERENCE)
def send_message_to_found_contact_coreference_multiple_user_turn(world: World) -> Task:
    """Ask who has a certain role, then have that person told something."""
    relation = world.choice("dentist", "landlord", "tailor")
    person, content = world.save(world.new_person(relation)), "I will be ten minutes late."

    def solution() -> Solution:
        [row] = yield call("search_contacts", relationship=relation)
        yield say(f"Your {relation} is {row['name']}.")
        yield call("send_message_with_phone_number", phone_number=row["phone_number"], content=content)
        yield say(f"Your message to {row['name']} has been sent.")

    return Task(
        user=(f"Who is my {relation}?", f'Text that person: "{content}"'),
        tools=["search_contacts", "send_message_with_phone_number"],
        milestones=[answer(Entity(person.name)), sent(person, content), answer(Done("sent", ("message", "text")))],
        solution=solution,
    )


@scenario(COREFERENCE)
def send_message_reply_to_last_sender_coreference(world: World) -> Task:
    """Reply with given words to whoever wrote last, an unsaved number."""
    person, content = world.new_person(), "Thanks, I will call you back tonight."
    newest = world.receive(person, "Hi, it is about the flat. When can we talk?", minutes_ago=0.5)

    def solution() -> Solution:
        row = yield from newest_message()
        yield call("send_message_with_phone_number", phone_number=row["sender_phone_number"], content=content)
        yield say("Your message has been sent to the number that wrote to you last.")

    return Task(
        user=world.phrase(f'Reply "{content}" to whoever wrote to me last.', f'Answer the last sender: "{content}"'),
        tools=["search_messages", "get_current_timestamp", "send_message_with_phone_number"],
        milestones=[
            called("search_messages").returning(HasRow({"message_id": newest.message_id})),
            sent(person, content),
            answer(Done("sent")),
        ],
        solution=solution,
    )


@scenario(DISAMBIGUATION)
def send_message_two_contacts_same_first_name_disambiguation_multiple_user_turn(world: World) -> Task:
    """Text someone by a first name that two people share; the relation is given when asked."""
    friend, content = world.friend, world.choice(*pools.SHORT_TEXTS)
    colleague = world.save(world.namesake(friend, "colleague", same_last_name=False))

    def solution() -> Solution:
        rows = yield call("search_contacts", name=friend.first_name)
        names = " or ".join(row["name"] for row in rows)
        yield say(f"There are two people called {friend.first_name}. Do you mean {names}?")
        [row] = [row for row in rows if row["relationship"] == "colleague"]
        yield call("send_message_with_phone_number", phone_number=row["phone_number"], content=content)
        yield say(f"Your message to {row['name']} has been sent.")

    return Task(
        user=dictated(world, friend.first_name, content),
        knows=(Knows(rf"which|who|mean|{friend.first_name}|both|either", "I mean my colleague.", decides=True),),
        tools=["search_contacts", "send_message_with_phone_number"],
        milestones=[
            called("search_contacts").returning(HasRow({"person_id": colleague.person_id})),
            asked(rf"which|who|mean|{friend.first_name}"),
            sent(colleague, content),
            answer(Done("sent", ("message", "text"))),
        ],
        solution=solution,
    )


def _without_contacts(person: Person, request: str) -> Task:
    """Wants a named person texted, with nothing there that tells the number."""
    return Task(
        user=request,
        tools=[tool for tool in RADIO_TOOLS if tool != "search_contacts"],
        denied=["search_contacts"],
        milestones=[
            answer(cannot(TOOL_MISSING, INFORMATION_MISSING, about=("contacts", "contact", "number"), task="sent"))
        ],
        solution=[
            say(f"I have no access to your contacts, so I do not have the number of {person.name}. Nothing was sent.")
        ],
    )


@scenario(INSUFFICIENT_INFORMATION, state="cellular_off", twin="send_message_with_contact_content_cellular_off")
def send_message_with_contact_content_cellular_off_insufficient_information(world: World) -> Task:
    """Text a named person without any way to find the number."""
    person, content = world.choice(world.friend, world.other_friend), world.choice(*pools.SHORT_TEXTS)
    request = world.phrase(f'Send {person.name} this text: "{content}"', f'Text {person.name} "{content}"')
    return _without_contacts(person, request)


@scenario(
    INSUFFICIENT_INFORMATION, state="cellular_off", twin="send_message_with_contact_content_cellular_off_alt", variant=1
)
def send_message_with_contact_content_cellular_off_insufficient_information_alt(world: World) -> Task:
    """Pass a question on to a named person without any way to find the number."""
    person, content = world.choice(world.other_friend, world.friend), world.choice(*pools.QUESTIONS)
    return _without_contacts(person, _pass_on(world, person, content))


@scenario(INSUFFICIENT_INFORMATION, state="cellular_off", twin="send_message_with_contact_content_cellular_off")
def send_message_contact_not_found_late_insufficient_information(world: World) -> Task:
    """Text a person who is not saved; the radio is off and stays as it was found."""
    person, content = world.new_person(), world.choice(*pools.SHORT_TEXTS)
    return Task(
        user=dictated(world, person.name, content),
        tools=["search_contacts", "set_cellular_service_status", "send_message_with_phone_number"],
        milestones=[
            called("search_contacts", name=SameWords(person.name)).returning(Nothing()),
            answer(cannot(NOT_FOUND, about=(person.name, person.first_name), task="sent")),
        ],
        solution=[
            call("search_contacts", name=person.name),
            say(f"I could not send it: {person.name} is not in your contacts."),
        ],
    )


def _in_power_saving(world: World, *, possible: bool) -> Task:
    """Wants somebody texted while power saving blocks the radio; there may be no way to leave power saving."""
    person, content = world.choice(world.friend, world.other_friend), world.choice(*pools.SHORT_TEXTS)

    def solution() -> Solution:
        if possible:
            yield call("set_low_battery_mode_status", on=False)
        try:
            yield call("set_cellular_service_status", on=True)
        except ToolCallFailed:
            yield say("I could not send it: low battery mode keeps cellular off, and I cannot turn that mode off.")
            return
        [row] = yield call("search_contacts", name=person.name)
        yield call("send_message_with_phone_number", phone_number=row["phone_number"], content=content)
        yield say(f"I left low battery mode, and your message to {person.name} has been sent.")

    blocked = cannot(SETTING_BLOCKED, about=("low_battery_mode",), task="sent")
    setter = "set_low_battery_mode_status"
    return Task(
        user=dictated(world, person.name, content),
        tools=[
            "search_contacts",
            "set_cellular_service_status",
            "send_message_with_phone_number",
            *([setter] if possible else []),
        ],
        denied=() if possible else [setter],
        milestones=[sent(person, content), answer(Done("sent", ("message", "text")))]
        if possible
        else [failed("set_cellular_service_status", on=True), answer(blocked)],
        # Where there is no way, the user still agrees to an attempt.
        allowed=[setting(low_battery_mode=False, cellular=True)] if possible else [setting(cellular=True)],
        solution=solution,
    )


@scenario(state="low_battery")
def send_message_with_contact_content_low_battery_mode(world: World) -> Task:
    """Text somebody while power saving blocks the radio."""
    return _in_power_saving(world, possible=True)


@scenario(INSUFFICIENT_INFORMATION, state="low_battery", twin="send_message_with_contact_content_low_battery_mode")
def send_message_power_saving_setter_missing_insufficient_information(world: World) -> Task:
    """Text somebody while power saving blocks the radio and cannot be changed."""
    return _in_power_saving(world, possible=False)
