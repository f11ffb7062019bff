"""What is asked for fails at first: the error tells what is wrong, and often the user has to help."""

import attrs

from tool_sandbox.answers.facts import AnyOf, Boolean, Done, Switch
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.families.message_sending import dictated, sent
from tool_sandbox.scenarios.families.reminder_creation import lower_first
from tool_sandbox.scenarios.matchers import Anything, Near, SameWords
from tool_sandbox.scenarios.vocabulary import (
    CONTACT,
    NOT_FOUND,
    REMINDER,
    Task,
    added,
    answer,
    asked,
    call,
    cannot,
    changed,
    failed,
    removed,
    say,
    setting,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Knows, Solution, ToolCallFailed

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
DISAMBIGUATION = ScenarioCategories.DISAMBIGUATION
ERROR_RECOVERY = ScenarioCategories.ERROR_RECOVERY
MULTIPLE_TOOL_CALL = ScenarioCategories.MULTIPLE_TOOL_CALL
SINGLE_USER_TURN = ScenarioCategories.SINGLE_USER_TURN
STATE_DEPENDENCY = ScenarioCategories.STATE_DEPENDENCY

SENDING = ("search_contacts", "send_message_with_phone_number")
OWN_ENTRY = r"\bown\b|your(?:self| name| (?:phone )?number| contact| details| entr)|entr(?:y|ies)|\bself\b|who you are"


@scenario(ERROR_RECOVERY, SINGLE_USER_TURN)
def turn_on_wifi_already_on_error_recovery(world: World) -> Task:
    """Enable a radio that is enabled already; no turning it off and on."""

    def solution() -> Solution:
        try:
            yield call("set_wifi_status", on=True)
        except ToolCallFailed:
            yield say("Wifi is already on.")

    return Task(
        user=world.phrase("Turn on wifi.", "Please switch the wifi on.", "Enable my wifi."),
        knows=(Knows(r"restart|reset|toggle|\boff\b", "No, it only has to be on.", decides=True),),
        tools=["set_wifi_status"],
        denied=["get_wifi_status"],
        milestones=[failed("set_wifi_status", on=True), answer(Switch("wifi", on=True))],
        solution=solution,
    )


@scenario(ERROR_RECOVERY, state="low_battery")
def turn_on_cellular_blocked_order_error_recovery(world: World) -> Task:
    """Enable cellular and positioning, which power saving blocks, and not wireless, which it blocks too."""

    def solution() -> Solution:
        try:
            yield call("set_cellular_service_status", on=True)
        except ToolCallFailed:
            yield call("set_low_battery_mode_status", on=False)
            yield [call("set_cellular_service_status", on=True), call("set_location_service_status", on=True)]
            yield say("I left low battery mode; cellular and location service are on now.")

    return Task(
        user=world.phrase(
            "Turn on cellular and location service, and leave my wifi alone.",
            "I need cellular and location service on. Wifi can stay as it is.",
        ),
        tools=[f"set_{name}_status" for name in ("low_battery_mode", "cellular_service", "location_service", "wifi")],
        milestones=[
            setting(low_battery_mode=False, cellular=True, location_service=True),
            answer(Done("turned_on", ("cellular", "location_service"))),
        ],
        solution=solution,
    )


@scenario(ERROR_RECOVERY, STATE_DEPENDENCY)
def send_message_without_self_contact_error_recovery_multiple_user_turn(world: World) -> Task:
    """Sending fails because the user has no entry of their own; the user supplies the data."""
    me, friend, content = world.me, world.friend, world.choice(*pools.SHORT_TEXTS)
    world.contacts.remove(me)

    def solution() -> Solution:
        [row] = yield call("search_contacts", name=friend.name)
        try:
            yield call("send_message_with_phone_number", phone_number=row["phone_number"], content=content)
        except ToolCallFailed:
            yield say("Your own entry is missing from the contacts. What are your name and your number?")
            yield call("add_contact", name=me.name, phone_number=me.phone_number, is_self=True)
            yield call("send_message_with_phone_number", phone_number=row["phone_number"], content=content)
            yield say(f"I added your own entry, and your message to {friend.name} has been sent.")

    return Task(
        user=dictated(world, friend.name, content),
        knows={rf"{OWN_ENTRY}|\bname\b|number": f"I'm {me.name}, and my own number is {me.phone_number}."},
        tools=[*SENDING, "add_contact"],
        milestones=[
            added(
                CONTACT, name=SameWords(me.name), phone_number=me.phone_number, is_self=True, relationship=Anything()
            ),
            sent(friend, content),
            answer(Done("sent")),
        ],
        solution=solution,
    )


@scenario(ERROR_RECOVERY, DISAMBIGUATION)
def send_message_two_self_contacts_error_recovery_multiple_user_turn(world: World) -> Task:
    """Sending fails because two entries claim to be the user, who says which one is right."""
    me, friend, content = world.me, world.friend, world.choice(*pools.SHORT_TEXTS)
    former = attrs.evolve(me, phone_number=world.new_person().phone_number)
    world.contacts.insert(world.choice(0, 4), former)

    def solution() -> Solution:
        [row] = yield call("search_contacts", name=friend.name)
        try:
            yield call("send_message_with_phone_number", phone_number=row["phone_number"], content=content)
        except ToolCallFailed:
            entries = yield call("search_contacts", is_self=True)
            numbers = " or ".join(entry["phone_number"] for entry in entries)
            yield say(f"Two entries are marked as yourself. Which number is yours, {numbers}?")
            [wrong] = [entry for entry in entries if entry["phone_number"] != me.phone_number]
            yield call("modify_contact", person_id=wrong["person_id"], is_self=False)
            yield call("send_message_with_phone_number", phone_number=row["phone_number"], content=content)
            yield say(f"Your message to {friend.name} has been sent.")

    which = rf"{OWN_ENTRY}|which|\btwo\b|\bboth\b"
    reply = f"{me.phone_number} is me. Keep the other entry, but it must not count as me any more."
    return Task(
        user=dictated(world, friend.name, content),
        knows=(Knows(which, reply),),
        tools=[*SENDING, "modify_contact"],
        milestones=[
            asked(which),
            changed(CONTACT, {"person_id": former.person_id}, is_self=False),
            sent(friend, content),
            answer(Done("sent")),
        ],
        solution=solution,
    )


@scenario(ERROR_RECOVERY, CANONICALIZATION, MULTIPLE_TOOL_CALL, SINGLE_USER_TURN)
def add_contact_local_phone_format_error_recovery(world: World) -> Task:
    """Save a number that is written the way one dials it at home, without the country."""
    person = world.new_person()
    area, exchange, line = person.phone_number[2:5], person.phone_number[5:8], person.phone_number[8:]
    dialled = world.phrase(f"({area}) {exchange}-{line}", f"{area}-{exchange}-{line}", f"{area} {exchange} {line}")

    def solution() -> Solution:
        try:
            yield call("add_contact", name=person.name, phone_number=dialled)
        except ToolCallFailed:
            yield call("add_contact", name=person.name, phone_number=person.phone_number)
            yield say(f"I have added {person.name} to your contacts.")

    return Task(
        user=world.phrase(
            f"Add {person.name} to my contacts, the number is {dialled}.", f"Save {dialled} as {person.name}."
        ),
        knows={r"country|\bcode\b|\+1|which|region": "It's an ordinary US number."},
        tools=["add_contact"],
        milestones=[
            added(CONTACT, name=SameWords(person.name), phone_number=person.phone_number),
            answer(Done("added")),
        ],
        solution=solution,
    )


@scenario(ERROR_RECOVERY)
def modify_contact_stale_id_error_recovery_multiple_user_turn(world: World) -> Task:
    """Quote an identifier that no longer exists; the name is given on request."""
    person, number = world.choice(world.friend, world.other_friend, world.boss), world.new_person().phone_number
    stale = world.new_person().person_id

    def solution() -> Solution:
        try:
            yield call("modify_contact", person_id=stale, phone_number=number)
        except ToolCallFailed:
            yield say("There is no contact with this identifier. Whose number is it?")
            [row] = yield call("search_contacts", name=person.name)
            yield call("modify_contact", person_id=row["person_id"], phone_number=number)
            yield say(f"The number of {person.name} has been changed to {number}.")

    return Task(
        user=world.phrase(
            f"Change the phone number of the contact with id {stale} to {number}.",
            f"The contact {stale} has a new number, {number}. Update it.",
        ),
        knows={r"\bwho|name|which|contact|person|\bid\b|identifier": f"It's the entry of {person.name}."},
        tools=["modify_contact", "search_contacts"],
        milestones=[
            changed(CONTACT, {"person_id": person.person_id}, phone_number=number),
            answer(Done("updated")),
        ],
        solution=solution,
    )


@scenario(ERROR_RECOVERY)
def remove_contact_already_removed_error_recovery_multiple_user_turn(world: World) -> Task:
    """Ask for the same deletion twice, with somebody of the same first name around."""
    person = world.choice(world.friend, world.other_friend)
    other = world.save(world.namesake(person, "neighbor", same_last_name=False))

    def solution() -> Solution:
        [row] = yield call("search_contacts", name=person.name)
        yield call("remove_contact", person_id=row["person_id"])
        yield say(f"{person.name} has been removed from your contacts.")
        rows = yield call("search_contacts", name=person.name)
        if rows == []:
            yield say(f"There is no {person.name} in your contacts any more: I removed that entry a moment ago.")

    already = Boolean((), ("already", "earlier", "a moment ago", "gone", "no longer"), ("still",), value=True)
    return Task(
        user=(
            world.phrase(f"Delete {person.name} from my contacts.", f"Remove the contact {person.name}."),
            world.phrase(
                f"If {person.name} is in there a second time, delete that entry, too.",
                f"Any other entry of {person.name} has to go as well, if there is one.",
            ),
        ),
        knows=(
            Knows(
                rf"{other.name.removeprefix(f'{person.first_name} ')}|\bother\b|neighbor|instead|similar",
                f"No, only {person.name}.",
                decides=True,
            ),
        ),
        tools=["search_contacts", "remove_contact"],
        milestones=[
            removed(CONTACT, person_id=person.person_id),
            answer(AnyOf([cannot(NOT_FOUND, about=(person.name, person.first_name)), already])),
        ],
        solution=solution,
    )


@scenario(ERROR_RECOVERY, CANONICALIZATION, MULTIPLE_TOOL_CALL)
def add_reminder_millisecond_timestamp_error_recovery(world: World) -> Task:
    """Set a reminder at a machine time that is in milliseconds."""
    content, due_at = world.choice(*pools.NEW_ERRANDS), round(world.now) + 3600 * world.integer(50, 20, 900)
    milliseconds = 1000 * due_at

    def solution() -> Solution:
        try:
            yield call("add_reminder", content=content, reminder_timestamp=float(milliseconds))
        except ToolCallFailed:
            yield call("add_reminder", content=content, reminder_timestamp=milliseconds / 1000)
            yield say("The reminder is set; I read the timestamp as milliseconds.")

    return Task(
        user=world.phrase(
            f"Remind me to {lower_first(content)} at timestamp {milliseconds}.",
            f'My calendar app has "{content}" at {milliseconds}. Set a reminder for that moment.',
        ),
        tools=["add_reminder"],
        milestones=[
            added(REMINDER, content=SameWords(content, extra=3), reminder_timestamp=Near(due_at, 0.001)),
            answer(Done("set")),
        ],
        solution=solution,
    )
