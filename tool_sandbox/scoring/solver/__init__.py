"""The best placement of milestones, exactly, whatever they refer to. `tool_sandbox.scoring.matching` is its only door.

How our own suite is scored can be understood without it: its milestones refer to no others, have no guardrails and are
met or not, so that the order is all that this has to heed.
"""
