"""Figures that were reached in another way count, the usual slips do not."""

import attrs

from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.scenarios.vocabulary import call, say
from tool_sandbox.world.script import Call, Say


def score(play, name, solution):
    return play(attrs.evolve(get_scenario(name), solution=solution), OracleAgent())[1].similarity


def test_a_difference_of_temperatures_is_not_converted_like_a_temperature(play):
    name = "find_temperature_difference_in_fahrenheit_unit_chain"

    def told(shift):
        def solution():
            reference, reply = get_scenario(name).solution(), None
            while not isinstance(step := reference.send(reply), Say):
                reply = yield step
            figure = float(next(word for word in step.text.split() if word[0].isdigit()))
            yield say(f"It gets {figure + shift:.1f} degrees Fahrenheit warmer there.")

        return solution

    assert score(play, name, told(0)) == 1
    assert score(play, name, told(32)) == 0


def test_a_height_may_be_converted_in_two_parts_and_told_with_the_old_one(play):
    def solution(content):
        yield call("unit_conversion", amount=5, from_unit="feet", to_unit="cm")
        yield call("unit_conversion", amount=9, from_unit="inches", to_unit="cm")
        [row] = yield Call("search_contacts", {"relationship": "tailor"})
        yield call("send_message_with_phone_number", phone_number=row["phone_number"], content=content)
        yield say("The message has been sent.")

    name = "send_message_height_in_centimetres_unit_chain"
    assert score(play, name, lambda: solution("Hello! I am 5 feet 9 inches tall, which is 175.3 cm.")) == 1
    assert score(play, name, lambda: solution("Hello! I am 5 feet 9 inches tall, which is 180 cm.")) < 1
