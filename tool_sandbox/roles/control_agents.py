"""Agents that should fail: they show that a score means something.

Most play the reference solution with one thing wrong. Each is deterministic, so a scenario whose
score they raise has a definite flaw.
"""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import attrs

from tool_sandbox.conversation.execution_context import RoleType, get_current_context
from tool_sandbox.conversation.messages import Message
from tool_sandbox.helpers.syntax import parse_expression
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.oracle_agent import OracleAgent, as_agent_calls
from tool_sandbox.world.script import Call, Say, Step

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario

WRITING_TOOLS = ("add_", "modify_", "remove_", "send_", "set_")
"""How the names of tools that change the world begin."""

DUMMY_CALLS = (
    Call("set_low_battery_mode_status", {"on": False}),
    Call("set_wifi_status", {"on": True}),
    Call("set_cellular_service_status", {"on": True}),
    Call("set_location_service_status", {"on": True}),
    Call("get_wifi_status"),
    Call("get_cellular_service_status"),
    Call("get_location_service_status"),
    Call("get_low_battery_mode_status"),
    Call("get_current_timestamp"),
    Call("get_current_location"),
    Call("search_contacts", {"name": "Alex"}),
    Call("search_messages", {"content": "hello"}),
    Call("search_reminder", {"content": "reminder"}),
    Call("search_holiday", {"holiday_name": "Labor Day"}),
    Call("search_stock", {"query": "Alphabet"}),
    Call("search_lat_lon", {"latitude": 1.0, "longitude": 1.0}),
    Call("search_location_around_lat_lon", {"location": "school"}),
    Call("search_weather_around_lat_lon"),
    Call("convert_currency", {"amount": 1, "from_currency_code": "EUR", "to_currency_code": "USD"}),
    Call("unit_conversion", {"amount": 1, "from_unit": "meter", "to_unit": "kilometer"}),
    Call("timestamp_diff", {"timestamp_0": 1.6e9, "timestamp_1": 1.7e9}),
    Call("timestamp_to_datetime_info", {"timestamp": 1.6e9}),
    Call("shift_timestamp", {"timestamp": 1.6e9, "days": 1}),
)
"""One call of each tool that reads, calculates or switches something on, with arguments that fit no request."""

REFUSAL = "I am sorry, but I cannot help with that."


def _agent_messages(role: BaseRole) -> list[Message]:
    """What the agent has sent so far."""
    messages = role.filter_messages(role.get_messages())
    return [message for message in messages if message.sender == RoleType.AGENT]


def _say(text: str) -> Message:
    return Message(sender=RoleType.AGENT, recipient=RoleType.USER, content=text)


class RecitingAgent(BaseRole):
    """Says prepared texts one after the other, the last one again and again, and never calls a tool."""

    role_type = RoleType.AGENT

    def __init__(self, *texts: str) -> None:
        """An agent with at least one text; an empty text is silence."""
        self.texts = texts

    def respond(self, ending_index: int | None = None) -> None:
        """Says the next text."""
        said = len(_agent_messages(self))
        self.add_messages([_say(self.texts[min(said, len(self.texts) - 1)])])


class RequestBlindAgent(BaseRole):
    """Never reads the request: switches everything on, makes each of `DUMMY_CALLS` once, then refuses."""

    role_type = RoleType.AGENT

    def respond(self, ending_index: int | None = None) -> None:
        """Makes the next dummy call, or refuses."""
        context = get_current_context()
        calls = [call for call in DUMMY_CALLS if context.is_tool_offered(call.tool)]
        made = sum(message.recipient == RoleType.EXECUTION_ENVIRONMENT for message in _agent_messages(self))
        if made == len(calls):
            self.add_messages([_say(REFUSAL)])
            return
        self.add_messages([as_agent_calls(calls[made], f"call_{made}")])


class MumblingAgent(OracleAgent):
    """Makes all the right calls and says nothing of content."""

    is_fallible = True
    words = "Okay."

    def alter(self, step: Step, number: int) -> Step | None:
        """Replaces every text."""
        return Say(self.words) if isinstance(step, Say) else step


class WordlessAgent(MumblingAgent):
    """Makes all the right calls and says nothing."""

    words = finished = ""


class ReadOnlyAgent(OracleAgent):
    """Makes the right calls, except those that would change something."""

    is_fallible = True

    def __init__(self, writing: tuple[str, ...] = WRITING_TOOLS) -> None:
        """An agent that leaves out calls of tools whose names begin with one of ``writing``."""
        super().__init__()
        self.writing = writing

    def alter(self, step: Step, number: int) -> Step | None:
        """Leaves out steps that write."""
        calls = step if isinstance(step, list) else [step]
        writes = any(isinstance(call, Call) and call.tool.startswith(self.writing) for call in calls)
        return None if writes else step


class FirstMatchAgent(OracleAgent):
    """Takes the first row of every list for the one that is meant, and for all there are.

    A solution may know a row without having read it; the agent then takes the first row of the list for it, too.
    """

    is_fallible = True

    def __init__(self) -> None:
        """An agent that has seen nothing."""
        super().__init__()
        self._instead: dict[str, str] = {}

    def begin(self, scenario: "Scenario") -> None:
        """Forgets what it has seen."""
        super().begin(scenario)
        self._instead = {}

    def perceive(self, outcome: Any) -> Any:
        """Sees one row of a list."""
        seen = outcome[:1] if isinstance(outcome, list) else outcome
        seen = _with_rows(seen, 1) if isinstance(seen, dict) else seen
        for rows in _lists(outcome):
            firsts = _ids(rows[0])
            self._instead |= {
                value: firsts[key] for row in rows[1:] for key, value in _ids(row).items() if key in firsts
            }
        for row in _rows(seen):
            for value in _ids(row).values():
                self._instead.pop(value, None)
        return seen

    def alter(self, step: Step, number: int) -> Step | None:
        """Means the first row wherever it has not seen the one that is meant."""
        if isinstance(step, Say):
            return step
        if isinstance(step, Call):
            return attrs.evolve(step, arguments=self._known(step.arguments))
        return [attrs.evolve(call, arguments=self._known(call.arguments)) for call in step]

    def _known(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._known(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return list(dict.fromkeys(map(self._known, value))) if _are_texts(value) else [*map(self._known, value)]
        return self._instead.get(value, value) if isinstance(value, str) else value


def _rows(outcome: Any) -> Iterator[dict[str, Any]]:
    """All that is told of by keys in a result, on all levels."""
    if isinstance(outcome, dict):
        yield outcome
    for inner in outcome.values() if isinstance(outcome, dict) else outcome if isinstance(outcome, list) else ():
        yield from _rows(inner)


def _lists(outcome: Any) -> Iterator[list[dict[str, Any]]]:
    """The lists of rows in a result."""
    for row in _rows(outcome):
        results = row.get("results") if "next_cursor" in row else None
        if results:
            yield results
    if isinstance(outcome, list) and outcome and all(isinstance(row, dict) for row in outcome):
        yield outcome


def _ids(row: dict[str, Any]) -> dict[str, str]:
    return {key: value for key, value in row.items() if key.endswith("_id") and isinstance(value, str)}


def _are_texts(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


class FirstPageAgent(OracleAgent):
    """Stops at the first page of every list."""

    is_fallible = True

    def perceive(self, outcome: Any) -> Any:
        """Sees no further page."""
        return _with_rows(outcome, None) if isinstance(outcome, dict) else outcome


def _with_rows(outcome: dict[str, Any], most: int | None) -> dict[str, Any]:
    if "next_cursor" not in outcome:
        return outcome
    return outcome | {"results": outcome["results"][:most], "next_cursor": None}


class QuittingAgent(OracleAgent):
    """Gives up at the first call that fails."""

    is_fallible = True

    def respond(self, ending_index: int | None = None) -> None:
        """Says that it did not work, or makes the next step of the solution."""
        messages = self.get_messages(ending_index)
        if any(message.tool_call_exception for message in messages):
            self.add_messages([_say("Sorry, that did not work. I can't do it.")])
            return
        super().respond(ending_index)


class NeverLookingAgent(OracleAgent):
    """Makes only the calls that change something, as far as it can without having looked."""

    is_fallible = True

    def __init__(self, writing: tuple[str, ...] = WRITING_TOOLS) -> None:
        """An agent that makes calls of tools whose names begin with one of ``writing``, and no others."""
        super().__init__()
        self.writing = writing

    def alter(self, step: Step, number: int) -> Step | None:
        """Leaves out steps that only look."""
        calls = step if isinstance(step, list) else [step]
        return step if all(isinstance(call, Say) or call.tool.startswith(self.writing) for call in calls) else None


class ForgetfulAgent(OracleAgent):
    """Leaves one step of the solution out."""

    is_fallible = True

    def __init__(self, position: int) -> None:
        """An agent that forgets the step at ``position``, counted from 0."""
        super().__init__()
        self.position = position

    def alter(self, step: Step, number: int) -> Step | None:
        """Leaves out the one step."""
        return None if number == self.position else step


class MeddlingAgent(OracleAgent):
    """Plays the solution and makes one unrequested call."""

    is_fallible = True

    def __init__(self, position: int, call: Call) -> None:
        """An agent that makes ``call`` once it has sent ``position`` messages."""
        super().__init__()
        self.position = position
        self.call = call

    def respond(self, ending_index: int | None = None) -> None:
        """Makes the unwanted call, or the next step of the solution."""
        if len(_agent_messages(self)) != self.position:
            super().respond(ending_index)
            return
        self.add_messages([as_agent_calls(self.call, "unasked")])


class ObedientAgent(OracleAgent):
    """Plays the solution, and makes at once whatever call the result of a tool orders."""

    is_fallible = True

    def respond(self, ending_index: int | None = None) -> None:
        """Makes the ordered call, once for each order, or the next step of the solution."""
        orders: list[Call] = []
        for message in self.filter_messages(self.get_messages(ending_index=ending_index)):
            order = _order(message)
            if order is not None and order not in orders:
                orders.append(order)
        obeyed = sum((message.openai_tool_call_id or "").startswith("obeyed_") for message in _agent_messages(self))
        if obeyed >= len(orders):
            super().respond(ending_index)
            return
        order = orders[obeyed]
        self.add_messages([self.tool_call_message(f"obeyed_{obeyed}", order.tool, order.arguments)])


_ORDER = re.compile(r"you have called (\w+\([^)]*\))")


def _order(message: Message) -> Call | None:
    """The call that a result orders, if it does and the tool is on offer."""
    match = _ORDER.search(message.content or "")
    if match is None or message.sender != RoleType.EXECUTION_ENVIRONMENT:
        return None
    node = parse_expression(match[1])
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    arguments = {keyword.arg: ast.literal_eval(keyword.value) for keyword in node.keywords if keyword.arg}
    return Call(node.func.id, arguments) if get_current_context().is_tool_offered(node.func.id) else None
