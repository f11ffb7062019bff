"""What the words of a scenario mean for its score, and which slips of an author are caught."""

import pytest

from tool_sandbox.answers.facts import Done, Entity
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.roles.oracle_agent import OracleAgent
from tool_sandbox.scenarios.augmentations import AUGMENTATIONS
from tool_sandbox.scenarios.build import STATE_SHARE, build
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.matchers import HasRow
from tool_sandbox.scenarios.vocabulary import (
    CONTACT,
    SETTING,
    Task,
    added,
    answer,
    asked,
    call,
    called,
    changed,
    removed,
    say,
    setting,
)
from tool_sandbox.world.errors import ScenarioError


def make(**changes):
    """A scenario that adds a contact, with some fields of its task replaced."""
    fields = {
        "user": "Add Ann Lee, +14155550123.",
        "tools": ["add_contact", "search_contacts"],
        "milestones": [added(CONTACT, name="Ann Lee", phone_number="+14155550123"), answer(Done("added"))],
        "solution": [call("add_contact", name="Ann Lee", phone_number="+14155550123"), say("I have added Ann Lee.")],
    }

    @scenario()
    def sample(world):
        """Add a contact."""
        return Task(**(fields | changes))

    return build(sample, AUGMENTATIONS[:1])["sample"]


def weights(sample):
    return [milestone.weight for milestone in sample.evaluation.milestone_matcher.milestones]


def test_a_change_carries_most_of_the_points_and_gates_none():
    sample = make(milestones=[called("search_contacts"), *make_nodes()])
    assert weights(sample) == [0, STATE_SHARE, pytest.approx(1 - STATE_SHARE)]
    assert weights(make(milestones=make_nodes()[:1])) == [1]
    assert weights(make(milestones=make_nodes()[1:])) == [1]


def make_nodes():
    return [added(CONTACT, name="Ann Lee", phone_number="+14155550123"), answer(Done("added"))]


def test_nodes_wait_for_the_one_before_or_for_the_named_ones():
    chain = make(milestones=[called("search_contacts"), *make_nodes()])
    assert chain.evaluation.milestone_matcher.edge_list == [(0, 1), (0, 2), (1, 2)]
    named = make(
        milestones=[
            called("search_contacts", name="Ann").named("first"),
            called("search_contacts", name="Bob").after().named("second"),
            make_nodes()[0].after("first", "second"),
        ]
    )
    assert named.evaluation.milestone_matcher.edge_list == [(0, 2), (1, 2)]


def test_a_gate_that_is_not_met_withholds_all_that_comes_after(play):
    sample = make(milestones=[asked("sure"), *make_nodes()])
    assert play(sample, OracleAgent())[1].similarity == 0
    asking = [say("Are you sure?"), *make_steps()]
    assert play(make(milestones=[asked("sure"), *make_nodes()], solution=asking), OracleAgent())[1].similarity == 1


def make_steps():
    return [call("add_contact", name="Ann Lee", phone_number="+14155550123"), say("I have added Ann Lee.")]


def test_a_confirmation_counts_only_once_the_change_is_made(play):
    sample = make(solution=[say("I have added Ann Lee.")])
    assert play(sample, OracleAgent())[1].similarity == 0


def test_columns_that_are_not_mentioned_hold_their_default(play):
    steps = [
        call("add_contact", name="Ann Lee", phone_number="+14155550123", relationship="aunt"),
        say("I have added Ann Lee."),
    ]
    result = play(make(solution=steps), OracleAgent())[1]
    assert result.similarity == 0
    assert [effect.kind for effect in result.side_effects] == ["added"]


def test_a_change_has_to_last(play):
    steps = [
        call("set_wifi_status", on=False),
        call("set_wifi_status", on=True),
        say("Done."),
    ]
    fields = {"tools": ["set_wifi_status", "get_wifi_status"], "solution": steps, "user": "Wifi off."}
    assert play(make(milestones=[setting(wifi=False)], **fields), OracleAgent())[1].similarity == 0
    passing = [setting(wifi=False).passing(), setting(wifi=True)]
    assert play(make(milestones=passing, **fields), OracleAgent())[1].similarity == 1


def test_allowed_changes_are_permitted_and_not_demanded(play):
    steps = [call("set_wifi_status", on=False), say("It is done. The name is Ann Lee.")]
    fields = {"tools": ["set_wifi_status", "get_wifi_status"], "solution": steps}
    goal = {"milestones": [answer(Entity("Ann Lee"))]}
    assert play(make(**fields, **goal), OracleAgent())[1].similarity == 0
    assert play(make(**fields, **goal, allowed=[setting(wifi=False)]), OracleAgent())[1].similarity == 1


def test_a_minefield_takes_all_points(play):
    steps = [call("search_contacts", name="Ann"), *make_steps()]
    assert play(make(solution=steps), OracleAgent())[1].similarity == 1
    assert play(make(solution=steps, never=[called("search_contacts", name="Ann")]), OracleAgent())[1].similarity == 0
    assert play(make(solution=steps, never=[called("search_contacts", name="Bob")]), OracleAgent())[1].similarity == 1


def test_a_call_can_be_held_to_its_result(play):
    steps = [call("search_contacts", relationship="boss"), *make_steps()]
    for wanted, similarity in (({"relationship": "boss"}, 1), ({"relationship": "aunt"}, 0)):
        nodes = [called("search_contacts").returning(HasRow(wanted)), *make_nodes()]
        assert play(make(milestones=nodes, solution=steps), OracleAgent())[1].similarity == similarity


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tools": ["add_contact", "fly"]}, r"unknown tools \['fly'\]"),
        ({"denied": ["add_contact"]}, r"\['add_contact'\] are offered and denied"),
        ({"milestones": [called("search_messages"), *make_nodes()]}, r"\['search_messages'\], which are not offered"),
        ({"never": [called("remove_contact")]}, r"\['remove_contact'\], which are not offered"),
        ({"milestones": [called("search_contacts")]}, "nothing earns points"),
        ({"milestones": [make_nodes()[0].after("later"), make_nodes()[1].named("later")]}, r"waits for \['later'\]"),
        ({"milestones": [node.named("same") for node in make_nodes()]}, "same label"),
        ({"user": ()}, "nothing to say"),
        ({"user": ("Hello", " ")}, "nothing to say"),
        ({"milestones": [changed(CONTACT, {"nickname": "Ann"}, name="Ann")]}, "nickname"),
        ({"milestones": [removed(SETTING, colour="red")]}, "colour"),
    ],
)
def test_slips_of_an_author_are_one_clear_line(changes, message):
    with pytest.raises(ScenarioError, match=message) as caught:
        make(**changes)
    assert "\n" not in str(caught.value)


def test_only_changes_pass_and_only_calls_return():
    with pytest.raises(TypeError, match="change"):
        called("search_contacts").passing()
    with pytest.raises(TypeError, match="call"):
        setting(wifi=True).returning(None)


def test_tags_follow_from_the_definition():
    sample = make()
    assert sample.categories == [
        ScenarioCategories.MULTIPLE_TOOL_CALL,
        ScenarioCategories.SINGLE_USER_TURN,
        ScenarioCategories.NO_DISTRACTION_TOOLS,
    ]
    assert ScenarioCategories.SINGLE_TOOL_CALL in make(tools=["add_contact"]).categories
    assert ScenarioCategories.MULTIPLE_USER_TURN in make(user=("Add Ann.", "And Bob.")).categories
    assert ScenarioCategories.MULTIPLE_USER_TURN in make(knows={"name": "Ann"}).categories
