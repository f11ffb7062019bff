"""The numbers of a run."""

from typing import Literal

from typing_extensions import TypedDict

from tool_sandbox.records.declaring import Count, Share


class Ends(TypedDict):
    """Ends of an interval."""

    low: float | None
    high: float | None


class EstimateRecord(TypedDict):
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


class PassRecord(TypedDict):
    """pass@k or pass^k for one k."""

    estimate: EstimateRecord | None
    left_out: Count
    """scenarios and seeds with fewer than k trials that count"""


class HeadlineRecord(TypedDict):
    """Whether there is a number that a run can be known by."""

    value: Share | None
    """mean over the conversations that count, null if refused"""
    low: Share | None
    """mean if all excluded ones had earned nothing"""
    high: Share | None
    """mean if they had earned everything"""
    reason: str | None
    """why it is refused"""


class Headlines(TypedDict):
    """The numbers that a run can be known by."""

    success: HeadlineRecord
    similarity: HeadlineRecord


class FloorMeans(TypedDict):
    """What an agent without skill earns, null where not all of it was measured."""

    success: Share | None
    similarity: Share | None


class FloorsRecord(TypedDict):
    """The agents without skill."""

    refusing: FloorMeans
    request_blind: FloorMeans


class SpreadRecord(TypedDict):
    """Where the values of a quantity lie."""

    median: float
    p95: float
    """95 % are below"""
    n: Count


class Estimates(TypedDict):
    """Means over conversations, null where none knows it."""

    success: EstimateRecord | None
    """share of conversations that won all points"""
    similarity: EstimateRecord | None
    """mean score"""
    turn_count: EstimateRecord | None
    """turns per conversation, as the published benchmark counts them"""
    tool_calls: EstimateRecord | None
    """answered tool calls per conversation"""
    tool_errors: EstimateRecord | None
    """failed ones of them per conversation"""
    tool_error_rate: EstimateRecord | None
    """failed ones of them per call"""
    invalid_calls: EstimateRecord | None
    """calls per conversation that could not even be tried"""
    side_effects: EstimateRecord | None
    """share of conversations with a change that the scenario does not allow"""
    minefield_hit: EstimateRecord | None
    """share of conversations in which something happened that must not"""
    unsupported: EstimateRecord | None
    """statements per conversation that nothing shown supports"""
    contradicted: EstimateRecord | None
    """share of conversations in which the user was told what the world contradicts"""
    user_findings: EstimateRecord | None
    """share of audited conversations in which the simulated user did something wrong"""
    latency_s: EstimateRecord | None
    """seconds of the agent's model per conversation"""
    call_latency_s: EstimateRecord | None
    """the same per call"""
    input_tokens: EstimateRecord | None
    """tokens of the agent's prompts per conversation"""
    output_tokens: EstimateRecord | None
    """tokens of its replies per conversation"""
    cost_usd: EstimateRecord | None
    """list price per conversation, agent and user together"""


class GroupRecord(TypedDict):
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
    clustered_by: Literal["family", "base_scenario"]
    """what intervals treat as drawn at random: base scenarios within a family, and where there is one"""
    trials: Count
    """most trials of one scenario and seed"""
    outcomes: dict[str, Count]
    """outcome to number of conversations"""
    infrastructure_error_rate: Share
    """share of conversations that ended so"""
    user_error_rate: Share
    """share of conversations that ended so"""
    headlines: Headlines
    """the numbers that it can be known by"""
    floors: FloorsRecord | None
    """floor agent to its means, null where they are not known"""
    estimates: Estimates
    """quantity to its mean, null where no conversation knows it"""
    pass_at_k: dict[str, PassRecord]
    """k to the chance of at least one success in k trials"""
    pass_hat_k: dict[str, PassRecord]
    """k to the chance of k successes in k trials"""
    latency: SpreadRecord | None
    """seconds of the agent's model per conversation"""
    cost_usd: float | None
    """list price of all conversations that count and whose price is known"""


class MetricsRecord(TypedDict):
    """The numbers of a run."""

    format: Count
    """version of this layout"""
    confidence: float
    """of all intervals"""
    max_infrastructure_rate: Share
    """share of infrastructure errors above which headlines are refused"""
    planned: Count | None
    """conversations that the run was to have"""
    call_latency: SpreadRecord | None
    """seconds of each single call of the agent's model"""
    overall: GroupRecord
    groups: dict[str, dict[str, GroupRecord]]
    """category, augmentation and family to the name of each part to its numbers"""
