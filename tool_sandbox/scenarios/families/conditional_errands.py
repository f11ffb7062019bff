"""Reminders of errands with an "if": to sell above a price, to buy at the nearer of two shops."""

from typing import Any

from tool_sandbox.answers.facts import Done, Leader, NotDone, Number
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import found
from tool_sandbox.scenarios.families.conditional_reminders import CLOCK_TOOLS, tomorrow_at
from tool_sandbox.scenarios.families.distances import DISTANCE_TOOLS
from tool_sandbox.scenarios.families.reminder_creation import due_reminder, lower_first, spoken_hour
from tool_sandbox.scenarios.families.reminder_places import placed_reminder
from tool_sandbox.scenarios.foreseen import foreseen_exchange, foreseen_stock
from tool_sandbox.scenarios.matchers import Near, OneOf
from tool_sandbox.scenarios.vocabulary import Task, answer, call, called, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
CONDITIONAL = ScenarioCategories.CONDITIONAL
LONG_CHAIN = ScenarioCategories.LONG_CHAIN
UNIT_CHAIN = ScenarioCategories.UNIT_CHAIN

# A price ---------------------------------------------------------------------------------------------------------

DOLLAR_OR_EURO = OneOf(("USD", "EUR", "usd", "eur"))


def _if_dear(world: World, *, above: bool) -> Task:
    """Writes a reminder to sell if a share costs more than a limit in euros; where not, it does in dollars."""
    (company, symbol), hour = world.choice(*pools.COMPANIES), world.integer(16, 9, 20)
    dollars = foreseen_stock(symbol, world.now)["price"]
    euros = foreseen_exchange(dollars, "USD", "EUR", world.now)
    limit = round(0.9 * euros if above else max((dollars + euros) / 2, 1.03 * euros), 2)
    content, tomorrow = f"Sell my {company} shares", world.in_days(1)
    price = Number(euros, unit="EUR", relative=0.01, context=limit)
    goal = [due_reminder(content, world.at(tomorrow, hour)), answer(Done("set", ("reminder", content)), price)]
    outcome = goal if above else [answer(NotDone(("added", "set"), ("reminder", content)), price)]

    def solution() -> Solution:
        stock = yield call("search_stock", query=company)
        codes = {"from_currency_code": stock["currency"], "to_currency_code": "EUR"}
        amount = yield call("convert_currency", amount=stock["price"], **codes)
        if amount > limit:
            timestamp = yield from tomorrow_at(hour)
            yield call("add_reminder", content=content, reminder_timestamp=timestamp)
            yield say(f"A share costs {amount:.2f} EUR, so I have set the reminder.")
        else:
            yield say(f"I did not set the reminder, because a share costs only {amount:.2f} EUR.")

    return Task(
        user=world.phrase(
            f"If a share of {company} costs more than {limit:.2f} euros now, remind me tomorrow at {spoken_hour(hour)} "
            f"to sell my {company} shares. If not, no reminder. Tell me the price in euros either way.",
            f"What is one {company} share worth in euros? Set a reminder for tomorrow, {spoken_hour(hour)}, saying "
            f'"{content}", but only if it is above {limit:.2f} euros.',
        ),
        tools=["search_stock", "convert_currency", *CLOCK_TOOLS, "add_reminder"],
        milestones=[
            called("search_stock"),
            called("convert_currency", from_currency_code=DOLLAR_OR_EURO, to_currency_code=DOLLAR_OR_EURO),
            *outcome,
        ],
        solution=solution,
    )


@scenario(CONDITIONAL, UNIT_CHAIN, CANONICALIZATION, LONG_CHAIN)
def add_reminder_if_stock_above_threshold_conditional(world: World) -> Task:
    """Write a reminder to sell if a share costs more than a limit in euros, as it does."""
    return _if_dear(world, above=True)


@scenario(CONDITIONAL, UNIT_CHAIN, CANONICALIZATION)
def add_reminder_if_stock_above_threshold_conditional_false(world: World) -> Task:
    """Write a reminder to sell if a share costs more than a limit in euros; it does so in dollars only."""
    return _if_dear(world, above=False)


# The nearer shop -------------------------------------------------------------------------------------------------

TWO_SHOPS = (
    (pools.BRANCHES[1], pools.BRANCHES[4]),
    (pools.Branch("Target", "Stevens Creek Blvd", "Cupertino", 37.3236, -122.0341), pools.BRANCHES[3]),
    (pools.BRANCHES[0], pools.Branch("Trader Joe's", "Bay St", "San Francisco", 37.8060, -122.4134)),
)
"""Two shops of one chain, some of them near the one and some near the other of `CORNERS`."""

CORNERS = ((37.3346, -122.0090), (37.4443, -122.1598), (37.7887, -122.4072))
"""Where the phone may be: in Cupertino, Palo Alto, San Francisco."""


def _kilometres(shop: pools.Branch, position: tuple[float, float]) -> float:
    return pools.Place(shop.chain, shop.latitude, shop.longitude, shop.city).kilometres_from(position)


def _where(shop: pools.Branch) -> dict[str, Any]:
    return {"latitude": Near(shop.latitude, 0.001), "longitude": Near(shop.longitude, 0.001)}


@scenario(CONDITIONAL, LONG_CHAIN)
def add_reminder_at_closer_of_two_branches_conditional(world: World) -> Task:
    """Tie a reminder to whichever of two shops is nearer."""
    shops, world.position = world.choice(*TWO_SHOPS), world.choice(*CORNERS)
    nearer, farther = sorted(shops, key=lambda shop: _kilometres(shop, world.position))
    which = Leader(
        nearer.street,
        nearer.city,
        instead_of=(farther.street, farther.city),
        about=("closer", "nearer", "closest", "nearest"),
    )
    content, hour, tomorrow = world.choice(*pools.PURCHASES), world.integer(18, 9, 20), world.in_days(1)
    chain, (one, other) = shops[0].chain, (shop.which for shop in shops)
    streets = [shop.street for shop in shops]

    def solution() -> Solution:
        here = yield call("get_current_location")
        start = {"latitude_0": here["latitude"], "longitude_0": here["longitude"]}
        ways = []
        for shop in shops:
            [row, *_] = yield call("search_location_around_lat_lon", location=f"{shop.chain} {shop.which}")
            end = {"latitude_1": row["latitude"], "longitude_1": row["longitude"]}
            way = yield call("calculate_lat_lon_distance", **start, **end)
            ways.append((way, row))
        _, row = min(ways, key=lambda way: way[0])
        timestamp = yield from tomorrow_at(hour)
        where = {"latitude": row["latitude"], "longitude": row["longitude"]}
        yield call("add_reminder", content=content, reminder_timestamp=timestamp, **where)
        yield say(f"The reminder is set for the {chain} at {row['full_address']}, which is nearer.")

    return Task(
        user=world.phrase(
            f"Remind me tomorrow at {spoken_hour(hour)} to {lower_first(content)} at {chain}: the one {one} or the one "
            f"{other}, whichever is closer to where I am now. Save that place with the reminder and say which it is.",
            f"Which {chain} is nearer to me right now, {one} or {other}? Pin a reminder to it for tomorrow, "
            f"{spoken_hour(hour)}: {lower_first(content)}.",
        ),
        tools=[*DISTANCE_TOOLS, *CLOCK_TOOLS, "add_reminder"],
        milestones=[
            *(found("search_location_around_lat_lon", **_where(shop)).after().named(shop.street) for shop in shops),
            placed_reminder(content, nearer, world.at(tomorrow, hour)).after(*streets),
            answer(Done("set", ("reminder", content)), which),
        ],
        solution=solution,
    )
