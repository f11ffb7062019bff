import datetime
import json

import pytest

from tool_sandbox.conversation.execution_context import ExecutionContext
from tool_sandbox.world.clock import ScenarioClock, SystemClock, default_clock, use_clock


def test_clock_in_the_zone_of_the_machine() -> None:
    clock = ScenarioClock(1e9, zone=None, seconds_per_message=0.0)
    assert clock.timezone is None
    assert clock.now(7) == 1e9
    local = datetime.datetime(2030, 1, 2, 3, 4)
    assert clock.at(local).start == local.timestamp()
    stored = json.loads(json.dumps(ExecutionContext(clock=clock).to_dict(serialize_console=False)))
    assert ExecutionContext.from_dict(stored).clock == clock


def test_unknown_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown time zone 'Atlantis'"):
        ScenarioClock(0.0, zone="Atlantis")


def test_default_clock_holds_inside_the_block() -> None:
    clock = ScenarioClock(1e9)
    own = ScenarioClock(2e9)
    with use_clock(clock):
        assert ExecutionContext().clock is clock
        assert ExecutionContext(clock=own).clock is own
        with pytest.raises(RuntimeError), use_clock(own):
            raise RuntimeError
        assert default_clock() is clock
    assert ExecutionContext().clock == SystemClock()
