from typing import Any

import pytest

from tool_sandbox.scoring.published import tool_trace_extractors as extractors


def trace(result: Any) -> dict[str, Any]:
    return {"tool_name": "f", "arguments": {}, "result": result}


@pytest.mark.parametrize(
    ("value", "expected"),
    [(21.456, ["21", "21.5", "21.46", "21.456"]), (3, ["3"]), ("x", ["x"]), (None, ["None"])],
)
def test_forms_of_a_value(value: Any, expected: list[str]) -> None:
    assert extractors.default_value_normalization(value) == expected


@pytest.mark.parametrize(
    ("name", "result", "expected"),
    [
        ("result_to_temperature", 5, [{"temperature": form} for form in ("5", "5.0", "5.00", "5.000")]),
        ("min_temperature", "1.25", [{"min_temperature": form} for form in ("1", "1.2", "1.25", "1.250")]),
        ("result_to_timestamp0", 7, [{"timestamp_0": 7.0}]),
        ("result_to_timestamp1", 7, [{"timestamp_1": 7.0}]),
        ("result_to_reminder_timestamp_lowerbound", 7, [{"reminder_timestamp_lowerbound": 7.0}]),
        ("days", {"days": 3.9}, [{"days": 3}]),
        ("lat_lon_dict", {"latitude": 1, "longitude": 2, "x": 3}, [{"latitude": 1, "longitude": 2}]),
        ("current_temperature", {"current_temperature": 4}, [{"amount": 4.0}]),
        ("min_temperature_amount", {"min_temperature": 4}, [{"amount": 4.0}]),
        (
            "search_weather_around_lat_lon_temperature",
            {"current_temperature": 10},
            [{"temperature": form} for form in ("10", "10.0", "10.00", "10.000")],
        ),
        ("search_weather_around_lat_lon_temperature", {}, []),
        ("search_weather_around_lat_lon_temperature", None, []),
    ],
)
def test_what_is_extracted(name: str, result: Any, expected: list[dict[str, Any]]) -> None:
    assert getattr(extractors, f"{name}_extractor")(trace(result)) == expected


@pytest.mark.parametrize(
    ("name", "result", "error"),
    [
        ("result_to_temperature", None, TypeError),
        ("result_to_timestamp0", "x", ValueError),
        ("days", {}, KeyError),
        ("lat_lon_dict", [], TypeError),
        ("current_temperature", {"x": 1}, KeyError),
    ],
)
def test_what_cannot_be_extracted_is_reported(name: str, result: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        getattr(extractors, f"{name}_extractor")(trace(result))
