"""Looking people up in the address book."""

from tool_sandbox.answers.facts import Entity, Phone
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.matchers import HasRow
from tool_sandbox.scenarios.vocabulary import Task, answer, call, called, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution


@scenario()
def search_phone_number_with_name(world: World) -> Task:
    """Look up one saved person's number by full name."""
    person = world.choice(world.friend, world.other_friend, world.boss)

    def solution() -> Solution:
        rows = yield call("search_contacts", name=person.name)
        yield say(f"The number of {person.name} is {rows[0]['phone_number']}.")

    return Task(
        user=world.phrase(
            f"What is {person.name}'s phone number?",
            f"Give me the number of {person.name}.",
            f"How can I call {person.name}? I need the number.",
        ),
        tools=["search_contacts"],
        milestones=[
            called("search_contacts").returning(HasRow({"person_id": person.person_id})),
            answer(Phone(person.phone_number)),
        ],
        solution=solution,
    )


@scenario()
def search_name_with_relationship(world: World) -> Task:
    """Name the person saved under a given work relation."""

    def solution() -> Solution:
        rows = yield call("search_contacts", relationship="boss")
        yield say(f"Your boss is {rows[0]['name']}.")

    return Task(
        user=world.phrase("Who is my boss?", "Tell me the name of my boss.", "What is my boss called?"),
        tools=["search_contacts"],
        milestones=[
            called("search_contacts").returning(HasRow({"person_id": world.boss.person_id})),
            answer(Entity(world.boss.name)),
        ],
        solution=solution,
    )


@scenario()
def search_relationship_with_phone_number(world: World) -> Task:
    """Say how the owner of a given number relates to the user."""
    person = world.choice(world.boss, world.friend)

    def solution() -> Solution:
        rows = yield call("search_contacts", phone_number=person.phone_number)
        yield say(f"That number belongs to your {rows[0]['relationship']}.")

    return Task(
        user=world.phrase(
            f"How do I know the person behind {person.phone_number}?",
            f"What is my relationship to whoever has the number {person.phone_number}?",
        ),
        tools=["search_contacts"],
        milestones=[
            called("search_contacts").returning(HasRow({"person_id": person.person_id})),
            answer(Entity(str(person.relationship))),
        ],
        solution=solution,
    )
