"""Ticker symbols and exchange rates."""

from tool_sandbox.answers.facts import Entity, FromTrace, Number
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.foreseen import foreseen_exchange
from tool_sandbox.scenarios.matchers import OneOf
from tool_sandbox.scenarios.vocabulary import Node, Task, answer, asked, call, called, say, setting
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
DISAMBIGUATION = ScenarioCategories.DISAMBIGUATION

RADIO_TOOLS = ("get_wifi_status", "set_wifi_status", "get_low_battery_mode_status", "set_low_battery_mode_status")


def _symbol(world: World, request: str) -> Task:
    """Looks up a ticker, leaving power saving where that blocks the network."""
    power_saving = world.state == "low_battery"
    company, symbol = world.choice(*pools.COMPANIES)

    def solution() -> Solution:
        if power_saving:
            yield call("set_low_battery_mode_status", on=False)
            yield call("set_wifi_status", on=True)
        stock = yield call("search_stock", query=company)
        yield say(f"The stock symbol of {company} is {stock['symbol']}.")

    return Task(
        user=request.format(company=company),
        tools=["search_stock", *(RADIO_TOOLS if power_saving else ())],
        milestones=[called("search_stock"), answer(Entity(symbol))],
        allowed=[setting(low_battery_mode=False, wifi=True)] if power_saving else [],
        solution=solution,
    )


@scenario()
def find_stock_symbol_with_company_name(world: World) -> Task:
    """Give the ticker of a named company."""
    return _symbol(world, world.phrase("What is the stock symbol of {company}?", "Which ticker does {company} have?"))


@scenario(state="low_battery")
def find_stock_symbol_with_company_name_low_battery_mode(world: World) -> Task:
    """Give a company's ticker while power saving blocks the network."""
    request = world.phrase(
        "What is the stock symbol of {company}? Fix whatever stops you.",
        "Which ticker does {company} have? If something is in the way, sort it out yourself.",
    )
    return _symbol(world, request)


@scenario(state="low_battery", variant=1)
def find_stock_symbol_with_company_name_low_battery_mode_alt(world: World) -> Task:
    """Give a company's ticker, asked in other words, while power saving blocks the network."""
    request = world.phrase(
        "Under which symbol are shares of {company} traded?",
        "I want to follow {company} on the stock market. What letters do I type in?",
    )
    return _symbol(world, request)


def _answered(world: World, amount: float, source: str, target: str) -> Node:
    """The converted amount was told, perhaps beside the rate."""
    result, context = FromTrace("convert_currency"), (amount, foreseen_exchange(1, source, target, world.now))
    return answer(Number(result, unit=target, context=context))


def _converted(world: World, amount: float, source: str, target: str, *user: str) -> Task:
    """Converts one amount."""

    def solution() -> Solution:
        result = yield call("convert_currency", amount=amount, from_currency_code=source, to_currency_code=target)
        yield say(f"{amount} {source} is {result:.2f} {target}.")

    return Task(
        user=user,
        tools=["convert_currency"],
        milestones=[
            called(
                "convert_currency",
                amount=amount,
                from_currency_code=OneOf((source, source.lower())),
                to_currency_code=OneOf((target, target.lower())),
            ),
            _answered(world, amount, source, target),
        ],
        solution=solution,
    )


@scenario(CANONICALIZATION)
def convert_currency(world: World) -> Task:
    """Convert a dollar amount into yuan, codes spelled out."""
    amount = world.integer(2048, 100, 9000)
    request = world.phrase(f"Convert {amount} USD to CNY.", f"How many CNY are {amount} USD?")
    return _converted(world, amount, "USD", "CNY", request)


@scenario(CANONICALIZATION)
def convert_currency_canonicalize(world: World) -> Task:
    """Convert a dollar amount written with symbol and thousands suffix into yuan."""
    thousands = world.integer(3, 2, 90)
    request = world.phrase(
        f"How much is ${thousands}k in Chinese yuan? I mean US dollars.",
        f"What are {thousands} grand in US dollars worth in Chinese yuan?",
    )
    return _converted(world, thousands * 1000, "USD", "CNY", request)


@scenario(CANONICALIZATION, DISAMBIGUATION, ScenarioCategories.SINGLE_TOOL_CALL)
def convert_currency_dollar_ambiguous_disambiguation_multiple_user_turn(world: World) -> Task:
    """Convert "dollars" to pounds for a user with several dollar countries in play."""
    amount = world.integer(250, 50, 900)
    country, code = world.choice(("Canadian", "CAD"), ("Australian", "AUD"), ("New Zealand", "NZD"))

    def solution() -> Solution:
        yield say("Which dollars do you mean: US, Canadian, Australian or others?")
        result = yield call("convert_currency", amount=amount, from_currency_code=code, to_currency_code="GBP")
        yield say(f"{amount} {country} dollars are {result:.2f} British pounds.")

    return Task(
        user=world.phrase(
            f"I brought {amount} dollars home from my trips abroad. How much is that in British pounds?",
            f"After my trips abroad I have {amount} dollars left. What are they worth in British pounds?",
        ),
        knows={r"which|what kind|dollar|country|currency": f"{country} dollars."},
        tools=["convert_currency"],
        milestones=[
            asked(r"which|what kind|dollar|country|currency"),
            called(
                "convert_currency",
                amount=amount,
                from_currency_code=OneOf((code, code.lower())),
                to_currency_code=OneOf(("GBP", "gbp")),
            ),
            _answered(world, amount, code, "GBP"),
        ],
        solution=solution,
    )
