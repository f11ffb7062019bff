"""What the profiles demand of a mapping."""

import attrs


@attrs.frozen
class MatchingRules:
    """What a profile demands of a mapping.

    Attributes:
        derived_guardrails: Whether guardrails follow from the order of milestones.
        outer_guardrails: Whether they also hold from the initial state to the first milestones, and from the
            last ones to the end.
        any_row_order: Whether guardrails accept the same rows in another order.
        anchored: Whether a milestone about world state is placed at the first message that meets it best, and
            an unmet one where its predecessors are.
        weighted: Whether weights count, and milestones of weight 0 gate their successors.
    """

    derived_guardrails: bool = True
    outer_guardrails: bool = False
    any_row_order: bool = False
    anchored: bool = False
    weighted: bool = False
