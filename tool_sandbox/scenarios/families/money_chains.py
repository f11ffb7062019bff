"""Amounts of money that take several steps: quotes and conversions, added up and multiplied."""

from tool_sandbox.answers.facts import Number
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios import pools
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.families.unit_chains import answer_after, beside
from tool_sandbox.scenarios.foreseen import foreseen_exchange, foreseen_stock
from tool_sandbox.scenarios.matchers import SameWords
from tool_sandbox.scenarios.vocabulary import Task, answer, call, called, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

CANONICALIZATION = ScenarioCategories.CANONICALIZATION
UNIT_CHAIN = ScenarioCategories.UNIT_CHAIN

LITRES_A_GALLON = 3.785411784


@scenario(UNIT_CHAIN, CANONICALIZATION, ScenarioCategories.MULTIPLE_TOOL_CALL)
def convert_currency_sum_of_two_unit_chain(world: World) -> Task:
    """Add up two amounts of different currencies in a third one."""
    euros, pounds = world.integer(250, 20, 900), world.integer(120, 20, 900)
    target, spoken = world.choice(("USD", "US dollars"), ("CAD", "Canadian dollars"), ("CHF", "Swiss francs"))
    purse = [(euros, "EUR"), (pounds, "GBP")]

    def solution() -> Solution:
        codes = {"to_currency_code": target}
        parts = yield [
            call("convert_currency", amount=amount, from_currency_code=code, **codes) for amount, code in purse
        ]
        yield say(f"Together that is {sum(parts):.2f} {target}.")

    parts = [foreseen_exchange(amount, code, target, world.now) for amount, code in purse]
    rates = [foreseen_exchange(1, code, target, world.now) for _, code in purse]
    return Task(
        user=world.phrase(
            f"I have €{euros} and £{pounds} left from my trips. How much is that altogether in {spoken}?",
            f"One bill is {euros} euros, the other one {pounds} British pounds. What is the total in {spoken}?",
        ),
        tools=["convert_currency"],
        milestones=answer_after(
            [called("convert_currency", from_currency_code=SameWords(code)) for _, code in purse],
            Number(sum(parts), unit=target, relative=0.005, context=(*beside(euros, pounds, *parts), *rates)),
        ),
        solution=solution,
    )


@scenario(UNIT_CHAIN, CANONICALIZATION)
def convert_fuel_price_per_gallon_unit_chain(world: World) -> Task:
    """Turn a fuel price in euros a litre into US dollars a gallon."""
    price = world.integer(179, 140, 220) / 100

    def solution() -> Solution:
        litres = yield call("unit_conversion", amount=1, from_unit="gallon", to_unit="liter")
        codes = {"from_currency_code": "EUR", "to_currency_code": "USD"}
        dollars = yield call("convert_currency", amount=price * litres, **codes)
        yield say(f"That is {dollars:.2f} US dollars per gallon.")

    litre = foreseen_exchange(price, "EUR", "USD", world.now)
    rate = litre / price
    return Task(
        user=world.phrase(
            f"Petrol costs {price:.2f} euros per litre here. How many US dollars per US gallon is that?",
            f"What is a fuel price of €{price:.2f} a litre in US dollars per US gallon?",
        ),
        tools=["unit_conversion", "convert_currency"],
        milestones=[
            called("convert_currency"),
            answer(
                Number(litre * LITRES_A_GALLON, unit="USD", relative=0.01, context=(*beside(litre), rate, price, 3.79))
            ),
        ],
        solution=solution,
    )


@scenario(UNIT_CHAIN, CANONICALIZATION)
def find_share_position_value_unit_chain(world: World) -> Task:
    """Tell what some shares are worth in another currency."""
    company, _ = world.choice(*pools.COMPANIES)
    count, (code, spoken) = world.integer(12, 5, 60), world.choice(("EUR", "euros"), ("GBP", "British pounds"))

    def solution() -> Solution:
        stock = yield call("search_stock", query=company)
        codes = {"from_currency_code": stock["currency"], "to_currency_code": code}
        value = yield call("convert_currency", amount=count * stock["price"], **codes)
        yield say(f"Your {count} shares of {company} are worth {value:.2f} {code}.")

    price = float(foreseen_stock(company, world.now)["price"])
    single = foreseen_exchange(price, "USD", code, world.now)
    others = (*beside(count, single, price, count * price), foreseen_exchange(1, "USD", code, world.now))
    return Task(
        user=world.phrase(
            f"I own {count} shares of {company}. What are they worth in {spoken} right now?",
            f"How many {spoken} would I get for my {count} {company} shares?",
        ),
        tools=["search_stock", "convert_currency"],
        milestones=answer_after(
            [called("search_stock"), called("convert_currency")],
            Number(count * single, unit=code, relative=0.005, context=others),
        ),
        solution=solution,
    )
