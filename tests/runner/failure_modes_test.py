"""Why a conversation failed, by name: each mode in a conversation that shows it."""

from collections.abc import Sequence

import pytest

from tool_sandbox.proof.play import Playback, play, record
from tool_sandbox.roles.control_agents import ForgetfulAgent
from tool_sandbox.roles.unhelpful_agent import UnhelpfulAgent
from tool_sandbox.runner.explanation.failure_modes import failure_of
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.world.outcome import Outcome
from tool_sandbox.world.script import Call, Say, Step


def _mode(name: str, steps: Sequence[Step], outcome: str = Outcome.COMPLETED) -> str | None:
    scenario = get_scenario(name)
    context, score = play(scenario, Playback(steps))
    failure = failure_of(scenario, context, score, outcome)
    return None if failure is None else failure["mode"]


def _steps(name: str) -> list[Step]:
    return list(record(get_scenario(name)).steps)


def test_a_success_has_none() -> None:
    assert _mode("close_solved_desk_tickets", _steps("close_solved_desk_tickets")) is None


def test_nothing_done() -> None:
    scenario = get_scenario("close_solved_desk_tickets")
    context, score = play(scenario, UnhelpfulAgent())
    failure = failure_of(scenario, context, score, Outcome.COMPLETED)
    assert failure is not None
    assert failure["mode"] == "gave_up"


def test_one_of_several_forgotten() -> None:
    name = "close_solved_desk_tickets"
    *before, batch, told = _steps(name)
    assert isinstance(batch, list)
    assert _mode(name, [*before, batch[1:], told]) == "forgot_item"


def test_one_too_many() -> None:
    name = "close_solved_desk_tickets"
    *before, batch, told = _steps(name)
    rows = play(get_scenario(name), Playback(before))[0].get_table("desk.tickets").dicts()
    assert isinstance(batch, list)
    done = {call.arguments["ticket_id"] for call in batch}
    other = next(row["ticket_id"] for row in rows if row["ticket_id"] not in done and row["state"] == "waiting")
    more = Call("modify_desk_ticket", {"ticket_id": other, "priority": "high"})
    assert _mode(name, [*before, [*batch, more], told]) == "did_too_much"


def test_the_look_alike() -> None:
    name = "hand_over_desk_ticket"
    *before, change, told = _steps(name)
    rows = play(get_scenario(name), Playback(before))[0].get_table("desk.tickets").dicts()
    assert isinstance(change, Call)
    [meant] = [row for row in rows if row["ticket_id"] == change.arguments["ticket_id"]]
    alike = [row["ticket_id"] for row in rows if row["customer_id"] == meant["customer_id"] and row != meant]
    wrong = Call(change.tool, change.arguments | {"ticket_id": alike[0]})
    assert _mode(name, [*before, wrong, told]) == "wrong_row"


def test_done_twice() -> None:
    name = "add_contact_with_name_and_phone_number"
    steps = _steps(name)
    added = next(step for step in steps if isinstance(step, Call) and step.tool == "add_contact")
    assert _mode(name, [added, *steps]) == "repeated"


def test_a_wrong_number_told() -> None:
    name = "find_days_till_holiday"
    steps = _steps(name)
    assert _mode(name, [*steps[:-1], Say("It is 3 days until then.")]) in ("arithmetic", "false_report")


def test_the_limit_of_turns() -> None:
    assert _mode("wifi_off", [Say("One moment, please.")], Outcome.MAX_MESSAGES) == "out_of_turns"


def test_not_looked_up() -> None:
    name = "tell_warranty_of_desk_device"
    assert _mode(name, [_steps(name)[-1]]) in ("too_little_looking", "false_report")


def test_the_rules_of_the_published_benchmark_know_none() -> None:
    import attrs

    scenario = get_scenario("wifi_off")
    context, score = play(scenario, ForgetfulAgent(0))
    evaluation = attrs.evolve(scenario.evaluation, allowed_changes=None)
    assert failure_of(attrs.evolve(scenario, evaluation=evaluation), context, score, Outcome.COMPLETED) is None


@pytest.mark.parametrize("name", ["wifi_off", "close_solved_desk_tickets"])
def test_forgetting_any_step_is_named(name: str) -> None:
    for position, _ in enumerate(_steps(name)):
        scenario = get_scenario(name)
        context, score = play(scenario, ForgetfulAgent(position))
        failure = failure_of(scenario, context, score, Outcome.COMPLETED)
        assert (failure is None) == score.success
        assert failure is None or failure["mode"] != "other"
