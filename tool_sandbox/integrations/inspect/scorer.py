"""The scorer: what the engine has found, as a score of Inspect with its parts."""

from collections.abc import Mapping
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from tool_sandbox.integrations.inspect.kept import KEY, Kept
from tool_sandbox.runner.verdicts import is_evaluated
from tool_sandbox.world.errors import ConfigurationError

_METRICS = [mean(), stderr(cluster="family")]
"""Scenarios of a family are not independent."""

VALUES = ("success", "score", "milestones", "side_effects", "unsupported")
"""The parts of a score."""


@scorer(metrics=dict.fromkeys(VALUES, _METRICS))
def evaluation() -> Scorer:
    """Reads the score of a conversation that the solver of this package has played.

    A score has five values: ``success`` (1 or 0), ``score`` from 0 to 1, ``milestones`` from 0 to 1, and the numbers
    of ``side_effects`` and of ``unsupported`` statements, which is not a number under rules that do not look for them.
    What says nothing about the agent is unscored.
    """

    async def score(state: TaskState, target: Target) -> Score:
        stored = state.store.get(KEY)
        if stored is None:
            raise ConfigurationError(f"sample {state.sample_id} was not played by the solver of tool_sandbox")
        return score_of(Kept.of(stored), state.output.completion)

    return score


def score_of(kept: Kept, answer: str) -> Score:
    """The score of a conversation.

    Args:
        kept: The conversation.
        answer: The last words of the agent.
    """
    result = kept.result
    metadata = {name: result.get(name) for name in _TOLD}
    if not is_evaluated(result):
        if not hasattr(Score, "unscored"):
            # Older versions leave out what is not a number, value by value.
            nothing = dict.fromkeys(VALUES, float("nan"))
            return Score(value=nothing, explanation=result["reason"], metadata=metadata)
        return Score.unscored(reason=result["outcome"], explanation=result["reason"], metadata=metadata)
    unsupported = result.get("unsupported")
    values: dict[str, float] = {
        "success": float(result["success"]),
        "score": result["similarity"],
        "milestones": result["milestone_similarity"],
        "side_effects": float(len(result["side_effects"])),
        "unsupported": float("nan") if unsupported is None else float(len(unsupported)),
    }
    return Score(value=dict(values), answer=answer, explanation=_explained(result, kept), metadata=metadata)


_TOLD = (
    *("outcome", "reason", "fault", "success", "similarity", "milestone_similarity", "minefield_similarity"),
    *("milestone_mapping", "minefield_mapping", "minefield_hit", "side_effects", "unsupported", "unclear"),
    *("score_interval", "tool_calls", "tool_errors", "invalid_calls", "turn_count", "profile", "user_findings"),
)
"""What the metadata have of the result."""


def _explained(result: Mapping[str, Any], kept: Kept) -> str:
    """How the conversation ended and what was missed, a line each."""
    lines = [": ".join(filter(None, (result["outcome"], result["reason"])))]
    explanations = (kept.part("evaluation") or {}).get("explanations") or {}
    for kind, mapping in (("milestone", "milestone_mapping"), ("minefield", "minefield_mapping")):
        for number, (index, similarity) in result[mapping].items():
            why = _why((explanations.get(f"{kind}s") or {}).get(number) or {})
            lines.append(f"{kind} {number}: {similarity:.2f} at message {index}{why}")
    lines += [f"side effect: {effect['description']}" for effect in result["side_effects"]]
    lines += [f"not supported: {finding['said']}" for finding in result.get("unsupported") or ()]
    return "\n".join(lines)


def _why(explanation: Mapping[str, Any]) -> str:
    found = [explanation.get("why"), *(check["why"] for check in explanation.get("checks", ()))]
    told = "; ".join(filter(None, found))
    return f" ({told})" if told else ""
