"""Edits that the user regrets: made, then unmade in whole or in part."""

import datetime
from collections.abc import Sequence

from tool_sandbox.answers.facts import Done, Phone
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.matchers import Near, OneOf, SameWords
from tool_sandbox.scenarios.rich_world import RichWorld
from tool_sandbox.scenarios.vocabulary import (
    CONTACT,
    REMINDER,
    Node,
    Task,
    added,
    answer,
    answer_for_now,
    call,
    called,
    changed,
    removed,
    say,
)
from tool_sandbox.scenarios.world import Person, World
from tool_sandbox.world.script import Solution

BATCH_EDIT = ScenarioCategories.BATCH_EDIT
COREFERENCE = ScenarioCategories.COREFERENCE
GOAL_CHANGE = ScenarioCategories.GOAL_CHANGE
STATE_RESTORATION = ScenarioCategories.STATE_RESTORATION


@scenario(STATE_RESTORATION)
def modify_contact_number_then_undo_multiple_user_turn(world: World) -> Task:
    """Change a number, then take the change back; the user does not remember the old number."""
    person, number = world.choice(world.friend, world.other_friend, world.boss), world.new_person().phone_number

    def solution() -> Solution:
        [row] = yield call("search_contacts", name=person.name)
        yield call("modify_contact", person_id=row["person_id"], phone_number=number)
        yield say(f"The number of {person.name} has been changed to {number}.")
        yield call("modify_contact", person_id=row["person_id"], phone_number=row["phone_number"])
        yield say(f"I changed it back: the number of {person.name} is {row['phone_number']} again.")

    def numbered(value: str) -> Node:
        return changed(CONTACT, {"person_id": person.person_id}, phone_number=value)

    return Task(
        user=(
            world.phrase(f"Change {person.name}'s number to {number}.", f"{person.name} has a new number, {number}."),
            world.phrase(
                "I was misinformed. Put the old number back and tell me which one it is.",
                "That was wrong. Undo it. What is the number then?",
            ),
        ),
        tools=["search_contacts", "modify_contact"],
        milestones=[
            numbered(number).passing(),
            answer_for_now(Done("updated")),
            called("modify_contact", person_id=person.person_id),
            numbered(person.phone_number),
            answer(Phone(person.phone_number)),
        ],
        solution=solution,
    )


@scenario(GOAL_CHANGE)
def modify_contact_conflicting_numbers_latest_wins_multiple_user_turn(world: World) -> Task:
    """Give two numbers in two turns; the last one counts."""
    person = world.choice(world.friend, world.other_friend, world.boss)
    numbers = [world.new_person().phone_number, world.new_person().phone_number]

    def solution() -> Solution:
        [row] = yield call("search_contacts", name=person.name)
        for number in numbers:
            yield call("modify_contact", person_id=row["person_id"], phone_number=number)
            yield say(f"The number of {person.name} has been changed to {number}.")

    wrong, right = (changed(CONTACT, {"person_id": person.person_id}, phone_number=number) for number in numbers)
    updated = Done("updated")
    return Task(
        user=(
            world.phrase(
                f"{person.name} has a new number, {numbers[0]}. Save it.", f"Set {person.name} to {numbers[0]}."
            ),
            world.phrase(f"Wait, I misread that. It's {numbers[1]}.", f"Sorry, wrong number. {numbers[1]} is right."),
        ),
        tools=["search_contacts", "modify_contact"],
        milestones=[wrong.passing(), answer_for_now(updated), called("modify_contact"), right, answer(updated)],
        solution=solution,
    )


@scenario(STATE_RESTORATION, COREFERENCE, rich=True)
def remove_reminder_then_restore_multiple_user_turn(world: RichWorld) -> Task:
    """Delete a reminder that is tied to a place, then want it back as it was."""
    note = world.choice(world.health[1], world.tomorrow[1], world.later_today[0])
    latitude, longitude = note.position or world.position
    same = {"content": SameWords(note.content), "reminder_timestamp": Near(note.due_at, 1.0)}
    place = {"latitude": Near(latitude, 1e-4), "longitude": Near(longitude, 1e-4)}

    def solution() -> Solution:
        rows = yield call("search_reminder", content=note.content)
        [row] = [row for row in rows if row["content"] == note.content]
        yield call("remove_reminder", reminder_id=row["reminder_id"])
        yield say(f'The reminder "{note.content}" has been removed.')
        names = ("content", "reminder_timestamp", "latitude", "longitude")
        yield call("add_reminder", **{name: row[name] for name in names})
        yield say(f'I restored the reminder "{note.content}", with its time and place.')

    return Task(
        user=(
            world.phrase(f'Delete the reminder "{note.content}".', f'I don\'t need "{note.content}" on my reminders.'),
            world.phrase("Oh no, I do need that. Put it back exactly as it was.", "Bring it back as it was, please."),
        ),
        tools=["search_reminder", "remove_reminder", "add_reminder"],
        milestones=[
            removed(REMINDER, reminder_id=note.reminder_id),
            answer_for_now(Done("removed")),
            added(REMINDER, 1, **same, **place),
        ],
        solution=solution,
    )


@scenario(STATE_RESTORATION, rich=True)
def modify_reminder_time_then_revert_multiple_user_turn(world: RichWorld) -> Task:
    """Postpone a reminder, then restore the former time."""
    note, days = world.choice(*world.shopping, world.twins[1], world.health[0]), world.integer(3, 2, 9)
    later = world.local(note.due_at).date() + datetime.timedelta(days=days)
    moment = world.local(note.due_at)

    def solution() -> Solution:
        rows = yield call("search_reminder", content=note.content)
        [row] = [row for row in rows if row["content"] == note.content]
        postponed = yield call("shift_timestamp", timestamp=row["reminder_timestamp"], days=days)
        yield call("modify_reminder", reminder_id=row["reminder_id"], reminder_timestamp=postponed)
        yield say(f'The reminder "{note.content}" has been moved.')
        yield call("modify_reminder", reminder_id=row["reminder_id"], reminder_timestamp=row["reminder_timestamp"])
        yield say("It has been moved back to its former time.")

    def due_at(timestamp: float) -> Node:
        return changed(REMINDER, {"reminder_id": note.reminder_id}, reminder_timestamp=Near(timestamp, 1.0))

    return Task(
        user=(
            f'Postpone the reminder "{note.content}" by {days} days.',
            world.phrase("No, that is too late. Back to when it was.", "On second thoughts, restore the old time."),
        ),
        tools=["search_reminder", "shift_timestamp", "modify_reminder"],
        milestones=[
            due_at(world.at(later, moment.hour, moment.minute)).passing(),
            answer_for_now(Done("moved")),
            called("modify_reminder", reminder_id=note.reminder_id),
            due_at(note.due_at),
            answer(Done("moved")),
        ],
        solution=solution,
    )


@scenario(STATE_RESTORATION, BATCH_EDIT, rich=True)
def update_contact_relationship_bulk_then_restore_subset_multiple_user_turn(world: RichWorld) -> Task:
    """Relabel four people, then put two named ones back."""
    label = world.choice("neighbor", "client", "club member")
    people = world.acquaintances
    back = world.choice(people[1:3], people[2:4], (people[1], people[3]))
    kept = [person for person in people if person not in back]
    names = " and ".join(person.name for person in back)

    def solution() -> Solution:
        rows = yield call("search_contacts", relationship="acquaintance")
        yield [call("modify_contact", person_id=row["person_id"], relationship=label) for row in rows]
        yield say(f"All {len(rows)} acquaintances have been changed to {label}.")
        again = [row for row in rows if row["name"] in [person.name for person in back]]
        yield [call("modify_contact", person_id=row["person_id"], relationship="acquaintance") for row in again]
        yield say(f"{names} have been changed back to acquaintance.")

    def labelled(group: Sequence[Person], relationship: str) -> Node:
        chosen = OneOf(tuple(person.person_id for person in group))
        return changed(CONTACT, {"person_id": chosen}, len(group), relationship=SameWords(relationship))

    return Task(
        user=(
            f'Everybody whose relationship is "acquaintance" becomes "{label}" in my contacts.',
            world.phrase(f"Hm, put {names} back to how they were.", f"Undo that for {names}, not for the others."),
        ),
        tools=["search_contacts", "modify_contact"],
        milestones=[
            labelled(kept, label),
            labelled(back, label).passing(),
            answer_for_now(Done("updated")),
            called("modify_contact", person_id=OneOf(tuple(person.person_id for person in back))),
            labelled(back, "acquaintance"),
            answer(Done("updated")),
        ],
        solution=solution,
    )
