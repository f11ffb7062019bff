"""Extractors: what a later milestone needs from a tool trace.

An extractor takes one decoded trace (``tool_name``, ``arguments``, ``result``) and returns alternative values,
each a dictionary for `tool_trace_dependant_similarity`. One that raises ``KeyError``, ``IndexError``,
``TypeError`` or ``ValueError`` has found nothing.
"""

from typing import Any, Protocol

Trace = dict[str, Any]
Values = list[dict[str, Any]]


class ToolTraceExtractorType(Protocol):
    """Shape of an extractor."""

    def __call__(self, tool_trace: Trace) -> Values:
        """Reads alternative values from a trace."""
        ...


def default_value_normalization(value: Any) -> list[str]:
    """Writes a value in the forms in which a message may show it."""
    if isinstance(value, float):
        return [f"{value:.{decimals}f}" for decimals in range(4)]
    return [str(value)]


def search_weather_around_lat_lon_temperature_extractor(tool_trace: Trace) -> Values:
    """``temperature``: the current temperature of a weather report, in all forms; nothing when it has none."""
    try:
        temperature = float(tool_trace["result"]["current_temperature"])
    except (KeyError, TypeError):
        return []
    return [{"temperature": text} for text in default_value_normalization(temperature)]


def result_to_temperature_extractor(tool_trace: Trace) -> Values:
    """``temperature``: the result as a number, in all forms."""
    return [{"temperature": text} for text in default_value_normalization(float(tool_trace["result"]))]


def min_temperature_extractor(tool_trace: Trace) -> Values:
    """``min_temperature``: the result as a number, in all forms."""
    return [{"min_temperature": text} for text in default_value_normalization(float(tool_trace["result"]))]


def result_to_timestamp0_extractor(tool_trace: Trace) -> Values:
    """``timestamp_0``: the result as a number."""
    return [{"timestamp_0": float(tool_trace["result"])}]


def result_to_timestamp1_extractor(tool_trace: Trace) -> Values:
    """``timestamp_1``: the result as a number."""
    return [{"timestamp_1": float(tool_trace["result"])}]


def result_to_reminder_timestamp_lowerbound_extractor(tool_trace: Trace) -> Values:
    """``reminder_timestamp_lowerbound``: the result as a number."""
    return [{"reminder_timestamp_lowerbound": float(tool_trace["result"])}]


def days_extractor(tool_trace: Trace) -> Values:
    """``days``: the whole days of a time difference."""
    return [{"days": int(tool_trace["result"]["days"])}]


def lat_lon_dict_extractor(tool_trace: Trace) -> Values:
    """``latitude`` and ``longitude`` of a result that has both."""
    result = tool_trace["result"]
    return [{"latitude": result["latitude"], "longitude": result["longitude"]}]


def current_temperature_extractor(tool_trace: Trace) -> Values:
    """``amount``: the current temperature of a weather report."""
    return [{"amount": float(tool_trace["result"]["current_temperature"])}]


def min_temperature_amount_extractor(tool_trace: Trace) -> Values:
    """``amount``: the lowest temperature of a weather report."""
    return [{"amount": float(tool_trace["result"]["min_temperature"])}]
