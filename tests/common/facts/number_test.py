"""What answers say about figures."""

import pytest

from tool_sandbox.common.errors import ScenarioError
from tool_sandbox.common.facts import AnyNumber, Fact, Number, Reading

STATED, CONTRADICTED, SILENT = Reading.STATED, Reading.CONTRADICTED, Reading.SILENT

WARM = Number(72, "fahrenheit")
MILD = Number(20.1, "celsius")
COLD = Number(-5, "celsius")
LOW = Number(55.4, "fahrenheit", about=("low", "minimum", "lowest", "at night"))
YUAN = Number(14800, "CNY", context=2048)
EUROS = Number(18.37, "EUR")
PRICE = Number(227.52, "USD", about=("apple", "aapl"))
DAYS = Number(38, "day")
KILOMETRES = Number(12.34, "km", relative=0.01)
MILES = Number(7.67, "mile", tolerance=0.05, in_unit=True)
KNOTS = Number(14.6, "knot", tolerance=0.1)
CONTACTS = Number(3, "contact")
STAMP = Number(1795669200)
PERCENT = Number(63, "percent")
HEIGHT = Number(180.34, "cm", tolerance=1)
FLOUR = Number(250, "g", tolerance=1)
MILK = Number(0.47, "litre", tolerance=0.005)
ANY_TEMPERATURE = AnyNumber("celsius")

CORPUS = [
    (
        WARM,
        STATED,
        [
            "It's 72°F.",
            "72",
            "72°",
            "72 °F",
            "It's currently 72 degrees Fahrenheit in Cupertino.",
            "The current temperature is **72°F** ☀️",
            "It is 72 degrees outside right now.",
            "The temperature is 22.2 °C (72 °F).",
            "It's 22.2°C, which is about 72°F.",
            "Right now it's seventy-two degrees.",
            "It's 72.0°F at the moment, with a high of 80°F and a low of 61°F expected later today.",
            "Current conditions in Oslo:\n- Temperature: 72°F\n- Feels like: 74°F\n- Humidity: 63%\n- Wind: 8 mph",
            "| Metric | Value |\n|---|---|\n| Temperature | 72 °F |\n| Feels like | 70 °F |",
            "It's 72F out there.",
            "About 72 °F.",
            "~72°F",
            "The temperature comes out to \\(72^\\circ\\text{F}\\).",
            "That's 72ºF.",
            "I couldn't get the forecast, but it's currently 72°F.",
            "It's not raining and it's 72°F.",
            "It's 72°F. Would you like the forecast for tomorrow?",
            "As of 5:30 PM on December 25, 2026, it is 72°F.",
            "Since location services were off, I turned them on. It's 72 degrees where you are.",
            "It isn't 80, it's 72°F.",
            "It's 80°F — sorry, I misread that: it's 72°F.",
            "If you're heading out, dress lightly: it's 72°F.",
            "Temperature = 72 F",
            "The converted temperature is 72 Fahrenheit.",
            "22.2°C = 72°F",
            "No, it's 72°F.",
            "1. Temperature: 72°F\n2. Humidity: 40%",
        ],
    ),
    (
        WARM,
        CONTRADICTED,
        [
            "It's 80°F.",
            "It is 72 °F, or rather 80.",
            "72 or 80",
            "It's 72°F or 80°F.",
            "It's not 72°F.",
            "It isn't 72 degrees.",
            "72 °C",
            "The temperature is 72 degrees Celsius.",
            "It's 27°F.",
            "It's 72°F. Sorry, that was wrong.",
            "It's 72°F. Actually, it's 80°F.",
            "-72°F",
            "It's eighty degrees.",
            "The temperature is 72°F. The temperature is 80°F.",
            "It's between 70 and 80°F.",
            "68-75°F",
        ],
    ),
    (
        WARM,
        SILENT,
        [
            "",
            "Ok",
            "Hello!",
            "I'm sorry, I can't help with that.",
            "Is it 72°F?",
            "I think it's 72°F.",
            "Maybe 72 degrees.",
            "It might be 72°F.",
            "If it were 72°F, I'd go outside.",
            "Humidity is 72%.",
            "The wind blows at 72 mph.",
            "It's 72 km away.",
            "You have 72 contacts.",
            "It's 7:20.",
            "Your reminder is due on 7/2/2026.",
            "Call +1 72 555 0100 for the weather.",
            "Would you like it in °F?",
            "I found 3 places nearby.",
            "The weather is nice.",
        ],
    ),
    (
        MILD,
        STATED,
        [
            "It's 20.1°C.",
            "It's 20 °C.",
            "The temperature is 20.1 degrees Celsius.",
            "It is about 20 degrees.",
            "It's 20.1 °C (68.2 °F).",
            "It's 20.1 °C (about 68 °F).",
            "68.18°F",
            "293.25 K",
            "The current temperature is 20.10 C.",
        ],
    ),
    (MILD, CONTRADICTED, ["It's 21°C.", "It's 20.2 °C.", "It's 20.1 °F.", "It's 19.9 °C.", "It's 20.1 °C (75 °F)."]),
    (
        COLD,
        STATED,
        ["It's -5°C.", "It's −5 °C.", "It's minus 5 degrees.", "It's minus five.", "Temperature: -5.0°C", "23 °F"],
    ),
    (COLD, CONTRADICTED, ["It's 5°C.", "It's 5 degrees Celsius.", "-6°C"]),
    (
        LOW,
        STATED,
        [
            "The low tomorrow is 55.4°F.",
            "Tomorrow's low will be 55°F and the high 71°F.",
            "Tomorrow: high of 71.2°F, low of 55.4°F.",
            "- High: 71°F\n- Low: 55°F",
            "55.4°F",
            "The minimum temperature is 13 °C, i.e. 55.4 °F.",
            "Expect 55.4°F at night and 71°F during the day.",
            "It'll get down to 55.4 degrees Fahrenheit.",
            "The lowest temperature will be 55.4°F; the average is 63°F.",
        ],
    ),
    (
        LOW,
        CONTRADICTED,
        ["The low is 60°F.", "The low will be 71°F and the high 55°F.", "The minimum is not 55.4°F.", "It's 60°F."],
    ),
    (LOW, SILENT, ["The high is 71°F.", "", "Is the low 55.4°F?"]),
    (
        YUAN,
        STATED,
        [
            "2048 USD is 14,800 CNY.",
            "$2,048 is 14800 yuan.",
            "$2,048 = ¥14,800.00",
            "2,048 US dollars is equal to 14,800 Chinese Yuan (CNY).",
            "That's CNY 14,800.",
            "You'd get 14,800 RMB.",
            "It comes to 14.8k yuan.",
            "14,800",
            "$2048 USD converts to approximately **¥14,800 CNY** at the current rate of 7.2266.",
            "Your 2048 dollars are worth fourteen thousand eight hundred yuan.",
            "The converted amount is 14800.0 CNY.",
            "At a rate of 1 USD = 7.2266 CNY, $2,048 is about 14,800 CNY.",
            "2k dollars? No: 2,048 dollars is 14,800 yuan.",
        ],
    ),
    (
        YUAN,
        CONTRADICTED,
        [
            "2048 USD is 14,900 CNY.",
            "That's 15k yuan.",
            "1,480 CNY",
            "It's 14,800 CNY or 15,200 CNY.",
            "It is not 14,800 CNY.",
        ],
    ),
    (
        YUAN,
        SILENT,
        ["2048 USD is 14,800 EUR.", "I can convert 2048 USD to CNY.", "How many yuan?", "", "Perhaps 14,800 CNY."],
    ),
    (
        EUROS,
        STATED,
        ["€18.37", "18.37 EUR", "It's 18.37 euros.", "It costs 18.37 €.", "That's EUR 18.37.", "about 18 euros"],
    ),
    (EUROS, CONTRADICTED, ["€18.73", "19 euros", "€183.70"]),
    (EUROS, SILENT, ["$18.37", "18.37 km"]),
    (
        PRICE,
        STATED,
        [
            "Apple (AAPL) is trading at $227.52.",
            "AAPL: $227.52, up 1.3% (+$2.92) today",
            "Apple's stock price is 227.52 USD, with a previous close of $224.60.",
            "Apple is at $227.52; Microsoft is at $415.10.",
            "$227.52 per share",
            "227.52 dollars.",
        ],
    ),
    (PRICE, CONTRADICTED, ["Apple is trading at $272.52.", "AAPL: $415.10"]),
    (PRICE, SILENT, ["Microsoft is at $415.10.", "Apple rose by 2%."]),
    (
        DAYS,
        STATED,
        [
            "There are 38 days until Christmas.",
            "38 days.",
            "38",
            "Thirty-eight days to go! 🎄",
            "Christmas is 38 days away (December 25, 2026).",
            "It's 5 weeks and 3 days until Christmas.",
            "38 days and 4 hours.",
            "There are 38 days (about 5 weeks) left until Thanksgiving.",
            "From today, November 17, to December 25 it's 38 days.",
            "There are exactly **38 days** left.",
            "You have 38 full days until then.",
            "In 38 days.",
            "It's 38 days, 5 hours and 12 minutes from now.",
            "Days until Christmas: 38",
            "912 hours",
        ],
    ),
    (
        DAYS,
        CONTRADICTED,
        [
            "37 days.",
            "There are 39 days until Christmas.",
            "-38 days",
            "38 or 39 days",
            "5 weeks",
            "It's 38 hours away.",
        ],
    ),
    (DAYS, SILENT, ["Christmas is on December 25.", "38 km", "In a few days.", "How many days?", "Probably 38 days."]),
    (
        KILOMETRES,
        STATED,
        [
            "It's 12.34 km away.",
            "You're about 12.3 kilometers from the Golden Gate Bridge.",
            "The distance is approximately 12.4 km (7.7 miles).",
            "7.67 miles",
            "12,340 meters",
            "12.34",
            "Roughly 12.3km as the crow flies.",
            "You are 12.34 kilometres away. It's a 20-minute drive on US 101.",
        ],
    ),
    (KILOMETRES, CONTRADICTED, ["12 km", "12.34 miles", "13 km", "1.234 km"]),
    (MILES, STATED, ["7.67 miles", "12.34 km, or 7.67 mi", "7.7 miles", "7.67"]),
    (MILES, CONTRADICTED, ["12.34 miles", "12.34 km"]),
    (
        KNOTS,
        STATED,
        ["14.6 knots", "The wind is blowing at 14.6 kn (27 km/h).", "27.04 km/h", "Wind: 14.6 kts from the northwest"],
    ),
    (KNOTS, CONTRADICTED, ["27 knots", "14.6 mph"]),
    (
        CONTACTS,
        STATED,
        [
            "You have 3 contacts.",
            "Three.",
            "There are three matching contacts.",
            "3",
            "I found 3 people named Tom.",
            "I found three of them.",
            "Contacts: 3",
        ],
    ),
    (CONTACTS, CONTRADICTED, ["You have 4 contacts.", "Two contacts.", "There are 2."]),
    (CONTACTS, SILENT, ["You have contacts.", "I sent 2 messages.", "How many contacts?"]),
    (
        STAMP,
        STATED,
        [
            "1795669200",
            "The timestamp is 1795669200.0.",
            "POSIX time: `1795669200`",
            "Thanksgiving 2026 is at timestamp 1,795,669,200.",
        ],
    ),
    (STAMP, CONTRADICTED, ["The timestamp is 1795669201."]),
    (STAMP, SILENT, ["Thanksgiving is on November 26, 2026.", ""]),
    (PERCENT, STATED, ["63%", "Humidity is 63 percent.", "Sixty-three per cent", "Humidity: 63 %, wind 12 km/h"]),
    (PERCENT, CONTRADICTED, ["65%"]),
    (
        HEIGHT,
        STATED,
        ["180 cm", "1.80 m", "5 ft 11 in", "5'11\" is 180.3 cm", "5 feet 11 inches", "5'11\"", "71 inches"],
    ),
    (HEIGHT, CONTRADICTED, ["170 cm", "5'10\" is 177.8 cm"]),
    (FLOUR, STATED, ["250 g", "250 grams of flour", "8.8 oz (250 g)", "0.25 kg"]),
    (MILK, STATED, ["0.47 l", "470 ml of milk", "0.47 liters"]),
    (MILK, CONTRADICTED, ["0.5 l", "1 cup"]),
    (ANY_TEMPERATURE, STATED, ["It will be 20 °C.", "68 degrees", "It's 68F."]),
    (
        ANY_TEMPERATURE,
        SILENT,
        ["I don't have a forecast for that date.", "It's 20 days away.", "The forecast covers 14 days."],
    ),
]


def test_reading(fact: Fact, expected: Reading, text: str) -> None:
    assert fact.read(text) is expected


@pytest.mark.parametrize(
    ("shown", "right"),
    [("7.46", True), ("7.5", True), ("7", False), ("7.4", False), ("8", False), ("7.460", True), ("7.462", False)],
)
def test_rounding_of_a_small_figure(shown: str, right: bool) -> None:
    assert (Number(7.46, "km").read(f"It's {shown} km.") is STATED) == right


@pytest.mark.parametrize(
    ("shown", "right"), [("293.15", True), ("293.2", True), ("293", False), ("293.05", True), ("293.3", False)]
)
def test_a_tolerance_replaces_rounding(shown: str, right: bool) -> None:
    assert (Number(293.15, "kelvin", tolerance=0.1).read(f"{shown} K") is STATED) == right


def test_a_tolerance_of_zero_is_exact() -> None:
    assert Number(14812.37, "CNY", tolerance=0).read("14,812 CNY") is CONTRADICTED
    assert Number(14812.37, "CNY", tolerance=0).read("14,812.37 CNY") is STATED
    assert Number(14812.37, "CNY").read("14,812 CNY") is STATED


def test_a_bad_unit_is_rejected() -> None:
    with pytest.raises(ScenarioError):
        Number(1, "°°")


def test_relative_tolerance_covers_a_round_figure() -> None:
    assert Number(14812.37, "CNY", relative=0.005).read("It's about 14,800 yuan.") is STATED
    assert Number(14812.37, "CNY", relative=0.005).read("It's about 14,900 yuan.") is CONTRADICTED
