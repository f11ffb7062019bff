"""Where the suites of the tests are, and who plays them."""

import datetime
from pathlib import Path
from typing import Any

from tool_sandbox.conversation.execution_context import RoleType, get_current_context
from tool_sandbox.play.message_conversion import Message
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.roles.base_role import BaseRole

SUITES = Path(__file__).parent
CHECKOUT, GARDEN, RADIO = SUITES / "checkout", SUITES / "garden", SUITES / "radio.py"
NAMES = ["leave_the_network", "who_is_the_boss", "write_to_nobody", "next_errand", "errand_of_tomorrow"]
"""Base scenarios of the checkout."""

ENGINE = "from tool_sandbox.play.scenario import Scenario\n"
NEW_YEARS_EVE = "2029-12-31T23:59:59"


class Attentive(BaseRole):
    """Does what the scenarios of the checkout ask for."""

    role_type = RoleType.AGENT

    def begin(self, scenario: Scenario) -> None:
        self.task = scenario.name.partition("_3_distraction")[0]

    def respond(self, ending_index: int | None = None) -> None:
        start = get_current_context().first_user_sandbox_message_index
        results = [message for message in self.get_messages()[start:] if message.recipient == RoleType.AGENT]
        step = getattr(self, self.task)(len(results) - 1, results[-1].content)
        if isinstance(step, str):
            self.add_messages([Message(RoleType.AGENT, RoleType.USER, step)])
        else:
            name, arguments = step
            shown = get_current_context().get_agent_facing_tool_name(name)
            self.add_messages([self.tool_call_message(f"call_{len(results)}", shown, arguments)])

    def leave_the_network(self, step: int, last: str) -> Any:
        return ("set_wifi_status", {"on": False}) if step == 0 else "You are off the wireless network"

    def who_is_the_boss(self, step: int, last: str) -> Any:
        calls = [("get_wifi_status", {}), ("search_contacts", {"relationship": "boss"})]
        return calls[step] if step < 2 else "The number is +14155550103 and the wireless network is off"

    def write_to_nobody(self, step: int, last: str) -> Any:
        return "Whom shall I tell?"

    def next_errand(self, step: int, last: str) -> Any:
        if step == 0:
            return "get_current_timestamp", {}
        if step == 1:
            return "search_reminder", {"reminder_timestamp_lowerbound": float(last)}
        return "Next you have to water the ferns" if "bread" not in last and "ladder" not in last else "Too much"

    def errand_of_tomorrow(self, step: int, last: str) -> Any:
        if step == 0:
            return "get_current_timestamp", {}
        if step == 1:
            day = datetime.datetime.fromtimestamp(float(last)) + datetime.timedelta(days=1)
            due = {"year": day.year, "month": day.month, "day": day.day, "hour": 17, "minute": 0, "second": 0}
            return "datetime_info_to_timestamp", due
        return (
            ("add_reminder", {"content": "sweep the yard", "reminder_timestamp": float(last)}) if step == 2 else "Done"
        )
