"""What answers say about several things, each with its own value."""

import datetime

from tool_sandbox.common.facts import Fact, FromTrace, Number, Paired, Phone, Reading, Time
from tool_sandbox.common.facts._trace import bind

STATED, CONTRADICTED, SILENT = Reading.STATED, Reading.CONTRADICTED, Reading.SILENT

WEATHER = Paired((("Berlin", Number(12.3, "celsius")), ("Oslo", Number(4.5, "celsius"))))
PHONES = Paired(((("Ann", "sister"), Phone("+15550102345")), ("Tom", Phone("+15550106789"))))
HOURS = Paired((("dentist", Time(datetime.time(9, 30))), ("tailor", Time(datetime.time(16)))))

CORPUS = [
    (
        WEATHER,
        STATED,
        [
            "Berlin 12.3 C, Oslo 4.5 C.",
            "It is 12.3 °C in Berlin and 4.5 °C in Oslo.",
            "Berlin is warmer: 12.3 °C, compared with 4.5 °C in Oslo.",
            "Berlin and Oslo have 12.3 °C and 4.5 °C respectively.",
            "Oslo and Berlin have 4.5 °C and 12.3 °C respectively.",
            "- **Berlin**: 12.3 °C\n- **Oslo**: 4.5 °C",
            "| City | Temp |\n|---|---|\n| Berlin | 12.3 °C |\n| Oslo | 4.5 °C |",
            "12.3 °C (Berlin) vs 4.5 °C (Oslo)",
        ],
    ),
    (
        WEATHER,
        CONTRADICTED,
        [
            "Berlin 4.5 C, Oslo 12.3 C",
            "It is 4.5 °C in Berlin and 12.3 °C in Oslo.",
            "Berlin and Oslo have 4.5 °C and 12.3 °C respectively.",
            "Berlin and Oslo have 12.3 °C and 4.6 °C respectively.",
            "Berlin and Oslo have 12.3 °C and 4.5 °C respectively. Actually, that is not true.",
        ],
    ),
    (WEATHER, SILENT, ["", "Berlin 12.3 C.", "Berlin is warmer than Oslo."]),
    (PHONES, STATED, ["Your sister has (555) 010-2345; Tom: 555-010-6789."]),
    (PHONES, CONTRADICTED, ["Ann has (555) 010-6789; Tom: 555-010-2345."]),
    (HOURS, STATED, ["The dentist is at 9:30 a.m., the tailor at 4 p.m."]),
    (HOURS, CONTRADICTED, ["The dentist is at 4 p.m., the tailor at 9:30 a.m."]),
]


def test_reading(fact: Fact, expected: Reading, text: str) -> None:
    assert fact.read(text) is expected


def test_a_value_may_come_from_a_tool() -> None:
    class Nowhere(FromTrace):
        def resolve(self, context: object, index: int) -> float:
            return 12.3

    open_pair = Paired((("Berlin", Number(Nowhere("search_weather_around_lat_lon"), "celsius")),))
    assert bind(open_pair, None, 0).read("Berlin has 12.3 degrees.") is STATED  # type: ignore[arg-type]
