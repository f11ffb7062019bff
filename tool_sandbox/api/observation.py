"""What the agent is shown after each of its actions, in the format that it likes."""

import copy
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict

import attrs

from tool_sandbox.models.formats.chat import as_messages
from tool_sandbox.models.messages import Turn
from tool_sandbox.models.openai_shared import json_object
from tool_sandbox.runner.results import plain_side_effect, statements
from tool_sandbox.runner.verdicts import is_evaluated
from tool_sandbox.world.outcome import Outcome

if TYPE_CHECKING:
    from tool_sandbox.api.moment import Moment
    from tool_sandbox.records.result import ChangedRow, UnsupportedStatement


class Info(TypedDict):
    """What a conversation is worth so far, and why. The agent must not be shown it."""

    scenario: str
    """name of the scenario"""
    seed: int
    """seed of its world"""
    score: float | None
    """the score if the conversation ended now, null if it failed"""
    milestones: list[float]
    """how well each milestone is met, from 0 to 1"""
    milestones_met: int
    """number of milestones that are fully met"""
    side_effects: "list[ChangedRow]"
    """changes of the world that the scenario does not allow"""
    unsupported: "list[UnsupportedStatement]"
    """parts of statements to the user that nothing shown supports"""


@attrs.frozen(eq=False, slots=False, repr=False)
class Observation:
    """What the agent is shown, and its score at the end.

    Attributes:
        reward: What the action was worth, see `Env`.
    """

    _moment: "Moment" = attrs.field(alias="moment")
    reward: float = 0.0

    @property
    def done(self) -> bool:
        """Whether the conversation is over, terminated or truncated."""
        return self._moment.result is not None

    @property
    def terminated(self) -> bool:
        """Whether it has come to its end: the user ended it, or the agent cannot go on."""
        return self.done and not self.truncated

    @property
    def truncated(self) -> bool:
        """Whether it was cut off: at the largest number of messages, or by a failure that is no fault of the agent."""
        result = self._moment.result
        return result is not None and (result["outcome"] == Outcome.MAX_MESSAGES or not is_evaluated(result))

    @property
    def score(self) -> float | None:
        """What it scored, from 0 to 1; ``None`` while it goes on, and where it says nothing about the agent."""
        result = self._moment.result
        return float(result["similarity"]) if result is not None and is_evaluated(result) else None

    @property
    def success(self) -> bool | None:
        """Whether all was done that had to be, and nothing else; ``None`` where there is no score."""
        result = self._moment.result
        return bool(result["success"]) if result is not None and is_evaluated(result) else None

    @property
    def outcome(self) -> str | None:
        """How it ended (``completed``, ``max_messages``, ``model_error``, ...), ``None`` while it goes on."""
        return None if self._moment.result is None else str(self._moment.result["outcome"])

    @property
    def reason(self) -> str | None:
        """Why it ended so, where that is known."""
        return None if self._moment.result is None else self._moment.result["reason"]

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The conversation so far as Python objects: turns of the user and of the agent, and results of calls."""
        return self._moment.turns

    @functools.cached_property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation so far as chat messages in the format of OpenAI.

        What the agent is told, what the user said, its own texts and calls, their results.
        """
        return [*self._told, *_openai(self.turns)]

    @functools.cached_property
    def new_messages(self) -> list[dict[str, Any]]:
        """The messages after the last action of the agent: results of its calls, or the answer of the user."""
        told = [] if self._moment.before is not None else self._told
        return [*told, *_openai(self.turns[self._moment.own :])]

    @functools.cached_property
    def tools(self) -> list[dict[str, Any]]:
        """The tools on offer, as OpenAI function descriptions; with tool search, more from search to search."""
        return [copy.deepcopy(dict(tool)) for tool in self._moment.tools]

    @functools.cached_property
    def new_tools(self) -> list[dict[str, Any]]:
        """The tools that the last action has found, and at first all that are on offer."""
        return [copy.deepcopy(dict(tool)) for tool in self._moment.new_tools]

    @functools.cached_property
    def info(self) -> Info:
        """Score so far, milestones met, side effects, unsupported statements; worked out when asked for."""
        score, episode = self._moment.evaluation, self._moment.opening.task.episode
        met = [] if score is None else [similarity for _, similarity in score.milestone_mapping.values()]
        return {
            "scenario": episode.scenario_name,
            "seed": episode.seed,
            "score": None if score is None else float(score.similarity),
            "milestones": met,
            "milestones_met": sum(similarity == 1 for similarity in met),
            "side_effects": [] if score is None else [plain_side_effect(each) for each in score.side_effects],
            "unsupported": statements(score).get("unsupported", []),
        }

    def as_openai(self, *, new: bool = False) -> dict[str, Any]:
        """The ``messages`` and ``tools`` of a request to OpenAI's chat completions, and to the many servers like it.

        Args:
            new: Only the messages since the last action.
        """
        tools = {"tools": self.tools} if self.tools else {}
        return {"messages": self.new_messages if new else self.messages, **tools}

    def as_anthropic(self, *, new: bool = False) -> dict[str, Any]:
        """The ``system``, ``messages`` and ``tools`` of a request to Anthropic's Messages API.

        Args:
            new: Only the messages since the last action.
        """
        from tool_sandbox.models.anthropic_history import to_messages, to_tool

        messages = to_messages(self.turns)
        if new and self._moment.before is not None:
            last = max(place for place, message in enumerate(messages) if message["role"] == "assistant")
            messages = messages[last + 1 :]
        system = {"system": self._moment.opening.system} if self._moment.opening.system.strip() else {}
        tools = {"tools": [to_tool(tool) for tool in self.tools]} if self.tools else {}
        return {**system, "messages": messages, **tools}

    @property
    def _told(self) -> list[dict[str, Any]]:
        system = self._moment.opening.system
        return [{"role": "system", "content": system}] if system else []

    def __repr__(self) -> str:
        ending = f", {self.outcome}, score {self.score}" if self.done else ""
        last = self.messages[-1] if self.messages else {"role": "nobody", "content": ""}
        return f"<Observation of {len(self.messages)} messages, {last['role']}: {last['content']!r:.80}{ending}>"


def _openai(turns: Sequence[Turn]) -> list[dict[str, Any]]:
    return [message for turn in turns for message in as_messages(turn, json_object)]
