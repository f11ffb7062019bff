"""Did the simulated user play its part? A deterministic audit of one conversation.

The checks are made such that a finding is worth reading: what may be right is not reported.
"""

from tool_sandbox.common.fidelity.audit import audit
from tool_sandbox.common.fidelity.finding import Finding, FindingKind

__all__ = ["Finding", "FindingKind", "audit"]
