"""The summary of a run, and the scores of agents without skill beside it."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from tool_sandbox.records.declaring import Amount, Count, Counts, Share, Whole, extensible
from tool_sandbox.records.result import Divergence, Result
from tool_sandbox.records.run import SummarisedRun
from tool_sandbox.records.usage import UsageOfParties


class CategoryMeans(TypedDict):
    """Means over all conversations of a category, those with exceptions included as zero."""

    similarity: float
    turn_count: float


class CategoryUsage(TypedDict):
    """What the models of agent and user used together."""

    calls: Count
    """requests to the model"""
    input_tokens: Count
    """tokens of prompts, cached ones included"""
    output_tokens: Count
    """tokens of replies, reasoning included"""
    cost_usd: Amount | None
    """list price of all answers; null if one has no known price"""


class CategoryDetails(TypedDict):
    """Counts over all conversations of a category, and means over those that say something about the agent."""

    count: Count
    """conversations"""
    evaluated: Count
    """conversations that count in the means"""
    exceptions: Count
    """those that could not be played or scored"""
    success_rate: Share | None
    """share with a score of exactly 1"""
    similarity_without_exceptions: Share | None
    """mean over those that were scored"""
    turn_count_without_exceptions: float | None
    """mean over those that were scored"""
    with_side_effects: Count
    """conversations with at least one side effect"""
    tool_calls: Count
    tool_errors: Count
    invalid_calls: Count
    outcomes: Counts
    """how many ended how"""
    usage: CategoryUsage | None
    """of agent and user together; null where no model played"""


class UserFidelity(TypedDict):
    """What the simulated user did wrong, and the means with and without those conversations."""

    audited: Count
    affected: Count
    """conversations with at least one finding"""
    findings: Counts
    """findings by kind"""
    similarity: Share | None
    similarity_unaffected: Share | None
    success_rate: Share | None
    success_rate_unaffected: Share | None


@extensible
class FirstDivergence(Divergence):
    """Where the first request differed."""

    directory: str
    """of the conversation"""


class ReplaySummary(TypedDict):
    """Of a run that was played from a stored one."""

    identical: Count
    """conversations that asked what the stored ones had asked"""
    diverged: Count
    unused: Count
    """stored answers that nothing asked for"""
    first: FirstDivergence | None
    """where the first request differed"""


class JudgeSummary(TypedDict):
    """How often a judge and the parsers read a fact alike, on how many answers they differ, and what it calls false."""

    model: str
    conversations: Count
    errors: Count
    answers: Count
    facts: Count
    unreadable: Count
    agreement: Share | None
    only_judge: Count
    only_parser: Count
    false_statements: NotRequired[Count]
    """conversations with words to the user that the judge holds for false"""


class RunSummary(TypedDict):
    """Summary of a run."""

    per_scenario_results: list[Result]
    """one entry per conversation, as in its record"""
    category_aggregated_results: dict[str, CategoryMeans]
    """category to means over all conversations, those with exceptions included as zero"""
    git_sha: str | None
    """commit of the working directory, followed by + local changes where there were some"""
    category_details: dict[str, CategoryDetails]
    """category to counts and to means that leave exceptions out"""
    usage: UsageOfParties
    """sums over all conversations"""
    user_fidelity: UserFidelity | None
    """what the simulated user did wrong, and the means with and without those conversations"""
    judge: JudgeSummary | None
    """how often a judge and the parsers read a fact alike; null where none was asked for"""
    replay: ReplaySummary | None
    """of a run that was played from a stored one"""
    run: SummarisedRun
    """what the run was asked to do, and how far it got"""


class FloorScores(TypedDict):
    """Scores of agents without skill in one scenario and world."""

    name: str
    """name of the scenario"""
    seed: Whole
    """seed of its world"""
    refusing: Share
    """score of the agent that refuses everything"""
    request_blind: Share
    """score of the agent that never reads the request"""


class Floor(TypedDict):
    """What agents without skill score on the scenarios of a run."""

    format: Literal[1]
    """version of this file"""
    agents: list[Literal["refusing", "request_blind"]] | None
    """the agents, null where nothing can be measured because a scenario has no script for the user"""
    scenarios: list[FloorScores]
    """one entry per scenario and seed of the run"""
