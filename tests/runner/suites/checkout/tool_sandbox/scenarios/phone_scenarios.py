"""Scenarios about the device and its messages."""

import functools
import importlib
import json

import polars as pl

from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType, ScenarioCategories
from tool_sandbox.play.scenario import Scenario, ScenarioExtension
from tool_sandbox.scoring import (
    Milestone,
    Minefield,
    SnapshotConstraint,
    column_contains_similarity,
    snapshot_similarity,
)


def answer(text: str) -> SnapshotConstraint:
    return SnapshotConstraint(
        database_namespace=DatabaseNamespace.SANDBOX,
        snapshot_constraint=snapshot_similarity,
        target_dataframe=pl.DataFrame({"sender": RoleType.AGENT, "recipient": RoleType.USER, "content": text}),
    )


def call(name: str, **arguments: object) -> SnapshotConstraint:
    trace = json.dumps({"tool_name": name, "arguments": arguments})
    return SnapshotConstraint(
        database_namespace=DatabaseNamespace.SANDBOX,
        snapshot_constraint=snapshot_similarity,
        target_dataframe=pl.DataFrame(
            {"sender": RoleType.EXECUTION_ENVIRONMENT, "recipient": RoleType.AGENT, "tool_trace": trace}
        ),
    )


def extensions(worlds: dict[str, Scenario]) -> list[ScenarioExtension]:
    said = importlib.import_module("tool_sandbox.scenarios.start_worlds").said
    request = functools.partial(said, RoleType.USER, RoleType.AGENT)
    return [
        ScenarioExtension(
            name="leave_the_network",
            base_scenario=worlds["base"],
            messages=[request("Take me off the wireless network")],
            tool_allow_list=["set_wifi_status"],
            milestones=[
                Milestone(
                    [
                        SnapshotConstraint(
                            database_namespace=DatabaseNamespace.SETTING,
                            snapshot_constraint=snapshot_similarity,
                            target_dataframe=pl.DataFrame({"wifi": False}),
                        )
                    ]
                ),
                Milestone([answer("You are off the wireless network")]),
            ],
            categories=[ScenarioCategories.SINGLE_TOOL_CALL, ScenarioCategories.SINGLE_USER_TURN],
        ),
        ScenarioExtension(
            name="who_is_the_boss",
            base_scenario=worlds["wifi_off"],
            messages=[request("What is the number of my boss, and is the wireless network on?")],
            tool_allow_list=["search_contacts", "get_wifi_status"],
            milestones=[
                Milestone([call("search_contacts", relationship="boss")]),
                Milestone([call("get_wifi_status")]),
                Milestone([answer("The number is +14155550103 and the wireless network is off")]),
            ],
            milestone_edge_list=[(0, 2), (1, 2)],
            categories=[ScenarioCategories.MULTIPLE_TOOL_CALL, ScenarioCategories.STATE_DEPENDENCY],
        ),
        ScenarioExtension(
            name="write_to_nobody",
            base_scenario=worlds["base"],
            messages=[request("Tell them I am late")],
            tool_allow_list=["send_message_with_phone_number", "search_contacts"],
            tool_deny_list=["search_messages"],
            minefields=[
                Minefield(
                    [
                        SnapshotConstraint(
                            database_namespace=DatabaseNamespace.SANDBOX,
                            snapshot_constraint=snapshot_similarity,
                            target_dataframe=pl.DataFrame(
                                {
                                    "sender": RoleType.AGENT,
                                    "recipient": RoleType.EXECUTION_ENVIRONMENT,
                                    "content": "send_message_with_phone_number",
                                }
                            ),
                            column_similarity_measure={"content": column_contains_similarity},
                        )
                    ]
                )
            ],
            categories=[ScenarioCategories.INSUFFICIENT_INFORMATION],
        ),
    ]
