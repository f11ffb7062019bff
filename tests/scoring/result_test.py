"""Evaluation: both profiles side by side, minefields, weights, gates, purity, turns."""

import copy
import json
import pickle
import random
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.scoring import (
    Evaluation,
    EvaluationResult,
    Milestone,
    MilestoneMatcher,
    Minefield,
    SnapshotConstraint,
    Updated,
    column_contains_similarity,
    get_effective_turn_count,
    snapshot_similarity,
)
from tool_sandbox.world.profile import Profile

SANDBOX, SETTING, CONTACT, MESSAGING, REMINDER = DatabaseNamespace

Says = Callable[[str], SnapshotConstraint]
HasSetting = Callable[..., SnapshotConstraint]

ANSWER = "Your cellular service is off."


def evaluate(context: ExecutionContext, *milestones: Milestone, profile: Profile, **options: Any) -> EvaluationResult:
    edges = options.pop("edges", None)
    evaluation = Evaluation(MilestoneMatcher(list(milestones), edges), profile=profile, **options)
    return evaluation.evaluate(context, max_turn_count=30)


# Published and strict --------------------------------------------------------------------------


@pytest.mark.parametrize(("deletion", "strict"), [("never", 1.0), ("before", 0.5), ("between", 0.5), ("after", 0.5)])
def test_damage_that_the_published_rules_overlook(
    play: Any, says: Says, has_setting: HasSetting, deletion: str, strict: float
) -> None:
    """An unrelated contact is deleted before, between or after the milestones of an otherwise ideal trajectory."""

    def maybe_delete(moment: str) -> None:
        if deletion == moment:
            play.contacts(play.context.get_table(CONTACT).dicts()[0])
            play.tool("remove_contact", person_id="p2")

    play.user("Turn off cellular.")
    maybe_delete("before")
    play.setting(cellular=False)
    play.tool("set_cellular_service_status", on=False)
    maybe_delete("between")
    play.agent(ANSWER)
    maybe_delete("after")
    milestones = [Milestone([has_setting(cellular=False)]), Milestone([says(ANSWER)])]
    assert evaluate(play.context, *milestones, profile=Profile.PUBLISHED).similarity == 1.0
    assert evaluate(play.context, *milestones, profile=Profile.STRICT).similarity == strict
    allowed = [Updated(SETTING, {}, {"cellular": False})]
    result = evaluate(play.context, *milestones, profile=Profile.STRICT, allowed_changes=allowed)
    assert result.milestone_similarity == 1.0
    assert result.similarity == (1.0 if deletion == "never" else 0)
    assert [(effect.namespace, effect.kind, effect.key) for effect in result.side_effects] == (
        [] if deletion == "never" else [(CONTACT, "removed", "p2")]
    )


def test_an_unmet_milestone_cannot_hide_damage(play: Any, says: Says, has_setting: HasSetting) -> None:
    """A call was wanted, a setting was changed instead: the published mapping moves the call behind the change."""
    start = play.user("Is cellular on?")
    play.setting(wifi=False)
    changed = play.tool("set_wifi_status", on=False)
    answered = play.agent("It is on.")
    golden = json.dumps({"tool_name": "get_cellular_service_status", "arguments": {}})
    call = SnapshotConstraint(SANDBOX, snapshot_similarity, target_dataframe=pl.DataFrame({"tool_trace": golden}))
    milestones = [Milestone([call]), Milestone([says("It is on.")])]
    published = evaluate(play.context, *milestones, profile=Profile.PUBLISHED)
    assert published.milestone_mapping == {0: (changed, 0), 1: (answered, 1)}
    strict = evaluate(play.context, *milestones, profile=Profile.STRICT)
    assert strict.milestone_mapping[0] == (start, 0)
    assert strict.similarity == 0


def test_a_state_is_anchored_where_it_is_first_met(play: Any, has_setting: HasSetting, says: Says) -> None:
    play.user("hi")
    play.setting(wifi=False)
    met = play.tool("set_wifi_status", on=False)
    answered = play.agent("done")
    result = evaluate(
        play.context, Milestone([has_setting(wifi=False)]), Milestone([says("done")]), profile=Profile.STRICT
    )
    assert result.milestone_mapping == {0: (met, 1), 1: (answered, 1)}


def test_the_order_of_rows_does_not_matter_in_strict(play: Any, says: Says) -> None:
    play.user("hi")
    play.agent("one")
    play.contacts(*reversed(play.context.get_table(CONTACT).dicts()))
    play.agent("two")
    milestones = [Milestone([says("one")]), Milestone([says("two")])]
    assert evaluate(play.context, *milestones, profile=Profile.PUBLISHED).similarity == 0.5
    assert evaluate(play.context, *milestones, profile=Profile.STRICT).similarity == 1


def test_what_parallel_milestones_change_is_not_damage(play: Any, says: Says, has_setting: HasSetting) -> None:
    play.user("hi")
    play.setting(wifi=False)
    play.tool("set_wifi_status", on=False)
    play.contacts(*play.context.get_table(CONTACT).dicts()[:1])
    play.tool("remove_contact")
    play.agent("done")
    removed = SnapshotConstraint(CONTACT, snapshot_similarity, target_dataframe=pl.DataFrame({"name": ["Ann"]}))
    milestones = [Milestone([has_setting(wifi=False)]), Milestone([removed])]
    assert evaluate(play.context, *milestones, profile=Profile.STRICT, edges=[]).similarity == 1


# Weights and gates -----------------------------------------------------------------------------


def test_weights_count_in_strict_alone(play: Any, says: Says) -> None:
    play.user("hi")
    play.agent("one")
    milestones = [Milestone([says("one")], weight=3), Milestone([says("zzz")], weight=1)]
    assert evaluate(play.context, *milestones, profile=Profile.STRICT).similarity == 0.75
    assert evaluate(play.context, *milestones, profile=Profile.PUBLISHED).similarity == 0.5


@pytest.mark.parametrize(("spoken", "expected"), [(["gate", "goal"], 1), (["goal"], 0), (["goal", "gate"], 0)])
def test_a_gate_carries_no_points_and_must_be_passed(play: Any, says: Says, spoken: list[str], expected: int) -> None:
    play.user("hi")
    for text in spoken:
        play.agent(text)
    milestones = [Milestone([says("gate")], weight=0), Milestone([says("goal")])]
    result = evaluate(play.context, *milestones, profile=Profile.STRICT)
    assert (result.similarity, result.success) == (expected, expected == 1)


def test_gates_behind_gates(play: Any, says: Says) -> None:
    play.user("hi")
    play.agent("second")
    play.agent("goal")
    gates = [Milestone([says(text)], weight=0) for text in ("first", "second")]
    assert evaluate(play.context, *gates, Milestone([says("goal")]), profile=Profile.STRICT).similarity == 0


def test_odd_weights_add_up_to_exactly_one(play: Any, says: Says) -> None:
    play.user("hi")
    play.agent("one")
    milestones = [Milestone([says("one")], weight=weight) for weight in (0.7 / 3, 0.7 / 3, 0.7 / 3, 0.1, 0.2)]
    result = evaluate(play.context, *milestones, profile=Profile.STRICT)
    assert result.similarity == 1
    assert result.success


# Minefields ------------------------------------------------------------------------------------


def mine(text: str) -> Minefield:
    target = pl.DataFrame({"sender": RoleType.AGENT, "content": text})
    measures = {"content": column_contains_similarity}
    return Minefield([SnapshotConstraint(SANDBOX, snapshot_similarity, None, target, measures)])


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize(("text", "expected"), [("boom", 0), ("quiet", 1)])
def test_a_minefield_takes_everything(play: Any, profile: Profile, text: str, expected: float) -> None:
    play.user("hi")
    play.agent(text)
    evaluation = Evaluation(minefield_matcher=MilestoneMatcher([mine("boom")]), profile=profile)
    result = evaluation.evaluate(play.context, max_turn_count=30)
    assert result.milestone_similarity == 1
    assert result.minefield_similarity == 1 - expected
    assert result.similarity == expected


@pytest.mark.parametrize(("profile", "expected"), [(Profile.PUBLISHED, 0), (Profile.STRICT, 1)])
def test_a_faint_resemblance_to_a_minefield(play: Any, says: Says, profile: Profile, expected: float) -> None:
    play.user("hi")
    play.agent("a word of many others")
    minefields = MilestoneMatcher([Minefield([says("one word")])])
    result = Evaluation(minefield_matcher=minefields, profile=profile).evaluate(play.context, max_turn_count=30)
    assert 0 < result.minefield_similarity < 1
    assert result.similarity == expected


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize(
    ("edges", "spoken", "expected"),
    [
        ([(0, 1)], ["tick"], 1),
        ([(0, 1)], ["tick", "boom"], 0),
        ([(0, 1)], ["boom", "tick"], 1),
        ([], ["tick"], 0),
        ([], ["quiet"], 1),
    ],
)
def test_a_sequence_of_nodes_is_one_minefield_and_separate_nodes_are_several(
    play: Any, profile: Profile, edges: list[tuple[int, int]], spoken: list[str], expected: float
) -> None:
    play.user("hi")
    for text in spoken:
        play.agent(text)
    matcher = MilestoneMatcher([mine("tick"), mine("boom")], edges)
    result = Evaluation(minefield_matcher=matcher, profile=profile).evaluate(play.context, max_turn_count=30)
    assert result.similarity == expected


@pytest.mark.parametrize(
    ("milestone", "minefield", "expected"), [(0.7, 0, 0.7), (0.7, 1e-9, 0), (1, 0.0, 1), (0, 0, 0)]
)
def test_a_result_combines_its_parts(milestone: float, minefield: float, expected: float) -> None:
    result = EvaluationResult(milestone_similarity=milestone, minefield_similarity=minefield)
    assert result.similarity == expected
    assert result.success is (expected == 1)
    assert result.profile is Profile.PUBLISHED
    assert result.milestone_mapping == {}


# Turns -------------------------------------------------------------------------------------------


def test_turns() -> None:
    context = ExecutionContext()
    everyone = list(RoleType)
    for sender, recipient, visible_to in [
        (RoleType.SYSTEM, RoleType.AGENT, everyone),
        (RoleType.USER, RoleType.AGENT, [RoleType.USER]),
        (RoleType.USER, RoleType.AGENT, None),
        (RoleType.AGENT, RoleType.USER, [RoleType.USER, RoleType.AGENT]),
        (RoleType.AGENT, RoleType.EXECUTION_ENVIRONMENT, [RoleType.AGENT]),
        (RoleType.EXECUTION_ENVIRONMENT, RoleType.AGENT, everyone),
        (RoleType.USER, RoleType.EXECUTION_ENVIRONMENT, everyone),
        (RoleType.EXECUTION_ENVIRONMENT, RoleType.USER, everyone),
    ]:
        row = {"sender": sender, "recipient": recipient, "content": "x", "visible_to": visible_to}
        context.add_to_database(SANDBOX, [row])
    assert get_effective_turn_count(context.get_database(SANDBOX, get_all_history_snapshots=True)) == 3
    result = Evaluation().evaluate(context, max_turn_count=30)
    assert (result.turn_count, result.total_turn_count) == (3, 4)


# Laws --------------------------------------------------------------------------------------------


def random_trajectory(play: Any, seed: int) -> ExecutionContext:
    draw = random.Random(seed)
    play.user("Turn off cellular and tell me.")
    for _ in range(draw.randint(1, 8)):
        match draw.randrange(4):
            case 0:
                play.setting(cellular=draw.random() < 0.5, wifi=draw.random() < 0.8)
                play.tool("set_cellular_service_status", on=False)
            case 1:
                play.contacts(*play.context.get_table(CONTACT).dicts()[: draw.randrange(3)])
                play.tool("remove_contact")
            case 2:
                play.agent(" ".join(draw.choices(ANSWER.split(), k=4)))
            case _:
                play.user("And?")
    context: ExecutionContext = play.context
    return context


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("allowed", [None, [Updated(SETTING, {}, {"cellular": False})]])
@pytest.mark.parametrize("seed", range(25))
def test_evaluation_is_pure(
    play: Any, says: Says, has_setting: HasSetting, profile: Profile, allowed: Any, seed: int
) -> None:
    context = random_trajectory(play, seed)
    milestones = [Milestone([has_setting(cellular=False)]), Milestone([says(ANSWER)], weight=2)]
    evaluation = Evaluation(
        MilestoneMatcher(milestones), MilestoneMatcher([mine("boom")]), profile=profile, allowed_changes=allowed
    )
    before = context.to_dict(serialize_console=False)
    first = evaluation.evaluate(context, max_turn_count=30)
    assert context.to_dict(serialize_console=False) == before
    stored = ExecutionContext.from_dict(json.loads(json.dumps(before)))
    for other in (evaluation, copy.deepcopy(evaluation), pickle.loads(pickle.dumps(evaluation))):
        assert other.evaluate(stored, max_turn_count=5) == first
