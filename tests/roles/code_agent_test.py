"""The agent that writes code: its parts, conversations with listed replies, and runs with real SDK clients."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import attrs
import jsonschema
import pytest

from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.code_brain import CodeBrain, code_turns
from tests.loopback.openai_responses import OpenAIResponsesDialect
from tests.loopback.server import Brain, Broken, Dialect, Heard, Loopback, Move, serve
from tests.roles.model_agent_test import Listed
from tests.stubs.playing import rows_of
from tool_sandbox.analysis.data_loading import load_run
from tool_sandbox.analysis.views import read_conversation
from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    ScenarioCategories,
    get_current_context,
    new_context,
)
from tool_sandbox.conversation.messages import Message, format_tool_call, is_within_code, parse_tool_call
from tool_sandbox.models.messages import AssistantTurn, ModelReply, RequestedCall, StopReason, UserTurn
from tool_sandbox.play.message_conversion import serialize_to_conversation
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.play import play, record
from tool_sandbox.roles import code_process
from tool_sandbox.roles.code_agent import NO_TOOL_CALLS, CodeAgent, resolve, single_call
from tool_sandbox.roles.code_blocks import ParsedReply, fenced, split_reply, written_call
from tool_sandbox.roles.code_stubs import describe_tools
from tool_sandbox.roles.execution_environment import ExecutionEnvironment
from tool_sandbox.roles.model_role import CUT_OFF
from tool_sandbox.roles.registry import look_up, resolve_role
from tool_sandbox.roles.replay_agent import StoredMessagesAgent
from tool_sandbox.roles.tool_dispatch import is_invalid_call
from tool_sandbox.runner.estimate import estimate
from tool_sandbox.runner.results import _count_tool_calls
from tool_sandbox.runner.resume import play_resume, prepare_resume
from tool_sandbox.runner.run import play as play_run
from tool_sandbox.runner.run import prepare_run
from tool_sandbox.runner.schema import load_schema
from tool_sandbox.runner.store import FinishedRun, read_json
from tool_sandbox.scenarios import get_scenario, named_scenarios
from tool_sandbox.world.clock import ScenarioClock
from tool_sandbox.world.errors import ConfigurationError, InfrastructureError, UnknownNameError
from tool_sandbox.world.profile import Profile

SERVERS = {"anthropic": AnthropicDialect, "openai": OpenAIResponsesDialect}
MODELS = {"anthropic": "claude-opus-5-5", "openai": "gpt-5.6"}
NAMES = ["wifi_off", "remove_contact_by_phone", "find_days_till_holiday"]


def log(context: ExecutionContext | None = None) -> list[dict[str, Any]]:
    context = context or get_current_context()
    found = rows_of(context)
    return found[context.first_user_sandbox_message_index :]


def is_within(row: dict[str, Any]) -> bool:
    return is_within_code(row["sender"], row["recipient"], row["visible_to"])


def rows() -> list[dict[str, Any]]:
    """Messages that the agent knows of."""
    return [row for row in log() if not is_within(row)]


def within() -> list[tuple[str, str, str | None]]:
    """What the agent's code called and was answered, as the log has it: who says, what, and which error it is."""
    found = [row for row in log() if is_within(row)]
    return [(row["sender"], row["content"], row["tool_call_exception"]) for row in found]


def tools_called(row: dict[str, Any]) -> list[str]:
    return [json.loads(trace)["tool_name"] for trace in row["tool_trace"] or ()]


def converse(scenario: Scenario, *replies: ModelReply | str) -> Listed:
    model = Listed(*(ModelReply(each, raw=each) if isinstance(each, str) else each for each in replies))
    play(scenario, CodeAgent(model))
    return model


def python(code: str) -> str:
    return f"```python\n{code}\n```"


@pytest.fixture
def scenario() -> Scenario:
    return get_scenario("wifi_off")


class TestReplies:
    @pytest.mark.parametrize(
        ("reply", "text", "code", "is_open"),
        [
            ("Hi.", "Hi.", None, False),
            ("A\n```python\nx\n```\nB", "A\nB", "x", False),
            ("```python\nx\n```\nthen\n```py\ny\n```", "then", "x\n\ny", False),
            ("```Python3 title=x\nx\n```", "", "x", False),
            ("~~~python\nx\n```\n~~~", "", "x\n```", False),
            ("````python\n'''\n```\n'''\n````", "", "'''\n```\n'''", False),
            ("A\n```python\nx\ny", "A", "x\ny", True),
            ("```python", "", "", True),
            ("```\nx\n```", "```\nx\n```", None, False),
            ("```json\n{}\n```\n```bash\nrm\n```", "```json\n{}\n```\n```bash\nrm\n```", None, False),
            ("```text\n```python\nx\n```", "```text\n```python\nx\n```", None, False),
            ("```json\n{}", "```json\n{}", None, False),
            ("Use ```python inline``` or `python`.", "Use ```python inline``` or `python`.", None, False),
            ("print(1)", "print(1)", None, False),
            ("   ```python\n   x\n   ```", "", "   x", False),
            ("```python\r\nx\r\n```\r\n", "", "x", False),
            ("", "", None, False),
        ],
    )
    def test_are_taken_apart(self, reply: str, text: str, code: str | None, is_open: bool) -> None:
        assert split_reply(reply) == ParsedReply(text, code, is_open)

    @pytest.mark.parametrize("code", ["x", "", "'''\n```\n````python\n'''", "a\n\nb"])
    def test_a_written_block_is_read_back(self, code: str) -> None:
        assert split_reply(f"Text.\n\n{fenced(code)}") == ParsedReply("Text.", code)

    def test_a_written_call_is_an_expression(self) -> None:
        assert written_call("f", {"a": "x'", "b": [None, float("inf")]}) == """f(a="x'", b=[None, float('inf')])"""
        assert written_call("f", {"a b": 1}) == "f(**{'a b': 1})"


class TestStubs:
    def stub(self, name: str, *scrambles: ScenarioCategories) -> str:
        context = ExecutionContext(tool_allow_list=[name], profile=Profile.STRICT)
        context.tool_augmentation_list = list(scrambles)
        with new_context(context):
            text = describe_tools(CodeAgent.get_available_tools())
        compile(text, "stub", "exec")
        return text

    def test_tell_names_types_defaults_and_what_comes_back(self) -> None:
        stub = self.stub("add_reminder")
        assert stub.startswith(
            "def add_reminder(\n    content: str,\n    reminder_timestamp: float,\n    latitude: float"
        )
        assert "longitude: float = ...,\n) -> str:" in stub
        assert "Returns:\n        Identifier of the new reminder." in stub
        assert "        content: What to be reminded of." in stub

    @pytest.mark.parametrize(
        ("scramble", "hidden"),
        [
            ("TOOL_NAME_SCRAMBLED", ["add_reminder", "def reminder"]),
            ("ARG_NAME_SCRAMBLED", ["content:", "latitude:"]),
            ("ARG_TYPE_SCRAMBLED", [": str", "float", "->"]),
            ("ARG_DESCRIPTION_SCRAMBLED", ["POSIX", "Args:"]),
            ("TOOL_DESCRIPTION_SCRAMBLED", ["Create a reminder", "Identifier of the new", "->"]),
        ],
    )
    def test_scrambles_hide_what_they_hide_from_others(self, scramble: str, hidden: list[str]) -> None:
        plain, scrambled = self.stub("add_reminder"), self.stub("add_reminder", ScenarioCategories[scramble])
        assert plain != scrambled
        assert [text for text in hidden if text in scrambled] == []

    def test_every_tool_can_be_described_under_every_scramble(self) -> None:
        for profile in Profile:
            for scramble in [None, *(each for each in ScenarioCategories if "SCRAMBLED" in each)]:
                context = ExecutionContext(profile=profile)
                context.tool_augmentation_list = [] if scramble is None else [scramble]
                with new_context(context):
                    tools = CodeAgent.get_available_tools()
                    text = describe_tools(tools)
                compile(text, "stubs", "exec")
                assert [name for name in tools if f"def {name}(" not in text] == []


class TestSingleCalls:
    @pytest.mark.parametrize(
        ("code", "call"),
        [
            ("set_wifi_status(on=False)", ("set_wifi_status", {"on": False})),
            ("# off\nprint(repr(set_wifi_status(False)))  # now", ("set_wifi_status", {"on": False})),
            ("print(set_wifi_status(on=False))", ("set_wifi_status", {"on": False})),
            ("print(send_message_with_phone_number('+1', 'x'))", None),
            ("x = set_wifi_status(on=False)", None),
            ("set_wifi_status(on=not True)", None),
            ("set_wifi_status(on={1, 2})", None),
            ("set_wifi_status(False, on=True)", None),
            ("set_wifi_status(1, 2)", None),
            ("set_wifi_status(on=False)\nset_wifi_status(on=True)", None),
            ("get_current_location()", None),
            ("set_wifi_status(", None),
            ("", None),
        ],
    )
    def test_are_told_from_other_code(self, code: str, call: tuple[str, dict[str, Any]] | None) -> None:
        offered = ["set_wifi_status", "send_message_with_phone_number"]
        with new_context(ExecutionContext(tool_allow_list=offered)):
            assert single_call(code) == call

    def test_become_the_call_of_any_other_agent(self, scenario: Scenario) -> None:
        converse(scenario, "Off.\n" + python("set_wifi_status(on=False)"))
        asked, answered = rows()[1:3]
        assert asked["content"].endswith("print(repr(code_4_response))")
        assert asked["openai_function_name"] == "set_wifi_status"
        assert (answered["content"], tools_called(answered)) == ("None", ["set_wifi_status"])

    def test_a_function_of_the_agents_own_comes_first(self, scenario: Scenario) -> None:
        converse(scenario, python("def set_wifi_status(on):\n    return 'mine'"), python("set_wifi_status(on=False)"))
        assert rows()[4]["content"] == "'mine'"
        assert tools_called(rows()[4]) == []


class TestConversation:
    def test_the_model_is_told_of_functions_and_offered_no_tools(self, scenario: Scenario) -> None:
        request = converse(scenario).requests[0]
        assert request.tools == ()
        assert request.system.startswith("You are the assistant")
        assert "def set_wifi_status(on: bool) -> None:" in request.system
        assert "end_conversation" not in request.system
        assert request.turns == (UserTurn("Turn off wifi."),)

    def test_code_and_output_are_talk_and_state_is_kept(self, scenario: Scenario) -> None:
        model = converse(
            scenario,
            "Let me see.\n" + python("import math\nnotes = [math.pi]\nset_wifi_status(on=False)\n'é'"),
            python("notes.append(2)\nprint(notes)\nlen(notes)"),
            "Wifi is off.",
        )
        turns = model.requests[2].turns
        assert [type(turn) for turn in turns] == [UserTurn, AssistantTurn, UserTurn, AssistantTurn, UserTurn]
        assert turns[2] == UserTurn("The output of the code:\n'é'")
        assert turns[4] == UserTurn("The output of the code:\n[3.141592653589793, 2]\n2")
        assert turns[1] == AssistantTurn(turns[1].text, (), (turns[1].raw[0],))  # type: ignore[union-attr]
        assert turns[1].text.startswith("Let me see.\n\n```python\nimport math\n")
        messages = rows()
        assert [tools_called(row) for row in messages[1:5]] == [[], [], [], []]
        assert [tools_called(row) for row in log()[1:5]] == [[], [], ["set_wifi_status"], []]
        assert messages[1]["content"].startswith("import math")
        assert messages[-3]["content"] == "Wifi is off."
        assert get_current_context().message_texts == {4: "Let me see."}

    def test_several_calls_of_one_block_are_all_traced(self) -> None:
        scenario = get_scenario("remove_contact_by_phone")
        converse(scenario, python("for name in ('Ann', 'Bob'):\n    search_contacts(name=name)\nNone"))
        assert [tools_called(row) for row in log()[1:7]] == [[], [], ["search_contacts"], [], ["search_contacts"], []]
        assert (rows()[2]["content"], rows()[2]["tool_trace"]) == ("", None)

    @pytest.mark.parametrize(
        ("code", "told"),
        [
            ("x = = 1", 'File "<input>", line 1\n    x = = 1\n        ^\nSyntaxError: invalid syntax'),
            ("def f(:", "SyntaxError"),
            ("foo(", "SyntaxError: '(' was never closed"),
            ("print('before')\n1 / 0", "before\nZeroDivisionError: division by zero"),
            ("set_wifi_status(x)", "NameError: name 'x' is not defined"),
            ("y = set_wifi_status(on=True, of=1)", "TypeError: got an unexpected keyword argument 'of'"),
        ],
    )
    def test_broken_code_is_an_error_to_read(self, code: str, told: str, scenario: Scenario) -> None:
        model = converse(scenario, python(code))
        heard = model.requests[1].turns[-1].text  # type: ignore[union-attr]
        assert heard.startswith("The code ended with an error. Its output, and the error:\n")
        assert told in heard
        assert rows()[2]["tool_call_exception"] is not None

    def test_errors_of_tools_read_as_those_of_direct_calls(self) -> None:
        scenario = get_scenario("turn_on_wifi_already_on_error_recovery")
        replies = (python("set_wifi_status(on=True)"), python("x = True\nset_wifi_status(on=x)"))
        converse(scenario, *replies)
        direct, from_code, logged = rows()[2], rows()[4], log()[5]
        assert direct["tool_call_exception"] == from_code["tool_call_exception"] == from_code["content"]
        assert (logged["content"], logged["tool_call_exception"]) == (direct["content"], direct["tool_call_exception"])
        caught = python("try:\n    y = set_wifi_status(on=True)\nexcept ValueError as error:\n    print(error)")
        converse(scenario, caught)
        assert direct["content"].partition(": ")[2] == rows()[2]["content"]

    @pytest.mark.parametrize("reply", ["Done.", "```\nset_wifi_status(on=False)\n```", "```json\n{}\n```", "x = 1"])
    def test_without_a_block_of_python_it_is_for_the_user(self, reply: str, scenario: Scenario) -> None:
        converse(scenario, reply)
        assert (rows()[1]["recipient"], rows()[1]["content"]) == ("USER", reply)

    def test_a_block_without_an_end_runs_unless_the_reply_was_cut_off(self, scenario: Scenario) -> None:
        whole = "```python\nx = False\nset_wifi_status(on=x)"
        model = converse(scenario, ModelReply(whole, stop=StopReason.MAX_TOKENS, raw=whole), whole)
        messages = rows()
        assert messages[2]["tool_call_exception"] == f"RuntimeError: {CUT_OFF}"
        assert tools_called(messages[2]) == []
        assert len(within()) == 2
        assert model.requests[1].turns[1] == AssistantTurn(model.requests[1].turns[1].text, (), (whole,))  # type: ignore[union-attr]

    def test_calls_of_unknown_tools_are_answered(self, scenario: Scenario) -> None:
        call = RequestedCall("c1", "set_wifi_status", {"on": False})
        model = converse(scenario, ModelReply("", (call,), StopReason.TOOL_USE, raw={"call": 1}))
        assert NO_TOOL_CALLS in model.requests[1].turns[-1].text  # type: ignore[union-attr]
        assert model.requests[1].turns[1].raw == ()  # type: ignore[union-attr]
        assert tools_called(rows()[2]) == []

    def test_a_refusal_is_not_searched_for_code(self, scenario: Scenario) -> None:
        converse(scenario, ModelReply(python("set_wifi_status(on=False)"), stop=StopReason.REFUSAL))
        assert rows()[1]["recipient"] == "USER"

    def test_a_conversation_that_goes_on_elsewhere_is_told_alike(self, scenario: Scenario) -> None:
        text = "Off.\n\n" + python("x = False\nset_wifi_status(on=x)")
        first = converse(scenario, text)
        model = Listed()
        role = CodeAgent(model)
        context = get_current_context()
        agent_turn = context.first_user_sandbox_message_index + 4
        role.respond(ending_index=agent_turn)
        then, now = first.requests[1].turns, model.requests[0].turns
        assert [turn.text for turn in now] == [turn.text for turn in then]  # type: ignore[union-attr]


SCRAMBLED = [
    ["TOOL_NAME_SCRAMBLED"],
    ["ARG_NAME_SCRAMBLED"],
    ["TOOL_NAME_SCRAMBLED", "ARG_NAME_SCRAMBLED", "ARG_TYPE_SCRAMBLED", "ARG_DESCRIPTION_SCRAMBLED"],
]


class TestScrambles:
    @pytest.mark.parametrize("profile", list(Profile))
    @pytest.mark.parametrize("scrambles", SCRAMBLED)
    @pytest.mark.parametrize("batched", [False, True])
    def test_the_reference_is_played_under_other_names(
        self, scrambles: list[str], batched: bool, profile: Profile
    ) -> None:
        scenario = get_scenario("remove_contact_by_phone")
        scenario.starting_context.tool_augmentation_list = [ScenarioCategories[each] for each in scrambles]
        scenario.starting_context.profile = profile
        turns = code_turns(scenario, batched=batched)
        assert ("search_contacts" in turns[0]) == ("TOOL_NAME_SCRAMBLED" not in scrambles)
        context, result = play(scenario, CodeAgent(Listed(*map(ModelReply, turns))))
        assert result.similarity == 1.0
        direct = record(scenario).context
        assert context.get_table(DatabaseNamespace.CONTACT) == direct.get_table(DatabaseNamespace.CONTACT)
        asked = [row["content"] for row in rows() if row["sender"] == "AGENT"]
        assert not any(is_invalid_call(context, RoleType.AGENT, content) for content in asked)

    @pytest.mark.parametrize("profile", list(Profile))
    def test_real_names_are_unknown(self, profile: Profile) -> None:
        scenario = get_scenario("remove_contact_by_phone")
        scenario.starting_context.tool_augmentation_list = [
            ScenarioCategories.TOOL_NAME_SCRAMBLED,
            ScenarioCategories.ARG_NAME_SCRAMBLED,
        ]
        scenario.starting_context.profile = profile
        name = scenario.starting_context.get_agent_facing_tool_name("search_contacts")
        converse(
            scenario,
            python("x = 'a'\nsearch_contacts(name=x)"),
            python(f"{name}(name='a')"),
            python(f"x = 'a'\n{name}(name=x)"),
            python(f"print({name}.__module__, {name}.__name__)"),
            python(f"from tool_sandbox.tools.contact import search_contacts\nsearch_contacts(name='a')\n{name}()"),
        )
        answers = [row["content"] for row in rows() if row["sender"] == "EXECUTION_ENVIRONMENT"]
        assert answers[0] == "NameError: name 'search_contacts' is not defined"
        assert answers[1] == answers[2]
        assert "name_" in answers[1]
        assert answers[3] == f"tools {name}"
        assert answers[4].startswith("ModuleNotFoundError")


def test_a_process_that_does_not_start_is_an_infrastructure_error(
    scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_process, "_WORKER", Path("/nowhere.py"))
    with pytest.raises(InfrastructureError, match="did not start"):
        converse(scenario, python("x = 1"))


def call(call_id: str, name: str, /, **arguments: Any) -> str:
    return format_tool_call(call_id, name, arguments)


class TestCallsOfCode:
    """Each call in a piece of code stands in the log as a direct one would."""

    @pytest.fixture
    def scenario(self) -> Scenario:
        found = get_scenario("wifi_off")
        found.starting_context.tool_allow_list = [*(found.starting_context.tool_allow_list or ()), "get_wifi_status"]
        return found

    def test_lie_between_the_code_and_its_reply(self, scenario: Scenario) -> None:
        converse(scenario, python("set_wifi_status(on=False)\nx = get_wifi_status()\nprint('done')"))
        messages = log()[1:7]
        environment = ["EXECUTION_ENVIRONMENT"]
        assert [row["visible_to"] == environment for row in messages] == [False, True, True, True, True, False]
        assert [row["openai_tool_call_id"] for row in messages] == [
            *("code_4", "code_4_0", "code_4_0", "code_4_1", "code_4_1", "code_4")
        ]
        assert within() == [
            ("AGENT", call("code_4_0", "set_wifi_status", on=False), None),
            ("EXECUTION_ENVIRONMENT", "None", None),
            ("AGENT", call("code_4_1", "get_wifi_status"), None),
            ("EXECUTION_ENVIRONMENT", "False", None),
        ]
        settings = get_current_context().get_history(DatabaseNamespace.SETTING)
        assert [(index, list(table.column("wifi"))) for index, table in settings][-1] == (6, [False])

    def test_are_those_that_a_direct_agent_leaves(self, scenario: Scenario) -> None:
        steps = ["set_wifi_status(on=False)", "set_wifi_status(on=False)", "set_wifi_status(off=True)"]
        converse(scenario, *map(python, steps))
        fields = ("sender", "recipient", "openai_function_name", "tool_call_exception", "tool_trace")
        direct = [tuple(row[name] for name in fields) for row in log()[1:7]]
        answers = [row["content"] for row in log()[2:7:2]]
        caught = "".join(f"try:\n    {step}\nexcept Exception:\n    pass\n" for step in steps)
        converse(scenario, python(caught))
        assert [tuple(row[name] for name in fields) for row in log() if is_within(row)] == direct
        assert [content for sender, content, _ in within() if sender != "AGENT"] == answers
        assert (rows()[2]["content"], rows()[2]["tool_call_exception"]) == ("", None)

    @pytest.mark.parametrize("scrambled", [False, True])
    def test_values_without_names_are_logged_with_them(self, scrambled: bool) -> None:
        scenario = get_scenario("remove_contact_by_phone")
        if scrambled:
            scenario.starting_context.tool_augmentation_list = [
                ScenarioCategories.TOOL_NAME_SCRAMBLED,
                ScenarioCategories.ARG_NAME_SCRAMBLED,
            ]
        name = scenario.starting_context.get_agent_facing_tool_name("search_contacts")
        converse(scenario, python(f"x = {name}('a', 'b')"))
        assert within()[0][1] == call("code_4_0", "search_contacts", person_id="a", name="b")
        assert log()[2]["openai_function_name"] == name

    @pytest.mark.parametrize(
        ("written", "arguments", "error"),
        [
            ("set_wifi_status(False, 2)", {"argument_1": False, "argument_2": 2}, "too many positional arguments"),
            ("set_wifi_status(False, on=2)", {"argument_1": False, "on": 2}, "multiple values for argument 'on'"),
            ("set_wifi_status(on={1, 2})", {"on": {1, 2}}, ""),
            ("set_wifi_status(on=frozenset([1]))", {"on": "frozenset({1})"}, ""),
            ("set_wifi_status(on=float('inf'))", {"on": float("inf")}, ""),
            ("set_wifi_status(on='\\n\\ud800')", {"on": "\n?"}, ""),
            ("set_wifi_status(on=b'x')", {"on": b"x"}, ""),
        ],
    )
    def test_odd_arguments_can_be_read_back(
        self, written: str, arguments: dict[str, Any], error: str, scenario: Scenario
    ) -> None:
        model = converse(scenario, python(f"x = {written}"))
        asked, answered = within()
        assert asked[1] == call("code_4_0", "set_wifi_status", **arguments)
        assert parse_tool_call(asked[1]).arguments == arguments  # type: ignore[union-attr]
        assert error in (answered[2] or "")
        assert error in model.requests[1].turns[-1].text  # type: ignore[union-attr]

    def test_are_not_made_again_where_the_state_is_rebuilt(self, scenario: Scenario) -> None:
        first = "def off():\n    return set_wifi_status(on=False)\noff()\nclass A:\n    pass\na = A()"
        converse(scenario, python(first), python("print(type(a).__name__)\noff"), python("get_wifi_status()\nNone"))
        assert [content for sender, content, _ in within() if sender == "AGENT"] == [
            call("code_4_0", "set_wifi_status", on=False),
            call("code_10_0", "get_wifi_status"),
        ]

    def test_are_counted_and_the_code_is_not(self, scenario: Scenario) -> None:
        code = "set_wifi_status(on=False)\ntry:\n    set_wifi_status(on=False)\nexcept ValueError:\n    pass\n"
        converse(scenario, python(code), python("1 / 0"), python("get_wifi_status()"))
        counts = _count_tool_calls(get_current_context())
        assert counts == {"tool_calls": 3, "tool_errors": 1, "invalid_calls": 0}

    def test_are_not_shown(self, scenario: Scenario) -> None:
        model = converse(scenario, python("set_wifi_status(on=False)\nprint('done')"), "Wifi is off.")
        assert [turn.text for turn in model.requests[1].turns[2:]] == ["The output of the code:\ndone"]  # type: ignore[union-attr]
        assert [row["content"] for row in rows()[2:4]] == ["done", "Wifi is off."]

    def test_are_details_of_the_conversation_as_the_agent_saw_it(self, scenario: Scenario) -> None:
        code = "set_wifi_status(on=False)\ntry:\n    set_wifi_status(off=1)\nexcept TypeError:\n    print('no')"
        model = Listed(ModelReply(python(code)), ModelReply("Wifi is off."))
        context, result = play(scenario, CodeAgent(model))
        milestones = scenario.evaluation.milestone_matcher.milestones
        minefields = scenario.evaluation.minefield_matcher.milestones
        turns = serialize_to_conversation(context, result, milestones, minefields)
        said = [turn for turn in turns if turn["role"] in ("assistant", "tool")]
        assert [turn["role"] for turn in said[:3]] == ["assistant", "tool", "assistant"]
        assert [one["id"] for one in said[0]["tool_calls"]] == [said[1]["tool_call_id"]] == ["code_4"]
        details = said[1]["tool_details"]
        assert [row["wifi"] for row in details["database_update"]["SETTING"]] == [False]
        assert [(one["id"], one["name"], one["arguments"], one["is_error"]) for one in details["calls"]] == [
            ("code_4_0", "set_wifi_status", "{'on': False}", False),
            ("code_4_1", "set_wifi_status", "{'off': 1}", True),
        ]

    def test_may_go_on_past_the_largest_number_of_messages(self, scenario: Scenario) -> None:
        scenario.max_turns, scenario.max_messages = None, 6
        converse(scenario, python("for _ in range(5):\n    get_wifi_status()"), "Wifi is off.")
        assert len(within()) == 10
        assert (log()[-1]["content"], log()[-1]["recipient"]) == ("", "AGENT")

    def test_may_be_in_a_batch_with_others(self, scenario: Scenario) -> None:
        with new_context(scenario.starting_context.fork()):
            code = Message(
                *(RoleType.AGENT, RoleType.EXECUTION_ENVIRONMENT, "x = get_wifi_status()\nset_wifi_status(on=not x)"),
                openai_tool_call_id="c",
                openai_function_name="python",
            )
            other = CodeAgent.tool_call_message("d", "get_wifi_status", {})
            CodeAgent.add_messages([code, other])
            ExecutionEnvironment().respond()
            newest = log()[-2:]
            assert [row["openai_tool_call_id"] for row in newest] == ["c", "d"]
            assert [tools_called(row) for row in newest] == [[], ["get_wifi_status"]]
            calls = [row for row in log() if is_within(row)]
            assert [tools_called(row) for row in calls] == [[], ["get_wifi_status"], [], ["set_wifi_status"]]


FORMERLY_DIFFERENT = [
    "add_reminder_if_none_that_day_conditional_true",
    "send_message_unless_already_sent_today_conditional_true",
    "send_message_if_rain_tomorrow_conditional_true",
    "send_message_if_rain_tomorrow_conditional_false",
    "turn_off_wifi_if_cellular_on_conditional_true",
    "turn_on_wifi_already_on_error_recovery",
    "convert_currency_backend_failure_insufficient_information",
    "unit_conversion_substance_told_error_recovery_multiple_user_turn",
    "send_message_power_saving_setter_missing_insufficient_information",
    "toggle_wifi_restart_order",
]
"""Scenarios that ask for what lies between two calls: a condition, a failure, a state that is left again."""

OTHERS = [
    "remove_reminder_all_past_due_batch",
    "add_reminder_last_day_of_next_month",
    "add_reminder_if_stock_above_threshold_conditional",
    "send_message_to_boss_if_holiday_within_week_conditional_true",
    "send_message_coworkers_but_not_boss_negative_constraint",
    "remove_contact_never_messaged_batch",
    "modify_contact_the_other_one_coreference_multiple_user_turn",
    "remove_contact_by_phone_multiple_user_turn",
    "search_relationship_with_phone_number",
    "find_time_until_next_reminder_in_hours_minutes_seconds",
    "remove_contact_already_removed_error_recovery_multiple_user_turn",
    "find_temperature_place_changed_after_answer_multiple_user_turn",
    "find_days_till_holiday_wifi_off",
    "modify_contact_last_sender_unknown_insufficient_information",
    "add_reminder_trip_with_distance_and_budget_long_chain",
    "remove_reminder_fuzzy_noise_disambiguation",
    "convert_currency",
    "search_message_with_recency_oldest_multiple_user_turn_alt",
    "send_message_two_contacts_same_first_name_disambiguation_multiple_user_turn",
    "find_phone_number_with_location_name",
    "send_message_refuse_number_to_stranger_privacy",
    "add_reminder_content_and_date_and_time_multiple_user_turn",
    "add_reminder_next_weekday_ambiguous_disambiguation_multiple_user_turn",
    "modify_reminder_two_similar_contents_disambiguation",
    "search_reminder_with_recency_upcoming_implicit",
    "search_reminder_with_creation_recency_yesterday_insufficient_information_implicit",
    "get_wifi",
    "get_low_battery_mode_off",
    "modify_reminder_time_then_revert_multiple_user_turn",
    "find_temperature_low_battery_mode_alt",
    "find_min_temperature_weekday",
    "find_time_since_text_in_hours_minutes_seconds",
]


@pytest.mark.parametrize("name", [*FORMERLY_DIFFERENT, *OTHERS])
def test_a_score_does_not_depend_on_how_many_calls_one_block_makes(name: str) -> None:
    scenario = get_scenario(name)
    # Two messages more for each block must not change what time it is: the reference's texts and arguments are used.
    clock = scenario.starting_context.clock
    assert isinstance(clock, ScenarioClock)
    scenario.starting_context.clock = attrs.evolve(clock, seconds_per_message=0)
    reference = record(scenario)
    turns = code_turns(scenario, batched=True)
    context, result = play(scenario, CodeAgent(Listed(*map(ModelReply, turns))))
    assert (result.similarity, result.minefield_hit) == (reference.result.similarity, False) == (1.0, False)
    for namespace in set(DatabaseNamespace) - {DatabaseNamespace.SANDBOX}:
        assert context.get_table(namespace) == reference.context.get_table(namespace)
    direct, batched = ([tools_called(row) for row in log(each)] for each in (reference.context, context))
    assert [names for names in batched if names] == [names for names in direct if names]
    traces = [[row["tool_trace"] for row in log(each) if row["tool_trace"]] for each in (reference.context, context)]
    assert traces[0] == traces[1]
    assert name in OTHERS or any(map(is_within, log(context)))


class TestChoice:
    def test_stands_for_the_model(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test")
        spec, make = resolve_role("code:anthropic/claude-opus-5-5:effort=low", "agent")
        assert (spec.name, spec.model) == ("code:anthropic/claude-opus-5-5", "anthropic/claude-opus-5-5:effort=low")
        role = make()
        assert isinstance(role, CodeAgent)
        assert type(role) is spec.load("agent")
        assert look_up("code:anthropic/claude-opus-5-5:effort=low", "agent").model == spec.model

    @pytest.mark.parametrize("choice", ["code:", "code:Oracle", "code:code:anthropic/x", "code:anthropic"])
    def test_needs_a_model(self, choice: str) -> None:
        with pytest.raises(ConfigurationError, match="code:provider/model"):
            resolve(choice)

    def test_mistakes_are_those_of_the_model(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(UnknownNameError, match="there is no provider 'antropic'"):
            resolve("code:antropic/x")
        with pytest.raises(ConfigurationError, match="needs"):
            resolve("code:anthropic/claude-opus-5-5")
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test")
        with pytest.raises(ConfigurationError, match="nonsense"):
            resolve("code:anthropic/claude-opus-5-5:nonsense=1")


# Runs ----------------------------------------------------------------------------------------

Serve = Callable[..., AbstractContextManager[Loopback]]


@pytest.fixture(params=list(SERVERS))
def provider(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test-0123456789")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    return str(request.param)


def choice(provider: str, server: Loopback) -> str:
    path = "/v1" if provider == "openai" else ""
    return f"code:{provider}/{MODELS[provider]}:base_url={server.url}{path},retries=0"


def serving(provider: str, brain: Brain | Sequence[Move]) -> AbstractContextManager[Loopback]:
    dialect: Dialect = SERVERS[provider]()
    return serve(dialect, brain)


def played(provider: str, server: Loopback, base: Path, names: Sequence[str] = NAMES, **more: Any) -> FinishedRun:
    return play_run(prepare_run(choice(provider, server), "Scripted", names, threads=1, **more), base)


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.json"
    entries = [
        {"provider": provider, "model": model, "valid_from": "2024-01-01", "input": 10, "output": 100}
        for provider, model in MODELS.items()
    ]
    path.write_text(json.dumps({"prices": entries}))
    return path


@pytest.mark.parametrize("batched", [False, True])
def test_runs_reach_the_score_of_the_reference(provider: str, batched: bool, tmp_path: Path, prices: Path) -> None:
    brain = CodeBrain.of(list(named_scenarios(names=NAMES).values()), batched=batched)
    with serving(provider, brain) as server:
        run = played(provider, server, tmp_path / "data", prices=prices)
        asked = len(server.seen)
    assert [(result["similarity"], result["outcome"]) for result in run.results] == [(1, "completed")] * len(NAMES)
    assert f"code_{provider}_{MODELS[provider]}" in run.path.name
    usage = run.summary["usage"]["agent"]
    assert (usage["calls"], usage["input_tokens"]) == (asked, asked * 100)
    assert usage["cost_usd"] == pytest.approx(asked * (100 * 10 + 10 * 100) / 1e6)
    described = read_json(run.path / "run.json")
    assert described["models"]["agent"]["model"] == MODELS[provider]


@pytest.mark.slow
def test_a_replay_is_the_same_run_byte_for_byte(provider: str, tmp_path: Path) -> None:
    brain = CodeBrain.of(list(named_scenarios(names=NAMES).values()), batched=True)
    with serving(provider, brain) as server:
        first = played(provider, server, tmp_path / "data")
        asked = len(server.seen)
        run = play_run(prepare_run(f"replay:{first.path}", "Scripted", NAMES, threads=1), tmp_path / "again")
        assert len(server.seen) == asked
    assert run.summary["replay"] == {"identical": len(NAMES), "diverged": 0, "unused": 0, "first": None}
    kept = ("execution_context.json", "conversation.json", "pretty_print.txt")
    compared = [path for path in first.path.rglob("*") if path.name in kept]
    assert len(compared) == len(NAMES) * len(kept)
    for path in compared:
        assert (run.path / path.relative_to(first.path)).read_bytes() == path.read_bytes()


def test_stored_messages_make_no_call_twice(tmp_path: Path) -> None:
    scenario = get_scenario("remove_contact_by_phone")
    code = python("for name in ('Ann', 'Bob'):\n    search_contacts(name=name)")
    stored, _ = play(scenario, CodeAgent(Listed(ModelReply(code), ModelReply(code))))
    directory = tmp_path / "trajectories" / scenario.name
    directory.mkdir(parents=True)
    (directory / "execution_context.json").write_text(json.dumps(stored.to_dict(serialize_console=False)))
    agent = StoredMessagesAgent(tmp_path)
    again, _ = play(get_scenario("remove_contact_by_phone"), agent)
    assert log(again) == log(stored)
    assert sum(map(is_within, log(stored))) >= 8
    assert again.to_dict(serialize_console=False) == stored.to_dict(serialize_console=False)
    assert (agent.replay["unused"], agent.replay["divergences"]) == (0, [])


def test_what_a_reader_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test")
    brain = CodeBrain({"Turn off wifi.": [python("x = False\nset_wifi_status(on=x)"), "Wifi is off."]})
    with serving("anthropic", brain) as server:
        run = played("anthropic", server, tmp_path, ["wifi_off"])
    (result,) = run.results
    assert (result["similarity"], result["tool_calls"]) == (1, 1)
    view = read_conversation(run.path, "wifi_off")
    shown = [message for message in view.messages if message.index >= view.opening][1:6]
    calls = [message.call.tool if message.call else None for message in shown]
    assert calls == [None, "set_wifi_status", None, None, None]
    assert [message.answer.call_index if message.answer else None for message in shown] == [
        *(None, None, shown[1].index, shown[0].index, None)
    ]
    # The request that wrote the code, and the one that wrote the text.
    assert [message.model is not None for message in shown] == [True, False, False, False, True]
    assert [change.database for change in shown[2].changes] == ["SETTING"]
    written = (run.path / "trajectories" / "wifi_off" / "pretty_print.txt").read_text()
    assert "AGENT -> EXECUTION_ENVIRONMENT  set_wifi_status  (visible to EXECUTION_ENVIRONMENT)" in written
    assert "Traceback" not in written
    conversation = json.loads((run.path / "trajectories" / "wifi_off" / "conversation.json").read_text())
    jsonschema.validate(conversation, load_schema("conversation"))
    tool_calls = load_run(run.path).tool_calls
    assert tool_calls["tool"].to_list()[:2] == [None, "set_wifi_status"]
    assert tool_calls["result"].to_list()[:2] == ["", "None"]


@pytest.mark.slow
def test_a_retry_plays_what_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test")
    brain = CodeBrain.of(list(named_scenarios(names=NAMES).values()))
    broken = True

    def malformed(heard: Heard) -> Move:
        return Broken(500) if broken and "Turn off wifi." in heard.turns[0].text else brain(heard)

    with serving("anthropic", malformed) as server:
        run = played("anthropic", server, tmp_path)
        assert run.results[0]["outcome"] == "infrastructure_error"
        broken = False
        (again,) = play_resume(prepare_resume([run.path], threads=1, agent=choice("anthropic", server)))
    assert [result["similarity"] for result in again.results] == [1] * len(NAMES)


@pytest.mark.slow
def test_an_estimate_asks_no_model(provider: str, tmp_path: Path, prices: Path) -> None:
    brain = CodeBrain.of(list(named_scenarios(names=NAMES).values()))
    with serving(provider, brain) as server:
        found = estimate(prepare_run(choice(provider, server), "Scripted", NAMES, prices=prices))
        assert server.seen == []
        played(provider, server, tmp_path)
        sent = sum(len(seen.raw) for seen in server.seen)
    party = found.parties["agent"]
    assert party.model == f"{provider}/{MODELS[provider]}"
    assert party.input_tokens == pytest.approx(sent / 3, rel=0.25)


@pytest.fixture(autouse=True)
def _a_world_of_its_own() -> Iterator[None]:
    with new_context(ExecutionContext()):
        yield
