"""Deleting people from the address book."""

from tool_sandbox.answers.facts import Done, Entity, Phone
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.vocabulary import (
    CONTACT,
    INFORMATION_MISSING,
    TOOL_MISSING,
    Task,
    answer,
    answer_for_now,
    call,
    cannot,
    failed,
    removed,
    say,
)
from tool_sandbox.scenarios.world import Person, World
from tool_sandbox.world.script import Solution

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
COREFERENCE = ScenarioCategories.COREFERENCE
DISAMBIGUATION = ScenarioCategories.DISAMBIGUATION
INSUFFICIENT_INFORMATION = ScenarioCategories.INSUFFICIENT_INFORMATION
SINGLE_USER_TURN = ScenarioCategories.SINGLE_USER_TURN

WHOLE_CONTACT = {r"\bmean|\bwhich|\bwhat\b|number|contact|entry|person": "The whole contact, yes."}
"""What the user answers when the agent asks what shall be deleted."""


@scenario()
def remove_contact_with_id(world: World) -> Task:
    """Delete the address-book entry carrying a given identifier."""
    person = world.choice(world.friend, world.other_friend, world.boss)
    return Task(
        user=world.phrase(
            f"Remove the contact with id {person.person_id}.",
            f"Delete contact {person.person_id} from my address book.",
        ),
        tools=["remove_contact"],
        milestones=[removed(CONTACT, person_id=person.person_id), answer(Done("removed", "contact"))],
        solution=[call("remove_contact", person_id=person.person_id), say("The contact has been removed.")],
    )


def _plain_request(world: World, number: str) -> str:
    return world.phrase(f"Remove the contact with the number {number}.", f"Delete whoever has the number {number}.")


def _chatty_request(world: World, number: str) -> str:
    return world.phrase(
        f"You won't believe what I had to listen to yesterday. I am done with {number}, out of my contacts with it!",
        f"I have far too many people in here, I never call half of them. Start with {number}: delete that contact.",
    )


def _by_number(person: Person, *user: str, knows: dict[str, str] | None = None, question: str = "") -> Task:
    """Deletes whoever has a number; the agent starts with a question where the user holds something back.

    Of two requests the first asks whose number it is.
    """

    def solution() -> Solution:
        if question:
            yield say(question)
        [row] = yield call("search_contacts", phone_number=person.phone_number)
        if len(user) > 1:
            yield say(f"That is the number of {row['name']}.")
        yield call("remove_contact", person_id=row["person_id"])
        yield say(f"{row['name']} has been removed from your contacts.")

    return Task(
        user=user,
        knows=knows or {},
        tools=["remove_contact", "search_contacts"],
        milestones=[
            *([answer_for_now(Entity(person.name, aliases=person.first_name))] if len(user) > 1 else []),
            removed(CONTACT, person_id=person.person_id),
            answer(Done("removed", person.spoken)),
        ],
        solution=solution,
    )


@scenario(CANONICALIZATION)
def remove_contact_by_phone(world: World) -> Task:
    """Delete the entry that has a given phone number."""
    person = world.choice(world.friend, world.other_friend)
    number = person.phone_number
    return _by_number(person, _plain_request(world, number))


@scenario(CANONICALIZATION, variant=1)
def remove_contact_by_phone_alt(world: World) -> Task:
    """Delete the entry with a given number, wrapped in small talk."""
    person = world.choice(world.other_friend, world.friend)
    number = person.phone_number
    return _by_number(person, _chatty_request(world, number))


@scenario(CANONICALIZATION, SINGLE_USER_TURN)
def remove_contact_by_phone_ambiguous(world: World) -> Task:
    """Delete by number, in words that leave open whether the number or the person is meant; asking is fine."""
    person = world.choice(world.friend, world.other_friend)
    number = person.phone_number
    return _by_number(
        person, world.phrase(f"Remove the number {number}.", f"Delete {number} from this phone."), knows=WHOLE_CONTACT
    )


@scenario(CANONICALIZATION, SINGLE_USER_TURN, variant=1)
def remove_contact_by_phone_ambiguous_alt(world: World) -> Task:
    """Delete by number in very few words, with contacts never mentioned; asking is fine."""
    person = world.choice(world.other_friend, world.friend)
    number = person.phone_number
    return _by_number(person, world.phrase(f"{number} has to go.", f"Get rid of {number}."), knows=WHOLE_CONTACT)


@scenario(CANONICALIZATION, variant=2)
def remove_contact_by_phone_multiple_user_turn(world: World) -> Task:
    """Say that someone should be deleted; the number comes on request."""
    person = world.choice(world.friend, world.other_friend)
    return _by_number(
        person,
        world.phrase("I want to remove somebody from my contacts.", "There is a contact that has to go."),
        knows={r"\bwho|which|name|number|contact": f"The one with the number {person.phone_number}."},
        question="Of course. Who is it? A name or a number will do.",
    )


@scenario(CANONICALIZATION, variant=3)
def remove_contact_by_phone_multiple_user_turn_alt(world: World) -> Task:
    """Ask whose number it is, then have that entry deleted."""
    person = world.choice(world.other_friend, world.friend)
    number = person.phone_number
    return _by_number(
        person,
        world.phrase(f"Whose number is {number}?", f"Who can be reached at {number}?"),
        world.phrase("Ah, right. Remove that contact.", "I do not need that contact any more, delete it."),
    )


def _without_deletion(request: str) -> Task:
    """Wants somebody deleted by number, with nothing there to delete with; no look-up would change that."""
    return Task(
        user=request,
        tools=["search_contacts"],
        denied=["remove_contact"],
        milestones=[answer(cannot(TOOL_MISSING, about=("remove", "removing", "delete", "deleting"), task="removed"))],
        solution=[say("I cannot remove contacts: I have no tool for it.")],
    )


@scenario(INSUFFICIENT_INFORMATION, twin="remove_contact_by_phone")
def remove_contact_by_phone_no_remove_contact_insufficient_information(world: World) -> Task:
    """Delete a person by number, but no deletion tool is there."""
    person = world.choice(world.friend, world.other_friend)
    return _without_deletion(_plain_request(world, person.phone_number))


@scenario(INSUFFICIENT_INFORMATION, twin="remove_contact_by_phone_alt", variant=1)
def remove_contact_by_phone_no_remove_contact_insufficient_information_alt(world: World) -> Task:
    """Delete a person by number in a chatty way, but no deletion tool is there."""
    person = world.choice(world.other_friend, world.friend)
    return _without_deletion(_chatty_request(world, person.phone_number))


def _without_lookup(request: str) -> Task:
    """Wants somebody deleted by number, with nothing there that tells whose entry it is."""
    about = ("contacts", "contact", "look up", "search", "find", "id", "identifier", "number")
    return Task(
        user=request,
        tools=["remove_contact"],
        denied=["search_contacts", "search_messages"],
        milestones=[answer(cannot(TOOL_MISSING, INFORMATION_MISSING, about=about, task="removed"))],
        never=[failed("remove_contact")],
        solution=[
            say("I have no tool to search your contacts, so I do not know whose number that is. Nothing was removed.")
        ],
    )


@scenario(INSUFFICIENT_INFORMATION, twin="remove_contact_by_phone")
def remove_contact_by_phone_no_search_contacts_insufficient_information(world: World) -> Task:
    """Delete a person by number, but nothing is there to look the entry up with."""
    person = world.choice(world.friend, world.other_friend)
    return _without_lookup(_plain_request(world, person.phone_number))


@scenario(INSUFFICIENT_INFORMATION, twin="remove_contact_by_phone_alt", variant=1)
def remove_contact_by_phone_no_search_contacts_insufficient_information_alt(world: World) -> Task:
    """Delete a person by number in a chatty way, but nothing is there to look the entry up with."""
    person = world.choice(world.other_friend, world.friend)
    return _without_lookup(_chatty_request(world, person.phone_number))


@scenario(COREFERENCE)
def remove_contact_not_this_one_the_previous_coreference_multiple_user_turn(world: World) -> Task:
    """Look up two people in turn, then delete the first one, not the second."""
    first, second = world.choice((world.friend, world.other_friend), (world.other_friend, world.boss))

    def solution() -> Solution:
        [found] = yield call("search_contacts", name=first.name)
        yield say(f"{first.name} has the number {found['phone_number']}.")
        [other] = yield call("search_contacts", name=second.name)
        yield say(f"{second.name} has the number {other['phone_number']}.")
        yield call("remove_contact", person_id=found["person_id"])
        yield say(f"{first.name} has been removed from your contacts.")

    return Task(
        user=(
            f"What is {first.name}'s number?",
            f"And {second.name}'s?",
            world.phrase("Delete the first one from my contacts, not this one.", "Remove the previous one, keep this."),
        ),
        tools=["search_contacts", "remove_contact"],
        milestones=[
            answer_for_now(Phone(first.phone_number)),
            answer_for_now(Phone(second.phone_number)),
            removed(CONTACT, person_id=first.person_id),
            answer(Done("removed", first.spoken)),
        ],
        solution=solution,
    )


@scenario(DISAMBIGUATION)
def remove_contact_same_name_pick_by_relationship_disambiguation(world: World) -> Task:
    """Delete the namesake who is the colleague; enough detail is given at once."""
    friend = world.friend
    colleague = world.save(world.namesake(friend, "colleague"))

    def solution() -> Solution:
        rows = yield call("search_contacts", name=friend.name)
        [row] = [row for row in rows if row["relationship"] == "colleague"]
        yield call("remove_contact", person_id=row["person_id"])
        yield say(f"Your colleague {friend.name} has been removed.")

    return Task(
        user=world.phrase(
            f"Delete {friend.name} from my contacts, I mean my colleague.",
            f"My colleague {friend.name} left the firm, remove that contact.",
        ),
        tools=["search_contacts", "remove_contact"],
        milestones=[
            removed(CONTACT, person_id=colleague.person_id),
            answer(Done("removed", friend.spoken)),
        ],
        solution=solution,
    )
