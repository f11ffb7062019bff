"""Figures that were reached in another way count, the usual slips do not."""

import attrs

from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.scenarios.vocabulary import call, say


def score(play, name, solution):
    return play(attrs.evolve(get_scenario(name), solution=solution), OracleAgent())[1].similarity


def test_a_sum_of_money_may_go_through_one_of_its_currencies(play):
    def solution():
        codes = {"from_currency_code": "EUR", "to_currency_code": "GBP"}
        pounds = yield call("convert_currency", amount=250, **codes)
        codes = {"from_currency_code": "GBP", "to_currency_code": "USD"}
        total = yield call("convert_currency", amount=pounds + 120, **codes)
        yield say(f"All in all that is {total:.2f} dollars.")

    assert score(play, "convert_currency_sum_of_two_unit_chain", solution) == 1


def test_shares_may_be_counted_after_the_conversion_and_must_be_counted(play):
    def solution(count):
        stock = yield call("search_stock", query="AAPL")
        codes = {"from_currency_code": "USD", "to_currency_code": "EUR"}
        price = yield call("convert_currency", amount=stock["price"], **codes)
        yield say(f"They are worth {count * price:.2f} euros.")

    name = "find_share_position_value_unit_chain"
    assert score(play, name, lambda: solution(12)) == 1
    assert score(play, name, lambda: solution(1)) == 0
