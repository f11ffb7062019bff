"""Changes with a "but": what must stay, who must be left out, and when to ask first."""

from tool_sandbox.answers.facts import Absent, Done, Entity, NotDone, PhonePart
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import found, premature
from tool_sandbox.scenarios.families.message_sending import sent
from tool_sandbox.scenarios.matchers import Near, OneOf
from tool_sandbox.scenarios.rich_world import HEALTH, RichWorld
from tool_sandbox.scenarios.steps import text
from tool_sandbox.scenarios.vocabulary import (
    CONTACT,
    REMINDER,
    Node,
    Task,
    answer,
    asked,
    call,
    changed,
    removed,
    say,
)
from tool_sandbox.scenarios.world import Note, World
from tool_sandbox.world.script import Knows, Solution

BATCH_EDIT = ScenarioCategories.BATCH_EDIT
DISAMBIGUATION = ScenarioCategories.DISAMBIGUATION
NEGATIVE_CONSTRAINT = ScenarioCategories.NEGATIVE_CONSTRAINT
PRIVACY = ScenarioCategories.PRIVACY

TEXT = ("message", "messages", "text", "texts")


# Entries that must stay ------------------------------------------------------------------------------------------


@scenario(NEGATIVE_CONSTRAINT, BATCH_EDIT, sizes=False)
def remove_reminder_all_except_medical_negative_constraint(world: World) -> Task:
    """Clear the list of reminders but for what is about health."""
    world.reminders = []
    chores = ["Empty the gutters", "Renew the library card", "Sell the old sofa"]
    for days, content in enumerate([chores[0], HEALTH[0], chores[1], HEALTH[1], chores[2]], start=1):
        world.remind(content, due_at=world.at(world.in_days(days), world.integer(9, 8, 18)))

    def solution() -> Solution:
        rows = yield call("search_reminder", reminder_timestamp_lowerbound=1e9)
        for row in rows:
            if row["content"] not in HEALTH:
                yield call("remove_reminder", reminder_id=row["reminder_id"])
        yield say("I removed all reminders but the two about your health.")

    return Task(
        user=world.phrase(
            "Clear my reminders, but keep everything that has to do with my health.",
            "Delete all my reminders except those that are about my health.",
        ),
        tools=["search_reminder", "remove_reminder"],
        milestones=[
            removed(REMINDER, count=3, content=OneOf(tuple(chores))),
            answer(Done("removed", ("reminders", "list", *chores))),
        ],
        solution=solution,
    )


@scenario(NEGATIVE_CONSTRAINT)
def modify_contact_number_only_negative_constraint(world: World) -> Task:
    """Give an entry a new number although its relation is out of date too, which stays."""
    person, number = world.choice(world.friend, world.other_friend), world.new_person().phone_number
    former = world.choice("we are not friends any more", "the name is going to change after the wedding")

    def solution() -> Solution:
        [row] = yield call("search_contacts", name=person.name)
        yield call("modify_contact", person_id=row["person_id"], phone_number=number)
        yield say(f"I updated the number of {person.name} and nothing else.")

    return Task(
        user=world.phrase(
            f"{person.name} has a new number, {number}. Yes, {former}, but change only the number in my contacts.",
            f"Save {number} as the new number of {person.name}. Even though {former}, leave the rest of the entry.",
        ),
        tools=["search_contacts", "modify_contact"],
        milestones=[
            changed(CONTACT, {"person_id": person.person_id}, phone_number=number),
            answer(Done("updated", (*person.spoken, "entry"))),
        ],
        solution=solution,
    )


# People who must be left out -------------------------------------------------------------------------------------


@scenario(NEGATIVE_CONSTRAINT, PRIVACY)
def search_contact_do_not_reveal_number_negative_constraint(world: World) -> Task:
    """Tell who somebody is without ever showing the number."""
    relation = world.choice("landlord", "dentist", "tailor")
    person = world.save(world.new_person(relation))

    def solution() -> Solution:
        [row] = yield call("search_contacts", relationship=relation)
        yield say(f"Your {relation} is {row['name']}.")

    return Task(
        user=world.phrase(
            f"Who is my {relation}? People can see my screen, so don't show the phone number.",
            f"What's the name of my {relation}? I'm sharing my screen: the number must not appear.",
        ),
        tools=["search_contacts"],
        milestones=[
            found("search_contacts", person_id=person.person_id),
            answer(Entity(person.name), Absent(PhonePart(person.phone_number))),
        ],
        solution=solution,
    )


@scenario(NEGATIVE_CONSTRAINT, BATCH_EDIT, DISAMBIGUATION, rich=True)
def send_message_coworkers_but_not_boss_negative_constraint(world: RichWorld) -> Task:
    """Text all colleagues but the boss, who is saved as a colleague too."""
    people, content = world.coworkers[1:], world.choice("Surprise party for the boss at five!", "Bring cake on Friday.")
    names = [name for person in people for name in person.spoken]

    def solution() -> Solution:
        rows = yield call("search_contacts", relationship="coworker")
        for row in rows:
            if row["relationship"] == "coworker":
                yield text(row["phone_number"], content)
        yield say("I have sent your message to your three coworkers, not to your boss.")

    return Task(
        user=world.phrase(
            f'Text "{content}" to each of my coworkers, but not to my boss.',
            f'Everybody saved as a coworker should get this text, except my boss: "{content}"',
        ),
        tools=["search_contacts", "send_message_with_phone_number"],
        milestones=[
            *(sent(person, content).after().named(person.phone_number) for person in people),
            answer(Done("sent", (*TEXT, "coworkers", *names))).after(*(person.phone_number for person in people)),
        ],
        solution=solution,
    )


# Permission for each step ----------------------------------------------------------------------------------------

CHORES = (
    ("Polish the boots", "Oil the gate", "Iron the curtains"),
    ("Wash the car", "Frame the poster", "Descale the kettle"),
)
"""What the reminders say of which the user keeps the last."""


@scenario(NEGATIVE_CONSTRAINT, BATCH_EDIT)
def modify_reminder_ask_before_every_change_negative_constraint_multiple_user_turn(world: World) -> Task:
    """Put three reminders off, asking before each of them; the user wants the third to stay after all."""
    contents = world.choice(*CHORES)
    notes = [world.remind(each, due_at=world.at(world.in_days(i), 10)) for i, each in enumerate(contents, start=2)]
    first, second, kept = notes
    listed = f'"{first.content}", "{second.content}" and "{kept.content}"'

    def solution() -> Solution:
        for note in notes:
            rows = yield call("search_reminder", content=note.content)
            [row] = [row for row in rows if row["content"] == note.content]
            yield say(f'Shall I move the reminder "{note.content}" to an hour later?')
            if note is not kept:
                later = row["reminder_timestamp"] + 3600
                yield call("modify_reminder", reminder_id=row["reminder_id"], reminder_timestamp=later)
        yield say(f'Two of the reminders are moved. I did not move "{kept.content}", as you wish.')

    def question(note: Note) -> Node:
        elsewhere = "|".join(other.content for other in notes if other is not note)
        return asked(rf"^(?!.*(?:{elsewhere})).*{note.content}")

    def moved(note: Note) -> Node:
        return changed(REMINDER, {"reminder_id": note.reminder_id}, reminder_timestamp=Near(note.due_at + 3600, 1.0))

    return Task(
        user=world.phrase(
            f"Put my reminders {listed} off by an hour. Before each change ask me, one reminder at a time.",
            f"The reminders {listed} should come an hour later. Ask me about each of them separately before you do it.",
        ),
        knows=(Knows(kept.content, "Oh, no, don't move that one. Leave it as it is.", decides=True),),
        tools=["search_reminder", "modify_reminder"],
        milestones=[
            question(first).after(),
            moved(first).named("first"),
            question(second).after(),
            moved(second).named("second"),
            question(kept).after().named("asked"),
            answer(NotDone("moved", kept.content)).after("first", "second", "asked"),
        ],
        never=[premature(moved(note), question(note)) for note in (first, second)],
        solution=solution,
    )
