"""Which of several things comes first, where every one of them has to be looked up and measured."""

from collections.abc import Iterable
from typing import TypeVar

from tool_sandbox.answers.facts import Leader, Number, Paired, Quote
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.families.holidays import TOOLS as HOLIDAY_TOOLS
from tool_sandbox.scenarios.families.long_messages import degrees_at
from tool_sandbox.scenarios.families.places import at_place
from tool_sandbox.scenarios.foreseen import foreseen_exchange, foreseen_stock
from tool_sandbox.scenarios.matchers import HasRow, Near
from tool_sandbox.scenarios.steps import converted, exchanged, way_between, whereabouts
from tool_sandbox.scenarios.vocabulary import Task, answer, call, called, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
LONG_CHAIN = ScenarioCategories.LONG_CHAIN
TIME_ARITHMETIC = ScenarioCategories.TIME_ARITHMETIC
UNIT_CHAIN = ScenarioCategories.UNIT_CHAIN

T = TypeVar("T")

SHARES = (
    ("Coca-Cola", "Toyota", "Roche"),
    ("Novo Nordisk", "Netflix", "Xiaomi"),
    ("Novartis", "Nintendo", "Shopify"),
)
"""Companies listed in three currencies, none of them the euro, at clearly different prices."""

CHEAPEST = ("cheapest", "lowest", "least expensive", "costs least", "costs the least", "cheaper")
WARMER = ("warmer", "warmest", "hotter", "hottest", "higher", "highest")
NEAREST = ("nearest", "closest", "nearer", "closer", "shortest", "smallest")
SHORT = {"Christmas Day": ("Christmas",), "New Year's Day": ("New Year's", "New Year")}
"""What people call holidays for short."""
FIRST = ("first", "next", "nearest", "closest", "soonest", "earliest", "sooner", "wins")


def several(world: World, pool: tuple[T, ...], count: int) -> list[T]:
    """Different options of a pool, drawn one after the other."""
    drawn: list[T] = []
    while len(drawn) < count:
        drawn.append(world.choice(*(option for option in pool if option not in drawn)))
    return drawn


@scenario(LONG_CHAIN, CANONICALIZATION, UNIT_CHAIN)
def find_warmer_of_two_places_in_fahrenheit_long_chain(world: World) -> Task:
    """Tell which of two places is warmer now, with both temperatures in Fahrenheit."""
    degrees = {place: degrees_at((place.latitude, place.longitude), world.now) for place in pools.PLACES}
    first = world.choice(*pools.PLACES)
    second = world.choice(*(place for place in pools.PLACES if abs(degrees[place] - degrees[first]) > 1.0))
    warm, cold = sorted((first, second), key=lambda place: -degrees[place])

    def solution() -> Solution:
        found = {}
        for place in (first, second):
            where = yield from whereabouts(place.name)
            report = yield call("search_weather_around_lat_lon", **where)
            found[place.name] = yield converted(report["current_temperature"], "celsius", "fahrenheit")
        best = max(found, key=lambda name: float(found[name]))
        figures = " and ".join(f"{value:.1f} degrees Fahrenheit at {name}" for name, value in found.items())
        yield say(f"It is {figures}. The warmer place is {best}.")

    figures = [
        (place.name, Number(degrees[place] * 1.8 + 32, unit="fahrenheit", tolerance=0.7, in_unit=True))
        for place in (warm, cold)
    ]
    return Task(
        user=world.phrase(
            f"Where is it warmer right now, at {first.name} or at {second.name}? Give me both temperatures in "
            "Fahrenheit.",
            f"How many degrees Fahrenheit are there at {first.name} and at {second.name} now, and which one is warmer?",
        ),
        tools=["search_location_around_lat_lon", "search_weather_around_lat_lon", "unit_conversion"],
        milestones=[
            at_place("search_weather_around_lat_lon", warm).after().named("warm"),
            at_place("search_weather_around_lat_lon", cold).after().named("cold"),
            answer(Paired(figures), Leader(warm.name, instead_of=cold.name, about=WARMER)).after("warm", "cold"),
        ],
        solution=solution,
    )


@scenario(LONG_CHAIN)
def find_nearest_place_bound_reminder_long_chain(world: World) -> Task:
    """Tell which of four reminders with a place is the nearest, and how far that is."""
    world.reminders = [note for note in world.reminders if note.position is None]
    # The second nearest is left out, so that no way of measuring puts it first.
    around = sorted(several(world, pools.PLACES, 5), key=lambda place: place.kilometres_from(world.position))
    nearest, *others = around[:1] + around[2:]
    way, errands = nearest.kilometres_from(world.position), several(world, pools.NEW_ERRANDS, 4)
    for day, (place, errand) in enumerate(zip((*others, nearest), errands[1:] + errands[:1], strict=True)):
        world.remind(errand, due_at=world.at(world.in_days(2 + day), 12), position=(place.latitude, place.longitude))

    def solution() -> Solution:
        here, ways = (yield call("get_current_location")), {}
        for row in (yield call("search_reminder", reminder_timestamp_lowerbound=1e9)):
            if row["latitude"] is not None:
                ways[row["content"]] = yield way_between(here, row)
        best = min(ways, key=lambda content: float(ways[content]))
        yield say(f'The nearest one is "{best}", {ways[best]:.1f} kilometers from here.')

    return Task(
        user=world.phrase(
            "Some of my reminders belong to a place. Which of them is the nearest to where I am, and how many "
            "kilometers is it?",
            "Of my reminders that have a location, which is closest to me right now? How many kilometers away is it?",
        ),
        tools=["get_current_location", "search_reminder", "calculate_lat_lon_distance"],
        milestones=[
            called("search_reminder").returning(HasRow({"content": errands[0]})),
            called("calculate_lat_lon_distance"),
            answer(
                Quote(errands[0], instead_of=errands[1:], about=NEAREST),
                Number(way, unit="kilometer", relative=0.01, tolerance=0.1, about=(*NEAREST, errands[0]), in_unit=True),
            ),
        ],
        solution=solution,
    )


@scenario(LONG_CHAIN, CANONICALIZATION, TIME_ARITHMETIC, today="11-20")
def find_nearest_of_three_holidays_long_chain(world: World) -> Task:
    """Tell which of three holidays comes first and in how many days."""
    dates = {}
    for name, month, day in several(world, pools.HOLIDAYS[::-1], 3):
        date = world.today.replace(month=month, day=day)
        dates[name] = date if date > world.today else date.replace(year=date.year + 1)
    nearest = min(dates, key=lambda name: dates[name])
    starts = world.at(dates[nearest], 0)

    def solution() -> Solution:
        now = yield call("get_current_timestamp")
        left = {}
        for name, date in dates.items():
            timestamp = yield call("search_holiday", holiday_name=name, year=date.year)
            difference = yield call("timestamp_diff", timestamp_0=now, timestamp_1=timestamp)
            left[name] = difference["days"]
        first = min(left, key=lambda name: int(left[name]))
        yield say(f"{first} comes first, in {left[first]} full days.")

    first, second, third = dates
    others = [each for name in dates if name != nearest for each in (name, *SHORT.get(name, ()))]
    full_days = int((starts - world.now) // 86400)
    return Task(
        user=world.phrase(
            f"Which one comes next, {first}, {second} or {third}? And in how many days is it?",
            f"Of {first}, {second} and {third}, which is the first from now on? Tell me how many days are left.",
        ),
        tools=HOLIDAY_TOOLS,
        milestones=[
            called("search_holiday").returning(Near(starts, 1.0)),
            answer(
                Leader(nearest, SHORT.get(nearest, ()), instead_of=others, about=FIRST),
                Number(full_days + 0.5, unit="day", tolerance=0.5, about=(nearest, *FIRST)),
            ),
        ],
        solution=solution,
    )


def euros(company: str, now: float) -> float:
    """Price of a company's share in euros, as the search service will tell it at a POSIX time in seconds."""
    stock = foreseen_stock(company, now)
    return foreseen_exchange(stock["price"], stock["currency"], "EUR", now)


def symbol_figures(companies: Iterable[str], now: float) -> list[float]:
    """Symbols of shares that are numbers, as in Tokyo: figures that are no prices."""
    symbols = [foreseen_stock(company, now)["symbol"].partition(":")[0] for company in companies]
    return [float(symbol) for symbol in symbols if symbol.isdigit()]


# At eleven in the morning in the United States no exchange is about to open, which would change a price.
@scenario(LONG_CHAIN, CANONICALIZATION, UNIT_CHAIN, time="11:00")
def find_cheapest_of_three_stocks_in_euro_long_chain(world: World) -> Task:
    """Tell which of three shares, listed in three currencies, is the cheapest, with all prices in euros."""
    companies = world.choice(*SHARES)
    prices = {company: euros(company, world.now) for company in companies}
    cheapest = min(prices, key=lambda company: prices[company])

    def solution() -> Solution:
        found = {}
        for company in companies:
            stock = yield call("search_stock", query=company)
            found[company] = yield exchanged(stock["price"], stock["currency"], "EUR")
        best = min(found, key=lambda company: float(found[company]))
        figures = ", ".join(f"{company} {price:.2f} euros" for company, price in found.items())
        yield say(f"The prices are: {figures}. The cheapest share is {best}.")

    first, second, third = companies
    symbols = symbol_figures(companies, world.now)
    figures = [
        (company, Number(price, unit="EUR", relative=0.01, context=symbols)) for company, price in prices.items()
    ]
    others = [company for company in companies if company != cheapest]
    return Task(
        user=world.phrase(
            f"Which share is the cheapest: {first}, {second} or {third}? Give me all three prices in euros.",
            f"What does a share of {first}, {second} and {third} cost in euros, and which is the cheapest?",
        ),
        tools=["search_stock", "convert_currency"],
        milestones=[
            called("search_stock"),
            answer(Paired(figures), Leader(cheapest, instead_of=others, about=CHEAPEST)),
        ],
        solution=solution,
    )
