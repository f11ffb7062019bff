"""What an author writes wrong is told in one line, when it is made."""

import datetime
from collections.abc import Callable

import attrs
import pytest

import tool_sandbox.answers.facts as facts
import tool_sandbox.scenarios.matchers as matchers
import tool_sandbox.scenarios.vocabulary as vocabulary
from tool_sandbox.answers.facts import (
    Cannot,
    Date,
    Done,
    Entity,
    FactBase,
    FromTrace,
    NotDone,
    Number,
    Paired,
    Switch,
    Time,
    Weekday,
)
from tool_sandbox.helpers.typed import Typed
from tool_sandbox.scenarios.matchers import Near, OneOf, SameWords, Says
from tool_sandbox.scenarios.vocabulary import Task, answer, call, called, cannot, removed, say, setting
from tool_sandbox.world.errors import ScenarioError


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Time(17, 0), "Time: value takes datetime.time or FromTrace, such as datetime.time(17, 0); got 17"),
        (lambda: Date("May"), "Date: value takes datetime.date or FromTrace, such as datetime.date(2026, 5, 17)"),
        (lambda: Number("5"), "Number: value takes float or FromTrace; got '5'"),
        (lambda: Number(True), "Number: value takes float or FromTrace; got True"),
        (lambda: Number(5, 3), "a unit is a word such as 'km'; got 3"),
        (lambda: Entity("Ann", about=5), "Entity: about takes tuple[str, ...]; got 5"),
        (lambda: Entity("Ann", about=("x", 5)), "Entity: about takes tuple[str, ...]; got ('x', 5)"),
        (lambda: Switch("wifi", on="off"), "Switch: on takes bool; got 'off'"),
        (lambda: FromTrace(5), "FromTrace: tool takes str; got 5"),
        (lambda: NotDone(5), "an action is a word such as 'sent'; got 5"),
        (lambda: NotDone(("sent", 5)), "an action is a word such as 'sent'; got 5"),
        (lambda: Done(None), "an action is a word such as 'sent'; got None"),
        (
            lambda: Cannot("nope"),
            "Cannot: because takes CannotReason, one of TOOL_MISSING, NOT_FOUND, SETTING_BLOCKED, ",
        ),
        (lambda: Cannot("NOT_FOUND", task=5), "an action is a word such as 'sent'; got 5"),
        (lambda: Paired([("x", 5)]), "Paired: pairs takes pairs of a thing and a fact with about, such as "),
        (lambda: Paired([("x", Switch("wifi", True))]), "Paired: pairs takes pairs of a thing and a fact with about"),
        (
            lambda: Paired(5),
            "Paired: pairs takes pairs of a thing and a fact with about, such as ('Oslo', Number(4.5)); got 5",
        ),
        (lambda: Near("1", 2), "Near: value takes float; got '1'"),
        (lambda: SameWords(5), "SameWords: text takes str; got 5"),
        (lambda: Says("Ann"), "Says: facts takes tuple[Fact, ...]; got ('Ann',)"),
        (lambda: called(5), "called: tool takes str; got 5"),
        (lambda: call(5), "call: tool takes str; got 5"),
        (lambda: say(5), "say: text takes str; got 5"),
        (lambda: answer("Ann"), "answer: facts takes Fact; got 'Ann'"),
        (lambda: cannot("no", about=("a",)), "cannot: reasons takes CannotReason; got 'no'"),
        (
            lambda: removed("CONTACT", name="Ann"),
            "removed: table takes DatabaseNamespace or TableSchema; got 'CONTACT'",
        ),
        (lambda: setting(wifi="off"), "setting: values takes bool; got 'off'"),
        (
            lambda: Task(user="x", tools=[], milestones=["y"], solution=[]),
            "Task: milestones takes tuple[Node, ...]; got ('y',)",
        ),
    ],
)
def test_a_wrong_type_is_one_line(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        make()
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_what_fits_is_as_it_was() -> None:
    assert Number(5).value == 5
    assert Weekday(datetime.date(2026, 5, 17)).read("It is a Sunday.") is facts.Reading.STATED
    assert OneOf([1, 2]).options == (1, 2)
    assert Says([Entity("Ann")], never="secret").never == ("secret",)
    later = FromTrace("get_current_timestamp")
    assert [Time(later).value, Date(later).value, Entity(later).name] == [later, later, later]


def test_every_fact_and_matcher_is_checked() -> None:
    kinds = [getattr(facts, name) for name in facts.__all__]
    assert all(issubclass(kind, Typed) for kind in kinds if isinstance(kind, type) and issubclass(kind, FactBase))
    own = [each for each in vars(matchers).values() if isinstance(each, type) and each.__module__ == matchers.__name__]
    assert all(issubclass(kind, Typed) for kind in own if attrs.fields(kind))


def test_every_word_of_the_vocabulary_is_checked() -> None:
    words = [
        each
        for name, each in vars(vocabulary).items()
        if callable(each)
        and getattr(each, "__module__", "") == vocabulary.__name__
        and not isinstance(each, type)
        and not name.startswith("_")
    ]
    assert len(words) >= 12
    assert [word.__name__ for word in words if not hasattr(word, "__wrapped__")] == []


def test_a_missing_argument_is_told_by_name() -> None:
    with pytest.raises(TypeError, match="called\\(\\) missing 1 required positional argument: 'tool'"):
        called(*[])
