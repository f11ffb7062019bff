"""What a run was asked to do."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired

from annotated_types import MinLen
from typing_extensions import TypedDict

from tool_sandbox.records.declaring import (
    Amount,
    Count,
    Day,
    Directory,
    Time,
    Whole,
    WholeText,
    extensible,
    requires,
)
from tool_sandbox.records.options import run_keys, sweep_keys
from tool_sandbox.records.usage import ReplacedUsage

RUN_FORMAT = 3
"""Version of the layout of a run directory, raised when an older reader would not understand it."""


@extensible
class Services(TypedDict):
    """What stood behind the search tools."""

    mode: str
    version: str
    choice: NotRequired[str]
    """as it was asked for"""


class Suite(TypedDict):
    """Which suite was played."""

    name: NotRequired[str]
    """package of a suite that was loaded from elsewhere"""
    version: str | None
    content_hash: str
    """of its files"""
    clock: NotRequired[Literal["frozen", "ticking", "system"]]
    """how time passed in a suite from elsewhere"""
    time: NotRequired[Time | None]
    """at which a suite from elsewhere was loaded; null for the clock of the machine"""


class PlannedConversation(TypedDict):
    """A conversation that the run consists of."""

    scenario_name: WholeText
    seed: Whole
    trial: Count
    directory: Directory


@extensible
class AgentProgram(TypedDict):
    """An agent with a loop of its own: its version, how it is isolated, and what else it says of itself."""

    name: str


class Instruction(TypedDict):
    """What the agent was told."""

    version: str | None
    """of the built-in text; null for another"""
    sha256: str
    text: str | None
    """what replaced the built-in text"""


class Model(TypedDict):
    """A model and how it was asked."""

    provider: str
    model: str
    settings: dict[str, Any]
    base_url: str | None
    """without credentials; null for the provider's own"""
    timeout_s: float


class Models(TypedDict):
    """The model of each party, null for one that is no model."""

    agent: Model | None
    user: Model | None
    judge: Model | None


class PriceTable(TypedDict):
    """The price table."""

    date: Day
    version: str
    file: str | None


class Spending(TypedDict):
    """What the run might spend."""

    usd: Amount | None
    tokens: Count | None


class Retry(TypedDict):
    """A resumption: an attempt to play what was missing or had failed."""

    started: Time
    agent: str
    episodes: list[str]
    """directories of the conversations"""
    replaced_usage: ReplacedUsage
    """what the attempts had used that have made way since"""


if TYPE_CHECKING:

    class _RunOptions(TypedDict): ...

    class _SweepOptions(TypedDict): ...

else:
    _RunOptions = TypedDict("_RunOptions", run_keys())
    _SweepOptions = TypedDict("_SweepOptions", sweep_keys())


class RunSettings(_RunOptions):
    """What a run was asked to do, but for when and where it began."""

    format: Literal[3]
    """version of the layout of the directory"""
    package_version: str
    """of tool_sandbox"""
    python_version: str
    """of the interpreter that began the run"""
    agent: str
    """name on the command line"""
    user: str
    """name on the command line"""
    agent_program: NotRequired[AgentProgram]
    """of an agent with a loop of its own: name, version, how it is isolated"""
    agent_model: str | None
    """id of the model that plays it, null for an agent that is no model"""
    user_model: str | None
    """id of the model that plays it, null for a user that is no model"""
    services: Services
    """what stood behind the search tools"""
    suite: Suite | None
    """the suite that the scenarios belong to; null for scenarios that were handed over one by one"""
    instruction: NotRequired[Instruction]
    """what the agent was told"""
    models: NotRequired[Models]
    """the models that played"""
    sdk_versions: NotRequired[dict[str, str]]
    """of the packages that talk to providers, where a model played"""
    prices: NotRequired[PriceTable | None]
    """the price table"""
    budget: NotRequired[Spending]
    """what the run might spend"""
    published_files: NotRequired[bool]
    """whether the published files of each conversation stand beside its record; true where it is missing"""
    retries: NotRequired[list[Retry]]
    """resumptions: attempts to play what was missing or had failed"""


class StartedRun(RunSettings):
    """A run that has begun."""

    started: Time
    """local time of the start, with offset"""


class RunDescription(StartedRun):
    """What a run was asked to do.

    While it is played and summed up, it also says how it ended, which is not written into its file.
    """

    git_sha: str | None
    """commit of the working directory, followed by + local changes where there were some"""
    episodes: list[PlannedConversation]
    """the conversations, in order"""


@requires("planned", "played", "complete")
class SummarisedRun(StartedRun):
    """What a run was asked to do, and how far it got; the latter alone where results were summed up one by one."""

    planned: Count
    """conversations"""
    played: Count
    complete: bool
    interrupted: NotRequired[bool]
    """whether somebody stopped it before everything was played"""
    stopped: NotRequired[str | None]
    """why the run ended before everything was played"""


class SweptAgent(TypedDict):
    """An agent of a sweep."""

    agent: str
    label: str


@extensible
class SweepSettings(_SweepOptions):
    """The keys of ``sweep.toml``."""

    name: str
    agents: Annotated[list[SweptAgent], MinLen(1)]
    users: Annotated[list[str], MinLen(1)]
    file: str | None
    """the file all this is from, null if only flags said so"""


class SweptRun(TypedDict):
    """A run of a sweep."""

    directory: Directory
    """name of the run directory, inside of that of the sweep"""
    agent: str
    user: str
    label: str
    """what the run is called in tables; no two runs share one"""


class SweepDescription(TypedDict):
    """What a sweep was asked to do, and the runs that it consists of."""

    format: Literal[1]
    """version of the layout of the directory"""
    name: str
    started: Time
    """local time of the start, with offset"""
    package_version: str
    git_sha: str | None
    asked: SweepSettings
    """the keys of sweep.toml with flags and defaults filled in; the budget is that of the whole sweep"""
    runs: Annotated[list[SweptRun], MinLen(1)]
