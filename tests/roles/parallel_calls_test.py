"""Parallel calls: the verdict of trying every order, found without trying every order."""

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    get_current_context,
    new_context,
    set_current_context,
)
from tool_sandbox.conversation.messages import Message, format_tool_call
from tool_sandbox.roles import parallel_calls
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.execution_environment import (
    ExecutionEnvironment,
    respond_to_messages_set_all_order_permutations,
    respond_to_single_message,
)
from tool_sandbox.world.clock import ScenarioClock
from tool_sandbox.world.errors import InfrastructureError
from tool_sandbox.world.profile import Profile

AGENT, USER, EE = RoleType.AGENT, RoleType.USER, RoleType.EXECUTION_ENVIRONMENT
ANN, BEN = "ann-id", "ben-id"
PHONE = "+12453344098"

ACTIONS: list[tuple[str, dict[str, Any]]] = [
    *(("set_wifi_status", {"on": on}) for on in (True, False)),
    *(("set_cellular_service_status", {"on": on}) for on in (True, False)),
    *(("set_low_battery_mode_status", {"on": on}) for on in (True, False)),
    ("get_wifi_status", {}),
    ("search_contacts", {"name": "Ann"}),
    ("search_messages", {"content": "hello"}),
    ("add_contact", {"name": "Cid", "phone_number": PHONE}),
    ("remove_contact", {"person_id": ANN}),
    ("remove_contact", {"person_id": BEN}),
    ("modify_contact", {"person_id": ANN, "name": "Anna"}),
    ("modify_contact", {"person_id": BEN, "is_self": False}),
    ("send_message_with_phone_number", {"phone_number": PHONE, "content": "hello"}),
    ("end_conversation", {}),
    ("no_such_tool", {}),
]


def make_world(**settings_: bool) -> ExecutionContext:
    context = ExecutionContext(id_seed="seed", profile=Profile.PUBLISHED, clock=ScenarioClock(1.7e9, "UTC"))
    context.add_to_database(
        DatabaseNamespace.CONTACT,
        [
            {"person_id": ANN, "name": "Ann", "phone_number": PHONE, "relationship": "friend", "is_self": False},
            {"person_id": BEN, "name": "Ben", "phone_number": "+12453334444", "relationship": "self", "is_self": True},
        ],
    )
    (row,) = context.get_table(DatabaseNamespace.SETTING).dicts()
    context.set_rows(DatabaseNamespace.SETTING, [{**row, **settings_}])
    context.add_to_database(DatabaseNamespace.SANDBOX, [{"sender": "USER", "recipient": "AGENT", "content": "go"}])
    return context


def batch(actions: Sequence[tuple[str, dict[str, Any]]]) -> list[Message]:
    return [
        Message(AGENT, EE, format_tool_call(f"c{i}", name, arguments), None, f"c{i}", name)
        for i, (name, arguments) in enumerate(actions)
    ]


def every_order(context: ExecutionContext, messages: list[Message]) -> tuple[list[Message], list[ExecutionContext]]:
    """The rule, word for word; with the world after each call."""
    outcomes = []
    for order in itertools.permutations(messages):
        worlds = [context]
        found: list[Message] = []
        for message in order:
            worlds.append(worlds[-1].fork())
            with new_context(worlds[-1]):
                reply = respond_to_single_message(worlds[-1].interactive_console, message, EE)
            assert reply is not None
            found.append(reply)
        if any(reply.tool_call_exception is not None for reply in found):
            return found, worlds[1:]
        outcomes.append((found, worlds[1:]))
    return outcomes[0]


@settings(max_examples=150)
@given(
    actions=st.lists(st.sampled_from(ACTIONS), min_size=2, max_size=4),
    wifi=st.booleans(),
    cellular=st.booleans(),
    low_battery_mode=st.booleans(),
    traced=st.booleans(),
)
def test_same_verdict_as_trying_every_order(
    actions: list[tuple[str, dict[str, Any]]], wifi: bool, cellular: bool, low_battery_mode: bool, traced: bool
) -> None:
    with new_context(make_world(wifi=wifi, cellular=cellular, low_battery_mode=low_battery_mode)) as context:
        messages = batch(actions)
        BaseRole.add_messages(messages)
        context.trace_tool = traced
        untouched = context.fork()
        wanted_replies, worlds = every_order(context, messages)
        replies = respond_to_messages_set_all_order_permutations(context, messages, EE)
        assert replies == wanted_replies
        world = get_current_context()
        assert world is not context
        assert context.equals(untouched)
        index = context.max_sandbox_message_index + 1
        for namespace in set(DatabaseNamespace) - {DatabaseNamespace.SANDBOX}:
            entries = world.batch_states.get(index, {}).get(str(namespace), [])
            states = {entry["answer"]: entry["rows"] for entry in entries}
            state = context.get_table(namespace).dicts()
            for answer, after in enumerate(worlds, start=index):
                if answer in states:
                    rows = states[answer]
                    state = world.get_table(namespace).dicts() if rows is None else rows
                assert state == after.get_table(namespace).dicts()
        world.batch_states = {}
        assert world.equals(worlds[-1])


def respond(*actions: tuple[str, dict[str, Any]]) -> list[Message]:
    messages = batch(actions)
    BaseRole.add_messages(messages)
    ExecutionEnvironment().respond()
    return BaseRole.get_messages()[-len(messages) :]


class TestExamples:
    def test_replies_of_the_first_order_that_fails(self) -> None:
        with new_context(make_world(wifi=False)) as context:
            first, second = respond(("set_wifi_status", {"on": True}), ("set_low_battery_mode_status", {"on": True}))
            # In the other order the wifi cannot be turned on any more.
            assert (first.openai_tool_call_id, second.openai_tool_call_id) == ("c1", "c0")
            assert first.tool_call_exception is None
            assert second.tool_call_exception is not None
            assert get_current_context() is not context

    def test_changes_land_on_the_first_reply_and_traces_on_their_own(self) -> None:
        with new_context(make_world()) as context:
            context.trace_tool = True
            replies = respond(
                ("set_wifi_status", {"on": False}), ("add_contact", {"name": "Cid", "phone_number": PHONE})
            )
            world = get_current_context()
            assert [index for index, _ in world.get_history(DatabaseNamespace.CONTACT)][-1] == 3
            assert [index for index, _ in world.get_history(DatabaseNamespace.SETTING)][-1] == 3
            assert [len(reply.tool_trace or ()) for reply in replies] == [1, 1]
            assert '"add_contact"' in (replies[1].tool_trace or [""])[0]

    def test_one_message_runs_on_the_given_world(self) -> None:
        with new_context(make_world()) as context:
            respond(("set_wifi_status", {"on": False}))
            assert get_current_context() is context

    def test_code_and_calls(self) -> None:
        with new_context(make_world()):
            call = batch([("get_wifi_status", {})])[0]
            BaseRole.add_messages([call, Message(AGENT, EE, "print(c0_response)")])
            ExecutionEnvironment().respond()
            first, second = BaseRole.get_messages()[-2:]
            assert first.tool_call_exception == "NameError: name 'c0_response' is not defined"
            assert second.content == "True"


class TestCost:
    @staticmethod
    def count(actions: Sequence[tuple[str, dict[str, Any]]]) -> int:
        """Number of calls made to answer a batch."""
        done: list[str] = []

        def answer(world: ExecutionContext, message: Message) -> Message | None:
            done.append(message.content)
            return respond_to_single_message(world.interactive_console, message, EE)

        context = make_world()
        with new_context(context):
            messages = batch(actions)
            BaseRole.add_messages(messages)
            parallel_calls.answer_in_every_order(context, messages, answer, lambda message: False)
        return len(done)

    @pytest.mark.parametrize("number", [2, 10, 50])
    def test_calls_that_do_not_see_each_other_are_made_once(self, number: int) -> None:
        reads = [("search_contacts", {"name": "Ann"})] * number
        assert self.count(reads) == number
        assert self.count([*reads, ("set_wifi_status", {"on": False})]) == number + 1

    def test_equal_worlds_are_continued_once(self) -> None:
        switches = [
            ("set_cellular_service_status", {"on": False}),
            ("set_location_service_status", {"on": False}),
            ("set_wifi_status", {"on": False}),
            ("get_low_battery_mode_status", {}),
        ]
        # Sets of 0 to 3 switches, each continued by the calls that are left, against 64 calls in a plain tree.
        assert self.count(switches) <= 4 + 32

    @pytest.mark.parametrize("number", [6, 9, 14])
    def test_bound(self, number: int) -> None:
        contacts = [("add_contact", {"name": f"N{i}", "phone_number": PHONE}) for i in range(number)]
        pairs = number * (number - 1) // 2
        assert self.count(contacts) <= number + parallel_calls.MAX_EXPLORED_CALLS + 2 * pairs

    def test_beyond_the_bound_pairs_are_tried(self) -> None:
        with new_context(make_world(wifi=False)):
            contacts = [("add_contact", {"name": f"N{i}", "phone_number": f"+124533300{i:02}"}) for i in range(8)]
            message = ("send_message_with_phone_number", {"phone_number": PHONE, "content": "x"})
            replies = respond(
                ("get_wifi_status", {}), message, *contacts, ("set_low_battery_mode_status", {"on": True})
            )
            # No message can be sent once the battery is low: the first order in which that happens.
            assert [reply.openai_tool_call_id for reply in replies] == [f"c{i}" for i in (0, *range(2, 11), 1)]
            assert [reply.tool_call_exception is None for reply in replies] == [True] * 10 + [False]


class TestServices:
    def test_one_request_is_made_once_a_batch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from tool_sandbox.tools.services import SearchService, default_service

        asked: list[Any] = []
        offline = default_service()

        class Counting(SearchService):
            mode, version = offline.mode, offline.version

            def body(self, lookup: Any, now: float) -> Any:
                asked.append(lookup)
                return offline.body(lookup, now)

        service = Counting()
        context = make_world()
        context.services = service
        with new_context(context):
            search = ("search_lat_lon", {"latitude": 37.33, "longitude": -122.03})
            low = ("set_low_battery_mode_status", {"on": False})
            replies = respond(search, search, ("set_location_service_status", {"on": False}), low)
            assert replies[0].content
            assert len(asked) == len(set(asked)) == 1
            assert get_current_context().services is service


def test_a_fault_leaves_the_given_world_current(monkeypatch: pytest.MonkeyPatch) -> None:
    def down() -> None:
        raise InfrastructureError("the service is down")

    with new_context(make_world()) as context:
        monkeypatch.setitem(context.name_to_tool, "get_wifi_status", down)
        with pytest.raises(InfrastructureError):
            respond(("set_wifi_status", {"on": False}), ("get_wifi_status", {}))
        assert get_current_context() is context
        assert context.trace_tool is False
        assert context.get_table(DatabaseNamespace.SETTING).column("wifi") == [True]


def test_worlds_of_threads_do_not_mix() -> None:
    import contextvars
    from concurrent.futures import ThreadPoolExecutor

    def play(number: int) -> list[str]:
        set_current_context(make_world())
        respond(*[("add_contact", {"name": f"T{number}{i}", "phone_number": PHONE}) for i in range(3)])
        return get_current_context().get_table(DatabaseNamespace.CONTACT).column("name")[2:]

    with ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(contextvars.copy_context().run, play, number) for number in range(8)]
        assert [run.result() for run in runs] == [[f"T{number}{i}" for i in range(3)] for number in range(8)]
