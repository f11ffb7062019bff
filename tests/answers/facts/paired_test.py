"""What answers say about several things, each with its own value."""

from tool_sandbox.answers.facts import FromTrace, Number, Paired, Reading
from tool_sandbox.answers.facts._values import bind


def test_a_value_may_come_from_a_tool() -> None:
    class Nowhere(FromTrace):
        def resolve(self, context: object, index: int) -> float:
            return 12.3

    open_pair = Paired((("Berlin", Number(Nowhere("search_weather_around_lat_lon"), "celsius")),))
    assert bind(open_pair, None, 0).read("Berlin has 12.3 degrees.") is Reading.STATED  # type: ignore[arg-type]
