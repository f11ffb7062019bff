"""What each turn of the agent was worth: how far it moved the score.

After every turn the conversation has a worth, the score that it would have if nothing further happened: the milestones
that were met by then, but 0 from the first minefield or side effect on, and at most half from the first statement on
that the world contradicts. The reward of a turn is what it adds to that. So rewards add up to the score, and a turn
that spoils a conversation takes back what the turns before it had earned.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tool_sandbox.scoring.result import CONTRADICTION_CAP
from tool_sandbox.world.profile import Profile

_Nodes = Sequence[Mapping[str, Any]]


def turn_rewards(result: Mapping[str, Any], evaluation: Mapping[str, Any] | None, starts: Sequence[int]) -> list[float]:
    """What each turn of the agent added to the score.

    What happens before the first turn counts for that, and what the stored files do not explain for the last one.

    Args:
        result: Result of the conversation.
        evaluation: What it is scored by, ``None`` where a run does not say.
        starts: Index of the message that each turn begins with, ascending.

    Returns:
        As many numbers as there are turns. Their sum is the score, up to rounding.
    """
    gains = _gains(result, () if evaluation is None else evaluation["milestones"])
    caps = _caps(result)
    ends = [start - 1 for start in starts[1:]]
    worth = [
        min(sum(gain for index, gain in gains if index <= end), *(cap for index, cap in caps if index <= end), 1.0)
        for end in ends
    ]
    if starts:
        worth.append(float(result["similarity"]))
    # A sum of weights rounds: a turn that adds nothing is worth 0, and not a hair more.
    return [round(after - before, 12) + 0.0 for before, after in zip([0.0, *worth], worth, strict=False)]


def _gains(result: Mapping[str, Any], nodes: _Nodes) -> list[tuple[int, float]]:
    """Index of a message to the part of the score that a milestone adds there."""
    mapping: Mapping[str, Sequence[float]] = result["milestone_mapping"]
    is_weighted = result.get("profile") == Profile.STRICT and len(nodes) >= len(mapping)
    weights = {number: nodes[int(number)]["weight"] if is_weighted else 1.0 for number in mapping}
    total = sum(weights.values())
    if not total:
        return []
    return [(int(index), weights[number] / total * similarity) for number, (index, similarity) in mapping.items()]


def _caps(result: Mapping[str, Any]) -> list[tuple[int, float]]:
    """Index of a message to the most that can be scored from there on."""
    caps = [(effect["message_index"], 0.0) for effect in result.get("side_effects") or ()]
    caps += [
        (finding["message"], CONTRADICTION_CAP)
        for finding in result.get("unsupported") or ()
        if finding["world"] is not None and not finding.get("is_open")
    ]
    if result.get("minefield_hit"):
        met = [(similarity, int(index)) for index, similarity in result["minefield_mapping"].values() if similarity]
        full = [index for similarity, index in met if similarity == 1]
        caps += [(max(full or [index for _, index in met]), 0.0)] if met else []
    return caps
