"""What a run will probably ask of its models, found out without asking them.

The reference solution and the user script are played offline, and at each turn of a model the request is built that it
would have been sent, with its tools and the whole conversation until then.
"""

import contextlib
import contextvars
import json
import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from tool_sandbox.conversation.execution_context import (
    DatabaseNamespace,
    ExecutionContext,
    RoleType,
    get_current_context,
)
from tool_sandbox.models.batch_service import BATCH_PRICE
from tool_sandbox.models.messages import Usage
from tool_sandbox.models.session import Party
from tool_sandbox.records.result import OfferedTools
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.execution_environment import ExecutionEnvironment
from tool_sandbox.runner.fact_checking import CHECKING_INSTRUCTION, checking_prompt
from tool_sandbox.runner.judging import INSTRUCTION, questions
from tool_sandbox.runner.offer import CHARACTERS_PER_TOKEN, offered_tools
from tool_sandbox.runner.plan import Episode
from tool_sandbox.runner.run import PreparedRun

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario
    from tool_sandbox.roles.model_role import ModelRole

SAMPLE = 120
"""Conversations that are played to estimate a run; of a larger run, as many drawn from it."""

VERDICT_CHARACTERS = 15
"""Characters in which a judge says what it thinks of one fact."""

SPREAD = 3
"""A model may need this many times what the reference solution needs: it tries, errs, asks and thinks."""


@attrs.frozen
class PartyEstimate:
    """What one model will probably be asked in a run, if it needs as little as the reference solution.

    Attributes:
        model: Provider and id.
        calls: Requests.
        input_tokens: Tokens of all prompts.
        output_tokens: Tokens of all replies.
        cost_usd: List price, ``None`` if there is none.
    """

    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


@attrs.frozen
class RunEstimate:
    """What a run will probably ask of its models.

    Attributes:
        conversations: Number of conversations.
        sampled: How many of them were played offline for the estimate; 0 if none can be.
        parties: Party to its estimate, for parties that models play.
        rounds: Requests one after the other of the conversation that has most of them: as many batches follow one
            another.
        offers: What the agent was offered at the end of each of those conversations.
    """

    conversations: int
    sampled: int
    parties: Mapping[Party, PartyEstimate]
    rounds: int = 0
    offers: Sequence[OfferedTools] = ()


class _Measured(BaseException):
    """A request was built and is not sent. Not an ``Exception``, so that nothing treats it as a fault."""


@attrs.define(eq=False)
class _Sizes:
    """Characters of the requests and replies of one party."""

    requests: list[tuple[int, int]] = attrs.field(factory=list)
    asked: int = 0


class _Measuring(BaseRole):
    """Measures what a model would be asked, and lets another role answer."""

    def __init__(self, model: "ModelRole", stand_in: BaseRole, sizes: _Sizes) -> None:
        self.model, self.stand_in, self.sizes = model, stand_in, sizes
        model.model_inference = self._measure  # type: ignore[method-assign]

    def begin(self, scenario: "Scenario") -> None:
        self.model.begin(scenario)
        self.stand_in.begin(scenario)

    def respond(self, ending_index: int | None = None) -> None:
        self.sizes.asked = 0
        with contextlib.suppress(_Measured):
            self.model.respond(ending_index)
        newest = get_current_context().max_sandbox_message_index
        self.stand_in.respond(ending_index)
        if self.sizes.asked:
            log = get_current_context().get_history(DatabaseNamespace.SANDBOX)
            rows = (row for index, table in log if index > newest for row in table.dicts())
            self.sizes.requests.append((self.sizes.asked, sum(len(row["content"] or "") for row in rows)))

    def _measure(self, **wire: Any) -> Any:
        self.sizes.asked = len(json.dumps(wire, default=str))
        raise _Measured


class _MeasuredAgent(_Measuring):
    role_type: ClassVar[RoleType | None] = RoleType.AGENT


class _MeasuredUser(_Measuring):
    role_type: ClassVar[RoleType | None] = RoleType.USER


def estimate(run: PreparedRun) -> RunEstimate:
    """Estimates what a run will ask of its models. Uses no network and writes nothing."""
    if not run.models and run.agent.program is None:
        return RunEstimate(len(run.episodes), 0, {})
    played = [
        measured
        for episode in _sample(run.episodes)
        if (measured := contextvars.copy_context().run(_measure, run, episode)) is not None
    ]
    sampled = [sizes for sizes, _ in played]
    factor = len(run.episodes) / len(sampled) if sampled else 0.0
    parties = {party: _summed(run, party, [sizes[party] for sizes in sampled], factor) for party in run.models}
    rounds = max((sum(len(party.requests) for party in sizes.values()) for sizes in sampled), default=0)
    return RunEstimate(len(run.episodes), len(sampled), parties, rounds, [offer for _, offer in played])


def _sample(episodes: Sequence[Episode]) -> Sequence[Episode]:
    """Some of the episodes, always the same, one per scenario and seed: all trials ask for as much.

    Drawn, because every n-th could be one kind of scenario alone.
    """
    places: dict[tuple[str, int], Episode] = {}
    for episode in episodes:
        places.setdefault((episode.scenario_name, episode.seed), episode)
    once = list(places.values())
    return once if len(once) <= SAMPLE else random.Random(0).sample(once, SAMPLE)


def _measure(run: PreparedRun, episode: Episode) -> "tuple[dict[Party, _Sizes], OfferedTools] | None":
    from tool_sandbox.roles.oracle_agent import OracleAgent
    from tool_sandbox.roles.scripted_user import ScriptedUser

    scenario = run.source(episode)
    if scenario.solution is None or scenario.user_script is None:
        return None
    sizes: dict[Party, _Sizes] = {"agent": _Sizes(), "user": _Sizes(), "judge": _Sizes()}
    agent: BaseRole = OracleAgent()
    user: BaseRole = ScriptedUser()
    if "agent" in run.models:
        agent = _MeasuredAgent(run.agent.factory(), agent, sizes["agent"])  # type: ignore[arg-type]
    if "user" in run.models:
        user = _MeasuredUser(run.user.factory(), user, sizes["user"])  # type: ignore[arg-type]
    roles = {RoleType.EXECUTION_ENVIRONMENT: ExecutionEnvironment(), RoleType.USER: user, RoleType.AGENT: agent}
    context = scenario.play(roles, episode.label)
    if "judge" in run.models:
        sizes["judge"].requests += _questions(scenario, context)
    return sizes, offered_tools(context)


def _questions(scenario: "Scenario", context: ExecutionContext) -> list[tuple[int, int]]:
    """Characters of what a judge would be asked about a conversation, and of its answers."""
    score = scenario.evaluation.evaluate(context, max_turn_count=scenario.max_messages)
    return [
        (len(CHECKING_INSTRUCTION) + len(checking_prompt(context)), VERDICT_CHARACTERS),
        *(
            (len(INSTRUCTION) + len(question.prompt), VERDICT_CHARACTERS * len(question.facts))
            for question in questions(scenario, context, score)
        ),
    ]


def _summed(run: PreparedRun, party: Party, sizes: Sequence[_Sizes], factor: float) -> PartyEstimate:
    provider = run.models[party]
    requests = [request for each in sizes for request in each.requests]
    # Prices depend on the size of a prompt, so that calls cannot be summed up before.
    tokens = [tuple(-(-characters // CHARACTERS_PER_TOKEN) for characters in request) for request in requests]
    costs = [
        run.wiring.price(provider.name, provider.model, Usage(asked, output_tokens=said)) for asked, said in tokens
    ]
    is_batched = run.wiring.batches is not None and provider.no_batches() is None
    cost = None if None in costs else sum(filter(None, costs)) * factor * (BATCH_PRICE if is_batched else 1)
    return PartyEstimate(
        f"{provider.name}/{provider.model}",
        round(len(requests) * factor),
        round(sum(asked for asked, _ in tokens) * factor),
        round(sum(said for _, said in tokens) * factor),
        cost,
    )
