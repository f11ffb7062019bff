"""The result of one conversation."""

from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from tool_sandbox.records.declaring import (
    Amount,
    Count,
    Directory,
    Fingerprint,
    ListOf,
    Matches,
    OutcomeName,
    ProfileName,
    Share,
    Whole,
    extensible,
)
from tool_sandbox.records.failure import Failure
from tool_sandbox.records.usage import UsageOfParties


class ChangedRow(TypedDict):
    """A change of the world that the scenario does not allow."""

    description: str
    """in words"""
    database: str
    """namespace of the table"""
    kind: Literal["added", "removed", "updated"]
    key: str | None
    """key of the row, null where keys are of no use"""
    columns: list[str]
    """columns that changed, for an updated row"""
    message_index: Whole
    """message after which it showed first"""


class UnsupportedStatement(TypedDict):
    """A part of a statement to the user that nothing shown supports."""

    message: Count
    """index of the message"""
    kind: Literal["PHONE", "ADDRESS", "TIME", "DATE", "AMOUNT", "QUOTATION", "NAME", "SETTING", "DEED"]
    said: str
    """the part"""
    world: str | None
    """what the world says instead, null where it says nothing"""
    is_open: NotRequired[bool]
    """whether the words may be meant otherwise, and nobody has decided"""


class UnclearReading(TypedDict):
    """A sentence that can be read in more than one way."""

    message: Count
    """index of the message"""
    fact: str
    """what the sentence may or may not state"""
    sentence: str
    is_stated: bool | None
    """what somebody decided, null as long as nobody did"""
    by: NotRequired[str]
    """who decided it"""
    at: NotRequired[str]
    """when, in ISO 8601"""
    is_judge: NotRequired[bool]
    """whether that is a model"""


@extensible
class SuiteVersion(TypedDict):
    """Which suite a scenario belongs to; of one from elsewhere also what ``run.json`` says of it."""

    version: str | None
    content_hash: str | None
    """of its files"""


class ScenarioHash(TypedDict):
    """Fingerprints of a scenario."""

    start: Fingerprint
    """world, opening messages and offered tools"""
    evaluation: Fingerprint
    """what it is scored by, as in the evaluation of its record"""


@extensible
class Divergence(TypedDict):
    """A request that differs from the stored one."""

    party: Literal["agent", "user"]
    call: Count
    """number of the call of that party"""
    path: str
    """first place in the request that differs"""
    stored: str
    now: str


@extensible
class Replayed(TypedDict):
    """What came of playing a conversation from a stored run."""

    calls: Count
    unused: Count
    """stored answers that nothing asked for"""
    divergences: list[Divergence]


@extensible
class UserFinding(TypedDict):
    """Something that the simulated user did wrong."""

    kind: str
    message_index: Whole | None
    text: str
    detail: str


class JudgeReading(TypedDict):
    """A fact as the parser and a judge read it."""

    message_index: Count
    fact: str
    deterministic: Literal["stated", "contradicted", "silent", "unclear"]
    """by the parser"""
    judge: Literal["stated", "contradicted", "silent"] | None
    agrees: bool | None


class JudgeAnswer(TypedDict):
    """A second opinion on the answer that a milestone asks for."""

    milestone: Count
    """its number"""
    deterministic: Share
    """similarity of the milestone; this is what scores"""
    judge: Share | None
    """1 if the judge finds all facts stated in one message, null without a usable opinion"""
    readings: list[JudgeReading]


class FalseStatement(TypedDict):
    """Words to the user that a judge holds for false."""

    message_index: Count
    sentence: str
    """as the message has it"""
    reason: str
    """what shows it, by the judge"""


class JudgeReport(TypedDict):
    """A second opinion on the answers of a conversation."""

    model: str
    prompt_version: str
    """version of the judge's instruction"""
    answers: list[JudgeAnswer]
    agreement: Share | None
    """share of facts that both read alike"""
    false_statements: NotRequired[list[FalseStatement] | None]
    """what is false in all that the agent told the user, by the judge; null if it could not say"""
    error: str | None
    """why the judge could not go on"""


class Statements(TypedDict, total=False):
    """What was found about statements to the user, of which the published rules know nothing."""

    unsupported: list[UnsupportedStatement]
    """parts of statements to the user that nothing shown supports; only where statements are checked"""
    unclear: list[UnclearReading]
    """unclear readings that the score depends on, and those that were decided; only under the strict rules"""
    score_interval: Annotated[list[float], ListOf((Share, Share))] | None
    """lowest and highest score by what is unclear, null where nothing depends on it"""


class CallCounts(TypedDict):
    """How the agent used its tools."""

    tool_calls: Count
    """answered tool calls of the agent"""
    tool_errors: Count
    """those among them that failed"""
    invalid_calls: Count
    """calls that could not even be tried: no such tool on offer, or arguments that are no JSON object"""


class OfferedTools(TypedDict):
    """What the agent was offered at the end of a conversation."""

    tools: Count
    """number of tools"""
    tokens: Count
    """tokens of their descriptions, which every request of a model has, estimated at three characters each"""


class Offered(TypedDict):
    """What the tools of a conversation cost."""

    offered: NotRequired[OfferedTools]
    """tools on offer at the end; with tool search, the search tool and those that it has found"""


class Lineage(TypedDict):
    """What a scenario is an augmentation of: scores of augmentations of one task are not independent."""

    family: str | None
    """group of scenarios that share a task; their scores are not independent"""
    base_name: str | None
    """base scenario that this one is an augmentation of"""
    augmentation: str | None
    """how the base scenario is offered"""
    tier: NotRequired[str | None]
    """part of the suite that the scenario belongs to: core or hard"""
    axis: NotRequired[str | None]
    """what makes the scenario hard, null outside the hard tier"""


class PublishedResult(TypedDict):
    """The keys that a result of any program has, as the published benchmark writes them."""

    name: str
    """name of the scenario"""
    categories: list[str]
    """tags of the scenario"""
    traceback: str | None
    """traceback of what ended the conversation, null when it was played and scored"""
    exception_type: str | None
    """class name of the exception"""
    milestone_similarity: Share
    """how far the milestones were reached"""
    minefield_similarity: Share
    """how far a minefield was stepped on"""
    similarity: Share
    """the score"""
    turn_count: Amount
    """turns as the published benchmark counts them; the limit of messages after an exception"""
    milestone_mapping: Matches
    """milestone number to the index of the message it was matched to and the similarity there"""
    minefield_mapping: Matches
    """minefield number to the index of the message it was matched to and the similarity there"""


class Played(TypedDict):
    """Which conversation it was, and what became of it."""

    directory: Directory
    """directory below trajectories"""
    seed: Whole
    """seed of the world; 0 is the canonical instance"""
    trial: Count
    """number of the repetition"""
    profile: ProfileName | None
    """rules of scoring; null when the scenario could not be built"""
    success: bool
    """whether the score is exactly 1"""
    minefield_hit: bool
    """whether something happened that must not"""
    outcome: OutcomeName
    """how the conversation ended"""
    total_turn_count: Count
    """turns with the messages of no declared visibility, the opening of the user among them"""
    side_effects: list[ChangedRow]
    """changes of the world that the scenario does not allow"""
    failure: NotRequired[Failure | None]
    """what went wrong first, null for a success and under the published rules"""


class Observed(TypedDict):
    """What only the one who played it could see; a new score does not change it."""

    fault: str | None
    """for a conversation that an exception ended, what failed"""
    evaluated: bool
    """whether the score says something about the agent; if not, it counts in no mean"""
    reason: str | None
    """why the conversation ended otherwise than in completion, in one line"""
    usage: UsageOfParties
    """what the models did; null for a party that is no model"""
    user_findings: list[UserFinding] | None
    """what the simulated user did wrong; null where nobody checked"""
    replay: Replayed | None
    """of a conversation that was played from a stored run"""
    judge: JudgeReport | None
    """a second opinion on answers, never part of the score; null where none was asked for"""


class Result(PublishedResult, Played, CallCounts, Observed, Offered, Lineage, Statements):
    """Result of one conversation."""

    suite: SuiteVersion | None
    """suite that the scenario belongs to, null for scenarios that were handed over one by one"""
    scenario_hash: ScenarioHash | None
    """fingerprints of the scenario, null when it could not be built"""
