"""Finding text messages."""

from tool_sandbox.answers.facts import Absent, Done, Listing, Phone, Quote
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import only
from tool_sandbox.scenarios.matchers import HasRow, SameWords
from tool_sandbox.scenarios.vocabulary import CONTACT, Task, added, answer, answer_for_now, call, called, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

COREFERENCE = ScenarioCategories.COREFERENCE

RECENCY_TOOLS = ("search_messages", "get_current_timestamp")

ASKS_WHICH = r"which|what|about|from whom|who|when|detail"


def _by_recency(world: World, which: str, *user: str, knows: dict[str, str] | None = None) -> Task:
    """Reads out the newest or oldest text, not all of them; the agent asks which one where the user does not say."""
    pick = max if which == "newest" else min
    wanted = pick(world.messages, key=lambda message: message.sent_at)

    def solution() -> Solution:
        if knows:
            yield say("Gladly. Which message are you looking for?")
        now = yield call("get_current_timestamp")
        rows = yield call("search_messages", creation_timestamp_upperbound=now)
        row = pick(rows, key=lambda row: row["creation_timestamp"])
        yield say(f'Your {which} message says: "{row["content"]}"')

    return Task(
        user=user,
        knows=knows or {},
        tools=RECENCY_TOOLS,
        milestones=[
            called("search_messages").returning(HasRow({"message_id": wanted.message_id})),
            answer(
                only(wanted, world.messages),
                Absent(Listing([Quote(message.content) for message in world.messages])),
            ),
        ],
        solution=solution,
    )


@scenario()
def search_message_with_recency_latest(world: World) -> Task:
    """Read out the newest text in the message store."""
    request = world.phrase("What does my latest text message say?", "Read me the most recent text on my phone.")
    return _by_recency(world, "newest", request)


@scenario(variant=1)
def search_message_with_recency_latest_alt(world: World) -> Task:
    """Read out the newest text, asked for in other words."""
    request = world.phrase("Tell me word for word what the last text on my phone says.", "Show me my newest SMS.")
    return _by_recency(world, "newest", request)


@scenario()
def search_message_with_recency_oldest(world: World) -> Task:
    """Read out the oldest text in the message store."""
    request = world.phrase("What does my oldest text message say?", "Read me the very first text on my phone.")
    return _by_recency(world, "oldest", request)


@scenario(variant=1)
def search_message_with_recency_oldest_alt(world: World) -> Task:
    """Read out the very first text, asked for in other words."""
    request = world.phrase(
        "How did it all begin? Read me the text that has been on this phone the longest.",
        "Scroll all the way back in my texts: what does the earliest one say?",
    )
    return _by_recency(world, "oldest", request)


@scenario(variant=2)
def search_message_with_recency_latest_multiple_user_turn(world: World) -> Task:
    """Read out the newest text; the user first only says that a message is wanted."""
    return _by_recency(
        world,
        "newest",
        world.phrase("I am looking for a text message.", "Find me a message please."),
        knows={ASKS_WHICH: world.phrase("The latest one.", "The most recent of all, whoever wrote it.")},
    )


@scenario(variant=3)
def search_message_with_recency_latest_multiple_user_turn_alt(world: World) -> Task:
    """Read out the newest text; the user opens vaguely, in other words."""
    return _by_recency(
        world,
        "newest",
        world.phrase("There is a text I need to look at again.", "I need to read one of my texts once more."),
        knows={ASKS_WHICH: world.phrase("Whatever came in last.", "The newest one of all.")},
    )


@scenario(variant=2)
def search_message_with_recency_oldest_multiple_user_turn(world: World) -> Task:
    """Read out the oldest text; the user first only says that a message is wanted."""
    return _by_recency(
        world,
        "oldest",
        world.phrase("I am looking for a text message.", "Find me a message please."),
        knows={ASKS_WHICH: world.phrase("The oldest one.", "The very first on this phone, whoever wrote it.")},
    )


@scenario(variant=3)
def search_message_with_recency_oldest_multiple_user_turn_alt(world: World) -> Task:
    """Read out the oldest text; the user opens vaguely, in other words."""
    return _by_recency(
        world,
        "oldest",
        world.phrase("There is a text I need to look at again.", "I need to read one of my texts once more."),
        knows={ASKS_WHICH: world.phrase("The one from the very beginning.", "The earliest of them all.")},
    )


@scenario()
def search_sender_phone_number_with_content(world: World) -> Task:
    """Find which number sent a text about a certain topic."""
    message = world.messages[0]

    def solution() -> Solution:
        rows = yield call("search_messages", content=world.topic)
        [row] = [row for row in rows if row["message_id"] == message.message_id]
        yield say(f"The text came from {row['sender_phone_number']}.")

    return Task(
        user=world.phrase(f"Which number texted me about {world.topic}?", f"Who wrote to me about {world.topic}?"),
        tools=["search_messages"],
        milestones=[
            called("search_messages").returning(HasRow({"message_id": message.message_id})),
            answer(Phone(world.unknown.phone_number)),
        ],
        solution=solution,
    )


@scenario(COREFERENCE)
def add_contact_from_message_sender_coreference_multiple_user_turn(world: World) -> Task:
    """Find who texted about a topic, then save that number."""
    message, name = world.messages[0], world.new_person().name
    relation = world.choice("plumber", "tailor", "mechanic")

    def solution() -> Solution:
        rows = yield call("search_messages", content=world.topic)
        [row] = [row for row in rows if row["message_id"] == message.message_id]
        number = row["sender_phone_number"]
        yield say(f"That was {number}.")
        yield call("add_contact", name=name, phone_number=number, relationship=relation)
        yield say(f"I have saved {number} as {name}, your {relation}.")

    return Task(
        user=(
            f"From which number did I get the text about {world.topic}?",
            f"Save that number as {name}, relationship {relation}.",
        ),
        tools=["search_messages", "add_contact"],
        milestones=[
            called("search_messages").returning(HasRow({"message_id": message.message_id})),
            answer_for_now(Phone(world.unknown.phone_number)),
            added(
                CONTACT,
                name=SameWords(name),
                phone_number=world.unknown.phone_number,
                relationship=SameWords(relation),
            ),
            answer(Done("added", (name, "contact", "number"))),
        ],
        solution=solution,
    )
