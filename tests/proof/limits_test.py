"""The limits of the suite are those that were promised, and are not met by a suite that does not keep to them."""

from collections.abc import Callable

import attrs
import pytest

from tool_sandbox.answers.facts import Switch
from tool_sandbox.proof import limits
from tool_sandbox.proof.controls import CLAIMS_ONLY, EMPTY_ANSWER, READ_ONLY, REFUSING, REQUEST_BLIND, SILENT, WORDLESS
from tool_sandbox.proof.findings import Figures
from tool_sandbox.proof.limits import Survey, limit_of_control, rows
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.scenarios.vocabulary import Task, answer, call, say, setting

SOUND = Figures(
    name="a",
    base_name="a",
    family="letters",
    seed=0,
    tags=("LONG_CHAIN",),
    reference=1.0,
    calls=12,
    necessary=10,
    tools=("get_wifi_status",),
    turns=1,
    orders=1,
    answers=True,
    changes=True,
    controls={EMPTY_ANSWER: 0.3},
    mutants={"dropped call": 10},
    unnoticed={},
    false_answers=(4, 0.0),
    harmful_acts=(6, 0),
    paraphrases=(3, 3.0),
    connections=0,
    graph="1",
    shape="1",
    lines=20,
)


def survey(*figures: Figures, **changes) -> Survey:
    every = figures or tuple(attrs.evolve(SOUND, name=name, base_name=name, graph=name) for name in "abc")
    sound = Survey(every, 0, True, True, ["LONG_CHAIN"], frozenset({"LONG_CHAIN"}), ["get_wifi_status"])
    return attrs.evolve(sound, **changes)


def unmet(of: Survey) -> list[str]:
    return [row.check for row in rows(of) if row.met is False]


def test_a_sound_suite_meets_every_limit() -> None:
    assert unmet(survey()) == []
    assert {row.met for row in rows(survey())} == {True}
    assert len(list(rows(survey()))) == 15


def survey_with(**changes) -> Callable[[], Survey]:
    return lambda: survey(*(attrs.evolve(SOUND, **{"name": n, "base_name": n, "graph": n} | changes) for n in "abc"))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (survey_with(controls={REFUSING: 0.03}), "refusing"),
        (survey_with(controls={SILENT: 0.03}), "refusing"),
        (survey_with(controls={REQUEST_BLIND: 0.06}), "request-blind"),
        (survey_with(controls={READ_ONLY: 0.06}), "except writes"),
        (survey_with(controls={EMPTY_ANSWER: 0.31}), "empty answer"),
        (survey_with(false_answers=(4, 0.1)), "false answers"),
        (survey_with(paraphrases=(3, 2.9)), "paraphrases"),
        (survey_with(harmful_acts=(6, 1)), "harmful"),
        (survey_with(unnoticed={"dropped call": 1}), "near misses"),
        (survey_with(reference=0.9), "reference"),
        (lambda: survey(failed=1), "reference"),
        (lambda: survey(elsewhere=False), "five dates"),
        (survey_with(connections=1), "network"),
        (survey_with(graph="the same"), "distinct"),
        (lambda: survey(declared=["LONG_CHAIN", "PRIVACY"]), "categories"),
        (lambda: survey(tools=["get_wifi_status", "add_contact"]), "fewer than 3"),
        (survey_with(necessary=9), "longest"),
    ],
)
def test_each_limit_can_be_missed(make, words) -> None:
    (missed,) = unmet(make())
    assert words in missed


def test_one_bad_category_is_not_averaged_away() -> None:
    good = [attrs.evolve(SOUND, name=str(n), base_name=str(n), graph=str(n)) for n in range(20)]
    bad = attrs.evolve(SOUND, name="z", base_name="z", graph="z", tags=("PRIVACY",), controls={REFUSING: 0.06})
    assert [name.split()[0] for name in unmet(survey(*good, bad))] == ["refusing"]


def test_limits_of_the_suite_do_not_apply_to_a_part_of_it() -> None:
    part = attrs.evolve(survey_with(controls={REFUSING: 1.0}, graph="same", necessary=1)(), whole=False)
    assert unmet(part) == []
    assert {row.met for row in rows(part)} == {True, None}
    assert unmet(attrs.evolve(survey_with(reference=0.5)(), whole=False)) != []


def test_only_base_scenarios_count_as_problems() -> None:
    variants = [attrs.evolve(SOUND, name=f"a_{n}", base_name="a") for n in range(9)]
    assert len(survey(SOUND, *variants, attrs.evolve(SOUND, seed=1)).bases) == 1


def test_the_numbers_are_the_promised_ones() -> None:
    assert (limits.REFUSING_MEAN, limits.REFUSING_WORST_CATEGORY) == (0.02, 0.05)
    assert (limits.REQUEST_BLIND_MEAN, limits.EMPTY_ANSWER_MEAN) == (0.05, 0.30)
    assert (limits.DISTINCT_GRAPHS, limits.SCENARIOS_PER_TOOL, limits.LONGEST_CHAIN) == (0.9, 3, 10)
    assert limits.MIN_PARAPHRASES == 3


def test_limits_of_a_control_in_one_scenario(make) -> None:
    scenario = get_scenario("remove_contact_by_phone")
    assert limit_of_control(scenario, WORDLESS) == 0.7
    assert limit_of_control(scenario, REFUSING) == limit_of_control(scenario, SILENT) == 0.05
    assert limit_of_control(scenario, REQUEST_BLIND) == limit_of_control(scenario, CLAIMS_ONLY) == 0.3
    assert limit_of_control(get_scenario("get_wifi"), EMPTY_ANSWER) == 0.0


def test_an_agent_that_switches_everything_on_may_earn_the_change_where_that_is_what_is_asked(make) -> None:
    def limit(**switches: bool) -> float:
        (name, value), *_ = switches.items()
        tool = {"wifi": "set_wifi_status", "low_battery_mode": "set_low_battery_mode_status"}[name]
        task = Task(
            user="Switch it.",
            tools=[tool],
            milestones=[setting(**switches), answer(Switch("it", on=value))],
            solution=[call(tool, on=value), say(f"It is {'on' if value else 'off'}.")],
        )
        return limit_of_control(make(task), REQUEST_BLIND)

    assert limit(wifi=True) == limit(low_battery_mode=False) == 0.7
    assert limit(wifi=False) == limit(low_battery_mode=True) == 0.3
