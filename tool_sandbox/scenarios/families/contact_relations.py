"""Relabelling everyone of one relation."""

from tool_sandbox.answers.facts import Done, Listing
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.matchers import HasRow, SameWords
from tool_sandbox.scenarios.vocabulary import (
    CONTACT,
    Node,
    Task,
    answer,
    answer_for_now,
    call,
    called,
    changed,
    say,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution


def _relabel(world: World, relationship: str, *user: str) -> Task:
    """Relabels all friends; of several requests the first asks who they are, the third takes the change back."""
    asks_first, takes_back = len(user) > 1, len(user) > 2
    friends = [person for person in world.contacts if person.relationship == "friend"]
    names = " and ".join(person.name for person in friends)
    everyone = Listing([person.name for person in friends], universe=world.boss.name)

    def solution() -> Solution:
        rows = yield call("search_contacts", relationship="friend")
        if asks_first:
            yield say(f"Your friends are {names}.")
        for label in [relationship, "friend"] if takes_back else [relationship]:
            yield [call("modify_contact", person_id=row["person_id"], relationship=label) for row in rows]
            yield say(f"{names} have been changed to {label}.")

    def relabelled(label: str) -> Node:
        return changed(CONTACT, {"relationship": "friend"}, len(friends), relationship=SameWords(label))

    updated = Done("updated", [person.name for person in friends])
    return Task(
        user=user,
        tools=["modify_contact", "search_contacts"],
        milestones=[
            called("search_contacts").returning(HasRow({"person_id": friends[0].person_id})),
            *([answer_for_now(everyone)] if asks_first else []),
            *(
                [
                    relabelled(relationship).passing(),
                    answer_for_now(updated),
                    called("modify_contact", relationship=SameWords("friend")),
                ]
                if takes_back
                else []
            ),
            relabelled("friend" if takes_back else relationship),
            answer(updated),
        ],
        solution=solution,
    )


@scenario()
def update_contact_relationship_with_relationship(world: World) -> Task:
    """Relabel everyone of one relation with another relation."""
    new = world.choice("colleague", "neighbor", "client")
    request = world.phrase(
        f"Change all my friends to {new} in my contacts.", f"Everyone saved as friend becomes {new}."
    )
    return _relabel(world, new, request)


@scenario(variant=1)
def update_contact_relationship_with_relationship_alt(world: World) -> Task:
    """Relabel everyone of one relation with another relation, in other words."""
    new = world.choice("neighbor", "client", "colleague")
    request = world.phrase(
        f"Go through my contacts and relabel everyone whose relationship is friend as {new}.",
        f"Wherever the relationship of a contact says friend, make it {new} instead.",
    )
    return _relabel(world, new, request)


@scenario(variant=2)
def update_contact_relationship_with_relationship_multiple_user_turn(world: World) -> Task:
    """First list the people of one relation, then relabel them all."""
    new = world.choice("colleague", "neighbor", "client")
    first = world.phrase("Who is saved as a friend?", "Which friends do I have in my contacts?")
    return _relabel(world, new, first, f"Make all of those {new}s: save {new} as their relationship.")


@scenario(variant=2)
def update_contact_relationship_with_relationship_twice_multiple_user_turn(world: World) -> Task:
    """List the people of one relation, relabel them all, then take that back."""
    new = world.choice("client", "colleague", "neighbor")
    return _relabel(
        world,
        new,
        world.phrase("Which contacts are my friends?", "List everybody I have saved as a friend."),
        f"Change the relationship of all of them to {new}.",
        world.phrase(
            "That was a mistake. Change them all back to friend.",
            "No, I was wrong. Change all of them to friend again.",
        ),
    )
