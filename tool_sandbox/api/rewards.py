"""Rewards: the score at the end, or the same, shaped by the score so far."""

import math
from typing import TYPE_CHECKING

import attrs

from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.runner.verdicts import is_evaluated
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

if TYPE_CHECKING:
    from tool_sandbox.api.moment import Moment

KINDS = ("score", "dense")


@attrs.frozen
class Reward:
    """What an action is worth.

    ``score`` pays nothing but the score, with the action that ends the conversation. ``dense`` adds ``discount * P(s')
    - P(s)``, where the potential P of a moment is the score if the conversation ended there, and 0 once it is over:
    with that, and only with a reward of this form, what is best stays best in every world (Ng, Harada and Russell:
    Policy invariance under reward transformations, ICML 1999; on why P is 0 at the end, Grzes: Reward shaping in
    episodic reinforcement learning, AAMAS 2017). Without a discount the rewards of a conversation sum up to its score
    less the potential of its beginning.

    Attributes:
        kind: ``score`` or ``dense``.
        discount: Factor by which a reward is worth less one action later.
    """

    kind: str = "score"
    discount: float = 1.0

    def __attrs_post_init__(self) -> None:
        """Checks both.

        Raises:
            ConfigurationError: They make no sense.
        """
        if self.kind not in KINDS:
            raise UnknownNameError(f"there is no reward {self.kind!r:.40}.", suggest(str(self.kind), KINDS) or KINDS)
        if not isinstance(self.discount, int | float) or not 0 <= self.discount <= 1:
            raise ConfigurationError(f"discount has to be a number from 0 to 1, not {self.discount!r:.40}")

    def between(self, before: "Moment", after: "Moment") -> float:
        """The reward of the action that led from one moment to another."""
        if self.kind == "score":
            return _paid(after)
        return math.fsum((_paid(after), self.discount * _potential(after), -_potential(before)))


def _paid(moment: "Moment") -> float:
    """The score of a conversation that is over, if it says anything about the agent."""
    result = moment.result
    return float(result["similarity"]) if result is not None and is_evaluated(result) else 0.0


def _potential(moment: "Moment") -> float:
    score = None if moment.result is not None else moment.evaluation
    return 0.0 if score is None else float(score.similarity)
