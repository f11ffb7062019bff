"""Writing reminders that belong to a place: one shop of a chain, told from the others by its street."""

import re

from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.families.places import ALL_SWITCHES, ALLOWED_SWITCHES, leave_power_saving
from tool_sandbox.scenarios.families.reminder_creation import ASKS_TIME, CLOCK_TOOLS, lower_first, spoken_hour
from tool_sandbox.scenarios.matchers import Near, SameWords, words
from tool_sandbox.scenarios.steps import due, read_clock
from tool_sandbox.scenarios.vocabulary import REMINDER, Node, Task, added, asked, call, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.tools.services import gazetteer
from tool_sandbox.world.script import Solution

CANONICALIZATION = ScenarioCategories.CANONICALIZATION

PLACE_TOOLS = ("search_location_around_lat_lon", *CLOCK_TOOLS)

COORDINATE_TOLERANCE = 0.001
"""How far a reminder may be from its shop, in degrees; about 100 metres."""


def asks_branch(chain: str) -> str:
    """Questions for a shop of a chain, and questions that propose one; not those that merely mention it."""
    streets = r"\b(?:St|Street|Ave|Avenue|Blvd|Boulevard|Rd|Road|Dr|Drive)\b"
    return (
        r"\bwhich (?!time|day|date|hour)|\bwhere\b|\bmean\b|\bone of\b|branch|street|location(?! service)|address|store"
        rf"|\bshop|nearest|closest|(?:that|this) one|{streets}|^(?!.*\b(?:when|time)\b).*{re.escape(chain)}"
    )


def _draw(world: World) -> tuple[str, pools.Branch, int]:
    """What to buy, where, and at which hour of tomorrow."""
    return world.choice(*pools.PURCHASES), world.choice(*pools.BRANCHES), world.integer(17, 8, 20)


def placed_reminder(content: str, branch: pools.Branch, due_at: float) -> Node:
    """Exactly one reminder with this content was added, due at this second at this shop, which it may name."""
    naming_the_shop = len(words(f"at the {branch.chain} {branch.which}"))
    return added(
        REMINDER,
        content=SameWords(content, extra=3 + naming_the_shop),
        reminder_timestamp=Near(due_at, 1.0),
        latitude=Near(branch.latitude, COORDINATE_TOLERANCE),
        longitude=Near(branch.longitude, COORDINATE_TOLERANCE),
    )


def _at_branch(
    world: World,
    content: str,
    branch: pools.Branch,
    hour: int,
    request: str,
    *,
    knows: dict[str, str] | None = None,
    question: str = "",
) -> Task:
    """Writes one reminder for tomorrow at a shop; the agent asks where the user holds something back."""
    power_saving = world.state == "low_battery"
    tomorrow = world.in_days(1)

    def solution() -> Solution:
        if question:
            yield say(question)
        if power_saving:
            yield from leave_power_saving()
        [shop, *_] = yield call("search_location_around_lat_lon", location=f"{branch.chain} {branch.which}")
        moment = yield from read_clock()
        timestamp = yield due(moment.today + (tomorrow - world.today), hour)
        where = {"latitude": shop["latitude"], "longitude": shop["longitude"]}
        yield call("add_reminder", content=content, reminder_timestamp=timestamp, **where)
        yield say(f"I will remind you tomorrow at {spoken_hour(hour)} at the {branch.chain} {branch.which}: {content}.")

    reminder = placed_reminder(content, branch, world.at(tomorrow, hour))
    return Task(
        user=request,
        knows=knows or {},
        tools=[*PLACE_TOOLS, *(ALL_SWITCHES if power_saving else ())],
        milestones=[*(asked(topic) for topic in knows or () if topic == asks_branch(branch.chain)), reminder],
        allowed=ALLOWED_SWITCHES if power_saving else (),
        solution=solution,
    )


@scenario(CANONICALIZATION)
def add_reminder_content_and_week_delta_and_time_and_location(world: World) -> Task:
    """Create a reminder for tomorrow, tied to one shop of a chain."""
    content, branch, hour = _draw(world)
    request = world.phrase(
        f"Remind me to {lower_first(content)} tomorrow at {spoken_hour(hour)} "
        f"at the {branch.chain} {branch.which}, and save that place with it.",
        f"Set a reminder for tomorrow, {spoken_hour(hour)}: {lower_first(content)}. "
        f"Its location is the {branch.chain} {branch.which}.",
    )
    return _at_branch(world, content, branch, hour, request)


@scenario(CANONICALIZATION, variant=1)
def add_reminder_content_and_week_delta_and_time_and_location_alt(world: World) -> Task:
    """Create a reminder for tomorrow, tied to one shop of a chain, worded as a to-do."""
    content, branch, hour = _draw(world)
    request = world.phrase(
        f"I have to {lower_first(content)} tomorrow at {spoken_hour(hour)}. Put it on my reminder list, "
        f"pinned to the {branch.chain} {branch.which}.",
        f"Tomorrow at {spoken_hour(hour)} I'm going to the {branch.chain} {branch.which} to {lower_first(content)}. "
        "Don't let me forget, and attach the location.",
    )
    return _at_branch(world, content, branch, hour, request)


@scenario(CANONICALIZATION, variant=2)
def add_reminder_content_and_week_delta_and_time_and_location_multiple_user_turn(world: World) -> Task:
    """Create a reminder tied to one shop of a chain; the time is given only on request."""
    content, branch, hour = _draw(world)
    request = world.phrase(
        f"Remind me to {lower_first(content)} at the {branch.chain} {branch.which}, and save that place with it.",
        f"I need a reminder with a location: {lower_first(content)}, at the {branch.chain} {branch.which}.",
    )
    knows = {ASKS_TIME: f"Tomorrow at {spoken_hour(hour)}."}
    return _at_branch(world, content, branch, hour, request, knows=knows, question="When shall I remind you?")


@scenario(CANONICALIZATION, variant=3)
def add_reminder_content_and_week_delta_and_time_and_location_multiple_user_turn_alt(world: World) -> Task:
    """Create a reminder tied to a shop; the chain is named, which shop of it comes only on request."""
    content, branch, hour = _draw(world)
    request = world.phrase(
        f"Remind me to {lower_first(content)} tomorrow at {spoken_hour(hour)} at {branch.chain}, with the location.",
        f"Tomorrow at {spoken_hour(hour)} I have to {lower_first(content)} at {branch.chain}. "
        "Set a reminder that is tied to the shop.",
    )
    knows = {asks_branch(branch.chain): f"The one {branch.which}."}
    return _at_branch(world, content, branch, hour, request, knows=knows, question=f"Which {branch.chain} do you mean?")


@scenario(CANONICALIZATION, state="low_battery", variant=3)
def add_reminder_content_and_week_delta_and_time_and_location_low_battery_mode_multiple_user_turn_alt(
    world: World,
) -> Task:
    """Create a reminder tied to a shop; which shop and when come on request, and power saving is on."""
    content, branch, hour = _draw(world)
    request = world.phrase(
        f"Remind me to {lower_first(content)} at {branch.chain}, with the location.",
        f"I have to {lower_first(content)} at {branch.chain}. Set a reminder that is tied to the shop.",
    )
    knows = {asks_branch(branch.chain): f"The one {branch.which}.", ASKS_TIME: f"Tomorrow at {spoken_hour(hour)}."}
    question = f"Which {branch.chain} do you mean, and when shall I remind you?"
    return _at_branch(world, content, branch, hour, request, knows=knows, question=question)


@scenario(CANONICALIZATION, ScenarioCategories.DISAMBIGUATION)
def add_reminder_chain_branch_disambiguation_multiple_user_turn(world: World) -> Task:
    """Create a reminder tied to a chain that has three shops around; the town is given only when asked."""
    chain, hour = world.choice("IKEA", "Philz Coffee", "In-N-Out Burger"), world.integer(15, 10, 20)
    content = world.choice("Pick up the gift card", "Meet the new neighbors", "Ask about the lost scarf")
    shop = world.choice(*(place for place in gazetteer.places() if place.name == chain))
    tomorrow, branch = world.in_days(1), pools.Branch(chain, shop.street, shop.city, shop.latitude, shop.longitude)

    def solution() -> Solution:
        found = yield call("search_location_around_lat_lon", location=chain)
        yield say(f"Which one do you mean: {' or '.join(place['full_address'] for place in found)}?")
        [where] = [place for place in found if shop.street in place["full_address"]]
        moment = yield from read_clock()
        timestamp = yield due(moment.today + (tomorrow - world.today), hour)
        position = {"latitude": where["latitude"], "longitude": where["longitude"]}
        yield call("add_reminder", content=content, reminder_timestamp=timestamp, **position)
        yield say(f"I will remind you tomorrow at {spoken_hour(hour)} at the {chain} in {shop.city}: {content}.")

    return Task(
        user=world.phrase(
            f"Remind me to {lower_first(content)} at {chain} tomorrow at {spoken_hour(hour)}, and save the place.",
            f"Tomorrow, {spoken_hour(hour)}, {chain}: {lower_first(content)}. Make that a reminder with a location.",
        ),
        knows={asks_branch(chain): f"The one in {shop.city}."},
        tools=PLACE_TOOLS,
        milestones=[asked(asks_branch(chain)), placed_reminder(content, branch, world.at(tomorrow, hour))],
        solution=solution,
    )
