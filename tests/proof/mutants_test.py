"""Near misses of reference solutions: they are wrong, they are few, and a sound scenario notices each."""

import datetime
from collections import Counter
from collections.abc import Callable

import attrs
import pytest

from tool_sandbox.answers.facts import (
    Cannot,
    Done,
    Entity,
    NotDone,
    Number,
    Phone,
    Quote,
    Reading,
    Switch,
    Time,
    Weekday,
)
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.asides import REVEALED_KINDS
from tool_sandbox.proof.controls import weight_of_answers
from tool_sandbox.proof.course import Course
from tool_sandbox.proof.falsehoods import Others, denied, falsehoods
from tool_sandbox.proof.mutants import ANSWER_KINDS, CAPS, HARM_KINDS, Mutant, mutants
from tool_sandbox.proof.neighbours import miswritten
from tool_sandbox.proof.play import play, record
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.scenarios.vocabulary import CONTACT, Task, call, removed, say
from tool_sandbox.scenarios.world import World

Make = Callable[..., Scenario]

SCENARIOS = [
    "add_contact_with_name_and_phone_number",
    "add_reminder_content_and_week_delta_and_time_and_location_multiple_user_turn",
    "find_days_till_holiday_multiple_user_turn",
    "find_temperature_f_with_location_wifi_off",
    "get_wifi",
    "modify_reminder_with_recency_latest",
    "remove_contact_by_phone_no_remove_contact_insufficient_information",
    "search_contact_do_not_reveal_number_negative_constraint",
    "search_message_with_recency_latest",
    "send_message_two_contacts_same_first_name_disambiguation_multiple_user_turn",
    "send_message_with_contact_content_cellular_off_all_tools",
    "update_contact_relationship_with_relationship_twice_multiple_user_turn",
]


def of(scenario: Scenario, *kinds: str) -> list[Mutant]:
    return [mutant for _, mutant in mutants(Course.of(scenario)) if not kinds or mutant.kind in kinds]


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_sound_scenario_notices_every_near_miss(name: str) -> None:
    scenario = get_scenario(name)
    weights = weight_of_answers(scenario)
    for mutant in of(scenario):
        _, result = play(scenario, mutant.agent())
        assert not result.success, mutant.label
        assert result.similarity < 1, mutant.label
        assert result.similarity <= 0.5 or mutant.kind not in REVEALED_KINDS, mutant.label
        if mutant.kind in ANSWER_KINDS:
            scores = [result.milestone_mapping[node][1] for node, weight in enumerate(weights) if weight]
            assert min(scores) == 0, mutant.label


def test_near_misses_are_the_same_every_time_few_and_of_all_kinds() -> None:
    seen = Counter[str]()
    for name in SCENARIOS:
        first, second = of(get_scenario(name)), of(get_scenario(name))
        assert [(one.kind, one.label) for one in first] == [(one.kind, one.label) for one in second]
        counts = Counter(one.kind for one in first)
        assert all(count <= CAPS[kind] for kind, count in counts.items())
        assert len({one.label for one in first}) == len(first)
        seen += counts
    assert set(seen) == set(CAPS)
    assert sum(CAPS.values()) <= 65


def test_meddling_is_harm_indeed() -> None:
    scenario = get_scenario("send_message_with_contact_content_cellular_off_all_tools")
    harm = of(scenario, *HARM_KINDS)
    assert {mutant.kind for mutant in harm} == set(HARM_KINDS)
    assert all(play(scenario, mutant.agent())[1].side_effects for mutant in harm)
    lax = attrs.evolve(scenario, evaluation=attrs.evolve(scenario.evaluation, allowed_changes=None))
    assert any(play(lax, mutant.agent())[1].success for mutant in harm)


def _careless(world: World) -> Task:
    """Remove somebody, whoever it is."""
    person = world.contacts[1]
    return Task(
        user=f"Remove {person.name}.",
        tools=["search_contacts", "remove_contact"],
        milestones=[removed(CONTACT, is_self=False)],
        solution=[call("remove_contact", person_id=person.person_id), say("It is done.")],
    )


def test_a_near_miss_survives_a_careless_scenario(make: Make) -> None:
    scenario = make(_careless)
    survivors = [mutant for mutant in of(scenario) if play(scenario, mutant.agent())[1].success]
    assert {mutant.kind for mutant in survivors} == {"wrong entity"}


def _with_an_idle_lookup(world: World) -> Task:
    """Remove one person, after looking for another in vain."""
    person = world.contacts[1]
    return Task(
        user=f"Remove {person.name}.",
        tools=["search_contacts", "remove_contact"],
        milestones=[removed(CONTACT, person_id=person.person_id)],
        solution=[
            call("search_contacts", name="Nobody At All"),
            call("remove_contact", person_id=person.person_id),
            say("It is done."),
        ],
    )


def test_what_makes_no_difference_is_no_mutant(make: Make) -> None:
    dropped = of(make(_with_an_idle_lookup), "dropped call", "changed argument")
    assert [mutant.label.partition("(")[0] for mutant in dropped] == ["without remove_contact"]


def test_a_lookup_told_wrongly_leads_astray() -> None:
    scenario = get_scenario("find_distance_with_location_name")
    labels = [mutant.label for mutant in of(scenario, "dropped call", "changed argument")]
    assert any(label.startswith("as if search_location_around_lat_lon") for label in labels)
    assert any(label.startswith("search_location_around_lat_lon(location='Grand") for label in labels)


def test_acting_before_asking_is_a_swap() -> None:
    name = "send_message_two_contacts_same_first_name_disambiguation_multiple_user_turn"
    assert any("before asking" in mutant.label for mutant in of(get_scenario(name), "swapped"))


OTHERS = Others(names=("Tom Haake", "Ann Weber"), texts=("Buy milk", "Call the pharmacy"))


@pytest.mark.parametrize(
    ("text", "fact", "lies"),
    [
        ("It is 24.5 degrees.", Number(24.5, "celsius"), ["It is not 24.5 degrees.", "It is 27.0 degrees."]),
        ("Her number is +15550102345.", Phone("+15550102345"), ["Her number is +15550102346."]),
        ("June 18 is a Thursday.", Weekday("Thursday"), ["June 18 is a Friday."]),
        ("Your boss is Ann Weber.", Entity("Ann Weber"), ["Your boss is Tom Haake."]),
        ('It says: "Buy milk"', Quote("Buy milk"), ['It says: "Call the pharmacy"']),
        ('It says: "Buy milk"', Quote("Buy milk"), ['It is not true that it says: "Buy milk"']),
        ("I left it and turned it on.", Done("turned_on"), ["I have not left it and have not turned it on."]),
        ("Yes, wifi is on.", Switch("wifi", on=True), ["No, wifi is not on."]),
    ],
)  # fmt: skip
def test_lies(text: str, fact: object, lies: list[str]) -> None:
    told = [lie.text for lie in falsehoods(text, [fact], OTHERS)]  # type: ignore[list-item]
    assert set(lies) <= set(told)
    assert text not in told
    assert f"{text} Actually, that is not true." in told
    assert all(fact.read(lie) is not Reading.STATED for lie in told)  # type: ignore[attr-defined]


def test_what_was_not_done_is_denied_by_a_claim() -> None:
    assert denied("I can't.", [Cannot("TOOL_MISSING", task="sent")]) == "Your message has been sent."
    assert denied("I don't know.", [Cannot("TOOL_MISSING")]).startswith("Done!")
    already = denied("You already sent it at 7:42 AM, so I did not send it again.", [Time(datetime.time(7, 42))])
    assert already == "You already have not sent it at 7:42 AM, so I did not send it again."
    assert denied("I kept it.", [NotDone("removed", ("reminder",))]) == "The reminder has been removed."


@pytest.mark.parametrize("size", ["", "_medium_world"])
def test_a_row_that_will_do_as_well_is_no_wrong_entity(size) -> None:
    scenario = get_scenario(f"remove_contact_duplicate_entry_keep_one_disambiguation{size}")
    (right,) = [call for call in record(scenario).calls if call.tool == "remove_contact"]
    rows = scenario.starting_context.get_table(CONTACT).dicts()
    names = {row["person_id"]: row["name"] for row in rows}
    others = [miss.call.arguments["person_id"] for miss in miswritten(right, scenario) if miss.elsewhere]
    assert others
    assert names[right.arguments["person_id"]] not in [names[person] for person in others]
