"""Adding people to the address book and changing their entries."""

from tool_sandbox.answers.facts import Done, Entity, Phone
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.matchers import HasRow, SameWords
from tool_sandbox.scenarios.vocabulary import (
    CONTACT,
    INFORMATION_MISSING,
    TOOL_MISSING,
    Task,
    added,
    answer,
    answer_for_now,
    call,
    called,
    cannot,
    changed,
    say,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
COREFERENCE = ScenarioCategories.COREFERENCE
INSUFFICIENT_INFORMATION = ScenarioCategories.INSUFFICIENT_INFORMATION

RECENCY_TOOLS = ("modify_contact", "search_contacts", "search_messages", "get_current_timestamp")


@scenario()
def add_contact_with_name_and_phone_number(world: World) -> Task:
    """Store a new person with name and number, no relation."""
    person = world.new_person()
    return Task(
        user=world.phrase(
            f"Add {person.name} to my contacts, the number is {person.phone_number}.",
            f"Save {person.phone_number} as {person.name}.",
            f"I met {person.name} today. Store the number {person.phone_number} for me.",
        ),
        tools=["add_contact"],
        milestones=[
            added(CONTACT, name=SameWords(person.name), phone_number=person.phone_number),
            answer(Done("added", person.spoken)),
        ],
        solution=[
            call("add_contact", name=person.name, phone_number=person.phone_number),
            say(f"I have added {person.name} to your contacts."),
        ],
    )


@scenario(CANONICALIZATION, ScenarioCategories.SINGLE_TOOL_CALL)
def add_contact_with_relationship_and_local_number(world: World) -> Task:
    """Store a new person with a relation and a number in the local notation."""
    relation = world.choice("neighbor", "plumber", "accountant")
    person = world.new_person(relation)
    digits = person.phone_number.removeprefix("+1")
    number = f"({digits[:3]}) {digits[3:6]}-{digits[6:]}"
    return Task(
        user=world.phrase(
            f"{person.name} is my new {relation}. Save the number, {number}, and the relationship too. It is a US one.",
            f"Put {person.name} into my contacts as my {relation}. The US number is {number}.",
        ),
        tools=["add_contact", "search_contacts"],
        milestones=[
            added(
                CONTACT,
                name=SameWords(person.name),
                phone_number=person.phone_number,
                relationship=SameWords(relation, extra=1),
            ),
            answer(Done("added", person.spoken)),
        ],
        solution=[
            call("add_contact", name=person.name, phone_number=person.phone_number, relationship=relation),
            say(f"I have added {person.name} to your contacts."),
        ],
    )


@scenario()
def update_contact_with_id_and_phone_number(world: World) -> Task:
    """Change the number of the entry with a given identifier."""
    person = world.choice(world.friend, world.boss)
    number = world.new_person().phone_number
    return Task(
        user=world.phrase(
            f"Change the phone number of the contact with id {person.person_id} to {number}.",
            f"The contact {person.person_id} has a new number, {number}. Update it.",
        ),
        tools=["modify_contact"],
        milestones=[
            changed(CONTACT, {"person_id": person.person_id}, phone_number=number),
            answer(Done("updated", ("contact", "number"))),
        ],
        solution=[
            call("modify_contact", person_id=person.person_id, phone_number=number),
            say(f"The contact has been updated; its phone number is {number} now."),
        ],
    )


def _last_texted_gets(
    world: World, number: str, *user: str, knows: dict[str, str] | None = None, question: str = ""
) -> Task:
    """Gives a new number to the person whom the owner texted last, who is the boss.

    Of two requests the first asks who that person is.
    """
    newest = world.messages[3]

    def solution() -> Solution:
        if question:
            yield say(question)
        now = yield call("get_current_timestamp")
        [me] = yield call("search_contacts", is_self=True)
        rows = yield call("search_messages", sender_person_id=me["person_id"], creation_timestamp_upperbound=now)
        latest = max(rows, key=lambda row: row["creation_timestamp"])
        if len(user) > 1:
            yield say(f"You last texted {world.boss.name}.")
        yield call("modify_contact", person_id=latest["recipient_person_id"], phone_number=number)
        yield say(f"The phone number of {world.boss.name} has been changed to {number}.")

    boss = Entity(world.boss.name, aliases=(world.boss.first_name, "boss"))
    return Task(
        user=user,
        knows=knows or {},
        tools=RECENCY_TOOLS,
        milestones=[
            called("search_messages").returning(HasRow({"message_id": newest.message_id})),
            *([answer_for_now(boss)] if len(user) > 1 else []),
            changed(CONTACT, {"person_id": world.boss.person_id}, phone_number=number),
            answer(Done("updated", world.boss.spoken)),
        ],
        solution=solution,
    )


def _colloquial_change(world: World, number: str) -> str:
    return world.phrase(
        f"Whoever it was I texted last, they got a new phone. Their number is {number} from now on, fix my contacts.",
        f"You know who I texted last? They can be reached at {number} now, so put that in their contact.",
    )


@scenario(CANONICALIZATION)
def modify_contact_with_message_recency(world: World) -> Task:
    """Give the most recently texted person a new number."""
    number = world.new_person().phone_number
    return _last_texted_gets(
        world,
        number,
        world.phrase(
            f"The person I last sent a text to has a new phone number, {number}. Change it in my contacts.",
            f"Update the number of whoever I texted last to {number}.",
        ),
    )


@scenario(CANONICALIZATION, variant=1)
def modify_contact_with_message_recency_alt(world: World) -> Task:
    """Give whoever was texted last a new number, in colloquial words."""
    number = world.new_person().phone_number
    return _last_texted_gets(world, number, _colloquial_change(world, number))


@scenario(CANONICALIZATION, variant=2)
def modify_contact_with_message_recency_multiple_user_turn(world: World) -> Task:
    """Ask who was texted last, then give that person a new number."""
    number = world.new_person().phone_number
    return _last_texted_gets(
        world,
        number,
        world.phrase("Whom did I text last?", "Who was the last person I sent a text to?"),
        world.phrase(f"Their number has changed to {number}, update it.", f"Save {number} as their new number."),
    )


@scenario(CANONICALIZATION, variant=3)
def modify_contact_with_message_recency_multiple_user_turn_alt(world: World) -> Task:
    """Say that a number must change; whose and which come on request."""
    number = world.new_person().phone_number

    return _last_texted_gets(
        world,
        number,
        world.phrase("I have to change a phone number in my contacts.", "Somebody got a new number."),
        knows={
            r"\bwhose|\bwho\b|which (?:contact|person)|\bname\b": "The person I sent my latest text to.",
            r"new (?:phone )?(?:number|one)|what number|which number|number (?:be|to)": f"The new number is {number}.",
        },
        question="Whose number shall I change, and what is the new one?",
    )


def _without_messages(request: str) -> Task:
    """Wants a new number for a person whom only the messages would tell, which are out of reach."""
    return Task(
        user=request,
        tools=["modify_contact", "search_contacts", "get_current_timestamp"],
        denied=["search_messages"],
        milestones=[
            answer(
                cannot(
                    TOOL_MISSING,
                    INFORMATION_MISSING,
                    about=("message", "messages", "text", "texts", "texted"),
                    task="updated",
                )
            )
        ],
        solution=[say("I have no access to your messages, so I do not know whom you texted last.")],
    )


@scenario(INSUFFICIENT_INFORMATION, twin="modify_contact_with_message_recency")
def modify_contact_with_message_recency_insufficient_information(world: World) -> Task:
    """Give the most recently texted person a new number, with message search missing."""
    number = world.new_person().phone_number
    return _without_messages(
        world.phrase(
            f"The person I last sent a text to has a new phone number, {number}. Change it in my contacts.",
            f"Update the number of whoever I texted last to {number}.",
        )
    )


@scenario(INSUFFICIENT_INFORMATION, twin="modify_contact_with_message_recency_alt", variant=1)
def modify_contact_with_message_recency_insufficient_information_alt(world: World) -> Task:
    """Give whoever was texted last a new number in colloquial words, with message search missing."""
    return _without_messages(_colloquial_change(world, world.new_person().phone_number))


@scenario(COREFERENCE)
def modify_contact_the_other_one_coreference_multiple_user_turn(world: World) -> Task:
    """Ask for one of two siblings, then change the number of the other one."""
    relation = world.choice("sister", "brother")
    named, other = world.save(world.new_person(relation)), world.save(world.new_person(relation))
    number = world.new_person().phone_number

    def solution() -> Solution:
        rows = yield call("search_contacts", relationship=relation)
        asked_for = next(row for row in rows if row["name"] == named.name)
        yield say(f"The number of {named.name} is {asked_for['phone_number']}.")
        [row] = [row for row in rows if row["name"] != named.name]
        yield call("modify_contact", person_id=row["person_id"], phone_number=number)
        yield say(f"The number of {row['name']} has been changed to {number}.")

    return Task(
        user=(
            f"What is the number of my {relation} {named.first_name}?",
            f"Change the other {relation}'s number to {number}.",
        ),
        tools=["search_contacts", "modify_contact"],
        milestones=[
            called("search_contacts").returning(HasRow({"person_id": named.person_id})),
            answer_for_now(Phone(named.phone_number)),
            changed(CONTACT, {"person_id": other.person_id}, phone_number=number),
            answer(Done("updated", other.spoken)),
        ],
        solution=solution,
    )
