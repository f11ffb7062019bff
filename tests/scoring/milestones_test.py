import copy
import functools
import pickle
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.scoring import (
    Evaluation,
    Milestone,
    MilestoneMatcher,
    Minefield,
    SnapshotConstraint,
    addition_similarity,
    column_close_similarity,
    column_exact_match_similarity,
    column_one_similarity,
    column_rouge_l_similarity,
    guardrail_similarity,
    snapshot_similarity,
    update_similarity,
)
from tool_sandbox.world.errors import ScenarioError

SANDBOX, SETTING, CONTACT, MESSAGING, REMINDER = DatabaseNamespace
TARGET = pl.DataFrame({"name": ["a"]})

Constraint = SnapshotConstraint


def guards(milestone: Milestone) -> list[tuple[DatabaseNamespace, int | None]]:
    return [
        (constraint.database_namespace, constraint.reference_milestone_node_index)
        for constraint in milestone.snapshot_constraints
        if constraint.snapshot_constraint is guardrail_similarity
    ]


def setting() -> Constraint:
    return Constraint(SETTING, snapshot_similarity, target_dataframe=pl.DataFrame({"wifi": [True]}))


def message() -> Constraint:
    return Constraint(SANDBOX, snapshot_similarity, target_dataframe=pl.DataFrame({"content": ["x"]}))


def contact(reference: int) -> Constraint:
    return Constraint(CONTACT, addition_similarity, reference, TARGET)


# Constraints ---------------------------------------------------------------------------------


def test_default_measures_cover_every_column_and_can_be_overridden() -> None:
    constraint = Constraint(
        REMINDER, snapshot_similarity, column_similarity_measure={"latitude": column_close_similarity}
    )
    measures = constraint.column_similarity_measure
    assert measures is not None
    assert list(measures) == list(ExecutionContext.dbs_schemas[REMINDER])
    assert measures["content"] is column_rouge_l_similarity
    assert measures["latitude"] is column_close_similarity
    assert measures["longitude"] is column_exact_match_similarity
    assert Constraint(SANDBOX, snapshot_similarity).column_similarity_measure["tool_call_exception"] is (  # type: ignore[index]
        column_one_similarity
    )


def test_defaults_are_not_shared() -> None:
    first, second = Constraint(CONTACT, snapshot_similarity), Constraint(CONTACT, snapshot_similarity)
    assert first.column_similarity_measure == second.column_similarity_measure
    assert first.column_similarity_measure is not second.column_similarity_measure


@pytest.mark.parametrize("golden", ["{", '{"tool_name": "f"}', None])
def test_unreadable_golden_traces_are_rejected(golden: str | None) -> None:
    target = pl.DataFrame({"tool_trace": [golden]}, schema={"tool_trace": pl.String})
    with pytest.raises(ScenarioError, match="golden tool trace"):
        Constraint(SANDBOX, snapshot_similarity, target_dataframe=target)


# Milestones ----------------------------------------------------------------------------------


def test_guarded_databases_of_a_milestone() -> None:
    assert Milestone([]).guardrail_database_list == list(DatabaseNamespace)
    assert Milestone([], [SETTING]).guardrail_database_list == [SETTING]
    kept = Milestone([], guardrail_database_exclusion_list=[SETTING, SANDBOX]).guardrail_database_list
    assert kept == [CONTACT, MESSAGING, REMINDER]
    with pytest.raises(ValueError, match="not both"):
        Milestone([], [SETTING], [CONTACT])


@pytest.mark.parametrize("weight", [-1, float("nan"), float("inf")])
def test_impossible_weights(weight: float) -> None:
    with pytest.raises(ScenarioError, match="weight"):
        Milestone([], weight=weight)


# Matchers ------------------------------------------------------------------------------------


def test_edges_default_to_a_chain() -> None:
    matcher = MilestoneMatcher([Milestone([message()]) for _ in range(3)])
    assert matcher.edge_list == [(0, 1), (1, 2)]
    assert list(matcher.milestone_dag.edges) == [(0, 1), (1, 2)]
    assert list(MilestoneMatcher().milestone_dag.nodes) == []


def test_every_milestone_is_a_node_whatever_the_edges() -> None:
    matcher = MilestoneMatcher([Milestone([message()]) for _ in range(3)], [(0, 1)])
    assert sorted(matcher.milestone_dag.nodes) == [0, 1, 2]
    assert sorted(MilestoneMatcher([Milestone([message()])], [(0, 5)]).milestone_dag.nodes) == [0]


def test_guardrails_of_a_chain() -> None:
    chain = MilestoneMatcher([Milestone([message()]), Milestone([contact(0)]), Milestone([message()])])
    assert [guards(milestone) for milestone in chain.milestones] == [
        [],
        [(SETTING, 0), (MESSAGING, 0), (REMINDER, 0)],
        [(SETTING, 1), (MESSAGING, 1), (REMINDER, 1)],
    ]


def test_guardrails_of_a_join_hold_against_every_predecessor() -> None:
    join = MilestoneMatcher([Milestone([setting()]), Milestone([message()]), Milestone([message()])], [(0, 2), (1, 2)])
    databases = [CONTACT, MESSAGING, REMINDER]
    assert guards(join.milestones[2]) == [(database, before) for before in (0, 1) for database in databases]


def test_the_initial_state_is_guarded_and_frees_nothing() -> None:
    matcher = MilestoneMatcher([Milestone([contact(-1)]), Milestone([message()]), Milestone([setting()])])
    assert guards(matcher.milestones[0]) == [(SETTING, -1), (MESSAGING, -1), (REMINDER, -1)]


def test_excluded_databases_are_not_guarded() -> None:
    later = Milestone([message()], guardrail_database_exclusion_list=[SETTING, REMINDER])
    matcher = MilestoneMatcher([Milestone([message()]), later])
    assert guards(matcher.milestones[1]) == [(CONTACT, 0), (MESSAGING, 0)]


def test_the_milestones_given_are_not_modified() -> None:
    given = [Milestone([message()], name="first"), Minefield([message()])]
    matcher = MilestoneMatcher(given)
    again = MilestoneMatcher(matcher.milestones)
    assert [len(milestone.snapshot_constraints) for milestone in given] == [1, 1]
    assert [len(milestone.snapshot_constraints) for milestone in matcher.milestones] == [1, 5]
    assert [len(milestone.snapshot_constraints) for milestone in again.milestones] == [1, 5]
    assert matcher.milestones[0].name == "first"
    assert isinstance(matcher.milestones[1], Minefield)


def test_guardrails_written_by_hand_stay() -> None:
    own = Constraint(CONTACT, guardrail_similarity, -1)
    matcher = MilestoneMatcher(MilestoneMatcher([Milestone([message(), own])]).milestones)
    assert matcher.milestones[0].snapshot_constraints[1] is own


@pytest.mark.parametrize(
    ("milestones", "edges", "text"),
    [
        ([[message()], [message()]], [(0, 1), (1, 0)], "wait for one another"),
        ([[message()], [message()]], [(0, 0)], "wait for one another"),
        ([[message()], [message()]], [(0, 2)], "does not exist; there are 2"),
        ([[message()], [message()]], [(-1, 1)], "does not exist; there are 2"),
        ([[contact(0)]], None, "does not come before it"),
        ([[contact(1)], [message()]], None, "does not come before it"),
        ([[message()], [contact(0)]], [], "does not come before it"),
        ([[message()], [contact(2)]], None, "refers to milestone 2; there are 2"),
        ([[message()], [contact(-2)]], None, "refers to milestone -2; there are 2"),
    ],
)
def test_broken_definitions_are_rejected_in_one_line(
    milestones: list[list[Constraint]], edges: list[tuple[int, int]] | None, text: str
) -> None:
    with pytest.raises(ScenarioError, match=text) as caught:
        MilestoneMatcher([Milestone(constraints) for constraints in milestones], edges)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("constraints", "text"),
    [
        ([], "milestone 0 has no constraint to score"),
        ([Constraint(CONTACT, guardrail_similarity, -1)], "milestone 0 has no constraint to score"),
        ([Constraint(CONTACT, update_similarity, target_dataframe=TARGET)], "needs a reference"),
        ([Constraint(CONTACT, snapshot_similarity)], "needs a target"),
    ],
)
def test_what_cannot_be_scored_is_rejected_when_a_scenario_is_built(constraints: list[Constraint], text: str) -> None:
    matcher = MilestoneMatcher([Milestone(constraints)])
    for evaluation in (Evaluation(matcher), Evaluation(minefield_matcher=matcher)):
        with pytest.raises(ScenarioError, match=text):
            Scenario(evaluation=evaluation)


def test_a_matcher_scores_what_is_no_scenario(play: Any) -> None:
    play.user("hi")
    score = MilestoneMatcher([Milestone([])]).compute_mapping_and_similarity
    assert score(play.context) == ({0: (play.context.first_user_sandbox_message_index, 1.0)}, 1.0)
    with pytest.raises(AssertionError):
        MilestoneMatcher([Milestone([Constraint(CONTACT, snapshot_similarity)])]).compute_mapping_and_similarity(
            play.context
        )


def test_an_edge_given_twice_counts_once() -> None:
    matcher = MilestoneMatcher([Milestone([message()]), Milestone([message()])], [(0, 1), (0, 1)])
    assert matcher.graph.parents == ((), (0,))


def test_constraints_are_compared_by_content() -> None:
    assert message() == message()
    assert contact(0) != contact(-1)
    first, second = (Milestone([Constraint(CONTACT, snapshot_similarity)]) for _ in range(2))
    assert first == second
    derived = MilestoneMatcher([first, second]).milestones[1].snapshot_constraints[1]
    assert derived == Constraint(SETTING, guardrail_similarity, 0)
    assert derived != Constraint(REMINDER, guardrail_similarity, 0)


def test_a_reference_to_nowhere_is_also_an_index_error() -> None:
    with pytest.raises(IndexError):
        MilestoneMatcher([Milestone([contact(7)])])


def test_someone_has_to_carry_points() -> None:
    with pytest.raises(ScenarioError, match="no points"):
        MilestoneMatcher([Milestone([message()], weight=0)])


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda matcher: pickle.loads(pickle.dumps(matcher))])
def test_matchers_can_be_copied_and_sent(duplicate: Callable[[MilestoneMatcher], MilestoneMatcher], play: Any) -> None:
    measure = functools.partial(column_close_similarity, atol_dict={"latitude": 1.0})
    constraint = Constraint(
        SETTING,
        snapshot_similarity,
        target_dataframe=pl.DataFrame({"latitude": [37.0]}),
        column_similarity_measure={"latitude": measure},
    )
    matcher = MilestoneMatcher([Milestone([constraint])])
    play.user("hi")
    before = matcher.compute_mapping_and_similarity(play.context)
    assert before[1] == 1
    assert duplicate(matcher).compute_mapping_and_similarity(play.context) == before
