"""What is kept of one conversation beside its result: messages, worlds, calls of models, what it was scored by."""

from typing import TYPE_CHECKING, Any, Literal, NotRequired

from typing_extensions import TypedDict

from tool_sandbox.records.declaring import Amount, Count, Number, ProfileName, Share, Whole, extensible
from tool_sandbox.world.schema import SCHEMAS

Row = dict[str, Any]
"""A row of a table, ``sandbox_message_index`` first."""


@extensible
class Function(TypedDict):
    """A function and its arguments."""

    name: str
    arguments: str
    """as JSON"""


@extensible
class ToolCall(TypedDict):
    """A tool call as OpenAI's chat completions write it."""

    id: str
    type: Literal["function"]
    function: Function


@extensible
class MilestoneMatch(TypedDict):
    """A milestone that is matched to a turn."""

    milestone_index: Count
    milestone: dict[str, Any]
    milestone_similarity: Share


@extensible
class MinefieldMatch(TypedDict):
    """A minefield that is matched to a turn."""

    minefield_index: Count
    minefield: dict[str, Any]
    minefield_similarity: Share


@extensible
class TurnDetails(TypedDict):
    """What happened to the world at a turn, and what it was worth."""

    database_update: NotRequired[dict[str, list[Row]]]
    milestone_matches: NotRequired[list[MilestoneMatch]]
    minefield_matches: NotRequired[list[MinefieldMatch]]


@extensible
class ToolTurnDetails(TurnDetails):
    """The same of an answer of the execution environment."""

    calls: NotRequired[list[dict[str, Any]]]
    """tool calls that the agent's code made: id, name, arguments, content, is_error"""


@extensible
class Turn(TypedDict):
    """A message of the graded conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: NotRequired[str | None]
    tool_calls: NotRequired[list[ToolCall]]
    tool_call_id: NotRequired[str]
    name: NotRequired[str]
    system_details: NotRequired[TurnDetails]
    """what happened to the world at this turn, and what it was worth"""
    user_details: NotRequired[TurnDetails]
    """what happened to the world at this turn, and what it was worth"""
    assistant_details: NotRequired[TurnDetails]
    """what happened to the world at this turn, and what it was worth"""
    tool_details: NotRequired[ToolTurnDetails]
    """what happened to the world at this turn, and what it was worth"""


@extensible
class TokenCounts(TypedDict):
    """Tokens of one call."""

    input_tokens: Count | None
    output_tokens: Count | None


@extensible
class FailedAttempt(TypedDict):
    """A request that failed."""

    latency_s: Amount
    """seconds waited for the failure"""
    wait_s: Amount
    """seconds waited before the next attempt"""


@extensible
class ModelCall(TypedDict):
    """A request to a model, with all its attempts."""

    stop: str | None
    """why the model stopped, null where it gave no answer"""
    latency_s: Amount
    """seconds waited for the answer"""
    cost_usd: Amount | None
    """list price, null where it is not known"""
    usage: TokenCounts | None
    failures: list[FailedAttempt]


@extensible
class ParallelAnswer(TypedDict):
    """A state between the answers to parallel calls."""

    answer: Count
    rows: NotRequired[list[Row] | list[list[Any]] | None]
    """null for the last answer; of a table of an app, what is different, as in its states"""


@extensible
class Ids(TypedDict):
    """Where the drawing of ids stands."""

    seed: str | None
    counter: Count


if TYPE_CHECKING:
    TableState = dict[str, Any]
else:
    # One of its keys is a word of the language.
    TableState = extensible(
        TypedDict(
            "TableState",
            {
                "index": Count,
                "guards": Count,
                "from": Count,
                "to": Count,
                "rows": NotRequired[list[list[Any]]],
                "packed": NotRequired[str],
            },
        )
    )


@extensible
class AppTable(TypedDict):
    """All states of a table of an app."""

    key: str
    """the column that identifies a row"""
    columns: dict[str, str]
    """name to the type of a cell: str, int, float, bool, or list[...] of one"""
    states: list[TableState]
    """the message index of each, and the rows that stand in the place of those from one position to before another one
    in the state before: as they are, or many of them packed, as JSON compressed by zlib in base64"""


@extensible
class Extensions(TypedDict, total=False):
    """State of a world that the published format has no key for."""

    profile: ProfileName
    clock: dict[str, Any]
    ids: Ids
    tool_order: list[str] | None
    message_texts: dict[Number, str]
    """texts beside tool calls"""
    batch_states: dict[Number, dict[str, list[ParallelAnswer]]]
    """states between parallel calls"""
    apps: list[str]
    """apps whose tables the world has"""
    tables: dict[str, AppTable]
    """tables of apps"""
    tool_search: bool
    """whether the agent had to find the tools with a search tool"""


if TYPE_CHECKING:
    Tables = dict[str, list[Row]]
else:
    # Their columns are declared once, with the world.
    def _cell(column):
        return list[column.element] if column.is_list else column.element

    Tables = TypedDict(
        "Tables",
        {
            namespace: list[
                TypedDict(
                    f"{namespace.title()}Row",
                    {"sandbox_message_index": Whole}
                    | {
                        each.name: (list[each.element] if each.is_list else each.element) | None
                        for each in schema.columns
                    },
                )
            ]
            for namespace, schema in SCHEMAS.items()
        },
    )


class World(TypedDict):
    """The world with its whole history."""

    _dbs: Tables
    """namespace to the rows of all its snapshots; one with nothing but a message index marks a snapshot that exists"""
    interactive_console: None
    """has no JSON form"""
    tool_allow_list: list[str] | None
    tool_deny_list: list[str] | None
    trace_tool: bool
    tool_augmentation_list: list[str]
    preferred_tool_backend: str
    extensions: NotRequired[Extensions]
    """state that the published format has no key for: profile, clock, ids, tool order, texts beside tool calls, states
    between parallel calls, apps and their tables, tool search"""


@extensible
class CheckDescription(TypedDict):
    """What is measured, as the check describes itself."""

    database: str
    """the one that it looks at"""


class Node(TypedDict):
    """A milestone or a minefield."""

    name: str | None
    weight: Amount
    after: list[Count]
    """numbers of the nodes that come before"""
    checks: list[CheckDescription]
    """what is measured, each with the database it looks at"""
    guardrails: list[str]
    """databases that must stay as they are since the node before"""


class CheckExplanation(TypedDict):
    """How far a check is met."""

    similarity: Share
    why: str | None
    """what is missing or different"""
    message_index: Whole
    """where that was measured"""


class Explanation(TypedDict):
    """Why a milestone is not fully met."""

    why: str | None
    """what besides its checks kept the milestone from matching"""
    checks: list[CheckExplanation]
    """one entry per check of the milestone, in their order"""


class Explanations(TypedDict):
    """What is missing."""

    milestones: dict[Number, Explanation]
    """number of a milestone that is not fully met to what is missing"""


class EvaluationDescription(TypedDict):
    """What a conversation is scored by."""

    profile: ProfileName
    milestones: list[Node]
    minefields: list[Node]
    allowed_changes: list[str] | None
    """all changes of the world that are permitted; null where guardrails hold instead"""
    explanations: NotRequired[Explanations]
    """never part of a score; missing in older runs"""
