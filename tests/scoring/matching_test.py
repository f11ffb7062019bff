"""Trajectories matched end to end, by the published rules."""

import functools
import json
import math
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import attrs
import polars as pl
import pytest

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.scoring import (
    CachedSimilarityCalculator,
    Milestone,
    MilestoneMatcher,
    SnapshotConstraint,
    addition_similarity,
    column_contains_similarity,
    guardrail_similarity,
    removal_similarity,
    snapshot_similarity,
    tool_trace_dependant_similarity,
    update_similarity,
)
from tool_sandbox.scoring.published.tool_trace_extractors import (
    result_to_temperature_extractor,
    result_to_timestamp0_extractor,
)

SANDBOX, SETTING, CONTACT, MESSAGING, REMINDER = DatabaseNamespace

Says = Callable[[str], SnapshotConstraint]
HasSetting = Callable[..., SnapshotConstraint]


def match(context: ExecutionContext, *milestones: Milestone, edges: list[tuple[int, int]] | None = None) -> Any:
    mapping, similarity = MilestoneMatcher(list(milestones), edges).compute_mapping_and_similarity(context)
    assert similarity == pytest.approx(math.fsum(found for _, found in mapping.values()) / len(milestones))
    return list(mapping.items())


def called(tool_name: str, /, measures: dict[str, Any] | None = None, **arguments: Any) -> SnapshotConstraint:
    golden = json.dumps({"tool_name": tool_name, "arguments": arguments})
    target = pl.DataFrame({"sender": RoleType.EXECUTION_ENVIRONMENT, "recipient": RoleType.AGENT, "tool_trace": golden})
    return SnapshotConstraint(SANDBOX, snapshot_similarity, None, target, measures)


def test_no_milestones(play: Any) -> None:
    play.user("hi")
    assert MilestoneMatcher().compute_mapping_and_similarity(play.context) == (OrderedDict(), None)


def test_among_equals_the_earliest_snapshot_wins_and_may_be_shared(play: Any, says: Says) -> None:
    play.user("hi")
    first = play.agent("hello")
    play.agent("hello")
    assert match(play.context, Milestone([says("hello")]), Milestone([says("hello")])) == [
        (0, (first, 1)),
        (1, (first, 1)),
    ]


@pytest.mark.parametrize(("hellos", "similarity"), [(1, 0.5), (2, 1)])
def test_distinct_milestones_do_not_share_a_message(play: Any, says: Says, hellos: int, similarity: float) -> None:
    play.user("hi")
    for _ in range(hellos):
        play.agent("hello")
    matcher = MilestoneMatcher([Milestone([says("hello")]), Milestone([says("hello")])], distinct=True)
    assert matcher.compute_mapping_and_similarity(play.context)[1] == similarity


def test_milestones_that_match_nothing_sit_at_the_first_message_of_the_user(play: Any, says: Says) -> None:
    first = play.user("hi")
    play.agent("bye")
    found = match(play.context, Milestone([says("zzz")]), Milestone([says("yyy")]))
    assert found == [(0, (first, 0)), (1, (first, 0))]


def test_the_mapping_is_in_the_order_of_assignment(play: Any, says: Says) -> None:
    play.user("hi")
    early, late = play.agent("early"), play.agent("late")
    found = match(play.context, Milestone([says("late")]), Milestone([says("early")]), edges=[])
    assert found == [(1, (early, 1)), (0, (late, 1))]


def test_order_is_enforced(play: Any, says: Says) -> None:
    play.user("hi")
    play.agent("second")
    play.agent("first")
    similarities = [
        found[1] for _, found in match(play.context, Milestone([says("first")]), Milestone([says("second")]))
    ]
    assert sorted(similarities) == [0, 1]


def test_demonstrations_for_the_user_do_not_count(play: Any, says: Says) -> None:
    context = play.context
    row = {"sender": RoleType.USER, "recipient": RoleType.AGENT, "content": "demo", "visible_to": [RoleType.USER]}
    context.add_to_database(SANDBOX, [row])
    play.agent("hello")
    first = play.user("hi")
    play.agent("bye")
    assert match(context, Milestone([says("hello")])) == [(0, (first, 0))]


def test_a_conversation_without_a_user_starts_before_all_messages(play: Any, has_setting: HasSetting) -> None:
    assert match(play.context, Milestone([has_setting(wifi=True)])) == [(0, (-1, 1))]
    assert match(ExecutionContext(), Milestone([has_setting(wifi=True)])) == [(0, (-1, 1))]


def test_an_unrelated_change_on_the_way_is_caught(play: Any, says: Says, has_setting: HasSetting) -> None:
    play.user("cellular off")
    play.setting(cellular=False)
    switched = play.tool("set_cellular_service_status", on=False)
    play.setting(cellular=True, wifi=False)
    play.contacts()
    done = play.agent("done")
    found = match(play.context, Milestone([has_setting(cellular=False)]), Milestone([says("done")]))
    assert found == [(0, (switched, 1)), (1, (switched, 0))]
    excluded = Milestone([says("done")], guardrail_database_exclusion_list=[CONTACT, SETTING])
    assert dict(match(play.context, Milestone([has_setting(cellular=False)]), excluded))[1] == (done, 1)


def test_rows_in_another_order_are_a_change_in_the_published_rules(play: Any, says: Says) -> None:
    play.user("hi")
    start = play.agent("one")
    play.contacts(*reversed(play.context.get_table(CONTACT).dicts()))
    play.agent("two")
    found = match(play.context, Milestone([says("one")]), Milestone([says("two")]))
    assert found == [(0, (start, 1)), (1, (start, 0))]


@pytest.mark.parametrize(
    ("function", "after", "target"),
    [
        (addition_similarity, lambda ann, bob: [ann, bob, {"person_id": "p3", "name": "Cid"}], {"name": ["Cid"]}),
        (removal_similarity, lambda ann, bob: [bob], {"name": ["Ann"]}),
        (update_similarity, lambda ann, bob: [bob, ann | {"name": "Eve"}], {"person_id": ["p1"], "name": ["Eve"]}),
    ],
)
@pytest.mark.parametrize("reference", [-1, 0])
def test_changes_against_the_start_and_against_a_milestone(
    play: Any, says: Says, function: Any, after: Any, target: dict[str, list[str]], reference: int
) -> None:
    play.user("hi")
    asked = play.agent("which one?")
    play.contacts(*after(*play.context.get_table(CONTACT).dicts()))
    changed = play.tool("modify")
    constraint = SnapshotConstraint(CONTACT, function, reference, pl.DataFrame(target))
    found = match(play.context, Milestone([says("which one?")]), Milestone([constraint]))
    assert found == [(0, (asked, 1)), (1, (changed, 1))]


def test_values_of_an_earlier_call(play: Any, says: Says) -> None:
    play.user("how warm?")
    measured = play.tool("measure", result=21.5)
    wrong = play.agent("it is 7 degrees")
    answered = play.agent("it is 21.5 degrees")
    gap = functools.partial(
        tool_trace_dependant_similarity, fill_to="content", extractor=result_to_temperature_extractor
    )
    target = pl.DataFrame(
        {"sender": RoleType.AGENT, "recipient": RoleType.USER, "content": "it is {temperature} degrees"}
    )
    answer = SnapshotConstraint(SANDBOX, gap, 0, target, {"content": column_contains_similarity})
    found = match(play.context, Milestone([called("measure")]), Milestone([answer]))
    assert found == [(0, (measured, 1)), (1, (answered, 1))]
    assert wrong < answered


def test_values_of_two_earlier_calls_in_one_milestone(play: Any) -> None:
    play.user("how long?")
    one, two = play.tool("start", result=10), play.tool("end", result=30)
    compared = play.tool("timestamp_diff", timestamp_0=10.4, timestamp_1=30)
    gaps = []
    for reference, (name, extractor) in enumerate(
        [
            ("timestamp_0", result_to_timestamp0_extractor),
            ("timestamp_1", lambda trace: [{"timestamp_1": float(trace["result"])}]),
        ]
    ):
        gap = functools.partial(tool_trace_dependant_similarity, fill_to="tool_trace", extractor=extractor)
        from tool_sandbox.scoring import column_tool_trace_exact_match_similarity

        measure = functools.partial(column_tool_trace_exact_match_similarity, atol_dict={name: 1})
        target = called("timestamp_diff").target_dataframe
        gaps.append(SnapshotConstraint(SANDBOX, gap, reference, target, {"tool_trace": measure}))
    milestones = [Milestone([called("start")]), Milestone([called("end")]), Milestone(gaps)]
    assert match(play.context, *milestones, edges=[(0, 2), (1, 2)]) == [
        (0, (one, 1)),
        (1, (two, 1)),
        (2, (compared, 1)),
    ]


def test_two_constraints_give_their_geometric_mean(play: Any, says: Says, has_setting: HasSetting) -> None:
    play.user("hi")
    answered = play.agent("hello there my friend")
    both = Milestone([says("hello there"), has_setting(wifi=True)])
    alone = Milestone([says("hello there")])
    text = (2 / 3) ** (1 / 3)
    assert match(play.context, alone) == [(0, (answered, pytest.approx(text)))]
    assert match(play.context, both) == [(0, (answered, pytest.approx(math.sqrt(text))))]


# Foreign code --------------------------------------------------------------------------------


def test_foreign_snapshot_similarities_get_frames(play: Any) -> None:
    seen: list[Any] = []

    def growth(snapshot: pl.DataFrame, reference_snapshot: pl.DataFrame | None = None, **others: Any) -> float:
        seen.append(others.keys())
        assert reference_snapshot is not None
        snapshot.insert_column(0, pl.Series("x", [0] * len(snapshot)))
        return float(len(snapshot) > len(reference_snapshot))

    play.user("hi")
    play.contacts(*play.context.get_table(CONTACT).dicts(), {"person_id": "p3"})
    grown = play.agent("ok")
    for _ in range(2):
        assert match(play.context, Milestone([SnapshotConstraint(CONTACT, growth, -1)])) == [(0, (grown, 1))]
    assert seen[0] == {"target_dataframe", "column_similarities"}


def test_foreign_column_similarities_get_frames(play: Any) -> None:
    def longest(dataframe: pl.DataFrame, column_name: str, value: Any, **_: Any) -> pl.DataFrame:
        return dataframe.select((pl.col(column_name).str.len_chars() / value).alias("similarity"))

    play.user("hi")
    answered = play.agent("1234")
    target = pl.DataFrame({"content": [8]})
    constraint = SnapshotConstraint(SANDBOX, snapshot_similarity, None, target, {"content": longest})
    assert match(play.context, Milestone([constraint])) == [(0, (answered, 0.5))]


@attrs.frozen
class LongEnough:
    reads_trajectory = True
    length: int

    def __call__(self, context: ExecutionContext, index: int) -> float:
        return float(len(context.get_table(SANDBOX, index).column("content")[-1]) >= self.length)


def test_constraints_that_read_the_trajectory(play: Any) -> None:
    play.user("hi")
    play.agent("123")
    answered = play.agent("1234")
    constraint = SnapshotConstraint(SANDBOX, LongEnough(4))
    assert match(play.context, Milestone([constraint])) == [(0, (answered, 1))]
    assert CachedSimilarityCalculator(play.context, Milestone([constraint])).calculate_similarity(answered, {}) == 1


# Single similarities -------------------------------------------------------------------------


def test_similarity_at_an_index(play: Any, says: Says) -> None:
    start = play.user("hi")
    play.contacts()
    answered = play.agent("hello there my friend")
    guard = SnapshotConstraint(CONTACT, guardrail_similarity, 0)
    calculator = CachedSimilarityCalculator(play.context, Milestone([says("hello there"), guard]))
    assert calculator.calculate_similarity(answered, {0: answered}) == pytest.approx((2 / 3) ** (1 / 3))
    assert calculator.calculate_similarity(answered, {0: (start, 1.0)}) == 0
    with pytest.raises(KeyError):
        calculator.calculate_similarity(answered, {1: start})


def test_similarity_against_the_initial_state(play: Any) -> None:
    play.user("hi")
    play.contacts(play.context.get_table(CONTACT).dicts()[0])
    removed = play.agent("ok")
    gone = SnapshotConstraint(CONTACT, removal_similarity, -1, pl.DataFrame({"name": ["Bob"]}))
    assert CachedSimilarityCalculator(play.context, Milestone([gone])).calculate_similarity(removed, {}) == 1


@pytest.mark.parametrize(("reference_holds", "expected"), [(True, 1), (False, 0)])
def test_without_a_scoring_constraint_the_guardrails_decide(play: Any, reference_holds: bool, expected: int) -> None:
    start = play.user("hi")
    play.contacts()
    after = play.agent("ok")
    guard = SnapshotConstraint(CONTACT, guardrail_similarity, 0)
    calculator = CachedSimilarityCalculator(play.context, Milestone([guard]))
    assert calculator.calculate_similarity(after, {0: after if reference_holds else start}) == expected
    assert CachedSimilarityCalculator(play.context, Milestone([])).calculate_similarity(after, {}) == 1


def test_the_calculator_agrees_with_the_matcher(play: Any, says: Says, has_setting: HasSetting) -> None:
    play.user("hi")
    play.setting(wifi=False)
    play.tool("set_wifi_status", on=False)
    play.agent("the wifi is off now")
    matcher = MilestoneMatcher([Milestone([has_setting(wifi=False)]), Milestone([says("wifi is now off")])])
    mapping, _ = matcher.compute_mapping_and_similarity(play.context)
    for node, (index, similarity) in mapping.items():
        calculator = CachedSimilarityCalculator(play.context, matcher.milestones[node])
        assert calculator.calculate_similarity(index, mapping) == pytest.approx(similarity)
