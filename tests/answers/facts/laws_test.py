"""Laws of the readers: defined for every text, linear, exact about values."""

import datetime
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tool_sandbox.answers.facts import (
    Absent,
    AnyNumber,
    AnyOf,
    AnyPhone,
    Boolean,
    Cannot,
    CannotReason,
    Date,
    DateTime,
    Done,
    Duration,
    Entity,
    Fact,
    Listing,
    NotDone,
    Number,
    Paired,
    Phone,
    PhonePart,
    Quote,
    Reading,
    Switch,
    Time,
    Weekday,
)

STATED = Reading.STATED
TODAY = datetime.date(2026, 12, 20)

FACTS: list[Fact] = [
    Switch("wifi", on=True, yes=True),
    Boolean("Tom", ("saved",), ("missing",), value=True),
    Number(72, "fahrenheit", about=("low",)),
    Number(14800, "CNY", context=2048),
    Number(38),
    Number(5.5, "m"),
    AnyNumber("celsius"),
    Date(datetime.date(2026, 12, 25), TODAY),
    DateTime(datetime.datetime(2026, 12, 25, 17), TODAY),
    Time(datetime.time(17)),
    Weekday("Friday"),
    Duration(7503),
    Phone("+15550102345"),
    AnyPhone(),
    PhonePart("+15550102345"),
    Entity("Tom Haake", instead_of=("Ann",)),
    Entity("One Apple Park Way, Cupertino, CA 95014, USA"),
    Quote("If you see this, buy chocolate milk"),
    Listing(("Tom", "Ann"), ordered=True, universe=("Bob",)),
    Absent(Phone("+15550102345")),
    AnyOf((Entity("Tom"), Cannot("NOT_FOUND", terms=("Tom",)))),
    Done("removed"),
    Done("sent", about=("message",)),
    NotDone(("sent", "added"), about=("message",), because=("rain",)),
    Paired((("Berlin", Number(12.3, "celsius")), ("Oslo", Number(4.5, "celsius")))),
    *(Cannot(reason, terms=("Bob",), task="sent") for reason in CannotReason),
]
_WORDS = """
wi-fi is off i've turned on it not couldn't if will maybe minus zero hundred thousand half past five pm friday tomorrow
tom haake or ann sent done! sorry, that was wrong no such contact don't have a tool
72 °F 68-75 $ € 14,800 cny 2k 17:00 dec 25, 2026 12/25 +1 555 010 2345 5 ft 11 in ½ 1e9
. ? ! , ; : -- ( ) " ' ** | - 1. <br> \\( \\) [a](b) ~~x~~ `x` & &amp;
"""
_FRAGMENTS = [*_WORDS.split(), " and a half", " an hour", " in 3 days", "\n"]
texts = st.one_of(
    st.text(alphabet=st.characters(), max_size=200),
    st.lists(st.sampled_from(_FRAGMENTS), max_size=60).map(" ".join),
    st.lists(st.one_of(st.sampled_from(_FRAGMENTS), st.text(max_size=5)), max_size=40).map("".join),
)


@given(texts)
@settings(max_examples=300, deadline=None)
def test_every_text_has_a_reading(text: str) -> None:
    for fact in FACTS:
        assert isinstance(fact.read(text), Reading)


_STRANGE = [
    "\ud800",
    "a\udfffb",
    "\x00",
    "\u202e",
    "½" * 50,
    "\ufdfa" * 50,
    "9" * 5000,
    "1e99",
    "1e-99 °F",
    "0" * 400 + ".5",
]


@pytest.mark.parametrize("text", _STRANGE)
def test_strange_characters_are_read(text: str) -> None:
    for fact in FACTS:
        assert isinstance(fact.read(text), Reading)


_REPEATED = [
    *("a", " ", "\n", ".", ",", "?", '"', "'", "(", "-", "*", "_", "|", "~", "<", "[", "\\", "&", "°", "$", "e"),
    *("1", "1,", "1 ", "+1 ", "1.", "1:00 ", "12/25 ", "72 ", "72 or ", "72 f ", "2h5m", "5 ft ", "low 72 "),
    *(
        "no ",
        "not ",
        "if ",
        "i ",
        "sent ",
        "done. ",
        "five ",
        "hundred ",
        "a hundred ",
        "half ",
        "in 3 ",
        "buy ",
        "tom ",
    ),
    *("wi-fi ", "wi-fi is on ", "turned ", "turned a ", "turned on ", "tom or ann ", "buy chocolate ", "there is no "),
    *("dec ", "may 5 ", "friday ", "friday, ", "i need ", "could you ", "don't have ", "the service ", "that was "),
    *("it is not true that ", "turned wifi off and on ", "i can't look up contacts ", "removed nothing, ", "you have "),
    *("one apple park way, ", "1 apple park way in ", "taken it ", "10:00:00 ", "can't delete, edit, "),
    *("tom is warmer than ann ", "warmer ", "on: wifi, ", "so is wifi ", "cellular is not, ", "at 5, tom ", "tom\n5\n"),
    *("it stays ", "sent to ann: ", "is off except ", "five thirty ", "5 dollars and 5 cents ", "- a\n", "> a\n"),
    *("a'b", " '", "' ", "x?", "a, ", "(a) ", "a: ", "½", "\U0001f600", "\u0301", "e\u0301", "\ufdfa"),
]


@pytest.mark.sampled(10)
@pytest.mark.parametrize("piece", _REPEATED, ids=range(len(_REPEATED)))
def test_long_texts_are_read(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    for fact in FACTS:
        assert isinstance(fact.read(text), Reading)


@pytest.mark.slow
def test_a_text_of_a_hundred_thousand_characters_is_read() -> None:
    text = ("Wi-Fi is on, 72 °F, Dec 25, 2026 at 5 PM, +1 555 010 2345, Tom or Ann? " * 1500)[:100_000]
    for fact in FACTS:
        assert isinstance(fact.read(text), Reading)


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: type(fact).__name__)
def test_facts_describe_themselves(fact: Fact) -> None:
    assert fact.describe().startswith(type(fact).__name__)
    assert json.loads(json.dumps(fact.to_dict()))["fact"] == type(fact).__name__
    assert hash(fact) == hash(fact)


FRAMES = [
    "{}",
    "It's {}.",
    "The answer is **{}**.",
    "- Result: {}",
    "Sure! It is {} right now.",
    "I couldn't do the other thing, but it's {}.",
    "It is {}. Anything else?",
    "`{}` ✅",
]
frames = st.sampled_from(FRAMES)


def _number_forms(value: float, unit: str) -> list[str]:
    return [f"{value:g} {unit}", f"{value:,.2f} {unit}", f"{value:.2f} {unit}", f"about {value:,.2f} {unit}"]


@given(st.integers(1, 99_999_99), frames, st.sampled_from(["km", "CNY", "kg", "mph"]), st.integers(1, 3))
def test_a_number_is_stated_and_its_neighbour_is_not(cents: int, frame: str, unit: str, form: int) -> None:
    value = cents / 100
    shown = frame.format(_number_forms(value, unit)[form])
    assert Number(value, unit).read(shown) is STATED
    assert Number(value + 0.02, unit).read(shown) is not STATED
    assert Number(value * 1.1 + 1, unit).read(shown) is not STATED


_ONES = """
zero one two three four five six seven eight nine
ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"


@given(st.integers(0, 99), frames)
def test_number_words_are_numbers(value: int, frame: str) -> None:
    ones = _ONES.split()
    tens = _TENS.split()
    words = ones[value] if value < 20 else tens[value // 10 - 2] + (f"-{ones[value % 10]}" if value % 10 else "")
    assert Number(value, "day").read(frame.format(f"{words} days")) is STATED
    assert Number(value + 1, "day").read(frame.format(f"{words} days")) is not STATED


DATE_FORMS = [
    "{d:%B} {d.day}, {d.year}",
    "{d:%b} {d.day}, {d.year}",
    "{d.day} {d:%B} {d.year}",
    "{d:%A}, {d:%B} {d.day}, {d.year}",
    "{d:%Y-%m-%d}",
    "{d:%m/%d/%Y}",
    "the {d.day}th of {d:%B}",
]
days = st.dates(datetime.date(2020, 1, 1), datetime.date(2035, 12, 31))


@given(days, st.sampled_from(DATE_FORMS), frames)
def test_a_date_is_stated_and_its_neighbours_are_not(day: datetime.date, form: str, frame: str) -> None:
    shown = frame.format(form.format(d=day))
    assert Date(day, TODAY).read(shown) is STATED
    assert Date(day + datetime.timedelta(days=1), TODAY).read(shown) is not STATED
    assert Date(day - datetime.timedelta(days=1), TODAY).read(shown) is not STATED


TIME_FORMS = ["{t:%I:%M %p}", "{t:%H:%M:%S}", "{h}:{t:%M} {p}", "{h}:{t:%M}{p}"]


@given(st.integers(0, 1439), st.sampled_from(TIME_FORMS), frames)
def test_a_time_is_stated_and_its_neighbour_is_not(minute: int, form: str, frame: str) -> None:
    clock = datetime.time(minute // 60, minute % 60)
    later = datetime.time((minute + 1) % 1440 // 60, (minute + 1) % 60)
    shown = frame.format(form.format(t=clock, h=clock.hour % 12 or 12, p="p.m." if clock.hour >= 12 else "a.m."))
    assert Time(clock).read(shown) is STATED
    assert Time(later).read(shown) is not STATED
    assert Time(clock.replace(hour=(clock.hour + 12) % 24)).read(shown) is not STATED


PHONE_FORMS = [
    "+1{0}{1}{2}",
    "+1 {0} {1} {2}",
    "({0}) {1}-{2}",
    "{0}-{1}-{2}",
    "{0}.{1}.{2}",
    "+1 ({0}) {1}-{2}",
    "1-{0}-{1}-{2}",
]


@given(st.integers(200, 999), st.integers(200, 999), st.integers(0, 9998), st.sampled_from(PHONE_FORMS), frames)
def test_a_phone_number_is_stated_and_its_neighbour_is_not(
    area: int, exchange: int, line: int, form: str, frame: str
) -> None:
    shown = frame.format(form.format(area, exchange, f"{line:04}"))
    assert Phone(f"+1{area}{exchange}{line:04}").read(shown) is STATED
    assert Phone(f"+1{area}{exchange}{line + 1:04}").read(shown) is not STATED


@given(st.integers(61, 863_999), frames, st.sampled_from([0, 1]))
def test_a_duration_is_stated_and_its_neighbour_is_not(seconds: int, frame: str, form: int) -> None:
    hours, minutes, rest = seconds // 3600, seconds % 3600 // 60, seconds % 60
    shown = frame.format([f"{hours} hours, {minutes} minutes and {rest} seconds", f"{hours}h {minutes}m {rest}s"][form])
    exact = datetime.timedelta(0)
    assert Duration(seconds, exact).read(shown) is STATED
    assert Duration(seconds + 1, exact).read(shown) is not STATED


names = st.sampled_from(["Tom Haake", "José Núñez", "Ann", "O'Brien", "Mary-Jane Watson", "AAPL", "Łukasz", "李雷"])


@given(names, names, frames)
def test_a_name_is_stated_and_another_is_not(name: str, other: str, frame: str) -> None:
    assert Entity(name).read(frame.format(name)) is STATED
    assert Entity(name, instead_of=(other,)).read(frame.format(other)) is (
        STATED if name == other else Reading.CONTRADICTED
    )
