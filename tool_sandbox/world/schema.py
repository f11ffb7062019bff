"""The databases of a world: namespaces, roles, scenario categories and column schemas."""

import uuid
from enum import auto
from typing import Literal

import polars as pl

from tool_sandbox.world.enums import UpperStrEnum
from tool_sandbox.world.table import Column, Row, TableSchema


class DatabaseNamespace(UpperStrEnum):
    """The databases of a world. ``SANDBOX`` is the message log, the others are world state."""

    SANDBOX = auto()
    SETTING = auto()
    CONTACT = auto()
    MESSAGING = auto()
    REMINDER = auto()


class RoleType(UpperStrEnum):
    """Who sends and receives messages."""

    SYSTEM = auto()
    USER = auto()
    AGENT = auto()
    EXECUTION_ENVIRONMENT = auto()


class ScenarioCategories(UpperStrEnum):
    """Tags of a scenario; results are averaged per tag."""

    SINGLE_TOOL_CALL = auto()
    MULTIPLE_TOOL_CALL = auto()
    SINGLE_USER_TURN = auto()
    MULTIPLE_USER_TURN = auto()
    STATE_DEPENDENCY = auto()
    CANONICALIZATION = auto()
    COREFERENCE = auto()
    DISAMBIGUATION = auto()
    INSUFFICIENT_INFORMATION = auto()
    NO_DISTRACTION_TOOLS = auto()
    THREE_DISTRACTION_TOOLS = auto()
    TEN_DISTRACTION_TOOLS = auto()
    ALL_TOOLS_AVAILABLE = auto()
    TOOL_NAME_SCRAMBLED = auto()
    TOOL_DESCRIPTION_SCRAMBLED = auto()
    ARG_DESCRIPTION_SCRAMBLED = auto()
    ARG_NAME_SCRAMBLED = auto()
    ARG_TYPE_SCRAMBLED = auto()
    LONG_CHAIN = auto()
    STATE_RESTORATION = auto()
    ERROR_RECOVERY = auto()
    CONDITIONAL = auto()
    BATCH_EDIT = auto()
    GOAL_CHANGE = auto()
    NEGATIVE_CONSTRAINT = auto()
    PRIVACY = auto()
    TIME_ARITHMETIC = auto()
    UNIT_CHAIN = auto()
    TOOL_DESCRIPTION_MISLEADING = auto()
    MEDIUM_WORLD = auto()
    LARGE_WORLD = auto()
    FLAKY_SERVICE = auto()
    SLOW_SERVICE = auto()
    HOSTILE_SERVICE = auto()


TOOL_AUGMENTATION_TYPE = Literal[
    ScenarioCategories.TOOL_NAME_SCRAMBLED,
    ScenarioCategories.TOOL_DESCRIPTION_SCRAMBLED,
    ScenarioCategories.ARG_DESCRIPTION_SCRAMBLED,
    ScenarioCategories.ARG_NAME_SCRAMBLED,
    ScenarioCategories.ARG_TYPE_SCRAMBLED,
    ScenarioCategories.TOOL_DESCRIPTION_MISLEADING,
]
"""The categories that change how tools are described to the agent."""

_ROLE_NAMES = [str(role) for role in RoleType]
_ROLE_DTYPE = pl.Enum(_ROLE_NAMES)


def _text(*names: str) -> list[Column]:
    return [Column(name, pl.String, str) for name in names]


def _number(*names: str) -> list[Column]:
    return [Column(name, pl.Float64, float) for name in names]


def _flag(*names: str) -> list[Column]:
    return [Column(name, pl.Boolean, bool) for name in names]


def _role(name: str, *, is_list: bool = False) -> Column:
    dtype = pl.List(_ROLE_DTYPE) if is_list else _ROLE_DTYPE
    return Column(name, dtype, str, is_list=is_list, categories=frozenset(_ROLE_NAMES))


SCHEMAS: dict[DatabaseNamespace, TableSchema] = {
    DatabaseNamespace.SANDBOX: TableSchema(
        [
            _role("sender"),
            _role("recipient"),
            *_text("content", "openai_tool_call_id", "openai_function_name"),
            *_flag("conversation_active"),
            *_text("tool_call_exception"),
            Column("tool_trace", pl.List(pl.String), str, is_list=True),
            _role("visible_to", is_list=True),
        ]
    ),
    DatabaseNamespace.SETTING: TableSchema(
        [
            *_text("device_id"),
            *_flag("cellular", "wifi", "location_service", "low_battery_mode"),
            *_number("latitude", "longitude"),
        ],
        key="device_id",
    ),
    DatabaseNamespace.CONTACT: TableSchema(
        [*_text("person_id", "name", "phone_number", "relationship"), *_flag("is_self")], key="person_id"
    ),
    DatabaseNamespace.MESSAGING: TableSchema(
        [
            *_text("message_id", "sender_person_id", "sender_phone_number"),
            *_text("recipient_person_id", "recipient_phone_number", "content"),
            *_number("creation_timestamp"),
        ],
        key="message_id",
    ),
    DatabaseNamespace.REMINDER: TableSchema(
        [
            *_text("reminder_id", "content"),
            *_number("creation_timestamp", "reminder_timestamp", "latitude", "longitude"),
        ],
        key="reminder_id",
    ),
}

DEFAULT_SETTINGS: Row = (
    str(uuid.uuid5(uuid.NAMESPACE_URL, "my_phone")),
    *(True, True, True, False),
    *(37.334606, -122.009102),
)

KEY_COLUMN: dict[DatabaseNamespace, str] = {
    namespace: schema.key for namespace, schema in SCHEMAS.items() if schema.key
}
"""Column that identifies a row, by world database."""
