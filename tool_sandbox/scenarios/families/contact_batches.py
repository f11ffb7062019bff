"""One request that changes several entries of the address book: all that are meant, and no other."""

from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.matchers import OneOf, SameWords
from tool_sandbox.scenarios.rich_world import REGION_CODE, RichWorld
from tool_sandbox.scenarios.vocabulary import CONTACT, Task, call, called, changed, removed, say
from tool_sandbox.world.script import Solution

BATCH_EDIT = ScenarioCategories.BATCH_EDIT
CANONICALIZATION = ScenarioCategories.CANONICALIZATION
DISAMBIGUATION = ScenarioCategories.DISAMBIGUATION
LONG_CHAIN = ScenarioCategories.LONG_CHAIN

TOOLS = ("search_contacts", "modify_contact")


@scenario(BATCH_EDIT, CANONICALIZATION, rich=True)
def modify_contact_area_code_batch(world: RichWorld) -> Task:
    """One area code changed: update every number that has it."""
    new = world.choice("341", "820", "369")

    def moved(number: str) -> str:
        return number.replace(f"+1{REGION_CODE}", f"+1{new}")

    def solution() -> Solution:
        for row in (yield call("search_contacts", is_self=False)):
            if (row["phone_number"] or "").startswith(f"+1{REGION_CODE}"):
                yield call("modify_contact", person_id=row["person_id"], phone_number=moved(row["phone_number"]))
        yield say(f"All numbers with the area code {REGION_CODE} have the area code {new} now.")

    return Task(
        user=world.phrase(
            f"The US area code {REGION_CODE} has become {new}. Change it in all my contacts' numbers that have it.",
            f"Every number in my contacts with the US area code {REGION_CODE} shall get {new} instead, the rest of the "
            "number stays.",
        ),
        tools=TOOLS,
        milestones=[
            changed(CONTACT, {"person_id": person.person_id}, phone_number=moved(person.phone_number)).after()
            for person in world.region
        ],
        solution=solution,
    )


@scenario(BATCH_EDIT, DISAMBIGUATION, rich=True)
def merge_contact_duplicates_into_complete_entry_batch(world: RichWorld) -> Task:
    """Merge two partial entries of one person into one full entry, whichever of the two is kept."""
    numbered, labelled = world.split
    either = OneOf((numbered.person_id, labelled.person_id))

    def solution() -> Solution:
        rows = yield call("search_contacts", name=numbered.name)
        [kept] = [row for row in rows if row["phone_number"]]
        [other] = [row for row in rows if not row["phone_number"]]
        yield call("modify_contact", person_id=kept["person_id"], relationship=other["relationship"])
        yield call("remove_contact", person_id=other["person_id"])
        yield say(f"There is one entry of {numbered.name} now, with number and relationship.")

    return Task(
        user=world.phrase(
            f"{numbered.name} is in my contacts twice, once with the number and once with the relationship. Complete "
            "one of the two entries and delete the other.",
            f"Two halves of one entry: {numbered.name} is saved twice. Put everything into one of the two, then remove "
            "the other one.",
        ),
        tools=[*TOOLS, "remove_contact"],
        milestones=[
            changed(
                CONTACT,
                {"person_id": either},
                phone_number=numbered.phone_number,
                relationship=SameWords(labelled.relationship or ""),
            ),
            removed(CONTACT, person_id=either).after(),
        ],
        solution=solution,
    )


@scenario(BATCH_EDIT, LONG_CHAIN, rich=True)
def update_contact_relationship_swap_two_labels_batch(world: RichWorld) -> Task:
    """Swap two relations across the address book."""
    one, other = world.choice(("friend", "acquaintance"), ("family", "friend"), ("sibling", "acquaintance"))
    labels = {one: other, other: one}

    def solution() -> Solution:
        found = yield [call("search_contacts", relationship=label) for label in labels]
        for row in (row for rows in found for row in rows):
            yield call("modify_contact", person_id=row["person_id"], relationship=labels[row["relationship"]])
        yield say(f"Those who were {one} are {other} now, and the other way round.")

    counts = {label: sum(person.relationship == label for person in world.contacts) for label in labels}
    return Task(
        user=world.phrase(
            f"I mixed up two relationships in my contacts: everyone saved as {one} should be {other}, and everyone "
            f"saved as {other} should be {one}. Swap them.",
            f"Swap the relationships {one} and {other} all over my contacts.",
        ),
        tools=TOOLS,
        milestones=[
            changed(CONTACT, {"relationship": label}, counts[label], relationship=SameWords(new)).after()
            for label, new in labels.items()
        ],
        solution=solution,
    )


@scenario(BATCH_EDIT, rich=True)
def remove_contact_never_messaged_batch(world: RichWorld) -> Task:
    """Delete acquaintances with whom no text was ever exchanged."""
    silent = world.acquaintances[2:]

    def solution() -> Solution:
        for row in (yield call("search_contacts", relationship="acquaintance")):
            received = yield call("search_messages", sender_phone_number=row["phone_number"])
            if not received and not (yield call("search_messages", recipient_phone_number=row["phone_number"])):
                yield call("remove_contact", person_id=row["person_id"])
        yield say("The acquaintances whom you never exchanged a text with are gone.")

    return Task(
        user=world.phrase(
            "Delete those contacts saved as acquaintance with whom I have never exchanged a text.",
            "Clear my contacts of every acquaintance whom I never texted and who never texted me.",
        ),
        tools=["search_contacts", "search_messages", "remove_contact"],
        milestones=[
            called("search_messages"),
            removed(CONTACT, len(silent), person_id=OneOf(tuple(person.person_id for person in silent))),
        ],
        solution=solution,
    )
