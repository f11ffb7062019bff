"""One of several things that look alike, told from the others by what the request says of it."""

from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.families.long_messages import CLOCK, TEXTING
from tool_sandbox.scenarios.families.message_sending import sent
from tool_sandbox.scenarios.families.reminder_creation import lower_first
from tool_sandbox.scenarios.matchers import OneOf, SameWords
from tool_sandbox.scenarios.rich_world import RichWorld
from tool_sandbox.scenarios.steps import due, number_of, read_clock, text
from tool_sandbox.scenarios.vocabulary import CONTACT, REMINDER, Task, call, called, changed, removed, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

COREFERENCE = ScenarioCategories.COREFERENCE
DISAMBIGUATION = ScenarioCategories.DISAMBIGUATION
LONG_CHAIN = ScenarioCategories.LONG_CHAIN

LOOK_ALIKES = (
    ("Order printer paper", "Order printer ink", "Order wrapping paper", "Order a new printer"),
    ("Call Aunt Rosalie", "Call Uncle Ross", "Call Aunt Rosemary", "Visit Aunt Rosalie"),
    ("Clean the kitchen window", "Clean the kitchen sink", "Measure the kitchen window", "Clean the bedroom window"),
)
"""A reminder, and three that a search for it finds as well."""


@scenario(DISAMBIGUATION, rich=True)
def remove_contact_duplicate_entry_keep_one_disambiguation(world: RichWorld) -> Task:
    """Delete one of two equal entries of a person, whichever."""
    person = world.assistant

    def solution() -> Solution:
        rows = yield call("search_contacts", name=person.name)
        yield call("remove_contact", person_id=rows[-1]["person_id"])
        yield say(f"{person.name} is saved only once now.")

    return Task(
        user=world.phrase(
            f"{person.name} is saved twice in my contacts, with the same data. Delete one of the two entries.",
            f"I have {person.name} in my contacts two times. Both entries are equal, so remove one and keep the other.",
        ),
        tools=["search_contacts", "remove_contact"],
        milestones=[removed(CONTACT, person_id=OneOf((person.person_id, world.duplicate.person_id)))],
        solution=solution,
    )


@scenario(DISAMBIGUATION, rich=True)
def send_message_number_shared_by_two_contacts_disambiguation(world: RichWorld) -> Task:
    """Text one of two people who share a landline."""
    person, content = world.choice(*world.siblings[::-1]), world.choice(*pools.SHORT_TEXTS)

    def solution() -> Solution:
        number = yield from number_of(person.name)
        yield text(number, content)
        yield say(f"{person.name} has got your text.")

    return Task(
        user=world.phrase(f'Text {person.name}: "{content}"', f'Send {person.name} the text "{content}"'),
        tools=TEXTING,
        milestones=[sent(person, content)],
        solution=solution,
    )


@scenario(DISAMBIGUATION)
def remove_reminder_fuzzy_noise_disambiguation(world: World) -> Task:
    """Delete a reminder whose text search also finds three look-alikes."""
    contents = world.choice(*LOOK_ALIKES)
    wanted, *_ = [
        world.remind(content, due_at=world.at(world.in_days(2 + day), 10)) for day, content in enumerate(contents)
    ]
    world.reminders.sort(key=lambda note: -note.due_at)

    def solution() -> Solution:
        rows = yield call("search_reminder", content=wanted.content)
        [row] = [row for row in rows if row["content"] == wanted.content]
        yield call("remove_reminder", reminder_id=row["reminder_id"])
        yield say(f'The reminder "{wanted.content}" is gone.')

    return Task(
        user=world.phrase(
            f"I no longer need to be reminded to {lower_first(wanted.content)}. Delete that reminder.",
            f'Remove the reminder "{wanted.content}".',
        ),
        tools=["search_reminder", "remove_reminder"],
        milestones=[removed(REMINDER, reminder_id=wanted.reminder_id)],
        solution=solution,
    )


@scenario(DISAMBIGUATION, COREFERENCE, LONG_CHAIN, rich=True)
def update_contact_relationship_namesake_by_message_history_disambiguation(world: RichWorld) -> Task:
    """Relabel that one of two namesakes who was texted yesterday."""
    person, label = world.friend, world.choice("neighbor", "client", "climbing partner")

    def solution() -> Solution:
        rows = yield call("search_contacts", name=person.name)
        moment = yield from read_clock()
        end = yield due(moment.today, 0)
        begin = yield call("shift_timestamp", timestamp=end, days=-1)
        bounds = {"creation_timestamp_lowerbound": begin, "creation_timestamp_upperbound": end}
        texts = yield call("search_messages", **bounds)
        [row] = [row for row in rows if row["phone_number"] in [text["recipient_phone_number"] for text in texts]]
        yield call("modify_contact", person_id=row["person_id"], relationship=label)
        yield say(f"The {person.name} whom you texted yesterday is saved as {label} now.")

    return Task(
        user=world.phrase(
            f"Two people called {person.name} are in my contacts. Save the one I texted yesterday as {label}.",
            f"Change the relationship of {person.name} to {label}. I mean the one whom I sent a text yesterday.",
        ),
        tools=["search_contacts", "search_messages", "modify_contact", "shift_timestamp", *CLOCK],
        milestones=[
            called("search_messages"),
            changed(CONTACT, {"person_id": person.person_id}, relationship=SameWords(label)),
        ],
        solution=solution,
    )
