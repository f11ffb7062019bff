"""Whether what an agent tells its user can be known, and whether the world says otherwise.

Every typed value in a statement (a phone number, a postal code, a time of day, a date, an amount, a quotation, a name)
has to come from what had been shown by then: results of tools, the words of the user, the arguments of the agent's own
calls, or what can be worked out from these. Every deed that the agent claims for itself has to match a change that was
made, and every device setting that it speaks of has to be as it says. What nothing supports is *unsupported*; what the
world says otherwise is *contradicted*.
"""

from tool_sandbox.answers.grounding.finding import Finding, Kind
from tool_sandbox.answers.grounding.statements import check_statements

__all__ = ["Finding", "Kind", "check_statements"]
