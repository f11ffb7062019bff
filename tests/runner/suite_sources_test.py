import datetime
import sys
import time
from pathlib import Path

from tests.runner.suites.players import CHECKOUT
from tool_sandbox.conversation.execution_context import (
    ExecutionContext,
    new_context,
)
from tool_sandbox.runner.suites import load_suite

SOURCES = """
from time import *
import datetime, random, time, uuid
import datetime as dt
from datetime import date, datetime as moment
from importlib import import_module
from random import choice
from tool_sandbox.play.scenario import Scenario

class Later(datetime.datetime):
    pass

def read():
    import time as later
    from datetime import datetime as inside
    return [
        datetime.datetime.now().timestamp(), dt.datetime.now(dt.timezone.utc).timestamp(), moment.today().timestamp(),
        moment.utcnow().replace(tzinfo=dt.timezone.utc).timestamp(), inside.now().timestamp(),
        time.time(), later.time(), time.time_ns() / 1e9, later.mktime(later.localtime()), import_module("time").time(),
    ]

CONSTANT = read()
SCENARIOS = {"a": Scenario()}
DATES = [date.today(), datetime.date.today(), datetime.datetime.now().date()]
DRAWN = [random.random(), choice(range(10**9)), str(uuid.uuid4()), random.Random(1).random()]
TEXTS = [time.strftime("%Y-%m-%d", time.gmtime()), time.ctime(), time.asctime(), time.ctime(0.0)]
KINDS = [
    isinstance(datetime.datetime.now(), datetime.datetime), isinstance(datetime.datetime.now(), datetime.date),
    isinstance(datetime.datetime(2020, 1, 1), moment), issubclass(moment, date), isinstance(Later(2020, 1, 1), Later),
    type(moment.strptime("2020", "%Y")) is type(moment.fromisoformat("2020-01-01")), not isinstance(1, moment),
    moment(2020, 1, 2) - datetime.timedelta(days=1) == moment.combine(date(2020, 1, 1), dt.time()),
    not isinstance(moment(2020, 1, 1), Later), moment.max > moment.min, datetime.UTC is dt.timezone.utc,
]
"""


def test_modules_of_a_suite_see_its_time_and_draw_the_same_numbers(tmp_path: Path) -> None:
    (tmp_path / "sources.py").write_text(SOURCES)
    zoned = datetime.datetime(2031, 7, 4, 10, 30, tzinfo=datetime.UTC)
    suites = [load_suite(str(tmp_path), suite_time=zoned.isoformat()) for _ in range(2)]
    first, second = (sys.modules[suite._modules.private] for suite in suites)
    assert set(first.CONSTANT) == {zoned.timestamp()}
    assert set(first.DATES) == {zoned.astimezone().date()}
    assert first.TEXTS[0] == "2031-07-04"
    assert ["2031" in text for text in first.TEXTS] == [True, True, True, False]
    assert all(first.KINDS), first.KINDS
    assert first.DRAWN == second.DRAWN
    # Once loaded, it is the time of the world that is played.
    context = ExecutionContext(clock=suites[0]["a"].starting_context.clock.at(zoned + datetime.timedelta(days=1)))
    with new_context(context):
        assert set(first.read()) == {zoned.timestamp() + 86400}


def test_own_modules_still_see_the_machine() -> None:
    load_suite(str(CHECKOUT), suite_time=1e9)
    assert time.time() > 1.7e9
    assert datetime.datetime.now().year >= 2024
    assert type(datetime.datetime.now()) is datetime.datetime
