"""Scenarios about reminders, whose right answers depend on the time at which they are defined."""

import datetime
import functools
from datetime import timedelta

import polars as pl

from tool_sandbox.common.tool_trace_extractors import result_to_reminder_timestamp_lowerbound_extractor
from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType, ScenarioCategories
from tool_sandbox.play.scenario import Scenario, ScenarioExtension
from tool_sandbox.scoring import (
    Milestone,
    SnapshotConstraint,
    addition_similarity,
    column_close_similarity,
    column_tool_trace_exact_match_similarity,
    tool_trace_dependant_similarity,
)
from tool_sandbox.world.utils import get_tomorrow_datetime

from ..common.execution_context import get_current_context
from . import start_worlds
from .phone_scenarios import answer, call

LOADED_AT = datetime.datetime.now().timestamp()


def extensions(worlds: dict[str, Scenario]) -> list[ScenarioExtension]:
    tomorrow = get_tomorrow_datetime().replace(hour=17, minute=0, second=0, microsecond=0)
    assert tomorrow.date() == datetime.date.today() + timedelta(days=1)
    assert get_current_context().trace_tool is False
    request = functools.partial(start_worlds.said, RoleType.USER, RoleType.AGENT)
    return [
        ScenarioExtension(
            name="next_errand",
            base_scenario=worlds["base"],
            messages=[request("What do I have to do next?")],
            tool_allow_list=["search_reminder", "get_current_timestamp"],
            milestones=[
                Milestone([call("get_current_timestamp")]),
                Milestone(
                    [
                        SnapshotConstraint(
                            database_namespace=DatabaseNamespace.SANDBOX,
                            snapshot_constraint=functools.partial(
                                tool_trace_dependant_similarity,
                                fill_to="tool_trace",
                                extractor=result_to_reminder_timestamp_lowerbound_extractor,
                            ),
                            reference_milestone_node_index=0,
                            target_dataframe=call("search_reminder").target_dataframe,
                            column_similarity_measure={
                                "tool_trace": functools.partial(
                                    column_tool_trace_exact_match_similarity,
                                    atol_dict={"reminder_timestamp_lowerbound": 0.0},
                                )
                            },
                        )
                    ]
                ),
                Milestone([answer("Next you have to water the ferns")]),
            ],
            categories=[ScenarioCategories.MULTIPLE_TOOL_CALL, ScenarioCategories.CANONICALIZATION],
        ),
        ScenarioExtension(
            name="errand_of_tomorrow",
            base_scenario=worlds["base"],
            messages=[request("Remind me to sweep the yard tomorrow at five in the afternoon")],
            tool_allow_list=["add_reminder", "get_current_timestamp", "datetime_info_to_timestamp"],
            milestones=[
                Milestone(
                    [
                        SnapshotConstraint(
                            database_namespace=DatabaseNamespace.REMINDER,
                            snapshot_constraint=addition_similarity,
                            reference_milestone_node_index=-1,
                            target_dataframe=pl.DataFrame(
                                {
                                    "content": "sweep the yard",
                                    "creation_timestamp": datetime.datetime.now().timestamp(),
                                    "reminder_timestamp": tomorrow.timestamp(),
                                }
                            ),
                            column_similarity_measure={
                                "creation_timestamp": functools.partial(
                                    column_close_similarity, atol_dict={"creation_timestamp": 0.0}
                                )
                            },
                        )
                    ]
                ),
            ],
            categories=[ScenarioCategories.SINGLE_TOOL_CALL, ScenarioCategories.CANONICALIZATION],
        ),
    ]
