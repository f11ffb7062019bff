"""Groups: chats of several people, what they post, what they vote on, and who leads them."""

from typing import Any

from tool_sandbox.answers.facts import Done, Number
from tool_sandbox.apps.groups.rows import chat_row, member_row, post_row
from tool_sandbox.apps.groups.tables import CHATS, MEMBERS, OPTIONS, PEOPLE, POLLS, POSTS
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import Mentions, found, would_find
from tool_sandbox.scenarios.matchers import Anything, SameWords
from tool_sandbox.scenarios.vocabulary import (
    NOT_FOUND,
    Task,
    added,
    answer,
    call,
    cannot,
    changed,
    removed,
    say,
)
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

GROUPS = ("groups",)
CIRCLES = ("Kayak crew", "Chess evenings", "Beekeepers")


def _put_chat(world: World, name: str, others: int = 4) -> list[dict[str, Any]]:
    """A chat that the owner leads; gives its members with their names, the owner first."""
    draw = world.draw("groups")
    begun = draw.moment(-50, 18)
    chat = world.put(CHATS, chat_row(draw, name, None, begun))
    members = []
    for number, person in enumerate(world.stored(PEOPLE)[: others + 1]):
        role = "member" if number else "admin"
        row = member_row(draw, chat["chat_id"], person["person_id"], role, begun, draw.moment(-1, 22))
        members.append(world.put(MEMBERS, row) | {"name": person["name"]})
    return members


def _post(world: World, member: dict[str, Any], text: str, days: int) -> dict[str, Any]:
    """A post of a member, some days ago."""
    draw = world.draw("groups")
    return world.put(POSTS, post_row(draw, member["chat_id"], member["person_id"], text, draw.moment(days, 14, 5)))


@scenario(apps=GROUPS)
def ask_group_poll(world: World) -> Task:
    """Ask the members of a chat a question with three options."""
    name = world.phrase(*CIRCLES)
    members = _put_chat(world, name)
    question, options = world.choice(
        ("Which colour for the shirts?", ("Crimson", "Turquoise", "Beige")),
        ("Which snack for the break?", ("Pretzels", "Olives", "Waffles")),
        ("Which month for the outing?", ("March", "June", "October")),
    )

    def solution() -> Solution:
        chats = (yield call("search_group_chats", words=name))["results"]
        yield call("create_group_poll", chat_id=chats[0]["chat_id"], question=question, options=list(options))
        yield say(f'I\'ve asked "{question}" in the chat {name}.')

    listed = ", ".join(options)
    return Task(
        user=world.phrase(
            f'Start a poll in the group chat {name}: "{question}" The options, in this order: {listed}. One answer '
            "each, no closing time, not secret.",
            f'Let the group chat {name} vote: "{question}" Options in this order: {listed}. It is open and not '
            "secret, everybody has one vote, and it has no end.",
        ),
        tools=["search_group_chats", "create_group_poll"],
        milestones=[
            added(POLLS, chat_id=members[0]["chat_id"], question=SameWords(question)),
            *(
                added(OPTIONS, content=SameWords(option), position=position)
                for position, option in enumerate(options, start=1)
            ),
        ],
        solution=solution,
    )


@scenario(apps=GROUPS)
def rename_and_mute_group_chat(world: World) -> Task:
    """Rename a chat and mute it, beside a chat of a similar name."""
    name, new = world.phrase(*CIRCLES), world.phrase("Old hands", "Winter circle", "Saturday bunch")
    _put_chat(world, f"{name} juniors")
    members = _put_chat(world, name, 3)

    def solution() -> Solution:
        chats = (yield call("search_group_chats", words=name))["results"]
        chat_id = next(row["chat_id"] for row in chats if row["name"] == name)
        yield call("modify_group_chat", chat_id=chat_id, name=new, muted=True)
        yield say(f'The chat {name} is called "{new}" now, and it is muted.')

    return Task(
        user=world.phrase(
            f'Rename my group chat "{name}" to "{new}" and mute it. Leave "{name} juniors" alone.',
            f'The group chat "{name}", not "{name} juniors", shall be called "{new}" and make no sound here.',
        ),
        tools=["search_group_chats", "get_group_chat", "modify_group_chat"],
        milestones=[changed(CHATS, {"chat_id": members[0]["chat_id"]}, name=SameWords(new), muted=True)],
        solution=solution,
    )


@scenario(apps=GROUPS)
def delete_outdated_group_post(world: World) -> Task:
    """Delete one of two posts that the owner wrote about a thing."""
    name = world.phrase(*CIRCLES)
    thing, old, new = world.choice(
        ("trophy", "in the attic", "in the garage"),
        ("projector", "at the library", "at the bakery"),
        ("megaphone", "under the stairs", "behind the stage"),
    )
    me = _put_chat(world, name)[0]
    post = _post(world, me, f"The {thing} is {old}.", -9)
    _post(world, me, f"The {thing} is {new}.", -4)

    def solution() -> Solution:
        posts = (yield call("search_group_posts", words=f"{thing} {old}"))["results"]
        yield call("delete_group_post", post_id=posts[0]["post_id"])
        yield say(f"I've deleted your older post about the {thing}.")

    return Task(
        user=world.phrase(
            f"I once posted in the group chat {name} that the {thing} is {old}. Delete that post, it is wrong.",
            f"Please delete my post in the group chat {name} which says that the {thing} is {old}.",
        ),
        tools=["search_group_chats", "search_group_posts", "delete_group_post"],
        milestones=[removed(POSTS, post_id=post["post_id"]), answer(Done("removed", ("post", thing)))],
        solution=solution,
    )


@scenario(apps=GROUPS, content="medium")
def look_up_code_in_group(world: World) -> Task:
    """Find a number in a post of a chat, where another post has one for another thing."""
    name = world.phrase(*CIRCLES)
    thing, other = world.choice(("shed", "gate"), ("locker", "trailer"), ("cabinet", "barn"))
    code, other_code = world.integer(6284, 6_000, 6_999), world.integer(3917, 3_000, 3_999)
    members = _put_chat(world, name)
    post = _post(world, members[1], f"The code of the {thing} is {code} from now on.", -16)
    _post(world, members[2], f"The code of the {other} is {other_code} from now on.", -7)

    def solution() -> Solution:
        chats = (yield call("search_group_chats", words=name))["results"]
        yield call("search_group_posts", chat_id=chats[0]["chat_id"], words=thing)
        yield say(f"The code of the {thing} is {code}.")

    return Task(
        user=world.phrase(
            f"What is the code of the {thing}? Somebody posted it in the group chat {name}.",
            f"Somebody wrote in the group chat {name} which code the {thing} has. What is it?",
        ),
        tools=["search_group_chats", "search_group_posts"],
        milestones=[
            found("search_group_posts", post_id=post["post_id"]),
            answer(Number(code, context=(other_code,))),
        ],
        secrets=(str(code),),
        solution=solution,
    )


@scenario(ScenarioCategories.BATCH_EDIT, apps=GROUPS)
def make_two_group_admins(world: World) -> Task:
    """Make two members of a chat admins, of whom both are in another chat, too."""
    name = world.phrase(*CIRCLES)
    _put_chat(world, f"{name} juniors", 5)
    members = _put_chat(world, name)
    first, second = (members[number] for number in world.choice((1, 3), (2, 4), (1, 4)))

    def solution() -> Solution:
        chats = (yield call("search_group_chats", words=name))["results"]
        chat_id = next(row["chat_id"] for row in chats if row["name"] == name)
        rows = (yield call("get_group_chat", chat_id=chat_id))["members"]
        for person in (first["name"], second["name"]):
            member_id = next(row["member_id"] for row in rows if row["name"] == person)
            yield call("set_group_role", member_id=member_id, role="admin")
        yield say(f'{first["name"]} and {second["name"]} are admins of "{name}" now.')

    return Task(
        user=world.phrase(
            f'Make {first["name"]} and {second["name"]} admins of the group chat "{name}", not of "{name} juniors".',
            f'In the group chat "{name}" (not "{name} juniors"), {first["name"]} and {second["name"]} shall be admins.',
        ),
        tools=["search_group_chats", "get_group_chat", "set_group_role"],
        milestones=[
            changed(MEMBERS, {"member_id": first["member_id"]}, role="admin"),
            changed(MEMBERS, {"member_id": second["member_id"]}, role="admin").after(),
        ],
        solution=solution,
    )


@scenario(apps=GROUPS)
def leave_led_group_chat(world: World) -> Task:
    """Leave a chat of which the owner is the only admin, after somebody else was made one."""
    name = world.phrase(*CIRCLES)
    me, *others = _put_chat(world, name)
    heir = world.choice(*others)

    def solution() -> Solution:
        chats = (yield call("search_group_chats", words=name))["results"]
        chat = yield call("get_group_chat", chat_id=chats[0]["chat_id"])
        member_id = next(row["member_id"] for row in chat["members"] if row["name"] == heir["name"])
        yield call("set_group_role", member_id=member_id, role="admin")
        yield call("leave_group_chat", chat_id=chats[0]["chat_id"])
        yield say(f"{heir['name']} is an admin of {name} now, and you have left the chat.")

    return Task(
        user=world.phrase(
            f"I want to leave the group chat {name}. {heir['name']} shall be its admin in my place.",
            f"Hand the group chat {name} over to {heir['name']} as its admin, then take me out of it.",
        ),
        tools=["search_group_chats", "get_group_chat", "set_group_role", "leave_group_chat"],
        milestones=[
            changed(MEMBERS, {"member_id": heir["member_id"]}, role="admin"),
            removed(MEMBERS, member_id=me["member_id"]),
        ],
        solution=solution,
    )


@scenario(apps=GROUPS)
def delete_group_post_not_found(world: World) -> Task:
    """Delete a post that is not there."""
    name, thing = world.phrase(*CIRCLES), world.phrase("trophy", "projector", "megaphone")
    members = _put_chat(world, name)
    _post(world, members[0], "The curtains are washed and back in place.", -6)
    sought = {column: members[0][column] for column in ("chat_id", "person_id")} | {"words": Mentions(thing)}
    sought |= {"only_unread": False, "limit": Anything(), "cursor": Anything()}

    def solution() -> Solution:
        chats = (yield call("search_group_chats", words=name))["results"]
        yield call("search_group_posts", chat_id=chats[0]["chat_id"], words=thing)
        yield say(f"I could not find a post about the {thing} in the chat {name}, so I have not deleted anything.")

    return Task(
        user=world.phrase(
            f"Delete the post about the {thing} that I wrote in the group chat {name}.",
            f"In the group chat {name} there is a post of mine about the {thing}. Please delete it.",
        ),
        tools=["search_group_chats", "search_group_posts", "delete_group_post"],
        milestones=[
            would_find("search_group_posts", sought),
            answer(cannot(NOT_FOUND, about=("post", "message", thing), task="removed")),
        ],
        solution=solution,
    )
