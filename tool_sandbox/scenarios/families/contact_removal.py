"""Deleting people from the address book."""

from tool_sandbox.common.execution_context import ScenarioCategories
from tool_sandbox.common.facts import Done, Phone
from tool_sandbox.common.script import Solution
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.matchers import HasRow
from tool_sandbox.scenarios.vocabulary import (
    CONTACT,
    TOOL_MISSING,
    Task,
    answer,
    answer_for_now,
    call,
    called,
    cannot,
    removed,
    say,
)
from tool_sandbox.scenarios.world import Person, World

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
COREFERENCE = ScenarioCategories.COREFERENCE
DISAMBIGUATION = ScenarioCategories.DISAMBIGUATION
INSUFFICIENT_INFORMATION = ScenarioCategories.INSUFFICIENT_INFORMATION


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


def _by_number(person: Person, *user: str, knows: dict[str, str] | None = None, question: str = "") -> Task:
    """Deletes whoever has a number; the agent starts with a question where the user holds something back."""

    def solution() -> Solution:
        if question:
            yield say(question)
        [row] = yield call("search_contacts", phone_number=person.phone_number)
        yield call("remove_contact", person_id=row["person_id"])
        yield say(f"{row['name']} has been removed from your contacts.")

    return Task(
        user=user,
        knows=knows or {},
        tools=["remove_contact", "search_contacts"],
        milestones=[
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
    return _by_number(
        person,
        world.phrase(f"Remove the contact with the number {number}.", f"Delete whoever has the number {number}."),
    )


@scenario(CANONICALIZATION)
def remove_contact_by_phone_alt(world: World) -> Task:
    """Delete the entry with a given number, wrapped in small talk."""
    person = world.choice(world.other_friend, world.friend)
    number = person.phone_number
    return _by_number(
        person,
        world.phrase(
            f"I had a falling out with somebody, long story. {number} can go from my contacts, it just makes me sad.",
            f"Spring cleaning today! I never call {number} any more, so throw that contact out, will you.",
        ),
    )


@scenario(CANONICALIZATION)
def remove_contact_by_phone_multiple_user_turn(world: World) -> Task:
    """Say that someone should be deleted; the number comes on request."""
    person = world.choice(world.friend, world.other_friend)
    return _by_number(
        person,
        world.phrase("I want to remove somebody from my contacts.", "There is a contact that has to go."),
        knows={r"\bwho|which|name|number|contact": f"The one with the number {person.phone_number}."},
        question="Of course. Who is it? A name or a number will do.",
    )


@scenario(INSUFFICIENT_INFORMATION)
def remove_contact_by_phone_no_remove_contact_insufficient_information(world: World) -> Task:
    """Delete a person by number, but no deletion tool is there."""
    person = world.choice(world.friend, world.other_friend)
    number = person.phone_number

    def solution() -> Solution:
        [row] = yield call("search_contacts", phone_number=number)
        yield say(f"That is {row['name']}, but I cannot remove contacts: I have no tool for it.")

    return Task(
        user=world.phrase(f"Remove the contact with the number {number}.", f"Delete whoever has the number {number}."),
        tools=["search_contacts"],
        denied=["remove_contact"],
        milestones=[
            called("search_contacts").returning(HasRow({"person_id": person.person_id})),
            answer(cannot(TOOL_MISSING, about=("remove", "removing", "delete", "deleting"), task="removed")),
        ],
        solution=solution,
    )


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
