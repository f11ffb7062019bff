"""A sound scenario passes, and each kind of flaw is found."""

import attrs
import pytest

from tool_sandbox.answers.facts import Done, Switch
from tool_sandbox.proof.prove import prove
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.scenarios.vocabulary import CONTACT, Task, added, answer, call, called, say, setting
from tool_sandbox.scenarios.world import World
from tool_sandbox.scoring import Evaluation


def checks(scenario) -> set[str]:
    return {finding.check for finding in prove(scenario).findings}


@pytest.mark.parametrize("name", ["wifi_off", "remove_contact_by_phone", "find_days_till_holiday_multiple_user_turn"])
def test_a_sound_scenario_has_no_finding(name) -> None:
    proof = prove(get_scenario(name))
    assert proof.findings == ()
    figures = proof.figures
    assert figures.reference == 1.0
    assert figures.calls >= figures.necessary >= 1
    assert figures.mutants
    assert not figures.unnoticed
    assert figures.false_answers[0] > 0
    assert figures.false_answers[1] == 0
    assert figures.paraphrases[0] >= 3
    assert figures.paraphrases[1] == figures.paraphrases[0]
    assert figures.harmful_acts[1] == 0


def switch_off(*milestones, user="Switch wifi off.", **options) -> Task:
    fields = {
        "user": user,
        "tools": ["set_wifi_status"],
        "milestones": milestones or [setting(wifi=False), answer(Switch("wifi", on=False))],
        "solution": [call("set_wifi_status", on=False), say("Wifi is off.")],
    }
    return Task(**(fields | options))


def test_a_reference_that_does_not_reach_the_goal_is_found(make) -> None:
    assert "reference" in checks(make(switch_off(setting(cellular=False), answer(Switch("wifi", on=False)))))


def test_a_side_effect_of_the_reference_is_found(make) -> None:
    scenario = make(switch_off(answer(Switch("wifi", on=False))))
    (finding,) = [finding for finding in prove(scenario).findings if finding.check == "reference"]
    assert "SETTING" in finding.happened


def test_a_reference_that_raises_is_a_finding_and_nothing_else(make) -> None:
    def broken():
        yield call("set_wifi_status", on=False)
        raise RuntimeError("oops")

    proof = prove(make(switch_off(solution=broken)))
    assert proof.figures is None
    (finding,) = proof.findings
    assert "oops" in finding.happened


def test_a_reference_with_a_tool_that_is_not_offered_is_found(make) -> None:
    steps = [call("set_wifi_status", on=False), call("get_wifi_status"), say("Wifi is off.")]
    assert "not offered" in prove(make(switch_off(solution=steps))).findings[0].happened


class Forgiving(Evaluation):
    """Overlooks side effects."""

    def evaluate(self, *arguments, **options):
        return attrs.evolve(super().evaluate(*arguments, **options), side_effects=[])


def test_a_scenario_that_does_not_notice_harm_is_found() -> None:
    plain, wide = get_scenario("wifi_off"), get_scenario("wifi_off_all_tools")
    fields = {field.name: getattr(wide.evaluation, field.name) for field in attrs.fields(Evaluation)}
    sound = prove(plain, widest=wide)
    assert sound.findings == ()
    assert sound.figures.harmful_acts[0] > 2
    blind = prove(plain, widest=attrs.evolve(wide, evaluation=Forgiving(**fields)))
    assert blind.figures.harmful_acts == (sound.figures.harmful_acts[0],) * 2
    assert {finding.check for finding in blind.findings} == {"mutant"}


def test_points_for_nothing_are_found(make) -> None:
    # The answer is what any agent says that agrees to anything.
    task = switch_off(answer(Switch("it", on=True, yes=True)), solution=[say("Yes, it is on.")], user="Is it on?")
    assert "control" in checks(make(task))


def test_an_order_that_nothing_asks_for_is_found(make) -> None:
    task = Task(
        user="Are wifi and cellular on?",
        tools=["get_wifi_status", "get_cellular_service_status"],
        milestones=[
            called("get_wifi_status"),
            called("get_cellular_service_status"),
            answer(Switch("wifi", on=True, yes=True), Switch("cellular", on=True, yes=True)),
        ],
        solution=[call("get_wifi_status"), call("get_cellular_service_status"), say("Yes, wifi and cellular are on.")],
    )
    found = [finding for finding in prove(make(task)).findings if finding.check == "order"]
    assert len(found) == 1
    assert "get_cellular_service_status(); get_wifi_status()" in found[0].happened


def test_a_finding_says_how_to_see_it_again(make) -> None:
    scenario = attrs.evolve(make(switch_off(setting(cellular=False))), name="some_name")
    commands = {finding.command for finding in prove(scenario, seed=3).findings}
    assert commands == {"tool_sandbox scenarios check some_name --seed 3"}


def test_an_argument_that_nothing_pins_down_is_found(make) -> None:
    def task(world: World) -> Task:
        """Save somebody, with any number."""
        person = world.new_person()
        return Task(
            user=f"Save {person.name}, {person.phone_number}.",
            tools=["add_contact"],
            milestones=[added(CONTACT, name=person.name), answer(Done("add", person.name))],
            solution=[
                call("add_contact", name=person.name, phone_number=person.phone_number),
                say(f"{person.name} has been added."),
            ],
        )

    found = [finding for finding in prove(make(task)).findings if finding.check == "mutant"]
    assert any("phone_number" in finding.happened for finding in found)
