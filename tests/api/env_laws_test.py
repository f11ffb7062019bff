"""Whatever was forked, tried and taken back: a conversation is what its actions make of it."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import tool_sandbox as ts

ACTIONS: list[Any] = [
    [("search_contacts", {"is_self": True})],
    [("set_wifi_status", {"on": False}), ("get_wifi_status", {})],
    [("get_wifi_status", {}), ("set_wifi_status", {"on": True}), ("no_such_tool", {})],
    {"content": "Let me see.", "tool_calls": [{"id": "a", "function": {"name": "get_wifi_status", "arguments": "{}"}}]},
    "Shall I go on?",
    "Done.",
]
OPERATIONS = st.one_of(
    st.tuples(st.just("step"), st.integers(0, len(ACTIONS) - 1)),
    st.tuples(st.just("rewind"), st.integers(0, 5)),
    st.tuples(st.just("fork"), st.integers(0, len(ACTIONS) - 1)),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(OPERATIONS, max_size=12))
def test_forks_and_rewinds_leave_no_trace(operations: list[tuple[str, int]]) -> None:
    name = "wifi_off_10_distraction_tools"
    env = ts.Env(name)
    places, path = [len(env.reset().messages) - 1], list[Any]()
    for operation, number in operations:
        if operation == "rewind":
            depth = min(number, len(path))
            env.rewind(places[depth])
            del places[depth + 1 :], path[depth:]
        elif not env.is_over and operation == "step":
            places.append(len(env.step(ACTIONS[number]).messages) - 1)
            path.append(ACTIONS[number])
        elif not env.is_over:
            # What happens in a fork stays there.
            env.fork().step(ACTIONS[number])
    fresh = ts.Env(name)
    fresh.reset()
    for action in path:
        fresh.step(action)
    assert fresh.observation.messages == env.observation.messages
    assert fresh._current().context.equals(env._current().context)
    assert (fresh.is_over, fresh.score()) == (env.is_over, env.score())
