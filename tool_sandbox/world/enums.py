"""String enums whose value is the member name, upper case kept."""

import enum


class UpperStrEnum(enum.StrEnum):
    """A string enum in which ``auto()`` yields the member name unchanged.

    ``enum.StrEnum`` lower-cases ``auto()`` values; stored trajectories and the published API use the
    upper-case names.
    """

    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[str]) -> str:
        return name


class ToolBackend(UpperStrEnum):
    """Provider of a tool, for tools that exist in several versions."""

    DEFAULT = "DEFAULT"
