"""Equal problems have equal fingerprints, different ones do not."""

from tool_sandbox.answers.facts import Switch
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.proof.graphs import graph_fingerprint, setting_fingerprint
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.scenarios.vocabulary import Task, answer, call, called, say, setting


def switch_off(*milestones, tools=("set_wifi_status", "get_wifi_status"), **options) -> Task:
    return Task(
        user="Switch wifi off.",
        tools=tools,
        milestones=milestones or [setting(wifi=False), answer(Switch("wifi", on=False))],
        solution=[call("set_wifi_status", on=False), say("Wifi is off.")],
        **options,
    )


def prints(scenario) -> tuple[str, str]:
    return graph_fingerprint(scenario.evaluation), graph_fingerprint(scenario.evaluation, literals=False)


def test_words_of_the_user_do_not_count_and_values_do(make) -> None:
    exact, shape = prints(make(switch_off()))
    assert prints(make(switch_off(allowed=[setting(wifi=False)]))) != (exact, shape)
    location = make(switch_off(setting(wifi=False), answer(Switch("the wifi", on=False))))
    assert prints(location)[0] != exact
    assert prints(location)[1] == shape


def test_the_order_of_listing_does_not_count_and_the_order_of_events_does(make) -> None:
    wifi, cellular = setting(wifi=False), setting(cellular=False)
    one = prints(make(switch_off(wifi.after(), cellular.after())))
    assert prints(make(switch_off(cellular.after(), wifi.after()))) == one
    chain = prints(make(switch_off(wifi, cellular)))
    assert chain[0] != one[0]
    assert chain[1] != one[1]


def test_another_tool_is_another_shape(make) -> None:
    answer_node = answer(Switch("wifi", on=False))
    one = prints(make(switch_off(called("get_wifi_status"), answer_node)))
    other = prints(make(switch_off(called("set_wifi_status"), answer_node)))
    assert one[1] != other[1]


def test_never_counts(make) -> None:
    assert prints(make(switch_off(never=[called("get_wifi_status")]))) != prints(make(switch_off()))


def test_start_tools_and_tags_make_the_setting(make) -> None:
    one = setting_fingerprint(make(switch_off()))
    assert setting_fingerprint(make(switch_off(), state="cellular_off")) != one
    assert setting_fingerprint(make(switch_off(), ScenarioCategories.PRIVACY)) != one
    assert setting_fingerprint(make(switch_off(tools=["set_wifi_status"]))) != one
    assert setting_fingerprint(make(switch_off(tools=["get_wifi_status", "set_wifi_status"]))) == one


def test_a_fingerprint_is_the_same_for_every_build() -> None:
    assert prints(get_scenario("remove_contact_by_phone")) == prints(get_scenario("remove_contact_by_phone"))
    assert prints(get_scenario("remove_contact_by_phone")) != prints(get_scenario("remove_contact_by_phone", 3))
