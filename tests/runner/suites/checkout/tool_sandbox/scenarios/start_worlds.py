"""Worlds in which the scenarios start; every row reads the clock for itself."""

import copy
import datetime
from datetime import datetime as moment
from typing import Any

import polars as pl

from tool_sandbox import tools
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType
from tool_sandbox.conversation.tool_discovery import ToolBackend, get_all_tools
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.world.utils import deterministic_uuid

USER_INSTRUCTION = "You play a person with a phone. Ask for one thing, and stop when you have it."


def ago(**span: float) -> float:
    return (datetime.datetime.now() - datetime.timedelta(**span)).timestamp()


def said(sender: RoleType, recipient: RoleType, content: str, **more: Any) -> dict[str, Any]:
    return {"sender": sender, "recipient": recipient, "content": content, **more}


def start_worlds(backend: ToolBackend) -> dict[str, Scenario]:
    context = ExecutionContext(tool_allow_list=["end_conversation"], preferred_tool_backend=backend)
    context.add_to_database(
        DatabaseNamespace.CONTACT,
        [
            {
                "person_id": deterministic_uuid(name),
                "name": name,
                "phone_number": number,
                "relationship": relationship,
                "is_self": relationship == "self",
            }
            for name, number, relationship in (
                ("Ines Marbach", "+14155550101", "self"),
                ("Odo Quist", "+14155550102", "friend"),
                ("Petra Vanek", "+14155550103", "boss"),
            )
        ],
    )
    context.add_to_database(
        DatabaseNamespace.MESSAGING,
        [
            {
                "message_id": deterministic_uuid(content),
                "sender_phone_number": "+14155550103",
                "sender_person_id": deterministic_uuid("Petra Vanek"),
                "recipient_phone_number": "+14155550101",
                "recipient_person_id": deterministic_uuid("Ines Marbach"),
                "content": content,
                "creation_timestamp": ago(minutes=minutes),
            }
            for content, minutes in (("Is the draft ready?", 62), ("Please hurry", 1))
        ],
    )
    context.add_to_database(
        DatabaseNamespace.REMINDER,
        [
            {
                "reminder_id": deterministic_uuid(content),
                "content": content,
                "creation_timestamp": ago(days=3),
                "reminder_timestamp": (moment.now() + datetime.timedelta(minutes=minutes)).timestamp(),
            }
            for content, minutes in (("Return the ladder", -24 * 60), ("Fetch the bread", -1), ("Water the ferns", 60))
        ],
    )
    context.add_to_database(DatabaseNamespace.SANDBOX, start_messages(backend))
    offline = copy.deepcopy(context)
    device = offline.get_database(DatabaseNamespace.SETTING)
    offline.update_database(DatabaseNamespace.SETTING, device.with_columns(wifi=pl.lit(False)))
    return {"base": Scenario(starting_context=context), "wifi_off": Scenario(starting_context=offline)}


def start_messages(backend: ToolBackend) -> list[dict[str, Any]]:
    by_module: dict[str, list[str]] = {}
    for name, tool in get_all_tools(backend).items():
        by_module.setdefault(tool.__module__, []).append(name)
    assert tools.contact.__name__ in by_module
    imports = "\n".join(f"from {module} import {', '.join(names)}" for module, names in by_module.items())
    seen_by_user = {"visible_to": [RoleType.USER]}
    return [
        said(RoleType.SYSTEM, RoleType.EXECUTION_ENVIRONMENT, imports),
        said(RoleType.SYSTEM, RoleType.AGENT, "Never invent the value of an argument; ask."),
        said(RoleType.USER, RoleType.AGENT, "What time is it?", **seen_by_user),
        said(RoleType.AGENT, RoleType.USER, "Noon.", **seen_by_user),
        said(RoleType.SYSTEM, RoleType.USER, USER_INSTRUCTION),
    ]
