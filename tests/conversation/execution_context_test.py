"""The contract of the context: reading, writing, look-ups, copies, serialisation."""

import contextvars
import copy
import datetime
import json
import pickle
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from polars.exceptions import ColumnNotFoundError, NoDataError, SchemaError

from tool_sandbox.common.execution_context import get_current_context as published_context
from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    ScenarioCategories,
    get_current_context,
    new_context,
    new_context_with_attribute,
    set_current_context,
)
from tool_sandbox.conversation.tool_discovery import ToolBackend
from tool_sandbox.tools.contact import add_contact
from tool_sandbox.tools.setting import get_wifi_status, set_wifi_status
from tool_sandbox.world.clock import ScenarioClock
from tool_sandbox.world.profile import Profile
from tool_sandbox.world.utils import register_as_tool

SANDBOX, SETTING, CONTACT, MESSAGING, REMINDER = DatabaseNamespace
INDEX = "sandbox_message_index"


def message(sender: RoleType, recipient: RoleType, content: str = "hello", **columns: Any) -> dict[str, Any]:
    """A row of the message log."""
    return {"sender": sender, "recipient": recipient, "content": content, **columns}


def say(context: ExecutionContext, *contents: str) -> None:
    """Appends messages from the user to the agent."""
    context.add_to_database(SANDBOX, [message(RoleType.USER, RoleType.AGENT, content) for content in contents])


@register_as_tool()
def fail_after_a_write(then: Callable[[], Any]) -> None:
    """A tool that fails."""
    add_contact(name="Ada", phone_number="+12025550123")
    then()
    raise RuntimeError


@pytest.fixture
def context() -> ExecutionContext:
    """A world with two messages, and two contacts that were there before them."""
    context = ExecutionContext()
    context.add_to_database(CONTACT, [{"person_id": "a", "name": "Ada"}, {"person_id": "b", "name": "Bob"}])
    say(context, "one", "two")
    return context


class TestEnums:
    def test_values_are_names(self) -> None:
        assert RoleType.AGENT == "AGENT"
        assert str(RoleType.AGENT) == "AGENT"
        assert json.dumps({RoleType.AGENT: RoleType.USER}) == '{"AGENT": "USER"}'
        assert ScenarioCategories["ARG_TYPE_SCRAMBLED"].value == "ARG_TYPE_SCRAMBLED"

    def test_order(self) -> None:
        assert list(DatabaseNamespace) == ["SANDBOX", "SETTING", "CONTACT", "MESSAGING", "REMINDER"]
        assert list(RoleType) == ["SYSTEM", "USER", "AGENT", "EXECUTION_ENVIRONMENT"]


class TestConstruction:
    def test_new_world(self) -> None:
        context = ExecutionContext()
        for namespace in DatabaseNamespace:
            frame = context._dbs[namespace]
            assert dict(frame.schema) == ExecutionContext.dbs_schemas[namespace]
            assert frame[INDEX].to_list() == [0] * (2 if namespace is SETTING else 1)
        assert context.get_database(SETTING).to_dicts() == [
            {
                "device_id": "04640c30-ec89-5a3c-9fb4-4af3101c8e04",
                "cellular": True,
                "wifi": True,
                "location_service": True,
                "low_battery_mode": False,
                "latitude": 37.334606,
                "longitude": -122.009102,
            }
        ]
        assert context.tool_augmentation_list == []
        assert context.trace_tool is False
        assert context.max_sandbox_message_index == -1
        assert context.first_user_sandbox_message_index == -1

    def test_schema_starts_with_the_message_index(self) -> None:
        for schema in ExecutionContext.dbs_schemas.values():
            assert next(iter(schema.items())) == (INDEX, pl.Int32)


class TestIndices:
    def test_first_user_message_skips_demonstrations(self) -> None:
        context = ExecutionContext()
        context.add_to_database(
            SANDBOX,
            [
                message(RoleType.SYSTEM, RoleType.AGENT),
                message(RoleType.USER, RoleType.AGENT, visible_to=[RoleType.USER]),
                message(RoleType.USER, RoleType.AGENT, visible_to=[RoleType.USER, RoleType.AGENT]),
            ],
        )
        assert context.first_user_sandbox_message_index == 2

    def test_most_recent_snapshot(self, context: ExecutionContext) -> None:
        say(context, "three")
        context.add_to_database(CONTACT, [{"person_id": "c", "name": "Cy"}])
        find = context.get_most_recent_snapshot_sandbox_message_index
        assert [find(CONTACT, query) for query in (-5, 0, 1, 2, 3)] == [0, 0, 0, 0, 3]
        assert find(REMINDER, 99) == -1
        with pytest.raises(IndexError):
            find(CONTACT, 4)

    def test_headguard_predicate(self) -> None:
        frame = pl.DataFrame({INDEX: [0, 1], "x": [None, 1]})
        assert ExecutionContext.drop_headguard(frame)["x"].to_list() == [1]
        assert ExecutionContext.drop_headguard(frame.select("x"))["x"].to_list() == [1]
        assert ExecutionContext.drop_headguard(frame.select(INDEX)).is_empty()


class TestReading:
    def test_newest_message(self, context: ExecutionContext) -> None:
        assert context.get_database(SANDBOX)["content"].to_list() == ["two"]

    def test_history(self, context: ExecutionContext) -> None:
        context.add_to_database(CONTACT, [{"person_id": "c", "name": "Cy"}])
        frame = context.get_database(CONTACT, get_all_history_snapshots=True, drop_sandbox_message_index=False)
        assert frame[INDEX].to_list() == [0, 0, 2, 2, 2]
        assert frame["person_id"].to_list() == ["a", "b", "a", "b", "c"]
        early = context.get_database(CONTACT, sandbox_message_index=1, get_all_history_snapshots=True)
        assert early["person_id"].to_list() == ["a", "b"]

    def test_headguards_are_shown_on_request(self, context: ExecutionContext) -> None:
        assert context.get_database(CONTACT, drop_headguard=False)["person_id"].to_list() == [None, "a", "b"]
        assert context.get_database(REMINDER, drop_headguard=False).is_empty()

    def test_out_of_range(self, context: ExecutionContext) -> None:
        with pytest.raises(IndexError):
            context.get_database(CONTACT, sandbox_message_index=3)
        assert context.get_database(REMINDER, sandbox_message_index=3).is_empty()

    def test_snapshot_alias_and_editing_in_place(self, context: ExecutionContext) -> None:
        frame = context.get_database_snapshot(CONTACT)
        frame[0, "name"] = "Mallory"
        assert context.get_database(CONTACT)["name"].to_list() == ["Ada", "Bob"]

    def test_table(self, context: ExecutionContext) -> None:
        table = context.get_table(CONTACT)
        assert table.columns == ("person_id", "name", "phone_number", "relationship", "is_self")
        assert table.column("name") == ["Ada", "Bob"]
        assert table.where(name="Bob", phone_number=None)[0]["person_id"] == "b"
        assert table.frame.equals(context.get_database(CONTACT))
        say(context, "three")
        assert context.get_table(CONTACT) is table


class TestWriting:
    def test_message_indices_and_activity(self) -> None:
        context = ExecutionContext()
        rows = [message(RoleType.USER, RoleType.AGENT, sandbox_message_index=7, conversation_active=active)
                for active in (None, False, None)]  # fmt: skip
        before = copy.deepcopy(rows)
        context.add_to_database(SANDBOX, rows)
        assert rows == before
        frame = context.get_database(SANDBOX, get_all_history_snapshots=True, drop_sandbox_message_index=False)
        assert frame[INDEX].to_list() == [0, 1, 2]
        assert frame["conversation_active"].to_list() == [True, False, False]

    def test_world_changes_belong_to_the_message_being_processed(self, context: ExecutionContext) -> None:
        context.add_to_database(CONTACT, [{"person_id": "c", "name": "Cy"}])
        assert len(context.get_database(CONTACT, 1)) == 2
        assert len(context.get_database(CONTACT, 2)) == 3
        assert len(context.get_database(CONTACT)) == 3

    @pytest.mark.parametrize(
        ("namespace", "row", "error"),
        [
            (CONTACT, {"person": "x"}, KeyError),
            (CONTACT, {}, ValueError),
            (CONTACT, {"name": None, INDEX: 3}, ValueError),
            (CONTACT, {"name": 5}, TypeError),
            (CONTACT, {"name": "\ud800"}, ValueError),
            (CONTACT, {"is_self": 1}, TypeError),
            (REMINDER, {"latitude": "1.5"}, TypeError),
            (REMINDER, {"latitude": True}, TypeError),
            (REMINDER, {"latitude": 10**400}, ValueError),
            (SANDBOX, {"sender": "NOBODY"}, ValueError),
            (SANDBOX, {"tool_trace": "text"}, TypeError),
        ],
    )
    def test_bad_rows_change_nothing(
        self, context: ExecutionContext, namespace: DatabaseNamespace, row: dict[str, Any], error: type[Exception]
    ) -> None:
        before = context.fork()
        good = {CONTACT: {"name": "Good"}, REMINDER: {"content": "good"}, SANDBOX: message("USER", "AGENT")}  # type: ignore[arg-type]
        with pytest.raises(error):
            context.add_to_database(namespace, [good[namespace], row])
        assert context.equals(before)

    def test_integers_become_floats(self) -> None:
        context = ExecutionContext()
        context.add_to_database(REMINDER, [{"latitude": 37}])
        assert context.get_database(REMINDER)["latitude"].to_list() == [37.0]

    def test_remove(self, context: ExecutionContext) -> None:
        context.remove_from_database(CONTACT, pl.col("name") == "Ada")
        assert context.get_database(CONTACT)["name"].to_list() == ["Bob"]
        assert context.get_database(CONTACT, 1)["name"].to_list() == ["Ada", "Bob"]

    def test_remove_takes_only_rows_that_match_for_certain(self, context: ExecutionContext) -> None:
        context.add_to_database(CONTACT, [{"person_id": "c", "relationship": "boss"}])
        context.remove_from_database(CONTACT, pl.col("relationship") == "boss")
        assert context.get_database(CONTACT)["person_id"].to_list() == ["a", "b"]

    def test_failed_removal_leaves_no_snapshot(self, context: ExecutionContext) -> None:
        before = context.fork()
        with pytest.raises(NoDataError):
            context.remove_from_database(CONTACT, pl.col("name") == "Zoe")
        with pytest.raises(NoDataError):
            context.remove_from_database(REMINDER, pl.col("content") == "x")
        with pytest.raises(KeyError):
            context.remove_from_database(SANDBOX, pl.lit(True))
        assert context.equals(before)

    @pytest.mark.parametrize(("profile", "left"), [(Profile.STRICT, 0), (Profile.PUBLISHED, 2)])
    def test_emptied_database(self, profile: Profile, left: int) -> None:
        context = ExecutionContext(profile=profile)
        say(context, "one")
        # Added after a message, so that there is no headguard at this index.
        context.add_to_database(CONTACT, [{"person_id": "a"}, {"person_id": "b"}])
        say(context, "two")
        context.remove_from_database(CONTACT, pl.lit(True))
        assert len(context.get_database(CONTACT)) == left
        if profile is Profile.STRICT:
            with pytest.raises(NoDataError):
                context.remove_from_database(CONTACT, pl.lit(True))

    def test_update_world(self, context: ExecutionContext) -> None:
        frame = context.get_database(SETTING).with_columns(wifi=pl.lit(False), extra=pl.lit(1))
        context.update_database(SETTING, frame.select(reversed(frame.columns)))
        assert context.get_database(SETTING)["wifi"].to_list() == [False]
        assert context.get_database(SETTING, 1)["wifi"].to_list() == [True]
        assert context._dbs[SETTING][INDEX].to_list() == [0, 0, 2, 2]
        assert list(context.get_database(SETTING).columns) == list(ExecutionContext.dbs_schemas[SETTING])[1:]

    def test_update_newest_message(self, context: ExecutionContext) -> None:
        frame = context.get_database(SANDBOX).with_columns(content=pl.lit("changed"))
        context.update_database(SANDBOX, frame)
        assert context.max_sandbox_message_index == 1
        assert context.get_database(SANDBOX)["content"].to_list() == ["changed"]
        assert context._dbs[SANDBOX]["content"].to_list() == [None, "one", None, "changed"]

    def test_update_rejects_other_shapes(self, context: ExecutionContext) -> None:
        frame = context.get_database(SETTING)
        with pytest.raises(ColumnNotFoundError):
            context.update_database(SETTING, frame.drop("wifi"))
        with pytest.raises(SchemaError):
            context.update_database(SETTING, frame.with_columns(wifi=pl.lit("on")))
        context.update_database(SETTING, frame.with_columns(latitude=pl.lit(None)))
        assert context.get_database(SETTING)["latitude"].to_list() == [None]

    def test_set_rows(self, context: ExecutionContext) -> None:
        context.set_rows(CONTACT, [{"person_id": "z"}])
        assert context.get_database(CONTACT)["person_id"].to_list() == ["z"]
        with pytest.raises(KeyError):
            context.set_rows(SANDBOX, [])

    def test_stored_frames_can_be_assigned(self, context: ExecutionContext) -> None:
        stored = context._dbs[CONTACT]
        context._dbs[CONTACT] = stored.vstack(
            stored.filter(pl.col("name") == "Ada").with_columns(person_id=pl.lit("c"))
        )
        assert context.get_database(CONTACT)["person_id"].to_list() == ["a", "b", "c"]
        context._dbs = {CONTACT: stored}
        assert context._dbs[CONTACT].equals(stored)

    def test_access_is_recorded(self, context: ExecutionContext) -> None:
        with context.record_access() as outer:
            context.get_database(SETTING)
            with context.record_access() as inner:
                context.add_to_database(CONTACT, [{"person_id": "c"}])
        assert (outer.reads, outer.writes) == ({SETTING}, {CONTACT})
        assert (inner.reads, inner.writes) == (set(), {CONTACT})


class TestCopies:
    def test_console_is_copied(self, context: ExecutionContext) -> None:
        context.interactive_console.runsource("import math; values = [1]")
        twin = copy.deepcopy(context)
        twin.interactive_console.runsource("values.append(math.floor(2.5))")
        assert twin.interactive_console.locals["values"] == [1, 2]
        assert context.interactive_console.locals["values"] == [1]

    def test_round_trips(self, context: ExecutionContext) -> None:
        context.tool_allow_list = ["add_contact"]
        context.tool_augmentation_list = [ScenarioCategories.TOOL_NAME_SCRAMBLED]
        context.trace_tool = True
        plain = json.loads(json.dumps(context.to_dict(serialize_console=False)))
        assert list(plain) == [
            "_dbs",
            "interactive_console",
            "tool_allow_list",
            "tool_deny_list",
            "trace_tool",
            "tool_augmentation_list",
            "preferred_tool_backend",
        ]
        restored = ExecutionContext.from_dict(plain)
        assert restored.equals(context)
        assert isinstance(restored.preferred_tool_backend, ToolBackend)
        assert isinstance(restored.tool_augmentation_list[0], ScenarioCategories)
        for namespace in DatabaseNamespace:
            assert restored._dbs[namespace].equals(context._dbs[namespace])
        assert pickle.loads(pickle.dumps(context)).equals(context)

    def test_console_survives_serialisation(self, context: ExecutionContext) -> None:
        context.interactive_console.runsource("value = 41 + 1")
        restored = ExecutionContext.from_dict(context.to_dict())
        assert restored.interactive_console.locals["value"] == 42

    def test_extensions_survive(self) -> None:
        clock = ScenarioClock(start=1.0, zone="Asia/Kathmandu", seconds_per_message=2.0, anchor=0)
        context = ExecutionContext(profile=Profile.STRICT, clock=clock, id_seed="x")
        say(context, "one", "two")
        context.message_texts[1] = "aside"
        context.tool_order = ["add_contact"]
        context.new_id()
        restored = ExecutionContext.from_dict(json.loads(json.dumps(context.to_dict(serialize_console=False))))
        assert restored.equals(context)
        assert restored.now() == context.now() == 3.0
        assert restored.new_id() == context.new_id()

    def test_missing_key(self) -> None:
        plain = ExecutionContext().to_dict(serialize_console=False)
        del plain["trace_tool"]
        with pytest.raises(KeyError):
            ExecutionContext.from_dict(plain)


class TestTools:
    def test_lists(self) -> None:
        context = ExecutionContext(tool_allow_list=["set_wifi_status", "add_contact", "nothing"], tool_deny_list=["x"])
        assert list(context.get_available_tools(scrambling_allowed=True)) == ["add_contact", "set_wifi_status"]
        context.tool_deny_list = ["add_contact"]
        assert list(context.get_available_tools(scrambling_allowed=True)) == ["set_wifi_status"]
        assert not context.is_tool_offered("add_contact")

    def test_scrambled_names(self) -> None:
        context = ExecutionContext(tool_augmentation_list=[ScenarioCategories.TOOL_NAME_SCRAMBLED])
        assert next(iter(context.get_available_tools(scrambling_allowed=True))) == "contact_0"
        assert next(iter(context.get_available_tools(scrambling_allowed=False))) == "add_contact"
        assert context.get_agent_facing_tool_name("add_contact") == "contact_0"
        assert context.get_execution_facing_tool_name("contact_0") == "add_contact"
        assert context.get_agent_to_execution_facing_tool_name()["contact_0"] == "add_contact"
        with pytest.raises(KeyError):
            context.get_agent_facing_tool_name("nothing")
        with pytest.raises(KeyError):
            context.get_execution_facing_tool_name("add_contact")
        context.tool_augmentation_list = []
        assert context.get_execution_facing_tool_name("anything") == "anything"

    def test_corrected_worlds_scramble_names_beyond_recognition(self) -> None:
        scrambles = [ScenarioCategories.TOOL_NAME_SCRAMBLED]
        context = ExecutionContext(tool_augmentation_list=scrambles, profile=Profile.STRICT)
        facing = context.get_agent_to_execution_facing_tool_name()
        assert sorted(facing) == sorted(f"tool_{number}" for number in range(len(context.name_to_tool)))
        # Neighbouring numbers are no hint at a common module.
        modules = [context.name_to_tool[facing[f"tool_{number}"]].__module__ for number in range(len(facing))]
        assert modules != sorted(modules)
        assert all(context.get_agent_facing_tool_name(name) == scrambled for scrambled, name in facing.items())

    def test_order_can_be_set(self) -> None:
        context = ExecutionContext(tool_allow_list=["add_contact", "search_contacts", "set_wifi_status"])
        context.tool_order = ["set_wifi_status", "search_contacts", "add_contact"]
        assert list(context.get_available_tools(scrambling_allowed=False)) == context.tool_order

    def test_tools_of_a_scenario_travel_with_its_world(self) -> None:
        context = ExecutionContext()
        context.name_to_tool["say"] = say
        del context.name_to_tool["add_contact"]
        restored = pickle.loads(pickle.dumps(context.fork()))
        assert restored.name_to_tool == context.name_to_tool
        assert list(restored.name_to_tool)[-1] == "say"


class TestTimeAndIds:
    def test_scenario_time_follows_messages(self) -> None:
        clock = ScenarioClock(start=100.0, zone="UTC", seconds_per_message=5.0, anchor=1)
        context = ExecutionContext(clock=clock)
        times = []
        for _ in range(4):
            say(context, "x")
            times.append(context.now())
        assert times == [100.0, 100.0, 105.0, 110.0]
        assert context.timezone.key == "UTC"

    def test_clock_is_started_in_the_device_zone(self) -> None:
        clock = ScenarioClock(start=0, zone="America/Los_Angeles").at(datetime.datetime(2024, 7, 1, 12))
        assert clock.start == 1719860400.0
        with pytest.raises(ValueError, match="time zone"):
            ScenarioClock(start=0, zone="Mars/Olympus")

    def test_ids(self) -> None:
        first, second = ExecutionContext(id_seed="s"), ExecutionContext(id_seed="s")
        assert [first.new_id(), first.new_id()] == [second.new_id(), second.new_id()]
        assert len({ExecutionContext().new_id() for _ in range(5)}) == 5


class TestCurrentContext:
    def test_new_context_restores_the_object(self) -> None:
        outer = ExecutionContext()
        set_current_context(outer)
        inner = ExecutionContext()
        with new_context(inner) as same:
            assert get_current_context() is inner is same
        assert get_current_context() is outer
        with pytest.raises(RuntimeError), new_context(inner):
            raise RuntimeError
        assert get_current_context() is outer

    def test_outside_a_conversation_only_the_published_path_makes_a_context(self) -> None:
        def play() -> None:
            with pytest.raises(RuntimeError, match="no conversation"):
                get_current_context()
            with new_context(ExecutionContext()) as context:
                assert get_current_context() is published_context() is context
            with pytest.raises(RuntimeError, match="no conversation"):
                get_current_context()
            assert published_context() is get_current_context()

        contextvars.Context().run(play)

    def test_what_tools_did_before_anybody_asked_for_a_context_stays(self) -> None:
        def play() -> None:
            set_wifi_status(on=False)
            (setting,) = published_context().get_table(SETTING).dicts()
            assert not setting["wifi"]
            assert "set_wifi_status" in published_context().name_to_tool

        contextvars.Context().run(play)

    @pytest.mark.parametrize("call", [published_context, get_wifi_status])
    def test_a_tool_that_fails_first_of_all_leaves_nothing(self, call: Callable[[], Any]) -> None:
        def play() -> None:
            with pytest.raises(RuntimeError):
                fail_after_a_write(call)
            assert not published_context().get_table(CONTACT).rows

        contextvars.Context().run(play)

    def test_attributes_are_restored(self) -> None:
        context = ExecutionContext()
        with new_context(context):
            with new_context_with_attribute(trace_tool=True) as same:
                assert same is context
                assert context.trace_tool
            with pytest.raises(RuntimeError), new_context_with_attribute(trace_tool=True):
                raise RuntimeError
            assert not context.trace_tool
            with pytest.raises(AttributeError), new_context_with_attribute(nothing=1):
                pass
