"""The numbers of a run."""

from typing import Annotated, Literal

from typing_extensions import TypedDict

from tool_sandbox.records.declaring import Count, OneOf, Share

HEADLINES = ("success", "similarity")
"""Metrics that excluded conversations would change, and that floors are known of."""

GROUPINGS = ("tier", "axis", "category", "augmentation", "family")
"""What the parts of a run are called by that have numbers of their own."""

Main = Annotated[str, OneOf(HEADLINES)]

ClusterKind = Literal["family", "base_scenario"]


class Ends(TypedDict):
    """Ends of an interval."""

    low: float | None
    high: float | None


class Estimate(TypedDict):
    """A mean with its intervals."""

    mean: float
    low: float | None
    """lower end of the analytic interval, null if nothing is known"""
    high: float | None
    """upper end"""
    method: str
    """how it was computed"""
    bootstrap: Ends | None
    """interval from drawing clusters, null where none was computed"""
    n: Count
    """what the mean is over: conversations, calls, or scenarios and seeds"""
    clusters: Count
    """families, or base scenarios, see clustered_by"""


class PassEstimate(TypedDict):
    """pass@k or pass^k for one k."""

    estimate: Estimate | None
    left_out: Count
    """scenarios and seeds with fewer than k trials that count"""


class Headline(TypedDict):
    """Whether there is a number that a run can be known by."""

    value: Share | None
    """mean over the conversations that count, null if refused"""
    low: Share | None
    """mean if all excluded ones had earned nothing"""
    high: Share | None
    """mean if they had earned everything"""
    reason: str | None
    """why it is refused"""


class Spread(TypedDict):
    """Where values lie."""

    median: float
    p95: float
    """95 % are below"""
    n: Count


class Group(TypedDict):
    """The numbers of a whole run or of a part of it."""

    conversations: Count
    """conversations that were played"""
    evaluated: Count
    """those that count in means"""
    open: Count
    """those of them whose score depends on an unclear reading"""
    settled_by_judge: Count
    """those of them in which a model decided an unclear reading"""
    units: Count
    """scenarios and seeds"""
    clustered_by: ClusterKind
    """what intervals treat as drawn at random: base scenarios within a family, and where there is one"""
    trials: Count
    """most trials of one scenario and seed"""
    outcomes: dict[str, Count]
    """outcome to number of conversations"""
    infrastructure_error_rate: Share
    """share of conversations that ended so"""
    user_error_rate: Share
    """share of conversations that ended so"""
    failure_modes: dict[str, Count]
    """failure mode to the number of conversations that failed in that way"""
    headlines: dict[Main, Headline]
    """the numbers that it can be known by"""
    floors: dict[str, dict[Main, Share | None]] | None
    """agent without skill to what it earns, null where that is not known"""
    estimates: dict[str, Estimate | None]
    """metric to its mean over conversations, null where none knows it"""
    pass_at_k: dict[str, PassEstimate]
    """k to the chance of at least one success in k trials"""
    pass_hat_k: dict[str, PassEstimate]
    """k to the chance of k successes in k trials"""
    latency: Spread | None
    """seconds of the agent's model per conversation"""
    cost_usd: float | None
    """list price of all conversations that count and whose price is known"""


class Metrics(TypedDict):
    """The numbers of a run."""

    format: Count
    """version of this layout"""
    confidence: float
    """of all intervals"""
    max_infrastructure_rate: Share
    """share of infrastructure errors above which headlines are refused"""
    planned: Count | None
    """conversations that the run was to have"""
    call_latency: Spread | None
    """seconds of each single call of the agent's model"""
    overall: Group
    groups: dict[str, dict[str, Group]]
    """tier, axis, category, augmentation and family to the name of each part to its numbers"""
