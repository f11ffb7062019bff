"""What one check misses in a conversation, in words."""

from typing import Any

from tool_sandbox.answers.facts import AnswerSimilarity
from tool_sandbox.conversation.execution_context import ExecutionContext
from tool_sandbox.runner.explanation.answers import answer_missing, text_missing
from tool_sandbox.runner.explanation.calls import call_missing, failure_missing
from tool_sandbox.runner.explanation.changes import change_missing
from tool_sandbox.runner.explanation.gaps import Shortfall
from tool_sandbox.runner.explanation.rows import rows_missing
from tool_sandbox.scoring import SnapshotConstraint


def shortfall(
    constraint: SnapshotConstraint, context: ExecutionContext, index: int, reference: int | None
) -> Shortfall:
    """Says what a check misses."""
    check = constraint.snapshot_constraint
    found = check_shortfall(check, context, index)
    if found is None and constraint.target_dataframe is not None:
        found = rows_missing(constraint, context, index, reference)
    if found is None and constraint.is_guardrail:
        found = Shortfall(f"{constraint.database_namespace} changed since message {reference}", index)
    return found or Shortfall("not met at any message", index)


def check_shortfall(check: Any, context: ExecutionContext, index: int) -> Shortfall | None:
    """The same for a check that reads the trajectory; ``None`` for one that is not known here."""
    from tool_sandbox.scenarios.checks import Asked, Called, Changed, Failed, NotYet, Told

    match check:
        case AnswerSimilarity():
            return answer_missing(check, context, index)
        case Changed():
            return change_missing(check, context, index)
        case Called():
            return call_missing(check, context, index)
        case Failed():
            return failure_missing(check, context, index)
        case NotYet():
            return Shortfall("that change had been made already", index)
        case Asked() | Told():
            return text_missing(check, context, index)
    alternatives = [check_shortfall(each, context, index) for each in getattr(check, "checks", ())]
    known = [each for each in alternatives if each is not None]
    return Shortfall("; ".join(each.why for each in known), known[0].message_index) if known else None
